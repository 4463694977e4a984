//! Integer program of a fusion problem: a solution is a plan, and the objective is its cost.
//!
//! A cluster has the name of its first run, so that no plan is written in two ways. For runs p and clusters c ≤ p that may share a cluster:
//!
//! ```text
//! x[p,c] = 1    p is in cluster c                           Σ_c x[p,c] = 1,  x[p,c] ≤ x[c,c]
//! w[a]          array a is written to memory                w[a] ≥ Σ_k x[q,k],  w[a] ≥ Σ_k x[q,k] + x[q,c] − x[p,c]   (p makes a, q reads it; p is never in k)
//! r[a,c]        cluster c reads array a from memory         r[a,c] ≥ x[q,c] − x[p,c]
//! l[c]          launch of c, above that of its first run    l[c] ≥ (launch(p) − launch(c)) · x[p,c]
//! u[a,c]        cluster c makes array a and writes it       u[a,c] ≤ w[a],  u[a,c] ≤ x[p,c]
//! h[c]          work of c that its bytes do not hide        h[c] ≥ (1 − overlap) · (Σ_p work(p) · x[p,c] − Σ_a bytes(a) · (r[a,c] + u[a,c]))
//!
//! p, q apart:             x[p,c] + x[q,c] ≤ x[c,c]
//! i → k, k reaches j:     x[i,c] + x[j,c] − x[k,c] ≤ x[c,c]         no path leaves a cluster and comes back
//! minimise  Σ_a bytes(a) · (w[a] + Σ_c r[a,c]) + Σ_c launch(c) · x[c,c] + l[c] + h[c] + e[c] + overlap · Σ_p work(p)
//! ```
//!
//! The rest depends on whole clusters: dependence cycles between several of them, and what the device says. It is added as [cuts](super::Cut) once a solution runs into it;
//! `e[c]` is the device's extra cost, and `t[p,q]` says whether two runs share a cluster. Without all cuts the optimum of the program is a lower bound.

use super::cuts::Cut;
use super::relations::Relations;
use crate::fuse::problem::{Array, ArrayId, Problem, RunId};
use std::collections::BTreeSet;
use std::fmt;

/// A variable. Numbers in its name count from 1, as runs do in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// 1 if a run is in the cluster with this first run.
    In(RunId, RunId),
    /// 1 if an array is written to memory.
    Written(ArrayId),
    /// 1 if a cluster reads an array from memory.
    Read(ArrayId, RunId),
    /// The launch of a cluster, above that of its first run, in bytes.
    Launch(RunId),
    /// 1 if a cluster makes an array and writes it to memory.
    Made(ArrayId, RunId),
    /// The work of a cluster that the bytes which it moves do not hide, in bytes.
    Unhidden(RunId),
    /// The device's extra cost of a cluster, in bytes.
    Extra(RunId),
    /// 1 if two runs share a cluster.
    Together(RunId, RunId),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Variable::In(run, cluster) => write!(f, "x_{}_{}", run.0 + 1, cluster.0 + 1),
            Variable::Written(array) => write!(f, "w_{}", array.0 + 1),
            Variable::Read(array, cluster) => write!(f, "r_{}_{}", array.0 + 1, cluster.0 + 1),
            Variable::Launch(cluster) => write!(f, "l_{}", cluster.0 + 1),
            Variable::Made(array, cluster) => write!(f, "u_{}_{}", array.0 + 1, cluster.0 + 1),
            Variable::Unhidden(cluster) => write!(f, "h_{}", cluster.0 + 1),
            Variable::Extra(cluster) => write!(f, "e_{}", cluster.0 + 1),
            Variable::Together(a, b) => write!(f, "t_{}_{}", a.0 + 1, b.0 + 1),
        }
    }
}

/// A linear expression.
pub(super) type Terms = Vec<(f64, Variable)>;

/// The relation of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    AtMost,
    AtLeast,
    Equal,
}

/// A constraint.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub terms: Terms,
    pub relation: Relation,
    pub right: f64,
}

/// Constraints that say the same of different runs.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub title: String,
    pub rows: Vec<Row>,
}

/// The integer program of a fusion problem.
#[derive(Clone, Debug)]
pub struct Program {
    relations: Relations,
    n_runs: usize,
    /// The cost that every plan pays.
    pub(super) fixed: f64,
    pub(super) objective: Terms,
    pub(super) groups: Vec<Group>,
    /// Pairs with a [`Variable::Together`].
    pub(super) pairs: BTreeSet<(RunId, RunId)>,
    /// Clusters with a [`Variable::Extra`].
    extras: BTreeSet<RunId>,
}

impl Program {
    /// Writes a problem as an integer program, without any cut.
    pub fn new(problem: &Problem) -> Program {
        let mut program = Program {
            relations: Relations::new(problem),
            n_runs: problem.runs.len(),
            fixed: 0.0,
            objective: Vec::new(),
            groups: Vec::new(),
            pairs: BTreeSet::new(),
            extras: BTreeSet::new(),
        };
        program.assign(problem);
        program.keep_apart();
        program.close_paths(problem);
        program.launches(problem);
        for (at, array) in problem.arrays.iter().enumerate().filter(|(_, array)| array.bytes > 0.0) {
            program.group(&format!("array {}", at + 1));
            program.read(ArrayId::from(at), array);
            program.write(ArrayId::from(at), array);
        }
        program.unhidden(problem);
        program
    }

    /// All binary variables: one for each run and each cluster that it may be in.
    pub fn placements(&self) -> impl Iterator<Item = (RunId, RunId, Variable)> + '_ {
        let runs = move || (0..self.n_runs).map(RunId::from);
        runs().flat_map(move |run| {
            runs().filter_map(move |cluster| Some((run, cluster, self.placed(run, cluster)?)))
        })
    }

    /// The variable of a run in a cluster, if it may be there.
    fn placed(&self, run: RunId, cluster: RunId) -> Option<Variable> {
        let may = run == cluster || (cluster < run && self.relations.may_share(cluster, run));
        may.then_some(Variable::In(run, cluster))
    }

    /// The clusters that a run may be in.
    fn clusters_of(&self, run: RunId) -> Vec<RunId> {
        (0..=run.index()).map(RunId::from).filter(|&cluster| self.placed(run, cluster).is_some()).collect()
    }

    /// The sum of the variables of some runs in a cluster.
    fn sum(&self, factor: f64, runs: impl IntoIterator<Item = RunId>, cluster: RunId) -> Terms {
        runs.into_iter().filter_map(|run| Some((factor, self.placed(run, cluster)?))).collect()
    }

    fn group(&mut self, title: &str) {
        self.groups.push(Group { title: title.to_owned(), rows: Vec::new() });
    }

    fn row(&mut self, terms: Terms, relation: Relation, right: f64) {
        let group = self.groups.last_mut().expect("a group was begun");
        group.rows.push(Row { terms, relation, right });
    }

    fn assign(&mut self, problem: &Problem) {
        self.group("every run is in one cluster, and a cluster has its first run");
        for run in problem.run_ids() {
            let clusters = self.clusters_of(run);
            let places = clusters.iter().flat_map(|&cluster| self.sum(1.0, [run], cluster)).collect();
            self.row(places, Relation::Equal, 1.0);
            for cluster in clusters.into_iter().filter(|&cluster| cluster != run) {
                let terms = vec![(1.0, Variable::In(run, cluster)), (-1.0, Variable::In(cluster, cluster))];
                self.row(terms, Relation::AtMost, 0.0);
            }
        }
    }

    fn keep_apart(&mut self) {
        self.group("pairs that no cluster holds");
        for (a, b) in self.relations.apart().collect::<Vec<_>>() {
            for cluster in self.clusters_of(a).into_iter().filter(|&cluster| cluster != a) {
                let mut terms = self.sum(1.0, [a, b], cluster);
                if terms.len() == 2 {
                    terms.push((-1.0, Variable::In(cluster, cluster)));
                    self.row(terms, Relation::AtMost, 0.0);
                }
            }
        }
    }

    fn close_paths(&mut self, problem: &Problem) {
        self.group("no path leaves a cluster and comes back");
        for from in problem.run_ids() {
            for &step in &self.relations.next[from.index()].clone() {
                for &to in &self.relations.after[step].clone() {
                    self.close_path(from, RunId::from(step), RunId::from(to));
                }
            }
        }
    }

    /// A cluster with the ends of a path has the run between them.
    fn close_path(&mut self, from: RunId, step: RunId, to: RunId) {
        if !self.relations.may_share(from, to) {
            return;
        }
        for cluster in self.clusters_of(from) {
            let Some(last) = self.placed(to, cluster) else { continue };
            let mut terms = vec![(1.0, last)];
            if cluster != from {
                terms.extend([(1.0, Variable::In(from, cluster)), (-1.0, Variable::In(cluster, cluster))]);
            }
            terms.extend(self.sum(-1.0, [step], cluster));
            self.row(terms, Relation::AtMost, 0.0);
        }
    }

    fn launches(&mut self, problem: &Problem) {
        self.group("a cluster pays the greatest launch of its runs");
        for cluster in problem.run_ids() {
            let launch = |run: RunId| problem.runs[run.index()].launch;
            self.pay(launch(cluster), Variable::In(cluster, cluster));
            let mut is_paid = false;
            for run in problem.run_ids().filter(|&run| launch(run) > launch(cluster)) {
                let Some(place) = self.placed(run, cluster).filter(|_| run != cluster) else { continue };
                let more = launch(run) - launch(cluster);
                let terms = vec![(1.0, Variable::Launch(cluster)), (-more, place)];
                self.row(terms, Relation::AtLeast, 0.0);
                is_paid = true;
            }
            if is_paid {
                self.pay(1.0, Variable::Launch(cluster));
            }
        }
    }

    fn pay(&mut self, cost: f64, variable: Variable) {
        if cost != 0.0 {
            self.objective.push((cost, variable));
        }
    }

    fn read(&mut self, id: ArrayId, array: &Array) {
        if array.producer.is_none() && array.readers.len() == 1 {
            self.fixed += array.bytes;
            return;
        }
        for cluster in (0..self.n_runs).map(RunId::from).filter(|&cluster| Some(cluster) != array.producer) {
            let reading = self.sum(-1.0, array.readers.iter().copied(), cluster);
            if reading.is_empty() {
                continue;
            }
            self.pay(array.bytes, Variable::Read(id, cluster));
            for place in reading {
                let mut terms = vec![(1.0, Variable::Read(id, cluster)), place];
                terms.extend(self.sum(1.0, array.producer, cluster));
                self.row(terms, Relation::AtLeast, 0.0);
            }
        }
    }

    /// True if every plan writes the array to memory.
    fn is_written(&self, producer: RunId, array: &Array) -> bool {
        let far = |&reader: &RunId| !self.relations.may_share(producer, reader);
        array.wanted || array.readers.iter().any(far)
    }

    fn write(&mut self, id: ArrayId, array: &Array) {
        let Some(producer) = array.producer else { return };
        if self.is_written(producer, array) {
            self.fixed += array.bytes;
            return;
        }
        if !array.readers.is_empty() {
            self.pay(array.bytes, Variable::Written(id));
        }
        for &reader in &array.readers {
            let clusters = self.clusters_of(reader).into_iter();
            let (shared, other): (Vec<RunId>, Vec<RunId>) =
                clusters.partition(|&cluster| self.placed(producer, cluster).is_some());
            let other: Terms =
                other.into_iter().flat_map(|cluster| self.sum(-1.0, [reader], cluster)).collect();
            let mut elsewhere = vec![(1.0, Variable::Written(id))];
            elsewhere.extend(other);
            self.row(elsewhere.clone(), Relation::AtLeast, 0.0);
            for cluster in shared {
                let mut terms = elsewhere.clone();
                terms.extend(self.sum(-1.0, [reader], cluster));
                terms.extend(self.sum(1.0, [producer], cluster));
                self.row(terms, Relation::AtLeast, 0.0);
            }
        }
    }

    /// Work beyond the bytes of a cluster. A read or a write of less than a whole array would hide less than it costs.
    fn unhidden(&mut self, problem: &Problem) {
        let all: f64 = problem.runs.iter().map(|run| run.work).sum();
        if all <= 0.0 {
            return;
        }
        self.fixed += problem.overlap * all;
        self.group("work that the bytes of a cluster do not hide");
        for cluster in problem.run_ids() {
            let part = 1.0 - problem.overlap;
            let mut terms = vec![(1.0, Variable::Unhidden(cluster))];
            for run in problem.run_ids() {
                terms.extend(self.sum(-part * problem.runs[run.index()].work, [run], cluster));
            }
            for (at, array) in problem.arrays.iter().enumerate().filter(|(_, array)| array.bytes > 0.0) {
                let bytes = part * array.bytes;
                terms.extend(self.moved(ArrayId::from(at), array, cluster).into_iter().map(|x| (bytes, x)));
            }
            terms.retain(|(factor, _)| *factor != 0.0);
            self.row(terms, Relation::AtLeast, 0.0);
            self.pay(1.0, Variable::Unhidden(cluster));
        }
    }

    /// The variables that say whether a cluster reads an array, and whether it makes and writes it.
    fn moved(&mut self, id: ArrayId, array: &Array, cluster: RunId) -> Vec<Variable> {
        let mut moved = Vec::new();
        if let ([reader], None) = (array.readers.as_slice(), array.producer) {
            moved.extend(self.placed(*reader, cluster));
        } else if Some(cluster) != array.producer
            && array.readers.iter().any(|&reader| self.placed(reader, cluster).is_some())
        {
            moved.push(Variable::Read(id, cluster));
        }
        let Some(producer) = array.producer else { return moved };
        let Some(place) = self.placed(producer, cluster) else { return moved };
        if self.is_written(producer, array) {
            moved.push(place);
        } else if !array.readers.is_empty() {
            let made = Variable::Made(id, cluster);
            self.row(vec![(1.0, made), (-1.0, place)], Relation::AtMost, 0.0);
            self.row(vec![(1.0, made), (-1.0, Variable::Written(id))], Relation::AtMost, 0.0);
            moved.push(made);
        }
        moved
    }

    /// Adds a cut.
    pub fn add(&mut self, cut: &Cut) {
        self.group(&cut.to_string());
        match cut {
            Cut::NotTogether(runs) => self.forbid_all_of(runs),
            Cut::Never(cluster) => self.forbid_exactly(cluster),
            Cut::Costs { cluster, extra } => self.charge(cluster, *extra),
            Cut::Cycle { joined, apart } => self.break_cycle(joined, *apart),
        }
    }

    /// Whatever their cluster is called, one of these runs is not in it.
    fn forbid_all_of(&mut self, runs: &[RunId]) {
        for cluster in self.clusters_of(runs[0]) {
            let others = runs.iter().copied().filter(|&run| run != cluster);
            let (wanted, mut terms) = (others.clone().count(), self.sum(1.0, others, cluster));
            if terms.len() == wanted {
                terms.push((1.0 - wanted as f64, Variable::In(cluster, cluster)));
                self.row(terms, Relation::AtMost, 0.0);
            }
        }
    }

    /// Σ of the members besides the first − Σ of all others − (their number − 1) · x[c,c]: 1 for exactly this cluster, else at most 0.
    fn exactly(&self, cluster: &[RunId], factor: f64) -> Terms {
        let (first, members) = (cluster[0], &cluster[1..]);
        let mut terms = self.sum(factor, members.iter().copied(), first);
        let others = (0..self.n_runs).map(RunId::from).filter(|run| !cluster.contains(run));
        terms.extend(self.sum(-factor, others, first));
        terms.push((factor * (1.0 - members.len() as f64), Variable::In(first, first)));
        terms.retain(|(factor, _)| *factor != 0.0);
        terms
    }

    fn forbid_exactly(&mut self, cluster: &[RunId]) {
        let terms = self.exactly(cluster, 1.0);
        self.row(terms, Relation::AtMost, 0.0);
    }

    fn charge(&mut self, cluster: &[RunId], extra: f64) {
        if self.extras.insert(cluster[0]) {
            self.pay(1.0, Variable::Extra(cluster[0]));
        }
        let mut terms = vec![(1.0, Variable::Extra(cluster[0]))];
        terms.extend(self.exactly(cluster, -extra));
        self.row(terms, Relation::AtLeast, 0.0);
    }

    fn break_cycle(&mut self, joined: &[(RunId, RunId)], apart: (RunId, RunId)) {
        let mut terms: Terms = joined.iter().filter_map(|&pair| Some((1.0, self.together(pair)?))).collect();
        terms.extend(self.together(apart).map(|variable| (-1.0, variable)));
        self.row(terms, Relation::AtMost, joined.len() as f64 - 1.0);
    }

    /// The variable that says whether two runs share a cluster; `None` if they never do.
    fn together(&mut self, (a, b): (RunId, RunId)) -> Option<Variable> {
        let (a, b) = (a.min(b), a.max(b));
        if !self.relations.may_share(a, b) {
            return None;
        }
        let variable = Variable::Together(a, b);
        if self.pairs.insert((a, b)) {
            for cluster in self.clusters_of(b) {
                let (first, second) = (self.sum(1.0, [a], cluster), self.sum(1.0, [b], cluster));
                let minus = |terms: &Terms| terms.iter().map(|&(factor, x)| (-factor, x)).collect::<Terms>();
                if !first.is_empty() && cluster != a {
                    let both =
                        [&first[..], &second, &[(-1.0, Variable::In(cluster, cluster)), (-1.0, variable)]];
                    self.row(both.concat(), Relation::AtMost, 0.0);
                }
                if cluster == a {
                    self.row([&second[..], &[(-1.0, variable)]].concat(), Relation::AtMost, 0.0);
                }
                self.row([&[(1.0, variable)], &minus(&first)[..], &second].concat(), Relation::AtMost, 1.0);
            }
        }
        Some(variable)
    }
}
