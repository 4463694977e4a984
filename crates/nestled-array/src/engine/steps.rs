//! Steps of a program that is explained: kernels and what devices do natively, which of them wait for which, and how long each takes by the time model.
//!
//! Sizes that only running tells (what a filter keeps) count as large as the largest that is known.

use nestled_ir::{
    Axis, Function, HostAtom, HostBlock, HostOp, HostPart, Kernel, Library, Program, Type, ValueId,
};
use nestled_pass::time::Rates;
use nestled_pass::time::features::{Features, Sizes};
use std::collections::{BTreeSet, HashMap};

/// A step of what is explained: a kernel, or an operation that devices do natively.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::<f64>::uniform(&[1000], 1);
/// let explained = (&x * 2.0).sort(0).explain()?;
/// let steps: &[ExplainedStep] = explained.steps();
/// let sort = steps.iter().position(|step| step.does == ["sort"]).expect("one sorts");
/// assert!(!steps[sort].after.is_empty() && steps[sort].bytes >= 16_000.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedStep {
    /// The name of the kernel, or of the operation.
    pub name: String,
    /// The combinators of the kernel, in order.
    pub does: Vec<&'static str>,
    /// The steps, by their positions, whose results it needs.
    pub after: Vec<usize>,
    /// Bytes of what it takes and gives.
    pub bytes: f64,
    /// The time that the model of the device predicts for a kernel.
    pub nanoseconds: Option<f64>,
}

/// The steps of `main`, which is called with these extents.
pub fn steps(program: &Program, extents: &[u64], rates: &Rates) -> Vec<ExplainedStep> {
    let is_main = |function: &&Function| *function.name == *Program::ENTRY;
    let Some(main) = program.functions.iter().find(is_main) else { return Vec::new() };
    let extents = main.shapes.iter().zip(extents).map(|(&symbol, &extent)| (symbol, extent as f64)).collect();
    let mut walk = Walk { program, main, rates, extents, makers: HashMap::new(), steps: Vec::new() };
    walk.block(&main.body);
    walk.steps
}

struct Walk<'a> {
    program: &'a Program,
    main: &'a Function,
    rates: &'a Rates,
    extents: HashMap<ValueId, f64>,
    /// The steps that a value waits for.
    makers: HashMap<ValueId, BTreeSet<usize>>,
    steps: Vec<ExplainedStep>,
}

/// The sizes of a kernel that is called in `main`.
struct Called {
    extents: HashMap<ValueId, f64>,
    otherwise: f64,
}

impl Sizes for Called {
    fn extent(&self, symbol: ValueId) -> f64 {
        self.extents.get(&symbol).copied().unwrap_or(self.otherwise)
    }

    fn scalar(&self, param: ValueId) -> Option<f64> {
        self.extents.get(&param).copied()
    }
}

impl Walk<'_> {
    fn block(&mut self, block: &HostBlock) {
        for stmt in &block.stmts {
            let mut after = BTreeSet::new();
            for inner in stmt.op.blocks() {
                self.block(inner);
                for atom in &inner.results {
                    if let HostAtom::Value(value) = atom {
                        after.extend(self.makers.get(value).into_iter().flatten());
                    }
                }
            }
            let mut used = Vec::new();
            stmt.op.for_each_part(&mut |part: HostPart<'_>| used.extend(part.value()));
            for value in &used {
                after.extend(self.makers.get(value).into_iter().flatten());
            }
            let step = match &stmt.op {
                HostOp::Run { kernel, shapes, .. } => {
                    let kernel = &self.program.kernels[kernel.index()];
                    let does: Vec<_> = kernel.steps.iter().map(|step| step.kind.name()).collect();
                    Some((kernel.name.to_string(), does, Some(self.time(kernel, shapes))))
                }
                HostOp::Library(operation) => {
                    let name = match operation {
                        Library::Sort { .. } => "sort",
                        Library::Rank { .. } => "rank",
                        Library::MatMul { .. } => "matmul",
                    };
                    Some((name.to_owned(), vec![name], None))
                }
                HostOp::Call { function, .. } => {
                    let name = self.program.functions[function.index()].name.to_string();
                    Some((name, vec!["call"], None))
                }
                HostOp::Size { shape } => {
                    let extent = shape.axes.iter().map(|axis| self.extent(axis)).product();
                    self.extents.extend(stmt.binds.iter().map(|&bind| (bind, extent)));
                    None
                }
                _ => None,
            };
            if let Some((name, does, nanoseconds)) = step {
                let after = std::mem::replace(&mut after, BTreeSet::from([self.steps.len()]));
                let after = after.into_iter().collect();
                let bytes = used.iter().chain(&stmt.binds).map(|value| self.bytes(*value)).sum();
                let step = ExplainedStep { name, does, after, bytes, nanoseconds };
                self.steps.push(step);
            }
            for &bind in &stmt.binds {
                self.makers.insert(bind, after.clone());
            }
        }
    }

    fn extent(&self, axis: &Axis) -> f64 {
        match axis {
            Axis::Const(extent) => *extent as f64,
            Axis::Sym(symbol) => self.extents.get(symbol).copied().unwrap_or_else(|| self.largest()),
        }
    }

    fn largest(&self) -> f64 {
        self.extents.values().copied().fold(1.0, f64::max)
    }

    /// The bytes of an array; scalars and extents have none to speak of.
    fn bytes(&self, value: ValueId) -> f64 {
        match &self.main.values[value.index()].ty {
            Type::Array(array) if !array.shape.is_scalar() => {
                let points: f64 = array.shape.axes.iter().map(|axis| self.extent(axis)).product();
                points * array.elem.size() as f64
            }
            _ => 0.0,
        }
    }

    fn time(&self, kernel: &Kernel, shapes: &[Axis]) -> f64 {
        let extents = kernel.shapes.iter().zip(shapes).map(|(&symbol, axis)| (symbol, self.extent(axis)));
        let sizes = Called { extents: extents.collect(), otherwise: self.largest() };
        self.rates.time(&Features::of(self.program, kernel, &sizes))
    }
}
