//! Which version of the code this is: a hash of the sources of everything that decides what the code of a kernel is.

fn main() -> std::io::Result<()> {
    nestled_cache::code_version(&["nestled-ir", "nestled-kernel", "nestled-cpu", "nestled-llvm"])
}
