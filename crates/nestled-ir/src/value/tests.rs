//! Round-trip tests of the text form of values.

use super::*;
use crate::id::ValueId;
use crate::name::Value as Entry;
use crate::span::Span;
use crate::types::{ArrayType, Axis, Form, Placement, Shape, Type};

const N: ValueId = ValueId(0);
const M: ValueId = ValueId(1);
const S: ValueId = ValueId(2);
const T: ValueId = ValueId(3);
const R: ValueId = ValueId(4);

/// `n, m, s: seg[n], t: seg[s], r: regular[n]`.
fn symbols() -> Vec<Entry> {
    let entry = |name: &str, ty| Entry { name: name.into(), ty, span: Span::NONE };
    vec![
        entry("n", Type::Dim),
        entry("m", Type::Dim),
        entry("s", Type::seg(Shape::of(N), Form::Offsets)),
        entry("t", Type::seg(Shape::of(S), Form::Offsets)),
        entry("r", Type::seg(Shape::of(N), Form::Regular)),
    ]
}

fn array(elem: ScalarType, axes: &[Axis]) -> Type {
    Type::dense(elem, Shape::new(axes))
}

fn read(text: &str, ty: &Type) -> Result<Value, String> {
    parse_value(text, ty, &symbols()).map_err(|error| error.to_string())
}

fn round_trip(text: &str, ty: &Type) {
    assert_eq!(read(text, ty).map(|value| value.to_string()), Ok(text.to_owned()));
}

#[test]
fn scalars_print_as_they_are_read() {
    let cases = [
        (ScalarType::Bool, &["true", "false"][..]),
        (ScalarType::U8, &["0", "255"]),
        (ScalarType::I32, &["-2147483648", "2147483647"]),
        (ScalarType::U32, &["4294967295"]),
        (ScalarType::I64, &["-9223372036854775808", "9223372036854775807"]),
        (ScalarType::U64, &["0", "9223372036854775808", "18446744073709551615"]),
        (ScalarType::Idx, &["-1"]),
        (ScalarType::F16, &["1.0", "-0.0", "65504.0", "inf", "nan", "5.960464477539063e-8"]),
        (ScalarType::F32, &["0.1", "-0.0", "1e-45", "3.4028235e38", "-inf", "nan", "16777216.0"]),
        (ScalarType::F64, &["0.1", "5e-324", "1.7976931348623157e308", "1e16"]),
    ];
    for (ty, texts) in cases {
        for text in texts {
            round_trip(text, &Type::scalar(ty));
        }
    }
}

#[test]
fn scalars_may_name_their_type() {
    let read = |word, ty| format!("{:?}", parse_scalar(word, ty).unwrap());
    assert_eq!(read("0xffu8", ScalarType::U8), "255u8");
    assert_eq!(read("-0x10", ScalarType::I64), "-16i64");
    assert_eq!(read("-inf.f32", ScalarType::F32), "-inf.f32");
    assert_eq!(read("nan.f64", ScalarType::F64), "nan.f64");
    assert_eq!(read("0x3c00f16", ScalarType::F16), "0x3c00f16");
    assert_eq!(read("2", ScalarType::F32), "2.0f32");
    assert_eq!(read("0xffffffffffffffffu64", ScalarType::U64), "18446744073709551615u64");
    for (word, ty) in [
        ("256", ScalarType::U8),
        ("-1", ScalarType::U32),
        ("-1", ScalarType::U64),
        ("18446744073709551616", ScalarType::U64),
        ("9223372036854775808", ScalarType::I64),
        ("1.5", ScalarType::I32),
    ] {
        assert!(parse_scalar(word, ty).is_err(), "{word}");
    }
    assert!(parse_scalar("1i32", ScalarType::I64).is_err());
}

#[test]
fn nested_data() {
    let sym = Axis::Sym;
    round_trip("[1, 2, 3]", &array(ScalarType::I32, &[sym(N)]));
    round_trip("[[1, 2], [3, 4], [5, 6]]", &array(ScalarType::I32, &[sym(N), sym(M)]));
    round_trip("[[1.0, 2.0], [], [3.0]]", &array(ScalarType::F32, &[sym(S)]));
    round_trip("[[[1, 2], []], [], [[3]]]", &array(ScalarType::I64, &[sym(T)]));
    round_trip("[[[1, 2]], [], [[3, 4], [5, 6]]]", &array(ScalarType::I64, &[sym(S), Axis::Const(2)]));
    round_trip("[[1, 2], [3, 4]]", &array(ScalarType::U8, &[sym(R)]));
    round_trip("[]", &array(ScalarType::I64, &[sym(T)]));
    round_trip("[2, 0, 1]", &Type::seg(Shape::of(N), Form::Offsets));
    round_trip("[[1, 0], [], [1]]", &Type::seg(Shape::of(S), Form::Offsets));
    let view = ArrayType { elem: ScalarType::I32, shape: Shape::of(S), placement: Placement::View };
    round_trip("[[1, 2], [], [3]]", &Type::Array(view));
    let text = read(r#""h\u{e9}\n""#, &array(ScalarType::U8, &[sym(N)])).unwrap();
    assert_eq!(text.to_string(), "[104, 195, 169, 10]");
}

#[test]
fn wrong_texts_say_what_is_wrong() {
    let matrix = array(ScalarType::I32, &[Axis::Sym(N), Axis::Sym(M)]);
    let wrong = |text: &str| read(text, &matrix).unwrap_err();
    assert_eq!(wrong("[[1], [2, 3]]"), "lists of length 1 and 2, but in `[n, m]i32` they are equally long");
    assert_eq!(wrong("[1, 2]"), "`[n, m]i32` is written as lists nested 2 deep, with scalars inside");
    assert_eq!(wrong("[[1 2]]"), "`,` or `]` is wanted at byte 4");
    assert_eq!(wrong("[[x]]"), "`x` is not a value of type `i32`");
    assert_eq!(wrong("[[1]] 2"), "the end is wanted at byte 6");
    assert_eq!(wrong(&"[".repeat(100_000)), "less nesting is wanted at byte 65");
    assert_eq!(wrong("\"a"), "`\"` is wanted at byte 2");
    let three = array(ScalarType::I32, &[Axis::Const(3)]);
    assert_eq!(read("[1]", &three).unwrap_err(), "`3` is wanted, not 1");
}

#[test]
fn long_lists_can_be_abridged() {
    let value = read("[[1, 2, 3, 4, 5], [], [6]]", &array(ScalarType::I32, &[Axis::Sym(S)])).unwrap();
    assert_eq!(Abridged { value: &value, entries: 2 }.to_string(), "[[1, …, 5], …, [6]]");
    assert_eq!(Abridged { value: &value, entries: 3 }.to_string(), "[[1, 2, …, 5], [], [6]]");
}

#[test]
fn sameness_is_of_bits_and_not_of_places() {
    let float = |text| read(text, &array(ScalarType::F32, &[Axis::Sym(N)])).unwrap();
    assert!(same_bits(&float("[nan, 1]"), &float("[-nan, 1]")));
    assert!(!same_bits(&float("[0.0]"), &float("[-0.0]")));
    assert!(!same_bits(&float("[0.0]"), &float("[0.0, 0.0]")));
    let dense = read("[[1, 2], [], [3]]", &array(ScalarType::I32, &[Axis::Sym(S)])).unwrap();
    let Value::Array(mut view) = dense.clone() else { panic!("an array") };
    view.data = std::sync::Arc::new(Buffer::I32(vec![3, 9, 1, 2]));
    view.starts = Some([2, 4, 0].into());
    assert_eq!(view.to_string(), "[[1, 2], [], [3]]");
    assert!(same_bits(&dense, &Value::Array(view.clone())));
    assert!(same_bits(&Value::Array(view.to_dense()), &dense));
}

#[test]
fn lists_are_split_at_outer_commas() {
    assert_eq!(split_list(r#"[1, 2], "a, b", f(1, 2)"#), ["[1, 2]", r#""a, b""#, "f(1, 2)"]);
    assert!(split_list("  ").is_empty());
}

#[test]
fn every_binary16_survives_conversion() {
    for bits in 0..=u16::MAX {
        let scalar = crate::Scalar::F16(bits);
        if !scalar.is_nan() {
            assert_eq!(f16_from_f64(f16_to_f64(bits)), bits);
        }
    }
    // Half way between two neighbours goes to the even one; beyond the middle of the last step lies infinity.
    assert_eq!(f16_from_f64(1.0 + 2f64.powi(-11)), 0x3c00);
    assert_eq!(f16_from_f64(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
    assert_eq!(f16_from_f64(65519.99), 0x7bff);
    assert_eq!(f16_from_f64(-65520.0), 0xfc00);
    assert_eq!(f16_from_f64(2f64.powi(-25)), 0);
    assert_eq!(f16_from_f64(2f64.powi(-25) * 1.0001), 1);
}
