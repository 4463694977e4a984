//! Transfer functions of the range analysis: from facts about operands to facts about results.

use super::facts::Case;
use super::linear::{Linear, Var};
use super::{MOST_POINTS, Ranges, type_bounds};
use nestled_ir::{Atom, Block, Carried, LocalId, Op, Scalar, ScalarType, Stmt, StmtKind};

impl Ranges<'_> {
    /// Returns the operand or literal that an operation always equals, if one is known: `min i n` is `i` where `i ≤ n`, and `lt i n` a literal.
    pub fn decide(&self, op: Op, args: &[Atom]) -> Option<Atom> {
        if op == Op::Select {
            return self.truth(args[0]).map(|truth| if truth { args[1] } else { args[2] });
        }
        if !args.iter().all(|&arg| self.ty(arg).is_integer()) {
            return None;
        }
        if let Some(truth) = self.comparison(op, args) {
            return Some(Atom::Const(Scalar::Bool(truth)));
        }
        let form = |at: usize| self.form(args[at]);
        match op {
            Op::Min if self.is_at_most(&form(0), &form(1)) => Some(args[0]),
            Op::Min if self.is_at_most(&form(1), &form(0)) => Some(args[1]),
            Op::Max if self.is_at_most(&form(0), &form(1)) => Some(args[1]),
            Op::Max if self.is_at_most(&form(1), &form(0)) => Some(args[0]),
            Op::Abs if self.is_natural(&form(0)) => Some(args[0]),
            Op::Rem | Op::RemFloor if self.is_natural(&form(0)) && self.is_below(&form(0), &form(1)) => {
                Some(args[0])
            }
            _ => None,
        }
    }

    /// Learns an operation. The operations of its operands must have been learned before.
    pub fn define(&mut self, dst: LocalId, op: Op, args: &[Atom]) {
        let ty = self.thunk.local_type(dst);
        if ty == ScalarType::Bool {
            self.truths.insert(dst, (op, args.to_vec()));
        }
        if !ty.is_integer() {
            return;
        }
        self.unknown(dst, ty);
        if op == Op::Select {
            return self.chosen(dst, args[0], [args[1], args[2]]);
        }
        if args.iter().all(|&arg| self.ty(arg).is_integer()) {
            self.integer(dst, op, args, ty);
        } else if matches!(op, Op::Convert(_)) && self.ty(args[0]) == ScalarType::Bool {
            self.facts.bound(Var::Local(dst), (0, 1));
        }
    }

    /// Sets a local to the whole range of its type.
    pub fn unknown(&mut self, dst: LocalId, ty: ScalarType) {
        if ty.is_integer() {
            self.facts.bound(Var::Local(dst), type_bounds(ty));
        }
    }

    fn integer(&mut self, dst: LocalId, op: Op, args: &[Atom], ty: ScalarType) {
        let forms: Vec<Linear> = args.iter().map(|&arg| self.form(arg)).collect();
        let constant = forms.last().and_then(Linear::as_constant);
        let sum = match op {
            Op::Add => forms[0].plus(1, &forms[1]),
            Op::Sub => forms[0].plus(-1, &forms[1]),
            Op::Neg => forms[0].scaled(-1),
            Op::Convert(_) => Some(forms[0].clone()),
            Op::Mul => constant.and_then(|factor| forms[0].scaled(factor)),
            Op::Shl => {
                constant.and_then(|count| forms[0].scaled(1 << (count.rem_euclid(i128::from(ty.bits())))))
            }
            _ => None,
        };
        if let Some(sum) = sum.filter(|sum| self.is_of_type(sum, ty)) {
            self.forms.insert(dst, sum);
            return;
        }
        let var = Var::Local(dst);
        let result = Linear::var(var);
        match op {
            Op::Min => {
                self.extreme(var, &forms, ty, 1);
                forms.iter().for_each(|form| self.learn_at_most(&result, form));
            }
            Op::Max => {
                self.extreme(var, &forms, ty, -1);
                forms.iter().for_each(|form| self.learn_at_most(form, &result));
            }
            Op::Rem | Op::RemFloor => self.remainder(var, &forms, op == Op::RemFloor),
            Op::Div | Op::DivFloor => match constant {
                Some(divisor) if divisor > 0 => {
                    self.quotient(var, &forms[0], divisor, op == Op::DivFloor);
                }
                _ if self.is_natural(&forms[0]) && self.is_natural(&forms[1]) => {
                    self.facts.bound(var, (0, self.range(&forms[0]).1.max(0)));
                    self.learn_at_most(&result, &forms[0]);
                }
                _ => {}
            },
            Op::Shr => {
                if let Some(count) = constant {
                    let count = count.rem_euclid(i128::from(ty.bits()));
                    if count < 40 {
                        self.quotient(var, &forms[0], 1 << count, true);
                    }
                }
            }
            Op::And => {
                if let Some(mask) = constant.filter(|mask| *mask >= 0) {
                    self.facts.bound(var, (0, mask));
                }
            }
            Op::Popcount | Op::Clz | Op::Ctz => self.facts.bound(var, (0, i128::from(ty.bits()))),
            Op::Mul => self.product(var, &forms, ty),
            _ => {}
        }
    }

    /// True if a sum cannot leave a type, so that the operation, which wraps, equals it.
    fn is_of_type(&self, sum: &Linear, ty: ScalarType) -> bool {
        let (low, high) = type_bounds(ty);
        let found = self.range(sum);
        (found.0 >= low || self.is_at_most(&Linear::constant(low), sum))
            && (found.1 <= high || self.is_at_most(sum, &Linear::constant(high)))
    }

    /// Learns the minimum (`sign` 1) or maximum (−1) of two forms: it is one of them, and lies on the known side of the other.
    fn extreme(&mut self, var: Var, forms: &[Linear], ty: ScalarType, sign: i128) {
        let (a, b) = (self.range(&forms[0]), self.range(&forms[1]));
        let bounds = if sign > 0 { (a.0.min(b.0), a.1.min(b.1)) } else { (a.0.max(b.0), a.1.max(b.1)) };
        let (low, high) = type_bounds(ty);
        self.facts.bound(var, (bounds.0.max(low), bounds.1.min(high)));
        let case = |one: &Linear, other: &Linear| Case {
            form: one.clone(),
            when: other.combine(sign, -sign, one).into_iter().collect(),
        };
        self.facts.distinguish(var, [case(&forms[0], &forms[1]), case(&forms[1], &forms[0])]);
    }

    fn remainder(&mut self, var: Var, forms: &[Linear], floor: bool) {
        if !self.is_below(&Linear::constant(0), &forms[1]) {
            return;
        }
        let natural = self.is_natural(&forms[0]);
        let most = self.range(&forms[1]).1 - 1;
        let result = Linear::var(var);
        if natural {
            self.learn_at_most(&result, &forms[0]);
        }
        self.facts.bound(var, (if natural || floor { 0 } else { -most }, most));
        self.learn_below(&result, &forms[1]);
    }

    /// Learns `result = ⌊form / divisor⌋`; without `floor`, only where the form is not negative.
    fn quotient(&mut self, var: Var, form: &Linear, divisor: i128, floor: bool) {
        if !floor && !self.is_natural(form) {
            return;
        }
        let (low, high) = self.range(form);
        let least = if self.is_natural(form) { 0 } else { low.div_euclid(divisor) };
        self.facts.bound(var, (least, high.div_euclid(divisor)));
        if let Some(down) = Linear::var(var).scaled(divisor) {
            self.learn_at_most(&down, form);
            if let Some(up) = down.shifted(divisor) {
                self.learn_below(form, &up);
            }
        }
    }

    fn product(&mut self, var: Var, forms: &[Linear], ty: ScalarType) {
        let (a, b) = (self.range(&forms[0]), self.range(&forms[1]));
        let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
        let products = corners.into_iter().map(|(x, y)| x.checked_mul(y)).collect::<Option<Vec<i128>>>();
        let (low, high) = type_bounds(ty);
        let ends = products
            .and_then(|products| Some((products.iter().copied().min()?, products.iter().copied().max()?)));
        if let Some(ends) = ends.filter(|ends| ends.0 >= low && ends.1 <= high) {
            self.facts.bound(var, ends);
        }
    }

    /// Learns a value that is the first of two where a condition holds, and the second elsewhere: of a `select`, or of an `if` that has been walked.
    pub fn chosen(&mut self, dst: LocalId, cond: Atom, results: [Atom; 2]) {
        if !self.thunk.local_type(dst).is_integer() {
            return;
        }
        let forms = results.map(|result| self.form(result));
        let [a, b] = [self.range(&forms[0]), self.range(&forms[1])];
        let [then, otherwise] = [true, false].map(|truth| self.facts_of(cond, truth));
        let [first, second] = forms;
        self.facts.bound(Var::Local(dst), (a.0.min(b.0), a.1.max(b.1)));
        let cases = [Case { form: first, when: then }, Case { form: second, when: otherwise }];
        self.facts.distinguish(Var::Local(dst), cases);
    }

    /// Learns the counter of a loop, at the beginning of the body.
    pub fn counter(&mut self, var: LocalId, from: Atom, to: Atom) {
        let [from, to] = [from, to].map(|atom| self.form(atom));
        let counter = Linear::var(Var::Local(var));
        let (low, high) = self.range(&from);
        self.facts.bound(Var::Local(var), (low, (self.range(&to).1 - 1).min(high + MOST_POINTS).max(low)));
        self.learn_at_most(&from, &counter);
        self.learn_below(&counter, &to);
    }

    /// Learns a carried variable and its final value, at the beginning of the loop's body. One that only grows is never less than its initial value.
    pub fn carried(&mut self, dst: LocalId, carried: Carried, next: Atom, body: &Block) {
        let ty = self.thunk.local_type(dst);
        self.unknown(dst, ty);
        self.unknown(carried.local, ty);
        if ty.bits() < 64 || !ty.is_integer() || !only_grows(next, carried.local, body, MOST_NESTING) {
            return;
        }
        let init = self.form(carried.init);
        let (low, high) = self.range(&init);
        if high > 1 << 62 {
            return;
        }
        for local in [carried.local, dst] {
            self.facts.bound(Var::Local(local), (low, type_bounds(ty).1));
            self.learn_at_most(&init, &Linear::var(Var::Local(local)));
        }
    }
}

/// Greatest nesting depth of choices between next values that is followed.
const MOST_NESTING: usize = 4;

/// Greatest step of a carried variable: in fewer than [`MOST_POINTS`] rounds it adds no more than 2^62.
const MOST_STEP: i64 = 1 << 14;

/// True if the next value of a carried variable is always itself plus a constant from 0 to [`MOST_STEP`].
fn only_grows(next: Atom, carried: LocalId, body: &Block, depth: usize) -> bool {
    let Atom::Local(local) = next else { return false };
    if local == carried {
        return true;
    }
    let Some(Stmt { kind, .. }) = body.stmts.iter().find(|stmt| stmt.kind.dsts().contains(&local)) else {
        return false;
    };
    if depth == 0 {
        return false;
    }
    match kind {
        StmtKind::Op { op: Op::Add, args, .. } => match args[..] {
            [Atom::Local(base), Atom::Const(by)] | [Atom::Const(by), Atom::Local(base)] => {
                base == carried && by.as_integer().is_some_and(|by| (0..=MOST_STEP).contains(&by))
            }
            _ => false,
        },
        StmtKind::Op { op: Op::Select, args, .. } => {
            args[1..].iter().all(|&arg| only_grows(arg, carried, body, depth - 1))
        }
        StmtKind::If { dsts, then, otherwise, .. } => {
            let slot = dsts.iter().position(|dst| *dst == local);
            slot.is_some_and(|slot| {
                [then, otherwise]
                    .into_iter()
                    .all(|arm| only_grows(arm.results[slot], carried, arm, depth - 1))
            })
        }
        _ => false,
    }
}
