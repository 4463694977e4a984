//! What a device cannot do is said when the executable is made, or when it is called.

use crate::common::program;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{AxisValue, Value};
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::{Error, Executable, Reference, ReferenceConfig};
use std::rc::Rc;

const PROGRAM: &str = "
kernel normalise<n, m>(xs: [n, m]f64) over n, m {
  s = reduce @1 { i, j => xs[i, j] } add
  y = map { i, j => div xs[i, j] s[i] }
  ret y
}
fn main<n, m>(xs: [n, m]f64) -> [n, m]f64 {
  ys = run normalise(xs)
  ret ys
}
fn id(x: i64) -> i64 { ret x }
";

fn refusal(config: ReferenceConfig) -> Error {
    match Executable::new(&program(PROGRAM), Rc::new(Reference::new(config))) {
        Ok(_) => panic!("the program should be refused"),
        Err(error) => error,
    }
}

#[test]
fn kernels_over_the_limits_are_refused_with_help() {
    let error = refusal(ReferenceConfig { sweeps: 1, ..ReferenceConfig::default() });
    assert_eq!(error.to_string(), "the kernel `normalise` has 2 sweeps, but reference takes 1");
    assert!(error.diagnostic().help.unwrap().contains("split"));
    let types = vec![ScalarType::F32, ScalarType::I32, ScalarType::Idx];
    let error = refusal(ReferenceConfig { types, ..ReferenceConfig::default() });
    assert_eq!(error.to_string(), "the kernel `normalise` uses `f64`, which reference does not have");
    assert!(error.diagnostic().help.unwrap().contains("--precision 32"));
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let executable = Executable::new(&program(PROGRAM), Rc::new(Reference::default())).unwrap();
    let run = |name: &str, shapes: &[AxisValue], args: &[Value]| {
        executable.run(name, shapes, args, &mut TestWorld::default()).unwrap_err().to_string()
    };
    let one = Value::Scalar(Scalar::I64(1));
    assert_eq!(run("nobody", &[], &[]), "there is no function `nobody`");
    assert_eq!(run("id", &[], &[]), "1 arguments are wanted, not 0");
    assert_eq!(run("id", &[], &[Value::Scalar(Scalar::F32(1.0))]), "`i64` is wanted, not a `f32`");
    assert_eq!(run("main", &[], std::slice::from_ref(&one)), "2 shape arguments are wanted, not 0");
    let handles = executable.put(&[one]).unwrap();
    let error = executable.run_handles("main", &[], &handles, &mut TestWorld::default()).unwrap_err();
    assert_eq!(error.to_string(), "2 shape arguments are wanted, not 0");
}
