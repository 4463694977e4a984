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
            let near = (one - other).abs() <= 1e-5 * one.abs().max(other.abs());
            one == other || near && one.is_finite() || one.is_nan() && other.is_nan()
        }
        (Value::Record(one), Value::Record(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| one.0 == other.0 && same(&one.1, &other.1))
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
        "var" => Value::Float(variance(&values().collect::<Vec<_>>(), 0)),
        "var1" => Value::Float(variance(&values().collect::<Vec<_>>(), 1)),
        "std" => Value::Float(variance(&values().collect::<Vec<_>>(), 0).sqrt()),
        "median" => Value::Float(quantile(values().collect(), 0.5)),
        "quantile" => Value::Float(quantile(values().collect(), 0.3)),
        "ptp" => {
            let ends = (found(false), found(true));
            optional(ends.0.zip(ends.1).map(|(least, most)| Value::Float(most.1 - least.1)))
        }
        "histogram" => Value::list((0..3).map(|bin| {
            let lies =
                |x: f64| (-2.0..=2.5).contains(&x) && (((x + 2.0) / 4.5 * 3.0).floor() as i64).min(2) == bin;
            Value::Int(values().filter(|&x| lies(x)).count() as i128)
        })),
        "min" => optional(found(false).map(|(_, value)| Value::Float(value))),
        "max" => optional(found(true).map(|(_, value)| Value::Float(value))),
        "argmin" => optional(found(false).map(|(place, _)| Value::Int(place as i128))),
        "argmax" => optional(found(true).map(|(place, _)| Value::Int(place as i128))),
        other => panic!("no reduction {other}"),
    }
}

fn variance(numbers: &[f64], ddof: usize) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let squares = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    squares / numbers.len().saturating_sub(ddof) as f64
}

fn quantile(mut numbers: Vec<f64>, q: f64) -> f64 {
    if numbers.is_empty() || numbers.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    numbers.sort_by(f64::total_cmp);
    let exact = q * (numbers.len() - 1) as f64;
    let (low, rest) = (exact.floor() as usize, exact.fract());
    if rest == 0.0 { numbers[low] } else { numbers[low] * (1.0 - rest) + numbers[low + 1] * rest }
}

/// A function of elements with their places that keeps their number.
pub type OfRow<'f> = &'f dyn Fn(&[(usize, Value)]) -> Vec<Value>;

/// A function of rows that keeps their elements: along an axis that is not the innermost, of elements at the same place of inner lists.
pub fn within(value: &Value, axis: usize, levels: usize, function: OfRow) -> Value {
    along(value, axis, &|list| {
        let numbered: Vec<(usize, Value)> = list.iter().cloned().enumerate().collect();
        Value::List(within_numbered(&numbered, levels - axis, function))
    })
}

fn within_numbered(list: &[(usize, Value)], levels: usize, function: OfRow) -> Vec<Value> {
    if levels == 0 {
        return function(list);
    }
    let lists = |value: &Value| if is_missing(value) { Vec::new() } else { elements(value).to_vec() };
    let mut made: Vec<Vec<Value>> = list.iter().map(|(_, value)| lists(value)).collect();
    let longest = made.iter().map(Vec::len).max().unwrap_or(0);
    for place in 0..longest {
        let there: Vec<usize> = (0..made.len()).filter(|&row| made[row].len() > place).collect();
        let column: Vec<_> = there.iter().map(|&row| (list[row].0, made[row][place].clone())).collect();
        for (row, value) in there.into_iter().zip(within_numbered(&column, levels - 1, function)) {
            made[row][place] = value;
        }
    }
    let whole = |((_, before), made): (&(usize, Value), Vec<Value>)| {
        if is_missing(before) { Value::Missing } else { Value::List(made) }
    };
    list.iter().zip(made).map(whole).collect()
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
fn order(list: &[(usize, Value)], ascending: bool) -> Vec<usize> {
    let class = |value: &Value| match value {
        Value::Missing => 2,
        Value::String(_) => 0,
        value => usize::from(number(value).is_nan()),
    };
    let compare = |one: &Value, other: &Value| match (one, other) {
        (Value::String(one), Value::String(other)) => one.cmp(other),
        _ => number(one).total_cmp(&number(other)),
    };
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|&one, &other| {
        let (one, other) = (&list[one].1, &list[other].1);
        class(one).cmp(&class(other)).then_with(|| match class(one) {
            0 if ascending => compare(one, other),
            0 => compare(other, one),
            _ => std::cmp::Ordering::Equal,
        })
    });
    places
}

pub fn sorted(list: &[(usize, Value)], ascending: bool) -> Vec<Value> {
    order(list, ascending).into_iter().map(|place| list[place].1.clone()).collect()
}

pub fn sort(value: &Value, axis: usize, levels: usize, ascending: bool) -> Value {
    within(value, axis, levels, &|list| sorted(list, ascending))
}

pub fn argsort(value: &Value, axis: usize, levels: usize, ascending: bool) -> Value {
    within(value, axis, levels, &|list| {
        order(list, ascending).into_iter().map(|place| Value::Int(list[place].0 as i128)).collect()
    })
}

pub fn rank(value: &Value, axis: usize, levels: usize) -> Value {
    within(value, axis, levels, &|list| {
        let order = order(list, true);
        let rank = |place: usize| order.iter().position(|&own| own == place).map(|rank| rank as i128);
        let ranked = |(place, (_, value)): (usize, &(usize, Value))| {
            if is_missing(value) { Value::Missing } else { rank(place).map_or(Value::Missing, Value::Int) }
        };
        list.iter().enumerate().map(ranked).collect()
    })
}

/// The elements of each list with those before them, by a function of two.
pub fn cumulated(value: &Value, axis: usize, levels: usize, function: &dyn Fn(f64, f64) -> f64) -> Value {
    within(value, axis, levels, &|list| {
        let mut so_far: Option<f64> = None;
        let next = |(_, value): &(usize, Value)| {
            if is_missing(value) {
                return Value::Missing;
            }
            let own = number(value);
            let sum = so_far.map_or(own, |so_far| function(so_far, own));
            so_far = Some(sum);
            Value::Float(sum)
        };
        list.iter().map(next).collect()
    })
}

pub fn softmax(value: &Value, axis: usize, levels: usize) -> Value {
    within(value, axis, levels, &|list| {
        let exp = |value: &Value| number(value).exp();
        let sum: f64 = list.iter().filter(|(_, value)| !is_missing(value)).map(|(_, value)| exp(value)).sum();
        let share = |(_, value): &(usize, Value)| {
            if is_missing(value) { Value::Missing } else { Value::Float(exp(value) / sum) }
        };
        list.iter().map(share).collect()
    })
}

pub fn concatenate(one: &Value, other: &Value, axis: usize) -> Value {
    if axis == 0 {
        return Value::list(elements(one).iter().chain(elements(other)).cloned());
    }
    let list = |value: &Value| if is_missing(value) { Vec::new() } else { elements(value).to_vec() };
    let pairs = elements(one).iter().zip(elements(other));
    Value::list(pairs.map(|(one, other)| match axis {
        1 => Value::list(list(one).into_iter().chain(list(other))),
        _ if is_missing(one) || is_missing(other) => Value::Missing,
        _ => concatenate(one, other, axis - 1),
    }))
}

/// All tuples of elements of the lists along an axis, the last varying fastest.
pub fn cartesian(values: &[&Value], axis: usize) -> Value {
    if values.iter().any(|value| is_missing(value)) {
        return Value::Missing;
    }
    let lists: Vec<&[Value]> = values.iter().map(|value| elements(value)).collect();
    if axis > 0 {
        let at = |place: usize| lists.iter().map(|list| &list[place]).collect::<Vec<_>>();
        return Value::list((0..lists[0].len()).map(|place| cartesian(&at(place), axis - 1)));
    }
    let with = |tuples: Vec<Vec<Value>>, list: &&[Value]| {
        let longer = |tuple: Vec<Value>| {
            list.iter().map(move |value| tuple.iter().cloned().chain([value.clone()]).collect())
        };
        tuples.into_iter().flat_map(longer).collect()
    };
    Value::list(lists.iter().fold(vec![Vec::new()], with).into_iter().map(Value::Tuple))
}

/// As [`cartesian`], the tuples with one element of a list in a list of their own.
pub fn nested_cartesian(values: &[&Value], axis: usize) -> Value {
    fn longer(tuple: &[Value], lists: &[&[Value]]) -> Value {
        let Some((list, rest)) = lists.split_first() else { return Value::Tuple(tuple.to_vec()) };
        Value::list(list.iter().map(|value| longer(&[tuple, std::slice::from_ref(value)].concat(), rest)))
    }
    if values.iter().any(|value| is_missing(value)) {
        return Value::Missing;
    }
    let lists: Vec<&[Value]> = values.iter().map(|value| elements(value)).collect();
    if axis > 0 {
        let at = |place: usize| lists.iter().map(|list| &list[place]).collect::<Vec<_>>();
        return Value::list((0..lists[0].len()).map(|place| nested_cartesian(&at(place), axis - 1)));
    }
    longer(&[], &lists)
}

/// All tuples of elements of each list, in their order.
pub fn combinations(value: &Value, n: usize, axis: usize) -> Value {
    fn chosen(list: &[Value], n: usize) -> Vec<Vec<Value>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let from = |place: usize| {
            let rest = chosen(&list[place + 1..], n - 1).into_iter();
            rest.map(move |rest| std::iter::once(list[place].clone()).chain(rest).collect())
        };
        (0..list.len()).flat_map(from).collect()
    }
    along(value, axis, &|list| Value::list(chosen(list, n).into_iter().map(Value::Tuple)))
}

/// One element of each list, by a function of the list and of a place of its own.
pub fn get_each(value: &Value, places: &Value, axis: usize, get: &dyn Fn(&[Value], i128) -> Value) -> Value {
    let one = |(value, place): (&Value, &Value)| match (value, place) {
        (Value::Missing, _) | (_, Value::Missing) => Value::Missing,
        (_, Value::Int(place)) if axis == 1 => get(elements(value), *place),
        _ => get_each(value, place, axis - 1, get),
    };
    Value::list(elements(value).iter().zip(elements(places)).map(one))
}

/// The element at a place that may count from the end.
pub fn at(list: &[Value], place: i128) -> Option<Value> {
    let place = if place < 0 { place + list.len() as i128 } else { place };
    list.get(usize::try_from(place).ok()?).cloned()
}

/// The places of a slice of Python's.
pub fn slice(list: &[Value], start: Option<i64>, stop: Option<i64>, step: i64) -> Value {
    let length = list.len() as i64;
    let (least, most) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let inside = |place: i64| (if place < 0 { place + length } else { place }).clamp(least, most.max(least));
    let (mut place, end) = if step > 0 {
        (start.map_or(0, inside), stop.map_or(length, inside))
    } else {
        (start.map_or(length - 1, inside), stop.map_or(-1, inside))
    };
    let mut chosen = Vec::new();
    while if step > 0 { place < end } else { place > end } {
        chosen.push(list[place as usize].clone());
        place += step;
    }
    Value::List(chosen)
}
