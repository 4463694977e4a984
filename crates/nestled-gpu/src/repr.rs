//! Representations of scalars: in registers while a thunk computes, and in memory.
//!
//! An index means 64 bits. Where 32 bits suffice ([`crate::range`]) it is held in 32; in memory it always takes two words, so that copies need no
//! conversion. In buffers, truth values and bytes take a byte each, and halves two. WGSL cannot store less than a word, so there they are updated
//! within it by atomics, or four are stored at once ([`crate::code`]). In scratch each takes a word of its own in both languages.

use nestled_ir::{Scalar, ScalarType};

/// The representation of a scalar in a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Repr {
    /// A truth value.
    Bool,
    /// A signed integer of 8 bits, sign-extended to 32.
    I8,
    /// A byte, zero-extended to 32 bits.
    U8,
    /// A signed integer of 16 bits, sign-extended to 32.
    I16,
    /// An unsigned integer of 16 bits, zero-extended to 32.
    U16,
    /// A signed integer of 32 bits, or an index that fits.
    I32,
    /// An unsigned integer of 32 bits.
    U32,
    /// A signed integer of 64 bits, or any index.
    I64,
    /// An unsigned integer of 64 bits.
    U64,
    /// The bits of a binary16 in 32 bits.
    F16,
    /// A binary32.
    F32,
    /// A binary64.
    F64,
}

impl Repr {
    /// Returns the representation of a type where nothing else is known.
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
            ScalarType::U64 => Repr::U64,
            ScalarType::F16 => Repr::F16,
            ScalarType::F32 => Repr::F32,
            ScalarType::F64 => Repr::F64,
        }
    }

    /// Returns the suffix of the functions on it.
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
            Repr::U64 => "u64",
            Repr::F16 => "f16",
            Repr::F32 => "f32",
            Repr::F64 => "f64",
        }
    }

    /// Returns the suffix of the functions that load and store it in scratch, where nothing is smaller than a word.
    pub fn cell_name(self) -> &'static str {
        match self {
            Repr::Bool => "flag",
            Repr::I8 | Repr::I16 => "i32",
            Repr::U8 | Repr::U16 | Repr::F16 => "u32",
            other => other.name(),
        }
    }

    /// True if several share one word of a buffer.
    pub fn is_narrow(self) -> bool {
        match self {
            Repr::Bool | Repr::I8 | Repr::U8 | Repr::I16 | Repr::U16 | Repr::F16 => true,
            Repr::I32 | Repr::U32 | Repr::I64 | Repr::U64 | Repr::F32 | Repr::F64 => false,
        }
    }

    /// True if it takes 16 bits of a word of a buffer.
    pub fn is_half(self) -> bool {
        matches!(self, Repr::I16 | Repr::U16 | Repr::F16)
    }

    /// Returns its type in generated code.
    pub fn ty(self) -> &'static str {
        match self {
            Repr::I8 | Repr::I16 => "i32",
            Repr::U8 | Repr::U16 | Repr::F16 => "u32",
            other => other.name(),
        }
    }

    /// Returns its type in buffers, in CUDA C++.
    pub fn memory_type(self) -> &'static str {
        match self {
            Repr::Bool | Repr::U8 => "u8",
            Repr::F16 => "u16",
            other => other.name(),
        }
    }

    /// True if it needs 64-bit integers.
    pub fn is_int64(self) -> bool {
        matches!(self, Repr::I64 | Repr::U64)
    }
}

/// Returns the size of an element in a buffer, in bytes.
pub fn bytes(elem: ScalarType) -> u64 {
    elem.size() as u64
}

/// Returns the size of an element in scratch, in words of 32 bits.
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
        ScalarType::I64 | ScalarType::U64 | ScalarType::F64 | ScalarType::Idx => 2,
    }
}

/// Encodes a scalar as words.
pub fn scalar_words(scalar: Scalar) -> [u32; 2] {
    let bits = match scalar {
        // The second word of a narrow integer is never read, so it is not sign-extended.
        Scalar::I32(value) => u64::from(value as u32),
        other => other.to_bits(),
    };
    [bits as u32, (bits >> 32) as u32]
}
