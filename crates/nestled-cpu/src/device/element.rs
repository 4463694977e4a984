//! The memory representation of scalar types as Rust types.

use nestled_ir::Scalar;
use nestled_ir::value::Buffer;

/// A scalar type.
pub(super) trait Element {
    /// The type of an element in memory, for which all bit patterns are valid.
    type Stored: Copy + Send + Sync;
    /// The type of an element of a [`Buffer`].
    type Held: Copy;
    /// Converts an element to a scalar.
    fn scalar(stored: Self::Stored) -> Scalar;
    /// Makes a buffer of elements.
    fn buffer(stored: &[Self::Stored]) -> Buffer;
    /// Returns the elements of a buffer of this type.
    fn elements(buffer: &Buffer) -> &[Self::Held];
}

/// Defines a type: its name, its types in memory and in buffers, and the conversions of one element and of many.
macro_rules! element {
    ($name:ident, $stored:ty, $held:ty, $from:expr, $copy:expr) => {
        pub(super) struct $name;

        impl Element for $name {
            type Stored = $stored;
            type Held = $held;

            #[inline]
            fn scalar(stored: $stored) -> Scalar {
                let from: fn($stored) -> $held = $from;
                Scalar::$name(from(stored))
            }

            fn buffer(stored: &[$stored]) -> Buffer {
                let copy: fn(&[$stored]) -> Vec<$held> = $copy;
                Buffer::$name(copy(stored))
            }

            fn elements(buffer: &Buffer) -> &[$held] {
                match buffer {
                    Buffer::$name(elements) => elements,
                    other => unreachable!("a buffer of {}", other.elem()),
                }
            }
        }
    };
}

// A `bool` takes one byte in memory, for which not all bit patterns are a Rust `bool`.
element!(Bool, u8, bool, |byte| byte != 0, |bytes| bytes.iter().map(|&byte| byte != 0).collect());
element!(I8, i8, i8, |same| same, <[i8]>::to_vec);
element!(U8, u8, u8, |same| same, <[u8]>::to_vec);
element!(I16, i16, i16, |same| same, <[i16]>::to_vec);
element!(U16, u16, u16, |same| same, <[u16]>::to_vec);
element!(I32, i32, i32, |same| same, <[i32]>::to_vec);
element!(U32, u32, u32, |same| same, <[u32]>::to_vec);
element!(I64, i64, i64, |same| same, <[i64]>::to_vec);
element!(U64, u64, u64, |same| same, <[u64]>::to_vec);
element!(F16, u16, u16, |same| same, <[u16]>::to_vec);
element!(F32, f32, f32, |same| same, <[f32]>::to_vec);
element!(F64, f64, f64, |same| same, <[f64]>::to_vec);
element!(Idx, i64, i64, |same| same, <[i64]>::to_vec);

/// Instantiates an expression with `$T` as each of the types.
macro_rules! each_element {
    ($elem:expr, $T:ident => $body:expr) => {{
        use $crate::device::element;
        macro_rules! with {
            ($name:ident) => {{
                type $T = element::$name;
                $body
            }};
        }
        match $elem {
            nestled_ir::ScalarType::Bool => with!(Bool),
            nestled_ir::ScalarType::I8 => with!(I8),
            nestled_ir::ScalarType::U8 => with!(U8),
            nestled_ir::ScalarType::I16 => with!(I16),
            nestled_ir::ScalarType::U16 => with!(U16),
            nestled_ir::ScalarType::I32 => with!(I32),
            nestled_ir::ScalarType::U32 => with!(U32),
            nestled_ir::ScalarType::I64 => with!(I64),
            nestled_ir::ScalarType::U64 => with!(U64),
            nestled_ir::ScalarType::F16 => with!(F16),
            nestled_ir::ScalarType::F32 => with!(F32),
            nestled_ir::ScalarType::F64 => with!(F64),
            nestled_ir::ScalarType::Idx => with!(Idx),
        }
    }};
}
pub(super) use each_element;
