//! Explanations why the plan keeps two kernels apart, although the rules allow fusion.

use super::check::{Invalid, check};
use super::plan::FusionPlan;
use super::problem::{Limits, Obstacle, Problem};
use std::fmt;

/// The reason against fusing two kernels of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Declined {
    /// The fused plan would cost this many bytes more.
    Dearer(f64),
    /// A dependence cycle: something between the kernels needs the one and is needed by the other.
    Circle,
    /// The kernel would hold these runs, which must be apart.
    Apart(usize, usize),
    /// The kernel would be over the limits of the device.
    Over(Option<Obstacle>),
    /// None: the fused plan would cost this many bytes less, and the solver has missed it.
    Missed(f64),
}

impl Declined {
    /// Returns the reason against fusing the kernels of runs `a` and `b`.
    pub fn of(
        problem: &Problem,
        limits: &dyn Limits,
        plan: &FusionPlan,
        cost: f64,
        a: usize,
        b: usize,
    ) -> Declined {
        let mut labels = plan.labels();
        let (keep, drop) = (labels[a], labels[b]);
        for label in &mut labels {
            if *label == drop {
                *label = keep;
            }
        }
        let Some(joined) = FusionPlan::from_labels(problem, &labels) else { return Declined::Circle };
        match check(problem, limits, &joined) {
            Ok(joined) if joined < cost => Declined::Missed(cost - joined),
            Ok(joined) => Declined::Dearer(joined - cost),
            Err(Invalid::Apart(a, b) | Invalid::Separated(a, b)) => Declined::Apart(a.index(), b.index()),
            Err(Invalid::Over(runs)) => Declined::Over(limits.obstacle(&runs)),
            Err(Invalid::NotAPartition | Invalid::TooEarly(..)) => Declined::Circle,
        }
    }
}

impl fmt::Display for Declined {
    /// Runs are numbered from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Declined::Dearer(bytes) if *bytes < 1.0 => write!(f, "one kernel would cost as much"),
            Declined::Dearer(bytes) => write!(f, "one kernel would cost {bytes:.0} bytes more"),
            Declined::Circle => {
                write!(f, "fusing them would make a dependency cycle through what lies between")
            }
            Declined::Apart(a, b) => {
                write!(f, "their kernels hold runs {} and {}, which must be apart", a + 1, b + 1)
            }
            Declined::Over(Some(obstacle)) => obstacle.fmt(f),
            Declined::Over(None) => write!(f, "one kernel would be over a limit of the device"),
            Declined::Missed(bytes) => {
                write!(f, "one kernel would save {bytes:.0} bytes; the solver has not found it")
            }
        }
    }
}
