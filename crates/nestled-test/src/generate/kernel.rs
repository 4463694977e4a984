//! Generation of kernels: space, parameters, and adding of combinators. `steps.rs` chooses the combinators.

use super::class::Class;
use super::expr::{self, Known};
use super::formals::Formals;
use super::host::{Fact, HostCode};
use super::surroundings::{ArrayFacts, BindFacts, Coordinate, SegFacts, Surroundings};
use super::thunk::ThunkCode;
use nestled_ir::typing::combinator_types;
use nestled_ir::{
    Atom, Axis, Combinator, CombinatorKind, HostAtom, HostOp, Kernel, KernelId, Op, Scalar, ScalarType,
    Shape, Span, Thunk, Type, ValueId,
};

/// A kernel that is being written.
pub struct KernelCode {
    pub(super) formals: Formals,
    pub(super) around: Surroundings,
    /// The most points of each level.
    pub(super) points: Vec<u64>,
    /// The axes of the space, as the caller names them.
    pub(super) callers_space: Vec<Axis>,
    space: Vec<Axis>,
    steps: Vec<Combinator>,
    extra_scalars: Vec<Known<Atom>>,
}

impl KernelCode {
    /// A kernel over axes of the caller.
    pub fn over(host: &mut HostCode<'_>, axes: &[Axis]) -> KernelCode {
        let mut formals = Formals::default();
        let space: Vec<Axis> = axes.iter().map(|&axis| formals.axis(host, axis)).collect();
        let mut code = KernelCode {
            formals,
            around: Surroundings::default(),
            points: vec![1],
            callers_space: axes.to_vec(),
            space: space.clone(),
            steps: Vec::new(),
            extra_scalars: Vec::new(),
        };
        for (&axis, &own) in axes.iter().zip(&space) {
            let bound = host.axis_bound(axis);
            let coordinate = code.axis_coordinate(own);
            let is_segment = matches!(coordinate, Coordinate::Segment(_));
            let above = code.points[code.points.len() - 1];
            code.points.push(if is_segment { bound } else { above.saturating_mul(bound) });
            code.around.space.push(coordinate);
            code.around.bounds.push(bound);
        }
        code
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.space.len()
    }

    fn axis_coordinate(&self, axis: Axis) -> Coordinate {
        match axis {
            Axis::Const(n) => Coordinate::Const(n),
            Axis::Sym(symbol) if self.formals.values[symbol.index()].ty.as_seg().is_some() => {
                Coordinate::Segment(symbol)
            }
            Axis::Sym(symbol) => Coordinate::Extent(symbol),
        }
    }

    /// The ranges of the coordinates of a shape.
    pub(super) fn coordinates(&self, shape: &Shape) -> Vec<Coordinate> {
        let mut all = Vec::new();
        for &axis in &shape.axes {
            if let Axis::Sym(symbol) = axis
                && let Some(seg) = self.formals.values[symbol.index()].ty.as_seg()
            {
                all.extend(self.coordinates(&seg.parent));
            }
            all.push(self.axis_coordinate(axis));
        }
        all
    }

    /// Adds an array of the caller as a parameter.
    pub fn capture(&mut self, host: &mut HostCode<'_>, array: ValueId) -> ValueId {
        let n = self.formals.params.len();
        let id = self.formals.array(host, array);
        if self.formals.params.len() > n {
            let Some(ty) = self.formals.values[id.index()].ty.as_array().cloned() else { return id };
            let coordinates = self.coordinates(&ty.shape);
            let class = self.formals.facts[id.index()].class;
            self.around.arrays.push(ArrayFacts { id, elem: ty.elem, class, coordinates });
        }
        id
    }

    /// Adds a scalar parameter.
    pub fn capture_scalar(&mut self, scalar: Known<HostAtom>) {
        let id = self.formals.scalar(scalar.ty, scalar.class, scalar.atom);
        self.extra_scalars.push(Known { atom: Atom::Value(id), ty: scalar.ty, class: scalar.class });
    }

    /// Updates the surroundings of thunks to the current parameters.
    fn refresh(&mut self) {
        self.around.scalars = self.extra_scalars.clone();
        self.around.segs.clear();
        for &symbol in &self.formals.shapes.clone() {
            let bound = self.formals.facts[symbol.index()].bound;
            match self.formals.values[symbol.index()].ty.clone() {
                Type::Seg(seg) => {
                    let parent = self.coordinates(&seg.parent);
                    self.around.segs.push(SegFacts { id: symbol, parent, bound });
                }
                Type::Dim | Type::Array(_) => self.around.scalars.push(Known {
                    atom: Atom::Value(symbol),
                    ty: ScalarType::Idx,
                    class: Class::Range(0, bound as i64),
                }),
            }
        }
    }

    /// Writes a thunk for a level.
    pub(super) fn thunk(
        &mut self,
        host: &mut HostCode<'_>,
        level: usize,
        guard: Option<ValueId>,
        write: impl FnOnce(&mut ThunkCode<'_>) -> Vec<Known<Atom>>,
    ) -> (Thunk, Vec<Known<Atom>>) {
        self.refresh();
        let params: Vec<(ScalarType, Class)> = self.around.bounds[..level]
            .iter()
            .map(|&bound| (ScalarType::Idx, Class::Range(0, (bound as i64 - 1).max(0))))
            .collect();
        let mut size = host.g.size;
        if self.points[level] > 300 {
            (size.thunk, size.depth) = (1, 2);
        }
        let mut code = ThunkCode::new(host.g.random.fork(), size, &host.g.thunks, &self.around, &params);
        code.guard = guard;
        code.grow();
        let results = write(&mut code);
        (code.finish(&results), results)
    }

    /// Adds a combinator; `classes` are those of its arrays.
    pub(super) fn add(
        &mut self,
        kind: CombinatorKind,
        guard: Option<ValueId>,
        body: Thunk,
        classes: &[Class],
    ) -> Vec<ValueId> {
        let level = body.n_params;
        let makes_shape = matches!(kind, CombinatorKind::Filter { .. } | CombinatorKind::Partition { .. });
        let mut binds = Vec::new();
        if makes_shape {
            binds.push(self.formals.value("k", Type::Dim, Fact::bound(self.points[level])));
        }
        for &class in classes {
            binds.push(self.formals.value("p", Type::Dim, Fact::of(class)));
        }
        let mut kernel = self.shell();
        let types = combinator_types(&kernel, &kind, &body, &binds);
        self.formals.values = std::mem::take(&mut kernel.values);
        for (&bind, ty) in binds.iter().zip(types.expect("the generator makes well-typed combinators")) {
            self.formals.values[bind.index()].ty = ty;
        }
        if kind.is_readable() {
            self.make_readable(&kind, guard, level, &binds, classes);
        }
        self.steps.push(Combinator { binds: binds.clone(), kind, guard, body, span: Span::NONE });
        binds
    }

    fn make_readable(
        &mut self,
        kind: &CombinatorKind,
        guard: Option<ValueId>,
        level: usize,
        binds: &[ValueId],
        classes: &[Class],
    ) {
        for (&id, &class) in binds.iter().zip(classes) {
            let ty =
                self.formals.values[id.index()].ty.as_array().map_or(ScalarType::Idx, |array| array.elem);
            let reduce = matches!(kind, CombinatorKind::Reduce { .. });
            let level = if reduce { kind.group().map_or(0, |group| group.0) } else { level };
            let map = matches!(kind, CombinatorKind::Map);
            self.around.binds.push(BindFacts { id, ty, class, level, guard, window: !reduce, map });
        }
    }

    /// The kernel without its steps, to ask about types.
    fn shell(&mut self) -> Kernel {
        Kernel {
            name: "".into(),
            values: std::mem::take(&mut self.formals.values),
            shapes: self.formals.shapes.clone(),
            params: self.formals.params.clone(),
            space: self.space.clone(),
            steps: Vec::new(),
            ret: Vec::new(),
            span: Span::NONE,
        }
    }

    /// The bindings of each step.
    pub(super) fn bound(&self) -> Vec<(Vec<ValueId>, bool)> {
        let shape = |step: &Combinator| step.kind.group().is_some() && !step.kind.is_readable();
        self.steps.iter().map(|step| (step.binds.clone(), shape(step))).collect()
    }

    /// Adds the kernel to the program and runs it; returns the results as values of the caller.
    pub fn run(mut self, host: &mut HostCode<'_>, ret: Vec<ValueId>) -> Vec<ValueId> {
        let facts: Vec<Fact> = ret.iter().map(|id| self.formals.facts[id.index()]).collect();
        let steps = std::mem::take(&mut self.steps);
        let name = format!("kernel{}", host.g.program.kernels.len());
        let kernel = Kernel { name: name.into(), steps, ret, ..self.shell() };
        host.g.program.kernels.push(kernel);
        let kernel = KernelId::from(host.g.program.kernels.len() - 1);
        let (shapes, args) = (self.formals.shape_arguments(), self.formals.actual_args);
        host.bind(HostOp::Run { kernel, shapes, args }, &facts)
    }
}

/// Widens the classes by zero, the value at points where the guard does not hold.
pub(super) fn or_zero(results: &[Known<Atom>], guard: Option<ValueId>) -> Vec<Class> {
    let class = |known: &Known<Atom>| match guard {
        Some(_) => known.class.join(Class::of(Scalar::zero(known.ty))),
        None => known.class,
    };
    results.iter().map(class).collect()
}

/// An array over a shape of the caller, made by a kernel.
pub fn array_over(host: &mut HostCode<'_>, shape: &Shape, ty: ScalarType, class: Class) -> ValueId {
    let axes = host.chain(shape);
    let mut kernel = KernelCode::over(host, &axes);
    kernel.capture_some(host, 2);
    let level = kernel.rank();
    let (body, results) = kernel.thunk(host, level, None, |code| vec![expr::want_in(code, ty, class, 2)]);
    let classes: Vec<Class> = results.iter().map(|known| known.class).collect();
    let binds = kernel.add(CombinatorKind::Map, None, body, &classes);
    kernel.run(host, binds)[0]
}

/// The elements of an array, converted.
pub fn converted(host: &mut HostCode<'_>, array: ValueId, to: ScalarType) -> ValueId {
    let ty = host.array_type(array).clone();
    let axes = host.chain(&ty.shape);
    let mut kernel = KernelCode::over(host, &axes);
    let captured = kernel.capture(host, array);
    let level = kernel.rank();
    let (body, results) = kernel.thunk(host, level, None, |code| {
        let element = code.read_own_element(captured);
        vec![expr::must(code, Op::Convert(to), &[element])]
    });
    let binds = kernel.add(CombinatorKind::Map, None, body, &[results[0].class]);
    kernel.run(host, binds)[0]
}

/// Starts for segments anywhere in a buffer of `size` elements, at least as many as any segment has.
pub fn starts_within(host: &mut HostCode<'_>, seg: ValueId, size: ValueId) -> ValueId {
    let parent = host.ty(seg).as_seg().map(|seg| seg.parent.clone()).unwrap_or_default();
    let axes = host.chain(&parent);
    let mut kernel = KernelCode::over(host, &axes);
    let formal = kernel.formals.axis(host, Axis::Sym(seg));
    kernel.capture_scalar(Known { atom: HostAtom::Value(size), ty: ScalarType::Idx, class: Class::Any });
    let level = kernel.rank();
    let (body, _) = kernel.thunk(host, level, None, |code| {
        let Axis::Sym(formal) = formal else { return Vec::new() };
        vec![code.random_start(formal)]
    });
    let binds = kernel.add(CombinatorKind::Map, None, body, &[Class::Any]);
    kernel.run(host, binds)[0]
}
