//! Flattening of nested data parallelism (vectorisation): from the core, which is nested, to λcu, which is flat.
//!
//! **Contexts.** Code runs in a context: a chain of axes, one for each apply-to-each around it. The first axis is an extent, each further one a segmentation
//! (segment descriptor) of the axes before it. The chain is the iteration space of a kernel: one iteration of the source is one point of the kernel. Outside of
//! any apply-to-each the chain is empty, and code is host code.
//!
//! **Values** have a level: the number of axes of the chain on which they depend. A value of level 0 is uniform: a scalar of host code, or a single array. A
//! value of level `k` is an array over the first `k` axes. Kernels read it at the first `k` coordinates, so nothing is ever replicated for its readers. Scalars
//! are computed lazily (`lazy.rs`): they are put off until they are needed, and then computed together.
//!
//! **Sequences** of level `k` have a *shape*, which is an extent or a segmentation of the level, and a *place*. A dense sequence has its elements as a value of
//! level `k + 1`, in the chain with the shape appended (of a lower level where all elements are equal). A view has a start for each sequence in one flat
//! sequence. `take`, `v[i]` of nested sequences and packing make views; elements are copied together only where sequences come from different places, or are
//! arguments of a function.
//!
//! ```text
//! { sum({ x * w[i] : x in row; i in index(#row) }) : row in m }
//!
//! m    level 0   n, rows: seg[n], [rows]f64
//! row  level 1   shape rows, dense              context n
//! x    level 2   [rows]f64                      context n, rows
//! w    level 0   read as w[i], wherever i is
//! ```
//!
//! **Conditionals.** A uniform conditional is an `if` of host code. One that a single point can compute is an `if` in a thunk. All others pack the last axis for
//! each branch and merge the results (`branch.rs`).
//! **Functions.** Calls are inlined, unless the function recurs: then there is a λcu function for each layout of arguments, over a context of one axis
//! (`call.rs`); its exclusive calls are merged into one (`merge_calls.rs`). Tail recursion that makes no sequences is a loop in a thunk (`serial.rs`); so is, outside
//! of any context, tail recursion that updates sequences in place (`in_place.rs`). Tail recursion that makes sequences is, in a context, a loop of host code
//! (`tail_loop.rs`).
//! **Faults.** A computation that can fault is done in its own context, so it faults where and only where the source does. The code of each fault site is kept
//! beside the program; its place is that of the statement, or, in code of the library, the place where the program calls it (`sites.rs`).
//! **Pools** of recursive datatypes are sequences of level 0 that are passed along; nodes of all points are appended at once (`pools.rs`).
//! **Effects** are requests (`effect.rs`); the state of the random numbers is a value that is passed along (`random.rs`).
//!
//! **Stages.** The analysis (`analysis.rs`) finds facts about functions. Bodies for contexts are made of them (`merge_calls.rs`), and the plan (`plan.rs`)
//! says how each statement is written. Then the program is emitted, function after function; analysis and plan stay as they are.

mod analysis;
mod block;
mod branch;
mod call;
mod each;
mod effect;
mod fold;
mod form;
mod free;
mod held;
mod host;
mod in_place;
mod inlining;
mod kernel;
mod lazy;
mod literal;
mod materialise;
mod merge_calls;
mod plan;
mod point;
mod pools;
mod random;
mod scalar;
mod scatter;
mod scope;
mod sequence;
mod serial;
mod sites;
mod store;
mod tail_loop;
mod val;
mod walk;

pub(crate) use effect::protocol;

use crate::core::{CoreType, CoreTypes, Program, Ty};
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::primitive::HostCall;
use crate::typed::GlobalId;
use nestled_ir::build::{FunctionBuilder, ProgramBuilder};
use nestled_ir::{Diagnostic, FunctionId, HostAtom, ScalarType, SourceMap, Span};
use std::collections::HashMap;

/// A flat program with the tables that belong to it.
#[derive(Debug)]
pub struct Flat {
    /// The program; `main` takes the values of the top level, in order.
    pub program: nestled_ir::Program,
    /// The fault code that each site reports.
    pub codes: Vec<FaultCode>,
    /// The values of the top level that `main` takes.
    pub globals: Vec<(GlobalId, Ty)>,
    /// The host calls of requests, by their numbers.
    pub calls: Vec<HostCall>,
}

/// An error is a message: the program is too large.
type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Flattens a program. `checked` says whether positions, lengths and divisors are checked.
///
/// # Errors
/// A message, where the program is too large.
pub fn flatten(
    core: &Program,
    types: &CoreTypes,
    globals: &HashMap<GlobalId, Ty>,
    dialect: Dialect,
    checked: bool,
    sources: SourceMap,
) -> std::result::Result<Flat, Box<Diagnostic>> {
    let analysis = analysis::Analysis::new(core, types, checked);
    let merged = merge_calls::merged(core, types, &analysis);
    let types = merged.types.as_ref().unwrap_or(types);
    let plan = plan::Plan::new(core, &merged, types, &analysis);
    let source = Source { core, types, dialect, checked };
    let emitter = Emitter {
        source,
        analysis: &analysis,
        plan: &plan,
        out: Output {
            program: ProgramBuilder::new(sources),
            sites: sites::Sites::default(),
            calls: Vec::new(),
            statements: 0,
        },
        instances: call::Instances::default(),
        origin: sites::Origin { span: Span::NONE, order: 0 },
        f: FunctionBuilder::new(nestled_ir::Program::ENTRY, Span::NONE),
        scope: scope::Scope::default(),
        delayed: lazy::Delayed::default(),
        ranked: fold::Ranks::default(),
    };
    emitter.program(globals)
}

/// The program that is flattened, and its settings.
#[derive(Clone, Copy)]
struct Source<'a> {
    core: &'a Program,
    /// The types of the program and of merged bodies.
    types: &'a CoreTypes,
    dialect: Dialect,
    /// True if positions, lengths and divisors are checked.
    checked: bool,
}

/// The flat program, as far as it has been written.
struct Output {
    program: ProgramBuilder,
    sites: sites::Sites,
    /// The host calls of requests, by their numbers.
    calls: Vec<HostCall>,
    /// Number of statements of the core that have been begun.
    statements: usize,
}

/// The emitter: what is known of the program, and the state of emission.
struct Emitter<'a> {
    source: Source<'a>,
    analysis: &'a analysis::Analysis,
    plan: &'a plan::Plan<'a>,
    out: Output,
    instances: call::Instances,
    /// The statement that is being written.
    origin: sites::Origin,
    /// The function that is being written. The fields from here on begin anew with each function.
    f: FunctionBuilder,
    scope: scope::Scope,
    delayed: lazy::Delayed<'a>,
    ranked: fold::Ranks,
}

/// A type as flattening sees it: records and function values are their contents.
enum TypeShape {
    Scalar(ScalarType),
    Tuple(Vec<Ty>),
    Seq(Ty),
}

impl Emitter<'_> {
    /// Writes the program; `types` has those of the values of the top level.
    fn program(mut self, types: &HashMap<GlobalId, Ty>) -> Result<Flat> {
        let globals = self.main(types)?;
        self.write_instances()?;
        let Output { program, sites, calls, .. } = self.out;
        let mut program = program.into_program();
        let codes = sites.in_order(&mut program);
        Ok(Flat { program: nestled_ir::compact::compact(&program), codes, globals, calls })
    }

    /// Writes `main`; returns the values of the top level that it takes.
    fn main(&mut self, types: &HashMap<GlobalId, Ty>) -> Result<Vec<(GlobalId, Ty)>> {
        let main = self.source.core.main.0 as usize;
        let body = self.plan.body(main);
        let globals: Vec<(GlobalId, Ty)> =
            self.analysis.functions[main].globals.iter().map(|id| (*id, types[id])).collect();
        self.scope.random = self.analysis.random.then(|| Self::seeded(0));
        let mut parts = Vec::new();
        for (id, ty) in &globals {
            let sig = self.sig_of_type(*ty, 0);
            let mut own = Vec::new();
            form::declare(&mut self.f, &sig, &[], &mut own);
            let val = self.unpack(&sig, &[], &mut own.iter().copied());
            self.scope.globals.insert(*id, val);
            parts.extend(own);
        }
        let pools = self.given_pools(&mut parts);
        parts.into_iter().for_each(|part| self.f.take(part));
        let result = self.sig_of_main(body.function.result);
        let mut results = Vec::new();
        form::declare(&mut self.f, &result, &[], &mut results);
        results.into_iter().for_each(|result| self.f.give(result));
        let id = self.out.program.declare(&self.f);
        self.scope.pools = self.first_pools(&pools);
        let mut frame = walk::Frame { body, env: HashMap::new() };
        let val = self.block(&mut frame, &body.function.body)?;
        let val = self.with_wanted_pools(val);
        let end = self.origin.end_of(&body.function.body);
        let val = self.at_origin(end, |this| this.convert(&val, &result, &[]));
        let mut results = Vec::new();
        self.pack(&val, &result, &mut results);
        self.define(id, results);
        Ok(globals)
    }

    /// Begins to write a declared function: nothing is known in it yet.
    fn begin(&mut self, declared: FunctionBuilder) {
        self.f = declared;
        self.scope = scope::Scope::default();
        self.delayed = lazy::Delayed::default();
        self.ranked = fold::Ranks::default();
    }

    /// Defines the function that is being written; it is complete.
    fn define(&mut self, id: FunctionId, results: Vec<HostAtom>) {
        let written = std::mem::replace(&mut self.f, FunctionBuilder::new("", Span::NONE));
        self.out.program.define(id, written.finish(results));
    }

    fn shape_of(&self, ty: Ty) -> TypeShape {
        match self.source.types.get(ty) {
            CoreType::Int => TypeShape::Scalar(self.source.dialect.int_type()),
            CoreType::Float => TypeShape::Scalar(self.source.dialect.float_type()),
            CoreType::Char => TypeShape::Scalar(ScalarType::U8),
            CoreType::Bool => TypeShape::Scalar(ScalarType::Bool),
            CoreType::Seq(element) => TypeShape::Seq(*element),
            CoreType::Pair(left, right) => TypeShape::Tuple(vec![*left, *right]),
            CoreType::Closure(closure) => TypeShape::Tuple(closure.captured.clone()),
            CoreType::Data(_) => unreachable!("datatypes were translated"),
        }
    }
}
