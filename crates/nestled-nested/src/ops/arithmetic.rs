//! Arithmetic, comparisons and logic between nested arrays of different depths, and with numbers.

use super::arithmetic_columns::{Binary, binary};
use super::compare;
use super::functions;
use super::meant;
use super::term::{Term, column, literal};
use crate::broadcast::broadcast;
use crate::fault::{Outcome, expect, fault, told};
use crate::nested::Nested;
use nestled_array::Result;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// An operation of two operands, at least one of which is an array: the operators, where the first operand may be a number and nothing may panic.
///
/// ```
/// use nestled_nested::{Binary, Nested, combine};
/// let pt = Nested::from_iter([vec![1, 2], vec![]]);
/// assert_eq!(combine(Binary::Sub, 10, &pt)?.to_list()?.to_string(), "[[9, 8], []]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// The schemas do not go together, or lists differ in length.
#[track_caller]
pub fn combine(operation: Binary, left: impl Into<Term>, right: impl Into<Term>) -> Result<Nested> {
    told("combine", combined(operation, &left.into(), &right.into()))
}

/// A function of the numbers of arrays that are brought to one structure: it is called with arrays of numbers of one length, and gives one.
///
/// ```
/// use nestled_nested::{Array, Nested, elementwise};
/// let (x, y) = (Nested::from_iter([vec![3.0, 1.0], vec![]]), Nested::from_iter([4.0, 1.0]));
/// let angle = elementwise(&[&x, &y], &mut |parts| {
///     let (x, y) = (Array::<f64>::try_from(&parts[0])?, Array::<f64>::try_from(&parts[1])?);
///     Ok(Nested::from((&x * &x + &y * &y).sqrt()))
/// })?;
/// assert_eq!(angle.firsts(1)?.to_list()?.to_string(), "[5.0, None]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// The arrays do not go together, the function fails, or it does not give as many elements.
#[track_caller]
pub fn elementwise(
    parts: &[&Nested],
    function: &mut dyn FnMut(&[Nested]) -> Result<Nested>,
) -> Result<Nested> {
    let sides: Vec<Nested> = parts.iter().map(|&part| part.clone()).collect();
    let Some(first) = sides.first() else { return told("elementwise", fault("there is no array")) };
    if sides.len() == 1 {
        return told("elementwise", of_one(first, function));
    }
    told("elementwise", broadcast(&sides, &|_| false, &mut |sides| checked(sides, function)))
}

fn checked(sides: &[Nested], function: &mut dyn FnMut(&[Nested]) -> Result<Nested>) -> Outcome<Nested> {
    let made = function(sides)?;
    if made.length != sides[0].length {
        return fault(format!("the function gives {} elements for {}", made.length, sides[0].length));
    }
    Ok(made)
}

/// Of one array the fields of its records, too.
fn of_one(nested: &Nested, function: &mut dyn FnMut(&[Nested]) -> Result<Nested>) -> Outcome<Nested> {
    broadcast(std::slice::from_ref(nested), &|_| false, &mut |sides| match sides[0]
        .map_fields(&mut |field| of_one(field, function))?
    {
        Some(made) => Ok(made),
        None => checked(sides, function),
    })
}

fn combined(op: Binary, left: &Term, right: &Term) -> Outcome<Nested> {
    match (left, right) {
        (Term::Nested(left), Term::Nested(right)) => {
            broadcast(&[left.clone(), right.clone()], &|_| false, &mut |sides| {
                if let Some(made) = meant::of_two(op, sides)? {
                    return Ok(made);
                }
                match compare::texts(op, sides)? {
                    Some(equal) => Ok(equal),
                    None => Ok(Nested::leaf(binary(op, column(&sides[0])?, column(&sides[1])?)?)),
                }
            })
        }
        (Term::Nested(nested), term) => with_literal(op, nested, term, false),
        (term, Term::Nested(nested)) => with_literal(op, nested, term, true),
        _ => fault("neither operand is an array"),
    }
}

fn with_literal(op: Binary, nested: &Nested, term: &Term, first: bool) -> Outcome<Nested> {
    broadcast(std::slice::from_ref(nested), &|_| false, &mut |sides| {
        if let Some(made) = meant::with_term(op, &sides[0], term, first)? {
            return Ok(made);
        }
        if let Some(equal) = compare::with_text(op, &sides[0], term, first)? {
            return Ok(equal);
        }
        let own = column(&sides[0])?;
        let other = literal(term, own.kind())?;
        let made = if first { binary(op, &other, own)? } else { binary(op, own, &other)? };
        Ok(Nested::leaf(made))
    })
}

macro_rules! operators {
    ($($trait:ident $method:ident $try_method:ident $sign:literal $op:ident;)*) => {$(
        operators! { @pair $trait $method $sign $op: [Nested] }
        operators! { @pair $trait $method $sign $op: [&Nested] }
        operators! { @before $trait $method $sign $op: i32 [Nested] }
        operators! { @before $trait $method $sign $op: i32 [&Nested] }
        operators! { @before $trait $method $sign $op: i64 [Nested] }
        operators! { @before $trait $method $sign $op: i64 [&Nested] }
        operators! { @before $trait $method $sign $op: f64 [Nested] }
        operators! { @before $trait $method $sign $op: f64 [&Nested] }

        impl Nested {
            #[doc = concat!("As `", $sign, "`, but an error instead of a panic.")]
            ///
            /// # Errors
            /// The schemas do not go together, or lists differ in length.
            #[track_caller]
            pub fn $try_method(&self, other: impl Into<Term>) -> Result<Nested> {
                told($sign, combined(Binary::$op, &self.into(), &other.into()))
            }
        }
    )*};
    (@pair $trait:ident $method:ident $sign:literal $op:ident: [$($left:tt)*]) => {
        /// Between arrays of different depths a value for a list goes with each of its elements. Panics where schemas or lengths do not go together.
        impl<T: Into<Term>> $trait<T> for $($left)* {
            type Output = Nested;
            #[track_caller]
            fn $method(self, other: T) -> Nested {
                expect(told($sign, combined(Binary::$op, &self.into(), &other.into())))
            }
        }
    };
    (@before $trait:ident $method:ident $sign:literal $op:ident: $ty:ident [$($right:tt)*]) => {
        impl $trait<$($right)*> for $ty {
            type Output = Nested;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Nested {
                expect(told($sign, combined(Binary::$op, &self.into(), &other.into())))
            }
        }
    };
}

operators! {
    Add add try_add "+" Add;
    Sub sub try_sub "-" Sub;
    Mul mul try_mul "*" Mul;
    Div div try_div "/" Div;
    BitAnd bitand try_and "&" And;
    BitOr bitor try_or "|" Or;
    BitXor bitxor try_xor "^" Xor;
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl Nested {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// The schemas do not go together, or lists differ in length.
            #[track_caller]
            pub fn $name(&self, other: impl Into<Term>) -> Result<Nested> {
                told(stringify!($name), combined(Binary::$op, &self.into(), &other.into()))
            }
        )*}
    };
}

methods! {
    /// True where elements are equal; numbers, or texts.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter([vec!["e", "mu"], vec!["mu"]]);
    /// assert_eq!(names.eq("mu")?.to_list()?.to_string(), "[[false, true], [true]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    eq Eq;
    /// True where elements differ; numbers, or texts.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 2]).ne(2)?.to_list()?.to_string(), "[true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ne Ne;
    /// True where elements are less; numbers, or texts byte by byte, whose greatest length is computed at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 2]).lt(2)?.to_list()?.to_string(), "[true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    lt Lt;
    /// True where elements are less or equal.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 2]).le(1.5)?.to_list()?.to_string(), "[true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    le Le;
    /// True where elements are greater.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([Some(1), None]).gt(0)?.to_list()?.to_string(), "[true, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    gt Gt;
    /// True where elements are greater or equal.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 2]).ge(2)?.to_list()?.to_string(), "[false, true]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ge Ge;
    /// The lesser of two numbers; NaN if one is.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 5]).minimum(3)?.to_list()?.to_string(), "[1, 3]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    minimum Min;
    /// The greater of two numbers; NaN if one is.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 5]).maximum(3)?.to_list()?.to_string(), "[3, 5]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    maximum Max;
}

impl Neg for &Nested {
    type Output = Nested;
    #[track_caller]
    fn neg(self) -> Nested {
        expect(told("-", functions::negated(self)))
    }
}

impl Neg for Nested {
    type Output = Nested;
    #[track_caller]
    fn neg(self) -> Nested {
        -&self
    }
}

impl Not for &Nested {
    type Output = Nested;
    #[track_caller]
    fn not(self) -> Nested {
        expect(told("!", functions::inverted(self)))
    }
}

impl Not for Nested {
    type Output = Nested;
    #[track_caller]
    fn not(self) -> Nested {
        !&self
    }
}
