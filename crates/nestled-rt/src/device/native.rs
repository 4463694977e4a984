//! Native operations: sorting, matrix products, and small operations on offsets that need no compiled kernel.

use super::slice::{Extent, Slice};
use crate::trace::Work;
use nestled_ir::{Order, ScalarType, SiteId};

/// A native operation in the queue. Region and site are as for a [`Launch`](super::Launch).
#[derive(Clone, Debug)]
pub struct Native {
    /// The operation, with its operands.
    pub kind: NativeKind,
    /// The region it stands in.
    pub region: u64,
    /// The least site of this operation and of everything later in its region.
    pub least_site: Option<SiteId>,
}

/// The rows inside which sorting and ranking work.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    /// Equally long rows.
    Regular {
        /// Number of rows.
        count: Extent,
        /// Length of each row.
        length: Extent,
    },
    /// The segments between offsets, padded with the total.
    Offsets(Slice),
}

/// The operations.
#[derive(Clone, Debug)]
pub enum NativeKind {
    /// Sorts each row by its keys; the payload moves along. Stable; every NaN comes last, in both orders ([`Library`](nestled_ir::Library)).
    Sort {
        /// The type of the keys.
        elem: ScalarType,
        /// The keys.
        keys: Slice,
        /// The sorted keys.
        sorted: Slice,
        /// Arrays permuted along with the keys: type, source, destination.
        payload: Vec<(ScalarType, Slice, Slice)>,
        /// The rows.
        rows: Rows,
        /// The order.
        order: Order,
    },
    /// The position that each key would take in its sorted row.
    Rank {
        /// The type of the keys.
        elem: ScalarType,
        /// The keys.
        keys: Slice,
        /// The ranks, `idx`.
        ranks: Slice,
        /// The rows.
        rows: Rows,
        /// The order.
        order: Order,
    },
    /// `[n, k] × [k, m] → [n, m]`.
    MatMul {
        /// The type of the elements.
        elem: ScalarType,
        /// The left matrix.
        left: Slice,
        /// The right matrix.
        right: Slice,
        /// The product.
        product: Slice,
        /// n, k and m.
        sizes: [Extent; 3],
    },
    /// Offsets from lengths: 0, then running sums; padded with the total to the end of the slice. A negative length faults, its
    /// point being the element, and counts as 0. A total beyond the greatest `idx` is [`DeviceError::Points`](super::DeviceError::Points).
    Offsets {
        /// An integer type.
        elem: ScalarType,
        /// The lengths.
        lengths: Slice,
        /// Number of lengths.
        count: Extent,
        /// The offsets, one more than there are lengths at most.
        offsets: Slice,
        /// The site of the fault.
        site: SiteId,
    },
    /// Lengths from offsets.
    Lengths {
        /// The offsets.
        offsets: Slice,
        /// The lengths, one fewer, `idx`.
        lengths: Slice,
    },
    /// `0, step, 2·step, …` up to `count · step`, then that again to the end of the slice.
    Ramp {
        /// The increment.
        step: Extent,
        /// Number of steps.
        count: Extent,
        /// The destination, `idx`.
        into: Slice,
    },
    /// The same extent everywhere.
    FillExtent {
        /// The value to write.
        extent: Extent,
        /// The destination, `idx`.
        into: Slice,
    },
    /// Faults for each segment that does not lie inside `0..limit`, its number being the element; empty ones may start anywhere
    /// in `0..=limit`.
    Inside {
        /// Start of each segment, `idx`.
        starts: Slice,
        /// Number of segments.
        count: Extent,
        /// The lengths of the segments.
        rows: Rows,
        /// The size of the buffer that the segments lie in.
        limit: Extent,
        /// The site of the fault.
        site: SiteId,
    },
    /// Compares two lists of offsets; the shorter one counts as if padded further with its total.
    SameOffsets {
        /// One list of offsets.
        left: Slice,
        /// The other one.
        right: Slice,
        /// One `bool`.
        equal: Slice,
    },
}

impl NativeKind {
    /// A name for traces.
    pub fn name(&self) -> &'static str {
        match self {
            NativeKind::Sort { .. } => "sort",
            NativeKind::Rank { .. } => "rank",
            NativeKind::MatMul { .. } => "matmul",
            NativeKind::Offsets { .. } => "offsets",
            NativeKind::Lengths { .. } => "lengths",
            NativeKind::Ramp { .. } => "ramp",
            NativeKind::FillExtent { .. } => "fill",
            NativeKind::Inside { .. } => "inside",
            NativeKind::SameOffsets { .. } => "same offsets",
        }
    }

    /// Work of the operation, for traces.
    pub fn work(&self) -> Work {
        let bytes = |elem: ScalarType, slice: &Slice| slice.len.saturating_mul(elem.size() as u64);
        let indices = |slice: &Slice| bytes(ScalarType::Idx, slice);
        let rows = |rows: &Rows| match rows {
            Rows::Regular { .. } => 0,
            Rows::Offsets(offsets) => indices(offsets),
        };
        let sum = |a: u64, b: u64| a.saturating_add(b);
        let (points, read, written) = match self {
            NativeKind::Sort { elem, keys, sorted, payload, rows: cut, order: _ } => {
                let from = payload.iter().map(|(elem, from, _)| bytes(*elem, from));
                let to = payload.iter().map(|(elem, _, to)| bytes(*elem, to));
                (
                    keys.len,
                    from.fold(sum(bytes(*elem, keys), rows(cut)), sum),
                    to.fold(bytes(*elem, sorted), sum),
                )
            }
            NativeKind::Rank { elem, keys, ranks, rows: cut, order: _ } => {
                (keys.len, sum(bytes(*elem, keys), rows(cut)), indices(ranks))
            }
            NativeKind::MatMul { elem, left, right, product, sizes: _ } => {
                (product.len, sum(bytes(*elem, left), bytes(*elem, right)), bytes(*elem, product))
            }
            NativeKind::Offsets { elem, lengths, count: _, offsets, site: _ } => {
                (lengths.len, bytes(*elem, lengths), indices(offsets))
            }
            NativeKind::Lengths { offsets, lengths } => (lengths.len, indices(offsets), indices(lengths)),
            NativeKind::Ramp { step: _, count: _, into } | NativeKind::FillExtent { extent: _, into } => {
                (into.len, 0, indices(into))
            }
            NativeKind::Inside { starts, count: _, rows: cut, limit: _, site: _ } => {
                (starts.len, sum(indices(starts), rows(cut)), 0)
            }
            NativeKind::SameOffsets { left, right, equal } => {
                (left.len.max(right.len), sum(indices(left), indices(right)), bytes(ScalarType::Bool, equal))
            }
        };
        Work { points, read, written }
    }

    /// The slices that the operation writes.
    pub fn results(&self) -> Vec<Slice> {
        match self {
            NativeKind::Sort { sorted, payload, .. } => {
                std::iter::once(*sorted).chain(payload.iter().map(|(_, _, to)| *to)).collect()
            }
            NativeKind::Rank { ranks: into, .. }
            | NativeKind::MatMul { product: into, .. }
            | NativeKind::Offsets { offsets: into, .. }
            | NativeKind::Lengths { lengths: into, .. }
            | NativeKind::Ramp { into, .. }
            | NativeKind::FillExtent { into, .. }
            | NativeKind::SameOffsets { equal: into, .. } => vec![*into],
            NativeKind::Inside { .. } => Vec::new(),
        }
    }
}
