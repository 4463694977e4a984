//! Run-time faults: codes, names and messages of the errors that stop a running program.

use std::fmt;

/// The fault codes of the language reference.
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
    /// A feature that this build does not support, such as drawing.
    Unsupported,
    /// The user interrupted the program by Ctrl-C.
    Interrupted,
}

impl FaultCode {
    /// Every code with its name and its message.
    pub const ALL: [(FaultCode, &'static str, &'static str); 24] = [
        (FaultCode::Index, "E:index", "the position is outside of the sequence"),
        (FaultCode::Gather, "E:gather", "an index of `->` is outside of the sequence"),
        (FaultCode::Write, "E:write", "an index of `<-` is outside of the sequence"),
        (
            FaultCode::Permute,
            "E:permute",
            "`permute` wants as many indices as elements, all within the sequence",
        ),
        (FaultCode::Length, "E:length", "the sequences differ in length"),
        (FaultCode::Partition, "E:partition", "the counts of `partition` do not add up to the length"),
        (
            FaultCode::Range,
            "E:range",
            "a range wants a step of at least 1 and a start that is not past its end",
        ),
        (FaultCode::Subseq, "E:subseq", "the bounds of `subseq` are not within the sequence"),
        (FaultCode::Take, "E:take", "`take` wants more elements than there are"),
        (FaultCode::Drop, "E:drop", "`drop` wants more elements than there are"),
        (
            FaultCode::Interleave,
            "E:interleave",
            "the first sequence must be as long as the second, or one longer",
        ),
        (FaultCode::Transpose, "E:transpose", "the rows differ in length"),
        (FaultCode::Divide, "E:divide", "division by zero"),
        (FaultCode::Sqrt, "E:sqrt", "square root of a negative number"),
        (FaultCode::Ln, "E:ln", "logarithm of a negative number"),
        (FaultCode::Power, "E:power", "the exponent is negative"),
        (FaultCode::Rand, "E:rand", "`rand` wants a positive number"),
        (FaultCode::Hash, "E:hash", "`hash` wants a range of at least 1"),
        (FaultCode::Digits, "E:digits", "`exp_string` gives at most 8 digits"),
        (FaultCode::Error, "E:error", "the program stopped itself"),
        (FaultCode::Limit, "E:limit", "calls are nested too deep, or the program takes too many steps"),
        (FaultCode::NotFinite, "E:finite", "the value holds a number that is not finite"),
        (FaultCode::Unsupported, "E:unsupported", "this function is not supported"),
        (FaultCode::Interrupted, "E:interrupted", "the program was interrupted"),
    ];

    /// Returns the code as the reference writes it: `E:index`.
    pub fn name(self) -> &'static str {
        FaultCode::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// Returns the text of the message.
    pub fn message(self) -> &'static str {
        FaultCode::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
