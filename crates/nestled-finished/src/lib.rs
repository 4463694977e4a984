//! Finished programs: what the passes made of a program, found again in the cache on disk.
//!
//! ```
//! use nestled_finished::Finished;
//! use nestled_pass::{DEFAULT, PassContext};
//! let program = nestled_ir::text::parse("one.lcu", "fn main() -> i64 { ret 1 }").unwrap();
//! let made = Finished::off().run(&program, DEFAULT, &mut PassContext::default())?;
//! # assert_eq!(made, program);
//! # Ok::<(), Box<nestled_pass::PassBug>>(())
//! ```
//!
//! **What is found is what the passes would make.** The key is a hash of the whole program (with names, fault sites and places in the sources, for these are
//! in messages), of the names of the passes, of all options, and of the version of the code, which is a hash of the sources of `nestled-ir` and
//! `nestled-pass`: `build.rs` takes it, so nobody has to think of it when a pass changes.
//!
//! **What is found is not trusted.** An entry is a file. The cache compares its checksum and sees to it that it is this user's. It begins with all that the program was made
//! from, which has to be the same byte for byte: somebody who may run programs, but not open files, could look for one whose hash is that of another program, and what was
//! made of it would run in the other's place. The rest has to have the form of a program ([`nestled_ir::bytes`]) and to be a well-formed one
//! ([`verify`](nestled_ir::verify::verify())). If not, the entry is removed, and the passes run.
//!
//! Programs that passes are quick with are not kept: reading an entry takes as long.
#![forbid(unsafe_code)]

use nestled_cache::{DiskCache, Key, Kind};
use nestled_ir::{Program, bytes, verify};
use nestled_pass::{Pass, PassBug, PassContext, PassOptions};
use std::path::Path;
use std::time::{Duration, Instant};

/// What decides what a program becomes: the crates' version, and a hash of their sources.
const CODE: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("NESTLED_CODE"));

/// A program is kept if its passes took so long.
const WORTH_KEEPING: Duration = Duration::from_millis(2);

/// Runs passes, or finds what they once made.
#[derive(Debug)]
pub struct Finished {
    cache: DiskCache,
    worth: Duration,
}

impl Finished {
    /// In the user's cache.
    #[must_use]
    pub fn of_user() -> Finished {
        Finished { cache: DiskCache::open(), worth: WORTH_KEEPING }
    }

    /// In this directory, with about so many bytes; every program is kept.
    #[must_use]
    pub fn at(directory: &Path, cap: u64) -> Finished {
        Finished { cache: DiskCache::at(directory, cap), worth: Duration::ZERO }
    }

    /// Nowhere: passes always run.
    #[must_use]
    pub fn off() -> Finished {
        Finished { cache: DiskCache::off("it is not wanted"), worth: WORTH_KEEPING }
    }

    /// What [`nestled_pass::run`] makes of a verified program. If it is found, no pass has run: there are no timings in the context. Where somebody
    /// observes passes or wants them to explain themselves, they do run.
    ///
    /// # Errors
    /// A [`PassBug`] if verifying is on and a pass makes an invalid program.
    pub fn run(
        &self,
        program: &Program,
        passes: &[&Pass],
        cx: &mut PassContext,
    ) -> Result<Program, Box<PassBug>> {
        if passes.is_empty() || cx.observer.is_some() || cx.explain || self.cache.directory().is_none() {
            return run(program, passes, cx);
        }
        let wanted = Wanted::new(program, passes, cx.options);
        if let Some(made) = self.cache.find(wanted.key(), |entry| wanted.read(entry, program)) {
            return Ok(made);
        }
        let start = Instant::now();
        let made = run(program, passes, cx)?;
        if start.elapsed() >= self.worth {
            self.cache.put(wanted.key(), &wanted.write(&made));
        }
        Ok(made)
    }
}

/// Runs the passes. In a release build what they made is verified once, in the end; only if that is wrong, all is done again and verified after each pass, to
/// say which one it was.
fn run(program: &Program, passes: &[&Pass], cx: &mut PassContext) -> Result<Program, Box<PassBug>> {
    if !cfg!(debug_assertions) && cx.options.verify {
        let before = cx.timings.len();
        cx.options.verify = false;
        let made = nestled_pass::run(program, passes, cx);
        cx.options.verify = true;
        if let Some(made) = made.ok().filter(|made| verify::verify(made).is_ok()) {
            return Ok(made);
        }
        cx.timings.truncate(before);
    }
    nestled_pass::run(program, passes, cx)
}

/// Everything that a finished program depends on, as bytes: the version of the code, options, passes and the program, each with its length.
#[derive(Debug)]
struct Wanted(Vec<u8>);

impl Wanted {
    fn new(program: &Program, passes: &[&Pass], options: PassOptions) -> Wanted {
        // Verifying changes nothing.
        let options = format!("{:?}", PassOptions { verify: false, ..options });
        let passes: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
        let (passes, program) = (passes.join(","), bytes::write(program));
        let mut wanted = Vec::with_capacity(program.len() + 1024);
        for part in [CODE.as_bytes(), options.as_bytes(), passes.as_bytes(), &program] {
            wanted.extend_from_slice(&(part.len() as u64).to_le_bytes());
            wanted.extend_from_slice(part);
        }
        Wanted(wanted)
    }

    fn key(&self) -> Key {
        Key::for_entry(Kind::Program, &[&self.0])
    }

    /// An entry: what the program was made from, with its length, and the program.
    fn write(&self, made: &Program) -> Vec<u8> {
        [&(self.0.len() as u64).to_le_bytes(), &self.0[..], &bytes::write(made)].concat()
    }

    /// The program of an entry, if it was made from just this and is well-formed.
    fn read(&self, entry: &[u8], program: &Program) -> Option<Program> {
        let made = entry.strip_prefix(&(self.0.len() as u64).to_le_bytes())?.strip_prefix(&self.0[..])?;
        let made = bytes::read(made, program.sources.clone())?;
        verify::verify(&made).is_ok().then_some(made)
    }
}
