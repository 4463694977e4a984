//! Linear inequalities (`form ≥ 0`) as facts, and a small prover for what follows from them.
//!
//! A goal `g ≥ 0` is proved by subtracting facts from it until its bounds imply it (Fourier–Motzkin elimination): from `n − 1 − i ≥ 0` and `i ≥ 0` follows `n ≥ 1`. For a variable
//! that is one of two forms (a `min`, a `select`, the result of an `if`), both cases are proved. The search is short: a goal that needs more than a few steps stays unknown.

use super::linear::{Linear, Var};
use std::collections::HashMap;
use std::rc::Rc;

/// A case of a variable that has one of two forms, with the facts that hold in that case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The form of the variable.
    pub form: Linear,
    /// Forms that are at least 0 in this case.
    pub when: Vec<Linear>,
}

/// Facts, bounds and cases of variables, scoped by blocks.
#[derive(Debug, Default)]
pub struct Inequalities {
    bounds: HashMap<Var, (i128, i128)>,
    cases: HashMap<Var, Rc<[Case; 2]>>,
    /// Linear forms that are each at least 0.
    facts: Vec<Linear>,
    by_var: HashMap<Var, Vec<usize>>,
    /// For each block entered: the number of facts at its beginning.
    marks: Vec<usize>,
}

/// Greatest number of facts tried for one goal.
const EFFORT: usize = 100;

/// Greatest number of facts used for one goal.
const DEPTH: usize = 5;

impl Inequalities {
    /// Sets the bounds of a variable, both included.
    pub fn bound(&mut self, var: Var, bounds: (i128, i128)) {
        self.bounds.insert(var, bounds);
    }

    /// Forgets bounds and cases of a variable; facts from blocks that have ended are forgotten anyway.
    pub fn forget(&mut self, var: Var) {
        self.bounds.remove(&var);
        self.cases.remove(&var);
    }

    /// Sets the two cases of a variable.
    pub fn distinguish(&mut self, var: Var, cases: [Case; 2]) {
        self.cases.insert(var, Rc::new(cases));
    }

    /// Assumes to the end of the block that a form is at least 0.
    pub fn learn(&mut self, fact: Linear) {
        for (var, _) in fact.terms() {
            self.by_var.entry(*var).or_default().push(self.facts.len());
        }
        self.facts.push(fact);
    }

    /// Enters a block.
    pub fn enter(&mut self) {
        self.marks.push(self.facts.len());
    }

    /// Leaves a block: facts learned in it are forgotten.
    pub fn leave(&mut self) {
        let mark = self.marks.pop().expect("blocks that end have begun");
        for fact in self.facts.drain(mark..).rev() {
            for (var, _) in fact.terms() {
                self.by_var.get_mut(var).map(Vec::pop);
            }
        }
    }

    /// The least and the greatest value of a variable.
    pub fn bounds(&self, var: Var) -> (i128, i128) {
        self.bounds.get(&var).copied().unwrap_or((i128::from(i64::MIN), i128::from(i64::MAX)))
    }

    /// The least and the greatest value of a linear form, by the bounds of its variables alone.
    pub fn range(&self, form: &Linear) -> (i128, i128) {
        let mut range = (form.offset(), form.offset());
        for &(var, factor) in form.terms() {
            let (low, high) = self.bounds(var);
            let ends = (low * factor, high * factor);
            range.0 += ends.0.min(ends.1);
            range.1 += ends.0.max(ends.1);
        }
        range
    }

    /// True if a form is proved to be at least 0.
    pub fn shows(&self, goal: &Linear) -> bool {
        let mut search = Search { facts: self, given: Vec::new(), effort: EFFORT };
        // Short reasons first.
        (0..=DEPTH).any(|depth| search.shows(goal, depth))
    }
}

struct Search<'a> {
    facts: &'a Inequalities,
    /// Forms that are at least 0 in the case under consideration.
    given: Vec<Linear>,
    effort: usize,
}

impl Search<'_> {
    fn shows(&mut self, goal: &Linear, depth: usize) -> bool {
        if self.facts.range(goal).0 >= 0 {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let facts = self.facts;
        for &(var, factor) in goal.terms() {
            let known = facts.by_var.get(&var).map_or(&[][..], Vec::as_slice);
            // The latest say most: they are about the innermost block.
            for at in (0..self.given.len() + known.len()).rev() {
                let fact = match at.checked_sub(known.len()) {
                    Some(given) => &self.given[given],
                    None => &facts.facts[known[at]],
                };
                let other = fact.factor(var);
                if other.signum() != factor.signum() {
                    continue;
                }
                let divisor = gcd(other.abs(), factor.abs());
                let rest = goal.combine(other.abs() / divisor, -(factor.abs() / divisor), fact);
                if !self.spend() {
                    return false;
                }
                if rest.is_some_and(|rest| self.shows(&rest, depth - 1)) {
                    return true;
                }
            }
        }
        goal.terms().iter().any(|(var, _)| {
            let cases = facts.cases.get(var);
            cases.is_some_and(|cases| cases.iter().all(|case| self.shows_case(goal, *var, case, depth)))
        })
    }

    fn shows_case(&mut self, goal: &Linear, var: Var, case: &Case, depth: usize) -> bool {
        let Some(goal) = goal.with(var, &case.form) else { return false };
        let n_given = self.given.len();
        self.given.extend(case.when.iter().cloned());
        let shown = self.spend() && self.shows(&goal, depth - 1);
        self.given.truncate(n_given);
        shown
    }

    /// Spends one unit of effort; false if none is left.
    fn spend(&mut self) -> bool {
        let left = self.effort.checked_sub(1);
        self.effort = left.unwrap_or(0);
        left.is_some()
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
