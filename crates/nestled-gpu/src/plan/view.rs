//! What strategies look at: a kernel with its space, its values in memory, and what the machine can do.

use super::group::{Group, is_cheap};
use super::step::{Step, steps_of};
use crate::dialect::Dialect;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Block, Combinator, Kernel, Monoid, MonoidDef, Program, ScalarType, SiteId, StmtKind, ValueId,
};
use nestled_rt::device::Math;
use std::collections::BTreeMap;

/// Maximum number of statements of thunks that are repeated: their code stands up to five times.
const MOST_STATEMENTS: usize = 96;

/// A kernel that is planned.
pub struct View<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub dialect: &'a Dialect,
    pub space: Vec<Step>,
    /// True if something may fault.
    pub has_sites: bool,
    carried: &'a [ValueId],
}

impl<'a> View<'a> {
    pub fn new(
        program: &'a Program,
        kernel: &'a Kernel,
        dialect: &'a Dialect,
        carried: &'a [ValueId],
    ) -> View<'a> {
        let has_sites = !sites(program, kernel).is_empty();
        View { program, kernel, dialect, space: steps_of(kernel, &kernel.space), has_sites, carried }
    }

    /// True if there are warps, and workgroups may wait for each other.
    pub fn has_warps(&self) -> bool {
        self.dialect.has_warps()
    }

    /// Returns the types of the results of a combinator's thunk.
    pub fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        Scope::new(&self.kernel.values).thunk_results(&step.body)
    }

    /// True if a value is a result of the kernel.
    pub fn is_result(&self, value: ValueId) -> bool {
        self.kernel.ret.contains(&value)
    }

    /// Returns the level of the points that hold a value, if it lies in memory.
    pub fn level_in_memory(&self, value: ValueId) -> Option<usize> {
        let is_there = self.is_result(value) || self.carried.contains(&value);
        is_there.then(|| bind_level(self.kernel, value))
    }

    /// True if the thunks of a group are small and simple enough to be repeated.
    pub fn is_plain(&self, group: &Group) -> bool {
        let mut statements = 0;
        let mut plain = true;
        for at in group.steps() {
            let step = &self.kernel.steps[at];
            step.body.body.walk(&mut |stmt| {
                let elementary = matches!(&stmt.kind, StmtKind::Op { op, .. } if op.is_elementary());
                statements += if elementary { MOST_STATEMENTS } else { 1 };
            });
            plain &= is_cheap(step) && step.guard.is_none() && step.body.privates.is_empty();
        }
        plain && statements <= MOST_STATEMENTS
    }

    /// True if values of these types may be joined in any order.
    pub fn may_join_in_any_order(&self, monoid: &Monoid, types: &[ScalarType]) -> bool {
        self.dialect.math == Math::FastSums || is_exact(monoid, types, &self.program.monoids)
    }
}

/// Returns the level of the points that hold a value.
pub(crate) fn bind_level(kernel: &Kernel, value: ValueId) -> usize {
    kernel.binder(value).map_or(0, |(_, step)| step.result_level().0)
}

/// True if every order of joining values of these types gives the same bits.
pub(crate) fn is_exact(monoid: &Monoid, types: &[ScalarType], monoids: &[MonoidDef]) -> bool {
    let mut first = 0;
    monoid.parts.iter().all(|part| {
        let types = &types[first..];
        first += part.width(monoids);
        part.is_exact(types, monoids)
    })
}

/// Returns the sites of a kernel, each with the level of its points.
pub(crate) fn sites(program: &Program, kernel: &Kernel) -> BTreeMap<SiteId, usize> {
    let mut sites = BTreeMap::new();
    for step in &kernel.steps {
        let level = step.level().0;
        for site in step.kind.sites() {
            sites.insert(site, level);
        }
        collect(program, &step.body.body, level, &mut sites);
    }
    sites
}

fn collect(program: &Program, block: &Block, level: usize, sites: &mut BTreeMap<SiteId, usize>) {
    block.walk(&mut |stmt| {
        if let Some(site) = stmt.kind.site() {
            sites.insert(site, level);
        }
        if let StmtKind::Call { thunk, .. } = &stmt.kind {
            collect(program, &program.thunk(*thunk).thunk.body, level, sites);
        }
    });
}
