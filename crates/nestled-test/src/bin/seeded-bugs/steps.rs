//! The tests of the copy as *steps*, one or more for each binary, and runs of them.

use crate::build::Binary;
use crate::tree::Tree;
use nestled_test::corpus::FIRST_ONLY;
use nestled_test::cpu::DIRECTORY;
use nestled_test::seeded::{Bug, VARIABLE};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// Tests that run together.
#[derive(Clone)]
pub struct Step {
    pub package: String,
    /// The name for people, and the key of its time.
    pub name: String,
    path: PathBuf,
    filter: Vec<String>,
}

/// The end of a run of a step.
#[derive(PartialEq)]
pub enum End {
    Passed,
    /// With the test that failed, if there was one.
    Failed(String),
    Hangs,
}

/// Splits binaries into steps. The corpus of passes is a step by itself, since it is quick and finds much, and so is each file of a program of several.
pub fn steps(binaries: &[Binary]) -> Vec<Step> {
    let mut steps = Vec::new();
    for binary in binaries {
        let test = binary.test.as_deref().unwrap_or("unit tests");
        let parts: Vec<(String, Vec<String>)> = match (binary.package.as_str(), test) {
            ("nestled-test", "corpus") => {
                let of = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
                vec![
                    ("corpus passes".to_owned(), of(&["passes"])),
                    ("corpus".to_owned(), of(&["--skip", "passes"])),
                ]
            }
            (_, "all") => {
                files(&binary.path).into_iter().map(|file| (file.clone(), vec![file + "::"])).collect()
            }
            (_, other) => vec![(other.to_owned(), Vec::new())],
        };
        for (name, filter) in parts {
            let (package, path) = (binary.package.clone(), binary.path.clone());
            steps.push(Step { name: format!("{package} {name}"), package, path, filter });
        }
    }
    steps
}

/// The files of tests that a program is made of: the modules at its top.
fn files(program: &Path) -> BTreeSet<String> {
    let listed = Command::new(program).args(["--list", "--format", "terse"]).output();
    let listed =
        listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned()).unwrap_or_default();
    let tests = listed.lines().filter(|line| line.ends_with(": test"));
    tests.filter_map(|test| Some(test.split_once("::")?.0.to_owned())).collect()
}

/// The steps for a bug of this crate in the order to try them: its own, those that found most other bugs of the crate (`found`), the corpus, then by the time
/// that they take.
pub fn in_order<'a>(
    steps: &'a [Step],
    package: Option<&str>,
    dependencies: &BTreeMap<String, BTreeSet<String>>,
    times: &Times,
    found: &BTreeMap<String, u32>,
) -> Vec<&'a Step> {
    let sees = |step: &&Step| {
        let reached = dependencies.get(&step.package);
        package.is_none_or(|package| {
            step.package == package || reached.is_some_and(|reached| reached.contains(package))
        })
    };
    let rank = |step: &&Step| {
        let own = Some(step.package.as_str()) != package;
        let corpus = !step.name.starts_with("nestled-test corpus");
        let found = Reverse(found.get(&step.name).copied().unwrap_or(0));
        (own, found, corpus, times.of(step).unwrap_or(Duration::from_secs(60)))
    };
    let mut chosen: Vec<&Step> = steps.iter().filter(sees).collect();
    chosen.sort_by_key(rank);
    chosen
}

impl Step {
    /// Runs it with a bug on, for at most `limit`. The run ends when the first test fails.
    pub fn run(
        &self,
        tree: &Tree,
        bug: u64,
        kernels: Option<&Path>,
        limit: Duration,
    ) -> std::io::Result<End> {
        let mut command = Command::new(&self.path);
        command.args(&self.filter);
        run(command, tree, &self.package, bug, kernels, limit)
    }

    /// Runs one of its tests by itself; true if it fails again.
    pub fn fails_again(
        &self,
        tree: &Tree,
        bug: u64,
        kernels: Option<&Path>,
        test: &str,
        limit: Duration,
    ) -> std::io::Result<bool> {
        let mut command = Command::new(&self.path);
        if test.is_empty() {
            command.args(&self.filter);
        } else {
            command.args(["--exact", test]);
        }
        Ok(run(command, tree, &self.package, bug, kernels, limit)? != End::Passed)
    }

    /// A version that changes with the binary.
    fn version(&self) -> Option<u64> {
        Some(fs::metadata(&self.path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs())
    }
}

fn run(
    mut command: Command,
    tree: &Tree,
    package: &str,
    bug: u64,
    kernels: Option<&Path>,
    limit: Duration,
) -> std::io::Result<End> {
    command.current_dir(tree.copy.join("crates").join(package));
    command.env(VARIABLE, bug.to_string()).env(FIRST_ONLY, "1").env("RUST_BACKTRACE", "0");
    command.env("CARGO_TARGET_DIR", &tree.target);
    if let Some(kernels) = kernels {
        command.env(DIRECTORY, kernels);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn()?;
    let (send, lines) = channel();
    let output = child.stdout.take();
    std::thread::spawn(move || {
        let read = output.into_iter().flat_map(|output| BufReader::new(output).lines());
        read.map_while(Result::ok).take_while(|line| send.send(line.clone()).is_ok()).for_each(drop);
    });
    let end = watch(&mut child, &lines, limit);
    // All of its group, so that nothing that it started outlives it.
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status()?;
    child.wait()?;
    end
}

fn watch(child: &mut Child, lines: &Receiver<String>, limit: Duration) -> std::io::Result<End> {
    let start = Instant::now();
    let failed = |line: &str| {
        let test = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
        Some(test.trim_end_matches(" - should panic").to_owned())
    };
    loop {
        if start.elapsed() > limit {
            return Ok(End::Hangs);
        }
        match lines.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => {
                if let Some(test) = failed(&line) {
                    return Ok(End::Failed(test));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(20)),
        }
        if let Some(status) = child.try_wait()? {
            let last = lines.iter().find_map(|line| failed(&line)).unwrap_or_default();
            return Ok(if status.success() { End::Passed } else { End::Failed(last) });
        }
    }
}

/// Times of the steps without a bug, kept on disk from one run of this program to the next.
pub struct Times {
    path: PathBuf,
    known: BTreeMap<String, (u64, Duration)>,
}

impl Times {
    /// Reads the times known for this copy.
    pub fn read(tree: &Tree) -> Times {
        let path = tree.target.with_file_name("times");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let line = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let (version, millis) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((parts.next()?.to_owned(), (version, Duration::from_millis(millis))))
        };
        Times { known: text.lines().filter_map(line).collect(), path }
    }

    /// The time of this step, of an older binary too.
    pub fn of(&self, step: &Step) -> Option<Duration> {
        self.known.get(&step.name).map(|(_, time)| *time)
    }

    /// The time of this step as it is built now.
    pub fn current(&self, step: &Step) -> Option<Duration> {
        let (version, time) = self.known.get(&step.name)?;
        (Some(*version) == step.version()).then_some(*time)
    }

    /// Keeps a time.
    pub fn note(&mut self, step: &Step, time: Duration) -> std::io::Result<()> {
        self.known.insert(step.name.clone(), (step.version().unwrap_or(0), time));
        let lines = self
            .known
            .iter()
            .map(|(name, (version, time))| format!("{version} {} {name}\n", time.as_millis()));
        fs::write(&self.path, lines.collect::<String>())
    }
}

/// The step and the test that found each bug: `tests/seeded-bugs-found.txt`, which is committed, so that a bug that was found once is found again by one test.
/// A bug's number changes with its text.
pub struct Finds {
    path: PathBuf,
    known: BTreeMap<u64, (String, String)>,
}

impl Finds {
    /// Reads the finds of these bugs; others are of bugs that are gone.
    pub fn read(root: &Path, bugs: &[Bug]) -> Finds {
        let path = root.join("tests/seeded-bugs-found.txt");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let current: BTreeSet<u64> = bugs.iter().map(Bug::number).collect();
        let line = |line: &str| {
            let mut parts = line.splitn(3, '\t');
            let (number, step) = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
            current.contains(&number).then_some((number, (step, parts.next()?.to_owned())))
        };
        Finds { known: text.lines().filter_map(line).collect(), path }
    }

    /// The step and the test that found a bug.
    pub fn get(&self, bug: u64) -> Option<&(String, String)> {
        self.known.get(&bug)
    }

    /// For each step the number of these bugs that it found.
    pub fn by_step<'a>(&self, bugs: impl Iterator<Item = &'a Bug>) -> BTreeMap<String, u32> {
        let mut count = BTreeMap::new();
        for (step, _) in bugs.filter_map(|bug| self.get(bug.number())) {
            *count.entry(step.clone()).or_default() += 1;
        }
        count
    }

    /// Records the step and the test that found a bug.
    pub fn note(&mut self, bug: u64, step: &str, test: &str) -> std::io::Result<()> {
        self.known.insert(bug, (step.to_owned(), test.to_owned()));
        let lines = self.known.iter().map(|(bug, (step, test))| format!("{bug}\t{step}\t{test}\n"));
        fs::write(&self.path, lines.collect::<String>())
    }
}
