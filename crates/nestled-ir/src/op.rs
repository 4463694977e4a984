//! Scalar operations of thunks and of host code, with their typing rules.
//!
//! **Every operation is total.** Integers wrap; dividing by zero gives 0 and leaves the dividend as remainder; shift counts are
//! taken modulo the width; floats are IEEE and round to nearest, ties to even. What a language calls an error is a
//! `check` before the operation.
//!
//! The elementary functions ([`Op::is_elementary`]) *mean* what their λcu text in `math.lcu` computes, bit for bit.
//! The payload and sign of a NaN that an operation makes are not specified.

use crate::scalar::ScalarType;
use std::fmt;

/// Defines the operations without a type of their own: variant, name in the text form, number of operands.
macro_rules! ops {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arity:literal;)*) => {
        /// A scalar operation. In typing rules `T` stands for one type, the same at each place. Work and depth O(1).
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op {
            $($(#[$doc])* $variant,)*
            /// `T => U`. To an integer: truncates toward zero and saturates, NaN gives 0; between integers: wraps; to a
            /// float: rounds to nearest even; to `bool`: not equal to zero; from `bool`: 0 or 1. `f16` converts
            /// from and to floats. Written as the name of the type: `f32 x`.
            Convert(ScalarType),
            /// `T => U` with the same bits; both 32 or both 64 bits wide and not `bool`. Written `bitcast_f32 x`.
            Bitcast(ScalarType),
        }

        impl Op {
            /// The operations but `Convert` and `Bitcast`.
            pub const PLAIN: &'static [Op] = &[$(Op::$variant),*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$variant => $name,)*
                    Op::Convert(ty) => ty.name(),
                    Op::Bitcast(ScalarType::I32) => "bitcast_i32",
                    Op::Bitcast(ScalarType::U32) => "bitcast_u32",
                    Op::Bitcast(ScalarType::I64) => "bitcast_i64",
                    Op::Bitcast(ScalarType::U64) => "bitcast_u64",
                    Op::Bitcast(ScalarType::F32) => "bitcast_f32",
                    Op::Bitcast(ScalarType::F64) => "bitcast_f64",
                    Op::Bitcast(ScalarType::Idx) => "bitcast_idx",
                    Op::Bitcast(ScalarType::Bool | ScalarType::I8 | ScalarType::U8) => "bitcast_invalid",
                    Op::Bitcast(ScalarType::I16 | ScalarType::U16 | ScalarType::F16) => "bitcast_invalid",
                }
            }

            /// The number of operands.
            pub fn arity(self) -> usize {
                match self {
                    $(Op::$variant => $arity,)*
                    Op::Convert(_) | Op::Bitcast(_) => 1,
                }
            }
        }
    };
}

ops! {
    /// `T T => T` for numbers. Integers wrap.
    Add "add" 2;
    /// `T T => T` for numbers. Integers wrap.
    Sub "sub" 2;
    /// `T T => T` for numbers. Integers wrap.
    Mul "mul" 2;
    /// `T T => T` for numbers. Integers truncate toward zero; by zero gives 0; min / −1 wraps to min.
    Div "div" 2;
    /// `T T => T` for integers. The remainder of `div`: the sign of the dividend; by zero gives the dividend; min by −1 gives 0.
    Rem "rem" 2;
    /// `T T => T` for integers. Division rounded toward −∞; by zero gives 0.
    DivFloor "div_floor" 2;
    /// `T T => T` for integers. The remainder of `div_floor`: the sign of the divisor; by zero gives the dividend.
    RemFloor "rem_floor" 2;
    /// `T => T` for numbers. Integers wrap; a float flips its sign bit.
    Neg "neg" 1;
    /// `T => T` for numbers. The smallest integer stays itself; a float clears its sign bit.
    Abs "abs" 1;
    /// `T T => T` for numbers and `bool`. NaN if either is NaN; −0.0 is less than +0.0. Associative and commutative.
    Min "min" 2;
    /// `T T => T` for numbers and `bool`. NaN if either is NaN; −0.0 is less than +0.0. Associative and commutative.
    Max "max" 2;
    /// `T T => T` for `i32 u32 i64 u64`: the high half of the exact product.
    MulHigh "mulhi" 2;
    /// `T T => T` for integers (bitwise) and `bool`.
    And "and" 2;
    /// `T T => T` for integers (bitwise) and `bool`.
    Or "or" 2;
    /// `T T => T` for integers (bitwise) and `bool`.
    Xor "xor" 2;
    /// `T => T` for integers (bitwise) and `bool`.
    Not "not" 1;
    /// `T T => T` for integers: shift left; the count is taken modulo the width.
    Shl "shl" 2;
    /// `T T => T` for integers: shift right, arithmetic for signed types and logical for unsigned ones; count modulo the width.
    Shr "shr" 2;
    /// `T => T` for integers: the number of bits set.
    Popcount "popcount" 1;
    /// `T => T` for integers: leading zeros; the width for 0.
    Clz "clz" 1;
    /// `T => T` for integers: trailing zeros; the width for 0.
    Ctz "ctz" 1;
    /// `T T => bool` for all types but `f16`. False when a NaN is involved.
    Eq "eq" 2;
    /// `T T => bool` for all types but `f16`. True when a NaN is involved.
    Ne "ne" 2;
    /// `T T => bool` for all types but `f16`. False when a NaN is involved; `false < true`.
    Lt "lt" 2;
    /// `T T => bool` for all types but `f16`. False when a NaN is involved.
    Le "le" 2;
    /// `T T => bool` for all types but `f16`. False when a NaN is involved.
    Gt "gt" 2;
    /// `T T => bool` for all types but `f16`. False when a NaN is involved.
    Ge "ge" 2;
    /// `bool T T => T` for all types: the second where the first is true, else the third. Both are computed.
    Select "select" 3;
    /// `T T T => T` for floats: a·b + c rounded once.
    Fma "fma" 3;
    /// `T => T` for floats, correctly rounded.
    Sqrt "sqrt" 1;
    /// `T => T` for floats: toward −∞ to an integer.
    Floor "floor" 1;
    /// `T => T` for floats: toward +∞ to an integer.
    Ceil "ceil" 1;
    /// `T => T` for floats: toward zero to an integer.
    Trunc "trunc" 1;
    /// `T => T` for floats: to the nearest integer, ties away from zero.
    Round "round" 1;
    /// `T => T` for floats: to the nearest integer, ties to even.
    RoundEven "round_even" 1;
    /// `T => T` for floats: 1/√x. Elementary.
    Rsqrt "rsqrt" 1;
    /// `T => T` for floats: eˣ. Elementary.
    Exp "exp" 1;
    /// `T => T` for floats: 2ˣ. Elementary.
    Exp2 "exp2" 1;
    /// `T => T` for floats: eˣ − 1, exact near 0. Elementary.
    Expm1 "expm1" 1;
    /// `T => T` for floats: natural logarithm. Elementary.
    Ln "ln" 1;
    /// `T => T` for floats: binary logarithm. Elementary.
    Log2 "log2" 1;
    /// `T => T` for floats: decimal logarithm. Elementary.
    Log10 "log10" 1;
    /// `T => T` for floats: ln(1 + x), exact near 0. Elementary.
    Log1p "log1p" 1;
    /// `T T => T` for floats: xʸ. Elementary.
    Pow "pow" 2;
    /// `T => T` for floats, in radians. Elementary.
    Sin "sin" 1;
    /// `T => T` for floats, in radians. Elementary.
    Cos "cos" 1;
    /// `T => T` for floats, in radians. Elementary.
    Tan "tan" 1;
    /// `T => T` for floats. Elementary.
    Asin "asin" 1;
    /// `T => T` for floats. Elementary.
    Acos "acos" 1;
    /// `T => T` for floats. Elementary.
    Atan "atan" 1;
    /// `T => T` for floats. Elementary.
    Sinh "sinh" 1;
    /// `T => T` for floats. Elementary.
    Cosh "cosh" 1;
    /// `T => T` for floats. Elementary.
    Tanh "tanh" 1;
    /// `T => T` for floats. Elementary.
    Asinh "asinh" 1;
    /// `T => T` for floats. Elementary.
    Acosh "acosh" 1;
    /// `T => T` for floats. Elementary.
    Atanh "atanh" 1;
    /// `T T => T` for floats: the angle of the point (second, first), in −π..π. Elementary.
    Atan2 "atan2" 2;
    /// `T => T` for floats: the error function. Elementary.
    Erf "erf" 1;
}

/// Why an operation does not take operands of the given types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpError {
    /// The number of operands is wrong.
    Arity {
        /// Number of operands it takes.
        expected: usize,
        /// Number of operands given.
        found: usize,
    },
    /// An operand has a type that does not go with the others.
    Mismatch {
        /// Position of the operand, from 0.
        operand: usize,
        /// The type that the others ask for.
        expected: ScalarType,
        /// The type it has.
        found: ScalarType,
    },
    /// The operation is not defined for the type.
    Unsupported {
        /// The type of its operands.
        ty: ScalarType,
        /// The types it is defined for, in words.
        wants: &'static str,
    },
}

impl Op {
    /// The operation with this name in the text form.
    pub fn from_name(name: &str) -> Option<Op> {
        if let Some(ty) = ScalarType::from_name(name) {
            return Some(Op::Convert(ty));
        }
        if let Some(ty) = name.strip_prefix("bitcast_").and_then(ScalarType::from_name) {
            return Some(Op::Bitcast(ty)).filter(|op| op.name() == name);
        }
        Op::PLAIN.iter().copied().find(|op| op.name() == name)
    }

    /// True for elementary functions: operations whose meaning `math.lcu` defines.
    pub fn is_elementary(self) -> bool {
        Op::PLAIN.iter().position(|&op| op == self) >= Op::PLAIN.iter().position(|&op| op == Op::Rsqrt)
            && Op::PLAIN.contains(&self)
    }

    /// True if the operands may be exchanged without changing the result.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::Add
                | Op::Mul
                | Op::Min
                | Op::Max
                | Op::MulHigh
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::Eq
                | Op::Ne
        )
    }

    /// The first operand of those that share one type `T` in the typing rule (`select` begins with a `bool`).
    pub fn first_shared_operand(self) -> usize {
        usize::from(self == Op::Select)
    }

    /// The type of the result for operands of these types.
    pub fn result_type(self, operands: &[ScalarType]) -> Result<ScalarType, OpError> {
        if operands.len() != self.arity() {
            return Err(OpError::Arity { expected: self.arity(), found: operands.len() });
        }
        if self == Op::Select && operands[0] != ScalarType::Bool {
            return Err(OpError::Mismatch { operand: 0, expected: ScalarType::Bool, found: operands[0] });
        }
        let first = self.first_shared_operand();
        let ty = operands[first];
        for (operand, &found) in operands.iter().enumerate().skip(first + 1) {
            if found != ty {
                return Err(OpError::Mismatch { operand, expected: ty, found });
            }
        }
        let (supported, wants) = self.domain(ty);
        if !supported {
            return Err(OpError::Unsupported { ty, wants });
        }
        Ok(match self {
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => ScalarType::Bool,
            Op::Convert(to) | Op::Bitcast(to) => to,
            _ => ty,
        })
    }

    /// Returns whether operands may have type `ty`, and the domain in words.
    fn domain(self, ty: ScalarType) -> (bool, &'static str) {
        use ScalarType as S;
        match self {
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Neg | Op::Abs => (ty.is_number(), "a number"),
            Op::Min | Op::Max => (ty.is_number() || ty == S::Bool, "a number or `bool`"),
            Op::Rem | Op::DivFloor | Op::RemFloor | Op::Shl | Op::Shr | Op::Popcount | Op::Clz | Op::Ctz => {
                (ty.is_integer(), "an integer")
            }
            Op::MulHigh => (matches!(ty, S::I32 | S::U32 | S::I64 | S::U64), "`i32`, `u32`, `i64` or `u64`"),
            Op::And | Op::Or | Op::Xor | Op::Not => {
                (ty.is_integer() || ty == S::Bool, "an integer or `bool`")
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => (ty != S::F16, "any type but `f16`"),
            Op::Select => (true, "any type"),
            Op::Convert(to) => match (ty, to) {
                (S::F16, to) => {
                    (to.is_float() || to == S::F16, "a float (`f16` converts from and to floats)")
                }
                (from, S::F16) => (from.is_float(), "a float (`f16` converts from and to floats)"),
                _ => (true, "any type"),
            },
            Op::Bitcast(to) => {
                let wide = |ty: S| ty.size() >= 4;
                (wide(ty) && wide(to) && ty.size() == to.size(), "a type of the same size, 32 or 64 bits")
            }
            _ => (ty.is_float(), "`f32` or `f64`"),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for &op in Op::PLAIN {
            assert_eq!(Op::from_name(op.name()), Some(op));
        }
        assert_eq!(Op::from_name("bitcast_f32"), Some(Op::Bitcast(ScalarType::F32)));
        assert_eq!(Op::from_name("bitcast_bool"), None);
        assert_eq!(Op::from_name("i64"), Some(Op::Convert(ScalarType::I64)));
    }

    #[test]
    fn elementary_functions_begin_at_rsqrt() {
        assert!(Op::Rsqrt.is_elementary() && Op::Erf.is_elementary());
        assert!(!Op::Sqrt.is_elementary() && !Op::Convert(ScalarType::F32).is_elementary());
    }
}
