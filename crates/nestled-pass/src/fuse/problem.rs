//! The question: which runs of a region are best launched together?
//!
//! ```text
//! ys = run f(xs)        runs 0, 1, 2; edges 0 → 1 and 0 → 2
//! zs = run g(ys)        arrays xs (read by 0), ys (made by 0, read by 1 and 2),
//! t  = run h(ys)               zs and t (made by 1 and 2, wanted)
//! ```
//!
//! A plan puts every run into a *cluster*, which becomes one kernel. All costs are in bytes moved:
//!
//! ```text
//! Σ_a bytes(a) · (w[a] + Σ_c r[a, c]) + Σ_c launch(c) + Σ_c extra(c)
//! ```
//!
//! where `w[a]` is 1 if array `a` is written to memory (it is wanted, or read outside the cluster of its producer), `r[a, c]` is 1 if
//! cluster `c` reads `a` from memory (some member does, and none makes it), `launch(c)` is the most that a member pays, and
//! `extra(c)` is what the device says that the cluster computes or reads more than once. So the cost of a plan is a sum of costs of
//! its clusters, each of which depends on the members alone.
//!
//! A plan is *valid* if no cluster holds a pair that is [apart](Problem::apart) or a path through an edge that is not
//! [fusable](Edge::fusable), if clusters do not wait for each other in a circle, and if every cluster of two runs or more
//! [fits](Limits).

use std::fmt;

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident prints $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> $name {
                $name(u32::try_from(index).expect("tables have fewer than 2^32 entries"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

indices! {
    /// A run of a region, numbered in program order.
    RunId prints "run";
    /// An array of a [`Problem`].
    ArrayId prints "array";
    /// A cluster of a `Plan`, numbered in an order in which clusters may be launched.
    ClusterId prints "cluster";
}

/// The runs of a region and how they hang together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// In program order: edges lead from lower to higher numbers.
    pub runs: Vec<Run>,
    /// All arrays that a run makes or reads.
    pub arrays: Vec<Array>,
    /// Direct dependences, also through host code. Several edges may join the same runs; one that is not fusable prevails.
    /// That a reader of an array depends on its producer need not be said: without another edge, that is a fusable one.
    pub edges: Vec<Edge>,
    /// Pairs that no cluster may hold, besides those that edges separate: spaces that differ, for example.
    pub apart: Vec<(RunId, RunId)>,
}

/// One run of a kernel, or a piece of host code that may become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// What a launch costs, in bytes. A cluster pays the most of its members. 0 for scalar host code, which needs no launch when it
    /// stays alone.
    pub launch: f64,
}

/// An array, or anything else that takes memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// What reading or writing it once costs.
    pub bytes: f64,
    /// The run that makes it; none if it stands before the region.
    pub producer: Option<RunId>,
    /// The runs that read it, each once, in order.
    pub readers: Vec<RunId>,
    /// Host code or another region needs it in memory.
    pub wanted: bool,
}

/// `to` needs something of `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Comes first.
    pub from: RunId,
    /// Comes later.
    pub to: RunId,
    /// Whether they may be in one cluster. If not, then nothing from which `from` can be reached is ever in one cluster with anything
    /// that can be reached from `to`.
    pub fusable: bool,
}

/// What a device says about clusters: asked only for clusters that a solver considers.
pub trait Limits {
    /// Whether these runs (two or more, in program order) can be one kernel. The answer depends on them alone.
    fn judge(&self, cluster: &[RunId]) -> Judgement;
}

/// The answer to a proposed cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// It can be a kernel.
    Fits {
        /// What it costs besides its arrays and its launch, in bytes, over what its members cost alone: halos, sweeps, values
        /// computed twice. Never negative.
        extra: f64,
    },
    /// It cannot.
    Over {
        /// Members that never fit together, whatever else is or is not in the cluster.
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

    /// A cost that no plan is below: one launch, what is read from outside, and what is wanted there.
    pub fn least(&self) -> f64 {
        let launch = self.runs.iter().map(|run| run.launch).fold(0.0, f64::max);
        let moved = |array: &&Array| match array.producer {
            Some(_) => array.wanted,
            None => !array.readers.is_empty(),
        };
        launch + self.arrays.iter().filter(moved).map(|array| array.bytes).sum::<f64>()
    }

    /// What is wrong with the question itself, if anything.
    pub fn fault(&self) -> Option<String> {
        let known = |run: RunId| run.index() < self.runs.len();
        let cost = |bytes: f64| bytes.is_finite() && bytes >= 0.0;
        if let Some(at) = self.runs.iter().position(|run| !cost(run.launch)) {
            return Some(format!("{:?} has a launch of {}", RunId::from(at), self.runs[at].launch));
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
