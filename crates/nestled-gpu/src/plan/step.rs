//! Steps: the levels of a space or of an array, each as a step from the one above it.

use nestled_ir::{Axis, Kernel, Placement, Type, ValueId};

/// The step from the points of some coordinates to those of one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A literal number of points for each.
    Const(u64),
    /// An extent: the position of the shape parameter.
    Extent(usize),
    /// A segmentation: the position of the shape parameter.
    Seg(usize),
    /// A view: the segmentation, and the position of the parameter with the starts of its segments.
    Placed {
        /// The position of the shape parameter.
        seg: usize,
        /// The position of the parameter.
        param: usize,
    },
}

/// Returns the position of a shape parameter.
pub(crate) fn shape_position(kernel: &Kernel, symbol: ValueId) -> usize {
    let position = kernel.shapes.iter().position(|&shape| shape == symbol);
    position.expect("the verifier checks that shapes of parameters are parameters")
}

/// Returns the steps of the axes of an array or of a space.
pub(crate) fn steps_of(kernel: &Kernel, axes: &[Axis]) -> Vec<Step> {
    let mut steps = Vec::new();
    for axis in axes {
        match *axis {
            Axis::Const(extent) => steps.push(Step::Const(extent)),
            Axis::Sym(symbol) => {
                let at = shape_position(kernel, symbol);
                match &kernel.values[symbol.index()].ty {
                    Type::Seg(seg) => {
                        if steps.is_empty() {
                            steps = steps_of(kernel, &seg.parent.axes);
                        }
                        steps.push(Step::Seg(at));
                    }
                    Type::Dim | Type::Array(_) => steps.push(Step::Extent(at)),
                }
            }
        }
    }
    steps
}

/// Returns the steps of an array parameter.
pub(crate) fn array_steps(kernel: &Kernel, array: ValueId) -> Vec<Step> {
    let Type::Array(ty) = &kernel.values[array.index()].ty else {
        unreachable!("the verifier lets thunks read only array parameters")
    };
    let mut steps = steps_of(kernel, &ty.shape.axes);
    if ty.placement == Placement::View
        && let Some(Step::Seg(seg)) = steps.pop()
    {
        let param = kernel.params.iter().position(|&known| known == array);
        let param = param.expect("the verifier lets thunks read only array parameters");
        steps.push(Step::Placed { seg, param });
    }
    steps
}
