//! Lost runs: which runs a fault of host code keeps from running, and what fusion may change about that.
//!
//! The results of a host statement that faulted are lost, and a run with a lost argument does not run. Two fused runs share this fate. The only visible difference is the reported
//! fault: one of them alone would have run and faulted with a lesser site, itself or in a statement that uses its results. So two runs may be fused only if, for each host fault
//! that may keep the one from running, the other is certainly kept as well, or neither it nor any statement behind it can fault with a lesser site.

use super::reason::Reason;
use crate::facts::Facts;
use nestled_ir::{HostOp, HostStmt, SiteId, ValueId};
use std::collections::{BTreeSet, HashMap};

/// For each run of a region: the faults that may keep it from running, and the faults that would go unseen then.
#[derive(Debug)]
pub struct Losses {
    runs: Vec<Loss>,
    /// The sites of the `same` statements of the region.
    sames: HashMap<usize, SiteId>,
}

#[derive(Clone, Debug, Default)]
struct Loss {
    /// Sites of host statements whose fault may keep the run from running.
    maybe: BTreeSet<SiteId>,
    /// Sites of host statements whose fault certainly keeps the run from running.
    certain: BTreeSet<SiteId>,
    /// The least site of the run and of all statements that need its results.
    least: Option<SiteId>,
}

impl Losses {
    /// Analyses all statements of a region. `needs` has the statements that each depends on directly.
    pub fn new(stmts: &[HostStmt], needs: &[BTreeSet<usize>], facts: &Facts) -> Losses {
        let sames = stmts.iter().enumerate().filter_map(|(at, stmt)| match stmt.op {
            HostOp::Same { site, .. } => Some((at, site)),
            _ => None,
        });
        let mut losses = Losses { runs: Vec::new(), sames: sames.collect() };
        let least = least_sites(stmts, needs, facts);
        let mut values: HashMap<ValueId, Loss> = HashMap::new();
        for (at, stmt) in stmts.iter().enumerate() {
            let mut loss = Loss { least: least[at], ..Loss::default() };
            stmt.op.for_each_use(&mut |value| {
                if let Some(used) = values.get(&value) {
                    loss.maybe.extend(&used.maybe);
                    loss.certain.extend(&used.certain);
                }
            });
            let is_kernel = matches!(stmt.op, HostOp::Run { .. } | HostOp::Library(_));
            let may_not_fit = is_kernel || matches!(stmt.op, HostOp::View { .. });
            if may_not_fit {
                loss.maybe.extend(needs[at].iter().filter_map(|need| losses.sames.get(need)));
            }
            let mut after = loss.clone();
            if !is_kernel && facts.host(&stmt.op).is_some() {
                after.maybe.extend(stmt.op.site());
                after.certain.extend(stmt.op.site());
            }
            if !after.maybe.is_empty() {
                values.extend(stmt.binds.iter().map(|&bind| (bind, after.clone())));
            }
            if let HostOp::Run { .. } = stmt.op {
                losses.runs.push(loss);
            }
        }
        losses
    }

    /// Returns the reason why two runs must not share their fate, if there is one.
    pub fn between(&self, a: usize, b: usize) -> Option<Reason> {
        let hidden = |kept: &Loss, other: &Loss| {
            let mut sites = other.maybe.difference(&kept.certain);
            sites.any(|site| kept.least.is_some_and(|least| least <= *site))
        };
        let (a, b) = (&self.runs[a], &self.runs[b]);
        (hidden(a, b) || hidden(b, a)).then_some(Reason::MayBeLost)
    }

    /// True if the fault of a `same` that a run comes to rely on could hide a fault of the run.
    pub fn hides(&self, same: usize, run: usize) -> bool {
        let least = self.runs[run].least;
        self.sames.get(&same).is_some_and(|site| least.is_some_and(|least| least <= *site))
    }
}

/// For each statement: the least site of it and of all statements that need it.
fn least_sites(stmts: &[HostStmt], needs: &[BTreeSet<usize>], facts: &Facts) -> Vec<Option<SiteId>> {
    let own = stmts.iter().map(|stmt| facts.host(&stmt.op).map(|sites| sites.min));
    let mut least: Vec<Option<SiteId>> = own.collect();
    for at in (0..least.len()).rev() {
        for &need in &needs[at] {
            least[need] = match (least[need], least[at]) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (one, other) => one.or(other),
            };
        }
    }
    least
}
