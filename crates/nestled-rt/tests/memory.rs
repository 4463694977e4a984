//! Memory: what happens when there is not enough, and what is given back.

use crate::common::program;
use nestled_ir::Scalar;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_rt::device::Device;
use nestled_rt::{Error, Executable, Reference, ReferenceConfig};
use std::rc::Rc;

const PROGRAM: &str = "
kernel spread<m>() over m {
  large = map { i => i64 i }
  ret large
}
kernel total(xs: [n]i64) over n {
  s = reduce { i => xs[i] } add
  ret s
}
kernel shift(xs: [n]i64) over n {
  y = map { i => add xs[i] 1 }
  ret y
}
kernel write<m, n>(old: [m]i64, at: [n]idx) over n {
  ys = permute to [m] base old range drop clash last { i => at[i], 7i64 }
  ret ys
}
fn sum(n: idx) -> i64 {
  m = dim n
  xs = run spread<m>()
  s = run total<m>(xs)
  ret s
}
fn steps<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if eq k 0 { xs } else {
    ys = run shift<n>(xs)
    zs = steps<n>(ys, sub k 1)
    zs
  }
  ret r
}
fn put(n: idx) -> (m: dim, [m]i64) {
  m = dim n
  xs = run spread<m>()
  at = [0, 2]idx
  ys = run write<m, 2>(xs, at)
  ret m, ys
}
fn keep(n: idx) -> (m: dim, [m]i64, [m]i64) {
  m = dim n
  xs = run spread<m>()
  at = [0, 2]idx
  ys = run write<m, 2>(xs, at)
  ret m, xs, ys
}
";

fn small(deferred: bool, memory: u64) -> (Rc<Reference>, Executable) {
    let config = ReferenceConfig { deferred, memory, ..ReferenceConfig::default() };
    let device = Rc::new(Reference::new(config));
    let executable = Executable::new(&program(PROGRAM), Rc::clone(&device) as _).unwrap();
    (device, executable)
}

fn call(executable: &Executable, function: &str, n: i64) -> Result<String, Error> {
    let args = [Value::Scalar(Scalar::Idx(n))];
    let results = executable.run(function, &[], &args, &mut TestWorld::default())?;
    Ok(results.last().unwrap().to_string())
}

#[test]
fn too_little_memory_is_an_error_that_says_what_for() {
    for deferred in [false, true] {
        let (device, executable) = small(deferred, 1000);
        let error = call(&executable, "sum", 200).unwrap_err();
        assert_eq!(error.to_string(), "out of memory: `large` takes 1600 bytes, but 1000 are free");
        assert!(error.diagnostic().labels[0].span.is_known());
        assert_eq!(call(&executable, "sum", 100).unwrap(), "4950", "afterwards the executable still runs");
        let error = call(&executable, "sum", i64::MAX).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        device.wait().unwrap();
        assert_eq!(device.bytes_in_use(), 0);
    }
}

#[test]
fn the_error_says_what_is_held() {
    for deferred in [false, true] {
        let (_, executable) = small(deferred, 1000);
        let error = call(&executable, "keep", 100).unwrap_err();
        let text = error.diagnostic().render(&program(PROGRAM).sources);
        assert!(error.to_string().starts_with("out of memory: `ys` takes 800 bytes, but "), "{error}");
        assert!(
            text.contains("= note: held at that moment: `large` 800 bytes, `a literal` 16 bytes\n"),
            "{text}"
        );
        // What was held has been given back.
        let error = call(&executable, "sum", 200).unwrap_err();
        assert!(!error.diagnostic().render(&program(PROGRAM).sources).contains("large` 800"), "{error}");
    }
}

#[test]
fn what_is_queued_gives_its_memory_back_before_anybody_gives_up() {
    let (_, executable) = small(true, 1000);
    let args = [Value::Array(Array::vector(Buffer::I64(vec![1, 2]))), Value::Scalar(Scalar::I64(1000))];
    let shapes = [AxisValue::Extent(2)];
    let results = executable.run("steps", &shapes, &args, &mut TestWorld::default()).unwrap();
    assert_eq!(results[0].to_string(), "[1001, 1002]");
}

#[test]
fn a_scatter_at_the_last_use_is_done_in_place() {
    for deferred in [false, true] {
        let (_, executable) = small(deferred, 100);
        assert_eq!(call(&executable, "put", 8).unwrap(), "[7, 1, 7, 3, 4, 5, 6, 7]");
        let error = call(&executable, "keep", 8).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { wanted: 64, .. }), "{error}");
    }
}

#[test]
fn arguments_that_the_caller_holds_are_not_written_over() {
    let (device, executable) = small(true, 1000);
    let args = executable.put(&[Value::Scalar(Scalar::Idx(3))]).unwrap();
    let kept = executable.run_handles("put", &[], &args, &mut TestWorld::default()).unwrap();
    let before = kept[1].to_value().unwrap().to_string();
    let steps = executable.put(&[Value::Scalar(Scalar::I64(2))]).unwrap().remove(0);
    let shapes = kept[1].axes();
    let more = [kept[1].clone(), steps];
    let later = executable.run_handles("steps", &shapes, &more, &mut TestWorld::default()).unwrap();
    assert_eq!(later[0].to_value().unwrap().to_string(), "[9, 3, 9]");
    assert_eq!(kept[1].to_value().unwrap().to_string(), before);
    drop((kept, later, more, shapes, args, executable));
    device.wait().unwrap();
    assert_eq!(device.bytes_in_use(), 0);
}

#[test]
fn an_array_without_elements_may_have_huge_extents() {
    let text = "
kernel nothing<n, m>() over n, n, m {
  y = map { i, j, k => i }
  ret y
}
fn main<n, m>() -> [n, n, m]idx {
  y = run nothing<n, m>()
  ret y
}
";
    let executable = Executable::new(&program(text), Rc::new(Reference::deferred())).unwrap();
    let shapes = executable.put(&[Value::Dim(1 << 40), Value::Dim(0)]).unwrap();
    let made = executable.run_handles("main", &shapes, &[], &mut TestWorld::default()).unwrap();
    assert_eq!(made.len(), 1);
}

#[test]
fn a_result_gives_back_what_it_was_given_too_much() {
    let text = "
kernel few(xs: [n]i64) over n {
  p = map { i => gt xs[i] 90 }
  (k, ys) = filter where p { i => xs[i] }
  ret k, ys
}
fn main<n>(xs: [n]i64) -> (k: dim, [k]i64) {
  (k, ys) = run few<n>(xs)
  check (le k n) \"asks for the length\"
  ret k, ys
}";
    let device = Rc::new(Reference::deferred());
    let executable = Executable::new(&program(text), Rc::clone(&device) as _).unwrap();
    let xs = Value::Array(Array::vector(Buffer::I64((0..100).collect())));
    let shapes = [AxisValue::Extent(100)];
    let results = executable.start("main", &shapes, &[xs], &mut TestWorld::default()).unwrap();
    device.wait().unwrap();
    assert_eq!(device.bytes_in_use(), 8 + 9 * 8, "a length and nine numbers");
    assert_eq!(results[1].to_value().unwrap().to_string(), "[91, 92, 93, 94, 95, 96, 97, 98, 99]");
}

#[test]
fn points_that_no_extent_can_count_are_an_error() {
    let text = "
fn cube(n: idx) -> idx {
  k = dim n
  s = size [k, k, k]
  ret (add s 0)
}
fn regular_(n: idx) -> [2, 2]idx {
  k = dim n
  r = regular [2, 2] k
  a = starts r
  ret a
}
kernel twice(x: i64) over 2 {
  y = map { i => x }
  ret y
}
fn sum(n: idx) -> idx {
  xs = run twice(i64 n)
  s = segments xs
  k = size [s]
  ret (add k 0)
}";
    for deferred in [false, true] {
        let device = Rc::new(if deferred { Reference::deferred() } else { Reference::default() });
        let executable = Executable::new(&program(text), device).unwrap();
        let most = i64::MAX;
        for (function, n, result) in [
            ("cube", 2_097_151, "9223358842721533951"),
            ("regular_", most / 4, "[[0, 2305843009213693951], [4611686018427387902, 6917529027641081853]]"),
            ("sum", most / 2, "9223372036854775806"),
        ] {
            assert_eq!(call(&executable, function, n).unwrap(), result);
            let error = call(&executable, function, n + 1).unwrap_err();
            assert!(matches!(error, Error::Points { .. }), "{function}: {error}");
        }
    }
}
