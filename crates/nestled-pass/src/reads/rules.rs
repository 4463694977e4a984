//! Composition of two out-of-bounds rules: the table of cases in which a read of a read is one read.
//!
//! The *outer* read has index e in an array of extent n₁; the array was made by the *inner* read, which at point x reads its own array, of extent n₂, at `x + by`, or mirrored at
//! `by − x`. If the table has a rule, one read at `e + by` (`by − e`) with that rule is equivalent, whatever the arrays hold; where it has none, the outer read stays.
//!
//! A rule acts on at most two sides of its axis, and on none where the range of e is in bounds. For each side where the outer rule acts, the **gap** decides: the distance by which
//! the edge of the outer array lies beyond the edge of the inner one:
//!
//! | inner \ outer | proved, or no side acts | clamp | else v | wrap |
//! |---|---|---|---|---|
//! | proved | proved | clamp if gaps = 0 | else v if gaps = 0 | wrap if n₁ = n₂ |
//! | clamp | clamp | clamp if gaps ≥ 0 | – | – |
//! | else u | else u | else u if gaps > 0 | else v if u = v and gaps ≥ 0 | – |
//! | wrap | wrap | – | – | wrap if n₁ = n₂ |
//!
//! An outer read that may fault stays: its fault names the index and the array.
//!
//! A clamp on an empty axis gives zero; so n₁ ≥ 1 must be known, or both arrays be empty together and the result a clamp. Windows of a part of an array, which would compose more
//! often, have no rule in λcu.

use crate::ranges::Linear;
use nestled_ir::Rule;

/// A prover of inequalities.
pub trait Prover {
    /// True if a form is known to be at least 0.
    fn is_natural(&self, x: &Linear) -> bool;
}

/// The outer read along one axis.
#[derive(Clone, Debug)]
pub struct Outer {
    /// Its rule.
    pub rule: Rule,
    /// The extent of its array.
    pub extent: Linear,
    /// Whether its index may be below 0.
    pub acts_low: bool,
    /// Whether its index may be beyond the extent.
    pub acts_high: bool,
}

impl Outer {
    /// True if the rule may act.
    pub fn acts(&self) -> bool {
        self.rule != Rule::Proved && (self.acts_low || self.acts_high)
    }
}

/// The inner read, along the axis whose index depends on the outer position.
#[derive(Clone, Debug)]
pub struct Inner {
    /// Its rule.
    pub rule: Rule,
    /// The extent of its array.
    pub extent: Linear,
    /// Whether the index is `by − x` instead of `x + by`.
    pub mirrored: bool,
    /// The distance added to the position.
    pub by: Linear,
}

/// Returns the rule of the one read equivalent to outer read of inner read. `same_default` says whether both have the same default.
pub fn compose(outer: &Outer, inner: &Inner, same_default: bool, judge: &dyn Prover) -> Option<Rule> {
    if !outer.acts() {
        return Some(inner.rule);
    }
    let same_extent = outer.extent == inner.extent;
    let gaps = gaps(outer, inner)?;
    let all =
        |least: i128| gaps.iter().all(|gap| gap.shifted(-least).is_some_and(|gap| judge.is_natural(&gap)));
    let none = || gaps.iter().all(|gap| gap.as_constant() == Some(0));
    let rule = match (inner.rule, outer.rule) {
        (Rule::Proved, Rule::Clamp | Rule::Else) if none() => outer.rule,
        (Rule::Clamp, Rule::Clamp) if all(0) => Rule::Clamp,
        (Rule::Else, Rule::Clamp) if all(1) => Rule::Else,
        (Rule::Else, Rule::Else) if same_default && all(0) => Rule::Else,
        (Rule::Proved | Rule::Wrap, Rule::Wrap) if same_extent => Rule::Wrap,
        _ => return None,
    };
    let some = || outer.extent.shifted(-1).is_some_and(|most| judge.is_natural(&most));
    let empty_alike = same_extent && rule == Rule::Clamp;
    (outer.rule != Rule::Clamp || empty_alike || some()).then_some(rule)
}

/// For each side where the outer rule acts: the gap between its edge and an edge of the inner array.
fn gaps(outer: &Outer, inner: &Inner) -> Option<Vec<Linear>> {
    let last = outer.extent.shifted(-1)?;
    let inner_last = inner.extent.shifted(-1)?;
    let below = |edge: Linear| edge.scaled(-1);
    let beyond = |edge: Linear| edge.plus(-1, &inner_last);
    let mut gaps = Vec::new();
    if outer.acts_low {
        let edge = inner.by.clone();
        gaps.push(if inner.mirrored { beyond(edge)? } else { below(edge)? });
    }
    if outer.acts_high {
        gaps.push(if inner.mirrored {
            below(inner.by.plus(-1, &last)?)?
        } else {
            beyond(inner.by.plus(1, &last)?)?
        });
    }
    Some(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The result of a read.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Resolved {
        At(i128),
        Zero,
        Default(bool),
        Fault,
    }

    fn resolve(at: i128, extent: i128, rule: Rule, default: bool) -> Option<Resolved> {
        if (0..extent).contains(&at) {
            return Some(Resolved::At(at));
        }
        match rule {
            Rule::Clamp | Rule::Wrap if extent == 0 => Some(Resolved::Zero),
            Rule::Clamp => Some(Resolved::At(at.clamp(0, extent - 1))),
            Rule::Wrap => Some(Resolved::At(at.rem_euclid(extent))),
            Rule::Else => Some(Resolved::Default(default)),
            Rule::Fault => Some(Resolved::Fault),
            Rule::Proved => None,
        }
    }

    struct Numbers;

    impl Prover for Numbers {
        fn is_natural(&self, x: &Linear) -> bool {
            x.as_constant().is_some_and(|x| x >= 0)
        }
    }

    const RULES: [Rule; 5] = [Rule::Proved, Rule::Clamp, Rule::Else, Rule::Fault, Rule::Wrap];

    /// Calls `check` for all small cases: extents, shifts, rules, and ranges of the index.
    fn for_each_case(check: &mut dyn FnMut(&Outer, &Inner, std::ops::RangeInclusive<i128>)) {
        let cases = |mirrored, n1: i128, n2: i128, by: i128| {
            let number = Linear::constant;
            let mut cases = Vec::new();
            for outer in RULES {
                for inner in RULES {
                    for (low, high) in [(-4, n1 + 3), (0, n1 + 3), (-4, n1 - 1), (0, n1 - 1)] {
                        let outer = Outer {
                            rule: outer,
                            extent: number(n1),
                            acts_low: low < 0,
                            acts_high: high >= n1,
                        };
                        let inner = Inner { rule: inner, extent: number(n2), mirrored, by: number(by) };
                        cases.push((outer, inner, low..=high));
                    }
                }
            }
            cases
        };
        for mirrored in [false, true] {
            for n1 in 0..5 {
                for n2 in 0..5 {
                    for by in -5..6 {
                        for (outer, inner, range) in cases(mirrored, n1, n2, by) {
                            check(&outer, &inner, range);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_table_holds_for_all_small_arrays() {
        let mut composed: HashMap<(Rule, Rule), usize> = HashMap::new();
        for_each_case(&mut |outer, inner, range| {
            let (n1, n2) = (outer.extent.as_constant().unwrap(), inner.extent.as_constant().unwrap());
            let by = inner.by.as_constant().unwrap();
            let place = |x: i128| if inner.mirrored { by - x } else { x + by };
            // What is proved is so for all points of the array in between, and for all indices that occur.
            let proved = inner.rule != Rule::Proved || (0..n1).all(|x| (0..n2).contains(&place(x)));
            let trusted = outer.rule != Rule::Proved || range.clone().all(|e| (0..n1).contains(&e));
            if !proved || !trusted {
                return;
            }
            for same_default in [false, true] {
                let Some(rule) = compose(outer, inner, same_default, &Numbers) else { continue };
                if outer.acts() {
                    *composed.entry((inner.rule, outer.rule)).or_default() += 1;
                }
                for e in range.clone() {
                    let twice = match resolve(e, n1, outer.rule, true) {
                        Some(Resolved::At(x)) => resolve(place(x), n2, inner.rule, same_default),
                        other => other,
                    };
                    // Which default the one read has is known from the rule of the outer.
                    let default = same_default || (outer.acts() && outer.rule == Rule::Else);
                    let once = resolve(place(e), n2, rule, default);
                    assert_eq!(once, twice, "{outer:?} of {inner:?} at {e}, same default: {same_default}");
                }
            }
        });
        let pairs = [
            (Rule::Proved, Rule::Clamp),
            (Rule::Proved, Rule::Else),
            (Rule::Proved, Rule::Wrap),
            (Rule::Clamp, Rule::Clamp),
            (Rule::Else, Rule::Clamp),
            (Rule::Else, Rule::Else),
            (Rule::Wrap, Rule::Wrap),
        ];
        assert_eq!(composed.len(), pairs.len());
        assert!(pairs.iter().all(|pair| composed[pair] > 50), "{composed:?}");
    }

    /// Shifts of equal arrays, as the table of fixed windows has them.
    #[test]
    fn shifts_in_one_direction_add_up() {
        let n = Linear::constant(5);
        let shift = |rule, by: i128, inner_rule, inner_by| {
            let outer = Outer { rule, extent: n.clone(), acts_low: by < 0, acts_high: by > 0 };
            let inner = Inner {
                rule: inner_rule,
                extent: n.clone(),
                mirrored: false,
                by: Linear::constant(inner_by),
            };
            compose(&outer, &inner, true, &Numbers)
        };
        use Rule::{Clamp, Else, Wrap};
        for (a, b) in [(1, 1), (-1, -2), (-1, 1), (2, -1)] {
            assert_eq!(shift(Wrap, a, Wrap, b), Some(Wrap));
            let same_way = (a > 0) == (b > 0);
            assert_eq!(shift(Clamp, a, Clamp, b), same_way.then_some(Clamp));
            assert_eq!(shift(Else, a, Else, b), same_way.then_some(Else));
            assert_eq!(shift(Clamp, a, Else, b), same_way.then_some(Else));
            assert_eq!(shift(Wrap, a, Clamp, b), None);
            assert_eq!(shift(Clamp, a, Wrap, b), None);
            assert_eq!(shift(Else, a, Wrap, b), None);
            assert_eq!(shift(Else, a, Clamp, b), None);
        }
    }
}
