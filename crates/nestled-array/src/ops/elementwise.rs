//! Elementwise arithmetic and functions.

use super::{fallible, map, try_map};
use crate::array::Array;
use crate::element::{Bits, Element, Float, Integer, Number};
use crate::error::Result;
use crate::operand::Operand;
use nestled_ir::Op as ScalarOp;

macro_rules! unary {
    ($class:ident: $($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl<T: $class> Array<T> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self) -> Array<T> {
                map(ScalarOp::$op, &[&self.node])
            }
        )*}
    };
}

macro_rules! binary {
    ($class:ident: $($(#[$doc:meta])* $name:ident $try_name:ident $op:ident;)*) => {
        fallible! { impl[T: $class] Array<T> {$(
            $(#[$doc])*
            fn $name $try_name[](&self, other: impl Operand<T>) -> Array<T> {
                try_map(ScalarOp::$op, &[&self.node, &other.array().node])
            }
        )*}}
    };
}

unary! { Number:
    /// The absolute value of each element.
    abs Abs;
}

unary! { Float:
    /// √x, correctly rounded.
    sqrt Sqrt;
    /// 1/√x.
    rsqrt Rsqrt;
    /// eˣ.
    exp Exp;
    /// 2ˣ.
    exp2 Exp2;
    /// eˣ − 1, exact near 0.
    expm1 Expm1;
    /// The natural logarithm.
    ln Ln;
    /// The binary logarithm.
    log2 Log2;
    /// The decimal logarithm.
    log10 Log10;
    /// ln(1 + x), exact near 0.
    log1p Log1p;
    /// The sine, in radians.
    sin Sin;
    /// The cosine, in radians.
    cos Cos;
    /// The tangent, in radians.
    tan Tan;
    /// The angle whose sine it is.
    asin Asin;
    /// The angle whose cosine it is.
    acos Acos;
    /// The angle whose tangent it is.
    atan Atan;
    /// The hyperbolic sine.
    sinh Sinh;
    /// The hyperbolic cosine.
    cosh Cosh;
    /// The hyperbolic tangent.
    tanh Tanh;
    /// The inverse of `sinh`.
    asinh Asinh;
    /// The inverse of `cosh`.
    acosh Acosh;
    /// The inverse of `tanh`.
    atanh Atanh;
    /// The error function.
    erf Erf;
    /// Toward −∞ to an integer.
    floor Floor;
    /// Toward +∞ to an integer.
    ceil Ceil;
    /// Toward zero to an integer.
    trunc Trunc;
    /// To the nearest integer, ties away from zero.
    round Round;
    /// To the nearest integer, ties to even.
    round_even RoundEven;
}

unary! { Integer:
    /// How many bits are set.
    popcount Popcount;
    /// Leading zeros.
    leading_zeros Clz;
    /// Trailing zeros.
    trailing_zeros Ctz;
}

binary! { Number:
    /// The sum; as the operator `+`.
    add_to try_add Add;
    /// The difference; as the operator `-`.
    minus try_sub Sub;
    /// The product; as the operator `*`.
    times try_mul Mul;
    /// The quotient; as the operator `/`. Integers truncate, and x / 0 is 0.
    over try_div Div;
    /// The greater of two elements; NaN if either is NaN.
    maximum try_maximum Max;
    /// The lesser of two elements; NaN if either is NaN.
    minimum try_minimum Min;
}

binary! { Float:
    /// xʸ.
    pow try_pow Pow;
    /// The angle of the point (other, self).
    atan2 try_atan2 Atan2;
}

binary! { Integer:
    /// The remainder of `/`: the sign of the dividend; x rem 0 is x.
    rem_trunc try_rem_trunc Rem;
    /// Division rounded toward −∞; x / 0 is 0.
    div_floor try_div_floor DivFloor;
    /// The remainder of `div_floor`: the sign of the divisor; x mod 0 is x.
    rem_floor try_rem_floor RemFloor;
    /// Shifted left; the count is taken modulo the width.
    shift_left try_shift_left Shl;
    /// Shifted right, arithmetic for signed types; the count is taken modulo the width.
    shift_right try_shift_right Shr;
}

binary! { Bits:
    /// And, bit by bit.
    and try_and And;
    /// Or, bit by bit.
    or try_or Or;
    /// Exclusive or, bit by bit.
    xor try_xor Xor;
}

fallible! { impl[T: Float] Array<T> {
    /// `self · b + c`, rounded once.
    fn mul_add try_mul_add[](&self, b: impl Operand<T>, c: impl Operand<T>) -> Array<T> {
        try_map(ScalarOp::Fma, &[&self.node, &b.array().node, &c.array().node])
    }
}}

fallible! { impl[T: Number] Array<T> {
    /// Between two bounds.
    fn clamp try_clamp[](&self, low: impl Operand<T>, high: impl Operand<T>) -> Array<T> {
        self.try_maximum(low)?.try_minimum(high)
    }
}}

impl<T: Float> Array<T> {
    /// 1/x.
    #[track_caller]
    pub fn recip(&self) -> Array<T> {
        map(ScalarOp::Div, &[&Array::scalar(T::ONE).node, &self.node])
    }

    /// What is over the next lower integer.
    #[track_caller]
    pub fn fract(&self) -> Array<T> {
        map(ScalarOp::Sub, &[&self.node, &self.floor().node])
    }
}

impl<T: Number> Array<T> {
    /// The square.
    #[track_caller]
    pub fn square(&self) -> Array<T> {
        map(ScalarOp::Mul, &[&self.node, &self.node])
    }

    /// −1, 0 or 1 as the element is less than, equal to or greater than 0.
    #[track_caller]
    pub fn signum(&self) -> Array<T> {
        let zero = Array::scalar(T::ZERO);
        let above: Array<bool> = map(ScalarOp::Gt, &[&self.node, &zero.node]);
        let below: Array<bool> = map(ScalarOp::Lt, &[&self.node, &zero.node]);
        let minus = map::<T>(ScalarOp::Sub, &[&zero.node, &Array::scalar(T::ONE).node]);
        let other: Array<T> = map(ScalarOp::Select, &[&below.node, &minus.node, &zero.node]);
        map(ScalarOp::Select, &[&above.node, &Array::scalar(T::ONE).node, &other.node])
    }
}

impl Array<bool> {
    /// `yes` where it holds, else `no`.
    ///
    /// # Panics
    /// Where the shapes do not go together; see [`try_select`](Array::try_select).
    #[track_caller]
    pub fn select<T: Element>(&self, yes: impl Operand<T>, no: impl Operand<T>) -> Array<T> {
        crate::error::expect(self.try_select(yes, no))
    }

    /// As [`select`](Array::select), but an error instead of a panic.
    ///
    /// # Errors
    /// Where the shapes do not go together.
    #[track_caller]
    pub fn try_select<T: Element>(&self, yes: impl Operand<T>, no: impl Operand<T>) -> Result<Array<T>> {
        try_map(ScalarOp::Select, &[&self.node, &yes.array().node, &no.array().node])
    }
}

impl<T: Number> Array<T> {
    /// `yes` where the element is greater than 0, else `no`; NaN chooses `no`.
    #[track_caller]
    pub fn select_positive<U: Element>(&self, yes: impl Operand<U>, no: impl Operand<U>) -> Array<U> {
        self.gt(T::ZERO).select(yes, no)
    }
}
