//! Checks of sorting in all its forms: every type, few and many tiles, many kinds of keys.

use super::{agree, array};
use crate::corpus::Engine;
use nestled_ir::interp::threefry2x32;
use nestled_ir::text::parse;
use nestled_ir::value::{AxisValue, Value};
use nestled_ir::{Program, Scalar, ScalarType};

/// The function that makes a key, from its number and a random number.
type Kind = fn(u64, u64) -> u64;

const KINDS: [(&str, Kind); 7] = [
    ("any", |_, random| random),
    ("few", |_, random| random % 5),
    ("in order", |at, _| at),
    ("the other way around", |at, _| !at),
    ("all the same", |_, _| 0x1234_5678_9abc_def0),
    ("all the same but one", |at, _| if at == 1 { !0 } else { 0x1234_5678_9abc_def0 }),
    ("of which one digit differs", |_, random| 0x0101_0101_0101_0101 | (random & 0x00ff_0000_00ff_0000)),
];

fn program(elem: ScalarType) -> Program {
    let text = include_str!("sorts.lcu").replace("$T", elem.name());
    parse("sorts.lcu", &text).expect("it is well-formed")
}

fn random(seed: u64, at: u64) -> u64 {
    let [low, high] = threefry2x32([seed as u32, 7], [at as u32, 0]);
    u64::from(low) | u64::from(high) << 32
}

/// A key made from the low bits of a number.
fn key(elem: ScalarType, bits: u64) -> Scalar {
    match elem {
        ScalarType::Bool => Scalar::Bool(bits & 1 == 1),
        ScalarType::I8 => Scalar::I8(bits as i8),
        ScalarType::U8 => Scalar::U8(bits as u8),
        ScalarType::I16 => Scalar::I16(bits as i16),
        ScalarType::U16 => Scalar::U16(bits as u16),
        ScalarType::I32 => Scalar::I32(bits as i32),
        ScalarType::U32 => Scalar::U32(bits as u32),
        ScalarType::I64 => Scalar::I64(bits as i64),
        ScalarType::U64 => Scalar::U64(bits),
        ScalarType::Idx => Scalar::Idx(bits as i64),
        ScalarType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        ScalarType::F64 => Scalar::F64(f64::from_bits(bits)),
        ScalarType::F16 => unreachable!("these have no order"),
    }
}

/// So many keys of a kind, and two arrays that go with them.
fn args(elem: ScalarType, kind: Kind, len: u64) -> [Value; 3] {
    let list = |elem, of: &dyn Fn(u64) -> Scalar| array(elem, line(len), (0..len).map(of));
    [
        list(elem, &|at| key(elem, kind(at, random(1, at)))),
        list(ScalarType::I32, &|at| Scalar::I32(at as i32)),
        list(ScalarType::F64, &|at| Scalar::F64(at as f64)),
    ]
}

fn line(len: u64) -> Vec<AxisValue> {
    vec![AxisValue::Extent(len)]
}

fn check(engine: &Engine, elem: ScalarType, function: &str, args: &[Value], what: &str) {
    let shape = |at: usize| args.get(at).and_then(Value::as_array).map(|array| array.shape[0].clone());
    // Of the keys, and of the lengths of rows, if there are any.
    let rows = if function == "in_rows" { shape(2) } else { None };
    let shapes: Vec<_> = shape(0).into_iter().chain(rows).collect();
    agree(engine, &program(elem), function, &shapes, args, &format!("of {elem}, {what}"));
}

/// All forms for one type.
pub fn every_form(engine: &Engine, elem: ScalarType) {
    for len in [0, 1, 2, 127, 129, 300, 3072, 4096, 4097, 9000] {
        for (at, (name, kind)) in KINDS.into_iter().enumerate() {
            let what = format!("{len} {name}");
            let [keys, words, pairs] = args(elem, kind, len);
            check(engine, elem, "alone", std::slice::from_ref(&keys), &what);
            // The others sort alike, so they take turns.
            match (at as u64 + len) % 3 {
                0 => check(engine, elem, "with_words", &[keys, words], &what),
                1 => check(engine, elem, "with_pairs", &[keys, pairs], &what),
                _ => check(engine, elem, "with_several", &[keys, words, pairs], &what),
            }
        }
    }
}

/// Rows of these lengths.
fn check_rows(engine: &Engine, elem: ScalarType, kind: Kind, lengths: &[u64], what: &str) {
    let [keys, words, _] = args(elem, kind, lengths.iter().sum());
    let scalars = lengths.iter().map(|&length| Scalar::Idx(length as i64));
    let lengths = array(ScalarType::Idx, line(lengths.len() as u64), scalars);
    check(engine, elem, "in_rows", &[keys, words, lengths], what);
}

/// Sorts so many keys that the look-back of tiles goes far.
pub fn many_keys(engine: &Engine) {
    for (elem, kind) in
        [(ScalarType::F32, 0), (ScalarType::I64, 1), (ScalarType::U8, 0), (ScalarType::I16, 0)]
    {
        let [keys, words, pairs] = args(elem, KINDS[kind].1, 70_001);
        for _ in 0..2 {
            check(engine, elem, "with_several", &[keys.clone(), words.clone(), pairs.clone()], "many");
        }
    }
}

/// Few rows and many, empty ones, and one that is much longer than the others.
pub fn rows_of_any_lengths(engine: &Engine) {
    let skewed: Vec<u64> = (0..600).map(|at| if at == 77 { 6000 } else { random(2, at) % 9 }).collect();
    for elem in [ScalarType::I32, ScalarType::F64, ScalarType::U8, ScalarType::U16, ScalarType::Bool] {
        for (name, kind) in [KINDS[0], KINDS[1]] {
            check_rows(engine, elem, kind, &skewed, &format!("rows of skew, {name}"));
            check_rows(engine, elem, kind, &[0, 5000, 0, 0, 3, 200, 0], &format!("few rows, {name}"));
            check_rows(engine, elem, kind, &[1000], &format!("one row, {name}"));
            check_rows(engine, elem, kind, &[], "no row");
            check_rows(engine, elem, kind, &[0, 0, 0], "rows of nothing");
            for (rows, length) in [(1u64, 700u64), (7, 600), (300, 70), (900, 5), (0, 5), (5, 0)] {
                let [keys, words, _] = args(elem, kind, rows * length);
                let sizes = [rows, length].map(|size| Value::Scalar(Scalar::Idx(size as i64)));
                let [rows, length] = sizes;
                check(engine, elem, "regular_rows", &[keys, words, rows, length], name);
            }
        }
    }
}

/// Sorts the first part of arrays, with a length that is known on the device only: elements behind it are no keys.
pub fn lengths_of_the_device(engine: &Engine) {
    for elem in [ScalarType::F32, ScalarType::I64, ScalarType::Bool] {
        for (name, kind) in [KINDS[0], KINDS[4]] {
            for len in [0, 2, 600, 5461, 9000] {
                let [keys, words, _] = args(elem, kind, len);
                check(engine, elem, "of_some", &[keys, words], &format!("{len} {name}"));
            }
        }
    }
}
