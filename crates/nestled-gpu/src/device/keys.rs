//! What is sorted: keys of a type, in rows of points, for a launch.

use nestled_ir::{Order, ScalarType, SiteId};
use nestled_rt::device::{Extent, Rows, ShapeArg, Slice};

/// So few keys are compared with each other.
const FEW: u64 = 128;
/// So short rows, too.
const SHORT: u64 = 64;

/// What sorting is done for.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub region: u64,
    pub least_site: Option<SiteId>,
}

/// What a sort or a ranking works on.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    pub elem: ScalarType,
    pub keys: Slice,
    pub rows: Rows,
    pub order: Order,
}

/// The bits that tell keys of a type apart.
pub(super) fn key_bits(elem: ScalarType) -> u32 {
    match elem {
        ScalarType::Bool => 1,
        elem => 8 * elem.size() as u32,
    }
}

impl Keys {
    /// The bits that tell them apart.
    pub fn bits(&self) -> u32 {
        key_bits(self.elem)
    }

    /// The entry that makes codes of them.
    pub fn codes(&self) -> &'static str {
        match self.elem {
            ScalarType::Bool => "codes_bool",
            ScalarType::I8 => "codes_i8",
            ScalarType::U8 => "codes_u8",
            ScalarType::I16 => "codes_i16",
            ScalarType::U16 => "codes_u16",
            ScalarType::U32 => "codes_u32",
            ScalarType::I32 => "codes_i32",
            ScalarType::F32 => "codes_f32",
            ScalarType::I64 => "codes_i64",
            ScalarType::Idx => "codes_idx",
            ScalarType::F64 => "codes_f64",
            ScalarType::F16 => unreachable!("the verifier lets nobody sort these"),
        }
    }

    /// The rows that they lie in.
    pub fn space(&self) -> Space {
        match self.rows {
            Rows::Regular { count, length } => Space {
                shapes: [ShapeArg::Extent(count), ShapeArg::Regular { length }],
                rows: count.bound,
                longest: length.bound.min(self.keys.len),
                len: self.keys.len,
            },
            Rows::Offsets(offsets) => {
                let total = Extent { bound: self.keys.len, exact: Some(offsets.last()) };
                let count = Extent::known(offsets.len - 1);
                Space {
                    shapes: [ShapeArg::Extent(count), ShapeArg::Offsets { offsets, total }],
                    rows: count.bound,
                    longest: self.keys.len,
                    len: self.keys.len,
                }
            }
        }
    }
}

/// Rows of points.
#[derive(Clone, Copy)]
pub(super) struct Space {
    /// The shape arguments of a kernel over them.
    pub shapes: [ShapeArg; 2],
    /// How many rows there are, how long one is, and how many points there are, at most.
    pub rows: u64,
    pub longest: u64,
    pub len: u64,
}

impl Space {
    /// One row.
    pub fn flat(len: u64) -> Space {
        let length = Extent::known(len);
        let shapes = [ShapeArg::Extent(Extent::known(1)), ShapeArg::Regular { length }];
        Space { shapes, rows: 1, longest: len, len }
    }

    /// Two numbers whose product is how many points there are.
    pub fn extents(&self) -> [Extent; 2] {
        match self.shapes {
            [ShapeArg::Extent(count), ShapeArg::Regular { length }] => [count, length],
            [_, ShapeArg::Offsets { total, .. }] => [total, Extent::known(1)],
            [_, _] => unreachable!("rows are cut by a segmentation"),
        }
    }

    /// Whether points are compared with each other.
    pub fn compares(&self) -> bool {
        self.len <= FEW || self.longest <= SHORT
    }
}

/// Buffers that go when a sort is done.
#[derive(Default)]
pub(super) struct Temporary(pub Vec<Slice>);
