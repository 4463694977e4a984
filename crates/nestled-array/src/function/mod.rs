//! Functions in NESL as the graph of arrays sees them: the border of each, and which of them can be nodes.
//!
//! The graph refers to functions, and calls make nodes of the graph, so that this knows neither.

mod border;
mod straight;

pub(crate) use border::{Arg, Border, ShapeArg};
pub(crate) use straight::{Part, Straight, straight};
