//! How a scalar is held while a thunk computes with it, and how it lies in memory.
//!
//! An index means 64 bits. Where 32 show the same ([`crate::range`]) it is held in 32; in memory it always takes two words, so that copies
//! need no conversion. Truth values and bytes take a byte each in buffers, and halves two. WGSL can store nothing smaller than a word, so there they are
//! changed within it by atomics, or four are made at once ([`crate::code`]); in scratch each takes a word of its own in both languages.

use nestled_ir::{Scalar, ScalarType};

/// How a scalar is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Repr {
    /// A truth value.
    Bool,
    /// A signed integer of 8 bits in 32, the others as its sign.
    I8,
    /// A byte in 32 bits, the others zero.
    U8,
    /// A signed integer of 16 bits in 32, the others as its sign.
    I16,
    /// An unsigned integer of 16 bits in 32, the others zero.
    U16,
    /// A signed integer of 32 bits, or an index that fits.
    I32,
    /// An unsigned integer of 32 bits.
    U32,
    /// A signed integer of 64 bits, or any index.
    I64,
    /// The bits of a binary16 in 32 bits.
    F16,
    /// A binary32.
    F32,
    /// A binary64.
    F64,
}

impl Repr {
    /// How a type is held where nothing else is known.
    pub fn of(ty: ScalarType) -> Repr {
        match ty {
            ScalarType::Bool => Repr::Bool,
            ScalarType::I8 => Repr::I8,
            ScalarType::U8 => Repr::U8,
            ScalarType::I16 => Repr::I16,
            ScalarType::U16 => Repr::U16,
            ScalarType::I32 => Repr::I32,
            ScalarType::U32 => Repr::U32,
            ScalarType::I64 | ScalarType::Idx => Repr::I64,
            ScalarType::F16 => Repr::F16,
            ScalarType::F32 => Repr::F32,
            ScalarType::F64 => Repr::F64,
        }
    }

    /// The ending of the names of functions on it.
    pub fn name(self) -> &'static str {
        match self {
            Repr::Bool => "bool",
            Repr::I8 => "i8",
            Repr::U8 => "u8",
            Repr::I16 => "i16",
            Repr::U16 => "u16",
            Repr::I32 => "i32",
            Repr::U32 => "u32",
            Repr::I64 => "i64",
            Repr::F16 => "f16",
            Repr::F32 => "f32",
            Repr::F64 => "f64",
        }
    }

    /// The ending of the names of functions that load and store it in scratch, where nothing is smaller than a word.
    pub fn cell_name(self) -> &'static str {
        match self {
            Repr::Bool => "flag",
            Repr::I8 | Repr::I16 => "i32",
            Repr::U8 | Repr::U16 | Repr::F16 => "u32",
            other => other.name(),
        }
    }

    /// Whether several lie in one word of a buffer.
    pub fn is_narrow(self) -> bool {
        match self {
            Repr::Bool | Repr::I8 | Repr::U8 | Repr::I16 | Repr::U16 | Repr::F16 => true,
            Repr::I32 | Repr::U32 | Repr::I64 | Repr::F32 | Repr::F64 => false,
        }
    }

    /// Whether it takes 16 bits of a word of a buffer.
    pub fn is_half(self) -> bool {
        matches!(self, Repr::I16 | Repr::U16 | Repr::F16)
    }

    /// Its type in the generated text.
    pub fn ty(self) -> &'static str {
        match self {
            Repr::I8 | Repr::I16 => "i32",
            Repr::U8 | Repr::U16 | Repr::F16 => "u32",
            other => other.name(),
        }
    }

    /// Its type in buffers, in CUDA C++.
    pub fn memory_type(self) -> &'static str {
        match self {
            Repr::Bool | Repr::U8 => "u8",
            Repr::F16 => "u16",
            other => other.name(),
        }
    }

    /// Whether it takes 64-bit integers.
    pub fn is_i64(self) -> bool {
        self == Repr::I64
    }
}

/// How many bytes an element takes in a buffer.
pub fn bytes(elem: ScalarType) -> u64 {
    elem.size() as u64
}

/// How many words of 32 bits an element takes in scratch.
pub fn words(elem: ScalarType) -> u64 {
    match elem {
        ScalarType::Bool
        | ScalarType::I8
        | ScalarType::U8
        | ScalarType::I16
        | ScalarType::U16
        | ScalarType::I32
        | ScalarType::U32
        | ScalarType::F16
        | ScalarType::F32 => 1,
        ScalarType::I64 | ScalarType::F64 | ScalarType::Idx => 2,
    }
}

/// A scalar as words.
pub fn scalar_words(scalar: Scalar) -> [u32; 2] {
    let bits = match scalar {
        // The sign of a narrow integer says nothing about the second word, which nobody reads.
        Scalar::I32(value) => u64::from(value as u32),
        other => other.to_bits(),
    };
    [bits as u32, (bits >> 32) as u32]
}
