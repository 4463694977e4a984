//! Comparison of results with a reference, within a tolerance.

use crate::bench::Tolerance;
use nestled_ir::Scalar;
use nestled_ir::value::{Buffer, Value};
use std::sync::Arc;

/// The elements of a value; a number or extent is one element.
///
/// # Panics
/// For a segmentation: no benchmark results in one.
pub fn elements(value: &Value) -> Arc<Buffer> {
    match value {
        Value::Array(array) => Arc::clone(&array.data),
        Value::Scalar(scalar) => Arc::new(Buffer::from_scalars(scalar.ty(), &[*scalar])),
        Value::Dim(extent) => Arc::new(Buffer::Idx(vec![*extent as i64])),
        Value::Seg(_) => panic!("a benchmark results in a segmentation"),
    }
}

/// Checks that results are within the tolerance of the reference. `found` may be longer than the reference.
///
/// # Errors
/// A message about the first result outside of the tolerance.
pub fn near(found: &[Arc<Buffer>], reference: &[Buffer], tolerance: Tolerance) -> Result<(), String> {
    if found.len() < reference.len() {
        return Err(format!("{} results instead of {}", found.len(), reference.len()));
    }
    for (at, (found, reference)) in found.iter().zip(reference).enumerate() {
        one(found, reference, tolerance).map_err(|message| format!("result {at}: {message}"))?;
    }
    Ok(())
}

fn one(found: &Buffer, reference: &Buffer, tolerance: Tolerance) -> Result<(), String> {
    if found.len() < reference.len() {
        return Err(format!("{} elements instead of {}", found.len(), reference.len()));
    }
    let n = reference.len();
    let first = |differs: &dyn Fn(usize) -> bool| (0..n).find(|&at| differs(at));
    let show = |at: usize| format!("element {at} is {:?}, not {:?}", found.get(at), reference.get(at));
    let differs = |at: usize| found.get(at) != reference.get(at);
    match tolerance {
        Tolerance::Exact => first(&differs).map_or(Ok(()), |at| Err(show(at))),
        Tolerance::Mismatches(part) => {
            let count = (0..n).filter(|&at| differs(at)).count();
            let is_fine = count as f64 <= part * n as f64;
            let at = first(&differs).filter(|_| !is_fine);
            at.map_or(Ok(()), |at| Err(format!("{count} of {n} differ; {}", show(at))))
        }
        Tolerance::OfGreatest(part) => {
            let greatest = (0..n).map(|at| number(reference.get(at)).abs()).fold(0.0, f64::max);
            // Not `>`: a NaN is never near.
            let is_near =
                |at: usize| (number(found.get(at)) - number(reference.get(at))).abs() <= part * greatest;
            first(&|at| !is_near(at)).map_or(Ok(()), |at| Err(show(at)))
        }
    }
}

fn number(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32(value) => f64::from(value),
        Scalar::F64(value) => value,
        other => other.exact_integer().map_or(f64::NAN, |value| value as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Buffer {
        Buffer::F32(values.to_vec())
    }

    #[test]
    fn a_difference_beyond_the_tolerance_is_found() {
        let reference = [floats(&[1.0, -100.0])];
        let near_to = |values: &[f32], tolerance| near(&[Arc::new(floats(values))], &reference, tolerance);
        assert!(near_to(&[1.9, -100.0], Tolerance::OfGreatest(0.01)).is_ok());
        assert!(near_to(&[2.1, -100.0], Tolerance::OfGreatest(0.01)).is_err());
        assert!(near_to(&[f32::NAN, -100.0], Tolerance::OfGreatest(0.01)).is_err());
        assert!(near_to(&[1.0, -100.0, 7.0], Tolerance::Exact).is_ok());
        assert!(near_to(&[1.0], Tolerance::Exact).is_err());
        assert!(near_to(&[1.5, -100.0], Tolerance::Exact).is_err());
        assert!(near_to(&[1.5, -100.0], Tolerance::Mismatches(0.5)).is_ok());
        assert!(near_to(&[1.5, -100.0], Tolerance::Mismatches(0.4)).is_err());
        assert!(near(&[], &reference, Tolerance::Exact).is_err());
    }
}
