//! Products of matrices and vectors.

use nestled::Array;

/// `y[i] = Σ a[i, j] · x[j]`
pub fn matrix_vector(a: Array<f32>, x: Array<f32>) -> Array<f32> {
    (a * x).sum_axis(1)
}

/// `c[i, j] = Σ a[i, k] · b[k, j]`
pub fn matrix_matrix(a: Array<f32>, b: Array<f32>) -> Array<f32> {
    a.matmul(&b)
}
