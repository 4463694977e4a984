//! Which fault is reported when several regions are in flight.

use crate::common::program;
use nestled_ir::Scalar;
use nestled_ir::interp::{FaultKind, TestWorld};
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_rt::{Counters, Error, Executable, Limits, Reference, ReferenceConfig};
use std::cell::RefCell;
use std::rc::Rc;

const PROGRAM: &str = "
kernel early(xs: [n]i64, k: idx) {
  x = once { => xs[k] }
  ret x
}
kernel late(xs: [n]i64, k: idx) {
  x = once { => xs[k] }
  ret x
}
fn nothing() {
  ret
}
fn regions<n>(xs: [n]i64, a: idx, b: idx) -> i64 {
  x = run late(xs, a)
  nothing()
  y = run early(xs, b)
  nothing()
  z = add x y
  ret z
}
fn forever<n>(xs: [n]i64, k: idx) -> i64 {
  x = run late(xs, k)
  r = forever(xs, k)
  ret r
}
fn deeper<n>(xs: [n]i64, k: idx) -> i64 {
  x = run late(xs, k)
  r = deeper(xs, k)
  s = add r 1
  ret s
}
fn large<n>(xs: [n]i64, k: idx, m: idx) -> i64 {
  x = run late(xs, k)
  nothing()
  d = dim m
  ys = run spread<d>()
  y = run early<d>(ys, 0)
  ret y
}
kernel spread<m>() over m {
  y = map { i => i64 i }
  ret y
}
";

fn run(config: ReferenceConfig, function: &str, args: &[i64]) -> (Result<Vec<Value>, Error>, u64) {
    let counters = Rc::new(RefCell::new(Counters::default()));
    let executable = Executable::new(&program(PROGRAM), Rc::new(Reference::new(config))).unwrap();
    let executable = executable.with_limits(Limits { depth: 1000 }).with_trace(Rc::clone(&counters) as _);
    let mut values = vec![Value::Array(Array::vector(Buffer::I64(vec![10, 20, 30])))];
    values.extend(args.iter().map(|&arg| Value::Scalar(Scalar::Idx(arg))));
    let outcome = executable.run(function, &[AxisValue::Extent(3)], &values, &mut TestWorld::default());
    // Whatever happened, it can be run again.
    let args = vec![values[0].clone(), Value::Scalar(Scalar::Idx(0)), Value::Scalar(Scalar::Idx(1))];
    let again = executable.run("regions", &[AxisValue::Extent(3)], &args, &mut TestWorld::default());
    assert_eq!(again.unwrap()[0].to_string(), "30");
    let launches = counters.borrow().launches;
    (outcome, launches)
}

fn configs() -> Vec<ReferenceConfig> {
    let config = |deferred, regions_ahead| ReferenceConfig {
        deferred,
        regions_ahead,
        memory: 10_000,
        ..ReferenceConfig::default()
    };
    vec![config(false, 1), config(false, 50), config(true, 1), config(true, 50)]
}

fn index(outcome: Result<Vec<Value>, Error>) -> i64 {
    match outcome {
        Err(Error::Fault(fault)) => match fault.kind {
            FaultKind::OutOfRange { index, .. } => index,
            other => panic!("{other}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_region_decides_though_a_later_one_has_a_lesser_site() {
    for config in configs() {
        assert_eq!(index(run(config.clone(), "regions", &[7, 8]).0), 7);
        assert_eq!(index(run(config.clone(), "regions", &[2, 8]).0), 8);
        assert_eq!(run(config, "regions", &[2, 0]).0.unwrap()[0].to_string(), "40");
    }
}

#[test]
fn a_loop_without_end_ends_at_its_fault() {
    for config in configs() {
        let (outcome, launches) = run(config.clone(), "forever", &[9]);
        assert_eq!(index(outcome), 9);
        assert!(launches <= config.regions_ahead + 2, "{launches} launches");
    }
}

#[test]
fn a_fault_comes_before_the_errors_that_follow_it() {
    for config in configs() {
        assert_eq!(index(run(config.clone(), "deeper", &[9]).0), 9);
        assert_eq!(index(run(config.clone(), "large", &[9, 1_000_000]).0), 9);
        let (outcome, _) = run(config.clone(), "deeper", &[0]);
        assert!(matches!(outcome, Err(Error::Depth { .. })), "{outcome:?}");
        let (outcome, _) = run(config, "large", &[0, 1_000_000]);
        assert!(matches!(outcome, Err(Error::OutOfMemory { .. })), "{outcome:?}");
    }
}
