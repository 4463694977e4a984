//! Points of a tile: their coordinates and positions, as columns.

use super::TILE;
use super::columns::{are_consecutive, both};
use crate::interp::capture::{Capture, Captures, Point};
use crate::interp::error::Error;
use crate::interp::meter::Meter;
use crate::interp::points::Points;
use crate::kernel::Combinator;
use crate::value::Buffer;
use std::ops::Range;

/// Some consecutive points of a level, or those of them where a guard holds.
#[derive(Debug)]
pub(in crate::interp) struct TilePoints {
    level: usize,
    /// The coordinates, then the positions at every level.
    columns: Vec<Vec<i64>>,
    /// False if a guard has left points out.
    is_whole: bool,
}

impl TilePoints {
    /// No points of a level.
    pub fn new(level: usize) -> TilePoints {
        TilePoints { level, columns: vec![Vec::new(); 2 * level + 1], is_whole: true }
    }

    /// Takes the next points, [`TILE`] at most. False if there are no more.
    pub fn take(&mut self, points: &mut Points<'_>, meter: &mut Meter) -> Result<bool, Error> {
        self.columns.iter_mut().for_each(Vec::clear);
        while self.len() < TILE {
            let room = (TILE - self.len()) as u64;
            let Some((point, n)) = points.next_run(room, meter)? else { break };
            self.push_run(point, n as usize);
        }
        Ok(self.len() > 0)
    }

    /// Appends `n` points that follow one another along the last axis.
    fn push_run(&mut self, point: &Point, n: usize) {
        let (level, first) = (self.level, |from: i64| from..from + n as i64);
        let (coordinates, positions) = self.columns.split_at_mut(level);
        for (axis, (column, &from)) in coordinates.iter_mut().zip(&point.coordinates).enumerate() {
            if axis + 1 == level { column.extend(first(from)) } else { column.resize(column.len() + n, from) }
        }
        for (at, (column, &from)) in positions.iter_mut().zip(&point.at).enumerate() {
            let from = from as i64;
            if at == level && level > 0 {
                column.extend(first(from));
            } else {
                column.resize(column.len() + n, from);
            }
        }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.columns[2 * self.level].len()
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &[i64]> {
        self.columns.iter().map(Vec::as_slice)
    }

    /// The positions of the points at a level.
    pub fn positions(&self, level: usize) -> &[i64] {
        &self.columns[self.level + level]
    }

    /// Puts a value for each point where a buffer of a level has it.
    pub fn put(&self, level: usize, buffer: &mut Buffer, column: &Buffer) {
        let positions = self.positions(level);
        both!(buffer, column, |buffer, column| {
            if are_consecutive(positions) && !positions.is_empty() {
                let (first, n) = (positions[0] as usize, positions.len());
                buffer[first..first + n].copy_from_slice(&column[..n]);
            } else {
                positions.iter().zip(column).for_each(|(&at, &value)| buffer[at as usize] = value);
            }
        });
    }

    /// Sets a truth value of a level to true for each point.
    pub fn mark(&self, level: usize, buffer: &mut Buffer) {
        let Buffer::Bool(marks) = buffer else { unreachable!("marks are truth values") };
        self.positions(level).iter().for_each(|&at| marks[at as usize] = true);
    }

    /// True if no point between the first and the last is left out.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The ranges of points that have the same position at a level.
    pub fn groups(&self, level: usize) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        self.positions(level).chunk_by(|a, b| a == b).map(move |group| {
            from += group.len();
            from - group.len()..from
        })
    }

    /// Appends a value for each point to a buffer.
    pub fn append(&self, buffer: &mut Buffer, column: &Buffer) {
        both!(buffer, column, |buffer, column| buffer.extend_from_slice(&column[..self.len()]));
    }

    /// Makes a point the one in a lane.
    pub fn point(&self, lane: usize, point: &mut Point) {
        point.coordinates.clear();
        point.coordinates.extend(self.columns[..self.level].iter().map(|column| column[lane]));
        point.at.clear();
        point.at.extend(self.columns[self.level..].iter().map(|column| column[lane] as u64));
    }

    /// For each point, true if the guard holds there; `None` without a guard.
    pub fn guard(&self, captures: &Captures<'_>, step: &Combinator) -> Option<Vec<bool>> {
        let Capture::Bind { level, data: Buffer::Bool(holds) } = captures.get(step.guard?) else {
            unreachable!("the verifier lets only truth values that are bound before be a guard")
        };
        Some(self.positions(level.0).iter().map(|&at| holds[at as usize]).collect())
    }

    /// The points where a guard holds.
    pub fn where_on(&self, on: &[bool]) -> TilePoints {
        let some = |column: &Vec<i64>| {
            let lanes = column.iter().zip(on).filter(|(_, on)| **on);
            lanes.map(|(&value, _)| value).collect()
        };
        TilePoints { level: self.level, columns: self.columns.iter().map(some).collect(), is_whole: false }
    }
}
