//! Elements of lists put together: pairs of two lists, pairs of one, and a choice between two arrays.

use super::count::rows_of;
use super::filter::not_bool;
use super::term::{Term, column, literal};
use crate::broadcast::broadcast;
use crate::column::Column;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Result};

/// All pairs of elements of the lists at one place, as tuples: `ak.cartesian` of two arrays along axis 1. The last varies fastest. Computes the number of pairs at once.
///
/// ```
/// use nestled_nested::{Nested, cartesian};
/// let (left, right) = (Nested::from_iter([vec![1, 2], vec![]]), Nested::from_iter([vec!["a", "b"], vec!["c"]]));
/// let pairs = cartesian(&left, &right)?;
/// assert_eq!(pairs.to_list()?.to_string(), r#"[[(1, "a"), (1, "b"), (2, "a"), (2, "b")], []]"#);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// The arrays have no lists, or differ in length; and errors of evaluation.
#[track_caller]
pub fn cartesian(left: &Nested, right: &Nested) -> Result<Nested> {
    told("cartesian", pairs_of_two(left, right))
}

fn pairs_of_two(left: &Nested, right: &Nested) -> Outcome<Nested> {
    if left.length != right.length {
        return fault(format!("arrays of {} and {} elements", left.length, right.length));
    }
    let Some((rows, content)) = left.as_rows()? else { return no_lists(left) };
    let Some((others, other)) = right.as_rows()? else { return no_lists(right) };
    let pairs = Rows::of(&(rows.lengths() * others.lengths()))?;
    let width = pairs.spread(others.lengths());
    let first = pairs.spread(rows.starts()) + pairs.places() / &width;
    let second = pairs.spread(others.starts()) + pairs.places() % &width;
    let made = Nested::lists(&pairs, tuple(content.take(&first)?, other.take(&second)?));
    // Missing where one of the two is; then there are no pairs.
    match [left.parts().0, right.parts().0].into_iter().flatten().cloned().reduce(|one, other| one.and(other))
    {
        Some(valid) => Ok(Nested::present(valid, made)),
        None => Ok(made),
    }
}

fn no_lists<T>(nested: &Nested) -> Outcome<T> {
    fault(format!("`{}` has no lists", nested.schema()))
}

fn tuple(first: Nested, second: Nested) -> Nested {
    Nested { length: first.length, layout: Layout::Tuple(vec![first, second]) }
}

impl Nested {
    /// All pairs of two different elements of each list along an axis, as tuples, in their order: `ak.combinations` with `n = 2`. Computes the number of pairs at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([vec![1, 2, 3], vec![4]]).combinations(1)?;
    /// assert_eq!(pairs.to_list()?.to_string(), "[[(1, 2), (1, 3), (2, 3)], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or it is the outermost; and errors of evaluation.
    #[track_caller]
    pub fn combinations(&self, axis: isize) -> Result<Nested> {
        told("combinations", self.at_axis(axis, &mut pairs_of_one))
    }

    /// The elements of one where the array is true, those of another elsewhere: `ak.where`. They are broadcast together; numbers take their common type. A number may be
    /// missing on the side that is not chosen; a list that is missing on either side is missing in the result.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, -2], vec![3]]);
    /// assert_eq!(rows.gt(0)?.choose(&rows, 0)?.to_list()?.to_string(), "[[1, 0], [3]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The array is not of `bool`, others are no numbers, or lists differ in length.
    #[track_caller]
    pub fn choose(&self, yes: impl Into<Term>, no: impl Into<Term>) -> Result<Nested> {
        told("choose", chosen(self, &yes.into(), &no.into()))
    }
}

fn pairs_of_one(lists: &Nested) -> Outcome<Nested> {
    let (rows, content) = rows_of(lists)?;
    // Each element goes with those after it.
    let after = rows.spread(rows.lengths()) - rows.places() - 1;
    let partners = Rows::of(&after)?;
    let first = partners.owners();
    let second = first + partners.places() + 1;
    let lengths = (rows.lengths() * (rows.lengths() - 1)).shift_right(1);
    Ok(Nested::lists(
        &Rows::known(&lengths, partners.total()),
        tuple(content.take(first)?, content.take(&second)?),
    ))
}

fn chosen(mask: &Nested, yes: &Term, no: &Term) -> Outcome<Nested> {
    let sides: Vec<Nested> = [yes, no]
        .into_iter()
        .filter_map(|term| match term {
            Term::Nested(nested) => Some(with_validity(nested)),
            _ => None,
        })
        .collect::<Outcome<_>>()?;
    let sides: Vec<Nested> = std::iter::once(mask.clone()).chain(sides).collect();
    broadcast(&sides, &|_| false, &mut |sides| choice(&sides[0], [yes, no], &sides[1..]))
}

/// Numbers that may be missing as tuples of a number and whether it is there, so that broadcasting does not spread what is missing.
fn with_validity(nested: &Nested) -> Outcome<Nested> {
    match &nested.layout {
        Layout::Option(valid, content) if matches!(content.layout, Layout::Leaf(_)) => {
            Ok(tuple((**content).clone(), Nested::of(valid.clone())))
        }
        Layout::Option(_, content) if !content.is_lists() => Ok(nested.clone()),
        Layout::Option(..) => nested.map_content(&mut |content| with_validity(content)),
        Layout::List(..) | Layout::Fixed(..) if nested.is_lists() => {
            nested.map_content(&mut |content| with_validity(content))
        }
        _ => Ok(nested.clone()),
    }
}

/// A number, and whether it is there.
fn number(side: &Nested) -> Outcome<(Column, Option<Array<bool>>)> {
    match &side.layout {
        Layout::Tuple(parts) if parts.len() == 2 => {
            let valid = column(&parts[1])?.as_bool().cloned();
            Ok((column(&parts[0])?.clone(), valid))
        }
        _ => Ok((column(side)?.clone(), None)),
    }
}

fn choice(mask: &Nested, terms: [&Term; 2], sides: &[Nested]) -> Outcome<Nested> {
    let Some(mask) = column(mask)?.as_bool() else { return not_bool(mask) };
    let mut arrays = sides.iter();
    let mut found = Vec::new();
    for term in terms {
        found.push(match term {
            Term::Nested(_) => arrays.next().map(number).transpose()?,
            _ => None,
        });
    }
    let kind = found.iter().flatten().map(|(column, _)| column.kind()).next();
    let mut sides = Vec::new();
    for (term, found) in terms.into_iter().zip(found) {
        sides.push(match found {
            Some(found) => found,
            None => (literal(term, kind.unwrap_or(lone(terms)))?, None),
        });
    }
    let common = sides[0].0.kind().common(sides[1].0.kind());
    let picked = Column::select(mask, &sides[0].0.cast(common), &sides[1].0.cast(common));
    if sides.iter().all(|(_, valid)| valid.is_none()) {
        return Ok(Nested::leaf(picked));
    }
    let there = |valid: &Option<Array<bool>>| valid.clone().unwrap_or_else(|| Array::scalar(true));
    Ok(Nested::present(mask.select(there(&sides[0].1), there(&sides[1].1)), Nested::leaf(picked)))
}

/// The type of two numbers alone.
fn lone(terms: [&Term; 2]) -> crate::schema::Kind {
    use crate::schema::Kind;
    match terms {
        [Term::Bool(_), Term::Bool(_)] => Kind::Bool,
        [Term::Float(_), _] | [_, Term::Float(_)] => Kind::Float64,
        _ => Kind::Int64,
    }
}
