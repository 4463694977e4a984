//! Segmentations of equal lengths, which a caller may state by that length, whatever form a parameter has.

use crate::common::program;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Lengths, Segmentation, Value};
use nestled_rt::{Executable, Reference};
use std::rc::Rc;
use std::sync::Arc;

const PROGRAM: &str = "
kernel sums<n, s: seg[n]>(xs: [s]i64) over n, s {
  t = reduce @1 { i, j => xs[i, j] } add
  ret t
}
kernel regular_sums<n, s: regular[n]>(xs: [s]i64) over n, s {
  t = reduce @1 { i, j => xs[i, j] } add
  ret t
}
fn main<n, s: seg[n]>(xs: [s]i64) -> ([n]i64, [n]idx) {
  t = run sums<n, s>(xs)
  ls = lengths s
  ret t, ls
}
fn both<n, s: seg[n], r: regular[n]>(xs: [s]i64, ys: [r]i64) -> ([n]i64, [n]i64) {
  t = run sums<n, s>(xs)
  u = run regular_sums<n, r>(ys)
  ret t, u
}
fn turned<n, r: regular[n], s: seg[n]>(xs: [s]i64, ys: [r]i64) -> ([n]i64, [n]i64) {
  t = run sums<n, s>(xs)
  u = run regular_sums<n, r>(ys)
  ret t, u
}
";

/// Runs a function on arrays over one segmentation; `shapes` times the segmentation is a shape argument.
fn results(function: &str, shapes: usize, arrays: &[[i64; 6]]) -> Vec<String> {
    let seg = Arc::new(Segmentation {
        parent: vec![AxisValue::Extent(3)],
        lengths: Lengths::Regular { length: 2 },
    });
    let array = |elements: &[i64; 6]| {
        let (shape, data) =
            (vec![AxisValue::Seg(Arc::clone(&seg))], Arc::new(Buffer::I64(elements.to_vec())));
        Value::Array(Array { elem: data.elem(), shape, starts: None, data })
    };
    let args: Vec<Value> = arrays.iter().map(array).collect();
    let axes = std::iter::repeat_with(|| AxisValue::Seg(Arc::clone(&seg))).take(shapes);
    let axes: Vec<AxisValue> = std::iter::once(AxisValue::Extent(3)).chain(axes).collect();
    let executable = Executable::new(&program(PROGRAM), Rc::new(Reference::deferred())).unwrap();
    let results = executable.run(function, &axes, &args, &mut TestWorld::default()).unwrap();
    results.iter().map(Value::to_string).collect()
}

#[test]
fn a_length_becomes_offsets() {
    assert_eq!(results("main", 1, &[[1, 2, 3, 4, 5, 6]]), ["[3, 7, 11]", "[2, 2, 2]"]);
}

#[test]
fn one_segmentation_is_wanted_in_both_forms() {
    let arrays = [[1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]];
    for function in ["both", "turned"] {
        assert_eq!(results(function, 2, &arrays), ["[3, 7, 11]", "[30, 70, 110]"], "{function}");
    }
}
