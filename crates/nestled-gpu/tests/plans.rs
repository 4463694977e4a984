//! The data files in `tests/gpu-plans/`: a kernel, a GPU, and the plan that is expected.
//!
//! ```text
//! ; target: cuda             ; `cuda` or `wgpu`
//! ; uses: fours              ; words that the plan has
//! ; not: interior            ; words that it does not have
//! ; expect:                  ; the plan
//! ```
//!
//! `UPDATE=1` writes what is expected anew.

use nestled_gpu::plan::{plan, text, verify};
use nestled_gpu::{Dialect, Language};
use nestled_ir::Program;
use nestled_rt::device::Math;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Words of strategies. For each there is a file whose plan has it, and one whose plan has not.
const STRATEGIES: [&str; 21] = [
    "fours",
    "packed",
    "interior",
    "whole",
    "tiles",
    "worklist",
    "ahead",
    "across",
    "single-pass",
    "values",
    "reduce-then-scan",
    "vectors-in-one-sweep",
    "vectors",
    "count-and-move",
    "sort",
    "atomics",
    "privatised",
    "workgroup",
    "cut",
    "carried",
    "in-place",
];

fn dialect(name: &str) -> Dialect {
    let (language, workgroup) = match name {
        "cuda" => (Language::Cuda, 256),
        "wgpu" => (Language::Wgsl, 64),
        other => panic!("`{other}` is no target"),
    };
    let (private, library) = (1 << 14, String::new());
    Dialect { language, int64: true, float64: true, workgroup, private, math: Math::Default, library }
}

fn well_formed(path: &Path, text: &str) -> Program {
    let program = nestled_ir::text::parse(&path.display().to_string(), text);
    let program = program.unwrap_or_else(|failure| panic!("{failure}"));
    nestled_ir::verify::verify(&program).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
    program
}

/// The words after `; name: ` at the head of a file.
fn stated(text: &str, name: &str) -> Vec<String> {
    let prefix = format!("; {name}: ");
    let words = text.lines().filter_map(|line| line.strip_prefix(&prefix)).flat_map(|rest| rest.split(", "));
    words.map(str::to_owned).collect()
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    files.sort();
    files
}

/// Plans a kernel; the plan can run, and is read back as it was printed.
fn planned(program: &Program, kernel: usize, dialect: &Dialect) -> Result<String, String> {
    let plan = plan(program, &program.kernels[kernel], dialect);
    verify(&plan, dialect)?;
    let printed = text::schedules(&plan);
    let again = text::parse(&plan.kernel, &printed).map_err(|error| format!("{error}\n{printed}"))?;
    if again.passes != plan.passes || again.carried != plan.carried || again.in_place != plan.in_place {
        return Err(format!("it reads back as\n{}\nnot\n{printed}", text::schedules(&again)));
    }
    Ok(printed)
}

#[test]
fn plans_are_those_expected() {
    let update = std::env::var_os("UPDATE").is_some();
    let (mut wrong, mut uses, mut not) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for path in files("gpu-plans") {
        let name = path.display();
        let source = std::fs::read_to_string(&path).expect("it is text");
        let program = well_formed(&path, &source);
        let target = stated(&source, "target");
        let found = match planned(&program, 0, &dialect(&target[0])) {
            Ok(found) => found,
            Err(fault) => {
                wrong.push(format!("{name}: {fault}"));
                continue;
            }
        };
        let has = |word: &String| found.split_whitespace().any(|own| own == word);
        for word in stated(&source, "uses") {
            if !has(&word) {
                wrong.push(format!("{name}: the plan has no `{word}`\n{found}"));
            }
            uses.insert(word);
        }
        for word in stated(&source, "not") {
            if has(&word) {
                wrong.push(format!("{name}: the plan has `{word}`\n{found}"));
            }
            not.insert(word);
        }
        let (head, expected) = source.split_once("; expect:\n").expect("a file says what is expected");
        let lines: String = found.lines().map(|line| format!("; {line}\n")).collect();
        if update {
            std::fs::write(&path, format!("{head}; expect:\n{lines}")).expect("it can be written");
        } else if expected != lines {
            wrong.push(format!("{name}: the plan is\n{found}"));
        }
    }
    for word in STRATEGIES {
        if !uses.contains(word) || !not.contains(word) {
            wrong.push(format!("there is no file for, or none against, `{word}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever kernel there is, its plan can run, on both machines.
#[test]
fn every_kernel_has_a_plan() {
    let mut planned_kernels = 0;
    for folder in ["programs/kernels", "programs/ops", "programs/interp"] {
        for path in files(folder) {
            let source = std::fs::read_to_string(&path).expect("it is text");
            let program = well_formed(&path, &source);
            for kernel in 0..program.kernels.len() {
                for target in ["cuda", "wgpu"] {
                    let outcome = planned(&program, kernel, &dialect(target));
                    outcome.unwrap_or_else(|fault| panic!("{} on {target}: {fault}", path.display()));
                    planned_kernels += 1;
                }
            }
        }
    }
    assert!(planned_kernels > 1000, "only {planned_kernels} kernels");
}

#[test]
fn plans_that_cannot_run_are_refused() {
    let source = "kernel k(xs: [n]i32) over n {\n y = map { i => xs[i] }\n s = reduce { i => xs[i] } add\n ret y, s\n}\n";
    let program = well_formed(Path::new("k.lcu"), source);
    let kernel = &program.kernels[0];
    let says = |target: &str, passes: &str| {
        let plan = text::parse(kernel, &format!("plan\n{passes}")).expect("it is a plan");
        verify(&plan, &dialect(target)).expect_err("it cannot run")
    };
    let maps = "pass 0 level 1: 0:map:y\n maps points\n";
    assert_eq!(says("cuda", maps), "combinator 1 does not run");
    let twice = format!("{maps}pass 1 level 1: 0:map:y 1:reduce:s\n reduce whole\n");
    assert_eq!(says("cuda", &twice), "combinator 0 runs twice");
    let level = "pass 0 level 0: 0:map:y 1:reduce:s\n reduce whole\n";
    assert_eq!(says("cuda", level), "combinator 0 runs in pass 0, at another level");
    let kind = format!("{maps}pass 1 level 1: 1:reduce:s\n scan vectors\n");
    assert_eq!(says("cuda", &kind), "pass 1 has the schedule of another combinator");
    let warps = format!("{maps}pass 1 level 1: 1:reduce:s\n reduce whole commutes\n");
    assert_eq!(says("wgpu", &warps), "pass 1 wants warps");
    for malformed in [
        "maps points",
        "pass 0 level 1: 0:map:y",
        "pass 0 level x: 0:map:y",
        "pass 0 level 1: 7:map:y",
        "nonsense",
    ] {
        assert!(text::parse(kernel, &format!("plan\n{malformed}\n")).is_err(), "{malformed}");
    }
}
