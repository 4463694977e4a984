//! Checks of indices from outside: a message names the first that does not fit.

use crate::array::Array;
use crate::element::{Element, Integer};
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use crate::ragged::Segments;

/// Checks that rows and columns can be counted.
#[track_caller]
pub(super) fn countable(operation: &'static str, [rows, columns]: [usize; 2]) -> Result<()> {
    for (extent, what) in [(rows, "rows"), (columns, "columns")] {
        if i64::try_from(extent).is_err() {
            return Err(Error::new(operation, format!("{extent} {what} are more than can be counted")));
        }
    }
    Ok(())
}

/// Checks that two arrays are vectors of one length.
#[track_caller]
pub(super) fn same_length<A: Element, B: Element>(
    operation: &'static str,
    one: &Array<A>,
    other: &Array<B>,
) -> Result<()> {
    if one.rank() != 1 || one.shape() != other.shape() {
        return Err(Error::of(operation, Reason::Shapes(*one.shape(), *other.shape())));
    }
    Ok(())
}

/// Indices as `i64`, each of which is found to be that of one of `extent` rows or columns.
#[track_caller]
pub(super) fn inside<I: Integer>(
    operation: &'static str,
    what: &str,
    places: &Array<I>,
    extent: usize,
) -> Result<Array<i64>> {
    let wide = places.cast::<i64>();
    // An index of `u64` that `i64` does not hold is negative here, and so outside as well.
    let outside = wide.lt(0).or(wide.ge(extent as i64));
    if let Some(at) = first(&wide, &outside)? {
        let place = places.try_at(0, at)?.item()?;
        let message = format!("entry {at} has {what} {place:?}, but there are {extent} {what}s");
        return Err(Error::new(operation, message));
    }
    Ok(wide)
}

/// The segments between offsets that begin with 0, never fall, and end with the number of elements.
#[track_caller]
pub(super) fn segments(operation: &'static str, offsets: &Array<i64>, total: usize) -> Result<Segments> {
    let count = match **offsets.shape() {
        [n] if n > 0 => n - 1,
        _ => {
            let message = format!("offsets of shape {} are not one more than rows", offsets.shape());
            return Err(Error::new(operation, message));
        }
    };
    let (from, to) = (offsets.try_slice(0, ..count)?, offsets.try_slice(0, 1..)?);
    if let Some(row) = first(offsets, &to.lt(&from))? {
        let (from, to) = (from.try_at(0, row)?.item()?, to.try_at(0, row)?.item()?);
        let message = format!("offsets never fall, but row {row} goes from {from} to {to}");
        return Err(Error::new(operation, message));
    }
    let (start, end) = (offsets.try_at(0, 0)?.item()?, offsets.try_at(0, -1)?.item()?);
    if start != 0 || usize::try_from(end) != Ok(total) {
        let message =
            format!("offsets go from 0 to the number of entries, {total}, but these from {start} to {end}");
        return Err(Error::new(operation, message));
    }
    Ok(Segments::with_total(&(to - from), total))
}

/// The first place where a mask holds. The values that it is made of are computed along with it.
#[track_caller]
fn first<T: Element>(values: &Array<T>, mask: &Array<bool>) -> Result<Option<usize>> {
    if mask.size() == 0 {
        return Ok(None);
    }
    // Where the mask does not hold, a number greater than all places.
    let places = Array::<i64>::range(mask.size());
    let least = mask.select(&places, mask.size() as i64).min();
    Engine::current().eval(&[values, &least])?;
    Ok(usize::try_from(least.item()?).ok().filter(|&at| at < mask.size()))
}
