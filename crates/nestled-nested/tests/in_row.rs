//! Closures of rows: run on all rows side by side, against the same on each row by itself, and against plain operations on the elements of each.

use crate::random::{self, Random};
use crate::some_of;
use nestled_nested::{Array, InRow, Nested, Result, Schema, Value};
use nestled_test::again;

type Closure = fn(&InRow) -> Result<InRow>;

/// Functions of rows that are lists of numbers, of any depth, which may be missing.
const OF_LISTS: [(&str, Closure); 24] = [
    ("itself", |row| Ok(row.clone())),
    ("a mean that goes with elements", |row| Ok(row - row.sum(-1)?)),
    ("a length that goes with elements", |row| Ok(row * row.num(0)? + 1)),
    ("a mask of one value", |row| row.filter(&row.num(0)?.gt(2)?)),
    ("an extreme", |row| row.max(-1)),
    ("a place", |row| row.get(0, 0)),
    ("a place for each row", |row| row.get(row.num(0)? - 1, 0)),
    ("a sort", |row| row.sort(0, true)),
    ("a sort of the innermost", |row| row.sort(-1, false)),
    ("a slice", |row| row.slice(1.., 0)),
    ("a reverse", |row| row.reversed(0)),
    ("a pad", |row| row.pad(3, 0)),
    ("first ones", |row| row.firsts(0)),
    ("pairs", |row| row.combinations(2, 0)),
    ("both", |row| InRow::concatenate(&[row, row], 0)),
    ("a choice of rows", |row| row.num(0)?.gt(1)?.choose(row, row * 10)),
    ("what is missing", |row| row.is_missing(0)),
    ("without what is missing", |row| row.drop_missing(0)),
    ("a prefix sum", |row| row.cumsum(-1)),
    ("records", |row| InRow::zip(&[("x", row), ("n", &row.num(0)?)])),
    ("a record", |row| InRow::record(&[("x", row), ("n", &row.num(0)?)])),
    ("a row that is missing", |row| row.mask(&row.num(0)?.gt(1)?)),
    ("an index", |row| row.local_index(0)),
    ("a count of different ones", |row| row.unique(0)?.num(0)),
];

#[test]
fn each_row_is_by_itself() {
    for seed in 0..some_of(40) {
        let mut random = Random::new(seed + 7000);
        let levels = 1 + random.below(3);
        let (array, _) = random::array(&mut random, levels);
        for (name, function) in OF_LISTS {
            let all = array.map_rows_with(function);
            let alone: Result<Vec<Value>> = (0..array.len() as isize)
                .map(|row| {
                    let one = array.slice(row..row + 1, 0)?.map_rows_with(function)?;
                    assert_eq!(one.len(), 1);
                    Ok(one.to_values()?.remove(0))
                })
                .collect();
            match (all, alone) {
                (Ok(all), Ok(alone)) => {
                    let shown = Value::List(alone).to_string();
                    assert_eq!(
                        all.to_list().unwrap().to_string(),
                        shown,
                        "{name} of {}",
                        array.type_string()
                    );
                }
                (Err(_), Ok(alone)) => assert!(alone.is_empty(), "{name} of {}", array.type_string()),
                (Err(_), Err(_)) => {}
                (Ok(_), Err(error)) => panic!("{name} of {}: {error}", array.type_string()),
            }
        }
    }
}

/// The same method calls on what a row has, and on a nested array of the elements of one row.
macro_rules! both {
    ($($name:literal $row:ident => $made:expr;)*) => {
        [$(($name, (|$row| $made) as Closure, (|$row| $made) as fn(&Nested) -> Result<Nested>)),*]
    };
}

#[test]
fn axes_are_those_of_the_row() {
    let cases = both! {
        "sort" row => row.sort(0, true);
        "sort the innermost" row => row.sort(-1, false);
        "argsort" row => row.argsort(0, false);
        "numbers of elements" row => row.num(1);
        "sums of the innermost" row => row.sum(1);
        "sums across" row => row.sum(0);
        "greatest" row => row.max(-1);
        "flat" row => row.flatten(1);
        "flat and sorted" row => row.flatten(-1)?.sort(0, true);
        "a mask of lists" row => row.filter(&row.gt(0)?);
        "a mask of elements" row => row.filter(&row.num(1)?.gt(1)?);
        "first ones" row => row.firsts(1);
        "at a place" row => row.get(1, 1);
        "pairs" row => row.combinations(2, 1);
        "outer pairs" row => row.combinations(2, 0)?.field("0");
        "a slice" row => row.slice(..-1, 0);
        "an inner slice" row => row.slice(1.., 1);
        "picked" row => row.pick(&row.num(1)?.argsort(0, true)?);
        "an index" row => row.local_index(1);
        "a value for each list" row => Ok(row + row.sum(1)?);
        "padded" row => row.pad_clip(2, 1);
        "ranks" row => row.rank(-1, true);
        "sorted runs" row => row.run_lengths(1);
    };
    for seed in 0..some_of(24) {
        let mut random = Random::new(seed + 9000);
        let schema = Schema::List(Box::new(Schema::List(Box::new(random::schema(&mut random, 0)))));
        let length = 1 + random.below(5);
        let (array, _) = random::array_of(&mut random, &schema, length);
        for (name, of_row, of_elements) in &cases {
            let all = array.map_rows_with(of_row).unwrap().to_values().unwrap();
            for (row, made) in all.iter().enumerate() {
                let elements = array.at(row as i64, 0).unwrap();
                let expected = of_elements(&elements).unwrap().to_list().unwrap();
                assert_eq!(made.to_string(), expected.to_string(), "{name} of row {row} of {array}");
            }
        }
    }
}

#[test]
fn records_and_rows_of_rows() {
    let muon = |pt: f64, charge: i64| Value::record([("pt", pt.into()), ("charge", charge.into())]);
    let event =
        |met: f64, muons: Vec<Value>| Value::record([("met", met.into()), ("muons", Value::List(muons))]);
    let events = Nested::from_values([
        event(1.0, vec![muon(4.0, 1), muon(2.0, -1), muon(8.0, 1)]),
        event(2.0, vec![]),
        event(3.0, vec![muon(1.0, -1), muon(16.0, 1)]),
    ])
    .unwrap();
    // Pairs of opposite charge, the one of the greatest product of each event, and how many there are.
    let pairs = events
        .map_rows_with(|event| {
            let pairs = event.field("muons")?.combinations(2, 0)?;
            let (one, two) = (pairs.field("0")?, pairs.field("1")?);
            let opposite = (one.field("charge")? + two.field("charge")?).eq(0)?;
            let product = (one.field("pt")? * two.field("pt")? * event.field("met")?).filter(&opposite)?;
            Ok((product.num(0)?, product.max(0)?, product.get(product.argmax(0)?, 0)?))
        })
        .unwrap();
    assert_eq!(pairs.to_list().unwrap().to_string(), "[(2, 16.0, 16.0), (0, None, None), (1, 48.0, 48.0)]");
    // A function of each muon, which uses what its event has.
    let shares = events
        .map_rows_with(|event| {
            let total = event.field("muons")?.field("pt")?.sum(0)?;
            event.field("muons")?.map_rows_with(|muon| {
                InRow::record(&[
                    ("share", &(muon.field("pt")? / &total)),
                    ("met", &event.field("met")?),
                    ("muon", muon),
                ])
            })
        })
        .unwrap();
    let plain = &events.field("muons").unwrap().field("pt").unwrap()
        / events.field("muons").unwrap().field("pt").unwrap().sum(1).unwrap();
    assert!(shares.field("share").unwrap().is_equal(&plain).unwrap());
    assert_eq!(
        shares.type_string(),
        "3 * var * {share: float64, met: float64, muon: {pt: float64, charge: int64}}"
    );
    // Numbers are rows too, and missing ones stay missing.
    let numbers = Nested::from_values([Some(4.0), None, Some(9.0)]).unwrap();
    let roots = numbers.map_rows_with(|x| Ok(x.sqrt()? + 1)).unwrap();
    assert_eq!(roots.to_list().unwrap().to_string(), "[3.0, None, 4.0]");
    // Texts.
    let names = Nested::from_values([vec!["b", "a"], vec![], vec!["c"]]).unwrap();
    let joined = names.map_rows_with(|row| row.sort(0, true)?.to_upper()?.join_texts("-", 0)).unwrap();
    assert_eq!(joined.to_list().unwrap().to_string(), r#"["A-B", "", "C"]"#);
}

#[test]
fn what_leaves_the_row_is_an_error() {
    let rows = Nested::from_values([vec![1, 2], vec![3]]).unwrap();
    let message = |made: Result<Nested>| made.expect_err("an error").to_string();
    let cases: [(&str, Closure); 7] = [
        ("has no such axis", |row| row.sum(1)),
        ("has no axis -2", |row| row.sum(-2)),
        ("has no axis -1", |row| row.sum(0)?.sum(-1)),
        ("no such axis", |row| row.sum(0)?.sum(0)),
        ("are put into no others", |row| row.flatten(-1)),
        ("a list of places is wanted, not `int64`", |row| row.pick(&row.num(0)?)),
        ("no elements", |row| row.sum(0)?.map_rows_with(|x| Ok(x.clone()))),
    ];
    for (expected, function) in cases {
        let text = message(rows.map_rows_with(function));
        assert!(text.contains(expected), "{text}");
        assert!(text.contains(file!()), "{text}");
    }
    // A value that was carried out of its closure.
    let mut kept = None;
    rows.map_rows_with(|row| {
        kept = Some(row.clone());
        Ok(row.clone())
    })
    .unwrap();
    let kept = kept.unwrap();
    let expected = "a value of one row is used in another function of rows";
    assert!(message(rows.map_rows_with(|row| row.try_add(&kept))).contains(expected));
    assert!(message(rows.map_rows_with(|_| Ok(kept.clone()))).contains(expected));
    assert!(message(rows.map_rows_with(|row| Ok((row.clone(), kept.clone())))).contains(expected));
}

#[test]
fn closures_are_lazy_and_fuse() {
    let rows: nestled_nested::Ragged<f64> = (0..20).map(|n| (0..n % 5).map(f64::from).collect()).collect();
    let costly = Nested::from(rows.map(|x| x.exp()));
    let made = costly.map_rows_with(|row| (row * 2.0 + row.num(0)?).sum(0)).unwrap();
    let untouched: nestled_nested::Ragged<f64> = (&costly).try_into().unwrap();
    assert!(!untouched.flatten().is_ready());
    let sums: Array<f64> = (&made).try_into().unwrap();
    // The row of each element, and the sums.
    assert_eq!(sums.explain().unwrap().kernels(), 2);
    // As many as without a closure.
    let plain = (&costly - costly.mean(1).unwrap()).abs().unwrap().sum(1).unwrap();
    let closed = costly.map_rows_with(|row| (row - row.mean(0)?).abs()?.sum(0)).unwrap();
    let kernels = |made: &Nested| Array::<f64>::try_from(made).unwrap().explain().unwrap().kernels();
    assert_eq!(kernels(&closed), kernels(&plain));
    assert!(closed.is_equal(&plain).unwrap());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
