//! Synchronisation: waits for numbers from the device, and fetches faults.
//!
//! The host waits only for numbers that host code computes with, for the size of an array whose extent has no known bound,
//! before commands, and at the end of the run. Faults are fetched on each such occasion, and when as many regions as the device can
//! tell apart have gone by. The fault that is reported is the least by (region, site, element).

use super::datum::{CellData, Datum};
use super::machine::{Machine, PendingCheck};
use super::reading::Reading;
use super::wait::{Soon, Wait};
use crate::device::{DeviceError, DeviceFault};
use crate::error::Error;
use crate::lower::Operand;
use crate::trace::Event;
use nestled_ir::interp::{Fault, FaultKind};
use nestled_ir::{Scalar, SiteId};
use std::future::ready;

/// The numbers on the device among `data`.
fn cells(data: &[Datum]) -> impl Iterator<Item = &CellData> {
    data.iter().filter_map(|datum| if let Datum::Cell(cell) = datum { Some(&**cell) } else { None })
}

impl Machine<'_> {
    /// Sees to it that the host knows all numbers among `data`.
    pub(super) async fn fetch(&mut self, data: &[Datum]) -> Result<(), Error> {
        if cells(data).all(|cell| cell.known.get().is_some()) { Ok(()) } else { self.look(data).await }
    }

    /// The number that a datum holds.
    pub(super) async fn number(&mut self, datum: &Datum) -> Result<Scalar, Error> {
        self.fetch(std::slice::from_ref(datum)).await?;
        datum.known().ok_or_else(|| Error::Bug("a number is wanted where there is none".to_owned()))
    }

    /// The truth value of a condition that the host does not know yet.
    pub(super) async fn truth(&mut self, cond: Operand) -> Result<bool, Error> {
        let cond = self.take(cond);
        Ok(self.number(&cond).await?.as_bool().unwrap_or(false))
    }

    /// Waits, learns the numbers among `data` and the outcome of checks, and raises the least fault unless a lesser one may still come.
    pub(super) async fn look(&mut self, data: &[Datum]) -> Result<(), Error> {
        self.wait_and_note(data).await?;
        match &self.fault {
            Some((region, fault)) if *region < self.region || !self.may_undercut(fault.site) => self.raise(),
            _ => Ok(()),
        }
    }

    fn wait_and_note<'m>(&'m mut self, data: &'m [Datum]) -> Soon<'m, ()> {
        match self.wait {
            Wait::Block => Soon::Now(ready(self.wait_and_note_now(data))),
            Wait::Stop => self.wait.soon(self.wait_and_note_later(data)),
        }
    }

    fn wait_and_note_now(&mut self, data: &[Datum]) -> Result<(), Error> {
        let (mut reading, counts) = self.begin_reading(data);
        let (Reading { places, numbers, .. }, waited) = (&mut reading, Event::Wait { span: self.span() });
        let outcome = self.watched(|device| device.read(places, numbers), waited);
        self.end_reading(reading, data, counts, outcome)
    }

    async fn wait_and_note_later(&mut self, data: &[Datum]) -> Result<(), Error> {
        let (mut reading, counts) = self.begin_reading(data);
        let (Reading { places, numbers, .. }, waited) = (&mut reading, Event::Wait { span: self.span() });
        let outcome = self.waited(self.wait.read(&**self.device, places, numbers), waited).await;
        self.end_reading(reading, data, counts, outcome)
    }

    /// The places of the numbers among `data`, of checks, and of what is expected; and how many the first of these are, and the first two.
    fn begin_reading(&mut self, data: &[Datum]) -> (Reading, [usize; 2]) {
        let mut reading = std::mem::take(&mut self.reading);
        let Reading { places, numbers, expected } = &mut reading;
        places.clear();
        numbers.clear();
        expected.clear();
        places.extend(cells(data).map(|cell| cell.cell()));
        let fetched = places.len();
        places.extend(self.pending.iter().map(|check| check.cond.cell()));
        let checked = places.len();
        self.take_expected(expected);
        places.extend(expected.iter().map(|cell| cell.cell()));
        (reading, [fetched, checked])
    }

    /// Learns the numbers that were read, and notes the checks that do not hold, and the fault.
    fn end_reading(
        &mut self,
        mut reading: Reading,
        data: &[Datum],
        [fetched, checked]: [usize; 2],
        outcome: Result<Option<DeviceFault>, DeviceError>,
    ) -> Result<(), Error> {
        if outcome.is_ok() {
            let Reading { numbers, expected, .. } = &mut reading;
            let (numbers, more) = numbers.split_at(checked);
            expected.drain(..).zip(more).for_each(|(cell, &number)| cell.learn(number));
            let (fetched, outcomes) = numbers.split_at(fetched);
            cells(data).zip(fetched).for_each(|(cell, &number)| cell.learn(number));
            let mut checks = std::mem::take(&mut self.pending);
            for (check, outcome) in checks.drain(..).zip(outcomes) {
                if outcome.as_bool() == Some(false) {
                    self.note_check(check);
                }
            }
            self.pending = checks;
        }
        self.reading = reading;
        let fault = outcome?;
        self.look_for_interrupt()?;
        if let Some(fault) = fault {
            self.note_device_fault(fault);
        }
        self.looked = self.region;
        self.faults_pending = false;
        Ok(())
    }

    fn note_check(&mut self, check: PendingCheck) {
        let kind = FaultKind::Check { code: check.code };
        self.note(check.region, Fault::new(&self.exe.program, check.site, 0, kind));
    }

    fn note_device_fault(&mut self, fault: DeviceFault) {
        let DeviceFault { region, site, element, point, kind } = fault;
        self.note(region, Fault { point, ..Fault::new(&self.exe.program, site, element, kind) });
    }

    /// Keeps the lesser of two faults.
    fn note(&mut self, region: u64, fault: Fault) {
        let rank = |region: u64, fault: &Fault| (region, fault.site, fault.element);
        let new = rank(region, &fault);
        if self.fault.as_ref().is_none_or(|(region, known)| new < rank(*region, known)) {
            self.fault = Some((region, fault));
        }
    }

    /// True if the current instruction, or a later one of its region, could fault with a site no greater than this one.
    fn may_undercut(&self, site: SiteId) -> bool {
        self.least_site().is_some_and(|least| least <= site)
    }

    fn raise(&mut self) -> Result<(), Error> {
        match self.fault.take() {
            Some((_, fault)) => Err(Error::Fault(fault)),
            None => Ok(()),
        }
    }

    /// Reports a fault of the current instruction, found on the host. If this returns, something later in the region may fault with a lesser
    /// site (passes move statements), and the results of the instruction are lost.
    pub(super) async fn host_fault(
        &mut self,
        site: SiteId,
        element: u64,
        kind: FaultKind,
    ) -> Result<(), Error> {
        if self.uses_poison {
            return Ok(());
        }
        self.note(self.region, Fault::new(&self.exe.program, site, element, kind));
        if self.may_be_undercut(site) {
            return Ok(());
        }
        self.wait_and_note(&[]).await?;
        self.raise()
    }

    /// True if something later in the region could fault with a site no greater than this one.
    pub(super) fn may_be_undercut(&self, site: SiteId) -> bool {
        self.code.least.get(self.pc).copied().flatten().is_some_and(|later| later <= site)
    }

    /// Returns whether this site has faulted; `None` if unknown because a lesser one has.
    pub(super) fn has_faulted(&self, site: SiteId) -> Option<bool> {
        match &self.fault {
            None => Some(false),
            Some((_, fault)) if fault.site == site => Some(true),
            Some((_, fault)) if fault.site > site => Some(false),
            Some(_) => None,
        }
    }

    /// True if faults must be looked at where a region that can fault ends.
    pub(super) fn must_look(&self) -> bool {
        let in_flight = self.region + 1 - self.looked;
        self.fault.is_some() || (self.faults_pending && in_flight >= self.device.describe().regions_ahead)
    }

    /// A region that can fault ends, where faults must be looked at.
    pub(super) async fn end_region(&mut self) -> Result<(), Error> {
        self.look(&[]).await?;
        self.next_region();
        Ok(())
    }

    /// The region ends: the next one begins.
    pub(super) fn next_region(&mut self) {
        self.region += 1;
        if !self.faults_pending {
            self.looked = self.region;
        }
    }

    /// Waits for the faults of everything so far: before commands, and at the end.
    pub(super) async fn settle(&mut self) -> Result<(), Error> {
        if self.faults_pending { self.look(&[]).await } else { Ok(()) }
    }

    /// The error to report: a fault that happened before `error` has precedence.
    pub(super) async fn first_error(&mut self, error: Error) -> Error {
        let in_flight = self.faults_pending || self.fault.is_some();
        let may_look = in_flight && !matches!(error, Error::Fault(_) | Error::Lost(_) | Error::Interrupted);
        if may_look && self.wait_and_note(&[]).await.is_ok() {
            self.raise().err().unwrap_or(error)
        } else {
            error
        }
    }
}
