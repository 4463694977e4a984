//! Sums by CUDA when the order of adding floats is free: products of matrices by cuBLAS, and scans that add partial sums as they become available.

use super::{agree, array, same};
use crate::corpus::{Engine, interpret};
use nestled_cuda::CudaDevice;
use nestled_ir::interp::TestWorld;
use nestled_ir::text::parse;
use nestled_ir::value::{AxisValue, Segmentation, Value};
use nestled_ir::{Program, Scalar, ScalarType};
use nestled_rt::device::{Device, Math};
use nestled_rt::run_on;
use std::rc::Rc;
use std::sync::Arc;

/// Opens a device that has a freedom.
pub type Open<'o> = &'o dyn Fn(Math) -> CudaDevice;

const PRODUCTS: &str = "
fn both(a: [n, k]f32, b: [k, m]f32, c: [n, k]f64, d: [k, m]f64) -> ([n, m]f32, [n, m]f64) {
  p = matmul a b
  q = matmul c d
  ret p, q
}
kernel some<n>(xs: [n]f64) over n {
  keep = map { i => gt xs[i] 0.0 }
  (k, ys) = filter where keep { i => xs[i] }
  ret k, ys
}
fn of_some(xs: [n]f64) -> (one: dim, [one, one]f64) {
  (k, ys) = run some<n>(xs)
  one = dim 1
  row = reshape ys [one, k]
  column = reshape ys [k, one]
  p = matmul row column
  ret one, p
}
";

const SCANS: &str = "
kernel scans<n, s: seg[n]>(xs: [s]f32, ys: [s]f64) over n, s {
  a = scan { i, j => xs[i, j] } add inclusive forward
  b = scan @1 { i, j => ys[i, j] } add exclusive forward
  c = scan @1 { i, j => xs[i, j] } add inclusive backward
  d = scan { i, j => add 1.0 (mul ys[i, j] 0.0001) } mul exclusive backward
  ret a, b, c, d
}
kernel long<n>() over n {
  sums = scan { i =>
    (a, _) = threefry 1u32 2u32 (u32 i) 3u32
    div (f32 a) 7.0
  } add inclusive forward
  ret sums
}
kernel scattered(xs: [n]f32, ys: [n]f64) over n {
  (a, b, c) = permute to [100] base (1.0, 0.5, 2) range drop clash (add, add, max) { i => rem i 101, xs[i], ys[i], i32 i }
  ret a, b, c
}
fn places(xs: [n]f32, ys: [n]f64) -> ([100]f32, [100]f64, [100]i32) {
  (a, b, c) = run scattered(xs, ys)
  ret a, b, c
}
fn repeated<n>() -> [n]f32 {
  sums = run long<n>()
  ret sums
}
fn main<n, s: seg[n]>(xs: [s]f32, ys: [s]f64) -> ([s]f32, [s]f64, [s]f32, [s]f64) {
  (a, b, c, d) = run scans(xs, ys)
  ret a, b, c, d
}
";

/// A kernel with scans of floats.
pub fn scans() -> Program {
    program(SCANS)
}

fn program(text: &str) -> Program {
    parse("free.lcu", text).expect("it is well-formed")
}

fn extents(sizes: &[u64]) -> Vec<AxisValue> {
    sizes.iter().map(|&size| AxisValue::Extent(size)).collect()
}

/// A number of some digits.
fn number(at: u64) -> f64 {
    (at.wrapping_mul(2_654_435_761) % 2003) as f64 / 7.0 - 100.0
}

fn floats(shape: Vec<AxisValue>, len: u64, of: fn(u64) -> f64) -> Value {
    array(ScalarType::F32, shape, (0..len).map(|at| Scalar::F32(of(at) as f32)))
}

fn doubles(shape: Vec<AxisValue>, len: u64, of: fn(u64) -> f64) -> Value {
    array(ScalarType::F64, shape, (0..len).map(|at| Scalar::F64(of(at))))
}

/// Results of a function on a device and on the interpreter.
fn results(
    device: &Rc<CudaDevice>,
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
) -> (Vec<Value>, Vec<Value>) {
    let mut world = TestWorld::default();
    let found = run_on(Rc::clone(device) as Rc<dyn Device>, program, function, shapes, args, &mut world);
    let wanted = interpret(program, function, shapes, args, &mut TestWorld::default());
    (found.expect("no faults"), wanted.expect("no faults"))
}

fn elements(value: &Value) -> Vec<f64> {
    let array = value.as_array().expect("results are arrays");
    let number = |at| match array.data.get(at) {
        Scalar::F32(x) => f64::from(x),
        Scalar::F64(x) => x,
        other => panic!("{other:?} is no float"),
    };
    (0..array.data.len()).map(number).collect()
}

/// The greatest difference.
fn difference(found: &Value, wanted: &Value) -> f64 {
    let (found, wanted) = (elements(found), elements(wanted));
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Arguments of `both`: matrices of n rows, k and m columns.
fn matrices([n, k, m]: [u64; 3], of: fn(u64) -> f64) -> [Value; 4] {
    [
        floats(extents(&[n, k]), n * k, of),
        floats(extents(&[k, m]), k * m, |at| at as f64 - 3.0),
        doubles(extents(&[n, k]), n * k, of),
        doubles(extents(&[k, m]), k * m, |at| 5.0 - at as f64),
    ]
}

const SIZES: [[u64; 3]; 7] =
    [[1, 1, 1], [2, 3, 4], [4, 3, 2], [1, 70, 3], [65, 2, 130], [7, 100, 1], [33, 33, 33]];

/// Products go to the library, which must be present, and are right.
pub fn products_go_to_the_library(open: Open<'_>) {
    let device = Rc::new(open(Math::Default));
    let program = program(PRODUCTS);
    for (round, sizes) in SIZES.into_iter().enumerate() {
        // Sums of these are exact in every order.
        let args = matrices(sizes, |at| (at % 7) as f64);
        let (found, wanted) = results(&device, &program, "both", &extents(&sizes), &args);
        assert!(same(&found, &wanted), "{sizes:?}");
        assert_eq!(device.counts().products, 2 * (round as u64 + 1));
    }
    // Of these they are not.
    let sizes = [20, 300, 10];
    let (found, wanted) = results(&device, &program, "both", &extents(&sizes), &matrices(sizes, number));
    assert!(difference(&found[0], &wanted[0]) < 300.0 * 300.0 * 200.0 * 3000.0 * 6e-8);
    assert!(difference(&found[1], &wanted[1]) < 300.0 * 300.0 * 200.0 * 3000.0 * 1.2e-16);
}

/// Products over an empty inner extent are zeros.
pub fn products_without_columns_are_zeros(open: Open<'_>) {
    let device = Rc::new(open(Math::Default));
    let program = program(PRODUCTS);
    for sizes in [[3, 0, 4], [0, 3, 4], [3, 4, 0]] {
        let (found, wanted) = results(&device, &program, "both", &extents(&sizes), &matrices(sizes, number));
        assert!(same(&found, &wanted), "{sizes:?}");
    }
    assert_eq!(device.counts().products, 0);
}

/// The host does not wait for sizes only to pass them to a library.
pub fn products_of_sizes_that_the_device_knows_stay_there(open: Open<'_>) {
    let device = Rc::new(open(Math::Default));
    let args = [doubles(extents(&[500]), 500, number)];
    let (found, wanted) = results(&device, &program(PRODUCTS), "of_some", &extents(&[500]), &args);
    assert!(same(&found, &wanted));
    assert_eq!(device.counts().products, 0);
}

/// Strict products have the interpreter's bits.
pub fn strict_products_are_summed_from_left_to_right(open: Open<'_>) {
    let device = Rc::new(open(Math::Strict));
    let program = program(PRODUCTS);
    for sizes in SIZES {
        let (found, wanted) = results(&device, &program, "both", &extents(&sizes), &matrices(sizes, number));
        assert!(same(&found, &wanted), "{sizes:?}");
    }
    assert_eq!(device.counts().products, 0);
}

/// Sums have the order of λcu every time, whatever the timing of threads.
pub fn sums_repeat(open: Open<'_>) {
    let device = Rc::new(open(Math::Default));
    let program = program(SCANS);
    for (len, rounds) in [(30_000, 12), (540_000, 8)] {
        let shapes = extents(&[len]);
        let run = || {
            let device = Rc::clone(&device) as Rc<dyn Device>;
            run_on(device, &program, "repeated", &shapes, &[], &mut TestWorld::default()).expect("no faults")
        };
        let first = run();
        assert!((1..rounds).all(|_| same(&run(), &first)), "sums differ from one run to the next");
        let wanted = interpret(&program, "repeated", &shapes, &[], &mut TestWorld::default());
        let wanted = &wanted.expect("no faults")[0];
        assert!(same(&first[..1], std::slice::from_ref(wanted)), "sums differ from the interpreter's");
    }
}

/// Scatters combine floats in the order of their points, however many go to one place.
pub fn scatters_of_floats(engine: &Engine) {
    let program = program(SCANS);
    for len in [0, 1, 101 * 64, 101 * 65, 50_000] {
        let shapes = extents(&[len]);
        let args = [floats(shapes.clone(), len, number), doubles(shapes.clone(), len, number)];
        agree(engine, &program, "places", &shapes, &args, &format!("{len} points"));
    }
}

/// Fast sums of scatters are off by rounding only.
pub fn fast_sums_of_scatters(open: Open<'_>) {
    let device = Rc::new(open(Math::FastSums));
    let program = program(SCANS);
    for len in [0, 1, 7000, 50_000] {
        let shapes = extents(&[len]);
        let args = |of| [floats(shapes.clone(), len, of), doubles(shapes.clone(), len, of)];
        let (found, wanted) = results(&device, &program, "places", &shapes, &args(number));
        let most = (len as f64).powi(2) * 200.0 / 100.0;
        assert!(difference(&found[0], &wanted[0]) <= most * 6e-8, "{len}");
        assert!(difference(&found[1], &wanted[1]) <= most * 1.2e-16, "{len}");
        assert!(same(&found[2..], &wanted[2..]), "{len}");
        let (found, wanted) =
            results(&device, &program, "places", &shapes, &args(|at| (at % 5) as f64 - 2.0));
        assert!(same(&found, &wanted), "{len}");
    }
}

/// Fast sums are as near as sums in another order are.
pub fn fast_sums_are_off_by_rounding_only(open: Open<'_>) {
    let device = Rc::new(open(Math::FastSums));
    let program = program(SCANS);
    for lengths in [vec![100_000], vec![0, 3, 40_000, 0, 1, 25_000, 7], vec![]] {
        let len: u64 = lengths.iter().sum();
        let shapes = [AxisValue::Extent(lengths.len() as u64), segments(&lengths)];
        let args = |of: fn(u64) -> f64| {
            [floats(vec![shapes[1].clone()], len, of), doubles(vec![shapes[1].clone()], len, of)]
        };
        let (found, wanted) = results(&device, &program, "main", &shapes, &args(number));
        // Sums of numbers of less than 200.
        for (result, bound) in [(0, 6e-8), (1, 1.2e-16), (2, 6e-8)] {
            let most = 200.0 * len as f64 * bound * len as f64;
            assert!(difference(&found[result], &wanted[result]) <= most, "{lengths:?}, result {result}");
        }
        // Sums of small whole numbers are exact in every order.
        let (found, wanted) = results(&device, &program, "main", &shapes, &args(|at| (at % 5) as f64 - 2.0));
        assert!(same(&found[..3], &wanted[..3]), "{lengths:?}");
        let relative = elements(&found[3])
            .iter()
            .zip(elements(&wanted[3]))
            .map(|(a, b)| (a / b - 1.0).abs())
            .fold(0.0, f64::max);
        assert!(relative < 1e-15 * (len + 1) as f64, "{lengths:?}: {relative}");
    }
}

fn segments(lengths: &[u64]) -> AxisValue {
    let parent = extents(&[lengths.len() as u64]);
    let seg = Segmentation::from_lengths(parent, lengths.iter().copied());
    AxisValue::Seg(Arc::new(seg.expect("they are not so many")))
}
