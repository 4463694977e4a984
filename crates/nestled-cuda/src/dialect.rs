//! What modules for CUDA are written for.

use nestled_gpu::{Dialect, Language};
use nestled_rt::device::Math;

/// The operations in CUDA C++.
const OPERATIONS: &str = include_str!("../rts/ops.cuh");
/// How threads and blocks work together.
const SKELETONS: &str = include_str!("../rts/skeletons.cuh");

/// CUDA C++: all types, workgroups of 256 threads.
pub fn dialect() -> Dialect {
    Dialect {
        language: Language::Cuda,
        int64: true,
        float64: true,
        workgroup: 256,
        private: 64 << 10,
        math: Math::Default,
        library: format!("{OPERATIONS}\n{SKELETONS}"),
    }
}
