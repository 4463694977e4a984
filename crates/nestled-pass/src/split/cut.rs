//! Choice of the cuts: groups of combinators within the limits, with the least bytes across their borders (dynamic programming).
//!
//! Groups are consecutive in a topological order of the combinators: the order of the text, or, where there are too many sweeps or stages, the order of those. In each order the
//! best cuts are found exactly, as a shortest path; the cheaper order wins.

use super::graph::Graph;
use super::load::Load;
use crate::limits::Limits;
use nestled_ir::ValueId;
use nestled_ir::verify::Counting;

/// Cost of a launch, in bytes.
pub const LAUNCH: u128 = 1 << 14;
/// Cost of a combinator by itself that is over the limits, if it could be within them together with others.
const OVER: u128 = 1 << 90;

/// Returns the combinators of each group, in order. A combinator that is over the limits alone is a group of its own.
pub fn groups(graph: &Graph<'_>, limits: &Limits, kept: &[ValueId]) -> Vec<Vec<usize>> {
    let text: Vec<usize> = (0..graph.kernel.steps.len()).collect();
    let layers = layers(graph, limits);
    let mut layered = text.clone();
    layered.sort_by_key(|&step| layers[step]);
    let (cost, groups) = best(graph, limits, kept, &text);
    if layered == text {
        return groups;
    }
    let (other_cost, others) = best(graph, limits, kept, &layered);
    if other_cost < cost { others } else { groups }
}

/// For each combinator: a layer, never less than those of the combinators that it reads.
fn layers(graph: &Graph<'_>, limits: &Limits) -> Vec<usize> {
    let mut counting = Counting::new(graph.kernel);
    graph.kernel.steps.iter().for_each(|step| counting.add(step));
    let shape = counting.shape;
    let (sweeps, stages) = (shape.n_sweeps() > limits.sweeps, shape.n_stages() > limits.stages);
    let layer = |(&sweep, &stage): (&usize, &usize)| {
        (if sweeps { sweep } else { 0 }) + (if stages { stage } else { 0 })
    };
    shape.sweeps.iter().zip(&shape.stages).map(layer).collect()
}

/// The cheapest path to a place: its cost, and the beginning of its last group.
#[derive(Clone, Copy)]
struct Way {
    cost: u128,
    from: usize,
}

/// Returns the cheapest groups of an order, with their cost.
fn best(graph: &Graph<'_>, limits: &Limits, kept: &[ValueId], order: &[usize]) -> (u128, Vec<Vec<usize>>) {
    let places = graph.places(order);
    let mut ways: Vec<Option<Way>> = vec![None; order.len() + 1];
    ways[0] = Some(Way { cost: 0, from: 0 });
    for from in 0..order.len() {
        let way = ways[from].expect("one combinator after another is always a way");
        let mut load = Load::new(graph, &places, kept, from);
        for to in from + 1..=order.len() {
            load.add(order[to - 1]);
            let alone = to == from + 1;
            if !alone && !load.may_fit(limits) {
                break;
            }
            let over = !load.fits(limits);
            if over && !alone {
                continue;
            }
            let over = if over { OVER } else { 0 };
            let cost = way.cost.saturating_add(LAUNCH + over).saturating_add(load.bytes());
            if ways[to].is_none_or(|other| cost < other.cost) {
                ways[to] = Some(Way { cost, from });
            }
        }
    }
    let mut groups = Vec::new();
    let mut to = order.len();
    while to > 0 {
        let from = ways[to].map_or(0, |way| way.from);
        groups.push(order[from..to].to_vec());
        to = from;
    }
    groups.reverse();
    (ways[order.len()].map_or(0, |way| way.cost), groups)
}
