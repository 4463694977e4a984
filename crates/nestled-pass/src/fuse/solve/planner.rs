//! Choice of the solver, as users name it.

use super::{BottomUp, Search, Solver, TopDown};
use crate::fuse::solve::ilp::{Ilp, Mip};

/// The solver that decides which runs become one kernel. All but the first are for comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Planner {
    /// [`Search`].
    #[default]
    Search,
    /// [`TopDown`].
    GreedyDown,
    /// [`BottomUp`].
    GreedyUp,
    /// [`Ilp`]: exact, by a solver of integer programs that the context has. Without one, [`Search`].
    Ilp,
    /// No fusion: every run stays by itself.
    Off,
}

impl Planner {
    /// All planners.
    pub const ALL: [Planner; 5] =
        [Planner::Search, Planner::GreedyDown, Planner::GreedyUp, Planner::Ilp, Planner::Off];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Planner::Search => "search",
            Planner::GreedyDown => "greedy-down",
            Planner::GreedyUp => "greedy-up",
            Planner::Ilp => "ilp",
            Planner::Off => "off",
        }
    }

    /// Returns the planner with this name.
    pub fn from_name(name: &str) -> Option<Planner> {
        Planner::ALL.into_iter().find(|planner| planner.name() == name)
    }

    /// Its solver; `None` if nothing is fused.
    pub fn solver<'m>(self, mip: Option<&'m dyn Mip>) -> Option<Box<dyn Solver + 'm>> {
        match (self, mip) {
            (Planner::Ilp, Some(mip)) => Some(Box::new(Ilp::new(mip))),
            (Planner::Search, _) | (Planner::Ilp, None) => Some(Box::new(Search)),
            (Planner::GreedyDown, _) => Some(Box::new(TopDown)),
            (Planner::GreedyUp, _) => Some(Box::new(BottomUp)),
            (Planner::Off, _) => None,
        }
    }
}
