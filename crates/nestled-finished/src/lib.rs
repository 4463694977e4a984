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
//! **What is found is not trusted.** An entry is a file. The cache compares its checksum, sees to it that it is this user's, and that it was made from just this, byte for
//! byte. What is in it has to have the form of a program ([`nestled_ir::bytes`]) and to be a well-formed one ([`verify`](nestled_ir::verify::verify())). If not, the entry is removed, and the passes run.
//!
//! Programs that passes are quick with are not kept: reading an entry takes as long.
#![forbid(unsafe_code)]

use nestled_cache::{DiskCache, Kind, Source};
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
        let source = source(program, passes, cx.options);
        if let Some(made) = self.cache.find(&source, |entry| read(entry, program)) {
            return Ok(made);
        }
        let start = Instant::now();
        let made = run(program, passes, cx)?;
        if start.elapsed() >= self.worth {
            self.cache.put(&source, &bytes::write(&made));
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

/// Everything that a finished program depends on: the version of the code, options, passes and the program.
fn source(program: &Program, passes: &[&Pass], options: PassOptions) -> Source {
    // Verifying changes nothing.
    let options = format!("{:?}", PassOptions { verify: false, ..options });
    let passes = passes.iter().map(|pass| pass.name).collect::<Vec<&str>>().join(",");
    let parts = [CODE.as_bytes(), options.as_bytes(), passes.as_bytes(), &bytes::write(program)];
    Source::new(Kind::Program, &parts)
}

/// The program of an entry, if it is a well-formed one.
fn read(entry: &[u8], program: &Program) -> Option<Program> {
    let made = bytes::read(entry, program.sources.clone())?;
    verify::verify(&made).is_ok().then_some(made)
}
