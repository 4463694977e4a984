//! Kernels that wait to be compiled until they have been worth it.
//!
//! Compiling takes LLVM tens of milliseconds for each kernel, so a program of hundreds of them would begin seconds late, most of which went into
//! kernels that run on little data, or never. So where more than [`CpuConfig::at_once`](super::CpuConfig::at_once) kernels are unknown, each waits: the reference
//! interpreter runs it until it has gone over as much data as compiling would have been worth. Results are the same bits either way, which is why
//! kernels wait only where λcu leaves none of them open.

use crate::codegen::{Generated, result_types};
use nestled_cache::Source;
use nestled_ir::{Collision, CombinatorKind, Kernel, Monoid, Program, ScalarType};
use nestled_rt::device::{Arg, Launch};

/// Over how many elements the interpreter goes in about the time that compiling takes.
const PATIENCE: u64 = 1 << 18;

/// What a launch costs the interpreter on no data at all, in elements.
const LAUNCH: u64 = 256;

/// A kernel that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// What it will be compiled from.
    pub generated: Generated,
    /// What its machine code is found by, if another one like it has been compiled.
    pub source: Source,
    /// Over how many elements it has gone.
    elements: u64,
}

impl Waiting {
    /// A kernel that has not been launched.
    pub(super) fn new(generated: Generated, source: Source) -> Waiting {
        Waiting { generated, source, elements: 0 }
    }

    /// Over how many elements it has gone.
    pub(super) fn elements(&self) -> u64 {
        self.elements
    }

    /// Whether it has been launched.
    pub(super) fn has_run(&self) -> bool {
        self.elements > 0
    }

    /// Counts a launch. Whether it has to wait no longer.
    pub(super) fn is_due(&mut self, launch: &Launch<'_>) -> bool {
        let args = launch.args.iter().map(|arg| match arg {
            Arg::Scalar(_) | Arg::Cell(_) => 0,
            Arg::Dense(data) | Arg::View { data, .. } => data.len,
        });
        let results = launch.results.iter().map(|result| result.len);
        let elements: u64 = args.chain(results).fold(LAUNCH, u64::saturating_add);
        self.elements = self.elements.saturating_add(elements);
        self.elements > PATIENCE
    }
}

/// Whether a kernel may run on the interpreter until it is worth compiling. It has to have only one answer: no scan or scatter combines floats
/// inexactly, which devices may do each in its own way. And its time has to be proportional to the elements that it is given.
pub(super) fn may_wait(program: &Program, kernel: &Kernel) -> bool {
    kernel.steps.iter().all(|step| match &step.kind {
        CombinatorKind::Scan { monoid, .. }
        | CombinatorKind::Permute { collision: Collision::Combine(monoid), .. } => {
            !result_types(kernel, step).iter().any(|ty| ty.is_float()) || is_exact(program, monoid)
        }
        // Its loop may take any time.
        CombinatorKind::Serial { .. } => false,
        _ => true,
    })
}

/// Whether a monoid is exact also on floats.
fn is_exact(program: &Program, monoid: &Monoid) -> bool {
    monoid.parts.iter().all(|part| {
        let floats = vec![ScalarType::F64; part.width(&program.monoids)];
        part.is_exact(&floats, &program.monoids)
    })
}
