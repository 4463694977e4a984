//! Sort requests: keys of a type, in rows of points, for a launch.

use nestled_ir::{Order, ScalarType, SiteId};
use nestled_rt::device::{Extent, Rows, ShapeArg, Slice};

/// At most this number of keys are sorted by comparing all pairs.
const FEW: u64 = 128;
/// Rows of at most this length, too.
const SHORT: u64 = 64;

/// The region and least site that a sort belongs to.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub region: u64,
    pub least_site: Option<SiteId>,
}

/// The operands of a sort or a ranking.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    pub elem: ScalarType,
    pub keys: Slice,
    pub rows: Rows,
    pub order: Order,
}

/// Returns the number of significant bits of keys of a type.
pub(super) fn key_bits(elem: ScalarType) -> u32 {
    match elem {
        ScalarType::Bool => 1,
        elem => 8 * elem.size() as u32,
    }
}

impl Keys {
    /// Returns the number of significant bits of the keys.
    pub fn bits(&self) -> u32 {
        key_bits(self.elem)
    }

    /// Returns the entry that encodes the keys as unsigned numbers.
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
            ScalarType::U64 => "codes_u64",
            ScalarType::Idx => "codes_idx",
            ScalarType::F64 => "codes_f64",
            ScalarType::F16 => unreachable!("the verifier lets nobody sort these"),
        }
    }

    /// Returns the rows that contain the keys.
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
    /// The shape arguments of a kernel over the rows.
    pub shapes: [ShapeArg; 2],
    /// Maximum number of rows, maximum length of a row, and maximum number of points.
    pub rows: u64,
    pub longest: u64,
    pub len: u64,
}

impl Space {
    /// Returns a single row.
    pub fn flat(len: u64) -> Space {
        let length = Extent::known(len);
        let shapes = [ShapeArg::Extent(Extent::known(1)), ShapeArg::Regular { length }];
        Space { shapes, rows: 1, longest: len, len }
    }

    /// Returns two numbers whose product is the number of points.
    pub fn extents(&self) -> [Extent; 2] {
        match self.shapes {
            [ShapeArg::Extent(count), ShapeArg::Regular { length }] => [count, length],
            [_, ShapeArg::Offsets { total, .. }] => [total, Extent::known(1)],
            [_, _] => unreachable!("rows are cut by a segmentation"),
        }
    }

    /// True if points are sorted by comparing all pairs of a row.
    pub fn compares(&self) -> bool {
        self.len <= FEW || self.longest <= SHORT
    }
}

/// Buffers that are freed when a sort is done.
#[derive(Default)]
pub(super) struct Temporary(pub Vec<Slice>);
