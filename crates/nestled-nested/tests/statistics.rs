//! What keeps the lists, runs, different elements, and numbers among others, against naive ones.

use crate::naive;
use crate::operations::{check, each};
use crate::random;
use nestled_nested::{Nested, Value, broadcast_arrays};

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
fn runs_and_different_elements() {
    each(31, |_, levels, array, value| {
        check("run_lengths", array, array.run_lengths(), &naive::run_lengths(value, levels));
        let counts = naive::value_counts(value, levels);
        check("value_counts", array, array.value_counts(-1), &counts);
        let values = naive::map(&counts, &|record| match record {
            Value::Record(fields) => fields[0].1.clone(),
            other => other.clone(),
        });
        check("unique", array, array.unique(-1), &values);
    });
}

#[test]
fn the_greatest_of_each_list() {
    each(32, |random, levels, array, value| {
        for axis in 0..=levels {
            let (k, own) = (random.below(4), axis as isize);
            if axis == levels {
                let sorted = naive::sort(value, axis, levels, false);
                let wanted =
                    naive::along(&sorted, axis, &|list| Value::List(list[..list.len().min(k)].to_vec()));
                check("top", array, array.top(k, own), &wanted);
            }
        }
    });
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
    });
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
