//! The scans of a sweep, split into components, and the layout of the row of totals that each piece leaves.

use crate::combinator::result_types;
use crate::monoid;
use crate::strategy::info::Info;
use nestled_ir::reduction_order::{SCAN_BLOCK, SCAN_BLOCK_OF_POINTS};
use nestled_ir::{CombinatorKind, Inclusion, Kernel, MonoidPart, Program, Scalar, ScalarType};

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "two-phase-scan",
    summary: "a scan in two phases: first the total of each piece, then the prefixes",
    condition: "a scan across the whole",
    cost: "what is scanned is read, and computed, twice; lets threads share a scan",
};

/// One part of one scan of a sweep.
#[derive(Clone, Debug)]
pub struct ScanPart {
    /// The combinator's position in the kernel's steps.
    pub step: usize,
    /// The operator.
    pub part: MonoidPart,
    /// The position of its first component among the thunk's results.
    pub first: usize,
    /// The types of its components.
    pub types: Vec<ScalarType>,
    /// The value of the first point of an exclusive scan.
    pub unit: Vec<Scalar>,
    /// A value that is neutral; a monoid of the program has none.
    pub identity: Option<Vec<Scalar>>,
    /// Whether any grouping gives the same bits.
    pub exact: bool,
    /// Whether a point's own value is in its prefix.
    pub inclusion: Inclusion,
    /// The position of its first cell in a row of totals. Each component has one cell, and one more cell tells whether a point took part.
    pub cell: usize,
}

impl ScanPart {
    /// True if the prefixes of a vector are combined in steps, in the order of λcu: a built-in operation of which the order shows.
    pub fn in_vectors(&self) -> bool {
        !self.exact && self.identity.is_some()
    }

    /// Returns the number of positions of a block, if the order shows in the result.
    pub fn block(&self) -> u64 {
        if self.identity.is_some() { SCAN_BLOCK } else { SCAN_BLOCK_OF_POINTS }
    }

    /// True if results depend on whether a point came before.
    pub fn counts(&self) -> bool {
        self.identity.is_none()
            || (self.inclusion == Inclusion::Exclusive && self.identity.as_ref() != Some(&self.unit))
    }
}

/// Splits the scans of a sweep into parts. Their cells come after `cells` others.
pub fn parts(
    program: &Program,
    kernel: &Kernel,
    steps: impl Iterator<Item = usize>,
    cells: usize,
) -> Vec<ScanPart> {
    let mut parts = Vec::new();
    let mut cell = cells;
    for step in steps {
        let CombinatorKind::Scan { monoid, inclusion, .. } = &kernel.steps[step].kind else { continue };
        let types = result_types(kernel, &kernel.steps[step]);
        let mut first = 0;
        for &part in &monoid.parts {
            let types = types[first..first + part.width(&program.monoids)].to_vec();
            let width = types.len();
            parts.push(ScanPart {
                step,
                part,
                first,
                unit: part.unit(&types, &program.monoids).expect("the verifier checks monoids"),
                identity: monoid::identity(part, &types),
                exact: part.is_exact(&types, &program.monoids),
                inclusion: *inclusion,
                types,
                cell,
            });
            first += width;
            cell += width + 1;
        }
    }
    parts
}

/// Returns the number of cells of the parts.
pub fn row_cells(parts: &[ScanPart]) -> usize {
    parts.iter().map(|part| part.types.len() + 1).sum()
}
