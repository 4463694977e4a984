//! Irregular benchmarks: segments with lengths that follow a power law.

use super::{floats, integers, vector};
use crate::bench::{Bound, CArguments, Case, Work};
use crate::random::Random;
use nestled_ir::ScalarType::F32;
use nestled_ir::value::{Array, AxisValue, Buffer, Segmentation, Value};
use std::sync::Arc;

/// `n` elements in segments; one in twenty is empty.
pub(super) fn segmented_sum(n: usize) -> Case {
    let mut random = Random::new("segmented-sum");
    let mut lengths = Vec::new();
    let mut left = n;
    while left > 0 {
        let length = random.pareto(1.1).min((n as f64 / 20.0).max(1.0)) as usize;
        let length = if random.unit() < 0.05 { 0 } else { length.min(left) };
        left -= length;
        lengths.push(length);
    }
    let x = random.floats(n, -1.0, 1.0);
    let reference = sums(&lengths, |at| f64::from(x[at]));
    let segments = Segments::new(&lengths);
    let x = floats(x);
    Case {
        shapes: None,
        args: vec![segments.array(&x)],
        c: CArguments {
            inputs: vec![x, segments.offsets],
            outputs: vec![(F32, lengths.len())],
            sizes: vec![lengths.len()],
        },
        reference: vec![Buffer::F32(reference)],
        work: Work { bytes: 4 * (n + 2 * lengths.len()) as u64, flops: n as u64, bound: Bound::Read },
    }
}

/// `n` rows and columns, about ten entries in a row, three in a hundred rows empty, columns random and in order.
pub(super) fn spmv(n: usize) -> Case {
    let mut random = Random::new("spmv");
    let mut length = |_| {
        let length = (3.5 * random.pareto(1.5)).min(5000.0) as usize;
        if random.unit() < 0.03 { 0 } else { length }
    };
    let lengths: Vec<usize> = (0..n).map(&mut length).collect();
    let entries = lengths.iter().sum();
    let mut columns: Vec<i32> = Vec::with_capacity(entries);
    for &length in &lengths {
        let start = columns.len();
        columns.extend((0..length).map(|_| random.below(n as u64) as i32));
        columns[start..].sort_unstable();
    }
    let values = random.floats(entries, -1.0, 1.0);
    let x = random.floats(n, -1.0, 1.0);
    let reference = sums(&lengths, |at| f64::from(values[at]) * f64::from(x[columns[at] as usize]));
    let segments = Segments::new(&lengths);
    let (values, columns, x) = (floats(values), integers(columns), floats(x));
    Case {
        shapes: None,
        args: vec![segments.array(&values), segments.array(&columns), vector(&x)],
        c: CArguments {
            inputs: vec![segments.offsets, columns, values, x],
            outputs: vec![(F32, n)],
            sizes: vec![n],
        },
        reference: vec![Buffer::F32(reference)],
        work: Work { bytes: (8 * entries + 12 * n) as u64, flops: 2 * entries as u64, bound: Bound::Read },
    }
}

/// The sum of each segment, one after another.
fn sums(lengths: &[usize], element: impl Fn(usize) -> f64) -> Vec<f32> {
    let mut start = 0;
    let mut sum = |&length: &usize| {
        let range = start..start + length;
        start += length;
        range.map(&element).sum::<f64>() as f32
    };
    lengths.iter().map(&mut sum).collect()
}

/// The same segments for λcu and for C.
struct Segments {
    segmentation: Arc<Segmentation>,
    offsets: Arc<Buffer>,
}

impl Segments {
    fn new(lengths: &[usize]) -> Segments {
        let parent = vec![AxisValue::Extent(lengths.len() as u64)];
        let segmentation = Segmentation::from_lengths(parent, lengths.iter().map(|&length| length as u64));
        let segmentation = Arc::new(segmentation.expect("the lengths are sizes of arrays"));
        let offsets = (0..lengths.len()).map(|at| segmentation.lengths.start(at as u64) as i32);
        let offsets = offsets.chain([segmentation.total() as i32]).collect();
        Segments { segmentation, offsets: integers(offsets) }
    }

    fn array(&self, data: &Arc<Buffer>) -> Value {
        Value::Array(Array::dense(vec![AxisValue::Seg(Arc::clone(&self.segmentation))], Arc::clone(data)))
    }
}
