//! Launches whose faults have not been read yet. Their lists share common vectors, so that one more launch allocates nothing.

use super::library;
use super::machine::{Machine, Place};
use super::memory::{Held, Memory, Past, StorageId};
use crate::code::Module;
use nestled_ir::SiteId;
use nestled_rt::device::{Arg, BufferId, KernelHandle, Launch, Native, ShapeArg, Slice};
use std::ops::Range;
use std::rc::Rc;

/// A launch that may have faulted.
#[derive(Debug)]
struct Pending {
    kernel: KernelHandle,
    shapes: Range<usize>,
    args: Range<usize>,
    results: Range<usize>,
    held: Range<usize>,
    region: u64,
    least_site: Option<SiteId>,
    native: Option<Native>,
    faults: StorageId,
    module: Rc<Module>,
}

/// All pending launches, with everything needed to run one again.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    launches: Vec<Pending>,
    shapes: Vec<ShapeArg>,
    args: Vec<Arg>,
    results: Vec<Slice>,
    held: Vec<(BufferId, Held)>,
}

/// A launch that faulted, and its least fault.
pub(super) struct Found<'a> {
    pub launch: Launch<'a>,
    /// The native operation that it was launched for.
    pub native: Option<&'a Native>,
    pub site: SiteId,
    pub element: u64,
    held: &'a [(BufferId, Held)],
}

impl<'a> Found<'a> {
    /// Returns the key by which the least of all faults is chosen.
    pub fn rank(&self) -> (u64, SiteId, u64) {
        (self.launch.region, self.site, self.element)
    }

    /// Returns the buffers that the launch read.
    pub fn held(&self) -> &'a [(BufferId, Held)] {
        self.held
    }

    /// Returns a snapshot of the memory that the launch read.
    pub fn memory<M: Machine>(&self, memory: &'a Memory<M>) -> Past<'a, M> {
        Past { memory, held: self.held }
    }
}

fn append<T: Clone>(list: &mut Vec<T>, items: &[T]) -> Range<usize> {
    let begin = list.len();
    list.extend_from_slice(items);
    begin..list.len()
}

impl Waiting {
    /// Returns the number of launches.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// Adds a launch. Takes over the buffers that it holds and its fault words.
    pub fn add(
        &mut self,
        launch: &Launch<'_>,
        native: Option<&Native>,
        held: &mut Vec<(BufferId, Held)>,
        faults: StorageId,
        module: &Rc<Module>,
    ) {
        let begin = self.held.len();
        self.held.append(held);
        let one = Pending {
            kernel: launch.kernel,
            shapes: append(&mut self.shapes, launch.shapes),
            args: append(&mut self.args, launch.args),
            results: append(&mut self.results, launch.results),
            held: begin..self.held.len(),
            region: launch.region,
            least_site: launch.least_site,
            native: native.cloned(),
            faults,
            module: Rc::clone(module),
        };
        self.launches.push(one);
    }

    /// Appends the places of the launches' fault words.
    pub fn places<M: Machine>(&self, memory: &Memory<M>, into: &mut Vec<(Place, u64)>) {
        let place = |one: &Pending| (memory.begin(one.faults), one.module.sites.len() as u64);
        into.extend(self.launches.iter().map(place));
    }

    /// Returns the least fault of each launch that faulted, in ascending order, and the number of fault words.
    pub fn faulted(&self, words: &[u32]) -> (Vec<Found<'_>>, usize) {
        let mut read = words.iter();
        let mut found = Vec::new();
        for one in &self.launches {
            let mut least = None;
            for &site in &one.module.sites {
                let element = read.next().copied().unwrap_or(u32::MAX);
                let site = one.native.as_ref().and_then(library::site).unwrap_or(site);
                let rank = (site, u64::from(element));
                if element != u32::MAX && least.is_none_or(|least| rank < least) {
                    least = Some(rank);
                }
            }
            found.extend(least.map(|(site, element)| Found {
                launch: self.launch(one),
                native: one.native.as_ref(),
                site,
                element,
                held: &self.held[one.held.clone()],
            }));
        }
        found.sort_by_key(Found::rank);
        (found, words.len() - read.len())
    }

    fn launch(&self, one: &Pending) -> Launch<'_> {
        Launch {
            kernel: one.kernel,
            shapes: &self.shapes[one.shapes.clone()],
            args: &self.args[one.args.clone()],
            results: &self.results[one.results.clone()],
            region: one.region,
            least_site: one.least_site,
        }
    }

    /// Forgets all launches, and releases the buffers that they held.
    pub fn clear<M: Machine>(&mut self, memory: &mut Memory<M>) {
        self.launches.drain(..).for_each(|one| memory.release(one.faults));
        memory.let_go(&mut self.held);
        self.shapes.clear();
        self.args.clear();
        self.results.clear();
    }
}
