//! VCODE and FCODE: from the text of the stack machine to λcu.
//!
//! ```
//! let text = "FUNC MAIN  CONST FLOAT (1.0 2.5)  CONST SEGDES 2  +_REDUCE FLOAT  RET";
//! let compiled = nestled_vcode::compile("sum.vcode", text, None, &Default::default()).unwrap();
//! assert_eq!(compiled.outputs.len(), 1);
//! ```
//!
//! It goes in three steps: `syntax` reads the text, `stack` turns slots of the stack into named values, and `lower` writes λcu. `print` is
//! the text of values, and `world` answers the instructions that read and write.
//!
//! `syntax/` also reads the listings of superoperators; `lower/` writes each function once for each way in which it is called, and each instruction on vectors as a small kernel.
#![forbid(unsafe_code)]

mod lower;
pub mod print;
mod stack;
pub mod syntax;
pub mod world;

pub use lower::{BY_ZERO, EXIT, Options, Output, Unequal, protocol};

use nestled_ir::{Diagnostic, Program, SourceMap, render_all};
use std::fmt;
use syntax::listing::Listing;

/// A program as λcu: its function `main` takes nothing, and gives the slots of the final stack.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The λcu program.
    pub program: Program,
    /// What its results are, bottom first.
    pub outputs: Vec<Output>,
}

/// Why a text is refused: one message or more.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the messages are about.
    pub sources: SourceMap,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render_all(&self.diagnostics, &self.sources))
    }
}

impl std::error::Error for Refusal {}

/// A listing of superoperators, or a `.cu` file that ends with one.
#[derive(Clone, Copy, Debug)]
pub struct ListingText<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Room for programs that nest deeply; it is used only as far as they do.
const STACK: usize = 256 << 20;

/// Compiles a program, with the listing of its superoperators if it has any.
pub fn compile(
    name: &str,
    text: &str,
    listing: Option<ListingText<'_>>,
    options: &Options,
) -> Result<Compiled, Refusal> {
    let mut sources = SourceMap::single(name, text);
    if let Some(listing) = listing {
        sources.push(listing.name, listing.text);
    }
    let refuse = |diagnostics| Refusal { diagnostics, sources: sources.clone() };
    let ops = match listing {
        Some(listing) => Listing::parse(listing.text, 1).map_err(refuse)?,
        None => Listing::default(),
    };
    let parsed = syntax::parse(text).map_err(refuse)?;
    let work = || -> Result<Compiled, Vec<Diagnostic>> {
        let named = stack::named(&parsed, &ops)?;
        let (program, outputs) = lower::lower(&named, &ops, options, sources.clone())?;
        Ok(Compiled { program, outputs })
    };
    // Functions are written inside one another, as they are called.
    let compiled = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => work(),
        }
    });
    compiled.map_err(refuse)
}
