//! What keeps the lists, the greatest few, and numbers among others, against naive ones.

use crate::naive;
use crate::operations::{check, each};
use crate::random;
use nestled_nested::{Nested, Value, broadcast_arrays};
use nestled_test::again;

#[test]
fn cumulative() {
    let least = |one: f64, other: f64| if one <= other || one.is_nan() { one } else { other };
    let most = |one: f64, other: f64| if one >= other || one.is_nan() { one } else { other };
    each(30, |_, levels, array, value| {
        for axis in 0..=levels {
            let own = axis as isize;
            let wanted = |function: &dyn Fn(f64, f64) -> f64| naive::cumulated(value, axis, levels, function);
            check("cumsum", array, array.cumsum(own), &wanted(&|one, other| one + other));
            check("cumprod", array, array.cumprod(own), &wanted(&|one, other| one * other));
            check("cummin", array, array.cummin(own), &wanted(&least));
            check("cummax", array, array.cummax(own), &wanted(&most));
            check("softmax", array, array.softmax(own), &naive::softmax(value, axis, levels));
        }
    });
}

#[test]
fn the_greatest_of_each_list() {
    each(32, |random, levels, array, value| {
        for axis in 0..=levels {
            for k in [random.below(3), 5] {
                let wanted = naive::along(value, axis, &|list| Value::List(greatest(list, k, levels - axis)));
                check(&format!("top {k} along {axis}"), array, array.top(k, axis as isize), &wanted);
            }
        }
    });
}

/// The greatest of each place of inner lists, then the next, and so on.
fn greatest(list: &[Value], k: usize, levels: usize) -> Vec<Value> {
    if levels == 0 {
        let numbered: Vec<(usize, Value)> = list.iter().cloned().enumerate().collect();
        return naive::sorted(&numbered, false).into_iter().take(k).collect();
    }
    let there = list.iter().filter(|inner| **inner != Value::Missing).map(naive::elements);
    let lists: Vec<&[Value]> = there.collect();
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let at =
        |place: usize| -> Vec<Value> { lists.iter().filter_map(|list| list.get(place).cloned()).collect() };
    let columns: Vec<Vec<Value>> = (0..longest).map(|place| greatest(&at(place), k, levels - 1)).collect();
    let ranks = columns.iter().map(Vec::len).max().unwrap_or(0);
    (0..ranks)
        .map(|rank| Value::list(columns.iter().filter_map(|column| column.get(rank).cloned())))
        .collect()
}

#[test]
fn numbers_among_others() {
    each(33, |random, _, array, value| {
        let deep = random.below(3);
        let (others, other_values) = random::array(random, deep);
        let all = naive::ravel(&other_values, deep);
        let known: Vec<f64> = naive::elements(&all).iter().map(naive::number).collect();
        let wanted = naive::map(value, &|x| Value::Bool(known.contains(&naive::number(x))));
        check("is_in", array, array.is_in(&others), &wanted);
    });
}

#[test]
fn nan_is_replaced_or_missing() {
    each(34, |_, levels, array, value| {
        let or =
            |other: Value| move |x: &Value| if naive::number(x).is_nan() { other.clone() } else { x.clone() };
        check("nan_to_num", array, array.nan_to_num(9.5), &naive::map(value, &or(Value::Float(9.5))));
        let missing = naive::map(value, &or(Value::Missing));
        check("nan_to_missing", array, array.nan_to_missing(), &missing);
        let greatest = array.nan_to_missing().unwrap().max(-1);
        let wanted = crate::operations::alone(naive::reduce("max", &missing, levels, levels));
        check("nanmax", array, greatest, &wanted);
    });
}

#[test]
fn the_nearest_of_another_list() {
    each(35, |random, levels, array, value| {
        if levels == 0 {
            return;
        }
        let schema = random::schema(random, 1);
        let (flat, flat_value) = random::array_of(random, &schema, 5);
        let (array, value) =
            if levels == 1 { (array.clone(), value.clone()) } else { (flat.clone(), flat_value) };
        let schema = random::schema(random, 1);
        let (others, other_values) = random::array_of(random, &schema, array.len());
        let pairs = naive::elements(&value).iter().zip(naive::elements(&other_values));
        let wanted = pairs.map(|(list, other)| match (list, other) {
            (Value::Missing, _) | (_, Value::Missing) => Value::Missing,
            _ => Value::list(naive::elements(list).iter().map(|x| nearest(x, naive::elements(other)))),
        });
        check("nearest", &array, array.nearest(&others, 1), &Value::list(wanted));
        if let (Ok(one), Ok(other)) = (array.at(0, 0), others.at(-1, 0)) {
            let (list, known) = (one.to_values().unwrap(), other.to_values().unwrap());
            let wanted = Value::list(list.iter().map(|x| nearest(x, &known)));
            check("nearest along 0", &one, one.nearest(&other, 0), &wanted);
        }
    });
    let deep = Nested::from_iter([vec![vec![1.5]]]);
    assert!(deep.nearest(&deep, 1).unwrap_err().to_string().ends_with("`var * float64` is no number"));
}

fn nearest(x: &Value, list: &[Value]) -> Value {
    if *x == Value::Missing || naive::number(x).is_nan() {
        return Value::Missing;
    }
    let numbers = list.iter().enumerate().filter(|(_, value)| **value != Value::Missing);
    let numbers = numbers.map(|(place, value)| (place, naive::number(value))).filter(|(_, y)| !y.is_nan());
    let distance = |y: f64| ((y - naive::number(x)).abs(), y);
    let best = numbers.min_by(|one, other| distance(one.1).partial_cmp(&distance(other.1)).unwrap());
    best.map_or(Value::Missing, |(place, _)| Value::Int(place as i128))
}

#[test]
fn arrays_of_different_depths() {
    each(36, |_, levels, array, value| {
        for axis in 1..=levels {
            let (counts, naive_counts) = (array.num(axis as isize).unwrap(), naive::num(value, axis));
            let both = broadcast_arrays(&[array, &counts]).unwrap();
            check("the first", array, Ok(both[0].clone()), value);
            let spread = naive::zip_with((value, levels), (&naive_counts, axis - 1), &|_, n| n.clone());
            check("the second", array, Ok(both[1].clone()), &spread);
        }
    });
    assert!(broadcast_arrays(&[]).unwrap().is_empty());
    assert!(broadcast_arrays(&[&Nested::from_iter([1]), &Nested::from_iter([1, 2])]).is_err());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
