//! Values stay on the device where they were made until another one needs them; then they are copied, and those who watch see it.

use crate::common::program;
use nestled_ir::Scalar;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::Value;
use nestled_rt::{Counters, Executable, Reference};
use std::cell::RefCell;
use std::rc::Rc;

const PROGRAM: &str = "
kernel ramp<n>() over n {
  xs = map { i => i64 i }
  ret xs
}
kernel ragged<n, s: seg[n]>() over n, s {
  xs = map { i, j => add (mul 10 (i64 i)) (i64 j) }
  ret xs
}
kernel sums<n, s: seg[n]>(xs: [s]i64, ys: [n]i64) over n, s {
  ts = reduce @1 { i, j => add xs[i, j] ys[i] } add
  ret ts
}
fn make(k: i64) -> (n: dim, s: seg[n], [s]i64, [n]i64) {
  n = dim (idx k)
  ys = run ramp<n>()
  s = segments ys
  xs = run ragged<n, s>()
  ret n, s, xs, ys
}
fn use_<n, s: seg[n]>(xs: [s]i64, ys: [n]i64) -> [n]i64 {
  ts = run sums(xs, ys)
  ret ts
}
";

#[test]
fn values_move_to_where_they_are_needed() {
    let program = program(PROGRAM);
    let watched = || {
        let counters = Rc::new(RefCell::new(Counters::default()));
        let executable = Executable::new(&program, Rc::new(Reference::default())).unwrap();
        (executable.with_trace(Rc::clone(&counters) as _), counters)
    };
    let ((one, _), (other, counters)) = (watched(), watched());
    let world = &mut TestWorld::default();
    let made = one.start("make", &[], &[Value::Scalar(Scalar::I64(3))], world).unwrap();
    let [n, s, xs, ys] = made.as_slice() else { panic!("{made:?}") };
    let shapes = [n.clone(), s.clone()];
    let args = [xs.clone(), ys.clone()];
    let there = other.run_handles("use_", &shapes, &args, world).unwrap();
    assert_eq!(there[0].to_value().unwrap().to_string(), "[0, 11, 45]");
    let Counters { bytes_in, bytes_out, .. } = *counters.borrow();
    // Three numbers of each array at least, and offsets.
    assert!(bytes_in >= 48 + 32 && bytes_out >= 48 + 32, "{bytes_in} in, {bytes_out} out");
    // Where they were made nothing is copied.
    let here = one.run_handles("use_", &shapes, &args, world).unwrap();
    assert_eq!(here[0].to_value().unwrap().to_string(), "[0, 11, 45]");
}
