//! Whether results are right.

use crate::bench::Bench;
use crate::measure::{Setup, checked};

/// What was compared with the reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// Our result and that of C.
    Both,
    /// Our result; there is no C.
    Ours,
}

/// Compares the results of a benchmark with its reference.
///
/// # Errors
/// What is wrong.
pub fn check(bench: &Bench, n: usize, setup: &Setup) -> Result<Checked, String> {
    let (_, c) = checked(bench, &(bench.case)(n), setup)?;
    Ok(if c.is_some() { Checked::Both } else { Checked::Ours })
}
