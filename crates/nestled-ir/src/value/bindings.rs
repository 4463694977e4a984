//! Shape bindings: unifies run-time shapes with the shape symbols in declared types.

use super::segmentation::{AxisValue, Lengths, Segmentation};
use super::{Array, Value};
use crate::id::{FunctionId, ValueId};
use crate::name::{Name, Value as Entry};
use crate::program::Program;
use crate::types::{ArrayType, Axis, Form, Placement, SegType, Shape, Type};
use std::fmt;
use std::sync::Arc;

/// The shape symbols of one function or kernel, as far as they are known.
#[derive(Clone, Debug)]
pub struct Bindings<'a> {
    values: &'a [Entry],
    axes: Vec<Option<AxisValue>>,
}

/// Why values do not fit a function or kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// There are too many or too few of them.
    Count {
        /// `arguments` or `shape arguments`.
        what: &'static str,
        /// Number expected.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A value has another type.
    Type {
        /// The type that is wanted.
        expected: String,
        /// The type found, in words.
        found: String,
    },
    /// One symbol would have to stand for two shapes.
    Unequal {
        /// Its name.
        symbol: Name,
        /// The shape it is bound to.
        first: String,
        /// The conflicting shape.
        second: String,
    },
    /// No argument determines a shape parameter.
    Unknown {
        /// Its name.
        symbol: Name,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Count { what, expected, found } => {
                write!(f, "{expected} {what} are wanted, not {found}")
            }
            ShapeError::Type { expected, found } => write!(f, "`{expected}` is wanted, not {found}"),
            ShapeError::Unequal { symbol, first, second } => {
                write!(f, "`{symbol}` is {first} and cannot also be {second}")
            }
            ShapeError::Unknown { symbol } => {
                write!(
                    f,
                    "the shape parameter `{symbol}` cannot be read off the arguments; give it between `<` and `>`"
                )
            }
        }
    }
}

/// The shape arguments of a call, read off its arguments.
pub fn infer_shapes(
    program: &Program,
    function: FunctionId,
    args: &[Value],
) -> Result<Vec<AxisValue>, ShapeError> {
    let function = program.function(function);
    let mut bindings = Bindings::new(&function.values);
    bindings.unify_arguments(&function.params, args)?;
    bindings.shape_arguments(&function.shapes)
}

fn expect_count(what: &'static str, expected: usize, found: usize) -> Result<(), ShapeError> {
    if expected == found { Ok(()) } else { Err(ShapeError::Count { what, expected, found }) }
}

impl<'a> Bindings<'a> {
    /// Bindings in which no symbol of the table is known yet.
    pub fn new(values: &'a [Entry]) -> Bindings<'a> {
        Bindings { values, axes: vec![None; values.len()] }
    }

    /// Binds the shape parameters. Checks their number and kinds, and that each segmentation has the parent that its type says.
    pub fn of_arguments(
        values: &'a [Entry],
        formals: &[ValueId],
        actuals: &[AxisValue],
    ) -> Result<Bindings<'a>, ShapeError> {
        expect_count("shape arguments", formals.len(), actuals.len())?;
        let mut bindings = Bindings::new(values);
        for (&formal, actual) in formals.iter().zip(actuals) {
            bindings.unify(Axis::Sym(formal), actual)?;
        }
        Ok(bindings)
    }

    /// Binds a symbol.
    pub fn set(&mut self, symbol: ValueId, axis: AxisValue) {
        self.axes[symbol.index()] = Some(axis);
    }

    /// The shape bound to an axis, if known.
    pub fn axis(&self, axis: Axis) -> Option<AxisValue> {
        match axis {
            Axis::Const(extent) => Some(AxisValue::Extent(extent)),
            Axis::Sym(symbol) => self.axes[symbol.index()].clone(),
        }
    }

    /// The run-time shape, if all its axes are known.
    pub fn shape(&self, shape: &Shape) -> Option<Vec<AxisValue>> {
        self.axes_of(&shape.axes)
    }

    /// The run-time shapes of several axes, if all are known.
    pub fn axes_of(&self, axes: &[Axis]) -> Option<Vec<AxisValue>> {
        axes.iter().map(|&axis| self.axis(axis)).collect()
    }

    /// The bound shape parameters; the error names one that is unknown.
    pub fn shape_arguments(&self, formals: &[ValueId]) -> Result<Vec<AxisValue>, ShapeError> {
        let known = |&formal: &ValueId| {
            self.axes[formal.index()]
                .clone()
                .ok_or_else(|| ShapeError::Unknown { symbol: Arc::clone(&self.values[formal.index()].name) })
        };
        formals.iter().map(known).collect()
    }

    /// Binds the symbols in the types of the parameters, from the arguments of a call.
    pub fn unify_arguments(&mut self, params: &[ValueId], args: &[Value]) -> Result<(), ShapeError> {
        expect_count("arguments", params.len(), args.len())?;
        params
            .iter()
            .zip(args)
            .try_for_each(|(&param, arg)| self.unify_value(arg, &self.values[param.index()].ty))
    }

    /// Binds the symbols of a type, from a value; an error if they are bound to another shape.
    pub fn unify_value(&mut self, value: &Value, ty: &Type) -> Result<(), ShapeError> {
        match (value, ty) {
            (Value::Scalar(scalar), Type::Array(array))
                if array.shape.is_scalar() && scalar.ty() == array.elem =>
            {
                Ok(())
            }
            (Value::Dim(_), Type::Dim) => Ok(()),
            (Value::Dim(_), ty) if ty.as_scalar() == Some(crate::ScalarType::Idx) => Ok(()),
            (Value::Array(array), Type::Array(wanted)) if fits(array, wanted) => {
                self.unify_shape(&wanted.shape, &array.shape)
            }
            (Value::Seg(actual), Type::Seg(wanted)) => self.unify_seg(wanted, actual),
            (Value::Scalar(_) | Value::Dim(_) | Value::Seg(_) | Value::Array(_), _) => {
                Err(self.mismatch(ty, value))
            }
        }
    }

    fn unify_shape(&mut self, formal: &Shape, actual: &[AxisValue]) -> Result<(), ShapeError> {
        formal.axes.iter().zip(actual).try_for_each(|(&axis, value)| self.unify(axis, value))
    }

    /// Binds an axis; an error if it is bound to another one.
    pub fn unify(&mut self, formal: Axis, actual: &AxisValue) -> Result<(), ShapeError> {
        let symbol = match formal {
            Axis::Const(extent) if actual.same(&AxisValue::Extent(extent)) => return Ok(()),
            Axis::Const(extent) => {
                return Err(ShapeError::Type { expected: extent.to_string(), found: describe_axis(actual) });
            }
            Axis::Sym(symbol) => symbol,
        };
        let known = &self.axes[symbol.index()];
        if let Some(known) = known {
            if known.same(actual) {
                return Ok(());
            }
            let symbol = Arc::clone(&self.values[symbol.index()].name);
            return Err(ShapeError::Unequal {
                symbol,
                first: describe_axis(known),
                second: describe_axis(actual),
            });
        }
        match (&self.values[symbol.index()].ty, actual) {
            (Type::Dim, AxisValue::Extent(_)) => {}
            (Type::Seg(wanted), AxisValue::Seg(seg)) => self.unify_seg(wanted, seg)?,
            (ty, _) => return Err(self.mismatch(ty, &actual.clone().into())),
        }
        self.set(symbol, actual.clone());
        Ok(())
    }

    fn unify_seg(&mut self, wanted: &SegType, actual: &Segmentation) -> Result<(), ShapeError> {
        let regular = matches!(actual.lengths, Lengths::Regular { .. });
        if wanted.parent.rank() != actual.parent.len() || (wanted.form == Form::Regular && !regular) {
            let expected = self.describe(&Type::Seg(wanted.clone()));
            return Err(ShapeError::Type { expected, found: "another segmentation".to_owned() });
        }
        self.unify_shape(&wanted.parent, &actual.parent)
    }

    fn mismatch(&self, ty: &Type, value: &Value) -> ShapeError {
        ShapeError::Type { expected: self.describe(ty), found: describe_value(value) }
    }

    /// The type in its written form, with the names of its symbols.
    pub fn describe(&self, ty: &Type) -> String {
        match ty {
            Type::Dim => "dim".to_owned(),
            Type::Seg(SegType { parent, form }) => {
                let word = if *form == Form::Regular { "regular" } else { "seg" };
                format!("{word}{}", self.describe_shape(parent))
            }
            Type::Array(ArrayType { elem, shape, placement }) => {
                let word = if *placement == Placement::View { "view" } else { "" };
                if shape.is_scalar() {
                    elem.to_string()
                } else {
                    format!("{word}{}{elem}", self.describe_shape(shape))
                }
            }
        }
    }

    fn describe_shape(&self, shape: &Shape) -> String {
        let axis = |axis: &Axis| match axis {
            Axis::Const(extent) => extent.to_string(),
            Axis::Sym(symbol) => self.values[symbol.index()].name.to_string(),
        };
        format!("[{}]", shape.axes.iter().map(axis).collect::<Vec<_>>().join(", "))
    }
}

/// True if the array has the type, except for the sizes of its axes.
fn fits(array: &Array, wanted: &ArrayType) -> bool {
    array.elem == wanted.elem
        && array.shape.len() == wanted.shape.rank()
        && !(array.starts.is_some() && wanted.placement == Placement::Dense)
}

fn describe_axis(axis: &AxisValue) -> String {
    match axis {
        AxisValue::Extent(extent) => extent.to_string(),
        AxisValue::Seg(seg) => {
            format!("a segmentation of {} points into {} segments", seg.total(), seg.n_segments())
        }
    }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Scalar(scalar) => format!("a `{}`", scalar.ty()),
        Value::Dim(extent) => format!("the extent {extent}"),
        Value::Seg(seg) => describe_axis(&AxisValue::Seg(Arc::clone(seg))),
        Value::Array(array) => {
            let kind = if array.starts.is_some() { "a view" } else { "an array" };
            format!("{kind} of `{}` with {} axes", array.elem, array.shape.len())
        }
    }
}
