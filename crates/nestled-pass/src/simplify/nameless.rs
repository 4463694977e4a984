//! Thunks without names: two thunks that compute the same in the same way become equal.

use nestled_ir::{Atom, Block, Local, LocalId, SiteId, Stmt, StmtKind, Thunk};
use std::collections::HashMap;

/// A thunk with locals numbered in order and without names and sites, and the sites, in order.
pub fn nameless(thunk: &Thunk) -> (Thunk, Vec<SiteId>) {
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

    /// Numbers what a statement defines, in order of the text.
    fn stmt(&mut self, kind: &mut StmtKind) {
        self.site(kind);
        match kind {
            StmtKind::For { var, carried, .. } => {
                self.define(var);
                carried.iter_mut().for_each(|carried| self.define(&mut carried.local));
            }
            StmtKind::While { carried, .. } => {
                carried.iter_mut().for_each(|carried| self.define(&mut carried.local));
            }
            _ => {}
        }
        for block in kind.blocks_mut() {
            self.block(block);
        }
        match kind {
            StmtKind::Op { dst, .. }
            | StmtKind::Read { dst, .. }
            | StmtKind::Own { dst, .. }
            | StmtKind::Window { dst, .. }
            | StmtKind::Len { dst, .. }
            | StmtKind::Start { dst, .. }
            | StmtKind::PrivateGet { dst, .. } => self.define(dst),
            StmtKind::Threefry { dsts, .. } => dsts.iter_mut().for_each(|dst| self.define(dst)),
            StmtKind::Call { dsts, .. }
            | StmtKind::If { dsts, .. }
            | StmtKind::For { dsts, .. }
            | StmtKind::While { dsts, .. } => dsts.iter_mut().for_each(|dst| self.define(dst)),
            StmtKind::PrivateNew { .. } | StmtKind::PrivateSet { .. } | StmtKind::Check { .. } => {}
        }
    }

    fn site(&mut self, kind: &mut StmtKind) {
        self.sites.extend(kind.site());
        match kind {
            StmtKind::Read { site, .. }
            | StmtKind::Window { site, .. }
            | StmtKind::PrivateGet { site, .. }
            | StmtKind::PrivateSet { site, .. } => *site = site.map(|_| SiteId(0)),
            StmtKind::Check { site, .. } => *site = SiteId(0),
            _ => {}
        }
    }
}
