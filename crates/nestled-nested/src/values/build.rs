//! Columns of values whose schema is known.

use crate::column::{Column, Typed};
use crate::fault::{InField, Outcome, fault};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use crate::schema::{Kind, Meaning, Schema};
use crate::value::Value;
use nestled_array::{Array, F16, Segments};
use std::sync::Arc;

/// An array of values of a schema.
pub(super) fn built(schema: &Schema, values: &[&Value]) -> Outcome<Nested> {
    match schema {
        Schema::Number(kind) => number(*kind, values),
        Schema::List(inner) => {
            let lists = every(values, schema, |value| match value {
                Value::List(values) => Some(values.as_slice()),
                _ => None,
            })?;
            let lengths: Vec<usize> = lists.iter().map(|list| list.len()).collect();
            let content = built(inner, &lists.into_iter().flatten().collect::<Vec<_>>())?;
            Ok(Nested::lists(&Rows::new(Segments::from_lengths(&lengths)), content))
        }
        Schema::Fixed(size, inner) => {
            let lists = every(values, schema, |value| match value {
                Value::List(values) if values.len() == *size => Some(values.as_slice()),
                _ => None,
            })?;
            let content = built(inner, &lists.into_iter().flatten().collect::<Vec<_>>())?;
            Nested::fixed(values.len(), *size, content)
        }
        Schema::Record(fields) => record(schema, fields, values),
        Schema::Tuple(fields) => tuple(schema, fields, values),
        Schema::Option(inner) => option(inner, values),
        Schema::String => texts(Face::String, schema, values),
        Schema::Bytes => texts(Face::Bytes, schema, values),
        Schema::Category(inner) => category(inner, values),
        Schema::Meant(meaning) => meant(meaning, schema, values),
        Schema::Union(variants) => union(variants, schema, values),
    }
}

/// The parts of all values; an error names the first that has none.
fn every<'v, T>(
    values: &[&'v Value],
    schema: &Schema,
    part: impl Fn(&'v Value) -> Option<T>,
) -> Outcome<Vec<T>> {
    let one = |value: &&'v Value| match part(value) {
        Some(part) => Ok(part),
        None => fault(format!("{value} is not of the type `{schema}`")),
    };
    values.iter().map(one).collect()
}

fn number(kind: Kind, values: &[&Value]) -> Outcome<Nested> {
    fn ints<T: Typed + TryFrom<i128>>(values: &[&Value]) -> Outcome<Nested> {
        let all = every(values, &Schema::Number(T::KIND), |value| match value {
            Value::Int(value) => T::try_from(*value).ok(),
            _ => None,
        })?;
        Ok(Nested::of(Array::from_vec(all)))
    }
    let floats = || {
        every(values, &Schema::Number(kind), |value| match value {
            Value::Float(value) => Some(*value),
            Value::Int(value) => Some(*value as f64),
            _ => None,
        })
    };
    match kind {
        Kind::Bool => {
            let all = every(values, &Schema::Number(kind), |value| match value {
                Value::Bool(value) => Some(*value),
                _ => None,
            })?;
            Ok(Nested::of(Array::from_vec(all)))
        }
        Kind::Int8 => ints::<i8>(values),
        Kind::Uint8 => ints::<u8>(values),
        Kind::Int16 => ints::<i16>(values),
        Kind::Uint16 => ints::<u16>(values),
        Kind::Int32 => ints::<i32>(values),
        Kind::Uint32 => ints::<u32>(values),
        Kind::Int64 => ints::<i64>(values),
        Kind::Uint64 => ints::<u64>(values),
        Kind::Float16 => Ok(Nested::of(Array::from_vec(floats()?.into_iter().map(F16::of).collect()))),
        Kind::Float32 => {
            Ok(Nested::of(Array::from_vec(floats()?.into_iter().map(|value| value as f32).collect())))
        }
        Kind::Float64 => Ok(Nested::of(Array::from_vec(floats()?))),
    }
}

/// Each value in the first variant that has it.
fn union(variants: &[Schema], schema: &Schema, values: &[&Value]) -> Outcome<Nested> {
    let tag = |value: &&Value| match variants.iter().position(|variant| has(variant, value)) {
        Some(tag) => Ok(tag as i64),
        None => fault(format!("{value} is not of the type `{schema}`")),
    };
    let tags: Vec<i64> = values.iter().map(tag).collect::<Outcome<_>>()?;
    let column = |(place, variant): (usize, &Schema)| {
        let blank = blank(variant);
        let own =
            values.iter().zip(&tags).map(|(&value, &tag)| if tag == place as i64 { value } else { &blank });
        built(variant, &own.collect::<Vec<_>>()).in_field(&place.to_string())
    };
    let columns = variants.iter().enumerate().map(column).collect::<Outcome<_>>()?;
    Ok(Nested::united(&Array::from_vec(tags), columns))
}

/// True if a value is of a schema.
fn has(schema: &Schema, value: &Value) -> bool {
    match (schema, value) {
        (Schema::Option(_), Value::Missing) => true,
        (Schema::Option(inner) | Schema::Category(inner), value) => has(inner, value),
        (Schema::Number(Kind::Bool), Value::Bool(_)) => true,
        (Schema::Number(kind), Value::Int(value)) => kind.is_float() || kind.holds(*value),
        (Schema::Number(kind), Value::Float(_)) => kind.is_float(),
        (Schema::List(inner), Value::List(values)) => values.iter().all(|value| has(inner, value)),
        (Schema::Fixed(size, inner), Value::List(values)) => {
            values.len() == *size && values.iter().all(|value| has(inner, value))
        }
        (Schema::Tuple(fields), Value::Tuple(values)) => {
            fields.len() == values.len()
                && fields.iter().zip(values).all(|(schema, value)| has(schema, value))
        }
        (Schema::Record(fields), Value::Record(own)) => {
            let of = |name: &str| {
                own.iter().find(|(own, _)| own == name).map_or(&Value::Missing, |(_, value)| value)
            };
            own.iter().all(|(name, _)| fields.iter().any(|(known, _)| known == name))
                && fields.iter().all(|(name, schema)| has(schema, of(name)))
        }
        (Schema::String, Value::String(_)) | (Schema::Bytes, Value::Bytes(_)) => true,
        (Schema::Meant(meaning), Value::Meant(own, value)) => own.exact(*value, meaning).is_some(),
        (Schema::Union(variants), value) => variants.iter().any(|variant| has(variant, value)),
        _ => false,
    }
}

/// Integers of a meaning: as such, by their texts, or of another meaning that says the same.
fn meant(meaning: &Meaning, schema: &Schema, values: &[&Value]) -> Outcome<Nested> {
    let integers = every(values, schema, |value| match value {
        Value::Int(value) if meaning.kind().holds(*value) => i64::try_from(*value).ok(),
        Value::Meant(own, value) => own.exact(*value, meaning),
        Value::String(text) => meaning.read(text),
        _ => None,
    })?;
    Ok(Nested::meant(meaning, &Column::from(Array::from_vec(integers))))
}

fn texts(face: Face, schema: &Schema, values: &[&Value]) -> Outcome<Nested> {
    let texts = every(values, schema, |value| match value {
        Value::String(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) if face == Face::Bytes => Some(bytes.as_slice()),
        _ => None,
    })?;
    let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    let rows = Rows::new(Segments::from_lengths(&lengths));
    Ok(Nested::list(face, &rows, Nested::leaf(Column::from(Array::from_vec(texts.concat())))))
}

fn option(inner: &Schema, values: &[&Value]) -> Outcome<Nested> {
    if matches!(inner, Schema::Option(_)) {
        return option(inner_most(inner), values);
    }
    let blank = blank(inner);
    let valid: Vec<bool> = values.iter().map(|value| !matches!(value, Value::Missing)).collect();
    let present: Vec<&Value> =
        values.iter().map(|&value| if matches!(value, Value::Missing) { &blank } else { value }).collect();
    Ok(Nested::present(Array::from_vec(valid), built(inner, &present)?))
}

/// The schema inside of options, however many.
fn inner_most(schema: &Schema) -> &Schema {
    match schema {
        Schema::Option(inner) => inner_most(inner),
        _ => schema,
    }
}

/// The value that is stored where one is missing.
fn blank(schema: &Schema) -> Value {
    match schema {
        Schema::Number(Kind::Bool) => Value::Bool(false),
        Schema::Number(_) => Value::Int(0),
        Schema::List(_) => Value::List(Vec::new()),
        Schema::Fixed(size, inner) => Value::List(vec![blank(inner); *size]),
        Schema::Record(fields) => {
            Value::record(fields.iter().map(|(name, schema)| (name.clone(), blank(schema))))
        }
        Schema::Tuple(fields) => Value::Tuple(fields.iter().map(blank).collect()),
        Schema::Option(_) => Value::Missing,
        Schema::String => Value::String(String::new()),
        Schema::Bytes => Value::Bytes(Vec::new()),
        Schema::Category(inner) => blank(inner),
        Schema::Meant(_) => Value::Int(0),
        Schema::Union(variants) => variants.first().map_or(Value::Missing, blank),
    }
}

fn record(schema: &Schema, fields: &[(String, Schema)], values: &[&Value]) -> Outcome<Nested> {
    let records = every(values, schema, |value| match value {
        Value::Record(own) if own.iter().all(|(name, _)| fields.iter().any(|(known, _)| known == name)) => {
            Some(own)
        }
        _ => None,
    })?;
    let column = |(name, schema): &(String, Schema)| {
        let own: Vec<&Value> = records
            .iter()
            .map(|record| {
                record.iter().find(|(own, _)| own == name).map_or(&Value::Missing, |(_, value)| value)
            })
            .collect();
        Ok((Arc::from(name.as_str()), built(schema, &own).in_field(name)?))
    };
    let columns: Vec<(Arc<str>, Nested)> = fields.iter().map(column).collect::<Outcome<_>>()?;
    if columns.is_empty() {
        return fault("a record has no fields");
    }
    Ok(Nested { length: values.len(), layout: Layout::Record(columns) })
}

fn tuple(schema: &Schema, fields: &[Schema], values: &[&Value]) -> Outcome<Nested> {
    let tuples = every(values, schema, |value| match value {
        Value::Tuple(own) if own.len() == fields.len() => Some(own),
        _ => None,
    })?;
    let column = |(place, schema): (usize, &Schema)| {
        let own: Vec<&Value> = tuples.iter().map(|tuple| &tuple[place]).collect();
        built(schema, &own).in_field(&place.to_string())
    };
    let columns: Vec<Nested> = fields.iter().enumerate().map(column).collect::<Outcome<_>>()?;
    if columns.is_empty() {
        return fault("a tuple has no fields");
    }
    Ok(Nested { length: values.len(), layout: Layout::Tuple(columns) })
}

fn category(inner: &Schema, values: &[&Value]) -> Outcome<Nested> {
    let mut known = std::collections::HashMap::new();
    let mut words: Vec<&Value> = Vec::new();
    let mut codes = Vec::with_capacity(values.len());
    for value in values {
        let code = *known.entry(value.to_string()).or_insert_with(|| {
            words.push(value);
            words.len() as i64 - 1
        });
        codes.push(code);
    }
    Ok(Nested::category(&Array::from_vec(codes), &built(inner, &words)?))
}
