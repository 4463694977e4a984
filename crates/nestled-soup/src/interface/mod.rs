//! Arrays and streams of another language, by Arrow's C interface: made up from bytes, mostly with something wrong, and given to `nestled-arrow`.
//!
//! The interface does not say how long memory is, so that a length that is too great cannot be found by anybody. All that can be wrong is: offsets that fall, are negative or lead out of the elements,
//! texts that are no UTF-8, places of no word, numbers of missing elements, children and buffers that are not there, formats, and lengths below zero. Each buffer ends where a page
//! ends that nobody may read, so that a look beyond ends the process.
#![allow(unsafe_code)] // It is another language.

mod arrays;
mod given;
mod memory;
mod streams;
mod wrong;

use crate::choices::Choices;
use nestled_arrow::{Scan, ffi};
use std::sync::Arc;

/// Makes an array or a stream of bytes, and takes it.
///
/// # Panics
/// What is taken cannot be read, or is another when it was given back and taken again.
pub fn read(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    if choices.one_in(3) { stream(&mut choices) } else { array(&mut choices) }
}

/// Takes a stream, in pieces or whole, and gives it on.
fn stream(choices: &mut Choices) {
    let (stream, alive) = streams::given(streams::any(choices));
    // SAFETY: all memory is as long as lengths and last offsets say, or these are below zero.
    let scan = unsafe { ffi::from_stream(stream) };
    if let Ok(scan) = scan {
        taken(choices, &scan);
    }
    assert_eq!(Arc::strong_count(&alive), 1, "the stream was not released");
}

fn taken(choices: &mut Choices, scan: &Scan) {
    if choices.one_in(3) {
        if let Ok(rows) = scan.read() {
            rows.to_list().expect("what was taken is read");
        }
        return;
    }
    let most = choices.below(4);
    let pieces: Vec<_> = scan.pieces().into_iter().flatten().take(most).map_while(Result::ok).collect();
    let rows: Vec<_> =
        pieces.iter().flat_map(|piece| piece.to_values().expect("what was taken is read")).collect();
    if let Ok(stream) = ffi::to_stream(pieces) {
        // SAFETY: it is ours.
        let again = unsafe { ffi::from_stream(stream) }.expect("what we give is taken");
        let again = again.read().expect("it is read").to_values().expect("it is read");
        assert_eq!(format!("{again:?}"), format!("{rows:?}"));
    }
}

/// Takes an array, or a stream of arrays as one, and gives it on.
fn array(choices: &mut Choices) {
    let taken = if choices.one_in(4) {
        let (stream, alive) = streams::given(streams::any_arrays(choices));
        // SAFETY: all memory is as long as lengths and last offsets say, or these are below zero.
        let taken = unsafe { ffi::read_stream(stream) };
        assert_eq!(Arc::strong_count(&alive), 1, "the stream was not released");
        taken
    } else {
        let mut made = arrays::any(choices, 3);
        for _ in 0..choices.below(3) {
            wrong::somewhere(choices, &mut made);
        }
        let (array, schema) = given::given(made);
        // SAFETY: as above.
        unsafe { ffi::from_ffi(array, &schema) }
    };
    let Ok(nested) = taken else { return };
    let first = nested.to_list().expect("what was taken is read").to_string();
    let (array, schema) = ffi::to_ffi(&nested).expect("what was taken is given");
    drop(nested);
    // SAFETY: both are ours.
    let again = unsafe { ffi::from_ffi(array, &schema) }.expect("what we give is taken");
    assert_eq!(again.to_list().expect("it is read").to_string(), first);
}

#[cfg(test)]
mod tests {
    use super::streams::{Given, MadeStream};
    use super::{Choices, arrays, given, streams};
    use crate::random::Random;
    use nestled_arrow::ffi;

    #[test]
    fn arrays_with_nothing_wrong_are_taken() {
        let mut taken = 0;
        for seed in 0..300 {
            let mut random = Random::seeded(seed);
            let bytes: Vec<u8> = (0..200).map(|_| random.bits() as u8).collect();
            let made = arrays::any(&mut Choices::new(&bytes), 3);
            let length = made.length;
            let (array, schema) = given::given(made);
            // SAFETY: there is nothing wrong with it.
            match unsafe { ffi::from_ffi(array, &schema) } {
                Ok(nested) => {
                    assert_eq!(nested.len() as i64, length);
                    taken += 1;
                }
                // Types that nested data have not, and numbers that are no dates or too great for 64 bits.
                Err(error) => {
                    let known = ["nested data have not", "beyond 32 bits", "64 bits"];
                    assert!(known.iter().any(|known| error.to_string().contains(known)), "{error}");
                }
            }
        }
        assert!(taken > 200, "{taken}");
    }

    #[test]
    fn streams_with_nothing_wrong_are_taken() {
        let mut taken = 0;
        for seed in 0..300 {
            let mut random = Random::seeded(seed);
            let bytes: Vec<u8> = (0..300).map(|_| random.bits() as u8).collect();
            let table = arrays::table(&mut Choices::new(&bytes), 2);
            let count = seed as usize % 4;
            let made = MadeStream {
                schema: Given::Made(table.clone()),
                pieces: (0..count).map(|_| Given::Made(table.clone())).collect(),
                error: None,
                lacks: 0,
            };
            let (stream, alive) = streams::given(made);
            // SAFETY: there is nothing wrong with it.
            match unsafe { ffi::from_stream(stream) }.and_then(|scan| scan.read()) {
                Ok(rows) => {
                    assert_eq!(rows.len(), count * table.length as usize);
                    taken += usize::from(count > 0);
                }
                // Columns that nested data have not, and such as lack values where their type says that none does.
                Err(error) => {
                    let known =
                        ["nested data have not", "beyond 32 bits", "64 bits", "Non-nullable", "non-nullable"];
                    assert!(known.iter().any(|known| error.to_string().contains(known)), "{error}");
                }
            }
            assert_eq!(std::sync::Arc::strong_count(&alive), 1, "{seed}");
        }
        assert!(taken > 100, "{taken}");
    }

    #[test]
    fn streams_of_arrays_are_read_whole() {
        let mut taken = 0;
        for seed in 0..300 {
            let mut random = Random::seeded(seed + 1000);
            let bytes: Vec<u8> = (0..300).map(|_| random.bits() as u8).collect();
            let array = arrays::any(&mut Choices::new(&bytes), 2);
            let count = 1 + seed as usize % 3;
            let made = MadeStream {
                schema: Given::Made(array.clone()),
                pieces: (0..count).map(|_| Given::Made(array.clone())).collect(),
                error: None,
                lacks: 0,
            };
            let (stream, alive) = streams::given(made);
            // SAFETY: there is nothing wrong with it.
            let read = unsafe { ffi::read_stream(stream) };
            assert_eq!(std::sync::Arc::strong_count(&alive), 1, "{seed}");
            // Types that nested data have not, numbers that do not fit, and arrays that are no pieces of one.
            if let Ok(read) = read {
                assert_eq!(read.len(), count * array.length as usize);
                taken += 1;
            }
        }
        assert!(taken > 150, "{taken}");
    }

    /// Each thing that may be wrong with a stream is told once.
    #[test]
    fn streams_with_something_wrong_are_refused() {
        let table = || arrays::table(&mut Choices::new(&[0, 0, 0, 0, 0, 0, 3, 0]), 1);
        let mut other = table();
        other.children.push(other.children[0].clone());
        let text = std::ffi::CString::new("it rains").ok();
        for (schema, pieces, lacks, wanted) in [
            (Given::Released, vec![], 0, "the type was released"),
            (Given::Error(7, None), vec![], 3, "the stream gives the error 7"),
            (Given::Error(7, Some(table())), vec![], 0, "it rains"),
            (Given::Made(table()), vec![], 1, "the stream was released"),
            (Given::Made(table()), vec![], 2, "the stream was released"),
            (Given::Made(table()), vec![Given::Made(table()), Given::Error(5, Some(table()))], 0, "it rains"),
            (Given::Made(table()), vec![Given::Made(other.clone())], 0, "children"),
            (Given::Made(other), vec![Given::Made(table())], 0, "children"),
        ] {
            let made = MadeStream { schema, pieces: pieces.into(), error: text.clone(), lacks };
            let (stream, alive) = streams::given(made);
            // SAFETY: all memory is as long as it is said to be.
            let error = unsafe { ffi::from_stream(stream) }.and_then(|scan| scan.read()).expect_err(wanted);
            assert!(error.to_string().contains(wanted), "{error}");
            assert_eq!(std::sync::Arc::strong_count(&alive), 1, "{wanted}");
        }
    }
}
