//! Identities of monoids: the initial values of accumulator lanes.

use nestled_ir::{MonoidOp, MonoidPart, Scalar, ScalarType};

/// Returns values that combined with any x, from either side, give exactly x (except for NaN payloads): the initial values of lanes. A monoid of the
/// program has none: its unit is promised to be neutral only up to rounding.
pub fn identity(part: MonoidPart, types: &[ScalarType]) -> Option<Vec<Scalar>> {
    match (part, types) {
        (MonoidPart::User(_), _) => None,
        // +0.0 would turn −0.0 into +0.0.
        (MonoidPart::Op(MonoidOp::Add), [ScalarType::F32]) => Some(vec![Scalar::F32(-0.0)]),
        (MonoidPart::Op(MonoidOp::Add), [ScalarType::F64]) => Some(vec![Scalar::F64(-0.0)]),
        _ => part.unit(types, &[]),
    }
}
