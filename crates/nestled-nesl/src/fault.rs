//! What a running program can be stopped by.

use std::fmt;

/// The codes of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
    /// A position outside of the sequence.
    Index,
    /// `->` with an index outside.
    Gather,
    /// `<-` with an index outside.
    Write,
    /// `permute` with other lengths or an index outside.
    Permute,
    /// Sources of unequal length.
    Length,
    /// `partition` whose counts do not add up.
    Partition,
    /// A range that runs backward, a step below one, a negative length.
    Range,
    /// `subseq` outside of the sequence.
    Subseq,
    /// `take` of more than there is.
    Take,
    /// `drop` of more than there is.
    Drop,
    /// `interleave` of lengths that do not fit.
    Interleave,
    /// `transpose` of unequal rows.
    Transpose,
    /// Division by zero.
    Divide,
    /// Square root of a negative number.
    Sqrt,
    /// Logarithm of a negative number.
    Ln,
    /// A negative exponent.
    Power,
    /// `rand` of a number that is not positive.
    Rand,
    /// `hash` into less than one place.
    Hash,
    /// More digits than `exp_string` gives.
    Digits,
    /// The program called `error`.
    Error,
    /// Calls nested deeper, or more steps, than the interpreter's limits.
    Limit,
    /// A value of the top level that holds NaN or an infinity, which the original refuses.
    NotFinite,
    /// Something this build does not do, such as drawing.
    Unsupported,
}

impl FaultCode {
    /// Every code, with its name after `E:` and what a message says.
    pub const ALL: [(FaultCode, &'static str, &'static str); 23] = [
        (FaultCode::Index, "index", "the position is outside of the sequence"),
        (FaultCode::Gather, "gather", "an index of `->` is outside of the sequence"),
        (FaultCode::Write, "write", "an index of `<-` is outside of the sequence"),
        (
            FaultCode::Permute,
            "permute",
            "`permute` wants as many indices as elements, all within the sequence",
        ),
        (FaultCode::Length, "length", "the sequences differ in length"),
        (FaultCode::Partition, "partition", "the counts of `partition` do not add up to the length"),
        (
            FaultCode::Range,
            "range",
            "a range wants a step of at least 1 and a start that is not past its end",
        ),
        (FaultCode::Subseq, "subseq", "the bounds of `subseq` are not within the sequence"),
        (FaultCode::Take, "take", "`take` wants more elements than there are"),
        (FaultCode::Drop, "drop", "`drop` wants more elements than there are"),
        (
            FaultCode::Interleave,
            "interleave",
            "the first sequence must be as long as the second, or one longer",
        ),
        (FaultCode::Transpose, "transpose", "the rows differ in length"),
        (FaultCode::Divide, "divide", "division by zero"),
        (FaultCode::Sqrt, "sqrt", "square root of a negative number"),
        (FaultCode::Ln, "ln", "logarithm of a negative number"),
        (FaultCode::Power, "power", "the exponent is negative"),
        (FaultCode::Rand, "rand", "`rand` wants a positive number"),
        (FaultCode::Hash, "hash", "`hash` wants a range of at least 1"),
        (FaultCode::Digits, "digits", "`exp_string` gives at most 8 digits"),
        (FaultCode::Error, "error", "the program stopped itself"),
        (FaultCode::Limit, "limit", "calls are nested too deep, or the program takes too many steps"),
        (FaultCode::NotFinite, "finite", "the value holds a number that is not finite"),
        (FaultCode::Unsupported, "unsupported", "this function is not supported"),
    ];

    /// What a message says.
    pub fn message(self) -> &'static str {
        FaultCode::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }
}

/// As the reference writes it: `E:index`.
impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = FaultCode::ALL.iter().find(|entry| entry.0 == *self).map_or("", |entry| entry.1);
        write!(f, "E:{name}")
    }
}
