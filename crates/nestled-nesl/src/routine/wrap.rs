//! Wrapper of a flat program: makes segmentations of lengths, and lengths of segmentations, or takes and gives segmentations as they are.

use super::Plain;
use crate::core::{CoreType, CoreTypes, Ty};
use crate::dialect::Dialect;
use crate::engine::Given;
use nestled_ir::build::{FunctionBuilder, KernelBuilder, ProgramBuilder};
use nestled_ir::value::{AxisValue, Value as Known};
use nestled_ir::{
    Axis, Form, FunctionId, HostAtom, HostOp, Index, Placement, Program, Rule, Scalar, ScalarType, SegType,
    Shape, SiteId, Span, Type, ValueId,
};

/// The points of a sequence.
#[derive(Clone, Copy)]
struct Points {
    /// The extent of the outermost sequence, or the segmentation.
    symbol: ValueId,
    /// Number of points: an extent.
    total: ValueId,
}

impl Points {
    fn is_nested(self) -> bool {
        self.symbol != self.total
    }
}

struct Wrapper<'a> {
    dialect: Dialect,
    border: Border,
    program: ProgramBuilder,
    main: FunctionId,
    function: FunctionBuilder,
    /// The results of `main`.
    given_back: Vec<HostAtom>,
    order: &'a [Taken],
}

/// The representation of nested sequences at the border.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// The lengths of the inner sequences, and all elements in one array.
    Flat,
    /// A segmentation, and an array over it.
    Segments,
}

/// The origin of a value that the program takes.
pub(super) enum Taken {
    /// An argument.
    Argument(usize),
    /// A variable: extents and elements, as the program takes them, and for each of the elements the extent that it has.
    Known(Given, Vec<Option<usize>>),
}

/// Returns for each scalar and array of a value the place of its extent among those of the value; none for scalars.
pub(super) fn axes_of(ty: Ty, types: &CoreTypes) -> Vec<Option<usize>> {
    fn collect(
        ty: Ty,
        types: &CoreTypes,
        at: Option<usize>,
        extents: &mut usize,
        axes: &mut Vec<Option<usize>>,
    ) {
        match types.get(ty) {
            CoreType::Seq(element) => {
                *extents += 1;
                collect(*element, types, Some(*extents - 1), extents, axes);
            }
            CoreType::Pair(left, right) => {
                collect(*left, types, at, extents, axes);
                collect(*right, types, at, extents, axes);
            }
            CoreType::Closure(closure) => {
                closure.captured.iter().for_each(|ty| collect(*ty, types, at, extents, axes));
            }
            CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool | CoreType::Data(_) => {
                axes.push(at);
            }
        }
    }
    let mut axes = Vec::new();
    collect(ty, types, None, &mut 0, &mut axes);
    axes
}

/// Adds a `main` with the signature that [`super::Routine`] describes. `order` has the origins of the arguments of the present one.
pub(super) fn wrap(
    mut program: Program,
    (dialect, border): (Dialect, Border),
    arguments: &[Plain],
    order: &[Taken],
    result: &Plain,
) -> Result<Program, String> {
    let main = program.find_function(Program::ENTRY).ok_or("there is no program")?;
    program.functions[main.index()].name = "routine".into();
    let mut wrapper = Wrapper {
        dialect,
        border,
        program: ProgramBuilder::of(program),
        main,
        function: FunctionBuilder::new(Program::ENTRY, Span::NONE),
        given_back: Vec::new(),
        order,
    };
    let binds = wrapper.call(arguments)?;
    wrapper.results(result, &mut binds.into_iter(), None, None);
    let Wrapper { mut program, function, given_back, .. } = wrapper;
    program.function(function.finish(given_back));
    let program = program.into_program();
    if let Err(errors) = nestled_ir::verify::verify(&program) {
        return Err(nestled_ir::render_all(&errors, &program.sources));
    }
    Ok(program)
}

impl Wrapper<'_> {
    fn bind(&mut self, op: HostOp) -> ValueId {
        self.function.emit_one(&self.program, "", op)
    }

    fn site(&mut self) -> SiteId {
        self.program.site(Span::NONE)
    }

    fn reshape(&mut self, array: ValueId, symbol: ValueId) -> ValueId {
        self.function.reshape(&mut self.program, "", array, Shape::of(symbol))
    }

    /// Declares the parameters for a value of this type, and makes the arguments of the call.
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
                        let extent = self.function.shape_param("", Type::Dim);
                        Points { symbol: extent, total: extent }
                    }
                    Some(at) if self.border == Border::Segments => {
                        let ty = Type::seg(Shape::of(at.symbol), Form::Offsets);
                        let symbol = self.function.shape_param("", ty);
                        Points { symbol, total: symbol }
                    }
                    Some(at) => {
                        let ty = Type::dense(ScalarType::I64, Shape::of(at.total));
                        let lengths = self.function.param("", ty);
                        let lengths = match at.is_nested() {
                            true => self.reshape(lengths, at.symbol),
                            false => lengths,
                        };
                        let site = self.site();
                        let symbol = self.bind(HostOp::Segments { lengths, site });
                        Points { symbol, total: self.function.shape_param("", Type::Dim) }
                    }
                };
                shapes.push(Axis::Sym(points.symbol));
                self.argument(element, Some(points), shapes, args);
            }
            Plain::Pair(left, right) => {
                self.argument(left, at, shapes, args);
                self.argument(right, at, shapes, args);
            }
            Plain::Data(_) | Plain::Outer(_) => {
                unreachable!("datatypes are represented by other types")
            }
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => {
                let elem = plain.scalar(self.dialect);
                let shape = at.map_or(Shape::SCALAR, |at| Shape::of(at.total));
                let param = self.function.param("", Type::dense(elem, shape));
                args.push(HostAtom::Value(match at {
                    Some(at) if at.is_nested() => self.reshape(param, at.symbol),
                    _ => param,
                }));
            }
        }
    }

    /// Writes the value of a variable as constants.
    fn known(
        &mut self,
        known: &Given,
        axes: &[Option<usize>],
        shapes: &mut Vec<Axis>,
        args: &mut Vec<HostAtom>,
    ) -> Result<(), String> {
        let mut extents: Vec<ValueId> = Vec::new();
        for shape in &known.shapes {
            let AxisValue::Extent(extent) = *shape else {
                return Err("it uses a variable that is a nested sequence: make it an argument".to_owned());
            };
            let site = self.site();
            let value = Scalar::Idx(i64::try_from(extent).unwrap_or(i64::MAX));
            let value = self.bind(HostOp::Dim { extent: HostAtom::Const(value), site });
            shapes.push(Axis::Sym(value));
            extents.push(value);
        }
        for (arg, axis) in known.args.iter().zip(axes) {
            args.push(match arg {
                Known::Scalar(scalar) => HostAtom::Const(*scalar),
                Known::Array(array) => {
                    let elements: Vec<Scalar> = array.elements().collect();
                    let count = elements.len() as u64;
                    let extent = axis.and_then(|axis| extents.get(axis)).ok_or("a variable has no extent")?;
                    let literal = HostOp::Literal { elem: array.elem, extents: vec![count], elements };
                    let literal = self.bind(literal);
                    HostAtom::Value(self.reshape(literal, *extent))
                }
                Known::Dim(_) | Known::Seg(_) => unreachable!("shapes are apart"),
            });
        }
        Ok(())
    }

    /// Writes the call; returns the values that it binds.
    fn call(&mut self, arguments: &[Plain]) -> Result<Vec<ValueId>, String> {
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
                Taken::Known(known, axes) => self.known(known, axes, &mut shapes, &mut args)?,
            }
        }
        let callee = self.program.program().function(self.main);
        let is_view = |formal: &ValueId| match &callee.values[formal.index()].ty {
            Type::Array(array) => array.placement == Placement::View,
            Type::Dim | Type::Seg(_) => false,
        };
        if callee.results.iter().any(is_view) {
            return Err("the result shares its parts".to_owned());
        }
        let names = vec![""; callee.results.len()];
        let op = HostOp::Call { function: self.main, shapes, args };
        Ok(self.function.emit(&self.program, &names, op))
    }

    /// Returns a value of this type from `main`. `formal` is the number of its points in the types of results.
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
                let parent = formal.map_or(Shape::SCALAR, Shape::of);
                let total = match at {
                    None => symbol,
                    Some(_) if self.border == Border::Segments => {
                        let Type::Seg(SegType { form, .. }) = *self.function.ty(symbol) else {
                            unreachable!("sequences inside of sequences are segmentations")
                        };
                        let formal = self.give(symbol, Type::seg(parent, form));
                        return self.results(
                            element,
                            bound,
                            Some(Points { symbol, total: symbol }),
                            Some(formal),
                        );
                    }
                    Some(at) => {
                        let lengths = self.lengths(symbol, at);
                        self.give(lengths, Type::dense(ScalarType::I64, parent));
                        self.bind(HostOp::Size { shape: Shape::of(symbol) })
                    }
                };
                let formal = self.give(total, Type::Dim);
                self.results(element, bound, Some(Points { symbol, total }), Some(formal));
            }
            Plain::Pair(left, right) => {
                self.results(left, bound, at, formal);
                self.results(right, bound, at, formal);
            }
            Plain::Data(_) | Plain::Outer(_) => {
                unreachable!("datatypes are represented by other types")
            }
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => {
                let (value, elem) = (next(), plain.scalar(self.dialect));
                let value = match at {
                    Some(at) if at.is_nested() => self.reshape(value, at.total),
                    _ => value,
                };
                self.give(value, Type::dense(elem, formal.map_or(Shape::SCALAR, Shape::of)));
            }
        }
    }

    /// Adds a result with its type; returns the result's symbol.
    fn give(&mut self, value: ValueId, ty: Type) -> ValueId {
        self.given_back.push(HostAtom::Value(value));
        self.function.result("", ty)
    }

    /// Returns the lengths of segments as an array of numbers.
    fn lengths(&mut self, seg: ValueId, at: Points) -> ValueId {
        let mut lengths = self.bind(HostOp::Lengths { seg });
        if at.is_nested() {
            lengths = self.reshape(lengths, at.total);
        }
        let mut numbers = KernelBuilder::new("numbers", &self.function, &[Axis::Sym(at.total)], Span::NONE);
        let array = numbers.param(&self.function, lengths);
        let index = Index { at: numbers.code.params()[0], rule: Rule::Proved };
        let length = numbers.code.read(array, vec![index], None, None);
        let number = numbers.code.convert(length, ScalarType::I64);
        let numbers_of = numbers.end_map("", vec![number]);
        self.function.run(&mut self.program, numbers, numbers_of, &[""])[0]
    }
}
