//! Sorting and ranking.

use super::{Work, first};
use crate::device::memory::bug;
use nestled_ir::{Order, ScalarType};
use nestled_rt::device::{DeviceError, Rows, Slice};
use nestled_sort::{Column, Element, Key, Order as SortOrder, Rows as SortRows, rank, sort};

use super::views::Plain;

/// Maximum size in bytes of rows whose scratch is negligible.
const IN_CACHE: u64 = 1 << 20;

/// Instantiates an expression with `$T` as the Rust type by which keys are sorted.
macro_rules! each_key {
    ($elem:expr, $T:ident => $body:expr) => {{
        match $elem {
            ScalarType::Bool | ScalarType::U8 => {
                type $T = u8;
                $body
            }
            ScalarType::I8 => {
                type $T = i8;
                $body
            }
            ScalarType::I16 => {
                type $T = i16;
                $body
            }
            ScalarType::U16 => {
                type $T = u16;
                $body
            }
            ScalarType::I32 => {
                type $T = i32;
                $body
            }
            ScalarType::U32 => {
                type $T = u32;
                $body
            }
            ScalarType::I64 | ScalarType::Idx => {
                type $T = i64;
                $body
            }
            ScalarType::U64 => {
                type $T = u64;
                $body
            }
            ScalarType::F32 => {
                type $T = f32;
                $body
            }
            ScalarType::F64 => {
                type $T = f64;
                $body
            }
            ScalarType::F16 => return Err(bug("f16 has no order")),
        }
    }};
}

impl Work<'_> {
    pub(super) fn sort(
        &self,
        elem: ScalarType,
        keys: Slice,
        sorted: Slice,
        payload: &[(ScalarType, Slice, Slice)],
        rows: Rows,
        order: Order,
    ) -> Result<(), DeviceError> {
        let (rows, len) = self.rows(rows)?;
        let mut columns = Vec::with_capacity(payload.len());
        for &(elem, from, to) in payload {
            columns.push(self.column(elem, first(from, len)?, first(to, len)?)?);
        }
        // Keys with a payload are sorted as records of twice their size, or at least 8 bytes.
        let record = if payload.is_empty() { elem.size() } else { (2 * elem.size()).max(8) };
        self.look_for_room(&rows, len, record)?;
        let (keys, sorted) = (first(keys, len)?, first(sorted, len)?);
        each_key!(elem, T => self.sort_by::<T>(keys, sorted, &mut columns, rows, order))
    }

    fn sort_by<K: Key + Plain>(
        &self,
        keys: Slice,
        sorted: Slice,
        columns: &mut [Column<'_>],
        rows: SortRows<'_>,
        order: Order,
    ) -> Result<(), DeviceError> {
        let (keys, sorted) = (self.views.input::<K>(keys)?, self.views.output::<K>(sorted)?);
        sort(self.pool, rows, ends(order), keys, sorted, columns);
        Ok(())
    }

    pub(super) fn rank(
        &self,
        elem: ScalarType,
        keys: Slice,
        ranks: Slice,
        rows: Rows,
        order: Order,
    ) -> Result<(), DeviceError> {
        let (rows, len) = self.rows(rows)?;
        self.look_for_room(&rows, len, (2 * elem.size()).max(8))?;
        let (keys, ranks) = (first(keys, len)?, self.views.output(first(ranks, len)?)?);
        each_key!(elem, T => rank::<T>(self.pool, rows, ends(order), self.views.input(keys)?, ranks));
        Ok(())
    }

    /// Fails if there is no room for the records of the longest row.
    fn look_for_room(&self, rows: &SortRows<'_>, len: u64, record: usize) -> Result<(), DeviceError> {
        let longest = match rows {
            SortRows::One => len,
            SortRows::Regular { length } => *length as u64,
            SortRows::Offsets(offsets) => {
                let lengths = offsets.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
                lengths.max().map_or(0, |length| length.max(0) as u64).min(len)
            }
        };
        let bytes = longest.saturating_mul(record as u64);
        // Parts larger than the caches need a second buffer.
        let wanted = if bytes <= IN_CACHE { bytes } else { bytes.saturating_mul(2) };
        if wanted <= self.room.max(IN_CACHE) {
            return Ok(());
        }
        Err(DeviceError::OutOfMemory { wanted, free: Some(self.room) })
    }

    /// Makes a payload column, by the size of its elements.
    fn column(&self, elem: ScalarType, from: Slice, to: Slice) -> Result<Column<'_>, DeviceError> {
        fn of<'a, T: Plain + Element>(
            work: &Work<'a>,
            from: Slice,
            to: Slice,
        ) -> Result<Column<'a>, DeviceError> {
            Ok(Column::new::<T>(work.views.input(from)?, work.views.output(to)?))
        }
        match elem.size() {
            1 => of::<u8>(self, from, to),
            2 => of::<u16>(self, from, to),
            4 => of::<u32>(self, from, to),
            _ => of::<u64>(self, from, to),
        }
    }

    /// Returns the rows, and the total number of their elements.
    fn rows(&self, rows: Rows) -> Result<(SortRows<'_>, u64), DeviceError> {
        match rows {
            Rows::Regular { count, length } => {
                let (count, length) = (self.exact(count)?, self.exact(length)?);
                let len = count.checked_mul(length).ok_or_else(|| bug("rows too long to count"))?;
                let rows =
                    if len == length { SortRows::One } else { SortRows::Regular { length: length as usize } };
                Ok((rows, len))
            }
            Rows::Offsets(offsets) => {
                let offsets: &[i64] = self.views.input(offsets)?;
                if self.after_fault && !are_offsets(offsets) {
                    return Err(bug("rows that are none"));
                }
                Ok((SortRows::Offsets(offsets), offsets.last().map_or(0, |&total| total as u64)))
            }
        }
    }
}

/// Converts an order to the sorter's type.
fn ends(order: Order) -> SortOrder {
    match order {
        Order::Ascending => SortOrder::Ascending,
        Order::Descending => SortOrder::Descending,
    }
}

fn are_offsets(offsets: &[i64]) -> bool {
    offsets.first() == Some(&0) && offsets.windows(2).all(|pair| pair[0] <= pair[1])
}
