//! The plan: how each function and statement of a program is written, decided before anything is emitted.
//!
//! It follows from the analysis alone, so it does not depend on the order in which code is emitted, nor on the layouts of values. The modules that write λcu
//! ask here and decide none of this themselves.

use super::analysis::Analysis;
use super::inlining::Inlining;
use super::merge_calls::Merged;
use crate::core::{Block, CoreTypes, Function, Local, Op, Program, Statement};
use std::collections::HashMap;

/// The plans of all functions.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    functions: Vec<FunctionPlan<'a>>,
}

/// The plan of a function.
#[derive(Debug)]
struct FunctionPlan<'a> {
    body: Body<'a>,
    /// The body for contexts, its exclusive calls merged, where it has such calls.
    merged: Option<Body<'a>>,
    /// True if calls in a context are a loop of host code, which calls a λcu function for each round.
    is_loop: bool,
}

/// A body, and how its statements are written.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub function: &'a Function,
    /// By the address of the statement. The value that it binds would not do: a merged body binds some in a branch, and again behind it.
    steps: Steps,
}

type Steps = HashMap<*const Statement, Step>;

/// The form of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// One point can compute it: it is put off, and computed in a thunk where it is used. If it is `needed`, because it may fault or not terminate, it is
    /// computed in any case.
    Delayed { needed: bool },
    /// A call.
    Call(CallStep),
    /// A conditional, with the effects of both branches.
    If([Effects; 2]),
    /// An apply-to-each.
    Each(Effects),
    /// There is only one way to write it.
    Plain,
}

/// The form of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CallStep {
    /// The body of the function is written at the call.
    Inlined,
    /// A call of a λcu function.
    Function,
    /// Outside of any context, a `serial` that updates sequences in place; in a context a call of a λcu function.
    InPlace,
}

/// The side effects that a block may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effects {
    /// True if it acts on the world.
    pub acts: bool,
    /// True if it might not terminate, or acts on the world: earlier faults must be reported before it.
    pub wanted: bool,
    /// True if it appends to pools.
    pub keeps: bool,
}

impl<'a> Plan<'a> {
    /// Plans all functions. `types` has those of the merged bodies too.
    pub fn new(program: &'a Program, merged: &'a Merged, types: &CoreTypes, analysis: &Analysis) -> Plan<'a> {
        let recursive = |at: usize| analysis.functions[at].recursive;
        let inlining = Inlining::new(program, &analysis.sizes, &recursive);
        let plan = |(at, function): (usize, &'a Function)| {
            let planner = Planner { analysis, inlining: &inlining, types, at };
            let merged = merged.functions.get(&at).map(|function| planner.body(function));
            FunctionPlan { body: planner.body(function), merged, is_loop: analysis.functions[at].rounds }
        };
        Plan { functions: program.functions.iter().enumerate().map(plan).collect() }
    }

    /// Returns the body of a function, as it is written where it is inlined or called outside of contexts.
    pub fn body(&self, function: usize) -> &Body<'a> {
        &self.functions[function].body
    }

    /// Returns the body of a function as it is written for calls in a context.
    pub fn body_in_context(&self, function: usize) -> &Body<'a> {
        let plan = &self.functions[function];
        plan.merged.as_ref().unwrap_or(&plan.body)
    }

    /// True if a call of the function in a context is a loop of host code over the active instances.
    pub fn is_loop_in_context(&self, function: usize) -> bool {
        self.functions[function].is_loop
    }
}

impl Body<'_> {
    /// Returns how a statement of the body is written.
    pub fn step(&self, statement: &Statement) -> Step {
        self.steps[&std::ptr::from_ref(statement)]
    }
}

/// Plans the bodies of a function.
struct Planner<'p> {
    analysis: &'p Analysis,
    inlining: &'p Inlining,
    types: &'p CoreTypes,
    /// The function.
    at: usize,
}

impl Planner<'_> {
    fn body<'a>(&self, function: &'a Function) -> Body<'a> {
        let mut steps = HashMap::new();
        self.block(function, &function.body, &mut steps);
        Body { function, steps }
    }

    fn block(&self, function: &Function, block: &Block, steps: &mut Steps) {
        for statement in &block.statements {
            let step = self.statement(function, statement, steps);
            steps.insert(std::ptr::from_ref(statement), step);
        }
    }

    /// Plans a statement and those in its blocks.
    fn statement(&self, function: &Function, statement: &Statement, steps: &mut Steps) -> Step {
        let op = &statement.op;
        if self.analysis.is_delayed(self.types, function, statement) {
            return Step::Delayed { needed: self.analysis.can_fault(op) || self.analysis.may_loop(op) };
        }
        match op {
            Op::Call(callee, _) => Step::Call(self.call(statement.local, callee.0 as usize)),
            Op::If(_, yes, no) => {
                self.block(function, yes, steps);
                self.block(function, no, steps);
                Step::If([self.effects(yes), self.effects(no)])
            }
            Op::Each(each) => {
                self.block(function, &each.body, steps);
                Step::Each(self.effects(&each.body))
            }
            Op::Primitive(..)
            | Op::Global(_)
            | Op::Pair(..)
            | Op::First(_)
            | Op::Second(_)
            | Op::Closure(_)
            | Op::Captured(..)
            | Op::Sequence(_)
            | Op::Str(_)
            | Op::Data(..) => Step::Plain,
        }
    }

    fn call(&self, local: Local, callee: usize) -> CallStep {
        if self.analysis.is_updating_loop(callee) {
            CallStep::InPlace
        } else if self.inlining.is_inlined(self.at, local) {
            CallStep::Inlined
        } else {
            CallStep::Function
        }
    }

    fn effects(&self, block: &Block) -> Effects {
        let facts = self.analysis.facts_of(block);
        Effects { acts: facts.acts, wanted: facts.wanted, keeps: facts.keeps }
    }
}
