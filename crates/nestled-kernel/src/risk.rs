//! Proofs after a fault: a pass showed of a read that it cannot lead outside, and relied on what earlier combinators compute. A lane that
//! faulted has zeros instead, with which compiled code would read anywhere.
//!
//! So after a fault no nest runs that relies on a proof and on what an earlier nest made.

use crate::nest::{self, Nest};
use nestled_ir::{Kernel, Program, SiteId};

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
        let relies = own.iter().any(|&step| program.has_proof(&kernel.steps[step]))
            && own.iter().any(|&step| reads_earlier(kernel, own, step));
        Risk { relies, least_site: program.least_site(later) }
    };
    nests.iter().enumerate().map(risk).collect()
}

/// Whether a combinator reads what no combinator of its own nest made.
fn reads_earlier(kernel: &Kernel, own: &[usize], step: usize) -> bool {
    let (values, windows) = nest::reads(&kernel.steps[step]);
    let is_earlier = |value| kernel.binder(value).is_some_and(|(binder, _)| !own.contains(&binder));
    values.into_iter().chain(windows).any(is_earlier)
}
