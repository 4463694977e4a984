//! Detection of the host machine, as a target of plans and code.

use nestled_kernel::Target;

/// Detects this machine, with vectors of at most `limit` bits.
pub fn host(limit: Option<u32>) -> Target {
    let (widest, avx512) = widest();
    let vector_bits = limit.map_or(widest, |limit| limit.clamp(128, widest));
    Target { vector_bits, avx512: avx512 && vector_bits == 512, f16c: f16c(vector_bits) }
}

/// Detects F16C. It came with 256-bit vectors, and is not used with narrower ones.
#[cfg(target_arch = "x86_64")]
fn f16c(vector_bits: u32) -> bool {
    vector_bits > 128 && std::arch::is_x86_feature_detected!("f16c")
}

#[cfg(not(target_arch = "x86_64"))]
fn f16c(_: u32) -> bool {
    cfg!(target_arch = "aarch64")
}

#[cfg(target_arch = "x86_64")]
fn widest() -> (u32, bool) {
    let has512 = std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl");
    match (has512, std::arch::is_x86_feature_detected!("avx2")) {
        (true, _) => (512, true),
        (false, true) => (256, false),
        (false, false) => (128, false),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn widest() -> (u32, bool) {
    (128, false)
}
