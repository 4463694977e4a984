//! The corpus: tests that are data files, and one small harness that reads them.
//!
//! | Files | Must |
//! |---|---|
//! | `tests/programs/**/*.lcu` | be well-formed, print and parse back the same, and give the stated results on every engine, before and after every pass |
//! | `tests/errors/**/*.lcu` | be rejected with exactly the stated messages |
//! | `tests/passes/**/*.lcu` | become the stated program under the named passes, with the same results before and after |
//!
//! The first line of each file is a comment that says in words what it is about. A comment that begins with a word and a colon
//! is a *directive*; [`directive`] has the list. An unknown directive is an error, and so is a file that states nothing.
//!
//! The harness knows of no particular engine or pass: whoever runs it hands in lists of [`Engine`] and [`Rewrite`].

pub mod directive;
mod engine;
mod errors;
mod files;
mod passes;
mod programs;
mod report;
mod structure;

pub use engine::{Engine, Rewrite, as_interpreted, interpret};
pub use errors::check_errors;
pub use files::FIRST_ONLY;
pub use passes::check_passes;
pub use programs::check_programs;
pub use report::Report;
