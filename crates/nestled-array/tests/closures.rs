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
    let added = |x: Array<f64>, y: Array<f64>| x + places(y);
    let error = x.try_reduce_with(0, 0.0, added).unwrap_err();
    says(error, "`take` is nothing that happens at one element of `an operator`: do it before");
    let error = try_while_with((x.clone(),), |(x,)| x.lt(9.0), |(x,)| (places(x) + 1.0,)).err().unwrap();
    says(error, "`take` is nothing that happens at one element of `while_with`: do it before");
    says(x.try_map_with(|y| y + x.sort(0)).unwrap_err(), "of shape [2]");
    let rows = Array::new(vec![1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let row = |y: Array<f64>| rows.take(0, &y.cast::<i64>(), Outside::Clamp);
    says(x.try_map_with(row).unwrap_err(), "`take` is nothing that happens at one element");
    says(
        x.try_map_with(|y| x.shift(&[1], Border::Clamp).take(0, &y.cast::<i64>(), Outside::Clamp) + &x)
            .unwrap_err(),
        "of shape [2]",
    );
    assert!(x.take(0, &Array::from_vec(vec![5]), Outside::Fault).to_vec().is_err());
    assert!(x.map_with(|y| x.take(0, &y.cast::<i64>(), Outside::Fault)).to_vec().is_err());
}

/// Elements of arrays from outside, at places that the closure computes.
#[test]
fn arrays_from_outside() {
    let table = Array::from_vec(vec![10, 20, 30, 40]);
    let rows = Array::new((0..12).collect::<Vec<i32>>(), &[3, 4]);
    let x = Array::from_vec(vec![3, 0, 7, -1, 2]);
    let of = |y: Array<i32>| y.to_vec().unwrap();
    assert_eq!(of(x.map_with(|i| table.take(0, &i, Outside::Clamp) + 1)), [41, 11, 41, 11, 31]);
    assert_eq!(
        of(x.map_with(|i| table.take(0, &(&i + 1), Outside::Default(-9)) * &i)),
        [-27, 0, -63, -10, 80]
    );
    let neighbours = |i: Array<i32>| {
        let at = |by: i32| table.take(0, &(&i + by), Outside::Wrap);
        (at(1) - at(-1)).abs() % 7 + at(0).gt(20).select(table.max(), 0)
    };
    let expected: Vec<i32> = [3i64, 0, 7, -1, 2]
        .map(|i| {
            let at = |by: i64| -> i32 { [10, 20, 30, 40][(i + by).rem_euclid(4) as usize] };
            (at(1) - at(-1)).abs() % 7 + if at(0) > 20 { 40 } else { 0 }
        })
        .to_vec();
    assert_eq!(of(x.map_with(neighbours)), expected);
    let (i, j) = (Array::from_vec(vec![2, 0]).add_dim(1), Array::from_vec(vec![1, 3, 5]));
    let found = i.zip_with(&j, |i, j| rows.gather(&[&i, &j], Outside::Clamp) - i);
    assert_eq!((found.shape().to_vec(), of(found)), (vec![2, 3], vec![7, 9, 9, 1, 3, 3]));
    // Places that are read themselves, computed arrays, and programs that are traced.
    let twice = |i: Array<i32>| rows.gather(&[&(table.take(0, &i, Outside::Clamp) / 20), &i], Outside::Clamp);
    assert_eq!(of(x.map_with(twice)), [11, 0, 11, 0, 6]);
    let lazy = &table * 2;
    assert_eq!(
        of(x.map_with(|i| lazy.take(0, &i, Outside::Clamp)).map_with(|y| y + 1)),
        [81, 21, 81, 21, 61]
    );
    let program =
        jit(|table: Array<i32>, x: Array<i32>| x.map_with(|i| table.take(0, &i, Outside::Clamp) - i));
    assert_eq!(of(program.call((&table, &x)).unwrap()), [37, 10, 33, 11, 28]);
    assert_eq!(of(Array::scalar(1).map_with(|i| table.take(0, &i, Outside::Fault))), [20]);
}

/// The remainder of floats is a loop, and loops may stand in closures.
#[test]
fn loops_inside() {
    let (x, y) = (vec![7.5f64, -7.5, 1e300, 0.0, -0.0, f64::INFINITY, f64::NAN, 5e-324, 3.0], 2.5);
    let a = Array::from_vec(x.clone());
    let bits = |found: Array<f64>| {
        found.to_vec().unwrap().iter().map(|x| x.to_bits() & (!0 >> 1)).collect::<Vec<u64>>()
    };
    let direct =
        |of: &dyn Fn(f64) -> f64| x.iter().map(|&x| of(x).to_bits() & (!0 >> 1)).collect::<Vec<u64>>();
    let signs = |found: &Array<f64>| {
        found.to_vec().unwrap().iter().map(|x| x.is_sign_negative()).collect::<Vec<bool>>()
    };
    let rest = a.map_with(|a| a % y);
    assert_eq!(bits(rest.clone()), direct(&|x| x % y));
    assert_eq!(signs(&rest)[..5], [false, true, false, false, true]);
    assert_eq!(bits(a.zip_with(&(&a * 0.3), |a, b| a % b)), direct(&|x| x % (x * 0.3)));
    let mut half = Array::from_vec(vec![7.5f32, -1e30, 1e-40]);
    half = half.map_with(|mut a| {
        a %= 0.7;
        a
    });
    assert_eq!(half.to_vec().unwrap(), [7.5f32 % 0.7, -1e30 % 0.7, 1e-40 % 0.7]);
    // In operators, in loops, with numbers from outside and with other parameters inside a loop.
    let most = Array::from_vec(vec![1.0, 4.0]).max();
    let small = Array::from_vec(vec![9.0, 17.0, 6.5]);
    assert_eq!(small.map_with(|a| a % &most).to_vec().unwrap(), [1.0, 1.0, 2.5]);
    let last = small.scan_with(0, 0.0, Inclusion::Inclusive, Direction::Forward, |a, b| (a + b) % 10.0);
    assert_eq!(last.to_vec().unwrap(), [9.0, 6.0, 2.5]);
    assert_eq!(small.fold_with(0, 0.0, |sum: Array<f64>, a| (sum + a) % 10.0).item().unwrap(), 2.5);
    let (shrunk,) = while_with((small.clone(),), |(a,)| a.gt(3.0), |(a,)| (a % 5.0 - 1.0,));
    assert_eq!(shrunk.to_vec().unwrap(), [3.0, 1.0, 0.5]);
    let halved = small.zip_with(&Array::from_vec(vec![2.0, 1.0, 0.5]), |a, least| {
        let (a, rounds) = while_with((a, Array::scalar(0)), |(a, _)| a.gt(&least), |(a, n)| (a / 2.0, n + 1));
        a + rounds.cast::<f64>() * 100.0
    });
    assert_eq!(halved.to_vec().unwrap(), [301.125, 500.53125, 400.40625]);
}
