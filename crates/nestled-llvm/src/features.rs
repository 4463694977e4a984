//! Detection of this processor's features, under LLVM's names.
//!
//! LLVM would guess it from the model number, and is wrong on virtual machines that hide some of it. The standard library asks the
//! processor, and whether the system saves the wide registers. So the base is the plainest processor of the family, and
//! every feature found is named.

use std::ffi::CString;

/// The base processor, with the features that every machine of the family has.
pub(super) fn base_cpu() -> &'static str {
    if cfg!(target_arch = "x86_64") { "x86-64" } else { "generic" }
}

/// All features found that are known here, in the form of [`Llvm::features`](super::Llvm::features), without any LLVM.
///
/// It tells processors apart, for instance in the key of a cached object: an object found there is started without opening LLVM.
#[must_use]
pub fn processor_features() -> String {
    host_features(u32::MAX).into_string().unwrap_or_default()
}

/// The features found, as LLVM reads them: `+avx2,+fma`. They are also part of the key of cached objects.
pub(super) fn host_features(major: u32) -> CString {
    let found = found().into_iter().filter(|(_, since, found)| *found && *since <= major);
    let mut list: Vec<String> = found.map(|(name, _, _)| format!("+{name}")).collect();
    if cfg!(all(target_arch = "aarch64", not(target_os = "linux"))) {
        // Code is generated as for Linux, which leaves this register to programs; other systems do not.
        list.push("+reserve-x18".to_string());
    }
    CString::new(list.join(",")).unwrap_or_default()
}

/// Removes the features that need vectors of more than `vector_bits` bits.
pub(super) fn narrowed(features: &str, vector_bits: u32) -> CString {
    let kept = |feature: &&str| {
        let name = feature.trim_start_matches('+');
        let needs = match name {
            _ if name.starts_with("avx512") => 512,
            "fma" | "f16c" | "gfni" | "vaes" | "vpclmulqdq" => 256,
            _ if name.starts_with("avx") => 256,
            _ => 128,
        };
        needs <= vector_bits
    };
    CString::new(features.split(',').filter(kept).collect::<Vec<&str>>().join(",")).unwrap_or_default()
}

/// One feature: LLVM's name, the LLVM that learned it (0: all that we take), and whether this processor has it.
type Feature = (&'static str, u32, bool);

/// Makes the list: the name Rust has, then the name LLVM has, then since when.
macro_rules! features {
    ($detect:ident: $($rust:tt as $llvm:literal since $since:literal),* $(,)?) => {
        vec![$(($llvm, $since, std::arch::$detect!($rust))),*]
    };
}

#[cfg(target_arch = "x86_64")]
fn found() -> Vec<Feature> {
    features![is_x86_feature_detected:
        "sse3" as "sse3" since 0,
        "ssse3" as "ssse3" since 0,
        "sse4.1" as "sse4.1" since 0,
        "sse4.2" as "sse4.2" since 0,
        "popcnt" as "popcnt" since 0,
        "cmpxchg16b" as "cx16" since 0,
        "movbe" as "movbe" since 0,
        "lzcnt" as "lzcnt" since 0,
        "bmi1" as "bmi" since 0,
        "bmi2" as "bmi2" since 0,
        "adx" as "adx" since 0,
        "aes" as "aes" since 0,
        "pclmulqdq" as "pclmul" since 0,
        "sha" as "sha" since 0,
        "avx" as "avx" since 0,
        "f16c" as "f16c" since 0,
        "fma" as "fma" since 0,
        "avx2" as "avx2" since 0,
        "gfni" as "gfni" since 0,
        "vaes" as "vaes" since 0,
        "vpclmulqdq" as "vpclmulqdq" since 0,
        "avxvnni" as "avxvnni" since 0,
        "avx512f" as "avx512f" since 0,
        "avx512cd" as "avx512cd" since 0,
        "avx512bw" as "avx512bw" since 0,
        "avx512dq" as "avx512dq" since 0,
        "avx512vl" as "avx512vl" since 0,
        "avx512ifma" as "avx512ifma" since 0,
        "avx512vbmi" as "avx512vbmi" since 0,
        "avx512vbmi2" as "avx512vbmi2" since 0,
        "avx512vnni" as "avx512vnni" since 0,
        "avx512bitalg" as "avx512bitalg" since 0,
        "avx512vpopcntdq" as "avx512vpopcntdq" since 0,
        "avx512bf16" as "avx512bf16" since 0,
        "avx512fp16" as "avx512fp16" since 0,
        "avxifma" as "avxifma" since 16,
        "avxneconvert" as "avxneconvert" since 16,
        "avxvnniint8" as "avxvnniint8" since 16,
        "avxvnniint16" as "avxvnniint16" since 17,
    ]
}

#[cfg(target_arch = "aarch64")]
fn found() -> Vec<Feature> {
    features![is_aarch64_feature_detected:
        "neon" as "neon" since 0,
        "crc" as "crc" since 0,
        "lse" as "lse" since 0,
        "rdm" as "rdm" since 0,
        "fp16" as "fullfp16" since 0,
        "dotprod" as "dotprod" since 0,
        "fcma" as "complxnum" since 0,
        "rcpc" as "rcpc" since 0,
        "jsconv" as "jsconv" since 0,
        "frintts" as "fptoint" since 0,
        "bf16" as "bf16" since 0,
        "i8mm" as "i8mm" since 0,
        "sve" as "sve" since 0,
        "sve2" as "sve2" since 0,
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn found() -> Vec<Feature> {
    Vec::new()
}
