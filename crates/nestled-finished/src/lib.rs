//! Compilation cache: the programs that the passes made, stored on disk and keyed by a hash of everything they depend on.
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
//! **A hit equals what the passes would make.** The key is a hash of the whole program (with names, fault sites and places in the sources, for these are in messages), of the names
//! of the passes, of all options, and of the version of the code, which is a hash of the sources of `nestled-ir` and `nestled-pass`. `build.rs` computes that hash, so a change of
//! a pass invalidates the cache by itself.
//!
//! **A hit is not trusted.** An entry is a file. The cache compares its checksum, requires that it belongs to this user, and compares the source of the entry byte for byte. Its
//! contents must decode as a program ([`nestled_ir::bytes`]) and pass the verifier ([`verify`](nestled_ir::verify::verify())). If not, the entry is removed, and the passes run.
//!
//! Programs that the passes finish within 2 ms are not stored: reading an entry takes as long.
#![forbid(unsafe_code)]

use nestled_cache::{DiskCache, Kind, Source};
use nestled_ir::{Program, bytes, verify};
use nestled_pass::{Pass, PassBug, PassContext, PassOptions};
use std::path::Path;
use std::time::{Duration, Instant};

/// The version of the code, a part of every key: the crate's version, and a hash of the sources.
const CODE: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("NESTLED_CODE"));

/// Least time of the passes for which a program is stored.
const WORTH_KEEPING: Duration = Duration::from_millis(2);

/// Runs passes, or finds their result in the cache.
#[derive(Debug)]
pub struct Finished {
    cache: DiskCache,
    worth: Duration,
}

impl Finished {
    /// Uses the cache of the user.
    #[must_use]
    pub fn of_user() -> Finished {
        Finished { cache: DiskCache::open(), worth: WORTH_KEEPING }
    }

    /// Uses the cache in a directory, with room for about `cap` bytes; every program is stored, however short its passes run.
    #[must_use]
    pub fn at(directory: &Path, cap: u64) -> Finished {
        Finished { cache: DiskCache::at(directory, cap), worth: Duration::ZERO }
    }

    /// Uses no cache: passes always run.
    #[must_use]
    pub fn off() -> Finished {
        Finished { cache: DiskCache::off("it is not wanted"), worth: WORTH_KEEPING }
    }

    /// Returns the result of [`nestled_pass::run`] for a verified program. On a hit no pass runs, and the context gets no timings. The cache is not asked where an observer is set,
    /// passes explain themselves, or a solver outside decides.
    ///
    /// # Errors
    /// A [`PassBug`] if verifying is on and a pass makes an invalid program.
    pub fn run(
        &self,
        program: &Program,
        passes: &[&Pass],
        cx: &mut PassContext,
    ) -> Result<Program, Box<PassBug>> {
        if passes.is_empty()
            || cx.observer.is_some()
            || cx.explain
            || cx.mip.is_some()
            || self.cache.directory().is_none()
        {
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

/// Runs the passes. A release build verifies their result once, at the end; only if it is wrong, the passes run again with a verification after each, to name the pass.
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

/// Returns the key of a program: version of the code, options, passes and the program itself.
fn source(program: &Program, passes: &[&Pass], options: PassOptions) -> Source {
    // Verifying changes nothing.
    let options = format!("{:?}", PassOptions { verify: false, ..options });
    let passes = passes.iter().map(|pass| pass.name).collect::<Vec<&str>>().join(",");
    let parts = [CODE.as_bytes(), options.as_bytes(), passes.as_bytes(), &bytes::write(program)];
    Source::new(Kind::Program, &parts)
}

/// Returns the program of an entry, if it passes the verifier.
fn read(entry: &[u8], program: &Program) -> Option<Program> {
    let made = bytes::read(entry, program.sources.clone())?;
    verify::verify(&made).is_ok().then_some(made)
}
