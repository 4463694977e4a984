//! The kernel that is being written, with what flattening knows of the thunk that is being written in it.

use super::updating::Unwritten;
use nestled_ir::build::{FunctionBuilder, KernelBuilder};
use nestled_ir::{
    Atom, Axis, Block, CombinatorKind, HostAtom, Index, LocalId, Op, PrivateId, Rule, Scalar, ScalarType,
    Shape, SiteId, Span, StmtKind, ValueId,
};
use std::collections::HashMap;

/// A kernel over a chain of axes.
#[derive(Debug)]
pub(super) struct KernelWriter {
    /// What has been written.
    pub kernel: KernelBuilder,
    /// Pending results that have been computed in the thunk.
    pub pending: HashMap<usize, Atom>,
    /// Reads at the own coordinates in the outermost block.
    reads: HashMap<ValueId, Atom>,
    /// Elements of sequences that are changed in place, as long as they are not written, and how many versions of sequences there were.
    pub unwritten: Vec<Unwritten>,
    pub versions: u32,
    /// What is read at positions that arrays have.
    rule: Rule,
}

impl KernelWriter {
    /// A kernel over these axes; its first thunk runs at all of them.
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

    /// Where what is written stands in the source.
    pub fn span(&self) -> Span {
        self.kernel.code.span
    }

    /// What is written from here on stands there.
    pub fn set_span(&mut self, span: Span) {
        self.kernel.code.span = span;
    }

    /// A shape of the function in words of the kernel.
    pub fn shape(&mut self, f: &FunctionBuilder, shape: &Shape) -> Shape {
        self.kernel.shape(f, shape)
    }

    /// A value of the function as a parameter.
    pub fn param(&mut self, f: &FunctionBuilder, value: ValueId) -> ValueId {
        self.kernel.param(f, value)
    }

    /// A scalar of host code.
    pub fn scalar(&mut self, f: &FunctionBuilder, atom: HostAtom) -> Atom {
        self.kernel.scalar(f, atom)
    }

    /// Begins a thunk that runs at a level.
    pub fn begin(&mut self, level: usize) {
        self.kernel.begin(level);
        self.pending.clear();
        self.reads.clear();
    }

    /// The own coordinates.
    pub fn coordinates(&self) -> Vec<Atom> {
        self.kernel.code.params()
    }

    /// Ends the thunk: it belongs to a combinator. Gives what the combinator binds.
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

    /// The type of an operand.
    pub fn ty(&self, atom: Atom) -> ScalarType {
        self.kernel.code.ty(atom)
    }

    pub fn op(&mut self, op: Op, args: &[Atom]) -> Atom {
        self.kernel.code.folded(op, args)
    }

    /// The index type.
    pub fn index(&mut self, atom: Atom) -> Atom {
        self.convert(atom, ScalarType::Idx)
    }

    pub fn convert(&mut self, atom: Atom, ty: ScalarType) -> Atom {
        self.kernel.code.convert(atom, ty)
    }

    /// Writes something that may read past the ends of arrays: then it gets the element that is nearest.
    pub fn nearest<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.rule, Rule::Clamp);
        let written = write(self);
        self.rule = outer;
        written
    }

    /// Reads an array of the function at positions known to exist, or the nearest to those.
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

    /// Reads an array of the function.
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

    /// What an earlier combinator of this kernel computed here.
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

    /// A private array of a `serial`.
    pub fn given(&mut self, name: &str, elem: ScalarType) -> PrivateId {
        self.kernel.code.given(name, elem)
    }

    pub fn check(&mut self, cond: Atom, code: &str, site: SiteId) {
        if cond != Atom::Const(Scalar::Bool(true)) {
            self.kernel.code.check(cond, code, site);
        }
    }

    /// Begins a block inside the one that is being written.
    pub fn open(&mut self) {
        self.kernel.code.open();
    }

    /// Ends it.
    pub fn close(&mut self, results: Vec<Atom>) -> Block {
        self.kernel.code.close(results)
    }

    /// Puts an `if` where both blocks are written; gives its results.
    pub fn branch(&mut self, cond: Atom, then: Block, otherwise: Block) -> Vec<Atom> {
        self.kernel.code.branch(cond, then, otherwise)
    }
}
