//! The axes of a kernel's space, as loops see them: how many points lie below each point of the level before.

use nestled_ir::{Axis, Form, Kernel, Shape, Type};

/// How many points an axis has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// So many, below every point.
    Literal(u64),
    /// As many below every point; how many, a launch knows.
    Even,
    /// Segments of any lengths, between offsets.
    Ragged,
}

/// The length of axis `axis` of the space.
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

/// The lengths of the axes of a shape, one for each coordinate: a segmentation's parents come before it.
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

/// Whether all points have as many below them along an axis.
pub fn is_even(kernel: &Kernel, axis: usize) -> bool {
    length(kernel, axis) != Length::Ragged
}

/// How many points of level `level` lie below each of level `group`, if the text says so.
pub fn literal_length(kernel: &Kernel, group: usize, level: usize) -> Option<u64> {
    (group..level).try_fold(1, |product: u64, axis| match length(kernel, axis) {
        // A launch counts in signed numbers.
        Length::Literal(extent) => Some(product.saturating_mul(i64::try_from(extent).ok()?.unsigned_abs())),
        Length::Even | Length::Ragged => None,
    })
}
