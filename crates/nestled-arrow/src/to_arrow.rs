//! Nested arrays as Arrow's: numbers, texts and elements of lists stay where they lie; lengths become offsets, and truth values bits.

use crate::fault::{InColumn, Outcome, fault};
use crate::meaning;
use crate::memory::{Native, buffer, packed};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, GenericBinaryArray, GenericListArray,
    GenericStringArray, OffsetSizeTrait, PrimitiveArray, RecordBatch, RecordBatchOptions, StructArray,
    UnionArray, make_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields};
use nestled_array::F16;
use nestled_nested::{Array, Kind, Layer, Nested, Segments};
use std::sync::Arc;

/// The array of some elements, which may be missing where they say so.
pub(crate) fn array(nested: &Nested) -> Outcome<ArrayRef> {
    match nested.layer() {
        Layer::Option(valid, content) => present(content, Some(NullBuffer::new(packed(valid)?))),
        _ => present(nested, None),
    }
}

/// The field of some elements.
fn field(name: &str, nested: &Nested, array: &ArrayRef) -> Field {
    Field::new(name, array.data_type().clone(), matches!(nested.layer(), Layer::Option(..)))
}

fn present(nested: &Nested, nulls: Option<NullBuffer>) -> Outcome<ArrayRef> {
    Ok(match nested.layer() {
        Layer::Number(kind) => number(nested, kind, nulls)?,
        Layer::Lists(segments, content) => match is_large(segments) {
            false => lists::<i32>(segments, content, nulls)?,
            true => lists::<i64>(segments, content, nulls)?,
        },
        Layer::Strings(segments, bytes) => match is_large(segments) {
            false => strings::<i32>(segments, bytes, nulls)?,
            true => strings::<i64>(segments, bytes, nulls)?,
        },
        Layer::Bytes(segments, bytes) => match is_large(segments) {
            false => binaries::<i32>(segments, bytes, nulls)?,
            true => binaries::<i64>(segments, bytes, nulls)?,
        },
        Layer::Fixed(size, content) => {
            let Ok(size) = i32::try_from(size) else { return fault("its lists are too long for Arrow") };
            let values = array(content)?;
            let field = Arc::new(field("item", content, &values));
            Arc::new(FixedSizeListArray::try_new_with_length(field, size, values, nulls, nested.len())?)
        }
        Layer::Record(fields) => record(&fields, nulls)?,
        Layer::Tuple(parts) => {
            let names: Vec<String> = (0..parts.len()).map(|place| place.to_string()).collect();
            let fields: Vec<(&str, &Nested)> = names.iter().map(String::as_str).zip(parts).collect();
            record(&fields, nulls)?
        }
        Layer::Category(codes, words) => {
            let code = |code: i64| i32::try_from(code).unwrap_or(-1);
            let codes: Vec<i32> = codes.to_vec()?.into_iter().map(code).collect();
            let codes = PrimitiveArray::<Int32Type>::new(ScalarBuffer::from(codes), nulls);
            Arc::new(DictionaryArray::try_new(codes, array(words)?)?)
        }
        Layer::Meant(meaning) => meaning::array(nested, meaning, nulls)?,
        Layer::Union(tags, variants) => union(tags, variants, nulls)?,
        Layer::Option(_, content) => present(content, nulls)?,
    })
}

fn number(nested: &Nested, kind: Kind, nulls: Option<NullBuffer>) -> Outcome<ArrayRef> {
    match kind {
        Kind::Bool => {
            let bits = packed(&Array::try_from(nested)?)?;
            Ok(Arc::new(BooleanArray::new(bits, nulls)))
        }
        Kind::Int8 => primitive::<i8>(nested, DataType::Int8, nulls),
        Kind::Uint8 => primitive::<u8>(nested, DataType::UInt8, nulls),
        Kind::Int16 => primitive::<i16>(nested, DataType::Int16, nulls),
        Kind::Uint16 => primitive::<u16>(nested, DataType::UInt16, nulls),
        Kind::Int32 => primitive::<i32>(nested, DataType::Int32, nulls),
        Kind::Uint32 => primitive::<u32>(nested, DataType::UInt32, nulls),
        Kind::Int64 => primitive::<i64>(nested, DataType::Int64, nulls),
        Kind::Uint64 => primitive::<u64>(nested, DataType::UInt64, nulls),
        Kind::Float16 => primitive::<F16>(nested, DataType::Float16, nulls),
        Kind::Float32 => primitive::<f32>(nested, DataType::Float32, nulls),
        Kind::Float64 => primitive::<f64>(nested, DataType::Float64, nulls),
    }
}

fn primitive<T: Native>(nested: &Nested, ty: DataType, nulls: Option<NullBuffer>) -> Outcome<ArrayRef> {
    let numbers = buffer(&Array::<T>::try_from(nested)?)?;
    let data = ArrayData::builder(ty).len(nested.len()).add_buffer(numbers).nulls(nulls).build()?;
    Ok(make_array(data))
}

/// True if offsets of 32 bits do not reach.
fn is_large(segments: &Segments) -> bool {
    i32::try_from(segments.total()).is_err()
}

fn offsets<O: OffsetSizeTrait>(segments: &Segments) -> Outcome<OffsetBuffer<O>> {
    let (mut offsets, mut end) = (Vec::with_capacity(segments.count() + 1), 0usize);
    offsets.push(O::usize_as(0));
    for length in segments.lengths().to_vec()? {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        match end.checked_add(length).filter(|&end| end <= segments.total()) {
            Some(next) => end = next,
            None => return fault("its lists do not come to its number of elements"),
        }
        offsets.push(O::usize_as(end));
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}

fn lists<O: OffsetSizeTrait>(
    segments: &Segments,
    content: &Nested,
    nulls: Option<NullBuffer>,
) -> Outcome<ArrayRef> {
    let values = array(content)?;
    let field = Arc::new(field("item", content, &values));
    Ok(Arc::new(GenericListArray::<O>::try_new(field, offsets(segments)?, values, nulls)?))
}

fn strings<O: OffsetSizeTrait>(
    segments: &Segments,
    bytes: &Nested,
    nulls: Option<NullBuffer>,
) -> Outcome<ArrayRef> {
    let bytes = buffer(&Array::<u8>::try_from(bytes)?)?;
    Ok(Arc::new(GenericStringArray::<O>::try_new(offsets(segments)?, bytes, nulls)?))
}

fn binaries<O: OffsetSizeTrait>(
    segments: &Segments,
    bytes: &Nested,
    nulls: Option<NullBuffer>,
) -> Outcome<ArrayRef> {
    let bytes = buffer(&Array::<u8>::try_from(bytes)?)?;
    Ok(Arc::new(GenericBinaryArray::<O>::try_new(offsets(segments)?, bytes, nulls)?))
}

/// A sparse union, whose variants lie side by side. It has no validity of its own: where an element is missing, it is in its variant.
fn union(tags: &Array<i64>, variants: &[Nested], nulls: Option<NullBuffer>) -> Outcome<ArrayRef> {
    let ids: Vec<i8> = tags.to_vec()?.into_iter().map(|tag| i8::try_from(tag).unwrap_or(-1)).collect();
    let mut fields = Vec::new();
    let mut children = Vec::new();
    for (place, variant) in variants.iter().enumerate() {
        let Ok(id) = i8::try_from(place) else {
            return fault("a union has more variants than Arrow can tell");
        };
        let child = match (&nulls, variant.layer()) {
            (None, _) => array(variant)?,
            (Some(nulls), Layer::Option(valid, content)) => {
                let both = NullBuffer::union(Some(nulls), Some(&NullBuffer::new(packed(valid)?)));
                present(content, both)?
            }
            (Some(nulls), _) => present(variant, Some(nulls.clone()))?,
        };
        let is_nullable = nulls.is_some() || matches!(variant.layer(), Layer::Option(..));
        fields.push((id, Arc::new(Field::new(place.to_string(), child.data_type().clone(), is_nullable))));
        children.push(child);
    }
    let fields: UnionFields = fields.into_iter().collect();
    Ok(Arc::new(UnionArray::try_new(fields, ScalarBuffer::from(ids), None, children)?))
}

/// The columns of fields, with their fields.
fn columns(fields: &[(&str, &Nested)]) -> Outcome<(Fields, Vec<ArrayRef>)> {
    let column = |&(name, nested): &(&str, &Nested)| {
        let array = array(nested).in_column(name)?;
        Ok((field(name, nested, &array), array))
    };
    let both = fields.iter().map(column).collect::<Outcome<Vec<_>>>()?;
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = both.into_iter().unzip();
    Ok((Fields::from(fields), arrays))
}

fn record(fields: &[(&str, &Nested)], nulls: Option<NullBuffer>) -> Outcome<ArrayRef> {
    let (fields, arrays) = columns(fields)?;
    Ok(Arc::new(StructArray::try_new(fields, arrays, nulls)?))
}

/// Rows of columns: records and tuples as they are; other elements as records of a `value`. They are computed together.
pub(crate) fn rows(nested: &Nested) -> Outcome<Nested> {
    let rows = match nested.layer() {
        Layer::Record(_) | Layer::Tuple(_) => nested.clone(),
        _ => Nested::records(&[("value", nested)])?,
    };
    nestled_array::Engine::current().eval(&[&rows])?;
    Ok(rows)
}

/// The table of some rows.
pub(crate) fn batch(nested: &Nested) -> Outcome<RecordBatch> {
    let table = present(&rows(nested)?, None)?;
    let Some(table) = table.as_any().downcast_ref::<StructArray>() else {
        return fault("rows are no records");
    };
    let (fields, columns, _) = table.clone().into_parts();
    let options = RecordBatchOptions::new().with_row_count(Some(nested.len()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
}
