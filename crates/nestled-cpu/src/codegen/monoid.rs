//! Emission of monoid operators, lane by lane.

use super::emit::Emit;
use super::ops::ordered_key;
use super::value::Val;
use nestled_ir::{MonoidPart, Op, Program, ThunkId};

/// Emits a call of a named thunk: returns its results for these arguments.
pub type CallThunk<'c> = &'c mut dyn FnMut(&mut Emit<'_>, ThunkId, &[Val]) -> Vec<Val>;

/// Emits `left ∘ right` for one part of a monoid; both sides and the result have one value for each component.
pub fn combine(
    emit: &mut Emit<'_>,
    program: &Program,
    part: MonoidPart,
    left: &[Val],
    right: &[Val],
    call: CallThunk<'_>,
) -> Vec<Val> {
    match part {
        MonoidPart::Op(op) => vec![emit.op(op.op(), &[left[0].clone(), right[0].clone()])],
        MonoidPart::ArgMin | MonoidPart::ArgMax => {
            let better = is_better(emit, part, right, left);
            let mut choose = |position: usize| {
                let (right, left) = (right[position].clone(), left[position].clone());
                emit.op(Op::Select, &[better.clone(), right, left])
            };
            vec![choose(0), choose(1)]
        }
        MonoidPart::User(id) => call(emit, program.monoid(id).combine, &[left, right].concat()),
    }
}

/// True where a (key, index) pair wins over another: by the key, and of equal keys by the index.
fn is_better(emit: &mut Emit<'_>, part: MonoidPart, pair: &[Val], other: &[Val]) -> Val {
    let (nan, wanted) = match part {
        MonoidPart::ArgMax => (i64::MAX, Op::Gt),
        _ => (i64::MIN, Op::Lt),
    };
    let (a, b) = (ordered_key(emit, &pair[0], nan), ordered_key(emit, &other[0], nan));
    let key_is_better = emit.op(wanted, &[a.clone(), b.clone()]);
    let keys_are_equal = emit.op(Op::Eq, &[a, b]);
    let index_is_less = emit.op(Op::Lt, &[pair[1].clone(), other[1].clone()]);
    let decided = emit.op(Op::And, &[keys_are_equal, index_is_less]);
    emit.op(Op::Or, &[key_is_better, decided])
}
