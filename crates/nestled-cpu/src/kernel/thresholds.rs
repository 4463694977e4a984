//! The sizes from which on work is done in another way.

use nestled_kernel::schedule::TILE;

/// The sizes from which on a launch is cut, shared out, or goes another way to memory.
///
/// They decide who does what and when, not what it comes to: results do not depend on them, but for the last bits of scans with inexact
/// monoids, which hang on [`chained`](Thresholds::chained). Programs too small to reach them reach all ways with [`Thresholds::TINY`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// Fewer positions than this are not worth a second thread.
    pub parallel: u64,
    /// Positions of a piece where pieces hang on one another, as in scans; a multiple of 16.
    pub chained: u64,
    /// Fewer such pieces than this are not worth a second thread: each is walked twice then.
    pub chain: usize,
    /// Groups run in the lanes where at least so many lie side by side.
    pub side_by_side: u64,
    /// So many, if they are short.
    pub few: u64,
    /// So many groups of a piece side by side are enough.
    pub wide: u64,
    /// Groups of fewer positions are not cut. More than 32, which are combined from left to right.
    pub giant: u64,
    /// Results of so many bytes or more go past the caches: less would stay there until it is read.
    pub streaming: u64,
    /// Rows shorter than this have too few whole lines to go past the caches.
    pub row: u64,
    /// Places of a destination that one thread fills, copies or merges at a time.
    pub stretch: usize,
    /// So many times as many points as places are worth several tables for each thread.
    pub crowded: usize,
    /// Bytes of the rooms of a piece of a filter: with what it reads they fit the second-level cache.
    pub rooms: u64,
    /// Bytes of what is live of a band of rows.
    pub band: u64,
    /// Columns of a strip at least, and a divisor of their number.
    pub strip: u64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            parallel: 1 << 14,
            chained: 4 * TILE,
            chain: 4,
            side_by_side: 24,
            few: 5,
            wide: 2048,
            giant: 4 * TILE,
            streaming: 16 << 20,
            row: 256,
            stretch: 1 << 14,
            crowded: 32,
            rooms: 1 << 17,
            band: 3 << 18,
            strip: 64,
        }
    }
}

impl Thresholds {
    /// As small as can be, so that tests come everywhere with small programs. Nothing goes past the caches: that takes a text of its own.
    pub const TINY: Thresholds = Thresholds {
        parallel: 2,
        chained: 16,
        chain: 2,
        side_by_side: 2,
        few: 2,
        wide: 16,
        giant: 33,
        streaming: u64::MAX,
        row: 1,
        stretch: 3,
        crowded: 2,
        rooms: 0,
        band: 0,
        strip: 3,
    };
}
