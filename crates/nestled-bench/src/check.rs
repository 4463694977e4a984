//! Checks of results against the reference.

use crate::bench::Bench;
use crate::measure::{Setup, checked};

/// The sides that were compared with the reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Whether there was a C side, too.
    pub has_c: bool,
    /// Number of our kernels that were interpreted.
    pub interpreted: usize,
}

/// Compares the results of a benchmark with its reference.
///
/// # Errors
/// A message about the first wrong result.
pub fn check(bench: &Bench, n: usize, setup: &Setup) -> Result<Checked, String> {
    let (ours, c) = checked(bench, &(bench.case)(n), setup)?;
    Ok(Checked { has_c: c.is_some(), interpreted: ours.interpreted })
}
