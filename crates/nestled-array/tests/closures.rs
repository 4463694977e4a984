//! Closures, whatever the program around them: how many nodes stand before them, and where and how often their results are used.

use nestled_array::*;

/// On the reference interpreter: there is nothing to compile.
fn judge() -> Engine {
    Engine::new(EngineConfig::on(DeviceChoice::Reference))
}

/// `x + 1 + 1 …`
fn chain(mut x: Array<i32>, length: usize) -> Array<i32> {
    for _ in 0..length {
        x += 1;
    }
    x
}

#[test]
fn after_any_number_of_nodes() {
    judge().run(|| {
        for before in 1..200 {
            let mut x = Array::from_vec(vec![1, 2, 3]);
            for _ in 0..before {
                x = -x;
            }
            assert_eq!(x.map_with(|x| &x * &x).to_vec().unwrap(), [1, 4, 9], "{before}");
        }
    });
}

#[test]
fn of_any_number_of_nodes() {
    judge().run(|| {
        for inside in 1..200 {
            let x = Array::from_vec(vec![1, 2, 3]);
            let n = inside as i32;
            assert_eq!(x.map_with(|x| chain(x, inside)).to_vec().unwrap(), [1 + n, 2 + n, 3 + n], "{inside}");
            let total = x.reduce_with(0, 0, |a, b| chain(a, inside) + b - n);
            assert_eq!(total.item().unwrap(), 6, "{inside}");
        }
    });
}

#[test]
fn as_mask_and_source() {
    let x = Array::from_vec(vec![1, 2, 3, 4]);
    let y = x.map_with(|x| x * 2 - 3);
    assert_eq!(y.compress(&y.gt(2)).unwrap().to_vec().unwrap(), [3, 5]);
    let z = x.zip_with(&y, |x, y| x * y);
    let kept = (&z + 1).compress(&z.map_with(|z| z.gt(0))).unwrap();
    assert_eq!(kept.to_vec().unwrap(), [3, 10, 21]);
}

#[test]
fn used_in_three_ways() {
    let x = Array::new((0..12).collect(), &[3, 4]);
    let y = x.map_with(|x| &x * &x);
    let (total, rows, shifted) = (y.sum(), y.sum_axis(1), y.shift(&[0, 1], Border::Wrap) - &y);
    Engine::current().eval(&[&total, &rows, &shifted]).unwrap();
    assert_eq!(total.item().unwrap(), 506i64);
    assert_eq!(rows.to_vec().unwrap(), [14i64, 126, 366]);
    assert_eq!(shifted.to_vec().unwrap()[..4], [9, -1, -3, -5]);
    // As values, as places and as a condition.
    let places = Array::from_vec(vec![2, 0, 1]).map_with(|k| k);
    let picked = places.gather(&[&places], Outside::Fault) * &places + places.gt(0).select(&places, 7);
    assert_eq!(picked.to_vec().unwrap(), [4, 7, 1]);
}

#[test]
fn several_results_of_one_closure() {
    let n = Array::from_vec(vec![1i64, 6, 7]);
    let step = |(n, k): (Array<i64>, Array<i32>)| ((&n & 1).eq(0).select(&n / 2, &n * 3 + 1), k + 1);
    let (last, steps) =
        while_with((n, Array::zeros(&[3])), |(n, _): &(Array<i64>, Array<i32>)| n.gt(1), step);
    let both = last.cast::<i32>() * 100 + &steps;
    let explained = both.explain().unwrap();
    assert_eq!(explained.lcu_before().matches("while").count(), 1, "{explained}");
    assert_eq!(both.to_vec().unwrap(), [100, 108, 116]);
    assert_eq!(steps.compress(&last.eq(1)).unwrap().to_vec().unwrap(), [0, 8, 16]);
}

/// What closures take from outside are numbers, computed or not; they are arguments of what the closure becomes.
#[test]
fn numbers_from_outside() {
    let x = Array::from_vec(vec![3.0f64, 1.0, 2.0]);
    let (most, computed) = (x.max(), x.min() + 0.0);
    computed.eval().unwrap();
    let of = |y: Array<f64>| y.to_vec().unwrap();
    assert_eq!(of(x.map_with(|x| x / &most + &most * 2.0)), [7.0, 1.0 / 3.0 + 6.0, 2.0 / 3.0 + 6.0]);
    assert_eq!(of(x.map_with(|x| x + &computed)), [4.0, 2.0, 3.0]);
    assert_eq!(of(x.zip_with(&x, |x, y| x * y + &most - &computed)), [11.0, 3.0, 6.0]);
    assert_eq!(of(x.map_with(|_| most.clone())), [3.0; 3]);
    assert_eq!(x.reduce_with(0, 1.0, |x, y| (x * y).maximum(&computed)).item().unwrap(), 6.0);
    let sums =
        x.scan_with(0, 0.0, Inclusion::Inclusive, Direction::Forward, |x, y| x.maximum(y).maximum(&computed));
    assert_eq!(of(sums), [3.0, 3.0, 3.0]);
    assert_eq!(x.fold_with(0, 0.0, |sum: Array<f64>, x| sum + x * &most).item().unwrap(), 18.0);
    let rows = Ragged::from_rows(&[vec![1.0, 2.0], vec![]]);
    assert_eq!(of(rows.reduce_with(0.0, |x, y| x + y + &computed * 0.0).unwrap()), [3.0, 0.0]);
    let (far, steps) = while_with(
        (x.clone(), Array::<i32>::zeros(&[3])),
        |(x, _)| x.lt(&most * 4.0),
        |(x, n)| (x * &most, n + 1),
    );
    assert_eq!((of(far), steps.to_vec().unwrap()), (vec![27.0, 27.0, 18.0], vec![2, 3, 2]));
}

/// A parameter of a program that is traced is none of the closure's.
#[test]
fn parameters_of_programs() {
    let program = jit(|scale: Array<f64>, x: Array<f64>| {
        (x.map_with(|x| x * &scale), x.map_with(|x| x + &scale.clone() * 2.0))
    });
    let x = Array::from_vec(vec![1.0, 2.0]);
    for scale in [10.0, 100.0] {
        let (times, plus) = program.call((&Array::scalar(scale), &x)).unwrap();
        assert_eq!(times.to_vec().unwrap(), [scale, 2.0 * scale]);
        assert_eq!(plus.to_vec().unwrap(), [1.0 + 2.0 * scale, 2.0 + 2.0 * scale]);
    }
}

#[test]
fn what_closures_cannot_do() {
    let x = Array::from_vec(vec![1.0f64, 2.0]);
    let says = |error: Error, text: &str| {
        assert!(error.to_string().contains(text), "{error}");
        assert!(error.place().is_some_and(|place| place.file() == file!()), "{error}");
    };
    says(x.try_map_with(|y| y + &x).unwrap_err(), "of shape [2]: give it as an argument, as `zip_with` does");
    says(x.try_map_with(|_| x.clone()).unwrap_err(), "of shape [2]");
    let places = |y: Array<f64>| x.take(0, &y.cast::<i64>(), Outside::Clamp);
    says(x.try_map_with(places).unwrap_err(), "`take` is nothing that happens at one element: do it before");
}
