//! The program that every test breaks, and ways to its parts.

use nestled_ir::verify::verify;
use nestled_ir::*;

pub(crate) const BASE: &str = "
thunk both(x: f32, y: f32) -> f32 {
  private t: [4]f32
  z = add x y
  t[0] = z
  w = if lt x y { abs x } else { z }
  w
}
thunk plus(x: f32, y: f32) -> f32 { add x y }
monoid total = unit (0.0f32) combine plus
kernel keep(xs: [n]f32) over n {
  p = map { i => gt xs[i] 0.0 }
  (m, ys) = filter where p { i => xs[i] }
  s = reduce { i => both(xs[i], 1.0) } total
  ret m, ys, s
}
fn id(x: f32) -> f32 {
  ret x
}
fn main(xs: [n]f32) -> (k: dim, [k]f32, [3]i32) {
  (m, ys, s) = run keep(xs)
  a = [1, 2, 3]i32
  b = id(s)
  c = if gt b 0.0 {
    d = neg b
    d
  } else { b }
  ret m, ys, a
}
";

/// The codes that the verifier gives for the base after a change.
pub(crate) fn codes(change: impl FnOnce(&mut Program)) -> Vec<&'static str> {
    let mut program = match text::parse("base.lcu", BASE) {
        Ok(program) => program,
        Err(failure) => panic!("{}", render_all(&failure.diagnostics, &failure.sources)),
    };
    if let Err(diagnostics) = verify(&program) {
        panic!("{}", render_all(&diagnostics, &program.sources));
    }
    change(&mut program);
    match verify(&program) {
        Ok(()) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
    }
}

/// The value of the kernel or function table with a name.
pub(crate) fn value(values: &[Value], name: &str) -> ValueId {
    let index = values.iter().position(|value| &*value.name == name);
    ValueId::from(index.unwrap_or_else(|| panic!("no value {name}")))
}

/// The local of a thunk with a name.
pub(crate) fn local(thunk: &Thunk, name: &str) -> LocalId {
    let index = thunk.locals.iter().position(|local| &*local.name == name);
    LocalId::from(index.unwrap_or_else(|| panic!("no local {name}")))
}

pub(crate) fn main(program: &mut Program) -> &mut Function {
    &mut program.functions[1]
}

pub(crate) fn both(program: &mut Program) -> &mut Thunk {
    &mut program.thunks[0].thunk
}

/// The statement of the first map that compares.
pub(crate) fn compare(program: &mut Program) -> &mut StmtKind {
    let stmts = &mut program.kernels[0].steps[0].body.body.stmts;
    &mut stmts.iter_mut().find(|stmt| matches!(stmt.kind, StmtKind::Op { .. })).unwrap().kind
}

/// The last operand of the first map's comparison.
pub(crate) fn operand(program: &mut Program) -> &mut Atom {
    match compare(program) {
        StmtKind::Op { args, .. } => args.last_mut().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The `if` of the thunk `both`.
pub(crate) fn branch(program: &mut Program) -> &mut StmtKind {
    let stmts = &mut both(program).body.stmts;
    &mut stmts.iter_mut().find(|stmt| matches!(stmt.kind, StmtKind::If { .. })).unwrap().kind
}

/// The statement of `main` with a name for what it binds.
pub(crate) fn stmt<'a>(program: &'a mut Program, bind: &str) -> &'a mut HostStmt {
    let function = main(program);
    let bind = value(&function.values, bind);
    function.body.stmts.iter_mut().find(|stmt| stmt.binds.contains(&bind)).unwrap()
}

/// The read `xs[i]` of the first map.
pub(crate) fn read(program: &mut Program) -> &mut StmtKind {
    let stmts = &mut program.kernels[0].steps[0].body.body.stmts;
    &mut stmts.iter_mut().find(|stmt| matches!(stmt.kind, StmtKind::Read { .. })).unwrap().kind
}

/// The literal 0.
pub(crate) fn zero() -> Atom {
    Atom::Const(Scalar::Idx(0))
}
