//! Generation of random programs: well-typed, terminating, and such that all engines must agree on every bit of their results.
//!
//! A program grows from the outside in. The main function has random parameters with arguments ([`args`]); its statements
//! ([`statements`], [`functions`], [`wanted`]) take what is in scope; most are kernels ([`kernel`], [`steps`], [`scatter`],
//! [`monoids`]), whose thunks ([`thunk`], [`control`], [`reads`], [`expr`]) compute with what they see around them
//! ([`surroundings`]). [`class`] says how floats stay comparable. Everything follows from a seed ([`random`]).

pub mod args;
pub mod class;
pub mod control;
pub mod expr;
pub mod formals;
pub mod functions;
pub mod host;
pub mod kernel;
pub mod monoids;
pub mod random;
pub mod reads;
pub mod scatter;
pub mod sites;
pub mod size;
pub mod statements;
pub mod steps;
pub mod surroundings;
pub mod thunk;
pub mod wanted;

pub use size::Size;

use host::HostCode;
use nestled_ir::value::{AxisValue, Value as RuntimeValue};
use nestled_ir::{
    Axis, CombinatorKind, Function, HostAtom, HostBlock, Program, Shape, SiteId, Span, StmtKind, Type,
    ValueId,
};
use random::Random;

/// A program with arguments for its main function.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// Shape arguments of `main`.
    pub shapes: Vec<AxisValue>,
    /// Arguments of `main`.
    pub args: Vec<RuntimeValue>,
}

/// The state of the generator: the program that is being written, and facts about it.
pub struct Gen {
    pub(crate) random: Random,
    pub(crate) size: Size,
    pub(crate) program: Program,
    pub(crate) thunks: Vec<thunk::ThunkFacts>,
    pub(crate) monoids: Vec<monoids::MonoidFacts>,
    /// The call depth of the function being written.
    pub(crate) calls: usize,
    /// Whether one axis of the arguments is long.
    pub(crate) long: bool,
}

/// The program of a seed.
pub fn generate(seed: u64, size: Size) -> Case {
    let mut tries = (0..TRIES).map(|attempt| grow(seed | attempt << 56, size));
    let most = size.weight.filter(|_| !seed.is_multiple_of(8)).map(|most| most - seed as usize % (most / 2));
    let fine = tries.find(|case| most.is_none_or(|most| (1..=most).contains(&weight(&case.program))));
    fine.unwrap_or_else(|| grow(seed, size))
}

/// The number of tries at a program that has kernels and is light enough.
const TRIES: u64 = 16;

/// Estimates the time to compile the kernels of a program.
pub fn weight(program: &Program) -> usize {
    let stmt = |kind: &StmtKind| match kind {
        StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Call { .. } => 3,
        _ => 1,
    };
    let mut sum = 0;
    for step in program.kernels.iter().flat_map(|kernel| &kernel.steps) {
        sum += match step.kind {
            CombinatorKind::Scan { .. } => 5,
            CombinatorKind::Reduce { .. } => 3,
            _ => 1,
        };
        step.body.body.walk(&mut |found| sum += stmt(&found.kind));
    }
    sum
}

fn grow(seed: u64, size: Size) -> Case {
    let mut random = Random::new(seed);
    let long = random.chance(size.long);
    // A fault ends a run, so that most programs should not have one.
    let size = if random.chance(25) { size } else { Size { faults: 0, ..size } };
    let mut g = Gen {
        random,
        size,
        program: Program::default(),
        thunks: Vec::new(),
        monoids: Vec::new(),
        calls: 0,
        long,
    };
    for _ in 0..g.random.below(4) {
        let may_fault = g.random.chance(30);
        let (def, facts) = thunk::named(&mut g.random, size, &g.thunks, may_fault);
        g.program.thunks.push(def);
        g.thunks.push(facts);
    }
    let entry = args::random_entry(&mut g);
    let (shapes, args) = (entry.shape_args.clone(), entry.args.clone());
    write_main(&mut g, entry);
    sites::number_sites(&mut g.program);
    if g.random.chance(10) {
        share_sites(&mut g);
    }
    Case { program: g.program, shapes, args }
}

fn write_main(g: &mut Gen, entry: args::Entry) {
    let (shapes, params) = (entry.shapes, entry.params);
    let id = g.program.functions.len();
    g.program.functions.push(Function {
        name: Program::ENTRY.into(),
        values: Vec::new(),
        shapes: Vec::new(),
        params: Vec::new(),
        results: Vec::new(),
        body: HostBlock::default(),
        span: Span::NONE,
    });
    let mut code = HostCode::new(g, entry.values, entry.facts);
    let n = 1 + code.g.random.below(code.g.size.statements);
    code.grow(n);
    if code.g.random.chance(5) {
        code.files();
    }
    let results = choose_results(&mut code);
    let formals = formal_results(&mut code, &results, &shapes);
    let (values, body) = code.finish(results.iter().map(|&id| HostAtom::Value(id)).collect());
    let main = &mut g.program.functions[id];
    (main.values, main.shapes, main.params) = (values, shapes, params);
    (main.results, main.body) = (formals, body);
}

/// Most values in scope, each after the shapes that its type names.
fn choose_results(code: &mut HostCode<'_>) -> Vec<ValueId> {
    let mut chosen = Vec::new();
    for id in code.scope.clone() {
        if code.g.random.chance(60) {
            choose(code, id, &mut chosen);
        }
    }
    chosen
}

fn choose(code: &HostCode<'_>, id: ValueId, chosen: &mut Vec<ValueId>) {
    let shape = match code.ty(id) {
        Type::Array(array) => array.shape.clone(),
        Type::Seg(seg) => seg.parent.clone(),
        Type::Dim => Shape::SCALAR,
    };
    for axis in shape.axes {
        if let Axis::Sym(symbol) = axis {
            choose(code, symbol, chosen);
        }
    }
    if !chosen.contains(&id) {
        chosen.push(id);
    }
}

/// Formal results: the types of the chosen values, in terms of shape parameters and of each other.
fn formal_results(code: &mut HostCode<'_>, results: &[ValueId], params: &[ValueId]) -> Vec<ValueId> {
    let mut swap = nestled_ir::typing::Substitution::default();
    for &param in params {
        swap.insert(param, Axis::Sym(param));
    }
    let mut formals = Vec::new();
    for &id in results {
        let ty = swap.ty(code.ty(id));
        let is_new = ty.is_shape() && !params.contains(&id);
        let formal = code.value(ty, code.fact(id));
        if is_new {
            swap.insert(id, Axis::Sym(formal));
        }
        formals.push(formal);
    }
    formals
}

/// Lets some sites have the number of another, as after a pass that copies code.
fn share_sites(g: &mut Gen) {
    let n = g.program.sites.len();
    let random = &mut g.random;
    g.program.for_each_site_mut(&mut |site| {
        if random.chance(30) {
            *site = SiteId::from(random.below(n));
        }
    });
}
