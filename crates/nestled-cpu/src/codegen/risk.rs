//! Proofs after a fault: a pass showed of a read that it cannot lead outside, and relied on what earlier combinators compute. A lane that
//! faulted has zeros instead, with which compiled code would read anywhere.
//!
//! So after a fault no nest runs that relies on a proof and on what an earlier nest made.

use super::plan::{self, Nest};
use nestled_ir::{Collision, Combinator, CombinatorKind, Kernel, Program, Range, Rule, SiteId, StmtKind};

/// What a nest risks after a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Risk {
    /// Whether it relies on a proof and on what an earlier nest made.
    pub relies: bool,
    /// The least site of it and of all later ones.
    pub least_site: Option<SiteId>,
}

/// One for each nest.
pub fn risks(program: &Program, kernel: &Kernel, nests: &[Nest]) -> Vec<Risk> {
    let steps = |nest: &Nest| nest.items.iter().map(|item| item.step).collect::<Vec<usize>>();
    let nests: Vec<Vec<usize>> = nests.iter().map(steps).collect();
    let risk = |(number, own): (usize, &Vec<usize>)| {
        let later = nests[number..].iter().flatten().map(|&step| &kernel.steps[step]);
        let relies = own.iter().any(|&step| has_proof(program, &kernel.steps[step]))
            && own.iter().any(|&step| reads_earlier(kernel, own, step));
        Risk { relies, least_site: program.least_site(later) }
    };
    nests.iter().enumerate().map(risk).collect()
}

/// Whether a combinator reads what no combinator of its own nest made.
fn reads_earlier(kernel: &Kernel, own: &[usize], step: usize) -> bool {
    let (values, windows) = plan::reads(&kernel.steps[step]);
    let is_earlier = |value| kernel.binder(value).is_some_and(|(binder, _)| !own.contains(&binder));
    values.into_iter().chain(windows).any(is_earlier)
}

/// Whether a combinator does something that is proved to stay inside.
fn has_proof(program: &Program, step: &Combinator) -> bool {
    let proved = match &step.kind {
        CombinatorKind::Permute { range, collision, .. } => {
            *range == Range::Proved || matches!(collision, Collision::Proved)
        }
        CombinatorKind::Partition { site, .. } => site.is_none(),
        CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Serial { .. } => false,
    };
    let mut found = proved;
    let mut seen = vec![false; program.thunks.len()];
    let mut blocks = vec![&step.body.body];
    while let Some(block) = blocks.pop() {
        block.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Read { index, .. } => found |= index.iter().any(|axis| axis.rule == Rule::Proved),
            StmtKind::Window { offsets, .. } => found |= offsets.iter().any(|axis| axis.rule == Rule::Proved),
            StmtKind::PrivateGet { site, .. } | StmtKind::PrivateSet { site, .. } => found |= site.is_none(),
            StmtKind::Call { thunk, .. } if !std::mem::replace(&mut seen[thunk.index()], true) => {
                blocks.push(&program.thunk(*thunk).thunk.body);
            }
            _ => {}
        });
    }
    found
}
