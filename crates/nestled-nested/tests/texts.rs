//! Texts against those of Rust.

use crate::naive;
use crate::operations::check;
use crate::random::{self, Random};
use nestled_nested::{Kind, Nested, Schema, Value};

/// Number of random arrays.
const ARRAYS: u64 = 12;

/// Random texts in lists, some of which are missing.
fn each(seed: u64, mut test: impl FnMut(&mut Random, usize, &Nested, &Value)) {
    for number in 0..crate::some_of(ARRAYS) {
        let mut random = Random::new(seed * 1000 + number);
        let levels = number as usize % 3;
        let leaf =
            if random.chance(30) { Schema::Category(Box::new(Schema::String)) } else { Schema::String };
        let mut schema = if random.chance(50) { Schema::Option(Box::new(leaf)) } else { leaf };
        for _ in 0..levels {
            schema = Schema::List(Box::new(schema));
            schema = if random.chance(30) { Schema::Option(Box::new(schema)) } else { schema };
        }
        let length = if random.chance(10) { 0 } else { 1 + random.below(8) };
        let (array, value) = random::array_of(&mut random, &schema, length);
        test(&mut random, levels, &array, &value);
    }
}

fn text(value: &Value) -> &str {
    match value {
        Value::String(text) => text,
        other => panic!("{other} is no text"),
    }
}

fn map(value: &Value, function: impl Fn(&str) -> Value) -> Value {
    naive::map(value, &|value| function(text(value)))
}

const PATTERNS: [&str; 7] = ["a", "aa", "aba", "µ", " ", "b,", ""];

#[test]
fn lengths_letters_and_ends() {
    each(40, |random, _, array, value| {
        check(
            "text_length",
            array,
            array.text_length(),
            &map(value, |text| Value::Int(text.chars().count() as i128)),
        );
        check("to_upper", array, array.to_upper(), &map(value, |text| text.to_ascii_uppercase().into()));
        check("to_lower", array, array.to_lower(), &map(value, |text| text.to_ascii_lowercase().into()));
        check("trim", array, array.trim(), &map(value, |text| text.trim_ascii().into()));
        let pattern = PATTERNS[random.below(PATTERNS.len())];
        check(
            "starts_with",
            array,
            array.starts_with(pattern),
            &map(value, |text| text.starts_with(pattern).into()),
        );
        check(
            "ends_with",
            array,
            array.ends_with(pattern),
            &map(value, |text| text.ends_with(pattern).into()),
        );
    });
}

#[test]
fn texts_in_texts() {
    each(41, |_, _, array, value| {
        for pattern in PATTERNS {
            let found = map(value, |text| text.contains(pattern).into());
            check(&format!("contains {pattern:?}"), array, array.contains(pattern), &found);
            let place = map(value, |text| {
                text.find(pattern).map_or(Value::Int(-1), |place| Value::Int(place as i128))
            });
            check(&format!("find {pattern:?}"), array, array.find(pattern), &place);
            if pattern.is_empty() {
                assert!(array.replace(pattern, "x").is_err() && array.split(pattern).is_err());
                continue;
            }
            let counts = map(value, |text| Value::Int(text.matches(pattern).count() as i128));
            check(&format!("count {pattern:?}"), array, array.count_text(pattern), &counts);
            for with in ["", "-", "long one"] {
                let replaced = map(value, |text| text.replace(pattern, with).into());
                check(
                    &format!("replace {pattern:?} {with:?}"),
                    array,
                    array.replace(pattern, with),
                    &replaced,
                );
            }
            let parts = map(value, |text| text.split(pattern).map(str::to_owned).collect::<Vec<_>>().into());
            check(&format!("split {pattern:?}"), array, array.split(pattern), &parts);
            let again = array.split(pattern).and_then(|parts| parts.join_texts(pattern, -1));
            check(&format!("split and join {pattern:?}"), array, again, value);
        }
    });
}

#[test]
fn texts_joined() {
    each(42, |_, levels, array, value| {
        let wanted = naive::along(value, levels, &|list| {
            let texts: Vec<&str> = list.iter().filter(|value| **value != Value::Missing).map(text).collect();
            texts.join("--").into()
        });
        let wanted = if levels == 0 { Value::list([wanted]) } else { wanted };
        check("join_texts", array, array.join_texts("--", -1), &wanted);
    });
}

#[test]
fn order_of_texts() {
    each(43, |_, levels, array, value| {
        for ascending in [true, false] {
            let sorted = array.sort(-1, ascending);
            check("sort", array, sorted, &naive::sort(value, levels, levels, ascending));
            let places = array.argsort(-1, ascending);
            check("argsort", array, places, &naive::argsort(value, levels, levels, ascending));
        }
        check("rank", array, array.rank(-1, true), &naive::rank(value, levels, levels));
        check("value_counts", array, array.value_counts(-1), &naive::value_counts(value, levels));
        check("run_lengths", array, array.run_lengths(), &naive::run_lengths(value, levels));
        check("lt", array, array.lt("ab"), &map(value, |text| (text < "ab").into()));
        check("ge", array, array.ge("ab"), &map(value, |text| (text >= "ab").into()));
        let upper = array.to_upper().unwrap();
        check("gt", array, array.gt(&upper), &map(value, |text| (text > &*text.to_ascii_uppercase()).into()));
        check("le", array, array.le(array), &map(value, |_| true.into()));
        let others = Nested::from_iter(["a", "ab", "µ"]);
        check(
            "is_in",
            array,
            array.is_in(&others),
            &map(value, |text| ["a", "ab", "µ"].contains(&text).into()),
        );
    });
}

#[test]
fn long_texts_and_zeros_are_ordered() {
    let mut texts: Vec<String> = ["", "\0", "\0\0", "a", "a\0", "a\0b", "ab"].map(str::to_owned).to_vec();
    let long = "abcdefg".repeat(5);
    texts.extend([long.clone(), format!("{long}a"), format!("{long}\0"), format!("{}b", &long[..34]), long]);
    let array = Nested::from_iter(texts.iter().rev().cloned());
    texts.sort();
    let wanted: Value = texts.into();
    assert_eq!(array.sort(0, true).unwrap().to_list().unwrap(), wanted);
    let none = Nested::from_values_as(&Schema::String, Vec::<Value>::new()).unwrap();
    assert!(none.sort(0, true).unwrap().is_empty() && none.unique(0).unwrap().is_empty());
}

#[test]
fn numbers_in_texts() {
    let texts = ["1", "-128", "128", "1.5", "x", "", "inf", "true", "18446744073709551616"];
    let array = Nested::from_iter(texts);
    let told = |kind| array.parse(kind).unwrap().to_list().unwrap().to_string();
    assert_eq!(told(Kind::Int8), "[1, -128, None, None, None, None, None, None, None]");
    assert_eq!(told(Kind::Uint64), "[1, None, 128, None, None, None, None, None, None]");
    assert_eq!(told(Kind::Bool), "[None, None, None, None, None, None, None, true, None]");
    assert_eq!(
        told(Kind::Float32),
        "[1.0, -128.0, 128.0, 1.5, None, None, inf, None, 1.8446744073709552e19]"
    );
    let narrow = Nested::from(nestled_nested::Array::from_vec(vec![0.1f32, f32::NAN, -0.0, f32::INFINITY]));
    assert_eq!(narrow.to_text().unwrap().to_list().unwrap().to_string(), r#"["0.1", "nan", "-0.0", "inf"]"#);
    let numbers = Nested::from_iter([vec![Some(u64::MAX), None], vec![]]);
    let texts = numbers.to_text().unwrap();
    assert_eq!(texts.to_list().unwrap().to_string(), r#"[["18446744073709551615", None], []]"#);
    assert_eq!(texts.parse(Kind::Uint64).unwrap().to_list().unwrap(), numbers.to_list().unwrap());
    assert!(numbers.parse(Kind::Int8).is_err() && texts.to_text().is_err());
}
