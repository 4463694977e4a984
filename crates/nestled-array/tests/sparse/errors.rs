//! Errors of sparse matrices: each names the operation and what does not fit.

use nestled_array::*;

#[track_caller]
fn fails<T>(result: Result<T>, operation: &str, message: &str) {
    let error = result.err().expect("an error");
    assert_eq!(error.operation(), operation);
    let text = error.to_string();
    assert!(text.ends_with(&format!(": {message}")), "{text}");
    assert!(text.contains(file!()), "{text}");
}

fn matrix(shape: [usize; 2]) -> Sparse<f64> {
    Sparse::from_dense(&Array::ones(&shape)).unwrap()
}

#[test]
fn entries_that_do_not_fit() {
    let values = Array::from([1, 2, 3]);
    let coo = |rows: &[i64], columns: &[i64]| {
        Sparse::from_coo([4, 5], &Array::from_slice(rows), &Array::from_slice(columns), &values)
    };
    assert!(coo(&[0, 3, 0], &[4, 0, 4]).is_ok());
    fails(coo(&[0, 1, 4], &[0, 0, 0]), "from_coo", "entry 2 has row 4, but there are 4 rows");
    fails(coo(&[0, -1, -2], &[0, 0, 0]), "from_coo", "entry 1 has row -1, but there are 4 rows");
    fails(coo(&[0, 0, 0], &[0, 0, 5]), "from_coo", "entry 2 has column 5, but there are 5 columns");
    fails(
        coo(&[0, 0, 0], &[i64::MIN, 0, 5]),
        "from_coo",
        &format!("entry 0 has column {}, but there are 5 columns", i64::MIN),
    );
    fails(coo(&[0, 0], &[0, 0]), "from_coo", "the shapes [2] and [3] do not go together");
    fails(coo(&[0, 0], &[0, 0, 0]), "from_coo", "the shapes [2] and [3] do not go together");
    let far = Array::from([0u64, u64::MAX, 1]);
    fails(
        Sparse::from_coo([4, 5], &far, &far, &values),
        "from_coo",
        "entry 1 has row 18446744073709551615, but there are 4 rows",
    );
    let none = Array::<i64>::zeros(&[0]);
    let rows = Array::<i64>::zeros(&[1]);
    fails(
        Sparse::from_coo([0, 5], &rows, &rows, &Array::from([1.0])),
        "from_coo",
        "entry 0 has row 0, but there are 0 rows",
    );
    let much = usize::MAX;
    fails(
        Sparse::<f32>::from_coo([3, much], &none, &none, &Array::zeros(&[0])),
        "from_coo",
        &format!("{much} columns are more than can be counted"),
    );
    fails(
        Sparse::<f32>::from_coo([much, 3], &none, &none, &Array::zeros(&[0])),
        "from_coo",
        &format!("{much} rows are more than can be counted"),
    );
    let square = Array::<i64>::zeros(&[2, 2]);
    fails(
        Sparse::from_coo([4, 5], &square, &square, &square),
        "from_coo",
        "the shapes [2, 2] and [2, 2] do not go together",
    );
}

#[test]
fn rows_that_do_not_fit() {
    let columns = Ragged::from_rows(&[vec![0i64, 2], vec![], vec![3]]);
    let rows = columns.zip(&columns.map(|x| x.cast::<f32>())).unwrap();
    assert!(Sparse::from_rows(&rows, 4).is_ok());
    fails(Sparse::from_rows(&rows, 3), "from_rows", "entry 2 has column 3, but there are 3 columns");
    fails(
        Sparse::from_rows(&rows, usize::MAX),
        "from_rows",
        &format!("{} columns are more than can be counted", usize::MAX),
    );
}

#[test]
fn csr_parts_that_do_not_fit() {
    let (columns, values) = (Array::from([0i64, 1, 0]), Array::from([1.0, 2.0, 3.0]));
    let csr = |offsets: &[i64]| Sparse::from_csr(&Array::from_slice(offsets), &columns, &values, 2);
    assert!(csr(&[0, 2, 2, 3]).is_ok());
    fails(csr(&[]), "from_csr", "offsets of shape [0] are not one more than rows");
    fails(csr(&[0, 2, 1, 3]), "from_csr", "offsets never fall, but row 1 goes from 2 to 1");
    fails(
        csr(&[0, i64::MAX, i64::MIN, 3]),
        "from_csr",
        &format!("offsets never fall, but row 1 goes from {} to {}", i64::MAX, i64::MIN),
    );
    let ends = "offsets go from 0 to the number of entries, 3, but these from";
    fails(csr(&[1, 2, 3]), "from_csr", &format!("{ends} 1 to 3"));
    fails(csr(&[0, 2]), "from_csr", &format!("{ends} 0 to 2"));
    fails(csr(&[0, i64::MAX]), "from_csr", &format!("{ends} 0 to {}", i64::MAX));
    fails(csr(&[0]), "from_csr", &format!("{ends} 0 to 0"));
    let offsets = Array::from([0i64, 2, 3]);
    fails(
        Sparse::from_csr(&offsets, &columns, &values, 1),
        "from_csr",
        "entry 1 has column 1, but there are 1 columns",
    );
    fails(
        Sparse::from_csr(&offsets, &columns, &values.slice(0, 1..), 2),
        "from_csr",
        "the shapes [3] and [2] do not go together",
    );
    fails(
        Sparse::from_csr(&offsets.reshape(&[3, 1]), &columns, &values, 2),
        "from_csr",
        "offsets of shape [3, 1] are not one more than rows",
    );
}

#[test]
fn shapes_that_do_not_go_together() {
    let m = matrix([2, 3]);
    let no = |left: &str, right: &str| format!("the shapes {left} and {right} do not go together");
    fails(m.try_matmul(&Array::ones(&[2])), "matmul", &no("[2, 3]", "[2]"));
    fails(m.try_matmul(&Array::ones(&[2, 3])), "matmul", &no("[2, 3]", "[2, 3]"));
    fails(m.try_matmul(&Array::ones(&[3, 1, 1])), "matmul", &no("[2, 3]", "[3, 1, 1]"));
    fails(m.try_matmul(&Array::scalar(1.0)), "matmul", &no("[2, 3]", "[]"));
    fails(m.try_matmul_left(&Array::ones(&[3])), "matmul_left", &no("[3]", "[2, 3]"));
    fails(m.try_matmul_left(&Array::ones(&[2, 1])), "matmul_left", &no("[2, 1]", "[2, 3]"));
    fails(m.try_scale_rows(&Array::ones(&[3])), "scale_rows", &no("[2, 3]", "[3]"));
    fails(m.try_scale_columns(&Array::ones(&[2])), "scale_columns", &no("[2, 3]", "[2]"));
    let other = matrix([3, 2]);
    fails(m.add(&other), "add", &no("[2, 3]", "[3, 2]"));
    fails(m.subtract(&other), "subtract", &no("[2, 3]", "[3, 2]"));
    fails(m.multiply(&other), "multiply", &no("[2, 3]", "[3, 2]"));
    fails(m.matmul_sparse(&m), "matmul_sparse", &no("[2, 3]", "[2, 3]"));
    fails(m.matmul_sparse_within(&m, 5), "matmul_sparse_within", &no("[2, 3]", "[2, 3]"));
    fails(m.filter(|_, _, _| Array::fill(true, &[5])), "filter", &no("[6]", "[5]"));
    fails(Sparse::from_dense(&Array::<f32>::ones(&[4])), "from_dense", "an array of shape [4] is no matrix");
    fails(m.try_get(2, 0), "get", "there is no entry [2, 0] in a matrix of shape [2, 3]");
    fails(m.try_get(0, 3), "get", "there is no entry [0, 3] in a matrix of shape [2, 3]");
}

#[test]
fn more_elements_than_can_be_counted() {
    let n = 1 << 62;
    let one = Array::<i64>::zeros(&[1]);
    let wide = Sparse::from_coo([4, n], &one, &one, &Array::from([1.0])).unwrap();
    let too_many = |extents: &str| format!("the shape {extents} has more elements than can be counted");
    fails(wide.try_to_dense(), "to_dense", &too_many(&format!("[4, {n}]")));
    fails(wide.try_matmul_left(&Array::ones(&[2, 4])), "matmul_left", &too_many(&format!("[2, {n}]")));
    for error in [wide.transpose().eval().err(), wide.column_sums().eval().err()] {
        let error = error.expect("no memory holds so many numbers");
        assert!(matches!(error.reason(), Reason::OutOfMemory(_) | Reason::Device(_)), "{error}");
    }
    let n = 1 << 61;
    fails(matrix([2, 2]).try_matmul(&Array::ones(&[2, n])), "matmul", &too_many(&format!("[4, {n}]")));
    fails(matrix([4, 1]).try_matmul(&Array::ones(&[1, n])), "matmul", &too_many(&format!("[4, {n}]")));
    fails(
        matrix([1, 4]).try_matmul_left(&Array::ones(&[n, 1])),
        "matmul_left",
        &too_many(&format!("[{n}, 4]")),
    );
}

#[test]
#[should_panic(expected = "matmul at crates/nestled-array/tests/sparse/errors.rs")]
fn operations_panic_with_the_line_of_the_caller() {
    let _ = matrix([2, 3]).matmul(&Array::ones(&[2]));
}

#[test]
#[should_panic(expected = "from_diagonal: values of shape [2, 2] are no vector")]
fn a_diagonal_is_a_vector() {
    let _ = Sparse::from_diagonal(&Array::<f64>::ones(&[2, 2]));
}
