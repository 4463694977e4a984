//! Fuzzing of readers: programs and files from the tests, mutated again and again, for all code that reads files written by others.
//!
//! For any bytes a reader returns a value or an error. It does not panic, and takes neither long nor much memory. The binary
//! `soup` feeds the readers from seeds, on any Rust; the targets in `fuzz/` let `cargo fuzz` find the bytes.

mod choices;
mod corpus;
mod interface;
mod mutate;
mod random;
mod readers;

pub use corpus::corpus;
pub use mutate::mutated;
pub use random::Random;
pub use readers::Reader;
