//! Memory, plans and programs are given back.

use nestled_array::*;
use std::time::{Duration, Instant};

fn engine() -> Engine {
    Engine::new(EngineConfig::on(DeviceChoice::Cpu))
}

const MIB: u64 = 1 << 20;

#[test]
fn arrays_one_after_another() {
    let engine = engine();
    engine.run(|| {
        for at in 0..1500 {
            let x = Array::from_vec(vec![1.0f32; 50_000 + 1000 * at]);
            x.eval().unwrap();
            (&x + 1.0f32).eval().unwrap();
            assert!(engine.memory_held() <= 100 * MIB, "{} after {at}", engine.memory_held());
        }
    });
}

#[test]
fn what_nobody_uses_goes_back() {
    let engine = engine();
    engine.run(|| {
        let x = Array::<f64>::range(5_000_000) * 2.0;
        x.eval().unwrap();
        drop(x);
    });
    // Kept for the next evaluation, for a while.
    assert!(engine.memory_held() >= 30 * MIB);
    let begin = Instant::now();
    while engine.memory_held() > 0 {
        assert!(begin.elapsed() < Duration::from_secs(30), "{} are held", engine.memory_held());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn trim_gives_back_at_once() {
    let engine = engine();
    engine.run(|| {
        let kept = Array::<f64>::range(1000) * 3.0;
        kept.eval().unwrap();
        let x = Array::<f64>::range(5_000_000) * 2.0;
        x.eval().unwrap();
        drop(x);
        engine.trim();
        assert!(engine.memory_held() <= 4 * MIB, "{}", engine.memory_held());
        assert_eq!(kept.max().item().unwrap(), 2997.0);
    });
}

#[test]
fn the_limit_is_that_of_all_threads() {
    let config = EngineConfig { memory: Some(64 * MIB), ..EngineConfig::on(DeviceChoice::Cpu) };
    let engine = Engine::new(config);
    let barrier = std::sync::Barrier::new(2);
    let outcomes: Vec<bool> = std::thread::scope(|scope| {
        let one = || {
            let x = Array::<f64>::range(5_000_000) * 2.0;
            barrier.wait();
            let outcome = engine.eval(&[&x]);
            barrier.wait();
            if let Err(error) = &outcome {
                assert!(matches!(error.reason(), Reason::OutOfMemory(_)), "{error}");
            }
            outcome.is_ok()
        };
        let threads = [scope.spawn(one), scope.spawn(one)];
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|&&one| one).count(), 1, "two arrays of 40 MB in 64 MiB");
}

#[test]
fn plans_not_used_for_longest_go() {
    let engine = Engine::new(EngineConfig { plans: 8, ..EngineConfig::on(DeviceChoice::Reference) });
    engine.run(|| {
        let x = Array::from_vec(vec![1i64, 2, 3]);
        // As many structures as chains are long.
        let chain = |length: usize| (0..length).fold(x.clone(), |y, _| &y + &x).to_vec().unwrap();
        let plans = || engine.counts().plans;
        assert_eq!(chain(1), [2, 4, 6]);
        for length in 2..40 {
            assert_eq!(chain(length)[0], 1 + length as i64);
            // This one is always used.
            let before = plans();
            chain(1);
            assert_eq!(plans(), before, "{length}");
        }
        let before = plans();
        chain(39);
        assert_eq!(plans(), before);
        chain(2);
        assert_eq!(plans(), before + 1);
    });
}

#[test]
fn memory_of_others_fills_its_shape() {
    let shaped = |shape: &[usize]| Array::<u8>::from_memory_shaped(vec![1u8, 2, 3, 4, 5, 6], shape);
    for shape in [&[6][..], &[2, 3], &[3, 1, 2]] {
        let x = shaped(shape).unwrap();
        assert_eq!(**x.shape(), *shape);
        assert_eq!(x.to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(x.max().item().unwrap(), 6);
    }
    for shape in [&[][..], &[5], &[7], &[2, 2], &[2, 0], &[1 << 40, 1 << 40]] {
        assert!(shaped(shape).is_err(), "{shape:?}");
    }
    let none = Array::<u8>::from_memory_shaped(Vec::<u8>::new(), &[2, 0]).unwrap();
    assert_eq!((none.shape().size(), none.sum().item().unwrap()), (0, 0));
}
