//! Gravity between all pairs of bodies in the plane.

use nestled::Array;

/// Nothing is closer than this, squared.
const SOFTENING: f32 = 1e-4;

/// The pull on each body, along each axis.
pub fn forces(x: Array<f32>, y: Array<f32>, mass: Array<f32>) -> (Array<f32>, Array<f32>) {
    let (dx, dy) = (&x - x.add_dim(1), &y - y.add_dim(1));
    let d2 = dx.square() + dy.square() + SOFTENING;
    let pull = mass / (&d2 * d2.sqrt());
    ((&pull * dx).sum_axis(1), (pull * dy).sum_axis(1))
}
