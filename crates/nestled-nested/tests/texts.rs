//! Texts against those of Rust.

use crate::naive;
use crate::operations::check;
use crate::order;
use crate::random::{self, Random};
use nestled_nested::{Case, Ends, Kind, Letters, Nested, Schema, Value};
use nestled_test::again;
use std::cell::RefCell;

/// Number of random arrays.
const ARRAYS: u64 = 12;

/// Letters of one kind each, and of all, so that some texts have one kind only.
const LETTERS: [&[&str]; 7] = [
    &["a", "z"],
    &["M", "Z"],
    &["0", "9"],
    &[" ", "\t", "\n"],
    &["µ", "日", "𝄞", "-"],
    &["a", "Z", "7"],
    &["a", "z", "M", "0", " ", "\r", "µ", "日", "𝄞", "~", "\u{7f}"],
];

/// As [`each`], texts of all kinds of letters, of one to four bytes.
fn each_kind(seed: u64, mut test: impl FnMut(&mut Random, usize, &Nested, &Value)) {
    each(seed, |random, levels, array, value| {
        let cell = RefCell::new(random);
        let other = map(value, |text| {
            let mut random = cell.borrow_mut();
            let letters = LETTERS[random.below(LETTERS.len())];
            text.chars().map(|_| letters[random.below(letters.len())]).collect::<String>().into()
        });
        let own = Nested::from_values_as(&array.schema(), naive::elements(&other).to_vec()).unwrap();
        test(cell.into_inner(), levels, &own, &other);
    });
}

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

type IsSo = fn(&str) -> bool;

fn some_and_no(text: &str, some: fn(&char) -> bool, no: fn(&char) -> bool) -> bool {
    text.chars().any(|letter| some(&letter)) && !text.chars().any(|letter| no(&letter))
}

fn all_of(text: &str, is_such: fn(&char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(|letter| is_such(&letter))
}

/// White space of ASCII, vertical tabs too.
fn is_space(letter: &char) -> bool {
    matches!(letter, ' ' | '\t'..='\r')
}

fn is_title(text: &str) -> bool {
    let mut follows = false;
    let mut is_right = |letter: char| {
        let begins = !std::mem::replace(&mut follows, letter.is_ascii_alphabetic());
        !letter.is_ascii_alphabetic() || letter.is_ascii_uppercase() == begins
    };
    text.chars().all(&mut is_right) && text.chars().any(|letter| letter.is_ascii_alphabetic())
}

const KINDS: [(Letters, IsSo); 9] = [
    (Letters::Alphanumeric, |text| all_of(text, char::is_ascii_alphanumeric)),
    (Letters::Alphabetic, |text| all_of(text, char::is_ascii_alphabetic)),
    (Letters::Ascii, str::is_ascii),
    (Letters::Digits, |text| all_of(text, char::is_ascii_digit)),
    (Letters::Lower, |text| some_and_no(text, char::is_ascii_lowercase, char::is_ascii_uppercase)),
    (Letters::Printable, |text| text.chars().all(|letter| (' '..='~').contains(&letter))),
    (Letters::Space, |text| all_of(text, is_space)),
    (Letters::Title, is_title),
    (Letters::Upper, |text| some_and_no(text, char::is_ascii_uppercase, char::is_ascii_lowercase)),
];

/// A text in another case, letter by letter: by whether there is none before, and whether one is.
fn in_case(text: &str, case: Case) -> String {
    let mut before = None;
    let letter = |letter: char| {
        let follows = before.replace(letter).map(|before: char| before.is_ascii_alphabetic());
        let to_upper = match case {
            Case::Capital => follows.is_none(),
            Case::Swapped => letter.is_ascii_lowercase(),
            Case::Title => follows != Some(true),
        };
        if to_upper { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    };
    text.chars().map(letter).collect()
}

#[test]
fn kinds_and_cases_of_letters() {
    each_kind(44, |_, _, array, value| {
        for (letters, is_so) in KINDS {
            let wanted = map(value, |text| is_so(text).into());
            check(&format!("letters_are {letters:?}"), array, array.letters_are(letters), &wanted);
        }
        for case in [Case::Capital, Case::Swapped, Case::Title] {
            let wanted = map(value, |text| in_case(text, case).into());
            check(&format!("with_case {case:?}"), array, array.with_case(case), &wanted);
        }
    });
}

/// A place in a text, counted from its end where it is negative.
fn place_in(letters: &[char], place: i64) -> usize {
    let length = letters.len() as i64;
    (if place < 0 { place + length } else { place }).clamp(0, length) as usize
}

#[test]
fn parts_of_texts() {
    each_kind(45, |random, _, array, value| {
        for _ in 0..4 {
            let mut place = || if random.chance(25) { None } else { Some(random.below(13) as i64 - 6) };
            let (start, stop) = (place(), place());
            let step = [1, 1, 2, 3, -1, -2, -7, i64::MAX, i64::MIN][random.below(9)];
            let sliced = map(value, |text| {
                let letters: Vec<Value> = text.chars().map(|letter| letter.to_string().into()).collect();
                let step = step.clamp(-100, 100);
                naive::elements(&naive::slice(&letters, start, stop, step))
                    .iter()
                    .map(self::text)
                    .collect::<String>()
                    .into()
            });
            let what = format!("slice_texts {start:?} {stop:?} {step}");
            check(&what, array, array.slice_texts(start, stop, step), &sliced);
            let (start, stop) = (random.below(13) as i64 - 6, random.below(13) as i64 - 6);
            let with = ["", "x", "日-"][random.below(3)];
            let replaced = map(value, |text| {
                let letters: Vec<char> = text.chars().collect();
                let from = place_in(&letters, start);
                let until = place_in(&letters, stop).max(from);
                let all = letters[..from]
                    .iter()
                    .copied()
                    .chain(with.chars())
                    .chain(letters[until..].iter().copied());
                all.collect::<String>().into()
            });
            let what = format!("replace_slice {start} {stop} {with:?}");
            check(&what, array, array.replace_slice(start, stop, with), &replaced);
        }
        assert!(array.slice_texts(None, None, 0).is_err());
    });
}

#[test]
fn ends_of_texts() {
    each_kind(46, |random, _, array, value| {
        for ends in [Ends::Left, Ends::Right, Ends::Both] {
            let (width, filler) = (random.below(12) as i64 - 1, ["*", "µ", "𝄞"][random.below(3)]);
            let padded = map(value, |text| {
                let added = (width - text.chars().count() as i64).max(0) as usize;
                let left = match ends {
                    Ends::Left => added,
                    Ends::Right => 0,
                    Ends::Both => added / 2,
                };
                format!("{}{text}{}", filler.repeat(left), filler.repeat(added - left)).into()
            });
            let what = format!("pad_texts {width} {filler} {ends:?}");
            check(&what, array, array.pad_texts(width, filler, ends), &padded);
            let taken = ["", "a", "z日a", " \t\n𝄞", "MZ09"][random.below(5)];
            let is_taken = |letter: char| taken.contains(letter);
            let trimmed = map(value, |text| {
                match ends {
                    Ends::Left => text.trim_start_matches(is_taken),
                    Ends::Right => text.trim_end_matches(is_taken),
                    Ends::Both => text.trim_matches(is_taken),
                }
                .into()
            });
            check(&format!("trim_of {taken:?} {ends:?}"), array, array.trim_of(taken, ends), &trimmed);
        }
        assert!(array.pad_texts(3, "", Ends::Left).is_err() && array.pad_texts(3, "ab", Ends::Left).is_err());
    });
}

#[test]
fn texts_after_texts() {
    each_kind(47, |random, levels, array, value| {
        let times = random.below(4);
        let repeated = map(value, |text| text.repeat(times).into());
        check(&format!("repeat_texts {times}"), array, array.repeat_texts(times as i64), &repeated);
        assert!(array.repeat_texts(-1).is_err());
        let behind = |one: &Value, other: &Value| format!("{}{}", text(one), text(other)).into();
        let (back, naive_back) = (
            array.slice_texts(None, None, -1).unwrap(),
            map(value, |text| text.chars().rev().collect::<String>().into()),
        );
        let wanted = naive::zip_with((value, levels), (&naive_back, levels), &behind);
        check("followed_by", array, array.followed_by(&back), &wanted);
        // A text for each of the outermost elements.
        let schema: Schema = "?string".parse().unwrap();
        let (each, naive_each) = random::array_of(random, &schema, array.len());
        let wanted = naive::zip_with((value, levels), (&naive_each, 0), &behind);
        check("followed_by one for all", array, array.followed_by(&each), &wanted);
        let wanted = naive::zip_with((&naive_each, 0), (value, levels), &behind);
        check("one for all followed_by", array, each.followed_by(array), &wanted);
    });
}

/// The parts of a text around so many rows of white space at one end, or around all.
fn around_space(text: &str, limit: Option<(usize, Ends)>) -> Vec<String> {
    let mut rows: Vec<(usize, usize)> = Vec::new();
    for (place, letter) in text.char_indices().filter(|(_, letter)| is_space(letter)) {
        match rows.last_mut() {
            Some((_, end)) if *end == place => *end = place + letter.len_utf8(),
            _ => rows.push((place, place + letter.len_utf8())),
        }
    }
    match limit {
        Some((most, Ends::Right)) => drop(rows.drain(..rows.len().saturating_sub(most))),
        Some((most, _)) => rows.truncate(most),
        None => {}
    }
    let ends = rows.iter().map(|row| row.0).chain([text.len()]);
    let begins = [0].into_iter().chain(rows.iter().map(|row| row.1));
    begins.zip(ends).map(|(begin, end)| text[begin..end].to_owned()).collect()
}

fn around(text: &str, pattern: &str, limit: Option<(usize, Ends)>) -> Vec<String> {
    let mut parts: Vec<&str> = match limit {
        None => text.split(pattern).collect(),
        Some((most, Ends::Right)) => text.rsplitn(most + 1, pattern).collect(),
        Some((most, _)) => text.splitn(most + 1, pattern).collect(),
    };
    if matches!(limit, Some((_, Ends::Right))) {
        parts.reverse();
    }
    parts.into_iter().map(str::to_owned).collect()
}

#[test]
fn parts_around_texts() {
    let mut test = |random: &mut Random, _: usize, array: &Nested, value: &Value| {
        for limit in [None, Some(Ends::Left), Some(Ends::Right)] {
            let limit = limit.map(|ends| (random.below(4), ends));
            let given = limit.map(|(most, ends)| (most as i64, ends));
            let wanted = map(value, |text| around_space(text, limit).into());
            check(&format!("split_texts {limit:?}"), array, array.split_texts(None, given), &wanted);
            for pattern in ["a", "µ", "ab", " ", "日", "aa"] {
                let made = array.split_texts(Some(pattern), given);
                if pattern == "aa" && matches!(limit, Some((_, Ends::Right))) {
                    assert!(made.is_err() || naive::elements(value).is_empty());
                    continue;
                }
                let wanted = map(value, |text| around(text, pattern, limit).into());
                check(&format!("split_texts {pattern:?} {limit:?}"), array, made, &wanted);
            }
        }
        assert!(array.split_texts(Some(""), None).is_err());
    };
    each_kind(48, &mut test);
    each(49, &mut test);
}

#[test]
fn places_among_texts() {
    each(50, |random, _, array, value| {
        // Some of the texts themselves, and others.
        let levels = random.below(3);
        let leaf: Schema =
            ["string", "?string", "?categorical[type=string]"][random.below(3)].parse().unwrap();
        let schema = (0..levels).fold(leaf, |inner, _| Schema::List(Box::new(inner)));
        let (_, mut others) = random::array_of(random, &schema, 4);
        if let (0, Value::List(others)) = (levels, &mut others) {
            let mut own = value.clone();
            while let Value::List(inner) = own {
                others.extend(inner.iter().filter(|inner| matches!(inner, Value::String(_))).cloned());
                own = inner.into_iter().find(|inner| *inner != Value::Missing).unwrap_or(Value::Missing);
            }
        }
        let known = Nested::from_values_as(&schema, naive::elements(&others).to_vec()).unwrap();
        let flat = (0..levels).fold(others, |values, _| naive::flatten(&values, 1));
        let wanted = map(value, |text| {
            let place = naive::elements(&flat).iter().position(|other| *other == Value::from(text));
            place.map_or(Value::Missing, |place| Value::Int(place as i128))
        });
        check(&format!("index_in {known}"), array, array.index_in(&known), &wanted);
    });
    assert!(Nested::from_iter(["a"]).index_in(&Nested::from_iter([1])).is_err());
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
fn texts_of_very_different_lengths_are_ordered() {
    let lengths = [0, 1, 6, 7, 8, 13, 14, 15, 200];
    for seed in 0..crate::some_of(12) {
        let mut random = Random::new(seed + 44_000);
        let long = "ab".repeat(150);
        let texts: Vec<String> = (0..random.below(60))
            .map(|_| {
                let length = lengths[random.below(lengths.len())];
                let mut text = long[..length].to_owned();
                if random.chance(50) && length > 0 {
                    let place = random.below(length);
                    text.replace_range(place..=place, ["\0", "b", "c"][random.below(3)]);
                }
                text
            })
            .collect();
        let array = Nested::from_values_as(&Schema::String, texts.iter().map(String::as_str)).unwrap();
        let value: Value = texts.into();
        check("sort", &array, array.sort(-1, true), &naive::sort(&value, 0, 0, true));
        check("argsort", &array, array.argsort(-1, false), &naive::argsort(&value, 0, 0, false));
        check("value_counts", &array, array.value_counts(-1), &naive::along(&value, 0, &order::counted));
    }
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

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
