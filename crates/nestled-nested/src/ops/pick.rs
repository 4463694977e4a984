//! Elements by their places: one of each list, or as many as a list of places has. Negative places count from the end.

use super::count::rows_of;
use super::filter::{Aligned, aligned};
use super::missing::what;
use super::term::Term;
use crate::column::{Column, each};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Result};

impl Nested {
    /// The element at a place of each list along an axis: `array[:, 1]`, `array[:, -1]`. The place is a number, or an array with one for each list. The axis is taken away; along
    /// the outermost it is one element, and if that is a list its elements: `array[3]`. Computes at once whether each list has the place.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![4, 5]]);
    /// assert_eq!(rows.at(-1, 1)?.to_list()?.to_string(), "[3, 5]");
    /// assert_eq!(rows.at(1, 0)?.to_list()?.to_string(), "[4, 5]");
    /// assert_eq!(rows.at(&Nested::from_iter([2, 0]), 1)?.to_list()?.to_string(), "[3, 4]");
    /// let error = rows.at(2, 1).unwrap_err();
    /// assert!(error.to_string().ends_with("list 1 has 2 elements, none at 2"), "{error}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// A list does not have the place, there is no such axis, or places are no integers; and errors of evaluation.
    #[track_caller]
    pub fn at(&self, place: impl Into<Term>, axis: isize) -> Result<Nested> {
        told("at", self.element(&place.into(), axis, true))
    }

    /// As [`at`](Nested::at), but missing where a list does not have the place, which computes nothing if elements are no lists. Along the outermost axis it is an array of one.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![4, 5], vec![]]);
    /// assert_eq!(rows.get(2, 1)?.to_list()?.to_string(), "[3, None, None]");
    /// let best = rows.argmax(1)?;
    /// assert_eq!(rows.get(&best, 1)?.to_list()?.to_string(), "[3, 5, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or places are no integers; and errors of evaluation.
    #[track_caller]
    pub fn get(&self, place: impl Into<Term>, axis: isize) -> Result<Nested> {
        told("get", self.element(&place.into(), axis, false))
    }

    fn element(&self, place: &Term, axis: isize, must: bool) -> Outcome<Nested> {
        match place {
            Term::Int(place) if self.is_outermost(axis) => self.alone_at(*place, must),
            Term::Int(place) => {
                if must {
                    let lacks = self.at_axis(axis, &mut |lists| Ok(Nested::of(lacking(lists, *place)?)))?;
                    first_lacking(&lacks, None, *place, self, axis)?;
                }
                self.at_axis(axis, &mut |lists| one_of_each(lists, &Array::scalar(*place), None, must))
            }
            Term::Nested(places) => self.one_each(places, self.counted(axis), must),
            Term::Float(_) | Term::Bool(_) | Term::String(_) => {
                fault(format!("a place is an integer, not {}", what(place)))
            }
        }
    }

    /// An axis counted from the outermost, if that is one.
    pub(crate) fn counted(&self, axis: isize) -> isize {
        let (least, most) = self.levels();
        if axis < 0 && least == most { 1 + most as isize + axis } else { axis }
    }

    /// The element at a place: the elements of a list, or an array of one.
    fn alone_at(&self, place: i64, must: bool) -> Outcome<Nested> {
        let length = self.length as i64;
        let from = if place < 0 { place + length } else { place };
        let inside = (0..length).contains(&from);
        let one = self.take(&Array::from_vec(vec![if inside { from } else { -1 }]))?;
        if !must {
            return Ok(one.blank_outside(Array::from_vec(vec![inside])));
        }
        if !inside {
            return fault(format!("there are {length} elements, none at {place}"));
        }
        let (valid, present) = one.parts();
        match present.rows().filter(|_| present.is_lists()) {
            Some(_) if valid.is_some_and(|valid| valid.to_vec().is_ok_and(|valid| !valid[0])) => {
                fault(format!("the list at {place} is missing"))
            }
            Some((_, content)) => Ok(content.clone()),
            None => Ok(one),
        }
    }

    /// One element of each list along an axis, counted from the outermost, at a place of its own.
    fn one_each(&self, places: &Nested, axis: isize, must: bool) -> Outcome<Nested> {
        if axis < 1 {
            return fault("places for each list are along an axis of lists, from 1");
        }
        if let Some(mapped) = self.map_fields(&mut |field| field.one_each(places, axis, must))? {
            return Ok(mapped);
        }
        if axis > 1 {
            let Aligned { rows, contents: [content, inner], valid } = aligned(self, places)?;
            let made = Nested::lists(&rows, content.one_each(&inner, axis - 1, must)?);
            return Ok(made.present_if(valid));
        }
        if self.length != places.length {
            return fault(format!("{} places for {} lists", places.length, self.length));
        }
        let Some((rows, content)) = self.as_rows()? else {
            return fault(format!("`{}` has no lists", self.schema()));
        };
        let (own, place) = integers(places)?;
        let valid = both(self.parts().0, own.as_ref());
        let lists = Nested::lists(&rows, content);
        if must {
            check(&rows, &place, valid.as_ref())?;
        }
        let made = one_of_each(&lists, &place, own.as_ref(), must)?;
        match self.parts().0 {
            Some(valid) => made.optional(valid),
            None => Ok(made),
        }
    }

    /// The elements at places. Places without lists choose elements of the outermost dimension: `array[[3, 0]]`; lists of places choose elements of each list:
    /// `array[[[0], [], [1, 1]]]`, as `argsort` gives them. Where a place is missing, so is the element. Computes at once whether each list has its places.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![], vec![4, 5]]);
    /// assert_eq!(rows.pick(&Nested::from_iter([2, -3]))?.to_list()?.to_string(), "[[4, 5], [1, 2, 3]]");
    /// let places = Nested::from_iter([vec![Some(2), None], vec![], vec![Some(0), Some(0)]]);
    /// assert_eq!(rows.pick(&places)?.to_list()?.to_string(), "[[3, None], [], [4, 4]]");
    /// let error = rows.pick(&Nested::from_iter([vec![], vec![0], vec![]])).unwrap_err();
    /// assert!(error.to_string().ends_with("list 1 has 0 elements, none at 0"), "{error}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// A list does not have a place, places are no integers, or there are other lists; and errors of evaluation.
    #[track_caller]
    pub fn pick(&self, places: &Nested) -> Result<Nested> {
        told("pick", self.picked(places))
    }

    pub(super) fn picked(&self, places: &Nested) -> Outcome<Nested> {
        if !places.parts().1.is_lists() {
            let (valid, place) = integers(places)?;
            return from_rows(&Rows::single(self.length), self, &Rows::single(places.length), &place, valid);
        }
        if let Some(mapped) = self.map_fields(&mut |field| field.picked(places))? {
            return Ok(mapped);
        }
        if self.length != places.length {
            return fault(format!("lists of places for {} of {} lists", places.length, self.length));
        }
        let is_deep = places.parts().1.rows().is_some_and(|(_, inner)| inner.parts().1.is_lists());
        if is_deep {
            let Aligned { rows, contents: [content, inner], valid } = aligned(self, places)?;
            let made = Nested::lists(&rows, content.picked(&inner)?);
            return Ok(made.present_if(valid));
        }
        self.picked_in_lists(places)
    }

    fn picked_in_lists(&self, places: &Nested) -> Outcome<Nested> {
        // A list that is missing has no places.
        let kept = match self.parts().0 {
            Some(valid) => &places.optional(valid)?,
            None => places,
        };
        let (Some((rows, content)), Some((own, inner))) = (self.as_rows()?, kept.as_rows()?) else {
            return fault(format!("`{}` has no lists to choose from", self.schema()));
        };
        let (valid, place) = integers(&inner)?;
        let chosen = from_rows(&rows, &content, &own, &place, valid)?;
        let made = match &kept.layout {
            Layout::Fixed(size, _) => Nested::fixed(kept.length, *size, chosen)?,
            _ => Nested::lists(&own, chosen),
        };
        Ok(made.present_if(kept.parts().0.cloned()))
    }
}

/// The elements of each list at the places that a list of places has for it.
fn from_rows(
    rows: &Rows,
    content: &Nested,
    own: &Rows,
    place: &Array<i64>,
    valid: Option<Array<bool>>,
) -> Outcome<Nested> {
    let (lengths, starts) = (own.spread(rows.lengths()), own.spread(rows.starts()));
    let (place_in_list, inside) = inside(place, &lengths);
    let lacks = within(!&inside, valid.as_ref());
    if lacks.any().item()? {
        return no_place(&lacks, place, own, &lengths);
    }
    let there = within(inside, valid.as_ref());
    let made = content.take(&there.select(starts + place_in_list, -1))?;
    Ok(match valid {
        Some(valid) => made.blank_outside(valid),
        None => made,
    })
}

fn no_place<T>(lacks: &Array<bool>, place: &Array<i64>, own: &Rows, lengths: &Array<i64>) -> Outcome<T> {
    let at = lacks.to_vec()?.iter().position(|&lacks| lacks).unwrap_or(0);
    let (place, list, length) = (place.to_vec()?[at], own.owners().to_vec()?[at], lengths.to_vec()?[at]);
    match own.count() {
        1 => fault(format!("there are {length} elements, none at {place}")),
        _ => fault(format!("list {list} has {length} elements, none at {place}")),
    }
}

/// Places counted from the beginning, and whether lists of these lengths have them.
fn inside(place: &Array<i64>, lengths: &Array<i64>) -> (Array<i64>, Array<bool>) {
    let place = place.lt(0).select(lengths + place, place);
    let inside = place.ge(0).and(place.lt(lengths));
    (place, inside)
}

fn within(mask: Array<bool>, valid: Option<&Array<bool>>) -> Array<bool> {
    match valid {
        Some(valid) => mask.and(valid),
        None => mask,
    }
}

fn both(one: Option<&Array<bool>>, other: Option<&Array<bool>>) -> Option<Array<bool>> {
    one.into_iter().chain(other).cloned().reduce(|one, other| one.and(other))
}

/// The element of each list at a place of its own, missing where there is none; but not where it must be there.
fn one_of_each(
    lists: &Nested,
    place: &Array<i64>,
    valid: Option<&Array<bool>>,
    must: bool,
) -> Outcome<Nested> {
    let (rows, content) = rows_of(lists)?;
    let (place, there) = inside(place, rows.lengths());
    let there = within(there, valid);
    let made = content.take(&there.select(rows.starts() + place, -1))?;
    Ok(match valid {
        Some(valid) if must => made.blank_outside(valid.clone()),
        None if must => made,
        _ => made.blank_outside(there),
    })
}

/// True for lists that do not have a place.
fn lacking(lists: &Nested, place: i64) -> Outcome<Array<bool>> {
    let (rows, _) = rows_of(lists)?;
    Ok(!inside(&Array::scalar(place), rows.lengths()).1)
}

/// An error if a list lacks its place and is not missing.
fn check(rows: &Rows, place: &Array<i64>, valid: Option<&Array<bool>>) -> Outcome<()> {
    let lacks = within(!inside(place, rows.lengths()).1, valid);
    if !lacks.any().item()? {
        return Ok(());
    }
    let list = lacks.to_vec()?.iter().position(|&lacks| lacks).unwrap_or(0);
    let (place, length) = (place.to_vec()?[list], rows.lengths().to_vec()?[list]);
    fault(format!("list {list} has {length} elements, none at {place}"))
}

/// An error if one of the truth values is true, where a mask holds and nothing is missing: lists of an array that lack a place.
fn first_lacking(
    lacks: &Nested,
    care: Option<&Array<bool>>,
    place: i64,
    array: &Nested,
    axis: isize,
) -> Outcome<()> {
    match &lacks.layout {
        Layout::Leaf(Column::Bool(mask)) => {
            let mask = within(mask.clone(), care);
            if !mask.any().item()? {
                return Ok(());
            }
            let list = mask.to_vec()?.iter().position(|&lacks| lacks).unwrap_or(0);
            let lengths =
                array.at_axis(axis, &mut |lists| Ok(Nested::of(rows_of(lists)?.0.lengths().clone())))?;
            match length_at(&lengths, list) {
                Some(length) => fault(format!("list {list} has {length} elements, none at {place}")),
                None => fault(format!("a list has no element at {place}")),
            }
        }
        Layout::Leaf(_) | Layout::Category(..) | Layout::Meant(..) | Layout::Union(..) => Ok(()),
        Layout::Option(valid, content) => {
            let care = within(valid.clone(), care);
            first_lacking(content, Some(&care), place, array, axis)
        }
        Layout::List(_, _, content) => first_lacking(content, None, place, array, axis),
        Layout::Fixed(size, content) => {
            let care = care.map(|care| Rows::even(lacks.length, *size).spread(care));
            first_lacking(content, care.as_ref(), place, array, axis)
        }
        Layout::Record(fields) => {
            fields.iter().try_for_each(|(_, field)| first_lacking(field, care, place, array, axis))
        }
        Layout::Tuple(fields) => {
            fields.iter().try_for_each(|field| first_lacking(field, care, place, array, axis))
        }
    }
}

/// The length of a list, counted over all of them, where there are no records.
fn length_at(lengths: &Nested, list: usize) -> Option<i64> {
    match &lengths.layout {
        Layout::Leaf(Column::Int64(lengths)) => lengths.to_vec().ok()?.get(list).copied(),
        Layout::Option(_, content) | Layout::List(_, _, content) | Layout::Fixed(_, content) => {
            length_at(content, list)
        }
        Layout::Leaf(_)
        | Layout::Category(..)
        | Layout::Record(_)
        | Layout::Tuple(_)
        | Layout::Meant(..)
        | Layout::Union(..) => None,
    }
}

/// Integers without lists, and where they are present. What no value tells is no integer, but there is none of it.
pub(super) fn integers(places: &Nested) -> Outcome<(Option<Array<bool>>, Array<i64>)> {
    let (valid, present) = places.parts();
    match &present.layout {
        Layout::Leaf(column) if column.len() == 0 || column.kind().is_integer() => {
            Ok((valid.cloned(), each!(column, x => x.cast())))
        }
        _ => fault(format!("places are integers, not `{}`", places.schema())),
    }
}
