//! What may be missing goes in and out of functions in NESL: against lists of values on the host.

use crate::random::Random;
use nestled_nested::{Array, Nested, Segments, Value};
use nestled_test::again;

const TEXT: &str = "
    datatype maybe = just(a) | gone :: (a in any);
    datatype colour = red | green;
    function number(x) = match x with gone => -1 | just(n) => n;
    function half(n) = if rem(n, 2) == 0 then just(n / 2) else gone;
    function halves(row) = {match x with gone => gone | just(n) => half(n) : x in row};
    function kept(row) = {n + 1 : n in flatten({match x with gone => [] int | just(n) => [n] : x in row})};
    function last(row) = if #row == 0 then gone else row[#row - 1];
    function size(row) = match row with gone => -1 | just(v) => #({number(x) : x in v});
    function next(n) = n + 1;
    function with_one(x) = (x, 1);
    function entry(name, best, sizes) =
        ((match name with gone => \"?\" | just(text) => text ++ \"!\"),
         (match best with gone => gone | just(p) => (let (x, c) = p in half(x))),
         {number(s) : s in sizes});
    function painted(c) = match c with gone => 0 | just(own) => (match own with red => 1 | green => 2);
";

/// Any numbers where a mask is false.
fn optional(random: &mut Random, values: &[Option<i64>]) -> Nested {
    let numbers = values.iter().map(|value| value.unwrap_or(random.below(99) as i64)).collect();
    let valid = values.iter().map(Option::is_some).collect();
    Nested::from(Array::from_vec(numbers)).with_validity(&Array::from_vec(valid)).unwrap()
}

fn numbers(random: &mut Random, count: usize) -> Vec<Option<i64>> {
    (0..count).map(|_| random.chance(60).then(|| random.below(20) as i64 - 5)).collect()
}

fn half(n: i64) -> Option<i64> {
    (n % 2 == 0).then_some(n / 2)
}

fn values<T: Into<Value>>(made: impl Iterator<Item = T>) -> Vec<Value> {
    made.map(T::into).collect()
}

fn called(array: &Nested, function: &str) -> Vec<Value> {
    array.map_elements(TEXT, function).unwrap().to_values().unwrap()
}

#[test]
fn elements_that_may_be_missing() {
    for seed in 0..crate::some_of(12) {
        let mut random = Random::new(seed + 60);
        let count = random.below(9);
        let given = numbers(&mut random, count);
        let array = optional(&mut random, &given);
        assert_eq!(called(&array, "number"), values(given.iter().map(|x| x.unwrap_or(-1))));
        // Of functions that take something else the result is missing.
        assert_eq!(called(&array, "next"), values(given.iter().map(|x| x.map(|n| n + 1))));
        assert_eq!(called(&array, "half"), values(given.iter().map(|x| x.and_then(half))));
        let pair = |x: &Option<i64>| x.map_or(Value::Missing, |n| Value::Tuple(vec![n.into(), 1.into()]));
        assert_eq!(called(&array, "with_one"), values(given.iter().map(pair)));
        let made = array.map_elements(TEXT, "half").unwrap();
        assert_eq!(made.schema().to_string(), "?int64");
    }
}

#[test]
fn rows_of_what_may_be_missing() {
    for seed in 0..crate::some_of(12) {
        let mut random = Random::new(seed + 90);
        let lengths: Vec<usize> = (0..random.below(7)).map(|_| random.below(5)).collect();
        let rows: Vec<Vec<Option<i64>>> = lengths.iter().map(|n| numbers(&mut random, *n)).collect();
        let array =
            optional(&mut random, &rows.concat()).in_lists(&Segments::from_lengths(&lengths)).unwrap();
        let called = |array: &Nested, function| array.map_rows(TEXT, function).unwrap();
        let made = called(&array, "halves");
        assert_eq!(made.schema().to_string(), "var * ?int64");
        let halves = |row: &Vec<Option<i64>>| Value::list(row.iter().map(|x| x.and_then(half).into()));
        assert_eq!(made.to_values().unwrap(), values(rows.iter().map(halves)));
        let kept = |row: &Vec<Option<i64>>| Value::list(row.iter().flatten().map(|n| (n + 1).into()));
        assert_eq!(called(&array, "kept").to_values().unwrap(), values(rows.iter().map(kept)));
        let last = |row: &Vec<Option<i64>>| row.last().copied().flatten();
        assert_eq!(called(&array, "last").to_values().unwrap(), values(rows.iter().map(last)));
        // Lists that are missing, for a function that takes them and for one that does not.
        let valid: Vec<bool> = rows.iter().map(|_| random.chance(60)).collect();
        let some = array.with_validity(&Array::from_vec(valid.clone())).unwrap();
        let both = || rows.iter().zip(&valid);
        let size = |(row, valid): (&Vec<Option<i64>>, &bool)| if *valid { row.len() as i64 } else { -1 };
        assert_eq!(called(&some, "size").to_values().unwrap(), values(both().map(size)));
        let made = both().map(|(row, valid)| if *valid { kept(row) } else { Value::Missing });
        assert_eq!(called(&some, "kept").to_values().unwrap(), values(made));
    }
}

#[test]
fn fields_that_may_be_missing() {
    for seed in 0..crate::some_of(12) {
        let mut random = Random::new(seed + 200);
        let count = random.below(7);
        let (mut given, mut wanted) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let name = random.chance(60).then(|| "ab"[..random.below(3)].to_owned());
            let best = random.chance(60).then(|| random.below(9) as i64);
            let length = random.below(4);
            let sizes = numbers(&mut random, length);
            let shown = name.as_ref().map_or("?".to_owned(), |name| format!("{name}!"));
            let pair = best.map_or(Value::Missing, |n| Value::Tuple(vec![n.into(), true.into()]));
            given.push(Value::record([
                ("name", name.into()),
                ("best", pair),
                ("sizes", Value::list(sizes.iter().map(|&x| x.into()))),
            ]));
            let sizes = sizes.iter().map(|x| x.unwrap_or(-1).into());
            wanted.push(Value::Tuple(vec![shown.into(), best.and_then(half).into(), Value::list(sizes)]));
        }
        let schema = "{name: ?string, best: ?(int32, bool), sizes: 3 * ?int8}".replace("3 *", "var *");
        let array = Nested::from_values_as(&schema.parse().unwrap(), given).unwrap();
        let made = array.map_elements(TEXT, "entry").unwrap();
        assert_eq!(made.schema().to_string(), "(string, ?int64, var * int64)");
        assert_eq!(made.to_values().unwrap(), wanted);
    }
}

#[test]
fn what_is_missing_may_be_anything() {
    let mask = |valid: &[bool]| Array::from_vec(valid.to_vec());
    // No `int`, and no name of a colour.
    let wide = Nested::from(Array::from_vec(vec![u64::MAX, 7, u64::MAX]));
    let wide = wide.with_validity(&mask(&[false, true, false])).unwrap();
    assert_eq!(called(&wide, "number"), values([-1, 7, -1].into_iter()));
    let fixed = wide.in_fixed(3).unwrap();
    assert_eq!(fixed.map_rows(TEXT, "kept").unwrap().to_list().unwrap().to_string(), "[[8]]");
    let words = Nested::from_iter(["green", "blue", "red"]);
    let codes = Nested::categories(&Array::from_vec(vec![1, 0, 2, 1]), &words).unwrap();
    let codes = codes.with_validity(&mask(&[false, true, true, false])).unwrap();
    assert_eq!(called(&codes, "painted"), values([0, 2, 1, 0].into_iter()));
    let texts = words.with_validity(&mask(&[true, false, true])).unwrap();
    assert_eq!(called(&texts, "painted"), values([2, 0, 1].into_iter()));
    let told = words.with_validity(&mask(&[true; 3])).unwrap().map_elements(TEXT, "painted").unwrap_err();
    assert!(told.to_string().contains("element 1 of `string` is no name of a `colour`"), "{told}");
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
