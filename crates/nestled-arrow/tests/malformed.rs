//! Malformed files: whatever is wrong in them is an error, and nothing panics or reads beyond.

use crate::{Scratch, data};
use nestled_arrow::{read, scan, write};
use nestled_nested::Nested;
use std::time::{Duration, Instant};

/// Numbers that look random, and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// Reads a file with some bytes changed, or without its end: it is read or refused.
fn mutated(name: &str, rounds: usize) {
    let whole = std::fs::read(data(name)).unwrap();
    let mut numbers = Numbers(name.len() as u64);
    let path = Scratch::new(&format!("mutated-{name}"));
    for round in 0..rounds {
        let mut bytes = whole.clone();
        if round % 4 == 0 {
            bytes.truncate(numbers.below(whole.len()));
        }
        for _ in 0..1 + numbers.below(3) {
            let place = numbers.below(bytes.len());
            if let Some(byte) = bytes.get_mut(place) {
                *byte = numbers.below(256) as u8;
            }
        }
        std::fs::write(&path.0, &bytes).unwrap();
        if let Ok(rows) = read(&path.0) {
            let _ = rows.to_list();
        }
        if let Ok(scan) = scan(&path.0) {
            let _ = scan.summary(2);
        }
    }
}

#[test]
fn parquet() {
    mutated("kinds.parquet", 60);
    mutated("zstd.parquet", 20);
    mutated("brotli.parquet", 20);
}

#[test]
fn arrow() {
    mutated("kinds.feather", 60);
    mutated("kinds.arrow", 40);
    mutated("views.arrow", 60);
    mutated("kinds-zstd.feather", 60);
    mutated("zstd.arrow", 40);
}

/// A group of its schema has more children than memory could hold, of the few elements that there are.
#[test]
fn a_group_of_too_many_children() {
    let error = read(data("many-children.parquet")).unwrap_err().to_string();
    assert!(error.contains("children"), "{error}");
}

/// A page of some hundred bytes says that it has more than a gigabyte when decompressed.
#[test]
fn a_page_that_says_it_is_large() {
    let error = read(data("large-page.parquet")).unwrap_err().to_string();
    assert!(error.contains("decompressed"), "{error}");
}

/// Its index has the body of a dictionary at another place than the message: a size is read there that no memory holds.
#[test]
fn an_index_that_says_another_place() {
    assert!(read(data("other-body.arrow")).is_err());
}

/// A dictionary of a few bytes says that it has a hundred million words.
#[test]
fn a_dictionary_that_cannot_have_its_words() {
    assert!(read(data("great-dictionary.parquet")).is_err());
}

/// The header of a page has a field that nobody knows, a list of two thousand million floats. It is refused where the file ends, at once.
#[test]
fn a_header_that_cannot_have_its_list() {
    let path = Scratch::new("long-header.parquet");
    write(&path.0, &Nested::from_iter(0..1000i64)).unwrap();
    assert_eq!(read(&path.0).unwrap().len(), 1000);
    let mut bytes = std::fs::read(&path.0).unwrap();
    // The first page begins after the word `PAR1`. Thrift: field 15, of type list; its elements are floats, and their number follows.
    bytes[4..11].copy_from_slice(&[0xf9, 0xf7, 0xff, 0xff, 0xff, 0xff, 0x07]);
    std::fs::write(&path.0, &bytes).unwrap();
    let begin = Instant::now();
    let error = read(&path.0).unwrap_err().to_string();
    assert!(begin.elapsed() < Duration::from_secs(5), "{error}");
    assert!(error.contains("long-header.parquet: "), "{error}");
}

/// A file of one column of integers, as bytes.
fn integers() -> Vec<u8> {
    let path = Scratch::new("header.parquet");
    write(&path.0, &Nested::from_iter(0..1000i64)).unwrap();
    assert_eq!(read(&path.0).unwrap().len(), 1000);
    std::fs::read(&path.0).unwrap()
}

/// The error of reading these bytes, which is found at once.
fn refused(name: &str, bytes: &[u8]) -> String {
    let path = Scratch::new(name);
    std::fs::write(&path.0, bytes).unwrap();
    let begin = Instant::now();
    let error = read(&path.0).unwrap_err().to_string();
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}: {error}", begin.elapsed());
    error
}

/// Lists of two thousand million booleans have no bytes to the crate `parquet`, which counts through all of them: in the header of a page, in lists, structures and maps there, and in
/// the footer of a file.
#[test]
fn headers_of_many_booleans() {
    let list = [0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
    let in_lists = [[0xf9, 0xe9].as_slice(), &list, &list, &list].concat();
    let in_structure = [[0xfc, 0x19].as_slice(), &list].concat();
    let map = [0xfb, 0xff, 0xff, 0xff, 0xff, 0x07, 0x12];
    let few = [0xf9, 0xf1, 0xe9, 0x07];
    for start in [[[0xf9].as_slice(), &list].concat(), in_lists, in_structure, map.to_vec(), few.to_vec()] {
        let mut bytes = integers();
        bytes[4..4 + start.len()].copy_from_slice(&start);
        let error = refused("booleans.parquet", &bytes);
        assert!(error.contains(" booleans"), "{start:x?}: {error}");
    }
    let mut bytes = integers();
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
    assert_eq!(bytes[end - 1], 0, "the footer ends with the end of its structure");
    bytes.splice(end - 1..end, [[0xf9].as_slice(), &list, &[0]].concat());
    bytes[end + 7..end + 11].copy_from_slice(&(length + 7).to_le_bytes());
    let error = refused("footer.parquet", &bytes);
    assert!(error.contains("2147483647 booleans"), "{error}");
}

/// The kind of a page is an integer, and read as one whatever its type is said to be: so one thing would be looked at, and another one read.
#[test]
fn a_header_of_other_types() {
    let mut bytes = integers();
    assert_eq!(bytes[4], 0x15);
    bytes[4] = 0x18;
    let error = refused("types.parquet", &bytes);
    assert!(error.contains("field 1 of a header has type 8 of Thrift, not 5"), "{error}");
}

#[test]
fn texts() {
    let path = Scratch::new("broken.jsonl");
    std::fs::write(&path.0, "{\"x\": 1}\n{\"x\": [}\n").unwrap();
    assert!(read(&path.0).is_err());
    let path = Scratch::new("broken.csv");
    std::fs::write(&path.0, "a,b\n1,2\n3\n").unwrap();
    assert!(read(&path.0).is_err());
}
