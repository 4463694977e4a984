//! The job queue of the reference device.

use super::State;
use crate::device::{Arg, BufferId, DeviceError, DeviceFault, KernelHandle, Launch, Native, ShapeArg, Slice};
use nestled_ir::SiteId;
use nestled_ir::value::Buffer;
use std::sync::Arc;

/// An entry of the queue.
#[derive(Debug)]
pub(super) enum Job {
    CopyIn { buffer: BufferId, offset: u64, data: Buffer },
    Launch(OwnedLaunch),
    Native(Native),
    Free(BufferId),
    Trim(BufferId, u64),
}

/// A launch that owns its lists.
#[derive(Debug)]
pub(super) struct OwnedLaunch {
    pub kernel: KernelHandle,
    pub shapes: Vec<ShapeArg>,
    pub args: Vec<Arg>,
    pub results: Vec<Slice>,
    pub region: u64,
    pub least_site: Option<SiteId>,
}

impl OwnedLaunch {
    pub fn new(launch: &Launch<'_>) -> OwnedLaunch {
        OwnedLaunch {
            kernel: launch.kernel,
            shapes: launch.shapes.to_vec(),
            args: launch.args.to_vec(),
            results: launch.results.to_vec(),
            region: launch.region,
            least_site: launch.least_site,
        }
    }
}

impl State {
    /// Runs all jobs in the queue. After an error the rest is run as well, so that frees are not lost.
    pub fn drain(&mut self) -> Result<(), DeviceError> {
        let mut outcome = Ok(());
        while let Some(job) = self.queue.pop_front() {
            let done = self.job(job);
            if self.abandoned > 0 {
                self.forget_abandoned();
            } else if outcome.is_ok() {
                outcome = done;
            }
        }
        outcome
    }

    /// One more job of what was given up is done: its faults and errors are nobody's.
    fn forget_abandoned(&mut self) {
        self.abandoned -= 1;
        if self.abandoned == 0 {
            self.fault = None;
        }
    }

    fn job(&mut self, job: Job) -> Result<(), DeviceError> {
        match job {
            Job::CopyIn { buffer, offset, data } => {
                let slice = Slice { buffer, offset, len: data.len() as u64 };
                self.memory.write(slice, Arc::new(data))
            }
            Job::Launch(launch) => {
                if self.skips(launch.region, launch.least_site) {
                    return launch.results.iter().try_for_each(|&slice| self.memory.spoil(slice));
                }
                self.run_launch(&launch)
            }
            Job::Native(native) => {
                if self.skips(native.region, native.least_site) {
                    return native.kind.results().into_iter().try_for_each(|slice| self.memory.spoil(slice));
                }
                self.run_native(&native)
            }
            Job::Free(buffer) => self.memory.free(buffer),
            Job::Trim(buffer, len) => self.memory.trim(buffer, len),
        }
    }

    /// True if work of this region and least site is to be skipped after a fault.
    fn skips(&self, region: u64, least_site: Option<SiteId>) -> bool {
        match &self.fault {
            None => false,
            Some(fault) if fault.region < region => true,
            Some(fault) => least_site.is_none_or(|site| site > fault.site),
        }
    }

    /// Keeps the lesser of two faults.
    pub fn note(&mut self, fault: DeviceFault) {
        if self.fault.as_ref().is_none_or(|known| fault.rank() < known.rank()) {
            self.fault = Some(fault);
        }
    }
}
