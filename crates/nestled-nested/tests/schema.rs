//! Schemas as text and back.

use crate::random::{self, Random};
use nestled_nested::{Nested, Record, Row, Schema, Value};

const TEXTS: [&str; 14] = [
    "int64",
    "?float16",
    "var * var * bool",
    "3 * option[var * ?uint8]",
    "{pt: float32, charge: ?int32}",
    "{\"two words\": string, \"\\\"\": bytes}",
    "var * {jets: option[2 * {x: (int64, ?string)}]}",
    "categorical[type=string]",
    "?categorical[type=?int8]",
    "(uint16, uint32, uint64, int8, int16)",
    "{day: ?date, at: time[us], span: duration[ns]}",
    "var * timestamp[ms]",
    "timestamp[s, \"Europe/\\\"x\"]",
    "option[2 * decimal[38, 18]]",
];

#[test]
fn what_is_printed_is_read() {
    for text in TEXTS {
        assert_eq!(Schema::parse(text).unwrap().to_string(), text);
    }
    for seed in 0..200 {
        let schema = random::schema(&mut Random::new(seed), seed as usize % 6);
        assert_eq!(Schema::parse(&schema.to_string()), Ok(schema));
    }
}

#[test]
fn what_is_no_schema_says_where() {
    let told = |text: &str| Schema::parse(text).unwrap_err().to_string();
    assert_eq!(told(""), "at column 1 of the schema: a type is missing");
    assert_eq!(told("var int64"), "at column 5 of the schema: `*` is missing");
    assert_eq!(told("{x: int64"), "at column 10 of the schema: `,` is missing");
    assert_eq!(told("int64 int64"), "at column 7 of the schema: there is more after the schema");
    assert_eq!(
        told("99999999999999999999 * int8"),
        "at column 1 of the schema: `99999999999999999999` is no length"
    );
    assert_eq!(told(&"?".repeat(200)), "at column 101 of the schema: it nests deeper than 100 levels");
    assert_eq!(told("time[h]"), "at column 6 of the schema: a unit is missing: `s`, `ms`, `us` or `ns`");
    assert!(
        told("decimal[39, 2]").ends_with("a decimal has at most 38 digits, and at most 18 after the point")
    );
    assert_eq!(Schema::parse("datetime64[ms]"), Schema::parse("timestamp[ms]"));
    assert_eq!(told("{x: int8, x: int8}"), "at column 19 of the schema: there are two fields `x`");
}

#[test]
fn no_text_makes_the_parser_panic() {
    let signs: Vec<char> = "var*?{}():,[]=\"\\u 123int64stringtimedecimal".chars().collect();
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let text: String = (0..random.below(20)).map(|_| signs[random.below(signs.len())]).collect();
        if let Ok(schema) = Schema::parse(&text) {
            assert_eq!(Schema::parse(&schema.to_string()), Ok(schema), "{text}");
        }
    }
}

#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Track {
    hits: Vec<(i32, f32)>,
    name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Event {
    number: u64,
    tracks: Vec<Track>,
    best: Option<Track>,
}

#[test]
fn records_of_rust() {
    let track = Track { hits: vec![(1, 0.5), (-1, 1.5)], name: Some("µ".to_owned()) };
    let bare = Track { hits: vec![], name: None };
    let events = [
        Event { number: u64::MAX, tracks: vec![track.clone(), bare.clone()], best: Some(bare) },
        Event { number: 0, tracks: vec![], best: None },
    ];
    let array = Nested::from_rows(events.clone());
    assert_eq!(
        Event::schema().to_string(),
        "{number: uint64, tracks: var * {hits: var * (int32, float32), name: ?string}, \
         best: ?{hits: var * (int32, float32), name: ?string}}"
    );
    assert_eq!(array.schema(), Event::schema());
    assert_eq!(array.to_rows::<Event>().unwrap(), events);
    let hits = array.field("tracks").unwrap().field("hits").unwrap().field("1").unwrap();
    assert_eq!(hits.to_rows::<Vec<Vec<f32>>>().unwrap(), [vec![vec![0.5, 1.5], vec![]], vec![]]);
    let error = array.to_rows::<Track>().unwrap_err().to_string();
    assert!(error.ends_with("is not `{hits: var * (int32, float32), name: ?string}`"), "{error}");
    assert!(Nested::from_rows(Vec::<Event>::new()).is_empty());
    assert_eq!(i8::from_value(Value::Int(300)), None);
}
