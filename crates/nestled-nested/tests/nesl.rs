//! Functions in NESL of rows.

use nestled_nested::{Array, Nested, Value};
use nestled_test::again;

const TEXT: &str = "
function largest(row) = max_val(row);
function positive(row) = {x in row | x > zero(x)};
function zero(x) = x - x;
function half(row) = {float(x) / 2.0 : x in row};
function first(row) = row[0];
function some(row) = #row > 1;
function both(row) = (#row, sum(row));";

fn text(made: nestled_nested::Result<Nested>) -> String {
    made.unwrap().to_list().unwrap().to_string()
}

#[test]
fn functions_of_rows() {
    let rows = Nested::from_iter([vec![Some(vec![1, -2, 3]), None], vec![], vec![Some(vec![4])]]);
    assert_eq!(text(rows.map_rows(TEXT, "largest")), "[[3, None], [], [4]]");
    assert_eq!(text(rows.map_rows(TEXT, "positive")), "[[[1, 3], None], [], [[4]]]");
    assert_eq!(text(rows.map_rows(TEXT, "half")), "[[[0.5, -1.0, 1.5], None], [], [[2.0]]]");
    assert_eq!(text(rows.map_rows(TEXT, "some")), "[[true, None], [], [false]]");
    let narrow = Nested::from(Array::from_vec(vec![1u8, 2, 3, 4])).in_fixed(2).unwrap();
    assert_eq!(text(narrow.map_rows(TEXT, "largest")), "[2, 4]");
    let flags = Nested::from_iter([vec![true], vec![false, true]]);
    assert_eq!(text(flags.map_rows(TEXT, "some")), "[false, true]");
}

#[test]
fn rows_of_every_type() {
    let rows = Nested::from_iter([vec![1, 2], vec![]]);
    assert_eq!(text(rows.map_rows(TEXT, "both")), "[(2, 3), (0, 0)]");
    let words = Nested::from_iter([Some(vec!["mu", "e"]), None, Some(vec![])]);
    let joined = "function joined(row) = (flatten(row), {#word : word in row}, #row);";
    let made = words.map_rows(joined, "joined").unwrap();
    assert_eq!(made.type_string(), "3 * ?(string, var * int64, int64)");
    assert_eq!(made.to_list().unwrap().to_string(), r#"[("mue", [2, 1], 2), None, ("", [], 0)]"#);
    let muon =
        |pt: f64, name: &str| Value::record([("pt", pt.into()), ("name", name.into()), ("q", 1i64.into())]);
    let muons = Nested::from_iter([vec![muon(1.5, "a"), muon(2.5, "bc")], vec![]]);
    let swapped = "function swapped(row) = {(name, pt * 2.0) : (pt, name, q) in row};";
    let made = muons.map_rows(swapped, "swapped").unwrap();
    assert_eq!(made.type_string(), "2 * var * (string, float64)");
    assert_eq!(made.to_list().unwrap().to_string(), r#"[[("a", 3.0), ("bc", 5.0)], []]"#);
    let reversed = "function reversed(word) = reverse(word);";
    let bytes =
        Nested::from_values_as(&"?bytes".parse().unwrap(), [Value::Bytes(vec![1, 255]), Value::Missing])
            .unwrap();
    assert_eq!(text(bytes.map_elements(reversed, "reversed")), r#"[b"\xff\x01", None]"#);
    let fault = Nested::from_iter(["aµ"]).map_elements(reversed, "reversed").unwrap_err().to_string();
    assert!(fault.contains("string 0 is not UTF-8"), "{fault}");
    let days = Nested::from_values_as(&"date".parse().unwrap(), ["1970-01-05"]).unwrap();
    assert_eq!(text(days.map_elements("function next(day) = day + 1;", "next")), "[5]");
    let prices = Nested::from_values_as(&"decimal[5, 2]".parse().unwrap(), ["1.25"]).unwrap();
    assert_eq!(text(prices.map_elements("function half(x) = x / 2.0;", "half")), "[0.625]");
    let narrow = Nested::from_values_as(
        &"{a: float32, b: uint8, c: 2 * bool}".parse().unwrap(),
        [Value::record([("a", 0.5.into()), ("b", 255.into()), ("c", vec![true, false].into())])],
    )
    .unwrap();
    let all = "function parts(a, b, c) = (a * float(b), c[1]);";
    assert_eq!(text(narrow.map_elements(all, "parts")), "[(127.5, false)]");
}

#[test]
fn what_cannot_be_mapped() {
    let told = |array: &Nested, name: &str| array.map_rows(TEXT, name).unwrap_err().to_string();
    let rows = Nested::from_iter([vec![1], vec![]]);
    assert!(told(&rows, "nothing").contains("nothing"));
    // There is no first of no elements.
    assert!(rows.map_rows(TEXT, "first").is_err());
    assert!(told(&Nested::from_iter([1]), "some").ends_with("`int64` has no rows"));
    assert!(
        told(&Nested::from_iter([vec![Some(1), None]]), "some")
            .contains("`?int` may be missing: the function has to take a datatype")
    );
    assert!(told(&Nested::from_iter([vec![true]]), "largest").contains("largest"));
    let wide = Nested::from_iter([vec![u64::MAX]]);
    assert!(told(&wide, "some").ends_with("a number is greater than an `int` can be"));
    let trees = "datatype tree = leaf | node(tree, tree); function tree_of(row) = if #row > 1 then node(leaf, leaf) else leaf;";
    assert!(rows.map_rows(trees, "tree_of").unwrap_err().to_string().contains("may hold itself"));
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
