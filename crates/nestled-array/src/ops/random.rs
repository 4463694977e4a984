//! Random numbers: functions of a seed and the place, the same on every device.

use crate::array::Array;
use crate::element::{Float, Number};
use crate::error::expect;
use crate::node::Op;
use crate::shape::Shape;
use std::ops::RangeInclusive;

impl<T: Float> Array<T> {
    /// Random numbers in 0..1, all equally likely.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f32>::uniform(&[1000], 7);
    /// assert_eq!(x.to_vec()?, Array::<f32>::uniform(&[1000], 7).to_vec()?);
    /// assert!(x.max().item()? < 1.0 && x.min().item()? >= 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn uniform(shape: &[usize], seed: u64) -> Array<T> {
        Array::lazy(expect(Shape::new(shape)), Op::Random { seed })
    }

    /// Random numbers of mean 0 and variance 1, by the method of Box and Muller.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f64>::normal(&[10_000], 7);
    /// assert!(x.mean().item()?.abs() < 0.05);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn normal(shape: &[usize], seed: u64) -> Array<T> {
        let radius = Array::<T>::uniform(shape, seed);
        // Another stream of the same seed.
        let angle = Array::<T>::uniform(shape, !seed);
        let radius = ((radius - T::ONE) * T::of(-1.0)).ln() * T::of(-2.0);
        radius.sqrt() * (angle * T::of(std::f64::consts::TAU)).cos()
    }
}

impl Array<u32> {
    /// Random bits.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::random_bits(&[4], 1).size(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn random_bits(shape: &[usize], seed: u64) -> Array<u32> {
        Array::lazy(expect(Shape::new(shape)), Op::Random { seed })
    }
}

impl Array<i64> {
    /// Integers from the first to the last one of a range, equally likely but for one part in 2⁶⁴ of their number.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let dice = Array::random_integers(&[1000], 1..=6, 7);
    /// assert_eq!((dice.min().item()?, dice.max().item()?), (1, 6));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The range is empty.
    #[track_caller]
    pub fn random_integers(shape: &[usize], range: RangeInclusive<i64>, seed: u64) -> Array<i64> {
        let (low, high) = (*range.start(), *range.end());
        assert!(low <= high, "there is no integer from {low} to {high}");
        let upper = Array::random_bits(shape, seed).cast::<u64>();
        // Another stream of the same seed.
        let lower = Array::random_bits(shape, !seed).cast::<u64>();
        // The upper half of the product of 64 bits and of how many integers there are: where there are 2⁶⁴, the bits themselves.
        let number = match (high.wrapping_sub(low) as u64).checked_add(1) {
            Some(count) => upper_product(&upper, &lower, count),
            None => (&upper << 32u64) + &lower,
        };
        number.cast::<i64>() + low
    }
}

/// The upper 64 bits of the product of a number, whose halves are given, and of another.
fn upper_product(upper: &Array<u64>, lower: &Array<u64>, count: u64) -> Array<u64> {
    let (count_upper, count_lower) = (count >> 32, count & u64::from(u32::MAX));
    let one = upper * count_lower;
    let other = lower * count_upper;
    let half = |x: &Array<u64>| x.and(u64::from(u32::MAX));
    let middle = half(&one) + half(&other) + ((lower * count_lower) >> 32u64);
    upper * count_upper + (one >> 32u64) + (other >> 32u64) + (middle >> 32u64)
}

impl<T: Number> Array<T> {
    /// `0 … n − 1` in a random order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let order = Array::<i64>::permutation(5, 1);
    /// assert_eq!(order.sort(0).to_vec()?, [0, 1, 2, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn permutation(n: usize, seed: u64) -> Array<T> {
        let keys = Array::<f64>::uniform(&[n], seed);
        Array::range(n).sort_by_key(0, &keys)
    }
}
