//! Operations, by kind.

mod arithmetic;
mod arithmetic_columns;
mod bytes;
mod combine;
mod compare;
mod count;
mod cumulative;
mod differ;
mod filter;
mod functions;
mod group;
mod join;
mod map_rows;
mod missing;
mod not_a_number;
mod order;
mod pad;
mod pick;
mod record;
mod reduce;
mod runs;
mod search;
mod slice;
mod sort;
mod statistics;
mod structure;
mod term;
mod text;
mod text_match;
mod text_number;

pub use combine::{arg_cartesian, cartesian};
pub use group::Join;
pub use join::concatenate;
pub use record::{broadcast_arrays, zip};
pub use slice::Slice;
pub use term::Term;
