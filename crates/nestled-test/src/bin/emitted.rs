//! Comparison of emitted code: saves digests of all that back ends write, or compares with saved ones, to show which kernels a change touches.
#![forbid(unsafe_code)]

use nestled_test::emitted::list::{Fate, List, Name, name};
use nestled_test::emitted::{Emitted, emit};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask emitted save FILE [--texts FOLDER] [--only WORDS]
       cargo xtask emitted compare FILE [--texts FOLDER] [--only WORDS]

Shows which kernels a change of a back end touches, without any device. `save` writes a digest of the LLVM, WGSL and CUDA text of
every kernel of tests/programs, examples and benches to FILE, as it is written and after the default passes; `compare` makes them
again and prints which changed, came or went. How locals are called does not count: they are renamed in their order first.

  cargo xtask emitted save /tmp/before --texts /tmp/texts        before the change
  cargo xtask emitted compare /tmp/before --texts /tmp/texts     after it
  diff -u /tmp/texts/benches/sum.lcu+passes/sum.wgsl{,.now}      what has changed in one of them

  --texts FOLDER   save: writes the texts, too (some 200 MB); compare: writes those that changed or came beside them, with `.now` behind their names
  --only WORDS     only files with these words in their names

A line of FILE is `SOURCE KERNEL BACKEND DIGEST`. `SOURCE` ends in `#2` for the second statement of a file in NESL, and in `+passes`
after the passes. Targets are fixed (`llvm-512`, `llvm-128`; `llvm-512-large` for extents from 2³¹ and stores past the caches); FILE
is only compared on the architecture that it was made on.

Exit status: 0 if nothing differs, 1 if something does, 2 if it cannot be said.";

/// Command-line options.
struct Options {
    compare: bool,
    file: PathBuf,
    texts: Option<PathBuf>,
    only: String,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match options(&words) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = if options.compare { compare(&options) } else { save(&options).map(|()| true) };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn options(words: &[String]) -> Result<Options, String> {
    let (mut plain, mut texts, mut only) = (Vec::new(), None, String::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` wants a value"));
        match word.as_str() {
            "--texts" => texts = Some(PathBuf::from(value()?)),
            "--only" => only = value()?.clone(),
            word if word.starts_with('-') => return Err(format!("unknown option `{word}`")),
            word => plain.push(word),
        }
    }
    let (compare, file) = match plain[..] {
        ["save", file] => (false, file),
        ["compare", file] => (true, file),
        _ => return Err("`save FILE` or `compare FILE` is wanted".to_owned()),
    };
    Ok(Options { compare, file: file.into(), texts, only })
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn save(options: &Options) -> Result<(), String> {
    let (mut list, mut failed) = (List::default(), Ok(()));
    emit(&root(), &options.only, |entry| {
        list.add(&entry);
        if let (Some(folder), true) = (&options.texts, failed.is_ok()) {
            failed = write(&place(folder, &name(&entry), ""), &entry.text);
        }
    })?;
    failed?;
    write(&options.file, &list.to_string())?;
    println!("{} texts", list.len());
    Ok(())
}

/// Compares the emitted texts with a saved list, and prints the differences; true if there are none.
fn compare(options: &Options) -> Result<bool, String> {
    let said = |error: std::io::Error| format!("{}: {error}", options.file.display());
    let old = List::parse(&fs::read_to_string(&options.file).map_err(said)?)?.only(&options.only);
    let mut new = List::default();
    let mut texts: Vec<Emitted> = Vec::new();
    emit(&root(), &options.only, |entry| {
        new.add(&entry);
        // Only what differs is kept.
        let mut one = List::default();
        one.add(&entry);
        if options.texts.is_some()
            && old.differences(&one).iter().any(|(of, fate)| *of == name(&entry) && *fate != Fate::Went)
        {
            texts.push(entry);
        }
    })?;
    let found = old.differences(&new);
    for (name, fate) in &found {
        println!("{fate:<8} {}", name.join(" "));
    }
    if let Some(folder) = &options.texts {
        texts.iter().try_for_each(|entry| write(&place(folder, &name(entry), ".now"), &entry.text))?;
    }
    println!("{} of {} texts differ", found.len(), new.len());
    Ok(found.is_empty())
}

/// The file of a text.
fn place(folder: &Path, [source, kernel, backend]: &Name, suffix: &str) -> PathBuf {
    folder.join(source).join(format!("{kernel}.{backend}{suffix}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(said)?;
    fs::write(path, text).map_err(said)
}
