//! Stencils: weighted sums of neighbours.

use super::fallible;
use super::reduce::checked_axes;
use crate::array::{Array, Border};
use crate::element::{Element, Float};
use crate::error::{Error, Result};

fallible! { impl[T: Element] Array<T> {
    /// Shifts by `by` along each axis: element `i` of the result is element `i + by`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).neighbour(&[1], Border::Clamp).to_vec()?, [2, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn neighbour try_neighbour[](&self, by: &[i64], border: Border<T>) -> Array<T> {
        self.displaced("neighbour", &wide(by), border)
    }
}}

fn wide(by: &[i64]) -> Vec<i128> {
    by.iter().map(|&by| by.into()).collect()
}

/// The weighted sum of arrays displaced by some offsets.
#[track_caller]
fn weighted<T: Float>(
    name: &'static str,
    array: &Array<T>,
    offsets: &[Vec<i128>],
    weights: &[T],
    border: Border<T>,
) -> Result<Array<T>> {
    if offsets.len() != weights.len() || offsets.is_empty() {
        return Err(Error::new(name, format!("{} weights for {} neighbours", weights.len(), offsets.len())));
    }
    let mut sum = array.displaced(name, &offsets[0], border)? * weights[0];
    for (offset, &weight) in offsets.iter().zip(weights).skip(1) {
        sum += array.displaced(name, offset, border)? * weight;
    }
    Ok(sum)
}

/// A weighted sum along one axis: `way` is 1 for a correlation, −1 for a convolution.
#[track_caller]
fn along<T: Float>(
    name: &'static str,
    array: &Array<T>,
    axis: usize,
    weights: &[T],
    way: i128,
    border: Border<T>,
) -> Result<Array<T>> {
    let axis = checked_axes(name, &array.node, &[axis])?[0];
    let middle = (weights.len() / 2) as i128;
    let offset = |k| {
        let mut offset = vec![0; array.rank()];
        offset[axis] = way * (k as i128 - middle);
        offset
    };
    let offsets: Vec<Vec<i128>> = (0..weights.len()).map(offset).collect();
    weighted(name, array, &offsets, weights, border)
}

fallible! { impl[T: Float] Array<T> {
    /// A weighted sum of neighbours: `Σ weights[k] · A[i + offsets[k]]`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0, 4.0]).stencil(&[&[-1], &[1]], &[-1.0, 1.0], Border::Clamp).to_vec()?, [1.0, 3.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn stencil try_stencil[](&self, offsets: &[&[i64]], weights: &[T], border: Border<T>) -> Array<T> {
        let offsets: Vec<Vec<i128>> = offsets.iter().map(|offset| wide(offset)).collect();
        weighted("stencil", self, &offsets, weights, border)
    }

    /// The convolution with weights along one axis: `Σ weights[k] · A[i + m − k]`, where `weights[m]`, with m = n / 2 of n weights, is on the element itself. The
    /// weights are turned round; [`correlate_axis`](Array::correlate_axis) takes them as they are.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![0.0, 1.0, 0.0, 0.0]);
    /// assert_eq!(x.convolve_axis(0, &[1.0, 2.0, 3.0], Border::Default(0.0)).to_vec()?, [1.0, 2.0, 3.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn convolve_axis try_convolve_axis[](&self, axis: usize, weights: &[T], border: Border<T>) -> Array<T> {
        along("convolve_axis", self, axis, weights, -1, border)
    }

    /// A weighted sum of neighbours along one axis: `Σ weights[k] · A[i + k − m]`, where `weights[m]`, with m = n / 2 of n weights, is on the element itself.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![0.0, 1.0, 0.0, 0.0]);
    /// assert_eq!(x.correlate_axis(0, &[1.0, 2.0, 3.0], Border::Default(0.0)).to_vec()?, [3.0, 2.0, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn correlate_axis try_correlate_axis[](&self, axis: usize, weights: &[T], border: Border<T>) -> Array<T> {
        along("correlate_axis", self, axis, weights, 1, border)
    }
}}
