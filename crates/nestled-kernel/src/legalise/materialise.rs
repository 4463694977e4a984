//! Materialises the operands of reductions and scans by a monoid of the program, and of scans over several rows that are backward or whose order is fixed.
//!
//! - A monoid of the program combines one value after another, so a `reduce` or `scan` by one reads its values from memory: its thunk becomes
//!   a `map` before it. Monoids of several parts are split into one combinator per part; this changes no bits.
//! - The same holds for a backward `scan` over more than one row, and for a `scan` of floats over several rows that needs more than the number of its point:
//!   its vectors do not begin anew at each row.
//!
//! ```text
//! s = reduce { i => mul xs[i] ys[i] } my_monoid
//!
//! v = map { i => mul xs[i] ys[i] }                  after
//! s = reduce { i => v[i] } my_monoid
//! ```

use crate::combinator::scans_across_rows;
use crate::nest::is_flat;
use nestled_ir::{
    Atom, Block, Combinator, CombinatorKind, Direction, Kernel, Local, LocalId, Monoid, MonoidPart, Program,
    ScalarType, Stmt, StmtKind, Thunk, Type, Value, ValueId,
};

/// Materialises the operands of all combinators of a kernel that need it.
pub fn operands(program: &Program, kernel: &mut Kernel) {
    for step in std::mem::take(&mut kernel.steps) {
        normal_step(program, kernel, &step);
    }
}

fn normal_step(program: &Program, kernel: &mut Kernel, step: &Combinator) {
    let (monoid, group) = match &step.kind {
        CombinatorKind::Reduce { monoid, to } => (monoid, *to),
        CombinatorKind::Scan { monoid, within, .. } => (monoid, *within),
        _ => return kernel.steps.push(step.clone()),
    };
    let user = monoid.parts.iter().any(|part| matches!(part, MonoidPart::User(_)));
    let backward = matches!(step.kind, CombinatorKind::Scan { direction: Direction::Backward, .. });
    let many_rows = step.level().0 - group.0 > 1;
    let broken = scans_across_rows(program, kernel, step) && !is_flat(kernel, step, step.level().0, group.0);
    if !(user || backward && many_rows || broken) {
        return kernel.steps.push(step.clone());
    }
    let values = spill(kernel, step);
    let guard = step.guard.map(|guard| own_guard(kernel, step, guard));
    let mut first = 0;
    for &part in &monoid.parts {
        let width = part.width(&program.monoids);
        let range = first..first + width;
        first = range.end;
        let one = Monoid { parts: vec![part] };
        let kind = match &step.kind {
            CombinatorKind::Reduce { to, .. } => CombinatorKind::Reduce { to: *to, monoid: one },
            CombinatorKind::Scan { within, inclusion, direction, .. } => CombinatorKind::Scan {
                within: *within,
                monoid: one,
                inclusion: *inclusion,
                direction: *direction,
            },
            _ => unreachable!("only reductions and scans have monoids"),
        };
        let body = reader(kernel, step.body.n_params, &values[range.clone()]);
        let binds = step.binds[range].to_vec();
        kernel.steps.push(Combinator { binds, kind, guard, body, span: step.span });
    }
}

/// Emits the thunk of a combinator as a `map` and returns the values that it binds.
fn spill(kernel: &mut Kernel, step: &Combinator) -> Vec<ValueId> {
    let scope = nestled_ir::typing::Scope::new(&kernel.values);
    let shape = scope.level_shape(&kernel.space, step.level());
    let types: Vec<ScalarType> = step
        .body
        .body
        .results
        .iter()
        .map(|&atom| scope.thunk_atom(&step.body, atom).expect("the verifier checks operands"))
        .collect();
    let binds: Vec<ValueId> = types
        .iter()
        .map(|&elem| {
            let ty = Type::dense(elem, shape.clone());
            kernel.values.push(Value { name: "".into(), ty, span: step.span });
            ValueId::from(kernel.values.len() - 1)
        })
        .collect();
    kernel.steps.push(Combinator { binds: binds.clone(), kind: CombinatorKind::Map, ..step.clone() });
    binds
}

/// Returns the guard materialised at the level of the combinator, so that the number of the point suffices to read it.
fn own_guard(kernel: &mut Kernel, step: &Combinator, guard: ValueId) -> ValueId {
    let (_, binder) = kernel.binder(guard).expect("guards are bound by earlier combinators");
    if binder.level() == step.level() {
        return guard;
    }
    let scope = nestled_ir::typing::Scope::new(&kernel.values);
    let ty = Type::dense(ScalarType::Bool, scope.level_shape(&kernel.space, step.level()));
    kernel.values.push(Value { name: "".into(), ty, span: step.span });
    let bind = ValueId::from(kernel.values.len() - 1);
    let body = reader(kernel, step.body.n_params, &[guard]);
    let kind = CombinatorKind::Map;
    kernel.steps.push(Combinator { binds: vec![bind], kind, guard: None, body, span: step.span });
    bind
}

/// Builds a thunk that returns the values of earlier combinators at its own point.
fn reader(kernel: &Kernel, n_params: usize, binds: &[ValueId]) -> Thunk {
    let mut locals = vec![Local { name: "".into(), ty: ScalarType::Idx }; n_params];
    let mut body = Block::default();
    for &bind in binds {
        let Type::Array(array) = &kernel.values[bind.index()].ty else {
            unreachable!("maps bind arrays and scalars")
        };
        locals.push(Local { name: "".into(), ty: array.elem });
        let dst = LocalId::from(locals.len() - 1);
        body.stmts.push(Stmt { kind: StmtKind::Own { dst, bind }, span: Default::default() });
        body.results.push(Atom::Local(dst));
    }
    Thunk { locals, n_params, body, ..Thunk::default() }
}
