//! Choice of the solver, as users name it.

use super::{BottomUp, Search, Solver, TopDown};

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
    /// No fusion: every run stays by itself.
    Off,
}

impl Planner {
    /// All planners.
    pub const ALL: [Planner; 4] = [Planner::Search, Planner::GreedyDown, Planner::GreedyUp, Planner::Off];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Planner::Search => "search",
            Planner::GreedyDown => "greedy-down",
            Planner::GreedyUp => "greedy-up",
            Planner::Off => "off",
        }
    }

    /// Returns the planner with this name.
    pub fn from_name(name: &str) -> Option<Planner> {
        Planner::ALL.into_iter().find(|planner| planner.name() == name)
    }

    /// Its solver; `None` if nothing is fused.
    pub fn solver(self) -> Option<&'static dyn Solver> {
        match self {
            Planner::Search => Some(&Search),
            Planner::GreedyDown => Some(&TopDown),
            Planner::GreedyUp => Some(&BottomUp),
            Planner::Off => None,
        }
    }
}
