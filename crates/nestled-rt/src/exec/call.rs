//! Calls: the arguments and results of one launch.

use super::datum::Datum;
use crate::device::{Arg, ShapeArg, Slice};
use crate::lower::PlanAxis;

/// The lists of one launch, kept so that launching allocates none.
#[derive(Default)]
pub(super) struct Call {
    /// Shape arguments, then arguments: kept alive until the launch is queued.
    pub held: Vec<Datum>,
    pub shapes: Vec<ShapeArg>,
    pub args: Vec<Arg>,
    pub results: Vec<Slice>,
    pub made: Vec<Datum>,
    /// True if a result overwrites an argument: then the launch cannot be retried.
    pub in_place: bool,
    /// True if an extent may reach 2³¹.
    pub is_wide: bool,
    /// True if what is tried next has found no memory, and everything before has been waited for.
    pub has_waited: bool,
}

impl Call {
    /// Empties all lists.
    pub fn clear(&mut self) {
        let Call { held, shapes, args, results, made, in_place, is_wide, has_waited } = self;
        (*in_place, *is_wide, *has_waited) = (false, false, false);
        held.clear();
        shapes.clear();
        args.clear();
        results.clear();
        made.clear();
    }

    /// The value of an axis.
    pub fn axis(&self, axis: PlanAxis) -> Datum {
        match axis {
            PlanAxis::Const(extent) => Datum::extent(extent),
            PlanAxis::Shape(at) => self.held[at].clone(),
            PlanAxis::Result(at) => self.made[at].clone(),
        }
    }
}
