//! The executor waits only where it must know something.

use crate::common::program;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_rt::{Counters, Executable, Handle, Reference, ReferenceConfig};
use std::cell::RefCell;
use std::rc::Rc;

const PROGRAM: &str = "
kernel positive(xs: [n]i64) over n {
  p = map { i => gt xs[i proved] 0 }
  (k, ys) = filter where p { i => xs[i proved] }
  ret k, ys
}
kernel total(xs: [n]i64) over n {
  s = reduce { i => xs[i proved] } add
  ret s
}
kernel shift(xs: [n]i64, by: i64) over n {
  y = map { i => add xs[i proved] by }
  ret y
}
kernel careful(xs: [n]i64) over n {
  y = map { i =>
    check (lt xs[i] 1000) \"large\"
    add xs[i] 1
  }
  ret y
}
fn chain<n>(xs: [n]i64) -> (k: dim, [k]i64) {
  (k, ys) = run positive<n>(xs)
  s = run total<k>(ys)
  zs = run shift<k>(ys, s)
  ret k, zs
}
fn decide<n>(xs: [n]i64) -> i64 {
  s = run total<n>(xs)
  r = if gt s 10 { 1i64 } else { 0i64 }
  ret r
}
fn both<n>(xs: [n]i64) -> i64 {
  a = run total<n>(xs)
  b = run total<n>(xs)
  c = add a b
  ret c
}
fn steps<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if eq k 0 { xs } else {
    ys = run careful<n>(xs)
    zs = steps<n>(ys, sub k 1)
    zs
  }
  ret r
}
fn checks<n>(xs: [n]i64) -> i64 {
  (k, ys) = run positive<n>(xs)
  s = run total<k>(ys)
  j = dim k
  same j k
  ret s
}
kernel twice<n, s: seg[n]>() over n {
  ls = map { i => add (len s[i]) (len s[i]) }
  ret ls
}
kernel stretched<n, s: seg[n], t: seg[n]>(xs: [s]i64) over n, t {
  ys = map { i, j => xs[i, j wrap] }
  ret ys
}
fn grow<n, s: seg[n]>(xs: [s]i64, k: i64) -> (t: seg[n], [t]i64) {
  (t, ys) = if eq k 0 { s, xs } else {
    ls = run twice<n, s>()
    u = segments ls
    zs = run stretched<n, s, u>(xs)
    (v, ys) = grow<n, u>(zs, sub k 1)
    v, ys
  }
  ret t, ys
}
fn grown<n>(xs: [n]i64, k: i64) -> i64 {
  ls = run careless<n>(xs)
  s = segments ls
  m = size [s]
  ones = run ones<n, s>()
  (t, ys) = grow<n, s>(ones, k)
  j = size [t]
  zs = reshape ys [j]
  r = run total<j>(zs)
  ret r
}
kernel careless(xs: [n]i64) over n {
  y = map { i => xs[i proved] }
  ret y
}
kernel ones<n, s: seg[n]>() over n, s {
  y = map { i, j => 1i64 }
  ret y
}
kernel measured<n, s: seg[n]>() over n {
  ls = map { i => i64 (len s[i]) }
  ret ls
}
fn cut_alike<n>(xs: [n]i64) -> i64 {
  ls = run careless<n>(xs)
  s = segments ls
  ms = run measured<n, s>()
  t = segments ms
  same s t
  k = lengths t
  u = segments k
  same t u
  ys = run ones<n, s>()
  j = size [u]
  zs = reshape ys [j]
  r = run total<j>(zs)
  ret r
}
kernel extents<n, m>() over 2 {
  ls = map { i => select (lt i 1) n m }
  ret ls
}
kernel beside<s: seg[2], n, m>(xs: [n]i64, ys: [m]i64) over 2, s {
  z = map { i, j =>
    x = if lt i 1 { xs[j proved] } else { ys[j proved] }
    x
  }
  ret z
}
fn one_after_another<n>(xs: [n]i64) -> i64 {
  (k, ys) = run positive<n>(xs)
  ls = run extents<k, n>()
  s = segments ls
  zs = run beside<s, k, n>(ys, xs)
  j = size [s]
  ws = reshape zs [j]
  r = run total<j>(ws)
  ret r
}
fn speak<n>(xs: [n]i64) {
  ys = run careful<n>(xs)
  print \"first\"
  print \"second\"
}
";

fn numbers(list: &[i64]) -> Value {
    Value::Array(Array::vector(Buffer::I64(list.to_vec())))
}

fn start(config: ReferenceConfig, function: &str, list: &[i64], more: &[Value]) -> (Vec<Handle>, Counters) {
    let counters = Rc::new(RefCell::new(Counters::default()));
    let executable = Executable::new(&program(PROGRAM), Rc::new(Reference::new(config))).unwrap();
    let executable = executable.with_trace(Rc::clone(&counters) as _);
    let mut args = vec![numbers(list)];
    args.extend_from_slice(more);
    let shapes = [AxisValue::Extent(list.len() as u64)];
    let results = executable.start(function, &shapes, &args, &mut TestWorld::default()).unwrap();
    let counters = *counters.borrow();
    (results, counters)
}

fn deferred(regions_ahead: u64) -> ReferenceConfig {
    ReferenceConfig { deferred: true, regions_ahead, ..ReferenceConfig::default() }
}

#[test]
fn lengths_and_sums_stay_on_the_device() {
    let (results, counters) = start(deferred(1), "chain", &[5, -3, 8], &[]);
    assert_eq!((counters.waits, counters.launches), (0, 3));
    assert_eq!(results[1].to_value().unwrap().to_string(), "[18, 21]");
    assert_eq!(results[0].to_value().unwrap().to_string(), "2");
}

#[test]
fn a_branch_waits_for_its_condition_once() {
    let (_, counters) = start(deferred(1), "decide", &[5, 7], &[]);
    assert_eq!(counters.waits, 1);
}

#[test]
fn the_operands_of_one_statement_are_fetched_together() {
    let (results, counters) = start(deferred(1), "both", &[5, 7], &[]);
    assert_eq!(counters.waits, 1);
    assert_eq!(results[0].to_value().unwrap().to_string(), "24");
}

#[test]
fn regions_that_may_fault_are_looked_at_as_late_as_the_device_allows() {
    let twelve = [Value::Scalar(nestled_ir::Scalar::I64(12))];
    let (_, each) = start(deferred(1), "steps", &[5, 7], &twelve);
    assert_eq!(each.waits, 12, "one for each region");
    let (_, some) = start(deferred(5), "steps", &[5, 7], &twelve);
    assert_eq!(some.waits, 3, "after 5, after 10, and at the end");
    let (results, one) = start(deferred(100), "steps", &[5, 7], &twelve);
    assert_eq!(one.waits, 1, "at the end");
    assert_eq!(results[0].to_value().unwrap().to_string(), "[17, 19]");
}

#[test]
fn an_extent_compared_with_itself_stays_on_the_device() {
    let (_, counters) = start(deferred(1), "checks", &[5, 7], &[]);
    assert_eq!(counters.waits, 0);
}

#[test]
fn what_is_known_to_be_cut_alike_is_not_compared() {
    let (results, counters) = start(deferred(64), "cut_alike", &[2, 0, 5], &[]);
    assert_eq!(counters.waits, 2, "for what the numbers of the caller come to, and for faults at the end");
    assert_eq!(results[0].to_value().unwrap().to_string(), "7");
}

#[test]
fn lengths_that_are_extents_have_the_bounds_of_these() {
    let (results, counters) = start(deferred(64), "one_after_another", &[3, -1, 2], &[]);
    assert_eq!(counters.waits, 1, "for faults at the end");
    assert_eq!(results[0].to_value().unwrap().to_string(), "9");
}

#[test]
fn room_is_made_from_bounds_until_they_are_much_too_large() {
    let rounds = |k| [Value::Scalar(nestled_ir::Scalar::I64(k))];
    let (results, counters) = start(deferred(64), "grown", &[3, 0, 2], &rounds(2));
    assert_eq!(counters.waits, 2, "for what the numbers of the caller come to, and for faults at the end");
    assert_eq!(results[0].to_value().unwrap().to_string(), "20");
    // Twice as much as twice as much is the most; then somebody waits for how much it is.
    let (results, counters) = start(deferred(64), "grown", &[3, 0, 2], &rounds(7));
    assert_eq!(counters.waits, 4);
    assert_eq!(results[0].to_value().unwrap().to_string(), "640");
}

#[test]
fn commands_wait_only_if_something_may_have_faulted() {
    let (_, counters) = start(deferred(100), "speak", &[5, 7], &[]);
    assert_eq!(counters.waits, 1, "before the first, not before the second");
}

#[test]
fn arguments_and_results_are_copied_once() {
    let (_, counters) = start(deferred(1), "chain", &[5, -3, 8], &[]);
    assert_eq!((counters.bytes_in, counters.bytes_out), (24, 0));
}
