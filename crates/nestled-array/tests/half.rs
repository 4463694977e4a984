//! Floats of sixteen bits: held, moved about and converted; nothing computes with them.

use nestled_array::*;
use nestled_test::again;

fn halves(values: &[f64]) -> Array<F16> {
    Array::from_vec(values.iter().map(|&value| F16::of(value)).collect())
}

fn numbers(array: &Array<F16>) -> Vec<f64> {
    array.to_vec().unwrap().into_iter().map(F16::to_f64).collect()
}

#[test]
fn every_number_converts_to_floats_and_back() {
    let all: Vec<F16> = (0..=u16::MAX).map(F16::from_bits).collect();
    let array = Array::from_vec(all.clone());
    for back in [array.cast::<f32>().cast::<F16>(), array.cast::<f64>().cast::<F16>()] {
        for (one, other) in all.iter().zip(back.to_vec().unwrap()) {
            assert!(one.to_bits() == other.to_bits() || (one.to_f64().is_nan() && other.to_f64().is_nan()));
        }
    }
    let wide = array.cast::<f64>().to_vec().unwrap();
    for (one, wide) in all.iter().zip(wide) {
        assert!(one.to_f64().to_bits() == wide.to_bits() || (one.to_f64().is_nan() && wide.is_nan()));
    }
}

#[test]
fn other_types_convert() {
    let x = halves(&[0.0, 1.5, -2.75, 300.0]);
    assert_eq!(x.cast::<i32>().to_vec().unwrap(), [0, 1, -2, 300]);
    assert_eq!(x.cast::<u8>().to_vec().unwrap(), x.cast::<f64>().cast::<u8>().to_vec().unwrap());
    assert_eq!(x.cast::<bool>().to_vec().unwrap(), [false, true, true, true]);
    assert_eq!(
        numbers(&Array::from_vec(vec![0i64, -3, 65504, 70_000]).cast()),
        [0.0, -3.0, 65504.0, f64::INFINITY]
    );
    assert_eq!(numbers(&Array::from_vec(vec![true, false]).cast()), [1.0, 0.0]);
}

#[test]
fn elements_move() {
    let x = halves(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let table = x.reshape(&[2, 3]);
    assert_eq!(numbers(&table.transpose(&[1, 0]).ravel()), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(numbers(&x.reverse(&[0])), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    assert_eq!(numbers(&x.shift(&[1], Border::Default(F16::of(-1.0)))), [-1.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(numbers(&x.take(0, &Array::from_vec(vec![5, 0]), Outside::Clamp)), [6.0, 1.0]);
    let mask = Array::from_vec(vec![true, false, true, false, false, true]);
    assert_eq!(numbers(&mask.select(&x, F16::of(0.5))), [1.0, 0.5, 3.0, 0.5, 0.5, 6.0]);
    assert_eq!(numbers(&x.compress(&mask).unwrap()), [1.0, 3.0, 6.0]);
    assert_eq!(numbers(&concat(&[&x, &halves(&[7.0])], 0)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let keys = Array::from_vec(vec![3, 1, 2, 6, 5, 4]);
    assert_eq!(numbers(&x.sort_by_key(0, &keys)), [2.0, 3.0, 1.0, 6.0, 5.0, 4.0]);
    assert_eq!(numbers(&Array::fill(F16::of(0.25), &[2])), [0.25, 0.25]);
    assert_eq!(format!("{:?}", halves(&[1.0, 0.5])), "[2] f16 [1.0, 0.5]");
}

#[test]
fn programs_and_files_take_them() {
    let add = jit(|x: Array<F16>, y: Array<F16>| (x.cast::<f32>() + y.cast::<f32>()).cast::<F16>());
    assert_eq!(numbers(&add.call((&halves(&[1.0, 2.0]), &halves(&[0.5, 0.25]))).unwrap()), [1.5, 2.25]);
    let path = std::env::temp_dir().join(format!("nestled-half-{}.npy", std::process::id()));
    halves(&[1.0, -0.5]).write_npy(&path).unwrap();
    assert_eq!(numbers(&Array::read_npy(&path).unwrap()), [1.0, -0.5]);
    std::fs::remove_file(path).unwrap();
    let rows = Ragged::from_rows(&[vec![F16::of(2.0)], vec![], vec![F16::of(1.0), F16::of(4.0)]]);
    let largest = rows.map(|x| x.cast::<f32>()).reduce(Operator::Max);
    assert_eq!(largest.to_vec().unwrap(), [2.0, f32::NEG_INFINITY, 4.0]);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
