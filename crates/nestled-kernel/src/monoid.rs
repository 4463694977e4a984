//! What lanes of an accumulator start from.

use nestled_ir::{MonoidOp, MonoidPart, Scalar, ScalarType};

/// Values that combined with any x, from either side, give x to the last bit (but for what a NaN holds): what to start lanes from. A
/// monoid of the program may have none: that its unit is neutral is only promised up to rounding.
pub fn identity(part: MonoidPart, types: &[ScalarType]) -> Option<Vec<Scalar>> {
    match (part, types) {
        (MonoidPart::User(_), _) => None,
        // +0.0 would turn −0.0 into +0.0.
        (MonoidPart::Op(MonoidOp::Add), [ScalarType::F32]) => Some(vec![Scalar::F32(-0.0)]),
        (MonoidPart::Op(MonoidOp::Add), [ScalarType::F64]) => Some(vec![Scalar::F64(-0.0)]),
        _ => part.unit(types, &[]),
    }
}
