//! Formatting arrays as text: small ones whole, large ones abridged.

use crate::array::Array;
use crate::element::Element;
use crate::error::Result;
use crate::ops::Outside;
use std::fmt;

/// The largest number of elements shown whole.
pub(crate) const WHOLE: usize = 200;

/// Number of places shown at each end of an abridged axis: fewer at higher ranks.
fn ends(rank: usize) -> usize {
    match rank {
        0..=2 => 3,
        3 => 2,
        _ => 1,
    }
}

/// `[3] f32 [1.0, 2.0, 3.0]`. Computes the data; of many elements only those that are shown come from the device.
impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.shape(), T::TYPE)?;
        let ends = if self.size() <= WHOLE { usize::MAX } else { ends(self.rank()) };
        // Nobody leaves out one place alone, but where axes are many.
        let alone = usize::from(self.rank() < 5);
        let is_long = |&extent: &usize| extent > ends.saturating_mul(2).saturating_add(alone);
        let abridged: Vec<bool> = self.shape().iter().map(is_long).collect();
        match shown(self, &abridged, ends).and_then(|shown| Ok((shown.to_vec()?, *shown.shape()))) {
            Ok((elements, shape)) => rows(f, &elements, &shape, (&abridged, ends), 0),
            Err(error) => write!(f, "({error})"),
        }
    }
}

/// The elements that are shown.
fn shown<T: Element>(array: &Array<T>, abridged: &[bool], ends: usize) -> Result<Array<T>> {
    // All of it is computed once, and kept.
    array.eval()?;
    let mut shown = array.clone();
    for (axis, &extent) in array.shape().iter().enumerate().filter(|(axis, _)| abridged[*axis]) {
        let places: Array<i64> = (0..ends).chain(extent - ends..extent).map(|place| place as i64).collect();
        shown = shown.try_take(axis, &places, Outside::Clamp)?;
    }
    Ok(shown)
}

/// As [`Debug`](fmt::Debug).
impl<T: Element> fmt::Display for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

fn rows<T: Element>(
    f: &mut fmt::Formatter<'_>,
    elements: &[T],
    shape: &[usize],
    (abridged, ends): (&[bool], usize),
    indent: usize,
) -> fmt::Result {
    let Some((&extent, inner)) = shape.split_first() else {
        return elements.first().map_or(Ok(()), |element| write!(f, "{element:?}"));
    };
    let size: usize = inner.iter().product();
    let next = |f: &mut fmt::Formatter<'_>| match inner.is_empty() {
        true => f.write_str(", "),
        false => write!(f, ",\n{}", " ".repeat(indent + 1)),
    };
    f.write_str("[")?;
    for at in 0..extent {
        if at > 0 {
            next(f)?;
        }
        if abridged[0] && at == ends {
            f.write_str("…")?;
            next(f)?;
        }
        rows(f, &elements[at * size..(at + 1) * size], inner, (&abridged[1..], ends), indent + 1)?;
    }
    f.write_str("]")
}
