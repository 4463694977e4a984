//! Products against sums made one by one.

use super::{Number, matmul};
use nestled_pool::Pool;
use std::fmt::Debug;

/// Sizes below and above what fits a vector, a panel, a tile; and none.
const SIZES: [[usize; 3]; 16] = [
    [0, 0, 0],
    [0, 3, 4],
    [3, 0, 4],
    [3, 4, 0],
    [1, 1, 1],
    [1, 300, 1],
    [1, 17, 90],
    [90, 17, 1],
    [5, 1, 7],
    [6, 2, 70],
    [33, 65, 127],
    [130, 129, 131],
    [257, 300, 263],
    [3, 129, 3001],
    [3001, 129, 3],
    [520, 1030, 270],
];

/// Numbers that look random.
fn bits(len: usize, seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    (0..len).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state ^ (state >> 31)) >> 7
    })
}

fn product<T: Number>(threads: usize, left: &[T], right: &[T], sizes: [usize; 3], before: T) -> Vec<T> {
    let mut product = vec![before; sizes[0] * sizes[2]];
    matmul(&Pool::new(threads), left, right, &mut product, sizes);
    product
}

fn integers<T: Number + Debug + PartialEq>(make: fn(u64) -> T, add: fn(T, T) -> T, mul: fn(T, T) -> T) {
    for [n, k, m] in SIZES {
        let left: Vec<T> = bits(n * k, 1).map(make).collect();
        let right: Vec<T> = bits(k * m, 2).map(make).collect();
        let found = product(2, &left, &right, [n, k, m], make(77));
        for (at, found) in found.iter().enumerate() {
            let (row, column) = (at / m, at % m);
            let terms = (0..k).map(|inner| mul(left[row * k + inner], right[inner * m + column]));
            assert_eq!(terms.fold(T::default(), add), *found, "[{n}, {k}, {m}] at [{row}, {column}]");
        }
    }
}

#[test]
fn products_of_integers_wrap() {
    integers::<u8>(|bits| bits as u8, u8::wrapping_add, u8::wrapping_mul);
    integers::<u16>(|bits| bits as u16, u16::wrapping_add, u16::wrapping_mul);
    integers::<i32>(|bits| bits as i32, i32::wrapping_add, i32::wrapping_mul);
    integers::<u32>(|bits| bits as u32, u32::wrapping_add, u32::wrapping_mul);
    integers::<i64>(|bits| (bits as i64).wrapping_mul(0x1_0000_0001), i64::wrapping_add, i64::wrapping_mul);
}

/// Compares with sums in `f64`. An error is at most that of as many roundings as there are terms; `epsilon` is the size of one.
fn floats<T: Number + Into<f64>>(make: fn(f64) -> T, epsilon: f64) {
    for [n, k, m] in SIZES {
        let unit = |bits: u64| bits as f64 / (1u64 << 56) as f64 - 1.0;
        let left: Vec<T> = bits(n * k, 1).map(unit).map(make).collect();
        let right: Vec<T> = bits(k * m, 2).map(unit).map(make).collect();
        let found = product(2, &left, &right, [n, k, m], make(f64::NAN));
        for (at, found) in found.iter().enumerate() {
            let (row, column) = (at / m, at % m);
            let term = |inner: usize| {
                let [a, b]: [f64; 2] = [left[row * k + inner].into(), right[inner * m + column].into()];
                a * b
            };
            let sum: f64 = (0..k).map(term).sum();
            let size: f64 = (0..k).map(|inner| term(inner).abs()).sum();
            let error = (sum - (*found).into()).abs();
            assert!(error <= size * epsilon * (k as f64), "[{n}, {k}, {m}] at [{row}, {column}]: {error}");
        }
    }
}

#[test]
fn products_of_floats() {
    floats::<f32>(|x| x as f32, f64::from(f32::EPSILON));
    floats::<f64>(|x| x, 2.0 * f64::EPSILON);
}

#[test]
fn the_number_of_threads_changes_no_bits() {
    for [n, k, m] in SIZES.into_iter().chain([[1000, 701, 515], [64, 5000, 64]]) {
        let left: Vec<f32> = bits(n * k, 3).map(|bits| bits as f32 / 1e10 - 3e6).collect();
        let right: Vec<f32> = bits(k * m, 4).map(|bits| bits as f32 / 1e10 - 3e6).collect();
        let of = |threads| product(threads, &left, &right, [n, k, m], 0.5).into_iter().map(f32::to_bits);
        let (one, two, three): (Vec<_>, Vec<_>, Vec<_>) = (of(1).collect(), of(2).collect(), of(3).collect());
        assert!(one == two && one == three, "[{n}, {k}, {m}] of f32");

        let [left, right] =
            [&left, &right].map(|side| side.iter().map(|x| f64::from(*x) / 3.0).collect::<Vec<_>>());
        let of = |threads| product(threads, &left, &right, [n, k, m], 0.5).into_iter().map(f64::to_bits);
        let (one, two, three): (Vec<_>, Vec<_>, Vec<_>) = (of(1).collect(), of(2).collect(), of(3).collect());
        assert!(one == two && one == three, "[{n}, {k}, {m}] of f64");
    }
}

#[test]
fn what_is_not_finite_spreads_along_its_row_and_column() {
    for size in [1, 2, 5, 40, 300] {
        let sizes = [size; 3];
        let mut left = vec![0.0f32; size * size];
        let right = vec![1.0f32; size * size];
        left[0] = f32::INFINITY;
        left[size * size - 1] = if size == 1 { f32::INFINITY } else { f32::NAN };
        let found = product(2, &left, &right, sizes, 0.0);
        for (at, found) in found.iter().enumerate() {
            match at / size {
                0 => assert!(*found == f32::INFINITY),
                row if row == size - 1 => assert!(found.is_nan()),
                _ => assert!(*found == 0.0),
            }
        }
        // Infinity times zero.
        let found = product(2, &left, &vec![0.0; size * size], sizes, 0.0);
        assert!(found[..size].iter().all(|found| found.is_nan()));
    }
}

#[test]
#[should_panic(expected = "3 rows of 2 on the right")]
fn sizes_that_do_not_fit_are_refused() {
    matmul(&Pool::new(1), &[1; 3], &[1; 3], &mut [1; 2], [1, 3, 2]);
}
