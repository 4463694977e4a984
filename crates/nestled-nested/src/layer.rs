//! Layers: one level of a nested array with what lies below it, for those who bring it elsewhere.

use crate::nested::{Face, Layout, Nested};
use crate::ops::nesl_columns;
use crate::rows::Rows;
use crate::schema::{Kind, Meaning};
use nestled_array::{Array, NeslColumn, NeslType, Segments};

/// The outermost level of a nested array, and what lies below it.
///
/// ```
/// use nestled_nested::{Layer, Nested};
/// let rows = Nested::from_iter([vec![1, 2], vec![]]);
/// let Layer::Lists(segments, numbers) = rows.layer() else { unreachable!() };
/// assert_eq!((segments.lengths().to_vec()?, numbers.len()), (vec![2, 0], 2));
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Layer<'a> {
    /// Numbers or booleans; [`Array::try_from`] gives them.
    Number(Kind),
    /// Lists of any lengths, and the elements of all of them.
    Lists(&'a Segments, &'a Nested),
    /// Texts, and the bytes of all of them, `uint8`.
    Strings(&'a Segments, &'a Nested),
    /// Bytes, and those of all of them, `uint8`.
    Bytes(&'a Segments, &'a Nested),
    /// Lists of one length, and the elements of all of them.
    Fixed(usize, &'a Nested),
    /// The fields of records.
    Record(Vec<(&'a str, &'a Nested)>),
    /// The fields of tuples.
    Tuple(&'a [Nested]),
    /// Where elements are present, and as many elements: where one is missing, a list is empty, and a number may be anything.
    Option(&'a Array<bool>, &'a Nested),
    /// For each element its place among the different ones.
    Category(&'a Array<i64>, &'a Nested),
    /// Integers that stand for something; [`as_integers`](Nested::as_integers) gives them.
    Meant(&'a Meaning),
    /// For each element the number of its variant, and as many elements of each variant: where an element is of another, they may be anything.
    Union(&'a Array<i64>, &'a [Nested]),
}

impl Nested {
    /// The outermost level, and what lies below it. It computes nothing.
    ///
    /// ```
    /// use nestled_nested::{Layer, Nested};
    /// assert!(matches!(Nested::from_iter(["a"]).layer(), Layer::Strings(_, bytes) if bytes.len() == 1));
    /// ```
    pub fn layer(&self) -> Layer<'_> {
        match &self.layout {
            Layout::Leaf(column) => Layer::Number(column.kind()),
            Layout::List(Face::List, rows, content) => Layer::Lists(rows.segments(), content),
            Layout::List(Face::String, rows, content) => Layer::Strings(rows.segments(), content),
            Layout::List(Face::Bytes, rows, content) => Layer::Bytes(rows.segments(), content),
            Layout::Fixed(size, content) => Layer::Fixed(*size, content),
            Layout::Record(fields) => {
                Layer::Record(fields.iter().map(|(name, field)| (&**name, field)).collect())
            }
            Layout::Tuple(fields) => Layer::Tuple(fields),
            Layout::Option(valid, content) => Layer::Option(valid, content),
            Layout::Category(codes, words) => Layer::Category(codes, words),
            Layout::Meant(meaning, _) => Layer::Meant(meaning),
            Layout::Union(tags, variants) => Layer::Union(tags, variants),
        }
    }

    /// As [`in_strings`](Nested::in_strings), of bytes that the caller knows to be texts: nothing is computed.
    #[doc(hidden)]
    pub fn in_known_strings(&self, segments: &Segments) -> Nested {
        Nested::list(Face::String, &Rows::new(segments.clone()), self.clone())
    }

    /// As [`categories`](Nested::categories), of codes that the caller knows to be places of words: nothing is computed.
    #[doc(hidden)]
    pub fn known_categories(codes: &Array<i64>, words: &Nested) -> Nested {
        Nested::category(codes, words)
    }

    /// The elements at these places, blank at places outside: numbers are 0, lists are empty.
    #[doc(hidden)]
    #[track_caller]
    pub fn spread_to(&self, places: &Array<i64>) -> nestled_array::Result<Nested> {
        crate::fault::told("spread_to", self.take(places))
    }

    /// As [`union`](Nested::union), of tags that the caller knows to be numbers of variants: nothing is computed.
    #[doc(hidden)]
    pub fn known_union(tags: &Array<i64>, variants: Vec<Nested>) -> Nested {
        Nested::united(tags, variants)
    }

    /// As [`with_validity`](Nested::with_validity), of elements that cannot be missing yet, among which the caller knows lists to be empty where the mask is false: nothing is
    /// computed.
    #[doc(hidden)]
    pub fn with_known_validity(&self, valid: &Array<bool>) -> Nested {
        Nested::present(valid.clone(), self.clone())
    }

    /// A column of NESL, of a type that a routine wants.
    #[doc(hidden)]
    #[track_caller]
    pub fn nesl_column(&self, ty: &NeslType) -> nestled_array::Result<NeslColumn> {
        crate::fault::told("nesl", nesl_columns::given(self, ty))
    }

    /// The elements that a routine gave, so many. Sequences of `char` are texts, or bytes where they cannot be.
    #[doc(hidden)]
    #[track_caller]
    pub fn of_nesl_column(column: &NeslColumn, count: usize) -> nestled_array::Result<Nested> {
        let made = nesl_columns::taken(column, count, false);
        crate::fault::told("nesl", made.or_else(|_| nesl_columns::taken(column, count, true)))
    }
}
