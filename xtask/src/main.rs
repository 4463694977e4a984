//! Routine jobs, so that there is no shell folklore: `cargo xtask help` lists them.
#![forbid(unsafe_code)]

mod ci;
mod kit;
mod licences;
mod readme;
mod times;

use std::process::{Command, ExitCode};

/// A job: its name, what it does, and the function that does it with the rest of the command line.
struct Job {
    name: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const JOBS: &[Job] = &[
    Job { name: "ci", summary: "all that has to pass: format, lints, docs, tests", run: ci::run },
    Job {
        name: "bench",
        summary: "measures against hand-written C; options as in `cargo xtask bench --help`",
        run: bench,
    },
    Job {
        name: "fuzz",
        summary: "random programs, release build; options as in `cargo xtask fuzz --help`",
        run: fuzz,
    },
    Job {
        name: "soup",
        summary: "mutated programs and files for all that reads them; options as in `cargo xtask soup --help`",
        run: soup,
    },
    Job {
        name: "gpu-kit",
        summary: "a folder to take to a machine with a card: tests and measurements in one command",
        run: kit::run,
    },
    Job {
        name: "emitted",
        summary: "which kernels a change of a back end touches; options as in `cargo xtask emitted --help`",
        run: emitted,
    },
    Job {
        name: "licences",
        summary: "the notices that go with binaries; options: --package NAME, --out FILE (nestled-cli, target/licences.txt)",
        run: licences::run,
    },
    Job {
        name: "long",
        summary: "runs programs of 100 000 lines in each language, on every device all types of arrays and every check of many points, exchanges 100 M values with Arrow, and compares operations of nested data with Awkward Array's on 200 arrays each",
        run: long,
    },
    Job {
        name: "math-exhaustive",
        summary: "every f32 argument of every elementary function, against its bound",
        run: math_exhaustive,
    },
    Job {
        name: "optimum",
        summary: "how far the plans of fusion are from the optimum, by a solver of integer programs (NESTLED_MIP)",
        run: optimum,
    },
    Job {
        name: "peers",
        summary: "measures twenty-six programs beside other systems; options as in `cargo xtask peers --help`",
        run: peers,
    },
    Job {
        name: "skew",
        summary: "what one long list among short ones costs each operation of nested arrays; options: words of names",
        run: skew,
    },
    Job { name: "seeded-bugs", summary: "seed bugs and count how many the tests find", run: seeded_bugs },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("help", String::as_str);
    let Some(job) = JOBS.iter().find(|job| job.name == name) else {
        return help(name);
    };
    match (job.run)(&args[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn help(name: &str) -> ExitCode {
    let known = ["help", "-h", "--help"].contains(&name);
    if !known {
        eprintln!("error: no job is called `{name}`\n");
    }
    println!("Usage: cargo xtask JOB [OPTIONS]\n\nJobs:");
    for job in JOBS {
        println!("  {:16} {}", job.name, job.summary);
    }
    if known { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

/// Runs a command from the root of the repository, showing it first; an error unless it succeeds.
fn cargo(args: &[&str], envs: &[(&str, &str)]) -> Result<(), String> {
    let status = in_root(args, envs).status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(args))) }
}

/// Cargo with these arguments, shown and about to start at the root of the repository.
fn in_root(args: &[&str], envs: &[(&str, &str)]) -> Command {
    println!("$ {}", shown(args));
    let mut command = Command::new(env!("CARGO"));
    command.args(args).envs(envs.iter().copied()).current_dir(root());
    command
}

fn shown(args: &[&str]) -> String {
    format!("cargo {}", args.join(" "))
}

/// The root of the repository.
fn root() -> std::path::PathBuf {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask lies in the repository").to_owned()
}

fn bench(args: &[String]) -> Result<(), String> {
    let mut line = vec!["run", "--release", "--quiet", "-p", "nestled-bench", "--"];
    line.extend(args.iter().map(String::as_str));
    cargo(&line, &[])
}

fn peers(args: &[String]) -> Result<(), String> {
    let mut line = vec!["run", "--release", "--quiet", "-p", "nestled-peers", "--", "compare"];
    line.extend(args.iter().map(String::as_str));
    cargo(&line, &[])
}

fn fuzz(args: &[String]) -> Result<(), String> {
    test_binary("fuzz", args)
}

fn soup(args: &[String]) -> Result<(), String> {
    let mut line = vec!["run", "--quiet", "-p", "nestled-soup", "--bin", "soup", "--"];
    line.extend(args.iter().map(String::as_str));
    cargo(&line, &[])
}

fn math_exhaustive(args: &[String]) -> Result<(), String> {
    test_binary("math-exhaustive", args)
}

fn long(_args: &[String]) -> Result<(), String> {
    let line = ["test", "--release", "-p", "nestled-cli", "--test", "compile_time"];
    cargo(&line, &[("NESTLED_TEST_LINES", "100000")])?;
    let all = [("NESTLED_TEST_ALL", "1")];
    cargo(&["test", "--release", "-p", "nestled-test", "--test", "many"], &all)?;
    cargo(&["test", "--release", "-p", "nestled-array", "--test", "all", "all_on_"], &all)?;
    cargo(&["test", "--release", "-p", "nestled-nested"], &all)?;
    // A hundred million values from and to Arrow.
    cargo(&["test", "--release", "-p", "nestled-arrow", "values_are_not_copied"], &all)?;
    // Elsewhere kernels on little data are interpreted.
    let compiled = [("NESTLED_COMPILE", "first")];
    cargo(
        &["test", "--release", "-p", "nestled-array", "-p", "nestled-nested", "-p", "nestled-cli"],
        &compiled,
    )?;
    judged_by_awkward()
}

/// Each operation of nested data on two hundred random arrays, from Python and from Rust, beside Awkward Array.
fn judged_by_awkward() -> Result<(), String> {
    const ARRAYS: &str = "200";
    ci::python(&["test_awkward_judge.py"], &[("NESTLED_TEST_COUNT", ARRAYS)])?;
    let environment =
        std::env::var_os("NESTLED_VENV").map_or_else(|| root().join("target/python-venv"), Into::into);
    let python = environment.join("bin/python");
    if !python.exists() {
        eprintln!("awkward_judge.py is left out: there is no Python 3.11 or later");
        return Ok(());
    }
    cargo(&["build", "--release", "-p", "nestled-nested", "--example", "judged"], &[])?;
    let judge = root().join("crates/nestled-nested/tests/awkward_judge.py");
    let outcome = Command::new(python)
        .arg(judge)
        .arg(root().join("target/release/examples/judged"))
        .arg(ARRAYS)
        .status();
    match outcome.map_err(|error| format!("awkward_judge.py: {error}"))?.success() {
        true => Ok(()),
        false => Err("`awkward_judge.py` failed".to_owned()),
    }
}

fn seeded_bugs(args: &[String]) -> Result<(), String> {
    test_binary("seeded-bugs", args)
}

fn optimum(args: &[String]) -> Result<(), String> {
    let mut line = vec!["run", "--release", "--quiet", "-p", "nestled-pass", "--example", "optimum", "--"];
    line.extend(args.iter().map(String::as_str));
    cargo(&line, &[])
}

/// Not a release build, for kernels are compiled as users have them in any; but sorts are no kernels, and are optimised as in a release.
fn skew(args: &[String]) -> Result<(), String> {
    let sort = ["opt-level=3", "codegen-units=1", "overflow-checks=false", "debug-assertions=false"]
        .map(|setting| format!("profile.dev.package.nestled-sort.{setting}"));
    let mut line = vec!["run", "--quiet"];
    line.extend(sort.iter().flat_map(|setting| ["--config", setting.as_str()]));
    line.extend(["-p", "nestled-nested", "--example", "skew", "--"]);
    line.extend(args.iter().map(String::as_str));
    cargo(&line, &[])
}

fn emitted(args: &[String]) -> Result<(), String> {
    test_binary("emitted", args)
}

/// Runs a binary of the crate for tests.
fn test_binary(name: &str, args: &[String]) -> Result<(), String> {
    let mut line = vec!["run", "--release", "--quiet", "-p", "nestled-test", "--bin", name, "--"];
    line.extend(args.iter().map(String::as_str));
    cargo(&line, &[])
}
