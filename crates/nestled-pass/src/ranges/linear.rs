//! Linear (affine) forms: sums of multiples of variables, and a constant. Most indices have this form.
//!
//! The numbers are mathematical integers. Operations of a program wrap; before one becomes a form, it is proved not to wrap.

use nestled_ir::{LocalId, ValueId};

/// A variable of a linear form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Var {
    /// A scalar of the thunk; the first ones are the coordinates of the point.
    Local(LocalId),
    /// A scalar or an extent of the kernel.
    Value(ValueId),
    /// The length of a segment, by its number in a table.
    Length(u32),
}

/// A linear form such as `2·i − n + 3`. No variable occurs twice or with the factor 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    terms: Vec<(Var, i128)>,
    constant: i128,
}

/// Greatest number of terms; longer forms are given up.
const MOST_TERMS: usize = 6;

/// Strict bound of the factors, so that no product of a factor and a 64-bit number leaves 128 bits.
const MOST_FACTOR: i128 = 1 << 40;

/// Strict bound of the constants.
const MOST_CONSTANT: i128 = 1 << 100;

impl Linear {
    /// Makes the form of a number.
    pub fn constant(constant: i128) -> Linear {
        Linear { terms: Vec::new(), constant }
    }

    /// Makes the form of a variable.
    pub fn var(var: Var) -> Linear {
        Linear { terms: vec![(var, 1)], constant: 0 }
    }

    /// The variables, with their factors.
    pub fn terms(&self) -> &[(Var, i128)] {
        &self.terms
    }

    /// The number, if the form has no variable.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The constant part.
    pub fn offset(&self) -> i128 {
        self.constant
    }

    /// The factor of a variable.
    pub fn factor(&self, var: Var) -> i128 {
        self.terms.iter().find(|(other, _)| *other == var).map_or(0, |(_, factor)| *factor)
    }

    /// Returns `self + factor·other`, if that is within the limits.
    pub fn plus(&self, factor: i128, other: &Linear) -> Option<Linear> {
        self.combine(1, factor, other)
    }

    /// Returns `by + self`.
    pub fn shifted(&self, by: i128) -> Option<Linear> {
        self.plus(1, &Linear::constant(by))
    }

    /// Returns `factor·self`.
    pub fn scaled(&self, factor: i128) -> Option<Linear> {
        Linear::default().plus(factor, self)
    }

    /// Returns `left·self + right·other`, if that is within the limits.
    pub fn combine(&self, left: i128, right: i128, other: &Linear) -> Option<Linear> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (var, factor) = match (a.peek(), b.peek()) {
                (Some(&&(x, p)), Some(&&(y, q))) if x == y => {
                    a.next();
                    b.next();
                    (x, p.checked_mul(left)?.checked_add(q.checked_mul(right)?)?)
                }
                (Some(&&(x, p)), other) if other.is_none_or(|&&(y, _)| x < y) => {
                    a.next();
                    (x, p.checked_mul(left)?)
                }
                (_, Some(&&(y, q))) => {
                    b.next();
                    (y, q.checked_mul(right)?)
                }
                _ => break,
            };
            if factor != 0 {
                terms.push((var, factor));
            }
        }
        let constant = self.constant.checked_mul(left)?.checked_add(other.constant.checked_mul(right)?)?;
        let small = terms.len() <= MOST_TERMS
            && terms.iter().all(|(_, factor)| factor.abs() < MOST_FACTOR)
            && constant.abs() < MOST_CONSTANT;
        small.then_some(Linear { terms, constant })
    }

    /// Substitutes a form for a variable.
    pub fn with(&self, var: Var, by: &Linear) -> Option<Linear> {
        let factor = self.factor(var);
        self.plus(-factor, &Linear::var(var))?.plus(factor, by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_sums() {
        let [x, y] = [0, 1].map(|id| Linear::var(Var::Local(LocalId(id))));
        let sum = x.combine(2, 3, &y).and_then(|sum| sum.shifted(5)).unwrap();
        assert_eq!(sum.terms(), [(Var::Local(LocalId(0)), 2), (Var::Local(LocalId(1)), 3)]);
        assert_eq!(sum.plus(-2, &x).unwrap(), y.scaled(3).unwrap().shifted(5).unwrap());
        assert_eq!(sum.plus(-1, &sum).unwrap().as_constant(), Some(0));
        assert_eq!(sum.with(Var::Local(LocalId(1)), &x).unwrap(), x.scaled(5).unwrap().shifted(5).unwrap());
        assert_eq!(x.scaled(MOST_FACTOR), None);
    }
}
