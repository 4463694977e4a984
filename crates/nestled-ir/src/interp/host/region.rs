//! Regions: deferred fault reporting. Faults are reported at the end of a region, and of several the one with the least site.
//!
//! All statements of a region count, also those after a fault. The values that a *kernel* with a fault binds may be used: they hold zeros
//! for the lanes that faulted. The values that a faulting statement of *host code* binds are lost, and so are all values that depend on
//! them: those statements are not run. So the reported fault depends neither on when faults are looked for nor on fusion.

use super::super::error::{Error, Fault};
use super::Machine;
use crate::host::{HostBlock, HostPart, HostStmt};
use crate::id::SiteId;
use crate::program::Program;

/// The region that is being run.
pub(super) struct Region {
    /// The least fault so far.
    pub fault: Option<Fault>,
    /// The last statement that could fault with a lesser site, once that was looked for.
    last_chance: Option<usize>,
    /// The least site of each kernel, once it was looked for.
    kernel_sites: Vec<Option<Option<SiteId>>>,
}

impl Region {
    /// A region without faults.
    pub fn new(n_kernels: usize) -> Region {
        Region { fault: None, last_chance: None, kernel_sites: vec![None; n_kernels] }
    }

    /// Keeps the fault if it is the least so far.
    pub fn note(&mut self, fault: Fault) {
        if self.fault.as_ref().is_none_or(|least| fault.comes_before(least)) {
            self.fault = Some(fault);
            self.last_chance = None;
        }
    }

    /// The least site of a statement.
    fn least_site(&mut self, program: &Program, stmt: &HostStmt) -> Option<SiteId> {
        let mut least = None;
        stmt.op.for_each_part(&mut |part| match part {
            HostPart::Site(site) => least = Some(*site),
            HostPart::Kernel(kernel) => {
                let known = &mut self.kernel_sites[kernel.index()];
                least = *known.get_or_insert_with(|| program.least_site(&program.kernel(*kernel).steps));
            }
            // A statement that runs host code ends the region.
            HostPart::Block(_) | HostPart::Function(_) => {}
            HostPart::Atom(_) | HostPart::Value(_) | HostPart::Axis(_) => {}
        });
        least
    }
}

impl Machine<'_, '_> {
    /// Reports the fault of the region, if there is one.
    pub(super) fn end_region(&mut self) -> Result<(), Error> {
        self.region.fault.take().map_or(Ok(()), |fault| Err(Error::Fault(fault)))
    }

    /// Reports the fault before statement `at` if neither that nor a later one of the region could change which one is reported.
    pub(super) fn end_region_early(&mut self, block: &HostBlock, at: usize) -> Result<(), Error> {
        if self.region.last_chance.is_none() {
            let last = self.last_chance(block, at)?;
            self.region.last_chance = Some(last);
        }
        if self.region.last_chance.is_some_and(|last| at > last) { self.end_region() } else { Ok(()) }
    }

    /// The last statement of the region, from `at` on, that could fault with a site no greater than that of the known fault; 0 if none.
    fn last_chance(&mut self, block: &HostBlock, at: usize) -> Result<usize, Error> {
        let Some(site) = self.region.fault.as_ref().map(|fault| fault.site) else { return Ok(0) };
        let mut last = 0;
        for (position, stmt) in block.stmts.iter().enumerate().skip(at) {
            if stmt.op.ends_region() {
                break;
            }
            self.meter.step(1)?;
            if self.region.least_site(self.program, stmt).is_some_and(|least| least <= site) {
                last = position;
            }
        }
        Ok(last)
    }
}
