//! Which scalars of a thunk may differ from lane to lane, found before any code is written: a loop must know how to hold what it carries.
//!
//! The answer is a bound: what is called uniform will be written as one LLVM scalar. Inside a loop that lanes leave at different times,
//! a value that is the same for all lanes still in it is uniform; its value after the loop is not.

use nestled_ir::{Atom, Block, LocalId, Program, StmtKind, Thunk, ValueId};
use std::collections::HashMap;
use std::rc::Rc;

/// What is known of one thunk's scalars.
#[derive(Debug, Default)]
pub struct Uniformity {
    varying: Vec<bool>,
    used: Vec<bool>,
    results: Vec<bool>,
}

impl Uniformity {
    /// Whether a scalar may differ from lane to lane.
    pub fn varies(&self, local: LocalId) -> bool {
        self.varying[local.index()]
    }

    /// Whether an operand may.
    pub fn atom_varies(&self, atom: Atom) -> bool {
        match atom {
            Atom::Local(local) => self.varies(local),
            Atom::Const(_) | Atom::Value(_) => false,
        }
    }

    /// Whether anything mentions a scalar.
    pub fn is_used(&self, local: LocalId) -> bool {
        self.used[local.index()]
    }
}

/// What a thunk can read that varies.
pub trait Surroundings {
    /// Whether an earlier combinator's value at the own coordinates differs from lane to lane.
    fn own_varies(&self, bind: ValueId) -> bool;
    /// Whether the own coordinates do.
    fn coordinates_vary(&self) -> bool;
    /// Whether private arrays do.
    fn privates_vary(&self) -> bool;
}

/// Answers, with those for thunks that are called remembered.
#[derive(Debug, Default)]
pub struct Uniformities {
    known: HashMap<(*const Thunk, Vec<bool>), Rc<Uniformity>>,
}

impl Uniformities {
    /// Of a thunk whose arguments vary as given.
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

    /// What a loop carries. If lanes leave it at different times and its last value counts, then a scalar inside would need a vector
    /// beside it for those that have left: worth it only for integers, which count rounds, lead to places, and are compared in conditions.
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
