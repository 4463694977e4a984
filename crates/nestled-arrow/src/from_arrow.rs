//! Nested arrays from Arrow's: numbers, texts and elements of lists stay where they lie; offsets become lengths, and bits bytes.

use crate::fault::{InColumn, Outcome, fault};
use crate::meaning;
use crate::memory::{Native, numbers, presence, shared, unpacked};
use crate::ranges::Ranges;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{
    Array as _, ArrayRef, GenericByteArray, GenericByteViewArray, GenericListViewArray, OffsetSizeTrait,
    StructArray, UnionArray, new_null_array,
};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, FieldRef};
use nestled_array::F16;
use nestled_nested::{Array, Layer, Nested, Segments};

/// The rules by which types become those of nested data.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Rules {
    /// Dates, times and durations become integers of their unit.
    pub times_as_numbers: bool,
    /// Columns without missing elements lose their option type.
    pub tight: bool,
}

/// The elements of an array that may be missing if it says so.
pub(crate) fn element(array: &ArrayRef, nullable: bool, rules: Rules) -> Outcome<Nested> {
    let nulls = array.logical_nulls();
    let present = present(array, nulls.as_ref(), rules)?;
    let lacks = nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0);
    // What a union lacks its variants say.
    let nullable = nullable || lacks && matches!(array.data_type(), DataType::Union(..));
    Ok(match nullable && (lacks || !rules.tight) {
        true => present.with_known_validity(&presence(nulls.as_ref(), array.len())),
        false => present,
    })
}

/// The elements of a field.
pub(crate) fn of_field(array: &ArrayRef, field: &FieldRef, rules: Rules) -> Outcome<Nested> {
    element(array, field.is_nullable(), rules)
}

/// The elements, where those that are missing are blank.
fn present(array: &ArrayRef, nulls: Option<&NullBuffer>, rules: Rules) -> Outcome<Nested> {
    use DataType::*;
    Ok(match array.data_type() {
        Null => Nested::from(Array::fill(0.0f64, &[array.len()])),
        Boolean => Nested::from(unpacked(array.as_boolean().values())),
        Int8 => number::<i8>(array)?,
        UInt8 => number::<u8>(array)?,
        Int16 => number::<i16>(array)?,
        UInt16 => number::<u16>(array)?,
        Int32 => number::<i32>(array)?,
        UInt32 => number::<u32>(array)?,
        Int64 => number::<i64>(array)?,
        UInt64 => number::<u64>(array)?,
        Float16 => number::<F16>(array)?,
        Float32 => number::<f32>(array)?,
        Float64 => number::<f64>(array)?,
        Date32 | Time32(_) if rules.times_as_numbers => number::<i32>(array)?,
        Date64 | Time64(_) | Timestamp(..) | Duration(_) if rules.times_as_numbers => number::<i64>(array)?,
        Utf8 => texts::<GenericStringType<i32>>(array.as_bytes(), nulls, true)?,
        LargeUtf8 => texts::<GenericStringType<i64>>(array.as_bytes(), nulls, true)?,
        Binary => texts::<GenericBinaryType<i32>>(array.as_bytes(), nulls, false)?,
        LargeBinary => texts::<GenericBinaryType<i64>>(array.as_bytes(), nulls, false)?,
        Utf8View => viewed::<StringViewType>(array.as_byte_view(), nulls, true)?,
        BinaryView => viewed::<BinaryViewType>(array.as_byte_view(), nulls, false)?,
        FixedSizeBinary(size) => {
            let (bytes, size) = (array.as_fixed_size_binary().value_data(), *size as usize);
            let from = array.to_data().offset() * size;
            let bytes = bytes.get(from..from + array.len() * size).unwrap_or(bytes);
            let lists = Ranges::of((0..array.len()).map(|place| (place * size, size)), None);
            in_texts(Array::from_slice(bytes), lists, false)?
        }
        List(field) => {
            let array = array.as_list::<i32>();
            lists(array.values(), field, Ranges::between(array.value_offsets(), nulls), rules)?
        }
        LargeList(field) => {
            let array = array.as_list::<i64>();
            lists(array.values(), field, Ranges::between(array.value_offsets(), nulls), rules)?
        }
        ListView(field) => views(array.as_list_view::<i32>(), field, nulls, rules)?,
        LargeListView(field) => views(array.as_list_view::<i64>(), field, nulls, rules)?,
        Map(field, _) => {
            let array = array.as_map();
            let entries: ArrayRef = std::sync::Arc::new(array.entries().clone());
            lists(&entries, field, Ranges::between(array.value_offsets(), nulls), rules)?
        }
        FixedSizeList(field, size) => fixed(array, field, *size as usize, rules)?,
        Struct(_) => record(array.as_struct(), rules)?,
        Dictionary(..) => category(array, rules)?,
        Union(..) => union(array.as_union(), rules)?,
        other => match meaning::of_type(other)? {
            Some(meaning) => meaning::integers(array, &meaning, nulls)?,
            None => return fault(format!("`{other}` is a type that nested data have not")),
        },
    })
}

fn number<T: Native>(array: &ArrayRef) -> Outcome<Nested> {
    Ok(Nested::from(numbers::<T>(array)?))
}

/// Texts or bytes between offsets.
fn texts<T: ByteArrayType>(
    array: &GenericByteArray<T>,
    nulls: Option<&NullBuffer>,
    is_text: bool,
) -> Outcome<Nested> {
    let ranges = Ranges::between(array.value_offsets(), nulls);
    let bytes = match ranges.parts.as_slice() {
        [] => Array::from_vec(Vec::new()),
        [part] => shared(array.values().slice_with_length(part.start, part.len()))?,
        parts => {
            let data = array.value_data();
            Array::from_vec(parts.iter().flat_map(|part| &data[part.clone()]).copied().collect::<Vec<u8>>())
        }
    };
    in_texts(bytes, ranges, is_text)
}

/// Texts or bytes that lie anywhere.
fn viewed<T: ByteViewType>(
    array: &GenericByteViewArray<T>,
    nulls: Option<&NullBuffer>,
    is_text: bool,
) -> Outcome<Nested> {
    let (mut lengths, mut bytes) = (Vec::with_capacity(array.len()), Vec::<u8>::new());
    for (place, text) in array.bytes_iter().enumerate() {
        let text = if nulls.is_some_and(|nulls| nulls.is_null(place)) { &[] } else { text };
        lengths.push(text.len() as i64);
        bytes.extend_from_slice(text);
    }
    let ranges = Ranges { lengths, total: bytes.len(), parts: Vec::new() };
    in_texts(shared(Buffer::from_vec(bytes))?, ranges, is_text)
}

fn in_texts(bytes: Array<u8>, ranges: Ranges, is_text: bool) -> Outcome<Nested> {
    let (bytes, segments) = (Nested::from(bytes), segments(ranges));
    Ok(if is_text { bytes.in_known_strings(&segments) } else { bytes.in_bytes(&segments)? })
}

fn segments(ranges: Ranges) -> Segments {
    Segments::with_total(&Array::from_vec(ranges.lengths), ranges.total)
}

fn lists(values: &ArrayRef, field: &FieldRef, ranges: Ranges, rules: Rules) -> Outcome<Nested> {
    let parts: Vec<ArrayRef> = ranges.parts.iter().map(|part| values.slice(part.start, part.len())).collect();
    let content = match parts.as_slice() {
        [] => values.slice(0, 0),
        [part] => part.clone(),
        parts => arrow_select::concat::concat(&parts.iter().map(|part| &**part).collect::<Vec<_>>())?,
    };
    let content = of_field(&content, field, rules)?;
    Ok(content.in_lists(&segments(ranges))?)
}

fn views<O: OffsetSizeTrait>(
    array: &GenericListViewArray<O>,
    field: &FieldRef,
    nulls: Option<&NullBuffer>,
    rules: Rules,
) -> Outcome<Nested> {
    let places = array.value_offsets().iter().zip(array.value_sizes());
    let ranges = Ranges::of(places.map(|(begin, length)| (begin.as_usize(), length.as_usize())), nulls);
    lists(array.values(), field, ranges, rules)
}

fn fixed(array: &ArrayRef, field: &FieldRef, size: usize, rules: Rules) -> Outcome<Nested> {
    let (lists, length) = (array.as_fixed_size_list(), array.len());
    if size == 0 {
        let none = of_field(&lists.values().slice(0, 0), field, rules)?;
        return Ok(none.in_lists(&Segments::from_lengths(&vec![0; length]))?);
    }
    let values = lists.values().slice(lists.value_offset_at(0), length * size);
    Ok(of_field(&values, field, rules)?.in_fixed(size)?)
}

/// Records; fields that are called 0, 1, … are those of a tuple.
fn record(array: &StructArray, rules: Rules) -> Outcome<Nested> {
    let names = array.column_names();
    let field =
        |(field, column): (&FieldRef, &ArrayRef)| of_field(column, field, rules).in_column(field.name());
    let parts: Vec<Nested> = array.fields().iter().zip(array.columns()).map(field).collect::<Outcome<_>>()?;
    if parts.is_empty() {
        return fault("it has no columns");
    }
    let is_tuple = names.iter().enumerate().all(|(place, name)| *name == place.to_string());
    Ok(match is_tuple {
        true => Nested::tuples(&parts.iter().collect::<Vec<_>>())?,
        false => Nested::records(&names.into_iter().zip(&parts).collect::<Vec<_>>())?,
    })
}

fn category(array: &ArrayRef, rules: Rules) -> Outcome<Nested> {
    let dictionary = array.as_any_dictionary();
    let words = dictionary.values();
    let (codes, words) = match words.len() {
        // All are missing.
        0 => (vec![0; array.len()], new_null_array(words.data_type(), usize::from(!array.is_empty()))),
        _ => (dictionary.normalized_keys().into_iter().map(|code| code as i64).collect(), words.clone()),
    };
    let words = present(&words, words.logical_nulls().as_ref(), rules)?;
    Ok(Nested::known_categories(&Array::from_vec(codes), &words))
}

/// Unions whose variants lie side by side, or each behind the other where offsets say.
fn union(array: &UnionArray, rules: Rules) -> Outcome<Nested> {
    let (mut tags, mut variants) = (vec![-1i64; array.len()], Vec::new());
    for (place, (id, field)) in array.fields().iter().enumerate() {
        let own = |(tag, &own): (&mut i64, &i8)| {
            if own == id {
                *tag = place as i64
            }
        };
        tags.iter_mut().zip(array.type_ids()).for_each(own);
        let variant = of_field(array.child(id), field, rules).in_column(field.name())?;
        // What is missing in it is missing in the union.
        let variant = match variant.layer() {
            Layer::Option(_, content) => content.clone(),
            _ => variant,
        };
        variants.push(match array.offsets() {
            None => variant,
            Some(offsets) => {
                let own = |(&offset, &own): (&i32, &i8)| if own == id { i64::from(offset) } else { -1 };
                let places: Vec<i64> = offsets.iter().zip(array.type_ids()).map(own).collect();
                spread(&variant, &places)?
            }
        });
    }
    if variants.is_empty() || tags.iter().any(|&tag| tag < 0) {
        return fault("a union has an element of no variant");
    }
    Ok(Nested::known_union(&Array::from_vec(tags), variants))
}

/// The elements at places; blank at places outside.
fn spread(nested: &Nested, places: &[i64]) -> Outcome<Nested> {
    Ok(nested.spread_to(&Array::from_slice(places))?)
}
