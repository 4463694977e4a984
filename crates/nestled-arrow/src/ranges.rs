//! Ranges: which elements each list of Arrow's has, whatever lies between them, as lengths and the parts that they are of.

use arrow_buffer::NullBuffer;
use std::ops::Range;

/// The lengths of lists, and the ranges of elements that they have, in order; neighbours are joined.
pub(crate) struct Ranges {
    pub lengths: Vec<i64>,
    pub total: usize,
    pub parts: Vec<Range<usize>>,
}

impl Ranges {
    /// Those of lists with a beginning and a length each. A list that is missing is empty.
    pub fn of(lists: impl ExactSizeIterator<Item = (usize, usize)>, nulls: Option<&NullBuffer>) -> Ranges {
        let mut ranges = Ranges { lengths: Vec::with_capacity(lists.len()), total: 0, parts: Vec::new() };
        for (place, (begin, length)) in lists.enumerate() {
            let length = if nulls.is_some_and(|nulls| nulls.is_null(place)) { 0 } else { length };
            ranges.lengths.push(length as i64);
            ranges.total += length;
            match ranges.parts.last_mut() {
                _ if length == 0 => {}
                Some(last) if last.end == begin => last.end += length,
                _ => ranges.parts.push(begin..begin + length),
            }
        }
        ranges
    }

    /// Those between offsets, which never fall.
    pub fn between<O: arrow_array::OffsetSizeTrait>(offsets: &[O], nulls: Option<&NullBuffer>) -> Ranges {
        let lists = offsets.windows(2).map(|pair| (pair[0].as_usize(), (pair[1] - pair[0]).as_usize()));
        Ranges::of(lists, nulls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_and_what_is_missing_is_left_out() {
        let nulls = NullBuffer::from(vec![true, true, false, true]);
        let ranges = Ranges::between(&[2i32, 4, 5, 8, 9], Some(&nulls));
        assert_eq!((ranges.lengths, ranges.total, ranges.parts), (vec![2, 1, 0, 1], 4, vec![2..5, 8..9]));
    }

    #[test]
    fn views_may_lie_anywhere() {
        let ranges = Ranges::of([(3, 2), (0, 3), (3, 0), (3, 1)].into_iter(), None);
        assert_eq!((ranges.lengths, ranges.total, ranges.parts), (vec![2, 3, 0, 1], 6, vec![3..5, 0..4]));
    }
}
