//! Alpha-equivalence of thunks: a canonical form without names, in which thunks with the same code become equal.

use nestled_ir::{Atom, Block, Local, LocalId, SiteId, Stmt, StmtKind, Thunk, ThunkPartMut};
use std::collections::HashMap;

/// Returns a thunk with locals numbered in order, without names and sites; and its sites, in order.
pub fn canonical_names(thunk: &Thunk) -> (Thunk, Vec<SiteId>) {
    let mut naming = Naming { locals: HashMap::new(), types: Vec::new(), sites: Vec::new(), thunk };
    thunk.params().for_each(|param| naming.define(&mut { param }));
    let mut body = thunk.body.clone();
    naming.block(&mut body);
    let mut privates = thunk.privates.clone();
    privates.iter_mut().for_each(|private| private.name = "".into());
    (Thunk { locals: naming.types, privates, body, ..*thunk }, naming.sites)
}

struct Naming<'a> {
    thunk: &'a Thunk,
    locals: HashMap<LocalId, LocalId>,
    types: Vec<Local>,
    sites: Vec<SiteId>,
}

impl Naming<'_> {
    fn define(&mut self, local: &mut LocalId) {
        let ty = self.thunk.local_type(*local);
        let new = LocalId::from(self.types.len());
        self.types.push(Local { name: "".into(), ty });
        self.locals.insert(*local, new);
        *local = new;
    }

    fn block(&mut self, block: &mut Block) {
        for Stmt { kind, span: _ } in &mut block.stmts {
            kind.for_each_atom(&mut |atom| self.atom(atom));
            self.stmt(kind);
        }
        block.results.iter_mut().for_each(|atom| self.atom(atom));
    }

    fn atom(&self, atom: &mut Atom) {
        if let Atom::Local(local) = atom {
            *local = self.locals[local];
        }
    }

    /// Numbers the definitions of a statement, in order of the text: locals of its blocks, the statements in them, then its results.
    fn stmt(&mut self, kind: &mut StmtKind) {
        kind.for_each_part_mut(&mut |part| match part {
            ThunkPartMut::LoopLocal(local) => self.define(local),
            ThunkPartMut::Block(block) => self.block(block),
            ThunkPartMut::Site(site) => self.sites.push(std::mem::replace(site, SiteId(0))),
            ThunkPartMut::Dst(_)
            | ThunkPartMut::Atom(_)
            | ThunkPartMut::Param(_)
            | ThunkPartMut::Earlier(_)
            | ThunkPartMut::NewPrivate(_)
            | ThunkPartMut::Private(_)
            | ThunkPartMut::Thunk(_)
            | ThunkPartMut::Rule(_) => {}
        });
        kind.for_each_part_mut(&mut |part| {
            if let ThunkPartMut::Dst(dst) = part {
                self.define(dst);
            }
        });
    }
}
