//! What modules for WebGPU are written for.

use nestled_gpu::{Dialect, Language};

/// The operations in WGSL.
const OPERATIONS: &str = include_str!("../../../rts/wgsl/ops.wgsl");
const FMA_NATIVE: &str = include_str!("../../../rts/wgsl/fma_native.wgsl");
const FMA_EXACT: &str = include_str!("../../../rts/wgsl/fma_exact.wgsl");

/// The operations, for adapters whose `fma` rounds once, or for others.
pub(crate) fn library(fuses: bool) -> String {
    format!("{OPERATIONS}\n{}", if fuses { FMA_NATIVE } else { FMA_EXACT })
}

/// WGSL for an adapter that has all types.
pub fn dialect() -> Dialect {
    Dialect {
        language: Language::Wgsl,
        int64: true,
        float64: true,
        workgroup: 64,
        private: 16 << 10,
        library: library(true),
    }
}
