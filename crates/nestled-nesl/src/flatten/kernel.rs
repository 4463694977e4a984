//! Builder of kernels: the kernel that is being written, with the lazy values and reads known in its current thunk.

use super::held::Unwritten;
use nestled_ir::build::{FunctionBuilder, KernelBuilder};
use nestled_ir::{
    Atom, Axis, Block, CombinatorKind, HostAtom, Index, LocalId, Op, PrivateId, Rule, Scalar, ScalarType,
    Shape, SiteId, Span, StmtKind, ValueId,
};
use std::collections::HashMap;

/// A kernel over a chain of axes.
#[derive(Debug)]
pub(super) struct KernelWriter {
    /// The kernel written so far.
    pub kernel: KernelBuilder,
    /// Pending results that have been computed in the thunk.
    pub pending: HashMap<usize, Atom>,
    /// Reads at the thunk's own coordinates in the outermost block, so that each is written once.
    reads: HashMap<ValueId, Atom>,
    /// Elements of sequences updated in place that are not yet written, and the number of versions of sequences so far.
    pub unwritten: Vec<Unwritten>,
    pub versions: u32,
    /// The range rule of reads: proved, or clamped to the nearest element.
    rule: Rule,
}

impl KernelWriter {
    /// Begins a kernel over these axes; its first thunk runs at all of them.
    pub fn new(name: &str, f: &FunctionBuilder, chain: &[Axis], span: Span) -> KernelWriter {
        KernelWriter {
            kernel: KernelBuilder::new(name, f, chain, span),
            pending: HashMap::new(),
            reads: HashMap::new(),
            unwritten: Vec::new(),
            versions: 0,
            rule: Rule::Proved,
        }
    }

    /// Writes code that has another place in the source.
    pub fn at_span<T>(&mut self, span: Span, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.kernel.code.span, span);
        let written = write(self);
        self.kernel.code.span = outer;
        written
    }

    /// Translates a shape of the function to the kernel's symbols.
    pub fn shape(&mut self, f: &FunctionBuilder, shape: &Shape) -> Shape {
        self.kernel.shape(f, shape)
    }

    /// Passes a value of the function to the kernel as a parameter.
    pub fn param(&mut self, f: &FunctionBuilder, value: ValueId) -> ValueId {
        self.kernel.param(f, value)
    }

    /// Passes a scalar of host code to the kernel.
    pub fn scalar(&mut self, f: &FunctionBuilder, atom: HostAtom) -> Atom {
        self.kernel.scalar(f, atom)
    }

    /// Begins a thunk that runs at a level.
    pub fn begin(&mut self, level: usize) {
        self.kernel.begin(level);
        self.pending.clear();
        self.reads.clear();
    }

    /// Returns the thunk's own coordinates.
    pub fn coordinates(&self) -> Vec<Atom> {
        self.kernel.code.params()
    }

    /// Ends the thunk as the body of a combinator; returns the values that the combinator binds.
    pub fn end(&mut self, kind: CombinatorKind, guard: Option<ValueId>, results: Vec<Atom>) -> Vec<ValueId> {
        self.kernel.end("", kind, guard, results)
    }

    /// Ends the thunk as a map.
    pub fn end_map(&mut self, results: Vec<Atom>) -> Vec<ValueId> {
        self.end(CombinatorKind::Map, None, results)
    }

    pub fn local(&mut self, ty: ScalarType) -> LocalId {
        self.kernel.code.local("", ty)
    }

    pub fn push(&mut self, kind: StmtKind) {
        self.kernel.code.push(kind);
    }

    /// Returns the type of an operand.
    pub fn ty(&self, atom: Atom) -> ScalarType {
        self.kernel.code.ty(atom)
    }

    pub fn op(&mut self, op: Op, args: &[Atom]) -> Atom {
        self.kernel.code.folded(op, args)
    }

    /// Converts an operand to the index type.
    pub fn index(&mut self, atom: Atom) -> Atom {
        self.convert(atom, ScalarType::Idx)
    }

    pub fn convert(&mut self, atom: Atom, ty: ScalarType) -> Atom {
        self.kernel.code.convert(atom, ty)
    }

    /// Writes code whose reads are clamped: past the end of an array they get the nearest element.
    pub fn nearest<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.rule, Rule::Clamp);
        let written = write(self);
        self.rule = outer;
        written
    }

    /// Reads an array of the function at positions known to exist, or clamped inside of `nearest`.
    pub fn read(&mut self, f: &FunctionBuilder, array: ValueId, at: &[Atom]) -> Atom {
        let own = self.rule == Rule::Proved && self.coordinates().starts_with(at);
        if own && let Some(&known) = self.reads.get(&array) {
            return known;
        }
        let index = at.iter().map(|&at| Index { at, rule: self.rule }).collect();
        let read = self.read_with(f, array, index, None);
        if own && self.kernel.code.depth() == 1 {
            self.reads.insert(array, read);
        }
        read
    }

    /// Reads an array of the function under a range rule.
    pub fn read_with(
        &mut self,
        f: &FunctionBuilder,
        array: ValueId,
        index: Vec<Index>,
        site: Option<SiteId>,
    ) -> Atom {
        let param = self.param(f, array);
        self.kernel.code.read(param, index, None, site)
    }

    /// Reads the value that an earlier combinator of this kernel computed at this point.
    pub fn own(&mut self, bind: ValueId) -> Atom {
        self.kernel.code.own(bind)
    }

    pub fn len(&mut self, f: &FunctionBuilder, seg: Axis, at: &[Atom]) -> Atom {
        let seg = self.kernel.symbol(f, seg);
        self.kernel.code.len(seg, at)
    }

    pub fn start(&mut self, f: &FunctionBuilder, seg: Axis, at: &[Atom]) -> Atom {
        let seg = self.kernel.symbol(f, seg);
        self.kernel.code.start(seg, at)
    }

    /// Adds a private array, given to a `serial`.
    pub fn given(&mut self, name: &str, elem: ScalarType) -> PrivateId {
        self.kernel.code.given(name, elem)
    }

    pub fn check(&mut self, cond: Atom, code: &str, site: SiteId) {
        if cond != Atom::Const(Scalar::Bool(true)) {
            self.kernel.code.check(cond, code, site);
        }
    }

    /// Begins a nested block.
    pub fn open(&mut self) {
        self.kernel.code.open();
    }

    /// Ends the nested block.
    pub fn close(&mut self, results: Vec<Atom>) -> Block {
        self.kernel.code.close(results)
    }

    /// Writes an `if` of two blocks; returns its results.
    pub fn branch(&mut self, cond: Atom, then: Block, otherwise: Block) -> Vec<Atom> {
        self.kernel.code.branch(cond, then, otherwise)
    }
}
