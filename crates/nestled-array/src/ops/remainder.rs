//! The remainder of floats, as Rust's `%` and C's `fmod`: exact, with the sign of the dividend.
//!
//! Long division with digits of twenty bits. The divisor is first made as large as the dividend by powers of 2²⁰, and then small again; in each round
//! the quotient is a small integer, and what is left is a float without rounding. Almost always there is one round.

use super::{map, try_map_as};
use crate::array::Array;
use crate::element::{Element, Float};
use crate::error::Result;
use crate::trace::while_with;
use nestled_ir::{Op as ScalarOp, ScalarType};
use std::sync::Arc;

/// 2²⁰.
const DIGIT: f64 = 1_048_576.0;

/// The remainder of arrays of floats.
#[track_caller]
pub(super) fn remainder<T: Element>(
    name: &'static str,
    left: &Array<T>,
    right: &Array<T>,
) -> Result<Array<T>> {
    // Here is said if the shapes do not go together.
    let together: Array<T> = try_map_as(name, ScalarOp::Max, &[&left.node, &right.node])?;
    let (left, right) = (left.try_broadcast_to(together.shape())?, right.try_broadcast_to(together.shape())?);
    let (x, y) = (Arc::clone(&left.node), Arc::clone(&right.node));
    Ok(match T::TYPE {
        ScalarType::F32 => Array::of(of_floats::<f32>(&Array::of(x), &Array::of(y)).node),
        _ => Array::of(of_floats::<f64>(&Array::of(x), &Array::of(y)).node),
    })
}

#[track_caller]
fn of_floats<T: Float>(x: &Array<T>, y: &Array<T>) -> Array<T> {
    let (zero, digit) = (T::of(0.0), T::of(DIGIT));
    let (dividend, divisor) = (x.abs(), y.abs());
    let is_number = x.is_finite().and(divisor.gt(zero));
    // There is nothing to do where the divisor is infinite.
    let divides = is_number.and(y.is_finite());
    let start = (divides.select(&dividend, zero), divides.select(&divisor, T::of(1.0)));
    let scaled = {
        let (rest, divisor) = start.clone();
        let all = (rest, divisor.clone(), divisor);
        while_with(
            all,
            |(rest, by, _)| (by * digit).le(rest),
            |(rest, by, divisor)| (rest, by * digit, divisor),
        )
    };
    let (rest, _, _) = while_with(
        scaled,
        |(_, by, divisor)| by.ge(divisor),
        |(rest, by, divisor)| {
            let quotient = (&rest / &by).trunc();
            let left: Array<T> = map(ScalarOp::Fma, &[&(-quotient).node, &by.node, &rest.node]);
            // The quotient may have been rounded up to the next integer.
            let left = left.lt(zero).select(&left + &by, &left);
            (left, by * T::of(1.0 / DIGIT), divisor)
        },
    );
    let rest = divides.select(rest, &dividend);
    // Zeros have the sign of the dividend too.
    let signed = rest.eq(zero).select(x * zero, x.lt(zero).select(-&rest, &rest));
    is_number.select(signed, T::of(f64::NAN))
}
