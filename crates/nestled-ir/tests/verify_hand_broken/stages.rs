//! What a kernel may read.

use super::base::*;
use nestled_ir::*;

#[test]
fn l0405_readers_are_not_further_out() {
    let outer = |program: &mut Program| {
        let p = value(&program.kernels[0].values, "p");
        let step = &mut program.kernels[0].steps[2];
        let dst = LocalId::from(step.body.locals.len());
        step.body.locals.push(Local { name: "q".into(), ty: ScalarType::Bool });
        let own = Stmt { kind: StmtKind::Own { dst, bind: p }, span: Span::NONE };
        // The thunk of the reduction becomes one for the whole.
        step.body.n_params = 0;
        step.body.body.stmts = vec![own];
        step.body.body.results = vec![Atom::Const(Scalar::F32(0.0))];
        step.kind = CombinatorKind::Map;
    };
    assert_eq!(codes(outer), ["L0405"]);
}

#[test]
fn l0421_what_leaves_is_not_read() {
    let extent = |program: &mut Program| {
        let m = value(&program.kernels[0].values, "m");
        let step = &mut program.kernels[0].steps[2];
        let dst = LocalId::from(step.body.locals.len());
        step.body.locals.push(Local { name: "q".into(), ty: ScalarType::Idx });
        let kind = StmtKind::Op { dst, op: Op::Neg, args: vec![Atom::Value(m)] };
        step.body.body.stmts.push(Stmt { kind, span: Span::NONE });
    };
    assert_eq!(codes(extent), ["L0421"]);
    let scalar = |program: &mut Program| {
        let mut step = program.kernels[0].steps[2].clone();
        let s = value(&program.kernels[0].values, "s");
        step.kind = CombinatorKind::Map;
        step.body =
            Thunk { body: Block { stmts: Vec::new(), results: vec![Atom::Value(s)] }, ..Thunk::default() };
        let again = program.kernels[0].values[s.index()].clone();
        program.kernels[0].values.push(again);
        step.binds = vec![ValueId::from(program.kernels[0].values.len() - 1)];
        program.kernels[0].steps.push(step);
    };
    assert_eq!(codes(scalar), ["L0421"], "a reduction is read as a register, not as a parameter");
}

#[test]
fn l0422_registers_are_of_combinators() {
    let param = |program: &mut Program| {
        let xs = value(&program.kernels[0].values, "xs");
        let kind = read(program);
        let StmtKind::Read { dst, .. } = *kind else { panic!("{kind:?}") };
        *kind = StmtKind::Own { dst, bind: xs };
    };
    assert_eq!(codes(param), ["L0422"]);
}

#[test]
fn l0435_only_a_serial_gives_private_arrays() {
    let given = |program: &mut Program| {
        let body = &mut program.kernels[0].steps[2].body;
        body.privates.push(Private { name: "held".into(), elem: ScalarType::F32 });
        body.n_given = 1;
    };
    assert_eq!(codes(given), ["L0435"]);
    let without_bases = |program: &mut Program| {
        let kind = CombinatorKind::Serial { bases: Vec::new() };
        let (binds, guard, body, span) = (Vec::new(), None, Thunk::default(), Span::NONE);
        program.kernels[0].steps.push(Combinator { binds, kind, guard, body, span });
    };
    assert_eq!(codes(without_bases), ["L0435"]);
}
