//! Resource estimates: outlines of runs without their code, to compute quickly what a fused kernel of a cluster would take.
//!
//! Sweeps and stages are counted as `docs/lcu.md` defines them, and as [`kernel_shape`](nestled_ir::verify::kernel_shape) counts them in finished kernels; debug builds compare the
//! two for each merged kernel.
//!
//! Costs follow *rounds* over the points: a kernel takes another round for each sweep, and besides for a scan in the other direction than those before it. What one round makes
//! and a later one reads is stored in scratch memory; what several rounds read is read by each.

use super::cost::Sizes;
use super::graph::Graph;
use nestled_ir::{Axis, Combinator, CombinatorKind, Direction, HostAtom, Kernel, Level, StmtKind, ValueId};
use std::collections::{BTreeMap, HashMap};

/// A run without its code.
#[derive(Clone, Debug)]
pub struct Outline {
    steps: Vec<StepOutline>,
    /// For each result: its value in host code, and the combinator that binds it.
    results: Vec<(ValueId, usize)>,
    /// For each parameter: the results of runs of this region that its argument is, or is computed from by scalar host code: the run, and its combinator.
    sources: Vec<Vec<(usize, usize)>>,
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
    /// Of a scan.
    direction: Option<Direction>,
    /// Bytes of the values that it binds, if they are one for each point.
    bytes: f64,
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
    /// Whether one of the rounds goes over the whole, because a value is needed that is known only at the end of an earlier one.
    pub sweeps_the_whole: bool,
    /// Number of arguments.
    pub args: usize,
    /// Bytes of reading all arguments once.
    pub bytes: f64,
    /// Bytes that go to and from scratch memory, and those of arguments that are read again by a later round.
    pub again: f64,
    /// Number of rounds over the points: sweeps, and more where scans go in both directions.
    pub rounds: usize,
    /// Number of combinators.
    pub combinators: usize,
}

/// The time at which values are available.
#[derive(Clone, Copy, Debug)]
struct When {
    sweep: usize,
    /// Only at the end of its sweep and round.
    late: bool,
    stage: usize,
    level: Level,
    round: usize,
}

/// A value of the kernel, as far as it is estimated.
#[derive(Clone, Copy, Debug)]
struct Made {
    when: When,
    /// The member and the combinator.
    id: (usize, usize),
    /// The level of the combinator.
    level: Level,
    bytes: f64,
}

/// The directions of the rounds; `None` where no scan is in it.
type Rounds = Vec<Option<Direction>>;

impl StepOutline {
    /// Returns when the results are available, from the values that are read, and whether as neighbours.
    fn when(&self, sources: &[(Made, bool)], rounds: &mut Rounds, estimate: &mut Estimate) -> When {
        let mut when = When { sweep: 0, late: false, stage: 0, level: self.result, round: 0 };
        for &(Made { when: earlier, .. }, moved) in sources {
            let again = self.level > earlier.level && earlier.late;
            let seen = (earlier.sweep + usize::from(again), earlier.late && !again);
            if seen > (when.sweep, when.late) {
                (when.sweep, when.late) = seen;
            }
            when.stage = when.stage.max(earlier.stage + usize::from(moved));
            when.round = when.round.max(earlier.round + usize::from(again));
            estimate.sweeps_the_whole |= again && earlier.level == Level::WHOLE;
        }
        when.late |= self.is_reduce;
        let is_free = |direction: &Option<Direction>| direction.is_none() || *direction == self.direction;
        if self.direction.is_some() {
            let first = when.round;
            when.round += rounds.iter().skip(first).take_while(|direction| !is_free(direction)).count();
            rounds.resize(rounds.len().max(when.round + 1), None);
            rounds[when.round] = self.direction;
            estimate.sweeps_the_whole |= when.round > first;
        }
        estimate.sweeps = estimate.sweeps.max(when.sweep + 1);
        estimate.stages = estimate.stages.max(when.stage + 1);
        estimate.rounds = estimate.rounds.max(when.round + 1);
        when
    }
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
            let bytes = sizes.points(&node.space[..step.level().0]) * element(kernel, step);
            let direction = direction(step);
            steps.push(StepOutline { level: step.level(), result, is_reduce, direction, bytes, reads });
            sources.extend(step.binds.iter().map(|&bind| (bind, Source::Step(position))));
        }
        let results = node.binds.iter().zip(&kernel.ret);
        let results: Vec<(ValueId, usize)> =
            results.filter_map(|(&bind, ret)| Some((bind, maker(kernel, *ret)?))).collect();
        let is_scatter =
            |position: usize| matches!(kernel.steps[position].kind, CombinatorKind::Permute { .. });
        let scattered = results.iter().filter(|(_, position)| is_scatter(*position)).map(|(bind, _)| *bind);
        let value = |arg: &HostAtom| match arg {
            HostAtom::Value(value) => Some((*value, sizes.bytes(*value))),
            HostAtom::Const(_) => None,
        };
        let made = |(run, value): (usize, ValueId)| {
            Some((run, maker(graph.runs[run].kernel, graph.result(run, value))?))
        };
        let leaves = |&arg: &HostAtom| graph.scalar_leaves(arg).into_iter().filter_map(made).collect();
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

/// The combinator of a kernel that binds a value.
fn maker(kernel: &Kernel, value: ValueId) -> Option<usize> {
    kernel.steps.iter().position(|step| step.binds.contains(&value))
}

/// Bytes of what a combinator binds at each point.
fn element(kernel: &Kernel, step: &Combinator) -> f64 {
    let size =
        |bind: &ValueId| kernel.values[bind.index()].ty.as_array().map_or(0, |array| array.elem.size());
    step.binds.iter().map(size).sum::<usize>() as f64
}

fn direction(step: &Combinator) -> Option<Direction> {
    match step.kind {
        CombinatorKind::Scan { direction, .. } => Some(direction),
        CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => None,
    }
}

/// The rounds that read something, and its bytes.
#[derive(Default)]
struct Reads {
    bytes: f64,
    /// A bit for each round; the last one is for all later ones too.
    rounds: u64,
}

impl Reads {
    fn note(&mut self, round: usize) {
        self.rounds |= 1 << round.min(63);
    }
}

/// Estimates the resources of a fused kernel of these runs, in program order, each with its number; none of them may go over points that another keeps.
pub fn estimate(members: &[(usize, &Outline)]) -> Estimate {
    let mut estimate = Estimate { sweeps: 1, stages: 1, rounds: 1, ..Estimate::default() };
    let mut rounds = Rounds::new();
    let mut args: BTreeMap<ValueId, Reads> = BTreeMap::new();
    let mut stored: BTreeMap<(usize, usize), Reads> = BTreeMap::new();
    // The combinators of all members so far, and for each run the first of its own.
    let mut steps: Vec<Made> = Vec::new();
    let mut first: Vec<Option<usize>> = vec![None; members.last().map_or(0, |(run, _)| run + 1)];
    let mut sources: Vec<(Made, bool)> = Vec::new();
    for (member, &(run, outline)) in members.iter().enumerate() {
        let start = steps.len();
        let inside = |(run, position): &(usize, usize)| Some(first.get(*run).copied()?? + position);
        let of_param = |param: usize| outline.sources[param].iter().filter_map(inside);
        let arg = |param: usize| outline.args[param].filter(|_| of_param(param).next().is_none());
        for (value, bytes) in (0..outline.args.len()).filter_map(arg) {
            args.entry(value).or_default().bytes = bytes;
        }
        for (position, step) in outline.steps.iter().enumerate() {
            sources.clear();
            for &(source, moved) in &step.reads {
                match source {
                    Source::Step(position) => sources.push((steps[start + position], moved)),
                    Source::Param(param) => sources.extend(of_param(param).map(|at| (steps[at], moved))),
                }
            }
            let when = step.when(&sources, &mut rounds, &mut estimate);
            let is_stored = |source: &Made| {
                source.when.round < when.round
                    && source.when.level == source.level
                    && step.level <= source.level
            };
            for (source, _) in sources.iter().filter(|(source, _)| is_stored(source)) {
                let reads = stored.entry(source.id).or_default();
                reads.bytes = source.bytes;
                reads.note(when.round);
            }
            for &(source, _) in &step.reads {
                if let Source::Param(param) = source
                    && let Some((value, _)) = arg(param)
                {
                    args.entry(value).or_default().note(when.round);
                }
            }
            steps.push(Made { when, id: (member, position), level: step.level, bytes: step.bytes });
        }
        estimate.combinators += outline.steps.len();
        first[run] = Some(start);
    }
    estimate.args = args.len();
    estimate.bytes = args.values().map(|reads| reads.bytes).sum();
    let more =
        args.values().map(|reads| reads.bytes * f64::from(reads.rounds.count_ones().saturating_sub(1)));
    let through = stored.values().map(|reads| reads.bytes * f64::from(1 + reads.rounds.count_ones()));
    estimate.again = more.chain(through).sum();
    estimate
}
