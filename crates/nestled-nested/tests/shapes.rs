//! Operations that change the shape of lists or the names of fields, against naive ones on trees of values.

use crate::naive;
use crate::operations::{check, each};
use nestled_nested::{Nested, Value};
use nestled_test::again;

#[test]
fn axes_kept() {
    each(61, |_, levels, array, value| {
        for axis in 1..=levels {
            let wanted = naive::along(value, axis, &|list| Value::list([Value::Int(list.len() as i128)]));
            check("keep_axis", array, array.keep_axis(axis as isize, &Nested::num), &wanted);
        }
        if levels > 0 {
            let wanted = Value::list([naive::reduce("count", value, 0, levels)]);
            check("keep_axis", array, array.keep_axis(0, &Nested::count), &wanted);
        }
    });
}

#[test]
fn axes_added() {
    let alone = |list: &[Value]| Value::list(list.iter().map(|element| Value::list([element.clone()])));
    each(62, |_, levels, array, value| {
        check("add_axis", array, array.add_axis(0), &Value::list([value.clone()]));
        for axis in 1..=levels + 1 {
            check("add_axis", array, array.add_axis(axis as isize), &naive::along(value, axis - 1, &alone));
        }
    });
}

#[test]
fn lists_of_one_length() {
    each(63, |_, levels, array, value| {
        for axis in 1..=levels as isize {
            let ragged = array.to_ragged(axis);
            check("to_ragged", array, ragged.clone(), value);
            if let Ok(regular) = array.to_regular(axis) {
                check("to_regular", array, Ok(regular), value);
            }
        }
    });
}

#[test]
fn pairs_with_an_element_twice() {
    let pairs = |list: &[Value]| {
        let from = |place: usize| list[place..].iter().map(move |other| (place, other));
        let all = (0..list.len()).flat_map(from);
        Value::list(all.map(|(place, other)| Value::Tuple(vec![list[place].clone(), other.clone()])))
    };
    each(64, |_, levels, array, value| {
        for axis in 0..=levels {
            let made = array.combinations_with_replacement(2, axis as isize);
            check("combinations_with_replacement", array, made, &naive::along(value, axis, &pairs));
        }
    });
}

#[test]
fn lists_cut_within_lists() -> nestled_nested::Result<()> {
    let rows =
        Nested::from_iter([vec![vec![1, 2], vec![], vec![3]], vec![], vec![vec![], vec![4]], vec![vec![5]]]);
    let cut = rows.flatten(2)?.unflatten_along(&rows.num(2)?.flatten(1)?, 1)?;
    // An empty list at the begin of lists counts as the end of those before.
    assert_eq!(cut.to_list()?.to_string(), "[[[1, 2], [], [3], []], [], [[4]], [[5]]]");
    let none = Nested::from_iter([vec![1; 0], vec![]]).unflatten_along(&Nested::from_iter([0, 0]), 1)?;
    assert_eq!(none.to_list()?.to_string(), "[[[], []], []]");
    assert!(Nested::from_iter([vec![1], vec![2]]).unflatten_along(&Nested::from_iter([2]), 1).is_err());
    Ok(())
}

#[test]
fn fields_by_name() -> nestled_nested::Result<()> {
    let point = |x: i64, y: f64| Value::record([("x", x.into()), ("y", y.into())]);
    let points = Nested::from_iter([Some(vec![Some(point(1, 2.5)), None]), None]);
    let chosen = points.select_fields(&["y"])?;
    assert_eq!(chosen.to_list()?.to_string(), "[[{y: 2.5}, None], None]");
    assert!(points.select_fields(&["x", "x"]).is_err() && points.select_fields(&["z"]).is_err());
    let renamed = points.rename_fields(&["a", "b"])?;
    assert_eq!(renamed.to_list()?.to_string(), "[[{a: 1, b: 2.5}, None], None]");
    assert_eq!(renamed.to_tuples()?.to_list()?.to_string(), "[[(1, 2.5), None], None]");
    assert!(points.rename_fields(&["a"]).is_err() && points.rename_fields(&["a", "a"]).is_err());
    assert_eq!(points.field("x")?.full_like(7.5)?.to_list()?.to_string(), "[[7, None], None]");
    assert_eq!(points.field("x")?.missing_as_empty(0)?.to_list()?.to_string(), "[[1, None], []]");
    Ok(())
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
