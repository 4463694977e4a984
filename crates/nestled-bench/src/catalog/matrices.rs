//! Benchmarks on square matrices: reductions and products.

use super::{floats, matrix};
use crate::bench::{Bound, CArguments, Case, Work};
use crate::random::Random;
use nestled_ir::ScalarType::F32;
use nestled_ir::value::Buffer;

pub(super) fn sum_abs(n: usize) -> Case {
    let x = Random::new("sum-abs").floats(n * n, -1.0, 1.0);
    let reference: f64 = x.iter().map(|&x| f64::from(x.abs())).sum();
    reduced(n, x, vec![reference as f32])
}

pub(super) fn row_sums(n: usize) -> Case {
    let x = Random::new("row-sums").floats(n * n, -1.0, 1.0);
    let row = |row: &[f32]| row.iter().map(|&x| f64::from(x)).sum::<f64>() as f32;
    let reference = x.chunks(n).map(row).collect();
    reduced(n, x, reference)
}

pub(super) fn column_sums(n: usize) -> Case {
    let x = Random::new("column-sums").floats(n * n, -1.0, 1.0);
    let mut sums = vec![0.0; n];
    for row in x.chunks(n) {
        sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
    }
    reduced(n, x, sums.into_iter().map(|sum| sum as f32).collect())
}

fn reduced(n: usize, x: Vec<f32>, reference: Vec<f32>) -> Case {
    let x = floats(x);
    Case {
        shapes: None,
        args: vec![matrix(n, n, &x)],
        c: CArguments { inputs: vec![x], outputs: vec![(F32, reference.len())], sizes: vec![n, n] },
        work: Work { bytes: 4 * (n * n + reference.len()) as u64, flops: (n * n) as u64, bound: Bound::Read },
        reference: vec![Buffer::F32(reference)],
    }
}

pub(super) fn matmul(n: usize) -> Case {
    let mut random = Random::new("matmul");
    let [a, b] = [(); 2].map(|()| random.floats(n * n, -1.0, 1.0));
    let mut reference = Vec::with_capacity(n * n);
    let mut row = vec![0.0; n];
    for a in a.chunks(n) {
        row.fill(0.0);
        for (&a, b) in a.iter().zip(b.chunks(n)) {
            row.iter_mut().zip(b).for_each(|(sum, &b)| *sum += f64::from(a) * f64::from(b));
        }
        reference.extend(row.iter().map(|&sum| sum as f32));
    }
    let [a, b] = [a, b].map(floats);
    Case {
        shapes: None,
        args: vec![matrix(n, n, &a), matrix(n, n, &b)],
        c: CArguments { inputs: vec![a, b], outputs: vec![(F32, n * n)], sizes: vec![n, n, n] },
        reference: vec![Buffer::F32(reference)],
        work: Work { bytes: 12 * (n * n) as u64, flops: 2 * (n * n * n) as u64, bound: Bound::Compute },
    }
}
