//! Rewrites a kernel for one run: reads of arrays that have recipes become code.

use super::head::Head;
use super::plan::{Request, plan};
use super::recipe::Recipe;
use super::splice::{Access, Piece, replace};
use crate::facts::Facts;
use crate::ranges::{Ranges, Repeats, Var, walk_kernel};
use nestled_ir::{Atom, Index, Kernel, LocalId, Stmt, StmtKind, ValueId};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A parameter of a kernel whose argument has a recipe.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The parameter.
    pub param: ValueId,
    /// The argument, a value of the function.
    pub arg: ValueId,
    /// How an element of it is computed.
    pub recipe: Rc<Recipe>,
    /// What the captures of the recipe are, in the kernel's names.
    pub values: HashMap<ValueId, Atom>,
}

/// A read that can become code.
#[derive(Clone, Debug)]
pub struct Site {
    /// The position of the combinator it stands in.
    pub step: usize,
    /// What the read binds.
    pub dst: LocalId,
    /// Where it reads.
    pub index: Vec<Index>,
    /// Whether no element is read twice by it.
    pub reads_once: bool,
    /// Whether it stands in a loop.
    pub in_loop: bool,
    /// For each index the own coordinate along the axis of that number that it is, and how much is added to it.
    pub offsets: Option<Vec<i128>>,
    /// How the reads of the recipe change.
    pub reads: HashMap<LocalId, Access>,
}

/// All that is known about a candidate.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// Reads that can become code.
    pub possible: Vec<Site>,
    /// How many cannot.
    pub others: usize,
}

/// Looks at every read of every candidate.
pub fn sites(kernel: &Kernel, candidates: &[Candidate], facts: &Facts) -> Vec<Sites> {
    let mut found = vec![Sites::default(); candidates.len()];
    let by_param: HashMap<ValueId, usize> =
        candidates.iter().enumerate().map(|(position, candidate)| (candidate.param, position)).collect();
    walk_kernel(kernel, facts, &mut |step, ranges, stmt, repeats| {
        let StmtKind::Read { dst, array, index, default, site: _ } = &stmt.kind else { return };
        let Some(&position) = by_param.get(array) else { return };
        let Candidate { param, recipe, values, .. } = &candidates[position];
        let request = Request { array: *param, index, default: *default, recipe, values };
        let n_params = kernel.steps[step].body.n_params;
        match plan(&request, ranges) {
            Some(reads) => found[position].possible.push(Site {
                step,
                dst: *dst,
                index: index.clone(),
                reads_once: reads_once(index, n_params, ranges, repeats),
                in_loop: repeats.unbounded || !repeats.counters.is_empty(),
                offsets: offsets(index, n_params, ranges),
                reads,
            }),
            None => found[position].others += 1,
        }
    });
    for step in &kernel.steps {
        for base in step.kind.bases() {
            if let Some(&position) = by_param.get(&base) {
                found[position].others += 1;
            }
        }
    }
    found
}

/// Whether different points, and different rounds of the loops around, read different elements: each coordinate and counter stands in some
/// index in which no other does.
fn reads_once(index: &[Index], n_params: usize, ranges: &Ranges<'_>, repeats: &Repeats) -> bool {
    if repeats.unbounded
        || index.iter().any(|index| matches!(index.rule, nestled_ir::Rule::Clamp | nestled_ir::Rule::Wrap))
    {
        return false;
    }
    let mut free: HashSet<LocalId> =
        (0..n_params).map(LocalId::from).chain(repeats.counters.iter().copied()).collect();
    for index in index {
        let form = ranges.form(index.at);
        let locals: Vec<LocalId> = form
            .terms()
            .iter()
            .filter_map(|(var, _)| match var {
                Var::Local(local) => Some(*local),
                Var::Value(_) | Var::Length(_) => None,
            })
            .collect();
        let lengths = form.terms().iter().any(|(var, _)| matches!(var, Var::Length(_)));
        if let ([local], false) = (locals.as_slice(), lengths) {
            free.remove(local);
        }
    }
    free.is_empty()
}

/// If every index is the own coordinate along its axis and a number: the numbers.
fn offsets(index: &[Index], n_params: usize, ranges: &Ranges<'_>) -> Option<Vec<i128>> {
    let offset = |(position, index): (usize, &Index)| {
        let own = Var::Local(LocalId::from(position));
        let form = ranges.form(index.at);
        let is_own = matches!(form.terms(), [(var, 1)] if *var == own);
        is_own.then(|| form.offset())
    };
    if index.len() != n_params {
        return None;
    }
    index.iter().enumerate().map(offset).collect()
}

/// Puts code in the place of reads, and takes parameters away that nothing reads any more. Whether one of those that should go is still read, by the
/// code of another.
pub fn apply(head: &mut Head<'_>, accepted: &[(&Candidate, &[Site], bool)]) -> bool {
    let mut pieces: HashMap<usize, HashMap<LocalId, Piece<'_>>> = HashMap::new();
    for (candidate, sites, _) in accepted {
        for site in *sites {
            let piece = Piece {
                from: &candidate.recipe.thunk,
                at: site.index.iter().map(|index| index.at).collect(),
                values: &candidate.values,
                reads: site.reads.clone(),
            };
            pieces.entry(site.step).or_default().insert(site.dst, piece);
        }
    }
    for (step, pieces) in pieces {
        let body = replace(&head.kernel.steps[step].body, &pieces);
        head.kernel.steps[step].body = body;
    }
    // What one recipe replaces, another may read: an array and what is made of it may both become code.
    let mut read = HashSet::new();
    for step in &head.kernel.steps {
        step.body.body.for_each_captured(&mut |value| {
            read.insert(value);
        });
    }
    let replaced = || accepted.iter().filter(|(_, _, all)| *all).map(|(candidate, ..)| candidate.param);
    replaced().filter(|param| !read.contains(param)).for_each(|param| head.drop_param(param));
    replaced().any(|param| read.contains(&param))
}

/// How many statements the thunks of a kernel have.
pub fn size(kernel: &Kernel) -> usize {
    let mut size = 0;
    for step in &kernel.steps {
        step.body.body.walk(&mut |_: &Stmt| size += 1);
    }
    size
}
