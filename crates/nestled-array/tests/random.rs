//! Random programs: arrays of all kinds, rows, closures, `jit`, several engines, and drops at any time, against the direct way.
//!
//! `NESTLED_PROGRAMS=30000 NESTLED_SEED=7 cargo test -p nestled-array random::` runs as many, from that seed. A program that fails says how to run it alone.

use crate::steps::Program;
use nestled_array::*;
use nestled_test::again;

/// A number that the environment may say.
fn told(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Engines that differ in all that must not matter.
fn engines() -> Vec<Engine> {
    let of = |config: EngineConfig| Engine::new(config);
    vec![
        of(EngineConfig::on(DeviceChoice::Reference)),
        of(EngineConfig { part: 3, ..EngineConfig::on(DeviceChoice::Reference) }),
        of(EngineConfig { fuse: false, ..EngineConfig::on(DeviceChoice::Reference) }),
        Engine::current(),
        of(EngineConfig { part: 5, ..EngineConfig::default() }),
    ]
}

#[test]
fn random_programs() {
    let (count, seed) = (told("NESTLED_PROGRAMS", again::some_of(60)), told("NESTLED_SEED", 1_000_003));
    let mut engines = engines();
    for number in 0..count {
        let seed = seed.wrapping_add(number);
        let run = std::panic::AssertUnwindSafe(|| Program::new(seed, &engines).run());
        if let Err(why) = std::panic::catch_unwind(run) {
            eprintln!("again with NESTLED_PROGRAMS=1 NESTLED_SEED={seed}");
            std::panic::resume_unwind(why);
        }
        // Engines go as well, with what lies on them.
        if number % 50 == 49 {
            engines = self::engines();
        }
    }
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
