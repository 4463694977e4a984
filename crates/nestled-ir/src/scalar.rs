//! Scalar types and scalar values.

use std::fmt;

/// The type of one number, truth value or index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScalarType {
    /// `false` or `true`; one byte in memory.
    Bool,
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 8-bit integer; also a character of a string.
    U8,
    /// Signed 16-bit integer.
    I16,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 64-bit integer.
    U64,
    /// IEEE binary16, for storage: it can be read, written, selected and converted, and nothing else.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Indices, lengths and starts. Its meaning is a signed 64-bit integer that wraps; a device may compute in
    /// 32 bits wherever it can show that the result is the same.
    Idx,
}

impl ScalarType {
    /// Every scalar type, in the order of the documentation.
    pub const ALL: [ScalarType; 13] = [
        ScalarType::Bool,
        ScalarType::I8,
        ScalarType::U8,
        ScalarType::I16,
        ScalarType::U16,
        ScalarType::I32,
        ScalarType::U32,
        ScalarType::I64,
        ScalarType::U64,
        ScalarType::F16,
        ScalarType::F32,
        ScalarType::F64,
        ScalarType::Idx,
    ];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "i8",
            ScalarType::U8 => "u8",
            ScalarType::I16 => "i16",
            ScalarType::U16 => "u16",
            ScalarType::I32 => "i32",
            ScalarType::U32 => "u32",
            ScalarType::I64 => "i64",
            ScalarType::U64 => "u64",
            ScalarType::F16 => "f16",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
            ScalarType::Idx => "idx",
        }
    }

    /// The type with this name in the text form.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Bytes that one element takes in memory (`idx`: in the reference interpreter).
    pub fn size(self) -> usize {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 | ScalarType::Idx => 8,
        }
    }

    /// `i8 u8 i16 u16 i32 u32 i64 u64 idx`.
    pub fn is_integer(self) -> bool {
        match self {
            ScalarType::I8 | ScalarType::U8 | ScalarType::I16 | ScalarType::U16 => true,
            ScalarType::I32 | ScalarType::U32 | ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => true,
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => false,
        }
    }

    /// `i8 i16 i32 i64 idx`.
    pub fn is_signed(self) -> bool {
        match self {
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 | ScalarType::Idx => true,
            ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => false,
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => false,
        }
    }

    /// `f32 f64`: the floats that one can compute with.
    pub fn is_float(self) -> bool {
        matches!(self, ScalarType::F32 | ScalarType::F64)
    }

    /// Integers and floats that one can compute with.
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_float()
    }

    /// Bits of the representation that shifts and bit counts see.
    pub fn bits(self) -> u32 {
        match self {
            ScalarType::Bool => 1,
            other => other.size() as u32 * 8,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar value, also as a literal in a program.
///
/// Equality is equality of bits: a NaN equals itself, and the two zeros differ.
#[derive(Clone, Copy)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// A signed 8-bit integer.
    I8(i8),
    /// A small unsigned integer or character.
    U8(u8),
    /// A signed 16-bit integer.
    I16(i16),
    /// An unsigned 16-bit integer.
    U16(u16),
    /// A signed 32-bit integer.
    I32(i32),
    /// An unsigned 32-bit integer.
    U32(u32),
    /// A signed 64-bit integer.
    I64(i64),
    /// An unsigned 64-bit integer.
    U64(u64),
    /// The bits of a binary16.
    F16(u16),
    /// A binary32.
    F32(f32),
    /// A binary64.
    F64(f64),
    /// An index.
    Idx(i64),
}

impl Scalar {
    /// The type of the value.
    pub fn ty(self) -> ScalarType {
        match self {
            Scalar::Bool(_) => ScalarType::Bool,
            Scalar::I8(_) => ScalarType::I8,
            Scalar::U8(_) => ScalarType::U8,
            Scalar::I16(_) => ScalarType::I16,
            Scalar::U16(_) => ScalarType::U16,
            Scalar::I32(_) => ScalarType::I32,
            Scalar::U32(_) => ScalarType::U32,
            Scalar::I64(_) => ScalarType::I64,
            Scalar::U64(_) => ScalarType::U64,
            Scalar::F16(_) => ScalarType::F16,
            Scalar::F32(_) => ScalarType::F32,
            Scalar::F64(_) => ScalarType::F64,
            Scalar::Idx(_) => ScalarType::Idx,
        }
    }

    /// `false`, `0` or `+0.0`: the result of a lane that is switched off.
    pub fn zero(ty: ScalarType) -> Scalar {
        Scalar::from_bits(ty, 0)
    }

    /// The bits of the value, in the low end.
    pub fn to_bits(self) -> u64 {
        match self {
            Scalar::Bool(value) => u64::from(value),
            Scalar::I8(value) => u64::from(value as u8),
            Scalar::U8(value) => u64::from(value),
            Scalar::I16(value) => u64::from(value as u16),
            Scalar::U16(value) => u64::from(value),
            Scalar::I32(value) => u64::from(value as u32),
            Scalar::U32(value) => u64::from(value),
            Scalar::I64(value) | Scalar::Idx(value) => value as u64,
            Scalar::U64(value) => value,
            Scalar::F16(bits) => u64::from(bits),
            Scalar::F32(value) => u64::from(value.to_bits()),
            Scalar::F64(value) => value.to_bits(),
        }
    }

    /// The value of a type with these bits; bits beyond its size are ignored.
    pub fn from_bits(ty: ScalarType, bits: u64) -> Scalar {
        match ty {
            ScalarType::Bool => Scalar::Bool(bits & 1 != 0),
            ScalarType::I8 => Scalar::I8(bits as i8),
            ScalarType::U8 => Scalar::U8(bits as u8),
            ScalarType::I16 => Scalar::I16(bits as i16),
            ScalarType::U16 => Scalar::U16(bits as u16),
            ScalarType::I32 => Scalar::I32(bits as i32),
            ScalarType::U32 => Scalar::U32(bits as u32),
            ScalarType::I64 => Scalar::I64(bits as i64),
            ScalarType::U64 => Scalar::U64(bits),
            ScalarType::F16 => Scalar::F16(bits as u16),
            ScalarType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            ScalarType::F64 => Scalar::F64(f64::from_bits(bits)),
            ScalarType::Idx => Scalar::Idx(bits as i64),
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer value, if it is of an integer type and fits: a `u64` beyond the greatest `i64` does not.
    pub fn as_integer(self) -> Option<i64> {
        self.exact_integer().and_then(|value| i64::try_from(value).ok())
    }

    /// The integer value, for any integer type.
    pub fn exact_integer(self) -> Option<i128> {
        match self {
            Scalar::I8(value) => Some(i128::from(value)),
            Scalar::U8(value) => Some(i128::from(value)),
            Scalar::I16(value) => Some(i128::from(value)),
            Scalar::U16(value) => Some(i128::from(value)),
            Scalar::I32(value) => Some(i128::from(value)),
            Scalar::U32(value) => Some(i128::from(value)),
            Scalar::I64(value) | Scalar::Idx(value) => Some(i128::from(value)),
            Scalar::U64(value) => Some(i128::from(value)),
            Scalar::Bool(_) | Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => None,
        }
    }

    /// The integer as an index, as `idx x` gives it: what is beyond the greatest index is negative.
    pub fn as_index(self) -> Option<i64> {
        self.exact_integer().map(|value| value as i64)
    }

    /// True if the value is a NaN of any float type.
    pub fn is_nan(self) -> bool {
        match self {
            Scalar::F16(bits) => bits & 0x7c00 == 0x7c00 && bits & 0x03ff != 0,
            Scalar::F32(value) => value.is_nan(),
            Scalar::F64(value) => value.is_nan(),
            _ => false,
        }
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.ty() == other.ty() && self.to_bits() == other.to_bits()
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.ty(), self.to_bits()).hash(state);
    }
}

/// Prints the literal with its type, as in the text form: `1.5f32`, `-3i64`, `true`, `nan.f32`.
impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn float(f: &mut fmt::Formatter<'_>, value: f64, text: String, ty: ScalarType) -> fmt::Result {
            if value.is_nan() {
                write!(f, "nan.{ty}")
            } else if value.is_infinite() {
                write!(f, "{}inf.{ty}", if value < 0.0 { "-" } else { "" })
            } else {
                write!(f, "{text}{ty}")
            }
        }
        match *self {
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::I8(value) => write!(f, "{value}i8"),
            Scalar::U8(value) => write!(f, "{value}u8"),
            Scalar::I16(value) => write!(f, "{value}i16"),
            Scalar::U16(value) => write!(f, "{value}u16"),
            Scalar::I32(value) => write!(f, "{value}i32"),
            Scalar::U32(value) => write!(f, "{value}u32"),
            Scalar::I64(value) => write!(f, "{value}i64"),
            Scalar::U64(value) => write!(f, "{value}u64"),
            Scalar::Idx(value) => write!(f, "{value}idx"),
            Scalar::F16(bits) => write!(f, "0x{bits:04x}f16"),
            Scalar::F32(value) => float(f, f64::from(value), format!("{value:?}"), ScalarType::F32),
            Scalar::F64(value) => float(f, value, format!("{value:?}"), ScalarType::F64),
        }
    }
}
