//! Fuzzing of readers: feeds mutated files to them: `cargo xtask soup --seconds 60`.
//!
//! Each handful of seeds has a process of its own, with a bound on memory and a bound on time, so that an abort and a reader that does not come back are seen as a panic
//! is. Where one ends badly its seeds are tried one by one, and the bytes are written to a file.

use nestled_soup::{Random, Reader, corpus, mutated};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask soup [--seconds S] [--seed FIRST] [READER …]
READER is one of nesl, lcu, vcode, fcode, npy, npz, cache, parquet, arrow, csv, jsonl, interface (Arrow's C interface); by default all of them take turns.
`soup --one READER SEED` reads what that seed makes, here.";

/// Number of seeds in one process.
const HANDFUL: u64 = 100;
/// The most processor time that one seed may take.
const SLOW: Duration = Duration::from_secs(10);
/// The most address space of a process, in KiB: 1 GB, and the program itself.
const MEMORY: u64 = 1_300_000;

struct Options {
    readers: Vec<Reader>,
    seconds: u64,
    seed: u64,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let ["--one", reader, first, count @ ..] = words.as_slice() {
        let (Some(reader), Ok(first)) = (named(reader), first.parse::<u64>()) else { return usage() };
        let count = count.first().and_then(|count| count.parse().ok()).unwrap_or(1);
        return read(reader, first, count);
    }
    match options(&words) {
        Some(options) => feed(&options),
        None => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn named(name: &str) -> Option<Reader> {
    Reader::ALL.into_iter().find(|reader| reader.name() == name)
}

fn options(words: &[&str]) -> Option<Options> {
    let mut options = Options { readers: Vec::new(), seconds: 60, seed: 1 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--seconds" => options.seconds = words.next()?.parse().ok()?,
            "--seed" => options.seed = words.next()?.parse().ok()?,
            reader => options.readers.push(named(reader)?),
        }
    }
    if options.readers.is_empty() {
        options.readers = Reader::ALL.to_vec();
    }
    Some(options)
}

/// Reads the inputs of some seeds.
fn read(reader: Reader, first: u64, count: u64) -> ExitCode {
    let corpus = corpus(reader);
    for seed in first..first + count {
        let bytes = mutated(&corpus, &mut Random::seeded(seed));
        let start = time();
        reader.read(&bytes);
        let took = time().saturating_sub(start);
        if took > SLOW {
            eprintln!("seed {seed} takes {took:?}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The time that this process has had on processors: others may keep them busy. Where the system does not say, the time that has passed.
fn time() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    // Behind the name, which may hold anything: user and system time, in hundredths.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    match ticks(11).zip(ticks(12)) {
        Some((user, system)) => Duration::from_millis(10 * (user + system)),
        None => BEGAN.elapsed(),
    }
}

fn feed(options: &Options) -> ExitCode {
    let start = Instant::now();
    let (mut seed, mut failures) = (options.seed, 0);
    while start.elapsed().as_secs() < options.seconds {
        for &reader in &options.readers {
            if apart(reader, seed, HANDFUL).is_err() {
                failures += (seed..seed + HANDFUL).filter(|&seed| fails(reader, seed)).count();
            }
        }
        seed += HANDFUL;
    }
    let count = seed - options.seed;
    println!("{count} inputs for each of {} readers, {failures} failures", options.readers.len());
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one seed by itself; true if it ends badly, and then its bytes are kept.
fn fails(reader: Reader, seed: u64) -> bool {
    let Err(why) = apart(reader, seed, 1) else { return false };
    let path = format!("soup-{seed}.{}", reader.name());
    let bytes = mutated(&corpus(reader), &mut Random::seeded(seed));
    match std::fs::write(&path, bytes) {
        Ok(()) => println!("{}: seed {seed}: {why}; the bytes are in {path}", reader.name()),
        Err(error) => println!("{}: seed {seed}: {why}; {path}: {error}", reader.name()),
    }
    true
}

/// Reads the inputs of some seeds, in a process of its own.
fn apart(reader: Reader, seed: u64, count: u64) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    // The shell sets the bound of memory, which Rust cannot without `unsafe`.
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v $0; exec \"$@\"", &MEMORY.to_string()])
        .arg(this)
        .args(["--one", reader.name(), &seed.to_string(), &count.to_string()])
        .stdout(Stdio::null())
        .stderr(if count == 1 { Stdio::inherit() } else { Stdio::null() })
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    let most = SLOW * if count == 1 { 12 } else { 60 };
    loop {
        let status: Option<ExitStatus> = child.try_wait().map_err(|error| error.to_string())?;
        match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(status.to_string()),
            None if start.elapsed() > most => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not come back".to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
