//! Rows: the lengths of lists that lie one after another, and what follows from them, each computed at most once.

use crate::column::{Column, Typed};
use nestled_array::{Array, Evaluate, Handle, Number, Outside, Ragged, Segments};
use std::sync::{Arc, OnceLock};

/// The lengths of lists. Clones are known to be equal without a look at the numbers.
#[derive(Clone)]
pub(crate) struct Rows(Arc<Inner>);

struct Inner {
    segments: Segments,
    starts: OnceLock<Array<i64>>,
    owners: OnceLock<Array<i64>>,
    places: OnceLock<Array<i64>>,
}

impl Rows {
    pub fn new(segments: Segments) -> Rows {
        let (starts, owners, places) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Rows(Arc::new(Inner { segments, starts, owners, places }))
    }

    /// Lists with lengths whose sum is known. Nobody but us computes such lengths.
    pub fn known(lengths: &Array<i64>, total: usize) -> Rows {
        Rows::new(Segments::with_total(lengths, total))
    }

    /// Lists with computed lengths: their sum is computed at once.
    pub fn of(lengths: &Array<i64>) -> nestled_array::Result<Rows> {
        Ok(Rows::new(Segments::of(lengths)?))
    }

    /// One list of everything.
    pub fn single(total: usize) -> Rows {
        Rows::new(Segments::from_lengths(&[total]))
    }

    /// Lists of one length.
    pub fn even(count: usize, size: usize) -> Rows {
        Rows::known(&Array::fill(size as i64, &[count]), count * size)
    }

    pub fn segments(&self) -> &Segments {
        &self.0.segments
    }

    pub fn count(&self) -> usize {
        self.0.segments.count()
    }

    pub fn total(&self) -> usize {
        self.0.segments.total()
    }

    pub fn lengths(&self) -> &Array<i64> {
        self.0.segments.lengths()
    }

    /// The number of elements before each list.
    pub fn starts(&self) -> &Array<i64> {
        self.0.starts.get_or_init(|| self.0.segments.starts())
    }

    /// For each element the list it lies in.
    pub fn owners(&self) -> &Array<i64> {
        self.0.owners.get_or_init(|| self.0.segments.owners())
    }

    /// For each element its place in its list.
    pub fn places(&self) -> &Array<i64> {
        self.0.places.get_or_init(|| Array::range(self.total()) - self.spread(self.starts()))
    }

    /// For as many positions as there are elements, each in the same list as the element at its own place: the place in that list. Nothing is gathered for it.
    pub fn places_within(&self, positions: &Array<i64>) -> Array<i64> {
        positions - (Array::range(self.total()) - self.places())
    }

    /// For each element the value of its list.
    pub fn spread<T: Typed>(&self, values: &Array<T>) -> Array<T> {
        values.take(0, self.owners(), Outside::Default(T::default()))
    }

    /// For each element its place in its list, counted from a number that the list has.
    pub fn places_from(&self, begins: &Array<i64>) -> Array<i64> {
        Array::range(self.total()) + self.spread(&(begins - self.starts()))
    }

    /// Elements in these lists, for the operations of arrays on segments.
    pub fn ragged<T: Typed>(&self, values: &Array<T>) -> Ragged<T> {
        crate::fault::expect(Ragged::new(values, &self.0.segments))
    }

    /// The sum of each list.
    pub fn sums<T: Typed + Number>(&self, values: &Array<T>) -> Array<T::Wide> {
        self.ragged(values).sum()
    }

    /// The number of elements of each list that a mask marks.
    pub fn counts(&self, mask: &Array<bool>) -> Array<i64> {
        self.sums(&mask.cast::<i64>())
    }

    /// The elements at places where each list keeps some of them: how many each keeps, and how many all.
    pub fn kept(&self, mask: &Array<bool>, total: usize) -> Rows {
        Rows::known(&self.counts(mask), total)
    }

    /// The lists of these lists as one: `self` says how many of `inner` each has.
    pub fn joined(&self, inner: &Rows) -> Rows {
        Rows::known(&self.sums(inner.lengths()), inner.total())
    }

    /// True if both have the same lengths: at once where one is a clone of the other, and else computed.
    pub fn same(&self, other: &Rows) -> nestled_array::Result<bool> {
        if self.is(other) {
            return Ok(true);
        }
        if self.count() != other.count() || self.total() != other.total() {
            return Ok(false);
        }
        Ok(!self.lengths().ne(other.lengths()).any().item()?)
    }

    /// True if one is a clone of the other.
    pub fn is(&self, other: &Rows) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The first list in which the lengths differ.
    pub fn difference(&self, other: &Rows) -> nestled_array::Result<Option<(usize, i64, i64)>> {
        let (own, others) = (self.lengths().to_vec()?, other.lengths().to_vec()?);
        let place = own.iter().zip(&others).position(|(one, other)| one != other);
        Ok(place.map(|place| (place, own[place], others[place])))
    }
}

impl Evaluate for Rows {
    fn nodes(&self, into: &mut Vec<Handle>) {
        self.lengths().nodes(into);
    }
}

/// The numbers 0, 1, … as a column.
pub(crate) fn counting(length: usize) -> Column {
    Column::from(Array::<i64>::range(length))
}
