//! Divergence analysis: finds the scalars of a thunk that may differ from lane to lane, before code generation, so that loops know how to hold their
//! carried variables.
//!
//! The result is a bound: a scalar reported uniform is emitted as one LLVM scalar. Inside a loop that lanes leave at different times, a value that is
//! equal in all lanes still in the loop is uniform; its value after the loop is not.

use nestled_ir::{Atom, Block, LocalId, Program, StmtKind, Thunk, ValueId};
use std::collections::HashMap;
use std::rc::Rc;

/// The result of the analysis for one thunk.
#[derive(Debug, Default)]
pub struct Uniformity {
    varying: Vec<bool>,
    used: Vec<bool>,
    results: Vec<bool>,
}

impl Uniformity {
    /// True if a scalar may differ from lane to lane.
    pub fn varies(&self, local: LocalId) -> bool {
        self.varying[local.index()]
    }

    /// True if an operand may differ from lane to lane.
    pub fn atom_varies(&self, atom: Atom) -> bool {
        match atom {
            Atom::Local(local) => self.varies(local),
            Atom::Const(_) | Atom::Value(_) => false,
        }
    }

    /// True if any statement or result mentions a scalar.
    pub fn is_used(&self, local: LocalId) -> bool {
        self.used[local.index()]
    }
}

/// The environment of a thunk: tells which of the values that it reads vary.
pub trait Surroundings {
    /// True if an earlier combinator's value at the own coordinates differs from lane to lane.
    fn own_varies(&self, bind: ValueId) -> bool;
    /// True if the own coordinates differ from lane to lane.
    fn coordinates_vary(&self) -> bool;
    /// True if private arrays differ from lane to lane.
    fn privates_vary(&self) -> bool;
}

/// The analysis, with a memo of the results for called thunks.
#[derive(Debug, Default)]
pub struct Uniformities {
    known: HashMap<(*const Thunk, Vec<bool>), Rc<Uniformity>>,
}

impl Uniformities {
    /// Analyses a thunk, given which of its arguments vary, to a fixed point.
    pub fn of(
        &mut self,
        program: &Program,
        thunk: &Thunk,
        args: Vec<bool>,
        around: &dyn Surroundings,
    ) -> Rc<Uniformity> {
        let key = (std::ptr::from_ref(thunk), args);
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let mut varying = key.1.clone();
        varying.resize(thunk.locals.len(), false);
        let mut used = vec![false; thunk.locals.len()];
        mark_used(&thunk.body, &mut used);
        let facts = Uniformity { varying, used, results: Vec::new() };
        let mut search = Search { all: self, program, thunk, around, facts, changed: true };
        while std::mem::take(&mut search.changed) {
            search.block(&thunk.body);
        }
        let mut facts = search.facts;
        facts.results = thunk.body.results.iter().map(|&atom| facts.atom_varies(atom)).collect();
        let facts = Rc::new(facts);
        self.known.insert(key, Rc::clone(&facts));
        facts
    }
}

fn mark_used(block: &Block, used: &mut [bool]) {
    let mut mark = |atom: Atom| {
        if let Atom::Local(local) = atom {
            used[local.index()] = true;
        }
    };
    block.results.iter().copied().for_each(&mut mark);
    for stmt in &block.stmts {
        stmt.kind.atoms().into_iter().for_each(&mut mark);
    }
    for stmt in &block.stmts {
        stmt.kind.blocks().into_iter().for_each(|inner| mark_used(inner, used));
    }
}

struct Search<'s> {
    all: &'s mut Uniformities,
    program: &'s Program,
    thunk: &'s Thunk,
    around: &'s dyn Surroundings,
    facts: Uniformity,
    changed: bool,
}

impl Search<'_> {
    fn set(&mut self, local: LocalId, varies: bool) {
        if varies && !self.facts.varies(local) {
            self.facts.varying[local.index()] = true;
            self.changed = true;
        }
    }

    fn any(&self, atoms: &[Atom]) -> bool {
        atoms.iter().any(|&atom| self.facts.atom_varies(atom))
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. } => {
                let varies = self.any(&kind.atoms());
                kind.dsts().iter().for_each(|&dst| self.set(dst, varies));
            }
            StmtKind::Own { dst, bind } => self.set(*dst, self.around.own_varies(*bind)),
            StmtKind::Window { dst, default, .. } => {
                let default = default.is_some_and(|atom| self.facts.atom_varies(atom));
                self.set(*dst, default || self.around.coordinates_vary());
            }
            StmtKind::Call { dsts, thunk, args } => {
                let args = args.iter().map(|&atom| self.facts.atom_varies(atom)).collect();
                let callee = &self.program.thunk(*thunk).thunk;
                let facts = self.all.of(self.program, callee, args, self.around);
                dsts.iter().zip(&facts.results).for_each(|(&dst, &varies)| self.set(dst, varies));
            }
            StmtKind::If { dsts, cond, then, otherwise } => {
                self.block(then);
                self.block(otherwise);
                let split = self.facts.atom_varies(*cond);
                for (position, &dst) in dsts.iter().enumerate() {
                    let arms = [then.results[position], otherwise.results[position]];
                    self.set(dst, split || self.any(&arms));
                }
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                self.set(*var, self.facts.atom_varies(*from));
                let split = self.any(&[*from, *to]);
                let inits: Vec<(LocalId, Atom)> = carried.iter().map(|c| (c.local, c.init)).collect();
                self.rounds(dsts, &inits, body, split);
            }
            StmtKind::While { dsts, carried, cond, body } => {
                self.block(cond);
                let split = self.facts.atom_varies(cond.results[0]);
                let inits: Vec<(LocalId, Atom)> = carried.iter().map(|c| (c.local, c.init)).collect();
                self.rounds(dsts, &inits, body, split);
            }
            StmtKind::PrivateGet { dst, .. } => self.set(*dst, self.around.privates_vary()),
            StmtKind::PrivateNew { .. } | StmtKind::PrivateSet { .. } | StmtKind::Check { .. } => {}
        }
    }

    /// Analyses the carried variables of a loop. If lanes may leave the loop at different times and the final value is used, a scalar inside the loop
    /// would need a vector beside it for lanes that have left. That is worth it only for integers, which count rounds, form addresses, and are
    /// compared in conditions.
    fn rounds(&mut self, dsts: &[LocalId], carried: &[(LocalId, Atom)], body: &Block, split: bool) {
        for (&(local, init), &dst) in carried.iter().zip(dsts) {
            let kept = split && self.facts.is_used(dst) && !self.thunk.local_type(local).is_integer();
            self.set(local, kept || self.facts.atom_varies(init));
        }
        self.block(body);
        for ((&(local, _), &result), &dst) in carried.iter().zip(&body.results).zip(dsts) {
            self.set(local, self.facts.atom_varies(result));
            self.set(dst, split || self.facts.varies(local));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::ScalarType;
    use nestled_ir::interp::math_thunk;

    struct Nothing;

    impl Surroundings for Nothing {
        fn own_varies(&self, _: ValueId) -> bool {
            false
        }
        fn coordinates_vary(&self) -> bool {
            false
        }
        fn privates_vary(&self) -> bool {
            true
        }
    }

    #[test]
    fn elementary_functions_of_uniform_operands_are_uniform() {
        for &op in nestled_ir::Op::PLAIN.iter().filter(|op| op.is_elementary()) {
            for ty in [ScalarType::F32, ScalarType::F64] {
                let (program, thunk) = math_thunk(op, ty);
                let facts = Uniformities::default().of(program, thunk, vec![false; thunk.n_params], &Nothing);
                assert!(!facts.results[0], "{op}_{ty}");
            }
        }
    }
}
