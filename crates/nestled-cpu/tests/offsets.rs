//! Offsets of segments are kept with lengths that many runs share: only the first run adds them up, and nobody sees that.

use nestled_cpu::device::{CacheChoice, CpuConfig, CpuDevice};
use nestled_ir::interp::TestWorld;
use nestled_ir::text;
use nestled_ir::value::{Array, Buffer, Value};
use nestled_rt::device::Device;
use nestled_rt::{Counters, Executable, Handle, SharedArray};
use std::cell::RefCell;
use std::rc::Rc;

const PROGRAM: &str = "
kernel owners<n, s: seg[n]>() over n, s {
  y = map { i, j => i64 i }
  ret y
}
kernel next(xs: [n]i64) over n {
  y = map { i => add xs[i] 1 }
  ret y
}
fn owners<n>(ls: [n]i64) -> (t: dim, [t]i64) {
  s = segments ls
  y = run owners<n, s>()
  t = size [s]
  flat = reshape y [t]
  ret t, flat
}
fn twice<n>(ls: [n]i64) -> (t: dim, [t]i64, u: dim, [u]i64) {
  s = segments ls
  y = run owners<n, s>()
  t = size [s]
  flat = reshape y [t]
  more = run next<n>(ls)
  r = segments more
  z = run owners<n, r>()
  u = size [r]
  other = reshape z [u]
  ret t, flat, u, other
}
";

fn device() -> Rc<CpuDevice> {
    Rc::new(CpuDevice::new(CpuConfig {
        threads: Some(1),
        disk_cache: CacheChoice::Off,
        ..CpuConfig::default()
    }))
}

fn executable(device: &Rc<CpuDevice>) -> (Executable, Rc<RefCell<Counters>>) {
    let program = text::parse("offsets.lcu", PROGRAM).unwrap();
    nestled_ir::verify::verify(&program).unwrap();
    let counters: Rc<RefCell<Counters>> = Rc::default();
    let executable = Executable::new(&program, Rc::clone(device) as Rc<dyn Device>)
        .unwrap()
        .with_trace(Rc::clone(&counters) as _);
    (executable, counters)
}

fn shared(executable: &Executable, lengths: &[i64]) -> SharedArray {
    let value = Value::Array(Array::vector(Buffer::I64(lengths.to_vec())));
    executable.put(&[value]).unwrap().remove(0).share().unwrap()
}

/// The vectors that a function gives for lengths, and how many native operations that took.
fn run(
    (executable, counters): &(Executable, Rc<RefCell<Counters>>),
    function: &str,
    lengths: &SharedArray,
    count: usize,
) -> (Vec<Vec<i64>>, u64) {
    let before = counters.borrow().natives;
    let lengths = executable.adopt(lengths).unwrap();
    let n = Handle::extent(executable.device(), count as u64);
    let results = executable.run_handles(function, &[n], &[lengths], &mut TestWorld::default()).unwrap();
    let vectors = results.iter().filter_map(|handle| match handle.to_value().unwrap() {
        Value::Array(array) => {
            Some((0..array.data.len()).map(|at| array.data.get(at).as_integer().unwrap()).collect())
        }
        _ => None,
    });
    let vectors = vectors.collect();
    (vectors, counters.borrow().natives - before)
}

#[test]
fn the_first_run_adds_them_up() {
    let device = device();
    let programs = [executable(&device), executable(&device)];
    let lengths = shared(&programs[0].0, &[2, 0, 3]);
    let expected = vec![vec![0, 0, 2, 2, 2]];
    let (found, first) = run(&programs[0], "owners", &lengths, 3);
    assert_eq!(found, expected);
    assert!(first > 0);
    // Another program of the same device, too.
    for program in &programs {
        assert_eq!(run(program, "owners", &lengths, 3), (expected.clone(), first - 1));
    }
    // Lengths that are made in a run are nobody's.
    let both = vec![vec![0, 0, 2, 2, 2], vec![0, 0, 0, 1, 2, 2, 2, 2]];
    let (found, natives) = run(&programs[0], "twice", &lengths, 3);
    assert_eq!(found, both);
    assert_eq!(run(&programs[0], "twice", &lengths, 3), (both, natives));
}

#[test]
fn another_thread_finds_them() {
    let device = device();
    let program = executable(&device);
    let lengths = shared(&program.0, &[1, 2]);
    let (expected, first) = run(&program, "owners", &lengths, 2);
    let there = std::thread::spawn(move || {
        let program = executable(&self::device());
        (run(&program, "owners", &lengths, 2), run(&program, "owners", &lengths, 2))
    });
    let once = (expected, first - 1);
    assert_eq!(there.join().unwrap(), (once.clone(), once));
}

#[test]
fn they_go_with_the_lengths() {
    let device = device();
    let program = executable(&device);
    for _ in 0..3 {
        let lengths = shared(&program.0, &[4; 1000]);
        assert_eq!(run(&program, "owners", &lengths, 1000).0[0].len(), 4000);
        assert_eq!(run(&program, "owners", &lengths, 1000).0[0].len(), 4000);
        drop(lengths);
        assert_eq!(device.bytes_in_use(), 0);
    }
}

/// A negative length is a fault in every run.
#[test]
fn those_of_a_fault_are_not_kept() {
    let device = device();
    let (executable, _) = executable(&device);
    let lengths = shared(&executable, &[2, -1, 3]);
    for _ in 0..3 {
        let there = executable.adopt(&lengths).unwrap();
        let n = Handle::extent(executable.device(), 3);
        let error = executable.run_handles("owners", &[n], &[there], &mut TestWorld::default()).unwrap_err();
        assert!(error.to_string().contains("-1"), "{error}");
    }
}
