//! What modules for WebGPU are written for.

use nestled_gpu::{Dialect, Language};
use nestled_rt::device::Math;

/// The operations in WGSL.
const OPERATIONS: &str = include_str!("../rts/ops.wgsl");
const FMA_NATIVE: &str = include_str!("../rts/fma_native.wgsl");
const FMA_EXACT: &str = include_str!("../rts/fma_exact.wgsl");

const ROUNDING_NATIVE: &str = include_str!("../rts/rounding_native.wgsl");
const ROUNDING_EXACT: &str = include_str!("../rts/rounding_exact.wgsl");

/// What every module of ours begins with.
pub(crate) const HEAD: &str = "
alias Address = u32;
@group(0) @binding(0) var<storage, read_write> heap: array<u32>;
@group(0) @binding(1) var<storage, read_write> atoms: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> params: array<u32>;
";
/// What copies from place to place.
pub(crate) const COPY: &str = include_str!("../rts/copy.wgsl");

/// How an adapter rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rounding {
    /// Whether `fma` rounds once, or nothing can be done about it.
    pub fuses: bool,
    /// Whether division and square root of 32 bits round to nearest.
    pub divides: bool,
}

/// The operations for such an adapter.
pub(crate) fn library(rounding: Rounding) -> String {
    let fma = if rounding.fuses { FMA_NATIVE } else { FMA_EXACT };
    let division = if rounding.divides { ROUNDING_NATIVE } else { ROUNDING_EXACT };
    format!("{OPERATIONS}\n{fma}\n{division}")
}

/// WGSL for an adapter that has all types.
pub fn dialect() -> Dialect {
    Dialect {
        language: Language::Wgsl,
        int64: true,
        float64: true,
        workgroup: 64,
        private: 16 << 10,
        math: Math::Default,
        library: library(Rounding { fuses: true, divides: true }),
    }
}
