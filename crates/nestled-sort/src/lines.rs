//! Scatter with software write-combining, by intervals of keys: the records of each interval are collected in a line of the cache, and whole lines are
//! written. So each line of memory is written once and never read, and many more intervals are possible than the cache has room for.
//!
//! 10 M `u32` by 11 bits, one thread (Zen 5): 18 ms; 40 ms if the lines are written through the cache.
#![allow(unsafe_code)] // Several threads write to one array, past the cache.

use super::interval::Intervals;
use super::record::Record;
use super::scratch::lend_own;
use std::marker::PhantomData;

/// The bytes of a line.
const LINE: usize = 64;
/// Arrays of at least so many bytes are written past the cache, by non-temporal stores.
const LARGE: usize = 1 << 20;

/// An array to scatter to, which several threads may do at the same time.
pub(super) struct ScatterTarget<'a, R> {
    data: *mut R,
    len: usize,
    lifetime: PhantomData<&'a mut [R]>,
}

// SAFETY: only written, each element by one thread (what `scatter` asks for), and records may be sent.
unsafe impl<R: Send> Sync for ScatterTarget<'_, R> {}

impl<'a, R: Record> ScatterTarget<'a, R> {
    pub(super) fn new(data: &'a mut [R]) -> ScatterTarget<'a, R> {
        ScatterTarget { data: data.as_mut_ptr(), len: data.len(), lifetime: PhantomData }
    }

    /// Writes records; those of interval `i` go to `next[i]` and after. `next` is as long as there are intervals. `records` calls what it is given
    /// with some records at a time.
    ///
    /// # Safety
    /// No one else uses the elements from `next[i]` on, as many as there are records of interval `i`.
    ///
    /// # Panics
    /// If a record would go outside of the array.
    pub(super) unsafe fn scatter(
        &self,
        next: &mut [usize],
        intervals: Intervals,
        bits: impl Fn(R) -> u64 + Copy,
        records: impl FnOnce(&mut dyn FnMut(&[R])),
    ) {
        // Positions count from a line's begin, so that it is whole lines in memory that are collected.
        let phase = self.data.addr() / size_of::<R>() % per_line::<R>();
        next.iter_mut().for_each(|next| *next += phase);
        let begins = next.to_vec();
        lend_own::<R, ()>(next.len() * per_line::<R>(), |lines, _| {
            let is_large = self.len * size_of::<R>() >= LARGE;
            let whole = Whole { data: self.data, phase, end: phase + self.len, is_large };
            let mut scatter = Scatter { whole, lines, next, begins: &begins };
            // SAFETY: our caller promises that nobody else uses the elements that these records go to.
            records(&mut |records| unsafe { scatter.collect(records, intervals, bits) });
            // SAFETY: what is left in the lines goes to elements behind those that were written, which nobody else uses either, says our caller.
            unsafe { scatter.rest() };
        });
        fence();
    }
}

/// The records that a line has.
const fn per_line<R>() -> usize {
    LINE / size_of::<R>()
}

/// The state of one scattering thread.
struct Scatter<'a, R> {
    whole: Whole<R>,
    /// A line for each interval. Its last records are those that are not yet written.
    lines: &'a mut [R],
    /// For each interval the position of its next record.
    next: &'a mut [usize],
    /// For each interval the position of its first record.
    begins: &'a [usize],
}

impl<R: Record> Scatter<'_, R> {
    /// # Safety
    /// Of [`ScatterTarget::scatter`].
    #[inline(always)]
    unsafe fn collect(&mut self, records: &[R], intervals: Intervals, bits: impl Fn(R) -> u64) {
        // By themselves, so that the compiler keeps them in registers.
        let (next, lines, whole) = (&mut *self.next, &mut *self.lines, self.whole);
        for record in records {
            let interval = intervals.of(bits(*record));
            let position = next[interval];
            next[interval] = position + 1;
            let in_line = position % per_line::<R>();
            lines[interval * per_line::<R>() + in_line] = *record;
            if in_line == per_line::<R>() - 1 {
                let line = &lines[interval * per_line::<R>()..][..per_line::<R>()];
                // SAFETY: the line ends at this interval's last record so far, and begins at the earliest where its first one went: elements that are ours, says our caller.
                unsafe { whole.write(line, self.begins[interval], position + 1) };
            }
        }
    }

    /// Writes the records that are left in the lines.
    ///
    /// # Safety
    /// Of [`ScatterTarget::scatter`].
    unsafe fn rest(&mut self) {
        for ((end, begin), line) in self.next.iter().zip(self.begins).zip(self.lines.chunks(per_line::<R>()))
        {
            if end % per_line::<R>() > 0 {
                // SAFETY: the interval's last records, up to its end and not before its first: elements that are ours, says our caller.
                unsafe { self.whole.write(line, *begin, *end) };
            }
        }
    }
}

/// The target as lines.
struct Whole<R> {
    data: *mut R,
    /// Begin and end of the target, in records from the start of its first line.
    phase: usize,
    end: usize,
    /// Whether lines are written past the cache, by non-temporal stores.
    is_large: bool,
}

impl<R> Clone for Whole<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Whole<R> {}

impl<R: Record> Whole<R> {
    /// Writes a line up to the position `end`, which is in it or at its end; but nothing before `begin`.
    ///
    /// # Safety
    /// Of [`ScatterTarget::scatter`].
    #[inline(always)]
    unsafe fn write(self, line: &[R], begin: usize, end: usize) {
        let start = (end - 1) / per_line::<R>() * per_line::<R>();
        let begin = start.max(begin);
        assert!(begin >= self.phase && end <= self.end, "a record stays in its row");
        // SAFETY: inside the array, as both positions are; that nobody else is there is what the caller promises.
        unsafe {
            let to = self.data.add(begin - self.phase);
            if end - begin == per_line::<R>() && self.is_large {
                stream(line.as_ptr().cast(), to.cast());
            } else if end - begin == per_line::<R>() {
                to.copy_from_nonoverlapping(line.as_ptr(), per_line::<R>());
            } else {
                let line = &line[begin - start..end - start];
                to.copy_from_nonoverlapping(line.as_ptr(), line.len());
            }
        }
    }
}

/// Writes a line past the cache, by non-temporal stores.
///
/// # Safety
/// Both point to a line, the one that is written to its begin; and before anybody else reads it there is a [`fence`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(from: *const u8, to: *mut u8) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    let (from, to) = (from.cast::<__m128i>(), to.cast::<__m128i>());
    for at in 0..LINE / 16 {
        // SAFETY: in the line, and aligned as the line is.
        unsafe { _mm_stream_si128(to.add(at), _mm_loadu_si128(from.add(at))) };
    }
}

/// Writes a line.
///
/// # Safety
/// Both point to a line.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream(from: *const u8, to: *mut u8) {
    // SAFETY: our caller promises a line on either side; ours lies in a buffer of its own.
    unsafe { to.copy_from_nonoverlapping(from, LINE) };
}

/// Store fence: orders non-temporal stores before later stores that publish them.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
