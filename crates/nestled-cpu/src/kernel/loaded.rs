//! A compiled kernel in memory, ready to be launched.
#![allow(unsafe_code)] // Addresses become functions.

use super::measured_cost::MeasuredCost;
use crate::codegen::work::Work;
use crate::codegen::{CodeTables, Plan};
use nestled_ir::{Block, StmtKind};
use nestled_llvm::object::Code;
use std::fmt;

/// The type of a function of a kernel: it reads the slots and does a piece of work.
pub type Entry = unsafe extern "C" fn(*const u64, *mut Work);

/// The functions of a nest.
#[derive(Clone, Copy, Debug)]
pub struct NestEntries {
    /// Runs a piece.
    pub main: LoadedFunction,
    /// Runs a short whole, from left to right.
    pub short: Option<LoadedFunction>,
    /// Computes the totals of scans.
    pub totals: Option<LoadedFunction>,
    /// Computes the next carry.
    pub chain: Option<LoadedFunction>,
    /// Combines rows into reductions.
    pub join: Option<LoadedFunction>,
    /// Runs a piece, vectorised across groups.
    pub columns: Option<LoadedFunction>,
    /// Computes rows of partial results for a piece of one group.
    pub tiles: Option<LoadedFunction>,
    /// Combines rows into the results of one group.
    pub close: Option<LoadedFunction>,
}

/// A function, with its number in the table of private arrays.
#[derive(Clone, Copy)]
pub struct LoadedFunction {
    entry: Entry,
    /// The number of its list of private arrays, if it has any.
    pub privates: Option<usize>,
}

impl fmt::Debug for LoadedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function at {:p}", self.entry as *const ())
    }
}

impl LoadedFunction {
    /// Returns its address, which is valid as long as the kernel. Only `call.rs` calls it.
    pub(super) fn entry(self) -> Entry {
        self.entry
    }
}

/// A compiled kernel.
pub struct LoadedKernel {
    /// The plan.
    pub plan: Plan,
    /// The tables that its code refers to.
    pub tables: CodeTables,
    /// The functions of each nest.
    pub nests: Vec<NestEntries>,
    /// For each nest: what a position of it took at an earlier launch.
    pub(super) costs: Vec<MeasuredCost>,
    /// The functions of scatters that combine in order, by step.
    pub applies: Vec<(usize, LoadedFunction)>,
    /// The functions of scatters that combine in tables, by step.
    pub merges: Vec<(usize, LoadedFunction)>,
    /// Whether the work of an element is unbounded: a loop's trip count depends on data.
    pub loops: bool,
    _code: Code,
}

impl fmt::Debug for LoadedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}", self.plan.kernel.name)
    }
}

impl LoadedKernel {
    /// True if launches allocate scratch that grows with their arrays.
    pub fn takes_scratch(&self) -> bool {
        let Plan { stored, nests, .. } = &self.plan;
        !stored.is_empty()
            || !self.tables.privates.is_empty()
            || nests.iter().any(|nest| !nest.streams.is_empty())
    }

    /// Links a plan with its code and the tables of that; `None` if the code lacks a function of the plan.
    pub fn new(plan: Plan, tables: CodeTables, code: Code) -> Option<LoadedKernel> {
        let find = |name: &str| -> Option<LoadedFunction> {
            let address = code.function(name)?;
            // SAFETY: code generation gives every function that a plan names this type, and `address` is where the object has it. Nobody calls it when the code is gone:
            // only a launch does, which borrows the kernel.
            let entry: Entry = unsafe { std::mem::transmute::<*const (), Entry>(address.cast()) };
            Some(LoadedFunction { entry, privates: tables.privates.keys().position(|key| **key == *name) })
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
        for &step in &plan.applies {
            applies.push((step, find(&format!("apply.{step}"))?));
        }
        let mut merges = Vec::new();
        for &step in plan.merges.keys() {
            merges.push((step, find(&format!("merge.{step}"))?));
        }
        let loops = plan.kernel.steps.iter().any(|step| has_loop(&step.body.body));
        let costs = nests.iter().map(|_| MeasuredCost::default()).collect();
        Some(LoadedKernel { plan, tables, nests, costs, applies, merges, loops, _code: code })
    }
}

fn has_loop(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |stmt| found |= matches!(stmt.kind, StmtKind::While { .. }));
    found
}
