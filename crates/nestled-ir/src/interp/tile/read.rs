//! Reads in the lanes of a tile: the places that indices lead to, axis by axis, and the elements there.

use super::columns::{both, indices, unpack_some};
use super::unusual::Unusual;
use crate::interp::bounds::{Resolved, resolve_index};
use crate::thunk::Rule;
use crate::value::{Buffer, Layout, Step};

/// Places of a buffer, one for each lane.
#[derive(Debug, Default)]
pub(super) struct Places {
    at: Vec<u64>,
    /// Lanes whose read gives zero, or its default; they are at place 0, if there is one.
    zero: Vec<u32>,
    default: Vec<u32>,
    /// For each lane, true if it is one of these.
    is_elsewhere: Vec<bool>,
}

/// The index of an axis in each lane: a column, and what is added to it.
pub(super) struct AxisIndex<'a> {
    pub column: &'a Buffer,
    pub offset: i64,
    pub rule: Rule,
}

impl Places {
    /// Follows indices through a layout.
    pub(super) fn walk<'a>(
        &mut self,
        layout: &Layout,
        index: impl Iterator<Item = AxisIndex<'a>>,
        n: usize,
    ) -> Result<(), Unusual> {
        self.at.clear();
        self.at.resize(n, 0);
        self.zero.clear();
        self.default.clear();
        self.is_elsewhere.clear();
        for (step, index) in layout.steps().iter().zip(index) {
            let column = indices(index.column, n);
            match *step {
                Step::Extent(extent) => {
                    self.follow(column, &index, |at| (at.wrapping_mul(extent), extent))?
                }
                Step::Offsets(_) | Step::Placed { .. } => {
                    self.follow(column, &index, |at| step.segment(at))?;
                }
            }
        }
        Ok(())
    }

    /// Follows the indices of one axis, whose entries `segment` knows.
    fn follow(
        &mut self,
        column: &[i64],
        index: &AxisIndex<'_>,
        segment: impl Fn(u64) -> (u64, u64),
    ) -> Result<(), Unusual> {
        let is_plain = self.is_elsewhere.is_empty();
        for (lane, (&entry, at)) in column.iter().zip(&mut self.at).enumerate() {
            if !is_plain && self.is_elsewhere[lane] {
                continue;
            }
            let (start, extent) = segment(*at);
            let entry = entry.wrapping_add(index.offset);
            if entry >= 0 && (entry as u64) < extent {
                *at = start.wrapping_add(entry as u64);
                continue;
            }
            let list = match resolve_index(entry, extent, index.rule) {
                Resolved::At(entry) => {
                    *at = start.wrapping_add(entry);
                    continue;
                }
                Resolved::Zero => &mut self.zero,
                Resolved::Default => &mut self.default,
                Resolved::Fault | Resolved::Violation => return Err(Unusual::Lane),
            };
            list.push(lane as u32);
            *at = 0;
        }
        if !(self.zero.is_empty() && self.default.is_empty()) {
            self.is_elsewhere.clear();
            self.is_elsewhere.resize(self.at.len(), false);
            for &lane in self.zero.iter().chain(&self.default) {
                self.is_elsewhere[lane as usize] = true;
            }
        }
        Ok(())
    }

    /// Reads the elements at the places.
    pub(super) fn read(&self, dst: &mut Buffer, data: &Buffer, default: Option<&Buffer>) {
        both!(&mut *dst, data, |dst, data| {
            dst.clear();
            if self.is_elsewhere.is_empty() {
                dst.extend(self.at.iter().map(|&at| data[at as usize]));
            } else {
                let element = |at: u64, is_elsewhere: bool| match is_elsewhere {
                    true => Default::default(),
                    false => data[at as usize],
                };
                dst.extend(self.at.iter().zip(&self.is_elsewhere).map(|(&at, &is)| element(at, is)));
            }
        });
        if let Some(default) = default {
            unpack_some(dst, default, self.default.iter().map(|&lane| (lane, lane)));
        }
    }
}

/// Reads the elements at the positions of a column.
pub(super) fn gather(dst: &mut Buffer, data: &Buffer, positions: &[i64]) {
    both!(dst, data, |dst, data| {
        dst.clear();
        dst.extend(positions.iter().map(|&at| data[at as usize]));
    });
}
