//! Lists of two arrays at one place, along an axis.

use super::combine::together;
use crate::fault::{Outcome, fault};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;

/// The lists of one of two arrays; those that are missing are empty.
pub(super) struct Side {
    pub rows: Rows,
    pub content: Nested,
}

/// What is made of the lists at one place: the lengths of as many lists, and their elements.
pub(super) type OfSides<'f> = &'f mut dyn FnMut(&Side, &Side) -> Outcome<(Rows, Nested)>;

/// What a function makes of the lists of two arrays along an axis; missing where one of the two is.
pub(super) fn of_both(left: &Nested, right: &Nested, axis: isize, make: OfSides) -> Outcome<Nested> {
    if left.is_outermost(axis) {
        let single = |part: &Nested| Side { rows: Rows::single(part.length), content: part.clone() };
        return Ok(make(&single(left), &single(right))?.1);
    }
    together(&[left.clone(), right.clone()], axis, &mut |sides| {
        let lists = |side: &Nested| match side.as_rows()? {
            Some((rows, content)) => Ok(Side { rows, content }),
            None => fault(format!("`{}` has no lists", side.schema())),
        };
        let (rows, made) = make(&lists(&sides[0])?, &lists(&sides[1])?)?;
        let made = Nested::lists(&rows, made);
        match sides.iter().filter_map(|side| side.parts().0).cloned().reduce(|one, other| one.and(other)) {
            Some(valid) => made.optional(&valid),
            None => Ok(made),
        }
    })
}

/// The elements of both; words where only one of the two has categories.
pub(super) fn contents(left: &Side, right: &Side) -> Outcome<[Nested; 2]> {
    let is_category = |side: &Side| matches!(side.content.parts().1.layout, Layout::Category(..));
    let (left, right) = match (is_category(left), is_category(right)) {
        (true, false) => (left.content.words()?, right.content.clone()),
        (false, true) => (left.content.clone(), right.content.words()?),
        _ => (left.content.clone(), right.content.clone()),
    };
    Ok([left, right])
}
