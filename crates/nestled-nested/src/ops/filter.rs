//! Filters by masks that are nested themselves.

use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Result};

impl Nested {
    /// The elements where a mask is true: `array[mask]`. A mask of lists filters inside of lists. What is missing in the mask is not kept. Computes at once which are kept.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![], vec![3]]);
    /// assert_eq!(rows.filter(&rows.gt(1)?)?.to_list()?.to_string(), "[[2], [], [3]]");
    /// assert_eq!(rows.filter(&rows.num(1)?.gt(0)?)?.to_list()?.to_string(), "[[1, 2], [3]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The mask is not of `bool`, or its lists differ in length from those of the array; and errors of evaluation.
    #[track_caller]
    pub fn filter(&self, mask: &Nested) -> Result<Nested> {
        told("filter", self.filtered(mask))
    }

    fn filtered(&self, mask: &Nested) -> Outcome<Nested> {
        if mask.length != self.length {
            return fault(format!("a mask of {} for {} elements", mask.length, self.length));
        }
        match kept(mask)? {
            Some(kept) => self.compress(&kept),
            None => in_lists(self, mask, &mut |content, mask| content.filtered(mask)),
        }
    }
}

/// The truth values of a mask without lists; missing ones keep nothing.
fn kept(mask: &Nested) -> Outcome<Option<Array<bool>>> {
    let (valid, present) = mask.parts();
    let Layout::Leaf(column) = &present.layout else { return Ok(None) };
    match (column.as_bool(), valid) {
        (Some(kept), Some(valid)) => Ok(Some(kept.and(valid))),
        (Some(kept), None) => Ok(Some(kept.clone())),
        (None, _) => not_bool(mask),
    }
}

/// Applies a mask of lists to lists of the same lengths, in each field of records.
pub(super) fn in_lists(
    nested: &Nested,
    mask: &Nested,
    apply: &mut dyn FnMut(&Nested, &Nested) -> Outcome<Nested>,
) -> Outcome<Nested> {
    if let Some(mapped) = nested.map_fields(&mut |field| in_lists(field, mask, apply))? {
        return Ok(mapped);
    }
    if !mask.parts().1.is_lists() {
        return not_bool(mask);
    }
    if !nested.parts().1.is_lists() {
        return fault(format!("a mask of `{}` for `{}`", mask.schema(), nested.schema()));
    }
    let Aligned { rows, contents: [content, inner_mask], valid } = aligned(nested, mask)?;
    let made = match kept(&inner_mask)? {
        Some(kept) => one_level(&rows, &content, &inner_mask, &kept, apply)?,
        None => Nested::lists(&rows, apply(&content, &inner_mask)?),
    };
    Ok(made.present_if(valid))
}

/// The lists of two arrays, which have the same lengths: the contents of both, and which are missing in neither.
pub(super) struct Aligned {
    pub rows: Rows,
    pub contents: [Nested; 2],
    pub valid: Option<Array<bool>>,
}

/// Brings the lists of two arrays together. What is missing in one is missing in both.
pub(super) fn aligned(nested: &Nested, other: &Nested) -> Outcome<Aligned> {
    let (Some(mut one), Some(mut two)) = (nested.as_rows()?, other.as_rows()?) else {
        return fault(format!("`{}` does not go with `{}`", other.schema(), nested.schema()));
    };
    let missing = [nested.parts().0, other.parts().0];
    let valid = missing.into_iter().flatten().cloned().reduce(|one, other| one.and(other));
    if !one.0.same(&two.0)?
        && let Some(valid) = &valid
    {
        // What is missing in one must be empty in both.
        (one, two) = (emptied(one, valid)?, emptied(two, valid)?);
    }
    let ((rows, content), (others, other_content)) = (one, two);
    if rows.same(&others)? {
        return Ok(Aligned { rows, contents: [content, other_content], valid });
    }
    match rows.difference(&others)? {
        Some((place, one, other)) => fault(format!("list {place} has {one} elements here and {other} there")),
        None => fault(format!("arrays of {} and {} lists", rows.count(), others.count())),
    }
}

/// Lists of which those are empty that a mask leaves out.
fn emptied((rows, content): (Rows, Nested), valid: &Array<bool>) -> Outcome<(Rows, Nested)> {
    let empty = Nested::lists(&rows, content).optional(valid)?;
    match empty.parts().1.rows() {
        Some((rows, content)) => Ok((rows, content.clone())),
        None => fault("lists became something else"),
    }
}

/// The innermost lists: as many elements as are left, or as before.
fn one_level(
    rows: &Rows,
    content: &Nested,
    mask: &Nested,
    kept: &Array<bool>,
    apply: &mut dyn FnMut(&Nested, &Nested) -> Outcome<Nested>,
) -> Outcome<Nested> {
    let made = apply(content, mask)?;
    let rows = if made.length == content.length { rows.clone() } else { rows.kept(kept, made.length) };
    Ok(Nested::lists(&rows, made))
}

pub(super) fn not_bool<T>(mask: &Nested) -> Outcome<T> {
    fault(format!("a mask is of `bool`, not `{}`", mask.schema()))
}
