//! Benchmarks on vectors: elementwise, reduced, scanned, filtered, counted, sorted.

use super::{floats, integers, vector};
use crate::bench::{Bound, CArguments, Case, Work};
use crate::random::Random;
use nestled_ir::ScalarType::{F32, I32, Idx};
use nestled_ir::value::Buffer;

/// `sqrt(abs((1.5x + y)² − x))·0.7 + y`
///
/// Ill-conditioned where t² and x cancel: an error of 2⁻²⁴ or two in their difference is one of about 4·10⁻⁴ in its root. Among 10⁸ numbers
/// that happens.
pub(super) fn chain(n: usize) -> Case {
    let mut random = Random::new("chain");
    let [x, y] = [(); 2].map(|()| random.floats(n, 0.0, 1.0));
    let one = |(&x, &y): (&f32, &f32)| {
        let (x, y) = (f64::from(x), f64::from(y));
        let t = 1.5 * x + y;
        ((t * t - x).abs().sqrt() * 0.7 + y) as f32
    };
    let reference = x.iter().zip(&y).map(one).collect();
    let [x, y] = [x, y].map(floats);
    Case {
        shapes: None,
        args: vec![vector(&x), vector(&y)],
        c: CArguments { inputs: vec![x, y], outputs: vec![(F32, n)], sizes: vec![n] },
        reference: vec![Buffer::F32(reference)],
        work: Work { bytes: 12 * n as u64, flops: 8 * n as u64, bound: Bound::Triad },
    }
}

pub(super) fn sum(n: usize) -> Case {
    let x = Random::new("sum").floats(n, 0.0, 1.0);
    let reference: f64 = x.iter().map(|&x| f64::from(x)).sum();
    let x = floats(x);
    Case {
        shapes: None,
        args: vec![vector(&x)],
        c: CArguments { inputs: vec![x], outputs: vec![(F32, 1)], sizes: vec![n] },
        reference: vec![Buffer::F32(vec![reference as f32])],
        work: Work { bytes: 4 * n as u64, flops: n as u64, bound: Bound::Read },
    }
}

pub(super) fn dot(n: usize) -> Case {
    let mut random = Random::new("dot");
    let [x, y] = [(); 2].map(|()| random.floats(n, 0.0, 1.0));
    let reference: f64 = x.iter().zip(&y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
    let [x, y] = [x, y].map(floats);
    Case {
        shapes: None,
        args: vec![vector(&x), vector(&y)],
        c: CArguments { inputs: vec![x, y], outputs: vec![(F32, 1)], sizes: vec![n] },
        reference: vec![Buffer::F32(vec![reference as f32])],
        work: Work { bytes: 8 * n as u64, flops: 2 * n as u64, bound: Bound::Read },
    }
}

pub(super) fn scan_f32(n: usize) -> Case {
    let x = Random::new("scan-f32").floats(n, -1.0, 1.0);
    let add = |sum: &mut f64, &x: &f32| {
        *sum += f64::from(x);
        Some(*sum as f32)
    };
    let reference = x.iter().scan(0.0, add).collect();
    let x = floats(x);
    Case {
        shapes: None,
        args: vec![vector(&x)],
        c: CArguments { inputs: vec![x], outputs: vec![(F32, n)], sizes: vec![n] },
        reference: vec![Buffer::F32(reference)],
        work: Work { bytes: 8 * n as u64, flops: n as u64, bound: Bound::Copy },
    }
}

pub(super) fn scan_i32(n: usize) -> Case {
    let mut random = Random::new("scan-i32");
    let x: Vec<i32> = (0..n).map(|_| random.below(201) as i32 - 100).collect();
    let add = |sum: &mut i32, &x: &i32| {
        *sum = sum.wrapping_add(x);
        Some(*sum)
    };
    let reference = x.iter().scan(0, add).collect();
    let x = integers(x);
    Case {
        shapes: None,
        args: vec![vector(&x)],
        c: CArguments { inputs: vec![x], outputs: vec![(I32, n)], sizes: vec![n] },
        reference: vec![Buffer::I32(reference)],
        work: Work { bytes: 8 * n as u64, flops: n as u64, bound: Bound::Copy },
    }
}

pub(super) fn filter(n: usize) -> Case {
    let x = Random::new("filter").floats(n, -1.0, 1.0);
    let reference: Vec<f32> = x.iter().copied().filter(|&x| x > 0.0).collect();
    let kept = reference.len();
    let x = floats(x);
    Case {
        shapes: None,
        args: vec![vector(&x)],
        c: CArguments { inputs: vec![x], outputs: vec![(Idx, 1), (F32, n)], sizes: vec![n] },
        reference: vec![Buffer::Idx(vec![kept as i64]), Buffer::F32(reference)],
        work: Work { bytes: 4 * (n + kept) as u64, flops: n as u64, bound: Bound::Copy },
    }
}

pub(super) fn histogram(n: usize) -> Case {
    let x = Random::new("histogram").floats(n, 0.0, 1.0);
    let mut reference = vec![0; 256];
    x.iter().for_each(|&x| reference[(x * 256.0) as usize] += 1);
    let x = floats(x);
    Case {
        shapes: None,
        args: vec![vector(&x)],
        c: CArguments { inputs: vec![x], outputs: vec![(I32, 256)], sizes: vec![n] },
        reference: vec![Buffer::I32(reference)],
        work: Work { bytes: 4 * n as u64, flops: n as u64, bound: Bound::Read },
    }
}

pub(super) fn sort(n: usize) -> Case {
    let mut random = Random::new("sort");
    let x: Vec<i32> = (0..n).map(|_| random.bits() as i32).collect();
    let mut reference = x.clone();
    reference.sort_unstable();
    let x = integers(x);
    Case {
        shapes: None,
        args: vec![vector(&x)],
        c: CArguments { inputs: vec![x], outputs: vec![(I32, n), (I32, n)], sizes: vec![n] },
        reference: vec![Buffer::I32(reference)],
        work: Work { bytes: 8 * n as u64, flops: 0, bound: Bound::Copy },
    }
}
