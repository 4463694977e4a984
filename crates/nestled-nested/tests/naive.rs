//! Operations on trees of values, as simple as they can be said. An array is a list; `levels` says how many levels of lists its elements have.

use nestled_nested::{Schema, Value};

/// The number of levels of lists in a schema.
pub fn levels(schema: &Schema) -> usize {
    match schema {
        Schema::List(inner) | Schema::Fixed(_, inner) => 1 + levels(inner),
        Schema::Option(inner) => levels(inner),
        _ => 0,
    }
}

pub fn elements(value: &Value) -> &[Value] {
    match value {
        Value::List(values) => values,
        other => panic!("{other} is no list"),
    }
}

pub fn number(value: &Value) -> f64 {
    match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Int(value) => *value as f64,
        Value::Float(value) => *value,
        other => panic!("{other} is no number"),
    }
}

fn is_missing(value: &Value) -> bool {
    matches!(value, Value::Missing)
}

/// True if two values are the same; 1 and 1.0 are, and true is 1.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) | (Value::Tuple(one), Value::Tuple(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (
            Value::Bool(_) | Value::Int(_) | Value::Float(_),
            Value::Bool(_) | Value::Int(_) | Value::Float(_),
        ) => {
            let (one, other) = (number(one), number(other));
            // A mean of `float32` is rounded to it.
            one == other || one as f32 == other as f32 || one.is_nan() && other.is_nan()
        }
        _ => one == other,
    }
}

/// A function of the lists along an axis, counted from the outermost.
pub fn along(value: &Value, axis: usize, function: &dyn Fn(&[Value]) -> Value) -> Value {
    match (value, axis) {
        (Value::Missing, _) => Value::Missing,
        (_, 0) => function(elements(value)),
        _ => Value::list(elements(value).iter().map(|inner| along(inner, axis - 1, function))),
    }
}

pub fn num(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| Value::Int(list.len() as i128))
}

pub fn local_index(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| Value::list((0..list.len()).map(|place| Value::Int(place as i128))))
}

fn present(list: &[Value]) -> impl Iterator<Item = &Value> {
    list.iter().filter(|value| !is_missing(value))
}

pub fn flatten(value: &Value, axis: usize) -> Value {
    if axis == 0 {
        return drop_missing(value, 0);
    }
    along(value, axis - 1, &|list| Value::list(present(list).flat_map(|inner| elements(inner).to_vec())))
}

pub fn ravel(value: &Value, levels: usize) -> Value {
    drop_missing(&(0..levels).fold(value.clone(), |value, _| flatten(&value, 1)), 0)
}

/// The name of a reduction, on numbers with their places.
pub fn reduce(name: &str, value: &Value, axis: usize, levels: usize) -> Value {
    along(value, axis, &|list| {
        let numbered: Vec<(usize, Value)> = list.iter().cloned().enumerate().collect();
        reduce_numbered(name, &numbered, levels - axis)
    })
}

fn reduce_numbered(name: &str, list: &[(usize, Value)], levels: usize) -> Value {
    let list: Vec<&(usize, Value)> = list.iter().filter(|(_, value)| !is_missing(value)).collect();
    if levels == 0 {
        let numbers: Vec<(usize, f64)> = list.iter().map(|(place, value)| (*place, number(value))).collect();
        return reduce_numbers(name, &numbers);
    }
    let longest = list.iter().map(|(_, inner)| elements(inner).len()).max().unwrap_or(0);
    Value::list((0..longest).map(|place| {
        let there: Vec<(usize, Value)> = list
            .iter()
            .filter_map(|(number, inner)| Some((*number, elements(inner).get(place)?.clone())))
            .collect();
        reduce_numbered(name, &there, levels - 1)
    }))
}

fn reduce_numbers(name: &str, numbers: &[(usize, f64)]) -> Value {
    let values = || numbers.iter().map(|&(_, value)| value);
    let optional = |value: Option<Value>| value.unwrap_or(Value::Missing);
    let found = |upward: bool| {
        numbers.iter().copied().reduce(|best, next| {
            let better = if upward { next.1 > best.1 } else { next.1 < best.1 };
            let first_nan = next.1.is_nan() && !best.1.is_nan();
            if first_nan || better && !best.1.is_nan() { next } else { best }
        })
    };
    match name {
        "count" => Value::Int(numbers.len() as i128),
        "count_nonzero" => Value::Int(values().filter(|&value| value != 0.0).count() as i128),
        "sum" => Value::Float(values().sum()),
        "prod" => Value::Float(values().product()),
        "any" => Value::Bool(values().any(|value| value != 0.0)),
        "all" => Value::Bool(values().all(|value| value != 0.0)),
        "mean" => Value::Float(values().sum::<f64>() / numbers.len() as f64),
        "min" => optional(found(false).map(|(_, value)| Value::Float(value))),
        "max" => optional(found(true).map(|(_, value)| Value::Float(value))),
        "argmin" => optional(found(false).map(|(place, _)| Value::Int(place as i128))),
        "argmax" => optional(found(true).map(|(place, _)| Value::Int(place as i128))),
        other => panic!("no reduction {other}"),
    }
}

/// A function of numbers of two arrays, broadcast together.
pub fn zip_with(
    one: (&Value, usize),
    other: (&Value, usize),
    function: &dyn Fn(&Value, &Value) -> Value,
) -> Value {
    let pairs = elements(one.0).iter().zip(elements(other.0));
    assert_eq!(elements(one.0).len(), elements(other.0).len());
    Value::list(pairs.map(|(left, right)| zip_elements((left, one.1), (right, other.1), function)))
}

fn zip_elements(
    one: (&Value, usize),
    other: (&Value, usize),
    function: &dyn Fn(&Value, &Value) -> Value,
) -> Value {
    match (one, other) {
        ((Value::Missing, _), _) | (_, (Value::Missing, _)) => Value::Missing,
        ((left, 0), (right, 0)) => function(left, right),
        ((left, 0), (right, levels)) => Value::list(
            elements(right).iter().map(|right| zip_elements((left, 0), (right, levels - 1), function)),
        ),
        ((left, levels), (right, 0)) => Value::list(
            elements(left).iter().map(|left| zip_elements((left, levels - 1), (right, 0), function)),
        ),
        ((left, levels), (right, others)) => zip_with((left, levels - 1), (right, others - 1), function),
    }
}

/// A function of each number.
pub fn map(value: &Value, function: &dyn Fn(&Value) -> Value) -> Value {
    match value {
        Value::Missing => Value::Missing,
        Value::List(values) => Value::list(values.iter().map(|value| map(value, function))),
        number => function(number),
    }
}

/// The elements where a mask, with so many levels of lists, is true.
pub fn filter(value: &Value, mask: &Value, levels: usize) -> Value {
    if is_missing(value) || is_missing(mask) {
        return Value::Missing;
    }
    let pairs = elements(value).iter().zip(elements(mask));
    if levels == 0 {
        return Value::list(
            pairs.filter(|(_, mask)| **mask == Value::Bool(true)).map(|(value, _)| value.clone()),
        );
    }
    Value::list(pairs.map(|(value, mask)| filter(value, mask, levels - 1)))
}

pub fn mask(value: &Value, with: &Value, levels: usize) -> Value {
    if is_missing(value) || is_missing(with) {
        return Value::Missing;
    }
    let one = |(value, mask): (&Value, &Value)| match levels {
        0 if *mask == Value::Bool(true) => value.clone(),
        0 => Value::Missing,
        _ => self::mask(value, mask, levels - 1),
    };
    Value::list(elements(value).iter().zip(elements(with)).map(one))
}

/// The numbers where a mask of as many levels is true, and another elsewhere.
pub fn choose(mask: &Value, yes: &Value, no: &Value) -> Value {
    match (mask, yes) {
        (Value::Bool(true), _) => yes.clone(),
        (Value::Bool(false), _) => no.clone(),
        (_, Value::Missing) => Value::Missing,
        _ => Value::list(elements(mask).iter().zip(elements(yes)).map(|(mask, yes)| choose(mask, yes, no))),
    }
}

pub fn missing(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| Value::list(list.iter().map(|value| Value::Bool(is_missing(value)))))
}

pub fn fill_missing(value: &Value, levels: usize, with: &Value) -> Value {
    along(value, levels, &|list| {
        Value::list(list.iter().map(|value| if is_missing(value) { with.clone() } else { value.clone() }))
    })
}

pub fn drop_missing(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| Value::list(present(list).cloned()))
}

pub fn firsts(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| list.first().cloned().unwrap_or(Value::Missing))
}

pub fn singletons(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| {
        Value::list(list.iter().map(|value| Value::list(present(std::slice::from_ref(value)).cloned())))
    })
}

pub fn pad(value: &Value, length: usize, axis: usize, clip: bool) -> Value {
    along(value, axis, &|list| {
        let wanted = if clip { length } else { list.len().max(length) };
        Value::list((0..wanted).map(|place| list.get(place).cloned().unwrap_or(Value::Missing)))
    })
}

/// Numbers in order, then NaN, then what is missing; equal ones as they were.
fn order(list: &[Value], ascending: bool) -> Vec<usize> {
    let class = |value: &Value| match value {
        Value::Missing => 2,
        value => usize::from(number(value).is_nan()),
    };
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|&one, &other| {
        let (one, other) = (&list[one], &list[other]);
        class(one).cmp(&class(other)).then_with(|| match class(one) {
            0 if ascending => number(one).total_cmp(&number(other)),
            0 => number(other).total_cmp(&number(one)),
            _ => std::cmp::Ordering::Equal,
        })
    });
    places
}

pub fn sort(value: &Value, axis: usize, ascending: bool) -> Value {
    along(value, axis, &|list| {
        Value::list(order(list, ascending).into_iter().map(|place| list[place].clone()))
    })
}

pub fn argsort(value: &Value, axis: usize, ascending: bool) -> Value {
    along(value, axis, &|list| {
        Value::list(order(list, ascending).into_iter().map(|place| Value::Int(place as i128)))
    })
}

pub fn concatenate(one: &Value, other: &Value, axis: usize) -> Value {
    if axis == 0 {
        return Value::list(elements(one).iter().chain(elements(other)).cloned());
    }
    let list = |value: &Value| if is_missing(value) { Vec::new() } else { elements(value).to_vec() };
    let pairs = elements(one).iter().zip(elements(other));
    Value::list(pairs.map(|(one, other)| Value::list(list(one).into_iter().chain(list(other)))))
}

pub fn cartesian(one: &Value, other: &Value) -> Value {
    let pairs = elements(one).iter().zip(elements(other));
    Value::list(pairs.map(|(one, other)| {
        if is_missing(one) || is_missing(other) {
            return Value::Missing;
        }
        let with = |left: &Value| {
            let left = left.clone();
            elements(other).iter().map(move |right| Value::Tuple(vec![left.clone(), right.clone()]))
        };
        Value::list(elements(one).iter().flat_map(with))
    }))
}

pub fn combinations(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| {
        let pair = |one: usize, other: usize| Value::Tuple(vec![list[one].clone(), list[other].clone()]);
        Value::list(
            (0..list.len())
                .flat_map(|one| (one + 1..list.len()).map(move |other| (one, other)))
                .map(|(one, other)| pair(one, other)),
        )
    })
}
