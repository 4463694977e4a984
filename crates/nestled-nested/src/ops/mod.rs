//! Operations, by kind.

mod arithmetic;
mod arithmetic_columns;
mod combine;
mod compare;
mod count;
mod filter;
mod functions;
mod join;
mod missing;
mod pad;
mod record;
mod reduce;
mod sort;
mod structure;
mod term;

pub use combine::cartesian;
pub use join::concatenate;
pub use record::zip;
pub use term::Term;
