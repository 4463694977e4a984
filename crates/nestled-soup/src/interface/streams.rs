//! Streams of tables of another language: what each call gives, mostly tables of one type with nothing wrong, and errors, ends and things that were released at any time.

use super::arrays::{self, Made};
use super::given::{Array, Schema, both, release_one_array, release_one_schema};
use super::wrong;
use crate::choices::Choices;
use nestled_arrow::ffi::FFI_ArrowArrayStream;
use std::collections::VecDeque;
use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What a call gives.
pub(super) enum Given {
    /// The type of something, or its array.
    Made(Made),
    /// A structure that was released: the end, where an array is wanted.
    Released,
    /// An error, with or without something to release beside it.
    Error(c_int, Option<Made>),
}

/// A stream that is made up.
pub(super) struct MadeStream {
    pub schema: Given,
    pub pieces: VecDeque<Given>,
    /// What is said of an error, if anything.
    pub error: Option<CString>,
    /// The number of a callback that is not there.
    pub lacks: usize,
}

/// A stream of any tables. All have one type, as far as memory is concerned: nobody could find out that it is shorter than a type says.
pub(super) fn any(choices: &mut Choices) -> MadeStream {
    let table = arrays::table(choices, 2);
    of_pieces(choices, &table)
}

/// As [`any`], of arrays of any type.
pub(super) fn any_arrays(choices: &mut Choices) -> MadeStream {
    let array = arrays::any(choices, 3);
    of_pieces(choices, &array)
}

fn of_pieces(choices: &mut Choices, table: &Made) -> MadeStream {
    let given = |choices: &mut Choices| {
        let mut made = table.clone();
        if choices.one_in(3) {
            wrong::somewhere(choices, &mut made);
        }
        match choices.below(12) {
            0 => Given::Released,
            1 => Given::Error(choices.one(&[1, 5, -1, i32::MAX]), choices.one_in(2).then_some(made)),
            _ => Given::Made(made),
        }
    };
    let schema = given(choices);
    let count = choices.below(5);
    let pieces = (0..count).map(|_| given(choices)).collect();
    let error = match choices.below(3) {
        0 => None,
        1 => Some(CString::default()),
        _ => Some(CString::from_vec_with_nul(b"no \xff more\0".to_vec()).unwrap_or_default()),
    };
    MadeStream { schema, pieces, error, lacks: choices.below(20) }
}

/// The memory that a stream owns.
struct OfStream {
    made: MadeStream,
    _alive: Arc<()>,
}

/// A stream for whoever takes it, and what tells if it was released.
pub(super) fn given(made: MadeStream) -> (FFI_ArrowArrayStream, Arc<()>) {
    let alive = Arc::new(());
    let lacks = made.lacks;
    let owned = Box::new(OfStream { made, _alive: Arc::clone(&alive) });
    let mut stream = Stream {
        get_schema: (lacks != 1).then_some(get_schema),
        get_next: (lacks != 2).then_some(get_next),
        get_last_error: (lacks != 3).then_some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(owned).cast(),
    };
    // SAFETY: the layout is that of the interface; what is left here is never released.
    (unsafe { FFI_ArrowArrayStream::from_raw((&raw mut stream).cast()) }, alive)
}

/// # Safety
/// The stream is one of ours, and was not released.
unsafe fn owned<'s>(stream: *mut Stream) -> &'s mut OfStream {
    // SAFETY: the caller's.
    unsafe { &mut *(*stream).private_data.cast::<OfStream>() }
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: whoever calls it has a stream of ours, and room for a schema.
    let (of, out) = unsafe { (owned(stream), out) };
    let (code, made) = match std::mem::replace(&mut of.made.schema, Given::Released) {
        Given::Made(made) => (0, Some(made)),
        Given::Released => (0, None),
        Given::Error(code, made) => (code, made),
    };
    if let Some(made) = made {
        let (mut array, schema) = both(made);
        release_one_array(&mut array);
        // SAFETY: as above.
        unsafe { out.write(schema) };
    }
    code
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: whoever calls it has a stream of ours, and room for an array.
    let (of, out) = unsafe { (owned(stream), out) };
    let (code, made) = match of.made.pieces.pop_front() {
        Some(Given::Made(made)) => (0, Some(made)),
        Some(Given::Released) | None => (0, None),
        Some(Given::Error(code, made)) => (code, made),
    };
    if let Some(made) = made {
        let (array, mut schema) = both(made);
        release_one_schema(&mut schema);
        // SAFETY: as above.
        unsafe { out.write(array) };
    }
    code
}

unsafe extern "C" fn get_last_error(stream: *mut Stream) -> *const c_char {
    // SAFETY: whoever calls it has a stream of ours.
    let of = unsafe { owned(stream) };
    of.made.error.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}

unsafe extern "C" fn release(stream: *mut Stream) {
    // SAFETY: whoever calls it has a stream of ours.
    let stream = unsafe { &mut *stream };
    if stream.release.take().is_some() {
        // SAFETY: it was not released before.
        drop(unsafe { Box::from_raw(stream.private_data.cast::<OfStream>()) });
    }
}
