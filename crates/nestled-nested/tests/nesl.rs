//! Functions in NESL of rows.

use nestled_nested::{Array, Nested};

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
fn what_cannot_be_mapped() {
    let told = |array: &Nested, name: &str| array.map_rows(TEXT, name).unwrap_err().to_string();
    let rows = Nested::from_iter([vec![1], vec![]]);
    assert!(told(&rows, "both").ends_with("rows become numbers, or lists of numbers, not [(int, int)]"));
    assert!(told(&rows, "nothing").contains("nothing"));
    // There is no first of no elements.
    assert!(rows.map_rows(TEXT, "first").is_err());
    assert!(told(&Nested::from_iter([1]), "some").ends_with("`int64` has no rows"));
    assert!(told(&Nested::from_iter([vec![Some(1), None]]), "some").contains("fill or drop"));
    assert!(told(&Nested::from_iter([vec!["a"]]), "some").contains("`string` is no number"));
}
