//! Rust values as values of NESL: numbers, lists, texts, tuples, records, what may be missing, and enums.

use super::dynamic::NeslDatum;
use super::host_columns::{HostColumns, unfit_columns};
use super::value::{NeslValue, unfit};
use super::{NeslDatatype, NeslType, Piece};
use crate::error::{Error, Reason, Result};

/// Values on the host that lists in NESL are made of: numbers of all types (integers are `int`, but `u8`, which is `char`; floats are `float`), `bool`, `String` (`[char]`), `Vec`, tuples of
/// two or three, `Option`, structs of `#[derive(Record)]` (a tuple of their fields), and enums of `#[derive(Datatype)]`. An option is any datatype of the function that has one constant
/// and one variant that holds something.
///
/// ```
/// use nestled_array::nesl;
/// nesl! {
///     "datatype maybe = none | just([char]);
///      function lengths(words) = {(#w, w ++ \"!\") : w in words};
///      function known(words) = {w in words | (match w with none => f | just(text) => #text > 0)};";
///     fn lengths(words: Vec<String>) -> Vec<(i16, String)>;
///     fn known(words: Vec<Option<String>>) -> Vec<Option<String>>;
/// }
/// let words = vec!["one".to_owned(), String::new()];
/// assert_eq!(lengths(words)?, [(3, "one!".to_owned()), (0, "!".to_owned())]);
/// let one = Some("one".to_owned());
/// assert_eq!(known(vec![one.clone(), None, Some(String::new())])?, [one]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value of NESL on the host",
    note = "such values are numbers, `bool`, `String`, `Vec`, `Option`, tuples of two or three, structs of `#[derive(Record)]` and enums of `#[derive(Datatype)]`"
)]
pub trait NeslRow: Sized {
    #[doc(hidden)]
    fn row_type() -> NeslType;
    #[doc(hidden)]
    fn push_row(&self, into: &mut HostColumns) -> Result<()>;
    #[doc(hidden)]
    fn pull_row(from: &HostColumns, place: usize) -> Result<Self>;
}

macro_rules! numbers {
    ($($ty:ident $kind:ident $given:expr, $taken:expr;)*) => {$(
        impl NeslRow for $ty {
            fn row_type() -> NeslType {
                NeslType::$kind
            }
            fn push_row(&self, into: &mut HostColumns) -> Result<()> {
                let HostColumns::$kind(values) = into else { return unfit_columns() };
                match $given(*self) {
                    Some(value) => values.push(value),
                    None => return unfit(self, "int"),
                }
                Ok(())
            }
            fn pull_row(from: &HostColumns, place: usize) -> Result<$ty> {
                let HostColumns::$kind(values) = from else { return unfit_columns() };
                let Some(value) = values.get(place).copied() else { return unfit_columns() };
                $taken(value).map_or_else(|| unfit(value, stringify!($ty)), Ok)
            }
        }
    )*};
}

/// A number in another type, if that has it.
fn kept<T, U: TryFrom<T>>(number: T) -> Option<U> {
    number.try_into().ok()
}

numbers! {
    i8 Int kept, kept;
    i16 Int kept, kept;
    u16 Int kept, kept;
    i32 Int kept, kept;
    u32 Int kept, kept;
    i64 Int Some, Some;
    u64 Int kept, kept;
    f32 Float |x| Some(f64::from(x)), |x: f64| Some(x as f32);
    f64 Float Some, Some;
    u8 Char Some, Some;
    bool Bool Some, Some;
}

/// The places of the elements of a sequence.
fn range(ends: &[usize], place: usize) -> Result<std::ops::Range<usize>> {
    let start = if place == 0 { Some(&0) } else { ends.get(place - 1) };
    start.zip(ends.get(place)).map_or_else(unfit_columns, |(start, end)| Ok(*start..*end))
}

impl NeslRow for String {
    fn row_type() -> NeslType {
        NeslType::Seq(Box::new(NeslType::Char))
    }

    fn push_row(&self, into: &mut HostColumns) -> Result<()> {
        let HostColumns::Seq(ends, elements) = into else { return unfit_columns() };
        let HostColumns::Char(bytes) = &mut **elements else { return unfit_columns() };
        bytes.extend_from_slice(self.as_bytes());
        ends.push(bytes.len());
        Ok(())
    }

    fn pull_row(from: &HostColumns, place: usize) -> Result<String> {
        let HostColumns::Seq(ends, elements) = from else { return unfit_columns() };
        let HostColumns::Char(bytes) = &**elements else { return unfit_columns() };
        let Some(bytes) = bytes.get(range(ends, place)?) else { return unfit_columns() };
        let reason = || Reason::Argument("a text that NESL gave is not UTF-8".to_owned());
        String::from_utf8(bytes.to_vec()).map_err(|_| Error::at("nesl", reason(), None))
    }
}

impl<T: NeslRow> NeslRow for Vec<T> {
    fn row_type() -> NeslType {
        NeslType::Seq(Box::new(T::row_type()))
    }

    fn push_row(&self, into: &mut HostColumns) -> Result<()> {
        let HostColumns::Seq(ends, elements) = into else { return unfit_columns() };
        self.iter().try_for_each(|value| value.push_row(elements))?;
        ends.push(ends.last().copied().unwrap_or(0) + self.len());
        Ok(())
    }

    fn pull_row(from: &HostColumns, place: usize) -> Result<Vec<T>> {
        let HostColumns::Seq(ends, elements) = from else { return unfit_columns() };
        range(ends, place)?.map(|place| T::pull_row(elements, place)).collect()
    }
}

/// The variants of an option: that of nothing, and that of something.
fn sides(columns: &HostColumns) -> Result<(usize, usize)> {
    let HostColumns::Data(datatype, ..) = columns else { return unfit_columns() };
    datatype.optional().map_or_else(unfit_columns, |optional| Ok((optional.nothing, optional.something)))
}

impl<T: NeslRow> NeslRow for Option<T> {
    fn row_type() -> NeslType {
        NeslType::Data(NeslDatatype::option(T::row_type()))
    }

    fn push_row(&self, into: &mut HostColumns) -> Result<()> {
        let (nothing, something) = sides(into)?;
        match self {
            Some(value) => value.push_row(into.push_variant(something)?),
            None => into.push_constant(nothing),
        }
    }

    fn pull_row(from: &HostColumns, place: usize) -> Result<Option<T>> {
        let (nothing, something) = sides(from)?;
        if from.variant(place)? == nothing {
            return Ok(None);
        }
        T::pull_row(from.content(something)?, place).map(Some)
    }
}

impl<A: NeslRow, B: NeslRow> NeslRow for (A, B) {
    fn row_type() -> NeslType {
        tuple_type(vec![A::row_type(), B::row_type()])
    }

    fn push_row(&self, into: &mut HostColumns) -> Result<()> {
        let (left, right) = into.halves_mut()?;
        self.0.push_row(left)?;
        self.1.push_row(right)
    }

    fn pull_row(from: &HostColumns, place: usize) -> Result<(A, B)> {
        let (left, right) = from.halves()?;
        Ok((A::pull_row(left, place)?, B::pull_row(right, place)?))
    }
}

impl<A: NeslRow, B: NeslRow, C: NeslRow> NeslRow for (A, B, C) {
    fn row_type() -> NeslType {
        tuple_type(vec![A::row_type(), B::row_type(), C::row_type()])
    }

    fn push_row(&self, into: &mut HostColumns) -> Result<()> {
        let (first, others) = into.halves_mut()?;
        let (second, third) = others.halves_mut()?;
        self.0.push_row(first)?;
        self.1.push_row(second)?;
        self.2.push_row(third)
    }

    fn pull_row(from: &HostColumns, place: usize) -> Result<(A, B, C)> {
        let (first, others) = from.halves()?;
        let (second, third) = <(B, C)>::pull_row(others, place)?;
        Ok((A::pull_row(first, place)?, second, third))
    }
}

/// The type of a tuple, which is a pair of its first part and the tuple of the others.
#[doc(hidden)]
pub fn tuple_type(mut parts: Vec<NeslType>) -> NeslType {
    let Some(last) = parts.pop() else { unreachable!("a tuple has parts") };
    parts.into_iter().rev().fold(last, |rest, part| NeslType::Pair(Box::new(part), Box::new(rest)))
}

/// The pieces of a value, of the type that the function has there.
#[doc(hidden)]
pub fn give_row<T: NeslRow>(value: &T, ty: &NeslType, into: &mut Vec<Piece>) -> Result<()> {
    let mut columns = HostColumns::new(ty);
    value.push_row(&mut columns)?;
    columns.datum().map_or_else(unfit_columns, |datum| datum.give(into))
}

/// The value of these pieces.
#[doc(hidden)]
pub fn take_row<T: NeslRow>(ty: &NeslType, from: &mut dyn Iterator<Item = Piece>) -> Result<T> {
    let Some(datum) = NeslDatum::take(ty, from) else {
        return Err(Error::of("nesl", Reason::Bug("a result is missing".to_owned())));
    };
    T::pull_row(&HostColumns::of_datum(&datum)?, 0)
}

macro_rules! values {
    ($($ty:ty [$($parameter:ident)?];)*) => {$(
        impl$(<$parameter: NeslRow>)? NeslValue for $ty {
            fn plain() -> NeslType {
                <$ty>::row_type()
            }
            fn give(&self, ty: &NeslType, into: &mut Vec<Piece>) -> Result<()> {
                give_row(self, ty, into)
            }
            fn take(ty: &NeslType, from: &mut dyn Iterator<Item = Piece>) -> Result<$ty> {
                take_row(ty, from)
            }
        }
    )*};
}

values! {
    Vec<T> [T];
    Option<T> [T];
    String [];
}
