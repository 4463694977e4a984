//! The target machine of a plan. It is an input: nothing here inspects the host.

/// A machine, as far as plans and code depend on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Bits of a vector register: 128, 256 or 512.
    pub vector_bits: u32,
    /// Whether it is an x86 processor with AVX-512 (F, BW, DQ, VL), and may use it.
    pub avx512: bool,
    /// Whether it converts between binary16 and binary32 (x86: F16C), and may use it.
    pub f16c: bool,
}

impl Target {
    /// True if it is an x86 processor with AVX2, and may use it. Others have no vectors of 256 bits.
    pub fn has_avx2(&self) -> bool {
        self.vector_bits >= 256
    }
}
