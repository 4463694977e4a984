//! Fission: a map that reads many other maps becomes several maps that read a few each.
//!
//! ```text
//! y = map { i, j => min (min (blur of a) (blur of b)) (blur of c) }
//!
//! m = map { i, j => min (blur of a) (blur of b) }                     after
//! y = map { i, j => min m[i, j] (blur of c) }
//! ```
//!
//! A *part* holds the statements that can run once the values of this part and of earlier ones are available. Scalars that a later part needs from an
//! earlier one are stored in memory; if too many would cross a cut, the map stays whole.

use super::bundle::{BUNDLE, too_many_columns};
use nestled_ir::typing::Scope;
use nestled_ir::{Atom, Combinator, Kernel, Local, LocalId, Stmt, StmtKind, Thunk, Type, Value, ValueId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The maximum number of scalars that may be live across a cut.
const CROSSING: usize = 4;

/// Splits the maps of a kernel of maps that read more through windows than fits the cache, so that the parts can run bundle by bundle.
pub fn fission_maps(kernel: &mut Kernel) {
    if let Some(columns) = too_many_columns(kernel) {
        cut(kernel, &columns);
    }
}

/// Splits the maps of a kernel of maps. `columns` gives the bytes per column of each value that is read through windows.
fn cut(kernel: &mut Kernel, columns: &HashMap<ValueId, u64>) {
    for step in std::mem::take(&mut kernel.steps) {
        let parts = match is_plain(&step) {
            true => Parts::new(kernel, &step, columns),
            false => None,
        };
        match parts {
            Some(parts) => parts.write(kernel, &step),
            None => kernel.steps.push(step),
        }
    }
}

/// True if the thunk is a list of statements without control flow that cannot fault.
fn is_plain(step: &Combinator) -> bool {
    let plain = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Op { .. }
        | StmtKind::Threefry { .. }
        | StmtKind::Own { .. }
        | StmtKind::Len { .. }
        | StmtKind::Start { .. } => true,
        StmtKind::Read { site, .. } | StmtKind::Window { site, .. } => site.is_none(),
        _ => false,
    };
    step.body.body.stmts.iter().all(plain)
}

/// Returns the earlier combinator's value that a statement reads.
fn bind_of(stmt: &Stmt) -> Option<ValueId> {
    match &stmt.kind {
        StmtKind::Own { bind, .. } | StmtKind::Window { bind, .. } => Some(*bind),
        _ => None,
    }
}

/// A map split into parts.
struct Parts {
    count: usize,
    /// The part of each statement. `None` if the statement depends on no earlier combinator; it is then rematerialised in each part that needs it.
    of: Vec<Option<usize>>,
    /// The statement that binds each scalar.
    maker: HashMap<LocalId, usize>,
    /// The scalars that are live across a cut.
    crossing: Vec<LocalId>,
}

impl Parts {
    fn new(kernel: &Kernel, step: &Combinator, columns: &HashMap<ValueId, u64>) -> Option<Parts> {
        let part_of = parts(kernel, step, columns);
        let count = part_of.values().max()? + 1;
        if count == 1 {
            return None;
        }
        let stmts = &step.body.body.stmts;
        let maker = makers(stmts);
        let mut of: Vec<Option<usize>> = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let operands = operands(stmt, &maker).filter_map(|at| of[at]);
            let part = bind_of(stmt).map(|bind| part_of[&bind]);
            of.push(operands.chain(part).max());
        }
        // The last part that needs each scalar.
        let mut last: BTreeMap<LocalId, usize> = BTreeMap::new();
        let mut needs = |atom: &Atom, part: usize| {
            if let Atom::Local(local) = atom {
                let last = last.entry(*local).or_default();
                *last = part.max(*last);
            }
        };
        for (stmt, part) in stmts.iter().zip(&of) {
            if let Some(part) = part {
                stmt.kind.atoms().iter().for_each(|atom| needs(atom, *part));
            }
        }
        step.body.body.results.iter().for_each(|atom| needs(atom, count - 1));
        let mut over = vec![0; count];
        let mut crossing = Vec::new();
        for (&local, &last) in &last {
            let Some(made) = maker.get(&local).and_then(|&at| of[at]).filter(|&made| made < last) else {
                continue;
            };
            crossing.push(local);
            over[made..last].iter_mut().for_each(|over| *over += 1);
        }
        let few = over.iter().all(|&over| over <= CROSSING);
        few.then_some(Parts { count, of, maker, crossing })
    }

    /// Emits each part as a map.
    fn write(&self, kernel: &mut Kernel, step: &Combinator) {
        let shape = Scope::new(&kernel.values).level_shape(&kernel.space, step.level());
        let mut homes: HashMap<LocalId, ValueId> = HashMap::new();
        for part in 0..self.count {
            let last = part + 1 == self.count;
            let leaves = |local: &&LocalId| self.of[self.maker[*local]] == Some(part);
            let left: Vec<LocalId> = self.crossing.iter().filter(leaves).copied().collect();
            let results: Vec<Atom> = match last {
                true => step.body.body.results.clone(),
                false => left.iter().map(|&local| Atom::Local(local)).collect(),
            };
            if !last && left.is_empty() {
                continue;
            }
            let body = self.thunk(&step.body, part, &results, &homes);
            let binds = match last {
                true => step.binds.clone(),
                false => left
                    .iter()
                    .map(|local| {
                        let ty = Type::dense(step.body.local_type(*local), shape.clone());
                        kernel.values.push(Value { name: "".into(), ty, span: step.span });
                        let bind = ValueId::from(kernel.values.len() - 1);
                        homes.insert(*local, bind);
                        bind
                    })
                    .collect(),
            };
            kernel.steps.push(Combinator { binds, body, ..step.clone() });
        }
    }

    /// Builds the thunk of a part.
    fn thunk(
        &self,
        whole: &Thunk,
        part: usize,
        results: &[Atom],
        homes: &HashMap<LocalId, ValueId>,
    ) -> Thunk {
        let stmts = &whole.body.stmts;
        let own = |at: &usize| self.of[*at] == Some(part);
        let mut wanted: HashSet<usize> = (0..stmts.len()).filter(own).collect();
        let mut read = Vec::new();
        let mut open: Vec<Atom> = results.to_vec();
        open.extend(wanted.iter().flat_map(|&at| stmts[at].kind.atoms()));
        let mut seen = HashSet::new();
        while let Some(atom) = open.pop() {
            let Atom::Local(local) = atom else { continue };
            let Some(&at) = self.maker.get(&local) else { continue };
            if self.of[at] == Some(part) || !seen.insert(local) {
                continue;
            }
            match self.of[at] {
                Some(_) => read.push(local),
                None => {
                    wanted.insert(at);
                    open.extend(stmts[at].kind.atoms());
                }
            }
        }
        read.sort_unstable();
        let mut writer = Renamed::new(whole);
        for local in read {
            let kind = StmtKind::Own { dst: local, bind: homes[&local] };
            writer.add(Stmt { kind, span: Default::default() });
        }
        for (_, stmt) in stmts.iter().enumerate().filter(|(at, _)| wanted.contains(at)) {
            writer.add(stmt.clone());
        }
        writer.end(results)
    }
}

/// A thunk built from some of the statements of another, with its scalars renumbered.
struct Renamed<'t> {
    whole: &'t Thunk,
    thunk: Thunk,
    names: HashMap<LocalId, LocalId>,
}

impl<'t> Renamed<'t> {
    fn new(whole: &'t Thunk) -> Renamed<'t> {
        let locals: Vec<Local> = whole.locals[..whole.n_params].to_vec();
        let thunk = Thunk { locals, n_params: whole.n_params, ..Thunk::default() };
        Renamed { whole, thunk, names: whole.params().map(|param| (param, param)).collect() }
    }

    fn add(&mut self, mut stmt: Stmt) {
        stmt.kind.for_each_atom(&mut |atom| *atom = self.renamed(*atom));
        for &dst in stmt.kind.clone().dsts() {
            self.thunk.locals.push(self.whole.locals[dst.index()].clone());
            self.names.insert(dst, LocalId::from(self.thunk.locals.len() - 1));
        }
        stmt.kind.for_each_local(&mut |local| *local = self.names[local]);
        self.thunk.body.stmts.push(stmt);
    }

    fn renamed(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Local(local) => Atom::Local(self.names[&local]),
            Atom::Const(_) | Atom::Value(_) => atom,
        }
    }

    fn end(mut self, results: &[Atom]) -> Thunk {
        self.thunk.body.results = results.iter().map(|&atom| self.renamed(atom)).collect();
        self.thunk
    }
}

fn makers(stmts: &[Stmt]) -> HashMap<LocalId, usize> {
    let made = stmts.iter().enumerate();
    made.flat_map(|(at, stmt)| stmt.kind.dsts().iter().map(move |&dst| (dst, at))).collect()
}

/// Iterates over the statements that bind a statement's operands.
fn operands<'m>(stmt: &Stmt, maker: &'m HashMap<LocalId, usize>) -> impl Iterator<Item = usize> + 'm {
    stmt.kind.atoms().into_iter().filter_map(|atom| match atom {
        Atom::Local(local) => maker.get(&local).copied(),
        Atom::Const(_) | Atom::Value(_) => None,
    })
}

/// Assigns the values that the map reads to parts: each part takes values until the columns of these values, and of those they are made from, fill a
/// bundle.
fn parts(kernel: &Kernel, step: &Combinator, columns: &HashMap<ValueId, u64>) -> HashMap<ValueId, usize> {
    let made = kernel.steps.iter().enumerate();
    let made: HashMap<ValueId, usize> =
        made.flat_map(|(at, step)| step.binds.iter().map(move |&bind| (bind, at))).collect();
    let mut parts = HashMap::new();
    let mut seen = HashSet::new();
    let (mut part, mut size) = (0, 0);
    for bind in in_order(step) {
        let mut open = vec![bind];
        let mut own = 0;
        while let Some(bind) = open.pop() {
            if seen.insert(bind) {
                own += columns.get(&bind).copied().unwrap_or(0);
                if let Some(&at) = made.get(&bind) {
                    let (own, windows) = kernel.steps[at].reads();
                    open.extend(own.into_iter().chain(windows));
                }
            }
        }
        if size > 0 && size + own > BUNDLE {
            (part, size) = (part + 1, 0);
        }
        size += own;
        parts.insert(bind, part);
    }
    parts
}

/// Returns the values that a map reads, in evaluation order by a Sethi–Ullman heuristic: among the operands of a statement, the one with the longest
/// chain of statements comes first.
fn in_order(step: &Combinator) -> Vec<ValueId> {
    let stmts = &step.body.body.stmts;
    let maker = makers(stmts);
    let mut heights: Vec<usize> = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        let height = operands(stmt, &maker).map(|at| heights[at] + 1).max();
        heights.push(height.unwrap_or(0));
    }
    let of_atom = |atom: &Atom| match atom {
        Atom::Local(local) => maker.get(local).copied(),
        Atom::Const(_) | Atom::Value(_) => None,
    };
    // A stack: the last that is pushed is visited first.
    let mut open: Vec<usize> = step.body.body.results.iter().rev().filter_map(of_atom).collect();
    let mut seen = HashSet::new();
    let (mut order, mut known) = (Vec::new(), HashSet::new());
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        if let Some(bind) = bind_of(&stmts[at])
            && known.insert(bind)
        {
            order.push(bind);
        }
        let mut operands: Vec<usize> = operands(&stmts[at], &maker).collect();
        operands.sort_by_key(|&at| heights[at]);
        open.extend(operands);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::fission_maps;
    use crate::legalise::order::by_stage;
    use crate::memory::Memory;
    use crate::nest::nests;
    use crate::rolling::bands;
    use nestled_ir::{Kernel, Program};

    /// A kernel of many blurs, and a map of all of them.
    fn ordered(end: &str) -> (Program, Kernel) {
        let mut text = "kernel k(xs: [n, m]f32) over n, m {\n".to_owned();
        for k in 0..16 {
            text += &format!("  a{k} = map {{ i, j => mul xs[i, j] {k}.0 }}\n");
            text += &format!("  b{k} = map {{ i, j => add a{k}[i - 3 clamp, j] a{k}[i + 3 clamp, j] }}\n");
        }
        text += &format!("  y = map {{ i, j =>\n    c0 = b0[i clamp, j + 1 clamp]\n{end}  }}\n  ret y\n}}\n");
        text += "fn main<n, m>(xs: [n, m]f32) -> [n, m]f32 {\n  ys = run k(xs)\n  ret ys\n}\n";
        let program = nestled_ir::text::parse("test", &text).unwrap();
        let mut kernel = program.kernels[0].clone();
        fission_maps(&mut kernel);
        by_stage(&mut kernel);
        (program, kernel)
    }

    /// Returns the number of maps that the last map was split into.
    fn steps(end: &str) -> usize {
        ordered(end).1.steps.len() - 32
    }

    #[test]
    fn a_fold_is_cut() {
        let mut end = String::new();
        for k in 1..16 {
            end += &format!("    c{k} = min c{} b{k}[i clamp, j + 1 clamp]\n", k - 1);
        }
        end += "    c15\n";
        // 56 bytes of a column each: two to a part.
        assert_eq!(steps(&end), 8);
        let (program, kernel) = ordered(&end);
        let nests = nests(&program, &kernel);
        let bands = bands(&kernel, &nests, &Memory::new(&kernel, &nests));
        assert_eq!(bands.len(), 1);
        // All parts have the same room for two blurs, and one for what goes over the cuts: each part leaves it in the place of what it read.
        assert_eq!(bands[0].rooms.iter().filter(|room| room.kept == 0).count(), 3);
    }

    #[test]
    fn statements_may_come_in_any_order() {
        let mut end = String::new();
        for k in (1..16).rev() {
            end += &format!("    d{k} = b{k}[i clamp, j + 1 clamp]\n");
        }
        for k in 1..16 {
            end += &format!("    c{k} = min c{} d{k}\n", k - 1);
        }
        assert_eq!(steps(&(end + "    c15\n")), 8);
    }

    #[test]
    fn what_needs_all_at_its_end_is_not_cut() {
        let mut end = "    d16 = c0\n".to_owned();
        for k in 1..16 {
            end += &format!("    e{k} = b{k}[i clamp, j + 1 clamp]\n    c{k} = min c{} e{k}\n", k - 1);
        }
        for k in (1..16).rev() {
            end += &format!("    d{k} = sub d{} e{k}\n", k + 1);
        }
        assert_eq!(steps(&(end + "    mul d1 c15\n")), 1);
    }
}
