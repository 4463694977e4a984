//! Closures, whatever the program around them: how many nodes stand before them, and where and how often their results are used.

use nestled_array::*;

/// On the reference interpreter: there is nothing to compile.
fn judge() -> Engine {
    Engine::new(EngineConfig::on(DeviceChoice::Reference))
}

/// `x + 1 + 1 …`
fn chain(mut x: Array<i32>, length: usize) -> Array<i32> {
    for _ in 0..length {
        x = x + 1;
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
    assert_eq!(total.item().unwrap(), 506);
    assert_eq!(rows.to_vec().unwrap(), [14, 126, 366]);
    assert_eq!(shifted.to_vec().unwrap()[..4], [9, -1, -3, -5]);
    // As values, as places and as a condition.
    let places = Array::from_vec(vec![2, 0, 1]).map_with(|k| k.clone());
    let picked = places.gather(&[&places], Outside::Fault) * &places + places.gt(0).select(&places, 7);
    assert_eq!(picked.to_vec().unwrap(), [1 * 2 + 2, 2 * 0 + 7, 0 * 1 + 1]);
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
