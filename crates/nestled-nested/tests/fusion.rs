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

#[test]
fn what_keeps_the_number_of_elements_computes_nothing() {
    let costly = Nested::from(rows().map(|x| x.exp()));
    let of_rows = [costly.var(-1, 1), costly.median(-1), costly.ptp(-1), costly.histogram(4, 0.0, 8.0, -1)];
    let in_rows = [costly.cumsum(-1), costly.softmax(-1), costly.rank(-1, true), costly.reversed(-1)];
    let places = [costly.get(-1, 1), costly.get(costly.argmax(-1).unwrap(), 1), costly.nan_to_num(0.0)];
    let made: Vec<Nested> = of_rows.into_iter().chain(in_rows).chain(places).map(Result::unwrap).collect();
    let untouched: Ragged<f64> = Ragged::try_from(&costly).unwrap();
    assert!(!untouched.flatten().is_ready());
    assert!(made.iter().all(|made| made.to_list().is_ok()));
}

#[test]
fn a_variance_is_few_kernels() {
    let x = Nested::from(rows());
    let variances: Array<f64> = Array::try_from(&(&x * 2.0 + 1.0).var(-1, 0).unwrap()).unwrap();
    // The numbers; their sums; the list of each; the squares of what is left.
    assert_eq!(variances.explain().unwrap().kernels(), 4);
}
