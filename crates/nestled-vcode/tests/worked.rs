//! The worked programs of the language reference.

use nestled_ir::interp::{Limits, TestWorld, run};
use nestled_vcode::{Options, compile, print};

fn go(text: &str) -> String {
    let compiled = match compile("t.vcode", text, None, &Options::default()) {
        Ok(c) => c,
        Err(e) => return e.to_string(),
    };
    let shown = nestled_ir::text::print(&compiled.program);
    if let Err(d) = nestled_ir::verify::verify(&compiled.program) {
        panic!("{shown}\n{}", nestled_ir::render_all(&d, &compiled.program.sources));
    }
    if std::env::var_os("SHOW").is_some() {
        println!("{shown}");
    }
    let mut world = TestWorld::default();
    match run(&compiled.program, "main", &[], &[], &Limits::default(), &mut world) {
        Ok(values) => print::stack(&compiled.outputs, &values),
        Err(e) => format!("{e}\n"),
    }
}

#[test]
fn scale() {
    let text = "FUNC MAIN CONST FLOAT (2.0 8.0 3.0 4.0 5.0 1.0) CONST INT (2 1 3) MAKE_SEGDES CALL SCALE RET
FUNC SCALE COPY 2 0 MAX_REDUCE FLOAT COPY 1 1 DIST FLOAT CPOP 1 2 CPOP 1 1 / FLOAT CPOP 1 1 RET";
    assert_eq!(
        go(text),
        "( 2.50000000000000e-01 1.00000000000000e+00 1.00000000000000e+00 8.00000000000000e-01 1.00000000000000e+00 2.00000000000000e-01 )\n[ 2 1 3 ]\n"
    );
}

#[test]
fn filter() {
    let text = "FUNC MAIN
CONST INT (7 -4 6 -1 -2 8 3)
CONST INT (3 0 4)
MAKE_SEGDES
COPY 1 1   CONST INT 0   COPY 1 3   LENGTH INT   MAKE_SEGDES   DIST INT   >= INT
CONST INT (0 0 0)   CONST INT (1 1 1)   COPY 1 3   INDEX
COPY 1 1   COPY 1 3   PACK INT
CPOP 1 4   CPOP 1 3   CPOP 1 4   PACK INT
RET";
    assert_eq!(go(text), "( 0 2 2 3 )\n[ 2 0 2 ]\n( 7 6 8 3 )\n[ 2 0 2 ]\n");
}

#[test]
fn halve() {
    let text = "FUNC HALVE
COPY 1 0   LENGTH INT   COPY 1 0   CONST INT 1   = INT
IF
POP 1 0
ELSE
CONST INT 1   RSHIFT   MAKE_SEGDES
COPY 1 1   LENGTH INT   MAKE_SEGDES
CONST INT 0   CONST INT 2   COPY 1 3   INDEX
COPY 1 3   CPOP 1 1   COPY 1 2   COPY 1 4   BPERMUTE INT
CONST INT 1   CONST INT 2   COPY 1 4   INDEX
COPY 1 4   CPOP 1 1   COPY 1 3   COPY 1 5   BPERMUTE INT
+ INT   POP 3 1   CALL HALVE
ENDIF
RET
FUNC MAIN
CONST INT (3 1 4 1)
CALL HALVE
RET";
    assert_eq!(go(text), "( 9 )\n");
}

#[test]
fn random() {
    let text = "FUNC MAIN CONST INT 2147483647 CONST INT 10 MAKE_SEGDES DIST INT RAND RET";
    assert_eq!(
        go(text),
        "( 0 2116118 89401895 379337186 782977366 196130996 198207689 1046291021 1131187612 975888346 )\n"
    );
}
