//! The reductions of a sweep, split into components, and the layout of the row of partial results that each piece leaves.

use crate::combinator::result_types;
use crate::monoid;
use nestled_ir::{CombinatorKind, Kernel, MonoidPart, Program, Scalar, ScalarType};

/// One part of one reduction of a sweep.
#[derive(Clone, Debug)]
pub struct Part {
    /// The combinator's position in the kernel's steps.
    pub step: usize,
    /// The operator.
    pub part: MonoidPart,
    /// The position of its first component among the thunk's results.
    pub first: usize,
    /// The types of its components.
    pub types: Vec<ScalarType>,
    /// The result if no point took part.
    pub unit: Vec<Scalar>,
    /// A value that is neutral bit for bit; a monoid of the program has none.
    pub identity: Option<Vec<Scalar>>,
    /// The position of its first cell in a row. Each component has one cell, and one more cell tells whether a point took part.
    pub cell: usize,
}

impl Part {
    /// True if the result depends on whether any point took part.
    pub fn counts(&self) -> bool {
        self.identity.as_ref() != Some(&self.unit)
    }
}

/// Splits the reductions of a sweep into parts.
pub fn parts(program: &Program, kernel: &Kernel, steps: impl Iterator<Item = usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut cell = 0;
    for step in steps {
        let CombinatorKind::Reduce { monoid, .. } = &kernel.steps[step].kind else { continue };
        let types = result_types(kernel, &kernel.steps[step]);
        let mut first = 0;
        for &part in &monoid.parts {
            let types = types[first..first + part.width(&program.monoids)].to_vec();
            let unit = part.unit(&types, &program.monoids).expect("the verifier checks monoids");
            let identity = monoid::identity(part, &types);
            let width = types.len();
            parts.push(Part { step, part, first, types, unit, identity, cell });
            first += width;
            cell += width + 1;
        }
    }
    parts
}

/// Returns the number of cells of a row.
pub fn row_cells(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.types.len() + 1).sum()
}
