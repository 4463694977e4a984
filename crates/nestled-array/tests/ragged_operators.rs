//! Operators, comparisons, choices and reductions of ragged arrays, against the same with vectors of vectors.

use nestled_array::*;
use nestled_test::again;
use std::fmt::Debug;

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn lengths(&mut self) -> Vec<usize> {
        let long = self.below(4) == 0;
        (0..self.below(30)).map(|_| self.below(if long { 100 } else { 5 }) as usize).collect()
    }

    fn rows<T>(&mut self, lengths: &[usize], number: impl Fn(u64) -> T) -> Vec<Vec<T>> {
        lengths.iter().map(|&length| (0..length).map(|_| number(self.below(9))).collect()).collect()
    }
}

/// A function of the elements of two at the same places.
fn each<A: Copy, B: Copy, C>(a: &[Vec<A>], b: &[Vec<B>], of: impl Fn(A, B) -> C) -> Vec<Vec<C>> {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect()).collect()
}

/// A value for each row, as rows.
fn spread<T: Copy>(values: &[T], rows: &[Vec<impl Sized>]) -> Vec<Vec<T>> {
    values.iter().zip(rows).map(|(&value, row)| vec![value; row.len()]).collect()
}

#[track_caller]
fn is<T: Element>(computed: &Ragged<T>, expected: &[Vec<T>]) {
    // As text, in which NaN is equal to itself.
    assert_eq!(format!("{:?}", computed.to_rows().unwrap()), format!("{expected:?}"));
}

#[track_caller]
fn are<T: Debug + Element>(computed: &Array<T>, expected: impl Iterator<Item = T>) {
    let expected: Vec<T> = expected.collect();
    assert_eq!(format!("{:?}", computed.to_vec().unwrap()), format!("{expected:?}"));
}

/// Floats, one of which is no number.
fn float(number: u64) -> f64 {
    [0.0, -0.0, 1.5, -2.25, f64::NAN, 3.0, f64::INFINITY, 0.5, 2.0][number as usize]
}

#[test]
fn operators_of_two() {
    for seed in 0..again::some_of(24) {
        let mut noise = Noise(seed);
        let lengths = noise.lengths();
        let (a, b) = (noise.rows(&lengths, float), noise.rows(&lengths, float));
        let (i, j) = (noise.rows(&lengths, |x| x as i64 - 4), noise.rows(&lengths, |x| x as i64 + 1));
        let each_row: Vec<f64> = lengths.iter().map(|&length| float(length as u64 % 9)).collect();
        // Of one descriptor, and of two that are compared.
        let (x, y) = (Ragged::from_rows(&a), Ragged::from_rows(&b));
        let z = Ragged::new(y.flatten(), x.segments()).unwrap();
        for y in [&y, &z] {
            is(&(&x + y), &each(&a, &b, |a, b| a + b));
            is(&(x.clone() - y.clone()), &each(&a, &b, |a, b| a - b));
            is(&(&x * y), &each(&a, &b, |a, b| a * b));
            is(&x.try_div(y).unwrap(), &each(&a, &b, |a, b| a / b));
            is(&x.lt(y), &each(&a, &b, |a, b| a < b));
            is(&x.eq(y), &each(&a, &b, |a, b| a == b));
            is(&x.ge(y).select(&x, y * 2.0), &each(&a, &b, |a, b| if a >= b { a } else { b * 2.0 }));
            is(&x.zip_with(y, |x, y| x.le(y)), &each(&a, &b, |a, b| a <= b));
            let kept = a
                .iter()
                .zip(&b)
                .map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a > b).map(|(&a, _)| a).collect());
            is(&x.compress(x.gt(y)).unwrap(), &kept.collect::<Vec<Vec<f64>>>());
        }
        let values = Array::from_slice(&each_row);
        let rows = spread(&each_row, &a);
        is(&(&x + &values), &each(&a, &rows, |a, r| a + r));
        is(&(&values - &x), &each(&a, &rows, |a, r| r - a));
        is(&(values.clone() * x.clone()), &each(&a, &rows, |a, r| r * a));
        is(&x.ne(&values), &each(&a, &rows, |a, r| a != r));
        is(&(2.5 - &x), &each(&a, &a, |a, _| 2.5 - a));
        is(&(-&x), &each(&a, &a, |a, _| -a));
        is(&!x.eq(&values), &each(&a, &rows, |a, r| a != r));
        let (p, q) = (Ragged::from_rows(&i), Ragged::from_rows(&j));
        is(&(&p % &q), &each(&i, &j, |i, j| i % j));
        is(&(&p / &q), &each(&i, &j, |i, j| i / j));
        is(&(&p & &q | 1), &each(&i, &j, |i, j| i & j | 1));
        is(&(&p << &q), &each(&i, &j, |i, j| i << j));
        is(&p.maximum(&q), &each(&i, &j, |i, j| i.max(j)));
        is(&p.minimum(q.minimum(2)), &each(&i, &j, |i, j| i.min(j.min(2))));
        is(&p.clamp(-1, &q), &each(&i, &j, |i, j| i.max(-1).min(j)));
        let mut sum = p.clone();
        sum += &q;
        sum *= 3;
        sum -= Array::from_vec(lengths.iter().map(|&length| length as i64).collect());
        let lengths: Vec<i64> = lengths.iter().map(|&length| length as i64).collect();
        let expected = each(&each(&i, &j, |i, j| (i + j) * 3), &spread(&lengths, &i), |i, n| i - n);
        is(&sum, &expected);
    }
}

#[test]
fn reductions_of_rows() {
    for seed in 0..again::some_of(24) {
        let mut noise = Noise(seed + 100);
        let lengths = noise.lengths();
        let (i, a) = (noise.rows(&lengths, |x| x as i32 - 4), noise.rows(&lengths, float));
        let (p, x) = (Ragged::from_rows(&i), Ragged::from_rows(&a));
        are(&p.product(), i.iter().map(|row| row.iter().fold(1i64, |all, &x| all.wrapping_mul(x.into()))));
        are(&p.mean(), i.iter().map(|row| row.iter().sum::<i32>() as f64 / row.len() as f64));
        are(&p.gt(2).any(), i.iter().map(|row| row.iter().any(|&x| x > 2)));
        are(&p.gt(-4).all(), i.iter().map(|row| row.iter().all(|&x| x > -4)));
        are(&p.gt(0).count_nonzero(), i.iter().map(|row| row.iter().filter(|&&x| x > 0).count() as i64));
        are(&p.count_nonzero(), i.iter().map(|row| row.iter().filter(|&&x| x != 0).count() as i64));
        are(&x.count_nonzero(), a.iter().map(|row| row.iter().filter(|&&x| x != 0.0).count() as i64));
        let first = |row: &[i32], best: Option<&i32>| {
            best.and_then(|best| row.iter().position(|x| x == best)).map_or(-1, |place| place as i64)
        };
        are(&p.argmax(), i.iter().map(|row| first(row, row.iter().max())));
        are(&p.argmin(), i.iter().map(|row| first(row, row.iter().min())));
        // A NaN before all else, and zeros are equal.
        let place = |row: &Vec<f64>, better: fn(f64, f64) -> bool| {
            let nan = row.iter().position(|x| x.is_nan());
            let best = (0..row.len()).reduce(|best, at| if better(row[at], row[best]) { at } else { best });
            nan.or(best).map_or(-1, |place| place as i64)
        };
        are(&x.argmax(), a.iter().map(|row| place(row, |x, y| x > y)));
        are(&x.argmin(), a.iter().map(|row| place(row, |x, y| x < y)));
        let spread = |row: &Vec<i32>| {
            let mean = row.iter().sum::<i32>() as f64 / row.len() as f64;
            row.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / row.len() as f64
        };
        for (computed, row) in p.var().to_vec().unwrap().into_iter().zip(&i) {
            let expected = spread(row);
            assert!((computed - expected).abs() < 1e-12 || expected.is_nan() && computed.is_nan());
        }
    }
}

#[test]
fn chains_are_few_kernels() {
    let a = Ragged::from_rows(&[vec![1.0, 2.0], vec![], vec![3.0]]);
    let b = a.map_values::<f64>(|_| Array::from([10.0, 20.0, 30.0]));
    let c = Ragged::from_rows(&[vec![1.0, 2.0], vec![], vec![3.0]]);
    let weights = Array::from([0.5, 1.0, 2.0]);
    let chains: [(&str, usize, Array<f64>, &[f64]); 6] = [
        ("one descriptor", 1, ((&a + &b) * 2.0).sum(), &[66.0, 0.0, 66.0]),
        ("two descriptors", 1, ((&a + &c) * 2.0).sum(), &[12.0, 0.0, 12.0]),
        ("a choice", 1, a.gt(1.5).select(&b, -1.0).sum(), &[19.0, 0.0, 30.0]),
        ("a mask", 1, (&a * 2.0).gt(&b).any().select(1.0, &weights), &[0.5, 1.0, 2.0]),
        ("a mean", 1, numbers(&(&a * &b).mean()), &[25.0, -1.0, 90.0]),
        // One more, for the row of each element.
        ("a value for each row", 2, ((&a - &b) * &weights).sum(), &[-13.5, 0.0, -54.0]),
    ];
    for (name, kernels, chain, expected) in chains {
        let found = chain.explain().unwrap().kernels();
        assert_eq!((found, chain.to_vec().unwrap().as_slice()), (kernels, expected), "{name}");
    }
}

#[test]
fn indices_of_elements_are_read_in_their_rows() {
    let entries = Ragged::from_rows(&[vec![1.0, 2.0], vec![], vec![3.0]]);
    let (x, columns) = (Array::from([10.0, 20.0, 30.0]), Array::from([2, 0, 1]));
    let product =
        |columns: &Array<i32>| entries.map(|entry| entry * x.take(0, columns, Outside::Clamp)).sum();
    let explained = product(&columns).explain().unwrap();
    assert!(explained.kernels() == 1 && !explained.lcu().contains("start"), "{explained}");
    assert_eq!(product(&columns).to_vec().unwrap(), [50.0, 0.0, 60.0]);
    // A view that moves elements reads those of other rows.
    let moved = entries.map(|entry| entry * x.shift(&[1], Border::Clamp)).sum();
    assert_eq!(moved.to_vec().unwrap(), [30.0, 0.0, 60.0]);
}

/// −1 in place of what is no number.
fn numbers(x: &Array<f64>) -> Array<f64> {
    x.is_nan().select(-1.0, x)
}

#[test]
fn rows_of_other_lengths_are_errors() {
    let a = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    let cases = [
        (Ragged::from_rows(&[vec![1], vec![2, 3]]), "row 0 has 2 elements on one side and 1 on the other"),
        (Ragged::from_rows(&[vec![1, 2], vec![3, 4]]), "row 1 has 1 elements on one side and 2 on the other"),
        (Ragged::from_rows(&[vec![1, 2, 3]]), "the shapes [2] and [1] do not go together"),
    ];
    for (b, message) in &cases {
        for (operation, error) in [
            ("+", a.try_add(b).unwrap_err()),
            ("lt", a.try_lt(b).unwrap_err()),
            ("zip_with", a.try_zip_with(b, |a, b| a + b).unwrap_err()),
            ("select", a.gt(1).try_select(b, 1).unwrap_err()),
            ("compress", a.compress(b.gt(1)).unwrap_err()),
        ] {
            let text = error.to_string();
            assert_eq!(error.operation(), operation);
            assert!(text.contains(file!()) && text.ends_with(&format!(": {message}")), "{text}");
        }
    }
    let error = a.try_mul(Array::from([1, 2, 3])).unwrap_err().to_string();
    assert!(error.ends_with(": the shapes [2] and [3] do not go together"), "{error}");
}

#[test]
#[should_panic(expected = "row 0 has 2 elements on one side and 1 on the other")]
fn operators_panic() {
    let _ = Ragged::from_rows(&[vec![1, 2]]) + Ragged::from_rows(&[vec![1]]);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
