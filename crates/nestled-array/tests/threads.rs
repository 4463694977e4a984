//! Evaluations side by side: who waits for whom, and how one is ended from outside.

use nestled_array::*;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Something that takes long, and can be ended: many rounds at each of many elements.
fn long(rounds: i64) -> Array<i64> {
    let start = Array::<i64>::range(1 << 14);
    let going = move |(_, k): &(Array<i64>, Array<i64>)| k.lt(rounds);
    let step = |(x, k): (Array<i64>, Array<i64>)| ((&x * 3 + 1).maximum(&k), k + 1);
    while_with((start, Array::zeros(&[1 << 14])), going, step).0
}

/// Rounds that take about a second.
fn a_second(engine: &Engine) -> i64 {
    let mut rounds = 1 << 10;
    loop {
        let begin = Instant::now();
        engine.run(|| long(rounds).eval().map(drop)).unwrap();
        let took = begin.elapsed();
        if took > Duration::from_millis(100) {
            return (rounds as f64 / took.as_secs_f64()) as i64;
        }
        rounds *= 4;
    }
}

fn cpu() -> Engine {
    Engine::new(EngineConfig { threads: Some(2), ..EngineConfig::on(DeviceChoice::Cpu) })
}

#[test]
fn a_small_evaluation_does_not_wait_for_a_long_one() {
    let engine = cpu();
    // Longer than anything else here takes on a busy machine; it is cancelled in the end.
    let rounds = 60 * a_second(&engine);
    let shared = Array::<i64>::range(1000) * 3;
    engine.eval(&[&shared]).unwrap();
    let small = |by: i64| engine.run(|| (&shared.slice(0, 0..2) * by).to_vec()).unwrap();
    // A second track has to find its kernel once.
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let slow = scope.spawn(|| {
            // It reads the same array.
            let outcome = engine.run(|| (long(rounds) + shared.max()).eval().map(drop));
            ended.store(true, Ordering::Relaxed);
            outcome.unwrap_err()
        });
        thread::sleep(Duration::from_millis(200));
        small(1);
        let mut times = Vec::new();
        for by in 2..12 {
            let begin = Instant::now();
            assert_eq!(small(by), [0, 3 * by]);
            times.push(begin.elapsed());
        }
        assert!(!ended.load(Ordering::Relaxed), "the long one was too short");
        times.sort();
        assert!(times[5] < Duration::from_millis(50), "{times:?}");
        // Reading what is there waits for nobody either.
        let begin = Instant::now();
        assert_eq!(shared.to_vec().unwrap()[999], 2997);
        drop(shared.clone());
        assert!(engine.counts().evaluations > 0);
        assert!(begin.elapsed() < Duration::from_millis(200), "{:?}", begin.elapsed());
        engine.cancel();
        assert_eq!(*slow.join().unwrap().reason(), Reason::Cancelled);
    });
}

#[test]
fn one_computes_and_the_others_wait() {
    let engine = cpu();
    let before = engine.counts().evaluations;
    let rounds = a_second(&engine) / 4;
    let x = long(rounds);
    let evaluations = engine.counts().evaluations;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| engine.run(|| x.to_vec()).unwrap());
        }
    });
    assert_eq!(engine.counts().evaluations, evaluations + 1, "after {before}");
    // Who needs it for something else waits for it as well.
    let y = long(rounds + 1);
    thread::scope(|scope| {
        scope.spawn(|| engine.eval(&[&y]).unwrap());
        thread::sleep(Duration::from_millis(50));
        let more = engine.run(|| (&y + 1).max().item()).unwrap();
        assert!(y.is_ready());
        assert_eq!(more, y.max().item().unwrap() + 1);
    });
}

#[test]
fn an_error_is_everybodys() {
    let engine = cpu();
    let wrong = Array::from_vec(vec![1i32, 2]).gather(&[&Array::from_vec(vec![5i64])], Outside::Fault);
    let wrong = wrong.max() + long(1000).cast::<i32>();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let error = engine.eval(&[&wrong]).unwrap_err();
                assert!(matches!(error.reason(), Reason::Fault(_)), "{error}");
            });
        }
    });
}

#[test]
fn programs_run_side_by_side() {
    let engine = cpu();
    let rounds = a_second(&engine);
    let program = jit(move |x: Array<i64>| {
        let going = |(_, k): &(Array<i64>, Array<i64>)| k.gt(0);
        while_with((x.clone(), x), going, |(x, k)| (&x * 3 + 1, k - 1)).0
    });
    let (few, many) = (Array::fill(1i64, &[1 << 14]), Array::fill(rounds, &[1 << 14]));
    engine.eval(&[&few, &many]).unwrap();
    engine.run(|| program.call(&few).unwrap());
    thread::scope(|scope| {
        let slow = scope.spawn(|| engine.run(|| program.call(&many).unwrap()));
        thread::sleep(Duration::from_millis(100));
        engine.run(|| program.call(&few).unwrap());
        let begin = Instant::now();
        for _ in 0..10 {
            engine.run(|| program.call(&few).unwrap());
        }
        assert!(begin.elapsed() < Duration::from_millis(400), "{:?}", begin.elapsed());
        drop(slow.join().unwrap());
    });
}

#[test]
fn many_threads_agree() {
    for device in [DeviceChoice::Cpu, DeviceChoice::Reference] {
        let engine = Engine::new(EngineConfig { part: 3, ..EngineConfig::on(device) });
        let mut list = vec![Array::<i64>::range(100)];
        for k in 1..40 {
            list.push(&list[k - 1] * 3 - &list[k / 2]);
        }
        let again = Engine::new(EngineConfig::on(DeviceChoice::Reference));
        let expected: Vec<i64> = {
            let mut list = vec![Array::<i64>::range(100)];
            for k in 1..40 {
                list.push(&list[k - 1] * 3 - &list[k / 2]);
            }
            list.iter().map(|x| again.run(|| x.sum().item()).unwrap()).collect()
        };
        thread::scope(|scope| {
            for thread in 0..6 {
                let (engine, list, expected) = (&engine, &list, &expected);
                scope.spawn(move || {
                    for k in 0..40 {
                        let at = (7 * k + 11 * thread) % 40;
                        let sum = engine.run(|| list[at].sum().item()).unwrap();
                        assert_eq!(sum, expected[at], "{at} on {device}");
                        if k % 10 == thread {
                            engine.eval(&[&list[at], &list[(at + 20) % 40]]).unwrap();
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn who_cancels_ends_what_is_under_way() {
    let engine = cpu();
    let rounds = 20 * a_second(&engine);
    let (x, y) = (long(rounds), long(1000));
    thread::scope(|scope| {
        let slow = scope.spawn(|| engine.eval(&[&x]).unwrap_err());
        let waits = scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            engine.run(|| (&x + 1).eval().map(drop)).unwrap_err()
        });
        thread::sleep(Duration::from_millis(300));
        let begin = Instant::now();
        engine.cancel();
        for error in [slow.join().unwrap(), waits.join().unwrap()] {
            assert_eq!(*error.reason(), Reason::Cancelled);
            assert!(error.to_string().ends_with(": cancelled"), "{error}");
        }
        assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    });
    assert!(!x.is_ready());
    engine.eval(&[&y]).unwrap();
}

#[test]
fn who_stops_a_thread_ends_its_evaluations_only() {
    let engine = cpu();
    let second = a_second(&engine);
    let (x, y, small) = (long(20 * second), long(second / 2), Array::<i64>::range(5));
    thread::scope(|scope| {
        let slow = scope.spawn(|| {
            let first = engine.eval(&[&x]).unwrap_err();
            // It is stopped until it may go on.
            let next = engine.eval(&[&(&small + 1)]).unwrap_err();
            engine.resume_thread(thread::current().id());
            engine.eval(&[&(&small + 2)]).unwrap();
            [first, next]
        });
        let other = scope.spawn(|| engine.eval(&[&y]));
        thread::sleep(Duration::from_millis(200));
        let begin = Instant::now();
        engine.stop_thread(slow.thread().id());
        for error in slow.join().unwrap() {
            assert_eq!(*error.reason(), Reason::Cancelled);
        }
        assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
        other.join().unwrap().unwrap();
    });
    assert!(!x.is_ready() && y.is_ready());
}

#[test]
fn deadlines() {
    let engine = cpu();
    let second = a_second(&engine);
    let (x, y) = (long(20 * second), long(second / 8));
    let begin = Instant::now();
    let timed = engine.with_deadline(begin + Duration::from_millis(300));
    let error = timed.eval(&[&x]).unwrap_err();
    assert_eq!(*error.reason(), Reason::Deadline, "{error}");
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(300) && took < Duration::from_secs(6), "{took:?}");
    // The engine itself has none, and one in the future changes nothing.
    engine.with_deadline(Instant::now() + Duration::from_secs(600)).eval(&[&y]).unwrap();
    engine.run(|| (&y + 1).max().item()).unwrap();
    // Who waits for another's evaluation waits no longer than that.
    thread::scope(|scope| {
        let slow = scope.spawn(|| engine.eval(&[&x]));
        thread::sleep(Duration::from_millis(100));
        let begin = Instant::now();
        let late = engine.with_deadline(begin + Duration::from_millis(100));
        assert_eq!(*late.eval(&[&x]).unwrap_err().reason(), Reason::Deadline);
        assert!(begin.elapsed() < Duration::from_secs(2));
        engine.cancel();
        assert!(slow.join().unwrap().is_err());
    });
}

/// An executor that only counts.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Woken>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn futures() {
    let engine = cpu();
    let second = a_second(&engine);
    let (x, y, z) = (long(second / 4), long(second / 5), long(20 * second));
    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut both = std::pin::pin!(engine.eval_async(&[&x, &y]));
    let begin = Instant::now();
    assert!(both.as_mut().poll(&mut context).is_pending());
    assert!(begin.elapsed() < Duration::from_millis(100));
    while woken.0.load(Ordering::Relaxed) == 0 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(both.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    assert!(x.is_ready() && y.is_ready());
    // One that is dropped ends.
    let evaluation = engine.eval_async(&[&z]);
    thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    drop(evaluation);
    while Arc::strong_count(&woken) == 0 || engine.run(|| (&x + 1).max().item()).is_err() {
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
    assert!(!z.is_ready());
    let late = engine.with_deadline(Instant::now() + Duration::from_millis(100)).eval_async(&[&z]);
    assert_eq!(*late.wait().unwrap_err().reason(), Reason::Deadline);
}

/// Evaluations can be ended, so kernels are cut into pieces after which they look; one that a single thread must run is not.
#[test]
fn a_scatter_that_one_thread_must_do() {
    let engine = Engine::new(EngineConfig { threads: Some(4), ..EngineConfig::on(DeviceChoice::Cpu) });
    let points = 3 << 20;
    engine.run(|| {
        let at = Array::<i64>::range(points) & 7;
        let ones = Array::<i64>::ones(&[points]);
        let counts =
            Array::<i64>::zeros(&[2 << 20]).scatter(&[&at], &ones, Collision::Combine(Operator::Add));
        let found = counts.slice(0, 0..8).to_vec().unwrap();
        assert_eq!(found, [points as i64 / 8; 8]);
    });
}
