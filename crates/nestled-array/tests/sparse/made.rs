//! Constructors of sparse matrices and what they give out.

use super::plain::for_all_types;
use nestled_array::*;

for_all_types! { entries_in_any_order rows_in_any_order csr_parts dense_and_back diagonals parts_and_places transposed }

mod generic {
    use crate::direct::Dice;
    use crate::sparse::plain::{Plain, Value, cases, dense, matrices, parts, same};
    use nestled_array::*;

    pub fn entries_in_any_order<T: Value>() {
        for (shape, entries) in cases::<T>(1) {
            let (rows, columns, values) = parts(&entries);
            let made = Sparse::from_coo(shape, &rows, &columns, &values).unwrap();
            Plain::of(shape, entries).same("from_coo", &made);
            assert_eq!(made.n_entries() as i64, made.rows().segments().lengths().sum().item().unwrap());
            // Indices of another type, computed.
            let (rows, columns) = (rows.cast::<u32>() + 0, columns.cast::<u32>() + 0);
            let again = Sparse::from_coo(shape, &rows, &columns, &values).unwrap();
            assert_eq!(again.to_csr().1.to_vec().unwrap(), made.to_csr().1.to_vec().unwrap());
        }
    }

    pub fn rows_in_any_order<T: Value>() {
        for ([n_rows, n_columns], entries) in cases::<T>(2) {
            let in_rows: Vec<Vec<_>> =
                (0..n_rows).map(|row| entries.iter().filter(|entry| entry.0 == row).collect()).collect();
            let columns: Ragged<i64> =
                in_rows.iter().map(|row| row.iter().map(|entry| entry.1 as i64).collect()).collect();
            let values: Ragged<T> =
                in_rows.iter().map(|row| row.iter().map(|entry| entry.2).collect()).collect();
            let made = Sparse::from_rows(&columns.zip(&values).unwrap(), n_columns).unwrap();
            Plain::of([n_rows, n_columns], entries).same("from_rows", &made);
            let (columns, values) = made.rows().unzip();
            let again = Sparse::from_rows(&columns.zip(&values).unwrap(), n_columns).unwrap();
            assert_eq!(again.n_entries(), made.n_entries());
        }
    }

    pub fn csr_parts<T: Value>() {
        for (shape, mut entries) in cases::<T>(3) {
            entries.sort_by_key(|entry| entry.0);
            let (_, columns, values) = parts(&entries);
            let before = |row: usize| entries.iter().filter(|entry| entry.0 < row).count() as i64;
            let offsets: Array<i64> = (0..=shape[0]).map(before).collect();
            let made = Sparse::from_csr(&offsets, &columns, &values, shape[1]).unwrap();
            let plain = Plain::of(shape, entries);
            plain.same("from_csr", &made);
            let (offsets, columns, values) = made.to_csr();
            plain.same("to_csr", &Sparse::from_csr(&offsets, &columns, &values, shape[1]).unwrap());
            let (offsets, columns) = (offsets.cast::<i32>(), columns.cast::<i32>());
            plain.same("from_csr of i32", &Sparse::from_csr(&offsets, &columns, &values, shape[1]).unwrap());
        }
    }

    pub fn dense_and_back<T: Value>() {
        for plain in matrices::<T>(4) {
            let made = plain.sparse().to_dense();
            assert_eq!(**made.shape(), plain.shape);
            same("to_dense", &made, &plain.dense());
            let mut stored = plain.clone();
            stored.entries.retain(|entry| entry.2 != T::ZERO);
            stored.same("from_dense", &Sparse::from_dense(&made).unwrap());
        }
    }

    pub fn diagonals<T: Value>() {
        for n in [0, 1, 40] {
            let values = dense::<T>(&Dice::new(n as u64), n);
            let made = Sparse::from_diagonal(&Array::from_vec(values.clone()));
            let plain = |values: &[T]| {
                Plain::of([n, n], values.iter().enumerate().map(|(at, &value)| (at, at, value)).collect())
            };
            plain(&values).same("from_diagonal", &made);
            same("diagonal", &made.diagonal(), &values);
            plain(&vec![T::ONE; n]).same("identity", &Sparse::identity(n));
        }
        for plain in matrices::<T>(5) {
            let of = |at| plain.get(at, at).unwrap_or(T::ZERO);
            let expected: Vec<T> = (0..plain.shape[0].min(plain.shape[1])).map(of).collect();
            same("diagonal", &plain.sparse().diagonal(), &expected);
        }
    }

    pub fn parts_and_places<T: Value>() {
        for plain in matrices::<T>(6) {
            let made = plain.sparse();
            let (rows, columns, values) = made.to_coo();
            let expected = parts(&plain.entries);
            assert_eq!(rows.to_vec().unwrap(), expected.0.to_vec().unwrap());
            assert_eq!(columns.to_vec().unwrap(), expected.1.to_vec().unwrap());
            same("to_coo", &values, &expected.2.to_vec().unwrap());
            let [n_rows, n_columns] = plain.shape;
            for at in 0..(n_rows * n_columns).min(12) {
                let (row, column) = (at * 7 % n_rows, at * 5 % n_columns);
                same("get", &made.get(row, column), &[plain.get(row, column).unwrap_or(T::ZERO)]);
            }
        }
    }

    pub fn transposed<T: Value>() {
        for plain in matrices::<T>(7) {
            let turned = plain.entries.iter().map(|&(row, column, value)| (column, row, value)).collect();
            let [n_rows, n_columns] = plain.shape;
            let made = plain.sparse().transpose();
            Plain::of([n_columns, n_rows], turned).same("transpose", &made);
            plain.same("transposed twice", &made.transpose());
        }
    }
}

#[test]
fn columns_may_be_more_than_memory_holds() {
    let n = 1 << 62;
    let (rows, columns) = (Array::from([1i64, 0, 1]), Array::from([n as i64 - 1, 5, 0]));
    let m = Sparse::from_coo([2, n], &rows, &columns, &Array::from([1, 2, 3])).unwrap();
    assert_eq!(m.to_csr().1.to_vec().unwrap(), [5, 0, n as i64 - 1]);
    assert_eq!(m.get(1, n - 1).item().unwrap(), 1);
    assert_eq!(m.add(&m).unwrap().row_sums().to_vec().unwrap(), [4i64, 8]);
}

#[test]
fn dense_matrices_lose_zeros_and_nothing_else() {
    let m = Array::from([0.0, -0.0, f64::NAN, f64::NEG_INFINITY]).reshape(&[2, 2]);
    let values = Sparse::from_dense(&m).unwrap().to_coo().2.to_vec().unwrap();
    assert_eq!(format!("{values:?}"), "[NaN, -inf]");
}

#[test]
fn shown_with_its_rows() {
    let m = Sparse::from_dense(&Array::from([0, 5, 0, 0, 7, 6]).reshape(&[3, 2])).unwrap();
    assert_eq!(format!("{m:?}"), "[3, 2] i32 [[(1, 5)], [], [(0, 7), (1, 6)]]");
}
