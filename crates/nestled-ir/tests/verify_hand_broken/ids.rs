//! What names stand for.

use super::base::*;
use nestled_ir::verify::MAX_NESTING;
use nestled_ir::*;

#[test]
fn l0201_blocks_are_not_too_deep() {
    let nest = |depth: usize| {
        move |program: &mut Program| {
            let body = &mut both(program).body;
            for _ in 1..depth {
                let then = Block { stmts: std::mem::take(&mut body.stmts), results: Vec::new() };
                let cond = Atom::Const(Scalar::Bool(true));
                let kind = StmtKind::If { dsts: Vec::new(), cond, then, otherwise: Block::default() };
                body.stmts.push(Stmt { kind, span: Span::NONE });
            }
        }
    };
    assert_eq!(codes(nest(MAX_NESTING)), ["L0201"], "the base has an `if` already");
    assert_eq!(codes(nest(2000)), ["L0201"]);
    // One less is not too deep; what is wrong then is that the result is out of scope.
    assert_eq!(codes(nest(MAX_NESTING - 1)), ["L0205"]);
    let host = |program: &mut Program| {
        for _ in 0..MAX_NESTING {
            let body = &mut main(program).body;
            let then = HostBlock { stmts: std::mem::take(&mut body.stmts), results: Vec::new() };
            let cond = HostAtom::Const(Scalar::Bool(true));
            let op = HostOp::If { cond, then, otherwise: HostBlock::default() };
            body.stmts.push(HostStmt { binds: Vec::new(), op, span: Span::NONE });
        }
    };
    assert_eq!(codes(host), ["L0201"]);
}

#[test]
fn l0202_ids_are_in_range() {
    assert_eq!(codes(|program| main(program).body.results[0] = HostAtom::Value(ValueId(99))), ["L0202"]);
    assert_eq!(codes(|program| main(program).params.push(ValueId(u32::MAX))), ["L0202"]);
    assert_eq!(codes(|program| main(program).results[2] = ValueId(99)), ["L0202"]);
    assert_eq!(
        codes(|program| main(program).values[0].ty = Type::dense(ScalarType::F32, Shape::of(ValueId(99)))),
        ["L0202", "L0207"]
    );
    assert_eq!(codes(|program| program.kernels[0].ret.push(ValueId(99))), ["L0202"]);
    assert_eq!(codes(|program| program.kernels[0].space.push(Axis::Sym(ValueId(99)))), ["L0202"]);
    assert_eq!(codes(|program| program.kernels[0].steps[0].guard = Some(ValueId(99))), ["L0202"]);
    assert_eq!(codes(|program| program.monoids[0].combine = ThunkId(2)), ["L0202"]);
    assert_eq!(codes(|program| both(program).body.results[0] = Atom::Local(LocalId(99))), ["L0202"]);
    assert_eq!(codes(|program| both(program).n_params = usize::MAX), ["L0202"]);
    assert_eq!(codes(|program| both(program).n_given = usize::MAX), ["L0202"]);
    assert_eq!(codes(|program| both(program).privates.clear()), ["L0202", "L0202"]);
    let run = |program: &mut Program| match &mut main(program).body.stmts[0].op {
        HostOp::Run { kernel, .. } => *kernel = KernelId(1),
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(run), ["L0202"]);
    let call = |program: &mut Program| {
        main(program).body.walk(&mut |_| {});
        for stmt in &mut main(program).body.stmts {
            if let HostOp::Call { function, .. } = &mut stmt.op {
                *function = FunctionId(2);
            }
        }
    };
    assert_eq!(codes(call), ["L0202"]);
    let monoid = |program: &mut Program| match &mut program.kernels[0].steps[2].kind {
        CombinatorKind::Reduce { monoid, .. } => monoid.parts = vec![MonoidPart::User(MonoidId(1))],
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(monoid), ["L0202"]);
    let thunk = |program: &mut Program| {
        for stmt in &mut program.kernels[0].steps[2].body.body.stmts {
            if let StmtKind::Call { thunk, .. } = &mut stmt.kind {
                *thunk = ThunkId(2);
            }
        }
    };
    assert_eq!(codes(thunk), ["L0202"]);
}

#[test]
fn l0203_sites_are_in_their_table() {
    let n_sites = text::parse("base.lcu", BASE).unwrap().sites.len();
    assert_eq!(codes(|program| program.sites.truncate(n_sites - 1)), ["L0203"]);
    assert_eq!(codes(|program| program.sites.clear()), vec!["L0203"; n_sites]);
}

#[test]
fn l0204_names_are_assigned_once() {
    let value_twice = |program: &mut Program| {
        let function = main(program);
        let stmt = function.body.stmts.iter().find(|stmt| matches!(stmt.op, HostOp::Literal { .. }));
        let stmt = stmt.unwrap().clone();
        function.body.stmts.push(stmt);
    };
    assert_eq!(codes(value_twice), ["L0204"]);
    let bound_twice = |program: &mut Program| {
        let step = program.kernels[0].steps[0].clone();
        program.kernels[0].steps.push(step);
    };
    assert_eq!(codes(bound_twice), ["L0204"]);
    assert_eq!(codes(|program| both(program).body.stmts.swap(0, 1)), [] as [&str; 0]);
    let local_twice = |program: &mut Program| {
        let stmt = both(program).body.stmts[1].clone();
        both(program).body.stmts.push(stmt);
    };
    assert_eq!(codes(local_twice), ["L0204"]);
    let private_twice = |program: &mut Program| {
        let stmt = both(program).body.stmts[0].clone();
        both(program).body.stmts.push(stmt);
    };
    assert_eq!(codes(private_twice), ["L0204"]);
    assert_eq!(codes(|program| main(program).params.push(ValueId(0))), ["L0204"]);
}

#[test]
fn l0205_names_are_used_in_scope() {
    assert_eq!(codes(|program| both(program).body.stmts.swap(1, 2)), ["L0205"], "before it is assigned");
    let after = |program: &mut Program| {
        let function = main(program);
        let inner = value(&function.values, "d");
        function.body.stmts.push(HostStmt {
            binds: Vec::new(),
            op: HostOp::Command(Command::Print {
                items: vec![PrintItem::Value(HostAtom::Value(inner))],
                to_error: false,
            }),
            span: Span::NONE,
        });
    };
    assert_eq!(codes(after), ["L0205"], "after its block");
    assert_eq!(codes(|program| program.kernels[0].steps.swap(0, 1)), ["L0205"]);
    let private_before = |program: &mut Program| {
        let stmt = both(program).body.stmts.remove(0);
        both(program).body.stmts.push(stmt);
    };
    assert_eq!(codes(private_before), ["L0205"]);
}

#[test]
fn l0206_formal_results_have_no_values() {
    let used = |program: &mut Program| {
        let function = main(program);
        function.body.results[0] = HostAtom::Value(function.results[0]);
    };
    assert_eq!(codes(used), ["L0206"]);
    let assigned = |program: &mut Program| {
        let function = main(program);
        let formal = function.results[2];
        for stmt in &mut function.body.stmts {
            if matches!(stmt.op, HostOp::Literal { .. }) {
                stmt.binds = vec![formal];
            }
        }
        function.body.results[2] = HostAtom::Value(formal);
    };
    assert_eq!(codes(assigned), ["L0206", "L0206"], "assigned and used");
    let twice = |program: &mut Program| main(program).results[2] = main(program).results[0];
    assert_eq!(codes(twice), ["L0206"]);
    let param = |program: &mut Program| main(program).results[2] = main(program).params[0];
    assert!(codes(param).contains(&"L0206"));
}

#[test]
fn l0207_types_use_what_is_bound_before() {
    let later = |program: &mut Program| {
        let function = main(program);
        let (xs, m) = (value(&function.values, "xs"), value(&function.values, "m"));
        function.values[xs.index()].ty = Type::dense(ScalarType::F32, Shape::of(m));
    };
    assert_eq!(codes(later), ["L0207"]);
    assert_eq!(codes(|program| program.kernels[0].steps[1].binds.reverse()), ["L0207"]);
}

#[test]
fn l0208_types_do_not_lead_back() {
    let itself = |program: &mut Program| {
        let function = main(program);
        let n = value(&function.values, "n");
        function.values[n.index()].ty = Type::seg(Shape::of(n), Form::Offsets);
    };
    assert!(codes(itself).starts_with(&["L0208"]));
    let unused_pair = |program: &mut Program| {
        let function = main(program);
        let first = function.values.len();
        for other in [first + 1, first] {
            let ty = Type::seg(Shape::of(ValueId::from(other)), Form::Offsets);
            function.values.push(Value { name: "s".into(), ty, span: Span::NONE });
        }
    };
    assert_eq!(codes(unused_pair), ["L0208", "L0208"], "also where nothing uses them");
}

#[test]
fn l0210_named_thunks_capture_nothing() {
    assert_eq!(codes(|program| both(program).body.results[0] = Atom::Value(ValueId(0))), ["L0210"]);
    let own = |program: &mut Program| {
        let w = local(both(program), "w");
        let kind = StmtKind::Own { dst: w, bind: ValueId(0) };
        *both(program).body.stmts.last_mut().unwrap() = Stmt { kind, span: Span::NONE };
    };
    assert_eq!(codes(own), ["L0210"]);
}
