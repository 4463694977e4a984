//! Lengths of the axes of a kernel's space: the number of points below each point of the level before, as far as it is known statically.

use nestled_ir::{Axis, Form, Kernel, Shape, Type};

/// The static length of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// A literal, the same below every point.
    Literal(u64),
    /// The same below every point, but known only at launch.
    Even,
    /// Segments of any lengths, delimited by offsets.
    Ragged,
}

/// Returns the length of axis `axis` of the space.
pub fn length(kernel: &Kernel, axis: usize) -> Length {
    length_of(kernel, kernel.space[axis])
}

fn length_of(kernel: &Kernel, axis: Axis) -> Length {
    match axis {
        Axis::Const(extent) => Length::Literal(extent),
        Axis::Sym(symbol) => match &kernel.values[symbol.index()].ty {
            Type::Seg(seg) if seg.form == Form::Regular => Length::Even,
            Type::Seg(_) => Length::Ragged,
            Type::Dim | Type::Array(_) => Length::Even,
        },
    }
}

/// Returns the lengths of the axes of a shape, one for each coordinate. A segmentation's parents come before it.
pub fn of_shape(kernel: &Kernel, shape: &Shape) -> Vec<Length> {
    let mut lengths = Vec::new();
    for &axis in &shape.axes {
        if let Axis::Sym(symbol) = axis
            && let Type::Seg(seg) = &kernel.values[symbol.index()].ty
        {
            lengths.extend(of_shape(kernel, &seg.parent));
        }
        lengths.push(length_of(kernel, axis));
    }
    lengths
}

/// True if every point has the same number of points below it along the axis.
pub fn is_even(kernel: &Kernel, axis: usize) -> bool {
    length(kernel, axis) != Length::Ragged
}

/// Returns the number of points of level `level` below each point of level `group`, if all axes between them are literals.
pub fn literal_length(kernel: &Kernel, group: usize, level: usize) -> Option<u64> {
    (group..level).try_fold(1, |product: u64, axis| match length(kernel, axis) {
        // Extents are signed at launch.
        Length::Literal(extent) => Some(product.saturating_mul(i64::try_from(extent).ok()?.unsigned_abs())),
        Length::Even | Length::Ragged => None,
    })
}
