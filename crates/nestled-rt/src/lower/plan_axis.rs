//! Axes of a kernel in terms of its callers: by the position of an argument or a result.

use nestled_ir::{Axis, Kernel, ValueId};

/// An axis of the shape of a result, as the caller finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanAxis {
    /// An extent of the text.
    Const(u64),
    /// A shape argument, by position.
    Shape(usize),
    /// An earlier result, by position.
    Result(usize),
}

impl PlanAxis {
    /// An axis of the space, or of a result, of a kernel.
    pub fn of(kernel: &Kernel, axis: Axis) -> PlanAxis {
        let symbol = match axis {
            Axis::Const(extent) => return PlanAxis::Const(extent),
            Axis::Sym(symbol) => symbol,
        };
        let position = |list: &[ValueId]| list.iter().position(|&value| value == symbol);
        let shape = position(&kernel.shapes).map(PlanAxis::Shape);
        let result = || position(&kernel.ret).map(PlanAxis::Result);
        shape.or_else(result).expect("shapes of results are made of shape parameters and earlier results")
    }
}
