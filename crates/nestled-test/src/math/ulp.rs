//! Errors in units in the last place (ULP): |computed − exact| over the distance of the floats around the exact value.
//!
//! This file is also compiled alone, beside the functions that [`to_rust`](super::to_rust) writes.

/// The error of an `f32` against a value of much higher precision. Infinite where one is a NaN and the other is not, and
/// where a zero or infinity is wrong.
///
/// # Example
/// ```
/// use nestled_test::math::ulp::error_f32;
/// assert_eq!(error_f32(1.0, 1.0 + f64::from(f32::EPSILON) / 4.0), 0.25);
/// assert_eq!(error_f32(0.0, -0.0), f64::INFINITY);
/// ```
#[inline]
pub fn error_f32(computed: f32, exact: f64) -> f64 {
    if computed.is_nan() || exact.is_nan() {
        return if computed.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if computed == 0.0 && computed.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    if f64::from(computed) == exact {
        return 0.0;
    }
    if exact.is_infinite() {
        return f64::INFINITY;
    }
    // Twice the largest power of two stands for an infinite result, as if the range went on.
    let top = 2.0 * f64::from_bits(0x47e0_0000_0000_0000);
    let computed = f64::from(computed).clamp(-top, top);
    if computed.abs() == top && exact.abs() >= top {
        return 0.0;
    }
    let exponent = ((exact.to_bits() >> 52) & 0x7ff).clamp(1023 - 126, 1023 + 127);
    let per_ulp = f64::from_bits((2 * 1023 + 23 - exponent) << 52);
    (computed - exact).abs() * per_ulp
}

/// Number of floats to step over from `from` to `to`, upwards; infinity comes after the largest, and the zeros are one.
pub fn steps_f32(from: f32, to: f32) -> f64 {
    let place = |x: f32| {
        let bits = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -bits } else { bits }
    };
    (place(to) - place(from)) as f64
}

/// As [`steps_f32`].
pub fn steps_f64(from: f64, to: f64) -> f64 {
    let place = |x: f64| {
        let bits = i128::from(x.to_bits() & 0x7fff_ffff_ffff_ffff);
        if x.is_sign_negative() { -bits } else { bits }
    };
    (place(to) - place(from)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_spacing_of_the_exact_value() {
        let least = f32::from_bits(1);
        assert_eq!(error_f32(0.0, f64::from(least) / 4.0), 0.25);
        assert_eq!(error_f32(least, 0.75 * f64::from(least)), 0.25);
        assert_eq!(error_f32(2.0, 2.0 + 1.5 * f64::from(f32::EPSILON)), 0.75);
        assert_eq!(error_f32(f32::INFINITY, f64::from(f32::MAX)), 1.0);
        assert_eq!(error_f32(f32::INFINITY, 1e300), 0.0);
        assert_eq!(error_f32(f32::INFINITY, f64::INFINITY), 0.0);
        assert_eq!(error_f32(f32::MAX, f64::INFINITY), f64::INFINITY);
        assert_eq!(error_f32(f32::NAN, 1.0), f64::INFINITY);
    }

    #[test]
    fn steps_pass_zero_and_reach_infinity() {
        assert_eq!(steps_f32(f32::MAX, f32::INFINITY), 1.0);
        assert_eq!(steps_f64(-f64::from_bits(2), f64::from_bits(1)), 3.0);
        assert_eq!(steps_f64(-0.0, 0.0), 0.0);
    }
}
