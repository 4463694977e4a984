//! Analysis of lane groups: vectors whose values are equal, or grow by one constant step, within each group of neighbouring lanes.
//!
//! Channels of a pixel, or the components of a small vector, are adjacent in memory and form the innermost axis. Everything computed from the pixel's
//! coordinates is equal for all of them. If such a value is used as an address, one address per group of lanes suffices, so a gather becomes a few
//! contiguous loads (`thunk/grouped.rs`):
//!
//! ```text
//! lanes           0     1     2     3     4     5     6     7   …
//! pixel  e >> 2   p     p     p     p     p+1   p+1   p+1   p+1     the same in groups of 4
//! channel e & 3   0     1     2     3     0     1     2     3       grows by 1 in groups of 4
//! ```

use super::value::{Form, Group, Val};
use nestled_ir::Op;

/// Returns the largest groups in which all of these values are equal.
pub fn alike<'v>(vals: impl IntoIterator<Item = &'v Val>) -> Option<Group> {
    let mut log = None;
    for val in vals.into_iter().filter(|val| val.uniform_depth().is_none()) {
        let own = val.group.filter(|group| group.step == 0)?;
        log = Some(log.map_or(own.log, |log: u32| log.min(own.log)));
    }
    Some(Group { log: log?, step: 0, is_number: false })
}

/// Returns the groups of a sum, or with `-1` of a difference.
pub fn of_sum(a: &Val, b: &Val, sign: i64) -> Option<Group> {
    let own = |val: &Val| match val.uniform_depth() {
        Some(_) => Some(Group { log: u32::MAX, step: 0, is_number: false }),
        None => val.group,
    };
    let (a, b) = (own(a)?, own(b)?);
    let step = a.step.checked_add(b.step.checked_mul(sign)?)?;
    Some(Group { log: a.log.min(b.log), step, is_number: false })
}

/// Returns the groups of a product.
pub fn of_product(a: &Val, b: &Val) -> Option<Group> {
    let by = |val: &Val, other: &Val| {
        let by = other.as_const()?.as_integer()?;
        let own = val.group?;
        Some(Group { step: own.step.checked_mul(by)?, is_number: false, ..own })
    };
    by(a, b).or_else(|| by(b, a)).or_else(|| alike([a, b]))
}

/// Returns the groups of the result of an operation.
pub fn of_result(op: Op, args: &[Val], result: &Val) -> Option<Group> {
    if !matches!(result.form, Form::Varying | Form::Narrow) {
        return None;
    }
    match (op, args) {
        // The same lanes under another type.
        (Op::Convert(_), [x]) if x.name == result.name => x.group,
        _ => alike(args),
    }
}
