//! The switch that makes devices mandatory, for continuous integration, which installs them.

/// Set where software Vulkan and the stand-in for CUDA have to be there: without them tests fail instead of being skipped.
pub const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

/// True if they are mandatory.
#[must_use]
pub fn is_set() -> bool {
    std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty())
}
