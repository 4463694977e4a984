//! Launches whose faults nobody has looked at yet.

use super::library;
use super::machine::Machine;
use super::memory::{Held, Memory, Past, Storage};
use crate::code::Module;
use nestled_ir::SiteId;
use nestled_rt::device::{Arg, BufferId, DeviceError, KernelHandle, Launch, Native, ShapeArg, Slice};
use std::rc::Rc;

/// A launch that may have faulted, and all that it takes to run it once more.
#[derive(Debug)]
pub(super) struct Pending {
    kernel: KernelHandle,
    shapes: Vec<ShapeArg>,
    args: Vec<Arg>,
    results: Vec<Slice>,
    region: u64,
    least_site: Option<SiteId>,
    /// What it was launched for.
    pub native: Option<Native>,
    held: Vec<(BufferId, Held)>,
    faults: Rc<Storage>,
    module: Rc<Module>,
}

impl Pending {
    pub fn new(
        launch: &Launch<'_>,
        native: Option<Native>,
        held: Vec<(BufferId, Held)>,
        faults: Rc<Storage>,
        module: Rc<Module>,
    ) -> Pending {
        Pending {
            kernel: launch.kernel,
            shapes: launch.shapes.to_vec(),
            args: launch.args.to_vec(),
            results: launch.results.to_vec(),
            region: launch.region,
            least_site: launch.least_site,
            native,
            held,
            faults,
            module,
        }
    }

    pub fn launch(&self) -> Launch<'_> {
        Launch {
            kernel: self.kernel,
            shapes: &self.shapes,
            args: &self.args,
            results: &self.results,
            region: self.region,
            least_site: self.least_site,
        }
    }

    pub fn memory<'a, M: Machine>(&'a self, memory: &'a Memory<M>) -> Past<'a, M> {
        Past { memory, held: &self.held }
    }
}

/// The launch with the least fault, if any faulted: its position, the site and the point.
pub(super) fn least<M: Machine>(
    memory: &Memory<M>,
    pending: &[Pending],
) -> Result<Option<(usize, SiteId, u64)>, DeviceError> {
    let places: Vec<(u64, u64)> =
        pending.iter().map(|one| (one.faults.address(), one.module.sites.len() as u64)).collect();
    let words = memory.words(&places)?;
    let mut words = words.into_iter();
    let mut found: Option<((u64, SiteId, u64), usize)> = None;
    for (at, one) in pending.iter().enumerate() {
        for &site in &one.module.sites {
            let element = words.next().unwrap_or(u32::MAX);
            let site = one.native.as_ref().and_then(library::site).unwrap_or(site);
            let rank = (one.region, site, u64::from(element));
            if element != u32::MAX && found.as_ref().is_none_or(|(least, _)| rank < *least) {
                found = Some((rank, at));
            }
        }
    }
    Ok(found.map(|((_, site, element), at)| (at, site, element)))
}
