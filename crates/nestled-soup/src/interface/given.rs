//! The structures of the C interface, as its document has them, and who releases them.

use super::arrays::Made;
use super::memory::Block;
use nestled_arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use std::ffi::{CString, c_char, c_void};
use std::ptr::null_mut;

#[repr(C)]
pub(super) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

#[repr(C)]
pub(super) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// The memory that a schema owns.
struct OfSchema {
    _texts: [CString; 2],
    below: Below<Schema>,
}

/// The memory that an array owns.
struct OfArray {
    _blocks: Vec<Option<Block>>,
    buffers: Vec<*const c_void>,
    below: Below<Array>,
}

/// Children and a dictionary.
struct Below<T> {
    children: Vec<*mut T>,
    dictionary: *mut T,
}

impl<T> Below<T> {
    fn new(children: Vec<T>, dictionary: Option<T>) -> Below<T> {
        let owned = |child| Box::into_raw(Box::new(child));
        Below {
            children: children.into_iter().map(owned).collect(),
            dictionary: dictionary.map_or(null_mut(), owned),
        }
    }

    /// Gives all of them back.
    fn released(self, release: impl Fn(&mut T)) {
        for child in self.children.into_iter().chain([self.dictionary]).filter(|child| !child.is_null()) {
            // SAFETY: it came from a box, and is given back once.
            let mut child = unsafe { Box::from_raw(child) };
            release(&mut child);
        }
    }
}

/// An array and its type, for whoever takes them.
pub(super) fn given(made: Made) -> (FFI_ArrowArray, FFI_ArrowSchema) {
    let (mut array, mut schema) = both(made);
    // SAFETY: the layouts are those of the interface; what is left here is never released.
    unsafe {
        (
            FFI_ArrowArray::from_raw((&raw mut array).cast()),
            FFI_ArrowSchema::from_raw((&raw mut schema).cast()),
        )
    }
}

/// An array and its type, which whoever has them releases.
pub(super) fn both(made: Made) -> (Array, Schema) {
    let (arrays, schemas): (Vec<Array>, Vec<Schema>) = made.children.into_iter().map(both).unzip();
    let (dictionary, words) = made.dictionary.map(|made| both(*made)).unzip();
    let fewer = |children: Vec<Array>, lacks: usize| {
        let left = children.len().saturating_sub(lacks);
        let mut children = children;
        for mut child in children.drain(left..) {
            release_one_array(&mut child);
        }
        children
    };
    let arrays = fewer(arrays, made.lacks_children);
    let mut texts = Box::new(OfSchema {
        _texts: [CString::new(made.format).unwrap_or_default(), CString::new(made.name).unwrap_or_default()],
        below: Below::new(schemas, words),
    });
    let schema = Schema {
        format: texts._texts[0].as_ptr(),
        name: texts._texts[1].as_ptr(),
        metadata: std::ptr::null(),
        flags: made.flags,
        n_children: texts.below.children.len() as i64,
        children: texts.below.children.as_mut_ptr(),
        dictionary: texts.below.dictionary,
        release: Some(release_schema),
        private_data: Box::into_raw(texts).cast(),
    };
    let blocks: Vec<Option<Block>> = made
        .buffers
        .iter()
        .map(|buffer| buffer.as_ref().map(|bytes| Block::new(bytes, made.align)))
        .collect();
    let mut memory = Box::new(OfArray {
        buffers: blocks.iter().map(|block| block.as_ref().map_or(std::ptr::null(), Block::pointer)).collect(),
        _blocks: blocks,
        below: Below::new(arrays, dictionary),
    });
    let array = Array {
        length: made.length,
        null_count: made.null_count,
        offset: made.offset,
        n_buffers: memory.buffers.len() as i64,
        n_children: memory.below.children.len() as i64,
        buffers: memory.buffers.as_mut_ptr(),
        children: memory.below.children.as_mut_ptr(),
        dictionary: memory.below.dictionary,
        release: Some(release_array),
        private_data: Box::into_raw(memory).cast(),
    };
    (array, schema)
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: whoever calls it has a schema of ours.
    release_one_schema(unsafe { &mut *schema });
}

pub(super) fn release_one_schema(schema: &mut Schema) {
    if schema.release.take().is_some() {
        // SAFETY: it was not released before.
        let owned = unsafe { Box::from_raw(schema.private_data.cast::<OfSchema>()) };
        owned.below.released(release_one_schema);
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: whoever calls it has an array of ours.
    release_one_array(unsafe { &mut *array });
}

pub(super) fn release_one_array(array: &mut Array) {
    if array.release.take().is_some() {
        // SAFETY: it was not released before.
        let owned = unsafe { Box::from_raw(array.private_data.cast::<OfArray>()) };
        owned.below.released(release_one_array);
    }
}
