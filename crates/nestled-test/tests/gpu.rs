//! The data files and random programs on GPUs: software Vulkan, where nothing else is there.

use nestled_ir::Program;
use nestled_ir::interp::{Error, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_test::check::{check_case, gpu_engines};
use nestled_test::corpus::{Engine, check_programs, interpret};
use nestled_test::generate::{Case, Size, generate};
use nestled_test::gpu;
use nestled_vcode::{ListingText, Options, compile};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

const ENGINES: &[Engine] = &[
    Engine { name: "the interpreter", run: interpret },
    Engine { name: "WebGPU", run: gpu::engine },
    Engine { name: "WebGPU, after all passes", run: webgpu_optimised },
];

fn webgpu_optimised(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let options = PassOptions { verify: true, keep_all: true, strict_math: true, ..PassOptions::default() };
    let optimised = nestled_pass::run(program, DEFAULT, &mut PassContext::new(options));
    gpu::engine(&optimised.map_err(|bug| Error::BadArgument(bug.to_string()))?, function, shapes, args, world)
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// The files of which something may be left to the interpreter, with what: this list only gets shorter.
const LEFT: &[(&str, &str)] = &[
    // It is about extents of which no device has so much memory.
    ("large_extents.lcu", "sizes that do not fit"),
    // Loops of one lane: a card would take hundreds of cycles for each read that the next step waits for.
    ("serial.lcu", "a `serial`"),
    ("serial_faults.lcu", "a `serial`"),
];

/// What is left to the interpreter so far, all of which is listed.
fn listed() -> BTreeMap<String, BTreeSet<String>> {
    let left = gpu::left();
    for (file, what) in &left {
        for what in what {
            let may = LEFT.contains(&(file, what));
            assert!(may, "of {file} something is left to the interpreter: {what}");
        }
    }
    left
}

/// One folder of data files. There are several tests, so that they run side by side.
fn check(name: &str, least_files: usize, least_cases: usize) {
    if gpu::has_adapter() {
        check_programs(&folder(name), ENGINES, &[]).finish(name, least_files, least_cases);
        println!("{:#?}", gpu::counts());
        let left = listed();
        for (file, what) in LEFT.iter().filter(|(file, _)| folder(name).join(file).exists()) {
            assert!(
                left.get(*file).is_some_and(|found| found.contains(*what)),
                "{file} is listed for nothing"
            );
        }
    }
}

#[test]
fn programs_of_kernels() {
    check("programs/kernels", 120, 1200);
}

/// Runs that stop where they would wait, and block the thread nowhere.
#[test]
fn programs_that_stop() {
    if gpu::has_adapter() {
        let engines = [ENGINES[0], Engine { name: "WebGPU, stopping", run: gpu::stopping_engine }];
        for (name, files, cases) in [("programs/rt", 15, 100), ("programs/host", 60, 300)] {
            check_programs(&folder(name), &engines, &[]).finish(name, files, cases);
        }
    }
}

#[test]
fn programs_of_host_code() {
    check("programs/host", 60, 300);
}

#[test]
fn programs_of_operations() {
    check("programs/ops", 30, 1500);
}

#[test]
fn programs_of_front_ends() {
    check("programs/vcode", 60, 200);
}

#[test]
fn programs_of_the_runtime() {
    check("programs/rt", 15, 100);
    check("programs/interp", 10, 50);
}

#[test]
fn examples() {
    check("programs/examples", 25, 200);
    check("../examples", 3, 30);
}

/// What follows a word in the comment that begins with it.
fn comment<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.split_once(&format!("{{ {word}:"))?.1;
    Some(rest.split_once('}')?.0)
}

#[test]
fn programs_in_vcode() {
    if !gpu::has_adapter() {
        return;
    }
    let mut ran = 0;
    for entry in std::fs::read_dir(folder("vcode")).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let source = std::fs::read_to_string(&path).expect("the file can be read");
        let listing = comment(&source, "listing").map(|text| ListingText { name: "listing", text });
        let Ok(compiled) = compile("test.vcode", &source, listing, &Options::default()) else { continue };
        let case = Case { program: compiled.program, shapes: Vec::new(), args: Vec::new() };
        if let Err(failure) = check_case(&case, &gpu_engines()[1..2]) {
            panic!("{}: {}: {}", path.display(), failure.stage, failure.message);
        }
        ran += 1;
    }
    assert!(ran > 40, "only {ran} programs ran");
    listed();
}

/// Checks the programs of some seeds with one of the ways to use a GPU.
fn check_seeds(seeds: Range<u64>, engine: usize) {
    if !gpu::has_adapter() {
        return;
    }
    let engines = &gpu_engines()[engine..=engine];
    let mut good = 0;
    for seed in seeds.clone() {
        match check_case(&generate(seed, Size::TINY), engines) {
            Ok(outcome) => good += usize::from(outcome.end.is_ok()),
            Err(failure) => panic!("seed {seed}: {}: {}", failure.stage, failure.message),
        }
    }
    assert!(good > seeds.count() / 2, "only {good} programs end with results");
}

#[test]
fn random_programs() {
    check_seeds(0..150, 0);
}

#[test]
fn random_programs_after_all_passes() {
    check_seeds(150..300, 1);
}
