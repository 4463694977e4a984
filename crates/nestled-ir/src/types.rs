//! Types of host code and kernels: arrays, extents and segmentations. Shapes are made of symbols.
//!
//! A **shape symbol** is a value: an extent (`n: dim`) or a segmentation (`s: seg[n]`). Two arrays whose shapes use the same
//! symbols have the same shape; that is how passes know which arrays can share a loop. Equal totals are not enough: two
//! segmentations of equal total may have different lengths.

use crate::id::ValueId;
use crate::scalar::ScalarType;

/// One axis of a shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// An extent known to the program text: `[n, 3]f32`.
    Const(u64),
    /// A value of type [`Type::Dim`], or (as first axis of an array, or anywhere but first in a space) of type [`Type::Seg`].
    Sym(ValueId),
}

/// The shape of an array: up to [`MAX_RANK`](Shape::MAX_RANK) axes, outermost first. No axes: a scalar.
///
/// Only the first axis may be a segmentation; it stands for all the levels that it segments. If `s: seg[n]`, then `[s]` has
/// one point for each element of each of the `n` segments, `[s, 3]` three times as many; if `t: seg[s]`, then `[t]` has
/// three levels. A point is named by [coordinates](crate::typing::Scope::coordinates): those of the parent, then the position
/// inside the segment; so points of `[t]` have three of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Shape {
    /// The axes, outermost first.
    pub axes: Vec<Axis>,
}

impl Shape {
    /// The most axes that an array or a space may have, and the most coordinates of a point.
    pub const MAX_RANK: usize = 64;

    /// The shape of a scalar.
    pub const SCALAR: Shape = Shape { axes: Vec::new() };

    /// A shape with these axes.
    pub fn new(axes: impl Into<Vec<Axis>>) -> Shape {
        Shape { axes: axes.into() }
    }

    /// The shape `[symbol]`.
    pub fn of(symbol: ValueId) -> Shape {
        Shape { axes: vec![Axis::Sym(symbol)] }
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// True if this is the shape of a scalar.
    pub fn is_scalar(&self) -> bool {
        self.axes.is_empty()
    }
}

/// Memory placement of a nested array: dense, or a view with explicit segment starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Placement {
    /// One segment after another, in one buffer.
    #[default]
    Dense,
    /// Each segment at a start of its own in a larger buffer (an Arrow `ListView`): shared, sliced or reordered data. Only for
    /// shapes `[s]` with a segmentation `s`. Reads hide the difference; the results of kernels are dense.
    View,
}

/// Representation of a segmentation's lengths: one common length, or offsets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Every segment has the same length; costs nothing to make or to read.
    Regular,
    /// Rising positions, one more than there are segments (an Arrow `List`).
    Offsets,
}

/// The type of an array, or (rank 0) of a scalar, which may live on the device.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayType {
    /// The type of each element.
    pub elem: ScalarType,
    /// The shape.
    pub shape: Shape,
    /// The placement; [`Placement::Dense`] unless the shape is `[s]`.
    pub placement: Placement,
}

/// The type of a segmentation: it cuts the data of each point of `parent` into a segment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegType {
    /// The points that own a segment each.
    pub parent: Shape,
    /// The representation of the lengths.
    pub form: Form,
}

/// The type of a value of host code or of a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// `[n]f32`, `view[s]f32`, or a scalar `f32`.
    Array(ArrayType),
    /// `dim`: an extent, never negative, that may be an axis of a shape. Wherever a scalar `idx` is wanted, a `dim` will do.
    Dim,
    /// `seg[n]` or `regular[n]`: a segmentation.
    Seg(SegType),
}

impl Axis {
    /// Calls `visit` on the symbol, if it is one.
    pub fn for_symbol(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        match self {
            Axis::Const(_) => {}
            Axis::Sym(symbol) => visit(symbol),
        }
    }
}

impl Shape {
    /// Calls `visit` on each symbol.
    pub fn for_each_symbol(&self, visit: &mut dyn FnMut(ValueId)) {
        for &axis in &self.axes {
            if let Axis::Sym(symbol) = axis {
                visit(symbol);
            }
        }
    }

    /// Calls `visit` on each symbol, to change it.
    pub fn for_each_symbol_mut(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        self.axes.iter_mut().for_each(|axis| axis.for_symbol(visit));
    }
}

impl Type {
    /// Calls `visit` on each symbol of its shape.
    pub fn for_each_symbol(&self, visit: &mut dyn FnMut(ValueId)) {
        match self {
            Type::Array(array) => array.shape.for_each_symbol(visit),
            Type::Dim => {}
            Type::Seg(seg) => seg.parent.for_each_symbol(visit),
        }
    }

    /// Calls `visit` on each symbol of its shape, to change it.
    pub fn for_each_symbol_mut(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        match self {
            Type::Array(array) => array.shape.for_each_symbol_mut(visit),
            Type::Dim => {}
            Type::Seg(seg) => seg.parent.for_each_symbol_mut(visit),
        }
    }

    /// A scalar type.
    pub fn scalar(elem: ScalarType) -> Type {
        Type::dense(elem, Shape::SCALAR)
    }

    /// A dense array.
    pub fn dense(elem: ScalarType, shape: Shape) -> Type {
        Type::Array(ArrayType { elem, shape, placement: Placement::Dense })
    }

    /// A segmentation.
    pub fn seg(parent: Shape, form: Form) -> Type {
        Type::Seg(SegType { parent, form })
    }

    /// The type as a scalar: of a scalar itself, and `idx` for an extent.
    pub fn as_scalar(&self) -> Option<ScalarType> {
        match self {
            Type::Array(array) if array.shape.is_scalar() => Some(array.elem),
            Type::Dim => Some(ScalarType::Idx),
            Type::Array(_) | Type::Seg(_) => None,
        }
    }

    /// The array type, of arrays and scalars.
    pub fn as_array(&self) -> Option<&ArrayType> {
        match self {
            Type::Array(array) => Some(array),
            Type::Dim | Type::Seg(_) => None,
        }
    }

    /// The segmentation type.
    pub fn as_seg(&self) -> Option<&SegType> {
        match self {
            Type::Seg(seg) => Some(seg),
            Type::Dim | Type::Array(_) => None,
        }
    }

    /// True if values of this type may be shape symbols.
    pub fn is_shape(&self) -> bool {
        matches!(self, Type::Dim | Type::Seg(_))
    }
}
