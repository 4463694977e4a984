//! A choice between two arrays by a mask. What is missing on the side that is not chosen does not matter.

use super::filter::not_bool;
use super::join::joined;
use super::meant::{Meant, aligned};
use super::term::{Term, literal};
use crate::column::Column;
use crate::fault::{InField, Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Result};

impl Nested {
    /// The elements of one where the array is true, those of another elsewhere: `ak.where`. Lists of the mask go with lists; a mask without lists chooses whole elements: numbers,
    /// texts, records, lists. Numbers take their common type. What is missing in the mask is missing in the result, and a list that is missing there counts as one of missing
    /// elements if another has a list in its place; on the side that is not chosen it does not matter. Numbers are chosen lazily; lists of other lengths on both sides, and lists that may be missing, compute at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, -2], vec![3]]);
    /// assert_eq!(rows.gt(0)?.choose(&rows, 0)?.to_list()?.to_string(), "[[1, 0], [3]]");
    /// let others = Nested::from_iter([None, Some(vec![7, 8, 9])]);
    /// let mask = Nested::from_iter([true, false]);
    /// assert_eq!(mask.choose(&rows, &others)?.to_list()?.to_string(), "[[1, -2], [7, 8, 9]]");
    /// let words = Nested::from_iter(["a", "b"]);
    /// assert_eq!(mask.choose(&words, "none")?.to_list()?.to_string(), r#"["a", "none"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The array is not of `bool`, the others do not go together, or lists of the mask differ in length from theirs; and errors of evaluation.
    #[track_caller]
    pub fn choose(&self, yes: impl Into<Term>, no: impl Into<Term>) -> Result<Nested> {
        told("choose", chosen(self, [&yes.into(), &no.into()]))
    }
}

/// The choice, by a mask of any depth.
fn chosen(mask: &Nested, sides: [&Term; 2]) -> Outcome<Nested> {
    for side in sides.into_iter().filter_map(array) {
        if side.length != mask.length {
            return fault(format!("{} elements do not go together with {}", mask.length, side.length));
        }
    }
    match &mask.layout {
        Layout::Option(_, present) if present.is_lists() => by_lists(mask, sides),
        Layout::Option(valid, present) => chosen(present, sides)?.optional(valid),
        Layout::Leaf(Column::Bool(mask)) => by_element(mask, sides),
        _ if !mask.is_lists() => not_bool(mask),
        layout => {
            let Some((rows, content)) = mask.rows() else { return not_bool(mask) };
            let [yes, no] = [
                of_array(sides[0], &mut |side| spread(side, &rows))?,
                of_array(sides[1], &mut |side| spread(side, &rows))?,
            ];
            let made = chosen(content, [&yes, &no])?;
            match layout {
                Layout::Fixed(size, _) => Nested::fixed(mask.length, *size, made),
                _ => Ok(Nested::lists(&rows, made)),
            }
        }
    }
}

/// The choice by a mask whose lists may be missing. For such a list the mask has missing elements, as many as the sides have; where all lists are missing, the result is.
fn by_lists(mask: &Nested, sides: [&Term; 2]) -> Outcome<Nested> {
    let present = mask.parts().1;
    let others = sides.into_iter().filter_map(array).filter(|side| side.parts().1.is_lists());
    let lists: Vec<&Nested> = others.chain([mask]).collect();
    let alike = lists.iter().all(|side| are_alike(side.parts().1, present));
    let rows = match present.rows() {
        Some((rows, _)) if alike => rows,
        _ => longest(&lists)?,
    };
    let [yes, no] = sides.map(|side| of_array(side, &mut |side| spread(side, &rows)));
    let made = chosen(&spread(mask, &rows)?, [&yes?, &no?])?;
    let made = match present.layout {
        Layout::Fixed(size, _) if alike => Nested::fixed(mask.length, size, made)?,
        _ => Nested::lists(&rows, made),
    };
    // Where one may not be missing, none is.
    let there: Option<Vec<&Array<bool>>> = lists.iter().map(|side| side.parts().0).collect();
    Ok(made
        .present_if(there.and_then(|there| there.into_iter().cloned().reduce(|one, other| one.or(&other)))))
}

/// As many elements as the longest list has that is present. Computes their number.
fn longest(lists: &[&Nested]) -> Outcome<Rows> {
    let mut most = Array::scalar(0i64);
    for side in lists {
        let (valid, present) = side.parts();
        let Some((rows, _)) = present.rows() else { continue };
        most = match valid {
            Some(valid) => valid.select(rows.lengths(), 0).maximum(most),
            None => rows.lengths().maximum(most),
        };
    }
    Ok(Rows::of(&most)?)
}

fn array(term: &Term) -> Option<&Nested> {
    match term {
        Term::Nested(nested) => Some(nested),
        _ => None,
    }
}

/// A function of a term that is an array.
fn of_array(term: &Term, map: &mut dyn FnMut(&Nested) -> Outcome<Nested>) -> Outcome<Term> {
    match term {
        Term::Nested(nested) => Ok(Term::Nested(map(nested)?)),
        other => Ok(other.clone()),
    }
}

/// The elements of lists that must have certain lengths, missing ones for a list that is missing; or for each element the value of its list.
fn spread(side: &Nested, rows: &Rows) -> Outcome<Nested> {
    let (valid, present) = side.parts();
    let Some((own, content)) = present.rows().filter(|_| present.is_lists()) else {
        return side.take(rows.owners());
    };
    if own.is(rows) {
        return Ok(content.clone());
    }
    let Some(valid) = valid else {
        return if own.same(rows)? { Ok(content.clone()) } else { other_lengths(rows, &own) };
    };
    let wanted = valid.select(rows.lengths(), own.lengths());
    if own.lengths().ne(&wanted).any().item()? {
        return other_lengths(&Rows::of(&wanted)?, &own);
    }
    let there = rows.spread(valid);
    let places = rows.places_from(own.starts());
    Ok(content.take(&there.select(&places, -1))?.blank_outside(there))
}

fn other_lengths<T>(rows: &Rows, own: &Rows) -> Outcome<T> {
    match rows.difference(own)? {
        Some((place, one, other)) => fault(format!("list {place} has {one} elements here and {other} there")),
        None => fault("lists differ in length"),
    }
}

/// The choice of whole elements.
fn by_element(mask: &Array<bool>, sides: [&Term; 2]) -> Outcome<Nested> {
    let arrays: Vec<&Nested> = sides.into_iter().filter_map(array).collect();
    let presents: Vec<&Nested> = arrays.iter().map(|side| side.parts().1).collect();
    if presents.iter().all(|side| matches!(side.layout, Layout::Leaf(_) | Layout::Meant(..))) {
        return number(mask, sides);
    }
    if let [one, other] = presents[..] {
        let by_field = field_by_field(mask, one, other)?;
        if let Some(made) = by_field {
            return Ok(made.present_if(validity(mask, sides)));
        }
    }
    // Lists on one side only, or the same on both: their elements are chosen.
    let lists: Vec<&&Nested> = presents.iter().filter(|side| side.is_lists()).collect();
    let rows = lists.first().and_then(|side| side.rows());
    match rows {
        Some((rows, _)) if lists.len() < sides.len() || are_alike(lists[0], lists[1]) => {
            in_lists(mask, sides, &rows)
        }
        _ => taken(mask, sides),
    }
}

/// True if lists are known to have the same lengths.
fn are_alike(one: &Nested, other: &Nested) -> bool {
    match (&one.layout, &other.layout) {
        (Layout::List(_, one, _), Layout::List(_, other, _)) => one.is(other),
        (Layout::Fixed(one, _), Layout::Fixed(other, _)) => one == other,
        _ => false,
    }
}

/// If the chosen elements are present, where one of them may be missing.
fn validity(mask: &Array<bool>, sides: [&Term; 2]) -> Option<Array<bool>> {
    let valid = sides.map(|side| array(side).and_then(|side| side.parts().0).cloned());
    let there = |valid: Option<Array<bool>>| valid.unwrap_or_else(|| Array::scalar(true));
    valid.iter().any(Option::is_some).then(|| {
        let [yes, no] = valid;
        mask.select(there(yes), there(no))
    })
}

/// The choice of numbers, and of what they stand for.
fn number(mask: &Array<bool>, sides: [&Term; 2]) -> Outcome<Nested> {
    let mut found = Vec::new();
    for side in sides {
        found.push(array(side).map(|side| Meant::of(side.parts().1)).transpose()?);
    }
    let other = found.iter().flatten().next().cloned();
    let mut numbers = Vec::new();
    for (side, found) in sides.into_iter().zip(found) {
        numbers.push(match (found, &other) {
            (Some(found), _) => found,
            (None, Some(Meant { meaning: Some(meaning), .. })) => Meant::literal(side, meaning)?,
            (None, Some(other)) => Meant { meaning: None, column: literal(side, other.column.kind())? },
            (None, None) if sides.iter().any(|side| matches!(side, Term::String(_))) => {
                return taken(mask, sides);
            }
            (None, None) => Meant { meaning: None, column: literal(side, lone(sides))? },
        });
    }
    Ok(picked(mask, &numbers[0], &numbers[1])?.present_if(validity(mask, sides)))
}

/// The elements of one where a mask holds, in a type or a meaning that both have.
fn picked(mask: &Array<bool>, yes: &Meant, no: &Meant) -> Outcome<Nested> {
    if yes.meaning.is_some() || no.meaning.is_some() {
        let (meaning, columns) = aligned(&[yes.clone(), no.clone()])?;
        return Ok(Nested::meant(&meaning, &Column::select(mask, &columns[0], &columns[1])));
    }
    let common = yes.column.kind().common(no.column.kind());
    Ok(Nested::leaf(Column::select(mask, &yes.column.cast(common), &no.column.cast(common))))
}

/// The type of two numbers alone.
fn lone(sides: [&Term; 2]) -> crate::schema::Kind {
    use crate::schema::Kind;
    match sides {
        [Term::Bool(_), Term::Bool(_)] => Kind::Bool,
        [Term::Float(_), _] | [_, Term::Float(_)] => Kind::Float64,
        _ => Kind::Int64,
    }
}

/// The choice of records that have the same fields.
fn field_by_field(mask: &Array<bool>, yes: &Nested, no: &Nested) -> Outcome<Option<Nested>> {
    if yes.fields() != no.fields()
        || std::mem::discriminant(&yes.layout) != std::mem::discriminant(&no.layout)
    {
        return Ok(None);
    }
    let mut names = yes.fields().into_iter();
    yes.map_fields(&mut |field| {
        let name = names.next().unwrap_or_default();
        let other = no.field(&name)?;
        by_element(mask, [&field.into(), &other.into()]).in_field(&name)
    })
}

/// The choice of elements of lists of these lengths, for which a value stands that has none.
fn in_lists(mask: &Array<bool>, sides: [&Term; 2], rows: &Rows) -> Outcome<Nested> {
    let content = |side: &Nested| match side.rows().filter(|_| side.is_lists()) {
        Some((_, content)) => Ok(content.clone()),
        None => side.take(rows.owners()),
    };
    let within = |side: &Term| of_array(side, &mut |side| content(side.parts().1));
    let made = by_element(&rows.spread(mask), [&within(sides[0])?, &within(sides[1])?])?;
    let lists = sides.into_iter().filter_map(array).map(|side| side.parts().1);
    let size = lists.clone().find_map(|side| match side.layout {
        Layout::Fixed(size, _) if side.is_lists() => Some(size),
        _ => None,
    });
    let made = match size {
        Some(size) => Nested::fixed(mask.size(), size, made)?,
        None => Nested::lists(rows, made),
    };
    match validity(mask, sides) {
        // Where a value that may be missing stands for a list, that is not empty.
        Some(valid) if lists.clone().any(|side| !side.is_lists()) => made.optional(&valid),
        valid => Ok(made.present_if(valid)),
    }
}

/// The choice of anything: elements of both sides, one after the other, at places.
fn taken(mask: &Array<bool>, sides: [&Term; 2]) -> Outcome<Nested> {
    let own = Array::<i64>::range(mask.size());
    let none = Array::fill(0i64, &[mask.size()]);
    let (mut parts, mut places, mut before) = (Vec::new(), Vec::new(), 0i64);
    for side in sides {
        let (part, place) = match side {
            Term::Nested(nested) => (nested.clone(), own.clone()),
            Term::String(text) => (Nested::from_iter([text.as_str()]), none.clone()),
            Term::Int(number) => (Nested::from_iter([*number]), none.clone()),
            Term::Float(number) => (Nested::from_iter([*number]), none.clone()),
            Term::Bool(truth) => (Nested::from_iter([*truth]), none.clone()),
        };
        places.push(place + before);
        before += part.length as i64;
        parts.push(part);
    }
    joined(&parts)?.take(&mask.select(&places[0], &places[1]))
}

#[cfg(test)]
mod tests {
    use crate::nested::Nested;
    use crate::ops::term::column;

    #[test]
    fn numbers_stay_lazy() {
        let mask = Nested::from_iter([true, false]);
        let sides = [Nested::from_iter([Some(1), None]), Nested::from_iter([None, Some(2)])];
        let made = mask.choose(&sides[0], &sides[1]).unwrap();
        assert!(column(made.parts().1).is_ok());
        assert_eq!(made.to_list().unwrap().to_string(), "[1, 2]");
    }
}
