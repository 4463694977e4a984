//! Reorders maps by stage, so that they fuse into few nests and keep few rows.
//!
//! A value that is read through a window must have been computed by an earlier nest, and a nest takes combinators in kernel order. So combinators are
//! sorted by *stage*: the number of windows between them and the inputs that they are made from.
//!
//! ```text
//! a, blur of a, b, blur of b, c, blur of c          before: a | blur of a, b | blur of b, c | blur of c
//! a, b, c, blur of a, blur of b, blur of c          after:  a, b, c | blur of a, blur of b, blur of c
//! ```
//!
//! In the first order, run band by band, each nest would have to run ahead of the next one by the reach of a window, and the rows that are kept would
//! add up in the same way.
//!
//! If a few columns of all chains are more than the first-level cache holds, the map at their end is split (`fission.rs`), and the chains run a few
//! at a time (a *bundle*), each with its part of the end:
//!
//! ```text
//! a, b | blur of a, blur of b | their part of the end | c, d | blur of c, blur of d | …
//! ```

use super::fission;
use crate::nest::elem;
use nestled_ir::{Axis, Combinator, CombinatorKind, Kernel, Rule, StmtKind, Type, ValueId};
use std::collections::{HashMap, HashSet};

/// Bytes per column that may be live through windows without bundling.
const FIT: u64 = 512;

/// Target size of a bundle, in bytes per column.
pub const BUNDLE: u64 = 128;

/// Approximate number of rows processed at a time.
const ROWS: u64 = 4;

/// Splits the maps of a kernel of maps that read more through windows than fits the cache, so that the parts can run bundle by bundle.
pub fn fission_maps(kernel: &mut Kernel) {
    if let Some(columns) = too_many_columns(kernel) {
        fission::cut(kernel, &columns);
    }
}

/// Sorts the combinators of a kernel of maps by bundle and stage, if there are windows among them.
pub fn by_stage(kernel: &mut Kernel) {
    if !windowed(&kernel.steps) {
        return;
    }
    let stages = stages(&kernel.steps);
    let bundles = match too_many_columns(kernel) {
        Some(columns) => bundles(&kernel.steps, &stages, &columns),
        None => vec![0; kernel.steps.len()],
    };
    let places = bundles.into_iter().zip(stages);
    let mut steps: Vec<_> = places.zip(kernel.steps.drain(..)).collect();
    steps.sort_by_key(|(place, _)| *place);
    kernel.steps.extend(steps.into_iter().map(|(_, step)| step));
}

/// Returns the bytes per column of each value that is read through windows, if their sum exceeds [`FIT`] and maps should run in bundles.
fn too_many_columns(kernel: &Kernel) -> Option<HashMap<ValueId, u64>> {
    if !windowed(&kernel.steps) || !is_grid(kernel) {
        return None;
    }
    let columns = columns(kernel);
    (columns.values().sum::<u64>() > FIT).then_some(columns)
}

/// True if all combinators are maps, and some of them read windows.
fn windowed(steps: &[Combinator]) -> bool {
    steps.iter().all(|step| matches!(step.kind, CombinatorKind::Map))
        && steps.iter().any(|step| !step.reads().1.is_empty())
}

/// Returns the stages of a kernel of maps, if there are windows among them.
pub fn known_stages(steps: &[Combinator]) -> Option<Vec<usize>> {
    windowed(steps).then(|| stages(steps))
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
            .saturating_mul(elem(kernel, bind).size() as u64)
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
fn bundles(steps: &[Combinator], stages: &[usize], columns: &HashMap<ValueId, u64>) -> Vec<usize> {
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

/// Computes the stage of each combinator: the earliest possible; for one that reads no value of this kernel the latest possible, so that fewer rows
/// are kept.
fn stages(steps: &[Combinator]) -> Vec<usize> {
    let mut made: HashMap<ValueId, usize> = HashMap::new();
    let mut stages: Vec<usize> = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let (own, windows) = step.reads();
        let own = own.iter().filter_map(|bind| Some(stages[*made.get(bind)?]));
        let windows = windows.iter().filter_map(|bind| Some(stages[*made.get(bind)?] + 1));
        stages.push(own.chain(windows).max().unwrap_or(0));
        made.extend(step.binds.iter().map(|&bind| (bind, at)));
    }
    let mut latest: Vec<Option<usize>> = vec![None; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        let (own, windows) = step.reads();
        let links = own.iter().map(|bind| (bind, 0)).chain(windows.iter().map(|bind| (bind, 1)));
        for (bind, distance) in links {
            if let Some(&maker) = made.get(bind) {
                let stage = stages[at] - distance;
                latest[maker] = Some(latest[maker].map_or(stage, |other| other.min(stage)));
            }
        }
    }
    for (at, step) in steps.iter().enumerate() {
        let (own, windows) = step.reads();
        if own.iter().chain(&windows).all(|bind| !made.contains_key(bind)) {
            stages[at] = latest[at].unwrap_or(stages[at]);
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::nest::nests;
    use crate::rolling::bands;

    /// A kernel that adds up several blurs.
    fn blurs(count: usize) -> nestled_ir::Program {
        let mut text = "kernel k(xs: [n, m]f32) over n, m {\n  c0 = map { i, j => xs[i, j] }\n".to_owned();
        for k in 0..count {
            text += &format!("  a{k} = map {{ i, j => mul xs[i, j] {k}.0 }}\n");
            text += &format!("  b{k} = map {{ i, j => add a{k}[i - 1 clamp, j] a{k}[i + 1 clamp, j] }}\n");
            text += &format!("  c{} = map {{ i, j => add c{k}[i, j] b{k}[i, j] }}\n", k + 1);
        }
        text += &format!("  ret c{count}\n}}\n");
        text += "fn main<n, m>(xs: [n, m]f32) -> [n, m]f32 {\n  ys = run k(xs)\n  ret ys\n}\n";
        nestled_ir::text::parse("test", &text).unwrap()
    }

    #[test]
    fn three_blurs_are_two_nests() {
        let program = blurs(3);
        let kernel = &program.kernels[0];
        assert_eq!(nests(&program, kernel).len(), 7);
        let mut sorted = kernel.clone();
        by_stage(&mut sorted);
        assert_eq!(nests(&program, &sorted).len(), 2);
    }

    #[test]
    fn many_blurs_go_a_few_at_a_time() {
        let program = blurs(40);
        let mut sorted = program.kernels[0].clone();
        fission_maps(&mut sorted);
        by_stage(&mut sorted);
        let nests = nests(&program, &sorted);
        // Five blurs are a bundle: two nests each.
        assert_eq!(nests.len(), 16);
        let bands = bands(&sorted, &nests, &Memory::new(&sorted, &nests));
        assert_eq!(bands.len(), 1);
        // No bundle has to be ahead of the next.
        assert_eq!(bands[0].stages.iter().map(|stage| stage.ahead).max(), Some(1));
        // What goes from bundle to bundle shares its memory.
        assert_eq!(bands[0].rooms.iter().filter(|room| room.kept == 0).count(), 2);
    }
}
