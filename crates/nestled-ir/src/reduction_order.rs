//! The constants of the order of an inexact reduction, which is part of the meaning of λcu (`docs/lcu.md`, "Order of an inexact reduction"): the interpreters, the CPU and the GPUs
//! take them from here.

/// Groups of at most this number of positions are reduced from left to right.
pub const SHORT: u64 = 32;
/// Number of positions of a tile. Tiles are reduced by themselves, and then combined in pairs.
pub const TILE: u64 = 4096;
/// Number of lanes of a tile, which are combined in pairs.
pub const LANES: usize = 16;
