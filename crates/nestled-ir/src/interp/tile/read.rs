//! Reads in the lanes of a tile: the places that indices lead to, axis by axis, and the elements there.

use super::columns::{are_consecutive, both, indices, unpack_some};
use super::unusual::Unusual;
use crate::interp::bounds::{Resolved, resolve_index};
use crate::thunk::Rule;
use crate::value::{Buffer, Layout, Step};
use nestled_multiversion::{Job, with_avx2};

/// Places of a buffer, one for each lane.
#[derive(Debug, Default)]
pub(super) struct Places {
    at: Vec<i64>,
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
        self.at.resize(n, 0);
        self.zero.clear();
        self.default.clear();
        self.is_elsewhere.clear();
        if layout.steps().is_empty() {
            self.at.fill(0);
        }
        for (axis, (step, index)) in layout.steps().iter().zip(index).enumerate() {
            let (column, is_first) = (indices(index.column, n), axis == 0);
            if let (Step::Extent(extent), true) = (step, self.is_elsewhere.is_empty()) {
                let (at, offset, extent) = (&mut *self.at, index.offset, *extent);
                if with_avx2(FollowInside { at, column, offset, extent, is_first }) {
                    continue;
                }
            }
            if is_first {
                self.at.fill(0);
            }
            // Lanes side by side are often in the same segment.
            let mut last = (u64::MAX, (0, 0));
            self.follow(column, &index, |at| {
                if at != last.0 {
                    last = (at, step.segment(at));
                }
                last.1
            })?;
        }
        Ok(())
    }

    /// Follows the indices of one axis, whose entries `segment` knows.
    fn follow(
        &mut self,
        column: &[i64],
        index: &AxisIndex<'_>,
        mut segment: impl FnMut(u64) -> (u64, u64),
    ) -> Result<(), Unusual> {
        let is_plain = self.is_elsewhere.is_empty();
        for (lane, (&entry, at)) in column.iter().zip(&mut self.at).enumerate() {
            if !is_plain && self.is_elsewhere[lane] {
                continue;
            }
            let (start, extent) = segment(*at as u64);
            let entry = entry.wrapping_add(index.offset);
            if entry >= 0 && (entry as u64) < extent {
                *at = start.wrapping_add(entry as u64) as i64;
                continue;
            }
            let list = match resolve_index(entry, extent, index.rule) {
                Resolved::At(entry) => {
                    *at = start.wrapping_add(entry) as i64;
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
        if self.is_elsewhere.is_empty() {
            gather(dst, data, &self.at);
        } else {
            both!(&mut *dst, data, |dst, data| {
                let element = |at: i64, is_elsewhere: bool| match is_elsewhere {
                    true => Default::default(),
                    false => data[at as usize],
                };
                dst.clear();
                dst.extend(self.at.iter().zip(&self.is_elsewhere).map(|(&at, &is)| element(at, is)));
            });
        }
        if let Some(default) = default {
            unpack_some(dst, default, self.default.iter().map(|&lane| (lane, lane)));
        }
    }
}

/// Follows the indices of an axis of one extent in all lanes.
struct FollowInside<'a> {
    at: &'a mut [i64],
    column: &'a [i64],
    offset: i64,
    extent: u64,
    /// True if this is the first axis: every lane is at 0 yet, whatever `at` says.
    is_first: bool,
}

impl Job for FollowInside<'_> {
    type Output = bool;

    /// False, with nothing done, if an index lies outside.
    #[inline(always)]
    fn run(self) -> bool {
        let FollowInside { at, column, offset, extent, is_first } = self;
        let mut is_outside = false;
        for &entry in column {
            is_outside |= entry.wrapping_add(offset) as u64 >= extent;
        }
        if is_outside {
            return false;
        }
        for (at, &entry) in at.iter_mut().zip(column) {
            let start = if is_first { 0 } else { at.wrapping_mul(extent as i64) };
            *at = start.wrapping_add(entry.wrapping_add(offset));
        }
        true
    }
}

/// Reads the elements at the positions of a column.
pub(super) fn gather(dst: &mut Buffer, data: &Buffer, positions: &[i64]) {
    with_avx2(Gather { dst, data, positions });
}

struct Gather<'a> {
    dst: &'a mut Buffer,
    data: &'a Buffer,
    positions: &'a [i64],
}

impl Job for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Gather { dst, data, positions } = self;
        let n = positions.len();
        both!(dst, data, |dst, data| {
            if are_consecutive(positions) {
                dst.clear();
                let first = positions.first().map_or(0, |&first| first as usize);
                dst.extend_from_slice(&data[first..first + n]);
            } else {
                dst.resize(n, Default::default());
                for (to, &at) in dst.iter_mut().zip(positions) {
                    *to = data[at as usize];
                }
            }
        });
    }
}
