//! Arrow's C interface: round trips, owners that are told once, and what is malformed.

use crate::{everything, message};
use arrow_array::Array as _;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use nestled_arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, from_stream, to_ffi, to_stream};
use nestled_arrow::to_arrow;
use nestled_nested::Nested;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
#[allow(unsafe_code)]
fn there_and_back() {
    let (array, schema) = to_ffi(&everything()).unwrap();
    // SAFETY: both are ours.
    let back = unsafe { from_ffi(array, &schema) }.unwrap();
    assert_eq!(back.to_list().unwrap(), everything().to_list().unwrap());
    let stream = to_stream([everything(), everything()]).unwrap();
    // SAFETY: it is ours.
    let scan = unsafe { from_stream(stream) }.unwrap();
    assert_eq!(scan.schema().unwrap(), everything().schema());
    let lengths: Vec<usize> = scan.pieces().unwrap().map(|piece| piece.unwrap().len()).collect();
    assert_eq!(lengths, [3, 3]);
}

/// Bytes that count how often they were given back.
struct Owned(Vec<u8>, Arc<AtomicUsize>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
#[allow(unsafe_code)]
fn owners_are_told_once_when_the_last_array_goes() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let owned = Owned(vec![1, 2, 3], Arc::clone(&dropped));
    let buffer = arrow_buffer::Buffer::from(bytes::Bytes::from_owner(owned));
    let data = ArrayData::builder(DataType::UInt8).len(3).add_buffer(buffer).build().unwrap();
    let (array, schema) = arrow_array::ffi::to_ffi(&data).unwrap();
    drop(data);
    // SAFETY: both are ours.
    let nested = unsafe { from_ffi(array, &schema) }.unwrap();
    drop(schema);
    let again = nested.clone();
    assert_eq!(nested.sum(0).unwrap().item().unwrap(), 6.into());
    drop(nested);
    let out = to_arrow(&again).unwrap();
    drop(again);
    assert_eq!(out.to_data().buffers()[0].as_slice(), [1, 2, 3]);
    drop(out);
    nestled_array::Engine::current().trim();
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
#[allow(unsafe_code)]
fn what_was_released_or_has_other_children_is_refused() {
    let (array, schema) = to_ffi(&Nested::from_iter([1, 2])).unwrap();
    // SAFETY: both are ours.
    let released = unsafe { from_ffi(FFI_ArrowArray::empty(), &schema) };
    assert_eq!(message(released), "the array was released");
    // SAFETY: both are ours.
    let untyped = unsafe { from_ffi(array, &FFI_ArrowSchema::empty()) };
    assert_eq!(message(untyped), "the type was released");
    let (array, _) = to_ffi(&Nested::from_iter([1, 2])).unwrap();
    let (_, lists) = to_ffi(&Nested::from_iter([vec![1]])).unwrap();
    // SAFETY: no pointer of an array without children is followed.
    let other = unsafe { from_ffi(array, &lists) };
    assert!(message(other).ends_with("has 0 children, and 1 are wanted"));
    // SAFETY: an empty stream has no callbacks.
    let stream = unsafe { from_stream(nestled_arrow::ffi::FFI_ArrowArrayStream::empty()) };
    assert_eq!(message(stream), "the stream was released");
}

/// An array that was not validated.
#[allow(unsafe_code)]
fn raw(ty: DataType, len: usize, buffers: &[&[u8]], children: Vec<ArrayData>) -> ArrayData {
    let builder = ArrayData::builder(ty).len(len).child_data(children);
    let buffers = buffers.iter().map(|bytes| arrow_buffer::Buffer::from(bytes.to_vec())).collect();
    // SAFETY: it is only given to the interface, which validates it.
    unsafe { builder.buffers(buffers).build_unchecked() }
}

#[test]
#[allow(unsafe_code)]
fn wrong_offsets_texts_and_places_are_refused() {
    let offsets =
        |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_ne_bytes()).collect::<Vec<u8>>();
    let text = |numbers: &[i32], bytes: &[u8]| {
        raw(DataType::Utf8, numbers.len() - 1, &[&offsets(numbers), bytes], vec![])
    };
    let item = Arc::new(arrow_schema::Field::new("item", DataType::UInt8, false));
    let bytes = raw(DataType::UInt8, 4, &[&[1, 2, 3, 4]], vec![]);
    let list = |numbers: &[i32]| {
        raw(DataType::List(Arc::clone(&item)), numbers.len() - 1, &[&offsets(numbers)], vec![bytes.clone()])
    };
    let fixed = raw(DataType::FixedSizeList(Arc::clone(&item), 3), 2, &[], vec![bytes.clone()]);
    let malformed = [
        text(&[0, 2, 1], b"ab"),
        text(&[-1, 1], b"ab"),
        text(&[0, 1], &[0xff]),
        text(&[0, 1, 2], "ü".as_bytes()),
        list(&[0, 3, 2]),
        list(&[0, 5]),
        list(&[-2, 1]),
        fixed,
    ];
    for data in malformed {
        let (array, schema) = arrow_array::ffi::to_ffi(&data).unwrap();
        // SAFETY: buffers are as long as the offsets say at most, or the offsets are refused before.
        let refused = unsafe { from_ffi(array, &schema) };
        assert!(refused.is_err(), "{data:?}");
    }
    let words = raw(DataType::Utf8, 1, &[&offsets(&[0, 1]), b"a"], vec![]);
    let ty = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let (array, schema) = arrow_array::ffi::to_ffi(&raw(ty, 2, &[&[0, 1]], vec![words])).unwrap();
    // SAFETY: all buffers are there.
    let refused = unsafe { from_ffi(array, &schema) };
    assert!(refused.is_err());
}

/// A hundred million values with `cargo xtask long`, else two million.
fn many() -> usize {
    if std::env::var_os("NESTLED_TEST_ALL").is_some() { 100_000_000 } else { 2_000_000 }
}

/// The most bytes that this process has held, where the system says it.
fn most_held() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok()? * 1024)
}

/// From outside and out again: where the values lie then, and the most that the process has held.
#[allow(unsafe_code)]
fn exchanged(data: ArrayData) -> (ArrayData, Option<usize>) {
    let (array, schema) = arrow_array::ffi::to_ffi(&data).unwrap();
    drop(data);
    // SAFETY: both are whole.
    let nested = unsafe { from_ffi(array, &schema) }.unwrap();
    let (array, schema) = to_ffi(&nested).unwrap();
    drop(nested);
    // SAFETY: both are ours.
    let back = unsafe { arrow_array::ffi::from_ffi(array, &schema) }.unwrap();
    (back, most_held())
}

#[test]
fn values_are_not_copied() {
    let count = many();
    let numbers: Vec<f64> = (0..count).map(|place| place as f64).collect();
    let begin = numbers.as_ptr().addr();
    let buffer = arrow_buffer::Buffer::from_vec(numbers);
    let before = most_held();
    let data = ArrayData::builder(DataType::Float64).len(count).add_buffer(buffer.clone()).build().unwrap();
    let (back, after) = exchanged(data);
    assert_eq!((back.buffers()[0].as_ptr().addr(), back.len()), (begin, count));
    // Other tests run beside in the same process, so that only much says something.
    if let (Some(before), Some(after), true) = (before, after, count > 10_000_000) {
        assert!(after - before < count, "{} bytes more for {count} values", after - before);
    }
    drop(back);
    // The same values in lists, and bytes as texts.
    let offsets: Vec<i32> = (0..=count / 1000).map(|list| list as i32 * 1000).collect();
    let item = Arc::new(arrow_schema::Field::new("item", DataType::Float64, false));
    let values = ArrayData::builder(DataType::Float64).len(count).add_buffer(buffer).build().unwrap();
    let lists = ArrayData::builder(DataType::List(item))
        .len(count / 1000)
        .add_buffer(arrow_buffer::Buffer::from_vec(offsets.clone()))
        .add_child_data(values);
    let (back, _) = exchanged(lists.build().unwrap());
    assert_eq!((back.child_data()[0].buffers()[0].as_ptr().addr(), back.len()), (begin, count / 1000));
    drop(back);
    let text = vec![b'x'; count];
    let begin = text.as_ptr().addr();
    let texts = ArrayData::builder(DataType::Utf8)
        .len(count / 1000)
        .add_buffer(arrow_buffer::Buffer::from_vec(offsets))
        .add_buffer(arrow_buffer::Buffer::from_vec(text));
    let (back, _) = exchanged(texts.build().unwrap());
    assert_eq!((back.buffers()[1].as_ptr().addr(), back.len()), (begin, count / 1000));
}
