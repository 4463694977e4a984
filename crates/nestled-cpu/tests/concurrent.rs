//! Independent launches that take one thread each run side by side, and nobody sees that.

use nestled_cpu::device::{CacheChoice, CpuConfig, CpuDevice};
use nestled_ir::interp::TestWorld;
use nestled_ir::value::Value;
use nestled_ir::{Scalar, text};
use nestled_rt::device::Device;
use nestled_rt::{Error, Executable};
use std::rc::Rc;

/// Loops of a single point, of which two do not depend on each other.
const PROGRAM: &str = "
kernel rounds(n: i64, from: i64) over 1 {
  r = reduce { i =>
    (x, _) = while (x = from, k = 0i64) { lt k n } do { add (mul x 6364136223846793005) 1442695040888963407, add k 1 }
    x
  } add
  ret r
}
kernel careful(n: i64, from: i64) over 1 {
  r = reduce { i =>
    (x, _) = while (x = from, k = 0i64) { lt k n } do { add (mul x 6364136223846793005) 1442695040888963407, add k 1 }
    check (ne from 13) \"unlucky\"
    x
  } add
  ret r
}
fn apart(n: i64, a: i64, b: i64) -> (i64, i64, i64) {
  x = run rounds(n, a)
  y = run rounds(n, b)
  z = run rounds(n, x)
  ret x, y, z
}
fn chained(n: i64, a: i64) -> i64 {
  x = run rounds(n, a)
  y = run rounds(n, x)
  z = run rounds(n, y)
  ret z
}
fn faults(n: i64, a: i64, b: i64) -> (i64, i64) {
  x = run careful(n, a)
  y = run careful(n, b)
  ret x, y
}
";

fn rounds(n: i64, from: i64) -> i64 {
    (0..n).fold(from, |x, _| x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407))
}

fn device(threads: usize) -> Rc<CpuDevice> {
    let disk_cache = CacheChoice::Off;
    Rc::new(CpuDevice::new(CpuConfig { threads: Some(threads), disk_cache, ..CpuConfig::default() }))
}

fn executable(device: &Rc<CpuDevice>) -> Executable {
    let program = text::parse("concurrent.lcu", PROGRAM).unwrap();
    nestled_ir::verify::verify(&program).unwrap();
    Executable::new(&program, Rc::clone(device) as Rc<dyn Device>).unwrap()
}

fn run(executable: &Executable, function: &str, args: &[i64]) -> Result<Vec<i64>, Error> {
    let args: Vec<Value> = args.iter().map(|&arg| Value::Scalar(Scalar::I64(arg))).collect();
    let results = executable.run(function, &[], &args, &mut TestWorld::default())?;
    let number = |value: Value| match value {
        Value::Scalar(Scalar::I64(number)) => number,
        other => panic!("{other:?}"),
    };
    Ok(results.into_iter().map(number).collect())
}

/// Long enough to be worth a thread on any machine.
const N: i64 = 100_000;

#[test]
fn independent_launches_run_side_by_side() {
    let device = device(2);
    let executable = executable(&device);
    for round in 0..4 {
        let (x, y) = (rounds(N, round), rounds(N, -round));
        let found = run(&executable, "apart", &[N, round, -round]).unwrap();
        assert_eq!(found, [x, y, rounds(N, x)]);
    }
    // The first times are measured.
    assert!(device.concurrent_launches() >= 4, "{} launches", device.concurrent_launches());
    assert_eq!(device.bytes_in_use(), 0);
}

#[test]
fn launches_that_depend_on_each_other_do_not() {
    let device = device(2);
    let executable = executable(&device);
    for from in 0..6 {
        let expected = rounds(N, rounds(N, rounds(N, from)));
        assert_eq!(run(&executable, "chained", &[N, from]).unwrap(), [expected]);
    }
    assert_eq!(device.concurrent_launches(), 0);
}

#[test]
fn one_thread_has_nobody_beside_it() {
    let device = device(1);
    let executable = executable(&device);
    for _ in 0..4 {
        run(&executable, "apart", &[N, 1, 2]).unwrap();
    }
    assert_eq!(device.concurrent_launches(), 0);
}

/// The fault is that of the first launch, and later runs know nothing of it.
#[test]
fn the_least_fault_is_told() {
    let device = device(2);
    let executable = executable(&device);
    for _ in 0..3 {
        assert_eq!(run(&executable, "faults", &[N, 1, 2]).unwrap(), [rounds(N, 1), rounds(N, 2)]);
        for (a, b) in [(13, 2), (2, 13), (13, 13)] {
            let error = run(&executable, "faults", &[N, a, b]).unwrap_err();
            assert!(matches!(&error, Error::Fault(_)), "{error}");
            assert!(error.to_string().contains("unlucky"), "{error}");
        }
    }
    assert!(device.concurrent_launches() > 0);
    assert_eq!(device.bytes_in_use(), 0);
}

#[test]
fn timed_launches_run_one_by_one() {
    let device = device(2);
    let executable = executable(&device);
    device.time_kernels(true);
    for _ in 0..4 {
        run(&executable, "apart", &[N, 1, 2]).unwrap();
    }
    assert_eq!(device.concurrent_launches(), 0);
}
