//! Elementwise arithmetic and functions.

use super::{fallible, map, try_map_as};
use crate::array::Array;
use crate::element::{Bits, Float, Integer, Number};
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
                try_map_as(stringify!($try_name).trim_start_matches("try_"), ScalarOp::$op, &[&self.node, &other.array().node])
            }
        )*}}
    };
}

unary! { Number:
    /// The absolute value of each element.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![-1.5, 2.0]).abs().to_vec()?, [1.5, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    abs Abs;
}

unary! { Float:
    /// √x, correctly rounded.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![9.0, 2.25]).sqrt().to_vec()?, [3.0, 1.5]);
    /// # Ok::<(), Error>(())
    /// ```
    sqrt Sqrt;
    /// 1/√x.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![4.0]).rsqrt().to_vec()?, [0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    rsqrt Rsqrt;
    /// eˣ.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).exp().to_vec()?, [1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    exp Exp;
    /// 2ˣ.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![3.0]).exp2().to_vec()?, [8.0]);
    /// # Ok::<(), Error>(())
    /// ```
    exp2 Exp2;
    /// eˣ − 1, exact near 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).expm1().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    expm1 Expm1;
    /// The natural logarithm.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0]).ln().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ln Ln;
    /// The binary logarithm.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![8.0]).log2().to_vec()?, [3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    log2 Log2;
    /// The decimal logarithm.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1000.0]).log10().to_vec()?, [3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    log10 Log10;
    /// ln(1 + x), exact near 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).log1p().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    log1p Log1p;
    /// The sine, in radians.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).sin().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    sin Sin;
    /// The cosine, in radians.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).cos().to_vec()?, [1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    cos Cos;
    /// The tangent, in radians.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).tan().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    tan Tan;
    /// The arc sine, in radians.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).asin().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    asin Asin;
    /// The arc cosine, in radians.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0]).acos().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    acos Acos;
    /// The arc tangent, in radians.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).atan().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    atan Atan;
    /// The hyperbolic sine.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).sinh().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    sinh Sinh;
    /// The hyperbolic cosine.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).cosh().to_vec()?, [1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    cosh Cosh;
    /// The hyperbolic tangent.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).tanh().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    tanh Tanh;
    /// The inverse of `sinh`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).asinh().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    asinh Asinh;
    /// The inverse of `cosh`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0]).acosh().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    acosh Acosh;
    /// The inverse of `tanh`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).atanh().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    atanh Atanh;
    /// The error function.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).erf().to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    erf Erf;
    /// Rounds toward −∞ to an integer.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.5, -1.5]).floor().to_vec()?, [1.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    floor Floor;
    /// Rounds toward +∞ to an integer.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.5, -1.5]).ceil().to_vec()?, [2.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ceil Ceil;
    /// Rounds toward zero to an integer.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.5, -1.5]).trunc().to_vec()?, [1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    trunc Trunc;
    /// Rounds to the nearest integer, ties away from zero.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![2.5, -1.4]).round().to_vec()?, [3.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    round Round;
    /// Rounds to the nearest integer, ties to even.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![2.5, 3.5]).round_even().to_vec()?, [2.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    round_even RoundEven;
}

unary! { Integer:
    /// The number of bits that are set.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![7u32, 8]).popcount().to_vec()?, [3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    popcount Popcount;
    /// The number of leading zeros.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1u32]).leading_zeros().to_vec()?, [31]);
    /// # Ok::<(), Error>(())
    /// ```
    leading_zeros Clz;
    /// The number of trailing zeros.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![8u32]).trailing_zeros().to_vec()?, [3]);
    /// # Ok::<(), Error>(())
    /// ```
    trailing_zeros Ctz;
}

binary! { Number:
    /// The sum; as the operator `+`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).add_to(10).to_vec()?, [11, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    add_to try_add Add;
    /// The difference; as the operator `-`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).minus(1).to_vec()?, [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    minus try_sub Sub;
    /// The product; as the operator `*`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).times(3).to_vec()?, [3, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    times try_mul Mul;
    /// The quotient; as the operator `/`. Integers truncate, and x / 0 is 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![7, 8]).over(2).to_vec()?, [3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    over try_div Div;
    /// The greater of two elements; NaN if either is NaN.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 5]).maximum(3).to_vec()?, [3, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    maximum try_maximum Max;
    /// The lesser of two elements; NaN if either is NaN.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 5]).minimum(3).to_vec()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    minimum try_minimum Min;
}

binary! { Float:
    /// xʸ.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![2.0, 3.0]).pow(2.0).to_vec()?, [4.0, 9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pow try_pow Pow;
    /// The angle of the point (other, self).
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![0.0]).atan2(1.0).to_vec()?, [0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    atan2 try_atan2 Atan2;
}

binary! { Integer:
    /// The remainder of `/`: the sign of the dividend; x rem 0 is x.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![7, -7]).rem_trunc(3).to_vec()?, [1, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    rem_trunc try_rem_trunc Rem;
    /// Division rounded toward −∞; x / 0 is 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![7, -7]).div_floor(3).to_vec()?, [2, -3]);
    /// # Ok::<(), Error>(())
    /// ```
    div_floor try_div_floor DivFloor;
    /// The remainder of `div_floor`: the sign of the divisor; x mod 0 is x.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![7, -7]).rem_floor(3).to_vec()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    rem_floor try_rem_floor RemFloor;
    /// Shifts left; the count is taken modulo the width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 3]).shift_left(2).to_vec()?, [4, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    shift_left try_shift_left Shl;
    /// Shifts right, arithmetically for signed types; the count is taken modulo the width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![4, -8]).shift_right(2).to_vec()?, [1, -2]);
    /// # Ok::<(), Error>(())
    /// ```
    shift_right try_shift_right Shr;
}

binary! { Bits:
    /// And, bit by bit.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![6, 5]).and(3).to_vec()?, [2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    and try_and And;
    /// Or, bit by bit.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![6, 5]).or(3).to_vec()?, [7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    or try_or Or;
    /// Exclusive or, bit by bit.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![6, 5]).xor(3).to_vec()?, [5, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    xor try_xor Xor;
}

fallible! { impl[T: Float] Array<T> {
    /// Fused multiply-add: `self · b + c`, rounded once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![2.0, 3.0]).mul_add(4.0, 1.0).to_vec()?, [9.0, 13.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn mul_add try_mul_add[](&self, b: impl Operand<T>, c: impl Operand<T>) -> Array<T> {
        try_map_as("mul_add", ScalarOp::Fma, &[&self.node, &b.array().node, &c.array().node])
    }
}}

fallible! { impl[T: Number] Array<T> {
    /// Limits each element to the range between two bounds.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![-1, 2, 9]).clamp(0, 5).to_vec()?, [0, 2, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn clamp try_clamp[](&self, low: impl Operand<T>, high: impl Operand<T>) -> Array<T> {
        let above: Array<T> = try_map_as("clamp", ScalarOp::Max, &[&self.node, &low.array().node])?;
        try_map_as("clamp", ScalarOp::Min, &[&above.node, &high.array().node])
    }
}}
