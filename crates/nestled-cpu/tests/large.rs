//! Results that are larger than the caches: they are written past them, and filters place piece by piece.

use nestled_cpu::device::{CacheChoice, CpuConfig, CpuDevice};
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value, same_bits};
use nestled_rt::Executable;
use std::rc::Rc;
use std::sync::Arc;

const PROGRAM: &str = "
kernel flat(xs: [n]f32, ks: [n]i32) over n {
  y = map { i => fma xs[i] 2.0 1.0 }
  t = scan { i => ks[i] } add exclusive forward
  p = map { i => ne (rem ks[i] 10) 0 }
  (k, kept) = filter where p { i => ks[i] }
  c = reduce { i => xs[i] } add
  ret y, t, k, kept, c
}
kernel sums(xs: [n]f32, ys: [n]f32) over n {
  s = scan { i => xs[i] } add inclusive forward
  z = map { i => add ys[i - 3 clamp] ys[i + 2 clamp] }
  ret s, z
}
kernel back(xs: [n]f32, ys: [n]f32) over n {
  s = scan { i => xs[i] } add exclusive backward
  z = map { i => add ys[i - 3 clamp] ys[i + 2 clamp] }
  ret s, z
}
kernel grid(xs: [m, l]f32) over m, l {
  z = map { i, j => add xs[i, j] xs[i, j - 1 clamp] }
  ret z
}
fn main<n>(xs: [n]f32, ks: [n]i32) -> ([n]f32, [n]i32, k: dim, [k]i32, f32) {
  (y, t, k, kept, c) = run flat(xs, ks)
  ret y, t, k, kept, c
}
fn chained<n>(xs: [n]f32, ys: [n]f32) -> ([n]f32, [n]f32, [n]f32) {
  (s, z) = run sums(xs, ys)
  (b, w) = run back(xs, ys)
  ret s, z, b
}
fn rows<m, l>(xs: [m, l]f32) -> [m, l]f32 {
  z = run grid(xs)
  ret z
}
";

fn run(threads: usize, name: &str, shapes: &[u64], args: &[Value]) -> Vec<Arc<Buffer>> {
    let program = nestled_ir::text::parse("large.lcu", PROGRAM).unwrap_or_else(|failure| panic!("{failure}"));
    nestled_ir::verify::verify(&program).unwrap_or_else(|found| panic!("{found:#?}"));
    let config = CpuConfig { threads: Some(threads), disk_cache: CacheChoice::Off, ..CpuConfig::default() };
    let executable = Executable::new(&program, Rc::new(CpuDevice::new(config))).unwrap();
    let shapes: Vec<AxisValue> = shapes.iter().map(|&extent| AxisValue::Extent(extent)).collect();
    let results = executable.run(name, &shapes, args, &mut TestWorld::default()).unwrap();
    let data = |value: &Value| match value {
        Value::Array(array) => Arc::clone(&array.data),
        other => {
            Arc::new(Buffer::from_scalars(other.as_scalar().unwrap().ty(), &[other.as_scalar().unwrap()]))
        }
    };
    results.iter().map(data).collect()
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|at| (at * 7919 % 1009) as f32 / 64.0 - 7.0).collect()
}

fn vector(buffer: Buffer) -> Value {
    Value::Array(Array::vector(buffer))
}

fn same(found: &Arc<Buffer>, wanted: Buffer) -> bool {
    same_bits(&Value::Array(Array::vector(Arc::clone(found))), &vector(wanted))
}

fn bits(buffer: &Buffer) -> Vec<u32> {
    let Buffer::F32(values) = buffer else { panic!("{:?}", buffer.elem()) };
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn what_goes_past_the_caches_is_what_was_meant() {
    // Below the size and above it, with ends that fill no vector.
    for n in [100_003, 5_000_011] {
        let (xs, ks) = (floats(n), (0..n as i32).map(|at| at % 1000 - 300).collect::<Vec<i32>>());
        let y: Vec<f32> = xs.iter().map(|x| x.mul_add(2.0, 1.0)).collect();
        let add = |sum: &mut i32, k: &i32| {
            let before = *sum;
            *sum = sum.wrapping_add(*k);
            Some(before)
        };
        let t: Vec<i32> = ks.iter().scan(0, add).collect();
        let kept: Vec<i32> = ks.iter().copied().filter(|k| k % 10 != 0).collect();
        let args = [vector(Buffer::F32(xs)), vector(Buffer::I32(ks))];
        let one = run(1, "main", &[n as u64], &args);
        for found in [&one, &run(2, "main", &[n as u64], &args)] {
            assert!(same(&found[0], Buffer::F32(y.clone())), "{n}");
            assert!(same(&found[1], Buffer::I32(t.clone())), "{n}");
            assert!(same(&found[2], Buffer::Idx(vec![kept.len() as i64])), "{n}");
            assert!(same(&found[3], Buffer::I32(kept.clone())), "{n}");
            assert_eq!(bits(&found[4]), bits(&one[4]), "{n}");
        }
    }
}

#[test]
fn scans_have_the_same_bits_on_any_number_of_threads() {
    for n in [200_003, 2_500_001] {
        let args = [vector(Buffer::F32(floats(n))), vector(Buffer::F32(floats(n)))];
        let (one, two) = (run(1, "chained", &[n as u64], &args), run(2, "chained", &[n as u64], &args));
        for (one, two) in one.iter().zip(&two) {
            assert!(bits(one) == bits(two), "{n}");
        }
        // Large results are made by another version; the first sums do not tell how many follow.
        let short = [100_000, 100_000].map(|n| vector(Buffer::F32(floats(n))));
        let short = run(1, "chained", &[100_000], &short);
        assert!(bits(&short[0]) == bits(&one[0])[..100_000]);
        assert!(bits(&short[1])[..99_000] == bits(&one[1])[..99_000]);
    }
}

#[test]
fn rows_begin_anywhere() {
    for (rows, length) in [(20_000, 301), (40, 150_001), (1_000_000, 5)] {
        let xs = floats(rows * length);
        let row =
            |row: &[f32]| -> Vec<f32> { (0..length).map(|at| row[at] + row[at.saturating_sub(1)]).collect() };
        let z: Vec<f32> = xs.chunks(length).flat_map(row).collect();
        let shape = [rows, length].map(|extent| AxisValue::Extent(extent as u64));
        let args = [Value::Array(Array::dense(shape.into(), Buffer::F32(xs)))];
        let found = run(2, "rows", &[rows as u64, length as u64], &args);
        assert!(same(&found[0], Buffer::F32(z)), "{rows} × {length}");
    }
}
