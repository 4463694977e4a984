//! Payload columns: arrays that move along with the keys.

use super::place::{Place, Results};
use crate::raw::{slice, slice_mut};

/// An array to move along, and the place for it in its new order.
#[derive(Debug)]
pub struct Column<'a>(pub(super) Elements<'a>);

/// The elements, as integers of their size.
#[derive(Debug)]
pub(super) enum Elements<'a> {
    One(&'a [u8], Results<'a, u8>),
    Two(&'a [u16], Results<'a, u16>),
    Four(&'a [u32], Results<'a, u32>),
    Eight(&'a [u64], Results<'a, u64>),
}

/// Element types of columns: any scalars.
#[expect(private_bounds, reason = "only the types below")]
pub trait Element: Sealed {}

trait Sealed: Copy {}

macro_rules! elements {
    ($($type:ty)*) => {$(
        impl Sealed for $type {}
        impl Element for $type {}
    )*};
}

elements!(bool i8 u8 i16 u16 i32 u32 i64 u64 usize f32 f64);

impl<'a> Column<'a> {
    /// Moves elements of `from` to `to`.
    ///
    /// # Panics
    /// If the lengths differ.
    #[allow(unsafe_code)] // Elements are looked at as integers of their size.
    pub fn new<T: Element>(from: &'a [T], to: &'a mut [T]) -> Column<'a> {
        assert_eq!(from.len(), to.len(), "the payload has a place to go");
        let (len, from, to) = (from.len(), from.as_ptr().cast(), to.as_mut_ptr().cast());
        // SAFETY: scalars are aligned to their size, as integers are; what is written are elements that were read.
        unsafe {
            Column(match size_of::<T>() {
                1 => Elements::One(slice(from, len), Results::new(slice_mut(to, len))),
                2 => Elements::Two(slice(from, len), Results::new(slice_mut(to, len))),
                4 => Elements::Four(slice(from, len), Results::new(slice_mut(to, len))),
                8 => Elements::Eight(slice(from, len), Results::new(slice_mut(to, len))),
                size => unreachable!("no scalar has {size} bytes"),
            })
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match &self.0 {
            Elements::One(from, _) => from.len(),
            Elements::Two(from, _) => from.len(),
            Elements::Four(from, _) => from.len(),
            Elements::Eight(from, _) => from.len(),
        }
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of an element.
    pub(super) fn size(&self) -> usize {
        match &self.0 {
            Elements::One(..) => 1,
            Elements::Two(..) => 2,
            Elements::Four(..) => 4,
            Elements::Eight(..) => 8,
        }
    }

    /// Joins elements, from a position on, to the records of their keys.
    #[inline(always)]
    pub(super) fn load<R>(&self, from: usize, records: &mut [R], join: impl Fn(&mut R, u64)) {
        macro_rules! load {
            ($elements:expr) => {{
                let elements = &$elements[from..from + records.len()];
                records
                    .iter_mut()
                    .zip(elements)
                    .for_each(|(record, element)| join(record, u64::from(*element)))
            }};
        }
        match &self.0 {
            Elements::One(elements, _) => load!(elements),
            Elements::Two(elements, _) => load!(elements),
            Elements::Four(elements, _) => load!(elements),
            Elements::Eight(elements, _) => load!(elements),
        }
    }

    /// Writes elements that records were joined with.
    #[inline(always)]
    pub(super) fn store<R: Copy>(&self, place: &mut Place, records: &[R], low: impl Fn(R) -> u64) {
        macro_rules! store {
            ($results:expr) => {{
                let results = $results.at(place);
                results.iter_mut().zip(records).for_each(|(result, record)| *result = low(*record) as _)
            }};
        }
        match &self.0 {
            Elements::One(_, results) => store!(results),
            Elements::Two(_, results) => store!(results),
            Elements::Four(_, results) => store!(results),
            Elements::Eight(_, results) => store!(results),
        }
    }

    /// Fetches elements from the positions that records were joined with.
    #[inline(always)]
    pub(super) fn gather<R: Copy>(&self, place: &mut Place, records: &[R], low: impl Fn(R) -> u64) {
        macro_rules! gather {
            ($elements:expr, $results:expr) => {{
                let results = $results.at(place);
                results
                    .iter_mut()
                    .zip(records)
                    .for_each(|(result, record)| *result = $elements[low(*record) as usize])
            }};
        }
        match &self.0 {
            Elements::One(elements, results) => gather!(elements, results),
            Elements::Two(elements, results) => gather!(elements, results),
            Elements::Four(elements, results) => gather!(elements, results),
            Elements::Eight(elements, results) => gather!(elements, results),
        }
    }
}
