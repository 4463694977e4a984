//! Tuning parameters: the sizes at which execution switches strategies.

use nestled_ir::reduction_order::TILE;

/// The sizes at which a launch is cut, shared between threads, or stored differently.
///
/// They decide the distribution and the order of work, not the results. With [`Thresholds::TINY`] even small programs reach all strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// Minimum number of positions for a second thread.
    pub parallel: u64,
    /// Positions of a piece where pieces depend on each other, as in exact scans; a multiple of 16.
    pub chained: u64,
    /// Minimum number of such pieces for a second thread: each is then swept twice.
    pub chain: usize,
    /// Minimum number of adjacent groups for vectorisation across groups.
    pub side_by_side: u64,
    /// The same for groups that are short.
    pub few: u64,
    /// Sufficient number of adjacent groups in a piece.
    pub wide: u64,
    /// Minimum number of positions of a group that is split. More than 32, since shorter groups are combined from left to right.
    pub giant: u64,
    /// Minimum size in bytes of results that bypass the caches: smaller ones stay there until they are read.
    pub streaming: u64,
    /// Minimum length of rows that bypass the caches: shorter ones have too few whole lines.
    pub row: u64,
    /// Number of places of a destination that one thread fills, copies or merges at a time.
    pub destination_chunk: usize,
    /// Minimum ratio of points to places for several tables per thread.
    pub crowded: usize,
    /// Size in bytes of the buffers of a piece of a filter: together with its inputs they fit the second-level cache.
    pub piece_bytes: u64,
    /// Size in bytes of the live data of a band of rows.
    pub band: u64,
    /// Minimum number of columns of a strip; the number of columns is a multiple of it.
    pub strip: u64,
    /// Minimum nanoseconds of a launch that takes one thread, for others to run beside it. With 0 all launches wait for others, whatever they take.
    pub concurrent: u64,
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
            destination_chunk: 1 << 14,
            crowded: 32,
            piece_bytes: 1 << 17,
            band: 3 << 18,
            strip: 64,
            concurrent: 20_000,
        }
    }
}

impl Thresholds {
    /// Minimal values, so that small test programs reach all strategies. Except non-temporal stores, which need a separate version of the kernel.
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
        destination_chunk: 3,
        crowded: 2,
        piece_bytes: 0,
        band: 0,
        strip: 3,
        concurrent: 0,
    };
}
