//! One launch: fills the slots, runs the nests one after another, and moves packed results to their final places.
#![allow(unsafe_code)] // Writes results by address.

use super::compact;
use super::groups;
use super::launch_table;
use super::loaded::LoadedKernel;
use super::nest::NestRun;
use super::raw::{RawFault, RawLaunch};
use super::running::Running;
use super::scratch::{NoMemory, Scratch, ScratchBlock};
use super::serial;
use super::sizes;
use super::whole;
use super::workspace::Workspace;
use crate::codegen::module::Plan;
use nestled_kernel::rolling::Band;
use nestled_pool::Pool;
use std::ptr;
use std::sync::{Mutex, PoisonError};

impl LoadedKernel {
    /// Runs the kernel and returns the least fault. After an interrupt, results may hold anything.
    ///
    /// # Errors
    /// If scratch memory cannot be allocated.
    ///
    /// # Safety
    /// The launch is what the kernel's text asks for: pointers lead to as many elements as shapes promise (sources readable 256 bytes past their
    /// ends), offsets rise and agree with totals, views lie inside their data. A result overlaps no other, and no argument except one that begins at
    /// the same address and that it may overwrite (the plan's pairs `in_place`). Until the call returns no other code writes to any of it, or
    /// accesses results.
    pub unsafe fn launch(
        &self,
        pool: &Pool,
        launch: &RawLaunch<'_>,
        workspace: &mut Workspace,
    ) -> Result<Option<RawFault>, NoMemory> {
        let Workspace { slots: table, points, scratch, thresholds, interrupt } = workspace;
        sizes::level_points(&self.plan.kernel, launch, points);
        let stored = self.stored(launch, scratch, points)?;
        let flag = interrupt.as_ref().map_or(&launch_table::NO_INTERRUPT, |interrupt| &**interrupt.flag());
        launch_table::fill(table, &self.tables.slots, (launch, flag), points, &stored);
        let mut running = Running {
            kernel: self,
            pool,
            launch,
            scratch,
            points,
            thresholds: *thresholds,
            slots: table,
            stored,
            interrupt: interrupt.as_ref(),
            fault: Mutex::new(None),
        };
        let outcome = running.run();
        for block in running.stored.drain(..) {
            scratch.give(block);
        }
        let fault = running.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.map(|()| fault)
    }

    /// Allocates the arrays that live as long as a launch. Those in rings are allocated by each thread.
    fn stored(
        &self,
        launch: &RawLaunch<'_>,
        scratch: &Scratch,
        points: &[u64],
    ) -> Result<Vec<ScratchBlock>, NoMemory> {
        let mut stored = Vec::new();
        let rings: Vec<usize> =
            self.plan.bands.iter().flat_map(|band| &band.rings).map(|ring| ring.stored).collect();
        for (number, (place, elem)) in self.plan.stored.iter().enumerate() {
            let size = match rings.contains(&number) {
                true => 0,
                false => match place.given {
                    Some(axis) => sizes::step(&self.plan.kernel, launch, axis).first(1),
                    None => points[place.level],
                }
                .saturating_mul(elem.size() as u64),
            };
            stored.push(scratch.take(usize::try_from(size).unwrap_or(usize::MAX))?);
        }
        Ok(stored)
    }
}

impl Running<'_> {
    /// Runs all nests.
    fn run(&mut self) -> Result<(), NoMemory> {
        for number in 0..self.kernel.plan.nests.len() {
            // Results that were not computed must not be used as addresses.
            if self.is_interrupted() {
                return Ok(());
            }
            let kernel = self.kernel;
            let band = kernel.plan.bands.iter().find(|band| band.nests().contains(&number));
            if band.is_some_and(|band| band.first != number) {
                continue;
            }
            let mut together = band.map_or(number..number + 1, Band::nests);
            if self.has_faulted() && together.any(|nest| kernel.plan.risks[nest].relies) {
                self.give_up(number);
                return Ok(());
            }
            match band {
                Some(band) => self.band(band)?,
                None => self.nest(number)?,
            }
        }
        self.copy_duplicates();
        Ok(())
    }

    /// Runs a nest, and moves its packed results.
    fn nest(&self, number: usize) -> Result<(), NoMemory> {
        let nest = NestRun::new(self, number)?;
        if let Some(step) = serial::of_nest(&nest) {
            return serial::run(&nest, step);
        }
        let plan = nest.plan;
        let collected = if plan.nest.level == 0 {
            Some(whole::pieces(&nest, 1, 1)?)
        } else if plan.nest.group > 0 {
            Some(groups::run(&nest)?)
        } else {
            whole::run(&nest)?
        };
        nest.finish();
        match collected {
            Some(collected) => compact::finish(self, plan, collected),
            None => Ok(()),
        }
    }

    /// Skips the nests from `number` on, and zeroes their results.
    fn give_up(&mut self, number: usize) {
        let Plan { kernel, nests, risks, .. } = &self.kernel.plan;
        let left_out = |step: usize| {
            nests[number..].iter().any(|plan| plan.nest.items.iter().any(|item| item.step == step))
        };
        for (value, into) in kernel.ret.iter().zip(self.launch.results) {
            if kernel.binder(*value).is_some_and(|(step, _)| left_out(step)) {
                let size = kernel.elem(*value).size();
                // SAFETY: the result has room for `into.len` elements, and no nest is under way.
                unsafe { ptr::write_bytes(into.data, 0, into.len as usize * size) };
            }
        }
        let fault = self.fault.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = fault {
            fault.unsure = risks[number].least_site.is_some_and(|least| least <= fault.site);
        }
    }

    /// Copies each result that occurs more than once among the kernel's results.
    fn copy_duplicates(&self) {
        let kernel = &self.kernel.plan.kernel;
        for (position, value) in kernel.ret.iter().enumerate() {
            let first = kernel.ret.iter().position(|other| other == value).unwrap_or(position);
            if first != position {
                let (from, to) = (self.launch.results[first], self.launch.results[position]);
                let size = kernel.elem(*value).size();
                let len = from.len.min(to.len) as usize * size;
                // SAFETY: both results have room for so many elements, and do not overlap; no nest is under way.
                unsafe { ptr::copy_nonoverlapping(from.data, to.data, len) };
            }
        }
    }
}
