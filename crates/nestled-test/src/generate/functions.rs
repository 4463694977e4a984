//! Generation of calls: helpers, recursion with fuel, and `each`.

use super::class::Class;
use super::expr::{self, Code, Known};
use super::formals::Formals;
use super::host::{Fact, HostCode};
use super::wanted::Wanted;
use nestled_ir::{
    Axis, EachArg, Function, FunctionId, HostAtom, HostBlock, HostOp, Op, Placement, Scalar, ScalarType,
    Shape, Span, Type, ValueId,
};

/// The greatest depth at which generated functions call generated functions.
const MOST_CALLS: usize = 2;

impl HostCode<'_> {
    /// A helper, a recursion, or `each`.
    pub(super) fn call_something(&mut self) {
        if self.g.calls >= MOST_CALLS || self.g.program.functions.len() > 6 {
            return;
        }
        self.g.calls += 1;
        match self.g.random.below(3) {
            0 => self.helper(),
            1 => self.recursion(),
            _ => self.each(),
        }
        self.g.calls -= 1;
    }

    /// Some values in scope, as parameters.
    fn some_formals(&mut self) -> Formals {
        let mut formals = Formals::default();
        for _ in 0..1 + self.g.random.below(2) {
            let arrays = self.arrays(|_, fact| !matches!(fact.class, Class::Range(..)));
            if !arrays.is_empty() {
                let array = *self.g.random.pick(&arrays);
                let elem = self.array_type(array).elem;
                let id = formals.array(self, array);
                // Recursive calls bring their arguments to the class of the parameters: let it be one that can be reached.
                let class = &mut formals.facts[id.index()].class;
                *class = if class.fits(Class::base(elem)) { Class::base(elem) } else { Class::Any };
            }
        }
        for _ in 0..self.g.random.below(3) {
            self.scalar_formal(&mut formals);
        }
        formals
    }

    fn scalar_formal(&mut self, formals: &mut Formals) {
        let ty = expr::random_type(&mut self.g.random);
        let class = Class::base(ty);
        let actual = expr::want_in(self, ty, class, 1).atom;
        formals.scalar(ty, class, actual);
    }

    /// Generates a function that computes with values in scope, and calls it.
    fn helper(&mut self) {
        let formals = self.some_formals();
        let (shapes, args) = (formals.shape_arguments(), formals.actual_args.clone());
        let id = self.reserve("helper");
        let list = {
            let (shape_params, params) = (formals.shapes.clone(), formals.params.clone());
            let mut inner = HostCode::new(self.g, formals.values, formals.facts);
            inner.commands = self.commands;
            inner.nest = 1;
            let list = inner.wish(false);
            let results = inner.formal_results(&list);
            let n = 1 + inner.g.random.below(2);
            inner.grow(n);
            let atoms = inner.produce(&list);
            let (values, body) = inner.finish(atoms);
            self.define(id, values, shape_params, params, results, body);
            list
        };
        let facts: Vec<Fact> = list.iter().map(Wanted::fact).collect();
        self.bind(HostOp::Call { function: id, shapes, args }, &facts);
    }

    /// A place for a function that is not written yet.
    fn reserve(&mut self, name: &str) -> FunctionId {
        let id = FunctionId::from(self.g.program.functions.len());
        self.g.program.functions.push(Function {
            name: format!("{name}{}", id.index()).into(),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: HostBlock::default(),
            span: Span::NONE,
        });
        id
    }

    fn define(
        &mut self,
        id: FunctionId,
        values: Vec<nestled_ir::Value>,
        shapes: Vec<ValueId>,
        params: Vec<ValueId>,
        results: Vec<ValueId>,
        body: HostBlock,
    ) {
        let function = &mut self.g.program.functions[id.index()];
        (function.values, function.shapes, function.params) = (values, shapes, params);
        (function.results, function.body) = (results, body);
    }

    /// Generates one function that calls itself, or two that call each other, with fuel that runs out.
    fn recursion(&mut self) {
        let fuel = self.g.random.between(0, 4);
        let mut formals = Formals::default();
        formals.scalar(ScalarType::I64, Class::Range(0, 4), HostAtom::Const(Scalar::I64(fuel)));
        let more = self.some_formals();
        for &arg in &more.actual_args {
            match arg {
                HostAtom::Value(id) if self.ty(id).as_scalar().is_none() => {
                    let at =
                        more.actual_args.iter().position(|&other| other == arg).expect("it is one of them");
                    let class = more.facts[more.params[at].index()].class;
                    let formal = formals.array(self, id);
                    formals.facts[formal.index()].class = class;
                }
                _ => self.scalar_formal(&mut formals),
            }
        }
        let (shapes, args) = (formals.shape_arguments(), formals.actual_args.clone());
        let n = 1 + self.g.random.below(2);
        let ids: Vec<FunctionId> = (0..n).map(|_| self.reserve("again")).collect();
        let list = self.recursive_list(&formals, &ids);
        for at in 0..n {
            self.write_recursive(ids[at], ids[(at + 1) % n], &formals, &list);
        }
        let facts: Vec<Fact> = list.iter().map(Wanted::fact).collect();
        self.bind(HostOp::Call { function: ids[0], shapes, args }, &facts);
    }

    /// Chooses the results, and gives the functions their types, so that calls can be written.
    fn recursive_list(&mut self, formals: &Formals, ids: &[FunctionId]) -> Vec<Wanted> {
        let mut inner = HostCode::new(self.g, formals.values.clone(), formals.facts.clone());
        let list = inner.wish(false);
        let results = inner.formal_results(&list);
        let (values, _) = inner.finish(Vec::new());
        for &id in ids {
            let (shapes, params) = (formals.shapes.clone(), formals.params.clone());
            self.define(id, values.clone(), shapes, params, results.clone(), HostBlock::default());
        }
        list
    }

    fn write_recursive(&mut self, id: FunctionId, next: FunctionId, formals: &Formals, list: &[Wanted]) {
        let mut inner = HostCode::new(self.g, formals.values.clone(), formals.facts.clone());
        inner.commands = self.commands;
        inner.nest = 1;
        let results = inner.formal_results(list);
        let fuel = Known {
            atom: HostAtom::Value(formals.params[0]),
            ty: ScalarType::I64,
            class: Class::Range(0, 4),
        };
        let zero = expr::exactly(&inner, Scalar::I64(0));
        let over = expr::must(&mut inner, Op::Le, &[fuel, zero]);
        let then = inner.block(|code| code.produce(list));
        let otherwise = inner.block(|code| {
            let one = expr::exactly(code, Scalar::I64(1));
            let less = expr::must(code, Op::Sub, &[fuel, one]);
            code.grow(1);
            let (shapes, args) = code.arguments(formals, less.atom);
            let shapes_kept =
                shapes.iter().copied().eq(formals.shapes.iter().map(|&symbol| Axis::Sym(symbol)));
            let facts: Vec<Fact> = list.iter().map(Wanted::fact).collect();
            let binds = code.bind(HostOp::Call { function: next, shapes, args }, &facts);
            // Half of the calls are the last thing that happens, where their results have the right types.
            let same = shapes_kept && code.random().chance(50);
            if same {
                return binds.iter().map(|&bind| HostAtom::Value(bind)).collect();
            }
            code.grow(1);
            code.produce(list)
        });
        let facts: Vec<Fact> = list.iter().map(Wanted::fact).collect();
        let binds = inner.bind(HostOp::If { cond: over.atom, then, otherwise }, &facts);
        let (values, body) = inner.finish(binds.iter().map(|&bind| HostAtom::Value(bind)).collect());
        self.define(id, values, formals.shapes.clone(), formals.params.clone(), results, body);
    }

    /// Arguments for a recursive call: other extents, if all arrays over them can be made anew.
    fn arguments(&mut self, formals: &Formals, fuel: HostAtom) -> (Vec<Axis>, Vec<HostAtom>) {
        let shapes: Vec<Axis> =
            formals.shapes.iter().map(|&symbol| self.other_extent(formals, symbol)).collect();
        let swap = nestled_ir::typing::Substitution::new(&formals.shapes, &shapes);
        let mut args = vec![fuel];
        for &param in &formals.params[1..] {
            let ty = swap.ty(&formals.values[param.index()].ty);
            let class = formals.facts[param.index()].class;
            let unchanged = ty == formals.values[param.index()].ty;
            args.push(match &ty {
                Type::Array(array) if array.shape.is_scalar() => {
                    expr::want_in(self, array.elem, class, 1).atom
                }
                Type::Array(array)
                    if array.placement == Placement::Dense && !(unchanged && self.g.random.chance(60)) =>
                {
                    HostAtom::Value(super::kernel::array_over(self, &array.shape, array.elem, class))
                }
                Type::Array(_) | Type::Dim | Type::Seg(_) => HostAtom::Value(param),
            });
        }
        (shapes, args)
    }

    fn other_extent(&mut self, formals: &Formals, symbol: ValueId) -> Axis {
        let segmented = formals
            .values
            .iter()
            .any(|value| value.ty.as_seg().is_some_and(|seg| seg.parent.axes.contains(&Axis::Sym(symbol))));
        if *self.ty(symbol) != Type::Dim || segmented || self.g.random.chance(50) {
            return Axis::Sym(symbol);
        }
        let bound = self.fact(symbol).bound;
        let fine: Vec<ValueId> =
            self.dims().into_iter().filter(|&dim| self.fact(dim).bound <= bound).collect();
        Axis::Sym(*self.g.random.pick(&fine))
    }

    /// Calls a function for each point of an extent.
    fn each(&mut self) {
        let extent = self.some_axis();
        if self.axis_bound(extent) > 40 {
            return;
        }
        let mut formals = Formals::default();
        let mut elements: Vec<ValueId> = Vec::new();
        self.segment_formals(extent, &mut formals, &mut elements);
        self.element_formals(extent, &mut formals, &mut elements);
        for _ in 0..self.g.random.below(2) {
            self.scalar_formal(&mut formals);
        }
        let args = formals.actual_args.iter().map(|&arg| match arg {
            HostAtom::Value(id) if elements.contains(&id) => EachArg::Element(id),
            other => EachArg::Uniform(other),
        });
        let args: Vec<EachArg> = args.collect();
        let shapes = formals.actual_shapes.clone();
        let id = self.reserve("instance");
        let (shape_params, params) = (formals.shapes.clone(), formals.params.clone());
        let mut inner = HostCode::new(self.g, formals.values, formals.facts);
        inner.commands = false;
        inner.nest = 2;
        let list = inner.wish(true);
        let results = inner.formal_results(&list);
        let n = inner.g.random.below(2);
        inner.grow(n);
        let atoms = inner.produce(&list);
        let (values, body) = inner.finish(atoms);
        self.define(id, values, shape_params, params, results, body);
        let n = self.axis_bound(extent);
        let fact = |wanted: &Wanted| match wanted {
            Wanted::Extent(bound) => Fact::bound(bound * n),
            other => other.fact(),
        };
        let facts: Vec<Fact> = list.iter().map(fact).collect();
        self.bind(HostOp::Each { extent, function: id, shapes, args }, &facts);
    }

    /// Segments of one segmentation of the extent: arrays over an extent that each instance knows.
    fn segment_formals(&mut self, extent: Axis, formals: &mut Formals, elements: &mut Vec<ValueId>) {
        let of_extent = |id: &ValueId| {
            self.ty(*id).as_seg().is_some_and(|seg| self.same_shape(&seg.parent, &Shape::new([extent])))
        };
        let segs: Vec<ValueId> = self.segs().into_iter().filter(of_extent).collect();
        if segs.is_empty() {
            return;
        }
        let seg = *self.g.random.pick(&segs);
        let arrays =
            self.arrays(|array, _| array.placement == Placement::Dense && array.shape == Shape::of(seg));
        if arrays.is_empty() {
            return;
        }
        let length = formals.shape_parameter("len", Type::Dim, Fact::bound(self.fact(seg).bound), None);
        for _ in 0..1 + self.g.random.below(2) {
            let array = *self.g.random.pick(&arrays);
            if !elements.contains(&array) {
                let ty = Type::dense(self.array_type(array).elem, Shape::of(length));
                formals.parameter("segment", ty, self.fact(array), HostAtom::Value(array));
                elements.push(array);
            }
        }
    }

    /// Elements of arrays over the extent.
    fn element_formals(&mut self, extent: Axis, formals: &mut Formals, elements: &mut Vec<ValueId>) {
        let arrays = self.arrays(|array, _| {
            array.placement == Placement::Dense && self.same_shape(&array.shape, &Shape::new([extent]))
        });
        for _ in 0..self.g.random.below(3) {
            if arrays.is_empty() {
                return;
            }
            let array = *self.g.random.pick(&arrays);
            if !elements.contains(&array) {
                let ty = Type::scalar(self.array_type(array).elem);
                formals.parameter("element", ty, self.fact(array), HostAtom::Value(array));
                elements.push(array);
            }
        }
    }
}
