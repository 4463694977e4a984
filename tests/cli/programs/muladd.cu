/*
fused OP0#3 ($0 : SEGDES) = (DIST INT @ (CONST INT 97) $0)
fused OP1#1 ($0 : INT, $1 : INT, $2 : INT) = (+ INT @ (* INT @ $1 $2) $0)
*/
