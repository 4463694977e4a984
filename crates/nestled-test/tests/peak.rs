//! How much memory programs hold at most: what the values that are alive at once need, however many the program names.

use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_ir::interp::{Interrupt, TestWorld};
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Program, Scalar, render_all, text, verify};
use nestled_rt::device::Device;
use nestled_rt::{Error, Executable, Reference};
use std::rc::Rc;
use std::time::{Duration, Instant};

const KERNELS: &str = "
kernel next(xs: [n]i64) over n {
  y = map { i => add xs[i] 1 }
  ret y
}
kernel blur(xs: [n]i64) over n {
  y = map { i => add xs[i] xs[i - 1 clamp] }
  ret y
}
kernel plus(xs: [n]i64, ys: [n]i64) over n {
  z = map { i => add xs[i] ys[i] }
  ret z
}
kernel narrow(xs: [n]i64) over n {
  y = map { i => i32 xs[i] }
  ret y
}
kernel total(xs: [n]i64) over n {
  s = reduce { i => xs[i] } add
  ret s
}
kernel centre(xs: [n]i64) over n {
  s = reduce { i => xs[i] } add
  p = scan { i => sub xs[i] s } add inclusive forward
  ret p
}
kernel put(xs: [n]i64, ys: [n]i64, k: i64) over n {
  z = permute to [n] base ys range drop clash last { i => add i (idx k), xs[i] }
  ret z
}
kernel above(xs: [n]i64, k: i64) over n {
  p = map { i => gt xs[i] k }
  (m, ys) = filter where p { i => xs[i] }
  ret m, ys
}
";

/// Devices that interpret kernels: their results may always take the place of arguments.
fn interpreting() -> Vec<Rc<dyn Device>> {
    let config = CpuConfig { threads: Some(1), llvm: false, ..CpuConfig::default() };
    vec![Rc::new(Reference::default()), Rc::new(Reference::deferred()), Rc::new(CpuDevice::new(config))]
}

/// Devices that compile kernels if there is an LLVM.
fn compiling() -> [Rc<CpuDevice>; 2] {
    let config = |threads| CpuConfig { threads: Some(threads), ..CpuConfig::default() };
    [1, 2].map(|threads| Rc::new(CpuDevice::new(config(threads))))
}

/// Runs `main` of a program on `0..n` and numbers; the most that it held, in arrays of `n`, and what it gave.
fn peak(functions: &str, n: usize, numbers: &[i64], device: Rc<dyn Device>) -> (f64, Vec<Value>) {
    let source = format!("{KERNELS}{functions}");
    let program: Program = text::parse("peak.lcu", &source)
        .unwrap_or_else(|failure| panic!("{}", render_all(&failure.diagnostics, &failure.sources)));
    verify::verify(&program).unwrap_or_else(|errors| panic!("{}", render_all(&errors, &program.sources)));
    let executable = Executable::new(&program, device).unwrap();
    let mut args = vec![Value::Array(Array::vector(Buffer::I64((0..n as i64).collect())))];
    args.extend(numbers.iter().map(|&number| Value::Scalar(Scalar::I64(number))));
    let shapes = [AxisValue::Extent(n as u64)];
    let results = executable.run("main", &shapes, &args, &mut TestWorld::default()).unwrap();
    (executable.peak_bytes() as f64 / (8 * n) as f64, results)
}

/// Checks the peak on all devices, in arrays, and one result's first element.
fn check(functions: &str, n: usize, numbers: &[i64], arrays: f64, first: i64) {
    let compiling = compiling();
    let cpus = compiling.iter().map(|cpu| (Rc::clone(cpu) as Rc<dyn Device>, Some(cpu)));
    for (device, cpu) in interpreting().into_iter().map(|device| (device, None)).chain(cpus) {
        let name = device.describe().name.clone();
        let (found, results) = peak(functions, n, numbers, device);
        // Numbers on the device and shapes are small beside arrays.
        assert!(found <= arrays + 0.1, "{name}: {found} arrays and not {arrays}");
        if cpu.is_some_and(|cpu| cpu.hint().is_none()) {
            assert!(found >= arrays, "{name}: {found} arrays and not {arrays}");
        }
        let Value::Array(array) = results.last().unwrap() else { panic!("an array is wanted") };
        assert_eq!(array.data.get(0).as_integer(), Some(first), "{name}");
    }
}

/// A chain of a hundred runs of a kernel.
fn chain(kernel: &str) -> String {
    let mut text = "fn main<n>(x0: [n]i64) -> [n]i64 {\n".to_owned();
    for at in 0..100 {
        text.push_str(&format!("  x{} = run {kernel}<n>(x{at})\n", at + 1));
    }
    text + "  ret x100\n}"
}

#[test]
fn a_chain_takes_one_array_where_elements_are_replaced() {
    check(&chain("next"), 1000, &[], 1.0, 100);
}

#[test]
fn a_chain_takes_two_arrays_where_neighbours_are_read() {
    check(&chain("blur"), 1000, &[], 2.0, 0);
}

#[test]
fn scans_after_a_sum_replace_elements_too() {
    let text =
        "fn main<n>(xs: [n]i64) -> [n]i64 {\n  a = run centre<n>(xs)\n  b = run centre<n>(a)\n  ret b\n}";
    let numbers: Vec<i64> = (0..3000).collect();
    let centre = |xs: &[i64]| -> Vec<i64> {
        let sum: i64 = xs.iter().sum();
        xs.iter()
            .scan(0i64, |prefix, x| {
                *prefix = prefix.wrapping_add(x - sum);
                Some(*prefix)
            })
            .collect()
    };
    let once = centre(&numbers);
    let sum = once.iter().fold(0i64, |sum, x| sum.wrapping_add(*x));
    check(text, 3000, &[], 1.0, once[0].wrapping_sub(sum));
}

#[test]
fn what_is_needed_later_stays() {
    let text = "fn main<n>(xs: [n]i64) -> [n]i64 {
  a = run next<n>(xs)
  b = run next<n>(a)
  c = run plus<n>(a, b)
  d = run plus<n>(c, xs)
  ret d
}";
    // `xs`, `a` and `b`; then `c` takes the place of one of the two, and `d` of another.
    check(text, 1000, &[], 3.0, 3);
}

#[test]
fn another_type_takes_another_place() {
    let text =
        "fn main<n>(xs: [n]i64) -> [n]i32 {\n  a = run next<n>(xs)\n  b = run narrow<n>(a)\n  ret b\n}";
    check(text, 1000, &[], 1.5, 1);
}

#[test]
fn loops_by_tail_calls_hold_one_round() {
    for (kernel, arrays, first) in [("next", 1.0, 100_000), ("blur", 2.0, 0)] {
        let text = format!(
            "fn main<n>(xs: [n]i64, k: i64) -> [n]i64 {{
  r = if eq k 0 {{ xs }} else {{
    ys = run {kernel}<n>(xs)
    zs = main<n>(ys, sub k 1)
    zs
  }}
  ret r
}}"
        );
        check(&text, 4, &[100_000], arrays, first);
    }
}

#[test]
fn recursion_moves_its_arguments() {
    let text = "fn main<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if eq k 0 { xs } else {
    ys = run next<n>(xs)
    zs = main<n>(ys, sub k 1)
    ws = run next<n>(zs)
    ws
  }
  ret r
}";
    check(text, 50, &[1000], 1.0, 2000);
}

#[test]
fn recursion_that_needs_its_argument_afterwards_holds_it() {
    let text = "fn main<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if eq k 0 { xs } else {
    ys = run next<n>(xs)
    zs = main<n>(ys, sub k 1)
    ws = run plus<n>(zs, xs)
    ws
  }
  ret r
}";
    // `xs` of ten calls, and what the last returns.
    check(text, 50, &[10], 11.0, 55);
}

#[test]
fn a_branch_lets_go_of_what_only_the_other_needs() {
    let text = "fn main<n>(xs: [n]i64, k: i64) -> [n]i64 {
  a = run blur<n>(xs)
  b = run blur<n>(xs)
  r = if gt k 0 {
    c = run blur<n>(a)
    d = run blur<n>(c)
    d
  } else {
    c = run blur<n>(b)
    d = run plus<n>(a, c)
    e = run blur<n>(d)
    e
  }
  ret r
}";
    check(text, 1000, &[1], 3.0, 0);
    check(text, 1000, &[-1], 3.0, 0);
}

#[test]
fn results_of_branches_calls_and_functions_are_not_copied() {
    let text = "fn main<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if gt k 0 {
    a = pass<n>(xs)
    a
  } else {
    xs
  }
  b = pass<n>(r)
  c = run next<n>(b)
  ret c
}
fn pass<n>(xs: [n]i64) -> [n]i64 {
  ret xs
}";
    check(text, 1000, &[1], 1.0, 1);
    check(text, 1000, &[0], 1.0, 1);
}

#[test]
fn parts_are_put_into_one_array() {
    let text = "fn main<n>(xs: [n]i64) -> [n]i64 {
  a = run next<n>(xs)
  b = run put<n>(xs, a, 500)
  c = run put<n>(xs, b, 700)
  d = run put<n>(xs, c, 900)
  ret d
}";
    check(text, 1000, &[], 2.0, 1);
}

#[test]
fn what_a_filter_did_not_need_is_given_back() {
    let text = "fn main<n>(xs: [n]i64, k: i64) -> (m: dim, [m]i64) {
  (m, ys) = run above<n>(xs, k)
  s = run total<m>(ys)
  check (gt s 0) \"asks for the number\"
  zs = run blur<m>(ys)
  ws = run blur<m>(zs)
  ret m, ws
}";
    // The filter is given its bound; what follows takes a tenth.
    check(text, 1000, &[899], 2.0, 3600);
}

#[test]
fn what_callers_hold_is_not_written_over() {
    let source = format!("{KERNELS}{}", chain("next"));
    let program = text::parse("peak.lcu", &source).unwrap();
    let compiling = compiling().map(|device| device as Rc<dyn Device>);
    for device in interpreting().into_iter().chain(compiling) {
        let executable = Executable::new(&program, device).unwrap();
        let xs = Value::Array(Array::vector(Buffer::I64(vec![5, 6])));
        let handles = executable.put(&[xs]).unwrap();
        let (shapes, mut world) = (handles[0].axes(), TestWorld::default());
        let results = executable.run_handles("main", &shapes, &handles, &mut world).unwrap();
        assert_eq!(results[0].to_value().unwrap().to_string(), "[105, 106]");
        assert_eq!(handles[0].to_value().unwrap().to_string(), "[5, 6]");
    }
}

/// Runs `main` of a program on `0..n` on a CPU with so many megabytes.
fn on_little_memory(functions: &str, n: usize, megabytes: u64) -> Result<Vec<Value>, Error> {
    let source = format!("{KERNELS}{functions}");
    let program = text::parse("little.lcu", &source)
        .unwrap_or_else(|failure| panic!("{}", render_all(&failure.diagnostics, &failure.sources)));
    let config = CpuConfig { threads: Some(2), memory: Some(megabytes << 20), ..CpuConfig::default() };
    let executable = Executable::new(&program, Rc::new(CpuDevice::new(config)))?;
    let args = [Value::Array(Array::vector(Buffer::I64((0..n as i64).rev().collect())))];
    executable.run("main", &[AxisValue::Extent(n as u64)], &args, &mut TestWorld::default())
}

#[test]
fn what_sorting_takes_for_itself_counts() {
    let text = "fn main<n>(xs: [n]i64) -> [n]i64 {\n  ys = sort ascending xs\n  ret ys\n}";
    // Eight megabytes of keys, as many of results, and twice as many of records.
    let error = on_little_memory(text, 1 << 20, 28).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { wanted: 0x100_0000, .. }), "{error}");
    assert_eq!(
        on_little_memory(text, 1 << 20, 40).unwrap()[0].as_array().unwrap().data.get(5),
        Scalar::I64(5)
    );
}

#[test]
fn what_a_launch_takes_for_itself_counts() {
    let text = "
kernel twice(xs: [n]i64) over n {
  a = map { i => add xs[i] 1 }
  b = map { i => add a[i] a[i - 1 clamp] }
  ret b
}
fn main<n>(xs: [n]i64) -> [n]i64 {
  ys = run twice<n>(xs)
  zs = run twice<n>(ys)
  ret zs
}";
    let [cpu, _] = compiling();
    peak(&chain("next"), 10, &[], Rc::clone(&cpu) as _);
    let compiled = cpu.hint().is_none();
    // `b` takes the place of `xs`, but `a` lies in memory beside it.
    let little = on_little_memory(text, 1 << 20, 13);
    assert!(!compiled || matches!(little, Err(Error::OutOfMemory { .. })), "{little:?}");
    let results = on_little_memory(text, 1 << 20, 24).unwrap();
    assert_eq!(results[0].as_array().unwrap().data.get(0), Scalar::I64((1 << 22) + 2));
}

#[test]
fn long_launches_end_when_somebody_wishes() {
    let text = "
kernel long(n: i64) over 268435456 {
  s = reduce { i =>
    x = for k in 0..3000 with (x = 1i64) { add (mul x 3) (i64 i) }
    x
  } add
  ret s
}
fn main(n: i64) -> i64 {
  s = run long(n)
  ret s
}";
    let program = text::parse("long.lcu", text)
        .unwrap_or_else(|failure| panic!("{}", render_all(&failure.diagnostics, &failure.sources)));
    let interrupt = Interrupt::default();
    let config = CpuConfig { threads: Some(2), interrupt: Some(interrupt.clone()), ..CpuConfig::default() };
    let executable = Executable::new(&program, Rc::new(CpuDevice::new(config))).unwrap();
    let start = Instant::now();
    let wish = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        interrupt.request();
    });
    let args = [Value::Scalar(Scalar::I64(1))];
    let outcome = executable.run("main", &[], &args, &mut TestWorld::default());
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
    assert!(start.elapsed() < Duration::from_secs(100), "all of it would take many minutes");
    wish.join().unwrap();
}
