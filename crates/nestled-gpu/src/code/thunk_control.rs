//! Control flow inside thunks: branches and loops, whose results are variables of the text.

use super::Unsupported;
use super::thunk::Body;
use crate::repr::Repr;
use nestled_ir::{Atom, Block, Carried, LocalId, Scalar};

impl<'t> Body<'_, '_, 't> {
    pub(super) fn declare(&mut self, dsts: &[LocalId]) -> Result<(), Unsupported> {
        for &dst in dsts {
            let repr = self.local_repr(dst);
            self.writer.need(repr)?;
            self.variable(&format!("l{}", dst.0), repr.ty(), None);
        }
        Ok(())
    }

    pub(super) fn branch(
        &mut self,
        dsts: &[LocalId],
        cond: Atom,
        then: &'t Block,
        otherwise: &'t Block,
    ) -> Result<(), Unsupported> {
        self.declare(dsts)?;
        let cond = self.atom(cond, Repr::Bool);
        self.text.open(format!("if ({cond}) {{"));
        self.block(then)?;
        self.assign(dsts, &then.results);
        self.text.otherwise();
        self.block(otherwise)?;
        self.assign(dsts, &otherwise.results);
        self.text.close();
        Ok(())
    }

    pub(super) fn assign(&mut self, dsts: &[LocalId], atoms: &[Atom]) {
        for (&dst, &atom) in dsts.iter().zip(atoms) {
            let value = self.atom(atom, self.local_repr(dst));
            self.text.line(format!("l{} = {value};", dst.0));
        }
    }

    /// Emits a parallel assignment: a round of a loop may permute its carried variables.
    pub(super) fn assign_carried(&mut self, carried: &[Carried], atoms: &[Atom]) {
        let mut names = Vec::new();
        for (carried, &atom) in carried.iter().zip(atoms) {
            let repr = self.local_repr(carried.local);
            let value = self.atom(atom, repr);
            let name = self.fresh("next");
            self.bind(&name, repr.ty(), &value);
            names.push(name);
        }
        for (carried, name) in carried.iter().zip(names) {
            self.text.line(format!("l{} = {name};", carried.local.0));
        }
    }

    pub(super) fn start(&mut self, carried: &[Carried]) -> Result<(), Unsupported> {
        for carried in carried {
            let repr = self.local_repr(carried.local);
            self.writer.need(repr)?;
            let init = self.atom(carried.init, repr);
            self.variable(&format!("l{}", carried.local.0), repr.ty(), Some(&init));
        }
        Ok(())
    }

    pub(super) fn end(&mut self, carried: &[Carried], dsts: &[LocalId]) -> Result<(), Unsupported> {
        for (carried, &dst) in carried.iter().zip(dsts) {
            let repr = self.local_repr(carried.local);
            self.set(dst, &format!("l{}", carried.local.0), repr)?;
        }
        Ok(())
    }

    pub(super) fn for_loop(
        &mut self,
        dsts: &[LocalId],
        var: LocalId,
        (from, to): (Atom, Atom),
        carried: &[Carried],
        body: &'t Block,
    ) -> Result<(), Unsupported> {
        self.start(carried)?;
        let small =
            [self.local_repr(var), self.repr(from), self.repr(to)].iter().all(|&repr| repr == Repr::I32);
        let repr = if small { Repr::I32 } else { Repr::I64 };
        self.writer.need(repr)?;
        let (counter, end) = (self.fresh("k"), self.fresh("end"));
        let (from, to) = (self.atom(from, repr), self.atom(to, repr));
        self.bind(&end, repr.ty(), &to);
        self.variable(&counter, repr.ty(), Some(&from));
        self.text.open(format!("while ({counter} < {end}) {{"));
        self.set(var, &counter, repr)?;
        self.block(body)?;
        self.assign_carried(carried, &body.results);
        let one = self.writer.dialect.literal(Scalar::I64(1), repr);
        self.text.line(format!("{counter} = {counter} + {one};"));
        self.text.close();
        self.end(carried, dsts)
    }

    pub(super) fn while_loop(
        &mut self,
        dsts: &[LocalId],
        carried: &[Carried],
        cond: &'t Block,
        body: &'t Block,
    ) -> Result<(), Unsupported> {
        self.start(carried)?;
        self.text.open("while (true) {");
        self.block(cond)?;
        let holds = self.atom(cond.results[0], Repr::Bool);
        self.text.line(format!("if (!({holds})) {{ break; }}"));
        self.block(body)?;
        self.assign_carried(carried, &body.results);
        self.text.close();
        self.end(carried, dsts)
    }
}
