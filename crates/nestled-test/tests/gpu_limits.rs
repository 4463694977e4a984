//! What a GPU does not have: types, and memory. It is said in words, and the device goes on.

use nestled_ir::Scalar;
use nestled_ir::interp::TestWorld;
use nestled_ir::text::parse;
use nestled_ir::value::{Array, Buffer, Value};
use nestled_rt::{Counters, Error, Executable, run_on};
use nestled_test::gpu;
use nestled_wgpu::{WgpuConfig, WgpuDevice};
use std::cell::RefCell;
use std::rc::Rc;

const PROGRAM: &str = "
kernel ramp<n>() over n {
  xs = map { i => i32 i }
  ret xs
}
kernel squares(xs: [n]i32) over n {
  ys = map { i => mul xs[i] xs[i] }
  ret ys
}
kernel total(xs: [n]i32, ys: [n]i32, zs: [n]i32) over n {
  s = reduce { i => add xs[i] (add ys[i] zs[i]) } add
  ret s
}
fn main(n: i32) -> i32 {
  k = dim (idx n)
  xs = run ramp<k>()
  ys = run squares(xs)
  zs = run squares(ys)
  s = run total(xs, ys, zs)
  ret s
}
";

const WIDE: &str = "
kernel wide(x: f64) {
  y = once { add x 1.0 }
  ret y
}
fn main(x: f64) -> f64 {
  y = run wide(x)
  ret y
}
";

/// A private array for which there is no code.
const LARGE: &str = "
kernel tables(xs: [n]i32) over n {
  ys = map { i =>
    private table: [5000]i32
    table[xs[i]] = add xs[i] 1
    table[3]
  }
  ret ys
}
kernel first(xs: [n]i32) {
  x = once { add (mul xs[0] 1000) (add (mul xs[1] 100) (add (mul xs[2] 10) xs[3])) }
  ret x
}
fn main(n: i32) -> i32 {
  xs = [3, 19, 0, 3]i32
  ys = run tables(xs)
  r = run first(ys)
  ret add r n
}
";

fn open(config: WgpuConfig) -> Option<Rc<WgpuDevice>> {
    gpu::has_adapter().then(|| Rc::new(nestled_wgpu::open(config).expect("the adapter opens")))
}

fn call(device: &Rc<WgpuDevice>, text: &str, arg: Scalar) -> Result<String, Error> {
    let program = parse("limits.lcu", text).expect("it is well-formed");
    let device = Rc::clone(device) as _;
    let found = run_on(device, &program, "main", &[], &[Value::Scalar(arg)], &mut TestWorld::default());
    found.map(|values| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

#[test]
fn types_of_64_bits_are_refused_where_there_are_none() {
    let Some(narrow) = open(WgpuConfig { narrow: true, ..WgpuConfig::default() }) else { return };
    let refused = call(&narrow, WIDE, Scalar::F64(1.5)).expect_err("there are no floats of 64 bits");
    let Error::Unsupported { what, help, .. } = &refused else { panic!("{refused:?}") };
    assert!(what.contains("`wide` uses `f64`"), "{what}");
    assert!(help.contains("--precision 32"), "{help}");
    assert_eq!(call(&narrow, PROGRAM, Scalar::I32(10)), Ok("15663".to_owned()));
    assert_eq!(narrow.counts().interpreted.len(), 0, "{:?}", narrow.counts());
}

#[test]
fn an_array_over_the_limit_is_refused() {
    let Some(small) = open(WgpuConfig { memory: Some(1 << 20), ..WgpuConfig::default() }) else { return };
    let refused = call(&small, PROGRAM, Scalar::I32(1 << 20)).expect_err("four MiB are too many");
    assert!(refused.to_string().contains("1048576"), "{refused}");
    assert_eq!(call(&small, PROGRAM, Scalar::I32(10)), Ok("15663".to_owned()));
    assert_eq!(small.bytes_in_use(), 0);
}

#[test]
fn memory_that_runs_out_is_an_error_and_comes_back() {
    let Some(small) = open(WgpuConfig { memory: Some(1 << 20), ..WgpuConfig::default() }) else { return };
    // Each array fits, all three do not.
    let refused = call(&small, PROGRAM, Scalar::I32(120_000)).expect_err("there is no room");
    assert!(matches!(refused, Error::OutOfMemory { .. }), "{refused:?}");
    assert_eq!(call(&small, PROGRAM, Scalar::I32(10)), Ok("15663".to_owned()));
    assert_eq!(small.bytes_in_use(), 0);
}

#[test]
fn data_survives_when_memory_runs_out() {
    let Some(small) = open(WgpuConfig { memory: Some(1 << 20), ..WgpuConfig::default() }) else { return };
    let text = "
kernel grown<m>(xs: [n]i32) over m {
  ys = map { i => add xs[i wrap] 1 }
  ret ys
}
kernel last(xs: [n]i32, ys: [n]i32) over n {
  s = reduce { i => sub ys[i] xs[i] } add
  ret s
}
fn main(xs: [n]i32, k: idx) -> i32 {
  m = dim k
  ys = run grown<n, m>(xs)
  zs = run grown<m, m>(ys)
  s = run last(ys, zs)
  ret s
}
fn grow(xs: [n]i32) -> [n]i32 {
  ys = run grown<n, n>(xs)
  ret ys
}
";
    let program = parse("survives.lcu", text).expect("it is well-formed");
    let executable = Executable::new(&program, Rc::clone(&small) as _).expect("the device takes it");
    let world = &mut TestWorld::default();
    let xs = Value::Array(Array::vector(Buffer::I32(vec![5, 6, 7])));
    let given = executable.put(&[xs]).expect("it fits");
    let shapes = given[0].axes();
    let made = executable.run_handles("grow", &shapes, &given, world).expect("it fits");
    let mut run = |k: i64| {
        let k = executable.put(&[Value::Scalar(Scalar::Idx(k))])?;
        let args = [made[0].clone(), k[0].clone()];
        executable.run_handles("main", &shapes, &args, world)?[0].to_value()
    };
    let refused = run(180_000).expect_err("one array fits, two do not");
    assert!(matches!(refused, Error::OutOfMemory { .. }), "{refused:?}");
    assert_eq!(run(9).expect("there is room again").to_string(), "9");
    assert_eq!(given[0].to_value().expect("it is there").to_string(), "[5, 6, 7]");
    assert_eq!(made[0].to_value().expect("it is there").to_string(), "[6, 7, 8]");
    drop((given, made, shapes, executable));
    assert_eq!(small.bytes_in_use(), 0);
}

#[test]
fn what_the_host_does_is_seen_as_copies() {
    let Some(device) = open(WgpuConfig::default()) else { return };
    let traced = |text: &str| {
        let program = parse("copies.lcu", text).expect("it is well-formed");
        let executable = Executable::new(&program, Rc::clone(&device) as _).expect("the device takes it");
        let counters = Rc::new(RefCell::new(Counters::default()));
        let executable = executable.with_trace(Rc::clone(&counters) as _);
        let arg = [Value::Scalar(Scalar::I32(7))];
        let results = executable.run("main", &[], &arg, &mut TestWorld::default()).expect("it runs");
        let results: Vec<String> = results.iter().map(ToString::to_string).collect();
        let found = *counters.borrow();
        (results.join(" "), found)
    };
    let (result, counters) = traced(LARGE);
    assert_eq!(result, "4011");
    assert_eq!(device.counts().interpreted.len(), 1, "{:?}", device.counts());
    // Four numbers to the host; the literal to the device, and four numbers back.
    assert_eq!((counters.bytes_out, counters.bytes_in), (16, 16 + 16), "{counters:?}");
    let (result, counters) = traced(PROGRAM);
    assert_eq!(result, "2387");
    assert_eq!((counters.bytes_in, device.counts().interpreted.len()), (0, 1), "{counters:?}");
}

#[test]
fn a_sort_for_which_there_is_no_room_runs_on_the_host() {
    let Some(small) = open(WgpuConfig { memory: Some(1 << 20), ..WgpuConfig::default() }) else { return };
    let text = "
kernel keys<n>() over n {
  ks = map { i => sub 7 (rem (i32 i) 1000) }
  ret ks
}
kernel first(ks: [n]i32) {
  x = once { ks[3] }
  ret x
}
fn main(n: i32) -> i32 {
  k = dim (idx n)
  ks = run keys<k>()
  s = sort ascending ks
  x = run first(s)
  ret x
}
";
    assert_eq!(call(&small, text, Scalar::I32(10_000)), Ok("-992".to_owned()));
    assert_eq!(small.counts().native, 0);
    assert_eq!(call(&small, text, Scalar::I32(60_000)), Ok("-992".to_owned()));
    assert_eq!(small.counts().native, 1);
    assert_eq!(small.bytes_in_use(), 0);
}
