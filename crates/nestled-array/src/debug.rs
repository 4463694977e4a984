//! Arrays as text: small ones whole, large ones abridged.

use crate::array::Array;
use crate::element::Element;
use std::fmt;

/// How many elements are shown whole.
const WHOLE: usize = 200;
/// How many are shown at each end of an axis that is abridged.
const ENDS: usize = 3;

/// `[3] f32 [1.0, 2.0, 3.0]`. Computes the data.
impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.shape(), T::TYPE)?;
        match self.to_vec() {
            Ok(elements) => {
                let whole = elements.len() <= WHOLE;
                rows(f, &elements, self.shape(), whole, 0)
            }
            Err(error) => write!(f, "({error})"),
        }
    }
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
    whole: bool,
    indent: usize,
) -> fmt::Result {
    let Some((&extent, inner)) = shape.split_first() else {
        return elements.first().map_or(Ok(()), |element| write!(f, "{element:?}"));
    };
    let size: usize = inner.iter().product();
    f.write_str("[")?;
    let mut at = 0;
    while at < extent {
        if at > 0 {
            f.write_str(",")?;
            if inner.is_empty() { f.write_str(" ")? } else { write!(f, "\n{}", " ".repeat(indent + 1))? }
        }
        if !whole && extent > 2 * ENDS + 1 && at == ENDS {
            f.write_str("…")?;
            at = extent - ENDS;
            continue;
        }
        rows(f, &elements[at * size..(at + 1) * size], inner, whole, indent + 1)?;
        at += 1;
    }
    f.write_str("]")
}
