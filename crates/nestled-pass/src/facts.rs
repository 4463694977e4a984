//! Effect analysis of thunks, kernels and functions: whether they can fault, run commands, or not terminate.

use crate::loop_termination;
use nestled_ir::{
    Combinator, CombinatorKind, FunctionId, HostAtom, HostBlock, HostOp, HostPart, Kernel, KernelId, Program,
    SiteId, StmtKind, Thunk, ThunkId, ThunkPart,
};

/// The least and the greatest of some sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteRange {
    /// The least.
    pub min: SiteId,
    /// The greatest.
    pub max: SiteId,
}

impl SiteRange {
    /// The range of one site.
    pub fn of(site: SiteId) -> SiteRange {
        SiteRange { min: site, max: site }
    }

    /// The range of both.
    pub fn join(a: Option<SiteRange>, b: Option<SiteRange>) -> Option<SiteRange> {
        match (a, b) {
            (Some(a), Some(b)) => Some(SiteRange { min: a.min.min(b.min), max: a.max.max(b.max) }),
            (one, other) => one.or(other),
        }
    }
}

/// The effects of a function, including those of the functions that it calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionFacts {
    /// It may fault.
    pub faults: bool,
    /// It runs commands.
    pub commands: bool,
    /// It calls itself, directly or through others, or has a loop that is not known to end: it may exceed the depth of calls, or never end.
    pub recurs: bool,
}

impl FunctionFacts {
    /// True if a call without used results can be removed as dead code.
    pub fn is_removable(self) -> bool {
        !self.faults && !self.commands && !self.recurs
    }
}

/// Facts about the definitions of a program.
#[derive(Debug, PartialEq)]
pub struct Facts {
    thunks: Vec<Option<SiteRange>>,
    /// For each named thunk: true if it is known to end. `kernels_end`: the same for kernels.
    thunks_end: Vec<bool>,
    kernels_end: Vec<bool>,
    /// For each kernel: true if it has a `serial` combinator and is not known to end.
    kernels_wait: Vec<bool>,
    kernels: Vec<Option<SiteRange>>,
    functions: Vec<FunctionFacts>,
}

impl Facts {
    /// The facts of a program.
    pub fn of(program: &Program) -> Facts {
        let thunks = thunk_sites(program);
        let kernels = program.kernels.iter().map(|kernel| kernel_sites(kernel, &thunks)).collect();
        let thunks_end = thunks_that_end(program);
        let all_end = |kernel: &Kernel| kernel.steps.iter().all(|step| ends(&step.body, &thunks_end));
        let kernels_end: Vec<bool> = program.kernels.iter().map(all_end).collect();
        let is_serial = |kernel: &Kernel| {
            kernel.steps.iter().any(|step| matches!(step.kind, CombinatorKind::Serial { .. }))
        };
        let kernels_wait = program
            .kernels
            .iter()
            .zip(&kernels_end)
            .map(|(kernel, ends)| !ends && is_serial(kernel))
            .collect();
        let functions = Vec::new();
        let mut facts = Facts { thunks, thunks_end, kernels_end, kernels_wait, kernels, functions };
        facts.functions = function_facts(program, &facts);
        facts
    }

    /// True if calls of a named thunk always end, and without a fault.
    pub fn is_total(&self, id: ThunkId) -> bool {
        self.thunks[id.index()].is_none() && self.thunks_end[id.index()]
    }

    /// True if a combinator without used results can be removed as dead code: it ends, and without a fault.
    pub fn is_removable(&self, step: &Combinator) -> bool {
        self.combinator(step).is_none() && ends(&step.body, &self.thunks_end)
    }

    /// True if a statement of host code is known to end. Functions that it calls and blocks inside it are not looked at.
    pub fn ends(&self, op: &HostOp) -> bool {
        let mut ends = true;
        op.for_each_part(&mut |part| {
            if let HostPart::Kernel(kernel) = part {
                ends &= self.kernels_end[kernel.index()];
            }
        });
        ends
    }

    /// The sites of a kernel.
    pub fn kernel(&self, id: KernelId) -> Option<SiteRange> {
        self.kernels[id.index()]
    }

    /// The effects of a function.
    pub fn function(&self, id: FunctionId) -> FunctionFacts {
        self.functions[id.index()]
    }

    /// The sites of a combinator and of its thunk.
    pub fn combinator(&self, step: &Combinator) -> Option<SiteRange> {
        combinator_sites(step, &self.thunks)
    }

    /// The sites that decide whether a statement may move into one region with the statements before it. A `serial` that is not known to end must not: after a fault it would get
    /// operands that the program never meant, and might run forever. So its range begins with the least site there is.
    pub fn order(&self, op: &HostOp) -> Option<SiteRange> {
        match op {
            HostOp::Run { kernel, .. } if self.kernels_wait[kernel.index()] => {
                SiteRange::join(Some(SiteRange::of(SiteId(0))), self.host(op))
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => self.host(op),
        }
    }

    /// The sites of a statement of host code itself, without those of functions that it calls and of blocks inside it.
    pub fn host(&self, op: &HostOp) -> Option<SiteRange> {
        if let HostOp::Dim { extent: HostAtom::Const(extent), site: _ } = op
            && extent.as_integer().is_some_and(|extent| extent >= 0)
        {
            return None;
        }
        let mut sites = None;
        op.for_each_part(&mut |part| match part {
            HostPart::Site(site) => sites = Some(SiteRange::of(*site)),
            HostPart::Kernel(kernel) => sites = self.kernel(*kernel),
            HostPart::Function(_) | HostPart::Block(_) => {}
            HostPart::Atom(_) | HostPart::Value(_) | HostPart::Axis(_) => {}
        });
        sites
    }
}

/// Fixed point of the sites of thunks. Thunks do not recur, so that it is reached; most thunks call only earlier ones, and need one round.
fn thunk_sites(program: &Program) -> Vec<Option<SiteRange>> {
    let mut sites = vec![None; program.thunks.len()];
    loop {
        let mut changed = false;
        for (position, def) in program.thunks.iter().enumerate() {
            let found = sites_of_thunk(&def.thunk, &sites);
            changed |= found != sites[position];
            sites[position] = found;
        }
        if !changed {
            return sites;
        }
    }
}

/// Fixed point of the named thunks that are known to end. Thunks do not recur, so that it finds all.
fn thunks_that_end(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.thunks.len()];
    loop {
        let mut changed = false;
        for (position, def) in program.thunks.iter().enumerate() {
            let now = ends(&def.thunk, &found);
            changed |= now != found[position];
            found[position] = now;
        }
        if !changed {
            return found;
        }
    }
}

/// A thunk is known to end if its loops with a condition count, and all that it calls ends.
fn ends(thunk: &Thunk, named: &[bool]) -> bool {
    let mut ends = true;
    thunk.body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Call { thunk, .. } => ends &= named[thunk.index()],
        StmtKind::While { carried, cond, body, .. } => {
            ends &= loop_termination::ends(thunk, carried, cond, body);
        }
        StmtKind::Op { .. }
        | StmtKind::Threefry { .. }
        | StmtKind::Read { .. }
        | StmtKind::Own { .. }
        | StmtKind::Window { .. }
        | StmtKind::Len { .. }
        | StmtKind::Start { .. }
        | StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => {}
    });
    ends
}

fn sites_of_thunk(thunk: &Thunk, named: &[Option<SiteRange>]) -> Option<SiteRange> {
    let mut sites = None;
    thunk.body.walk(&mut |stmt| {
        stmt.kind.for_each_part(&mut |part| match part {
            ThunkPart::Thunk(thunk) => sites = SiteRange::join(sites, named[thunk.index()]),
            ThunkPart::Site(site) => sites = SiteRange::join(sites, Some(SiteRange::of(*site))),
            ThunkPart::Dst(_)
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
    sites
}

fn combinator_sites(step: &Combinator, thunks: &[Option<SiteRange>]) -> Option<SiteRange> {
    let own = step.kind.sites().into_iter().map(|site| Some(SiteRange::of(site)));
    own.fold(sites_of_thunk(&step.body, thunks), SiteRange::join)
}

fn kernel_sites(kernel: &Kernel, thunks: &[Option<SiteRange>]) -> Option<SiteRange> {
    kernel.steps.iter().map(|step| combinator_sites(step, thunks)).fold(None, SiteRange::join)
}

/// Fixed point of the effects of functions. Faults and commands grow from the empty set; `recurs` shrinks from the full set: a function is known to end once all functions that it
/// calls are.
fn function_facts(program: &Program, facts: &Facts) -> Vec<FunctionFacts> {
    let mut functions =
        vec![FunctionFacts { faults: false, commands: false, recurs: true }; program.functions.len()];
    loop {
        let mut changed = false;
        for (position, function) in program.functions.iter().enumerate() {
            let found = facts_of_body(&function.body, facts, &functions);
            changed |= found != functions[position];
            functions[position] = found;
        }
        if !changed {
            return functions;
        }
    }
}

fn facts_of_body(body: &HostBlock, facts: &Facts, functions: &[FunctionFacts]) -> FunctionFacts {
    let mut found = FunctionFacts::default();
    body.walk(&mut |stmt| {
        found.faults |= facts.host(&stmt.op).is_some();
        found.recurs |= !facts.ends(&stmt.op);
        match &stmt.op {
            HostOp::Call { function, .. } | HostOp::Each { function, .. } => {
                let callee = functions[function.index()];
                found.faults |= callee.faults;
                found.commands |= callee.commands;
                found.recurs |= callee.recurs;
            }
            HostOp::Command(_) => found.commands = true,
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Run { .. }
            | HostOp::Library(_) => {}
        }
    });
    found
}
