//! The constants of the orders of inexact reductions and scans, which are part of the meaning of λcu (`docs/lcu.md`, "Order of an inexact reduction", "Order of an inexact scan"):
//! the interpreters, the CPU and the GPUs take them from here.

/// Groups of at most this number of positions are reduced from left to right.
pub const SHORT: u64 = 32;
/// Number of positions of a tile. Tiles are reduced by themselves, and then combined in pairs.
pub const TILE: u64 = 4096;
/// Number of lanes of a tile, which are combined in pairs; and of positions of a vector of a scan.
pub const LANES: usize = 16;
/// Number of positions of a block of a scan by a built-in operation. Prefixes restart in each block, and the carry of the blocks before is combined last.
pub const SCAN_BLOCK: u64 = 16_384;
/// The same for a monoid of the program, whose blocks are combined point by point.
pub const SCAN_BLOCK_OF_POINTS: u64 = 1024;
