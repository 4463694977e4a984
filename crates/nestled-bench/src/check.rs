//! Whether results are right.

use crate::bench::Bench;
use crate::measure::{Setup, checked};

/// What was compared with the reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Whether there was C, too.
    pub has_c: bool,
    /// How many of our kernels were interpreted.
    pub interpreted: usize,
}

/// Compares the results of a benchmark with its reference.
///
/// # Errors
/// What is wrong.
pub fn check(bench: &Bench, n: usize, setup: &Setup) -> Result<Checked, String> {
    let (ours, c) = checked(bench, &(bench.case)(n), setup)?;
    Ok(Checked { has_c: c.is_some(), interpreted: ours.interpreted })
}
