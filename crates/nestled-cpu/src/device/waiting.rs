//! Deferred compilation (tiering): kernels run on the interpreter until compilation is worth its cost.
//!
//! LLVM takes tens of milliseconds for each kernel, so a program of hundreds of kernels would start seconds late, mostly for kernels that run on
//! little data, or never. If more than [`CpuConfig::at_once`](super::CpuConfig::at_once) kernels are unknown, each of them is deferred: the reference
//! interpreter runs it until it has processed as much data as compilation would have been worth. Results are the same bits either way; therefore only
//! kernels whose bits λcu fixes completely are deferred.

use crate::codegen::result_types;
use nestled_cache::Source;
use nestled_ir::{CombinatorKind, Kernel, Monoid, Program, ScalarType};
use nestled_kernel::Plan;
use nestled_rt::device::{Arg, Launch};

/// Number of elements that the interpreter processes in about the time of a compilation.
const PATIENCE: u64 = 1 << 18;

/// The fixed cost of a launch on the interpreter, in elements.
const LAUNCH: u64 = 256;

/// A kernel whose compilation is deferred.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The plan to generate code from.
    pub plan: Plan,
    /// The cache key of its machine code, in case an equal kernel has been compiled.
    pub source: Source,
    /// Number of elements that it has processed.
    elements: u64,
}

impl Waiting {
    /// Creates the state of a kernel that has not been launched.
    pub(super) fn new(plan: Plan, source: Source) -> Waiting {
        Waiting { plan, source, elements: 0 }
    }

    /// Returns the number of elements that it has processed.
    pub(super) fn elements(&self) -> u64 {
        self.elements
    }

    /// True if it has been launched.
    pub(super) fn has_run(&self) -> bool {
        self.elements > 0
    }

    /// Counts a launch. True if the kernel should be compiled now.
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

/// True if the compilation of a kernel may be deferred. Its results must be unique, so no scan may combine floats inexactly, whose order depends
/// on the device. And its time must be proportional to the number of elements of its arguments.
pub(super) fn may_wait(program: &Program, kernel: &Kernel) -> bool {
    kernel.steps.iter().all(|step| match &step.kind {
        CombinatorKind::Scan { monoid, .. } => {
            !result_types(kernel, step).iter().any(|ty| ty.is_float()) || is_exact(program, monoid)
        }
        // Its loop may take any time.
        CombinatorKind::Serial { .. } => false,
        _ => true,
    })
}

/// True if a monoid is exact, on floats too.
fn is_exact(program: &Program, monoid: &Monoid) -> bool {
    monoid.parts.iter().all(|part| {
        let floats = vec![ScalarType::F64; part.width(&program.monoids)];
        part.is_exact(&floats, &program.monoids)
    })
}
