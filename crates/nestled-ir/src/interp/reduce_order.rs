//! Reduction order: the fixed tree in which a group is combined. It is part of the meaning, since rounding depends on it.
//!
//! `docs/lcu.md`, section 5, states the rule. Each component of a monoid follows it independently, so that fusing two reductions changes no
//! bits. A component that is exact is folded from left to right.

use super::combine::{Combiner, Part};
use super::error::Error;
use super::meter::Meter;
use super::tile::into_lanes;
use crate::reduction_order::{LANES, SHORT, TILE};
use crate::scalar::Scalar;
use crate::value::Buffer;

/// The reduction of one group after another by one component, fed position by position.
pub(super) struct Reduction {
    part: Part,
    /// Positions of the group.
    n: u64,
    /// The next position.
    position: u64,
    /// The lanes of the tile that is being filled, each as wide as the component.
    lanes: Vec<Scalar>,
    /// True for each lane that has a value.
    filled: [bool; LANES],
    /// Partial results of 2ᵏ tiles, with k, that wait for their neighbour, as in a binary counter; `None` where the tiles held no points.
    /// The ks fall.
    tiles: Vec<(u32, Option<Vec<Scalar>>)>,
}

impl Reduction {
    /// Reduces by a component.
    pub fn new(part: Part) -> Reduction {
        let lanes = part.unit.repeat(LANES);
        Reduction { part, n: 0, position: 0, lanes, filled: [false; LANES], tiles: Vec::new() }
    }

    /// Begins a group of `n` positions.
    pub fn begin(&mut self, n: u64) {
        self.n = n;
        self.position = 0;
        self.filled = [false; LANES];
        self.tiles.clear();
    }

    fn in_order(&self) -> bool {
        self.is_in_order(self.n)
    }

    /// True if it combines a group of `n` positions from left to right.
    pub fn is_in_order(&self, n: u64) -> bool {
        self.part.exact || n <= SHORT
    }

    /// The component.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// Takes the value of the next position (the values of all components), or passes it over.
    pub fn push(
        &mut self,
        values: Option<&[Scalar]>,
        cx: &mut Combiner<'_>,
        meter: &mut Meter,
    ) -> Result<(), Error> {
        let position = self.position;
        self.position += 1;
        if let Some(values) = values {
            let value = &values[self.part.first..self.part.first + self.part.width()];
            self.push_lane(self.lane_of(position), value, cx, meter)?;
        }
        if !self.in_order() && (self.position.is_multiple_of(TILE) || self.position == self.n) {
            self.end_tile(cx, meter)?;
        }
        Ok(())
    }

    /// Takes the values of the next positions, one buffer for each component of the monoid; `None` if the component has no built-in operation.
    pub fn push_run(
        &mut self,
        columns: &[Buffer],
        n: u64,
        cx: &mut Combiner<'_>,
        meter: &mut Meter,
    ) -> Result<(), Error> {
        let Some(op) = self.part.op() else {
            let mut values = Vec::new();
            for at in 0..n as usize {
                values.clear();
                values.extend(columns.iter().map(|column| column.get(at)));
                self.push(Some(&values), cx, meter)?;
            }
            return Ok(());
        };
        meter.step(n / 8)?;
        let column = &columns[self.part.first];
        let mut from = 0;
        while from < n {
            let to_tile = if self.in_order() { n } else { TILE - self.position % TILE };
            let to = n.min(from + to_tile);
            let first = self.lane_of(self.position);
            let n_lanes = if self.in_order() { 1 } else { LANES };
            let lanes = (&mut self.lanes[..n_lanes], &mut self.filled[..n_lanes], first);
            if from == 0 && to == n {
                into_lanes(op, lanes, column);
            } else {
                into_lanes(op, lanes, &column.slice(from as usize, to as usize));
            }
            self.position += to - from;
            from = to;
            if !self.in_order() && (self.position.is_multiple_of(TILE) || self.position == self.n) {
                self.end_tile(cx, meter)?;
            }
        }
        Ok(())
    }

    fn lane_of(&self, position: u64) -> usize {
        let in_tile = position % TILE;
        if self.in_order() {
            0
        } else if self.part.commutative {
            (in_tile % LANES as u64) as usize
        } else {
            let tile_len = TILE.min(self.n - (position - in_tile));
            (in_tile / tile_len.div_ceil(LANES as u64)) as usize
        }
    }

    fn push_lane(
        &mut self,
        lane: usize,
        value: &[Scalar],
        cx: &mut Combiner<'_>,
        meter: &mut Meter,
    ) -> Result<(), Error> {
        let width = self.part.width();
        let held = &mut self.lanes[lane * width..(lane + 1) * width];
        if self.filled[lane] {
            return cx.fold(&self.part, held, value, meter);
        }
        held.copy_from_slice(value);
        self.filled[lane] = true;
        Ok(())
    }

    /// Combines the lanes, and the tile with those before it.
    fn end_tile(&mut self, cx: &mut Combiner<'_>, meter: &mut Meter) -> Result<(), Error> {
        for stride in [8, 4, 2, 1] {
            for lane in 0..stride {
                if self.part.commutative {
                    self.join_lanes(lane, lane + stride, cx, meter)?;
                } else {
                    // Each round leaves what it makes at multiples of twice the distance.
                    let distance = 8 / stride;
                    self.join_lanes(2 * lane * distance, (2 * lane + 1) * distance, cx, meter)?;
                }
            }
        }
        let tile = self.take_first_lane();
        self.filled = [false; LANES];
        self.tiles.push((0, tile));
        while let [.., (left, _), (right, _)] = self.tiles.as_slice()
            && left == right
        {
            self.join_last_tiles(cx, meter)?;
        }
        Ok(())
    }

    fn join_lanes(
        &mut self,
        left: usize,
        right: usize,
        cx: &mut Combiner<'_>,
        meter: &mut Meter,
    ) -> Result<(), Error> {
        if !self.filled[right] {
            return Ok(());
        }
        let width = self.part.width();
        let (before, after) = self.lanes.split_at_mut(right * width);
        let (left_values, right_values) = (&mut before[left * width..(left + 1) * width], &after[..width]);
        if self.filled[left] {
            return cx.fold(&self.part, left_values, right_values, meter);
        }
        left_values.copy_from_slice(right_values);
        self.filled[left] = true;
        Ok(())
    }

    fn take_first_lane(&self) -> Option<Vec<Scalar>> {
        self.filled[0].then(|| self.lanes[..self.part.width()].to_vec())
    }

    fn join_last_tiles(&mut self, cx: &mut Combiner<'_>, meter: &mut Meter) -> Result<(), Error> {
        let (Some((_, right)), Some((rank, left))) = (self.tiles.pop(), self.tiles.pop()) else {
            unreachable!("tiles are joined in pairs");
        };
        let joined = match (left, right) {
            (Some(mut left), Some(right)) => {
                cx.fold(&self.part, &mut left, &right, meter)?;
                Some(left)
            }
            (left, right) => left.or(right),
        };
        self.tiles.push((rank + 1, joined));
        Ok(())
    }

    /// Ends the group and appends its result.
    pub fn end(
        &mut self,
        results: &mut Vec<Scalar>,
        cx: &mut Combiner<'_>,
        meter: &mut Meter,
    ) -> Result<(), Error> {
        let result = if self.in_order() {
            self.take_first_lane()
        } else {
            while self.tiles.len() > 1 {
                self.join_last_tiles(cx, meter)?;
            }
            self.tiles.pop().and_then(|(_, tile)| tile)
        };
        match result {
            Some(result) => results.extend(result),
            None => results.extend_from_slice(&self.part.unit),
        }
        Ok(())
    }
}
