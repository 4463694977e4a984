//! Broadcasting: arrays of different depths brought to one, a value for each list becoming a value for each of its elements.

use crate::fault::{Outcome, fault};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use nestled_array::Array;

/// The operation, which is called where all arrays have been brought to one depth.
pub(crate) type Leaves<'f> = &'f mut dyn FnMut(&[Nested]) -> Outcome<Nested>;

/// Goes into the lists of all arrays together, and spreads those that have none. Something is missing in the result where it is in one of them. At the bottom,
/// and where `stop` says so, `leaves` takes over.
pub(crate) fn broadcast(
    sides: &[Nested],
    stop: &dyn Fn(&[Nested]) -> bool,
    leaves: Leaves,
) -> Outcome<Nested> {
    if let Some(side) = sides.iter().find(|side| side.length != sides[0].length) {
        return fault(format!("{} elements do not go together with {}", sides[0].length, side.length));
    }
    if stop(sides) {
        return leaves(sides);
    }
    let masks: Vec<&Array<bool>> = sides.iter().filter_map(|side| side.parts().0).collect();
    if !masks.is_empty() {
        return through_missing(sides, &masks, stop, leaves);
    }
    if sides.iter().any(Nested::is_lists) { into_lists(sides, stop, leaves) } else { leaves(sides) }
}

fn through_missing(
    sides: &[Nested],
    masks: &[&Array<bool>],
    stop: &dyn Fn(&[Nested]) -> bool,
    leaves: Leaves,
) -> Outcome<Nested> {
    let valid = masks[1..].iter().fold(masks[0].clone(), |all, mask| all.and(*mask));
    let is_list = |side: &&Nested| side.parts().1.is_lists();
    let share = share_lists(sides);
    let present = |side: &Nested| {
        // A list that is missing in another array must be empty in all.
        let lists = if share || !is_list(&side) { side.clone() } else { side.optional(&valid)? };
        Ok(lists.parts().1.clone())
    };
    let present = sides.iter().map(present).collect::<Outcome<Vec<_>>>()?;
    let made = broadcast(&present, stop, leaves)?;
    // What is missing in lists only is empty already.
    let only_lists = sides.iter().all(|side| side.parts().0.is_none() || is_list(&side));
    let is_empty = matches!(made.layout, Layout::List(Face::List, ..)) && (!share || only_lists);
    if is_empty { Ok(Nested::present(valid, made)) } else { made.optional(&valid) }
}

/// True if the arrays that have lists of any lengths share one descriptor, so that a list that is empty in one is empty in all.
fn share_lists(sides: &[Nested]) -> bool {
    let mut first: Option<&Rows> = None;
    sides.iter().map(|side| side.parts().1).filter(|side| side.is_lists()).all(|side| match &side.layout {
        Layout::List(_, rows, _) => first.get_or_insert(rows).is(rows),
        _ => false,
    })
}

fn into_lists(sides: &[Nested], stop: &dyn Fn(&[Nested]) -> bool, leaves: Leaves) -> Outcome<Nested> {
    if let Some(size) = common_size(sides) {
        let rows = Rows::even(sides[0].length, size);
        let contents = sides.iter().map(|side| content_in(side, &rows, true)).collect::<Outcome<Vec<_>>>()?;
        return Nested::fixed(sides[0].length, size, broadcast(&contents, stop, leaves)?);
    }
    let lists = sides.iter().find(|side| matches!(side.layout, Layout::List(Face::List, ..)));
    let lists = lists.or_else(|| sides.iter().find(|side| side.is_lists()));
    let Some((rows, _)) = lists.and_then(Nested::rows) else { return leaves(sides) };
    let contents = sides.iter().map(|side| content_in(side, &rows, false)).collect::<Outcome<Vec<_>>>()?;
    Ok(Nested::lists(&rows, broadcast(&contents, stop, leaves)?))
}

/// The length of all lists, if it is one.
fn common_size(sides: &[Nested]) -> Option<usize> {
    let mut common = None;
    for side in sides.iter().filter(|side| side.is_lists()) {
        match &side.layout {
            Layout::Fixed(size, _) if common.is_none_or(|common| common == *size) => common = Some(*size),
            _ => return None,
        }
    }
    common
}

/// The elements of lists that must have certain lengths; or for each element the value of its list.
fn content_in(side: &Nested, rows: &Rows, known: bool) -> Outcome<Nested> {
    match side.rows().filter(|_| side.is_lists()) {
        Some((_, content)) if known => Ok(content.clone()),
        Some((own, content)) if own.same(rows)? => Ok(content.clone()),
        Some((own, _)) => match rows.difference(&own)? {
            Some((place, one, other)) => {
                fault(format!("list {place} has {one} elements here and {other} there"))
            }
            None => fault("lists differ in length"),
        },
        None => side.take(rows.owners()),
    }
}
