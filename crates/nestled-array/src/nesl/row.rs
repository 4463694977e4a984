//! Rust values as values of NESL: numbers, lists, texts, tuples, records, what may be missing, and enums.

use super::host_columns::{GivenPools, HostColumns, unfit_columns};
use super::nodes::{Giving, NeslNode, TakenPools, Taking, Wanted, pull_data, want_data};
use super::value::{NeslValue, unfit};
use super::{NeslDatatype, NeslType, NeslVariant};
use crate::error::{Error, Reason, Result};
use std::any::TypeId;
use std::cell::RefCell;

/// Values on the host that lists in NESL are made of: numbers of all types (integers are `int`, but `u8`, which is `char`; floats are `float`), `bool`, `String` (`[char]`), `Vec`, tuples of
/// two or three, `Option`, `Box`, structs of `#[derive(Record)]` (a tuple of their fields), and enums of `#[derive(Datatype)]`. An option is any datatype of the function that has one constant
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
    note = "such values are numbers, `bool`, `String`, `Vec`, `Option`, `Box`, tuples of two or three, structs of `#[derive(Record)]` and enums of `#[derive(Datatype)]`"
)]
pub trait NeslRow: Sized + 'static {
    #[doc(hidden)]
    fn row_type() -> NeslType;
    #[doc(hidden)]
    fn push_row<'a>(&'a self, into: &mut HostColumns, pools: &mut GivenPools<'a>) -> Result<()>;
    #[doc(hidden)]
    fn pull_row(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<Self>;
    /// Lists the nodes of trees that a value holds, in the order in which `pull_row` takes them.
    #[doc(hidden)]
    fn want_row(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        let (_, _, _) = (from, place, wanted);
        Ok(())
    }
}

macro_rules! numbers {
    ($($ty:ident $kind:ident $given:expr, $taken:expr;)*) => {$(
        impl NeslRow for $ty {
            fn row_type() -> NeslType {
                NeslType::$kind
            }
            fn push_row<'a>(&'a self, into: &mut HostColumns, _: &mut GivenPools<'a>) -> Result<()> {
                let HostColumns::$kind(values) = into else { return unfit_columns() };
                match $given(*self) {
                    Some(value) => values.push(value),
                    None => return unfit(self, "int"),
                }
                Ok(())
            }
            fn pull_row(from: &HostColumns, place: usize, _: &TakenPools<'_>) -> Result<$ty> {
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

    fn push_row<'a>(&'a self, into: &mut HostColumns, _: &mut GivenPools<'a>) -> Result<()> {
        let HostColumns::Seq(ends, elements) = into else { return unfit_columns() };
        let HostColumns::Char(bytes) = &mut **elements else { return unfit_columns() };
        bytes.extend_from_slice(self.as_bytes());
        ends.push(bytes.len());
        Ok(())
    }

    fn pull_row(from: &HostColumns, place: usize, _: &TakenPools<'_>) -> Result<String> {
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

    fn push_row<'a>(&'a self, into: &mut HostColumns, pools: &mut GivenPools<'a>) -> Result<()> {
        let HostColumns::Seq(ends, elements) = into else { return unfit_columns() };
        self.iter().try_for_each(|value| value.push_row(elements, pools))?;
        ends.push(ends.last().copied().unwrap_or(0) + self.len());
        Ok(())
    }

    fn pull_row(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<Vec<T>> {
        let HostColumns::Seq(ends, elements) = from else { return unfit_columns() };
        range(ends, place)?.map(|place| T::pull_row(elements, place, pools)).collect()
    }

    fn want_row(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        let HostColumns::Seq(ends, elements) = from else { return unfit_columns() };
        range(ends, place)?.try_for_each(|place| T::want_row(elements, place, wanted))
    }
}

impl<T: NeslRow> NeslRow for Box<T> {
    fn row_type() -> NeslType {
        T::row_type()
    }

    fn push_row<'a>(&'a self, into: &mut HostColumns, pools: &mut GivenPools<'a>) -> Result<()> {
        T::push_row(self, into, pools)
    }

    fn pull_row(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<Box<T>> {
        T::pull_row(from, place, pools).map(Box::new)
    }

    fn want_row(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        T::want_row(from, place, wanted)
    }
}

/// The variants of an option: that of nothing, and that of something.
fn sides(columns: &HostColumns) -> Result<(usize, usize)> {
    let optional = columns.datatype()?.optional();
    optional.map_or_else(unfit_columns, |optional| Ok((optional.nothing, optional.something)))
}

impl<T: NeslRow> NeslRow for Option<T> {
    fn row_type() -> NeslType {
        datatype_type::<Self>(None, Vec::new, || {
            let variant = |content| NeslVariant { name: String::new(), content };
            vec![variant(None), variant(Some(T::row_type()))]
        })
    }

    fn push_row<'a>(&'a self, into: &mut HostColumns, pools: &mut GivenPools<'a>) -> Result<()> {
        let (nothing, something) = sides(into)?;
        match self {
            Some(value) => into.push_variant(something, pools, |into, pools| value.push_row(into, pools)),
            None => into.push_constant(nothing),
        }
    }

    fn pull_row(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<Option<T>> {
        pull_data(from, place, pools)
    }

    fn want_row(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        want_data::<Option<T>>(from, place, wanted)
    }
}

impl<T: NeslRow> NeslNode for Option<T> {
    fn want_variant(_: usize, from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        T::want_row(from, place, wanted)
    }

    fn pull_variant(
        _: usize,
        from: Option<&HostColumns>,
        place: usize,
        pools: &TakenPools<'_>,
    ) -> Result<Option<T>> {
        from.map(|from| T::pull_row(from, place, pools)).transpose()
    }
}

impl<A: NeslRow, B: NeslRow> NeslRow for (A, B) {
    fn row_type() -> NeslType {
        tuple_type(vec![A::row_type(), B::row_type()])
    }

    fn push_row<'a>(&'a self, into: &mut HostColumns, pools: &mut GivenPools<'a>) -> Result<()> {
        let (left, right) = into.halves_mut()?;
        self.0.push_row(left, pools)?;
        self.1.push_row(right, pools)
    }

    fn pull_row(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<(A, B)> {
        let (left, right) = from.halves()?;
        Ok((A::pull_row(left, place, pools)?, B::pull_row(right, place, pools)?))
    }

    fn want_row(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        let (left, right) = from.halves()?;
        A::want_row(left, place, wanted)?;
        B::want_row(right, place, wanted)
    }
}

impl<A: NeslRow, B: NeslRow, C: NeslRow> NeslRow for (A, B, C) {
    fn row_type() -> NeslType {
        tuple_type(vec![A::row_type(), B::row_type(), C::row_type()])
    }

    fn push_row<'a>(&'a self, into: &mut HostColumns, pools: &mut GivenPools<'a>) -> Result<()> {
        let (first, others) = into.halves_mut()?;
        let (second, third) = others.halves_mut()?;
        self.0.push_row(first, pools)?;
        self.1.push_row(second, pools)?;
        self.2.push_row(third, pools)
    }

    fn pull_row(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<(A, B, C)> {
        let (first, others) = from.halves()?;
        let first = A::pull_row(first, place, pools)?;
        let (second, third) = <(B, C)>::pull_row(others, place, pools)?;
        Ok((first, second, third))
    }

    fn want_row(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
        let (first, others) = from.halves()?;
        A::want_row(first, place, wanted)?;
        <(B, C)>::want_row(others, place, wanted)
    }
}

/// The types inside of which a type is being written.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Datatype(TypeId),
    Record(TypeId),
}

thread_local! {
    static AROUND: RefCell<Vec<Around>> = const { RefCell::new(Vec::new()) };
}

/// Writes a type inside of another one.
fn inside<R>(around: Around, write: impl FnOnce() -> R) -> R {
    AROUND.with_borrow_mut(|all| all.push(around));
    let written = write();
    AROUND.with_borrow_mut(Vec::pop);
    written
}

/// The type of a datatype, which may hold itself; without a name it is an option.
#[doc(hidden)]
pub fn datatype_type<T: 'static>(
    name: Option<&str>,
    arguments: impl FnOnce() -> Vec<NeslType>,
    variants: impl FnOnce() -> Vec<NeslVariant>,
) -> NeslType {
    let own = Around::Datatype(TypeId::of::<T>());
    let further_out = AROUND.with_borrow(|all| {
        let datatypes = all.iter().rev().filter(|around| matches!(around, Around::Datatype(_)));
        datatypes.clone().position(|around| *around == own)
    });
    if let Some(further_out) = further_out {
        return NeslType::Outer(further_out);
    }
    let mut datatype = NeslDatatype::named(name.unwrap_or_default(), arguments());
    datatype.name = name.map(str::to_owned);
    datatype.variants = inside(own, variants);
    NeslType::Data(datatype)
}

/// The type of a record: that of the tuple of its fields. One that holds itself without a datatype between is no type of NESL, and refers to a datatype that is not there.
#[doc(hidden)]
pub fn record_type<T: 'static>(fields: impl FnOnce() -> Vec<NeslType>) -> NeslType {
    let own = Around::Record(TypeId::of::<T>());
    let is_inside_itself = AROUND.with_borrow(|all| {
        all.iter().rev().take_while(|around| matches!(around, Around::Record(_))).any(|around| *around == own)
    });
    if is_inside_itself {
        return NeslType::Outer(usize::MAX);
    }
    tuple_type(inside(own, fields))
}

/// The type of a tuple, which is a pair of its first part and the tuple of the others.
#[doc(hidden)]
pub fn tuple_type(mut parts: Vec<NeslType>) -> NeslType {
    let Some(last) = parts.pop() else { unreachable!("a tuple has parts") };
    parts.into_iter().rev().fold(last, |rest, part| NeslType::Pair(Box::new(part), Box::new(rest)))
}

/// The pieces of a value, of the type that the function has there.
#[doc(hidden)]
pub fn give_row<'a, T: NeslRow>(value: &'a T, ty: &NeslType, into: &mut Giving<'a>) -> Result<()> {
    let mut columns = HostColumns::new(ty);
    value.push_row(&mut columns, &mut into.pools)?;
    columns.datum().map_or_else(unfit_columns, |datum| datum.give(&mut into.pieces))
}

/// The value of these pieces.
#[doc(hidden)]
pub fn take_row<T: NeslRow>(ty: &NeslType, from: &mut Taking) -> Result<T> {
    from.row(ty)
}

macro_rules! values {
    ($($ty:ty [$($parameter:ident)?];)*) => {$(
        impl$(<$parameter: NeslRow>)? NeslValue for $ty {
            fn plain() -> NeslType {
                <$ty>::row_type()
            }
            fn give<'a>(&'a self, ty: &NeslType, into: &mut Giving<'a>) -> Result<()> {
                give_row(self, ty, into)
            }
            fn take(ty: &NeslType, from: &mut Taking) -> Result<$ty> {
                take_row(ty, from)
            }
        }
    )*};
}

values! {
    Vec<T> [T];
    Option<T> [T];
    Box<T> [T];
    String [];
}
