//! Iterator over the points of a level, in order of their coordinates.

use super::capture::Point;
use super::error::Error;
use super::meter::Meter;
use crate::value::Layout;

/// The points of a level of a space, in order of their coordinates.
pub(super) struct Points<'a> {
    space: &'a Layout,
    level: usize,
    point: Point,
    /// Extent of each coordinate, at the current values of the coordinates before it.
    extents: Vec<u64>,
    started: bool,
    /// The points after the current one that have been taken together with it.
    run: u64,
}

impl<'a> Points<'a> {
    /// All points of a level.
    pub fn new(space: &'a Layout, level: usize) -> Points<'a> {
        let point = Point { coordinates: vec![0; level], at: vec![0; level + 1] };
        Points { space, level, point, extents: vec![0; level], started: false, run: 0 }
    }

    /// The next point. Segments without points are walked over, which takes steps as well.
    pub fn next(&mut self, meter: &mut Meter) -> Result<Option<&Point>, Error> {
        let from = if !self.started {
            self.started = true;
            // Without this, a space of nothing could have as many empty rows as there are numbers.
            (self.space.points_at(self.level) > 0).then_some(0)
        } else {
            self.advance(self.level)
        };
        match from {
            Some(fixed) if self.descend(fixed, meter)? => Ok(Some(&self.point)),
            _ => Ok(None),
        }
    }

    /// The next point and the number of points from there on that follow one another along the last axis, at most `room`. The point is the first of them.
    pub fn next_run(&mut self, room: u64, meter: &mut Meter) -> Result<Option<(&Point, u64)>, Error> {
        self.pass_over(self.run);
        self.run = 0;
        if self.next(meter)?.is_none() {
            return Ok(None);
        }
        let Some(last) = self.level.checked_sub(1) else { return Ok(Some((&self.point, 1))) };
        let n = room.min(self.extents[last] - self.point.coordinates[last] as u64);
        self.run = n - 1;
        Ok(Some((&self.point, n)))
    }

    /// Moves over points along the last axis.
    fn pass_over(&mut self, n: u64) {
        let Some(last) = self.level.checked_sub(1) else { return };
        self.point.coordinates[last] += n as i64;
        self.point.at[self.level] += n;
    }

    /// Goes to the first point at or after those whose first `fixed` coordinates are the current ones.
    fn descend(&mut self, mut fixed: usize, meter: &mut Meter) -> Result<bool, Error> {
        while fixed < self.level {
            meter.step(1)?;
            let (start, extent) = self.space.steps()[fixed].segment(self.point.at[fixed]);
            self.point.coordinates[fixed] = 0;
            self.point.at[fixed + 1] = start;
            self.extents[fixed] = extent;
            if extent > 0 {
                fixed += 1;
            } else {
                match self.advance(fixed) {
                    Some(next) => fixed = next,
                    None => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// Moves the innermost of the first `fixed` coordinates that can move; returns the number of coordinates fixed then.
    fn advance(&mut self, fixed: usize) -> Option<usize> {
        for axis in (0..fixed).rev() {
            if (self.point.coordinates[axis] as u64) + 1 < self.extents[axis] {
                self.point.coordinates[axis] += 1;
                self.point.at[axis + 1] += 1;
                return Some(axis + 1);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::Limits;
    use crate::value::{AxisValue, Segmentation};
    use std::sync::Arc;

    fn walk(axes: &[AxisValue], level: usize) -> Vec<(Vec<i64>, u64)> {
        let space = Layout::new(axes);
        let mut points = Points::new(&space, level);
        let mut meter = Meter::new(&Limits { steps: 1000, ..Limits::default() });
        let mut seen = Vec::new();
        while let Some(point) = points.next(&mut meter).unwrap() {
            seen.push((point.coordinates.clone(), point.at[level]));
        }
        seen
    }

    fn seg(n: u64, lengths: [u64; 4]) -> AxisValue {
        let parent = vec![AxisValue::Extent(n)];
        AxisValue::Seg(Arc::new(Segmentation::from_lengths(parent, lengths.into_iter()).unwrap()))
    }

    #[test]
    fn empty_segments_are_walked_over() {
        let axes = [AxisValue::Extent(4), seg(4, [0, 2, 0, 1])];
        assert_eq!(walk(&axes, 2), [(vec![1, 0], 0), (vec![1, 1], 1), (vec![3, 0], 2)]);
        assert_eq!(walk(&axes, 1).len(), 4);
        assert_eq!(walk(&axes, 0), [(vec![], 0)]);
        let grid = [AxisValue::Extent(4), seg(4, [0, 1, 0, 1]), AxisValue::Extent(2)];
        assert_eq!(walk(&grid, 3).last(), Some(&(vec![3, 0, 1], 3)));
    }

    #[test]
    fn a_space_of_nothing_takes_no_time() {
        assert!(walk(&[AxisValue::Extent(1 << 60), AxisValue::Extent(0)], 2).is_empty());
        assert!(walk(&[AxisValue::Extent(4), seg(4, [0; 4])], 2).is_empty());
    }
}
