//! Arrow's C interface: arrays and streams of tables from and to any other language in the same process, without a copy.
//!
//! Structures from outside are validated before they become arrays. The length of the memory behind a pointer cannot be: the interface does not say it, hence `unsafe`.
//! An owner's release callback is called once, when the last array that needs its memory goes.
#![allow(unsafe_code)] // Calls functions of others, and believes them what their pointers lead to.

use crate::fault::{Fault, Outcome, fault, guarded, told};
use crate::file::Scan;
use crate::from_arrow::{self, Rules};
use crate::to_arrow;
use arrow_array::ffi::{from_ffi_and_data_type, to_ffi as exported};
use arrow_array::{
    Array, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray, make_array, new_empty_array,
};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use arrow_select::concat::concat;
use nestled_nested::{Nested, Result};
use std::ffi::CStr;
use std::sync::Arc;

pub use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
pub use arrow_array::ffi_stream::FFI_ArrowArrayStream;

/// An array and its type for another language, which releases both.
///
/// ```
/// use nestled_arrow::ffi;
/// use nestled_nested::Nested;
/// let (array, schema) = ffi::to_ffi(&Nested::from_iter([vec![1, 2], vec![]]))?;
/// assert_eq!((array.len(), schema.format()), (2, "+l"));
/// // SAFETY: both come from `to_ffi`.
/// let back = unsafe { ffi::from_ffi(array, &schema) }?;
/// assert_eq!(back.to_list()?.to_string(), "[[1, 2], []]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// Those of evaluation.
#[track_caller]
pub fn to_ffi(nested: &Nested) -> Result<(FFI_ArrowArray, FFI_ArrowSchema)> {
    let array = crate::to_arrow(nested)?;
    told("to_ffi", exported(&array.to_data()).map_err(Fault::from))
}

/// An array of another language, whose memory is used where it lies.
///
/// # Safety
/// The callbacks may be called, and the pointers lead to as much memory as the interface says for the lengths in both structures and in the offsets.
///
/// # Errors
/// It was released, does not fit its type, or has offsets, texts or places that are wrong; a type that nested data have not.
#[track_caller]
pub unsafe fn from_ffi(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<Nested> {
    let imported = guarded(|| {
        let ty = type_of(schema)?;
        // SAFETY: the caller's.
        let data = unsafe { imported(array, ty) }?;
        let array = make_array(data);
        from_arrow::element(&array, array.logical_null_count() > 0, Rules::default())
    });
    told("from_ffi", imported)
}

fn type_of(schema: &FFI_ArrowSchema) -> Outcome<DataType> {
    if schema.release().is_none() {
        return fault("the type was released");
    }
    Ok(DataType::try_from(schema)?)
}

/// The data of an array, validated.
///
/// # Safety
/// As [`from_ffi`].
unsafe fn imported(array: FFI_ArrowArray, ty: DataType) -> Outcome<ArrayData> {
    if array.is_released() {
        return fault("the array was released");
    }
    fits(&array, &ty)?;
    // SAFETY: the caller's, and it has the children of its type.
    unsafe { has_sizes(&array, &ty) }?;
    // SAFETY: the caller's.
    let data = unsafe { from_ffi_and_data_type(array, ty) }?;
    data.validate_full()?;
    Ok(data)
}

/// Refuses an array that has other children than its type.
fn fits(array: &FFI_ArrowArray, ty: &DataType) -> Outcome<()> {
    let children = children_of(ty);
    if children.len() != array.num_children() {
        let (wanted, found) = (children.len(), array.num_children());
        return fault(format!("an array of `{ty}` has {found} children, and {wanted} are wanted"));
    }
    children.iter().enumerate().try_for_each(|(place, child)| fits(array.child(place), child))?;
    match (ty, array.dictionary()) {
        (DataType::Dictionary(_, words), Some(dictionary)) => fits(dictionary, words),
        (DataType::Dictionary(..), None) => fault(format!("an array of `{ty}` has no dictionary")),
        _ => Ok(()),
    }
}

/// The types of the children of an array.
fn children_of(ty: &DataType) -> Vec<&DataType> {
    match ty {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        _ => Vec::new(),
    }
}

/// Refuses lengths below zero and buffers that are not there, before anybody computes the sizes of buffers with them.
///
/// # Safety
/// As [`from_ffi`], and the array has the children of its type.
unsafe fn has_sizes(array: &FFI_ArrowArray, ty: &DataType) -> Outcome<()> {
    let all = array.len().checked_add(array.offset()).filter(|&all| all < MOST && array.len() < MOST);
    let Some(all) = all else { return fault(format!("an array of `{ty}` has a length below zero")) };
    let (found, layout) = (array.num_buffers(), arrow_data::layout(ty));
    let wanted = layout.buffers.len() + usize::from(layout.can_contain_null_mask);
    let more = if layout.variadic { 1 } else { 0 };
    if found < wanted + more || found > wanted && !layout.variadic {
        return fault(format!("an array of `{ty}` has {found} buffers"));
    }
    // SAFETY: the caller's.
    let is_wrong = match ty {
        DataType::Utf8 | DataType::Binary => unsafe { is_wrong::<i32>(array, 1, all, 1) },
        DataType::LargeUtf8 | DataType::LargeBinary => unsafe { is_wrong::<i64>(array, 1, all, 1) },
        DataType::Utf8View | DataType::BinaryView if found > 3 => unsafe {
            is_wrong::<i64>(array, found - 1, 0, found - 3)
        },
        _ => false,
    };
    if is_wrong && (all > 0 || layout.variadic) {
        return fault(format!("an array of `{ty}` has wrong sizes"));
    }
    let children = children_of(ty);
    // SAFETY: the caller's.
    children
        .iter()
        .enumerate()
        .try_for_each(|(place, child)| unsafe { has_sizes(array.child(place), child) })?;
    match (ty, array.dictionary()) {
        // SAFETY: the caller's.
        (DataType::Dictionary(_, words), Some(dictionary)) => unsafe { has_sizes(dictionary, words) },
        _ => Ok(()),
    }
}

/// More elements than memory holds.
const MOST: usize = 1 << 58;

/// True if one of some sizes in a buffer is below zero, or nobody can read them.
///
/// # Safety
/// The buffer is null, or has so many numbers.
unsafe fn is_wrong<T: Copy + Into<i64>>(
    array: &FFI_ArrowArray,
    buffer: usize,
    from: usize,
    count: usize,
) -> bool {
    let numbers = array.buffer(buffer).cast::<T>();
    // SAFETY: the caller's.
    !numbers.is_aligned()
        || numbers.is_null()
        || (from..from + count).any(|place| unsafe { *numbers.add(place) }.into() < 0)
}

/// A stream of tables for another language, which releases it. All pieces have the schema of the first.
///
/// ```
/// use nestled_arrow::ffi;
/// use nestled_nested::Nested;
/// let stream = ffi::to_stream([Nested::from_iter([1, 2]), Nested::from_iter([3])])?;
/// // SAFETY: it comes from `to_stream`.
/// let scan = unsafe { ffi::from_stream(stream) }?;
/// assert_eq!(scan.read()?.to_list()?.to_string(), "[{value: 1}, {value: 2}, {value: 3}]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// There is no piece; and those of evaluation.
#[track_caller]
pub fn to_stream<I>(pieces: I) -> Result<FFI_ArrowArrayStream>
where
    I: IntoIterator<Item = Nested>,
    I::IntoIter: Send + 'static,
{
    let mut rest = pieces.into_iter();
    let Some(first) = rest.next() else { return told("to_stream", fault("there is no piece")) };
    let first = told("to_stream", to_arrow::batch(&first))?;
    let reader = Given { schema: first.schema(), first: Some(first), rest };
    Ok(FFI_ArrowArrayStream::new(Box::new(reader)))
}

/// Pieces that are given to others.
struct Given<I> {
    schema: SchemaRef,
    first: Option<RecordBatch>,
    rest: I,
}

impl<I: Iterator<Item = Nested>> Iterator for Given<I> {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let piece = told("to_stream", to_arrow::batch(&self.rest.next()?));
        Some(match piece {
            Ok(batch) if batch.schema() == self.schema => Ok(batch),
            Ok(_) => Err(ArrowError::SchemaError("a piece has another schema than the first".to_owned())),
            Err(error) => Err(ArrowError::ExternalError(Box::new(error))),
        })
    }
}

impl<I: Iterator<Item = Nested>> RecordBatchReader for Given<I> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The tables of another language's stream, which are read once, when they are asked for.
///
/// # Safety
/// As [`from_ffi`], for all that the stream gives.
///
/// # Errors
/// It was released, or its schema is that of no table.
#[track_caller]
pub unsafe fn from_stream(stream: FFI_ArrowArrayStream) -> Result<Scan> {
    let taken = guarded(|| Taken::new(stream));
    let taken = told("from_stream", taken)?;
    Ok(Scan::of_batches(Arc::clone(&taken.schema), Box::new(taken)))
}

/// All elements of another language's stream: the rows of a table as records, or the elements of arrays of any other type, such as a column's chunks.
///
/// # Safety
/// As [`from_ffi`], for all that the stream gives.
///
/// # Errors
/// It was released, or fails; and those of [`from_ffi`].
#[track_caller]
pub unsafe fn read_stream(stream: FFI_ArrowArrayStream) -> Result<Nested> {
    let read = guarded(|| {
        let mut source = Source(stream);
        let ty = type_of(&source.schema()?)?;
        let mut arrays = Vec::new();
        while let Some(data) = source.next(&ty)? {
            arrays.push(make_array(data));
        }
        let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
        let whole = match arrays.as_slice() {
            [] => new_empty_array(&ty),
            [one] => one.slice(0, one.len()),
            _ => concat(&arrays)?,
        };
        from_arrow::element(&whole, whole.logical_null_count() > 0, Rules::default())
    });
    told("read_stream", read)
}

/// A stream of others, which gives arrays.
struct Source(FFI_ArrowArrayStream);

impl Source {
    fn schema(&mut self) -> Outcome<FFI_ArrowSchema> {
        let get = self.0.get_schema().filter(|_| self.0.release().is_some());
        let Some(get) = get else { return fault("the stream was released") };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream was not released, and both structures are ours as long as the call lasts.
        let code = unsafe { get(&raw mut self.0, &raw mut schema) };
        told_by(&mut self.0, code)?;
        Ok(schema)
    }

    fn next(&mut self, ty: &DataType) -> Outcome<Option<ArrayData>> {
        let Some(get) = self.0.get_next() else { return fault("the stream was released") };
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream was not released, and both structures are ours as long as the call lasts.
        let code = unsafe { get(&raw mut self.0, &raw mut array) };
        told_by(&mut self.0, code)?;
        if array.is_released() {
            return Ok(None);
        }
        // SAFETY: who gave the stream has said so.
        Ok(Some(unsafe { imported(array, ty.clone()) }?))
    }
}

/// A stream of others, which gives tables.
struct Taken {
    source: Source,
    schema: SchemaRef,
}

impl Taken {
    fn new(stream: FFI_ArrowArrayStream) -> Outcome<Taken> {
        let mut source = Source(stream);
        let schema = source.schema()?;
        type_of(&schema)?;
        let schema = Arc::new(Schema::try_from(&schema)?);
        Ok(Taken { source, schema })
    }

    fn read(&mut self) -> Outcome<Option<RecordBatch>> {
        let ty = DataType::Struct(self.schema.fields().clone());
        let Some(data) = self.source.next(&ty)? else { return Ok(None) };
        let options = RecordBatchOptions::new().with_row_count(Some(data.len()));
        let (_, columns, nulls) = StructArray::from(data).into_parts();
        if nulls.is_some_and(|nulls| nulls.null_count() > 0) {
            return fault("rows of a table are missing");
        }
        Ok(Some(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?))
    }
}

impl Iterator for Taken {
    type Item = Outcome<RecordBatch>;

    fn next(&mut self) -> Option<Outcome<RecordBatch>> {
        self.read().transpose()
    }
}

/// The error that a stream tells, unless it says that all is well.
fn told_by(stream: &mut FFI_ArrowArrayStream, code: i32) -> Outcome<()> {
    if code == 0 {
        return Ok(());
    }
    let text = stream.get_last_error().and_then(|get| {
        // SAFETY: the stream was not released; the text is valid until the next call.
        let text = unsafe { get(&raw mut *stream) };
        // SAFETY: it is a text of C, if it is anything.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    });
    fault(text.unwrap_or_else(|| format!("the stream gives the error {code}")))
}
