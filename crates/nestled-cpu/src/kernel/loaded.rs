//! A kernel in memory, ready to be launched.
#![allow(unsafe_code)] // Addresses become functions.

use crate::codegen::Plan;
use crate::codegen::work::Work;
use nestled_ir::{Block, StmtKind};
use nestled_llvm::object::Code;
use std::fmt;

/// A function of a kernel: it reads the slots and does a piece of work.
pub type Entry = unsafe extern "C" fn(*const u64, *mut Work);

/// The functions of a nest.
#[derive(Clone, Copy, Debug)]
pub struct NestEntries {
    /// Does a piece.
    pub main: Function,
    /// Does a short whole.
    pub short: Option<Function>,
    /// Totals of scans.
    pub totals: Option<Function>,
    /// The next carry.
    pub chain: Option<Function>,
    /// Reductions from rows.
    pub join: Option<Function>,
    /// Does a piece with groups in the lanes.
    pub columns: Option<Function>,
    /// Rows of partial results of a piece of one group.
    pub tiles: Option<Function>,
    /// The results of one group from rows.
    pub close: Option<Function>,
}

/// A function, with its number in the table of private arrays.
#[derive(Clone, Copy)]
pub struct Function {
    entry: Entry,
    /// Which list of private arrays it uses, if any.
    pub privates: Option<usize>,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function at {:p}", self.entry as *const ())
    }
}

impl Function {
    /// Where it is. It is there as long as the kernel; `call.rs` calls it.
    pub(super) fn entry(self) -> Entry {
        self.entry
    }
}

/// A kernel.
pub struct LoadedKernel {
    /// What to do.
    pub plan: Plan,
    /// The functions of each nest.
    pub nests: Vec<NestEntries>,
    /// The functions of scatters that combine in order, by step.
    pub applies: Vec<(usize, Function)>,
    /// The functions of scatters that combine in tables, by step.
    pub merges: Vec<(usize, Function)>,
    /// Whether an element may take any time: there is a loop at it whose end is data.
    pub loops: bool,
    _code: Code,
}

impl fmt::Debug for LoadedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}", self.plan.kernel.name)
    }
}

impl LoadedKernel {
    /// Whether launches take memory of their own that grows with their arrays.
    pub fn takes_scratch(&self) -> bool {
        let Plan { stored, privates, nests, .. } = &self.plan;
        !stored.is_empty() || !privates.is_empty() || nests.iter().any(|nest| !nest.streams.is_empty())
    }

    /// A kernel from its plan and its code; nothing if the code has not what the plan says.
    pub fn new(plan: Plan, code: Code) -> Option<LoadedKernel> {
        let find = |name: &str| -> Option<Function> {
            let address = code.function(name)?;
            // SAFETY: code generation gives every function that a plan names this type, and `address` is where the object has it. Nobody calls it when the code is gone:
            // only a launch does, which borrows the kernel.
            let entry: Entry = unsafe { std::mem::transmute::<*const (), Entry>(address.cast()) };
            Some(Function { entry, privates: plan.privates.keys().position(|key| key == name) })
        };
        let mut nests = Vec::new();
        for number in 0..plan.nests.len() {
            let part = |what: &str| find(&format!("n{number}.{what}"));
            nests.push(NestEntries {
                main: part("main")?,
                short: part("short"),
                totals: part("totals"),
                chain: part("chain"),
                join: part("join"),
                columns: part("columns"),
                tiles: part("tiles"),
                close: part("close"),
            });
        }
        let mut applies = Vec::new();
        for (&step, name) in &plan.applies {
            applies.push((step, find(name)?));
        }
        let mut merges = Vec::new();
        for (&step, merge) in &plan.merges {
            merges.push((step, find(&merge.name)?));
        }
        let loops = plan.kernel.steps.iter().any(|step| has_loop(&step.body.body));
        Some(LoadedKernel { plan, nests, applies, merges, loops, _code: code })
    }
}

fn has_loop(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::While { .. }));
    found
}
