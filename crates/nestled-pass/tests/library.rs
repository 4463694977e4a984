//! `expand-math` with other libraries, and with ours whole.

use nestled_ir::{Op, Program, StmtKind, text, verify};
use nestled_pass::PassContext;
use nestled_pass::expand_math::{expand_from, expand_math};

fn parse(source: &str) -> Program {
    let program = text::parse("test.lcu", source).unwrap_or_else(|failure| panic!("{failure}"));
    verify::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    program
}

fn names(program: &Program) -> Vec<&str> {
    program.thunks.iter().map(|def| &*def.name).collect()
}

const LIBRARY: &str = "\
thunk unused_f32(x: f32) -> f32 { x }
thunk half_f32(x: f32) -> f32 { mul x 0.5 }
thunk sinh_f32(x: f32) -> f32 { half_f32(sub (exp x) (exp (neg x))) }
thunk exp_f32(x: f32) -> f32 { add x 1.0 }
";

#[test]
fn a_thunk_comes_with_what_it_needs() {
    let library = parse(LIBRARY);
    let program = parse("thunk half_f32(x: f32) -> f32 { sinh x }\n");
    let expanded = expand_from(&program, &library);
    verify::verify(&expanded).unwrap_or_else(|errors| panic!("{errors:?}"));
    // The program's own name is kept, and `exp` inside of `sinh` is expanded as well.
    assert_eq!(names(&expanded), ["half_f32", "half_f32'", "exp_f32", "sinh_f32"]);
    assert_eq!(elementary_ops(&expanded), 0);
}

#[test]
fn what_the_library_lacks_stays() {
    let library = parse(LIBRARY);
    let program = parse("thunk f(x: f64, y: f32) -> (f64, f32) { exp x, cos y }\n");
    assert_eq!(expand_from(&program, &library), program);
}

#[test]
fn the_library_has_every_elementary_function() {
    let mut source = String::new();
    for op in Op::PLAIN.iter().filter(|op| op.is_elementary()) {
        for ty in ["f32", "f64"] {
            let args = if op.arity() == 2 { "x y" } else { "x" };
            source.push_str(&format!("thunk use_{op}_{ty}(x: {ty}, y: {ty}) -> {ty} {{ {op} {args} }}\n"));
        }
    }
    source.push_str("thunk bits(x: u32) -> (u32, u32) {\n  (a, b) = threefry x x x x\n  a, b\n}\n");
    let program = parse(&source);
    assert!(elementary_ops(&program) > 40);
    let expanded = expand_math(&program, &mut PassContext::default());
    verify::verify(&expanded).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(elementary_ops(&expanded), 0);
}

fn elementary_ops(program: &Program) -> usize {
    let mut count = 0;
    for def in &program.thunks {
        def.thunk.body.walk(&mut |stmt| match stmt.kind {
            StmtKind::Op { op, .. } => count += usize::from(op.is_elementary()),
            StmtKind::Threefry { .. } => count += 1,
            _ => {}
        });
    }
    count
}
