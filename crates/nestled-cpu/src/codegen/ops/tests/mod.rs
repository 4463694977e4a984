//! Tests of every operation on every type, at several widths, against the interpreter: bit for bit, except for NaN payloads.

mod harness;
mod values;

use super::super::emit::Emit;
use super::super::value::Val;
use harness::{Case, Given, Machine, Operand};
use nestled_ir::interp::{eval_op, threefry2x32};
use nestled_ir::{MonoidOp, MonoidPart, Op, Program, Scalar, ScalarType};
use nestled_kernel::Target;
use nestled_llvm::{CompileOptions, Llvm, Processor};

/// Returns all operations except the elementary ones.
fn plain_ops() -> Vec<Op> {
    let named = Op::PLAIN.iter().copied().filter(|op| !op.is_elementary());
    let converting = ScalarType::ALL.into_iter().flat_map(|to| [Op::Convert(to), Op::Bitcast(to)]);
    named.chain(converting).collect()
}

/// Returns the types of the operands when those that share one have type `ty`, if the operation takes it.
fn operand_types(op: Op, ty: ScalarType) -> Option<Vec<ScalarType>> {
    let mut types = vec![ty; op.arity()];
    if op == Op::Select {
        types[0] = ScalarType::Bool;
    }
    op.result_type(&types).is_ok().then_some(types)
}

/// Makes a case of an operation, with its operands in the given forms.
fn case(op: Op, types: &[ScalarType], given: &[Given]) -> Case {
    let operands = types.iter().zip(given).map(|(&ty, &given)| Operand { ty, given }).collect();
    let write = move |emit: &mut Emit<'_>, args: &[Val]| vec![emit.op(op, args)];
    let expect = move |args: &[Scalar]| vec![eval_op(op, args)];
    let results = vec![op.result_type(types).unwrap()];
    Case { name: op.to_string(), operands, results, write: Box::new(write), expect: Box::new(expect) }
}

/// Makes a case of every operation on this type, with vectors.
fn vector_cases(ty: ScalarType) -> Vec<Case> {
    let typed = plain_ops().into_iter().filter_map(|op| Some((op, operand_types(op, ty)?)));
    typed.map(|(op, types)| case(op, &types, &vec![Given::Vector; types.len()])).collect()
}

/// Makes cases of every operation on this type, with some operands uniform.
fn uniform_cases(ty: ScalarType) -> Vec<Case> {
    let mut cases = Vec::new();
    for op in plain_ops() {
        let Some(types) = operand_types(op, ty) else { continue };
        let n = types.len();
        cases.push(case(op, &types, &vec![Given::Uniform; n]));
        for position in 0..n {
            let mut given = vec![Given::Vector; n];
            given[position] = Given::Uniform;
            if n > 1 {
                cases.push(case(op, &types, &given));
            }
        }
    }
    cases
}

/// Makes cases of operations on two operands with a literal on one side.
fn literal_cases(ty: ScalarType) -> Vec<Case> {
    let mut cases = Vec::new();
    for op in plain_ops() {
        let Some(types) = operand_types(op, ty).filter(|types| types.len() == 2) else { continue };
        let division = matches!(op, Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor);
        let literals = match op {
            Op::Min | Op::Max if ty.is_float() => values::interesting(ty),
            _ if division && ty.is_integer() => values::interesting(ty),
            _ => values::few(ty).into_iter().step_by(5).collect(),
        };
        for literal in literals {
            cases.push(case(op, &types, &[Given::Vector, Given::Literal(literal)]));
            if !division {
                cases.push(case(op, &types, &[Given::Literal(literal), Given::Vector]));
            }
        }
    }
    cases
}

/// Makes cases of operations on indices in all their forms.
fn index_cases() -> Vec<Case> {
    let forms = |literals: &[i64], strides: [i64; 2]| {
        let mut forms = vec![Given::Vector, Given::Uniform, Given::Narrow];
        forms.extend(strides.map(Given::Linear));
        forms.extend(literals.iter().map(|&literal| Given::Literal(Scalar::Idx(literal))));
        forms
    };
    let special = |given: &Given| matches!(given, Given::Narrow | Given::Linear(_));
    let mut cases = Vec::new();
    for op in plain_ops() {
        let Some(types) = operand_types(op, ScalarType::Idx) else { continue };
        match types.len() {
            1 => cases.extend(
                forms(&[], [1, -3]).into_iter().filter(special).map(|given| case(op, &types, &[given])),
            ),
            2 => {
                let literals = [0, -1, 12, 8, 40, 1 << 31];
                for a in forms(&[5], [1, -3]) {
                    let both = forms(&literals, [1, 1 << 33]).into_iter().map(|b| [a, b]);
                    let both = both.filter(|both| both.iter().any(special));
                    cases.extend(both.map(|both| case(op, &types, &both)));
                }
            }
            _ => {
                for condition in [Given::Vector, Given::Uniform] {
                    for [a, b] in [
                        [Given::Linear(2), Given::Linear(2)],
                        [Given::Linear(2), Given::Linear(3)],
                        [Given::Narrow, Given::Narrow],
                        [Given::Narrow, Given::Literal(Scalar::Idx(9))],
                        [Given::Uniform, Given::Narrow],
                    ] {
                        cases.push(case(op, &types, &[condition, a, b]));
                    }
                }
            }
        }
    }
    cases
}

/// Returns targets of all widths that this machine supports, each with numbers of lanes to try.
fn machines() -> Vec<(Machine, Vec<usize>)> {
    let host = |bits: u32| Machine {
        target: crate::codegen::host(Some(bits)),
        processor: Processor::HostNarrowed { vector_bits: bits },
        passes: "",
    };
    let widest = crate::codegen::host(None).vector_bits;
    let mut machines = Vec::new();
    for (bits, lanes) in [(512, vec![16, 32, 4]), (256, vec![8, 16]), (128, vec![4, 8])] {
        if bits <= widest {
            machines.push((host(bits), lanes));
        } else {
            println!("skipped: {bits} bits, since this machine has no more than {widest}");
        }
    }
    if cfg!(target_arch = "x86_64") {
        machines.push((Machine { processor: Processor::PlainX86_64, ..host(128) }, vec![4]));
    }
    machines
}

/// Returns one LLVM of each major version.
fn llvms() -> Vec<Llvm> {
    let mut llvms: Vec<Llvm> = Llvm::all().into_iter().filter_map(|(_, llvm)| llvm.ok()).collect();
    llvms.sort_by_key(|llvm| llvm.version().major);
    llvms.dedup_by_key(|llvm| llvm.version().major);
    assert!(!llvms.is_empty(), "there is always the toolchain's");
    llvms
}

#[test]
fn vectors_at_every_width() {
    for llvm in llvms() {
        for (machine, lanes) in machines() {
            for ty in ScalarType::ALL {
                lanes.iter().for_each(|&lanes| harness::check(&llvm, &machine, lanes, &vector_cases(ty)));
            }
        }
    }
}

/// Returns the widest target of this machine.
fn widest() -> Machine {
    machines().swap_remove(0).0
}

#[test]
fn operands_that_are_the_same_in_all_lanes() {
    for llvm in llvms() {
        for ty in ScalarType::ALL {
            harness::check(&llvm, &widest(), 8, &uniform_cases(ty));
        }
    }
    let (narrowest, _) = machines().pop().unwrap();
    for ty in ScalarType::ALL {
        harness::check(&llvms()[0], &narrowest, 4, &uniform_cases(ty));
    }
}

#[test]
fn literals() {
    for ty in ScalarType::ALL {
        harness::check(&llvms()[0], &widest(), 8, &literal_cases(ty));
    }
}

#[test]
fn indices_in_all_their_forms() {
    for llvm in llvms() {
        harness::check(&llvm, &widest(), 8, &index_cases());
    }
}

/// LLVM may exploit anything that is left undefined where it should not be.
#[test]
fn what_optimization_leaves() {
    let machine = Machine { passes: "default<O2>", ..widest() };
    for llvm in llvms() {
        for ty in ScalarType::ALL {
            harness::check(&llvm, &machine, 8, &vector_cases(ty));
        }
    }
}

#[test]
fn random_numbers() {
    let word = |given| Operand { ty: ScalarType::U32, given };
    let forms = [
        [Given::Vector; 4],
        [Given::Uniform, Given::Uniform, Given::Literal(Scalar::U32(5)), Given::Vector],
        [Given::Uniform; 4],
        [1, 2, 3, 4].map(|literal| Given::Literal(Scalar::U32(literal))),
    ];
    let write = |emit: &mut Emit<'_>, args: &[Val]| {
        let [k0, k1, c0, c1] = [0, 1, 2, 3].map(|position| args[position].clone());
        emit.threefry([k0, k1], [c0, c1]).to_vec()
    };
    let expect = |args: &[Scalar]| {
        let word = |position: usize| args[position].as_integer().unwrap() as u32;
        threefry2x32([word(0), word(1)], [word(2), word(3)]).map(Scalar::U32).to_vec()
    };
    let case = |form: [Given; 4]| Case {
        name: "threefry".to_string(),
        operands: form.map(word).to_vec(),
        results: vec![ScalarType::U32; 2],
        write: Box::new(write),
        expect: Box::new(expect),
    };
    for llvm in llvms() {
        for (machine, lanes) in machines() {
            harness::check(&llvm, &machine, lanes[0], &forms.map(case));
        }
    }
}

/// Makes a case of a built-in part of a monoid: the values on the left, then those on the right.
fn monoid_case(part: MonoidPart, types: &[ScalarType], given: Given) -> Case {
    let operands = types.iter().chain(types).map(|&ty| Operand { ty, given }).collect();
    let width = types.len();
    let write = move |emit: &mut Emit<'_>, args: &[Val]| {
        let (left, right) = args.split_at(width);
        let call: crate::codegen::monoid::CallThunk<'_> = &mut |_, _, _| panic!("no monoid of the program");
        crate::codegen::monoid::combine(emit, &Program::default(), part, left, right, call)
    };
    Case {
        name: format!("{part:?}"),
        operands,
        results: types.to_vec(),
        write: Box::new(write),
        expect: Box::new(move |args| combined(part, &args[..width], &args[width..])),
    }
}

/// Combines values by a built-in part, as its definition says.
fn combined(part: MonoidPart, left: &[Scalar], right: &[Scalar]) -> Vec<Scalar> {
    let extreme = match part {
        MonoidPart::Op(op) => return vec![eval_op(op.op(), &[left[0], right[0]])],
        MonoidPart::ArgMin => Op::Min,
        _ => Op::Max,
    };
    // A minimum is a NaN if there is one, and otherwise has the bits of the lesser operand.
    let best = eval_op(extreme, &[left[0], right[0]]);
    let is_best = |key: Scalar| key == best || (key.is_nan() && best.is_nan());
    let right_wins = match (is_best(left[0]), is_best(right[0])) {
        (true, true) => right[1].as_integer() < left[1].as_integer(),
        (_, right_is_best) => right_is_best,
    };
    if right_wins { right.to_vec() } else { left.to_vec() }
}

/// Returns the built-in parts with the types that they take.
fn parts() -> Vec<(MonoidPart, Vec<ScalarType>)> {
    let mut parts = Vec::new();
    for ty in ScalarType::ALL {
        parts.extend(MonoidOp::ALL.map(|op| (MonoidPart::Op(op), vec![ty])));
        parts.extend([MonoidPart::ArgMin, MonoidPart::ArgMax].map(|part| (part, vec![ty, ScalarType::Idx])));
    }
    parts.retain(|(part, types)| part.unit(types, &[]).is_some());
    parts
}

#[test]
fn monoids() {
    let mut cases = Vec::new();
    for (part, types) in parts() {
        cases.push(monoid_case(part, &types, Given::Vector));
        cases.push(monoid_case(part, &types, Given::Uniform));
    }
    for llvm in llvms() {
        harness::check(&llvm, &widest(), 8, &cases);
    }
}

#[test]
fn identities_change_nothing() {
    for (part, types) in parts() {
        let identity = nestled_kernel::monoid::identity(part, &types).unwrap();
        for tuple in harness::product(&types.iter().map(|&ty| values::interesting(ty)).collect::<Vec<_>>()) {
            for both in [combined(part, &identity, &tuple), combined(part, &tuple, &identity)] {
                let same = both.iter().zip(&tuple).all(|(a, b)| harness::agree(*a, *b));
                assert!(same, "{part:?} on {types:?}: {tuple:?} became {both:?}");
            }
        }
    }
}

#[test]
fn quotients_of_many_numbers() {
    let mut cases = Vec::new();
    for ty in ScalarType::ALL.into_iter().filter(|ty| ty.is_integer()) {
        for op in [Op::Div, Op::Rem, Op::DivFloor, Op::RemFloor] {
            cases.push(case(op, &[ty, ty], &[Given::Vector, Given::Vector]));
            cases.push(case(op, &[ty, ty], &[Given::Vector, Given::Uniform]));
        }
    }
    for llvm in llvms() {
        for (machine, lanes) in machines() {
            harness::check_noise(&llvm, &machine, lanes[0], &cases, 4096);
        }
    }
}

#[test]
fn conversions_of_many_numbers() {
    let mut cases = Vec::new();
    for from in ScalarType::ALL {
        for to in ScalarType::ALL {
            if let Some(types) = operand_types(Op::Convert(to), from) {
                cases.push(case(Op::Convert(to), &types, &[Given::Vector]));
            }
        }
    }
    for (machine, lanes) in machines() {
        harness::check_noise(&llvms()[0], &machine, lanes[0], &cases, 8192);
    }
}
