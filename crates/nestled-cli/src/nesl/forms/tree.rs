//! Trees of values, an intermediate form between a text and columns: their types are known only when all values are.

use nestled_nesl::{Column, Elements};
use std::sync::Arc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// A missing number.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Several(Vec<Tree>),
    /// Named values.
    Record(Arc<[Arc<str>]>, Vec<Tree>),
}

/// The type of a value, as far as it tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// The type of elements of an empty sequence, which is not known.
    Any,
    Bool,
    Int,
    Float,
    Text,
    Seq(Box<Form>),
    /// Values of different types.
    Tuple(Vec<Form>),
    /// Named values.
    Record(Arc<[Arc<str>]>, Vec<Form>),
}

impl Tree {
    /// The type of a value. Several values of one type are a sequence, others a tuple.
    pub fn form(&self) -> Form {
        match self {
            Tree::Bool(_) => Form::Bool,
            Tree::Int(_) => Form::Int,
            Tree::Null | Tree::Float(_) => Form::Float,
            Tree::Text(_) => Form::Text,
            Tree::Record(names, values) => {
                Form::Record(Arc::clone(names), values.iter().map(Tree::form).collect())
            }
            Tree::Several(values) => {
                let forms: Vec<Form> = values.iter().map(Tree::form).collect();
                match forms.iter().cloned().try_fold(Form::Any, Form::join) {
                    Some(form) => Form::Seq(Box::new(form)),
                    None => Form::Tuple(forms),
                }
            }
        }
    }

    /// The one value as a column.
    ///
    /// # Errors
    /// Its parts are of different types where they should not be.
    pub fn column(&self) -> Result<Column, String> {
        column(&[self], &self.form())
    }
}

impl Form {
    /// Unifies two types; `None` if no type has the values of both.
    pub fn join(self, other: Form) -> Option<Form> {
        Some(match (self, other) {
            (Form::Any, form) | (form, Form::Any) => form,
            (Form::Int, Form::Float) | (Form::Float, Form::Int) => Form::Float,
            // An empty text is a sequence without elements like any other.
            (Form::Text, Form::Seq(of)) | (Form::Seq(of), Form::Text) if *of == Form::Any => Form::Text,
            (Form::Seq(one), Form::Seq(other)) => Form::Seq(Box::new(one.join(*other)?)),
            (Form::Tuple(these), Form::Tuple(those)) if these.len() == those.len() => Form::Tuple(
                these.into_iter().zip(those).map(|(one, other)| one.join(other)).collect::<Option<_>>()?,
            ),
            (Form::Record(names, these), Form::Record(others, those)) if names == others => {
                let both = these.into_iter().zip(those);
                Form::Record(names, both.map(|(one, other)| one.join(other)).collect::<Option<_>>()?)
            }
            (one, other) if one == other => one,
            _ => return None,
        })
    }
}

/// The most parts of a tuple: each nests its type one level deeper.
const MOST_PARTS: usize = 200;

/// Values of one type.
pub fn column(values: &[&Tree], form: &Form) -> Result<Column, String> {
    let scalars = |elements| Ok(Column::Elements { count: values.len(), shape: Vec::new(), elements });
    match form {
        Form::Bool => {
            scalars(Elements::Bools(values.iter().map(|value| **value == Tree::Bool(true)).collect()))
        }
        // An empty sequence says nothing of its elements.
        Form::Any | Form::Int => {
            let int = |value: &&Tree| if let Tree::Int(value) = value { *value } else { 0 };
            scalars(Elements::Ints(values.iter().map(int).collect()))
        }
        Form::Float => {
            let float = |value: &&Tree| match value {
                Tree::Int(value) => *value as f64,
                Tree::Float(value) => *value,
                _ => f64::NAN,
            };
            scalars(Elements::Floats(values.iter().map(float).collect()))
        }
        Form::Text => {
            let texts =
                values.iter().map(|value| if let Tree::Text(text) = value { text.as_str() } else { "" });
            let lengths: Vec<usize> = texts.clone().map(str::len).collect();
            let chars: Vec<u8> = texts.flat_map(str::bytes).collect();
            let elements =
                Column::Elements { count: chars.len(), shape: Vec::new(), elements: Elements::Chars(chars) };
            Ok(Column::Rows { lengths, elements: Box::new(elements) })
        }
        Form::Seq(element) => {
            let rows: Vec<&[Tree]> = values.iter().map(|value| parts(value)).collect();
            let lengths = rows.iter().map(|row| row.len()).collect();
            let all: Vec<&Tree> = rows.into_iter().flatten().collect();
            Ok(Column::Rows { lengths, elements: Box::new(column(&all, element)?) })
        }
        Form::Tuple(forms) if forms.len() > MOST_PARTS => Err(format!(
            "a list in it has {} values of different types; a tuple has up to {MOST_PARTS}",
            forms.len()
        )),
        Form::Record(_, forms) if forms.len() > MOST_PARTS => {
            Err(format!("an object in it has {} values; a tuple has up to {MOST_PARTS}", forms.len()))
        }
        Form::Tuple(forms) | Form::Record(_, forms) => tuple(values, forms, 0),
    }
}

/// The parts of tuples from one on: all parts to the right of it form one.
fn tuple(values: &[&Tree], forms: &[Form], from: usize) -> Result<Column, String> {
    let part: Option<Vec<&Tree>> = values.iter().map(|value| parts(value).get(from)).collect();
    let part = part.ok_or("tuples in it have not all as many parts")?;
    let left = column(&part, &forms[from])?;
    if from + 1 == forms.len() {
        return Ok(left);
    }
    Ok(Column::Pairs(Box::new(left), Box::new(tuple(values, forms, from + 1)?)))
}

fn parts(value: &Tree) -> &[Tree] {
    match value {
        Tree::Several(values) | Tree::Record(_, values) => values,
        _ => &[],
    }
}

/// The first integer in a column that satisfies the predicate.
pub fn first_int(column: &Column, holds: &dyn Fn(i64) -> bool) -> Option<i64> {
    match column {
        Column::Elements { elements: Elements::Ints(values), .. } => {
            values.iter().copied().find(|value| holds(*value))
        }
        Column::Elements { .. } => None,
        Column::Rows { elements, .. } => first_int(elements, holds),
        Column::Pairs(left, right) => first_int(left, holds).or_else(|| first_int(right, holds)),
    }
}
