//! The kernel that is being written, and the thunk that is being written in it.

use super::host::Written;
use super::updating::Unwritten;
use nestled_ir::{
    Atom, Axis, Block, Combinator, CombinatorKind, HostAtom, Index, Kernel, Local, LocalId, Name, Op, Rule,
    Scalar, ScalarType, Shape, SiteId, Span, Stmt, StmtKind, Thunk, Type, Value, ValueId, typing,
};
use std::collections::HashMap;

/// A kernel over a chain of axes.
#[derive(Debug)]
pub(super) struct KernelWriter {
    pub kernel: Kernel,
    /// What it is given, in the words of the function.
    pub shapes: Vec<Axis>,
    pub args: Vec<HostAtom>,
    symbols: HashMap<ValueId, ValueId>,
    params: HashMap<ValueId, ValueId>,
    /// The thunk that is being written.
    pub thunk: Thunk,
    blocks: Vec<Vec<Stmt>>,
    /// Pending results that have been computed in the thunk.
    pub pending: HashMap<usize, Atom>,
    /// Reads at the own coordinates in the outermost block.
    reads: HashMap<ValueId, Atom>,
    /// Elements of sequences that are changed in place, as long as they are not written, and how many versions of sequences there were.
    pub unwritten: Vec<Unwritten>,
    pub versions: u32,
    /// What is read at positions that arrays have.
    rule: Rule,
    pub span: Span,
}

impl KernelWriter {
    /// A kernel over these axes; its first thunk runs at all of them.
    pub fn new(name: &str, f: &Written, chain: &[Axis], span: Span) -> KernelWriter {
        let kernel = Kernel {
            name: Name::from(name),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            space: Vec::new(),
            steps: Vec::new(),
            ret: Vec::new(),
            span,
        };
        let mut writer = KernelWriter {
            kernel,
            shapes: Vec::new(),
            args: Vec::new(),
            symbols: HashMap::new(),
            params: HashMap::new(),
            thunk: Thunk::default(),
            blocks: Vec::new(),
            pending: HashMap::new(),
            reads: HashMap::new(),
            unwritten: Vec::new(),
            versions: 0,
            rule: Rule::Proved,
            span,
        };
        for &axis in chain {
            let axis = writer.axis(f, axis);
            writer.kernel.space.push(axis);
        }
        writer.begin(chain.len());
        writer
    }

    fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.kernel.values.push(Value { name: Name::from(name), ty, span: self.span });
        ValueId::from(self.kernel.values.len() - 1)
    }

    /// An axis of the function in words of the kernel.
    pub fn axis(&mut self, f: &Written, axis: Axis) -> Axis {
        let Axis::Sym(symbol) = f.canonical(axis) else { return f.canonical(axis) };
        if let Some(&own) = self.symbols.get(&symbol) {
            return Axis::Sym(own);
        }
        let ty = match f.ty(symbol) {
            Type::Seg(seg) => Type::seg(self.shape(f, &seg.parent.clone()), seg.form),
            _ => Type::Dim,
        };
        let name = f.function.values[symbol.index()].name.clone();
        let own = self.value(&name, ty);
        self.kernel.shapes.push(own);
        self.shapes.push(Axis::Sym(symbol));
        self.symbols.insert(symbol, own);
        Axis::Sym(own)
    }

    pub fn shape(&mut self, f: &Written, shape: &Shape) -> Shape {
        Shape::new(shape.axes.iter().map(|&axis| self.axis(f, axis)).collect::<Vec<_>>())
    }

    /// A segmentation or extent of the function.
    pub fn symbol(&mut self, f: &Written, axis: Axis) -> ValueId {
        match self.axis(f, axis) {
            Axis::Sym(own) => own,
            Axis::Const(extent) => unreachable!("{extent} is no segmentation"),
        }
    }

    /// A value of the function as a parameter.
    pub fn param(&mut self, f: &Written, value: ValueId) -> ValueId {
        if let Some(&own) = self.params.get(&value) {
            return own;
        }
        let ty = match f.ty(value) {
            Type::Array(array) => {
                let mut array = array.clone();
                array.shape = self.shape(f, &array.shape);
                Type::Array(array)
            }
            _ => Type::scalar(ScalarType::Idx),
        };
        let name = f.function.values[value.index()].name.clone();
        let own = self.value(&name, ty);
        self.kernel.params.push(own);
        self.args.push(HostAtom::Value(value));
        self.params.insert(value, own);
        own
    }

    /// A scalar of host code.
    pub fn scalar(&mut self, f: &Written, atom: HostAtom) -> Atom {
        match atom {
            HostAtom::Const(scalar) => Atom::Const(scalar),
            HostAtom::Value(value) if f.ty(value).is_shape() => match self.axis(f, Axis::Sym(value)) {
                Axis::Sym(own) => Atom::Value(own),
                Axis::Const(extent) => Atom::Const(Scalar::Idx(extent as i64)),
            },
            HostAtom::Value(value) => Atom::Value(self.param(f, value)),
        }
    }

    /// Begins a thunk that runs at a level.
    pub fn begin(&mut self, level: usize) {
        let coordinate =
            |axis: usize| Local { name: Name::from(["i", "j", "k", "l"][axis.min(3)]), ty: ScalarType::Idx };
        self.thunk =
            Thunk { locals: (0..level).map(coordinate).collect(), n_params: level, ..Thunk::default() };
        self.blocks = vec![Vec::new()];
        self.pending.clear();
        self.reads.clear();
    }

    /// The own coordinates.
    pub fn coordinates(&self) -> Vec<Atom> {
        self.thunk.params().map(Atom::Local).collect()
    }

    /// Ends the thunk: it belongs to a combinator. Gives what the combinator binds.
    pub fn end(&mut self, kind: CombinatorKind, guard: Option<ValueId>, results: Vec<Atom>) -> Vec<ValueId> {
        let mut body = std::mem::take(&mut self.thunk);
        let stmts = self.blocks.pop().unwrap_or_default();
        body.body = Block { stmts, results };
        let results = body.body.results.len();
        let count = match &kind {
            CombinatorKind::Filter { .. } => results + 1,
            CombinatorKind::Partition { .. } => results,
            CombinatorKind::Permute { dest, .. } => {
                results - typing::Scope::new(&self.kernel.values).coordinates(dest)
            }
            CombinatorKind::Serial { bases } => bases.len() + results,
            _ => results,
        };
        let first = self.kernel.values.len();
        let binds: Vec<ValueId> = (first..first + count).map(ValueId::from).collect();
        let types = typing::combinator_types(&self.kernel, &kind, &body, &binds);
        let types = types.unwrap_or_else(|error| panic!("{kind:?} does not fit its thunk: {error:?}"));
        for ty in types {
            self.value("", ty);
        }
        let span = self.span;
        self.kernel.steps.push(Combinator { binds: binds.clone(), kind, guard, body, span });
        binds
    }

    /// Ends the thunk as a map.
    pub fn end_map(&mut self, results: Vec<Atom>) -> Vec<ValueId> {
        self.end(CombinatorKind::Map, None, results)
    }

    pub fn local(&mut self, ty: ScalarType) -> LocalId {
        self.thunk.locals.push(Local { name: Name::from(""), ty });
        LocalId::from(self.thunk.locals.len() - 1)
    }

    pub fn push(&mut self, kind: StmtKind) {
        let stmt = Stmt { kind, span: self.span };
        self.blocks.last_mut().expect("a thunk is being written").push(stmt);
    }

    /// The type of an operand.
    pub fn ty(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Local(local) => self.thunk.local_type(local),
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => {
                self.kernel.values[value.index()].ty.as_scalar().expect("operands are scalars")
            }
        }
    }

    pub fn op(&mut self, op: Op, args: &[Atom]) -> Atom {
        let known: Option<Vec<Scalar>> = args
            .iter()
            .map(|arg| match arg {
                Atom::Const(scalar) => Some(*scalar),
                _ => None,
            })
            .collect();
        if let Some(known) = known {
            return Atom::Const(nestled_ir::interp::eval_op(op, &known));
        }
        let types: Vec<ScalarType> = args.iter().map(|arg| self.ty(*arg)).collect();
        let ty = op.result_type(&types).unwrap_or_else(|error| panic!("{op:?} {types:?}: {error:?}"));
        let dst = self.local(ty);
        self.push(StmtKind::Op { dst, op, args: args.to_vec() });
        Atom::Local(dst)
    }

    /// The index type.
    pub fn index(&mut self, atom: Atom) -> Atom {
        self.convert(atom, ScalarType::Idx)
    }

    pub fn convert(&mut self, atom: Atom, ty: ScalarType) -> Atom {
        if self.ty(atom) == ty { atom } else { self.op(Op::Convert(ty), &[atom]) }
    }

    /// Writes something that may read past the ends of arrays: then it gets the element that is nearest.
    pub fn nearest<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.rule, Rule::Clamp);
        let written = write(self);
        self.rule = outer;
        written
    }

    /// Reads an array of the function at positions known to exist, or the nearest to those.
    pub fn read(&mut self, f: &Written, array: ValueId, at: &[Atom]) -> Atom {
        let own = self.rule == Rule::Proved
            && at.len() <= self.thunk.n_params
            && at.iter().enumerate().all(|(axis, atom)| *atom == Atom::Local(LocalId::from(axis)));
        if own && let Some(&known) = self.reads.get(&array) {
            return known;
        }
        let index = at.iter().map(|&at| Index { at, rule: self.rule }).collect();
        let read = self.read_with(f, array, index, None);
        if own && self.blocks.len() == 1 {
            self.reads.insert(array, read);
        }
        read
    }

    /// Reads an array of the function.
    pub fn read_with(
        &mut self,
        f: &Written,
        array: ValueId,
        index: Vec<Index>,
        site: Option<SiteId>,
    ) -> Atom {
        let param = self.param(f, array);
        let elem = self.kernel.values[param.index()].ty.as_array().expect("arrays are read").elem;
        let dst = self.local(elem);
        self.push(StmtKind::Read { dst, array: param, index, default: None, site });
        Atom::Local(dst)
    }

    /// What an earlier combinator of this kernel computed here.
    pub fn own(&mut self, bind: ValueId) -> Atom {
        let elem = self.kernel.values[bind.index()].ty.as_array().expect("combinators bind arrays").elem;
        let dst = self.local(elem);
        self.push(StmtKind::Own { dst, bind });
        Atom::Local(dst)
    }

    pub fn len(&mut self, f: &Written, seg: Axis, at: &[Atom]) -> Atom {
        let seg = self.symbol(f, seg);
        let dst = self.local(ScalarType::Idx);
        self.push(StmtKind::Len { dst, seg, at: at.to_vec() });
        Atom::Local(dst)
    }

    pub fn start(&mut self, f: &Written, seg: Axis, at: &[Atom]) -> Atom {
        let seg = self.symbol(f, seg);
        let dst = self.local(ScalarType::Idx);
        self.push(StmtKind::Start { dst, seg, at: at.to_vec() });
        Atom::Local(dst)
    }

    pub fn check(&mut self, cond: Atom, code: &str, site: SiteId) {
        if cond != Atom::Const(Scalar::Bool(true)) {
            self.push(StmtKind::Check { cond, code: Name::from(code), site });
        }
    }

    /// Begins a block inside the one that is being written.
    pub fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Ends it.
    pub fn close(&mut self, results: Vec<Atom>) -> Block {
        Block { stmts: self.blocks.pop().expect("a block was begun"), results }
    }

    /// Puts an `if` where both blocks are written; gives its results.
    pub fn branch(&mut self, cond: Atom, then: Block, otherwise: Block) -> Vec<Atom> {
        let types: Vec<ScalarType> = then.results.iter().map(|atom| self.ty(*atom)).collect();
        let dsts: Vec<LocalId> = types.into_iter().map(|ty| self.local(ty)).collect();
        self.push(StmtKind::If { dsts: dsts.clone(), cond, then, otherwise });
        dsts.into_iter().map(Atom::Local).collect()
    }
}
