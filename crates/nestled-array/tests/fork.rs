//! Engines and processes: after a fork both go on or say why not, and at the end nothing hangs and nothing is left.
//!
//! Each test runs a scene in a process of its own: the same program again, which is told by a variable what to play.
#![cfg(unix)]
#![allow(unsafe_code)] // Forks.

use nestled_array::*;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Names the scene.
const SCENE: &str = "NESTLED_TEST_SCENE";

/// More than any scene takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Whether this process plays the scene.
fn plays(scene: &str) -> bool {
    if std::env::var(SCENE).is_ok_and(|name| name == scene) {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = format!("fork::{scene}");
    command.args(["--exact", &name, "--nocapture", "--test-threads", "1"]).env(SCENE, scene);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("`{scene}` hangs");
        }
        thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "`{scene}`: {}\n{said}\n{told}",
        output.status
    );
    false
}

/// What a child does; it has done it if it comes to the end in time.
fn fork(child: impl FnOnce()) {
    // SAFETY: the child does what a test does, in this one thread, and goes without the ends of the parent.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0);
    if pid == 0 {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
        // SAFETY: ends this process.
        unsafe { libc::_exit(if outcome.is_ok() { 0 } else { 1 }) }
    }
    let begin = Instant::now();
    let mut status = 0;
    // SAFETY: asks for our own child.
    while unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } == 0 {
        if begin.elapsed() > PATIENCE / 2 {
            // SAFETY: ends our own child.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status, 0, "the child's outcome");
}

fn engine(threads: usize) -> Engine {
    Engine::new(EngineConfig { threads: Some(threads), ..EngineConfig::on(DeviceChoice::Cpu) })
}

/// A sum that all threads work at.
fn large(by: i64) -> i64 {
    (Array::<i64>::range(1 << 20) * by).eval().unwrap().sum().item().unwrap()
}

const TOTAL: i64 = (1 << 20) * ((1 << 20) - 1) / 2;

#[test]
fn both_go_on() {
    if !plays("both_go_on") {
        return;
    }
    for device in [DeviceChoice::Cpu, DeviceChoice::Reference] {
        let threads = if device == DeviceChoice::Cpu { 4 } else { 1 };
        let engine = Engine::new(EngineConfig { threads: Some(threads), ..EngineConfig::on(device) });
        engine.run(|| {
            let n = if device == DeviceChoice::Cpu { 1 << 20 } else { 100 };
            let x = Array::<i64>::range(n) * 2;
            let lazy = &x + 1;
            let program = jit(|x: Array<i64>| (x.sum(), x.max()));
            x.eval().unwrap();
            drop(program.call(&x).unwrap());
            let work = |by: i64| {
                assert_eq!(lazy.to_vec().unwrap()[3], 7);
                let (sum, max) = program.call(&(&x * by)).unwrap();
                let n = n as i64;
                assert_eq!((sum.item().unwrap(), max.item().unwrap()), (by * n * (n - 1), 2 * by * (n - 1)));
            };
            fork(|| {
                work(3);
                // And once more, from the child.
                fork(|| work(4));
                work(5);
                engine.trim();
            });
            work(6);
        });
    }
}

#[test]
fn the_engine_of_the_process() {
    if !plays("the_engine_of_the_process") {
        return;
    }
    assert_eq!(large(1), TOTAL);
    fork(|| assert_eq!(large(2), 2 * TOTAL));
    assert_eq!(large(3), 3 * TOTAL);
}

#[test]
fn a_child_drops_what_it_was_given() {
    if !plays("a_child_drops_what_it_was_given") {
        return;
    }
    let engine = engine(4);
    let x = engine.run(|| Array::<f64>::range(1 << 18) * 2.0);
    engine.eval(&[&x]).unwrap();
    let (engine, x) = (std::cell::Cell::new(Some(engine)), std::cell::Cell::new(Some(x)));
    fork(|| {
        drop(x.take());
        drop(engine.take());
        assert_eq!(self::engine(4).run(|| large(1)), TOTAL);
    });
    assert_eq!(x.take().unwrap().to_vec().unwrap()[7], 14.0);
}

#[test]
fn while_another_thread_computes() {
    if !plays("while_another_thread_computes") {
        return;
    }
    let engine = engine(2);
    engine.run(|| large(1));
    let x = Array::<i64>::range(1000) * 3;
    engine.eval(&[&x]).unwrap();
    let going = |(_, k): &(Array<i64>, Array<i64>)| k.lt(1i64 << 22);
    let rounds = |n: usize| {
        let start = (Array::<i64>::zeros(&[n]), Array::<i64>::zeros(&[n]));
        while_with(start, going, |(x, k)| (&x * 3 + &k, k + 1)).0
    };
    // No kernel is compiled at the time of the fork.
    engine.eval(&[&rounds(20)]).unwrap();
    let long = rounds(1 << 15);
    thread::scope(|scope| {
        let other = scope.spawn(|| engine.eval(&[&long]).unwrap_err());
        thread::sleep(Duration::from_millis(300));
        for _ in 0..3 {
            fork(|| {
                engine.run(|| {
                    assert_eq!((&x + 1).max().item().unwrap(), 2998);
                    assert_eq!(large(2), 2 * TOTAL);
                });
                // The parent's evaluation is not this process's: nobody waits for it.
                let late = engine.with_deadline(Instant::now() + Duration::from_millis(200));
                assert_eq!(*late.eval(&[&long]).unwrap_err().reason(), Reason::Deadline);
            });
        }
        engine.cancel();
        assert_eq!(*other.join().unwrap().reason(), Reason::Cancelled);
    });
}

#[test]
fn a_future_of_the_parent() {
    if !plays("a_future_of_the_parent") {
        return;
    }
    let engine = engine(2);
    let x = engine.run(|| Array::<i64>::range(1000).sum());
    let evaluation = std::cell::Cell::new(Some(engine.eval_async(&[&x])));
    fork(|| {
        let error = evaluation.take().unwrap().wait().unwrap_err();
        assert!(error.to_string().contains("forked"), "{error}");
    });
    evaluation.take().unwrap().wait().unwrap();
}

#[test]
fn a_gpu_is_the_parents() {
    if !nestled_test::gpu::has_adapter() || !plays("a_gpu_is_the_parents") {
        return;
    }
    let engine = Engine::new(EngineConfig::on(DeviceChoice::Wgpu(None)));
    let x = Array::<f32>::range(1000) * 2.0f32;
    engine.eval(&[&x]).unwrap();
    let (engine, x) = (std::cell::Cell::new(Some(engine)), std::cell::Cell::new(Some(x)));
    fork(|| {
        let (engine, x) = (engine.take().unwrap(), x.take().unwrap());
        let error = engine.run(|| (&x + 1.0f32).to_vec()).unwrap_err();
        assert!(error.to_string().contains("forked"), "{error}");
        assert!(x.to_vec().is_err());
        drop((x, engine));
        assert_eq!(self::engine(2).run(|| large(1)), TOTAL);
    });
    assert_eq!(x.take().unwrap().to_vec().unwrap()[7], 14.0);
}

#[test]
fn engines_in_statics_end_with_the_process() {
    if !plays("engines_in_statics_end_with_the_process") {
        return;
    }
    static ONE: OnceLock<Engine> = OnceLock::new();
    static OTHER: OnceLock<(Engine, Array<i64>)> = OnceLock::new();
    thread_local! {
        static OWN: (Engine, Array<i64>) = (engine(3), Array::<i64>::range(10) * 2);
    }
    let one = ONE.get_or_init(|| engine(2));
    let (other, array) = OTHER.get_or_init(|| (engine(3), Array::<i64>::range(1 << 18) * 3));
    one.run(|| large(1));
    other.eval(&[array]).unwrap();
    one.run(|| array.sum().item()).unwrap();
    OWN.with(|(engine, array)| engine.eval(&[array]).map(drop)).unwrap();
    let begun = other.eval_async(&[&(array + 1)]);
    std::mem::forget(begun);
}

#[cfg(target_os = "linux")]
#[test]
fn engines_that_go_leave_nothing() {
    if !plays("engines_that_go_leave_nothing") {
        return;
    }
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let resident = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
    };
    let text = Nesl::compile("function twice(v) = {x * 2 : x in v};").unwrap();
    let twice = text.function::<(Array<i64>,), Array<i64>>("twice").unwrap();
    let program = jit(|x: Array<i64>| (x.clone() + 1, x));
    let once = || {
        let engine = engine(3);
        engine.run(|| {
            let x = Array::<i64>::range(1 << 20) * 2;
            let (y, _) = program.call(&x).unwrap();
            drop(twice.call((y.clone(),)).unwrap());
            drop(engine.with_deadline(Instant::now() + Duration::from_secs(100)).eval(&[&(&y + 1)]));
        });
    };
    (0..5).for_each(|_| once());
    let before = (threads(), resident());
    (0..30).for_each(|_| once());
    let begin = Instant::now();
    // Threads that look after something rest a while before they end.
    while threads() > before.0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "{} threads, {} before", threads(), before.0);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(resident() < before.1 + (64 << 20), "{} bytes, {} before", resident(), before.1);
}
