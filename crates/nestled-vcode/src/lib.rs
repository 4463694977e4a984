//! Front end for VCODE and FCODE: compiles programs of the vector stack machine to λcu.
//!
//! ```
//! let text = "FUNC MAIN  CONST FLOAT (1.0 2.5)  CONST SEGDES 2  +_REDUCE FLOAT  RET";
//! let compiled = nestled_vcode::compile("sum.vcode", text, None, &Default::default()).unwrap();
//! assert_eq!(compiled.outputs.len(), 1);
//! ```
//!
//! Compilation has three steps: `syntax` parses the text, `stack` turns slots of the stack into named values, and `lower` writes λcu. `print` formats values,
//! and `world` executes input and output at run time.
//!
//! `syntax` also parses listings of superoperators. `lower` writes one copy of a function for each combination of operand types and shapes, and each instruction
//! on vectors as a small kernel.
#![forbid(unsafe_code)]

pub mod emit;
mod lower;
pub mod print;
mod stack;
pub mod syntax;
pub mod world;

pub use lower::{BY_ZERO, EXIT, Options, Output, Unequal, protocol};

use nestled_ir::{Diagnostic, Program, SourceMap, render_all};
use std::fmt;
use syntax::listing::Listing;

/// A compiled program: its λcu function `main` takes no arguments and returns the slots of the final stack.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The λcu program.
    pub program: Program,
    /// The meaning of its results, bottom of the stack first.
    pub outputs: Vec<Output>,
}

/// The errors for which a text is refused: at least one.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts to which the messages refer.
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
    /// The name used in messages.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Stack of the compiling thread in bytes, for deeply nested programs; it is used only as far as they nest.
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
