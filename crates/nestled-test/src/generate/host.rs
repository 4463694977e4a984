//! Generation of host code: the scope, and adding of statements.

use super::Gen;
use super::class::Class;
use super::expr::{Code, Known};
use super::random::Random;
use nestled_ir::typing::host_types;
use nestled_ir::{
    ArrayType, Axis, Function, HostAtom, HostBlock, HostOp, HostStmt, Op, Placement, Scalar, ScalarType,
    Shape, Span, Type, Value, ValueId,
};

/// Facts about a value of host code.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The class of a scalar, or of an array's elements.
    pub class: Class,
    /// For an extent the greatest value; for a segmentation the most elements.
    pub bound: u64,
    /// The value, if it is certain.
    pub known: Option<i64>,
}

impl Fact {
    /// Facts about a scalar or array.
    pub fn of(class: Class) -> Fact {
        Fact { class, bound: 0, known: None }
    }

    /// Facts about an extent or segmentation.
    pub fn bound(bound: u64) -> Fact {
        Fact { class: Class::Range(0, bound as i64), bound, known: None }
    }
}

/// A function that is being written.
pub struct HostCode<'g> {
    pub(super) g: &'g mut Gen,
    pub(super) values: Vec<Value>,
    pub(super) facts: Vec<Fact>,
    pub(super) scope: Vec<ValueId>,
    /// Pairs of axes that `same` made equal: the second stands for the first.
    pub(super) equal: Vec<(Axis, Axis)>,
    /// Whether it may run commands.
    pub(super) commands: bool,
    pub(super) nest: usize,
    open: Vec<Vec<HostStmt>>,
}

impl Code for HostCode<'_> {
    type Atom = HostAtom;

    fn random(&mut self) -> &mut Random {
        &mut self.g.random
    }

    fn literal(&self, value: Scalar) -> HostAtom {
        HostAtom::Const(value)
    }

    fn emit(&mut self, op: Op, args: Vec<HostAtom>, ty: ScalarType) -> HostAtom {
        let id = self.value(Type::scalar(ty), Fact::of(Class::Any));
        self.push(vec![id], HostOp::Scalar { op, args });
        HostAtom::Value(id)
    }

    fn known(&mut self, ty: ScalarType) -> Option<Known<HostAtom>> {
        let all: Vec<ValueId> =
            self.scope.iter().copied().filter(|&id| self.ty(id).as_scalar() == Some(ty)).collect();
        if all.is_empty() {
            return None;
        }
        let id = *self.g.random.pick(&all);
        Some(Known { atom: HostAtom::Value(id), ty, class: self.fact(id).class })
    }

    fn remember(&mut self, known: Known<HostAtom>) {
        if let HostAtom::Value(id) = known.atom {
            self.facts[id.index()].class = known.class;
            self.enter(id);
        }
    }
}

impl<'g> HostCode<'g> {
    /// A function with these values, all of them in scope.
    pub fn new(g: &'g mut Gen, values: Vec<Value>, facts: Vec<Fact>) -> HostCode<'g> {
        let scope = (0..values.len()).map(ValueId::from).collect();
        HostCode {
            g,
            values,
            facts,
            scope,
            equal: Vec::new(),
            commands: true,
            nest: 0,
            open: vec![Vec::new()],
        }
    }

    pub(super) fn ty(&self, id: ValueId) -> &Type {
        &self.values[id.index()].ty
    }

    pub(super) fn fact(&self, id: ValueId) -> Fact {
        self.facts[id.index()]
    }

    /// A new value, which is not in scope yet.
    pub(super) fn value(&mut self, ty: Type, fact: Fact) -> ValueId {
        let name =
            if self.g.random.chance(50) { *self.g.random.pick(&["v", "xs", "k", "total"]) } else { "" };
        self.values.push(Value { name: name.into(), ty, span: Span::NONE });
        self.facts.push(fact);
        ValueId::from(self.values.len() - 1)
    }

    pub(super) fn enter(&mut self, id: ValueId) {
        if !self.scope.contains(&id) {
            self.scope.push(id);
        }
    }

    pub(super) fn push(&mut self, binds: Vec<ValueId>, op: HostOp) {
        self.open.last_mut().expect("a block is open").push(HostStmt { binds, op, span: Span::NONE });
    }

    /// Adds a statement that binds a value for each fact, and works out their types.
    pub(super) fn bind(&mut self, op: HostOp, facts: &[Fact]) -> Vec<ValueId> {
        let binds: Vec<ValueId> = facts.iter().map(|&fact| self.value(Type::Dim, fact)).collect();
        let function = Function {
            name: "".into(),
            values: std::mem::take(&mut self.values),
            shapes: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: HostBlock::default(),
            span: Span::NONE,
        };
        let types = host_types(&self.g.program, &function, &op, &binds);
        self.values = function.values;
        for (&bind, ty) in binds.iter().zip(types.expect("the generator makes well-typed statements")) {
            self.values[bind.index()].ty = ty;
            self.enter(bind);
        }
        self.push(binds.clone(), op);
        binds
    }

    /// Writes a block; its bindings go out of scope after it.
    pub(super) fn block(&mut self, write: impl FnOnce(&mut Self) -> Vec<HostAtom>) -> HostBlock {
        let (scope, equal) = (self.scope.len(), self.equal.len());
        self.open.push(Vec::new());
        self.nest += 1;
        let results = write(self);
        self.nest -= 1;
        self.scope.truncate(scope);
        self.equal.truncate(equal);
        HostBlock { stmts: self.open.pop().expect("it was opened above"), results }
    }

    /// Ends the function: its values and its body.
    pub(super) fn finish(mut self, results: Vec<HostAtom>) -> (Vec<Value>, HostBlock) {
        let stmts = self.open.pop().expect("the body is open");
        (self.values, HostBlock { stmts, results })
    }

    /// True while a block of an `if` is being written.
    pub(super) fn in_branch(&self) -> bool {
        self.open.len() > 1
    }

    /// The representative of equal axes.
    pub(super) fn canonical(&self, axis: Axis) -> Axis {
        let mut axis = axis;
        while let Some((_, next)) = self.equal.iter().find(|(from, _)| *from == axis) {
            axis = *next;
        }
        axis
    }

    /// True if two shapes are known to be equal.
    pub(super) fn same_shape(&self, a: &Shape, b: &Shape) -> bool {
        a.axes.iter().map(|&axis| self.canonical(axis)).eq(b.axes.iter().map(|&axis| self.canonical(axis)))
    }

    /// The most that an axis can be; of a segmentation the most elements.
    pub(super) fn axis_bound(&self, axis: Axis) -> u64 {
        match axis {
            Axis::Const(n) => n,
            Axis::Sym(symbol) => self.fact(symbol).bound,
        }
    }

    /// The most points that a shape can have.
    pub(super) fn points(&self, shape: &Shape) -> u64 {
        shape.axes.iter().fold(1u64, |points, &axis| points.saturating_mul(self.axis_bound(axis)))
    }

    /// Arrays of rank 1 or more in scope that satisfy a condition.
    pub(super) fn arrays(&self, fine: impl Fn(&ArrayType, Fact) -> bool) -> Vec<ValueId> {
        let is_fine = |&id: &ValueId| match self.ty(id) {
            Type::Array(array) => !array.shape.is_scalar() && fine(array, self.fact(id)),
            Type::Dim | Type::Seg(_) => false,
        };
        self.scope.iter().copied().filter(is_fine).collect()
    }

    pub(super) fn dense(&self) -> Vec<ValueId> {
        self.arrays(|array, _| array.placement == Placement::Dense)
    }

    pub(super) fn dims(&self) -> Vec<ValueId> {
        self.scope.iter().copied().filter(|&id| *self.ty(id) == Type::Dim).collect()
    }

    pub(super) fn segs(&self) -> Vec<ValueId> {
        self.scope.iter().copied().filter(|&id| self.ty(id).as_seg().is_some()).collect()
    }

    pub(super) fn array_type(&self, id: ValueId) -> &ArrayType {
        self.ty(id).as_array().expect("the caller chose an array")
    }

    /// An extent in scope, or a constant.
    pub(super) fn some_axis(&mut self) -> Axis {
        let dims = self.dims();
        if dims.is_empty() || self.g.random.chance(25) {
            return Axis::Const(self.g.random.below(5) as u64);
        }
        Axis::Sym(*self.g.random.pick(&dims))
    }

    /// The axes of a space with the points of a shape as its elements.
    pub(super) fn chain(&self, shape: &Shape) -> Vec<Axis> {
        let mut axes = Vec::new();
        for &axis in &shape.axes {
            if let Axis::Sym(symbol) = axis
                && let Some(seg) = self.ty(symbol).as_seg()
            {
                axes.extend(self.chain(&seg.parent));
            }
            axes.push(axis);
        }
        axes
    }

    /// A random shape of a value in scope, with at least one axis.
    pub(super) fn some_shape(&mut self) -> Shape {
        let mut shapes: Vec<Shape> =
            self.arrays(|_, _| true).iter().map(|&id| self.array_type(id).shape.clone()).collect();
        shapes.extend(self.segs().iter().map(|&seg| Shape::of(seg)));
        if shapes.is_empty() || self.g.random.chance(20) {
            let n = 1 + self.g.random.below(3);
            return Shape { axes: (0..n).map(|_| self.some_axis()).collect() };
        }
        self.g.random.pick(&shapes).clone()
    }
}
