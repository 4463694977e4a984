//! Functions of the examples in NESL, as they stand in their files.

/// What an example defines, up to where it begins to compute.
pub fn functions(example: &str) -> &str {
    example.split_once("\nn = ").map_or(example, |(functions, _)| functions)
}
