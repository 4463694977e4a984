//! Reads that do not block: a ticket holds the middle part of a [`Machine`]'s wait, and each poll asks after it.
//!
//! While a run is stopped at a read it launches nothing, but values may be read, written and freed, and so others may look at faults. What they saw is noted then, and of what was read here only
//! the numbers count. A launch that faulted is explained after one more read, of all that it had read.

use super::elements::from_words;
use super::fetched::{Fetched, Wanted};
use super::machine::Machine;
use super::window::Window;
use super::{State, bug};
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::device::{Cell, DeviceError, DeviceFault, Slice, Ticket};
use std::task::{Context, Poll, ready};

/// A read of numbers and fault words that has begun.
#[derive(Debug)]
struct Reading<M: Machine> {
    wait: Option<M::Wait>,
    /// The wait under way.
    stage: Stage,
    /// Number of looks before it.
    looks: u64,
    /// Number of launches whose fault words are read, and of these words.
    launches: usize,
    fault_words: usize,
    /// The words, once they are there.
    words: Vec<u32>,
    /// Number of launches that faulted and have been explained.
    explained: usize,
}

/// The parts of a read, in order.
#[derive(Debug)]
enum Stage {
    /// The fault words and the numbers.
    Words,
    /// What a launch that faulted had read.
    Explanation(Wanted),
    /// Everything queued, if that is wanted.
    Finish,
}

/// A read of elements that has begun.
#[derive(Debug)]
struct Copying<M: Machine> {
    wait: Option<M::Wait>,
    window: Window,
    elem: ScalarType,
}

impl<M: Machine> State<M> {
    /// [`Device::poll_read`](nestled_rt::device::Device::poll_read).
    pub(super) fn poll_read(
        &mut self,
        ticket: &mut Ticket,
        cells: &[Cell],
        into: &mut Vec<Scalar>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<DeviceFault>, DeviceError>> {
        if ticket.is_empty() {
            ticket.note(self.begin_reading(cells)?);
        }
        let reading = ticket.noted::<Reading<M>>().ok_or_else(|| bug("the ticket of another wait"))?;
        loop {
            let words = ready!(self.memory.queue().poll(&mut reading.wait, context))?;
            match &reading.stage {
                Stage::Words => reading.words = words,
                Stage::Explanation(wanted) => {
                    self.explain_fetched(reading, wanted, &words)?;
                    reading.explained += 1;
                }
                Stage::Finish => break,
            }
            if !self.begin_explaining(reading)? {
                self.end_reading(reading, cells, into)?;
                reading.stage = Stage::Finish;
                reading.wait = if cells.is_empty() { self.memory.queue().begin_finish()? } else { None };
            }
        }
        ticket.end();
        Poll::Ready(Ok(self.fault.clone()))
    }

    fn begin_reading(&mut self, cells: &[Cell]) -> Result<Reading<M>, DeviceError> {
        let mut places = Vec::new();
        self.waiting.places(&self.memory, &mut places);
        let fault_words = places.iter().map(|&(_, words)| words as usize).sum();
        self.places_of(cells, &mut places)?;
        let wait = if places.is_empty() { None } else { Some(self.memory.begin_read(&places)?) };
        Ok(Reading {
            wait,
            stage: Stage::Words,
            looks: self.looks,
            launches: self.waiting.len(),
            fault_words,
            words: Vec::new(),
            explained: 0,
        })
    }

    /// True if the fault words are still those of the launches that wait to be looked at.
    fn is_first_look(&self, reading: &Reading<M>) -> Result<bool, DeviceError> {
        if self.looks != reading.looks || reading.launches == 0 {
            return Ok(false);
        }
        if self.waiting.len() == reading.launches {
            Ok(true)
        } else {
            Err(bug("something was launched while a run was stopped"))
        }
    }

    /// Begins to read what the next launch that faulted had read; false if there is none that may matter.
    fn begin_explaining(&self, reading: &mut Reading<M>) -> Result<bool, DeviceError> {
        if !self.is_first_look(reading)? {
            return Ok(false);
        }
        let (faulted, _) = self.waiting.faulted(&reading.words);
        let Some(found) = faulted.get(reading.explained) else { return Ok(false) };
        if self.fault.as_ref().is_some_and(|known| known.rank() < found.rank()) {
            return Ok(false);
        }
        let wanted = Wanted::of(found.held())?;
        let places = wanted.places();
        reading.wait = if places.is_empty() { None } else { Some(self.memory.begin_read(&places)?) };
        reading.stage = Stage::Explanation(wanted);
        Ok(true)
    }

    fn explain_fetched(
        &mut self,
        reading: &Reading<M>,
        wanted: &Wanted,
        words: &[u32],
    ) -> Result<(), DeviceError> {
        if !self.is_first_look(reading)? {
            return Ok(());
        }
        let fault = {
            let (faulted, _) = self.waiting.faulted(&reading.words);
            let Some(found) = faulted.get(reading.explained) else { return Ok(()) };
            self.explained(found, &Fetched::new(&self.memory, wanted, words))?
        };
        fault.into_iter().for_each(|fault| self.note(fault));
        Ok(())
    }

    fn end_reading(
        &mut self,
        reading: &Reading<M>,
        cells: &[Cell],
        into: &mut Vec<Scalar>,
    ) -> Result<(), DeviceError> {
        if self.is_first_look(reading)? {
            self.forget_waiting();
        }
        let numbers = reading.words.get(reading.fault_words..).unwrap_or_default();
        self.numbers(cells, numbers, into)
    }

    /// [`Device::poll_copy_out`](nestled_rt::device::Device::poll_copy_out).
    pub(super) fn poll_copy(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        if ticket.is_empty() {
            let (window, elem) = self.memory.window(slice)?;
            if slice.len == 0 {
                return Poll::Ready(Ok(Buffer::zeroed(elem, 0)));
            }
            let wait = Some(self.memory.begin_read(&[(window.place, window.words)])?);
            ticket.note(Copying::<M> { wait, window, elem });
        }
        let copying = ticket.noted::<Copying<M>>().ok_or_else(|| bug("the ticket of another wait"))?;
        let words = ready!(self.memory.queue().poll(&mut copying.wait, context))?;
        let (elem, skip) = (copying.elem, copying.window.skip as usize);
        ticket.end();
        Poll::Ready(Ok(from_words(elem, &words, skip, slice.len as usize)))
    }
}
