//! Legalisation: the named passes that bring a kernel into the form that is planned.
//!
//! Each rewrites one kernel of a program, and leaves what it means: results bit for bit, and which site faults. They run in the order of [`PASSES`];
//! [`legalise`] says which of them changed something, and `nestled show --stage plan` prints that.

pub mod fission;
pub mod materialise;
pub mod order;
pub mod scalars_first;

use nestled_ir::{Kernel, Program};

/// A named rewriting of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Legalisation {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    run: fn(&Program, &mut Kernel),
}

/// All of them, in order.
pub const PASSES: &[Legalisation] = &[
    Legalisation {
        name: "materialise",
        summary: "operands of a program's monoid, and of backward scans over rows, become maps",
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
        run: |_, kernel| order::fission_maps(kernel),
    },
    Legalisation {
        name: "order-stages",
        summary: "maps that read each other through windows go by stage, so that they share nests",
        run: |_, kernel| order::by_stage(kernel),
    },
];

/// The pass of a name.
pub fn pass(name: &str) -> Option<&'static Legalisation> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// A kernel in the form that is planned, in canonical numbering if it was changed, and the names of the passes that changed it.
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
