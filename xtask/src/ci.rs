//! `cargo xtask ci`: what has to pass before a change lands. `.ci/run` runs exactly this, from a clean clone.
//!
//! Each part is timed, and the table at the end says which took longer than its budget. A part over its budget is no failure: machines differ.

use crate::times::{Times, minutes};
use crate::{cargo, licences, readme, root};
use std::process::Command;
use std::time::Instant;

/// Minutes that a part may take from cold, on two idle cores.
const BUDGETS: [(&str, f64); 8] = [
    ("format", 0.1),
    ("licences", 0.1),
    ("packages", 0.2),
    ("lints", 2.0),
    ("documentation", 0.7),
    ("build of the tests", 4.4),
    ("tests", 4.5),
    ("python", 4.0),
];

/// Makes packages of all crates that are for others, without building or sending them: manifests are complete.
const PACKAGES: [&str; 19] = [
    "package",
    "--workspace",
    "--exclude",
    "nestled-bench",
    "--exclude",
    "nestled-events",
    "--exclude",
    "nestled-peers",
    "--exclude",
    "nestled-python",
    "--exclude",
    "nestled-soup",
    "--exclude",
    "nestled-test",
    "--exclude",
    "xtask",
    "--no-verify",
    "--allow-dirty",
    "--quiet",
];

/// What is compiled for a test runs once or twice, so that optimising it does not pay: kernels on software Vulkan, and those of CUDA on the
/// stand-in for a card, by g++, and those of the CPU where front ends are tested. The engines of `nestled-test` compile at the level of users, whatever this says.
const QUICK: [(&str, &str); 3] =
    [("GALLIVM_PERF", "nopt"), ("STAND_IN_FLAGS", "-O0"), ("NESTLED_LEVEL", "0")];

/// Format, licences, packages, lints as errors, documentation, then the test command of the README, and the wheel with its tests.
pub fn run(args: &[String]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("`cargo xtask ci` takes no options".to_owned());
    }
    let test = readme::test_command()?;
    let test: Vec<&str> = test.split_whitespace().skip(1).collect();
    // `target/cargo-timings` then has the time of each crate.
    let build: Vec<&str> = test.iter().copied().chain(["--no-run", "--timings"]).collect();
    let mut parts = Parts(Vec::new());
    let mut times = Times::default();
    let outcome = parts
        .time("format", || cargo(&["fmt", "--all", "--check"], &[]))
        .and_then(|()| parts.time("licences", licences::check))
        .and_then(|()| parts.time("packages", || cargo(&PACKAGES, &[])))
        .and_then(|()| {
            let lints = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
            parts.time("lints", || cargo(&lints, &[]))
        })
        .and_then(|()| {
            let doc = ["doc", "--workspace", "--no-deps"];
            parts.time("documentation", || cargo(&doc, &[("RUSTDOCFLAGS", "-D warnings")]))
        })
        .and_then(|()| parts.time("build of the tests", || cargo(&build, &[])))
        .and_then(|()| parts.time("tests", || times.cargo(&test, &QUICK)))
        .and_then(|()| parts.time("python", || python(&[], &[])));
    parts.print(&times);
    outcome
}

/// Builds, installs and tests the wheel, if there is a Python for it; all of it, or what the arguments for pytest say.
pub fn python(tests: &[&str], envs: &[(&str, &str)]) -> Result<(), String> {
    let probe = "import sys; sys.exit(sys.version_info < (3, 11))";
    let is_there =
        |name: &&str| Command::new(name).args(["-c", probe]).status().is_ok_and(|status| status.success());
    let Some(name) = ["python3.11", "python3"].into_iter().find(is_there) else {
        eprintln!("python/check is left out: there is no Python 3.11 or later");
        return Ok(());
    };
    let mut check = Command::new(root().join("python/check"));
    check.args(tests).env("PYTHON", name).envs(envs.iter().copied());
    let outcome = check.status();
    match outcome.map_err(|error| format!("python/check: {error}"))?.success() {
        true => Ok(()),
        false => Err("`python/check` failed".to_owned()),
    }
}

/// The parts so far, with their minutes.
struct Parts(Vec<(&'static str, f64)>);

impl Parts {
    fn time(&mut self, part: &'static str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let begin = Instant::now();
        let outcome = run();
        self.0.push((part, minutes(begin.elapsed())));
        outcome
    }

    /// To standard error, so that the last lines of standard output stay those of the tests.
    fn print(&self, times: &Times) {
        eprintln!("\n minutes  budget  part");
        for &(part, took) in &self.0 {
            let (_, budget) =
                BUDGETS.iter().find(|(name, _)| *name == part).expect("every part has a budget");
            eprintln!("{took:8.1}{budget:8.1}  {part}{}", over(took, *budget));
        }
        let (took, budget) =
            (self.0.iter().map(|part| part.1).sum(), BUDGETS.iter().map(|part| part.1).sum());
        eprintln!("{took:8.1}{budget:8.1}  all{}", over(took, budget));
        times.print();
    }
}

fn over(took: f64, budget: f64) -> &'static str {
    if took > budget { "  OVER BUDGET" } else { "" }
}
