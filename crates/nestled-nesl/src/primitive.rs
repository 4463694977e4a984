//! Primitives: the functions that the language cannot express in itself, in one table. All others are in `prelude/`.
//!
//! Letters stand for type variables as in the reference: `A B C D` any, `N M` number, `O P` ordinal, `L K` logical.

use crate::dialect::Dialect;
use crate::fault::FaultCode;

/// A primitive of the language. Primitives that take positions, lengths or divisors check them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table has their names, the reference their meaning")]
pub enum Primitive {
    Not,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    ShiftLeft,
    ShiftRight,
    Sqrt,
    Ln,
    Exp,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    BoolToInt,
    CodeChar,
    CharCode,
    IntToFloat,
    Floor,
    Truncate,
    IntToAny,
    AnyToFloat,
    FloatToAny,
    MaxInt,
    Length,
    Distribute,
    Index,
    Element,
    Slice,
    Gather,
    Put,
    Pack,
    Append,
    Flatten,
    Partition,
    PlusScan,
    MultScan,
    MaxScan,
    MinScan,
    OrScan,
    AndScan,
    XorScan,
    Sum,
    Product,
    MaxVal,
    MinVal,
    Any,
    All,
    Parity,
    Rank,
    RankDown,
    /// True only if its argument is known to be the ranks of keys, each of which occurs once; what is not known is false.
    AreRanks,
    Rand,
    RandSeed,
    /// `rand` from the one generator shared by the whole statement.
    RandInOrder,
    /// `rand_seed` of the shared generator.
    SeedInOrder,
    StartTimer,
    StopTimer,
    PrintString,
    Abort,
    /// Faults with this code unless its argument holds.
    Check(FaultCode),
    /// Calls a function of the library chosen by the type of the argument.
    Dispatch(Dispatch),
    Host(HostCall),
}

impl Primitive {
    /// Returns the variant of a primitive in a dialect.
    pub(crate) fn in_dialect(self, dialect: Dialect) -> Primitive {
        match self {
            Primitive::Rand if dialect.compat => Primitive::RandInOrder,
            Primitive::RandSeed if dialect.compat => Primitive::SeedInOrder,
            other => other,
        }
    }
}

impl Primitive {
    /// Returns the function of the prelude that does for strings what this primitive does for scalars; equality is that of any values.
    pub(crate) fn of_strings(self) -> Option<&'static str> {
        Some(match self {
            Primitive::Equal => "_eql_vector",
            Primitive::NotEqual => "_differs",
            Primitive::Less => "_is_less",
            Primitive::Greater => "_is_greater",
            Primitive::LessEqual => "_is_at_most",
            Primitive::GreaterEqual => "_is_at_least",
            Primitive::MaxVal => "_greatest",
            Primitive::MinVal => "_least",
            Primitive::MaxScan => "_greatest_before",
            Primitive::MinScan => "_least_before",
            _ => return None,
        })
    }
}

/// A function that is defined by cases over types. The cases are functions of the prelude: the stem with `_int _float _char
/// _bool _pair _vector _function` behind it; records are seen as what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dispatch {
    /// Structural equality.
    Eql,
    /// The zero of a type.
    Identity,
    /// The hash of a value before it is brought into range.
    Hash,
    /// The printable form; pairs without brackets.
    StringOpen,
    /// The printable form; pairs in brackets.
    String,
    /// The short form for tracing; pairs without brackets.
    AbbreviatedOpen,
    /// The short form for tracing.
    Abbreviated,
    /// A given number of zeros of the element type of a sequence.
    Zeros,
    /// Writes a sequence in object format.
    WriteColumns,
    /// Reads a given number of values of the element type of a sequence in object format.
    ReadColumns,
    /// For a sequence, integers that are ordered as its elements are, and equal where those are equal.
    Order,
}

impl Dispatch {
    /// Returns the prefix of the names of the cases.
    pub fn stem(self) -> &'static str {
        match self {
            Dispatch::Eql => "_eql",
            Dispatch::Identity => "_identity",
            Dispatch::Hash => "_hash",
            Dispatch::StringOpen => "_open",
            Dispatch::String => "_string",
            Dispatch::AbbreviatedOpen => "_brief_open",
            Dispatch::Abbreviated => "_brief",
            Dispatch::Zeros => "_zeros",
            Dispatch::WriteColumns => "_put",
            Dispatch::ReadColumns => "_get",
            Dispatch::Order => "_order",
        }
    }
}

/// A request to the world outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table has their names, the reference their meaning")]
pub enum HostCall {
    ReadFile,
    WriteFile,
    Open,
    Close,
    Read,
    Write,
    ReadColumn(Column),
    WriteColumn(Column),
    Shell,
    Variable,
    Spawn,
    Draw,
}

/// A column of a value in object format: the scalars at one place of its type, or the lengths of the sequences there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Column {
    Ints,
    Floats,
    Bools,
    Chars,
    Lengths,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name; names that begin with `_` are visible only to the library.
    pub name: &'static str,
    /// The type.
    pub ty: &'static str,
    /// The function.
    pub primitive: Primitive,
    /// True if it must not be used inside an apply-to-each.
    pub serial: bool,
}

const fn entry(name: &'static str, ty: &'static str, primitive: Primitive) -> Entry {
    Entry { name, ty, primitive, serial: false }
}

const fn serial(name: &'static str, ty: &'static str, primitive: Primitive) -> Entry {
    Entry { name, ty, primitive, serial: true }
}

const fn reads(name: &'static str, ty: &'static str, column: Column) -> Entry {
    entry(name, ty, Primitive::Host(HostCall::ReadColumn(column)))
}

const fn writes(name: &'static str, ty: &'static str, column: Column) -> Entry {
    entry(name, ty, Primitive::Host(HostCall::WriteColumn(column)))
}

/// Every primitive with its names. Several names may stand for one.
pub const TABLE: &[Entry] = &[
    entry("not", "L -> L", Primitive::Not),
    entry("and", "(L, L) -> L", Primitive::And),
    entry("or", "(L, L) -> L", Primitive::Or),
    entry("xor", "(L, L) -> L", Primitive::Xor),
    entry("==", "(O, O) -> bool", Primitive::Equal),
    entry("=", "(O, O) -> bool", Primitive::Equal),
    entry("/=", "(O, O) -> bool", Primitive::NotEqual),
    entry("<", "(O, O) -> bool", Primitive::Less),
    entry(">", "(O, O) -> bool", Primitive::Greater),
    entry("<=", "(O, O) -> bool", Primitive::LessEqual),
    entry(">=", "(O, O) -> bool", Primitive::GreaterEqual),
    entry("+", "(N, N) -> N", Primitive::Add),
    entry("-", "(N, N) -> N", Primitive::Subtract),
    entry("*", "(N, N) -> N", Primitive::Multiply),
    entry("/", "(N, N) -> N", Primitive::Divide),
    entry("div_internal", "(N, N) -> N", Primitive::Divide),
    entry("rem", "(int, int) -> int", Primitive::Remainder),
    entry("rem_internal", "(int, int) -> int", Primitive::Remainder),
    entry("negate", "N -> N", Primitive::Negate),
    entry("lshift", "(int, int) -> int", Primitive::ShiftLeft),
    entry("rshift", "(int, int) -> int", Primitive::ShiftRight),
    entry("sqrt", "float -> float", Primitive::Sqrt),
    entry("prim_sqrt", "float -> float", Primitive::Sqrt),
    entry("ln", "float -> float", Primitive::Ln),
    entry("prim_ln", "float -> float", Primitive::Ln),
    entry("exp", "float -> float", Primitive::Exp),
    entry("sin", "float -> float", Primitive::Sin),
    entry("cos", "float -> float", Primitive::Cos),
    entry("tan", "float -> float", Primitive::Tan),
    entry("asin", "float -> float", Primitive::Asin),
    entry("acos", "float -> float", Primitive::Acos),
    entry("atan", "float -> float", Primitive::Atan),
    entry("sinh", "float -> float", Primitive::Sinh),
    entry("cosh", "float -> float", Primitive::Cosh),
    entry("tanh", "float -> float", Primitive::Tanh),
    entry("btoi", "bool -> int", Primitive::BoolToInt),
    entry("code_char", "int -> char", Primitive::CodeChar),
    entry("char_code", "char -> int", Primitive::CharCode),
    entry("float", "int -> float", Primitive::IntToFloat),
    entry("floor", "float -> int", Primitive::Floor),
    entry("trunc", "float -> int", Primitive::Truncate),
    entry("int_to_any", "(int, N) -> N", Primitive::IntToAny),
    entry("float_num", "N -> float", Primitive::AnyToFloat),
    entry("float_to_any", "(float, N) -> N", Primitive::FloatToAny),
    entry("_largest_int", "bool -> int", Primitive::MaxInt),
    entry("#", "[A] -> int", Primitive::Length),
    entry("length", "[A] -> int", Primitive::Length),
    entry("dist", "(A, int) -> [A]", Primitive::Distribute),
    entry("seq_dist", "(A, int) -> [A]", Primitive::Distribute),
    entry("index", "int -> [int]", Primitive::Index),
    entry("elt", "([A], int) -> A", Primitive::Element),
    entry("elt_nocheck", "([A], int) -> A", Primitive::Element),
    entry("_slice", "([A], int, int) -> [A]", Primitive::Slice),
    entry("->", "([A], [int]) -> [A]", Primitive::Gather),
    entry("read", "([A], [int]) -> [A]", Primitive::Gather),
    entry("get", "([A], [int]) -> [A]", Primitive::Gather),
    entry("get_nocheck", "([A], [int]) -> [A]", Primitive::Gather),
    entry("put", "([A], [int], [A]) -> [A]", Primitive::Put),
    entry("pack", "[(A, bool)] -> [A]", Primitive::Pack),
    entry("pack_scalar", "[(A, bool)] -> [A]", Primitive::Pack),
    entry("++", "([A], [A]) -> [A]", Primitive::Append),
    entry("append", "([A], [A]) -> [A]", Primitive::Append),
    entry("flatten", "[[A]] -> [A]", Primitive::Flatten),
    entry("partition", "([A], [int]) -> [[A]]", Primitive::Partition),
    entry("plus_scan", "[N] -> [N]", Primitive::PlusScan),
    entry("mult_scan", "[N] -> [N]", Primitive::MultScan),
    entry("max_scan", "[O] -> [O]", Primitive::MaxScan),
    entry("min_scan", "[O] -> [O]", Primitive::MinScan),
    entry("or_scan", "[L] -> [L]", Primitive::OrScan),
    entry("and_scan", "[L] -> [L]", Primitive::AndScan),
    entry("xor_scan", "[L] -> [L]", Primitive::XorScan),
    entry("sum", "[N] -> N", Primitive::Sum),
    entry("product", "[N] -> N", Primitive::Product),
    entry("max_val", "[O] -> O", Primitive::MaxVal),
    entry("min_val", "[O] -> O", Primitive::MinVal),
    entry("any", "[L] -> L", Primitive::Any),
    entry("all", "[L] -> L", Primitive::All),
    entry("parity", "[L] -> L", Primitive::Parity),
    entry("rank", "[A] -> [int]", Primitive::Rank),
    entry("rank_down", "[A] -> [int]", Primitive::RankDown),
    entry("_are_ranks", "[int] -> bool", Primitive::AreRanks),
    entry("_order", "[A] -> [int]", Primitive::Dispatch(Dispatch::Order)),
    entry("rand", "N -> N", Primitive::Rand),
    serial("rand_seed", "int -> bool", Primitive::RandSeed),
    entry("start_timer", "int -> int", Primitive::StartTimer),
    entry("stop_timer", "int -> float", Primitive::StopTimer),
    entry("print_string", "[char] -> bool", Primitive::PrintString),
    entry("error", "[char] -> bool", Primitive::Abort),
    entry("_check_length", "bool -> bool", Primitive::Check(FaultCode::Length)),
    entry("_check_permute", "bool -> bool", Primitive::Check(FaultCode::Permute)),
    entry("_check_range", "bool -> bool", Primitive::Check(FaultCode::Range)),
    entry("_check_subseq", "bool -> bool", Primitive::Check(FaultCode::Subseq)),
    entry("_check_take", "bool -> bool", Primitive::Check(FaultCode::Take)),
    entry("_check_drop", "bool -> bool", Primitive::Check(FaultCode::Drop)),
    entry("_check_interleave", "bool -> bool", Primitive::Check(FaultCode::Interleave)),
    entry("_check_transpose", "bool -> bool", Primitive::Check(FaultCode::Transpose)),
    entry("_check_partition", "bool -> bool", Primitive::Check(FaultCode::Partition)),
    entry("_check_divide", "bool -> bool", Primitive::Check(FaultCode::Divide)),
    entry("_check_power", "bool -> bool", Primitive::Check(FaultCode::Power)),
    entry("_check_hash", "bool -> bool", Primitive::Check(FaultCode::Hash)),
    entry("_check_digits", "bool -> bool", Primitive::Check(FaultCode::Digits)),
    entry("_check_index", "bool -> bool", Primitive::Check(FaultCode::Index)),
    serial("_once", "bool -> bool", Primitive::Check(FaultCode::Unsupported)),
    entry("_supported", "bool -> bool", Primitive::Check(FaultCode::Unsupported)),
    entry("eql", "(A, A) -> bool", Primitive::Dispatch(Dispatch::Eql)),
    entry("identity", "A -> A", Primitive::Dispatch(Dispatch::Identity)),
    entry("hashinternal", "A -> int", Primitive::Dispatch(Dispatch::Hash)),
    entry("string_noparen", "A -> [char]", Primitive::Dispatch(Dispatch::StringOpen)),
    entry("string", "A -> [char]", Primitive::Dispatch(Dispatch::String)),
    entry("@", "A -> [char]", Primitive::Dispatch(Dispatch::String)),
    entry("abrev_string_paren", "(A, int) -> [char]", Primitive::Dispatch(Dispatch::Abbreviated)),
    entry("abrev_string_noparen", "(A, int) -> [char]", Primitive::Dispatch(Dispatch::AbbreviatedOpen)),
    entry("_zeros", "([A], int) -> [A]", Primitive::Dispatch(Dispatch::Zeros)),
    serial("_host_read_file", "[char] -> ([char], bool, [char])", Primitive::Host(HostCall::ReadFile)),
    serial(
        "_host_write_file",
        "([char], [char], int) -> (bool, [char])",
        Primitive::Host(HostCall::WriteFile),
    ),
    serial("_host_open", "([char], int) -> (int, bool, [char])", Primitive::Host(HostCall::Open)),
    serial("_host_close", "int -> (bool, [char])", Primitive::Host(HostCall::Close)),
    entry("_put_columns", "([A], int) -> (bool, [char])", Primitive::Dispatch(Dispatch::WriteColumns)),
    entry(
        "_get_columns",
        "([A], int, int) -> ([A], bool, [char])",
        Primitive::Dispatch(Dispatch::ReadColumns),
    ),
    entry(
        "_host_read",
        "([char], int, int) -> (([char], int), bool, [char])",
        Primitive::Host(HostCall::Read),
    ),
    reads("_host_read_ints", "(int, int) -> ([int], bool, [char])", Column::Ints),
    reads("_host_read_floats", "(int, int) -> ([float], bool, [char])", Column::Floats),
    reads("_host_read_bools", "(int, int) -> ([bool], bool, [char])", Column::Bools),
    reads("_host_read_chars", "(int, int) -> ([char], bool, [char])", Column::Chars),
    reads("_host_read_lengths", "(int, int) -> ([int], bool, [char])", Column::Lengths),
    writes("_host_write_ints", "([int], int) -> (bool, [char])", Column::Ints),
    writes("_host_write_floats", "([float], int) -> (bool, [char])", Column::Floats),
    writes("_host_write_bools", "([bool], int) -> (bool, [char])", Column::Bools),
    writes("_host_write_chars", "([char], int) -> (bool, [char])", Column::Chars),
    writes("_host_write_lengths", "([int], int) -> (bool, [char])", Column::Lengths),
    entry("_host_draw", "([char], [int], [char]) -> (int, bool, [char])", Primitive::Host(HostCall::Draw)),
    entry("_host_write", "([char], int) -> (bool, [char])", Primitive::Host(HostCall::Write)),
    serial("_host_shell", "([char], [char]) -> [char]", Primitive::Host(HostCall::Shell)),
    serial("_host_variable", "[char] -> [char]", Primitive::Host(HostCall::Variable)),
    entry(
        "_host_spawn",
        "([char], int, int, int) -> ((int, int, int), bool, [char])",
        Primitive::Host(HostCall::Spawn),
    ),
];
