//! Sorting in one sweep for each digit of eight bits, on machines whose blocks may wait for earlier ones. Its text is `rts/cuda/sort.cuh`; here is in which
//! forms it comes, and where its parameters lie.
//!
//! ```text
//! count    a workgroup to some keys: digits of all places; what each pass has to do
//! move     a workgroup to a tile of keys, as often as keys have digits
//! ```

use super::module::{Entry, Module, Told, whole};
use super::sizes::{Grid, Size};
use crate::dialect::Dialect;
use crate::params::{Layout, Number};

/// The text, which is put before the module's own.
const TEXT: &str = include_str!("../../../../rts/cuda/sort.cuh");

/// The bits of a digit.
pub const SWEEP_DIGIT: u32 = 8;

/// Words of the table that come before what tiles count, and those that each tile takes.
pub const SWEEP_TABLE: (u64, u64) = (8 * 256 + 8, 256);

/// What moves with the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moving {
    /// Nothing.
    Nothing,
    /// Their numbers.
    Numbers,
    /// Values of one word.
    Words,
    /// Values of two words.
    Pairs,
}

/// A form of the sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sweep {
    /// Bytes of a key: 1, 2, 4 or 8.
    pub key: u64,
    /// Whether the row of each key weighs more than the key: for keys of one word or less.
    pub rows: bool,
    /// What moves.
    pub moving: Moving,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $at:literal;)*) => {
        /// Where the parameters lie: addresses, each with two words more, and then numbers.
        #[derive(Debug)]
        pub struct SweepWords;

        impl SweepWords {
            $($(#[$doc])* pub const $name: u32 = $at;)*

            /// Their names in the text.
            const NAMED: &[(&str, u32)] = &[$((stringify!($name), $at)),*];
        }
    };
}

words! {
    /// The keys.
    KEYS = 0;
    /// The row of each.
    ROWS = 4;
    /// What moves with them.
    VALUES = 8;
    /// The sorted keys, or nowhere.
    SORTED = 12;
    /// What moved; between passes, too.
    MOVED = 16;
    /// Codes between passes.
    CODES = 20;
    /// Codes between passes.
    OTHER_CODES = 24;
    /// What moves, between passes.
    OTHER_VALUES = 28;
    /// The table.
    TABLE = 32;
    /// How many rows there are: an extent.
    COUNT = 36;
    /// How long each is: an extent.
    LENGTH = 40;
    /// The most keys.
    MOST = 44;
    /// How many passes there are.
    PASSES = 45;
    /// The bits of a key in a code that has its row, too.
    KEY_BITS = 46;
    /// Bits that are turned around in all codes.
    LAST = 47;
    /// Bits that are turned around in keys whose first bit is set.
    NEGATIVE = 49;
    /// Bits that are turned around in all keys.
    TOP = 51;
    /// The bits of infinity, of keys that have one.
    ENDLESS = 53;
    /// How many words there are.
    ALL = 55;
}

impl Sweep {
    /// All forms.
    pub fn all() -> impl Iterator<Item = Sweep> {
        let keys = [(1, false), (2, false), (4, false), (8, false), (1, true), (2, true), (4, true)];
        keys.into_iter().flat_map(|(key, rows)| {
            [Moving::Nothing, Moving::Numbers, Moving::Words, Moving::Pairs].map(|moving| Sweep {
                key,
                rows,
                moving,
            })
        })
    }

    /// Words of a code.
    pub fn code_words(self) -> u64 {
        1 + u64::from(self.key == 8 || self.rows)
    }

    /// The keys that a thread takes of a tile.
    fn items(self) -> u32 {
        // With more of the wide ones a block would want too much memory for itself.
        if self.code_words() == 2 || self.moving == Moving::Pairs { 12 } else { 16 }
    }

    /// The keys of a tile.
    pub fn tile(self, dialect: &Dialect) -> u64 {
        u64::from(self.items() * dialect.workgroup)
    }

    /// The module, whose entries count and move.
    pub fn module(self, dialect: &Dialect) -> Module {
        let key = match self.key {
            1 => "u8",
            2 => "u16",
            8 => "u64",
            _ => "u32",
        };
        let code = if self.code_words() == 2 { "u64" } else { "u32" };
        let rows = self.rows;
        let (value, numbers) = match self.moving {
            Moving::Nothing => ("Nothing", false),
            Moving::Numbers => ("u32", true),
            Moving::Words => ("u32", false),
            Moving::Pairs => ("u64", false),
        };
        let body = format!(
            "__device__ void count() {{ count_digits<{key}, {code}, {rows}>(*this); }}\n\
             __device__ void move() {{ sweep_tile<{key}, {code}, {rows}, {value}, {numbers}, {}>(*this); }}\n",
            self.items()
        );
        let words = SweepWords::NAMED.iter().map(|(name, at)| format!("constexpr u32 {name} = {at}u;\n"));
        let words: String = words.collect();
        let library = format!("{}\nnamespace sweep {{\n{words}}}\n\n{TEXT}", dialect.library);
        let grid = Grid::Groups(Size::Exactly(1));
        let entry = |name: &str, at_once| Entry { name: name.to_owned(), grid, at_once };
        // Three tiles at once: with four, registers would be too few.
        let entries = vec![entry("count", 1), entry("move", 3)];
        let numbers = [SweepWords::COUNT, SweepWords::LENGTH].map(Number::extent).to_vec();
        let n_words = SweepWords::ALL as usize;
        let text =
            whole(&Dialect { library, ..dialect.clone() }, &body, &entries, &Told { n_words, numbers });
        Module {
            text,
            entries,
            scratch: Vec::new(),
            layout: Layout::default(),
            n_words,
            counts: true,
            sites: Vec::new(),
            site_levels: Vec::new(),
            in_place: false,
            sorts: Vec::new(),
            destinations: Vec::new(),
            private_sizes: Vec::new(),
            capacity: 0,
        }
    }
}
