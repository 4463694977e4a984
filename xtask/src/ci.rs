//! `cargo xtask ci`: what has to pass before a change lands. `.ci/run` runs exactly this.

use crate::{cargo, readme};

/// Format, lints as errors, documentation, then the test command of the README, and the features that it leaves out.
pub fn run(args: &[String]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("`cargo xtask ci` takes no options".to_owned());
    }
    let test = readme::test_command()?;
    let test: Vec<&str> = test.split_whitespace().skip(1).collect();
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    readme::run_example()?;
    // Software Vulkan compiles each kernel of the tests for the one run that it gets.
    cargo(&test, &[("GALLIVM_PERF", "nopt")])?;
    // What those leave out: conversions that need a crate which is not wanted by default.
    cargo(&["test", "-p", "nestled-array", "--features", "ndarray,image", "--doc", "interop"], &[])
}
