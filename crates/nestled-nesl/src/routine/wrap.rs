//! The wrapper of a flat program: segmentations from lengths, and lengths from segmentations.

use super::Plain;
use crate::dialect::Dialect;
use crate::engine::Given;
use nestled_ir::value::{AxisValue, Value as Known};
use nestled_ir::{
    ArrayType, Axis, Function, FunctionId, HostAtom, HostBlock, HostOp, HostStmt, KernelId, Placement,
    Program, Scalar, ScalarType, SegType, Shape, SiteId, Span, Type, Value, ValueId,
};

/// Lengths as numbers.
const NUMBERS: &str = "kernel numbers<n>(xs: [n]idx) over n {
  r = map { i =>
    t = xs[i proved]
    i64 t
  }
  ret r
}
fn main() -> i64 {
  ret 0i64
}
";

/// What is at each point of a sequence.
#[derive(Clone, Copy)]
struct Points {
    /// The extent of the outermost sequence, or the segmentation.
    symbol: ValueId,
    /// How many points there are: an extent.
    total: ValueId,
}

impl Points {
    fn is_nested(self) -> bool {
        self.symbol != self.total
    }
}

struct Wrapper<'a> {
    dialect: Dialect,
    program: Program,
    main: FunctionId,
    numbers: Option<KernelId>,
    function: Function,
    order: &'a [Taken],
}

/// Where a value comes from that the program takes.
pub(super) enum Taken {
    /// An argument.
    Argument(usize),
    /// A variable: extents and elements, as the program takes them.
    Known(Given),
}

/// The program with a `main` that takes and gives what [`super::Routine`] says. `order` says which arguments the present one takes.
pub(super) fn wrap(
    mut program: Program,
    dialect: Dialect,
    arguments: &[Plain],
    order: &[Taken],
    result: &Plain,
) -> Result<Program, String> {
    let main = program.find_function(Program::ENTRY).ok_or("there is no program")?;
    program.functions[main.index()].name = "routine".into();
    let function = Function {
        name: Program::ENTRY.into(),
        values: Vec::new(),
        shapes: Vec::new(),
        params: Vec::new(),
        results: Vec::new(),
        body: HostBlock::default(),
        span: Span::NONE,
    };
    let mut wrapper = Wrapper { dialect, program, main, numbers: None, function, order };
    let binds = wrapper.call(arguments, result)?;
    wrapper.results(result, &mut binds.into_iter(), None, None);
    let Wrapper { mut program, function, .. } = wrapper;
    program.functions.push(function);
    if let Err(errors) = nestled_ir::verify::verify(&program) {
        return Err(nestled_ir::render_all(&errors, &program.sources));
    }
    Ok(program)
}

impl Wrapper<'_> {
    fn value(&mut self, ty: Type) -> ValueId {
        self.function.values.push(Value { name: "".into(), ty, span: Span::NONE });
        ValueId::from(self.function.values.len() - 1)
    }

    fn bind(&mut self, ty: Type, op: HostOp) -> ValueId {
        let value = self.value(ty);
        self.function.body.stmts.push(HostStmt { binds: vec![value], op, span: Span::NONE });
        value
    }

    fn site(&mut self) -> SiteId {
        self.program.sites.push(Span::NONE);
        SiteId::from(self.program.sites.len() - 1)
    }

    fn reshape(&mut self, array: ValueId, elem: ScalarType, symbol: ValueId) -> ValueId {
        let (shape, site) = (Shape::of(symbol), self.site());
        self.bind(dense(elem, shape.clone()), HostOp::Reshape { array, shape, site })
    }

    /// Parameters for a value of this type, and what the program is called with.
    fn argument(
        &mut self,
        plain: &Plain,
        at: Option<Points>,
        shapes: &mut Vec<Axis>,
        args: &mut Vec<HostAtom>,
    ) {
        match plain {
            Plain::Seq(element) => {
                let points = match at {
                    None => {
                        let extent = self.value(Type::Dim);
                        Points { symbol: extent, total: extent }
                    }
                    Some(at) => {
                        let lengths = self.value(dense(ScalarType::I64, Shape::of(at.total)));
                        self.function.params.push(lengths);
                        let lengths = match at.is_nested() {
                            true => self.reshape(lengths, ScalarType::I64, at.symbol),
                            false => lengths,
                        };
                        let parent = Shape::of(at.symbol);
                        let site = self.site();
                        let ty = Type::Seg(SegType { parent, form: nestled_ir::Form::Offsets });
                        let symbol = self.bind(ty, HostOp::Segments { lengths, site });
                        Points { symbol, total: self.value(Type::Dim) }
                    }
                };
                self.function.shapes.push(points.total);
                shapes.push(Axis::Sym(points.symbol));
                self.argument(element, Some(points), shapes, args);
            }
            Plain::Pair(left, right) => {
                self.argument(left, at, shapes, args);
                self.argument(right, at, shapes, args);
            }
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => {
                let elem = plain.scalar(self.dialect);
                let param = self.value(dense(elem, at.map_or(Shape::SCALAR, |at| Shape::of(at.total))));
                self.function.params.push(param);
                args.push(HostAtom::Value(match at {
                    Some(at) if at.is_nested() => self.reshape(param, elem, at.symbol),
                    _ => param,
                }));
            }
        }
    }

    /// A variable's value, written out.
    fn known(
        &mut self,
        known: &Given,
        shapes: &mut Vec<Axis>,
        args: &mut Vec<HostAtom>,
    ) -> Result<(), String> {
        let mut extents: Vec<(u64, ValueId)> = Vec::new();
        for shape in &known.shapes {
            let AxisValue::Extent(extent) = *shape else {
                return Err("it uses a variable that is a nested sequence: make it an argument".to_owned());
            };
            let site = self.site();
            let value = Scalar::Idx(i64::try_from(extent).unwrap_or(i64::MAX));
            let value = self.bind(Type::Dim, HostOp::Dim { extent: HostAtom::Const(value), site });
            shapes.push(Axis::Sym(value));
            extents.push((extent, value));
        }
        for arg in &known.args {
            args.push(match arg {
                Known::Scalar(scalar) => HostAtom::Const(*scalar),
                Known::Array(array) => {
                    let elements: Vec<Scalar> = array.elements().collect();
                    let count = elements.len() as u64;
                    let extent =
                        extents.iter().find(|extent| extent.0 == count).ok_or("a variable has no extent")?.1;
                    let shape = Shape::new([Axis::Const(count)]);
                    let literal = HostOp::Literal { elem: array.elem, extents: vec![count], elements };
                    let literal = self.bind(dense(array.elem, shape), literal);
                    HostAtom::Value(self.reshape(literal, array.elem, extent))
                }
                Known::Dim(_) | Known::Seg(_) => unreachable!("shapes are apart"),
            });
        }
        Ok(())
    }

    /// The call, and what it binds.
    fn call(&mut self, arguments: &[Plain], result: &Plain) -> Result<Vec<ValueId>, String> {
        let mut given = Vec::new();
        for argument in arguments {
            let (mut shapes, mut args) = (Vec::new(), Vec::new());
            self.argument(argument, None, &mut shapes, &mut args);
            given.push((shapes, args));
        }
        let (mut shapes, mut args) = (Vec::new(), Vec::new());
        for taken in self.order {
            match taken {
                Taken::Argument(number) => {
                    shapes.extend_from_slice(&given[*number].0);
                    args.extend_from_slice(&given[*number].1);
                }
                Taken::Known(known) => self.known(known, &mut shapes, &mut args)?,
            }
        }
        let callee = self.program.function(self.main);
        let forms: Vec<(Placement, nestled_ir::Form)> = callee
            .results
            .iter()
            .map(|formal| match &callee.values[formal.index()].ty {
                Type::Array(array) => (array.placement, nestled_ir::Form::Offsets),
                Type::Seg(seg) => (Placement::Dense, seg.form),
                Type::Dim => (Placement::Dense, nestled_ir::Form::Offsets),
            })
            .collect();
        if forms.iter().any(|form| form.0 != Placement::Dense) {
            return Err("the result shares its parts".to_owned());
        }
        let mut binds = Vec::new();
        self.bound(result, None, &forms, &mut binds);
        let op = HostOp::Call { function: self.main, shapes, args };
        self.function.body.stmts.push(HostStmt { binds: binds.clone(), op, span: Span::NONE });
        Ok(binds)
    }

    /// The values that the call binds for a result of this type.
    fn bound(
        &mut self,
        plain: &Plain,
        at: Option<ValueId>,
        forms: &[(Placement, nestled_ir::Form)],
        binds: &mut Vec<ValueId>,
    ) {
        match plain {
            Plain::Seq(element) => {
                let form = forms[binds.len()].1;
                let ty = at.map_or(Type::Dim, |at| Type::Seg(SegType { parent: Shape::of(at), form }));
                let symbol = self.value(ty);
                binds.push(symbol);
                self.bound(element, Some(symbol), forms, binds);
            }
            Plain::Pair(left, right) => {
                self.bound(left, at, forms, binds);
                self.bound(right, at, forms, binds);
            }
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => {
                let shape = at.map_or(Shape::SCALAR, Shape::of);
                let value = self.value(dense(plain.scalar(self.dialect), shape));
                binds.push(value);
            }
        }
    }

    /// Gives back a value of this type. `formal` is what formal results call the number of its points.
    fn results(
        &mut self,
        plain: &Plain,
        bound: &mut std::vec::IntoIter<ValueId>,
        at: Option<Points>,
        formal: Option<ValueId>,
    ) {
        let mut next = || bound.next().unwrap_or_else(|| unreachable!("the call bound it"));
        match plain {
            Plain::Seq(element) => {
                let symbol = next();
                let total = match at {
                    None => symbol,
                    Some(at) => {
                        let lengths = self.lengths(symbol, at);
                        self.give(lengths, dense(ScalarType::I64, formal.map_or(Shape::SCALAR, Shape::of)));
                        self.bind(Type::Dim, HostOp::Size { shape: Shape::of(symbol) })
                    }
                };
                let formal = self.give(total, Type::Dim);
                self.results(element, bound, Some(Points { symbol, total }), Some(formal));
            }
            Plain::Pair(left, right) => {
                self.results(left, bound, at, formal);
                self.results(right, bound, at, formal);
            }
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => {
                let (value, elem) = (next(), plain.scalar(self.dialect));
                let value = match at {
                    Some(at) if at.is_nested() => self.reshape(value, elem, at.total),
                    _ => value,
                };
                self.give(value, dense(elem, formal.map_or(Shape::SCALAR, Shape::of)));
            }
        }
    }

    /// A result, with its formal type; answers the formal.
    fn give(&mut self, value: ValueId, ty: Type) -> ValueId {
        let formal = self.value(ty);
        self.function.results.push(formal);
        self.function.body.results.push(HostAtom::Value(value));
        formal
    }

    /// The lengths of segments as an array of numbers.
    fn lengths(&mut self, seg: ValueId, at: Points) -> ValueId {
        let ty = dense(ScalarType::Idx, Shape::of(at.symbol));
        let mut lengths = self.bind(ty, HostOp::Lengths { seg });
        if at.is_nested() {
            lengths = self.reshape(lengths, ScalarType::Idx, at.total);
        }
        let kernel = *self.numbers.get_or_insert_with(|| {
            let parsed = nestled_ir::text::parse("numbers", NUMBERS).expect("the text is right");
            self.program.kernels.extend(parsed.kernels);
            KernelId::from(self.program.kernels.len() - 1)
        });
        let args = vec![HostAtom::Value(lengths)];
        let shapes = vec![Axis::Sym(at.total)];
        self.bind(dense(ScalarType::I64, Shape::of(at.total)), HostOp::Run { kernel, shapes, args })
    }
}

fn dense(elem: ScalarType, shape: Shape) -> Type {
    Type::Array(ArrayType { elem, shape, placement: Placement::Dense })
}
