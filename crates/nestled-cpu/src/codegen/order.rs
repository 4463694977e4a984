//! Maps in an order that makes few nests.
//!
//! What is read through a window must have been made by an earlier nest; a nest takes combinators as they come. So combinators go by their *stage*: how many
//! windows lie between them and what they are made from.
//!
//! ```text
//! a, blur of a, b, blur of b, c, blur of c          before: a | blur of a, b | blur of b, c | blur of c
//! a, b, c, blur of a, blur of b, blur of c          after:  a, b, c | blur of a, blur of b, blur of c
//! ```
//!
//! Run band by band, each nest of the first order would have to be ahead of the next one by what a window reaches, and so would the rows that are kept.

use super::plan::reads;
use nestled_ir::{Combinator, CombinatorKind, Kernel, ValueId};
use std::collections::HashMap;

/// Sorts the combinators of a kernel of maps, if there are windows among them.
pub fn by_stage(kernel: &mut Kernel) {
    if !kernel.steps.iter().all(|step| matches!(step.kind, CombinatorKind::Map)) {
        return;
    }
    let stages = stages(&kernel.steps);
    if stages.iter().any(|&stage| stage > 0) {
        let mut steps: Vec<(usize, Combinator)> = stages.into_iter().zip(kernel.steps.drain(..)).collect();
        steps.sort_by_key(|(stage, _)| *stage);
        kernel.steps.extend(steps.into_iter().map(|(_, step)| step));
    }
}

/// The stage of each combinator: the first that is possible; of one that reads nothing that was made here, the last, so that less has to be kept.
fn stages(steps: &[Combinator]) -> Vec<usize> {
    let mut made: HashMap<ValueId, usize> = HashMap::new();
    let mut stages: Vec<usize> = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let (own, windows) = reads(step);
        let own = own.iter().filter_map(|bind| Some(stages[*made.get(bind)?]));
        let windows = windows.iter().filter_map(|bind| Some(stages[*made.get(bind)?] + 1));
        stages.push(own.chain(windows).max().unwrap_or(0));
        made.extend(step.binds.iter().map(|&bind| (bind, at)));
    }
    let mut latest: Vec<Option<usize>> = vec![None; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        let (own, windows) = reads(step);
        let links = own.iter().map(|bind| (bind, 0)).chain(windows.iter().map(|bind| (bind, 1)));
        for (bind, distance) in links {
            if let Some(&maker) = made.get(bind) {
                let stage = stages[at] - distance;
                latest[maker] = Some(latest[maker].map_or(stage, |other| other.min(stage)));
            }
        }
    }
    for (at, step) in steps.iter().enumerate() {
        let (own, windows) = reads(step);
        if own.iter().chain(&windows).all(|bind| !made.contains_key(bind)) {
            stages[at] = latest[at].unwrap_or(stages[at]);
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::plan::nests;

    /// Sums of blurs, one after another.
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
        assert_eq!(nests(&program, kernel).len(), 4);
        let mut sorted = kernel.clone();
        by_stage(&mut sorted);
        assert_eq!(nests(&program, &sorted).len(), 2);
    }
}
