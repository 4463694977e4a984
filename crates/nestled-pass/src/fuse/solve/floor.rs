//! Lower bound of the cost of all plans of a large problem.
//!
//! The runs are dealt into blocks that are small enough for branch and bound. An array with all its runs in one block is counted by that block, whatever the other blocks do; any
//! other is read by as many clusters as it has readers that are pairwise apart.

use super::Work;
use super::exact;
use super::facts::{ArrayFacts, GraphFacts};
use super::judge::LimitsMemo;
use super::piece::Piece;
use crate::fuse::bits;

/// Greatest number of runs of a block.
const BLOCK: usize = 40;

/// Returns a lower bound of the cost of these runs, which share nothing with others, in at most `most` steps.
pub fn floor(facts: &GraphFacts, runs: &[usize], judge: &mut LimitsMemo, most: u64, work: &mut Work) -> f64 {
    let mut block_of = vec![usize::MAX; facts.len];
    for (at, &run) in runs.iter().enumerate() {
        block_of[run] = at / BLOCK;
    }
    let mut floor = launches(facts, runs);
    let mut crossing: Vec<u32> = runs.iter().flat_map(|&run| facts.touches[run].iter().copied()).collect();
    crossing.sort_unstable();
    crossing.dedup();
    crossing.retain(|&id| {
        let mut blocks = facts.touching(id).map(|run| block_of[run]);
        let first = blocks.next();
        blocks.any(|block| Some(block) != first)
    });
    let ours = |run: usize| block_of[run] != usize::MAX;
    floor += crossing.iter().map(|&id| array(facts, &facts.arrays[id as usize], ours)).sum::<f64>();
    judge.for_bound = true;
    let blocks = runs.chunks(BLOCK);
    let share = most / blocks.len().max(1) as u64;
    for block in blocks {
        let piece = Piece::free(facts, block);
        let found = exact::search(&piece, judge, f64::INFINITY, share);
        work.add(found.work);
        floor += found.bound;
    }
    judge.for_bound = false;
    floor
}

/// A lower bound of the cost of launches: those of runs that are pairwise apart.
fn launches(facts: &GraphFacts, runs: &[usize]) -> f64 {
    let mut order: Vec<usize> = runs.iter().copied().filter(|&run| facts.launch[run] > 0.0).collect();
    let apart = |run: &usize| facts.apart.row(*run).iter().map(|word| word.count_ones()).sum::<u32>();
    order.sort_by_cached_key(|run| std::cmp::Reverse(apart(run)));
    let clique = clique(facts, order.into_iter());
    clique.into_iter().map(|run| facts.launch[run]).sum()
}

/// A lower bound of the cost of an array for these runs.
fn array(facts: &GraphFacts, array: &ArrayFacts, ours: impl Fn(usize) -> bool) -> f64 {
    let home = array.producer.filter(|&producer| ours(producer));
    let far = |&run: &usize| ours(run) && home.is_none_or(|home| facts.apart.has(home, run));
    let reading = clique(facts, bits::members(&array.readers).filter(far)).len();
    let read_by_others = bits::members(&array.readers).any(|run| !ours(run));
    let written = home.is_some() && (array.wanted || reading > 0 || read_by_others);
    array.bytes * (reading as f64 + f64::from(written))
}

/// Returns some of these runs that are pairwise apart, chosen greedily in order.
fn clique(facts: &GraphFacts, runs: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut clique: Vec<usize> = Vec::new();
    for run in runs {
        if clique.iter().all(|&other| facts.apart.has(run, other)) {
            clique.push(run);
        }
    }
    clique
}
