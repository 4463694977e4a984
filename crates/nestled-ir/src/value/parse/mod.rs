//! Parser of values: `1.5`, `[1, 2, 3]`, `[[1, 2], [], [3]]`, `"text"`.
//!
//! The text is first read into a tree. The lengths of its lists, level by level, determine the shape symbols of the expected type; its
//! leaves are the elements.

mod scalar;
mod tree;

pub use scalar::parse_scalar;

use super::segmentation::{AxisValue, Lengths, Segmentation};
use super::{Array, Bindings, Buffer, ShapeError, Value};
use crate::id::{FunctionId, ValueId};
use crate::name::Value as Entry;
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::types::{ArrayType, Axis, Form, Placement, SegType, Shape, Type};
use crate::typing::Scope;
use std::fmt;
use std::sync::Arc;
use tree::Tree;

/// Everything that a function is called with.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The shape arguments.
    pub shapes: Vec<AxisValue>,
    /// The arguments.
    pub values: Vec<Value>,
}

/// Why a text is not a value of the wanted type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// The text is not well-formed.
    Syntax {
        /// Byte in the text where that shows.
        at: usize,
        /// The expected construct.
        expected: &'static str,
    },
    /// A word is not a scalar of the wanted type.
    Scalar {
        /// The word.
        word: String,
        /// The type.
        ty: ScalarType,
    },
    /// A negative extent.
    Extent {
        /// The number.
        word: String,
    },
    /// A list stands where a scalar is wanted, or the other way round.
    Nesting {
        /// The expected nesting depth of lists.
        depth: usize,
        /// The wanted type.
        ty: String,
    },
    /// Lists that stand for equal extents have different lengths.
    Ragged {
        /// The length of the first.
        first: u64,
        /// The length of another.
        other: u64,
        /// The wanted type.
        ty: String,
    },
    /// The value does not fit the others.
    Shape(ShapeError),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::Syntax { at, expected } => write!(f, "{expected} is wanted at byte {at}"),
            ValueError::Scalar { word, ty: ScalarType::Bool } => {
                write!(f, "`{word}` is not a value of type `bool`: those are `true` and `false`")
            }
            ValueError::Scalar { word, ty } => write!(f, "`{word}` is not a value of type `{ty}`"),
            ValueError::Extent { word } => write!(f, "`{word}` is not an extent: those are not negative"),
            ValueError::Nesting { depth: 0, ty } => write!(f, "`{ty}` is wanted, not a list"),
            ValueError::Nesting { depth: 1, ty } => write!(f, "`{ty}` is written as a list of scalars"),
            ValueError::Nesting { depth, ty } => {
                write!(f, "`{ty}` is written as lists nested {depth} deep, with scalars inside")
            }
            ValueError::Ragged { first, other, ty } => {
                write!(f, "lists of length {first} and {other}, but in `{ty}` they are equally long")
            }
            ValueError::Shape(error) => error.fmt(f),
        }
    }
}

impl From<ShapeError> for ValueError {
    fn from(error: ShapeError) -> ValueError {
        ValueError::Shape(error)
    }
}

/// The arguments of a call, and the shape arguments, which are read off them.
pub fn parse_args(program: &Program, function: FunctionId, args: &[&str]) -> Result<Arguments, ValueError> {
    parse_call(program, function, None, args)
}

/// The arguments of a call with or without given shape arguments: numbers for extents, lists of lengths for segmentations.
pub fn parse_call(
    program: &Program,
    function: FunctionId,
    shapes: Option<&[&str]>,
    args: &[&str],
) -> Result<Arguments, ValueError> {
    let function = program.function(function);
    let mut reader = Reader::new(&function.values);
    if let Some(shapes) = shapes {
        reader.read_symbols(&function.shapes, shapes, "shape arguments")?;
    }
    let values = reader.read_values(&function.params, args)?;
    Ok(Arguments { shapes: reader.bindings.shape_arguments(&function.shapes)?, values })
}

/// The results of a call, as a person expects them, where the shape arguments of the call are known.
pub fn parse_results(
    program: &Program,
    function: FunctionId,
    shapes: &[AxisValue],
    results: &[&str],
) -> Result<Vec<Value>, ValueError> {
    let function = program.function(function);
    let mut reader = Reader::new(&function.values);
    reader.bindings = Bindings::of_arguments(&function.values, &function.shapes, shapes)?;
    reader.read_symbols(&function.results, results, "results")
}

/// Parses one value, of a type with symbols in a table of values; lengths that no list determines are 0.
pub fn parse_value(text: &str, ty: &Type, values: &[Entry]) -> Result<Value, ValueError> {
    let mut reader = Reader::new(values);
    let tree = Tree::parse(text)?;
    reader.learn_twice(&tree, ty)?;
    reader.build(&tree, ty)
}

/// Cuts `a, [b, c], "d, e"` at the commas that stand in no brackets and no text. Nothing gives no parts.
///
/// ```
/// use nestled_ir::value::split_list;
/// assert_eq!(split_list("[1, 2], f(3, 4), \"a, b\""), ["[1, 2]", "f(3, 4)", "\"a, b\""]);
/// ```
pub fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0i64, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !(last.is_empty() && parts.is_empty()) {
        parts.push(last);
    }
    parts
}

/// Reads values, and binds shape symbols on the way.
struct Reader<'a> {
    values: &'a [Entry],
    bindings: Bindings<'a>,
}

impl<'a> Reader<'a> {
    fn new(values: &'a [Entry]) -> Reader<'a> {
        Reader { values, bindings: Bindings::new(values) }
    }

    fn ty(&self, value: ValueId) -> &'a Type {
        &self.values[value.index()].ty
    }

    /// Values that may be symbols in the types of later ones.
    fn read_symbols(
        &mut self,
        formals: &[ValueId],
        texts: &[&str],
        what: &'static str,
    ) -> Result<Vec<Value>, ValueError> {
        expect_count(what, formals, texts)?;
        let mut read = Vec::new();
        for (&formal, text) in formals.iter().zip(texts) {
            let (ty, tree) = (self.ty(formal), Tree::parse(text)?);
            self.learn_twice(&tree, ty)?;
            let value = self.build(&tree, ty)?;
            if let Some(axis) = value.as_axis() {
                self.bindings.unify(Axis::Sym(formal), &axis)?;
            }
            read.push(value);
        }
        Ok(read)
    }

    /// Reads values that are not symbols. All lengths are collected before unknown ones become 0.
    fn read_values(&mut self, formals: &[ValueId], texts: &[&str]) -> Result<Vec<Value>, ValueError> {
        expect_count("arguments", formals, texts)?;
        let trees: Vec<Tree> = texts.iter().map(|text| Tree::parse(text)).collect::<Result<_, _>>()?;
        for or_zero in [false, true] {
            for (&formal, tree) in formals.iter().zip(&trees) {
                self.learn(tree, self.ty(formal), or_zero)?;
            }
        }
        formals.iter().zip(&trees).map(|(&formal, tree)| self.build(tree, self.ty(formal))).collect()
    }

    fn learn_twice(&mut self, tree: &Tree, ty: &Type) -> Result<(), ValueError> {
        self.learn(tree, ty, false)?;
        self.learn(tree, ty, true)
    }

    /// Binds the symbols of a type to the lengths of lists; with `or_zero` also where there are no lists.
    fn learn(&mut self, tree: &Tree, ty: &Type, or_zero: bool) -> Result<(), ValueError> {
        let shape = match ty {
            Type::Dim => return Ok(()),
            Type::Array(array) => &array.shape,
            Type::Seg(seg) => &seg.parent,
        };
        let lists = self.lists(tree, shape, ty)?;
        self.learn_shape(shape, &lists, ty, or_zero)
    }

    fn seg_type(&self, axis: Axis) -> Option<&'a SegType> {
        match axis {
            Axis::Const(_) => None,
            Axis::Sym(symbol) => self.ty(symbol).as_seg(),
        }
    }

    /// The lengths of the lists of each level.
    fn lists(&self, tree: &Tree, shape: &Shape, ty: &Type) -> Result<Vec<Vec<u64>>, ValueError> {
        let depth = Scope::new(self.values).coordinates(shape);
        let mut lists = vec![Vec::new(); depth];
        if tree.measure(&mut lists, 0) {
            Ok(lists)
        } else {
            Err(ValueError::Nesting { depth, ty: self.bindings.describe(ty) })
        }
    }

    fn learn_shape(
        &mut self,
        shape: &Shape,
        lists: &[Vec<u64>],
        ty: &Type,
        or_zero: bool,
    ) -> Result<(), ValueError> {
        let mut level = 0;
        for &axis in &shape.axes {
            let found = match self.seg_type(axis) {
                Some(seg) => {
                    let rank = Scope::new(self.values).coordinates(&seg.parent);
                    self.learn_shape(&seg.parent, &lists[..rank], ty, or_zero)?;
                    level = rank;
                    self.segmentation(seg, &lists[rank], ty)?
                }
                None => self.equal(&lists[level], ty)?.map(AxisValue::Extent),
            };
            level += 1;
            match found {
                Some(found) => self.bindings.unify(axis, &found)?,
                None if or_zero && self.bindings.axis(axis).is_none() => {
                    self.bindings.unify(axis, &AxisValue::Extent(0))?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The segmentation with these lengths, if its parent is known.
    fn segmentation(
        &self,
        seg: &SegType,
        lengths: &[u64],
        ty: &Type,
    ) -> Result<Option<AxisValue>, ValueError> {
        let Some(parent) = self.bindings.shape(&seg.parent) else { return Ok(None) };
        let made = match seg.form {
            Form::Regular => Segmentation::regular(parent, self.equal(lengths, ty)?.unwrap_or(0)),
            Form::Offsets => Segmentation::from_lengths(parent, lengths.iter().copied())
                .ok_or_else(|| ValueError::Nesting { depth: 1, ty: self.bindings.describe(ty) })?,
        };
        Ok(Some(AxisValue::Seg(Arc::new(made))))
    }

    fn equal(&self, lengths: &[u64], ty: &Type) -> Result<Option<u64>, ValueError> {
        let Some(&first) = lengths.first() else { return Ok(None) };
        match lengths.iter().find(|&&length| length != first) {
            Some(&other) => Err(ValueError::Ragged { first, other, ty: self.bindings.describe(ty) }),
            None => Ok(Some(first)),
        }
    }

    /// The value that a tree stands for, when all symbols of its type are known.
    fn build(&self, tree: &Tree, ty: &Type) -> Result<Value, ValueError> {
        match ty {
            Type::Dim => match tree.scalar(ScalarType::Idx)? {
                Scalar::Idx(extent) if extent >= 0 => Ok(Value::Dim(extent as u64)),
                other => {
                    let word = other.as_integer().map_or_else(String::new, |extent| extent.to_string());
                    Err(ValueError::Extent { word })
                }
            },
            Type::Array(array) if array.shape.is_scalar() => Ok(Value::Scalar(tree.scalar(array.elem)?)),
            Type::Array(array) => self.build_array(tree, array),
            Type::Seg(seg) => self.build_seg(tree, seg, ty),
        }
    }

    fn build_array(&self, tree: &Tree, ty: &ArrayType) -> Result<Value, ValueError> {
        let mut data = Buffer::zeroed(ty.elem, 0);
        tree.leaves(ty.elem, &mut |scalar| data.push(scalar))?;
        let shape = self.known_shape(&ty.shape)?;
        let starts = match (ty.placement, shape.first()) {
            (Placement::View, Some(AxisValue::Seg(seg))) => Some(starts(seg)),
            _ => None,
        };
        if super::count_points(&shape) != data.len() as u64 {
            // Only shapes given in other words than these lists can disagree with them: lists of no lists tell no lengths.
            let ty = Type::Array(ty.clone());
            return Err(self.disagree(&ty, data.len()));
        }
        Ok(Value::Array(Array { elem: ty.elem, shape, starts, data: Arc::new(data) }))
    }

    fn build_seg(&self, tree: &Tree, seg: &SegType, ty: &Type) -> Result<Value, ValueError> {
        let mut lengths = Vec::new();
        tree.leaves(ScalarType::Idx, &mut |scalar| lengths.push(scalar.as_integer().unwrap_or(-1)))?;
        if let Some(negative) = lengths.iter().find(|&&length| length < 0) {
            return Err(ValueError::Scalar { word: negative.to_string(), ty: ScalarType::Idx });
        }
        let lengths: Vec<u64> = lengths.into_iter().map(|length| length as u64).collect();
        if super::count_points(&self.known_shape(&seg.parent)?) != lengths.len() as u64 {
            return Err(self.disagree(ty, lengths.len()));
        }
        match self.segmentation(seg, &lengths, ty)? {
            Some(axis) => Ok(axis.into()),
            None => Err(self.disagree(ty, lengths.len())),
        }
    }

    fn known_shape(&self, shape: &Shape) -> Result<Vec<AxisValue>, ValueError> {
        self.bindings.shape(shape).ok_or_else(|| ShapeError::Unknown { symbol: "".into() }.into())
    }

    fn disagree(&self, ty: &Type, found: usize) -> ValueError {
        let expected = self.bindings.describe(ty);
        ShapeError::Type { expected, found: format!("lists of {found} elements") }.into()
    }
}

fn expect_count(what: &'static str, formals: &[ValueId], texts: &[&str]) -> Result<(), ShapeError> {
    if formals.len() == texts.len() {
        Ok(())
    } else {
        Err(ShapeError::Count { what, expected: formals.len(), found: texts.len() })
    }
}

/// Segment starts of a dense array.
fn starts(seg: &Segmentation) -> Arc<[i64]> {
    match &seg.lengths {
        Lengths::Offsets(offsets) => offsets[..offsets.len() - 1].into(),
        Lengths::Regular { length } => {
            (0..seg.n_segments()).map(|segment| segment.wrapping_mul(*length) as i64).collect()
        }
    }
}
