//! Sweeps and stages: counts the passes of a kernel over its points, as section 7 of `docs/lcu.md` defines them.

use crate::kernel::{Combinator, CombinatorKind, Kernel, Level};
use crate::program::Program;

/// The sweep and stage of each combinator of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelShape {
    /// For each combinator, the number of sweeps of its group before the one that computes it.
    pub sweeps: Vec<usize>,
    /// For each combinator, the number of stages before its own.
    pub stages: Vec<usize>,
}

impl KernelShape {
    /// The number of sweeps of the whole kernel: 1 where no reduction is read inside its own group.
    pub fn n_sweeps(&self) -> usize {
        self.sweeps.iter().max().map_or(0, |last| last + 1)
    }

    /// The number of stages of the whole kernel: 1 where there are no windows.
    pub fn n_stages(&self) -> usize {
        self.stages.iter().max().map_or(0, |last| last + 1)
    }
}

/// When the values of a combinator are there, in the order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct When {
    sweep: usize,
    /// True if the values are complete only at the end of the group's sweep: a reduction over the group, or a value of its level that depends on one.
    late: bool,
}

/// Counts the sweeps and stages of a kernel of a program that is well-formed.
pub fn kernel_shape(_program: &Program, kernel: &Kernel) -> KernelShape {
    let mut counting = Counting::new(kernel);
    kernel.steps.iter().for_each(|step| counting.add(step));
    counting.shape
}

/// Counts one combinator after another. If only some combinators of a kernel are added, the values of the others count as coming from outside.
#[derive(Clone, Debug)]
pub struct Counting {
    /// The sweeps and stages of the combinators so far.
    pub shape: KernelShape,
    times: Vec<When>,
    /// For each value, its combinator's position among those so far, and its level.
    binders: Vec<Option<(usize, Level)>>,
}

impl Counting {
    /// No combinator so far.
    pub fn new(kernel: &Kernel) -> Counting {
        let binders = vec![None; kernel.values.len()];
        Counting { shape: KernelShape::default(), times: Vec::new(), binders }
    }

    /// Counts another one, which reads only those before it.
    pub fn add(&mut self, step: &Combinator) {
        let mut when = When::default();
        let mut stage = 0;
        step.for_each_earlier(&mut |bind, offsets| {
            let Some((earlier, level)) = self.binders[bind.index()] else { return };
            let moved = offsets.is_some_and(|offsets| offsets.iter().any(|offset| offset.by != 0));
            when = when.max(self.times[earlier].seen_from(level, step.level()));
            stage = stage.max(self.shape.stages[earlier] + usize::from(moved));
        });
        self.shape.sweeps.push(when.sweep);
        self.shape.stages.push(stage);
        when.late |= matches!(step.kind, CombinatorKind::Reduce { .. });
        let place = (self.times.len(), step.result_level());
        self.times.push(when);
        step.binds.iter().for_each(|bind| self.binders[bind.index()] = Some(place));
    }
}

impl When {
    /// The time at which a reader sees the values. A reader below `level` has to sweep the group again if they are late.
    fn seen_from(self, level: Level, reader: Level) -> When {
        if reader > level && self.late { When { sweep: self.sweep + 1, late: false } } else { self }
    }
}
