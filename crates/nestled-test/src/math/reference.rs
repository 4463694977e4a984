//! The reference values in `tests/math/`: one line each, described at their top.

use super::ulp::{steps_f32, steps_f64};
use nestled_ir::{Scalar, ScalarType};

/// One line: a function at one point.
pub struct Reference {
    /// The name of the function, with the type: `exp_f32`.
    pub function: String,
    /// The bits of the arguments.
    pub args: Vec<u64>,
    /// The exact value, rounded to nearest.
    pub rounded: Scalar,
    /// The error of that rounding, in ULP.
    pub rest: f64,
}

/// The values in a file.
///
/// # Panics
/// With the line, if one cannot be read.
pub fn parse(text: &str) -> Vec<Reference> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| parse_line(line).unwrap_or_else(|| panic!("not a reference value: {line}"))).collect()
}

fn parse_line(line: &str) -> Option<Reference> {
    let mut words = line.split(' ');
    let function = words.next()?.to_owned();
    let ty = if function.ends_with("f32") { ScalarType::F32 } else { ScalarType::F64 };
    let bits = |word: &str| u64::from_str_radix(word, 16).ok();
    let args = words.next()?.split(',').map(bits).collect::<Option<_>>()?;
    let rounded = Scalar::from_bits(ty, bits(words.next()?)?);
    let rest = words.next()?.parse().ok()?;
    Some(Reference { function, args, rounded, rest })
}

impl Reference {
    /// The name of the function without the type.
    pub fn name(&self) -> &str {
        self.function.rsplit_once('_').map_or(&self.function, |(name, _)| name)
    }

    /// The error of a computed value in ULP (more precisely, in steps from float to float).
    pub fn error(&self, computed: Scalar) -> f64 {
        if computed.is_nan() || self.rounded.is_nan() {
            return if computed.is_nan() && self.rounded.is_nan() { 0.0 } else { f64::INFINITY };
        }
        let (steps, limit) = match (self.rounded, computed) {
            (Scalar::F32(from), Scalar::F32(to)) => (steps_f32(from, to), from == 0.0 || from.is_infinite()),
            (Scalar::F64(from), Scalar::F64(to)) => (steps_f64(from, to), from == 0.0 || from.is_infinite()),
            _ => return f64::INFINITY,
        };
        let same_sign_of_zero = steps != 0.0 || self.rounded == computed;
        if !same_sign_of_zero || (limit && self.rest == 0.0 && steps != 0.0) {
            return f64::INFINITY;
        }
        (steps - self.rest).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_count_what_rounding_left() {
        let [one, zero] = &parse("# comment\nexp_f64 0,1 3ff0000000000000 -.25\nln_f32 0 80000000 0")[..]
        else {
            panic!("two lines")
        };
        assert_eq!((one.name(), one.args.len()), ("exp", 2));
        assert_eq!(one.error(Scalar::F64(1.0)), 0.25);
        assert_eq!(one.error(Scalar::F64(1.0 + f64::EPSILON)), 1.25);
        assert_eq!(one.error(Scalar::F64(f64::NAN)), f64::INFINITY);
        assert_eq!(zero.error(Scalar::F32(-0.0)), 0.0);
        assert_eq!(zero.error(Scalar::F32(0.0)), f64::INFINITY);
    }
}
