//! Visits: the W points at which the combinators of a sweep run next, and what holds there.

use super::point::{Assumed, Point};

/// The phase of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The main phase.
    Main,
    /// The totals phase: only the totals of scans are computed.
    Totals,
}

/// The parameters of a visit of points.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The points.
    pub point: Point,
    /// Present in the interior version of a loop.
    pub assumed: Option<Assumed>,
    /// Whether stores of whole vectors are non-temporal.
    pub streaming: bool,
    /// The phase.
    pub phase: Phase,
}
