//! What nobody refers to any more, on its way back to the track that has it.

/// What nobody refers to any more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Garbage {
    /// A program that was traced.
    Program(u64),
    /// A function of another front end.
    Routine(u64),
}
