//! Arrays one after another, at the top or list by list.

use super::combine::together;
use super::meant::{Meant, aligned};
use crate::column::Column;
use crate::fault::{InField, Outcome, fault, told};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use crate::schema::Kind;
use nestled_array::{Array, Result, concat};
use std::sync::Arc;

/// One array after another along an axis: `ak.concatenate`. Along axis 1 the lists at one place become one, along axis 2 the lists of those, and so on. Numbers take their
/// common type.
///
/// ```
/// use nestled_nested::{Nested, concatenate};
/// let (left, right) = (Nested::from_iter([vec![1], vec![]]), Nested::from_iter([vec![2.5], vec![3.5]]));
/// assert_eq!(concatenate(&[&left, &right], 0)?.to_list()?.to_string(), "[[1.0], [], [2.5], [3.5]]");
/// assert_eq!(concatenate(&[&left, &right], 1)?.to_list()?.to_string(), "[[1.0, 2.5], [3.5]]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// There is no array or no such axis, schemas do not go together, or lists around those that are joined differ in length; and errors of evaluation, to see that.
#[track_caller]
pub fn concatenate(parts: &[&Nested], axis: isize) -> Result<Nested> {
    let parts: Vec<Nested> = parts.iter().map(|&part| part.clone()).collect();
    told("concatenate", along(&parts, axis))
}

fn along(parts: &[Nested], axis: isize) -> Outcome<Nested> {
    match parts.first() {
        None => fault("there is no array"),
        Some(first) if first.is_outermost(axis) => joined(parts),
        Some(_) => together(parts, axis, &mut |sides| {
            sides[1..].iter().try_fold(sides[0].clone(), |left, right| side_by_side(&left, right))
        }),
    }
}

/// One after another.
pub(super) fn joined(parts: &[Nested]) -> Outcome<Nested> {
    if let [part] = parts {
        return Ok(part.clone());
    }
    let length = parts.iter().map(Nested::len).sum();
    if parts.iter().any(|part| part.parts().0.is_some()) {
        let valid = |part: &Nested| match part.parts().0 {
            Some(valid) => valid.clone(),
            None => Array::fill(true, &[part.length]),
        };
        let valid: Vec<Array<bool>> = parts.iter().map(valid).collect();
        let present: Vec<Nested> = parts.iter().map(|part| part.parts().1.clone()).collect();
        let canonical =
            parts.iter().zip(&present).map(|(part, present)| lists_if_mixed(part, present, parts));
        let content = joined(&canonical.collect::<Outcome<Vec<_>>>()?)?;
        return Ok(Nested::present(concat(&valid.iter().collect::<Vec<_>>(), 0), content));
    }
    let layout = match &parts[0].layout {
        Layout::Leaf(_) => Layout::Leaf(columns(parts)?),
        Layout::List(face, ..) if *face != Face::List => list(*face, parts)?,
        Layout::List(..) => list(Face::List, parts)?,
        Layout::Fixed(size, _) => match fixed(*size, parts) {
            Some(contents) => Layout::Fixed(*size, Arc::new(joined(&contents)?)),
            None => list(Face::List, parts)?,
        },
        Layout::Record(fields) => {
            let names =
                fields.iter().map(|(name, _)| Ok((Arc::clone(name), field(parts, name).in_field(name)?)));
            let fields: Vec<(Arc<str>, Nested)> = names.collect::<Outcome<_>>()?;
            if parts.iter().any(|part| part.fields().len() != fields.len()) {
                return different(parts);
            }
            Layout::Record(fields)
        }
        Layout::Tuple(fields) => {
            if parts
                .iter()
                .any(|part| !matches!(&part.layout, Layout::Tuple(own) if own.len() == fields.len()))
            {
                return different(parts);
            }
            let places =
                (0..fields.len()).map(|place| field(parts, &place.to_string()).in_field(&place.to_string()));
            Layout::Tuple(places.collect::<Outcome<_>>()?)
        }
        Layout::Category(..) => return joined_categories(parts),
        Layout::Meant(..) => return joined_meanings(parts),
        Layout::Union(..) => return joined_unions(parts),
        Layout::Option(..) => unreachable!("options were taken off"),
    };
    Ok(Nested { length, layout })
}

/// Lists of one length that may be missing become lists of any length, empty where they are missing, if other parts are such.
fn lists_if_mixed(part: &Nested, present: &Nested, parts: &[Nested]) -> Outcome<Nested> {
    let size = |part: &Nested| match &part.parts().1.layout {
        Layout::Fixed(size, _) => Some(*size),
        _ => None,
    };
    let differ = parts.iter().any(|part| size(part) != size(&parts[0]));
    match part.as_rows()? {
        Some((rows, content)) if differ => Ok(Nested::lists(&rows, content)),
        _ => Ok(present.clone()),
    }
}

fn different<T>(parts: &[Nested]) -> Outcome<T> {
    let schemas: Vec<String> = parts.iter().map(|part| format!("`{}`", part.schema())).collect();
    fault(format!("{} do not go together", schemas.join(" and ")))
}

fn columns(parts: &[Nested]) -> Outcome<Column> {
    let column = |part: &Nested| match &part.layout {
        Layout::Leaf(column) => Ok(column.clone()),
        _ => different(parts),
    };
    let columns = parts.iter().map(column).collect::<Outcome<Vec<Column>>>()?;
    let common = columns.iter().map(Column::kind).reduce(Kind::common).unwrap_or(Kind::Float64);
    let columns: Vec<Column> = columns.iter().map(|column| column.cast(common)).collect();
    Ok(Column::concat(&columns.iter().collect::<Vec<_>>()))
}

fn list(face: Face, parts: &[Nested]) -> Outcome<Layout> {
    let part = |part: &Nested| match (&part.layout, part.rows()) {
        (Layout::List(own, ..), Some((rows, content))) if *own == face => Ok((rows, content.clone())),
        (Layout::Fixed(..), Some((rows, content))) if face == Face::List => Ok((rows, content.clone())),
        _ => different(parts),
    };
    let (rows, contents): (Vec<Rows>, Vec<Nested>) =
        parts.iter().map(part).collect::<Outcome<Vec<_>>>()?.into_iter().unzip();
    let lengths = concat(&rows.iter().map(Rows::lengths).collect::<Vec<_>>(), 0);
    let content = joined(&contents)?;
    Ok(Layout::List(face, Rows::known(&lengths, content.length), Arc::new(content)))
}

/// The elements of lists that all have one length.
fn fixed(size: usize, parts: &[Nested]) -> Option<Vec<Nested>> {
    let content = |part: &Nested| match &part.layout {
        Layout::Fixed(own, content) if *own == size => Some((**content).clone()),
        _ => None,
    };
    parts.iter().map(content).collect()
}

fn field(parts: &[Nested], name: &str) -> Outcome<Nested> {
    let own = |part: &Nested| match &part.layout {
        Layout::Record(fields) => {
            fields.iter().find(|(own, _)| **own == *name).map(|(_, field)| field.clone())
        }
        Layout::Tuple(fields) => name.parse::<usize>().ok().and_then(|place| fields.get(place).cloned()),
        _ => None,
    };
    match parts.iter().map(own).collect::<Option<Vec<Nested>>>() {
        Some(fields) => joined(&fields),
        None => different(parts),
    }
}

/// Categories with all words of all parts; equal words of two parts stay two.
fn joined_categories(parts: &[Nested]) -> Outcome<Nested> {
    let mut before = 0;
    let (mut codes, mut words) = (Vec::new(), Vec::new());
    for part in parts {
        let Layout::Category(own, own_words) = &part.layout else { return different(parts) };
        codes.push(own + before);
        words.push((**own_words).clone());
        before += own_words.length as i64;
    }
    Ok(Nested::category(&concat(&codes.iter().collect::<Vec<_>>(), 0), &joined(&words)?))
}

/// Integers in the meaning that has those of all parts.
fn joined_meanings(parts: &[Nested]) -> Outcome<Nested> {
    if parts.iter().any(|part| !matches!(part.layout, Layout::Meant(..))) {
        return different(parts);
    }
    let sides = parts.iter().map(Meant::of).collect::<Outcome<Vec<_>>>()?;
    let (meaning, columns) = aligned(&sides)?;
    Ok(Nested::meant(&meaning, &Column::concat(&columns.iter().collect::<Vec<_>>())))
}

/// Unions of as many variants, each of which is joined.
fn joined_unions(parts: &[Nested]) -> Outcome<Nested> {
    let union = |part: &Nested| match &part.layout {
        Layout::Union(tags, variants) => Ok((tags.clone(), variants.clone())),
        _ => different(parts),
    };
    let (tags, columns): (Vec<Array<i64>>, Vec<Vec<Nested>>) =
        parts.iter().map(union).collect::<Outcome<Vec<_>>>()?.into_iter().unzip();
    if columns.iter().any(|variants| variants.len() != columns[0].len()) {
        return different(parts);
    }
    let variant = |place: usize| {
        let own: Vec<Nested> = columns.iter().map(|variants| variants[place].clone()).collect();
        joined(&own).in_field(&place.to_string())
    };
    let variants = (0..columns[0].len()).map(variant).collect::<Outcome<_>>()?;
    Ok(Nested::united(&concat(&tags.iter().collect::<Vec<_>>(), 0), variants))
}

/// The lists at one place as one.
fn side_by_side(left: &Nested, right: &Nested) -> Outcome<Nested> {
    if left.length != right.length {
        return fault(format!("arrays of {} and {} elements", left.length, right.length));
    }
    let (Some((rows, content)), Some((others, other))) = (left.as_rows()?, right.as_rows()?) else {
        return different(&[left.clone(), right.clone()]);
    };
    let both = joined(&[content, other])?;
    let (rows, from) = beside(&rows, &others);
    Ok(Nested::lists(&rows, both.take(&from)?))
}

/// Lists side by side, and for each element of theirs where it lies in an array that has all elements of the left lists, then those of the right.
pub(super) fn beside(left: &Rows, right: &Rows) -> (Rows, Array<i64>) {
    let total = left.total() + right.total();
    let rows = Rows::known(&(left.lengths() + right.lengths()), total);
    // Before each list lie as many elements as before it on both sides. So an element of a list comes after all that the other side has up to there: of the right side all before
    // the list, of the left side those of the list too.
    let place = Array::<i64>::range(total);
    let end = rows.spread(&(left.starts() + left.lengths()));
    let in_left = &place - rows.spread(right.starts());
    let in_right = &place - &end + left.total() as i64;
    let from = in_left.lt(&end).select(in_left, in_right);
    (rows, from)
}
