//! Reserved words: the instructions and the other words of the language.

use super::instr::{Elem, Fold, Instr, Medium, Move, Point};

/// The type suffix of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suffix {
    /// None.
    None,
    /// One of `INT`, `BOOL`, `FLOAT`, restricted by the letters.
    Elem(&'static str),
    /// Any type that can be read or written.
    Medium,
    /// `INT`, always.
    Int,
}

/// A word of the language that begins an instruction, other than control and stack moves.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The type that follows.
    pub suffix: Suffix,
    make: Make,
}

#[derive(Clone, Copy, Debug)]
enum Make {
    Point(Point),
    Scan(Fold),
    Reduce(Fold),
    Move(Move),
    Elem(fn(Elem) -> Instr),
    Medium(fn(Medium) -> Instr),
    Plain(Instr),
}

impl Word {
    /// Returns the instruction of this word with a type. `Int` stands for no type.
    pub fn instr(self, medium: Medium) -> Instr {
        let elem = match medium {
            Medium::Vector(elem) => elem,
            Medium::Segdes | Medium::Char => Elem::Int,
        };
        match self.make {
            Make::Point(point) => Instr::Point(point, elem),
            Make::Scan(fold) => Instr::Scan(fold, elem),
            Make::Reduce(fold) => Instr::Reduce(fold, elem),
            Make::Move(way) => Instr::Move(way, elem),
            Make::Elem(make) => make(elem),
            Make::Medium(make) => make(medium),
            Make::Plain(instr) => instr,
        }
    }

    /// Looks up a word that begins an instruction.
    pub fn find(word: &str) -> Option<Word> {
        let point = Point::ALL.iter().find(|point| point.word() == word);
        if let Some(&point) = point {
            let suffix = match point.suffixes() {
                "" => Suffix::None,
                letters => Suffix::Elem(letters),
            };
            return Some(Word { suffix, make: Make::Point(point) });
        }
        let folded = |ending: &str| {
            let operator = word.strip_suffix(ending)?;
            Fold::ALL.into_iter().find(|fold| fold.word() == operator)
        };
        if let Some(fold) = folded("_SCAN") {
            return Some(Word { suffix: Suffix::Elem(fold.suffixes()), make: Make::Scan(fold) });
        }
        if let Some(fold) = folded("_REDUCE") {
            return Some(Word { suffix: Suffix::Elem(fold.suffixes()), make: Make::Reduce(fold) });
        }
        if let Some(way) = Move::ALL.into_iter().find(|way| way.word() == word) {
            return Some(Word { suffix: Suffix::Elem("IBF"), make: Make::Move(way) });
        }
        let (suffix, make) = match word {
            "EXTRACT" => (Suffix::Elem("IBF"), Make::Elem(Instr::Extract)),
            "REPLACE" => (Suffix::Elem("IBF"), Make::Elem(Instr::Replace)),
            "DIST" => (Suffix::Elem("IBF"), Make::Elem(Instr::Dist)),
            "PACK" => (Suffix::Elem("IBF"), Make::Elem(Instr::Pack)),
            "LENGTH" => (Suffix::Elem("IBF"), Make::Elem(Instr::Length)),
            "RANK_UP" => (Suffix::Elem("IF"), Make::Elem(|elem| Instr::Rank { down: false, elem })),
            "RANK_DOWN" => (Suffix::Elem("IF"), Make::Elem(|elem| Instr::Rank { down: true, elem })),
            "READ" => (Suffix::Medium, Make::Medium(Instr::Read)),
            "WRITE" => (Suffix::Medium, Make::Medium(Instr::Write)),
            "FREAD" => (Suffix::Medium, Make::Medium(Instr::Fread)),
            "FWRITE" => (Suffix::Medium, Make::Medium(Instr::Fwrite)),
            "RAND" => (Suffix::None, Make::Plain(Instr::Rand)),
            "SRAND" => (Suffix::Int, Make::Plain(Instr::Srand)),
            "INDEX" => (Suffix::None, Make::Plain(Instr::Index)),
            "MAKE_SEGDES" => (Suffix::None, Make::Plain(Instr::MakeSegdes)),
            "LENGTHS" => (Suffix::None, Make::Plain(Instr::Lengths)),
            "PAIR" => (Suffix::None, Make::Plain(Instr::Pair)),
            "UNPAIR" => (Suffix::None, Make::Plain(Instr::Unpair)),
            "START_TIMER" => (Suffix::None, Make::Plain(Instr::StartTimer)),
            "STOP_TIMER" => (Suffix::None, Make::Plain(Instr::StopTimer)),
            "FOPEN" => (Suffix::None, Make::Plain(Instr::Fopen)),
            "FCLOSE" => (Suffix::None, Make::Plain(Instr::Fclose)),
            "FREAD_CHAR" => (Suffix::None, Make::Plain(Instr::FreadChar)),
            "SPAWN" => (Suffix::None, Make::Plain(Instr::Spawn)),
            _ => return None,
        };
        Some(Word { suffix, make })
    }
}

/// The words of the language that begin no computing instruction; none of them is the name of a function.
pub const OTHER_WORDS: [&str; 26] = [
    "COPY",
    "POP",
    "CPOP",
    "CALL",
    "RET",
    "FUNC",
    "IF",
    "ELSE",
    "ENDIF",
    "CONST",
    "EXIT",
    "INT",
    "BOOL",
    "FLOAT",
    "SEGDES",
    "CHAR",
    "T",
    "F",
    "NULL_STREAM",
    "STDIN",
    "STDOUT",
    "STDERR",
    "MAIN",
    "FUSED",
    "I",
    "O",
];

/// True if a word is reserved, so that no function has this name.
pub fn is_reserved(word: &str) -> bool {
    OTHER_WORDS.contains(&word) || Word::find(word).is_some()
}
