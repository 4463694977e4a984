//! Floating-point policy: contraction and reordering of operations, where rounding shows it.

/// The freedom of passes and devices to contract and reorder floating-point operations, where the last bits of results depend on it.
///
/// ```
/// # use nestled_rt::device::Math;
/// assert_eq!(Math::named("fast-sums"), Some(Math::FastSums));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Math {
    /// Nothing is contracted, and products of matrices are summed from left to right.
    Strict,
    /// Products and sums may be contracted to fused multiply-adds, and matrix products left to a library, with a summation order of its own
    /// that is the same every time.
    #[default]
    Default,
    /// Besides, scans and scatters may combine in order of arrival, so that results may differ from run to run.
    FastSums,
}

impl Math {
    /// Their names.
    pub const NAMES: [&str; 3] = ["default", "strict", "fast-sums"];

    /// The policy with this name.
    pub fn named(name: &str) -> Option<Math> {
        match name {
            "default" => Some(Math::Default),
            "strict" => Some(Math::Strict),
            "fast-sums" => Some(Math::FastSums),
            _ => None,
        }
    }

    /// Itself, but strict for languages that are.
    pub fn or_strict(self, strict: bool) -> Math {
        if strict { Math::Strict } else { self }
    }
}
