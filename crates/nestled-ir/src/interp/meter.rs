//! Resource limits: counts steps, bytes and call depth, so that a runaway program ends with an error.

use super::error::{Error, Limit};
use super::interrupt::Interrupt;
use crate::span::Span;
use crate::value::{Array, Buffer, Lengths, Segmentation};
use std::fmt::Debug;
use std::sync::{Arc, Weak};

/// The limits on steps, memory and call depth of a run.
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

/// Memory that counts as long as it is referenced.
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

/// Some milliseconds at most.
const STEPS_WITHOUT_A_LOOK: u64 = 1 << 16;

/// A condition at which a run ends, polled from time to time.
pub trait StopCondition: Debug {
    /// True if a run that has taken so many steps ends.
    fn is_met(&self, taken: u64) -> bool;
}

/// Counts the steps and the memory of a run against its limits.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    /// Steps that may be taken before anything else is asked.
    steps_left: u64,
    /// Steps that may be taken after those.
    steps_beyond: u64,
    interrupt: Option<Interrupt>,
    stop: Option<Arc<dyn StopCondition>>,
    /// Set once the stop condition has ended the run.
    was_stopped: bool,
    /// Bytes that are returned explicitly, by [`Meter::give`].
    held: u64,
    /// Bytes of the watched buffers at the last sweep, and of those added since.
    in_buffers: u64,
    buffers: Vec<(Watched, u64)>,
    /// Number of watched buffers at which freed ones are swept out.
    sweep_at: usize,
}

impl Meter {
    /// A meter with nothing taken yet.
    pub fn new(limits: &Limits) -> Meter {
        Meter {
            limits: *limits,
            steps_left: limits.steps,
            steps_beyond: 0,
            interrupt: None,
            stop: None,
            was_stopped: false,
            held: 0,
            in_buffers: 0,
            buffers: Vec::new(),
            sweep_at: 64,
        }
    }

    /// Polls the interrupt from time to time.
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Meter {
        self.interrupt = Some(interrupt);
        self.share_out(self.steps_left + self.steps_beyond);
        self
    }

    /// Polls a condition from time to time. Once it is met, the run ends as if it had taken all its steps.
    pub fn with_stop_condition(mut self, stop: Arc<dyn StopCondition>) -> Meter {
        self.stop = Some(stop);
        self.share_out(self.steps_left + self.steps_beyond);
        self
    }

    /// True if the stop condition has ended the run.
    pub fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Number of steps taken so far.
    pub fn steps(&self) -> u64 {
        self.limits.steps - self.steps_left - self.steps_beyond
    }

    /// Takes steps.
    #[inline]
    pub fn step(&mut self, steps: u64) -> Result<(), Error> {
        if steps > self.steps_left {
            return self.look(steps);
        }
        self.steps_left -= steps;
        Ok(())
    }

    /// Takes steps when more are wanted than were shared out.
    #[cold]
    fn look(&mut self, steps: u64) -> Result<(), Error> {
        if self.interrupt.as_ref().is_some_and(Interrupt::is_requested) {
            return Err(Error::Interrupted);
        }
        if self.stop.as_ref().is_some_and(|stop| stop.is_met(self.steps())) {
            self.was_stopped = true;
            self.share_out(0);
            return Err(error(Limit::Steps { limit: self.limits.steps }));
        }
        let left = (self.steps_left + self.steps_beyond).checked_sub(steps);
        self.share_out(left.unwrap_or(0));
        match left {
            Some(_) => Ok(()),
            None => Err(error(Limit::Steps { limit: self.limits.steps })),
        }
    }

    /// Sets the number of steps left; a first share of them needs no poll.
    fn share_out(&mut self, left: u64) {
        let is_watched = self.interrupt.is_some() || self.stop.is_some();
        let share = if is_watched { STEPS_WITHOUT_A_LOOK } else { u64::MAX };
        self.steps_left = left.min(share);
        self.steps_beyond = left - self.steps_left;
    }

    /// Takes memory that [`Meter::give`] gives back. Ask before allocating.
    pub fn take(&mut self, bytes: u64) -> Result<(), Error> {
        self.room_for(bytes)?;
        self.held += bytes;
        Ok(())
    }

    /// Takes memory for `count` things of `size` bytes each.
    pub fn take_many(&mut self, count: u64, size: usize) -> Result<u64, Error> {
        let bytes = count.saturating_mul(size as u64);
        self.take(bytes)?;
        Ok(bytes)
    }

    /// Gives memory back.
    pub fn give(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// An error unless this much more memory may be taken.
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

    /// Counts the buffer of an array for as long as it is referenced.
    pub fn watch(&mut self, array: &Array) -> Result<(), Error> {
        self.add(Watched::Elements(Arc::downgrade(&array.data)), array.data.size())
    }

    /// Counts the offsets of a segmentation for as long as they are referenced.
    pub fn watch_offsets(&mut self, seg: &Segmentation) -> Result<(), Error> {
        match &seg.lengths {
            Lengths::Regular { .. } => Ok(()),
            Lengths::Offsets(offsets) => self.watch_starts(offsets),
        }
    }

    /// Counts positions for as long as they are referenced.
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

    /// Bytes that may still be allocated.
    pub fn room(&mut self) -> u64 {
        self.sweep();
        self.limits.bytes.saturating_sub(self.held.saturating_add(self.in_buffers))
    }

    /// Drops the entries of buffers that have been freed.
    fn sweep(&mut self) {
        self.buffers.retain(|(watched, _)| watched.is_alive());
        self.in_buffers = self.buffers.iter().map(|(_, bytes)| bytes).sum();
        self.sweep_at = 2 * self.buffers.len() + 64;
    }
}

/// The error of a limit, without a place: callers add it.
pub(super) fn error(limit: Limit) -> Error {
    Error::Limit { limit, span: Span::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_with_and_without_looks() {
        let limits = Limits { steps: 3 * STEPS_WITHOUT_A_LOOK + 5, ..Limits::default() };
        for mut meter in [Meter::new(&limits), Meter::new(&limits).with_interrupt(Interrupt::default())] {
            for _ in 0..3 {
                meter.step(STEPS_WITHOUT_A_LOOK - 1).unwrap();
            }
            meter.step(8).unwrap();
            assert_eq!(meter.steps(), limits.steps);
            assert!(matches!(meter.step(1), Err(Error::Limit { limit: Limit::Steps { .. }, .. })));
            assert_eq!(meter.steps(), limits.steps);
        }
    }

    #[derive(Debug)]
    struct Most(u64);

    impl StopCondition for Most {
        fn is_met(&self, taken: u64) -> bool {
            taken >= self.0
        }
    }

    #[test]
    fn a_stop_condition_ends_a_run() {
        let limits = Limits { steps: u64::MAX, ..Limits::default() };
        let mut meter = Meter::new(&limits).with_stop_condition(Arc::new(Most(5 * STEPS_WITHOUT_A_LOOK)));
        let taken = (0..100).take_while(|_| meter.step(STEPS_WITHOUT_A_LOOK / 2).is_ok()).count();
        assert!((10..=12).contains(&taken), "{taken}");
        assert!(meter.was_stopped());
        assert!(matches!(meter.step(1), Err(Error::Limit { .. })), "and it stays");
    }

    #[test]
    fn a_wish_is_seen_soon() {
        let interrupt = Interrupt::default();
        let mut meter =
            Meter::new(&Limits { steps: u64::MAX, ..Limits::default() }).with_interrupt(interrupt.clone());
        meter.step(1 << 40).unwrap();
        interrupt.request();
        let taken = (0..=STEPS_WITHOUT_A_LOOK).take_while(|_| meter.step(1).is_ok()).count() as u64;
        assert!(taken <= STEPS_WITHOUT_A_LOOK);
        assert_eq!(meter.step(1), Err(Error::Interrupted), "and it stays");
    }
}
