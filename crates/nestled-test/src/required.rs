//! Whether devices that continuous integration installs have to be there.

/// Set where software Vulkan and the stand-in for CUDA have to be there: without them tests fail instead of being skipped.
pub const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

/// Whether they have to.
#[must_use]
pub fn is_set() -> bool {
    std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty())
}
