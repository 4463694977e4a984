/* The kernels that stood here are of no use to us; the listing at the end is. */
/*
fused OP0#1 ($0 : FLOAT, $1 : SEGDES, $2 : INT) =
  (* FLOAT @ (- FLOAT @ $0 (DIST FLOAT @ (CONST FLOAT 0.25) $1)) (I_TO_F @ $2))
*/
