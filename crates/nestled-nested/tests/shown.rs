//! Texts, records and categories by hand, and how arrays are shown.

use nestled_nested::{Nested, Schema, Value, concatenate};

fn event(met: f64, jets: &[f64]) -> Value {
    let jet =
        |(place, &pt): (usize, &f64)| Value::record([("pt", pt.into()), ("tag", (place % 2 == 0).into())]);
    Value::record([("met", met.into()), ("jets", Value::list(jets.iter().enumerate().map(jet)))])
}

#[test]
fn records_of_lists_of_records() {
    let events = Nested::from_iter([event(1.5, &[10.0, 20.0]), event(2.5, &[]), event(3.5, &[30.0])]);
    let jets = events.field("jets").unwrap();
    let scaled = &events.field("met").unwrap() * &jets.field("pt").unwrap();
    assert_eq!(scaled.to_list().unwrap().to_string(), "[[15.0, 30.0], [], [105.0]]");
    let hard = jets.filter(&jets.field("pt").unwrap().gt(15.0).unwrap()).unwrap();
    let events = events.with_field("jets", &hard).unwrap();
    assert_eq!(
        events.to_list().unwrap().to_string(),
        "[{met: 1.5, jets: [{pt: 20.0, tag: false}]}, {met: 2.5, jets: []}, {met: 3.5, jets: [{pt: 30.0, tag: true}]}]"
    );
    let pairs = jets.combinations(2, 1).unwrap();
    let mass = (&pairs.field("0").unwrap().field("pt").unwrap()
        + &pairs.field("1").unwrap().field("pt").unwrap())
        .to_list();
    assert_eq!(mass.unwrap().to_string(), "[[30.0], [], []]");
    // Axes of fields of different depths.
    assert_eq!(
        events.field("jets").unwrap().sum(-1).unwrap().to_list().unwrap().to_string(),
        "[{pt: 20.0, tag: 0}, {pt: 0.0, tag: 0}, {pt: 30.0, tag: 1}]"
    );
}

#[test]
fn texts_and_categories() {
    let names = Nested::from_iter([vec!["µ", "e"], vec![], vec!["e"]]);
    assert_eq!(names.schema().to_string(), "var * string");
    assert_eq!(names.eq("µ").unwrap().to_list().unwrap().to_string(), "[[true, false], [], [false]]");
    assert_eq!(
        names.ne(&names).unwrap().any(-1).unwrap().to_list().unwrap().to_string(),
        "[false, false, false]"
    );
    assert_eq!(names.count(-1).unwrap().to_list().unwrap().to_string(), "[2, 0, 1]");
    assert_eq!(names.ravel().unwrap().to_list().unwrap().to_string(), r#"["µ", "e", "e"]"#);
    let optional = Nested::from_iter([Some("a"), None]);
    assert_eq!(optional.fill_missing("?").unwrap().to_list().unwrap().to_string(), r#"["a", "?"]"#);
    assert!(optional.fill_missing(1).is_err());
    let schema = Schema::parse("?categorical[type=string]").unwrap();
    let flavours = Nested::from_values_as(&schema, [Some("e"), None, Some("mu"), Some("e")]).unwrap();
    assert_eq!(flavours.eq("e").unwrap().to_list().unwrap().to_string(), "[true, None, false, true]");
    let twice = concatenate(&[&flavours, &flavours], 0).unwrap();
    assert_eq!(
        twice.drop_missing(0).unwrap().to_list().unwrap().to_string(),
        r#"["e", "mu", "e", "e", "mu", "e"]"#
    );
}

#[test]
fn lines_fit() {
    let events: Nested = (0..50).map(|n| event(f64::from(n) + 0.25, &vec![1.5; n as usize])).collect();
    let text = events.show(5, 60).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 60 || line.starts_with("type: ")), "{text}");
    assert_eq!(text.lines().count(), 6, "{text}");
    let numbers: Nested = (0..1000).collect();
    assert_eq!(numbers.show(3, 20).unwrap(), "[0,\n …,\n 999]\ntype: 1000 * int64");
    assert_eq!(Nested::from_iter([Some(1), None]).show(20, 80).unwrap(), "[1,\n None]\ntype: 2 * ?int64");
}
