//! Consumer side of read composition: reads of arrays that can be rematerialised become code, in the kernel of one run.

use super::head::Head;
use super::plan::{Request, plan};
use super::rematerialised::Rematerialised;
use super::splice::{Access, Piece, replace};
use crate::facts::Facts;
use crate::ranges::{Ranges, Repeats, Var, walk_kernel};
use nestled_ir::{Atom, Index, Kernel, LocalId, Stmt, StmtKind, ValueId};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A parameter of a kernel, for an argument that can be rematerialised.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The parameter.
    pub param: ValueId,
    /// The argument, a value of the function.
    pub arg: ValueId,
    /// The code of one element.
    pub rematerialised: Rc<Rematerialised>,
    /// The captures of that code, in the kernel's names.
    pub values: HashMap<ValueId, Atom>,
}

/// A read that can become code.
#[derive(Clone, Debug)]
pub struct Site {
    /// The position of its combinator.
    pub step: usize,
    /// The local that the read binds.
    pub dst: LocalId,
    /// The indices of the read.
    pub index: Vec<Index>,
    /// Whether it reads no element twice.
    pub reads_once: bool,
    /// Set if it reads rows as they are: the innermost index is the point's own innermost coordinate.
    pub reads_rows: bool,
    /// Whether it is inside a loop.
    pub in_loop: bool,
    /// For each index, its distance from the own coordinate along the same axis; `None` if an index has another form.
    pub offsets: Option<Vec<i128>>,
    /// The reads of the rematerialised code that change, with their new rules.
    pub reads: HashMap<LocalId, Access>,
}

/// The reads of a candidate.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// Reads that can become code.
    pub possible: Vec<Site>,
    /// Number of uses that cannot become code.
    pub others: usize,
}

/// Finds all reads of all candidates.
pub fn sites(kernel: &Kernel, candidates: &[Candidate], facts: &Facts) -> Vec<Sites> {
    let mut found = vec![Sites::default(); candidates.len()];
    let by_param: HashMap<ValueId, usize> =
        candidates.iter().enumerate().map(|(position, candidate)| (candidate.param, position)).collect();
    walk_kernel(kernel, facts, &mut |step, ranges, stmt, repeats| {
        let StmtKind::Read { dst, array, index, default, site: _ } = &stmt.kind else { return };
        let Some(&position) = by_param.get(array) else { return };
        let Candidate { param, rematerialised, values, .. } = &candidates[position];
        let request = Request { array: *param, index, default: *default, rematerialised, values };
        let n_params = kernel.steps[step].body.n_params;
        match plan(&request, ranges) {
            Some(reads) => found[position].possible.push(Site {
                step,
                dst: *dst,
                index: index.clone(),
                reads_once: reads_once(index, n_params, ranges, repeats),
                reads_rows: reads_rows(index, n_params, ranges),
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

/// True if different points, and different rounds of the loops around, read different elements: each coordinate and counter is the only local in some index.
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

/// True if there are several indices, and the last is the own innermost coordinate.
fn reads_rows(index: &[Index], n_params: usize, ranges: &Ranges<'_>) -> bool {
    let [.., _, last] = index else { return false };
    let Some(own) = n_params.checked_sub(1) else { return false };
    let form = ranges.form(last.at);
    matches!(form.terms(), [(Var::Local(local), 1)] if *local == LocalId::from(own)) && form.offset() == 0
}

/// Returns the constants, if every index is the own coordinate along its axis plus a constant.
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

/// Replaces reads by code, and removes parameters that nothing reads any more. Returns whether a parameter that should go is still read, by the code of another array.
pub fn apply(head: &mut Head<'_>, accepted: &[(&Candidate, &[Site], bool)]) -> bool {
    let mut pieces: HashMap<usize, HashMap<LocalId, Piece<'_>>> = HashMap::new();
    for (candidate, sites, _) in accepted {
        for site in *sites {
            let piece = Piece {
                from: &candidate.rematerialised.thunk,
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
    // What one array's code replaces, another's may read: an array and what is made of it may both become code.
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

/// Number of statements of all thunks of a kernel.
pub fn size(kernel: &Kernel) -> usize {
    let mut size = 0;
    for step in &kernel.steps {
        step.body.body.walk(&mut |_: &Stmt| size += 1);
    }
    size
}
