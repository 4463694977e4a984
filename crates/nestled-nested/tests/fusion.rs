//! Laziness and fusion: operations on columns compute nothing, chains of them are few kernels, and a field that nobody asks for is never computed.

use nestled_nested::{Array, Nested, Ragged};

fn rows() -> Ragged<f64> {
    (0..20).map(|n| (0..n % 5).map(f64::from).collect()).collect()
}

#[test]
fn no_kernel_is_interpreted() {
    assert_eq!(nestled_array::Engine::current().device_name().unwrap(), "the CPU");
}

#[test]
fn arithmetic_and_a_sum_are_one_kernel() {
    let x = Nested::from(rows());
    let y = ((&x * 2.0 + 1.0) * &x).sum(-1).unwrap();
    let sums: Array<f64> = Array::try_from(&y).unwrap();
    assert_eq!(sums.explain().unwrap().kernels(), 1);
}

#[test]
fn a_field_that_nobody_asks_for_is_not_computed() {
    let rows = rows();
    let costly = Nested::from(rows.map(|x| x.exp()));
    let events = nestled_nested::zip(&[("cheap", &Nested::from(&rows)), ("costly", &costly)]).unwrap();
    let sums = events.filter(&events.field("cheap").unwrap().gt(1.0).unwrap()).unwrap();
    sums.field("cheap").unwrap().sum(-1).unwrap().to_list().unwrap();
    let untouched: Ragged<f64> = Ragged::try_from(&costly).unwrap();
    assert!(!untouched.flatten().is_ready());
}
