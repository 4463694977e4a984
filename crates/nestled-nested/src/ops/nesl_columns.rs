//! Nested arrays as the columns of NESL, and back: records and tuples are tuples there, texts sequences of `char`, integers `int`, floats `float`, decimals too.

use super::bytes::decoded;
use super::meant::floats_of;
use crate::column::{Column, each};
use crate::fault::{InField, Outcome, fault};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use crate::schema::Kind;
use nestled_array::{Array, NeslColumn};

/// The columns of NESL. What may be missing has no counterpart there.
pub(super) fn given(nested: &Nested) -> Outcome<NeslColumn> {
    let seq = |rows: &Rows, content: NeslColumn| NeslColumn::Seq(rows.segments().clone(), Box::new(content));
    match &nested.layout {
        Layout::Leaf(column) => numbers(column),
        Layout::Meant(_, column) => numbers(&floats_of(nested).unwrap_or_else(|| column.clone())),
        Layout::List(Face::List, rows, content) => Ok(seq(rows, given(content)?)),
        Layout::List(Face::String | Face::Bytes, rows, content) => match &content.layout {
            Layout::Leaf(Column::Uint8(bytes)) => Ok(seq(rows, NeslColumn::Char(bytes.clone()))),
            _ => unreachable!("texts are lists of bytes"),
        },
        Layout::Fixed(size, content) => Ok(seq(&Rows::even(nested.length, *size), given(content)?)),
        Layout::Record(fields) => {
            paired(fields.iter().map(|(name, field)| given(field).in_field(name)).collect::<Outcome<_>>()?)
        }
        Layout::Tuple(fields) => paired(
            fields
                .iter()
                .enumerate()
                .map(|(place, field)| given(field).in_field(&place.to_string()))
                .collect::<Outcome<_>>()?,
        ),
        Layout::Category(..) => given(&decoded(nested)?),
        Layout::Union(..) => fault(format!("`{}` is a union, for which NESL has no type", nested.schema())),
        Layout::Option(..) => fault(format!("`{}`: fill or drop what is missing before", nested.schema())),
    }
}

/// A tuple is a pair of its first part and the tuple of the others.
fn paired(mut columns: Vec<NeslColumn>) -> Outcome<NeslColumn> {
    let Some(last) = columns.pop() else { return fault("a record has no fields") };
    let pair = |rest, part| NeslColumn::Pair(Box::new(part), Box::new(rest));
    Ok(columns.into_iter().rev().fold(last, pair))
}

fn numbers(column: &Column) -> Outcome<NeslColumn> {
    match column {
        Column::Bool(x) => Ok(NeslColumn::Bool(x.clone())),
        Column::Float16(_) | Column::Float32(_) | Column::Float64(_) => match column.cast(Kind::Float64) {
            Column::Float64(x) => Ok(NeslColumn::Float(x)),
            _ => unreachable!("it was converted"),
        },
        Column::Uint64(x) if x.gt(i64::MAX as u64).any().item()? => {
            fault("a number is greater than an `int` can be")
        }
        _ => Ok(NeslColumn::Int(each!(column, x => x.cast()))),
    }
}

/// What NESL gave, so many elements. Sequences of `char` are texts, or bytes where those went in; chars alone are their codes.
pub(super) fn taken(column: &NeslColumn, count: usize, as_bytes: bool) -> Outcome<Nested> {
    Ok(match column {
        NeslColumn::Int(x) => Nested::of(x.clone()),
        NeslColumn::Float(x) => Nested::of(x.clone()),
        NeslColumn::Char(x) => Nested::of(x.clone()),
        NeslColumn::Bool(x) => Nested::of(x.clone()),
        NeslColumn::Pair(..) => {
            let mut parts = Vec::new();
            let mut rest = column;
            while let NeslColumn::Pair(first, others) = rest {
                parts.push(taken(first, count, as_bytes)?);
                rest = others;
            }
            parts.push(taken(rest, count, as_bytes)?);
            Nested { length: count, layout: Layout::Tuple(parts) }
        }
        NeslColumn::Seq(segments, content) => match &**content {
            NeslColumn::Char(x) if as_bytes => Nested::of(x.clone()).in_bytes(segments)?,
            NeslColumn::Char(x) => Nested::of(x.clone()).in_strings(segments)?,
            content => {
                Nested::lists(&Rows::new(segments.clone()), taken(content, segments.total(), as_bytes)?)
            }
        },
    })
}

/// True if there are bytes, and no texts.
pub(super) fn has_bytes_only(nested: &Nested) -> bool {
    fn seen(nested: &Nested) -> [bool; 2] {
        let of_fields = |fields: &mut dyn Iterator<Item = &Nested>| {
            fields.map(seen).fold([false; 2], |all, own| [all[0] | own[0], all[1] | own[1]])
        };
        match &nested.layout {
            Layout::List(Face::String, ..) => [true, false],
            Layout::List(Face::Bytes, ..) => [false, true],
            Layout::List(_, _, content)
            | Layout::Fixed(_, content)
            | Layout::Option(_, content)
            | Layout::Category(_, content) => seen(content),
            Layout::Record(fields) => of_fields(&mut fields.iter().map(|(_, field)| field)),
            Layout::Tuple(fields) | Layout::Union(_, fields) => of_fields(&mut fields.iter()),
            Layout::Leaf(_) | Layout::Meant(..) => [false; 2],
        }
    }
    seen(nested) == [false, true]
}

/// An array is what a mask keeps of it, until it is spread again.
pub(super) fn mapped_present(
    nested: &Nested,
    map: &mut dyn FnMut(&Nested) -> Outcome<Nested>,
) -> Outcome<Nested> {
    use nestled_array::{Direction, Inclusion, Operator};
    let Layout::Option(valid, content) = &nested.layout else { return map(nested) };
    let made = map(&content.compress(valid)?)?;
    let before: Array<i64> = valid.cast();
    let before = before.scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
    Ok(made.take(&valid.select(before, -1))?.blank_outside(valid.clone()))
}
