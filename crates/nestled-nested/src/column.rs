//! Columns: vectors of numbers or booleans, their element type known at run time only.

use crate::schema::Kind;
use nestled_array::{Array, Element, Evaluate, F16, Handle, Outside};

macro_rules! columns {
    ($($variant:ident $ty:ident,)*) => {
        /// A lazy vector of one of the element types.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "it is public in a private module only, for a trait that is sealed")]
        pub enum Column {
            $($variant(Array<$ty>),)*
        }

        $(impl From<Array<$ty>> for Column {
            fn from(array: Array<$ty>) -> Column {
                Column::$variant(array)
            }
        }

        impl Typed for $ty {
            const KIND: Kind = Kind::$variant;
            fn column(array: Array<$ty>) -> Column {
                Column::$variant(array)
            }
            fn of(column: &Column) -> Option<&Array<$ty>> {
                match column {
                    Column::$variant(array) => Some(array),
                    _ => None,
                }
            }
        })*
    };
}

columns! {
    Bool bool, Int8 i8, Uint8 u8, Int16 i16, Uint16 u16, Int32 i32, Uint32 u32, Int64 i64, Uint64 u64, Float16 F16, Float32 f32, Float64 f64,
}

/// An element type of columns: `bool i8 u8 i16 u16 i32 u32 i64 u64 F16 f32 f64`.
///
/// ```
/// use nestled_nested::{Array, Nested, Typed};
/// fn doubled<T: Typed>(array: &Array<T>) -> Nested {
///     Nested::from(array) * 2
/// }
/// assert_eq!(doubled(&Array::from_vec(vec![1u8])).type_string(), "1 * uint8");
/// ```
pub trait Typed: Element + Default {
    /// Its name.
    #[doc(hidden)]
    const KIND: Kind;
    #[doc(hidden)]
    fn column(array: Array<Self>) -> Column;
    #[doc(hidden)]
    fn of(column: &Column) -> Option<&Array<Self>>;
}

/// The least and the greatest number of a type.
pub(crate) trait Extremes: Sized {
    const LEAST: Self;
    const MOST: Self;
}

macro_rules! extremes {
    ($($ty:ident $least:ident $most:ident,)*) => {$(
        impl Extremes for $ty {
            const LEAST: $ty = $ty::$least;
            const MOST: $ty = $ty::$most;
        }
    )*};
}

extremes! {
    i8 MIN MAX, u8 MIN MAX, i16 MIN MAX, u16 MIN MAX, i32 MIN MAX, u32 MIN MAX, i64 MIN MAX, u64 MIN MAX, f32 NEG_INFINITY INFINITY, f64 NEG_INFINITY INFINITY,
}

/// The expression for the array of a column, of whatever type.
macro_rules! each {
    ($column:expr, $x:ident => $body:expr) => {
        match $column {
            $crate::column::Column::Bool($x) => $body,
            $crate::column::Column::Int8($x) => $body,
            $crate::column::Column::Uint8($x) => $body,
            $crate::column::Column::Int16($x) => $body,
            $crate::column::Column::Uint16($x) => $body,
            $crate::column::Column::Int32($x) => $body,
            $crate::column::Column::Uint32($x) => $body,
            $crate::column::Column::Int64($x) => $body,
            $crate::column::Column::Uint64($x) => $body,
            $crate::column::Column::Float16($x) => $body,
            $crate::column::Column::Float32($x) => $body,
            $crate::column::Column::Float64($x) => $body,
        }
    };
}
pub(crate) use each;

/// The expression for the array of a column that can be computed with: booleans as `i64`, half floats as `f32`.
macro_rules! each_number {
    ($column:expr, $x:ident => $body:expr) => {
        match $column {
            $crate::column::Column::Bool($x) => {
                let $x = &$x.cast::<i64>();
                $body
            }
            $crate::column::Column::Int8($x) => $body,
            $crate::column::Column::Uint8($x) => $body,
            $crate::column::Column::Int16($x) => $body,
            $crate::column::Column::Uint16($x) => $body,
            $crate::column::Column::Int32($x) => $body,
            $crate::column::Column::Uint32($x) => $body,
            $crate::column::Column::Int64($x) => $body,
            $crate::column::Column::Uint64($x) => $body,
            $crate::column::Column::Float16($x) => {
                let $x = &$x.cast::<f32>();
                $body
            }
            $crate::column::Column::Float32($x) => $body,
            $crate::column::Column::Float64($x) => $body,
        }
    };
}
pub(crate) use each_number;

impl Column {
    pub(crate) fn len(&self) -> usize {
        each!(self, x => x.size())
    }

    pub(crate) fn kind(&self) -> Kind {
        fn of<T: Typed>(_: &Array<T>) -> Kind {
            T::KIND
        }
        each!(self, x => of(x))
    }

    /// The elements at these places; 0 or `false` at places outside.
    pub(crate) fn take(&self, places: &Array<i64>) -> Column {
        each!(self, x => Column::from(x.take(0, places, Outside::Default(Default::default()))))
    }

    pub(crate) fn cast(&self, kind: Kind) -> Column {
        each!(self, x => match kind {
            Kind::Bool => Column::from(x.cast::<bool>()),
            Kind::Int8 => Column::from(x.cast::<i8>()),
            Kind::Uint8 => Column::from(x.cast::<u8>()),
            Kind::Int16 => Column::from(x.cast::<i16>()),
            Kind::Uint16 => Column::from(x.cast::<u16>()),
            Kind::Int32 => Column::from(x.cast::<i32>()),
            Kind::Uint32 => Column::from(x.cast::<u32>()),
            Kind::Int64 => Column::from(x.cast::<i64>()),
            Kind::Uint64 => Column::from(x.cast::<u64>()),
            Kind::Float16 => Column::from(x.cast::<F16>()),
            Kind::Float32 => Column::from(x.cast::<f32>()),
            Kind::Float64 => Column::from(x.cast::<f64>()),
        })
    }

    pub(crate) fn as_bool(&self) -> Option<&Array<bool>> {
        bool::of(self)
    }

    /// The elements of one where a mask holds, those of another of the same type elsewhere.
    pub(crate) fn select(mask: &Array<bool>, yes: &Column, no: &Column) -> Column {
        fn of<T: Typed>(mask: &Array<bool>, yes: &Array<T>, no: &Column) -> Column {
            T::column(mask.select(yes, T::of(no).expect("both have one type")))
        }
        each!(yes, x => of(mask, x, no))
    }

    /// One after another; all have one type.
    pub(crate) fn concat(parts: &[&Column]) -> Column {
        fn of<T: Typed>(_: &Array<T>, parts: &[&Column]) -> Column {
            let parts: Vec<&Array<T>> =
                parts.iter().map(|part| T::of(part).expect("all have one type")).collect();
            T::column(nestled_array::concat(&parts, 0))
        }
        each!(parts[0], x => of(x, parts))
    }
}

impl Evaluate for Column {
    fn nodes(&self, into: &mut Vec<Handle>) {
        each!(self, x => x.nodes(into));
    }
}
