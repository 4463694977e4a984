//! The instruction set as data: words, types, and numbers of operands and results.

use std::fmt;

/// The type of the elements of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Elem {
    /// `INT`
    Int,
    /// `BOOL`
    Bool,
    /// `FLOAT`
    Float,
}

impl Elem {
    /// Every type of elements.
    pub const ALL: [Elem; 3] = [Elem::Int, Elem::Bool, Elem::Float];

    /// Returns its word in the text.
    pub fn word(self) -> &'static str {
        match self {
            Elem::Int => "INT",
            Elem::Bool => "BOOL",
            Elem::Float => "FLOAT",
        }
    }
}

/// The kind of value that is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Medium {
    /// `INT`, `BOOL`, `FLOAT`: a vector.
    Vector(Elem),
    /// `SEGDES`: a descriptor.
    Segdes,
    /// `CHAR`: characters, as a vector of their codes.
    Char,
}

impl Medium {
    /// Returns its word in the text.
    pub fn word(self) -> &'static str {
        match self {
            Medium::Vector(elem) => elem.word(),
            Medium::Segdes => "SEGDES",
            Medium::Char => "CHAR",
        }
    }
}

/// Defines instructions of one word and perhaps a type: variant, word, the letters of the allowed types, and the number of operands.
macro_rules! elementwise {
    ($($variant:ident $word:literal $types:literal $arity:literal;)*) => {
        /// An elementwise operation.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "the words are the names of the language")]
        pub enum Point { $($variant,)* }

        impl Point {
            /// All elementwise operations.
            pub const ALL: &'static [Point] = &[$(Point::$variant),*];

            /// Returns its word in the text.
            pub fn word(self) -> &'static str {
                match self { $(Point::$variant => $word,)* }
            }

            /// Returns the types that may follow the word: letters `I`, `B` and `F`; empty where no type follows.
            pub fn suffixes(self) -> &'static str {
                match self { $(Point::$variant => $types,)* }
            }

            /// Returns the number of operands.
            pub fn arity(self) -> usize {
                match self { $(Point::$variant => $arity,)* }
            }
        }
    };
}

elementwise! {
    Add "+" "IF" 2;
    Sub "-" "IF" 2;
    Mul "*" "IF" 2;
    Div "/" "IF" 2;
    Rem "%" "" 2;
    Lt "<" "IF" 2;
    Le "<=" "IF" 2;
    Gt ">" "IF" 2;
    Ge ">=" "IF" 2;
    Eq "=" "IF" 2;
    Ne "!=" "IF" 2;
    Lshift "LSHIFT" "" 2;
    Rshift "RSHIFT" "" 2;
    Not "NOT" "IB" 1;
    And "AND" "IB" 2;
    Or "OR" "IB" 2;
    Xor "XOR" "IB" 2;
    Select "SELECT" "IBF" 3;
    Floor "FLOOR" "" 1;
    Ceil "CEIL" "" 1;
    Trunc "TRUNC" "" 1;
    Round "ROUND" "" 1;
    Log "LOG" "" 1;
    Sqrt "SQRT" "" 1;
    Exp "EXP" "" 1;
    Sin "SIN" "" 1;
    Cos "COS" "" 1;
    Tan "TAN" "" 1;
    Asin "ASIN" "" 1;
    Acos "ACOS" "" 1;
    Atan "ATAN" "" 1;
    Sinh "SINH" "" 1;
    Cosh "COSH" "" 1;
    Tanh "TANH" "" 1;
    IToF "I_TO_F" "" 1;
    IToB "I_TO_B" "" 1;
    BToI "B_TO_I" "" 1;
}

impl Point {
    /// Returns the types of the operands and of the result. `suffix` is the type that follows the word; it is ignored where none does.
    pub fn signature(self, suffix: Elem) -> (Vec<Elem>, Elem) {
        use Elem::{Bool, Float, Int};
        use Point as P;
        match self {
            P::Add | P::Sub | P::Mul | P::Div | P::And | P::Or | P::Xor => (vec![suffix; 2], suffix),
            P::Rem | P::Lshift | P::Rshift => (vec![Int; 2], Int),
            P::Lt | P::Le | P::Gt | P::Ge | P::Eq | P::Ne => (vec![suffix; 2], Bool),
            P::Not => (vec![suffix], suffix),
            P::Select => (vec![Bool, suffix, suffix], suffix),
            P::Floor | P::Ceil | P::Trunc | P::Round => (vec![Float], Int),
            P::Log | P::Sqrt | P::Exp | P::Sin | P::Cos | P::Tan => (vec![Float], Float),
            P::Asin | P::Acos | P::Atan | P::Sinh | P::Cosh | P::Tanh => (vec![Float], Float),
            P::IToF => (vec![Int], Float),
            P::IToB => (vec![Int], Bool),
            P::BToI => (vec![Bool], Int),
        }
    }
}

/// The operator of a scan or a reduction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the words are the names of the language")]
pub enum Fold {
    Add,
    Mul,
    Max,
    Min,
    And,
    Or,
    Xor,
}

impl Fold {
    /// All operators.
    pub const ALL: [Fold; 7] = [Fold::Add, Fold::Mul, Fold::Max, Fold::Min, Fold::And, Fold::Or, Fold::Xor];

    /// Returns the prefix of `_SCAN` and `_REDUCE`.
    pub fn word(self) -> &'static str {
        match self {
            Fold::Add => "+",
            Fold::Mul => "*",
            Fold::Max => "MAX",
            Fold::Min => "MIN",
            Fold::And => "AND",
            Fold::Or => "OR",
            Fold::Xor => "XOR",
        }
    }

    /// Returns the letters of the allowed types.
    pub fn suffixes(self) -> &'static str {
        match self {
            Fold::Add | Fold::Mul | Fold::Max | Fold::Min => "IF",
            Fold::And | Fold::Or | Fold::Xor => "IB",
        }
    }
}

/// The permutation instructions: gathers and scatters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the words are the names of the language")]
pub enum Move {
    Permute,
    Dpermute,
    Fpermute,
    Bpermute,
    Bfpermute,
    Dfpermute,
}

impl Move {
    /// All permutations.
    pub const ALL: [Move; 6] =
        [Move::Permute, Move::Dpermute, Move::Fpermute, Move::Bpermute, Move::Bfpermute, Move::Dfpermute];

    /// Returns its word in the text.
    pub fn word(self) -> &'static str {
        match self {
            Move::Permute => "PERMUTE",
            Move::Dpermute => "DPERMUTE",
            Move::Fpermute => "FPERMUTE",
            Move::Bpermute => "BPERMUTE",
            Move::Bfpermute => "BFPERMUTE",
            Move::Dfpermute => "DFPERMUTE",
        }
    }

    fn arity(self) -> usize {
        match self {
            Move::Permute => 3,
            Move::Bpermute => 4,
            Move::Dpermute | Move::Fpermute | Move::Bfpermute => 5,
            Move::Dfpermute => 6,
        }
    }
}

/// An instruction that computes or acts on the world: everything but control and stack moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instr {
    /// An elementwise operation. The type is the suffix; `Int` where there is none.
    Point(Point, Elem),
    /// `RAND`
    Rand,
    /// `op_SCAN`
    Scan(Fold, Elem),
    /// `op_REDUCE`
    Reduce(Fold, Elem),
    /// `PERMUTE` and its variants
    Move(Move, Elem),
    /// `EXTRACT`
    Extract(Elem),
    /// `REPLACE`
    Replace(Elem),
    /// `DIST`
    Dist(Elem),
    /// `PACK`
    Pack(Elem),
    /// `LENGTH`
    Length(Elem),
    /// `RANK_UP`, `RANK_DOWN`
    Rank {
        /// True if the greatest key is first.
        down: bool,
        /// The type of the keys.
        elem: Elem,
    },
    /// `INDEX`
    Index,
    /// `MAKE_SEGDES`
    MakeSegdes,
    /// `LENGTHS`
    Lengths,
    /// `PAIR`
    Pair,
    /// `UNPAIR`
    Unpair,
    /// `START_TIMER`
    StartTimer,
    /// `STOP_TIMER`
    StopTimer,
    /// `SRAND INT`
    Srand,
    /// `READ`
    Read(Medium),
    /// `WRITE`
    Write(Medium),
    /// `FREAD`
    Fread(Medium),
    /// `FWRITE`
    Fwrite(Medium),
    /// `FOPEN`
    Fopen,
    /// `FCLOSE`
    Fclose,
    /// `FREAD_CHAR`
    FreadChar,
    /// `SPAWN`
    Spawn,
}

impl Instr {
    /// Returns the numbers of slots that it takes and leaves.
    pub fn effect(self) -> (usize, usize) {
        match self {
            Instr::Point(point, _) => (point.arity(), 1),
            Instr::Move(way, _) => (way.arity(), 1),
            Instr::Rand | Instr::Length(_) | Instr::MakeSegdes | Instr::Lengths | Instr::Srand => (1, 1),
            Instr::Scan(..) | Instr::Reduce(..) | Instr::Dist(_) | Instr::Rank { .. } => (2, 1),
            Instr::Extract(_) | Instr::Index => (3, 1),
            Instr::Replace(_) => (4, 1),
            Instr::Pack(_) => (3, 2),
            Instr::Pair => (2, 1),
            Instr::Unpair => (1, 2),
            Instr::StartTimer => (0, 0),
            Instr::StopTimer => (0, 1),
            Instr::Read(_) => (0, 3),
            Instr::Write(_) => (1, 2),
            Instr::Fopen => (2, 3),
            Instr::Fclose => (1, 2),
            Instr::Fread(_) => (1, 3),
            Instr::Fwrite(_) => (2, 2),
            Instr::FreadChar => (3, 4),
            Instr::Spawn => (4, 5),
        }
    }
}

impl fmt::Display for Instr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Instr::Point(point, _) if point.suffixes().is_empty() => f.write_str(point.word()),
            Instr::Point(point, elem) => write!(f, "{} {}", point.word(), elem.word()),
            Instr::Rand => f.write_str("RAND"),
            Instr::Scan(fold, elem) => write!(f, "{}_SCAN {}", fold.word(), elem.word()),
            Instr::Reduce(fold, elem) => write!(f, "{}_REDUCE {}", fold.word(), elem.word()),
            Instr::Move(way, elem) => write!(f, "{} {}", way.word(), elem.word()),
            Instr::Extract(elem) => write!(f, "EXTRACT {}", elem.word()),
            Instr::Replace(elem) => write!(f, "REPLACE {}", elem.word()),
            Instr::Dist(elem) => write!(f, "DIST {}", elem.word()),
            Instr::Pack(elem) => write!(f, "PACK {}", elem.word()),
            Instr::Length(elem) => write!(f, "LENGTH {}", elem.word()),
            Instr::Rank { down: false, elem } => write!(f, "RANK_UP {}", elem.word()),
            Instr::Rank { down: true, elem } => write!(f, "RANK_DOWN {}", elem.word()),
            Instr::Index => f.write_str("INDEX"),
            Instr::MakeSegdes => f.write_str("MAKE_SEGDES"),
            Instr::Lengths => f.write_str("LENGTHS"),
            Instr::Pair => f.write_str("PAIR"),
            Instr::Unpair => f.write_str("UNPAIR"),
            Instr::StartTimer => f.write_str("START_TIMER"),
            Instr::StopTimer => f.write_str("STOP_TIMER"),
            Instr::Srand => f.write_str("SRAND INT"),
            Instr::Read(medium) => write!(f, "READ {}", medium.word()),
            Instr::Write(medium) => write!(f, "WRITE {}", medium.word()),
            Instr::Fread(medium) => write!(f, "FREAD {}", medium.word()),
            Instr::Fwrite(medium) => write!(f, "FWRITE {}", medium.word()),
            Instr::Fopen => f.write_str("FOPEN"),
            Instr::Fclose => f.write_str("FCLOSE"),
            Instr::FreadChar => f.write_str("FREAD_CHAR"),
            Instr::Spawn => f.write_str("SPAWN"),
        }
    }
}
