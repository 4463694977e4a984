//! Dispatch: chooses the record layout, and so the way of sorting, by the sizes of keys and payload. From here on the type of the keys is a value, so that
//! keys of different types are sorted by the same code.
#![allow(unsafe_code)] // Keys are given by pointers.

use super::column::Column;
use super::counting::CountingSort;
use super::job::{IndexedPayload, InlinePayload, Job, Keys, Ranking, Sorted, With, Words};
use super::key::{Code, KeyType, Order};
use super::place::{Place, Results};
use super::rows::{self, Rows};
use super::targets::Targets;
use crate::raw::{slice, slice_mut};
use nestled_pool::Pool;

/// As [`sort`](super::sort), for `len` keys in memory.
///
/// # Panics
/// If the rows together or a column have not as many elements.
///
/// # Safety
/// The pointers are aligned for such keys, to keys and to memory for as many. Until the call returns nobody writes to the one, and nobody
/// else touches the other.
#[expect(clippy::too_many_arguments, reason = "two of them are one slice")]
pub(super) unsafe fn sort_keys(
    pool: &Pool,
    rows: Rows<'_>,
    order: Order,
    key: KeyType,
    keys: *const u8,
    sorted: *mut u8,
    len: usize,
    payload: &mut [Column<'_>],
) {
    assert!(payload.iter().all(|column| column.len() == len), "as much payload as keys");
    // SAFETY: our caller promises it for as long as this call, and neither slice outlives that. Integers have the size of the keys, which is their alignment.
    let (keys, sorted) = unsafe { (words(key, order, keys, len), results(key, order, sorted, len)) };
    if let Some(few) = CountingSort::new(pool, rows, keys, len) {
        return few.sort(sorted, payload);
    }
    let call = Call { pool, rows, len };
    match (payload, keys, sorted) {
        ([], Words::U8(keys, code), Sorted::U8(sorted, _)) => call.run(&Keys { keys, code, sorted }),
        ([], Words::U16(keys, code), Sorted::U16(sorted, _)) => call.run(&Keys { keys, code, sorted }),
        ([], Words::U32(keys, code), Sorted::U32(sorted, _)) => call.run(&Keys { keys, code, sorted }),
        ([], Words::U64(keys, code), Sorted::U64(sorted, _)) => call.run(&Keys { keys, code, sorted }),
        ([column], keys, sorted) if key.size <= 4 && column.size() <= 4 => {
            call.run(&With::<_, u64>::new(InlinePayload { keys, sorted, column }));
        }
        ([column], keys, sorted) if key.size == 8 => {
            call.run(&With::<_, u128>::new(InlinePayload { keys, sorted, column }));
        }
        (columns, keys, sorted) if is_narrow(key, len) => {
            call.run(&With::<_, u64>::new(IndexedPayload { keys, sorted, columns }));
        }
        (columns, keys, sorted) => call.run(&With::<_, u128>::new(IndexedPayload { keys, sorted, columns })),
    }
}

/// As [`rank`](super::rank), for `len` keys in memory.
///
/// # Panics
/// If the rows together or the ranks have not as many elements.
///
/// # Safety
/// The pointer is aligned for such keys, to keys. Until the call returns nobody writes to them.
pub(super) unsafe fn rank_keys(
    pool: &Pool,
    rows: Rows<'_>,
    order: Order,
    key: KeyType,
    keys: *const u8,
    len: usize,
    ranks: &mut [i64],
) {
    assert_eq!(len, ranks.len(), "as many ranks as keys");
    // SAFETY: our caller promises that nobody writes to the keys during this call, which `keys` does not outlive.
    let keys = unsafe { words(key, order, keys, len) };
    let ranks = Targets::new(ranks);
    if let Some(few) = CountingSort::new(pool, rows, keys, len) {
        return few.rank(&ranks);
    }
    let ranking = Ranking { keys, ranks };
    let call = Call { pool, rows, len };
    if is_narrow(key, len) {
        call.run(&With::<_, u64>::new(ranking));
    } else {
        call.run(&With::<_, u128>::new(ranking));
    }
}

/// The arguments shared by all ways to sort.
struct Call<'a> {
    pool: &'a Pool,
    rows: Rows<'a>,
    len: usize,
}

impl Call<'_> {
    fn run<J: Job>(&self, job: &J) {
        assert_eq!(self.rows.total(self.len), self.len, "as many keys as the rows have elements");
        // SAFETY: this is the one place that is ever made for the results of this job, which belong to the call.
        let place = unsafe { Place::all(self.len) };
        rows::sort(self.pool, self.rows, place, job);
    }
}

/// True if a key and the position of any of `len` elements fit into 64 bits together.
fn is_narrow(key: KeyType, len: usize) -> bool {
    key.size <= 4 && u32::try_from(len).is_ok()
}

/// # Safety
/// As for [`sort_keys`].
unsafe fn words<'a>(key: KeyType, order: Order, keys: *const u8, len: usize) -> Words<'a> {
    // SAFETY: an integer of the size of a key is aligned as the key is, and any bits are one. Our caller promises `len` keys that nobody writes.
    unsafe {
        match key.size {
            1 => Words::U8(slice(keys, len), Code::new(key, order)),
            2 => Words::U16(slice(keys, len), Code::new(key, order)),
            4 => Words::U32(slice(keys, len), Code::new(key, order)),
            8 => Words::U64(slice(keys, len), Code::new(key, order)),
            _ => unreachable!("keys have 1, 2, 4 or 8 bytes"),
        }
    }
}

/// # Safety
/// As for [`sort_keys`].
unsafe fn results<'a>(key: KeyType, order: Order, sorted: *mut u8, len: usize) -> Sorted<'a> {
    // SAFETY: an integer of the size of a key is aligned as the key is. Our caller promises room for `len` keys that nobody else touches; what is written are keys.
    unsafe {
        match key.size {
            1 => Sorted::U8(Results::new(slice_mut(sorted, len)), Code::new(key, order)),
            2 => Sorted::U16(Results::new(slice_mut(sorted, len)), Code::new(key, order)),
            4 => Sorted::U32(Results::new(slice_mut(sorted, len)), Code::new(key, order)),
            8 => Sorted::U64(Results::new(slice_mut(sorted, len)), Code::new(key, order)),
            _ => unreachable!("keys have 1, 2, 4 or 8 bytes"),
        }
    }
}
