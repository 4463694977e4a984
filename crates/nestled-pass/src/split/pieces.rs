//! Choice of the cut of one combinator: pieces of its thunk within the limits, with the least bytes between them (dynamic programming).
//!
//! Pieces are consecutive in a topological order of the units: the order of the text, or that in which the results ask for them (depth first), so that what a result needs stands
//! together. In each order, first the least excess over the limits is found that some cut has, then the cheapest cut of this excess; the better order wins.

use super::cut::LAUNCH;
use super::dataflow::Dataflow;
use super::graph::Graph;
use crate::limits::Limits;
use nestled_ir::typing::Scope;
use nestled_ir::{CombinatorKind, LocalId, ValueId};
use std::collections::BTreeSet;

/// The most units of a piece: more are not tried.
const MOST: usize = 512;

/// A part of a thunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its units, ascending.
    pub units: Vec<usize>,
    /// Whether it must know if its lane has stopped in an earlier piece.
    pub asks: bool,
    /// Whether it says if its lane has stopped, to a later piece.
    pub tells: bool,
}

/// Returns the pieces of a combinator, one after another; one if cutting would gain nothing.
pub fn pieces(graph: &Graph<'_>, flow: &Dataflow<'_>, limits: &Limits) -> Vec<Piece> {
    let live = flow.live();
    let text: Vec<usize> = (0..flow.units.len()).filter(|&unit| live[unit]).collect();
    let asked = depth_first(flow, &text);
    let best = Order::new(graph, flow, text.clone()).best(limits);
    if asked == text {
        return best.pieces;
    }
    let other = Order::new(graph, flow, asked).best(limits);
    if (other.excess, other.cost) < (best.excess, best.cost) { other.pieces } else { best.pieces }
}

/// The order in which results ask for units. Units in which a lane may stop come in the order of the text, and before results that no lane gives after a stop.
fn depth_first(flow: &Dataflow<'_>, live: &[usize]) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); flow.units.len()];
    let mut stop = None;
    for &at in live {
        let unit = &flow.units[at];
        if unit.stops || (!flow.apart && !unit.results.is_empty()) {
            before[at].extend(stop);
            stop = Some(at);
        }
        before[at].extend(unit.uses.iter().filter_map(|local| flow.maker[local.index()]));
    }
    let mut order = Vec::with_capacity(live.len());
    let mut seen = vec![false; flow.units.len()];
    for &root in live.iter().filter(|&&at| !flow.units[at].results.is_empty()) {
        let mut open = vec![(root, 0)];
        while let Some((unit, next)) = open.pop() {
            if next == 0 && std::mem::replace(&mut seen[unit], true) {
                continue;
            }
            match before[unit].get(next) {
                Some(&earlier) => open.extend([(unit, next + 1), (earlier, 0)]),
                None => order.push(unit),
            }
        }
    }
    order
}

/// A topological order of the units.
struct Order<'a> {
    graph: &'a Graph<'a>,
    flow: &'a Dataflow<'a>,
    units: Vec<usize>,
    /// For each unit: its place.
    place: Vec<usize>,
    /// For each local: the last place of a unit that uses it.
    last: Vec<Option<usize>>,
    /// For each unit: the locals that others use, or that leave as results.
    gives: Vec<BTreeSet<LocalId>>,
    /// For each place, and the end: whether a unit before it may stop a lane.
    stopped: Vec<bool>,
    /// Estimated number of points.
    points: u128,
}

/// The best cut of an order.
struct Best {
    excess: Excess,
    cost: u128,
    pieces: Vec<Piece>,
}

/// What a piece takes over the limits: arguments, then bytes of private arrays.
type Excess = (usize, u64);

impl<'a> Order<'a> {
    fn new(graph: &'a Graph<'a>, flow: &'a Dataflow<'a>, units: Vec<usize>) -> Order<'a> {
        let mut place = vec![0; flow.units.len()];
        let mut last = vec![None; flow.maker.len()];
        let mut gives = vec![BTreeSet::new(); flow.units.len()];
        let mut stopped = vec![false];
        for (at, &number) in units.iter().enumerate() {
            let unit = &flow.units[number];
            place[number] = at;
            stopped.push(stopped[at] || unit.stops);
            for &local in &unit.uses {
                last[local.index()] = Some(at);
                gives[flow.maker[local.index()].expect("another unit computes it")].insert(local);
            }
        }
        let scope = Scope::new(&graph.kernel.values);
        let points = graph.points(&scope.level_shape(&graph.kernel.space, flow.step.level()));
        Order { graph, flow, units, place, last, gives, stopped, points }
    }

    /// Returns the cheapest cut among those of the least excess.
    fn best(&self, limits: &Limits) -> Best {
        let spans = self.spans(limits);
        let len = self.units.len();
        // The least of the greatest excess, then the least cost.
        let mut least: Vec<Option<Excess>> = vec![None; len + 1];
        least[0] = Some(Excess::default());
        for span in &spans {
            let Some(before) = least[span.from] else { continue };
            let excess = before.max(span.excess);
            least[span.to] = Some(least[span.to].map_or(excess, |known| known.min(excess)));
        }
        let excess = least[len].unwrap_or_default();
        let mut ways: Vec<Option<(u128, usize)>> = vec![None; len + 1];
        ways[0] = Some((0, 0));
        for span in spans.iter().filter(|span| span.excess <= excess) {
            let Some((before, _)) = ways[span.from] else { continue };
            let cost = before.saturating_add(LAUNCH).saturating_add(span.bytes);
            if ways[span.to].is_none_or(|(known, _)| cost < known) {
                ways[span.to] = Some((cost, span.from));
            }
        }
        let (mut pieces, mut to) = (Vec::new(), len);
        while to > 0 {
            let from = ways[to].map_or(0, |(_, from)| from);
            pieces.push(self.piece(from, to));
            to = from;
        }
        pieces.reverse();
        Best { excess, cost: ways[len].map_or(0, |(cost, _)| cost), pieces }
    }

    fn piece(&self, from: usize, to: usize) -> Piece {
        let mut units = self.units[from..to].to_vec();
        units.sort_unstable();
        let stops = units.iter().any(|&unit| self.flow.units[unit].stops);
        let is_last = to == self.units.len();
        Piece { units, asks: self.stopped[from] && (stops || is_last), tells: stops && !is_last }
    }

    /// All pieces that could be worth it, in order of their beginnings.
    fn spans(&self, limits: &Limits) -> Vec<Span> {
        let alone = (0..self.units.len()).map(|at| Growing::new(self, at).grown().excess(limits));
        let most = alone.max().unwrap_or_default();
        let mut spans = Vec::new();
        for from in 0..self.units.len() {
            let mut growing = Growing::new(self, from);
            for _ in from..self.units.len().min(from + MOST) {
                growing.add();
                if growing.least_excess(limits) > most {
                    break;
                }
                spans.push(growing.span(limits));
            }
        }
        // The whole, in case that there is nothing better.
        if self.units.len() > MOST {
            let mut whole = Growing::new(self, 0);
            self.units.iter().for_each(|_| whole.add());
            spans.push(whole.span(limits));
        }
        spans
    }
}

/// Consecutive units, with what they take.
struct Span {
    from: usize,
    to: usize,
    excess: Excess,
    bytes: u128,
}

/// A growing piece.
struct Growing<'a> {
    order: &'a Order<'a>,
    from: usize,
    to: usize,
    /// Arguments: parameters, and values of other combinators.
    reads: BTreeSet<ValueId>,
    /// Arguments: scalars of earlier pieces.
    takes: BTreeSet<LocalId>,
    /// Scalars for later pieces.
    gives: BTreeSet<LocalId>,
    /// Number of results of the combinator that it binds; those that it also gives to later pieces are counted there.
    results: usize,
    private: u64,
    stops: bool,
}

impl<'a> Growing<'a> {
    fn new(order: &'a Order<'a>, from: usize) -> Growing<'a> {
        Growing {
            order,
            from,
            to: from,
            reads: order.flow.always.clone(),
            takes: BTreeSet::new(),
            gives: BTreeSet::new(),
            results: 0,
            private: 0,
            stops: false,
        }
    }

    fn grown(mut self) -> Growing<'a> {
        self.add();
        self
    }

    /// Adds the next unit of the order.
    fn add(&mut self) {
        let Order { flow, units, place, last, gives, .. } = self.order;
        let (number, at) = (units[self.to], self.to);
        let unit = &flow.units[number];
        self.to += 1;
        self.reads.extend(&unit.reads);
        self.private = self.private.saturating_add(unit.private);
        self.stops |= unit.stops;
        for &local in &unit.uses {
            if flow.maker[local.index()].is_some_and(|maker| place[maker] < self.from) {
                self.takes.insert(local);
            } else if last[local.index()] == Some(at) {
                self.gives.remove(&local);
            }
        }
        self.gives.extend(&gives[number]);
        self.results += self.order.n_results(number);
    }

    fn is_last(&self) -> bool {
        self.to == self.order.units.len()
    }

    /// Number of arguments and results.
    fn arguments(&self) -> usize {
        let asks = self.order.stopped[self.from] && (self.stops || self.is_last());
        let tells = self.stops && !self.is_last();
        let flow = self.order.flow;
        let twice = self.gives.iter().filter(|&&local| {
            let result = flow.result_of(local);
            result.is_some_and(|at| self.order.times(at) > 0)
        });
        let results = self.gives.len() + self.results - twice.count();
        self.reads.len() + self.takes.len() + results + usize::from(asks) + usize::from(tells)
    }

    fn excess(&self, limits: &Limits) -> Excess {
        let private = self.private.saturating_sub(limits.private);
        (self.arguments().saturating_sub(limits.arguments), private)
    }

    /// A lower bound of the excess of all pieces that begin with this one.
    fn least_excess(&self, limits: &Limits) -> Excess {
        let private = self.private.saturating_sub(limits.private);
        ((self.reads.len() + self.takes.len()).saturating_sub(limits.arguments), private)
    }

    fn span(&self, limits: &Limits) -> Span {
        let Order { graph, flow, points, .. } = self.order;
        let read: u128 = self.reads.iter().map(|&value| graph.bytes(value)).fold(0, u128::saturating_add);
        let size = |local: &LocalId| flow.step.body.local_type(*local).size() as u128;
        let moved: u128 = self.takes.iter().chain(&self.gives).map(size).sum();
        let bytes = read.saturating_add(points.saturating_mul(moved));
        Span { from: self.from, to: self.to, excess: self.excess(limits), bytes }
    }
}

impl Order<'_> {
    /// How many results of a kernel a value is that the combinator binds.
    fn times(&self, bind: usize) -> usize {
        let bind = self.flow.step.binds[bind];
        self.graph.n_results(bind, self.graph.is_read(bind))
    }

    /// Number of results of the combinator that a unit binds and that somebody wants.
    fn n_results(&self, unit: usize) -> usize {
        let Dataflow { step, units, .. } = self.flow;
        if step.kind == CombinatorKind::Map {
            units[unit].results.iter().map(|&at| self.times(at)).sum()
        } else if unit + 1 == units.len() {
            (0..step.binds.len()).map(|at| self.times(at)).sum()
        } else {
            0
        }
    }
}
