//! Operand roles of thunk statements, and the queries over them: operands, locals, blocks, sites.

use super::{Atom, Block, Carried, Index, Offset, Rule, StmtKind};
use crate::describe::{each_is_itself, part_types};
use crate::id::{LocalId, PrivateId, SiteId, ThunkId, ValueId};

each_is_itself!(Atom, Block, Carried, Index, Offset, Rule);

part_types! {
    ThunkPart, ThunkPartMut;

    /// A part of a statement of a thunk.
    parts {
        /// A local that it defines for the rest of its block.
        Dst(LocalId),
        /// A local that it defines for its own blocks only: the induction variable or a carried value of a loop.
        LoopLocal(LocalId),
        /// An operand.
        Atom(Atom),
        /// An array or segmentation parameter of the kernel that it reads anywhere.
        Param(ValueId),
        /// A value that an earlier combinator of the kernel bound.
        Earlier(ValueId),
        /// A block inside the statement.
        Block(Block),
        /// A private array that begins here.
        NewPrivate(PrivateId),
        /// A private array that it uses.
        Private(PrivateId),
        /// The thunk it calls.
        Thunk(ThunkId),
        /// The bounds rule of an index.
        Rule(Rule),
        /// The site of its fault.
        Site(SiteId),
    }
}

impl StmtKind {
    /// The blocks inside the statement, in order of the text.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut blocks = Vec::new();
        self.for_each_part(&mut |part| {
            if let ThunkPart::Block(block) = part {
                blocks.push(block);
            }
        });
        blocks
    }

    /// The blocks inside the statement, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        let mut blocks = Vec::new();
        self.for_each_part_mut(&mut |part| {
            if let ThunkPartMut::Block(block) = part {
                blocks.push(block);
            }
        });
        blocks
    }

    /// The operands of the statement itself, in order of the text; those inside its blocks are left out.
    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.for_each_part(&mut |part| {
            if let ThunkPart::Atom(atom) = part {
                atoms.push(*atom);
            }
        });
        atoms
    }

    /// Calls `visit` on each operand of the statement itself, to change it; those inside its blocks are left out.
    pub fn for_each_atom(&mut self, visit: &mut dyn FnMut(&mut Atom)) {
        self.for_each_part_mut(&mut |part| {
            if let ThunkPartMut::Atom(atom) = part {
                visit(atom);
            }
        });
    }

    /// Calls `visit` on each local that the statement itself binds: its results, and the counter and carried values of a loop.
    pub fn for_each_local(&mut self, visit: &mut dyn FnMut(&mut LocalId)) {
        self.for_each_part_mut(&mut |part| {
            if let ThunkPartMut::Dst(local) | ThunkPartMut::LoopLocal(local) = part {
                visit(local);
            }
        });
    }

    /// Calls `visit` on each local that the statement binds, those inside its blocks included.
    pub fn for_each_bound(&self, visit: &mut dyn FnMut(LocalId)) {
        self.for_each_part(&mut |part| match part {
            ThunkPart::Dst(local) | ThunkPart::LoopLocal(local) => visit(*local),
            ThunkPart::Block(block) => block.for_each_bound(visit),
            ThunkPart::Atom(_)
            | ThunkPart::Param(_)
            | ThunkPart::Earlier(_)
            | ThunkPart::NewPrivate(_)
            | ThunkPart::Private(_)
            | ThunkPart::Thunk(_)
            | ThunkPart::Rule(_)
            | ThunkPart::Site(_) => {}
        });
    }

    /// The site of the statement itself, if it can fault.
    pub fn site(&self) -> Option<SiteId> {
        let mut found = None;
        self.for_each_part(&mut |part| {
            if let ThunkPart::Site(site) = part {
                found = Some(*site);
            }
        });
        found
    }
}

impl Block {
    /// Calls `visit` on each local that the code binds.
    pub fn for_each_bound(&self, visit: &mut dyn FnMut(LocalId)) {
        self.stmts.iter().for_each(|stmt| stmt.kind.for_each_bound(visit));
    }

    /// Calls `visit` on every site of the code, in order of the text, to change it.
    pub fn for_each_site_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        for stmt in &mut self.stmts {
            stmt.kind.for_each_part_mut(&mut |part| match part {
                ThunkPartMut::Site(site) => visit(site),
                ThunkPartMut::Block(block) => block.for_each_site_mut(visit),
                ThunkPartMut::Dst(_)
                | ThunkPartMut::LoopLocal(_)
                | ThunkPartMut::Atom(_)
                | ThunkPartMut::Param(_)
                | ThunkPartMut::Earlier(_)
                | ThunkPartMut::NewPrivate(_)
                | ThunkPartMut::Private(_)
                | ThunkPartMut::Thunk(_)
                | ThunkPartMut::Rule(_) => {}
            });
        }
    }

    /// Calls `visit` on every value of the kernel that the code reads or mentions.
    pub fn for_each_captured(&self, visit: &mut dyn FnMut(ValueId)) {
        for stmt in &self.stmts {
            stmt.kind.for_each_part(&mut |part| match part {
                ThunkPart::Param(value) | ThunkPart::Earlier(value) | ThunkPart::Atom(Atom::Value(value)) => {
                    visit(*value)
                }
                ThunkPart::Block(block) => block.for_each_captured(visit),
                ThunkPart::Atom(Atom::Local(_) | Atom::Const(_))
                | ThunkPart::Dst(_)
                | ThunkPart::LoopLocal(_)
                | ThunkPart::NewPrivate(_)
                | ThunkPart::Private(_)
                | ThunkPart::Thunk(_)
                | ThunkPart::Rule(_)
                | ThunkPart::Site(_) => {}
            });
        }
        for result in &self.results {
            match result {
                Atom::Value(value) => visit(*value),
                Atom::Local(_) | Atom::Const(_) => {}
            }
        }
    }
}
