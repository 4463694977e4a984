//! Error codes of VCODE, in one place. `docs/errors.md` has an entry for each.

/// A character that begins no token.
pub const CHARACTER: &str = "V0001";
/// An unclosed text or comment.
pub const UNCLOSED: &str = "V0002";
/// A syntax error: something else is expected.
pub const EXPECTED: &str = "V0003";
/// A type that the instruction does not have.
pub const SUFFIX: &str = "V0004";
/// An element of another type than its constant.
pub const ELEMENT: &str = "V0005";
/// `IF`, `ELSE` and `ENDIF` that do not belong together.
pub const BRANCHES: &str = "V0006";
/// Conditionals nested too deeply.
pub const DEEP: &str = "V0007";
/// Two functions `MAIN`.
pub const MAIN_TWICE: &str = "V0008";
/// A program without functions.
pub const NOTHING: &str = "V0009";
/// A call of an undefined function.
pub const UNDEFINED: &str = "V0010";
/// A superoperator that no listing defines.
pub const SUPEROPERATOR: &str = "V0011";
/// A malformed listing.
pub const LISTING: &str = "V0012";
/// Branches or rounds of a recursion that leave stacks of different heights.
pub const HEIGHT: &str = "V0101";
/// An instruction that takes more than the stack holds.
pub const UNDERFLOW: &str = "V0102";
/// An operand of another type.
pub const OPERAND: &str = "V0201";
/// Branches or rounds of a recursion that leave different types.
pub const BRANCH_TYPES: &str = "V0202";
/// A limit of this implementation.
pub const LIMIT: &str = "V0301";
/// Something of NESL that VCODE has nothing for.
pub const FROM_NESL: &str = "V0302";
