//! Single-pass radix sort: one sweep over the keys for each digit of eight bits, with decoupled look-back, on machines whose workgroups may wait for
//! earlier ones. Its text is `rts/cuda/sort.cuh`; this file has its variants and the layout of its parameters.
//!
//! ```text
//! count    a workgroup to some keys: digit histograms for all passes; the parameters of each pass
//! move     a workgroup to a tile of keys, once for each digit
//! ```

use super::module::{Entry, Module, Told, whole};
use super::sizes::{Grid, Size, When};
use crate::dialect::Dialect;
use crate::params::{Layout, Number};

/// The library text in front of the module's own.
const TEXT: &str = include_str!("../../rts/cuda/sort.cuh");

/// Bits of a digit.
pub const SWEEP_DIGIT: u32 = 8;

/// Words of the table before the counts of tiles, and words of each tile.
pub const SWEEP_TABLE: (u64, u64) = (8 * 256 + 8, 256);

/// The payload that moves with the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moving {
    /// Nothing.
    Nothing,
    /// The numbers of the keys.
    Numbers,
    /// Values of one word.
    Words,
    /// Values of two words.
    Pairs,
}

/// A variant of the sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sweep {
    /// Bytes of a key: 1, 2, 4 or 8.
    pub key: u64,
    /// Whether the row of each key is more significant than the key: for keys of at most one word.
    pub rows: bool,
    /// The payload.
    pub moving: Moving,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $at:literal;)*) => {
        /// The layout of the parameters: addresses, each followed by two more words, and then numbers.
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
    /// The payload.
    VALUES = 8;
    /// The destination of the sorted keys, or null.
    SORTED = 12;
    /// The destination of the payload; also used between passes.
    MOVED = 16;
    /// Codes between passes.
    CODES = 20;
    /// Codes between passes.
    OTHER_CODES = 24;
    /// The payload between passes.
    OTHER_VALUES = 28;
    /// The table.
    TABLE = 32;
    /// Number of rows: an extent.
    COUNT = 36;
    /// Length of a row: an extent.
    LENGTH = 40;
    /// Maximum number of keys.
    MOST = 44;
    /// Number of passes.
    PASSES = 45;
    /// Bits of a key in a code that also has its row.
    KEY_BITS = 46;
    /// Mask that flips bits of all codes.
    LAST = 47;
    /// Mask that flips bits of keys whose first bit is set.
    NEGATIVE = 49;
    /// Mask that flips bits of all keys.
    TOP = 51;
    /// The bits of infinity, for floats.
    ENDLESS = 53;
    /// Number of words.
    ALL = 55;
}

impl Sweep {
    /// Returns all variants.
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

    /// Returns the number of words of a code.
    pub fn code_words(self) -> u64 {
        1 + u64::from(self.key == 8 || self.rows)
    }

    /// Returns the number of keys that a thread takes of a tile.
    fn items(self) -> u32 {
        // With more keys of two words, a workgroup would need too much shared memory.
        if self.code_words() == 2 || self.moving == Moving::Pairs { 12 } else { 16 }
    }

    /// Returns the number of keys of a tile.
    pub fn tile(self, dialect: &Dialect) -> u64 {
        u64::from(self.items() * dialect.workgroup)
    }

    /// Generates the module, whose entries count and move.
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
        let entry = |name: &str, at_once| Entry { name: name.to_owned(), grid, when: When::Always, at_once };
        // Three workgroups per multiprocessor: with four, registers would spill.
        let entries = vec![entry("count", 1), entry("move", 3)];
        let numbers = [SweepWords::COUNT, SweepWords::LENGTH].map(Number::extent).to_vec();
        let n_words = SweepWords::ALL as usize;
        let text = whole(
            &Dialect { library, ..dialect.clone() },
            &body,
            &entries,
            &Told { n_words, numbers, n_sites: 0 },
        );
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
