//! A piece of a problem small enough for bit sets of one machine word: at most 64 nodes, each a run or several runs that stay together.

use super::clusters::Clusters;
use super::facts::GraphFacts;
use crate::fuse::bits;
use crate::fuse::problem::unhidden;

/// Greatest number of nodes of a piece.
pub const MOST: usize = u64::BITS as usize;

/// A small problem. The clusters outside are fixed: they are neither split nor joined with anything inside.
pub struct Piece {
    /// The runs of each node.
    pub nodes: Vec<Vec<u64>>,
    /// The nodes that are single runs.
    pub lone: u64,
    /// The initial groups: every node is a group.
    pub start: Groups,
    /// The arrays that at least two nodes touch.
    pub arrays: Vec<PieceArray>,
    /// For each node: the cost of its launch.
    pub launch: Vec<f64>,
    /// For each node: its work.
    pub work: Vec<f64>,
    /// For each node: the bytes of arrays that only this node touches.
    pub own: Vec<f64>,
    /// The part of the lesser of memory and work that the greater does not hide.
    pub overlap: f64,
    /// The cost common to all plans: arrays that only one node touches.
    pub fixed: f64,
}

/// An array of a piece.
pub struct PieceArray {
    /// Bytes of reading or writing it once.
    pub bytes: f64,
    /// The node that makes it, as a set; empty if it is made outside.
    pub home: u64,
    /// The nodes that read it and do not make it.
    pub readers: u64,
    /// Whether it is needed in memory outside of the piece.
    pub wanted: bool,
}

/// A partial partition: groups of nodes that are together so far, with their relations. A group is named by its least node.
#[derive(Clone)]
pub struct Groups {
    /// The least node of every group.
    pub live: u64,
    /// The nodes of each group.
    pub nodes: [u64; MOST],
    /// Nodes that are never with this group; whole groups.
    pub apart: [u64; MOST],
    /// Successors: nodes that need this group; whole groups.
    pub after: [u64; MOST],
    /// Predecessors: nodes that this group needs; whole groups.
    pub before: [u64; MOST],
    /// The group of each node.
    pub group: [u8; MOST],
}

/// The members of a bit set, in ascending order.
pub fn each(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then_some(set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}

impl Piece {
    /// Makes the piece with these sets of runs as nodes, each a part of a cluster; the remaining runs of those clusters must be among the nodes too. Clusters without a node stay
    /// as they are. `None` if a dependence cycle joins nodes that are apart.
    pub fn new(clusters: &Clusters, nodes: Vec<Vec<u64>>) -> Option<Piece> {
        let facts = clusters.facts;
        assert!(nodes.len() <= MOST, "a piece has at most {MOST} nodes");
        let mut node_of = vec![usize::MAX; facts.len];
        for (at, node) in nodes.iter().enumerate() {
            bits::members(node).for_each(|run| node_of[run] = at);
        }
        let start = Groups::of_nodes(clusters, &nodes, &node_of)?;
        let mut piece = Piece::with(facts, nodes, start);
        piece.take(facts, &node_of, |_| true);
        Some(piece)
    }

    /// Makes the piece with some runs as single nodes, for a bound that holds whatever the other runs do: only arrays are counted that no other run touches, and no launches.
    pub fn free(facts: &GraphFacts, runs: &[usize]) -> Piece {
        assert!(runs.len() <= MOST, "a piece has at most {MOST} nodes");
        let mut node_of = vec![usize::MAX; facts.len];
        runs.iter().enumerate().for_each(|(node, &run)| node_of[run] = node);
        let inside = |row: &[u64]| {
            let nodes = bits::members(row).map(|run| node_of[run]).filter(|&node| node != usize::MAX);
            nodes.fold(0, |set, node| set | 1 << node)
        };
        let mut start = Groups::none();
        for (node, &run) in runs.iter().enumerate() {
            start.add(node);
            start.apart[node] = inside(facts.apart.row(run));
            start.after[node] = inside(facts.after.row(run));
            start.before[node] = inside(facts.before.row(run));
        }
        start.close();
        let mut piece = Piece::with(facts, runs.iter().map(|&run| facts.only(run)).collect(), start);
        piece.launch.fill(0.0);
        // Arrays that are not counted may hide it.
        piece.work.fill(0.0);
        let whole = |id: u32| facts.touching(id).all(|run| node_of[run] != usize::MAX);
        piece.take(facts, &node_of, whole);
        piece
    }

    /// Makes a piece without arrays.
    fn with(facts: &GraphFacts, nodes: Vec<Vec<u64>>, start: Groups) -> Piece {
        let mut piece = Piece {
            start,
            arrays: Vec::new(),
            launch: Vec::new(),
            work: Vec::new(),
            own: vec![0.0; nodes.len()],
            overlap: facts.overlap,
            lone: 0,
            fixed: 0.0,
            nodes,
        };
        for (at, node) in piece.nodes.iter().enumerate() {
            piece.lone |= u64::from(bits::members(node).count() == 1) << at;
            piece.launch.push(facts.launch_of(node));
            piece.work.push(bits::members(node).map(|run| facts.work[run]).sum());
        }
        piece
    }

    /// Adds those of the touched arrays for which `counts` holds.
    fn take(&mut self, facts: &GraphFacts, node_of: &[usize], counts: impl Fn(u32) -> bool) {
        let mut touched: Vec<u32> = self
            .nodes
            .iter()
            .flat_map(|node| bits::members(node))
            .flat_map(|run| facts.touches[run].iter().copied())
            .collect();
        touched.sort_unstable();
        touched.dedup();
        for id in touched.into_iter().filter(|&id| counts(id)) {
            let array = &facts.arrays[id as usize];
            let home = array.producer.map_or(usize::MAX, |run| node_of[run]);
            let mut taken = PieceArray { bytes: array.bytes, home: 0, readers: 0, wanted: array.wanted };
            if home != usize::MAX {
                taken.home = 1 << home;
            }
            for run in bits::members(&array.readers) {
                match node_of[run] {
                    usize::MAX => taken.wanted |= home != usize::MAX,
                    node if node == home => {}
                    node => taken.readers |= 1 << node,
                }
            }
            if (taken.home | taken.readers).count_ones() < 2 {
                // Read from outside by one node, or written for the outside, or neither.
                let moved = taken.readers != 0 || (taken.home != 0 && taken.wanted);
                if moved {
                    self.fixed += array.bytes;
                    self.own[(taken.home | taken.readers).trailing_zeros() as usize] += array.bytes;
                }
            } else if array.bytes > 0.0 {
                self.arrays.push(taken);
            }
        }
    }

    /// The runs of some nodes.
    pub fn runs(&self, nodes: u64) -> Vec<u64> {
        let mut runs = vec![0; self.nodes[0].len()];
        each(nodes).for_each(|node| bits::join(&mut runs, &self.nodes[node]));
        runs
    }

    /// The cost of a cluster of these nodes, without the device's extra cost and the fixed cost.
    pub fn cost(&self, cluster: u64) -> f64 {
        let arrays = self.arrays.iter().map(|array| {
            let inside = array.readers & cluster;
            let moved =
                if array.home & cluster == 0 { inside != 0 } else { array.wanted || inside != array.readers };
            if moved { array.bytes } else { 0.0 }
        });
        let bytes = arrays.sum::<f64>();
        let launch = each(cluster).map(|node| self.launch[node]).fold(0.0, f64::max);
        bytes + launch + self.unhidden(cluster, bytes)
    }

    /// The work of a cluster of these nodes that is not hidden, if it moves so many bytes beside those that are fixed.
    pub fn unhidden(&self, cluster: u64, bytes: f64) -> f64 {
        let (work, own) = each(cluster)
            .fold((0.0, 0.0), |(work, own), node| (work + self.work[node], own + self.own[node]));
        unhidden(self.overlap, work, bytes + own)
    }
}

impl Groups {
    fn none() -> Groups {
        let none = [0; MOST];
        Groups { live: 0, nodes: none, apart: none, after: none, before: none, group: [0; MOST] }
    }

    /// Adds a node as a group of its own.
    fn add(&mut self, node: usize) {
        self.live |= 1 << node;
        self.nodes[node] = 1 << node;
        self.group[node] = node as u8;
    }

    fn of_nodes(clusters: &Clusters, nodes: &[Vec<u64>], node_of: &[usize]) -> Option<Groups> {
        let facts = clusters.facts;
        let mut inside = vec![0; facts.words];
        nodes.iter().for_each(|node| bits::join(&mut inside, node));
        let mut groups = Groups::none();
        for (at, node) in nodes.iter().enumerate() {
            groups.add(at);
            let mut apart = vec![0; facts.words];
            bits::members(node).for_each(|run| bits::join(&mut apart, facts.apart.row(run)));
            for other in bits::members(&apart).map(|run| node_of[run]).filter(|&other| other != usize::MAX) {
                groups.apart[at] |= 1 << other;
            }
            let (near, beyond) = clusters.reach(node, &inside);
            for run in bits::members(&near) {
                groups.after[at] |= 1 << node_of[run];
            }
            for run in bits::members(&beyond) {
                groups.apart[at] |= 1 << node_of[run];
            }
            // Runs of one node may need each other.
            groups.after[at] &= !(1 << at);
        }
        groups.start().then_some(groups)
    }

    /// Makes `after` transitive, `before` its transpose, and `apart` symmetric. Joins nodes of a dependence cycle; false if they are apart.
    fn start(&mut self) -> bool {
        for middle in each(self.live) {
            for from in each(self.live) {
                if self.after[from] >> middle & 1 == 1 {
                    self.after[from] |= self.after[middle];
                }
            }
        }
        for from in each(self.live) {
            for to in each(self.after[from]) {
                self.before[to] |= 1 << from;
            }
            for to in each(self.apart[from]) {
                self.apart[to] |= 1 << from;
            }
        }
        for node in each(self.live) {
            // Waits for itself: with the others that do, it is one group or nothing.
            if self.live >> node & 1 == 1 && self.after[node] >> node & 1 == 1 && !self.unite(node, node) {
                return false;
            }
        }
        self.close();
        true
    }

    /// Joins two groups, and all groups on paths between them; returns whether that is possible.
    pub fn unite(&mut self, a: usize, b: usize) -> bool {
        let after = self.after[a] | self.after[b];
        let before = self.before[a] | self.before[b];
        let all = self.nodes[a] | self.nodes[b] | (after & before);
        let mut apart = 0;
        for group in each(all & self.live) {
            apart |= self.apart[group];
        }
        if apart & all != 0 {
            return false;
        }
        let home = all.trailing_zeros() as usize;
        self.live = self.live & !all | 1 << home;
        (self.nodes[home], self.apart[home]) = (all, apart);
        (self.after[home], self.before[home]) = (after & !all, before & !all);
        each(all).for_each(|node| self.group[node] = home as u8);
        for other in each(self.live & apart) {
            self.apart[other] |= all;
        }
        for other in each(self.live & self.before[home]) {
            self.after[other] |= all | self.after[home];
        }
        for other in each(self.live & self.after[home]) {
            self.before[other] |= all | self.before[home];
        }
        true
    }

    /// Puts two groups apart.
    pub fn separate(&mut self, a: usize, b: usize) {
        self.apart[a] |= self.nodes[b];
        self.apart[b] |= self.nodes[a];
    }

    /// Propagates `apart`: two groups are apart if a group between them cannot be with both.
    pub fn close(&mut self) {
        let mut order = [0; MOST];
        let mut len = 0;
        for group in each(self.live) {
            order[len] = group;
            len += 1;
        }
        order[..len].sort_unstable_by_key(|&group| (self.before[group].count_ones(), group));
        for (at, &to) in order[..len].iter().enumerate() {
            for &from in order[..at].iter().rev() {
                if self.after[from] & self.nodes[to] == 0 || self.apart[from] & self.nodes[to] != 0 {
                    continue;
                }
                let between = self.after[from] & self.before[to];
                let inner = each(between & self.live).any(|group| self.apart[group] & between != 0);
                if inner || between & (self.apart[from] | self.apart[to]) != 0 {
                    self.separate(from, to);
                }
            }
        }
    }
}
