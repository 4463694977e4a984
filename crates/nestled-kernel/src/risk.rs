//! Invalidated proofs after a fault: finds the nests that must not run once an earlier lane faulted.
//!
//! A pass may have proved that a read stays inside, based on values that earlier combinators compute. A lane that faulted holds zeros instead, so the
//! proof is void, and compiled code would read out of bounds. So after a fault no nest runs that relies on a proof and reads values of an earlier
//! nest.

use crate::nest::Nest;
use nestled_ir::{Kernel, Program, SiteId};

/// The risk of running a nest after a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Risk {
    /// Whether the nest relies on a proof and reads values of an earlier nest.
    pub relies: bool,
    /// The least site in it and in all later nests.
    pub least_site: Option<SiteId>,
}

/// Computes the risk of each nest.
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

/// True if the combinator reads a value of a combinator outside its own nest.
fn reads_earlier(kernel: &Kernel, own: &[usize], step: usize) -> bool {
    let (values, windows) = kernel.steps[step].reads();
    let is_earlier = |value| kernel.binder(value).is_some_and(|(binder, _)| !own.contains(&binder));
    values.into_iter().chain(windows).any(is_earlier)
}
