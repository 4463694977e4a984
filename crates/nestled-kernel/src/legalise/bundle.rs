//! Bundles: how many chains of maps may run together before the columns that they keep exceed the first-level cache.
//!
//! A value that is read through windows keeps some rows, a few bytes for each column. If those of all values together are more than `FIT`, the chains of maps
//! run a few at a time: a *bundle* has chains of about [`BUNDLE`] bytes per column.

use crate::stages::windowed;
use nestled_ir::{Axis, Combinator, Kernel, Rule, StmtKind, Type, ValueId};
use std::collections::{HashMap, HashSet};

/// Bytes per column that may be live through windows without bundling.
const FIT: u64 = 512;

/// Target size of a bundle, in bytes per column.
pub const BUNDLE: u64 = 128;

/// Approximate number of rows processed at a time.
const ROWS: u64 = 4;

/// Returns the bytes per column of each value that is read through windows, if their sum exceeds `FIT` and maps should run in bundles.
pub fn too_many_columns(kernel: &Kernel) -> Option<HashMap<ValueId, u64>> {
    if !windowed(&kernel.steps) || !is_grid(kernel) {
        return None;
    }
    let columns = columns(kernel);
    (columns.values().sum::<u64>() > FIT).then_some(columns)
}

/// Computes the bytes per column of each value that is read through windows: of the rows that the windows reach, and of those processed at a time.
fn columns(kernel: &Kernel) -> HashMap<ValueId, u64> {
    let mut reach: HashMap<ValueId, (i64, i64)> = HashMap::new();
    for step in &kernel.steps {
        step.body.body.walk(&mut |stmt| {
            if let StmtKind::Window { bind, offsets, .. } = &stmt.kind {
                let (before, behind) = reach.entry(*bind).or_default();
                (*before, *behind) = ((*before).min(offsets[0].by), (*behind).max(offsets[0].by));
            }
        });
    }
    let bytes = |bind, (before, behind): (i64, i64)| {
        (behind.saturating_sub(before) as u64)
            .saturating_add(ROWS)
            .saturating_mul(kernel.elem(bind).size() as u64)
    };
    reach.into_iter().map(|(bind, reach)| (bind, bytes(bind, reach))).collect()
}

/// True if all maps run over one grid of rows, unguarded, and no window wraps around from one end of the rows to the other.
fn is_grid(kernel: &Kernel) -> bool {
    let is_extent = |axis: &Axis| match axis {
        Axis::Const(_) => true,
        Axis::Sym(symbol) => matches!(kernel.values[symbol.index()].ty, Type::Dim),
    };
    let level = kernel.space.len();
    let mut grid = level >= 2 && kernel.space.iter().all(is_extent);
    for step in &kernel.steps {
        grid &= step.guard.is_none() && step.level().0 == level;
        step.body.body.walk(&mut |stmt| {
            if let StmtKind::Window { offsets, .. } = &stmt.kind {
                grid &= offsets[0].by == 0 || offsets[0].rule != Rule::Wrap;
            }
        });
    }
    grid
}

/// Assigns each combinator to a bundle: goes through those of the last stage in order, each with its dependencies that have no bundle yet.
pub fn bundles(steps: &[Combinator], stages: &[usize], columns: &HashMap<ValueId, u64>) -> Vec<usize> {
    let mut made: HashMap<ValueId, usize> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        made.extend(step.binds.iter().map(|&bind| (bind, at)));
    }
    let last = stages.iter().copied().max().unwrap_or(0);
    let mut bundle: Vec<Option<usize>> = vec![None; steps.len()];
    let (mut number, mut size) = (0, 0);
    for end in (0..steps.len()).filter(|&at| stages[at] == last) {
        let mut needed = HashSet::new();
        let mut open = vec![end];
        while let Some(at) = open.pop() {
            if bundle[at].is_some() || !needed.insert(at) {
                continue;
            }
            let (own, windows) = steps[at].reads();
            open.extend(own.iter().chain(&windows).filter_map(|bind| made.get(bind)));
        }
        let binds = needed.iter().flat_map(|&at| &steps[at].binds);
        let own: u64 = binds.filter_map(|bind| columns.get(bind)).sum();
        if size > 0 && size + own > BUNDLE {
            (number, size) = (number + 1, 0);
        }
        size += own;
        needed.into_iter().for_each(|at| bundle[at] = Some(number));
    }
    // Combinators that none of the last stage needs go with the last bundle.
    bundle.into_iter().map(|bundle| bundle.unwrap_or(number)).collect()
}
