//! Unions as datatypes of NESL, and back: against lists of values on the host.

use crate::random::Random;
use nestled_nested::{Array, Nested, Segments, Value, zip};
use nestled_test::again;

/// A value of each kind that a union may have here: what NESL's `thing` holds, in its order.
#[derive(Clone, Debug, PartialEq)]
enum Thing {
    Number(i64),
    Word(String),
    Numbers(Vec<f64>),
    Record(f64, String),
    Nothing,
}

const TEXT: &str = r#"
datatype thing = number(int) | word([char]) | numbers([float]) | entry(float, [char]) | nothing;

function same(s) : thing -> thing = s;
function measure(s) = match s with
    number(n) => float(n)
  | word(w) => float(#w)
  | numbers(v) => sum(v)
  | entry(x, name) => x * float(#name)
  | nothing => -1.0;
function next(s) = match s with
    number(n) => word(@n)
  | word(w) => (if #w == 0 then nothing else numbers({float(char_code(c)) : c in w}))
  | numbers(v) => entry(sum(v), "sum")
  | entry(x, name) => number(#name)
  | nothing => word("none");
function kept(row) = {s in row | measure(s) > 0.0};
"#;

fn thing(random: &mut Random, kinds: &[usize]) -> Thing {
    match kinds[random.below(kinds.len())] {
        0 => Thing::Number(random.below(9) as i64 - 4),
        1 => Thing::Word("abc"[..random.below(4)].to_owned()),
        2 => Thing::Numbers((0..random.below(4)).map(|n| n as f64 / 2.0).collect()),
        3 => Thing::Record(random.below(5) as f64 - 1.5, "xy"[..random.below(3)].to_owned()),
        _ => Thing::Nothing,
    }
}

fn value(thing: &Thing) -> Value {
    match thing {
        Thing::Number(n) => (*n).into(),
        Thing::Word(w) => w.as_str().into(),
        Thing::Numbers(v) => Value::list(v.iter().map(|&x| x.into())),
        Thing::Record(x, name) => Value::Tuple(vec![(*x).into(), name.as_str().into()]),
        Thing::Nothing => "nothing".into(),
    }
}

/// The union of these; what other variants have in the columns is chance.
fn union(random: &mut Random, things: &[Thing]) -> Nested {
    let own = |kind: usize, random: &mut Random| -> Vec<Thing> {
        let like = |one: &Thing| kind_of(one) == kind;
        things.iter().map(|one| if like(one) { one.clone() } else { thing(random, &[kind]) }).collect()
    };
    let mut columns = Vec::new();
    for kind in 0..4 {
        let values = own(kind, random);
        let schema = ["int64", "string", "var * float64", "(float64, string)"][kind].parse().unwrap();
        columns.push(Nested::from_values_as(&schema, values.iter().map(value)).unwrap());
    }
    let names: Vec<&str> =
        things.iter().map(|one| if *one == Thing::Nothing { "nothing" } else { "another" }).collect();
    columns.push(Nested::from_values_as(&"string".parse().unwrap(), names).unwrap());
    let tags: Vec<i64> = things.iter().map(|one| kind_of(one) as i64).collect();
    Nested::union(&Array::from_vec(tags), &columns.iter().collect::<Vec<_>>()).unwrap()
}

fn kind_of(thing: &Thing) -> usize {
    match thing {
        Thing::Number(_) => 0,
        Thing::Word(_) => 1,
        Thing::Numbers(_) => 2,
        Thing::Record(..) => 3,
        Thing::Nothing => 4,
    }
}

fn measure(thing: &Thing) -> f64 {
    match thing {
        Thing::Number(n) => *n as f64,
        Thing::Word(w) => w.len() as f64,
        Thing::Numbers(v) => v.iter().sum(),
        Thing::Record(x, name) => x * name.len() as f64,
        Thing::Nothing => -1.0,
    }
}

fn next(thing: &Thing) -> Thing {
    match thing {
        Thing::Number(n) => Thing::Word(n.to_string()),
        Thing::Word(w) if w.is_empty() => Thing::Nothing,
        Thing::Word(w) => Thing::Numbers(w.bytes().map(f64::from).collect()),
        Thing::Numbers(v) => Thing::Record(v.iter().sum(), "sum".to_owned()),
        Thing::Record(_, name) => Thing::Number(name.len() as i64),
        Thing::Nothing => Thing::Word("none".to_owned()),
    }
}

const SCHEMA: &str = "union[int64, string, var * float64, (float64, string), categorical[type=string]]";

/// Sets of variants, of which the others are absent.
const KINDS: [&[usize]; 9] = [&[0, 1, 2, 3, 4], &[0], &[1], &[2], &[3], &[4], &[0, 4], &[1, 2], &[2, 3, 4]];

#[test]
fn unions_go_in_and_out() {
    for seed in 0..crate::some_of(36) {
        let mut random = Random::new(seed + 400);
        let kinds = KINDS[seed as usize % KINDS.len()];
        let things: Vec<Thing> = (0..random.below(12)).map(|_| thing(&mut random, kinds)).collect();
        let array = union(&mut random, &things);
        let same = array.map_elements(TEXT, "same").unwrap();
        assert_eq!(same.schema().to_string(), SCHEMA);
        assert_eq!(same.to_values().unwrap(), things.iter().map(value).collect::<Vec<_>>(), "{seed}");
        let measures = array.map_elements(TEXT, "measure").unwrap();
        let wanted: Vec<Value> = things.iter().map(|one| measure(one).into()).collect();
        assert_eq!(measures.to_values().unwrap(), wanted, "{seed}");
        let made = array.map_elements(TEXT, "next").unwrap();
        assert_eq!(made.schema().to_string(), SCHEMA);
        let after: Vec<Thing> = things.iter().map(next).collect();
        assert_eq!(made.to_values().unwrap(), after.iter().map(value).collect::<Vec<_>>(), "{seed}");
        assert_eq!(
            made.variants().unwrap().to_values().unwrap(),
            after.iter().map(|one| (kind_of(one) as i64).into()).collect::<Vec<Value>>()
        );
        // What came out goes in again, and takes part in the operations of unions.
        let twice = made.map_elements(TEXT, "next").unwrap();
        let wanted: Vec<Value> = after.iter().map(next).map(|one| value(&one)).collect();
        assert_eq!(twice.to_values().unwrap(), wanted, "{seed}");
        let words = made.project(1).unwrap().to_values().unwrap();
        let wanted =
            after.iter().map(|one| if let Thing::Word(_) = one { value(one) } else { Value::Missing });
        assert_eq!(words, wanted.collect::<Vec<_>>());
    }
}

#[test]
fn rows_of_unions() {
    for seed in 0..crate::some_of(24) {
        let mut random = Random::new(seed + 800);
        let kinds = KINDS[seed as usize % KINDS.len()];
        let rows: Vec<Vec<Thing>> = (0..random.below(8))
            .map(|_| (0..random.below(5)).map(|_| thing(&mut random, kinds)).collect())
            .collect();
        let lengths: Vec<usize> = rows.iter().map(Vec::len).collect();
        let array = union(&mut random, &rows.concat()).in_lists(&Segments::from_lengths(&lengths)).unwrap();
        let kept = array.map_rows(TEXT, "kept").unwrap();
        let wanted: Vec<Value> = rows
            .iter()
            .map(|row| Value::list(row.iter().filter(|one| measure(one) > 0.0).map(value)))
            .collect();
        assert_eq!(kept.to_values().unwrap(), wanted, "{seed}");
        // Beside other fields of a record, and missing as a whole.
        let places = Nested::from(Array::from_vec((0..rows.len() as i64).collect()));
        let both = Nested::records(&[("place", &places), ("things", &array)]).unwrap();
        let text =
            format!("{TEXT} function counts(place, things) = (place, {{next(s) : s in things}}, #things);");
        let valid: Vec<bool> = rows.iter().map(|_| random.chance(70)).collect();
        let made = both
            .with_validity(&Array::from_vec(valid.clone()))
            .unwrap()
            .map_elements(&text, "counts")
            .unwrap();
        let wanted = rows.iter().zip(&valid).enumerate().map(|(place, (row, valid))| match valid {
            false => Value::Missing,
            true => Value::Tuple(vec![
                (place as i64).into(),
                Value::list(row.iter().map(|one| value(&next(one)))),
                (row.len() as i64).into(),
            ]),
        });
        assert_eq!(made.to_values().unwrap(), wanted.collect::<Vec<_>>(), "{seed}");
    }
}

#[test]
fn columns_of_other_variants_do_not_count() {
    // Places that are none, where the values are of the other variant.
    let text = "datatype pick = place(int) | number(float);
        function found(p) = match p with place(i) => [10.0, 20.0, 30.0][i] | number(x) => 1.0 / x;";
    let places = Nested::from_iter([2i64, 1 << 40, -7, 0]);
    let numbers = Nested::from_iter([f64::NAN, 0.5, 4.0, 0.0]);
    let picks = Nested::union(&Array::from_vec(vec![0, 1, 1, 0]), &[&places, &numbers]).unwrap();
    assert_eq!(
        picks.map_elements(text, "found").unwrap().to_list().unwrap().to_string(),
        "[30.0, 2.0, 0.25, 10.0]"
    );
    let wrong = Nested::union(
        &Array::from_vec(vec![0, 0]),
        &[&places.slice(1..3, 0).unwrap(), &numbers.slice(..2, 0).unwrap()],
    );
    let fault = wrong.unwrap().map_elements(text, "found").unwrap_err().to_string();
    assert!(fault.contains("position 1099511627776 of a sequence of 3, at element 0"), "{fault}");
}

#[test]
fn names_of_constants() {
    let text = "datatype colour = red | green | blue;
        function other(c) = match c with red => green | green => blue | blue => red;
        function number(c) = match c with red => 0 | green => 1 | blue => 2;
        function chosen(n) = if n == 0 then red else (if n == 1 then green else blue);";
    let words = Nested::from_iter(["blue", "red", "green", "red"]);
    let other = words.map_elements(text, "other").unwrap();
    assert_eq!(other.type_string(), "4 * categorical[type=string]");
    assert_eq!(other.to_list().unwrap().to_string(), r#"["red", "green", "blue", "green"]"#);
    let again = other.map_elements(text, "number").unwrap();
    assert_eq!(again.to_list().unwrap().to_string(), "[0, 1, 2, 1]");
    let chosen = Nested::from_iter([2, 0, 1]).map_elements(text, "chosen").unwrap();
    assert_eq!(chosen.to_list().unwrap().to_string(), r#"["blue", "red", "green"]"#);
    let none = Nested::from_values_as(&"string".parse().unwrap(), Vec::<Value>::new()).unwrap();
    assert_eq!(none.map_elements(text, "other").unwrap().len(), 0);
    // A word that nobody uses may be anything.
    let words = Nested::from_iter(["green", "purple"]);
    let codes = |codes: Vec<i64>| Nested::categories(&Array::from_vec(codes), &words).unwrap();
    assert_eq!(
        codes(vec![0, 0]).map_elements(text, "number").unwrap().to_list().unwrap().to_string(),
        "[1, 1]"
    );
    let fault = codes(vec![0, 1]).map_elements(text, "number").unwrap_err().to_string();
    assert!(fault.contains("element 1 of `categorical[type=string]` is no name of a `colour`"), "{fault}");
    let fault = Nested::from_iter(["red", "re"]).map_elements(text, "number").unwrap_err().to_string();
    assert!(fault.contains("element 1 of `string` is no name of a `colour`"), "{fault}");
}

#[test]
fn datatypes_inside_of_others() {
    let text = "datatype option = none | some(a) :: (a in any);
        datatype shape = circle(float) | rect(float, float);
        datatype event(int, [option(shape)]);
        function area(s) : shape -> float = match s with circle(r) => r * r | rect(a, b) => a * b;
        function areas(e) : event -> [float] =
            let event(n, shapes) = e in
            {match s with none => float(n) | some(shape) => area(shape) : s in shapes};
        function halves(n) = if rem(n, 2) == 0 then some(circle(float(n / 2))) else none;";
    let shapes = Nested::union(
        &Array::from_vec(vec![1, 0, 0]),
        &[
            &Nested::from_iter([1.0, 2.0, 3.0]),
            &zip(&[("a", &Nested::from_iter([4.0, 0.0, 0.0])), ("b", &Nested::from_iter([0.5, 0.0, 0.0]))])
                .unwrap(),
        ],
    )
    .unwrap();
    let names = Nested::from_iter(["", "none", ""]);
    let options = Nested::union(&Array::from_vec(vec![1, 0, 1]), &[&names, &shapes]).unwrap();
    let numbers = Nested::from_iter([7, 8]);
    let events = Nested::records(&[
        ("n", &numbers),
        ("shapes", &options.in_lists(&Segments::from_lengths(&[2, 1])).unwrap()),
    ])
    .unwrap();
    assert_eq!(
        events.map_elements(text, "areas").unwrap().to_list().unwrap().to_string(),
        "[[2.0, 7.0], [9.0]]"
    );
    let halves = Nested::from_iter([4, 5]).map_elements(text, "halves").unwrap();
    assert_eq!(halves.type_string(), "2 * ?union[float64, (float64, float64)]");
    assert_eq!(halves.to_list().unwrap().to_string(), "[2.0, None]");
}

#[test]
fn variables_of_datatypes() {
    let text = "datatype label = word([char]) | two([char], [char]) | dot;
        first = word(\"ab\"); second = dot; third = two(\"x\", \"yz\");
        datatype tree = leaf | node(tree, int, tree);
        trees = node(leaf, 1, leaf);
        function length(l) = match l with word(w) => #w | two(a, b) => #a * 10 + #b | dot => 100;
        function lengths(n) = n + length(first) + length(second) + length(third);
        function depth(s) = match s with leaf => 0 | node(l, n, r) => 1 + max(depth(l), depth(r));
        function grown(n) = depth(if n > 0 then node(node(leaf, n, leaf), n, leaf) else leaf);
        function planted(n) = n + depth(trees);
        function tree_of(n) = node(leaf, n, leaf);
        function at_root(s) = match s with leaf => 0 | node(l, n, r) => n;";
    let numbers = Nested::from_iter([1, 0]);
    assert_eq!(numbers.map_elements(text, "lengths").unwrap().to_list().unwrap().to_string(), "[115, 114]");
    // Trees inside of a function are its own business.
    assert_eq!(numbers.map_elements(text, "grown").unwrap().to_list().unwrap().to_string(), "[2, 0]");
    for (array, function) in [(&numbers, "planted"), (&numbers, "tree_of")] {
        let told = array.map_elements(text, function).unwrap_err().to_string();
        assert!(told.contains("may hold itself"), "{told}");
    }
    let union =
        Nested::union(&Array::from_vec(vec![0]), &[&Nested::from_iter(["leaf"]), &Nested::from_iter([1])])
            .unwrap();
    let told = union.map_elements(text, "at_root").unwrap_err().to_string();
    assert!(told.contains("`node` holds"), "{told}");
}

#[test]
fn what_is_refused() {
    let union = |parts: &[&Nested]| Nested::union(&Array::from_vec(vec![0, 1]), parts).unwrap();
    let (numbers, words) = (Nested::from_iter([1, 2]), Nested::from_iter(["nothing", "b"]));
    let text = "datatype either = number(int) | nothing;
        function known(e) = match e with number(n) => n | nothing => 0;
        function any_of(x) = x;
        function length(v) = #v;
        function next(n) = n + 1;";
    let told = |array: &Nested, function: &str| array.map_elements(text, function).unwrap_err().to_string();
    for (array, function, words) in [
        (union(&[&numbers, &words]), "known", "variant 1 is `nothing` in NESL, and has other texts"),
        (union(&[&numbers, &numbers]), "known", "`nothing` holds nothing, not int: its name is a text"),
        (union(&[&words, &words]), "known", "`number` holds int, not [char]"),
        (
            union(&[&numbers, &words, &words]),
            "known",
            "`either` has 2 variants, not the 3 of `union[int, [char], [char]]`",
        ),
        (union(&[&numbers, &words]), "any_of", "nothing tells which datatype `union[int, [char]]` is"),
        (union(&[&numbers, &words]), "length", "nothing tells which datatype"),
        (union(&[&numbers, &words]), "next", "nothing tells which datatype"),
        (numbers.clone(), "known", "`either` is wanted, not `int`"),
        (
            union(&[&numbers, &Nested::from_iter([Some("nothing"), None])]),
            "known",
            "`nothing` holds nothing, not ?[char]: its name is a text",
        ),
    ] {
        let told = told(&array, function);
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
