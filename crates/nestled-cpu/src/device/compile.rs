//! Compilation of a text, unless the process is about to end.

use nestled_llvm::{CompileError, CompileOptions, Llvm, Phase};

/// Compiles a text; `None` if nothing is compiled any more, because the process ends.
pub(super) fn compiled(
    llvm: &Llvm,
    text: &str,
    options: &CompileOptions,
) -> Result<Option<Vec<u8>>, CompileError> {
    match llvm.compile(text, options) {
        Err(error) if error.phase == Phase::Begin => Ok(None),
        outcome => outcome.map(Some),
    }
}
