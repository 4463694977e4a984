//! Jobs: keys sorted alone, keys sorted with a payload, or keys ranked. Each job has its own type of records.
//!
//! Only records are moved. With a payload, a record holds the key's bits above, and below either the
//! payload element, if it is the only one and not larger than the key, or the position that the key comes from.

use super::column::Column;
use super::key::Code;
use super::place::{Place, Results};
use super::record::{Record, Word};
use super::targets::Targets;

/// A way to sort.
pub(super) trait Job: Sync {
    /// The type of the records that are moved.
    type Record: Record;
    /// The bits of a key; those of [`Job::bits`] above are 0.
    const WIDTH: u32;
    /// Whether [`Job::store`] has to be told where a row begins.
    const ROW_BY_ROW: bool = false;
    /// The key's bits.
    fn bits(record: Self::Record) -> u64;
    /// Sorts by comparing. Stable.
    fn compare(records: &mut [Self::Record]);
    /// Makes the records of the positions from `from` on.
    fn load(&self, from: usize, to: &mut [Self::Record]);
    /// Writes the results that follow from sorted records, which belong to this place. Their row begins at `row`.
    fn store(&self, row: usize, place: Place, records: &[Self::Record]);
}

/// Sorts keys alone.
pub(super) struct Keys<'a, W> {
    pub(super) keys: &'a [W],
    pub(super) code: Code<W>,
    pub(super) sorted: Results<'a, W>,
}

impl<W: Word> Job for Keys<'_, W> {
    type Record = W;
    const WIDTH: u32 = W::BITS;

    #[inline(always)]
    fn bits(record: W) -> u64 {
        record.into()
    }

    #[inline(always)]
    fn compare(records: &mut [W]) {
        // Keys that are equal cannot be told apart.
        records.sort_unstable();
    }

    #[inline]
    fn load(&self, from: usize, to: &mut [W]) {
        let keys = &self.keys[from..from + to.len()];
        to.iter_mut().zip(keys).for_each(|(to, key)| *to = self.code.encode(*key));
    }

    #[inline]
    fn store(&self, _: usize, mut place: Place, records: &[W]) {
        let sorted = self.sorted.at(&mut place);
        sorted.iter_mut().zip(records).for_each(|(key, record)| *key = self.code.decode(*record));
    }
}

/// A record of two halves: a key above, something else below.
pub(super) trait Joined: Record {
    /// The bits of half a record.
    const HALF: u32;
    fn join(bits: u64, low: u64) -> Self;
    fn bits(self) -> u64;
    fn low(self) -> u64;
}

impl Joined for u64 {
    const HALF: u32 = 32;

    #[inline(always)]
    fn join(bits: u64, low: u64) -> u64 {
        bits << 32 | low
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self >> 32
    }

    #[inline(always)]
    fn low(self) -> u64 {
        self & 0xffff_ffff
    }
}

impl Joined for u128 {
    const HALF: u32 = 64;

    #[inline(always)]
    fn join(bits: u64, low: u64) -> u128 {
        u128::from(bits) << 64 | u128::from(low)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        (self >> 64) as u64
    }

    #[inline(always)]
    fn low(self) -> u64 {
        self as u64
    }
}

/// Keys of any width, as they come in.
#[derive(Clone, Copy)]
pub(super) enum Words<'a> {
    U8(&'a [u8], Code<u8>),
    U16(&'a [u16], Code<u16>),
    U32(&'a [u32], Code<u32>),
    U64(&'a [u64], Code<u64>),
}

impl Words<'_> {
    /// Makes records; `low` returns, for a position, the bits below the key.
    #[inline(always)]
    fn load<R: Joined>(self, from: usize, to: &mut [R], low: impl Fn(usize) -> u64) {
        macro_rules! load {
            ($keys:expr, $code:expr) => {{
                let keys = &$keys[from..from + to.len()];
                to.iter_mut().zip(keys).enumerate().for_each(|(at, (to, key))| {
                    *to = R::join(u64::from($code.encode(*key)), low(from + at));
                });
            }};
        }
        match self {
            Words::U8(keys, code) => load!(keys, code),
            Words::U16(keys, code) => load!(keys, code),
            Words::U32(keys, code) => load!(keys, code),
            Words::U64(keys, code) => load!(keys, code),
        }
    }
}

/// Keys of any width, as they go out.
#[derive(Clone, Copy)]
pub(super) enum Sorted<'a> {
    U8(Results<'a, u8>, Code<u8>),
    U16(Results<'a, u16>, Code<u16>),
    U32(Results<'a, u32>, Code<u32>),
    U64(Results<'a, u64>, Code<u64>),
}

impl Sorted<'_> {
    #[inline(always)]
    fn store<R: Joined>(self, place: &mut Place, records: &[R]) {
        macro_rules! store {
            ($results:expr, $code:expr) => {{
                let results = $results.at(place);
                results
                    .iter_mut()
                    .zip(records)
                    .for_each(|(key, record)| *key = $code.decode(Word::low(record.bits())))
            }};
        }
        match self {
            Sorted::U8(results, code) => store!(results, code),
            Sorted::U16(results, code) => store!(results, code),
            Sorted::U32(results, code) => store!(results, code),
            Sorted::U64(results, code) => store!(results, code),
        }
    }
}

/// Sorts keys, and one column along with them that fits half a record.
pub(super) struct InlinePayload<'a, 'b> {
    pub(super) keys: Words<'a>,
    pub(super) sorted: Sorted<'a>,
    pub(super) column: &'b Column<'a>,
}

/// A job with records of this type; the same job may be done with several.
pub(super) struct With<J, R>(pub(super) J, pub(super) std::marker::PhantomData<fn() -> R>);

impl<J, R> With<J, R> {
    pub(super) fn new(job: J) -> With<J, R> {
        With(job, std::marker::PhantomData)
    }
}

impl<R: Joined> Job for With<InlinePayload<'_, '_>, R> {
    type Record = R;
    const WIDTH: u32 = R::HALF;

    #[inline(always)]
    fn bits(record: R) -> u64 {
        record.bits()
    }

    #[inline(always)]
    fn compare(records: &mut [R]) {
        records.sort_by_key(|record| record.bits());
    }

    #[inline]
    fn load(&self, from: usize, to: &mut [R]) {
        self.0.keys.load(from, to, |_| 0);
        self.0.column.load(from, to, |record, low| *record = R::join(record.bits(), low));
    }

    #[inline]
    fn store(&self, _: usize, mut place: Place, records: &[R]) {
        self.0.sorted.store(&mut place, records);
        self.0.column.store(&mut place, records, R::low);
    }
}

/// Sorts keys, and any columns along with them.
pub(super) struct IndexedPayload<'a, 'b> {
    pub(super) keys: Words<'a>,
    pub(super) sorted: Sorted<'a>,
    pub(super) columns: &'b [Column<'a>],
}

impl<R: Joined> Job for With<IndexedPayload<'_, '_>, R> {
    type Record = R;
    const WIDTH: u32 = R::HALF;

    #[inline(always)]
    fn bits(record: R) -> u64 {
        record.bits()
    }

    #[inline(always)]
    fn compare(records: &mut [R]) {
        // No two positions are equal, and they are compared after the keys: this is stable.
        records.sort_unstable();
    }

    #[inline]
    fn load(&self, from: usize, to: &mut [R]) {
        self.0.keys.load(from, to, |position| position as u64);
    }

    #[inline]
    fn store(&self, _: usize, mut place: Place, records: &[R]) {
        self.0.sorted.store(&mut place, records);
        self.0.columns.iter().for_each(|column| column.gather(&mut place, records, R::low));
    }
}

/// Ranks keys.
pub(super) struct Ranking<'a> {
    pub(super) keys: Words<'a>,
    pub(super) ranks: Targets<'a, i64>,
}

impl<R: Joined> Job for With<Ranking<'_>, R> {
    type Record = R;
    const WIDTH: u32 = R::HALF;
    const ROW_BY_ROW: bool = true;

    #[inline(always)]
    fn bits(record: R) -> u64 {
        record.bits()
    }

    #[inline(always)]
    fn compare(records: &mut [R]) {
        records.sort_unstable();
    }

    #[inline]
    fn load(&self, from: usize, to: &mut [R]) {
        self.0.keys.load(from, to, |position| position as u64);
    }

    #[inline]
    fn store(&self, row: usize, place: Place, records: &[R]) {
        let first = place.start() - row;
        for (at, record) in records.iter().enumerate() {
            self.0.ranks.set(record.low() as usize, (first + at) as i64);
        }
    }
}
