//! Lower bound for branch and bound: the least cost of all plans of a piece that agree with the decisions so far; and the pair to branch on.
//!
//! The bound is a sum of three parts, and of all work beside it. Groups that are pairwise apart (a clique) pay a launch each. An array is read by as many clusters as it has readers that are pairwise apart.
//! And where the *claims* of two arrays conflict, one of them pays:
//!
//! ```text
//! p → q ← r     q wants to be with p for one array and with r for another,
//! p, r apart    so the cheaper of the two arrays goes through memory
//! ```

use super::claims::{self, Claim};
use super::piece::{Groups, MOST, Piece, PieceArray, each};
use crate::fuse::problem::unhidden;

/// The result of bounding a piece.
pub struct Look {
    /// The lower bound: no plan that keeps the groups together, and apart what is apart, costs less.
    pub bound: f64,
    /// The cost of the groups as they are, without the device's extra cost.
    pub cost: f64,
    /// The pair to branch on: two groups that an array claims together.
    pub pair: Option<(usize, usize)>,
}

/// Bounds a piece, until the bound has reached `enough`. `fits` says whether the device could accept these nodes as one cluster.
pub fn look(piece: &Piece, groups: &Groups, enough: f64, fits: &mut dyn FnMut(u64) -> bool) -> Look {
    let mut look = Look { bound: piece.fixed + least_launches(piece, groups), cost: piece.fixed, pair: None };
    look.cost += each(groups.live).map(|group| launch(piece, groups.nodes[group])).sum::<f64>();
    let mut claims = Vec::new();
    // The bytes that each group moves.
    let mut bytes = [0.0; MOST];
    for array in &piece.arrays {
        let home = if array.home == 0 { 0 } else { groups.nodes[groups.group_of(array.home)] };
        let outside = array.readers & !home;
        groups.of(outside).for_each(|group| bytes[group] += array.bytes);
        if home != 0 && (array.wanted || outside != 0) {
            bytes[groups.group_of(home)] += array.bytes;
        }
        if outside != 0 {
            look.bound += array_bound(array, home, groups, &mut claims);
        } else {
            look.bound += moved(array, 0);
        }
    }
    for group in each(groups.live) {
        look.cost += bytes[group] + piece.unhidden(groups.nodes[group], bytes[group]);
    }
    // The most valuable first.
    claims.sort_by(|a, b| b.penalty.total_cmp(&a.penalty));
    let rivals = claims::settle(&mut claims, &mut look.bound, enough, fits);
    look.bound += unhidden(piece.overlap, piece.work.iter().sum(), look.bound);
    if let Some(claim) = claims.get(rivals.unwrap_or(0)) {
        let first = groups.group_of(claim.nodes);
        look.pair = Some((first, groups.group_of(claim.nodes & !groups.nodes[first])));
    }
    look
}

/// The cost of an array that `reading` clusters read which do not make it.
fn moved(array: &PieceArray, reading: u32) -> f64 {
    let written = array.home != 0 && (array.wanted || reading > 0);
    array.bytes * f64::from(reading + u32::from(written))
}

/// Returns a lower bound of the cost of an array; adds its claim.
fn array_bound(array: &PieceArray, home: u64, groups: &Groups, claims: &mut Vec<Claim>) -> f64 {
    let outside = array.readers & !home;
    let far = if home == 0 { outside } else { outside & groups.apart[groups.group_of(home)] };
    let clique = groups.clique(far);
    let least = groups.count(clique);
    let mut penalty = array.bytes;
    // Everything that has one place only where it costs nothing.
    let mut nodes = home;
    if home == 0 && least == 1 {
        nodes = outside;
    } else if home != 0 && least == 0 {
        nodes |= outside;
        penalty += if array.wanted { 0.0 } else { array.bytes };
    } else if home != 0 {
        let near = outside & !far;
        for group in groups.of(near) {
            if clique & !groups.apart[group] == 0 {
                nodes |= groups.nodes[group];
            }
        }
    } else {
        for group in groups.of(outside & !clique) {
            let open = clique & !groups.apart[group];
            let place = groups.of(open).next().filter(|&place| open & !groups.nodes[place] == 0);
            if let Some(place) = place.filter(|&place| nodes == 0 || groups.nodes[place] & nodes != 0) {
                nodes |= groups.nodes[place] | groups.nodes[group];
            }
        }
    }
    if groups.count(nodes) > 1 {
        let apart = groups.of(nodes).fold(0, |apart, group| apart | groups.apart[group]);
        // A claim that contradicts itself costs its penalty in any case.
        if apart & nodes != 0 {
            return moved(array, least) + penalty;
        }
        claims.push(Claim { nodes, apart, penalty });
    }
    moved(array, least)
}

/// A lower bound of the cost of launches: those of some groups that are pairwise apart.
fn least_launches(piece: &Piece, groups: &Groups) -> f64 {
    let mut open = 0;
    for group in each(groups.live) {
        open |= if launch(piece, groups.nodes[group]) > 0.0 { 1 << group } else { 0 };
    }
    let mut least = 0.0;
    while open != 0 {
        let most = |group: &usize| ((groups.apart[*group] & open).count_ones(), std::cmp::Reverse(*group));
        let group = each(open).max_by_key(most).expect("not empty");
        least += launch(piece, groups.nodes[group]);
        open &= groups.apart[group] & !(1 << group);
    }
    least
}

fn launch(piece: &Piece, nodes: u64) -> f64 {
    each(nodes).map(|node| piece.launch[node]).fold(0.0, f64::max)
}

impl Groups {
    /// The group of the first of these nodes.
    pub fn group_of(&self, nodes: u64) -> usize {
        usize::from(self.group[nodes.trailing_zeros() as usize])
    }

    /// The groups of these nodes.
    pub fn of(&self, mut nodes: u64) -> impl Iterator<Item = usize> + '_ {
        std::iter::from_fn(move || {
            let group = (nodes != 0).then(|| self.group_of(nodes))?;
            nodes &= !self.nodes[group];
            Some(group)
        })
    }

    fn count(&self, nodes: u64) -> u32 {
        self.of(nodes).count() as u32
    }

    /// Returns the nodes of groups that are pairwise apart and hold one of these nodes each (a clique, chosen greedily).
    fn clique(&self, mut nodes: u64) -> u64 {
        let mut clique = 0;
        while nodes != 0 {
            let group = self.group_of(nodes);
            clique |= self.nodes[group];
            nodes &= self.apart[group];
        }
        clique
    }
}
