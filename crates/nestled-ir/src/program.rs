//! Programs: tables of functions, kernels, thunks and monoids, with fault sites and sources.

use crate::host::Function;
use crate::id::{FunctionId, KernelId, MonoidId, SiteId, ThunkId};
use crate::kernel::{Combinator, Kernel};
use crate::monoid::MonoidDef;
use crate::name::Name;
use crate::span::{SourceMap, Span};
use crate::thunk::{Thunk, ThunkDef, ThunkPart};

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
    /// Source place of each [`SiteId`](crate::SiteId). Sites are numbered in program order before any pass.
    pub sites: Vec<Span>,
    /// The texts that spans point into.
    pub sources: SourceMap,
}

impl Program {
    /// The function that runs when the program is run.
    pub const ENTRY: &'static str = "main";

    /// The names of all definitions.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let thunks = self.thunks.iter().map(|def| &def.name);
        let monoids = self.monoids.iter().map(|def| &def.name);
        let kernels = self.kernels.iter().map(|kernel| &kernel.name);
        let functions = self.functions.iter().map(|function| &function.name);
        thunks.chain(monoids).chain(kernels).chain(functions)
    }

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

    /// Calls `visit` on each site in order of the text, to change it: thunks, then kernels, then functions. Monoids have none.
    pub fn for_each_site_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        for def in &mut self.thunks {
            def.thunk.body.for_each_site_mut(visit);
        }
        for step in self.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
            step.kind.for_each_site_mut(visit);
            step.body.body.for_each_site_mut(visit);
        }
        for function in &mut self.functions {
            function.body.for_each_site_mut(visit);
        }
    }

    /// The least site of combinators and of the thunks that they call; monoids do not fault. It decides which work may be skipped after a fault.
    pub fn least_site<'a>(&'a self, steps: impl IntoIterator<Item = &'a Combinator>) -> Option<SiteId> {
        let mut seen = vec![false; self.thunks.len()];
        let (mut sites, mut blocks) = (Vec::new(), Vec::new());
        for step in steps {
            sites.extend(step.kind.sites());
            blocks.push(&step.body.body);
        }
        while let Some(block) = blocks.pop() {
            block.walk(&mut |stmt| {
                stmt.kind.for_each_part(&mut |part| match part {
                    ThunkPart::Site(site) => sites.push(*site),
                    ThunkPart::Thunk(thunk) if !std::mem::replace(&mut seen[thunk.index()], true) => {
                        blocks.push(&self.thunk(*thunk).thunk.body);
                    }
                    ThunkPart::Thunk(_)
                    | ThunkPart::Dst(_)
                    | ThunkPart::LoopLocal(_)
                    | ThunkPart::Atom(_)
                    | ThunkPart::Param(_)
                    | ThunkPart::Earlier(_)
                    | ThunkPart::Block(_)
                    | ThunkPart::NewPrivate(_)
                    | ThunkPart::Private(_)
                    | ThunkPart::Rule(_) => {}
                });
            });
        }
        sites.into_iter().min()
    }

    /// True if a combinator, or a thunk that it calls, relies on a proof that an access is in range. After a fault such a proof need not
    /// hold: it may rely on results of the lane that faulted.
    pub fn has_proof(&self, step: &Combinator) -> bool {
        let mut found = step.kind.has_proof();
        let mut seen = vec![false; self.thunks.len()];
        let mut blocks = vec![&step.body.body];
        while let Some(block) = blocks.pop() {
            block.walk(&mut |stmt| {
                found |= stmt.kind.has_proof();
                stmt.kind.for_each_part(&mut |part| {
                    if let ThunkPart::Thunk(thunk) = part
                        && !std::mem::replace(&mut seen[thunk.index()], true)
                    {
                        blocks.push(&self.thunk(*thunk).thunk.body);
                    }
                });
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
