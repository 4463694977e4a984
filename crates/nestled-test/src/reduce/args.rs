//! Edits that shrink arguments.

use super::Nth;
use crate::generate::Case;
use nestled_ir::value::{Array, AxisValue, Buffer, Segmentation, Value, count_points};
use nestled_ir::{Axis, Function, Program, Scalar, Shape, Type};
use std::sync::Arc;

/// The size of an argument: its number of elements, those that are not zero counted twice.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Array(array) => array.elements().map(|e| 1 + usize::from(e != Scalar::zero(e.ty()))).sum(),
        Value::Scalar(scalar) => usize::from(*scalar != Scalar::zero(scalar.ty())),
        Value::Dim(_) | Value::Seg(_) => 0,
    }
}

fn main_function(program: &mut Program) -> Option<&mut Function> {
    program.functions.iter_mut().find(|function| &*function.name == Program::ENTRY)
}

/// Drops a parameter of the main function with its argument.
pub(super) fn drop_argument(case: &mut Case, nth: &mut Nth) {
    let Some(main) = main_function(&mut case.program) else { return };
    if let Some(at) = nth.among(main.params.len()) {
        main.params.remove(at);
        case.args.remove(at);
    } else if let Some(at) = nth.among(main.shapes.len()) {
        main.shapes.remove(at);
        case.shapes.remove(at);
    }
}

/// Makes all elements of an argument zero.
pub(super) fn zero(case: &mut Case, nth: &mut Nth) {
    for arg in &mut case.args {
        if weight(arg) == 0 || !nth.here() {
            continue;
        }
        match arg {
            Value::Scalar(scalar) => *scalar = Scalar::zero(scalar.ty()),
            Value::Array(array) => array.data = Arc::new(Buffer::zeroed(array.elem, array.data.len())),
            Value::Dim(_) | Value::Seg(_) => {}
        }
    }
}

/// Makes an extent or the segments of a segmentation shorter; all arguments over it keep their first elements.
pub(super) fn shorten(case: &mut Case, nth: &mut Nth) {
    let Some(main) = main_function(&mut case.program) else { return };
    let main = main.clone();
    let choices = [|_: u64| 0, |n: u64| 1.min(n), |n: u64| n / 2, |n: u64| n.saturating_sub(1)];
    let Some(at) = nth.among(case.shapes.len() * choices.len()) else { return };
    let (which, shrink) = (at / choices.len(), choices[at % choices.len()]);
    let mut shapes: Vec<AxisValue> = Vec::new();
    for (position, &formal) in main.shapes.iter().enumerate() {
        let shrunk = |n: u64| if position == which { shrink(n) } else { n };
        shapes.push(match (&case.shapes[position], &main.values[formal.index()].ty) {
            (AxisValue::Extent(n), _) => AxisValue::Extent(shrunk(*n)),
            (AxisValue::Seg(seg), Type::Seg(ty)) => {
                let parent = values(&main, &ty.parent, &shapes);
                let length = |at: u64| if at < seg.n_segments() { shrunk(seg.lengths.length(at)) } else { 0 };
                let seg = match ty.form {
                    nestled_ir::Form::Regular => Segmentation::regular(parent, length(0)),
                    nestled_ir::Form::Offsets => {
                        let lengths: Vec<u64> = (0..count_points(&parent)).map(length).collect();
                        Segmentation::from_lengths(parent, lengths.into_iter()).expect("it gets shorter")
                    }
                };
                AxisValue::Seg(Arc::new(seg))
            }
            (other, _) => other.clone(),
        });
    }
    for (arg, &param) in case.args.iter_mut().zip(&main.params) {
        if let (Value::Array(array), Type::Array(ty)) = (&mut *arg, &main.values[param.index()].ty) {
            *array = cut(array, values(&main, &ty.shape, &shapes));
        }
    }
    case.shapes = shapes;
}

/// A shape of the main function, as far as its shape parameters are known.
fn values(main: &Function, shape: &Shape, known: &[AxisValue]) -> Vec<AxisValue> {
    let value = |axis: &Axis| match axis {
        Axis::Const(n) => AxisValue::Extent(*n),
        Axis::Sym(symbol) => {
            let at = main.shapes.iter().position(|formal| formal == symbol);
            at.and_then(|at| known.get(at)).cloned().unwrap_or(AxisValue::Extent(0))
        }
    };
    shape.axes.iter().map(value).collect()
}

/// The first elements of an array over a smaller shape, as a dense array or as a view of its own buffer.
fn cut(array: &Array, shape: Vec<AxisValue>) -> Array {
    if let (Some(starts), [AxisValue::Seg(seg)]) = (&array.starts, shape.as_slice()) {
        let starts: Arc<[i64]> = starts.iter().copied().take(seg.n_segments() as usize).collect();
        return Array { starts: Some(starts), shape, ..array.clone() };
    }
    let n = count_points(&shape) as usize;
    let mut elements: Vec<Scalar> = array.elements().take(n).collect();
    elements.resize(n, Scalar::zero(array.elem));
    Array::dense(shape, Buffer::from_scalars(array.elem, &elements))
}
