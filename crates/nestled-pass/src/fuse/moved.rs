//! Consumers over filtered, partitioned or scattered points: tests whether filter, partition and scatter fusion apply.
//!
//! Such a run can be moved [into the producer's kernel](super::merge). Whether its combinators allow that is tested by merging.

use super::graph::Graph;
use super::merge::Merging;
use super::rules;
use nestled_ir::{Axis, Base, Collision, CombinatorKind, HostAtom, Level, Range, ValueId};

impl Graph<'_> {
    /// True if a value is an array over the points that a filter keeps or a partition splits, and these points are the innermost axis of a reader's space.
    pub(super) fn is_packed(&self, from: usize, bind: ValueId, space: Option<&Axis>) -> bool {
        let node = &self.runs[from];
        let Some((_, step)) = node.kernel.binder(bind) else { return false };
        let shape = node.kernel.ret.iter().position(|ret| *ret == step.binds[0]);
        rules::kept_points(&step.kind).is_some()
            && shape.is_some_and(|slot| space == Some(&Axis::Sym(node.binds[slot])))
    }

    /// True if a value is made by a one-to-one scatter: no place is out of range, none gets two points, and there are as many places as points. False where the kernel can fault,
    /// because points that fault are not written.
    pub fn is_one_to_one(&self, run: usize, bind: ValueId) -> bool {
        let node = &self.runs[run];
        let Some((_, step)) = node.kernel.binder(bind) else { return false };
        let CombinatorKind::Permute { dest, base: Base::Fill(_), range, collision } = &step.kind else {
            return false;
        };
        let actual = |axis: Axis| match axis {
            Axis::Const(_) => Some(axis),
            Axis::Sym(formal) => {
                let mut shapes = node.kernel.shapes.iter().zip(node.shapes);
                shapes.find(|(shape, _)| **shape == formal).map(|(_, actual)| *actual)
            }
        };
        let (&[place], &[point]) = (dest.axes.as_slice(), node.space.as_slice()) else { return false };
        // Not only equal after a `same`: then too many may have been promised.
        let as_many = actual(place) == Some(point);
        let is_proved = (*range, collision) == (Range::Proved, &Collision::Proved);
        as_many && is_proved && step.level() == Level(1) && step.guard.is_none() && !node.may_fault
    }

    /// Tests by merging whether consumers can run over the points of a filter or partition, or before a scatter, and records the reasons where they cannot.
    pub(super) fn try_frames(&mut self) {
        let mut verdicts = Vec::new();
        for (at, flow) in self.flows.iter().enumerate().filter(|(_, flow)| flow.verdict.is_ok()) {
            let made = self.made_by_run(HostAtom::Value(flow.value));
            let members = if self.function.values[flow.value.index()].ty.is_shape() {
                vec![flow.from, flow.to]
            } else if made.is_some_and(|(run, value)| self.is_one_to_one(run, self.result(run, value))) {
                self.hull(flow.from, flow.to)
            } else {
                continue;
            };
            verdicts.extend(Merging::new(self, &members).broken().map(|reason| (at, reason.clone())));
        }
        for (at, reason) in verdicts {
            self.flows[at].verdict = Err(reason);
        }
    }

    /// Returns two runs and all runs on paths between them: the later one may read values of the earlier through those as well.
    fn hull(&self, from: usize, to: usize) -> Vec<usize> {
        let mut after = vec![false; to + 1];
        after[from] = true;
        // Flows are in order of the readers.
        for flow in self.flows.iter().take_while(|flow| flow.to <= to) {
            after[flow.to] |= after[flow.from];
        }
        let mut before = vec![false; to + 1];
        before[to] = true;
        for flow in self.flows.iter().rev().filter(|flow| flow.to <= to) {
            before[flow.from] |= before[flow.to];
        }
        (from..=to).filter(|&run| after[run] && before[run]).collect()
    }
}
