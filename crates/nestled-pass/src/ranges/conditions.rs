//! Facts from conditions: linear inequalities that a comparison implies, and comparisons that facts decide.

use super::Ranges;
use super::linear::Linear;
use nestled_ir::{Atom, LocalId, Op, ValueId};

/// Greatest nesting depth of `and`, `or` and `not` that is followed.
const MOST_NESTING: usize = 8;

impl Ranges<'_> {
    /// Records that a local is a truth value which an earlier combinator computed at the own coordinates.
    pub fn guard(&mut self, dst: LocalId, bind: ValueId) {
        self.guards.insert(dst, bind);
    }

    /// Assumes to the end of the block that a condition has this value.
    pub fn assume(&mut self, cond: Atom, truth: bool) {
        for fact in self.facts_of(cond, truth) {
            self.facts.learn(fact);
        }
    }

    /// Returns the value of a condition, if it is known.
    pub fn truth(&self, cond: Atom) -> Option<bool> {
        self.truth_within(cond, MOST_NESTING)
    }

    fn truth_within(&self, cond: Atom, depth: usize) -> Option<bool> {
        let local = match cond {
            Atom::Const(value) => return value.as_bool(),
            Atom::Local(local) => local,
            Atom::Value(_) => return None,
        };
        let (op, args) = self.truths.get(&local)?;
        let inner = |at: usize| self.truth_within(args[at], depth.checked_sub(1)?);
        match op {
            Op::Not => inner(0).map(|truth| !truth),
            Op::And => match (inner(0), inner(1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Op::Or => match (inner(0), inner(1)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => self.comparison(*op, args),
        }
    }

    /// Returns the value of a comparison of integers, if it is known.
    pub fn comparison(&self, op: Op, args: &[Atom]) -> Option<bool> {
        let [x, y] = self.compared(op, args)?;
        let decided = |yes: bool, no: bool| {
            if yes {
                Some(true)
            } else if no {
                Some(false)
            } else {
                None
            }
        };
        let equal = || {
            let yes = || self.is_at_most(&x, &y) && self.is_at_most(&y, &x);
            let no = self.is_below(&x, &y) || self.is_below(&y, &x);
            decided(!no && yes(), no)
        };
        match op {
            Op::Lt => decided(self.is_below(&x, &y), self.is_at_most(&y, &x)),
            Op::Le => decided(self.is_at_most(&x, &y), self.is_below(&y, &x)),
            Op::Gt => decided(self.is_below(&y, &x), self.is_at_most(&x, &y)),
            Op::Ge => decided(self.is_at_most(&y, &x), self.is_below(&x, &y)),
            Op::Eq => equal(),
            Op::Ne => equal().map(|truth| !truth),
            _ => None,
        }
    }

    /// Returns the operands of a comparison of integers, as linear forms.
    fn compared(&self, op: Op, args: &[Atom]) -> Option<[Linear; 2]> {
        let is_comparison = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne);
        let &[x, y] = args else { return None };
        (is_comparison && self.ty(x).is_integer()).then(|| [self.form(x), self.form(y)])
    }

    /// Returns the linear forms that are at least 0 where a condition has this value.
    pub(super) fn facts_of(&self, cond: Atom, truth: bool) -> Vec<Linear> {
        let mut facts = Vec::new();
        self.collect(cond, truth, MOST_NESTING, &mut facts);
        facts
    }

    fn collect(&self, cond: Atom, truth: bool, depth: usize, facts: &mut Vec<Linear>) {
        let Atom::Local(local) = cond else { return };
        if let Some(bind) = self.guards.get(&local) {
            facts.extend(self.outer.conditions(*bind, truth).iter().cloned());
        }
        let (Some((op, args)), Some(depth)) = (self.truths.get(&local), depth.checked_sub(1)) else { return };
        match (op, truth) {
            (Op::Not, _) => self.collect(args[0], !truth, depth, facts),
            (Op::And, true) | (Op::Or, false) => {
                args.iter().for_each(|&arg| self.collect(arg, truth, depth, facts));
            }
            _ => self.compare(*op, args, truth, facts),
        }
    }

    fn compare(&self, op: Op, args: &[Atom], truth: bool, facts: &mut Vec<Linear>) {
        let Some([x, y]) = self.compared(op, args) else { return };
        let mut below = |x: &Linear, y: &Linear, by: i128| {
            facts.extend(y.plus(-1, x).and_then(|gap| gap.shifted(-by)));
        };
        match (op, truth) {
            (Op::Lt, true) | (Op::Ge, false) => below(&x, &y, 1),
            (Op::Le, true) | (Op::Gt, false) => below(&x, &y, 0),
            (Op::Gt, true) | (Op::Le, false) => below(&y, &x, 1),
            (Op::Ge, true) | (Op::Lt, false) => below(&y, &x, 0),
            (Op::Eq, true) | (Op::Ne, false) => {
                below(&x, &y, 0);
                below(&y, &x, 0);
            }
            (Op::Eq, false) | (Op::Ne, true) => {
                // Different, and never on one side: on the other.
                if self.is_at_most(&x, &y) {
                    below(&x, &y, 1);
                } else if self.is_at_most(&y, &x) {
                    below(&y, &x, 1);
                }
            }
            _ => {}
        }
    }
}
