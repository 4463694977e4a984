//! Evaluation of a launch's sizes: the number of points of each level.
#![allow(unsafe_code)] // Reads offsets by address.

use super::raw::{RawLaunch, RawShape};
use nestled_ir::value::Coordinates;
use nestled_ir::{Axis, Kernel, Shape, Type, ValueId};

/// The step from a point to the points below it, evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The same number for each point.
    Extent(u64),
    /// The points between offsets.
    Offsets(*const i64),
}

// SAFETY: the offsets are an argument of the launch: nobody writes them while it is under way, and steps do not live longer.
unsafe impl Sync for Step {}
// SAFETY: threads only read the offsets, which belong to no thread.
unsafe impl Send for Step {}

impl Step {
    /// Returns the number of the first point below point `at`, which is the number of points below all earlier ones.
    pub fn first(self, at: u64) -> u64 {
        match self {
            Step::Extent(extent) => at.saturating_mul(extent),
            // SAFETY: offsets have one entry more than there are points, and `at` is at most their number.
            Step::Offsets(offsets) => (unsafe { *offsets.add(at as usize) }) as u64,
        }
    }
}

/// Returns the steps of a shape, one for each coordinate.
pub fn steps(kernel: &Kernel, launch: &RawLaunch<'_>, shape: &Shape) -> Vec<Step> {
    let mut steps = Vec::new();
    for &axis in &shape.axes {
        if let Axis::Sym(symbol) = axis
            && let Type::Seg(seg) = &kernel.values[symbol.index()].ty
        {
            steps.extend(self::steps(kernel, launch, &seg.parent));
        }
        steps.push(step(kernel, launch, axis));
    }
    steps
}

/// Returns the step of one axis.
pub fn step(kernel: &Kernel, launch: &RawLaunch<'_>, axis: Axis) -> Step {
    let symbol = match axis {
        Axis::Const(extent) => return Step::Extent(extent),
        Axis::Sym(symbol) => symbol,
    };
    match launch.shapes[shape_position(kernel, symbol)] {
        RawShape::Extent(extent) => Step::Extent(extent),
        RawShape::Regular { length } => Step::Extent(length),
        RawShape::Offsets { offsets, .. } => Step::Offsets(offsets),
    }
}

fn shape_position(kernel: &Kernel, symbol: ValueId) -> usize {
    let position = kernel.shapes.iter().position(|&shape| shape == symbol);
    position.expect("the axes of a kernel are shape parameters")
}

/// Computes the number of points of each level of the space, into `points`.
pub fn level_points(kernel: &Kernel, launch: &RawLaunch<'_>, points: &mut Vec<u64>) {
    points.clear();
    points.push(1);
    let mut last = 1;
    for &axis in &kernel.space {
        last = step(kernel, launch, axis).first(last);
        points.push(last);
    }
}

/// Decodes the coordinates of point `element` of a level.
pub fn coordinates(kernel: &Kernel, launch: &RawLaunch<'_>, level: usize, element: u64) -> Coordinates {
    let mut points = Vec::new();
    level_points(kernel, launch, &mut points);
    let (mut at, mut coordinates) = (element, Vec::with_capacity(level));
    for outer in (0..level).rev() {
        let step = step(kernel, launch, kernel.space[outer]);
        let (mut low, mut high) = (0, points[outer]);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if step.first(middle) <= at { low = middle } else { high = middle }
        }
        coordinates.push(at.wrapping_sub(step.first(low)));
        at = low;
    }
    coordinates.reverse();
    Coordinates(coordinates)
}
