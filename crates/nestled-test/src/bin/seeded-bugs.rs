//! Do the tests find bugs? Puts bugs into a copy of the tree, one at a time, and runs the tests.
//!
//! `cargo run -p nestled-test --bin seeded-bugs [-- WORDS]` takes the bugs of `tests/seeded-bugs.txt`, or those whose words or file contain
//! WORDS. The tests must fail, or run for ever.
#![forbid(unsafe_code)]

use nestled_test::seeded::{Bug, parse};
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What became of it.
#[derive(PartialEq)]
enum Fate {
    /// The tests of this step failed.
    Found(&'static str),
    /// The tests ran for ever.
    Hangs,
    Missed,
    /// The edit is not one: its text is not there once, or the result does not compile.
    Invalid(&'static str),
}

/// The tests, the quickest first.
const STEPS: [(&str, &[&str]); 4] = [
    ("the data of passes", &["-p", "nestled-test", "--test", "corpus", "passes"]),
    ("the corpus", &["-p", "nestled-test", "--test", "corpus"]),
    ("random programs", &["-p", "nestled-test", "--test", "random"]),
    ("other tests", &["-p", "nestled-ir", "-p", "nestled-pass", "-p", "nestled-test"]),
];

/// How long a step may take. Ample: on a busy machine a slow step is not a bug that was found.
const PATIENCE: Duration = Duration::from_secs(900);

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let words = std::env::args().nth(1).unwrap_or_default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let bugs = parse(&fs::read_to_string(root.join("tests/seeded-bugs.txt"))?)?;
    let copy = root.join("target/seeded-bugs/tree");
    copy_tree(&root, &copy)?;
    if words.is_empty() {
        for (step, args) in STEPS {
            if !cargo(&copy, args)?.unwrap_or(false) {
                return Err(format!("the tests fail without any bug ({step})").into());
            }
        }
    }
    let (mut found, mut tried) = (0, 0);
    for bug in bugs.iter().filter(|bug| bug.words.contains(&words) || bug.file.contains(&words)) {
        let start = Instant::now();
        let fate = try_bug(&copy, bug)?;
        found += usize::from(matches!(fate, Fate::Found(_) | Fate::Hangs));
        tried += 1;
        let text = match fate {
            Fate::Found(step) => format!("found by {step}"),
            Fate::Hangs => String::from("found: the tests hang"),
            Fate::Missed => String::from("MISSED"),
            Fate::Invalid(why) => format!("INVALID: {why}"),
        };
        println!("{text:<26} {:>4} s  {}", start.elapsed().as_secs(), bug.words);
    }
    println!("{found} of {tried} bugs found");
    Ok(found == tried)
}

/// Brings the copy up to date. Files that are the same keep their times, so that little is built again.
fn copy_tree(root: &Path, copy: &Path) -> Result<(), Box<dyn Error>> {
    let listed =
        Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let mut current = BTreeSet::new();
    for name in listed.lines() {
        let (from, to) = (root.join(name), copy.join(name));
        let Ok(bytes) = fs::read(&from) else { continue };
        current.insert(to.clone());
        if fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(copy))?;
        fs::write(to, bytes)?;
    }
    remove_others(copy, &current)
}

/// Removes the files of a folder that are no longer in the tree.
fn remove_others(folder: &Path, current: &BTreeSet<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, current)?;
        } else if !current.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn try_bug(copy: &Path, bug: &Bug) -> Result<Fate, Box<dyn Error>> {
    let path: PathBuf = copy.join(&bug.file);
    let Ok(original) = fs::read_to_string(&path) else { return Ok(Fate::Invalid("no such file")) };
    if original.matches(&bug.old).count() != 1 {
        return Ok(Fate::Invalid("the old text does not stand there once"));
    }
    fs::write(&path, original.replacen(&bug.old, &bug.new, 1))?;
    let fate = judge(copy);
    fs::write(&path, original)?;
    fate
}

fn judge(copy: &Path) -> Result<Fate, Box<dyn Error>> {
    for (step, args) in STEPS {
        let mut build = args.to_vec();
        build.push("--no-run");
        match cargo(copy, &build)? {
            Some(true) => {}
            Some(false) => return Ok(Fate::Invalid("it does not compile")),
            None => return Ok(Fate::Invalid("the compiler hangs")),
        }
        match cargo(copy, args)? {
            Some(true) => {}
            Some(false) => return Ok(Fate::Found(step)),
            None => return Ok(Fate::Hangs),
        }
    }
    Ok(Fate::Missed)
}

/// Runs `cargo test`: whether it succeeds; nothing if it has to be stopped.
fn cargo(copy: &Path, args: &[&str]) -> Result<Option<bool>, Box<dyn Error>> {
    let mut child = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
        .arg("test")
        .arg("-q")
        .args(args)
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", copy.with_file_name("target"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > PATIENCE {
            // All of its group, so that neither a compiler nor a test outlives it.
            Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
