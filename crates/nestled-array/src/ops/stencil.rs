//! Stencils: sums of neighbours with weights.

use super::fallible;
use crate::array::{Array, Border};
use crate::element::{Element, Float};
use crate::error::{Error, Result};

fallible! { impl[T: Element] Array<T> {
    /// What is `by` away along each axis: element `i` of the result is element `i + by`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).neighbour(&[1], Border::Clamp).to_vec()?, [2, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn neighbour try_neighbour[](&self, by: &[i64], border: Border<T>) -> Array<T> {
        let back: Vec<i64> = by.iter().map(|by| by.wrapping_neg()).collect();
        self.try_shift(&back, border)
    }
}}

fallible! { impl[T: Float] Array<T> {
    /// A weighted sum of neighbours: `Σ weights[k] · A[i + offsets[k]]`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0, 4.0]).stencil(&[&[-1], &[1]], &[-1.0, 1.0], Border::Clamp).to_vec()?, [1.0, 3.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn stencil try_stencil[](&self, offsets: &[&[i64]], weights: &[T], border: Border<T>) -> Array<T> {
        if offsets.len() != weights.len() || offsets.is_empty() {
            return Err(Error::new("stencil", format!("{} weights for {} neighbours", weights.len(), offsets.len())));
        }
        let mut sum: Option<Array<T>> = None;
        for (offset, &weight) in offsets.iter().zip(weights) {
            let one = self.try_neighbour(offset, border)? * weight;
            sum = Some(match sum {
                Some(sum) => sum + one,
                None => one,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => Err(Error::new("stencil", "no neighbours")),
        }
    }

    /// A weighted sum of neighbours along one axis, the middle weight on the element itself.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0, 4.0]).convolve_axis(0, &[1.0, 1.0, 1.0], Border::Default(0.0)).to_vec()?, [3.0, 7.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn convolve_axis try_convolve_axis[](&self, axis: usize, weights: &[T], border: Border<T>) -> Array<T> {
        if axis >= self.rank() {
            return Err(Error::new("convolve_axis", format!("{} has no axis {axis}", self.shape())));
        }
        let middle = (weights.len() / 2) as i64;
        let offsets: Vec<Vec<i64>> = (0..weights.len() as i64)
            .map(|k| {
                let mut offset = vec![0; self.rank()];
                offset[axis] = k - middle;
                offset
            })
            .collect();
        let offsets: Vec<&[i64]> = offsets.iter().map(Vec::as_slice).collect();
        self.try_stencil(&offsets, weights, border)
    }
}}
