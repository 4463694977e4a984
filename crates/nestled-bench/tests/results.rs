//! Every benchmark computes what its reference computes, at tiny sizes.

use nestled_bench::Bench;
use nestled_bench::bench::Size;
use nestled_bench::c::build;
use nestled_bench::catalog::{BENCHES, unfused};
use nestled_bench::check::check;
use nestled_bench::measure::Setup;
use nestled_devices::DeviceChoice;
use std::path::Path;
use std::rc::Rc;

fn setup(device: DeviceChoice) -> Setup {
    Setup {
        device: nestled_bench::device::open(device, 2).unwrap(),
        c: None,
        pairs: 1,
        threads: 2,
        all_passes: false,
    }
}

/// Sizes at which vectors end inside, at and after a block of sixteen, and tiny ones.
fn wrong(setup: &Setup, benches: &'static [Bench]) -> Vec<String> {
    let mut wrong = Vec::new();
    for bench in benches {
        for n in [1, 16, 31, bench.sizes.of(Size::Tiny)] {
            if let Err(message) = check(bench, n, setup) {
                wrong.push(format!("{} of size {n}: {message}", bench.name));
            }
        }
    }
    wrong
}

#[test]
fn programs_agree_with_their_references() {
    assert_eq!(wrong(&setup(DeviceChoice::Reference), BENCHES), Vec::<String>::new());
}

#[test]
fn programs_agree_on_the_cpu() {
    assert_eq!(wrong(&setup(DeviceChoice::Cpu), BENCHES), Vec::<String>::new());
}

#[test]
fn programs_agree_after_all_passes() {
    let setup = Setup { all_passes: true, ..setup(DeviceChoice::Reference) };
    assert_eq!(wrong(&setup, BENCHES), Vec::<String>::new());
}

#[test]
fn unfused_programs_agree_after_all_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/unfused");
    assert_eq!(unfused().len(), std::fs::read_dir(folder).expect("benches/unfused/").count());
    let setup = Setup { all_passes: true, ..setup(DeviceChoice::Reference) };
    assert_eq!(wrong(&setup, unfused()), Vec::<String>::new());
}

#[test]
fn our_c_agrees_with_the_references() {
    let built = match build(None, None) {
        Ok(built) => built,
        Err(message) => {
            println!("skipped, because there is no C compiler: {message}");
            return;
        }
    };
    built.library.set_threads(2);
    let setup = Setup { c: Some(Rc::new(built)), ..setup(DeviceChoice::Reference) };
    assert_eq!(wrong(&setup, BENCHES), Vec::<String>::new());
    let has_c = |bench: &Bench| check(bench, 16, &setup).is_ok_and(|checked| checked.has_c);
    let without: Vec<&str> = BENCHES.iter().filter(|bench| !has_c(bench)).map(|bench| bench.name).collect();
    assert_eq!(without, Vec::<&str>::new());
}

#[test]
fn each_program_is_a_file_of_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
    let mut programs: Vec<String> = BENCHES.iter().map(|bench| format!("{}.lcu", bench.file())).collect();
    programs.sort();
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("benches/")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(".lcu"))
        .collect();
    files.sort();
    assert_eq!(programs, files);
}
