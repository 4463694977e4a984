//! Operand roles of host statements, and the queries over them: uses, blocks, sites.

use super::{Command, EachArg, HostAtom, HostBlock, HostOp, Library, PrintItem};
use crate::describe::{each_is_itself, part_types};
use crate::id::{FunctionId, KernelId, SiteId, ValueId};
use crate::types::Axis;

each_is_itself!(HostAtom, HostBlock, EachArg, PrintItem, Library, Command);

part_types! {
    HostPart, HostPartMut;

    /// A part of a statement of host code.
    parts {
        /// A scalar, or an argument of any type.
        Atom(HostAtom),
        /// An array or a segmentation.
        Value(ValueId),
        /// An axis of a shape.
        Axis(Axis),
        /// A block inside the statement.
        Block(HostBlock),
        /// The site of its fault.
        Site(SiteId),
        /// The function it calls.
        Function(FunctionId),
        /// The kernel it runs.
        Kernel(KernelId),
    }
}

impl HostPart<'_> {
    /// The value that the part is, if it is one.
    pub fn value(self) -> Option<ValueId> {
        match self {
            HostPart::Atom(&HostAtom::Value(value))
            | HostPart::Value(&value)
            | HostPart::Axis(&Axis::Sym(value)) => Some(value),
            HostPart::Atom(HostAtom::Const(_))
            | HostPart::Axis(Axis::Const(_))
            | HostPart::Block(_)
            | HostPart::Site(_)
            | HostPart::Function(_)
            | HostPart::Kernel(_) => None,
        }
    }
}

impl<'a> HostPartMut<'a> {
    /// The value that the part is, if it is one.
    pub fn value(self) -> Option<&'a mut ValueId> {
        match self {
            HostPartMut::Atom(HostAtom::Value(value))
            | HostPartMut::Value(value)
            | HostPartMut::Axis(Axis::Sym(value)) => Some(value),
            HostPartMut::Atom(HostAtom::Const(_))
            | HostPartMut::Axis(Axis::Const(_))
            | HostPartMut::Block(_)
            | HostPartMut::Site(_)
            | HostPartMut::Function(_)
            | HostPartMut::Kernel(_) => None,
        }
    }
}

impl HostOp {
    /// The blocks inside the statement, in order of the text.
    pub fn blocks(&self) -> Vec<&HostBlock> {
        let mut blocks = Vec::new();
        self.for_each_part(&mut |part| {
            if let HostPart::Block(block) = part {
                blocks.push(block);
            }
        });
        blocks
    }

    /// The blocks inside the statement, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut HostBlock> {
        let mut blocks = Vec::new();
        self.for_each_part_mut(&mut |part| {
            if let HostPartMut::Block(block) = part {
                blocks.push(block);
            }
        });
        blocks
    }

    /// Calls `visit` on each value that the statement itself uses, as an operand or in a shape, in order of the text; those inside its
    /// blocks are left out.
    pub fn for_each_use(&self, visit: &mut dyn FnMut(ValueId)) {
        self.for_each_part(&mut |part| part.value().into_iter().for_each(&mut *visit));
    }

    /// Calls `visit` on each value that the statement itself uses, to change it; as [`for_each_use`](Self::for_each_use).
    pub fn for_each_value(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        self.for_each_part_mut(&mut |part| part.value().into_iter().for_each(&mut *visit));
    }

    /// The site of the statement itself, if it can fault.
    pub fn site(&self) -> Option<SiteId> {
        let mut found = None;
        self.for_each_part(&mut |part| {
            if let HostPart::Site(site) = part {
                found = Some(*site);
            }
        });
        found
    }
}

impl HostBlock {
    /// Calls `visit` on each value that the block uses, in its statements, the blocks inside them and as a result, to change it.
    pub fn for_each_value(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        for stmt in &mut self.stmts {
            stmt.op.for_each_value(visit);
            stmt.op.blocks_mut().into_iter().for_each(|block| block.for_each_value(visit));
        }
        self.results.iter_mut().for_each(|result| result.for_value(visit));
    }

    /// Calls `visit` on each site of the block, in order of the text, to change it.
    pub fn for_each_site_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        for stmt in &mut self.stmts {
            stmt.op.for_each_part_mut(&mut |part| match part {
                HostPartMut::Site(site) => visit(site),
                HostPartMut::Block(block) => block.for_each_site_mut(visit),
                HostPartMut::Atom(_)
                | HostPartMut::Value(_)
                | HostPartMut::Axis(_)
                | HostPartMut::Function(_)
                | HostPartMut::Kernel(_) => {}
            });
        }
    }

    /// Calls `visit` on each value that is a result of the block.
    pub fn for_each_result(&self, visit: &mut dyn FnMut(ValueId)) {
        for result in &self.results {
            match result {
                HostAtom::Value(value) => visit(*value),
                HostAtom::Const(_) => {}
            }
        }
    }
}
