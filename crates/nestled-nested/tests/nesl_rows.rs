//! Values on the host go in and out of functions in NESL: random values of many types, and functions on records and on what may be missing, against Rust.

use crate::random::Random;
use nestled_array::{Nesl, NeslRow, NeslType, NeslValue, nesl};
use nestled_nested::{Array, Datatype, Nested, Record};
use nestled_test::again;

#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Muon {
    pt: f32,
    charge: i8,
    id: Option<u32>,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Event<T> {
    run: u64,
    muons: Vec<T>,
    best: Option<T>,
    tags: Vec<Option<String>>,
    flags: Flags,
}

/// A tuple.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Flags(bool, i16, f64, u8);

/// What it holds.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Wrapped<T: Clone>(Vec<T>)
where
    T: PartialEq;

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Hit<T> {
    Single(T),
    Double {
        first: T,
        second: Option<Muon>,
        r#final: bool,
        more: Vec<i32>,
    },
    #[datatype(rename = "not_hit")]
    Missed,
}

/// No record of nested data, for an enum is none, but a tuple of NESL.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Found {
    hits: Vec<Hit<i16>>,
    last: Option<Hit<bool>>,
}

/// Random values of a type.
trait Made {
    fn made(random: &mut Random) -> Self;
}

macro_rules! made {
    ($($ty:ty: $random:ident => $value:expr;)*) => {$(
        impl Made for $ty {
            fn made($random: &mut Random) -> $ty {
                $value
            }
        }
    )*};
}

made! {
    bool: random => random.chance(50);
    u8: random => random.below(256) as u8;
    i8: random => random.below(256) as u8 as i8;
    i16: random => [i16::MIN, 0, 7, i16::MAX][random.below(4)];
    u16: random => [0, 9, u16::MAX][random.below(3)];
    i32: random => [i32::MIN, -1, 3, i32::MAX][random.below(4)];
    u32: random => [0, 5, u32::MAX][random.below(3)];
    i64: random => [i64::MIN, -4, 0, i64::MAX][random.below(4)];
    u64: random => [0, 1, i64::MAX as u64][random.below(3)];
    f32: random => [-0.5, 1e30, f32::MIN_POSITIVE, f32::INFINITY][random.below(4)];
    f64: random => [-0.1, 1e300, 0.0, f64::NEG_INFINITY][random.below(4)];
    String: random => ["", "one", "µ\u{1f600}"][random.below(3)].to_owned();
    Flags: random => Flags(Made::made(random), Made::made(random), Made::made(random), Made::made(random));
    Muon: random => Muon {
        pt: Made::made(random),
        charge: Made::made(random),
        id: Made::made(random),
        name: Made::made(random),
    };
}

impl Made for Found {
    fn made(random: &mut Random) -> Found {
        Found { hits: Made::made(random), last: Made::made(random) }
    }
}

impl<T: Made> Made for Vec<T> {
    fn made(random: &mut Random) -> Vec<T> {
        (0..random.below(4)).map(|_| T::made(random)).collect()
    }
}

impl<T: Made> Made for Option<T> {
    fn made(random: &mut Random) -> Option<T> {
        random.chance(60).then(|| T::made(random))
    }
}

impl<A: Made, B: Made> Made for (A, B) {
    fn made(random: &mut Random) -> (A, B) {
        (A::made(random), B::made(random))
    }
}

impl<A: Made, B: Made, C: Made> Made for (A, B, C) {
    fn made(random: &mut Random) -> (A, B, C) {
        (A::made(random), B::made(random), C::made(random))
    }
}

impl<T: Made> Made for Event<T> {
    fn made(random: &mut Random) -> Event<T> {
        Event {
            run: Made::made(random),
            muons: Made::made(random),
            best: Made::made(random),
            tags: Made::made(random),
            flags: Made::made(random),
        }
    }
}

impl<T: Made + Clone + PartialEq> Made for Wrapped<T> {
    fn made(random: &mut Random) -> Wrapped<T> {
        Wrapped(Made::made(random))
    }
}

impl<T: Made> Made for Hit<T> {
    fn made(random: &mut Random) -> Hit<T> {
        match random.below(3) {
            0 => Hit::Single(T::made(random)),
            1 => Hit::Double {
                first: T::made(random),
                second: Made::made(random),
                r#final: Made::made(random),
                more: Made::made(random),
            },
            _ => Hit::Missed,
        }
    }
}

/// A type as the language writes it; `declared` gets a datatype for each type of values that may be missing, with the constant first or last.
fn written(ty: &NeslType, declared: &mut Vec<String>) -> String {
    match ty {
        NeslType::Seq(element) => format!("[{}]", written(element, declared)),
        NeslType::Pair(left, right) => {
            let left = written(left, declared);
            format!("({left}, {})", written(right, declared))
        }
        NeslType::Data(data) if data.name.is_none() => {
            let content = written(data.optional().unwrap().content, declared);
            let n = declared.len();
            declared.push(match n % 2 {
                0 => format!("datatype maybe_{n} = none_{n} | just_{n}({content});"),
                _ => format!("datatype maybe_{n} = some_{n}({content}) | nothing_{n};"),
            });
            format!("maybe_{n}")
        }
        NeslType::Data(data) if data.arguments.is_empty() => data.name.clone().unwrap(),
        NeslType::Data(data) => {
            let arguments: Vec<String> = data.arguments.iter().map(|ty| written(ty, declared)).collect();
            format!("{}({})", data.name.as_deref().unwrap(), arguments.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// Values go in and come out unchanged, alone and twice in a list.
fn passes<T: NeslRow + NeslValue + Made + Clone + PartialEq + std::fmt::Debug>(seed: u64) {
    let mut declared = Vec::new();
    let ty = written(&T::row_type(), &mut declared);
    let text = format!(
        "datatype known_id = no_id | id_is(int);
         datatype some_muon = muon_is(float, int, known_id, [char]) | no_muon;
         datatype hit = single(a) | double(a, some_muon, bool, [int]) | not_hit :: (a in any);
         {}
         function same(x) : {ty} -> {ty} = x;
         function twice(x) : {ty} -> [{ty}] = [x, x];
         function reversed(x) : [{ty}] -> [{ty}] = reverse(x);",
        declared.concat()
    );
    let text = Nesl::compile(text).unwrap_or_else(|error| panic!("{ty}: {error}"));
    let same = text.function::<(T,), T>("same").unwrap();
    let twice = text.function::<(T,), Vec<T>>("twice").unwrap();
    let reversed = text.function::<(Vec<T>,), Vec<T>>("reversed").unwrap();
    let mut random = Random::new(seed + 70);
    for _ in 0..4 {
        let value = T::made(&mut random);
        assert_eq!(same.call((value.clone(),)).unwrap(), value, "{ty}");
        assert_eq!(twice.call((value.clone(),)).unwrap(), [value.clone(), value], "{ty}");
        let mut values: Vec<T> = Made::made(&mut random);
        let found = reversed.call((values.clone(),)).unwrap();
        values.reverse();
        assert_eq!(found, values, "{ty}");
    }
}

#[test]
fn values_of_many_types_go_in_and_out() {
    let types: [fn(u64); 13] = [
        passes::<Vec<(i8, u16, f32)>>,
        passes::<Vec<(i32, Vec<(i64, f64)>)>>,
        passes::<Option<i64>>,
        passes::<Vec<Option<Vec<Option<String>>>>>,
        passes::<(Option<u32>, String)>,
        passes::<Muon>,
        passes::<Vec<Vec<Muon>>>,
        passes::<Event<Muon>>,
        passes::<Option<Event<(bool, u8)>>>,
        passes::<Vec<Wrapped<Option<Muon>>>>,
        passes::<Hit<String>>,
        passes::<Vec<Found>>,
        passes::<Vec<Option<Hit<Option<Muon>>>>>,
    ];
    for (seed, passes) in (0..).zip(types).take(crate::some_of(26) as usize) {
        passes(seed);
    }
}

nesl! {
    "datatype option = none | some(a) :: (a in any);
     datatype charge = neutral | charged(int);
     function or_else(o, other) = match o with none => other | some(x) => x;
     function renamed(muons) = {(pt * 2.0, 0 - charge, match id with none => some(7) | some(n) => none, name ++ \"!\") : pt, charge, id, name in muons};
     function counts(rows) = {(#row, sum({or_else(x, 0) : x in row})) : row in rows};
     function total(o, v) = (match o with neutral => 0 | charged(n) => n) + sum(v);
     function opposite(c) = match c with neutral => neutral | charged(n) => charged(0 - n);";
    fn renamed(muons: Vec<Muon>) -> Vec<Muon>;
    fn counts(rows: Vec<Vec<Option<i16>>>) -> Vec<(u16, i32)>;
    fn total(o: Option<i32>, v: Array<i64>) -> i64;
    fn opposite(c: Option<i8>) -> Option<i8>;
}

fn muon(pt: f32, charge: i8, id: Option<u32>, name: &str) -> Muon {
    Muon { pt, charge, id, name: name.to_owned() }
}

#[test]
fn records_and_options_are_computed_with() {
    let muons = vec![muon(0.5, 1, None, "a"), muon(-2.0, -1, Some(3), "")];
    let wanted = [muon(1.0, -1, Some(7), "a!"), muon(-4.0, 1, None, "!")];
    assert_eq!(renamed(muons).unwrap(), wanted);
    assert_eq!(renamed(vec![]).unwrap(), []);
    let rows = vec![vec![Some(3), None, Some(-5)], vec![], vec![None]];
    assert_eq!(counts(rows).unwrap(), [(3, -2), (0, 0), (1, 0)]);
    let v = || Array::from_vec(vec![1, 2]);
    assert_eq!((total(None, v()).unwrap(), total(Some(-9), v()).unwrap()), (3, -6));
    assert_eq!((opposite(None).unwrap(), opposite(Some(5)).unwrap()), (None, Some(-5)));
    // −128 has no opposite among them.
    let told = opposite(Some(i8::MIN)).unwrap_err().to_string();
    assert!(told.contains("128 does not fit `i8`"), "{told}");
}

#[test]
fn records_are_records_of_nested_data_too() {
    let mut random = Random::new(5);
    let events: Vec<Event<Muon>> = (0..9).map(|_| Made::made(&mut random)).collect();
    let array = Nested::from_rows(events.clone());
    assert_eq!(
        array.schema().to_string(),
        "{run: uint64, muons: var * {pt: float32, charge: int8, id: ?uint32, name: string}, \
         best: ?{pt: float32, charge: int8, id: ?uint32, name: string}, tags: var * ?string, \
         flags: (bool, int16, float64, uint8)}"
    );
    assert_eq!(array.to_rows::<Event<Muon>>().unwrap(), events);
    let wrapped = [Wrapped(vec![1u16, 2]), Wrapped(vec![])];
    let array = Nested::from_rows(wrapped.clone());
    assert_eq!(array.type_string(), "2 * var * uint16");
    assert_eq!(array.to_rows::<Wrapped<u16>>().unwrap(), wrapped);
    assert!(array.to_rows::<Flags>().is_err());
}

#[test]
fn what_does_not_fit_is_refused() {
    let text = Nesl::compile(
        "datatype maybe = none | just(a) :: (a in any);
         datatype three = one | two(int) | other;
         datatype colour = red | green;
         function any_of(x) = x;
         function next(n) = n + 1;
         function known(x) = match x with none => 0 | just(n) => n + 1;
         function three_of(x) = match x with one => 1 | two(n) => n | other => 3;
         function colour_of(x) = match x with red => 1 | green => 2;
         function given(n) = if n > 0 then two(n) else other;
         function first(v) = v[0];",
    )
    .unwrap();
    let told = |name: &str| text.function::<(Option<i64>,), i64>(name).unwrap_err().to_string();
    for (name, words) in [
        ("any_of", "`?int` may be missing: the function has to take a datatype there that has one constant"),
        ("next", "`?int` may be missing"),
        ("three_of", "`?int` may be missing, and `three` has not one constant and one variant"),
        ("colour_of", "`colour` has not one constant"),
    ] {
        assert!(told(name).contains(words), "{name}: {}", told(name));
    }
    let told = text.function::<(Option<String>,), i64>("known").unwrap_err().to_string();
    assert!(told.contains("`maybe` holds int, not [char]"), "{told}");
    let told = text.function::<(i64,), Option<i64>>("given").unwrap_err().to_string();
    assert!(told.contains("`given` gives three, not ?int"), "{told}");
    let first = text.function::<(Vec<u64>,), i32>("first").unwrap();
    let told = first.call((vec![u64::MAX],)).unwrap_err().to_string();
    assert!(told.contains("18446744073709551615 does not fit `int`"), "{told}");
    let told = first.call((vec![1 << 31],)).unwrap_err().to_string();
    assert!(told.contains("2147483648 does not fit `i32`"), "{told}");
    let firsts = text.function::<(Vec<Vec<i64>>,), Vec<u16>>("first").unwrap();
    let told = firsts.call((vec![vec![4, -1]],)).unwrap_err().to_string();
    assert!(told.contains("-1 does not fit `u16`"), "{told}");
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
