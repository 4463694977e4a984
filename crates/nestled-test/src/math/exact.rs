//! The elementary functions of one argument in `f64`, from the standard library: good to some 10⁻⁷ ULP of an `f32`.
//!
//! This file is also compiled alone, beside the functions that [`to_rust`](super::to_rust) writes.

/// The effect of negating the argument on the result, to the bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Neither even nor odd.
    None,
    /// The result stays the same.
    Even,
    /// The result is negated.
    Odd,
}

/// An elementary function of one argument: its name, symmetry and value.
pub type Exact = (&'static str, Symmetry, fn(f64) -> f64);

/// All elementary functions of one argument.
pub const EXACT: &[Exact] = &[
    ("rsqrt", Symmetry::None, |x| 1.0 / x.sqrt()),
    ("exp", Symmetry::None, f64::exp),
    ("exp2", Symmetry::None, f64::exp2),
    ("expm1", Symmetry::None, f64::exp_m1),
    ("ln", Symmetry::None, f64::ln),
    ("log2", Symmetry::None, f64::log2),
    ("log10", Symmetry::None, f64::log10),
    ("log1p", Symmetry::None, f64::ln_1p),
    ("sin", Symmetry::Odd, f64::sin),
    ("cos", Symmetry::Even, f64::cos),
    ("tan", Symmetry::Odd, f64::tan),
    ("asin", Symmetry::Odd, f64::asin),
    ("acos", Symmetry::None, f64::acos),
    ("atan", Symmetry::Odd, f64::atan),
    ("sinh", Symmetry::Odd, f64::sinh),
    ("cosh", Symmetry::Even, f64::cosh),
    ("tanh", Symmetry::Odd, f64::tanh),
    ("asinh", Symmetry::Odd, f64::asinh),
    ("acosh", Symmetry::None, f64::acosh),
    ("atanh", Symmetry::Odd, atanh),
    ("erf", Symmetry::Odd, erf),
];

/// ln((1 + x) / (1 − x)) / 2, which keeps the sign of zero.
fn atanh(x: f64) -> f64 {
    if x.abs() < 1e-9 {
        return x;
    }
    0.5 * (2.0 * x / (1.0 - x)).ln_1p()
}

/// The power series. Its terms cancel towards 4, where 10⁻¹⁰ are left: enough here.
fn erf(x: f64) -> f64 {
    if x.abs() >= 4.0 {
        return x.signum() * (1.0 - 1e-9);
    }
    let z = -x * x;
    let (mut term, mut sum) = (x, x);
    let mut n = 0.0;
    while term.abs() > 1e-18 * sum.abs() {
        n += 1.0;
        term *= z / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_has_known_values() {
        assert!((erf(1.0) - 0.842_700_792_949_714_9).abs() < 1e-15);
        assert!((erf(-3.5) + 0.999_999_256_901_627_7).abs() < 1e-10);
        assert_eq!(erf(-0.0).to_bits(), (-0.0f64).to_bits());
    }
}
