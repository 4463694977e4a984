//! Evaluations side by side on one device, GPUs too: none waits for the host of another, and each can be ended from outside.

use nestled_array::*;
use nestled_test::again;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A loop of host code, which looks at the device in each round.
const TEXT: &str = "
    function steps(x, limit) = if sum(x) >= limit then x else steps({a + 1 : a in x}, limit);
";

type Steps = NeslFunction<(Array<i64>, i64), Array<i64>>;

fn steps() -> Steps {
    Nesl::compile(TEXT).unwrap().function("steps").unwrap()
}

fn engine() -> Engine {
    Engine::new(EngineConfig { threads: Some(2), ..EngineConfig::default() })
}

/// So many rounds.
fn run(engine: &Engine, steps: &Steps, rounds: i64) -> Result<Vec<i64>> {
    engine.run(|| steps.call((Array::zeros(&[4]), 4 * rounds))?.to_vec())
}

/// Rounds that take about a second.
fn a_second(engine: &Engine, steps: &Steps) -> i64 {
    let mut rounds = 16;
    // The first call compiles.
    assert_eq!(run(engine, steps, 1).unwrap(), [1; 4]);
    loop {
        let begin = Instant::now();
        assert_eq!(run(engine, steps, rounds).unwrap(), [rounds; 4]);
        let took = begin.elapsed();
        if took > Duration::from_millis(200) {
            return (rounds as f64 / took.as_secs_f64()) as i64 + 1;
        }
        rounds *= 2;
    }
}

#[test]
fn a_small_evaluation_does_not_wait_for_the_host_of_another() {
    let (engine, steps) = (engine(), steps());
    let rounds = 4 * a_second(&engine, &steps);
    let shared = Array::<i64>::range(1000) * 3;
    engine.eval(&[&shared]).unwrap();
    let small = |by: i64| engine.run(|| (&shared.slice(0, 0..2) * by).to_vec()).unwrap();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(run(&engine, &steps, rounds).unwrap(), [rounds; 4]);
            ended.store(true, Ordering::Relaxed);
        });
        thread::sleep(Duration::from_millis(100));
        // A second track has to find its kernel once.
        small(1);
        let mut times = Vec::new();
        for by in 2..12 {
            let begin = Instant::now();
            assert_eq!(small(by), [0, 3 * by]);
            // What another track has made is there for this one, and a number stays where it is until somebody reads it.
            let sum = engine.run(|| (&shared * by).sum());
            engine.eval(&[&sum]).unwrap();
            assert_eq!(engine.run(|| (&sum + 1).item()).unwrap(), 1_498_500 * by + 1);
            times.push(begin.elapsed());
        }
        assert!(!ended.load(Ordering::Relaxed), "the long one was too short: {times:?}");
        println!("two small ones beside a long one: {times:?}");
        times.sort();
        assert!(times[5] < Duration::from_millis(100), "{times:?}");
    });
}

#[test]
fn threads_hand_results_to_each_other() {
    let engine = engine();
    let start = Array::<i64>::range(3000);
    engine.eval(&[&start]).unwrap();
    thread::scope(|scope| {
        for thread in 0..6i64 {
            let (engine, start) = (&engine, &start);
            scope.spawn(move || {
                let mut x = start.clone();
                for round in 0..20 {
                    x = engine.run(|| &x * 3 + thread * round);
                    engine.eval(&[&x]).unwrap();
                    // Memory that goes back while others compute is somebody else's soon.
                    let garbage = engine.run(|| x.cast::<i8>().sort(0).cast::<i64>() + round);
                    engine.eval(&[&garbage]).unwrap();
                }
                let mut expected: Vec<i64> = (0..3000).collect();
                for round in 0..20 {
                    expected.iter_mut().for_each(|x| *x = x.wrapping_mul(3).wrapping_add(thread * round));
                }
                assert_eq!(x.to_vec().unwrap(), expected, "{thread}");
                let sum = engine.run(|| (&x + start).cumsum(0).at(0, -1).item()).unwrap();
                let total =
                    expected.iter().enumerate().fold(0i64, |sum, (at, x)| sum.wrapping_add(x + at as i64));
                assert_eq!(sum, total, "{thread}");
            });
        }
    });
}

#[test]
fn who_cancels_ends_what_is_under_way() {
    let (engine, steps) = (engine(), steps());
    let rounds = 30 * a_second(&engine, &steps);
    thread::scope(|scope| {
        let slow = [(); 2].map(|()| scope.spawn(|| run(&engine, &steps, rounds)));
        thread::sleep(Duration::from_millis(300));
        let begin = Instant::now();
        engine.cancel();
        for slow in slow {
            assert_eq!(*slow.join().unwrap().unwrap_err().reason(), Reason::Cancelled);
        }
        assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    });
    assert_eq!(run(&engine, &steps, 10).unwrap(), [10; 4]);
}

#[test]
fn a_deadline_is_that_of_one() {
    let (engine, steps) = (engine(), steps());
    let second = a_second(&engine, &steps);
    thread::scope(|scope| {
        let other = scope.spawn(|| run(&engine, &steps, second));
        let begin = Instant::now();
        let timed = engine.with_deadline(begin + Duration::from_millis(300));
        let error = run(&timed, &steps, 30 * second).unwrap_err();
        assert_eq!(*error.reason(), Reason::Deadline, "{error}");
        let took = begin.elapsed();
        assert!(took >= Duration::from_millis(300) && took < Duration::from_secs(6), "{took:?}");
        assert_eq!(other.join().unwrap().unwrap(), [second; 4]);
    });
}

#[test]
fn a_fault_is_that_of_one() {
    let (engine, steps) = (engine(), steps());
    let rounds = a_second(&engine, &steps) / 2;
    thread::scope(|scope| {
        let other = scope.spawn(|| run(&engine, &steps, rounds));
        for _ in 0..10 {
            let at = Array::from_vec(vec![0i64, 5]);
            let wrong = engine.run(|| Array::from_vec(vec![1i32, 2]).gather(&[&at], Outside::Fault) + 1);
            let error = engine.eval(&[&wrong]).unwrap_err();
            assert!(matches!(error.reason(), Reason::Fault(_)), "{error}");
            assert_eq!(engine.run(|| (&at * 2).to_vec()).unwrap(), [0, 10]);
        }
        assert_eq!(other.join().unwrap().unwrap(), [rounds; 4]);
    });
}

#[test]
fn plans_that_go_take_their_kernels_with_them() {
    let engine = Engine::new(EngineConfig { plans: 8, ..EngineConfig::default() });
    let x = Array::from_vec(vec![1i64, 2, 3]);
    // As many structures as chains are long.
    let chain = |length: usize| engine.run(|| (0..length).fold(x.clone(), |y, _| &y + &x).to_vec()).unwrap();
    for length in 1..120 {
        assert_eq!(chain(length)[1], 2 + 2 * length as i64);
        assert!(engine.kernels_held() <= 80, "{} after {length}", engine.kernels_held());
    }
    engine.trim();
    assert!(engine.kernels_held() <= 16, "{}", engine.kernels_held());
    assert_eq!(chain(119)[0], 120);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
