//! Flaws of keys: a part that is missing, or that is NaN, for which a key may be equal to none.

use super::differ::nan;
use crate::nested::{Layout, Nested};
use nestled_array::Array;

/// A part of a key that may make it equal to none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Missing,
    Nan,
}

impl Flaw {
    /// Where a part of a key has the flaw, if one may have it.
    pub fn of(self, keys: &Nested) -> Option<Array<bool>> {
        let any = |fields: &mut dyn Iterator<Item = &Nested>| {
            fields.filter_map(|field| self.of(field)).reduce(|one, other| one.or(other))
        };
        match &keys.layout {
            Layout::Option(valid, content) => {
                let inside = self.of(content).map(|inner| inner.and(valid));
                let missing = (self == Flaw::Missing).then(|| !valid);
                inside.into_iter().chain(missing).reduce(|one, other| one.or(other))
            }
            Layout::Record(fields) => any(&mut fields.iter().map(|(_, field)| field)),
            Layout::Tuple(fields) => any(&mut fields.iter()),
            Layout::Leaf(column) if self == Flaw::Nan && column.kind().is_float() => Some(nan(column)),
            Layout::List(..) | Layout::Fixed(..) => {
                let (rows, content) = keys.rows()?;
                Some(rows.counts(&self.of(content)?).gt(0))
            }
            Layout::Leaf(_) | Layout::Category(..) | Layout::Meant(..) | Layout::Union(..) => None,
        }
    }

    /// A mask of keys without those that have the flaw.
    pub fn left_out(self, keys: &Nested, mask: Array<bool>) -> Array<bool> {
        match self.of(keys) {
            Some(flawed) => mask.and(!flawed),
            None => mask,
        }
    }
}
