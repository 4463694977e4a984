//! Resource estimates: outlines of runs without their code, to compute quickly what a fused kernel of a cluster would take.
//!
//! Sweeps and stages are counted as `docs/lcu.md` defines them, and as [`kernel_shape`](nestled_ir::verify::kernel_shape) counts them in finished kernels; debug builds compare the
//! two for each merged kernel.

use super::cost::Sizes;
use super::graph::Graph;
use nestled_ir::{Axis, CombinatorKind, HostAtom, Level, StmtKind, ValueId};
use std::collections::{BTreeSet, HashMap};

/// A run without its code.
#[derive(Clone, Debug)]
pub struct Outline {
    steps: Vec<StepOutline>,
    /// For each result: its value in host code, and the combinator that binds it.
    results: Vec<(ValueId, usize)>,
    /// For each parameter: the results of runs of this region that its argument is, or is computed from by scalar host code.
    sources: Vec<Vec<ValueId>>,
    /// For each parameter: its argument, if that is a value, and the bytes of reading it once.
    args: Vec<Option<(ValueId, f64)>>,
    /// Results that scatters make.
    scattered: Vec<ValueId>,
    /// The symbol of the innermost axis of its space, if that is a symbol.
    innermost: Option<ValueId>,
}

#[derive(Clone, Debug)]
struct StepOutline {
    level: Level,
    result: Level,
    is_reduce: bool,
    reads: Vec<(Source, bool)>,
}

/// A value that a combinator reads. The flag beside it says that it reads neighbours.
#[derive(Clone, Copy, Debug)]
enum Source {
    Step(usize),
    Param(usize),
}

/// The estimated resources of a cluster as one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Number of sweeps.
    pub sweeps: usize,
    /// Number of stages.
    pub stages: usize,
    /// Whether one of the sweeps goes over the whole, because a value is needed that is known only at the end of an earlier one.
    pub sweeps_the_whole: bool,
    /// Number of arguments.
    pub args: usize,
    /// Bytes of reading all arguments once.
    pub bytes: f64,
    /// Number of combinators.
    pub combinators: usize,
}

/// The time at which values are available: the sweep, whether only at its end, and the stage; and the level where they live.
#[derive(Clone, Copy, Debug)]
struct When {
    sweep: usize,
    late: bool,
    stage: usize,
    level: Level,
}

impl Outline {
    /// Makes the outline of a run.
    pub fn of(graph: &Graph<'_>, sizes: &Sizes<'_>, run: usize) -> Outline {
        let node = &graph.runs[run];
        let kernel = node.kernel;
        let mut sources: HashMap<ValueId, Source> = HashMap::new();
        sources.extend(kernel.params.iter().enumerate().map(|(at, &param)| (param, Source::Param(at))));
        let mut steps = Vec::new();
        for (position, step) in kernel.steps.iter().enumerate() {
            let coordinates = super::access::Coordinates::of(&step.body);
            let mut reads: Vec<(Source, bool)> = Vec::new();
            let mut note =
                |value: ValueId, moved: bool| reads.extend(sources.get(&value).map(|&from| (from, moved)));
            step.guard.iter().for_each(|&guard| note(guard, false));
            step.body.body.for_each_captured(&mut |value| note(value, false));
            step.body.body.walk(&mut |stmt| match &stmt.kind {
                StmtKind::Window { bind, offsets, .. } => {
                    note(*bind, offsets.iter().any(|offset| offset.by != 0))
                }
                StmtKind::Read { array, index, .. } => {
                    note(*array, matches!(coordinates.access(index), super::access::Access::Near(_)));
                }
                StmtKind::Op { .. }
                | StmtKind::Threefry { .. }
                | StmtKind::Own { .. }
                | StmtKind::Len { .. }
                | StmtKind::Start { .. }
                | StmtKind::Call { .. }
                | StmtKind::If { .. }
                | StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::PrivateNew { .. }
                | StmtKind::PrivateGet { .. }
                | StmtKind::PrivateSet { .. }
                | StmtKind::Check { .. } => {}
            });
            let result = step.result_level();
            let is_reduce = matches!(step.kind, CombinatorKind::Reduce { .. });
            steps.push(StepOutline { level: step.level(), result, is_reduce, reads });
            sources.extend(step.binds.iter().map(|&bind| (bind, Source::Step(position))));
        }
        let made_by = |ret: &ValueId| match sources.get(ret) {
            Some(Source::Step(position)) => Some(*position),
            Some(Source::Param(_)) | None => None,
        };
        let results =
            node.binds.iter().zip(&kernel.ret).filter_map(|(&bind, ret)| Some((bind, made_by(ret)?)));
        let results: Vec<(ValueId, usize)> = results.collect();
        let is_scatter =
            |position: usize| matches!(kernel.steps[position].kind, CombinatorKind::Permute { .. });
        let scattered = results.iter().filter(|(_, position)| is_scatter(*position)).map(|(bind, _)| *bind);
        let value = |arg: &HostAtom| match arg {
            HostAtom::Value(value) => Some((*value, sizes.bytes(*value))),
            HostAtom::Const(_) => None,
        };
        let leaves = |&arg: &HostAtom| graph.scalar_leaves(arg).into_iter().map(|(_, value)| value).collect();
        Outline {
            scattered: scattered.collect(),
            results,
            sources: node.args.iter().map(leaves).collect(),
            args: node.args.iter().map(value).collect(),
            innermost: node.space.last().and_then(|axis| match axis {
                Axis::Sym(symbol) => Some(*symbol),
                Axis::Const(_) => None,
            }),
            steps,
        }
    }

    /// True if the run goes over points that a filter of the other keeps, or reads an array that a scatter of the other moves.
    pub fn runs_over(&self, other: &Outline) -> bool {
        let reads = |value: &ValueId| self.args.iter().flatten().any(|(arg, _)| arg == value);
        let is_kept = |symbol| other.results.iter().any(|(bind, _)| *bind == symbol);
        self.innermost.is_some_and(is_kept) || other.scattered.iter().any(reads)
    }
}

/// Estimates the resources of a fused kernel of these runs, in program order; none of them may go over points that another keeps.
pub fn estimate(members: &[&Outline]) -> Estimate {
    let mut estimate = Estimate { sweeps: 1, stages: 1, ..Estimate::default() };
    let mut made: HashMap<ValueId, When> = HashMap::new();
    let mut args: BTreeSet<ValueId> = BTreeSet::new();
    for outline in members {
        let mut times: Vec<When> = Vec::new();
        for step in &outline.steps {
            let mut when = When { sweep: 0, late: false, stage: 0, level: step.result };
            let mut see = |earlier: When, moved: bool| {
                let again = step.level > earlier.level && earlier.late;
                let seen = (earlier.sweep + usize::from(again), earlier.late && !again);
                if seen > (when.sweep, when.late) {
                    (when.sweep, when.late) = seen;
                }
                when.stage = when.stage.max(earlier.stage + usize::from(moved));
                estimate.sweeps_the_whole |= again && earlier.level == Level::WHOLE;
            };
            for &(source, moved) in &step.reads {
                match source {
                    Source::Step(position) => see(times[position], moved),
                    Source::Param(param) => {
                        let inside = outline.sources[param].iter().filter_map(|value| made.get(value));
                        inside.for_each(|&earlier| see(earlier, moved));
                    }
                }
            }
            when.late |= step.is_reduce;
            estimate.sweeps = estimate.sweeps.max(when.sweep + 1);
            estimate.stages = estimate.stages.max(when.stage + 1);
            times.push(when);
        }
        for (sources, arg) in outline.sources.iter().zip(&outline.args) {
            let is_inside = sources.iter().any(|value| made.contains_key(value));
            if let (false, Some((value, bytes))) = (is_inside, arg)
                && args.insert(*value)
            {
                estimate.bytes += bytes;
            }
        }
        estimate.combinators += outline.steps.len();
        made.extend(outline.results.iter().map(|&(bind, position)| (bind, times[position])));
    }
    estimate.args = args.len();
    estimate
}
