//! A whole program.

use crate::host::Function;
use crate::id::{FunctionId, KernelId, MonoidId, SiteId, ThunkId};
use crate::kernel::{Collision, Combinator, CombinatorKind, Kernel, Range};
use crate::monoid::MonoidDef;
use crate::span::{SourceMap, Span};
use crate::thunk::{Rule, StmtKind, Thunk, ThunkDef};
use crate::types::Type;
use std::sync::Arc;

/// A name from the source; empty for what has none. Names need not be unique: ids are.
pub type Name = Arc<str>;

/// Something that a function or kernel names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The name in the source; empty for an intermediate result.
    pub name: Name,
    /// Its type; shape symbols in it are values of the same function or kernel.
    pub ty: Type,
    /// Where it is bound.
    pub span: Span,
}

/// A λcu program: definitions of four kinds, which may be in any order and refer to each other. Thunks do not recur.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Program {
    /// Named thunks.
    pub thunks: Vec<ThunkDef>,
    /// User-defined monoids.
    pub monoids: Vec<MonoidDef>,
    /// Kernels.
    pub kernels: Vec<Kernel>,
    /// Host functions.
    pub functions: Vec<Function>,
    /// For each [`SiteId`](crate::SiteId) where it stood in the source. Sites are numbered in program order before any pass.
    pub sites: Vec<Span>,
    /// The texts that spans point into.
    pub sources: SourceMap,
}

impl Program {
    /// The function that runs when the program is run.
    pub const ENTRY: &'static str = "main";

    /// Every thunk: the named ones, then those of combinators, in order.
    pub fn all_thunks(&self) -> impl Iterator<Item = &Thunk> {
        let named = self.thunks.iter().map(|def| &def.thunk);
        named.chain(self.kernels.iter().flat_map(|kernel| kernel.steps.iter().map(|step| &step.body)))
    }

    /// Every thunk, to change it: the named ones, then those of combinators, in order.
    pub fn all_thunks_mut(&mut self) -> impl Iterator<Item = &mut Thunk> {
        let named = self.thunks.iter_mut().map(|def| &mut def.thunk);
        named.chain(
            self.kernels.iter_mut().flat_map(|kernel| kernel.steps.iter_mut().map(|step| &mut step.body)),
        )
    }

    /// The least site of combinators and of the thunks that they call; monoids do not fault. It decides what may be skipped after a fault.
    pub fn least_site<'a>(&'a self, steps: impl IntoIterator<Item = &'a Combinator>) -> Option<SiteId> {
        let mut seen = vec![false; self.thunks.len()];
        let (mut sites, mut blocks) = (Vec::new(), Vec::new());
        for step in steps {
            sites.extend(step.kind.sites());
            blocks.push(&step.body.body);
        }
        while let Some(block) = blocks.pop() {
            block.walk(&mut |stmt| {
                sites.extend(stmt.kind.site());
                if let StmtKind::Call { thunk, .. } = &stmt.kind
                    && !std::mem::replace(&mut seen[thunk.index()], true)
                {
                    blocks.push(&self.thunk(*thunk).thunk.body);
                }
            });
        }
        sites.into_iter().min()
    }

    /// Whether a combinator, or a thunk that it calls, does something that was proved to stay inside. After a fault such a proof need not hold:
    /// it may rely on what the lane that faulted should have computed.
    pub fn has_proof(&self, step: &Combinator) -> bool {
        let proved = match &step.kind {
            CombinatorKind::Permute { range, collision, .. } => {
                *range == Range::Proved || matches!(collision, Collision::Proved)
            }
            CombinatorKind::Partition { site, .. } => site.is_none(),
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Serial { .. } => false,
        };
        let mut found = proved;
        let mut seen = vec![false; self.thunks.len()];
        let mut blocks = vec![&step.body.body];
        while let Some(block) = blocks.pop() {
            block.walk(&mut |stmt| match &stmt.kind {
                StmtKind::Read { index, .. } => found |= index.iter().any(|axis| axis.rule == Rule::Proved),
                StmtKind::Window { offsets, .. } => {
                    found |= offsets.iter().any(|axis| axis.rule == Rule::Proved);
                }
                StmtKind::PrivateGet { site, .. } | StmtKind::PrivateSet { site, .. } => {
                    found |= site.is_none()
                }
                StmtKind::Call { thunk, .. } if !std::mem::replace(&mut seen[thunk.index()], true) => {
                    blocks.push(&self.thunk(*thunk).thunk.body);
                }
                _ => {}
            });
        }
        found
    }

    /// A kernel by its id.
    pub fn kernel(&self, id: KernelId) -> &Kernel {
        &self.kernels[id.index()]
    }

    /// A function by its id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// A named thunk by its id.
    pub fn thunk(&self, id: ThunkId) -> &ThunkDef {
        &self.thunks[id.index()]
    }

    /// A monoid by its id.
    pub fn monoid(&self, id: MonoidId) -> &MonoidDef {
        &self.monoids[id.index()]
    }

    /// The function with this name.
    pub fn find_function(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| &*function.name == name).map(FunctionId::from)
    }

    /// The kernel with this name.
    pub fn find_kernel(&self, name: &str) -> Option<KernelId> {
        self.kernels.iter().position(|kernel| &*kernel.name == name).map(KernelId::from)
    }

    /// The named thunk with this name.
    pub fn find_thunk(&self, name: &str) -> Option<ThunkId> {
        self.thunks.iter().position(|thunk| &*thunk.name == name).map(ThunkId::from)
    }
}
