//! Regular expressions in texts, against a simulation of their nondeterministic automata.

use crate::naive;
use crate::operations::check;
use crate::random::Random;
use nestled_nested::{Ends, Nested, Schema, Value};
use nestled_test::again;
use regex_automata::nfa::thompson::pikevm::PikeVM;

/// Expressions that match no empty text.
const PATTERNS: [&str; 22] = [
    "a",
    "ab|a",
    "a|ab",
    "a+",
    "a+?",
    "a.b",
    "[^a]",
    r"\d+",
    r"\w+ ",
    "^a",
    "a$",
    "^[ab]+$",
    "(a|b)(a|b)",
    "(?i)AB",
    r"(?-u:\b)[a-z]+(?-u:\b)",
    r"\p{Greek}",
    "µ.",
    "(ab)+c?",
    "b*a",
    "(?m)^b",
    "(?s)a.",
    "aba",
];

/// Those that may match an empty text.
const EMPTY: [&str; 4] = ["", "a*", "$", "b?"];

/// Letters of random texts.
const LETTERS: [&str; 10] = ["a", "a", "b", "b", "c", "1", " ", "µ", "\n", "A"];

fn texts(random: &mut Random, count: usize, most: usize) -> Vec<String> {
    let text = |random: &mut Random| {
        let letters = random.below(most + 1);
        (0..letters).map(|_| LETTERS[random.below(LETTERS.len())]).collect()
    };
    (0..count).map(|_| text(random)).collect()
}

/// The matches, one after another.
fn spans(pattern: &str, text: &str) -> Vec<(usize, usize)> {
    let machine = PikeVM::new(pattern).expect("a regular expression");
    let mut cache = machine.create_cache();
    machine.find_iter(&mut cache, text).map(|found| (found.start(), found.end())).collect()
}

/// The parts between some of the matches, the first or the last ones.
fn between(text: &str, spans: &[(usize, usize)]) -> Vec<String> {
    let begins = [0].into_iter().chain(spans.iter().map(|span| span.1));
    let ends = spans.iter().map(|span| span.0).chain([text.len()]);
    begins.zip(ends).map(|(begin, end)| text[begin..end].to_owned()).collect()
}

fn each(seed: u64, mut test: impl FnMut(&str, &Nested, &dyn Fn(&dyn Fn(&str) -> Value) -> Value)) {
    let sizes = [(0, 0), (1, 30), (7, 3), (40, 12), (3, 200)];
    for (number, pattern) in PATTERNS.into_iter().enumerate() {
        // Each expression with some of the sizes.
        let some = (0..sizes.len()).filter(|turn| crate::some_of(2) == 2 || (turn + number) % 3 == 0);
        for (turn, (count, most)) in some.map(|turn| (turn, sizes[turn])) {
            let mut random = Random::new(seed * 1000 + (number * sizes.len() + turn) as u64);
            let texts = texts(&mut random, count, most);
            let values = texts.iter().map(|text| Value::from(text.as_str()));
            let array = Nested::from_values_as(&Schema::String, values).expect("texts");
            let map = |function: &dyn Fn(&str) -> Value| {
                Value::List(texts.iter().map(|text| function(text)).collect())
            };
            test(pattern, &array, &map);
        }
    }
}

#[test]
fn matches_and_their_places() {
    each(1, |pattern, array, map| {
        let found = map(&|text| (!spans(pattern, text).is_empty()).into());
        check(pattern, array, array.matches_regex(pattern), &found);
        let first = |text: &str| spans(pattern, text).first().map_or(-1, |span| span.0 as i128);
        check(pattern, array, array.find_regex(pattern), &map(&|text| Value::Int(first(text))));
        let count = |text: &str| spans(pattern, text).len() as i128;
        check(pattern, array, array.count_regex(pattern), &map(&|text| Value::Int(count(text))));
    });
}

#[test]
fn what_is_replaced_and_what_lies_between() {
    each(2, |pattern, array, map| {
        for with in ["", "-", "µab"] {
            let replaced = map(&|text| between(text, &spans(pattern, text)).join(with).as_str().into());
            check(pattern, array, array.replace_regex(pattern, with), &replaced);
        }
        let list = |parts: Vec<String>| Value::List(parts.iter().map(|part| part.as_str().into()).collect());
        let parts = map(&|text| list(between(text, &spans(pattern, text))));
        check(pattern, array, array.split_regex(pattern, None), &parts);
        let first = map(&|text| {
            let spans = spans(pattern, text);
            list(between(text, &spans[..spans.len().min(2)]))
        });
        check(pattern, array, array.split_regex(pattern, Some((2, Ends::Left))), &first);
        let last = map(&|text| {
            let spans = spans(pattern, text);
            list(between(text, &spans[spans.len() - spans.len().min(1)..]))
        });
        check(pattern, array, array.split_regex(pattern, Some((1, Ends::Right))), &last);
    });
}

/// A long text with many matches among short ones, which are left out one after another.
#[test]
fn one_long_text_among_short_ones() {
    let texts: Vec<String> =
        (0..40).map(|text| "a1b22 ".repeat(if text == 17 { 1000 } else { text % 7 })).collect();
    let array = Nested::from_iter(texts.iter().map(String::as_str));
    let map =
        |function: &dyn Fn(&str) -> Value| Value::List(texts.iter().map(|text| function(text)).collect());
    let counts = map(&|text| Value::Int(spans(r"\d+", text).len() as i128));
    check("counts", &array, array.count_regex(r"\d+"), &counts);
    let replaced = map(&|text| between(text, &spans(r"\d+", text)).join("#").as_str().into());
    check("replaced", &array, array.replace_regex(r"\d+", "#"), &replaced);
}

#[test]
fn empty_matches_are_found_but_not_counted() {
    let array = Nested::from_iter(["", "ba", "c"]);
    for pattern in EMPTY {
        let first = |text: &str| spans(pattern, text).first().map_or(-1, |span| span.0 as i128);
        let places = naive::map(&array.to_list().expect("values"), &|value| match value {
            Value::String(text) => Value::Int(first(text)),
            other => panic!("{other} is no text"),
        });
        check(pattern, &array, array.find_regex(pattern), &places);
        let error = array.count_regex(pattern).expect_err(pattern).to_string();
        assert!(error.contains("matches an empty text"), "{error}");
    }
}

#[test]
fn levels_missing_texts_and_categories() {
    let text = |text: &str| Value::from(text);
    let list = Value::List;
    let lists = [
        list(vec![text("a1"), Value::Missing]),
        Value::Missing,
        list(vec![]),
        list(vec![text("22"), text("b")]),
    ];
    let array = Nested::from_values(lists).expect("values");
    let counts = array.count_regex(r"\d").expect("counts").to_list().expect("values");
    assert_eq!(counts.to_string(), "[[1, None], None, [], [2, 0]]");
}

#[test]
fn what_is_no_regular_expression_is_told() {
    let array = Nested::from_iter(["a"]);
    for (pattern, why) in
        [("(a", "unclosed group"), (r"\bword", "word boundary"), ("(?:a{1000}){1000}", "size")]
    {
        let error = array.matches_regex(pattern).expect_err(pattern).to_string();
        assert!(error.contains("is no regular expression") && error.contains(why), "{error}");
    }
    let error = Nested::from_iter([1]).matches_regex("a").expect_err("numbers").to_string();
    assert!(error.contains("is no text"), "{error}");
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
