//! Reorders combinators so that those which can share a nest do.
//!
//! A combinator joins only the last nest, in kernel order. So a reduction that stands behind the end of a nest reads again what that nest has made:
//!
//! ```text
//! m = max of x, b = map of x, y = x / m, s = sum of b          before: m, b | y, s       s reads b again
//! m = max of x, b = map of x, s = sum of b, y = x / m          after:  m, b, s | y
//! ```
//!
//! *Ends* are the combinators that are more than intermediate maps: all but maps, maps that are results, and those that nobody reads. The nest that is open takes
//! every end that can join it together with the maps that the end still needs; what no end has asked for waits, so that it is computed where it is read. The new
//! order is taken only if less goes through memory.

use crate::memory::Memory;
use crate::nest::{Nest, Nests, nests};
use nestled_ir::{Base, Combinator, CombinatorKind, Kernel, Program, ValueId};
use std::collections::{BTreeSet, HashMap};

/// Runs the pass.
pub fn order_nests(program: &Program, kernel: &mut Kernel) {
    let before = nests(program, kernel);
    if before.len() < 2 || crate::stages::windowed(&kernel.steps) || kernel.steps.iter().any(changes_an_array)
    {
        return;
    }
    let order = Order::new(kernel).by_nests(program, kernel);
    let steps = order.iter().map(|&step| kernel.steps[step].clone()).collect();
    let ordered = Kernel { steps, ..kernel.clone() };
    if moved(&ordered, &nests(program, &ordered)) < moved(kernel, &before) {
        *kernel = ordered;
    }
}

/// True if a combinator changes an array: it does so in place only behind all that read it.
fn changes_an_array(step: &Combinator) -> bool {
    match &step.kind {
        CombinatorKind::Permute { base, .. } => matches!(base, Base::Arrays(_)),
        CombinatorKind::Serial { .. } => true,
        CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. } => false,
    }
}

/// Bytes for each point that a kernel's nests read from memory and write to it, each array once for each nest that touches it.
fn moved(kernel: &Kernel, nests: &[Nest]) -> usize {
    let memory = Memory::new(kernel, nests);
    let size = |value: ValueId| match kernel.values[value.index()].ty.as_array() {
        Some(array) if array.shape.rank() > 0 => array.elem.size(),
        _ => 0,
    };
    let mut bytes = 0;
    for nest in nests {
        let mut touched: BTreeSet<ValueId> = BTreeSet::new();
        for step in nest.items.iter().map(|item| &kernel.steps[item.step]) {
            step.body.body.for_each_captured(&mut |value| {
                touched.insert(value);
            });
            let (own, windows) = step.reads();
            touched.extend(own.into_iter().chain(windows).filter(|value| memory.home(*value).is_some()));
            touched.extend(step.binds.iter().filter(|value| memory.home(**value).is_some()));
        }
        bytes += touched.into_iter().map(size).sum::<usize>();
    }
    bytes
}

/// The dependences of a kernel's combinators.
struct Order {
    /// For each combinator: those that it needs, directly.
    needs: Vec<Vec<usize>>,
    /// The ends, in order.
    ends: Vec<usize>,
}

impl Order {
    fn new(kernel: &Kernel) -> Order {
        let mut made: HashMap<ValueId, usize> = HashMap::new();
        let mut needs = Vec::with_capacity(kernel.steps.len());
        let mut is_read = vec![false; kernel.steps.len()];
        for (at, step) in kernel.steps.iter().enumerate() {
            let (own, windows) = step.reads();
            let captured = &mut Vec::new();
            step.body.body.for_each_captured(&mut |value| captured.push(value));
            let values = own.iter().chain(&windows).chain(captured.iter());
            let needed: BTreeSet<usize> = values.filter_map(|value| made.get(value).copied()).collect();
            needed.iter().for_each(|&maker| is_read[maker] = true);
            needs.push(needed.into_iter().collect());
            made.extend(step.binds.iter().map(|&bind| (bind, at)));
        }
        let is_end = |&at: &usize| {
            let step = &kernel.steps[at];
            let is_result = step.binds.iter().any(|bind| kernel.ret.contains(bind));
            !matches!(step.kind, CombinatorKind::Map) || is_result || !is_read[at]
        };
        Order { ends: (0..kernel.steps.len()).filter(is_end).collect(), needs }
    }

    /// Orders the combinators nest by nest.
    fn by_nests(&self, program: &Program, kernel: &Kernel) -> Vec<usize> {
        let mut done = vec![false; self.needs.len()];
        let mut nests = Nests::new(program, kernel);
        let mut order = Vec::with_capacity(self.needs.len());
        let mut ends = self.ends.clone();
        while let Some(&first) = ends.first() {
            let mut joins: Vec<usize> = Vec::new();
            ends.retain(|&end| {
                let with = self.with(end, &done);
                let mut longer = nests.clone();
                let fits = with.iter().all(|&step| longer.join(step));
                if fits {
                    nests = longer.clone();
                    with.iter().for_each(|&step| done[step] = true);
                    joins.extend(with);
                }
                !fits
            });
            if joins.is_empty() {
                ends.remove(0);
                joins = self.with(first, &done);
                for &step in &joins {
                    nests.add(step);
                    done[step] = true;
                }
            }
            order.extend(joins);
        }
        order
    }

    /// An end and what it still needs, in order of the kernel.
    fn with(&self, end: usize, done: &[bool]) -> Vec<usize> {
        let mut with = BTreeSet::new();
        let mut open = vec![end];
        while let Some(step) = open.pop() {
            if !done[step] && with.insert(step) {
                open.extend(&self.needs[step]);
            }
        }
        with.into_iter().collect()
    }
}
