//! Limits on what a run takes, so that a program that runs away ends with an error.

use super::error::{Error, Limit};
use crate::span::Span;
use crate::value::{Array, Buffer, Lengths, Segmentation};
use std::sync::{Arc, Weak};

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Statements, points and rounds of loops.
    pub steps: u64,
    /// Bytes that arrays, private arrays and calls hold at one time.
    pub bytes: u64,
    /// Calls inside calls; those in tail position do not count.
    pub depth: usize,
}

/// 10¹² steps (hours), 4 GiB, 4 million calls inside calls.
impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 1_000_000_000_000, bytes: 4 << 30, depth: 4_000_000 }
    }
}

/// Memory that is counted as long as somebody holds it.
#[derive(Debug)]
enum Watched {
    Elements(Weak<Buffer>),
    Positions(Weak<[i64]>),
}

impl Watched {
    fn is_alive(&self) -> bool {
        match self {
            Watched::Elements(weak) => weak.strong_count() > 0,
            Watched::Positions(weak) => weak.strong_count() > 0,
        }
    }
}

/// Counts what a run takes.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    steps_left: u64,
    /// Bytes that are given back by whoever took them.
    held: u64,
    /// Bytes of the buffers below when last looked at, and of those made since.
    in_buffers: u64,
    buffers: Vec<(Watched, u64)>,
    /// How many buffers there may be before the dead ones are looked for.
    sweep_at: usize,
}

impl Meter {
    /// Nothing is taken yet.
    pub fn new(limits: &Limits) -> Meter {
        Meter {
            limits: *limits,
            steps_left: limits.steps,
            held: 0,
            in_buffers: 0,
            buffers: Vec::new(),
            sweep_at: 64,
        }
    }

    /// What may be taken.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many steps have been taken.
    pub fn steps(&self) -> u64 {
        self.limits.steps - self.steps_left
    }

    /// Takes steps.
    #[inline]
    pub fn step(&mut self, steps: u64) -> Result<(), Error> {
        if steps > self.steps_left {
            return Err(self.out_of_steps());
        }
        self.steps_left -= steps;
        Ok(())
    }

    #[cold]
    fn out_of_steps(&mut self) -> Error {
        self.steps_left = 0;
        error(Limit::Steps { limit: self.limits.steps })
    }

    /// Takes memory that [`Meter::give`] gives back. Ask before allocating.
    pub fn take(&mut self, bytes: u64) -> Result<(), Error> {
        self.room_for(bytes)?;
        self.held += bytes;
        Ok(())
    }

    /// Takes memory for so many things of a size.
    pub fn take_many(&mut self, count: u64, size: usize) -> Result<u64, Error> {
        let bytes = count.saturating_mul(size as u64);
        self.take(bytes)?;
        Ok(bytes)
    }

    /// Gives memory back.
    pub fn give(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// An error unless so much more memory may be taken.
    pub fn room_for(&mut self, bytes: u64) -> Result<(), Error> {
        if !self.fits(bytes) {
            self.sweep();
        }
        if self.fits(bytes) {
            Ok(())
        } else {
            Err(error(Limit::Bytes { wanted: bytes, limit: self.limits.bytes }))
        }
    }

    fn fits(&self, bytes: u64) -> bool {
        self.held.saturating_add(self.in_buffers).saturating_add(bytes) <= self.limits.bytes
    }

    /// Counts the buffer of an array for as long as anybody holds it.
    pub fn watch(&mut self, array: &Array) -> Result<(), Error> {
        self.add(Watched::Elements(Arc::downgrade(&array.data)), array.data.size())
    }

    /// Counts the offsets of a segmentation for as long as anybody holds them.
    pub fn watch_offsets(&mut self, seg: &Segmentation) -> Result<(), Error> {
        match &seg.lengths {
            Lengths::Regular { .. } => Ok(()),
            Lengths::Offsets(offsets) => self.watch_starts(offsets),
        }
    }

    /// Counts positions for as long as anybody holds them.
    pub fn watch_starts(&mut self, starts: &Arc<[i64]>) -> Result<(), Error> {
        self.add(Watched::Positions(Arc::downgrade(starts)), 8 * starts.len() as u64)
    }

    fn add(&mut self, watched: Watched, bytes: u64) -> Result<(), Error> {
        // What is watched takes a little room itself, so that even empty arrays cannot be kept without end.
        let bytes = bytes + 64;
        if self.buffers.len() >= self.sweep_at {
            self.sweep();
        }
        self.room_for(bytes)?;
        self.in_buffers += bytes;
        self.buffers.push((watched, bytes));
        Ok(())
    }

    /// How much more memory may be taken.
    pub fn room(&mut self) -> u64 {
        self.sweep();
        self.limits.bytes.saturating_sub(self.held.saturating_add(self.in_buffers))
    }

    /// Forgets the buffers that nobody holds any more.
    fn sweep(&mut self) {
        self.buffers.retain(|(watched, _)| watched.is_alive());
        self.in_buffers = self.buffers.iter().map(|(_, bytes)| bytes).sum();
        self.sweep_at = 2 * self.buffers.len() + 64;
    }
}

/// The error of a limit, at a place that whoever passes it on knows better.
pub(super) fn error(limit: Limit) -> Error {
    Error::Limit { limit, span: Span::NONE }
}
