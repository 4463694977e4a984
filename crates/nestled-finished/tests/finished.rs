//! What is found is what the passes make, for every program of the corpus; and nothing wrong is found.

use nestled_cache::{DiskCache, Source};
use nestled_finished::Finished;
use nestled_ir::{Program, SourceMap, Span, bytes, text, verify};
use nestled_pass::{DEFAULT, Limits, PassContext, PassOptions};
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("nestled-finished-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn finished(&self) -> Finished {
        Finished::at(&self.0, 1 << 26)
    }

    fn entries(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.0).into_iter().flatten().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == "kernel")).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn corpus() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|end| end == "lcu") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn programs() -> impl Iterator<Item = (PathBuf, Program)> {
    corpus().into_iter().filter_map(|path| {
        let source = fs::read_to_string(&path).unwrap();
        let program = text::parse(&path.display().to_string(), &source).ok()?;
        verify::verify(&program).is_ok().then_some((path, program))
    })
}

fn context() -> PassContext {
    PassContext::new(PassOptions { keep_all: true, ..PassOptions::default() })
}

/// All of a program, with the places that take no part in equality.
fn whole(program: &Program) -> String {
    format!("{:?}", Program { sources: SourceMap::default(), ..program.clone() })
}

#[test]
fn what_is_found_is_what_the_passes_make() {
    let scratch = Scratch::new("corpus");
    let mut count = 0;
    // Every seventh: passes on all of them take long, and kinds of programs lie side by side.
    for (path, program) in programs().step_by(7) {
        let made = scratch.finished().run(&program, DEFAULT, &mut context()).unwrap();
        let mut cx = context();
        let found = scratch.finished().run(&program, DEFAULT, &mut cx).unwrap();
        assert!(cx.timings.is_empty(), "{}: a pass has run", path.display());
        assert_eq!(whole(&found), whole(&made), "{}", path.display());
        assert_eq!(found.sources.len(), program.sources.len());
        count += 1;
    }
    assert!(count > 30, "{count}");
}

fn one() -> Program {
    let text = "kernel scale(xs: [n]f32) over n {\n  y = map { i => mul xs[i] 2.0 }\n  ret y\n}\n\
                fn main(xs: [n]f32) -> [n]f32 {\n  y = run scale(xs)\n  ret y\n}\n";
    text::parse("one.lcu", text).unwrap()
}

/// Whether passes had to run.
fn runs(scratch: &Scratch, program: &Program, options: PassOptions) -> bool {
    let mut cx = PassContext::new(options);
    scratch.finished().run(program, DEFAULT, &mut cx).unwrap();
    !cx.timings.is_empty()
}

#[test]
fn everything_that_counts_is_in_the_key() {
    let scratch = Scratch::new("key");
    let (program, options) = (one(), PassOptions::default());
    assert!(runs(&scratch, &program, options));
    assert!(!runs(&scratch, &program, options));
    assert!(!runs(&scratch, &program, PassOptions { verify: !options.verify, ..options }));
    let limits = Limits { sweeps: 1, ..Limits::default() };
    for other in [
        PassOptions { strict_math: !options.strict_math, ..options },
        PassOptions { keep_all: !options.keep_all, ..options },
        PassOptions { limits, ..options },
    ] {
        assert!(runs(&scratch, &program, other), "{other:?}");
    }
    // A place, which two programs may differ in and be equal.
    let mut moved = program.clone();
    moved.functions[0].body.stmts[0].span = Span::new(0, 1, 2);
    assert_eq!(moved, program);
    assert!(runs(&scratch, &moved, options));
    let mut renamed = program.clone();
    renamed.kernels[0].name = "other".into();
    assert!(runs(&scratch, &renamed, options));
    // And which passes.
    let mut cx = PassContext::new(options);
    scratch.finished().run(&program, &DEFAULT[1..], &mut cx).unwrap();
    assert!(!cx.timings.is_empty());
}

#[test]
fn whoever_watches_passes_sees_them_run() {
    let scratch = Scratch::new("watched");
    let program = one();
    assert!(runs(&scratch, &program, PassOptions::default()));
    let mut cx = PassContext { explain: true, ..PassContext::default() };
    scratch.finished().run(&program, DEFAULT, &mut cx).unwrap();
    assert!(!cx.timings.is_empty());
    let mut cx = PassContext { observer: Some(Box::new(|_, _| {})), ..PassContext::default() };
    scratch.finished().run(&program, DEFAULT, &mut cx).unwrap();
    assert!(!cx.timings.is_empty());
}

/// What the one entry of a cache was made from, and what is in it.
fn entry(scratch: &Scratch) -> (Source, Vec<u8>) {
    let [path] = scratch.entries().try_into().unwrap();
    let source = Source::of_file(&path).unwrap();
    let made = DiskCache::at(&scratch.0, 1 << 26).get(&source).unwrap();
    (source, made)
}

/// An entry that has the checksum and the owner that it should have, and is no program, or no well-formed one.
#[test]
fn what_is_no_program_is_not_found() {
    let scratch = Scratch::new("damage");
    let (program, options) = (one(), PassOptions::default());
    assert!(runs(&scratch, &program, options));
    let (source, made) = entry(&scratch);
    let mut broken = bytes::read(&made, program.sources.clone()).unwrap();
    broken.functions[0].params.clear();
    assert!(verify::verify(&broken).is_err());
    let cache = DiskCache::at(&scratch.0, 1 << 26);
    for bad in [b"no program".to_vec(), made[..made.len() - 1].to_vec(), bytes::write(&broken)] {
        cache.put(&source, &bad);
        assert!(runs(&scratch, &program, options));
        assert_eq!(cache.get(&source), Some(made.clone()), "it is made anew");
    }
    fs::write(&scratch.entries()[0], b"damage").unwrap();
    assert!(runs(&scratch, &program, options));
    assert!(!runs(&scratch, &program, options));
}

/// As if two programs had one key: what was made of the one is not found for the other.
#[test]
fn a_program_with_the_hash_of_another_is_not_taken_for_it() {
    let (mine, theirs) = (Scratch::new("mine"), Scratch::new("theirs"));
    let (program, options) = (one(), PassOptions::default());
    let mut other = program.clone();
    other.kernels[0].name = "other".into();
    assert!(runs(&mine, &program, options) && runs(&theirs, &other, options));
    let made = entry(&mine);
    let (path, mut forged) = (&mine.entries()[0], fs::read(&theirs.entries()[0]).unwrap());
    forged[8..24].copy_from_slice(&fs::read(path).unwrap()[8..24]);
    fs::write(path, &forged).unwrap();
    assert!(runs(&mine, &program, options));
    assert_eq!(entry(&mine), made);
}
