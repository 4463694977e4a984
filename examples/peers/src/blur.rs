//! A Gaussian of 5×5 points, as rows and then columns; edges are repeated.

use nestled::{Array, Border};

/// The weights of a Gaussian with `2·radius + 1` points; their sum is 1.
pub fn gaussian(radius: i32, sigma: f64) -> Vec<f32> {
    let weights: Vec<f64> =
        (-radius..=radius).map(|k| (-0.5 * (f64::from(k) / sigma).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / sum) as f32).collect()
}

/// The image under a separable filter.
pub fn separable(image: &Array<f32>, weights: &[f32]) -> Array<f32> {
    image.convolve_axis(0, weights, Border::Clamp).convolve_axis(1, weights, Border::Clamp)
}

/// The image, blurred.
pub fn blur(image: Array<f32>) -> Array<f32> {
    separable(&image, &gaussian(2, 1.0))
}
