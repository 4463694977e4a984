//! Typing rules: computes the types of results from the types of operands.
//!
//! These functions compute the types that a construct binds *if it is well-formed*; the [verifier](crate::verify) decides whether it is. The
//! parser uses them for type inference, passes to make new values. Where the operands are so wrong that no result type exists, they return a
//! [`TypeError`].

use crate::host::{Command, Function, HostAtom, HostBlock, HostOp, Library};
use crate::id::ValueId;
use crate::kernel::{CombinatorKind, Kernel, Level};
use crate::name::Value;
use crate::op::OpError;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::thunk::{Atom, Thunk};
use crate::types::{Axis, Form, Placement, Shape, Type};
use std::fmt;

/// Why no result type exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeError {
    /// A scalar operation does not take its operands.
    Op(OpError),
    /// A value should be an array.
    NotAnArray(ValueId),
    /// A value should be a segmentation.
    NotASegmentation(ValueId),
    /// A value should be a matrix, `[_, _]T`.
    NotAMatrix(ValueId),
    /// An operand should be a scalar.
    NotAScalar(ValueId),
    /// A call has the wrong number of shape arguments or arguments.
    Arguments {
        /// `shape arguments` or `arguments`.
        what: &'static str,
        /// Number expected.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A combinator's thunk has too few results.
    Results {
        /// Least number expected.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// `each` calls a function with results that cannot be gathered.
    EachResult,
    /// A construct binds another number of values than the text names.
    Binds {
        /// Number of values it binds.
        expected: usize,
        /// Number of names in the text.
        found: usize,
    },
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeError::Op(OpError::Arity { expected, found }) => {
                write!(f, "the operation takes {expected} operands, not {found}")
            }
            TypeError::Op(OpError::Mismatch { operand, expected, found }) => {
                write!(f, "operand {} is `{found}`, but `{expected}` is wanted", operand + 1)
            }
            TypeError::Op(OpError::Unsupported { ty, wants }) => {
                write!(f, "the operation wants {wants}, not `{ty}`")
            }
            TypeError::NotAnArray(_) => write!(f, "an array is wanted here"),
            TypeError::NotASegmentation(_) => write!(f, "a segmentation is wanted here"),
            TypeError::NotAMatrix(_) => write!(f, "an array with two axes is wanted here"),
            TypeError::NotAScalar(_) => write!(f, "a scalar is wanted here"),
            TypeError::Arguments { what, expected, found } => {
                write!(f, "{expected} {what} are wanted, not {found}")
            }
            TypeError::Results { expected, found } => {
                write!(f, "the thunk needs at least {expected} results, not {found}")
            }
            TypeError::EachResult => {
                write!(
                    f,
                    "`each` gathers scalars, and arrays `[k]T` whose extent `k` is a result before them"
                )
            }
            TypeError::Binds { expected, found } => {
                match expected {
                    1 => f.write_str("this gives one value, but ")?,
                    _ => write!(f, "this gives {expected} values, but ")?,
                }
                match found {
                    1 => f.write_str("one name is bound"),
                    _ => write!(f, "{found} names are bound"),
                }
            }
        }
    }
}

impl From<OpError> for TypeError {
    fn from(error: OpError) -> TypeError {
        TypeError::Op(error)
    }
}

/// The values of one function or kernel, to ask about their types.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The table of values.
    pub values: &'a [Value],
}

impl<'a> Scope<'a> {
    /// A scope over a table of values.
    pub fn new(values: &'a [Value]) -> Scope<'a> {
        Scope { values }
    }

    /// The type of a value.
    pub fn ty(self, value: ValueId) -> &'a Type {
        &self.values[value.index()].ty
    }

    /// The type of an operand of host code.
    pub fn host_atom(self, atom: HostAtom) -> Type {
        match atom {
            HostAtom::Value(value) => self.ty(value).clone(),
            HostAtom::Const(scalar) => Type::scalar(scalar.ty()),
        }
    }

    /// The scalar type of an operand of host code.
    pub fn host_scalar(self, atom: HostAtom) -> Result<ScalarType, TypeError> {
        match atom {
            HostAtom::Value(value) => self.ty(value).as_scalar().ok_or(TypeError::NotAScalar(value)),
            HostAtom::Const(scalar) => Ok(scalar.ty()),
        }
    }

    /// Types of the results of a thunk.
    ///
    /// # Panics
    /// If one has none, which the verifier excludes.
    pub fn thunk_results(self, thunk: &Thunk) -> Vec<ScalarType> {
        let ty = |&atom| self.thunk_atom(thunk, atom).expect("the verifier checks the operands of thunks");
        thunk.body.results.iter().map(ty).collect()
    }

    /// The type of an operand of a thunk.
    pub fn thunk_atom(self, thunk: &Thunk, atom: Atom) -> Result<ScalarType, TypeError> {
        match atom {
            Atom::Local(local) => Ok(thunk.local_type(local)),
            Atom::Const(scalar) => Ok(scalar.ty()),
            Atom::Value(value) => self.ty(value).as_scalar().ok_or(TypeError::NotAScalar(value)),
        }
    }

    /// True if an axis is a segmentation.
    pub fn is_seg(self, axis: Axis) -> bool {
        match axis {
            Axis::Const(_) => false,
            Axis::Sym(value) => self.ty(value).as_seg().is_some(),
        }
    }

    /// Number of coordinates of a point of a shape: one for each axis, and for a segmentation those of its parent as well.
    pub fn coordinates(self, shape: &Shape) -> usize {
        shape.axes.iter().map(|&axis| self.axis_coordinates(axis)).sum()
    }

    fn axis_coordinates(self, axis: Axis) -> usize {
        match axis {
            Axis::Const(_) => 1,
            Axis::Sym(value) => match self.ty(value) {
                Type::Seg(seg) => self.coordinates(&seg.parent) + 1,
                Type::Array(_) | Type::Dim => 1,
            },
        }
    }

    /// The shape of the points of a level of a space: its axes from the last segmentation on, which stands for those before it.
    pub fn level_shape(self, space: &[Axis], level: Level) -> Shape {
        let axes = &space[..level.0.min(space.len())];
        let from = axes.iter().rposition(|&axis| self.is_seg(axis)).unwrap_or(0);
        Shape::new(&axes[from..])
    }
}

/// Substitution of shape symbols: maps a callee's symbols to the caller's axes.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    pairs: Vec<(ValueId, Axis)>,
}

impl Substitution {
    /// Replaces each formal shape parameter by the actual one.
    pub fn new(formals: &[ValueId], actuals: &[Axis]) -> Substitution {
        Substitution { pairs: formals.iter().copied().zip(actuals.iter().copied()).collect() }
    }

    /// Also replaces `from` by `to`.
    pub fn insert(&mut self, from: ValueId, to: Axis) {
        self.pairs.push((from, to));
    }

    /// The replacement of an axis; axes that are not replaced stay.
    pub fn axis(&self, axis: Axis) -> Axis {
        let Axis::Sym(symbol) = axis else { return axis };
        self.pairs.iter().find(|(from, _)| *from == symbol).map_or(axis, |(_, to)| *to)
    }

    /// The shape with its axes replaced.
    pub fn shape(&self, shape: &Shape) -> Shape {
        Shape { axes: shape.axes.iter().map(|&axis| self.axis(axis)).collect() }
    }

    /// The type with the axes of its shapes replaced.
    pub fn ty(&self, ty: &Type) -> Type {
        match ty {
            Type::Array(array) => {
                let mut array = array.clone();
                array.shape = self.shape(&array.shape);
                Type::Array(array)
            }
            Type::Dim => Type::Dim,
            Type::Seg(seg) => Type::seg(self.shape(&seg.parent), seg.form),
        }
    }

    /// The types of a list of results, in which later ones may use earlier ones as symbols; those become `binds`.
    fn results<'t>(
        mut self,
        formals: impl Iterator<Item = (ValueId, &'t Type)>,
        binds: &[ValueId],
    ) -> Vec<Type> {
        let mut types = Vec::new();
        for ((formal, ty), &bind) in formals.zip(binds) {
            types.push(self.ty(ty));
            if ty.is_shape() {
                self.insert(formal, Axis::Sym(bind));
            }
        }
        types
    }
}

/// Number of values a combinator binds.
pub fn combinator_binds(kernel: &Kernel, kind: &CombinatorKind, body: &Thunk) -> usize {
    let results = body.body.results.len();
    match kind {
        CombinatorKind::Map | CombinatorKind::Reduce { .. } | CombinatorKind::Scan { .. } => results,
        CombinatorKind::Filter { .. } => results + 1,
        // The class goes, and the segmentation comes.
        CombinatorKind::Partition { .. } => results,
        CombinatorKind::Permute { dest, .. } => {
            results.saturating_sub(Scope::new(&kernel.values).coordinates(dest))
        }
        CombinatorKind::Serial { bases } => bases.len() + results,
    }
}

/// The types of the values that a combinator binds. `binds` are their ids.
pub fn combinator_types(
    kernel: &Kernel,
    kind: &CombinatorKind,
    body: &Thunk,
    binds: &[ValueId],
) -> Result<Vec<Type>, TypeError> {
    let scope = Scope::new(&kernel.values);
    let results: Vec<ScalarType> =
        body.body.results.iter().map(|&atom| scope.thunk_atom(body, atom)).collect::<Result<_, _>>()?;
    let at = |level: Level| scope.level_shape(&kernel.space, level);
    let arrays = |shape: Shape, elems: &[ScalarType]| -> Vec<Type> {
        elems.iter().map(|&elem| Type::dense(elem, shape.clone())).collect()
    };
    let skip = |n: usize| -> Result<&[ScalarType], TypeError> {
        results.get(n..).ok_or(TypeError::Results { expected: n, found: results.len() })
    };
    let types = match kind {
        CombinatorKind::Map | CombinatorKind::Scan { .. } => arrays(at(Level(body.n_params)), &results),
        CombinatorKind::Reduce { to, .. } => arrays(at(*to), &results),
        CombinatorKind::Filter { within } => {
            let shape =
                if *within == Level::WHOLE { Type::Dim } else { Type::seg(at(*within), Form::Offsets) };
            with_shape(shape, binds, &results, arrays)
        }
        CombinatorKind::Partition { within, classes, .. } => {
            let mut parent = at(*within);
            parent.axes.push(Axis::Const(*classes));
            with_shape(Type::seg(parent, Form::Offsets), binds, skip(1)?, arrays)
        }
        CombinatorKind::Permute { dest, .. } => arrays(dest.clone(), skip(scope.coordinates(dest))?),
        CombinatorKind::Serial { bases } => {
            let mut types: Vec<Type> = bases.iter().map(|&base| scope.ty(base).clone()).collect();
            types.extend(arrays(Shape::SCALAR, &results));
            types
        }
    };
    if types.len() != binds.len() {
        return Err(TypeError::Binds { expected: types.len(), found: binds.len() });
    }
    Ok(types)
}

/// A new shape, then arrays over it.
fn with_shape(
    shape: Type,
    binds: &[ValueId],
    elems: &[ScalarType],
    arrays: impl Fn(Shape, &[ScalarType]) -> Vec<Type>,
) -> Vec<Type> {
    let mut types = vec![shape];
    if let Some(&symbol) = binds.first() {
        types.extend(arrays(Shape::of(symbol), elems));
    }
    types
}

/// The types of the values that a statement of host code binds. `binds` are their ids.
pub fn host_types(
    program: &Program,
    function: &Function,
    op: &HostOp,
    binds: &[ValueId],
) -> Result<Vec<Type>, TypeError> {
    let scope = Scope::new(&function.values);
    let array = |value: ValueId| scope.ty(value).as_array().ok_or(TypeError::NotAnArray(value));
    let seg = |value: ValueId| scope.ty(value).as_seg().ok_or(TypeError::NotASegmentation(value));
    let types = match op {
        HostOp::Scalar { op, args } => {
            let args: Vec<ScalarType> =
                args.iter().map(|&arg| scope.host_scalar(arg)).collect::<Result<_, _>>()?;
            vec![Type::scalar(op.result_type(&args)?)]
        }
        HostOp::Literal { elem, extents, elements: _ } => {
            let axes: Vec<Axis> = extents.iter().map(|&extent| Axis::Const(extent)).collect();
            vec![Type::dense(*elem, Shape::new(axes))]
        }
        HostOp::Dim { .. } | HostOp::Size { .. } => vec![Type::Dim],
        HostOp::Segments { lengths, site: _ } => {
            vec![Type::seg(array(*lengths)?.shape.clone(), Form::Offsets)]
        }
        HostOp::Regular { parent, length: _ } => vec![Type::seg(parent.clone(), Form::Regular)],
        HostOp::Widen { seg: value } => vec![Type::seg(seg(*value)?.parent.clone(), Form::Offsets)],
        HostOp::Lengths { seg: value } | HostOp::Starts { seg: value } => {
            vec![Type::dense(ScalarType::Idx, seg(*value)?.parent.clone())]
        }
        HostOp::Same { .. } | HostOp::Check { .. } => Vec::new(),
        HostOp::Reshape { array: value, shape, site: _ } => {
            vec![Type::dense(array(*value)?.elem, shape.clone())]
        }
        HostOp::View { seg: value, starts: _, buffer, site: _ } => {
            seg(*value)?;
            let mut ty = array(*buffer)?.clone();
            ty.shape = Shape::of(*value);
            ty.placement = Placement::View;
            vec![Type::Array(ty)]
        }
        HostOp::If { then, .. } => branch_types(scope, then, binds),
        HostOp::Call { function: callee, shapes, args } => {
            let callee = program.function(*callee);
            check_counts(callee.shapes.len(), shapes.len(), callee.params.len(), args.len())?;
            let formals = callee.results.iter().map(|&value| (value, &callee.values[value.index()].ty));
            expect_binds(callee.results.len(), binds)?;
            Substitution::new(&callee.shapes, shapes).results(formals, binds)
        }
        HostOp::Run { kernel, shapes, args } => {
            let kernel = program.kernel(*kernel);
            check_counts(kernel.shapes.len(), shapes.len(), kernel.params.len(), args.len())?;
            let formals = kernel.ret.iter().map(|&value| (value, &kernel.values[value.index()].ty));
            expect_binds(kernel.ret.len(), binds)?;
            Substitution::new(&kernel.shapes, shapes).results(formals, binds)
        }
        HostOp::Each { extent, function: callee, shapes, args } => {
            let callee = program.function(*callee);
            check_counts(callee.shapes.len(), shapes.len(), callee.params.len(), args.len())?;
            expect_binds(callee.results.len(), binds)?;
            each_types(callee, *extent, binds)?
        }
        HostOp::Library(Library::Sort { keys, payload, order: _ }) => {
            std::iter::once(keys).chain(payload).map(|&value| scope.ty(value).clone()).collect()
        }
        HostOp::Library(Library::Rank { keys, order: _ }) => {
            vec![Type::dense(ScalarType::Idx, array(*keys)?.shape.clone())]
        }
        HostOp::Library(Library::MatMul { left, right }) => {
            let (a, b) = (array(*left)?, array(*right)?);
            let (&[rows, _], &[_, columns]) = (a.shape.axes.as_slice(), b.shape.axes.as_slice()) else {
                let wrong = if a.shape.rank() == 2 { *right } else { *left };
                return Err(TypeError::NotAMatrix(wrong));
            };
            vec![Type::dense(a.elem, Shape::new([rows, columns]))]
        }
        HostOp::Command(command) => command_types(command, binds),
    };
    expect_binds(types.len(), binds)?;
    Ok(types)
}

fn expect_binds(expected: usize, binds: &[ValueId]) -> Result<(), TypeError> {
    if expected == binds.len() { Ok(()) } else { Err(TypeError::Binds { expected, found: binds.len() }) }
}

fn check_counts(shapes: usize, n_shapes: usize, params: usize, n_args: usize) -> Result<(), TypeError> {
    if shapes != n_shapes {
        return Err(TypeError::Arguments { what: "shape arguments", expected: shapes, found: n_shapes });
    }
    if params != n_args {
        return Err(TypeError::Arguments { what: "arguments", expected: params, found: n_args });
    }
    Ok(())
}

/// The types of a branch's results as its `if` binds them: a result that is an extent or a segmentation becomes a new symbol, and stands
/// in the types of later results where the branch had its own.
fn branch_types(scope: Scope<'_>, block: &HostBlock, binds: &[ValueId]) -> Vec<Type> {
    let mut substitution = Substitution::default();
    let mut types = Vec::new();
    for (&result, &bind) in block.results.iter().zip(binds) {
        let ty = substitution.ty(&scope.host_atom(result));
        if let (HostAtom::Value(symbol), true) = (result, ty.is_shape()) {
            substitution.insert(symbol, Axis::Sym(bind));
        }
        types.push(ty);
    }
    types
}

fn each_types(callee: &Function, extent: Axis, binds: &[ValueId]) -> Result<Vec<Type>, TypeError> {
    let mut types = Vec::new();
    let mut lengths: Vec<(ValueId, ValueId)> = Vec::new();
    for (&result, &bind) in callee.results.iter().zip(binds) {
        types.push(match &callee.values[result.index()].ty {
            Type::Dim => {
                lengths.push((result, bind));
                Type::seg(Shape::new([extent]), Form::Offsets)
            }
            Type::Array(array) if array.shape.is_scalar() => Type::dense(array.elem, Shape::new([extent])),
            Type::Array(array) => {
                let seg = match array.shape.axes.as_slice() {
                    [Axis::Sym(length)] => lengths.iter().find(|(formal, _)| formal == length),
                    _ => None,
                };
                let (_, seg) = seg.ok_or(TypeError::EachResult)?;
                Type::dense(array.elem, Shape::of(*seg))
            }
            Type::Seg(_) => return Err(TypeError::EachResult),
        });
    }
    Ok(types)
}

fn command_types(command: &Command, binds: &[ValueId]) -> Vec<Type> {
    match command {
        Command::Print { .. } => Vec::new(),
        Command::ReadFile { .. } => {
            let mut types = vec![Type::scalar(ScalarType::Bool), Type::Dim];
            if let Some(&extent) = binds.get(1) {
                types.push(Type::dense(ScalarType::U8, Shape::of(extent)));
            }
            types
        }
        Command::WriteFile { .. } => vec![Type::scalar(ScalarType::Bool)],
        Command::Clock { .. } => vec![Type::scalar(ScalarType::F64)],
        Command::Entropy => vec![Type::scalar(ScalarType::I64)],
    }
}
