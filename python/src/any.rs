//! Arrays of any element type, and the one place where operations choose by it.

use nestled_array::{Array, Evaluate, F16, Handle};
use nestled_nested::{Kind, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

macro_rules! any {
    ($($variant:ident $ty:ident,)*) => {
        /// An array whose element type is known at run time.
        #[derive(Clone)]
        pub enum AnyArray {
            $($variant(Array<$ty>),)*
        }

        $(impl From<Array<$ty>> for AnyArray {
            fn from(array: Array<$ty>) -> AnyArray {
                AnyArray::$variant(array)
            }
        }

        impl Typed for $ty {
            fn in_any(any: &AnyArray) -> Option<&Array<$ty>> {
                match any {
                    AnyArray::$variant(array) => Some(array),
                    _ => None,
                }
            }
        })*

        impl AnyArray {
            pub fn kind(&self) -> Kind {
                match self {
                    $(AnyArray::$variant(_) => Kind::$variant,)*
                }
            }

            /// Converts the elements as [`Array::cast`] does.
            pub fn cast(&self, kind: Kind) -> AnyArray {
                if self.kind() == kind {
                    return self.clone();
                }
                each!(self, x => match kind {
                    $(Kind::$variant => AnyArray::from(x.cast::<$ty>()),)*
                })
            }
        }

        /// Runs the body with a type of elements for the name `$T`, chosen by its kind.
        macro_rules! typed {
            ($kind:expr, $T:ident => $body:expr) => {
                match $kind {
                    $(nestled_nested::Kind::$variant => {
                        type $T = $ty;
                        $body
                    })*
                }
            };
        }
        pub(crate) use typed;
    };
}

/// An element type that an [`AnyArray`] may have.
pub trait Typed: nestled_array::Element + nestled_nested::Typed {
    /// The array, if it is of this type.
    fn in_any(any: &AnyArray) -> Option<&Array<Self>>;
}

/// Runs the body with the array, whatever its type.
macro_rules! each {
    ($any:expr, $x:ident => $body:expr) => {
        match $any {
            $crate::any::AnyArray::Bool($x) => $body,
            $crate::any::AnyArray::Int8($x) => $body,
            $crate::any::AnyArray::Uint8($x) => $body,
            $crate::any::AnyArray::Int16($x) => $body,
            $crate::any::AnyArray::Uint16($x) => $body,
            $crate::any::AnyArray::Int32($x) => $body,
            $crate::any::AnyArray::Uint32($x) => $body,
            $crate::any::AnyArray::Int64($x) => $body,
            $crate::any::AnyArray::Uint64($x) => $body,
            $crate::any::AnyArray::Float16($x) => $body,
            $crate::any::AnyArray::Float32($x) => $body,
            $crate::any::AnyArray::Float64($x) => $body,
        }
    };
}
pub(crate) use each;

/// Defines a macro that runs its body with an array of some types, and is an error for the others.
macro_rules! classes {
    ($d:tt $($name:ident: $($variant:ident)*;)*) => {$(
        macro_rules! $name {
            ($d operation:expr, $d any:expr, $d x:ident => $d body:expr) => {
                match $d any {
                    $($crate::any::AnyArray::$variant($d x) => $d body,)*
                    other => Err($crate::any::refused($d operation, other)),
                }
            };
        }
        pub(crate) use $name;
    )*};
}

classes! { $
    numbers: Int8 Uint8 Int16 Uint16 Int32 Uint32 Int64 Uint64 Float32 Float64;
    ordered: Bool Int8 Uint8 Int16 Uint16 Int32 Uint32 Int64 Uint64 Float32 Float64;
    integers: Int8 Uint8 Int16 Uint16 Int32 Uint32 Int64 Uint64;
    bits: Bool Int8 Uint8 Int16 Uint16 Int32 Uint32 Int64 Uint64;
    signed: Int8 Int16 Int32 Int64 Float32 Float64;
    floats: Float32 Float64;
}

any! {
    Bool bool, Int8 i8, Uint8 u8, Int16 i16, Uint16 u16, Int32 i32, Uint32 u32, Int64 i64, Uint64 u64, Float16 F16, Float32 f32, Float64 f64,
}

impl AnyArray {
    pub fn shape(&self) -> &[usize] {
        each!(self, x => x.shape())
    }

    /// Floats of sixteen bits as those of 32, in which they are computed with; other elements as they are.
    pub fn wide(&self) -> AnyArray {
        match self {
            AnyArray::Float16(x) => AnyArray::from(x.cast::<f32>()),
            other => other.clone(),
        }
    }

    /// The elements again in sixteen bits, if the operands of an operation were.
    pub fn narrowed(self, operands: Kind) -> AnyArray {
        match self {
            AnyArray::Float32(x) if operands == Kind::Float16 => AnyArray::from(x.cast::<F16>()),
            other => other,
        }
    }

    /// The array, which must have elements of this type.
    pub fn typed<T: Typed>(&self) -> PyResult<&Array<T>> {
        T::in_any(self).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "elements of {} are wanted, not of {}",
                <T as nestled_nested::Typed>::KIND,
                self.kind()
            ))
        })
    }
}

impl Evaluate for AnyArray {
    fn nodes(&self, into: &mut Vec<Handle>) {
        each!(self, x => x.nodes(into));
    }
}

/// The error of an operation that is not for elements of this type.
pub fn refused(operation: &str, any: &AnyArray) -> PyErr {
    PyTypeError::new_err(format!(
        "{operation} is not for elements of {}: convert them by astype()",
        any.kind()
    ))
}

/// Reads the name of an element type.
pub fn kind(name: &str) -> PyResult<Kind> {
    match name.parse::<Schema>() {
        Ok(Schema::Number(kind)) => Ok(kind),
        _ => Err(PyTypeError::new_err(format!("{name} is no type of elements"))),
    }
}

/// The name of an element type, as Python sees it.
pub fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::Int8 => "int8",
        Kind::Uint8 => "uint8",
        Kind::Int16 => "int16",
        Kind::Uint16 => "uint16",
        Kind::Int32 => "int32",
        Kind::Uint32 => "uint32",
        Kind::Int64 => "int64",
        Kind::Uint64 => "uint64",
        Kind::Float16 => "float16",
        Kind::Float32 => "float32",
        Kind::Float64 => "float64",
    }
}
