//! Parts: what the outermost dimension of a nested array is made of, for those who walk through one.

use crate::nested::{Face, Layout, Nested};
use crate::schema::Kind;
use nestled_array::{Array, Segments};

/// The outermost dimension of a nested array.
///
/// ```
/// use nestled_nested::{Nested, Part};
/// fn levels(nested: &Nested) -> usize {
///     match nested.part() {
///         Part::Lists(_, content) | Part::Fixed(_, content) => 1 + levels(content),
///         _ => 0,
///     }
/// }
/// assert_eq!(levels(&Nested::from_iter([vec![vec![1, 2]], vec![]])), 2);
/// ```
#[derive(Clone, Debug)]
pub enum Part<'n> {
    /// Numbers or booleans; `Array::try_from` gives them.
    Numbers(Kind),
    /// Lists of any lengths, and the elements of all of them.
    Lists(&'n Segments, &'n Nested),
    /// Strings, and the bytes of all of them.
    Strings(&'n Segments, &'n Nested),
    /// Bytes, and those of all of them.
    Bytes(&'n Segments, &'n Nested),
    /// Lists of one length, and the elements of all of them.
    Fixed(usize, &'n Nested),
    /// Records: their fields.
    Record(Vec<(&'n str, &'n Nested)>),
    /// Tuples: their fields.
    Tuple(&'n [Nested]),
    /// Where elements are present, and as many elements. A list that is missing is empty; a number may be anything.
    Option(&'n Array<bool>, &'n Nested),
    /// For each element its place among the different ones, and these.
    Category(&'n Array<i64>, &'n Nested),
}

impl Nested {
    /// The outermost dimension.
    ///
    /// ```
    /// use nestled_nested::{Nested, Part};
    /// let rows = Nested::from_iter([vec![1, 2], vec![3]]);
    /// let Part::Lists(segments, numbers) = rows.part() else { panic!() };
    /// assert_eq!((segments.lengths().to_vec()?, numbers.len()), (vec![2, 1], 3));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    pub fn part(&self) -> Part<'_> {
        match &self.layout {
            Layout::Leaf(column) => Part::Numbers(column.kind()),
            Layout::List(face, rows, content) => match face {
                Face::List => Part::Lists(rows.segments(), content),
                Face::String => Part::Strings(rows.segments(), content),
                Face::Bytes => Part::Bytes(rows.segments(), content),
            },
            Layout::Fixed(size, content) => Part::Fixed(*size, content),
            Layout::Record(fields) => {
                Part::Record(fields.iter().map(|(name, field)| (&**name, field)).collect())
            }
            Layout::Tuple(fields) => Part::Tuple(fields),
            Layout::Option(valid, content) => Part::Option(valid, content),
            Layout::Category(codes, words) => Part::Category(codes, words),
        }
    }
}
