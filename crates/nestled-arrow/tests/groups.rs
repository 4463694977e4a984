//! Row groups by need: those that are named, and those that may have wanted values. Others are not read, and nothing is lost.

use crate::{Scratch, message};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use nestled_arrow::{Scan, Writer, scan, write};
use nestled_nested::{Array, Meaning, Nested, Schema, Unit, Value};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::sync::Arc;

/// Five groups of a hundred rows: `x` goes up, `y` goes down, `word` has three letters.
fn five_groups(path: &Path) {
    let mut writer = Writer::create(path).unwrap();
    for group in 0..5i64 {
        let x = Nested::from(Array::<i64>::range(100) + 100 * group);
        let y = Nested::from(Array::<f64>::index(&[100], 0) * -1.0 - 100.0 * group as f64);
        let letter = ["a", "b", "c", "d", "e"][group as usize];
        let word = Nested::from_iter((0..100).map(|n| format!("{letter}{n:02}")));
        writer.write(&Nested::records(&[("x", &x), ("y", &y), ("word", &word)]).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

/// The groups that are read, each of which begins with another hundred.
#[track_caller]
fn groups_of(scan: &Scan) -> Vec<i64> {
    let first = |piece: nestled_nested::Result<Nested>| {
        let x = piece.unwrap().field("x").unwrap().to_values().unwrap();
        assert_eq!(x.len(), 100);
        match x[0] {
            Value::Int(first) => first as i64 / 100,
            _ => panic!("{}", x[0]),
        }
    };
    let groups: Vec<i64> = scan.clone().columns(["x"]).pieces().unwrap().map(first).collect();
    assert_eq!(scan.row_count(), Some(100 * groups.len()));
    assert_eq!(scan.read().unwrap().len(), 100 * groups.len());
    groups
}

#[test]
fn groups_by_their_numbers() {
    let path = Scratch::new("numbers.parquet");
    five_groups(&path.0);
    let all = scan(&path.0).unwrap();
    assert_eq!(groups_of(&all), [0, 1, 2, 3, 4]);
    assert_eq!(groups_of(&all.clone().row_groups([3, 1])), [3, 1]);
    assert_eq!(groups_of(&all.clone().row_groups([2, 2])), [2, 2]);
    assert_eq!(groups_of(&all.clone().row_groups([])), [0; 0]);
    assert_eq!(
        all.clone().row_groups([]).read().unwrap().type_string(),
        "0 * {x: int64, y: float64, word: string}"
    );
    // Both choices hold.
    assert_eq!(groups_of(&all.clone().row_groups([4, 0, 2]).row_groups_with("x", 250..)), [4, 2]);
    let text = all.clone().row_groups([3]).summary(1).unwrap();
    assert!(text.starts_with("100 rows in one part, ") && text.contains("x: 300"), "{text}");
    let beyond = all.row_groups([5]);
    for why in [message(beyond.read()), message(beyond.pieces()), message(beyond.summary(1))] {
        assert!(why.ends_with("numbers.parquet: there is no row group 5; it has 5, from 0 on"), "{why}");
    }
    for name in ["numbers.csv", "numbers.jsonl", "numbers.arrow"] {
        let path = Scratch::new(name);
        write(&path.0, &Nested::from_iter([1, 2])).unwrap();
        let why = message(scan(&path.0).unwrap().row_groups([0]).read());
        assert!(why.ends_with("only Parquet files have row groups"), "{why}");
        assert_eq!(scan(&path.0).unwrap().row_groups_with("value", 7..).read().unwrap().len(), 2, "{name}");
    }
}

#[test]
fn groups_by_their_statistics() {
    let path = Scratch::new("statistics.parquet");
    five_groups(&path.0);
    let all = scan(&path.0).unwrap();
    let of = |column: &str, low: Bound<Value>, high: Bound<Value>| {
        groups_of(&all.clone().row_groups_with(column, (low, high)))
    };
    let none = || Bound::Unbounded;
    assert_eq!(groups_of(&all.clone().row_groups_with("x", 150..300)), [1, 2]);
    assert_eq!(groups_of(&all.clone().row_groups_with("x", 150..=300)), [1, 2, 3]);
    assert_eq!(groups_of(&all.clone().row_groups_with("x", 149.5..300.0)), [1, 2]);
    assert_eq!(groups_of(&all.clone().row_groups_with("y", ..-399.0)), [4]);
    assert_eq!(groups_of(&all.clone().row_groups_with("y", ..=-399)), [3, 4]);
    assert_eq!(groups_of(&all.clone().row_groups_with("word", "b5".."c")), [1]);
    assert_eq!(groups_of(&all.clone().row_groups_with("word", "b5"..="c00")), [1, 2]);
    assert_eq!(groups_of(&all.clone().row_groups_with("x", 700..)), [0; 0]);
    assert_eq!(groups_of(&all.clone().row_groups_with::<Value>("x", ..)), [0, 1, 2, 3, 4]);
    assert_eq!(groups_of(&all.clone().row_groups_with("x", 150..).row_groups_with("word", .."d")), [1, 2]);
    assert_eq!(of("x", Bound::Excluded(199.into()), none()), [2, 3, 4]);
    assert_eq!(of("x", Bound::Included(199.into()), none()), [1, 2, 3, 4]);
    assert_eq!(of("x", none(), Bound::Excluded(200.into())), [0, 1]);
    // A number that is none is neither more nor less than any.
    assert_eq!(of("x", Bound::Included(f64::NAN.into()), none()), [0, 1, 2, 3, 4]);
    let why = message(all.clone().row_groups_with("x", "a"..).read());
    assert!(
        why.ends_with("statistics.parquet: column `x`: the bound `\"a\"` is of another type than its values"),
        "{why}"
    );
    let why = message(all.clone().row_groups_with("z", 1..).read());
    assert!(why.ends_with("there is no column `z`; it has `x`, `y`, `word`"), "{why}");
}

/// The places of the pages of a column in a group.
fn pages(path: &Path, group: usize, column: usize) -> std::ops::Range<usize> {
    let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let (start, length) = file.metadata().row_group(group).column(column).byte_range();
    start as usize..(start + length) as usize
}

#[test]
fn other_groups_are_not_read() {
    let path = Scratch::new("broken-group.parquet");
    five_groups(&path.0);
    let whole = scan(&path.0).unwrap().read().unwrap().to_values().unwrap();
    let mut bytes = std::fs::read(&path.0).unwrap();
    for column in 0..3 {
        let pages = pages(&path.0, 2, column);
        bytes[pages].fill(0xff);
    }
    std::fs::write(&path.0, &bytes).unwrap();
    let all = scan(&path.0).unwrap();
    assert!(all.read().is_err() && all.clone().row_groups([2]).read().is_err());
    assert!(all.clone().row_groups_with("x", 250..260).read().is_err());
    assert!(all.clone().row_groups_with("y", -299.5..-100.0).read().is_err());
    for (chosen, wanted) in [
        (all.clone().row_groups([0, 1]), 0..200),
        (all.clone().row_groups_with("x", 300..), 300..500),
        (all.clone().row_groups_with("word", ..="b99"), 0..200),
        (all.clone().row_groups_with("y", -199.5..-100.0), 100..200),
    ] {
        assert_eq!(chosen.read().unwrap().to_values().unwrap(), whole[wanted.clone()]);
        let pieces = chosen.pieces().unwrap().flat_map(|piece| piece.unwrap().to_values().unwrap());
        assert_eq!(pieces.collect::<Vec<_>>(), whole[wanted]);
    }
}

#[test]
fn groups_that_say_nothing_are_read() {
    let path = Scratch::new("no-statistics.parquet");
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None).build();
    let mut writer =
        ArrowWriter::try_new(File::create(&path.0).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let all = scan(&path.0).unwrap();
    assert_eq!(groups_of(&all.clone().row_groups_with("x", 500..)), [0]);
    assert_eq!(groups_of(&all), [0]);
}

#[test]
fn bounds_of_dates_and_times() {
    let path = Scratch::new("dates.parquet");
    let mut writer = Writer::create(&path.0).unwrap();
    let moment = Meaning::Timestamp(Unit::Milli, None);
    for month in 1..=3i64 {
        let texts: Vec<String> = (1..=28).map(|day| format!("2024-{month:02}-{day:02}")).collect();
        let when = Nested::from_iter(texts.iter().map(|text| format!("{text}T12:00:00")));
        let (day, when) =
            (Nested::from_iter(texts).parse_as(&Meaning::Date).unwrap(), when.parse_as(&moment).unwrap());
        writer.write(&Nested::records(&[("day", &day), ("when", &when)]).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let all = scan(&path.0).unwrap();
    let months = |scan: Scan| {
        let days = scan.columns(["day"]).read().unwrap().field("day").unwrap().to_values().unwrap();
        let mut months: Vec<i64> = days.iter().map(|day| day.to_string()[5..7].parse().unwrap()).collect();
        months.dedup();
        months
    };
    assert_eq!(months(all.clone().row_groups_with("day", "2024-02-01".."2024-03-01")), [2]);
    assert_eq!(months(all.clone().row_groups_with("day", "2024-02-28"..="2024-03-01")), [2, 3]);
    assert_eq!(months(all.clone().row_groups_with("when", ..="2024-02-01T12:00:00")), [1, 2]);
    assert_eq!(months(all.clone().row_groups_with("when", .."2024-02-01T12:00:00")), [1]);
    let second = Meaning::Timestamp(Unit::Second, None);
    let at = second.read("2024-03-01T00:00:00").unwrap();
    assert_eq!(months(all.clone().row_groups_with("when", Value::Meant(second, at)..)), [3]);
    let zoned = Value::Meant(Meaning::Timestamp(Unit::Second, Some("UTC".into())), at);
    let why = message(all.clone().row_groups_with("when", zoned..).read());
    assert!(
        why.contains("column `when`: the bound") && why.ends_with("is of another type than its values"),
        "{why}"
    );
    let why = message(all.row_groups_with("day", "soon"..).read());
    assert!(why.contains("column `day`: the bound `soon` is no `"), "{why}");
}

/// Numbers that look random, and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    /// A value of one of five kinds; values of a kind are often near one another, and sometimes missing.
    fn value(&mut self, kind: usize, near: usize) -> Value {
        let small = near + self.below(4);
        match (kind, self.below(12)) {
            (_, 0) => Value::Missing,
            (0, _) => Value::from(small as i64 - 8),
            // Beyond the half of all unsigned numbers.
            (1, _) => Value::from(u64::MAX / 16 * (small as u64 % 16)),
            (2, 1) => Value::from(f64::NAN),
            (2, 2) => Value::from([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY][self.below(4)]),
            (2, _) => Value::from(small as f64 / 2.0 - 4.0),
            (3, _) => Value::from(
                ["", "a", "ab", "ab\u{ff}", "b", "\u{10ffff}", "ba", "c"][small % 8]
                    .repeat(1 + self.below(2) * 40),
            ),
            _ => Value::from(small % 8 > 3),
        }
    }
}

/// True if a value lies between bounds, compared as one reads it.
fn lies_in(value: &Value, bounds: &(Bound<Value>, Bound<Value>)) -> bool {
    #[derive(PartialEq, PartialOrd)]
    enum Plain<'v> {
        Bool(bool),
        Int(i128),
        Float(f64),
        Text(&'v [u8]),
    }
    let plain = |value| match value {
        &Value::Bool(value) => Plain::Bool(value),
        &Value::Int(value) => Plain::Int(value),
        &Value::Float(value) => Plain::Float(value),
        Value::String(value) => Plain::Text(value.as_bytes()),
        other => panic!("{other}"),
    };
    if *value == Value::Missing {
        return false;
    }
    let as_plain = |bound| match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(value) => Bound::Included(plain(value)),
        Bound::Excluded(value) => Bound::Excluded(plain(value)),
    };
    (as_plain(bounds.0.as_ref()), as_plain(bounds.1.as_ref())).contains(&plain(value))
}

/// Bounds lose no row that lies in them, and leave groups out.
#[test]
fn what_bounds_want_is_there() {
    let mut numbers = Numbers(7);
    let (mut groups_in_all, mut groups_read) = (0, 0);
    for round in 0..40 {
        let path = Scratch::new("random-groups.parquet");
        let kind = round % 5;
        let schema = ["int64", "uint64", "float64", "string", "bool"][kind];
        let schema = Schema::parse(&format!("?{schema}")).unwrap();
        let mut writer = Writer::create(&path.0).unwrap();
        let count = 1 + numbers.below(6);
        for _ in 0..count {
            let near = numbers.below(12);
            let values: Vec<Value> = (0..1 + numbers.below(8)).map(|_| numbers.value(kind, near)).collect();
            let x = Nested::from_values_as(&schema, values).unwrap();
            writer.write(&Nested::records(&[("x", &x)]).unwrap()).unwrap();
        }
        writer.finish().unwrap();
        let all = scan(&path.0).unwrap();
        for _ in 0..8 {
            let mut bound = || {
                let near = numbers.below(12);
                match (numbers.below(3), numbers.value(kind, near)) {
                    (0, _) | (_, Value::Missing) => Bound::Unbounded,
                    (1, value) => Bound::Included(value),
                    (_, value) => Bound::Excluded(value),
                }
            };
            let bounds = (bound(), bound());
            let some = all.clone().row_groups_with("x", bounds.clone());
            let wanted = |scan: &Scan| -> Vec<Value> {
                let values = scan.read().unwrap().field("x").unwrap().to_values().unwrap();
                values.into_iter().filter(|value| lies_in(value, &bounds)).collect()
            };
            // Texts, for what is no number is not equal to itself.
            assert_eq!(format!("{:?}", wanted(&some)), format!("{:?}", wanted(&all)), "{kind} {bounds:?}");
            groups_in_all += count;
            groups_read += some.pieces().unwrap().count();
        }
    }
    assert!(groups_read * 4 < groups_in_all * 3, "{groups_read} of {groups_in_all}");
}
