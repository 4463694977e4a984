//! Value classes: the generator's abstract domain, which bounds a value beyond its type.
//!
//! Engines must agree bit by bit. Scalar operations do: they are defined to the last bit; so are reductions, scans and colliding scatters. What is *not*
//! defined is the order of a matrix product of floats, and whether `mul` and `add` contract to `fma`. So floats come in
//! two kinds. *Dyadic* ones are multiples of 2^-f of magnitude up to 2^w; as long as w + f fits the mantissa, sums and products
//! are exact, and every order and contraction gives the same. *Any* other float goes through all other operations.

use nestled_ir::{Op, Scalar, ScalarType};

/// The class of a value: a set that contains it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Any value.
    Any,
    /// An integer inside these bounds.
    Range(i64, i64),
    /// A float, a multiple of 2^-`fraction`, of magnitude up to 2^`whole`.
    Dyadic {
        /// Bits before the point.
        whole: i32,
        /// Bits after the point.
        fraction: i32,
    },
}

/// The class of tame floats, with which the generator begins: quarters up to 8.
pub const TAME: Class = Class::Dyadic { whole: 3, fraction: 2 };

impl Class {
    /// The class to which carried and stored values of a type are brought, so that loops and calls have something to rely on.
    pub fn base(ty: ScalarType) -> Class {
        if ty.is_float() { TAME } else { Class::Any }
    }

    /// The class of a literal.
    pub fn of(value: Scalar) -> Class {
        match value {
            Scalar::F32(value) => dyadic(ScalarType::F32, f64::from(value)),
            Scalar::F64(value) => dyadic(ScalarType::F64, value),
            Scalar::F16(_) | Scalar::Bool(_) => Class::Any,
            Scalar::I8(_)
            | Scalar::U8(_)
            | Scalar::I16(_)
            | Scalar::U16(_)
            | Scalar::I32(_)
            | Scalar::U32(_)
            | Scalar::I64(_)
            | Scalar::U64(_)
            | Scalar::Idx(_) => value.as_integer().map_or(Class::Any, |value| Class::Range(value, value)),
        }
    }

    /// True if every value of this class is in the other.
    pub fn fits(self, other: Class) -> bool {
        match (self, other) {
            (_, Class::Any) => true,
            (Class::Range(a, b), Class::Range(c, d)) => c <= a && b <= d,
            (Class::Dyadic { whole, fraction }, Class::Dyadic { whole: w, fraction: f }) => {
                whole <= w && fraction <= f
            }
            _ => false,
        }
    }

    /// The least upper bound: a class that contains the values of both.
    pub fn join(self, other: Class) -> Class {
        match (self, other) {
            (Class::Range(a, b), Class::Range(c, d)) => Class::Range(a.min(c), b.max(d)),
            (Class::Dyadic { whole, fraction }, Class::Dyadic { whole: w, fraction: f }) => {
                Class::Dyadic { whole: whole.max(w), fraction: fraction.max(f) }
            }
            _ => Class::Any,
        }
    }

    /// The sum of up to `n` values of this class, if it is exact.
    pub fn sum(self, ty: ScalarType, n: u64) -> Option<Class> {
        let Class::Dyadic { whole, fraction } = self else { return None };
        exact(ty, whole + bits(n) as i32, fraction)
    }
}

fn bits(n: u64) -> u32 {
    u64::BITS - n.max(1).leading_zeros()
}

fn exact(ty: ScalarType, whole: i32, fraction: i32) -> Option<Class> {
    let mantissa = match ty {
        ScalarType::F32 => 24,
        ScalarType::F64 => 53,
        _ => 11,
    };
    (whole + fraction <= mantissa).then_some(Class::Dyadic { whole, fraction })
}

fn dyadic(ty: ScalarType, value: f64) -> Class {
    if !value.is_finite() || value.abs() > 4096.0 {
        return Class::Any;
    }
    let fraction = (0..4).find(|&f| (value * f64::from(1 << f)).fract() == 0.0);
    let whole = bits(value.abs().ceil() as u64) as i32;
    fraction.and_then(|fraction| exact(ty, whole, fraction)).unwrap_or(Class::Any)
}

/// The least and greatest integer of a type, as far as an `i64` reaches.
fn limits(ty: ScalarType) -> (i64, i64) {
    match ty {
        ScalarType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        ScalarType::U8 => (0, i64::from(u8::MAX)),
        ScalarType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        ScalarType::U16 => (0, i64::from(u16::MAX)),
        ScalarType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        ScalarType::U32 => (0, i64::from(u32::MAX)),
        ScalarType::U64 => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The transfer function: the class of an operation's result. `None` if the operation must not be used on such operands.
pub fn transfer(op: Op, result: ScalarType, operand: ScalarType, args: &[Class]) -> Option<Class> {
    match op {
        Op::Convert(to) => return Some(convert(operand, to, args[0])),
        Op::Bitcast(_) => return bitcast(operand, args[0]),
        Op::Select => return Some(args[1].join(args[2])),
        _ => {}
    }
    if result.is_float() {
        float(op, result, args)
    } else if result.is_integer() {
        Some(integer(op, result, args))
    } else {
        Some(Class::Any)
    }
}

fn convert(from: ScalarType, to: ScalarType, class: Class) -> Class {
    match class {
        _ if from == ScalarType::Bool && to.is_integer() => Class::Range(0, 1),
        _ if from == ScalarType::Bool && to.is_float() => Class::Dyadic { whole: 1, fraction: 0 },
        Class::Range(a, b) if to.is_integer() && limits(to).0 <= a && b <= limits(to).1 => class,
        Class::Range(a, b) if to.is_float() => {
            let whole = bits(a.unsigned_abs().max(b.unsigned_abs())) as i32;
            exact(to, whole, 0).unwrap_or(Class::Any)
        }
        Class::Dyadic { whole, .. } if to.is_integer() && whole < 30 => {
            let (least, greatest) = limits(to);
            Class::Range((-1 << whole).max(least), (1i64 << whole).min(greatest))
        }
        Class::Dyadic { whole, fraction } if to.is_float() || (to == ScalarType::F16 && whole < 15) => {
            exact(to, whole, fraction).unwrap_or(Class::Any)
        }
        _ => Class::Any,
    }
}

/// The class of a bitcast. The bits of a NaN are not specified, so only floats that are never NaN may be cast.
fn bitcast(from: ScalarType, class: Class) -> Option<Class> {
    (!from.is_float() || matches!(class, Class::Dyadic { .. })).then_some(Class::Any)
}

fn float(op: Op, ty: ScalarType, args: &[Class]) -> Option<Class> {
    let parts = |class: Class| match class {
        Class::Dyadic { whole, fraction } => Some((whole, fraction)),
        Class::Any | Class::Range(..) => None,
    };
    let parts: Option<Vec<(i32, i32)>> = args.iter().copied().map(parts).collect();
    match op {
        // These may be contracted: only where it makes no difference.
        Op::Add | Op::Sub => {
            let p = parts?;
            exact(ty, p[0].0.max(p[1].0) + 1, p[0].1.max(p[1].1))
        }
        Op::Mul => {
            let p = parts?;
            exact(ty, p[0].0 + p[1].0, p[0].1 + p[1].1)
        }
        Op::Fma => {
            let p = parts?;
            exact(ty, (p[0].0 + p[1].0).max(p[2].0) + 1, (p[0].1 + p[1].1).max(p[2].1))
        }
        Op::Neg | Op::Abs => Some(args[0]),
        Op::Min | Op::Max => Some(args[0].join(args[1])),
        Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven => Some(match parts.as_deref() {
            Some([(whole, _)]) => Class::Dyadic { whole: (*whole).max(0), fraction: 0 },
            _ => Class::Any,
        }),
        _ => Some(Class::Any),
    }
}

fn integer(op: Op, ty: ScalarType, args: &[Class]) -> Class {
    let range = |from: Option<i64>, to: Option<i64>| match (from, to) {
        (Some(from), Some(to)) if limits(ty).0 <= from && to <= limits(ty).1 => Class::Range(from, to),
        _ => Class::Any,
    };
    match (op, args) {
        (Op::Popcount | Op::Clz | Op::Ctz, _) => Class::Range(0, 64),
        (Op::RemFloor, [_, Class::Range(a, b)]) if *a > 0 => Class::Range(0, b - 1),
        (Op::Add, [Class::Range(a, b), Class::Range(c, d)]) => range(a.checked_add(*c), b.checked_add(*d)),
        (Op::Sub, [Class::Range(a, b), Class::Range(c, d)]) => range(a.checked_sub(*d), b.checked_sub(*c)),
        (Op::Min, [Class::Range(a, b), Class::Range(c, d)]) => Class::Range(*a.min(c), *b.min(d)),
        (Op::Max, [Class::Range(a, b), Class::Range(c, d)]) => Class::Range(*a.max(c), *b.max(d)),
        (Op::Mul, [Class::Range(a, b), Class::Range(c, d)]) if *a >= 0 && *c >= 0 => {
            range(a.checked_mul(*c), b.checked_mul(*d))
        }
        _ => Class::Any,
    }
}
