//! Printer of values in the original's format: `( 1 2 )`, `( T F )`, `( 2.50000000000000e-01 )`, `[ 2 0 1 ]`.

use crate::lower::Output;
use nestled_ir::Scalar;
use nestled_ir::value::Value;
use std::fmt::Write;

/// Prints the final stack, one line for each slot, bottom first. `results` are those of `main`.
pub fn stack(outputs: &[Output], results: &[Value]) -> String {
    let mut out = String::new();
    for output in outputs {
        slot(output, results, &mut out);
    }
    out
}

fn slot(output: &Output, results: &[Value], out: &mut String) {
    match output {
        Output::Vector { at, .. } => vector(elements(&results[*at]), out),
        Output::Segdes { at } => match &results[*at] {
            Value::Dim(extent) => lengths([*extent], out),
            Value::Seg(seg) => lengths((0..seg.n_segments()).map(|segment| seg.lengths.length(segment)), out),
            Value::Scalar(_) | Value::Array(_) => unreachable!("a descriptor is a shape"),
        },
        Output::Known(extent) => lengths([*extent], out),
        Output::Pair(left, right) => {
            let _ = writeln!(out, "pair({},{}) ", left.type_name(), right.type_name());
        }
    }
}

/// Returns the elements of a vector.
fn elements(value: &Value) -> Box<dyn Iterator<Item = Scalar> + '_> {
    match value {
        Value::Array(array) => Box::new(array.elements()),
        other => Box::new(other.as_scalar().into_iter()),
    }
}

/// Prints a line for a vector.
pub fn vector(elements: impl Iterator<Item = Scalar>, out: &mut String) {
    out.push('(');
    for scalar in elements {
        out.push(' ');
        match scalar {
            Scalar::Bool(value) => out.push(if value { 'T' } else { 'F' }),
            Scalar::F32(value) => float(f64::from(value), out),
            Scalar::F64(value) => float(value, out),
            other => {
                let _ = write!(out, "{}", other.as_integer().unwrap_or(0));
            }
        }
    }
    out.push_str(" )\n");
}

/// Prints a line for a descriptor.
fn lengths(lengths: impl IntoIterator<Item = u64>, out: &mut String) {
    out.push('[');
    for length in lengths {
        let _ = write!(out, " {length}");
    }
    out.push_str(" ]\n");
}

/// Prints a number as C's `%.14e` does. The sign of a NaN is not printed.
pub fn float(value: f64, out: &mut String) {
    if value.is_nan() {
        out.push_str("nan");
    } else if value.is_infinite() {
        out.push_str(if value < 0.0 { "-inf" } else { "inf" });
    } else {
        let text = format!("{value:.14e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        let _ = write!(out, "{digits}e{sign}{exponent:0>2}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_in_c() {
        let text = |value| {
            let mut out = String::new();
            float(value, &mut out);
            out
        };
        assert_eq!(text(1.0), "1.00000000000000e+00");
        assert_eq!(text(-2.5), "-2.50000000000000e+00");
        assert_eq!(text(3.25e10), "3.25000000000000e+10");
        assert_eq!(text(1e-300), "1.00000000000000e-300");
        assert_eq!(text(-0.0), "-0.00000000000000e+00");
        assert_eq!(text(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn vectors() {
        let mut out = String::new();
        vector([Scalar::I32(2), Scalar::Bool(true)].into_iter(), &mut out);
        vector([].into_iter(), &mut out);
        assert_eq!(out, "( 2 T )\n( )\n");
    }
}
