//! Which version of the code this is: a hash of the sources of everything that decides what a program becomes.

fn main() -> std::io::Result<()> {
    nestled_cache::code_version(&["nestled-ir", "nestled-pass"])
}
