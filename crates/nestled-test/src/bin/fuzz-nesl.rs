//! Fuzzing of NESL: checks random programs on every engine: `cargo run --release -p nestled-test --bin fuzz-nesl -- --seed 1 --count 1000 --cpu`.
//!
//! A program that fails is reduced and printed. Progress is reported on standard error now and then.
#![forbid(unsafe_code)]

use nestled_nesl::{Dialect, Width};
use nestled_test::cpu::Cpu;
use nestled_test::nesl::{Besides, Verdict, compare, generate, generate_data, reduce};
use std::process::ExitCode;

const USAGE: &str =
    "usage: fuzz-nesl [--seed S] [--count N] [--cpu] [--planners] [--narrow] [--datatypes] [--print]";

fn main() -> ExitCode {
    let (mut seed, mut count) = (0u64, 1000u64);
    let [mut cpu, mut planners, mut print, mut data] = [false; 4];
    let mut dialect = Dialect::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|text| text.parse().ok());
        match (word.as_str(), ()) {
            ("--seed", ()) => seed = number().unwrap_or(0),
            ("--count", ()) => count = number().unwrap_or(1),
            ("--cpu", ()) => cpu = true,
            ("--planners", ()) => planners = true,
            ("--narrow", ()) => dialect = Dialect { int: Width::W32, float: Width::W32, compat: false },
            ("--datatypes", ()) => data = true,
            ("--print", ()) => print = true,
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    std::panic::set_hook(Box::new(|_| {}));
    let [mut same, mut faults, mut other, mut skipped, mut wrong] = [0; 5];
    let first = seed;
    for seed in first..first + count {
        if seed > first && (seed - first) % 1000 == 0 {
            eprintln!("{} programs: {same} {faults} {other} {skipped} {wrong}", seed - first);
        }
        // Most on the one that compiles them fastest.
        let cpu = cpu.then_some(if seed % 16 == 0 { Cpu::NARROW } else { Cpu::WIDE_TINY });
        let besides = Besides { cpu, planners };
        let source = if data { generate_data(seed) } else { generate(seed) };
        if print {
            println!("{source}");
        }
        match compare(&source, dialect, besides) {
            Verdict::Same => same += 1,
            Verdict::Faults => faults += 1,
            Verdict::OtherFault => other += 1,
            Verdict::Skipped(why) => {
                skipped += 1;
                if print {
                    println!("{why}");
                }
            }
            Verdict::Differ { .. } => {
                wrong += 1;
                let mut fails =
                    |source: &_| matches!(compare(source, dialect, besides), Verdict::Differ { .. });
                let small = reduce(&source, 600, &mut fails);
                println!("seed {seed}:\n{small}{:#?}\n", compare(&small, dialect, besides));
            }
        }
    }
    println!(
        "{same} same, {faults} fault alike, {other} with several faults, {skipped} skipped, {wrong} differ"
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
