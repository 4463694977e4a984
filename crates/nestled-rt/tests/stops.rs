//! Runs that stop where they would wait: they do what a run does that waits, and may be dropped at any stop.

use crate::common::{Call, cases, program};
use nestled_ir::Program;
use nestled_ir::Scalar;
use nestled_ir::interp::{Interrupt, TestWorld};
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_rt::device::Device;
use nestled_rt::{Error, Event, Executable, Reference, ReferenceConfig, Trace, When};
use std::cell::RefCell;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Counts how often it is woken.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Polls once. Whoever is not ready has rung.
fn step<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    let bell = Arc::new(Bell::default());
    let outcome = future.poll(&mut Context::from_waker(&Waker::from(Arc::clone(&bell))));
    if outcome.is_pending() {
        assert!(bell.0.load(Ordering::Relaxed) > 0, "it stops, and nobody is to take it up again");
    }
    outcome
}

/// Polls to the end: what comes out, and how often it stopped.
fn driven<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let mut stops = 0;
    loop {
        match step(future.as_mut()) {
            Poll::Ready(output) => return (output, stops),
            Poll::Pending => stops += 1,
        }
    }
}

/// The events of a run, in words.
#[derive(Default)]
struct Events(Vec<String>);

impl Trace for Events {
    fn event(&mut self, event: Event<'_>, _: When) {
        self.0.push(format!("{event:?}"));
    }
}

/// The ways in which the reference device behaves.
fn configs() -> [ReferenceConfig; 3] {
    let config = |deferred, regions_ahead| ReferenceConfig {
        deferred,
        regions_ahead,
        delays: 2,
        ..ReferenceConfig::default()
    };
    [config(false, 1), config(true, 64), config(true, 1)]
}

fn made(program: &Program, config: &ReferenceConfig) -> (Rc<Reference>, Executable, Rc<RefCell<Events>>) {
    let (device, events) = (Rc::new(Reference::new(config.clone())), Rc::<RefCell<Events>>::default());
    let executable = Executable::new(program, Rc::clone(&device) as _).unwrap();
    (device, executable.with_trace(Rc::clone(&events) as _), events)
}

/// The outcome of a run in words, its numbers bit for bit, and what it printed.
fn shown(outcome: &Result<Vec<Value>, Error>, world: &TestWorld) -> String {
    format!("{outcome:?} {:?} {:?}", world.output, world.errors)
}

#[test]
fn a_run_that_stops_does_what_one_that_waits_does() {
    let (mut calls, mut all_stops) = (0, 0);
    for case in cases() {
        for config in &configs() {
            let (_, waits, waits_events) = made(&case.program, config);
            let (device, stops, stops_events) = made(&case.program, config);
            for Call { line, function, shapes, args } in &case.calls {
                let mut worlds = [TestWorld::default(), TestWorld::default()];
                let expected = waits.run(function, shapes, args, &mut worlds[0]);
                let (found, n_stops) = driven(stops.run_async(function, shapes, args, &mut worlds[1]));
                let place = format!("{}:{line} {config:?}", case.path.display());
                assert_eq!(shown(&found, &worlds[1]), shown(&expected, &worlds[0]), "{place}");
                assert_eq!(stops_events.take().0, waits_events.take().0, "{place}");
                (calls, all_stops) = (calls + 1, all_stops + n_stops);
            }
            drop(stops);
            device.wait().unwrap();
            assert_eq!(device.bytes_in_use(), 0, "{} leaks", case.path.display());
        }
    }
    assert!(calls > 100 && all_stops > calls, "{calls} calls, {all_stops} stops");
}

/// Stops of one call at which its run is dropped.
const MOST_DROPS: usize = 12;

#[test]
fn a_run_that_is_dropped_leaves_nothing_behind() {
    let mut drops = 0;
    for (number, case) in cases().iter().enumerate() {
        let config = &configs()[1 + number % 2];
        let (device, executable, _) = made(&case.program, config);
        // The literals of one call stay on the device, so a call is asked for as a whole first.
        for Call { line, function, shapes, args } in case.calls.iter().take(3) {
            let mut world = TestWorld::default();
            let (expected, stops) = driven(executable.run_async(function, shapes, args, &mut world));
            let expected = shown(&expected, &world);
            device.wait().unwrap();
            let held = device.bytes_in_use();
            let apart = stops.div_ceil(MOST_DROPS).max(1);
            for at in (0..stops).step_by(apart) {
                let place = format!("{}:{line}, stop {at}", case.path.display());
                drop_at(&executable, function, shapes, args, at);
                let mut world = TestWorld::default();
                let found = executable.run(function, shapes, args, &mut world);
                assert_eq!(shown(&found, &world), expected, "{place}");
                device.wait().unwrap();
                assert_eq!(device.bytes_in_use(), held, "{place} leaks");
                drops += 1;
            }
        }
        drop(executable);
        device.wait().unwrap();
        assert_eq!(device.bytes_in_use(), 0, "{} leaks", case.path.display());
    }
    assert!(drops > 500, "{drops} drops");
}

/// Runs up to a stop, and no further.
fn drop_at(executable: &Executable, function: &str, shapes: &[AxisValue], args: &[Value], at: usize) {
    let mut world = TestWorld::default();
    let mut future = pin!(executable.run_async(function, shapes, args, &mut world));
    for _ in 0..=at {
        assert!(step(future.as_mut()).is_pending());
    }
}

const PROGRAM: &str = "
kernel total(xs: [n]i64) over n {
  s = reduce { i => xs[i proved] } add
  ret s
}
kernel shift(xs: [n]i64) over n {
  y = map { i => add xs[i proved] 1 }
  ret y
}
kernel floats(xs: [n]i64) over n {
  y = map { i => f64 xs[i proved] }
  ret y
}
kernel whole(xs: [n]f64) over n {
  y = map { i => i64 xs[i proved] }
  ret y
}
kernel spread<m>() over m {
  large = map { i => i64 i }
  ret large
}
kernel small(xs: [n]i64) over n {
  y = map { i =>
    check (lt xs[i proved] 100) \"large\"
    xs[i proved]
  }
  ret y
}
kernel forever(x: i64) {
  y = once {
    (a) = while (a = x) { true } do { add a 1 }
    a
  }
  ret y
}
fn grow<n>(xs: [n]i64, k: i64) -> [n]i64 {
  s = run total<n>(xs)
  r = if gt s k { xs } else {
    ys = run shift<n>(xs)
    zs = grow<n>(ys, k)
    zs
  }
  ret r
}
fn steps<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if eq k 0 { xs } else {
    ys = run shift<n>(xs)
    zs = steps<n>(ys, sub k 1)
    zs
  }
  ret r
}
fn converted<n>(xs: [n]i64, k: i64) -> [n]i64 {
  r = if eq k 0 { xs } else {
    ys = run floats<n>(xs)
    ws = run whole<n>(ys)
    zs = converted<n>(ws, sub k 1)
    zs
  }
  ret r
}
fn careful<n>(xs: [n]i64) -> i64 {
  ys = run small<n>(xs)
  s = run total<n>(ys)
  print s
  ret s
}
fn sum(n: idx) -> i64 {
  m = dim n
  xs = run spread<m>()
  s = run total<m>(xs)
  t = add s 1
  ret t
}
fn inside(x: i64) -> i64 {
  y = run forever(x)
  z = add y 1
  ret z
}
fn looks<n>(xs: [n]i64) -> i64 {
  s = run total<n>(xs)
  t = add s 1
  print t
  ret t
}
";

fn vector(list: &[i64]) -> Value {
    Value::Array(Array::vector(Buffer::I64(list.to_vec())))
}

fn number(number: i64) -> Value {
    Value::Scalar(Scalar::I64(number))
}

const TWO: [AxisValue; 1] = [AxisValue::Extent(2)];

fn deferred() -> ReferenceConfig {
    configs()[1].clone()
}

#[test]
fn runs_on_two_devices_go_on_in_turns_on_one_thread() {
    let program = program(PROGRAM);
    let (_, one, _) = made(&program, &deferred());
    let (_, two, _) = made(&program, &configs()[2]);
    let (mut first, mut second) = (TestWorld::default(), TestWorld::default());
    let (args, more) = ([vector(&[0, 1]), number(20)], [vector(&[5, 5]), number(40)]);
    let mut runs: [Option<Pin<Box<dyn Future<Output = _> + '_>>>; 2] = [
        Some(Box::pin(one.run_async("grow", &TWO, &args, &mut first))),
        Some(Box::pin(two.run_async("grow", &TWO, &more, &mut second))),
    ];
    let mut outcomes: [Option<Result<Vec<Value>, Error>>; 2] = [None, None];
    let mut turns = 0;
    while outcomes.iter().any(Option::is_none) {
        for (run, outcome) in runs.iter_mut().zip(&mut outcomes) {
            if let Some(future) = run
                && let Poll::Ready(ready) = step(future.as_mut())
            {
                (*run, *outcome) = (None, Some(ready));
            }
        }
        turns += 1;
    }
    assert!(turns > 30, "{turns}");
    let shown = outcomes.map(|outcome| outcome.unwrap().unwrap()[0].to_string());
    assert_eq!(shown, ["[10, 11]", "[21, 21]"]);
}

#[test]
fn one_device_has_one_run_at_a_time() {
    let program = program(PROGRAM);
    let (_, one, _) = made(&program, &deferred());
    let kept = one.start("steps", &TWO, &[vector(&[1, 2]), number(3)], &mut TestWorld::default()).unwrap();
    let mut world = TestWorld::default();
    let args = [vector(&[0, 1]), number(6)];
    let mut run = Box::pin(one.run_async("grow", &TWO, &args, &mut world));
    assert!(step(run.as_mut()).is_pending());
    let again = || one.run("careful", &TWO, &[vector(&[7, 8])], &mut TestWorld::default());
    let refused = again().unwrap_err();
    assert!(refused.to_string().contains("another run is stopped"), "{refused}");
    // Values may be read meanwhile, in both ways.
    assert_eq!(kept[0].to_value().unwrap().to_string(), "[4, 5]");
    assert_eq!(driven(kept[0].to_value_async()).0.unwrap().to_string(), "[4, 5]");
    let (found, _) = driven(run);
    assert_eq!(found.unwrap()[0].to_string(), "[3, 4]");
    assert_eq!(again().unwrap()[0].to_string(), "15");
}

#[test]
fn faults_of_a_run_that_was_dropped_are_nobodys() {
    let program = program(PROGRAM);
    for config in configs() {
        let (device, executable, _) = made(&program, &config);
        let careful = |list: &[i64]| {
            driven(executable.run_async("careful", &TWO, &[vector(list)], &mut TestWorld::default())).0
        };
        let Err(Error::Fault(fault)) = careful(&[1, 100]) else { panic!("no fault") };
        assert_eq!(fault.element, 1);
        drop_at(&executable, "careful", &TWO, &[vector(&[100, 100])], 0);
        assert_eq!(careful(&[1, 2]).unwrap()[0].to_string(), "3");
        drop_at(&executable, "careful", &TWO, &[vector(&[100, 100])], 1);
        let Err(Error::Fault(fault)) = careful(&[1, 200]) else { panic!("no fault") };
        assert_eq!(fault.element, 1, "that of the run itself");
        drop(executable);
        device.wait().unwrap();
        assert_eq!(device.bytes_in_use(), 0);
    }
}

#[test]
fn what_is_queued_gives_its_memory_back_at_a_stop() {
    let program = program(PROGRAM);
    let config = ReferenceConfig { memory: 1000, ..deferred() };
    let (device, executable, _) = made(&program, &config);
    let args = [vector(&[1, 2]), number(500)];
    let (found, stops) = driven(executable.run_async("converted", &TWO, &args, &mut TestWorld::default()));
    assert_eq!(found.unwrap()[0].to_string(), "[1, 2]");
    assert!(stops > 4, "{stops} stops: memory was never short");
    for at in 0..stops {
        drop_at(&executable, "converted", &TWO, &args, at);
        device.wait().unwrap();
        assert_eq!(device.bytes_in_use(), 0, "stop {at}");
    }
    let large = [Value::Scalar(Scalar::Idx(200))];
    let (found, _) = driven(executable.run_async("sum", &[], &large, &mut TestWorld::default()));
    let error = found.unwrap_err().to_string();
    assert_eq!(error, "out of memory: `large` takes 1600 bytes, but 1000 are free");
}

#[test]
fn arguments_wait_for_memory_at_a_stop() {
    let config = ReferenceConfig { memory: 1000, ..deferred() };
    let (device, executable, _) = made(&program(PROGRAM), &config);
    let (shapes, args) = ([AxisValue::Extent(100)], [vector(&[1; 100]), number(1)]);
    let mut world = TestWorld::default();
    drop(executable.start("steps", &shapes, &args, &mut world));
    let first = step(pin!(executable.start_async("steps", &shapes, &args, &mut world)));
    assert!(first.is_pending(), "what the queue gives back is not there yet");
    drop(executable.start("steps", &shapes, &args, &mut world));
    let (found, stops) = driven(executable.start_async("steps", &shapes, &args, &mut world));
    assert!(stops > 0 && found.is_ok(), "{found:?} after {stops} stops");
    drop((found, executable));
    device.wait().unwrap();
    assert_eq!(device.bytes_in_use(), 0);
}

#[test]
fn a_run_that_stops_is_interrupted() {
    let interrupt = Interrupt::default();
    let config = ReferenceConfig { interrupt: Some(interrupt.clone()), ..deferred() };
    let (device, executable, _) = made(&program(PROGRAM), &config);
    let executable = executable.with_interrupt(interrupt.clone());
    let (mut world, args) = (TestWorld::default(), [number(0)]);
    let mut run = Box::pin(executable.run_async("inside", &[], &args, &mut world));
    assert!(step(run.as_mut()).is_pending());
    interrupt.request();
    assert_eq!(driven(run).0.unwrap_err(), Error::Interrupted);
    // One that was dropped has a kernel without end in the queue, which ends all the same.
    interrupt.flag().store(false, Ordering::Relaxed);
    drop_at(&executable, "inside", &[], &args, 0);
    interrupt.request();
    assert_eq!(device.wait().unwrap(), None);
    interrupt.flag().store(false, Ordering::Relaxed);
    let (found, _) = driven(executable.run_async("looks", &TWO, &[vector(&[1, 2])], &mut world));
    assert_eq!(found.unwrap()[0].to_string(), "4");
}

#[test]
fn arguments_that_lie_elsewhere_are_brought_without_blocking() {
    let program = program(PROGRAM);
    let (_, one, _) = made(&program, &deferred());
    let (_, two, _) = made(&program, &deferred());
    let mut world = TestWorld::default();
    let args = [vector(&[1, 2]), number(3)];
    let (kept, _) = driven(one.start_async("steps", &TWO, &args, &mut world));
    let args = [kept.unwrap().remove(0), two.put(&[number(2)]).unwrap().remove(0)];
    let shapes = args[0].axes();
    let (found, stops) = driven(two.run_handles_async("steps", &shapes, &args, &mut world));
    assert!(stops > 0);
    assert_eq!(driven(found.unwrap()[0].to_value_async()).0.unwrap().to_string(), "[6, 7]");
}

#[test]
fn a_device_that_only_blocks_never_stops_a_run() {
    let (_, executable, _) = made(&program(PROGRAM), &ReferenceConfig { delays: 0, ..deferred() });
    let args = [vector(&[0, 1]), number(20)];
    let (found, stops) = driven(executable.run_async("grow", &TWO, &args, &mut TestWorld::default()));
    assert_eq!((found.unwrap()[0].to_string().as_str(), stops), ("[10, 11]", 0));
}
