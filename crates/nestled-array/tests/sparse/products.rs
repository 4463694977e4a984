//! Products of sparse matrices with vectors, with dense matrices, and with each other.

use super::plain::{Value, dense, for_all_types, parts};
use crate::direct::Dice;
use nestled_array::*;

for_all_types! { with_vectors with_dense_matrices with_sparse_matrices }

mod generic {
    use crate::direct::Dice;
    use crate::sparse::plain::{Plain, Value, dense, matrices, same, sum};
    use nestled_array::*;

    /// Row after row, as one sum in the order of sums.
    fn times<T: Value>(plain: &Plain<T>, x: &[T], (width, column): (usize, usize)) -> Vec<T> {
        let of = |row| {
            let products = plain.row(row).map(|entry| entry.2.times(x[entry.1 * width + column]));
            sum(&products.collect::<Vec<T>>())
        };
        (0..plain.shape[0]).map(of).collect()
    }

    /// For each column from 0 on, row after row.
    fn left_times<T: Value>(x: &[T], plain: &Plain<T>) -> Vec<T> {
        let mut sums = vec![T::ZERO; plain.shape[1]];
        for &(row, column, value) in &plain.entries {
            sums[column] = sums[column].plus(x[row].times(value));
        }
        sums
    }

    pub fn with_vectors<T: Value>() {
        let dice = Dice::new(1);
        // One whose long row is more than one tile of a sum.
        let long = (0..7000).map(|_| (1, dice.below(9000), T::sample(&dice))).collect();
        for plain in matrices::<T>(11).into_iter().chain([Plain::of([2, 9000], long)]) {
            let made = plain.sparse();
            let x = dense(&dice, plain.shape[1]);
            same("matmul", &made.matmul(&Array::from_slice(&x)), &times(&plain, &x, (1, 0)));
            let x = dense(&dice, plain.shape[0]);
            same("matmul_left", &made.matmul_left(&Array::from_slice(&x)), &left_times(&x, &plain));
        }
    }

    pub fn with_dense_matrices<T: Value>() {
        let dice = Dice::new(2);
        for plain in matrices::<T>(12) {
            let made = plain.sparse();
            let [n_rows, n_columns] = plain.shape;
            for width in [0, 1, 3, 17] {
                let x = dense(&dice, n_columns * width);
                let product = made.matmul(&Array::new(x.clone(), &[n_columns, width]));
                assert_eq!(**product.shape(), [n_rows, width]);
                let columns: Vec<Vec<T>> =
                    (0..width).map(|column| times(&plain, &x, (width, column))).collect();
                let of = |at: usize| columns[at % width][at / width];
                same("matmul", &product, &(0..n_rows * width).map(of).collect::<Vec<T>>());

                let x = dense(&dice, width * n_rows);
                let product = made.matmul_left(&Array::new(x.clone(), &[width, n_rows]));
                assert_eq!(**product.shape(), [width, n_columns]);
                let row = |row: usize| left_times(&x[row * n_rows..(row + 1) * n_rows], &plain);
                same("matmul_left", &product, &(0..width).flat_map(row).collect::<Vec<T>>());
            }
        }
    }

    pub fn with_sparse_matrices<T: Value>() {
        let dice = Dice::new(3);
        for plain in matrices::<T>(13) {
            let n = plain.shape[1];
            for width in [0, 1, 50] {
                let count = if n * width == 0 { 0 } else { dice.below(3 * n + 1) };
                let entries = (0..count).map(|_| (dice.below(n), dice.below(width), T::sample(&dice)));
                let other = Plain::of([n, width], entries.collect());
                let products = plain.entries.iter().flat_map(|&(row, inner, left)| {
                    other.row(inner).map(move |&(_, column, right)| (row, column, left.times(right)))
                });
                let expected = Plain::of([plain.shape[0], width], products.collect());
                let (left, right) = (plain.sparse(), other.sparse());
                expected.same("matmul_sparse", &left.matmul_sparse(&right).unwrap());
                for most in [0, 30, usize::MAX] {
                    let made = left.matmul_sparse_within(&right, most).unwrap();
                    expected.same(&format!("matmul_sparse_within {most}"), &made);
                }
            }
        }
    }
}

/// [[∞, 0 (stored), −], [NaN, −, 1]], where − is not stored.
fn unusual() -> Sparse<f64> {
    let (rows, columns) = (Array::from([0i64, 0, 1, 1]), Array::from([0i64, 1, 0, 2]));
    Sparse::from_coo([2, 3], &rows, &columns, &Array::from([f64::INFINITY, 0.0, f64::NAN, 1.0])).unwrap()
}

#[test]
fn stored_zeros_count_and_others_do_not() {
    let m = unusual();
    let text = |x: &[f64]| format!("{:?}", m.matmul(&Array::from_slice(x)).to_vec().unwrap());
    assert_eq!(text(&[1.0, 1.0, f64::INFINITY]), "[inf, NaN]");
    assert_eq!(text(&[1.0, f64::INFINITY, 1.0]), "[NaN, NaN]");
    assert_eq!(text(&[0.0, 1.0, 1.0]), "[NaN, NaN]");
    let left = m.matmul_left(&Array::from([f64::INFINITY, 2.0])).to_vec().unwrap();
    assert_eq!(format!("{left:?}"), "[NaN, NaN, 2.0]");
    let made = m.matmul_sparse(&m.transpose()).unwrap();
    assert_eq!(format!("{made:?}"), "[2, 2] f64 [[(0, inf), (1, NaN)], [(0, NaN), (1, NaN)]]");
    let square = m.multiply(&m).unwrap();
    assert_eq!(format!("{square:?}"), "[2, 3] f64 [[(0, inf), (1, 0.0)], [(0, NaN), (2, 1.0)]]");
    let none = m.subtract(&m).unwrap();
    assert_eq!(format!("{none:?}"), "[2, 3] f64 [[(0, NaN), (1, 0.0)], [(0, NaN), (2, 0.0)]]");
}

/// A square matrix of integers, large enough for several threads; a tenth of its entries are in one row.
fn large(seed: u64) -> Sparse<i64> {
    let (n, count) = (1500usize, 20_000);
    let dice = Dice::new(seed);
    let entries = (0..count).map(|_| match dice.below(10) {
        0 => (7, dice.below(n), i64::sample(&dice)),
        _ => (dice.below(n), dice.below(n), i64::sample(&dice)),
    });
    let (rows, columns, values) = parts(&entries.collect::<Vec<_>>());
    Sparse::from_coo([n, n], &rows, &columns, &values).unwrap()
}

#[test]
fn large_matrices_keep_the_laws_of_products() {
    let (a, b) = (large(1), large(2));
    let x = Array::from_vec(dense::<i64>(&Dice::new(3), 1500));
    let same =
        |one: &Array<i64>, other: &Array<i64>| assert_eq!(one.to_vec().unwrap(), other.to_vec().unwrap());
    let product = a.matmul_sparse(&b).unwrap();
    same(&product.matmul(&x), &a.matmul(&b.matmul(&x)));
    same(&product.matmul_left(&x), &b.matmul_left(&a.matmul_left(&x)));
    let parts = a.matmul_sparse_within(&b, 50_000).unwrap();
    same(&product.to_csr().0, &parts.to_csr().0);
    same(&product.to_csr().1, &parts.to_csr().1);
    same(&product.to_csr().2, &parts.to_csr().2);
    let turned = b.transpose().matmul_sparse(&a.transpose()).unwrap();
    same(&turned.transpose().to_csr().2, &product.to_csr().2);
    same(&a.transpose().matmul(&x), &a.matmul_left(&x));
    let sum = a.add(&b).unwrap().subtract(&a).unwrap().without_zeros().unwrap();
    same(&sum.to_csr().2, &b.without_zeros().unwrap().to_csr().2);
    let both = stack(&[&x, &x.reverse(&[0])], 1);
    same(&a.matmul(&both).slice(1, 1..).ravel(), &a.matmul(&x.reverse(&[0])));
}

#[test]
fn products_are_few_kernels() {
    let m = Sparse::from_dense(&Array::ones(&[2, 40])).unwrap();
    let x = Array::from_vec(vec![1.0; 40]);
    let right = Array::new(vec![1.0; 80], &[40, 2]);
    let kernels = |made: &Array<f64>| made.explain().unwrap().kernels();
    let (product, left) = (m.matmul(&right), m.matmul_left(&x.slice(0, ..2)));
    assert_eq!(
        [kernels(&(m.map(|values| values * 2.0).matmul(&x) + 1.0)), kernels(&product), kernels(&left)],
        [1, 3, 2]
    );
}

#[test]
fn programs_take_matrices() {
    let step = jit(|m: Sparse<f64>, x: Array<f64>| m.matmul(&x) * 0.5);
    for n in [2usize, 3] {
        let m = Sparse::from_diagonal(&Array::<f64>::range(n));
        let x = step.call((&m, &Array::fill(4.0, &[n]))).unwrap();
        assert_eq!(x.to_vec().unwrap(), (0..n).map(|k| 2.0 * k as f64).collect::<Vec<f64>>());
    }
}
