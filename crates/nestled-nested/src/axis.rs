//! Axes: which lists an axis means. 0 is the outermost dimension, 1 that of its lists; −1 is the innermost, below records for each field by itself.

use crate::fault::{Outcome, fault};
use crate::nested::{Layout, Nested};

impl Nested {
    /// The least and the greatest number of lists around a leaf.
    pub(crate) fn levels(&self) -> (usize, usize) {
        let deeper = |(least, most): (usize, usize)| (least + 1, most + 1);
        match &self.layout {
            Layout::Leaf(_) | Layout::Category(..) | Layout::Meant(..) | Layout::Union(..) => (0, 0),
            Layout::List(_, _, content) | Layout::Fixed(_, content) if self.is_lists() => {
                deeper(content.levels())
            }
            Layout::List(..) | Layout::Fixed(..) => (0, 0),
            Layout::Option(_, content) => content.levels(),
            Layout::Record(fields) => across(fields.iter().map(|(_, field)| field.levels())),
            Layout::Tuple(fields) => across(fields.iter().map(Nested::levels)),
        }
    }

    /// True if an axis is the outermost.
    pub(crate) fn is_outermost(&self, axis: isize) -> bool {
        let (least, most) = self.levels();
        axis == 0 || (least == most && axis == -1 - most as isize)
    }

    /// The array with the lists along an axis replaced: `map` is given lists, of any lengths or of one, that are not missing. The axis is not the outermost.
    pub(crate) fn at_axis(
        &self,
        axis: isize,
        map: &mut dyn FnMut(&Nested) -> Outcome<Nested>,
    ) -> Outcome<Nested> {
        self.below(axis, 0, map)
    }

    /// `here` is the number of the own dimension.
    fn below(
        &self,
        axis: isize,
        here: isize,
        map: &mut dyn FnMut(&Nested) -> Outcome<Nested>,
    ) -> Outcome<Nested> {
        let (least, most) = self.levels();
        let axis = if axis < 0 && least == most { here + 1 + most as isize + axis } else { axis };
        if (axis >= 0 || least == most) && (axis <= here || axis > here + most as isize) {
            return fault(format!(
                "`{}` has no such axis: its lists are {most} levels deep here",
                self.schema()
            ));
        }
        match &self.layout {
            Layout::Option(valid, content) => content.below(axis, here, map)?.missing_again(valid, content),
            Layout::Record(_) | Layout::Tuple(_) => {
                let mapped = self.map_fields(&mut |field| field.below(axis, here, map))?;
                Ok(mapped.unwrap_or_else(|| self.clone()))
            }
            Layout::List(..) | Layout::Fixed(..) if axis == here + 1 => map(self),
            Layout::List(..) | Layout::Fixed(..) => {
                self.map_content(&mut |content| content.below(axis, here + 1, map))
            }
            Layout::Leaf(_) | Layout::Category(..) | Layout::Meant(..) | Layout::Union(..) => {
                fault(format!("`{}` has no such axis", self.schema()))
            }
        }
    }

    /// The elements made of present ones, missing again where those were.
    fn missing_again(&self, valid: &nestled_array::Array<bool>, before: &Nested) -> Outcome<Nested> {
        match (&self.layout, &before.layout) {
            (Layout::List(_, rows, _), Layout::List(_, own, _)) if rows.is(own) => {
                Ok(Nested::present(valid.clone(), self.clone()))
            }
            _ => self.optional(valid),
        }
    }

    /// Lists as rows: those of one length too, and those that are missing as empty ones.
    pub(crate) fn as_rows(&self) -> Outcome<Option<(crate::rows::Rows, Nested)>> {
        let (valid, lists) = self.parts();
        let listed = match (&lists.layout, valid) {
            (Layout::Fixed(..), Some(valid)) => {
                let Some((rows, content)) = lists.rows() else { return Ok(None) };
                Nested::lists(&rows, content.clone()).optional(valid)?
            }
            _ => lists.clone(),
        };
        let (_, lists) = listed.parts();
        Ok(lists.rows().filter(|_| lists.is_lists()).map(|(rows, content)| (rows, content.clone())))
    }
}

fn across(levels: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    levels.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))).unwrap_or((0, 0))
}
