//! The switch that makes devices mandatory, for continuous integration, which installs them.

/// The environment variable that requires software Vulkan and the stand-in for CUDA: without them tests fail instead of being skipped.
pub const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

/// True if they are mandatory.
#[must_use]
pub fn is_set() -> bool {
    std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty())
}
