//! Mutation testing: puts the bugs of `tests/seeded-bugs.txt` into a copy of the tree and runs the tests, which must fail or run for ever.
//!
//! ```text
//! cargo xtask seeded-bugs [--crate NAME]… [--own] [--with NAME]… [--most SECONDS] [--new] [--list] [WORDS]
//! ```
//!
//! `WORDS` are in a bug's words or file. `--own` builds and runs the tests of the crates themselves only, which is quick, and `--with` those of another crate
//! besides, such as `nestled-test` with the data files. `--new` tries only bugs that `tests/seeded-bugs-found.txt` does not name. One build has all bugs
//! that are tried ([`nestled_test::seeded::weave`]); bugs that cannot be woven in are built one by one.
#![forbid(unsafe_code)]

mod build;
mod steps;
mod tree;

use build::{Binary, Built, build, dependencies};
use nestled_test::seeded::{Bug, parse, place, weave};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use steps::{End, Finds, Step, Times, in_order, steps};
use tree::Tree;

/// The crates that decide the machine code of a kernel. Compiled kernels are found by the kernel and the version of this code, which are the same with a
/// woven bug and without.
const DECIDES_KERNELS: [&str; 5] =
    ["nestled-cache", "nestled-cpu", "nestled-ir", "nestled-kernel", "nestled-llvm"];

/// The outcome of a bug.
enum Fate {
    /// Found by these tests.
    Found(String),
    Missed,
    /// The edit is not one: its text is not there once, or the result does not compile.
    Invalid(&'static str),
}

/// Command-line options.
#[derive(Default)]
struct Options {
    /// Only bugs of these crates.
    packages: Vec<String>,
    /// Only tests of their own.
    own: bool,
    /// And those of these crates.
    with: Vec<String>,
    /// Only tests that take no longer, as far as their times are known.
    most: Option<Duration>,
    /// Only bugs that were not found yet.
    new: bool,
    list: bool,
    words: String,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--crate" => options.packages.push(args.next().ok_or("--crate wants a name")?),
                "--own" => options.own = true,
                "--with" => options.with.push(args.next().ok_or("--with wants a name")?),
                "--most" => {
                    let seconds =
                        args.next().and_then(|text| text.parse().ok()).ok_or("--most wants seconds")?;
                    options.most = Some(Duration::from_secs(seconds));
                }
                "--new" => options.new = true,
                "--list" => options.list = true,
                other if other.starts_with("--") => return Err(format!("{other} is no option")),
                _ => options.words = arg,
            }
        }
        Ok(options)
    }

    fn wants(&self, bug: &Bug) -> bool {
        let is_one = |package: &str| self.packages.iter().any(|wanted| wanted == package);
        let is_there = self.packages.is_empty() || bug.package().is_some_and(is_one);
        is_there && (bug.words.contains(&self.words) || bug.file.contains(&self.words))
    }
}

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
    let options = Options::parse(std::env::args().skip(1))?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let bugs = parse(&fs::read_to_string(root.join("tests/seeded-bugs.txt"))?)?;
    let finds = Finds::read(&root, &bugs);
    let is_tried = |bug: &Bug| options.wants(bug) && !(options.new && finds.get(bug.number()).is_some());
    let bugs: Vec<Bug> = bugs.into_iter().filter(is_tried).collect();
    let mut wanted: Vec<&Bug> = bugs.iter().collect();
    if options.list {
        wanted.iter().for_each(|bug| println!("{:<14} {}", bug.package().unwrap_or("rts"), bug.words));
        return Ok(true);
    }
    let mut built: Vec<String> = Vec::new();
    if options.own {
        built.extend(wanted.iter().filter_map(|bug| bug.package()).map(str::to_owned));
        built.extend(options.with.iter().cloned());
        built.sort_unstable();
        built.dedup();
    }
    let mut trial = Trial::prepare(&root, &bugs, finds, built)?;
    trial.most = options.most;
    // After these the copy is built for one bug and another.
    wanted.sort_by_key(|bug| !trial.is_woven(bug));
    let mut totals: BTreeMap<&str, Total> = BTreeMap::new();
    for (at, bug) in wanted.iter().enumerate() {
        let start = Instant::now();
        let fate = trial.judge(bug)?;
        let total = totals.entry(bug.package().unwrap_or("rts")).or_default();
        let text = total.note(fate, bug, start.elapsed());
        println!("{:>3}/{} {:>4} s  {} — {text}", at + 1, wanted.len(), start.elapsed().as_secs(), bug.words);
    }
    println!();
    for (package, Total { bugs, found, missed, time }) in &totals {
        println!("{package:<14} {found:>3} of {bugs:>3} found, {:>4} s", time.as_secs());
        missed.iter().for_each(|words| println!("    {words}"));
    }
    trial.broken.iter().for_each(|step| println!("left out, for it fails without any bug: {step}"));
    Ok(trial.broken.is_empty() && totals.values().all(|total| total.bugs == total.found))
}

/// Totals for a crate.
#[derive(Default)]
struct Total {
    bugs: u32,
    found: u32,
    missed: Vec<String>,
    time: Duration,
}

impl Total {
    fn note(&mut self, fate: Fate, bug: &Bug, time: Duration) -> String {
        self.bugs += 1;
        self.time += time;
        let text = match fate {
            Fate::Found(step) => {
                self.found += 1;
                return format!("found by {step}");
            }
            Fate::Missed => "MISSED".to_owned(),
            Fate::Invalid(why) => format!("INVALID: {why}"),
        };
        self.missed.push(format!("{text}: {}", bug.words));
        text
    }
}

/// The built copy, and facts about its tests.
struct Trial<'a> {
    bugs: &'a [Bug],
    /// The crates whose tests are built; all if it is empty.
    built: Vec<String>,
    /// Steps that take longer are left out.
    most: Option<Duration>,
    tree: Tree,
    /// Bugs that do not compile where they would be woven in.
    apart: BTreeSet<u64>,
    dependencies: BTreeMap<String, BTreeSet<String>>,
    steps: Vec<Step>,
    times: Times,
    finds: Finds,
    /// Steps that fail without any bug.
    broken: BTreeSet<String>,
}

impl<'a> Trial<'a> {
    fn prepare(
        root: &Path,
        bugs: &'a [Bug],
        finds: Finds,
        built: Vec<String>,
    ) -> Result<Trial<'a>, Box<dyn Error>> {
        let tree = Tree::of(root);
        let mut trial = Trial {
            bugs,
            built,
            most: None,
            apart: apart_before(&tree, bugs),
            dependencies: BTreeMap::new(),
            steps: Vec::new(),
            times: Times::read(&tree),
            finds,
            broken: BTreeSet::new(),
            tree,
        };
        let start = Instant::now();
        let binaries = trial.weave_all()?;
        trial.dependencies = dependencies(&trial.tree)?;
        trial.steps = steps(&binaries);
        let woven = trial.tree.woven.values().flat_map(|woven| woven.bugs()).count();
        println!("{woven} of {} bugs are in one build, {} s", bugs.len(), start.elapsed().as_secs());
        Ok(trial)
    }

    /// Builds the copy with all bugs that compile there.
    fn weave_all(&mut self) -> Result<Vec<Binary>, Box<dyn Error>> {
        loop {
            self.tree.update(&self.together())?;
            match build(&self.tree, &self.built)? {
                Built::Binaries(binaries) => return Ok(binaries),
                Built::Refused(said) => return Err(format!("the tree does not build\n{said}").into()),
                Built::Blamed(numbers) => {
                    for bug in self.bugs.iter().filter(|bug| numbers.contains(&bug.number())) {
                        println!("has to be built by itself: {}", bug.words);
                        self.apart.insert(bug.number());
                    }
                    note_apart(&self.tree, self.bugs, &self.apart)?;
                }
            }
        }
    }

    /// True if a bug is woven into the one build.
    fn is_woven(&self, bug: &Bug) -> bool {
        self.tree.woven.get(&bug.file).is_some_and(|woven| woven.bugs().any(|other| other == bug.number()))
    }

    fn judge(&mut self, bug: &Bug) -> Result<Fate, Box<dyn Error>> {
        if self.is_woven(bug) {
            let steps = self.steps.clone();
            return self.try_steps(&steps, bug);
        }
        let Some(mut text) = self.tree.original(&bug.file) else { return Ok(Fate::Invalid("no such file")) };
        let Some(edit) = place(&text, bug) else {
            return Ok(Fate::Invalid("the old text does not stand there once"));
        };
        text.replace_range(edit, &bug.new);
        self.tree.replace(&bug.file, &text)?;
        let fate = match build(&self.tree, &self.built)? {
            Built::Binaries(binaries) => self.try_steps(&steps(&binaries), bug),
            Built::Blamed(_) | Built::Refused(_) => Ok(Fate::Invalid("it does not compile")),
        };
        self.tree.update(&self.together())?;
        fate
    }

    /// The bugs to weave into the one build; some of them have no place there.
    fn together(&self) -> Vec<&'a Bug> {
        self.bugs.iter().filter(|bug| !self.apart.contains(&bug.number())).collect()
    }

    fn try_steps(&mut self, steps: &[Step], bug: &Bug) -> Result<Fate, Box<dyn Error>> {
        let own;
        let mut kernels = None;
        if DECIDES_KERNELS.iter().any(|package| bug.package() == Some(package)) {
            // Kernels that were compiled with this bug are nobody else's, and those of others would hide it.
            own = self.tree.target.with_file_name("kernels");
            if own.exists() {
                fs::remove_dir_all(&own)?;
            }
            kernels = Some(own.as_path());
        }
        let of_crate = self.bugs.iter().filter(|other| other.package() == bug.package());
        let found = self.finds.by_step(of_crate);
        let order = in_order(steps, bug.package(), &self.dependencies, &self.times, &found);
        // What found it last time finds it most likely again.
        if let Some((name, test)) = self.finds.get(bug.number()).cloned()
            && let Some(step) = order.iter().find(|step| step.name == name)
            && step.fails_again(&self.tree, bug.number(), kernels, &test, Duration::from_secs(600))?
        {
            return Ok(Fate::Found(format!("{name}: {test}")));
        }
        let is_short =
            |step: &&Step| self.most.is_none_or(|most| self.times.of(step).is_none_or(|time| time <= most));
        let order: Vec<&Step> = order.into_iter().filter(is_short).collect();
        for step in order {
            let usual = if self.is_woven(bug) { self.usual_time(step)? } else { self.former_time(step) };
            let Some(usual) = usual else { continue };
            let limit = usual * 4 + Duration::from_secs(60);
            let start = Instant::now();
            match step.run(&self.tree, bug.number(), kernels, limit)? {
                End::Passed => {}
                End::Hangs => {
                    self.finds.note(bug.number(), &step.name, "")?;
                    return Ok(Fate::Found(format!("{}, which hangs", step.name)));
                }
                End::Failed(test) => {
                    // On a busy machine a test may fail for want of time.
                    let is_slow = start.elapsed() > usual * 2 + Duration::from_secs(5);
                    if !is_slow || step.fails_again(&self.tree, bug.number(), kernels, &test, limit)? {
                        self.finds.note(bug.number(), &step.name, &test)?;
                        return Ok(Fate::Found(format!("{}: {test}", step.name)));
                    }
                }
            }
        }
        Ok(Fate::Missed)
    }

    /// The time that a step takes without a bug; `None` if it fails then.
    fn usual_time(&mut self, step: &Step) -> Result<Option<Duration>, Box<dyn Error>> {
        if self.broken.contains(&step.name) {
            return Ok(None);
        }
        if let Some(time) = self.times.current(step) {
            return Ok(Some(time));
        }
        for _ in 0..2 {
            let start = Instant::now();
            if step.run(&self.tree, 0, None, Duration::from_secs(1800))? == End::Passed {
                self.times.note(step, start.elapsed())?;
                return Ok(Some(start.elapsed()));
            }
        }
        println!("fails without any bug: {}", step.name);
        self.broken.insert(step.name.clone());
        Ok(None)
    }
}

// What fails or is slow by itself is not known of a build with a bug in it.
impl Trial<'_> {
    /// The time that a step took in the one build, or ample time; `None` if it failed there.
    fn former_time(&self, step: &Step) -> Option<Duration> {
        let time = self.times.of(step).unwrap_or(Duration::from_secs(240));
        (!self.broken.contains(&step.name)).then_some(time)
    }
}

/// The bugs that did not compile woven in at the last try.
fn apart_before(tree: &Tree, bugs: &[Bug]) -> BTreeSet<u64> {
    let text = fs::read_to_string(apart_path(tree)).unwrap_or_default();
    let known: BTreeSet<&str> = text.lines().collect();
    let bugs = bugs.iter().filter(|bug| known.contains(apart_line(tree, bug).as_str()));
    bugs.map(Bug::number).collect()
}

fn note_apart(tree: &Tree, bugs: &[Bug], apart: &BTreeSet<u64>) -> Result<(), Box<dyn Error>> {
    let lines =
        bugs.iter().filter(|bug| apart.contains(&bug.number())).map(|bug| apart_line(tree, bug) + "\n");
    Ok(fs::write(apart_path(tree), lines.collect::<String>())?)
}

fn apart_path(tree: &Tree) -> PathBuf {
    tree.target.with_file_name("apart")
}

/// A line that identifies the bug, and the file as it is now.
fn apart_line(tree: &Tree, bug: &Bug) -> String {
    let text = tree.original(&bug.file).unwrap_or_default();
    let woven = weave(&text, &[bug]);
    format!("{} {}", bug.number(), woven.text.len())
}
