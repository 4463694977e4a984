//! The fusion problem: which runs of a region are best launched as one kernel? A weighted graph partition.
//!
//! ```text
//! ys = run f(xs)        runs 0, 1, 2; edges 0 → 1 and 0 → 2
//! zs = run g(ys)        arrays xs (read by 0), ys (made by 0, read by 1 and 2),
//! t  = run h(ys)               zs and t (made by 1 and 2, wanted)
//! ```
//!
//! A plan puts every run into a *cluster*, which becomes one kernel. All costs are times, in bytes moved:
//!
//! ```text
//! Σ_a bytes(a) · (w[a] + Σ_c r[a, c]) + Σ_c launch(c) + Σ_c unhidden(c) + Σ_c extra(c)
//! ```
//!
//! where `w[a]` is 1 if array `a` is written to memory (it is wanted, or read outside the cluster of its producer), `r[a, c]` is 1 if cluster `c` reads `a` from memory (a member
//! reads it, and no member makes it), `launch(c)` is the greatest launch cost of a member, `unhidden(c)` is the work of its members as far as the memory that the cluster moves does
//! not [hide](Problem::unhidden) it, and `extra(c)` is the device's estimate of work done more than once. So the cost of a plan is a sum of costs of its clusters, each of which
//! depends on the members alone.
//!
//! A plan is *valid* if no cluster holds a pair that is [apart](Problem::apart) or a path through an edge that is not [fusable](Edge::fusable), if clusters have no dependence
//! cycle, and if every cluster of two runs or more [fits](Limits).

use std::fmt;

nestled_ir::indices! {
    /// A run of a region, numbered in program order.
    RunId prints "run";
    /// An array of a [`Problem`].
    ArrayId prints "array";
    /// A cluster of a `FusionPlan`, numbered in an order in which clusters may be launched.
    ClusterId prints "cluster";
}

/// The runs of a region, their arrays and their dependences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// In program order: edges lead from lower to higher numbers.
    pub runs: Vec<Run>,
    /// All arrays that a run makes or reads.
    pub arrays: Vec<Array>,
    /// Direct dependences, also through host code. Several edges may join the same runs; one that is not fusable prevails. The dependence of an array's reader on its producer is
    /// implied, as a fusable edge.
    pub edges: Vec<Edge>,
    /// Pairs that no cluster may hold, besides those that edges separate: runs over different spaces, for example.
    pub apart: Vec<(RunId, RunId)>,
    /// The part of the lesser of memory and work that the greater does not hide.
    pub overlap: f64,
}

/// One run of a kernel, or a piece of host code that may become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Cost of a launch, in bytes. A cluster pays the greatest of its members. 0 for scalar host code, which needs no launch when it stays alone.
    pub launch: f64,
    /// Cost of computing its points, if nothing hid it.
    pub work: f64,
}

/// An array, or anything else that takes memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Bytes of reading or writing it once.
    pub bytes: f64,
    /// The run that makes it; `None` if it exists before the region.
    pub producer: Option<RunId>,
    /// The runs that read it, each once, in order.
    pub readers: Vec<RunId>,
    /// Host code or another region needs it in memory.
    pub wanted: bool,
}

/// A dependence: `to` needs a result of `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The earlier run.
    pub from: RunId,
    /// The later run.
    pub to: RunId,
    /// Whether both may be in one cluster. If not, then no run that reaches `from` is ever in one cluster with a run that `to` reaches.
    pub fusable: bool,
}

/// The limits of a device. Asked only for clusters that a solver considers.
pub trait Limits {
    /// Returns whether these runs (two or more, in program order) can be one kernel. The answer depends on them alone.
    fn judge(&self, cluster: &[RunId]) -> Judgement;

    /// Returns what keeps these runs from being one kernel, for reports.
    fn obstacle(&self, _: &[RunId]) -> Option<Obstacle> {
        None
    }

    /// Returns the bytes that the kernel of these runs (one or more) moves again in later rounds: through scratch memory, and of arrays that several rounds read. For reports.
    fn again(&self, _: &[RunId]) -> f64 {
        0.0
    }
}

/// What keeps runs from being one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The kernel would be over a limit.
    Limit {
        /// The name of the limit.
        name: &'static str,
        /// What the kernel would take.
        takes: usize,
        /// What the limit allows.
        limit: usize,
    },
    /// They run over different spaces, unless what makes the points of one is in the kernel too.
    Space,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Limit { name, takes, limit } => {
                write!(f, "one kernel would have {takes} {name}, and the limit is {limit}")
            }
            Obstacle::Space => {
                write!(f, "they run over different spaces, unless what makes the points of one is fused too")
            }
        }
    }
}

/// The answer for a proposed cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// The cluster can be one kernel.
    Fits {
        /// Its cost besides arrays and launch, in bytes, above that of its members alone: halos, sweeps, values computed twice. Never negative.
        extra: f64,
    },
    /// The cluster cannot be one kernel, but may be with further runs in it.
    Unfit,
    /// The cluster cannot be one kernel, whatever else is in it.
    Over {
        /// Members that never fit together.
        cut: Vec<RunId>,
    },
}

/// No limits: every cluster fits and costs nothing extra.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Limits for Unlimited {
    fn judge(&self, _: &[RunId]) -> Judgement {
        Judgement::Fits { extra: 0.0 }
    }
}

impl Problem {
    /// All runs, in program order.
    pub fn run_ids(&self) -> impl Iterator<Item = RunId> + use<> {
        (0..self.runs.len()).map(RunId::from)
    }

    /// All dependences: the edges, and a fusable one from the producer of each array to each of its readers.
    pub fn dependences(&self) -> impl Iterator<Item = Edge> + '_ {
        let through_arrays = self.arrays.iter().flat_map(|array| {
            let edge = |producer| move |&to: &RunId| Edge { from: producer, to, fusable: true };
            array.producer.into_iter().flat_map(move |producer| array.readers.iter().map(edge(producer)))
        });
        self.edges.iter().copied().chain(through_arrays)
    }

    /// A lower bound of the cost of all plans: one launch, the arrays read from outside, and those wanted there.
    pub fn least(&self) -> f64 {
        let launch = self.runs.iter().map(|run| run.launch).fold(0.0, f64::max);
        let work = self.runs.iter().map(|run| run.work).sum();
        let moved = |array: &&Array| match array.producer {
            Some(_) => array.wanted,
            None => !array.readers.is_empty(),
        };
        let least = launch + self.arrays.iter().filter(moved).map(|array| array.bytes).sum::<f64>();
        least + self.unhidden(work, least)
    }

    /// The cost of work beside so many bytes that the same kernel moves: of the lesser of both only a part counts. With this cost added, more bytes never cost less; so the work of all
    /// runs beside a lower bound of all bytes is a lower bound, too.
    pub fn unhidden(&self, work: f64, bytes: f64) -> f64 {
        unhidden(self.overlap, work, bytes)
    }

    /// Describes the first inconsistency of the problem itself, if there is one.
    pub fn fault(&self) -> Option<String> {
        let known = |run: RunId| run.index() < self.runs.len();
        let cost = |bytes: f64| bytes.is_finite() && bytes >= 0.0;
        if let Some(at) = self.runs.iter().position(|run| !cost(run.launch) || !cost(run.work)) {
            let Run { launch, work } = self.runs[at];
            return Some(format!("{:?} has a launch of {launch} and work of {work}", RunId::from(at)));
        }
        if !(0.0..=1.0).contains(&self.overlap) {
            return Some(format!("a part of {} does not overlap", self.overlap));
        }
        for (at, array) in self.arrays.iter().enumerate() {
            let id = ArrayId::from(at);
            if !cost(array.bytes) {
                return Some(format!("{id:?} has {} bytes", array.bytes));
            }
            if !array.readers.iter().chain(&array.producer).all(|&run| known(run)) {
                return Some(format!("{id:?} is made or read by no run of this region"));
            }
            if !array.readers.is_sorted_by(|a, b| a < b) {
                return Some(format!("the readers of {id:?} are not in order"));
            }
        }
        if let Some(edge) = self.dependences().find(|edge| !known(edge.to) || edge.from >= edge.to) {
            return Some(format!("{:?} depends on {:?}", edge.to, edge.from));
        }
        self.apart
            .iter()
            .find(|(a, b)| !known(*a) || !known(*b) || a == b)
            .map(|(a, b)| format!("{a:?} and {b:?} cannot be apart"))
    }
}

/// The cost of work beside so many bytes, of the lesser of which such a part counts.
pub(super) fn unhidden(overlap: f64, work: f64, bytes: f64) -> f64 {
    overlap * work + (1.0 - overlap) * (work - bytes).max(0.0)
}
