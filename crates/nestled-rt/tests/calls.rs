//! Deep recursion, and calls in tail position.

use crate::common::program;
use nestled_ir::Scalar;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::Value;
use nestled_rt::{Error, Executable, Limits, Reference};
use std::rc::Rc;

const PROGRAM: &str = "
fn sum_to(n: i64) -> i64 {
  r = if eq n 0 { 0 } else {
    rest = sum_to(sub n 1)
    add rest n
  }
  ret r
}
fn count(n: i64, steps: i64) -> i64 {
  r = if eq n 0 { steps } else {
    next = count(sub n 1, add steps 1)
    next
  }
  ret r
}
fn again(n: i64) -> i64 {
  r = again(n)
  ret r
}
fn through_each(n: i64) -> [2]i64 {
  r = if eq n 0 { [1, 2]i64 } else {
    xs = [1, 2]i64
    ys = each 2 below(xs[_], n)
    ys
  }
  ret r
}
fn below(x: i64, n: i64) -> i64 {
  ys = through_each(sub n 1)
  ret x
}
";

fn run(limits: Limits, function: &str, args: &[i64]) -> Result<Value, Error> {
    let executable = Executable::new(&program(PROGRAM), Rc::new(Reference::default()))?.with_limits(limits);
    let args: Vec<Value> = args.iter().map(|&arg| Value::Scalar(Scalar::I64(arg))).collect();
    let mut results = executable.run(function, &[], &args, &mut TestWorld::default())?;
    Ok(results.remove(0))
}

#[test]
fn recursion_may_be_a_million_deep() {
    let result = run(Limits::default(), "sum_to", &[1_000_000]).unwrap();
    assert_eq!(result.to_string(), "500000500000");
}

#[test]
fn calls_in_tail_position_take_no_room() {
    let result = run(Limits { depth: 1 }, "count", &[1_000_000, 0]).unwrap();
    assert_eq!(result.to_string(), "1000000");
}

#[test]
fn recursion_beyond_the_limit_is_an_error() {
    let error = run(Limits { depth: 100 }, "sum_to", &[100]).map(|_| ()).err();
    assert_eq!(error, None, "a hundred calls inside the first are allowed");
    let error = run(Limits { depth: 100 }, "sum_to", &[101]).unwrap_err();
    assert_eq!(error.to_string(), "`sum_to` is called inside more than 100 other calls");
    assert!(error.diagnostic().help.unwrap().contains("tail position"));
}

#[test]
fn each_inside_each_takes_none_of_the_machines_stack() {
    assert_eq!(run(Limits::default(), "through_each", &[12]).unwrap().to_string(), "[1, 2]");
}
