//! Scans by built-in monoids of values of one type, where no point is left out.

use super::fold::{Combining, combine};
use crate::interp::scan_order::{self, Scanned};
use crate::kernel::{Direction, Inclusion};
use crate::monoid::MonoidOp;
use crate::scalar::Scalar;
use crate::value::Buffer;
use std::convert::Infallible;

/// A scan of a group of points.
#[derive(Clone, Copy, Debug)]
pub(in crate::interp) struct ScanOfGroup {
    /// The first point.
    pub from: usize,
    /// The point after the last.
    pub to: usize,
    pub inclusion: Inclusion,
    pub direction: Direction,
    /// True if the order of combining shows in the result.
    pub in_vectors: bool,
}

impl ScanOfGroup {
    /// Replaces the values of the points by prefixes.
    pub fn run(self, op: MonoidOp, unit: Scalar, values: &mut Buffer) {
        let unit = Buffer::from_scalars(values.elem(), &[unit]);
        combine(op, values, &unit, self);
    }
}

impl Combining for ScanOfGroup {
    #[inline(always)]
    fn run<T: Copy>(self, values: &mut [T], unit: &[T], combine: impl Fn(T, T) -> T) {
        let values = &mut values[self.from..self.to];
        if self.in_vectors {
            let n = values.len() as u64;
            let mut group = Group { values, unit: unit[0], inclusion: self.inclusion, combine };
            return match scan_order::scan(&mut group, n, self.direction) {
                Ok(()) => {}
                Err(never) => match never {},
            };
        }
        let mut running = unit[0];
        let mut next = |value: &mut T| {
            let before = running;
            running = combine(running, *value);
            *value = match self.inclusion {
                Inclusion::Exclusive => before,
                Inclusion::Inclusive => running,
            };
        };
        match self.direction {
            Direction::Forward => values.iter_mut().for_each(&mut next),
            Direction::Backward => values.iter_mut().rev().for_each(&mut next),
        }
    }
}

/// A group that is scanned in vectors. Built-in operations are commutative to the last bit.
struct Group<'v, T, F> {
    values: &'v mut [T],
    unit: T,
    inclusion: Inclusion,
    combine: F,
}

impl<T: Copy, F: Fn(T, T) -> T> Scanned for Group<'_, T, F> {
    type Item = T;
    type Error = Infallible;

    fn value(&mut self, position: u64) -> Option<T> {
        Some(self.values[position as usize])
    }

    fn join(&mut self, earlier: T, later: T) -> Result<T, Infallible> {
        Ok((self.combine)(earlier, later))
    }

    fn put(&mut self, position: u64, before: Option<T>, with: T) {
        self.values[position as usize] = match self.inclusion {
            Inclusion::Inclusive => with,
            Inclusion::Exclusive => before.unwrap_or(self.unit),
        };
    }
}
