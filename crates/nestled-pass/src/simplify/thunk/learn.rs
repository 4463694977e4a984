//! Conditional facts (predicate propagation): consequences of a condition, in the arm where it holds and in the one where it does not.
//!
//! ```text
//! if and (lt a b) (eq k 3) { … }      in the arm: lt a b, le a b, ne a b hold, ge a b and eq a b do not, k is 3
//! ```

use super::{Walk, thunk_key};
use crate::simplify::rule::Operands;
use nestled_ir::{Atom, LocalId, Op, Scalar, ScalarType, StmtKind};

/// The possible orders of two operands, as a set of bits.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
/// One of them is a NaN.
const UNORDERED: u8 = 8;

/// The comparisons, with the orders in which they hold.
const COMPARISONS: [(Op, u8); 6] = [
    (Op::Eq, EQUAL),
    (Op::Ne, LESS | GREATER | UNORDERED),
    (Op::Lt, LESS),
    (Op::Le, LESS | EQUAL),
    (Op::Gt, GREATER),
    (Op::Ge, GREATER | EQUAL),
];

impl Walk<'_> {
    /// Assumes to the end of the block that the condition has this value, with all consequences.
    pub(super) fn learn(&mut self, cond: Atom, value: bool) {
        self.ranges.assume(cond, value);
        self.learn_truth(cond, value);
    }

    fn learn_truth(&mut self, cond: Atom, value: bool) {
        let Atom::Local(local) = self.resolve(cond) else { return };
        self.stands_for(local, Scalar::Bool(value));
        let Some((op, args)) = self.definitions[local.index()].clone() else { return };
        match (op, value) {
            (Op::Not, _) => self.learn_truth(args[0], !value),
            (Op::And, true) | (Op::Or, false) => {
                args.into_iter().for_each(|arg| self.learn_truth(arg, value))
            }
            _ => self.learn_order(op, &args, value),
        }
    }

    /// Replaces a local by a literal, to the end of the block.
    fn stands_for(&mut self, local: LocalId, value: Scalar) {
        self.facts.push(local);
        self.replace(local, Atom::Const(value));
    }

    fn learn_order(&mut self, op: Op, args: &[Atom], value: bool) {
        let Some(&(_, holds)) = COMPARISONS.iter().find(|(comparison, _)| *comparison == op) else { return };
        let args = self.resolve_all(args);
        let possible = if self.ty(args[0]).is_float() {
            LESS | EQUAL | GREATER | UNORDERED
        } else {
            LESS | EQUAL | GREATER
        };
        let known = if value { holds } else { possible & !holds };
        for (other, holds) in COMPARISONS {
            let truth = match (known & holds, known & !holds) {
                (0, _) => false,
                (_, 0) => true,
                _ => continue,
            };
            let kind = StmtKind::Op { dst: LocalId(0), op: other, args: args.clone() };
            if let Some(key) = thunk_key(&kind, |_| 0) {
                self.seen.insert(key, vec![Atom::Const(Scalar::Bool(truth))]);
            }
        }
        if let (EQUAL, &[Atom::Local(local), Atom::Const(value)]) = (known, args.as_slice())
            && self.is_alike(value)
        {
            self.stands_for(local, value);
        }
    }

    /// True if equality with a literal implies equal bits, and the literal's type is not `idx`, where types and ranges know more about the operand.
    fn is_alike(&self, value: Scalar) -> bool {
        match value {
            Scalar::F32(value) => value != 0.0,
            Scalar::F64(value) => value != 0.0,
            other => !matches!(other.ty(), ScalarType::Idx | ScalarType::F16),
        }
    }
}
