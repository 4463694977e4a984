//! Legalisation: the passes that rewrite a kernel into the form that is planned.
//!
//! Each pass rewrites one kernel of a program and preserves its meaning: results bit for bit, and which site faults. They run in the order of
//! [`PASSES`]. [`legalise`] returns the names of those that changed the kernel, and `nestled show --stage plan` prints them.

pub mod bundle;
pub mod fission;
pub mod materialise;
pub mod order;
pub mod order_nests;
pub mod scalars_first;

use nestled_ir::{Kernel, Program};

/// A named legalisation pass.
#[derive(Clone, Copy, Debug)]
pub struct Legalisation {
    /// The name of the pass.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    run: fn(&Program, &mut Kernel),
}

/// All passes, in order.
pub const PASSES: &[Legalisation] = &[
    Legalisation {
        name: "materialise",
        summary: "operands of a program's monoid, and of scans over rows that are backward or of floats, become maps",
        run: materialise::operands,
    },
    Legalisation {
        name: "scalars-first",
        summary: "what runs once goes before scatters into arrays",
        run: |_, kernel| scalars_first::scalars_first(kernel),
    },
    Legalisation {
        name: "fission",
        summary: "a map that reads too many others through windows is split",
        run: |_, kernel| fission::fission_maps(kernel),
    },
    Legalisation {
        name: "order-stages",
        summary: "maps that read each other through windows go by stage, so that they share nests",
        run: |_, kernel| order::by_stage(kernel),
    },
    Legalisation {
        name: "order-nests",
        summary: "what can be computed along with earlier combinators is, if less then goes through memory",
        run: order_nests::order_nests,
    },
];

/// Finds a pass by name.
pub fn pass(name: &str) -> Option<&'static Legalisation> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Returns the legalised kernel, renumbered canonically if it changed, and the names of the passes that changed it.
pub fn legalise(program: &Program, kernel: &Kernel) -> (Kernel, Vec<&'static str>) {
    let mut kernel = kernel.clone();
    let mut changed = Vec::new();
    for pass in PASSES {
        let before = kernel.clone();
        (pass.run)(program, &mut kernel);
        if kernel != before {
            changed.push(pass.name);
        }
    }
    if !changed.is_empty() {
        nestled_ir::compact::renumber_kernel(&mut kernel);
    }
    (kernel, changed)
}
