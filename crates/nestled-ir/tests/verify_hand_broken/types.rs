//! What constructs take and give.

use super::base::*;
use nestled_ir::*;

#[test]
fn l0301_axes_are_shapes() {
    let space = |program: &mut Program| {
        let xs = value(&program.kernels[0].values, "xs");
        program.kernels[0].space.push(Axis::Sym(xs));
    };
    assert_eq!(codes(space), ["L0301"]);
    let size = |program: &mut Program| {
        let ys = value(&main(program).values, "ys");
        let k = main(program).results[0];
        let bind = ValueId::from(main(program).values.len());
        let ty = main(program).values[k.index()].clone();
        main(program).values.push(ty);
        let op = HostOp::Size { shape: Shape::of(ys) };
        main(program).body.stmts.push(HostStmt { binds: vec![bind], op, span: Span::NONE });
    };
    assert_eq!(codes(size), ["L0301"]);
    let argument = |program: &mut Program| {
        let xs = value(&main(program).values, "xs");
        match &mut stmt(program, "ys").op {
            HostOp::Run { shapes, .. } => shapes[0] = Axis::Sym(xs),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(codes(argument), ["L0301"]);
}

#[test]
fn l0303_points_have_at_most_8_coordinates() {
    let deep = |depth: usize| {
        move |program: &mut Program| {
            let function = main(program);
            let mut parent = value(&function.values, "n");
            for _ in 0..depth {
                let ty = Type::seg(Shape::of(parent), Form::Offsets);
                function.values.push(Value { name: "s".into(), ty, span: Span::NONE });
                parent = ValueId::from(function.values.len() - 1);
                function.shapes.push(parent);
            }
        }
    };
    let call = |codes: Vec<&'static str>| codes.into_iter().filter(|&code| code == "L0303").count();
    assert_eq!(call(codes(deep(63))), 0);
    assert_eq!(call(codes(deep(64))), 1);
    assert_eq!(call(codes(deep(2000))), 2000 - 63);
}

#[test]
fn l0310_operations_fit_their_operands() {
    assert_eq!(codes(|program| *operand(program) = Atom::Const(Scalar::F64(0.0))), ["L0310"]);
    let missing = |program: &mut Program| match compare(program) {
        StmtKind::Op { args, .. } => args.truncate(1),
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(missing), ["L0310"]);
    let host = |program: &mut Program| {
        let b = value(&main(program).values, "b");
        let op = HostOp::Scalar { op: Op::Popcount, args: vec![HostAtom::Value(b)] };
        stmt(program, "b").op = match stmt(program, "b").op.clone() {
            call @ HostOp::Call { .. } => call,
            other => panic!("{other:?}"),
        };
        main(program).body.stmts.push(HostStmt { binds: Vec::new(), op, span: Span::NONE });
    };
    assert_eq!(codes(host), ["L0310"]);
}

#[test]
fn l0313_operands_are_scalars() {
    let array = |program: &mut Program| {
        let xs = value(&program.kernels[0].values, "xs");
        *operand(program) = Atom::Value(xs);
    };
    assert_eq!(codes(array), ["L0313"]);
    let host = |program: &mut Program| {
        let xs = value(&main(program).values, "xs");
        let op = HostOp::Check { cond: HostAtom::Value(xs), code: "E1".into(), site: SiteId(0) };
        main(program).body.stmts.push(HostStmt { binds: Vec::new(), op, span: Span::NONE });
    };
    assert_eq!(codes(host), ["L0313"]);
}

#[test]
fn l0315_and_l0316_arrays_and_segmentations_are_what_they_must_be() {
    let shape = |program: &mut Program| {
        let n = value(&program.kernels[0].values, "n");
        match read(program) {
            StmtKind::Read { array, .. } => *array = n,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(codes(shape), ["L0315"]);
    let lengths = |program: &mut Program| {
        let n = value(&main(program).values, "n");
        let op = HostOp::Lengths { seg: n };
        main(program).body.stmts.push(HostStmt { binds: Vec::new(), op, span: Span::NONE });
    };
    assert_eq!(codes(lengths), ["L0316"]);
}

#[test]
fn l0320_to_l0322_results_are_counted() {
    let call = |program: &mut Program| {
        for stmt in &mut program.kernels[0].steps[2].body.body.stmts {
            if let StmtKind::Call { args, .. } = &mut stmt.kind {
                args.truncate(1);
            }
        }
    };
    assert_eq!(codes(call), ["L0320"]);
    let branch = |program: &mut Program| match branch(program) {
        StmtKind::If { otherwise, .. } => otherwise.results.clear(),
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(branch), ["L0321"]);
    let carried = |program: &mut Program| {
        let thunk = both(program);
        thunk.locals.push(Local { name: "k".into(), ty: ScalarType::Idx });
        let (var, from, to) = (LocalId::from(thunk.locals.len() - 1), zero(), zero());
        let body = Block { stmts: Vec::new(), results: vec![zero()] };
        let kind = StmtKind::For { dsts: Vec::new(), var, from, to, carried: Vec::new(), body };
        thunk.body.stmts.push(Stmt { kind, span: Span::NONE });
    };
    assert_eq!(codes(carried), ["L0322"]);
}

#[test]
fn l0330_and_l0331_results_are_bound() {
    assert_eq!(codes(|program| program.kernels[0].ret.truncate(2)), ["L0330"], "by the caller");
    let few = |program: &mut Program| {
        let step = &mut program.kernels[0].steps[0];
        step.body.body.results.clear();
    };
    assert_eq!(codes(few), ["L0330"], "by the combinator");
    let no_class = |program: &mut Program| {
        let step = &mut program.kernels[0].steps[1];
        step.kind = CombinatorKind::Partition { within: Level(0), classes: 2, site: None };
        step.body.body.results.clear();
    };
    assert_eq!(codes(no_class), ["L0331"]);
    let host = |program: &mut Program| stmt(program, "a").binds.clear();
    assert_eq!(codes(host), ["L0205"]);
}

#[test]
fn l0356_matrices_have_two_axes() {
    let matmul = |program: &mut Program| {
        let xs = value(&main(program).values, "xs");
        let op = HostOp::Library(Library::MatMul { left: xs, right: xs });
        main(program).body.stmts.push(HostStmt { binds: Vec::new(), op, span: Span::NONE });
    };
    assert_eq!(codes(matmul), ["L0356", "L0356"]);
}

#[test]
fn l0358_branches_give_what_is_bound() {
    let branch = |program: &mut Program| match &mut stmt(program, "c").op {
        HostOp::If { then, .. } => then.results.clear(),
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(branch), ["L0358"]);
}

#[test]
fn l0360_calls_have_all_arguments() {
    let call = |program: &mut Program| match &mut stmt(program, "b").op {
        HostOp::Call { args, shapes, .. } => {
            args.clear();
            shapes.push(Axis::Const(1));
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(call), ["L0360", "L0360"]);
}

#[test]
fn l0364_each_gathers_scalars_and_segments() {
    let each = |program: &mut Program| {
        let n = value(&main(program).values, "n");
        let xs = value(&main(program).values, "xs");
        let op = HostOp::Each {
            extent: Axis::Const(2),
            function: FunctionId(1),
            shapes: vec![Some(Axis::Sym(n))],
            args: vec![EachArg::Uniform(HostAtom::Value(xs))],
        };
        let binds: Vec<ValueId> =
            (0..3).map(|next| ValueId::from(main(program).values.len() + next)).collect();
        for _ in &binds {
            main(program).values.push(Value { name: "".into(), ty: Type::Dim, span: Span::NONE });
        }
        main(program).body.stmts.push(HostStmt { binds, op, span: Span::NONE });
    };
    assert_eq!(codes(each), ["L0364"]);
}

#[test]
fn l0314_declared_types_are_those_of_what_is_bound() {
    let in_thunk = |program: &mut Program| {
        let z = local(both(program), "z");
        both(program).locals[z.index()].ty = ScalarType::F64;
    };
    assert!(codes(in_thunk).starts_with(&["L0314"]));
    let in_kernel = |program: &mut Program| {
        let s = value(&program.kernels[0].values, "s");
        program.kernels[0].values[s.index()].ty = Type::scalar(ScalarType::I32);
    };
    assert!(codes(in_kernel).starts_with(&["L0314"]));
    let in_host = |program: &mut Program| {
        let ys = value(&main(program).values, "ys");
        let n = value(&main(program).values, "n");
        main(program).values[ys.index()].ty = Type::dense(ScalarType::F32, Shape::of(n));
    };
    assert!(codes(in_host).starts_with(&["L0314"]));
}

#[test]
fn l0325_reads_have_a_site_exactly_if_they_can_fault() {
    let without = |program: &mut Program| match read(program) {
        StmtKind::Read { site, .. } => *site = None,
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(without), ["L0325"]);
    let needless = |program: &mut Program| match read(program) {
        StmtKind::Read { index, .. } => index[0].rule = Rule::Clamp,
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(needless), ["L0325"]);
    let no_default = |program: &mut Program| match read(program) {
        StmtKind::Read { index, site, .. } => (index[0].rule, *site) = (Rule::Else, None),
        other => panic!("{other:?}"),
    };
    assert_eq!(codes(no_default), ["L0318"]);
}

#[test]
fn l0326_coordinates_are_indices() {
    assert!(
        codes(|program| program.kernels[0].steps[0].body.locals[0].ty = ScalarType::I64).contains(&"L0326")
    );
}

#[test]
fn l0341_and_l0342_literals_fit_their_types() {
    let literal = |change: fn(&mut Vec<u64>, &mut Vec<Scalar>)| {
        move |program: &mut Program| {
            for stmt in &mut main(program).body.stmts {
                if let HostOp::Literal { extents, elements, .. } = &mut stmt.op {
                    change(extents, elements);
                }
            }
        }
    };
    assert_eq!(codes(literal(|_, elements| elements.truncate(2))), ["L0341"]);
    assert_eq!(codes(literal(|extents, _| extents.clear())), ["L0341"]);
    assert_eq!(codes(literal(|extents, _| *extents = vec![1 << 32, 1 << 32])), ["L0341"]);
    assert_eq!(codes(literal(|_, elements| elements[1] = Scalar::F32(1.0))), ["L0342"]);
}
