//! Conversion of command-line words to the arguments of a function.

use crate::data::{self, Data, Wish};
use crate::exit_codes::Failure;
use nestled_ir::value::{
    self, Arguments, Array, AxisValue, Bindings, Buffer, Segmentation, ShapeError, Value, ValueError,
};
use nestled_ir::{Axis, Function, FunctionId, Name, Program, ScalarType, Type, ValueId};
use std::sync::Arc;

/// Reads the arguments: literals typed by the parameters, or files of at most `room` bytes: `@file.npy`, `@file.npz:name`.
pub fn arguments(
    program: &Program,
    function: FunctionId,
    shapes: Option<&str>,
    words: &[String],
    room: u64,
) -> Result<Arguments, Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let shapes = shapes.map(value::split_list);
    let target = program.function(function);
    if words.len() != target.params.len() {
        return Err(Failure::usage(format!(
            "{}, but {} given",
            signature(target),
            if words.len() == 1 { "one argument is".to_owned() } else { format!("{} are", words.len()) },
        )));
    }
    let result = if words.iter().any(|word| word.starts_with('@')) {
        mixed(program, function, shapes.as_deref(), &words, room)
    } else {
        value::parse_call(program, function, shapes.as_deref(), &words)
            .map_err(|error| wrong_literal(target, &words).unwrap_or_else(|| describe(&error)))
    };
    result.map_err(|error| Failure::usage(format!("{error}\n  {}", signature(target))))
}

/// The error of the first literal that is no value of its parameter's type, if there is one.
fn wrong_literal(target: &Function, words: &[&str]) -> Option<String> {
    target.params.iter().zip(words).find_map(|(&param, word)| literal(target, param, word).err())
}

/// A literal, typed by its parameter.
fn literal(target: &Function, param: ValueId, word: &str) -> Result<Value, String> {
    let formal = &target.values[param.index()];
    value::parse_value(word, &formal.ty, &target.values).map_err(|error| {
        let what = match &error {
            ValueError::Syntax { at, expected } => match word.get(*at..) {
                Some(rest) if !rest.is_empty() => format!("{expected} is wanted before `{rest}`"),
                _ => format!("{expected} is wanted at its end"),
            },
            _ => describe(&error),
        };
        let bytes = formal.ty.as_array().is_some_and(|array| array.elem == ScalarType::U8);
        let help = match word.starts_with(|c: char| c.is_alphabetic()) && bytes {
            true => "\n  a text has quotes of its own, inside those of the shell: '\"text\"'",
            false => "",
        };
        format!("`{}`: {what}{help}", formal.name)
    })
}

/// Rewrites the message in words of the command line.
fn describe(error: &ValueError) -> String {
    match error {
        ValueError::Shape(ShapeError::Unknown { symbol }) => {
            format!(
                "no argument tells the shape parameter `{symbol}`; give all of them, as in `--shape 100,3`"
            )
        }
        _ => error.to_string(),
    }
}

/// Reads literals and files one by one, then unifies their shapes.
fn mixed(
    program: &Program,
    function: FunctionId,
    shapes: Option<&[&str]>,
    words: &[&str],
    room: u64,
) -> Result<Arguments, String> {
    let target = program.function(function);
    let mut bindings = Bindings::new(&target.values);
    for (&formal, text) in target.shapes.iter().zip(shapes.unwrap_or_default()) {
        let ty = &target.values[formal.index()].ty;
        let given = value::parse_value(text, ty, &target.values).map_err(|error| error.to_string())?;
        let axis = given.as_axis().ok_or("a shape is wanted")?;
        bindings.unify(Axis::Sym(formal), &axis).map_err(|error| error.to_string())?;
    }
    let mut values = Vec::new();
    for (&param, word) in target.params.iter().zip(words) {
        let ty = &target.values[param.index()].ty;
        let argument = match word.strip_prefix('@') {
            Some(path) => {
                from_file(path, ty, target, room).map_err(|error| format!("cannot use `{path}`: {error}"))?
            }
            None => literal(target, param, word)?,
        };
        bindings.unify_value(&argument, ty).map_err(|error| error.to_string())?;
        values.push(argument);
    }
    let shapes = bindings.shape_arguments(&target.shapes).map_err(|error| describe(&error.into()))?;
    Ok(Arguments { shapes, values })
}

/// The parameters of a function, in words: `xs, ys and 2 more` would hide what a newcomer needs, so every parameter is named.
fn signature(function: &Function) -> String {
    let names: Vec<String> = function
        .params
        .iter()
        .map(|param| {
            let value = &function.values[param.index()];
            let elem = value.ty.as_array().map_or("", |array| array.elem.name());
            format!("{}: {}{elem}", value.name, shape_words(function, &value.ty))
        })
        .collect();
    let shapes: Vec<String> =
        function.shapes.iter().map(|shape| function.values[shape.index()].name.to_string()).collect();
    let shapes = if shapes.is_empty() { String::new() } else { format!("<{}>", shapes.join(", ")) };
    let takes = match names.len() {
        0 => "no arguments".to_owned(),
        1 => format!("one argument ({})", names[0]),
        count => format!("{count} arguments ({})", names.join(", ")),
    };
    format!("`{}{shapes}` takes {takes}", function.name)
}

fn shape_words(function: &Function, ty: &Type) -> String {
    let Some(array) = ty.as_array().filter(|array| !array.shape.is_scalar()) else { return String::new() };
    let axis = |axis: &Axis| match axis {
        Axis::Const(extent) => extent.to_string(),
        Axis::Sym(symbol) => {
            let name: &Name = &function.values[symbol.index()].name;
            name.to_string()
        }
    };
    let axes: Vec<String> = array.shape.axes.iter().map(axis).collect();
    format!("[{}]", axes.join(", "))
}

/// Converts the content of a NumPy file to a parameter's type. A matrix is accepted for a nested array of equal lengths.
fn from_file(path: &str, ty: &Type, target: &Function, room: u64) -> Result<Value, String> {
    let array = ty.as_array().ok_or("a file can only be an array or a scalar")?;
    let wanted = if array.elem == ScalarType::Idx { ScalarType::I64 } else { array.elem };
    let elements = |stored: ScalarType| match stored == wanted {
        true => Ok(array.elem),
        false => Err(format!(
            "it holds `{stored}`, but `{wanted}` is wanted; convert it with `.astype({})`",
            numpy_name(wanted)
        )),
    };
    let npy = match data::read(path, Wish { room, elements: &elements, several: false })? {
        Data::Array(npy) => npy,
        Data::Text(file) | Data::Unknown(file) if array.elem == ScalarType::U8 && array.shape.rank() == 1 => {
            let shape = vec![AxisValue::Extent(file.len() as u64)];
            return Ok(Value::Array(Array::dense(shape, Buffer::U8(file))));
        }
        Data::Arrays(_) | Data::Text(_) | Data::Unknown(_) => {
            return Err("it is not a NumPy file (.npy, .npz)".to_owned());
        }
    };
    let data = npy.elements;
    if array.shape.is_scalar() {
        return if npy.shape.is_empty() {
            Ok(Value::Scalar(data.get(0)))
        } else {
            Err(format!("it has {}, but a scalar is wanted", axes(npy.shape.len())))
        };
    }
    let nested =
        npy.shape.len() == 2 && matches!(array.shape.axes.as_slice(), [axis] if is_seg(target, axis));
    let shape = if nested {
        vec![rows(npy.shape[0], npy.shape[1], room)?]
    } else {
        npy.shape.iter().map(|&extent| AxisValue::Extent(extent)).collect()
    };
    if shape.len() != array.shape.rank() {
        return Err(format!(
            "it has {}, but {} {} wanted",
            axes(npy.shape.len()),
            array.shape.rank(),
            if array.shape.rank() == 1 { "is" } else { "are" }
        ));
    }
    Ok(Value::Array(Array::dense(shape, data)))
}

fn is_seg(target: &Function, axis: &Axis) -> bool {
    matches!(axis, Axis::Sym(symbol) if target.values[symbol.index()].ty.as_seg().is_some())
}

fn axes(count: usize) -> String {
    if count == 1 { "one axis".to_owned() } else { format!("{count} axes") }
}

/// The rows of a matrix as a segmentation.
fn rows(count: u64, length: u64, room: u64) -> Result<AxisValue, String> {
    let parent = vec![AxisValue::Extent(count)];
    // Rows without elements take no room in the file, but each takes an offset in memory.
    let rows = usize::try_from(count).ok().filter(|_| count < room / 8).ok_or("it has too many rows")?;
    let seg = Segmentation::from_lengths(parent, std::iter::repeat_n(length, rows));
    Ok(AxisValue::Seg(Arc::new(seg.ok_or("it has too many elements")?)))
}

/// NumPy's name of a type.
fn numpy_name(elem: ScalarType) -> &'static str {
    match elem {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "'i1'",
        ScalarType::U8 => "'u1'",
        ScalarType::I16 => "'i2'",
        ScalarType::U16 => "'u2'",
        ScalarType::I32 => "'i4'",
        ScalarType::U32 => "'u4'",
        ScalarType::I64 | ScalarType::Idx => "'i8'",
        ScalarType::U64 => "'u8'",
        ScalarType::F16 => "'f2'",
        ScalarType::F32 => "'f4'",
        ScalarType::F64 => "'f8'",
    }
}

/// Converts a result to the shape and the elements of a NumPy file: of a nested array the elements, one segment after another; of a segmentation the lengths.
pub fn to_npy(result: &Value) -> (Vec<u64>, Arc<Buffer>) {
    let scalar =
        |scalar: nestled_ir::Scalar| (Vec::new(), Arc::new(Buffer::from_scalars(scalar.ty(), &[scalar])));
    match result {
        Value::Scalar(value) => scalar(*value),
        Value::Dim(extent) => scalar(nestled_ir::Scalar::Idx(*extent as i64)),
        Value::Seg(seg) => {
            let lengths = (0..seg.n_segments()).map(|at| seg.lengths.length(at) as i64).collect();
            (vec![seg.n_segments()], Arc::new(Buffer::I64(lengths)))
        }
        Value::Array(array) => {
            let array = array.to_dense();
            let shape = array.shape.iter().map(|axis| match axis {
                AxisValue::Extent(extent) => *extent,
                // The flat elements; their segmentation is a result of its own if the program returns it.
                AxisValue::Seg(seg) => seg.total(),
            });
            (shape.collect(), array.data)
        }
    }
}
