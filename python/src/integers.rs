//! Arithmetic that Python and NumPy have and λcu has not: powers of integers, quotients and remainders of floats that are rounded down, signs of zeros.

use nestled_array::{Array, Bits, Float, Integer, Result, while_with};

/// `base` to the power of `exponent`, with wrap-around; 1 for negative exponents.
pub fn power<T: Integer + Bits>(base: &Array<T>, exponent: &Array<T>) -> Result<Array<T>> {
    // Says if the shapes do not go together.
    let both = base.try_mul(exponent)?;
    let base = base.try_broadcast_to(both.shape())?;
    let exponent = exponent.try_broadcast_to(both.shape())?;
    let start = (Array::fill(T::ONE, both.shape()), base, exponent);
    let (power, ..) = while_with(
        start,
        |(_, _, exponent)| exponent.gt(T::ZERO),
        |(power, base, exponent)| {
            let is_odd = exponent.and(T::ONE).ne(T::ZERO);
            (is_odd.select(&power * &base, &power), &base * &base, exponent.shift_right(T::ONE))
        },
    );
    Ok(power)
}

/// The remainder with the sign of the divisor, as Python's `%`.
pub fn remainder<T: Float>(x: &Array<T>, y: &Array<T>) -> Result<Array<T>> {
    // Says if the shapes do not go together.
    let both = x.try_mul(y)?;
    let (x, y) = (x.try_broadcast_to(both.shape())?, y.try_broadcast_to(both.shape())?);
    let rest = &x % &y;
    let zero = T::of(0.0);
    let other_sign = rest.ne(zero).and(rest.lt(zero).xor(y.lt(zero)));
    let moved = other_sign.select(&rest + &y, &rest);
    // A remainder of zero has the sign of the divisor.
    Ok(moved.eq(zero).select(copied_sign(&Array::fill(zero, both.shape()), &y)?, &moved))
}

/// The quotient rounded down, as Python's `//`.
pub fn floor_divide<T: Float>(x: &Array<T>, y: &Array<T>) -> Result<Array<T>> {
    let rest = remainder(x, y)?;
    let quotient = (x - &rest) / y;
    // The quotient is an integer but for its rounding.
    let down = quotient.floor();
    let down = (&quotient - &down).gt(T::of(0.5)).select(&down + T::of(1.0), &down);
    let is_odd_case = y.eq(T::of(0.0)).or(y.is_infinite()).or(x.is_infinite());
    is_odd_case.try_select(plain_floor_divide(x, y), &down)
}

/// The quotient rounded down where operands are infinite or zero.
fn plain_floor_divide<T: Float>(x: &Array<T>, y: &Array<T>) -> Array<T> {
    let quotient = x / y;
    // NumPy's quotient of an infinite dividend is NaN, unless the divisor is 0.
    let is_nan = x.is_infinite().and(y.ne(T::of(0.0)));
    is_nan.select(T::of(f64::NAN), quotient_of_signs(x, y, &quotient.floor()))
}

/// −1 where finite operands of different signs give a quotient of −0.
fn quotient_of_signs<T: Float>(x: &Array<T>, y: &Array<T>, down: &Array<T>) -> Array<T> {
    let zero = T::of(0.0);
    let differ = x.ne(zero).and(x.lt(zero).xor(y.lt(zero)));
    let below = y.is_infinite().and(x.is_finite()).and(differ);
    below.select(T::of(-1.0), down)
}

/// True where the sign is negative, that of −0 too. The sign of NaN counts as positive.
pub fn sign_bit<T: Float>(x: &Array<T>) -> Array<bool> {
    let zero = T::of(0.0);
    x.lt(zero).or(x.eq(zero).and(x.recip().lt(zero)))
}

/// The magnitude of one with the sign of the other.
pub fn copied_sign<T: Float>(x: &Array<T>, y: &Array<T>) -> Result<Array<T>> {
    let magnitude = x.abs();
    sign_bit(y).try_select(-&magnitude, &magnitude)
}
