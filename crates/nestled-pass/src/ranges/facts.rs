//! What is known to be at least 0, and what follows from it.
//!
//! A goal `g ≥ 0` is shown by subtracting facts from it until its bounds say it: from `n − 1 − i ≥ 0` and `i ≥ 0` follows `n ≥ 1`. A
//! variable that is one of two things (a `min`, a `select`, the result of an `if`) is shown for both. The search is short: what needs
//! more than a few steps stays unknown.

use super::linear::{Linear, Var};
use std::collections::HashMap;
use std::rc::Rc;

/// One of two things that a variable may be, and what is then known to be at least 0.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub form: Linear,
    /// When it is.
    pub when: Vec<Linear>,
}

/// Facts, and bounds of variables.
#[derive(Debug, Default)]
pub struct Facts {
    bounds: HashMap<Var, (i128, i128)>,
    cases: HashMap<Var, Rc<[Case; 2]>>,
    /// Each is at least 0.
    facts: Vec<Linear>,
    by_var: HashMap<Var, Vec<usize>>,
    /// How many facts there were when a block was entered.
    marks: Vec<usize>,
}

/// How many facts are tried for one goal.
const EFFORT: usize = 100;

/// How many facts may be needed for one goal.
const DEPTH: usize = 5;

impl Facts {
    /// Between these bounds, which are both included, a variable lies.
    pub fn bound(&mut self, var: Var, bounds: (i128, i128)) {
        self.bounds.insert(var, bounds);
    }

    /// A variable may be anything; what was learned of it in blocks that have ended is forgotten anyway.
    pub fn forget(&mut self, var: Var) {
        self.bounds.remove(&var);
        self.cases.remove(&var);
    }

    /// A variable is one of two things.
    pub fn distinguish(&mut self, var: Var, cases: [Case; 2]) {
        self.cases.insert(var, Rc::new(cases));
    }

    /// This is at least 0, to the end of the block.
    pub fn learn(&mut self, fact: Linear) {
        for (var, _) in fact.terms() {
            self.by_var.entry(*var).or_default().push(self.facts.len());
        }
        self.facts.push(fact);
    }

    /// A block begins.
    pub fn enter(&mut self) {
        self.marks.push(self.facts.len());
    }

    /// A block ends: what was learned in it is forgotten.
    pub fn leave(&mut self) {
        let mark = self.marks.pop().expect("blocks that end have begun");
        for fact in self.facts.drain(mark..).rev() {
            for (var, _) in fact.terms() {
                self.by_var.get_mut(var).map(Vec::pop);
            }
        }
    }

    /// The least and greatest that a variable may be.
    pub fn bounds(&self, var: Var) -> (i128, i128) {
        self.bounds.get(&var).copied().unwrap_or((i128::from(i64::MIN), i128::from(i64::MAX)))
    }

    /// The least and greatest that a sum may be, by the bounds of its variables alone.
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

    /// Whether this is certainly at least 0.
    pub fn shows(&self, goal: &Linear) -> bool {
        let mut search = Search { facts: self, given: Vec::new(), effort: EFFORT };
        // Short reasons first.
        (0..=DEPTH).any(|depth| search.shows(goal, depth))
    }
}

struct Search<'a> {
    facts: &'a Facts,
    /// What is at least 0 in the case that is looked at.
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

    /// Whether there is still some effort left.
    fn spend(&mut self) -> bool {
        let left = self.effort.checked_sub(1);
        self.effort = left.unwrap_or(0);
        left.is_some()
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
