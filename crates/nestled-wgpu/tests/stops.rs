//! Runs on WebGPU that stop where they would wait: nothing blocks the thread, whatever they read, and whether they fault or are dropped.

use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Scalar, text, verify};
use nestled_rt::device::Device;
use nestled_rt::{Error, Executable, Reference};
use nestled_wgpu::{WgpuConfig, WgpuDevice, adapters, open};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

const PROGRAM: &str = "
kernel positive(xs: [n]i32) over n {
  p = map { i => gt xs[i proved] 0 }
  (k, ys) = filter where p { i => xs[i] }
  ret k, ys
}
kernel total(xs: [n]i32) over n {
  s = reduce { i => xs[i proved] } add
  ret s
}
kernel careful(xs: [n]i32, most: i32) over n {
  y = map { i =>
    check (ge xs[i proved] 0) \"negative\"
    check (le xs[i proved] most) \"large\"
    add xs[i proved] 1
  }
  ret y
}
kernel lengths_of(xs: [n]i32) over n {
  ls = map { i => idx xs[i proved] }
  ret ls
}
kernel ones<n, s: seg[n]>() over n, s {
  y = map { i, j => 1i32 }
  ret y
}
fn grow<n>(xs: [n]i32, k: i32) -> (j: dim, [j]i32) {
  s = run total<n>(xs)
  (j, r) = if gt s k { n, xs } else {
    ys = run careful<n>(xs, 100)
    (i, zs) = run positive<n>(ys)
    (j, ws) = grow<i>(zs, k)
    j, ws
  }
  ret j, r
}
fn fill<n>(xs: [n]i32) -> (s: seg[n], [s]i32) {
  ls = run lengths_of<n>(xs)
  s = segments ls
  ys = run ones<n, s>()
  ret s, ys
}
fn checked<n>(xs: [n]i32, most: i32) -> i32 {
  ys = run careful<n>(xs, most)
  s = run total<n>(ys)
  print s
  ret s
}
";

fn numbers(list: &[i32]) -> Value {
    Value::Array(Array::vector(Buffer::I32(list.to_vec())))
}

fn number(number: i32) -> Value {
    Value::Scalar(Scalar::I32(number))
}

const THREE: [AxisValue; 1] = [AxisValue::Extent(3)];

/// The program on a device.
fn on(device: Rc<dyn Device>) -> Executable {
    let program = text::parse("stops.lcu", PROGRAM).expect("it parses");
    verify::verify(&program).expect("it is well-formed");
    Executable::new(&program, device).expect("it compiles")
}

/// A device with the program on it, unless there is no adapter.
fn opened() -> Option<(Rc<WgpuDevice>, Executable)> {
    if adapters().is_empty() {
        eprintln!("SKIPPED: there is no WebGPU adapter");
        return None;
    }
    let device = Rc::new(open(WgpuConfig::default()).expect("the adapter opens"));
    Some((Rc::clone(&device), on(device)))
}

fn step<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// The output of a future, polled again and again, and how often it was not ready.
fn driven<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let mut stops = 0;
    loop {
        match step(future.as_mut()) {
            Poll::Ready(output) => return (output, stops),
            Poll::Pending => stops += 1,
        }
        std::thread::yield_now();
    }
}

fn in_words(outcome: Result<Vec<Value>, Error>) -> String {
    match outcome {
        Ok(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

/// Calls that read numbers, elements, segmentations and fault words.
fn calls() -> Vec<(&'static str, Vec<Value>)> {
    let three = numbers(&[0, 1, 2]);
    vec![
        ("grow", vec![three.clone(), number(20)]),
        ("fill", vec![three.clone()]),
        ("checked", vec![three.clone(), number(2)]),
        ("checked", vec![three, number(1)]),
        ("checked", vec![numbers(&[9, -1, 9]), number(1)]),
    ]
}

#[test]
fn nothing_blocks_whatever_is_read() {
    let Some((device, executable)) = opened() else { return };
    let reference = on(Rc::new(Reference::default()));
    let run_all = || {
        let mut all_stops = 0;
        for (function, args) in calls() {
            let [mut expected_world, mut world] = [TestWorld::default(), TestWorld::default()];
            let expected = reference.run(function, &THREE, &args, &mut expected_world);
            let (found, stops) = driven(executable.run_async(function, &THREE, &args, &mut world));
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{function} {args:?}");
            assert_eq!(world.output, expected_world.output, "{function} {args:?}");
            assert_eq!(device.counts().blocked, 0, "{function} {args:?} blocked the thread");
            all_stops += stops;
        }
        all_stops
    };
    // The device may be done before it is asked.
    assert!((0..100).any(|_| run_all() > 0), "no call stopped");
    drop(executable);
    assert_eq!(device.bytes_in_use(), 0);
}

#[test]
fn a_run_may_be_dropped_at_any_poll() {
    let Some((device, executable)) = opened() else { return };
    for (function, args) in calls() {
        let expected = in_words(executable.run(function, &THREE, &args, &mut TestWorld::default()));
        for polls in [1, 2, 3, 5, 8, 30, 100] {
            {
                let mut world = TestWorld::default();
                let mut run = pin!(executable.run_async(function, &THREE, &args, &mut world));
                (0..polls).take_while(|_| step(run.as_mut()).is_pending()).count();
            }
            let (found, _) = driven(executable.run_async(function, &THREE, &args, &mut TestWorld::default()));
            assert_eq!(in_words(found), expected, "{function} after a run that was dropped at poll {polls}");
        }
    }
    device.wait().expect("it answers");
    drop(executable);
    assert_eq!(device.bytes_in_use(), 0);
}

#[test]
fn values_are_read_while_a_run_is_stopped() {
    let Some((device, executable)) = opened() else { return };
    let mut world = TestWorld::default();
    let args = [numbers(&[0, 1, 2]), number(20)];
    let kept = executable.start("grow", &THREE, &args, &mut world).expect("it runs");
    let args = [numbers(&[9, 1, 2]), number(8)];
    let stops = || {
        let mut world = TestWorld::default();
        let mut run = pin!(executable.run_async("checked", &THREE, &args, &mut world));
        // The device may be done before it is asked.
        if let Poll::Ready(found) = step(run.as_mut()) {
            assert_eq!(in_words(found), "check \"large\" failed");
            return false;
        }
        assert_eq!(driven(kept[1].to_value_async()).0.expect("it is read").to_string(), "[6, 7, 8]");
        // Whoever looks meanwhile takes the faults away, and keeps them for the run.
        device.wait().expect("it answers");
        let (found, _) = driven(run);
        assert_eq!(in_words(found), "check \"large\" failed");
        true
    };
    assert!((0..100).any(|_| stops()), "no run stopped");
}

#[test]
fn two_devices_take_turns_on_one_thread() {
    let (Some((_, one)), Some((_, two))) = (opened(), opened()) else { return };
    let (mut first, mut second) = (TestWorld::default(), TestWorld::default());
    let (args, more) = ([numbers(&[0, 1, 2]), number(20)], [numbers(&[5, 5, 5]), number(90)]);
    let mut runs = [
        Box::pin(one.run_async("grow", &THREE, &args, &mut first)),
        Box::pin(two.run_async("grow", &THREE, &more, &mut second)),
    ];
    let mut found = [None, None];
    while found.iter().any(Option::is_none) {
        for (run, found) in runs.iter_mut().zip(&mut found) {
            if found.is_none()
                && let Poll::Ready(ready) = step(run.as_mut())
            {
                *found = Some(in_words(ready));
            }
        }
        std::thread::yield_now();
    }
    assert_eq!(found.map(Option::unwrap_or_default), ["3 [6, 7, 8]", "3 [31, 31, 31]"]);
}
