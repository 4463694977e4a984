//! Vectors as elements, against plain Rust, and as one kernel.

use crate::direct::Dice;
use nestled_array::*;
use nestled_test::again;

type V = [f32; 3];

fn vectors(dice: &Dice, count: usize) -> Vec<V> {
    (0..count).map(|_| [0; 3].map(|_| dice.between(-50, 50) as f32 / 4.0)).collect()
}

fn dot(a: V, b: V) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn zip(a: &[V], b: &[V], of: impl Fn(V, V) -> V) -> Vec<V> {
    a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect()
}

/// Each component with its counterpart.
fn parts(of: impl Fn(f32, f32) -> f32) -> impl Fn(V, V) -> V {
    move |a, b| [0, 1, 2].map(|k| of(a[k], b[k]))
}

#[test]
fn arithmetic() {
    let dice = Dice::new(1);
    for count in [0, 1, 2, 17, 300] {
        let (a, b) = (vectors(&dice, count), vectors(&dice, count));
        let (x, y) = (Vectors::from_vec(a.clone()), Vectors::from_vec(b.clone()));
        let same = |found: Vectors<f32, 3>, expected: Vec<V>| assert_eq!(found.to_vec().unwrap(), expected);
        same(&x + &y, zip(&a, &b, parts(|a, b| a + b)));
        same(&x - [1.0, 2.0, 3.0], zip(&a, &b, |a, _| [a[0] - 1.0, a[1] - 2.0, a[2] - 3.0]));
        same(2.0 * &x, zip(&a, &b, parts(|a, _| 2.0 * a)));
        same([0.0, 1.0, 2.0] - &x, zip(&a, &b, |a, _| [0.0 - a[0], 1.0 - a[1], 2.0 - a[2]]));
        same(&x * x.dot(&y), zip(&a, &b, |a, b| a.map(|part| part * dot(a, b))));
        same(y.x() * &x, zip(&a, &b, |a, b| a.map(|part| b[0] * part)));
        same(-&x, zip(&a, &b, |a, _| a.map(|part| -part)));
        same(x.maximum(&y).abs(), zip(&a, &b, parts(|a, b| a.max(b).abs())));
        same(x.lt(&y).select(&x, 7.0), zip(&a, &b, parts(|a, b| if a < b { a } else { 7.0 })));
        let chosen = x.z().gt(0.0).select_vectors(&x, [1.0, 2.0, 3.0]);
        same(chosen, zip(&a, &b, |a, _| if a[2] > 0.0 { a } else { [1.0, 2.0, 3.0] }));
        same(x.swizzle([2, 0, 1]), zip(&a, &b, |a, _| [a[2], a[0], a[1]]));
        same(x.with_component(1, y.x()), zip(&a, &b, |a, b| [a[0], b[0], a[2]]));
        let crossed =
            |a: V, b: V| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        same(x.cross(&y), zip(&a, &b, crossed));
        let matrix = [[1.0, 0.0, 2.0], [0.0, -1.0, 0.5]];
        let mapped: Vec<[f32; 2]> = a.iter().map(|&a| matrix.map(|row| dot(a, row))).collect();
        assert_eq!(x.transformed(&matrix).to_vec().unwrap(), mapped);
        let mut sum = x.clone();
        sum += &y;
        sum *= 0.5;
        same(sum, zip(&a, &b, parts(|a, b| (a + b) * 0.5)));
        let near: Vec<bool> =
            zip(&a, &b, parts(|a, b| a - b)).iter().map(|d| d.iter().all(|d| d.abs() < 5.0)).collect();
        assert_eq!((&x - &y).abs().lt(5.0).all_components().to_vec().unwrap(), near);
    }
}

#[test]
fn folds() {
    let dice = Dice::new(2);
    let a = vectors(&dice, 24);
    let x = Vectors::from_vec(a.clone()).reshape(&[4, 6]);
    // Quarters of small integers are added exactly, in whatever order.
    let sum = |of: &[V]| of.iter().fold([0.0; 3], |sum, a| [0, 1, 2].map(|k| sum[k] + a[k]));
    assert_eq!(x.sum().item().unwrap(), sum(&a));
    assert_eq!(x.sum_axis(1).to_vec().unwrap(), a.chunks(6).map(sum).collect::<Vec<V>>());
    let most = a.iter().fold([f32::MIN; 3], |most, a| [0, 1, 2].map(|k| most[k].max(a[k])));
    assert_eq!(x.max().item().unwrap(), most);
    let prefixes: Vec<V> = (0..24).map(|at| sum(&a[at / 6 * 6..=at])).collect();
    assert_eq!(x.cumsum(1).to_vec().unwrap(), prefixes);
}

#[test]
fn movements() {
    let dice = Dice::new(3);
    let a = vectors(&dice, 12);
    let x = Vectors::from_vec(a.clone()).reshape(&[3, 4]);
    assert_eq!(**x.shape(), [3, 4]);
    let at = |row: usize, column: usize| a[row * 4 + column];
    let turned: Vec<V> = (0..12).map(|k| at(k % 3, k / 3)).collect();
    assert_eq!(x.transpose(&[1, 0]).to_vec().unwrap(), turned);
    let shifted: Vec<V> = (0..12).map(|k| if k % 4 == 0 { [9.0, 8.0, 7.0] } else { a[k - 1] }).collect();
    assert_eq!(x.shift(&[0, 1], Border::Default([9.0, 8.0, 7.0])).to_vec().unwrap(), shifted);
    assert_eq!(x.at(0, -1).to_vec().unwrap(), a[8..]);
    assert_eq!(x.slice(1, 1..3).to_vec().unwrap(), [1, 2, 5, 6, 9, 10].map(|k| a[k]));
    let places = Array::from_vec(vec![2i64, 0, 7]);
    assert_eq!(
        x.take(0, &places, Outside::Default([0.5; 3])).at(1, 1).to_vec().unwrap(),
        [at(2, 1), at(0, 1), [0.5; 3]]
    );
    let flat = x.reshape(&[12]);
    let positive: Vec<V> = a.iter().copied().filter(|a| a[0] > 0.0).collect();
    assert_eq!(flat.compress(&flat.x().gt(0.0)).unwrap().to_vec().unwrap(), positive);
    assert_eq!(Vectors::<f32, 3>::of_last_axis(&x.interleaved()).unwrap().to_vec().unwrap(), a);
    assert_eq!(concat_vectors(&[&x, &x.reverse(&[0])], 0).at(0, 3).to_vec().unwrap(), a[8..]);
}

/// A step of a simulation is one kernel, whatever the number of components.
#[test]
fn one_kernel() {
    let dice = Dice::new(4);
    let x = Vectors::from_vec(vectors(&dice, 1000));
    let v = Vectors::from_vec(vectors(&dice, 1000));
    let pull = &x * (x.dot(&x) + 1.0).rsqrt() * -0.1;
    let faster = &v + &pull;
    let moved = &x + &faster * 0.01;
    let explained = Engine::current().explain(&[&moved, &faster]).unwrap();
    assert_eq!(explained.kernels(), 1, "{explained}");
    let step = jit(|x: Vectors<f32, 3>, v: Vectors<f32, 3>| (&x + &v * 0.01, v.length()));
    let (again, speed) = step.call((&x, &faster)).unwrap();
    assert_eq!(again.to_vec().unwrap(), moved.to_vec().unwrap());
    assert_eq!(speed.to_vec().unwrap(), faster.length().to_vec().unwrap());
}

#[test]
fn mistakes_have_messages() {
    let (x, y) = (Array::<f32>::ones(&[3]), Array::<f32>::ones(&[4]));
    let error = Vectors::try_new([x.clone(), y.clone()]).unwrap_err().to_string();
    assert!(error.starts_with("Vectors::new at crates/nestled-array/tests/vectors.rs"), "{error}");
    assert!(error.contains("[3] and [4]"), "{error}");
    let mixed = std::panic::catch_unwind(|| Vectors::<f32, 2>::splat(&x) + Vectors::<f32, 2>::splat(&y));
    let message = mixed.unwrap_err();
    let message = message.downcast_ref::<String>().expect("a text");
    assert!(message.contains("tests/vectors.rs"), "{message}");
    let error = Vectors::<f32, 2>::of_last_axis(&x).unwrap_err().to_string();
    assert!(error.contains("[3] has 3 elements along its last axis, not 2"), "{error}");
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
