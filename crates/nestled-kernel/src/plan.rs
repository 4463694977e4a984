//! The plan of a kernel: everything that is decided before code is written.

use crate::access::{self, Access};
use crate::lanes;
use crate::legalise::legalise;
use crate::memory::Memory;
use crate::nest::{self, Nest};
use crate::rolling::{self, Band};
use crate::schedule::Schedule;
use crate::strategy::{Site, sweep};
use crate::target::Target;
use nestled_ir::{Kernel, Program};

/// What a plan depends on beside the kernel and the machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sizes {
    /// Whether extents may reach 2³¹.
    pub wide: bool,
    /// Whether results are larger than the caches.
    pub streaming: bool,
}

/// A kernel, and how it runs on a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The kernel, legalised.
    pub kernel: Kernel,
    /// The legalisation passes that changed it.
    pub legalised: Vec<&'static str>,
    /// The machine.
    pub target: Target,
    /// How large things may be.
    pub sizes: Sizes,
    /// The nests, in order.
    pub nests: Vec<Nest>,
    /// The schedule of each nest.
    pub schedules: Vec<Schedule>,
    /// Rolling windows: nests that run band by band.
    pub bands: Vec<Band>,
    /// Where values lie that are materialised.
    pub memory: Memory,
    /// How each step reads.
    pub accesses: Vec<Vec<Access>>,
}

/// Plans a kernel of a program.
pub fn plan(program: &Program, kernel: &Kernel, target: &Target, sizes: Sizes) -> Plan {
    let (kernel, legalised) = legalise(program, kernel);
    let mut nests = nest::nests(program, &kernel);
    let memory = Memory::new(&kernel, &nests);
    let bands = rolling::bands(&kernel, &nests, &memory);
    for band in &bands {
        // Rings are walked row by row.
        for nest in &mut nests[band.nests()] {
            nest.flat = false;
            nest.strips = band.strips;
        }
    }
    let mut schedules = Vec::with_capacity(nests.len());
    for nest in &nests {
        let lanes = lanes::lanes(program, &kernel, &memory, nest, target);
        let (kernel, memory, streaming) = (&kernel, &memory, sizes.streaming);
        schedules.push(sweep::schedule(&Site { program, kernel, memory, target, streaming, nest, lanes }));
    }
    let accesses = access::accesses(program, &kernel, (&nests, &schedules), &bands, &memory, target);
    Plan { kernel, legalised, target: target.clone(), sizes, nests, schedules, bands, memory, accesses }
}
