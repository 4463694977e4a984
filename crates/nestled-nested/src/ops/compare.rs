//! Equality of texts, and of whole arrays.

use super::arithmetic_columns::{Binary, binary};
use super::bytes::{decoded, text};
use super::differ::differ;
use super::order::codes_of;
use super::term::Term;
use crate::column::Column;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Outside, Result};

/// Equality as asked for; `None` if order is.
fn as_asked(op: Binary, equal: Array<bool>) -> Option<Nested> {
    match op {
        Binary::Eq => Some(Nested::of(equal)),
        Binary::Ne => Some(Nested::of(!equal)),
        _ => None,
    }
}

/// Texts in order, byte by byte; one of the two may be a single one.
fn in_order(op: Binary, sides: &[Nested; 2]) -> Outcome<Nested> {
    if !matches!(op, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge) {
        return fault("texts are compared, and nothing else is done with two");
    }
    let codes: Vec<Column> = codes_of(sides)?.into_iter().map(Column::from).collect();
    Ok(Nested::leaf(binary(op, &codes[0], &codes[1])?))
}

/// Compares texts with texts; `None` if they are none.
pub(super) fn texts(op: Binary, sides: &[Nested]) -> Outcome<Option<Nested>> {
    let is_text = |side: &Nested| text(side).is_some() || matches!(side.layout, Layout::Category(..));
    if !is_text(&sides[0]) || !is_text(&sides[1]) {
        return Ok(None);
    }
    let (left, right) = (decoded(&sides[0])?, decoded(&sides[1])?);
    match (text(&left), text(&right)) {
        (Some(one), Some(other)) => match as_asked(op, equal_texts(one, other)) {
            Some(made) => Ok(Some(made)),
            None => Ok(Some(in_order(op, &[left.clone(), right.clone()])?)),
        },
        _ => Ok(None),
    }
}

fn equal_texts((rows, bytes): (&Rows, &Array<u8>), (others, other): (&Rows, &Array<u8>)) -> Array<bool> {
    let there = rows.places_from(others.starts());
    let differ = bytes.ne(other.take(0, &there, Outside::Default(0)));
    rows.lengths().eq(others.lengths()).and(rows.counts(&differ).eq(0))
}

/// Compares texts with one, which is the first operand or the second; `None` if there are none.
pub(super) fn with_text(op: Binary, side: &Nested, term: &Term, first: bool) -> Outcome<Option<Nested>> {
    let Term::String(word) = term else { return Ok(None) };
    if let Layout::Category(codes, words) = &side.layout {
        return Ok(match with_text(op, words, term, first)? {
            Some(found) => Some(found.take(codes)?),
            None => None,
        });
    }
    let Some((rows, bytes)) = text(side) else { return Ok(None) };
    let there = Array::from_slice(word.as_bytes()).take(0, rows.places(), Outside::Default(0));
    let same_length = rows.lengths().eq(word.len() as i64);
    if let Some(made) = as_asked(op, same_length.and(rows.counts(&bytes.ne(there)).eq(0))) {
        return Ok(Some(made));
    }
    let (side, word) = (side.clone(), Nested::from_values([word.as_str()])?);
    in_order(op, &if first { [word, side] } else { [side, word] }).map(Some)
}

impl Nested {
    /// True if two arrays have one schema and the same elements; NaN is equal to NaN here. Computes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![]]);
    /// assert!(rows.is_equal(&Nested::from_iter([vec![1, 2], vec![]]))?);
    /// assert!(!rows.is_equal(&Nested::from_iter([vec![1], vec![2]]))?);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn is_equal(&self, other: &Nested) -> Result<bool> {
        if self.length != other.length || self.schema() != other.schema() {
            return Ok(false);
        }
        told("is_equal", all_equal(self, other, None))
    }
}

/// True if elements are equal where a mask holds.
fn all_equal(left: &Nested, right: &Nested, care: Option<&Array<bool>>) -> Outcome<bool> {
    match (&left.layout, &right.layout) {
        (Layout::Leaf(left), Layout::Leaf(right)) | (Layout::Meant(_, left), Layout::Meant(_, right)) => {
            Ok(!where_care(differ(left, right), care).any().item()?)
        }
        (Layout::List(_, rows, content), Layout::List(_, others, other)) => {
            Ok(rows.same(others)? && all_equal(content, other, None)?)
        }
        (Layout::Fixed(size, content), Layout::Fixed(_, other)) => {
            let care = care.map(|care| Rows::even(left.length, *size).spread(care));
            all_equal(content, other, care.as_ref())
        }
        (Layout::Record(fields), Layout::Record(others)) => {
            let pairs = fields.iter().zip(others);
            pairs.map(|((_, left), (_, right))| all_equal(left, right, care)).try_fold(true, both)
        }
        (Layout::Tuple(fields), Layout::Tuple(others)) => {
            fields.iter().zip(others).map(|(left, right)| all_equal(left, right, care)).try_fold(true, both)
        }
        (Layout::Option(valid, content), Layout::Option(others, other)) => {
            if where_care(valid.ne(others), care).any().item()? {
                return Ok(false);
            }
            all_equal(content, other, Some(&where_care(valid.clone(), care)))
        }
        (Layout::Category(..), Layout::Category(..)) => all_equal(&decoded(left)?, &decoded(right)?, care),
        (Layout::Union(tags, variants), Layout::Union(others, other)) => {
            if where_care(tags.ne(others), care).any().item()? {
                return Ok(false);
            }
            let pairs = variants.iter().zip(other).enumerate();
            let own = |place: usize| where_care(tags.eq(place as i64), care);
            pairs.map(|(place, (left, right))| all_equal_taken(left, right, &own(place))).try_fold(true, both)
        }
        // The schemas are equal, and so are then the layouts.
        _ => Ok(false),
    }
}

/// As [`all_equal`], where what a mask leaves out is not even empty.
fn all_equal_taken(left: &Nested, right: &Nested, care: &Array<bool>) -> Outcome<bool> {
    all_equal(&left.compress(care)?, &right.compress(care)?, None)
}

fn both(so_far: bool, next: Outcome<bool>) -> Outcome<bool> {
    Ok(so_far && next?)
}

fn where_care(mask: Array<bool>, care: Option<&Array<bool>>) -> Array<bool> {
    match care {
        Some(care) => mask.and(care),
        None => mask,
    }
}
