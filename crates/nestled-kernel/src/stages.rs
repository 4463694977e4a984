//! Stages of maps: the number of windows between a combinator and the inputs that it is made from.
//!
//! A value that is read through a window must have been computed by an earlier nest. So maps of one stage may share a nest, and those of the next one may not.

use nestled_ir::{Combinator, CombinatorKind, ValueId};
use std::collections::HashMap;

/// True if all combinators are maps, and some of them read windows.
pub fn windowed(steps: &[Combinator]) -> bool {
    steps.iter().all(|step| matches!(step.kind, CombinatorKind::Map))
        && steps.iter().any(|step| !step.reads().1.is_empty())
}

/// Returns the stages of a kernel of maps, if there are windows among them.
pub fn known_stages(steps: &[Combinator]) -> Option<Vec<usize>> {
    windowed(steps).then(|| stages(steps))
}

/// Computes the stage of each combinator: the earliest possible; for one that reads no value of this kernel the latest possible, so that fewer rows
/// are kept.
pub fn stages(steps: &[Combinator]) -> Vec<usize> {
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
