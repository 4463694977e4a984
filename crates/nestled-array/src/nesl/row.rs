//! Rust values as values of NESL: lists, texts, tuples, and enums that [`datatype!`](crate::datatype!) defines.
//!
//! On the way in values are appended to one vector for each scalar of the type, on the way out they are read at their places: no value is a tree.

use super::dynamic::{NeslColumn, NeslDatum};
use super::value::NeslValue;
use super::{NeslDatatype, NeslType, NeslVariants, Piece};
use crate::array::Array;
use crate::error::{Error, Reason, Result};
use crate::ragged::Segments;

/// Values on the host that lists in NESL are made of: `i64`, `f64`, `bool`, `u8` (a `char`), `String` (`[char]`), `Vec`, tuples of two or three, and what
/// [`datatype!`](crate::datatype!) defines.
///
/// ```
/// use nestled_array::nesl;
/// nesl! {
///     "function lengths(words) = {(#w, w ++ \"!\") : w in words};";
///     fn lengths(words: Vec<String>) -> Vec<(i64, String)>;
/// }
/// let words = vec!["one".to_owned(), String::new()];
/// assert_eq!(lengths(words)?, [(3, "one!".to_owned()), (0, "!".to_owned())]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
pub trait NeslRow: Sized {
    #[doc(hidden)]
    fn row_type() -> NeslType;
    #[doc(hidden)]
    fn push_row(&self, into: &mut HostColumns);
    #[doc(hidden)]
    fn pull_row(from: &HostColumns, place: usize) -> Option<Self>;
}

/// Values of one type, in vectors.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum HostColumns {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Char(Vec<u8>),
    Bool(Vec<bool>),
    Pair(Box<HostColumns>, Box<HostColumns>),
    /// The places where sequences end, and the elements of all.
    Seq(Vec<usize>, Box<HostColumns>),
    /// The numbers of variants, and as many contents of each variant that has one.
    Data(NeslDatatype, Vec<i64>, Vec<Option<HostColumns>>),
}

impl HostColumns {
    fn new(ty: &NeslType) -> HostColumns {
        match ty {
            NeslType::Int => HostColumns::Int(Vec::new()),
            NeslType::Float => HostColumns::Float(Vec::new()),
            NeslType::Char => HostColumns::Char(Vec::new()),
            NeslType::Bool => HostColumns::Bool(Vec::new()),
            NeslType::Pair(left, right) => {
                HostColumns::Pair(Box::new(HostColumns::new(left)), Box::new(HostColumns::new(right)))
            }
            NeslType::Seq(element) => HostColumns::Seq(Vec::new(), Box::new(HostColumns::new(element))),
            NeslType::Data(datatype) => {
                let contents = datatype.variants.iter().map(|variant| variant.content.as_ref());
                let contents = contents.map(|content| content.map(HostColumns::new)).collect();
                HostColumns::Data(datatype.clone(), Vec::new(), contents)
            }
        }
    }

    fn push_blank(&mut self) {
        match self {
            HostColumns::Int(values) => values.push(0),
            HostColumns::Float(values) => values.push(0.0),
            HostColumns::Char(values) => values.push(0),
            HostColumns::Bool(values) => values.push(false),
            HostColumns::Pair(left, right) => {
                left.push_blank();
                right.push_blank();
            }
            HostColumns::Seq(ends, _) => ends.push(ends.last().copied().unwrap_or(0)),
            HostColumns::Data(..) => drop(self.push_variant(0).map(HostColumns::push_blank)),
        }
    }

    /// Appends a value of a variant; returns where its content goes.
    pub fn push_variant(&mut self, own: usize) -> Option<&mut HostColumns> {
        let HostColumns::Data(_, tags, contents) = self else { return None };
        tags.push(own as i64);
        for (place, content) in contents.iter_mut().enumerate() {
            if let (true, Some(content)) = (place != own, content) {
                content.push_blank();
            }
        }
        contents.get_mut(own)?.as_mut()
    }

    /// The variant of a value, and where its content lies.
    pub fn variant(&self, place: usize) -> Option<(usize, Option<&HostColumns>)> {
        let HostColumns::Data(_, tags, contents) = self else { return None };
        let own = usize::try_from(*tags.get(place)?).ok()?;
        Some((own, contents.get(own)?.as_ref()))
    }

    fn column(self) -> NeslColumn {
        match self {
            HostColumns::Int(values) => NeslColumn::Int(Array::from_vec(values)),
            HostColumns::Float(values) => NeslColumn::Float(Array::from_vec(values)),
            HostColumns::Char(values) => NeslColumn::Char(Array::from_vec(values)),
            HostColumns::Bool(values) => NeslColumn::Bool(Array::from_vec(values)),
            HostColumns::Pair(left, right) => {
                NeslColumn::Pair(Box::new(left.column()), Box::new(right.column()))
            }
            HostColumns::Seq(ends, elements) => {
                let starts = std::iter::once(&0).chain(&ends);
                let lengths: Vec<usize> = ends.iter().zip(starts).map(|(end, start)| end - start).collect();
                NeslColumn::Seq(Segments::from_lengths(&lengths), Box::new(elements.column()))
            }
            HostColumns::Data(datatype, tags, contents) => {
                let contents = contents.into_iter().map(|content| content.map(HostColumns::column));
                NeslColumn::Data(NeslVariants::known(&datatype, &Array::from_vec(tags), contents.collect()))
            }
        }
    }

    /// The only value, as a datum.
    fn datum(self) -> Option<NeslDatum> {
        Some(match self {
            HostColumns::Int(values) => NeslDatum::Int(*values.first()?),
            HostColumns::Float(values) => NeslDatum::Float(*values.first()?),
            HostColumns::Char(values) => NeslDatum::Char(*values.first()?),
            HostColumns::Bool(values) => NeslDatum::Bool(*values.first()?),
            HostColumns::Pair(left, right) => {
                NeslDatum::Pair(Box::new(left.datum()?), Box::new(right.datum()?))
            }
            HostColumns::Seq(ends, elements) => NeslDatum::Seq(*ends.first()?, elements.column()),
            HostColumns::Data(datatype, tags, mut contents) => {
                let own = usize::try_from(*tags.first()?).ok()?;
                let content = match contents.get_mut(own)?.take() {
                    Some(content) => Some(Box::new(content.datum()?)),
                    None => None,
                };
                NeslDatum::Data(datatype, own, content)
            }
        })
    }

    /// Computes a column, and copies it.
    fn of(column: &NeslColumn) -> Result<HostColumns> {
        let boxed = |column: &NeslColumn| HostColumns::of(column).map(Box::new);
        Ok(match column {
            NeslColumn::Int(array) => HostColumns::Int(array.to_vec()?),
            NeslColumn::Float(array) => HostColumns::Float(array.to_vec()?),
            NeslColumn::Char(array) => HostColumns::Char(array.to_vec()?),
            NeslColumn::Bool(array) => HostColumns::Bool(array.to_vec()?),
            NeslColumn::Pair(left, right) => HostColumns::Pair(boxed(left)?, boxed(right)?),
            NeslColumn::Seq(segments, elements) => {
                let ends = segments.lengths().to_vec()?.into_iter().scan(0, |end, length| {
                    *end += length.max(0) as usize;
                    Some(*end)
                });
                HostColumns::Seq(ends.collect(), boxed(elements)?)
            }
            NeslColumn::Data(values) => {
                let content =
                    |content: &Option<NeslColumn>| content.as_ref().map(HostColumns::of).transpose();
                let contents = values.contents().iter().map(content).collect::<Result<_>>()?;
                HostColumns::Data(values.datatype().clone(), values.tags().to_vec()?, contents)
            }
        })
    }

    /// A datum as the only value.
    fn of_datum(datum: &NeslDatum) -> Result<HostColumns> {
        let boxed = |datum: &NeslDatum| HostColumns::of_datum(datum).map(Box::new);
        Ok(match datum {
            NeslDatum::Int(value) => HostColumns::Int(vec![*value]),
            NeslDatum::Float(value) => HostColumns::Float(vec![*value]),
            NeslDatum::Char(value) => HostColumns::Char(vec![*value]),
            NeslDatum::Bool(value) => HostColumns::Bool(vec![*value]),
            NeslDatum::Pair(left, right) => HostColumns::Pair(boxed(left)?, boxed(right)?),
            NeslDatum::Seq(length, elements) => {
                HostColumns::Seq(vec![*length], Box::new(HostColumns::of(elements)?))
            }
            NeslDatum::Data(datatype, own, content) => {
                let mut contents = vec![None; datatype.variants.len()];
                if let (Some(place), Some(content)) = (contents.get_mut(*own), content) {
                    *place = Some(HostColumns::of_datum(content)?);
                }
                HostColumns::Data(datatype.clone(), vec![*own as i64], contents)
            }
        })
    }
}

macro_rules! scalars {
    ($($ty:ident $kind:ident;)*) => {$(
        impl NeslRow for $ty {
            fn row_type() -> NeslType {
                NeslType::$kind
            }
            fn push_row(&self, into: &mut HostColumns) {
                if let HostColumns::$kind(values) = into {
                    values.push(*self);
                }
            }
            fn pull_row(from: &HostColumns, place: usize) -> Option<$ty> {
                if let HostColumns::$kind(values) = from { values.get(place).copied() } else { None }
            }
        }
    )*};
}

scalars! {
    i64 Int;
    f64 Float;
    u8 Char;
    bool Bool;
}

/// The places of the elements of a sequence.
fn range(ends: &[usize], place: usize) -> Option<std::ops::Range<usize>> {
    let start = if place == 0 { 0 } else { *ends.get(place - 1)? };
    Some(start..*ends.get(place)?)
}

impl NeslRow for String {
    fn row_type() -> NeslType {
        NeslType::Seq(Box::new(NeslType::Char))
    }

    fn push_row(&self, into: &mut HostColumns) {
        if let HostColumns::Seq(ends, elements) = into
            && let HostColumns::Char(bytes) = &mut **elements
        {
            bytes.extend_from_slice(self.as_bytes());
            ends.push(bytes.len());
        }
    }

    /// None of bytes that are no text.
    fn pull_row(from: &HostColumns, place: usize) -> Option<String> {
        let HostColumns::Seq(ends, elements) = from else { return None };
        let HostColumns::Char(bytes) = &**elements else { return None };
        String::from_utf8(bytes.get(range(ends, place)?)?.to_vec()).ok()
    }
}

impl<T: NeslRow> NeslRow for Vec<T> {
    fn row_type() -> NeslType {
        NeslType::Seq(Box::new(T::row_type()))
    }

    fn push_row(&self, into: &mut HostColumns) {
        if let HostColumns::Seq(ends, elements) = into {
            self.iter().for_each(|value| value.push_row(elements));
            ends.push(ends.last().copied().unwrap_or(0) + self.len());
        }
    }

    fn pull_row(from: &HostColumns, place: usize) -> Option<Vec<T>> {
        let HostColumns::Seq(ends, elements) = from else { return None };
        range(ends, place)?.map(|place| T::pull_row(elements, place)).collect()
    }
}

impl<A: NeslRow, B: NeslRow> NeslRow for (A, B) {
    fn row_type() -> NeslType {
        NeslType::Pair(Box::new(A::row_type()), Box::new(B::row_type()))
    }

    fn push_row(&self, into: &mut HostColumns) {
        if let HostColumns::Pair(left, right) = into {
            self.0.push_row(left);
            self.1.push_row(right);
        }
    }

    fn pull_row(from: &HostColumns, place: usize) -> Option<(A, B)> {
        let HostColumns::Pair(left, right) = from else { return None };
        Some((A::pull_row(left, place)?, B::pull_row(right, place)?))
    }
}

impl<A: NeslRow, B: NeslRow, C: NeslRow> NeslRow for (A, B, C) {
    fn row_type() -> NeslType {
        NeslType::Pair(Box::new(A::row_type()), Box::new(<(B, C)>::row_type()))
    }

    fn push_row(&self, into: &mut HostColumns) {
        if let HostColumns::Pair(first, others) = into
            && let HostColumns::Pair(second, third) = &mut **others
        {
            self.0.push_row(first);
            self.1.push_row(second);
            self.2.push_row(third);
        }
    }

    fn pull_row(from: &HostColumns, place: usize) -> Option<(A, B, C)> {
        let HostColumns::Pair(first, others) = from else { return None };
        let (second, third) = <(B, C)>::pull_row(others, place)?;
        Some((A::pull_row(first, place)?, second, third))
    }
}

/// The pieces of a value.
#[doc(hidden)]
pub fn give_row<T: NeslRow>(value: &T, into: &mut Vec<Piece>) -> Result<()> {
    let mut columns = HostColumns::new(&T::row_type());
    value.push_row(&mut columns);
    match columns.datum() {
        Some(datum) => datum.give(into),
        None => Err(Error::at("nesl", Reason::Bug("a value has no parts".to_owned()), None)),
    }
}

/// The value of these pieces.
#[doc(hidden)]
pub fn take_row<T: NeslRow>(from: &mut dyn Iterator<Item = Piece>) -> Result<T> {
    let ty = T::row_type();
    let Some(datum) = NeslDatum::take(&ty, from) else {
        return Err(Error::of("nesl", Reason::Bug("a result is missing".to_owned())));
    };
    let found = T::pull_row(&HostColumns::of_datum(&datum)?, 0);
    found.ok_or_else(|| Error::at("nesl", Reason::Argument(format!("a text in `{ty}` is not UTF-8")), None))
}

impl<T: NeslRow> NeslValue for Vec<T> {
    fn plain() -> NeslType {
        Vec::<T>::row_type()
    }
    fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
        give_row(self, into)
    }
    fn take(from: &mut dyn Iterator<Item = Piece>) -> Result<Vec<T>> {
        take_row(from)
    }
}

impl NeslValue for String {
    fn plain() -> NeslType {
        String::row_type()
    }
    fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
        give_row(self, into)
    }
    fn take(from: &mut dyn Iterator<Item = Piece>) -> Result<String> {
        take_row(from)
    }
}

/// Defines an enum whose values are those of a datatype with variants in NESL. The names are the same, but for large letters and `_`; a variant holds up to three values.
///
/// ```
/// use nestled_array::{datatype, nesl};
/// datatype! {
///     /// A shape.
///     #[derive(Clone, Debug, PartialEq)]
///     pub enum Shape {
///         Circle(f64),
///         Rect(f64, f64),
///         Named(String, Vec<i64>),
///         Dot,
///     }
/// }
/// nesl! {
///     "datatype shape = circle(float) | rect(float, float) | named([char], [int]) | dot;
///      function area(s) = match s with
///          circle(r) => 3.0 * r * r | rect(a, b) => a * b | named(name, sizes) => float(sum(sizes)) | dot => 0.0;
///      function wide(shapes) = {rect(area(s), 1.0) : s in shapes | area(s) > 0.0};";
///     fn area(shape: Shape) -> f64;
///     fn wide(shapes: Vec<Shape>) -> Vec<Shape>;
/// }
/// assert_eq!(area(Shape::Named("u".to_owned(), vec![1, 2]))?, 3.0);
/// assert_eq!(wide(vec![Shape::Dot, Shape::Circle(1.0)])?, [Shape::Rect(3.0, 1.0)]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[macro_export]
macro_rules! datatype {
    ($(#[$note:meta])* $visibility:vis enum $name:ident {
        $($(#[$variant_note:meta])* $variant:ident $(($($ty:ty),+ $(,)?))?),+ $(,)?
    }) => {
        $(#[$note])*
        $visibility enum $name {
            $($(#[$variant_note])* $variant $(($($ty),+))?,)+
        }

        impl $crate::NeslRow for $name {
            fn row_type() -> $crate::NeslType {
                let mut datatype = $crate::NeslDatatype::named(stringify!($name), ::std::vec::Vec::new());
                $(datatype.variants.push($crate::NeslVariant {
                    name: stringify!($variant).to_owned(),
                    content: $crate::datatype_variant!(@type $($($ty),+)?),
                });)+
                $crate::NeslType::Data(datatype)
            }

            fn push_row(&self, into: &mut $crate::HostColumns) {
                let mut place = 0;
                $($crate::datatype_variant!(@push self, into, place, $name::$variant, $($($ty),+)?);)+
                let _ = place;
            }

            fn pull_row(from: &$crate::HostColumns, place: usize) -> ::std::option::Option<$name> {
                let (own, content) = from.variant(place)?;
                let mut other = 0;
                $(
                    if own == other {
                        return $crate::datatype_variant!(@pull content, place, $name::$variant, $($($ty),+)?);
                    }
                    other += 1;
                )+
                let _ = other;
                None
            }
        }

        impl $crate::NeslValue for $name {
            fn plain() -> $crate::NeslType {
                <$name as $crate::NeslRow>::row_type()
            }
            fn give(&self, into: &mut ::std::vec::Vec<$crate::Piece>) -> $crate::Result<()> {
                $crate::give_row(self, into)
            }
            fn take(from: &mut dyn ::std::iter::Iterator<Item = $crate::Piece>) -> $crate::Result<$name> {
                $crate::take_row(from)
            }
        }
    };
}

/// The parts of [`datatype!`](crate::datatype!) that are for a variant.
#[doc(hidden)]
#[macro_export]
macro_rules! datatype_variant {
    (@type) => { ::std::option::Option::None };
    (@type $a:ty) => { ::std::option::Option::Some(<$a as $crate::NeslRow>::row_type()) };
    (@type $($more:ty),+) => { ::std::option::Option::Some(<($($more),+) as $crate::NeslRow>::row_type()) };
    (@push $value:ident, $into:ident, $place:ident, $variant:path,) => {
        if let $variant = $value {
            $into.push_variant($place);
            return;
        }
        $place += 1;
    };
    (@push $value:ident, $into:ident, $place:ident, $variant:path, $a:ty) => {
        if let $variant(a) = $value {
            if let Some(into) = $into.push_variant($place) {
                $crate::NeslRow::push_row(a, into);
            }
            return;
        }
        $place += 1;
    };
    (@push $value:ident, $into:ident, $place:ident, $variant:path, $a:ty, $b:ty) => {
        if let $variant(a, b) = $value {
            if let Some($crate::HostColumns::Pair(first, second)) = $into.push_variant($place) {
                $crate::NeslRow::push_row(a, first);
                $crate::NeslRow::push_row(b, second);
            }
            return;
        }
        $place += 1;
    };
    (@push $value:ident, $into:ident, $place:ident, $variant:path, $a:ty, $b:ty, $c:ty) => {
        if let $variant(a, b, c) = $value {
            if let Some($crate::HostColumns::Pair(first, others)) = $into.push_variant($place)
                && let $crate::HostColumns::Pair(second, third) = &mut **others
            {
                $crate::NeslRow::push_row(a, first);
                $crate::NeslRow::push_row(b, second);
                $crate::NeslRow::push_row(c, third);
            }
            return;
        }
        $place += 1;
    };
    (@pull $content:ident, $place:ident, $variant:path,) => { ::std::option::Option::Some($variant) };
    (@pull $content:ident, $place:ident, $variant:path, $a:ty) => {
        <$a as $crate::NeslRow>::pull_row($content?, $place).map($variant)
    };
    (@pull $content:ident, $place:ident, $variant:path, $a:ty, $b:ty) => {
        <($a, $b) as $crate::NeslRow>::pull_row($content?, $place).map(|(a, b)| $variant(a, b))
    };
    (@pull $content:ident, $place:ident, $variant:path, $a:ty, $b:ty, $c:ty) => {
        <($a, $b, $c) as $crate::NeslRow>::pull_row($content?, $place).map(|(a, b, c)| $variant(a, b, c))
    };
}
