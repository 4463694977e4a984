//! Large neighbourhood search: chooses which runs to free and solve again next.
//!
//! Some runs that are near each other are taken out of their clusters. The rest of these clusters stays together, as do the clusters around, so that branch and bound finds the
//! best places for the free runs: it moves them, swaps them, joins clusters and splits them.

use super::clusters::Clusters;
use super::piece::{MOST, Piece};
use super::random::Random;
use crate::fuse::bits;

/// Greatest number of free runs: there must be nodes left for the rests of their clusters.
pub const MOST_FREE: usize = MOST / 2;

/// Returns a piece around the run `seed` with up to `size` free runs, and the labels of its clusters. Only runs in `open` take part.
pub fn around(
    clusters: &Clusters,
    open: &[u64],
    seed: usize,
    size: usize,
    random: &mut Random,
) -> (Piece, Vec<usize>) {
    let facts = clusters.facts;
    let mut free = facts.only(seed);
    let mut near = Vec::new();
    let reach = |run: usize, free: &[u64], near: &mut Vec<usize>| {
        let row =
            facts.sharing.row(run).iter().zip(free).zip(open).map(|((row, free), open)| row & !free & open);
        near.extend(bits::members(&row.collect::<Vec<u64>>()));
    };
    reach(seed, &free, &mut near);
    for _ in 1..size {
        let run = loop {
            if near.is_empty() {
                break None;
            }
            let run = near.swap_remove(random.below(near.len()));
            if !bits::has(&free, run) {
                break Some(run);
            }
        };
        let Some(run) = run else { break };
        bits::set(&mut free, run);
        reach(run, &free, &mut near);
    }
    let mut nodes: Vec<Vec<u64>> = bits::members(&free).map(|run| facts.only(run)).collect();
    let mut labels: Vec<usize> = bits::members(&free).map(|run| clusters.label[run]).collect();
    labels.sort_unstable();
    labels.dedup();
    for &label in &labels {
        let rest = clusters.sets[label].members.iter().zip(&free).map(|(all, free)| all & !free);
        let rest: Vec<u64> = rest.collect();
        if bits::first(&rest).is_some() {
            nodes.push(rest);
        }
    }
    // The clusters around, those of the nearest runs first, then others that may take runs in.
    let others = near.into_iter().filter(|&run| !bits::has(&free, run)).chain(bits::members(open));
    for run in others {
        let label = clusters.label[run];
        if nodes.len() == MOST {
            break;
        }
        if !labels.contains(&label) {
            labels.push(label);
            nodes.push(clusters.sets[label].members.clone());
        }
    }
    let piece = Piece::new(clusters, nodes).expect("the clusters do not wait for each other in a circle");
    (piece, labels)
}
