//! How many kernels classic expressions become.

use nestled_array::*;

fn image() -> Array<f32> {
    Array::new((0..64 * 64).map(|k| (k * 37 % 101) as f32).collect(), &[64, 64])
}

/// The example of the paper: `Section(A − Rotate(B)) + Reduce(B / (C · D))`.
#[test]
fn figure() {
    let (a, b, c, d) = (image(), image() + 1.0, image() + 2.0, image() + 3.0);
    Engine::current().eval(&[&b, &c, &d]).unwrap();
    let section = (&a - b.rotate(&[3, 5])).slice(0, 7..8).drop_dim(0);
    let result = section + (&b / (&c * &d)).sum_axis(0);
    let explained = result.explain().unwrap();
    assert!(explained.kernels() <= 2, "{explained}");
}

#[test]
fn shifts_of_shifts() {
    let shifted =
        image().shift(&[1, 0], Border::Clamp).shift(&[2, 0], Border::Clamp).shift(&[-1, 1], Border::Clamp);
    let explained = shifted.explain().unwrap();
    assert_eq!(explained.kernels(), 1, "{explained}");
    assert_eq!(
        explained.lcu().matches("v0[").count() + explained.lcu().matches("v0.").count(),
        1,
        "{explained}"
    );
}

#[test]
fn a_hundred_operations() {
    let x = image();
    let mut y = x.clone();
    for k in 0..50 {
        y = (&y * (k as f32) + &x).abs();
    }
    let explained = y.explain().unwrap();
    assert_eq!(explained.kernels(), 1, "{explained}");
    assert!(explained.nodes() > 100);
}

#[test]
fn a_gaussian() {
    let weights = [0.1, 0.2, 0.4, 0.2, 0.1];
    let smooth = image().convolve_axis(0, &weights, Border::Clamp).convolve_axis(1, &weights, Border::Clamp);
    let explained = smooth.explain().unwrap();
    assert_eq!(explained.kernels(), 1, "{explained}");
}

#[test]
fn what_is_shared_is_computed_once() {
    let x = image();
    let shared = (&x * 3.0).exp();
    let (a, b) = (&shared + 1.0, shared.sqrt());
    let explained = Engine::current().explain(&[&a, &b]).unwrap();
    assert_eq!(explained.kernels(), 1, "{explained}");
}

/// Blocks of four elements, read by two kernels: none has their places from memory.
#[test]
fn places_are_computed_where_they_are_read() {
    let x = image().ravel();
    x.eval().unwrap();
    let places = Array::<i64>::index(&[64, 1, 4], 0) * 4 + Array::index(&[64, 1, 4], 2);
    let at = |places: &Array<i64>| x.gather(&[places], Outside::Clamp);
    let (own, next) = (at(&places), at(&(&places + 1)));
    let explained = Engine::current().explain(&[&own, &next]).unwrap();
    assert!(!explained.lcu().contains("]i64"), "{explained}");
    assert_eq!(next.to_vec().unwrap()[..5], [1, 2, 3, 4, 5].map(|k| (k * 37 % 101) as f32));
}

/// Components that are put side by side are one axis with their pixels; images one after another are not.
#[test]
fn components_are_one_axis_with_pixels() {
    let parts = |shape: [usize; 3]| {
        let parts = [0.0, 1.0, 2.0].map(|first| Array::<f32>::uniform(&shape, 5) + first);
        for part in &parts {
            part.eval().unwrap();
        }
        parts
    };
    let is_one = |parts: [Array<f32>; 3], axis: usize| {
        let explained = concat(&parts.iter().collect::<Vec<_>>(), axis).explain().unwrap();
        explained.lcu().contains("points {")
    };
    assert!(is_one(parts([20, 30, 1]), 2));
    assert!(!is_one(parts([20, 30, 3]), 1));
}

/// Axes next to each other that go before others are gone along as one; the order of the sums stays.
#[test]
fn leading_axes_go_as_one() {
    let x = Array::<f32>::uniform(&[20, 30, 4, 5], 3);
    x.eval().unwrap();
    let sums = |axes: &[usize]| (&x * 2.0).sum_axes(axes);
    let explained = sums(&[0, 1]).explain().unwrap();
    assert!(explained.lcu().contains("over 4, 5, points {"), "{explained}");
    let rows = x.reshape(&[600, 4, 5]);
    assert_eq!(sums(&[0, 1]).to_vec().unwrap(), (rows * 2.0).sum_axis(0).to_vec().unwrap());
    let rows = x.reshape(&[20, 120, 5]);
    assert_eq!(sums(&[1, 2]).to_vec().unwrap(), (rows * 2.0).sum_axis(1).to_vec().unwrap());
    // Nothing follows these.
    let explained = sums(&[2, 3]).explain().unwrap();
    assert!(explained.lcu().contains("over d0, d1, 4, 5 {"), "{explained}");
    // An argument that has not all axes, or looks elsewhere.
    let tall = Array::<f32>::uniform(&[30, 1, 5], 4);
    let explained = (&x * &tall).sum_axes(&[0, 1]).explain().unwrap();
    assert!(explained.lcu().contains("over 4, 5, d"), "{explained}");
    let wide = Array::<f32>::uniform(&[20, 1, 4, 5], 4);
    let explained = (&x * &wide).sum_axes(&[0, 1]).explain().unwrap();
    assert!(explained.lcu().contains("over 4, 5, d"), "{explained}");
    let moved = (&x + x.shift(&[1, 1, 0, 0], Border::Wrap)).sum_axes(&[0, 1]).to_vec().unwrap();
    let twice = (&x * 2.0).sum_axes(&[0, 1]).to_vec().unwrap();
    assert!(moved.iter().zip(&twice).all(|(a, b)| (a - b).abs() < 1e-2), "{moved:?} {twice:?}");
}

#[test]
fn the_same_shape_again_compiles_nothing() {
    let engine = Engine::new(EngineConfig::default());
    engine.run(|| {
        let expression = |x: &Array<f32>, k: f32| (x * k + 1.0).sum_axis(0).to_vec().unwrap();
        expression(&image(), 2.0);
        expression(&image(), 3.0);
        let before = engine.counts();
        for k in 4..20 {
            let x = Array::ones(&[k, 3 * k]);
            x.eval().unwrap();
            assert_eq!(expression(&x, k as f32), vec![(k * k + k) as f32; 3 * k]);
        }
        // Ones of small shapes, then of any; the expression over any shape.
        assert!(engine.counts().plans - before.plans <= 3, "{:?} {before:?}", engine.counts());
    });
}

/// Many arrays are copied into one: nothing is compiled for them, whatever their number.
#[test]
fn many_arrays_one_after_another() {
    let engine = Engine::new(EngineConfig::default());
    engine.run(|| {
        let parts: Vec<Array<i32>> = (0..100).map(|k| Array::new(vec![k; 6], &[2, 3])).collect();
        let all: Vec<&Array<i32>> = parts.iter().collect();
        let (long, deep) = (concat(&all, 0), stack(&all, 0));
        assert_eq!(long.to_vec().unwrap(), (0..100).flat_map(|k| [k; 6]).collect::<Vec<_>>());
        assert_eq!((long.shape()[..].to_vec(), deep.shape()[..].to_vec()), (vec![200, 3], vec![100, 2, 3]));
        assert_eq!(deep.to_vec().unwrap(), long.to_vec().unwrap());
        assert_eq!(engine.counts().plans, 0, "{:?}", engine.counts());
        let doubled: Vec<Array<i32>> = parts[..20].iter().map(|part| part * 2).collect();
        let explained = (concat(&doubled.iter().collect::<Vec<_>>(), 0) + 1).explain().unwrap();
        assert!(!explained.lcu().contains("if"), "{explained}");
        // Beside each other in rows: one plan for any number of them.
        for count in [20, 50, 100] {
            let wide = concat(&all[..count], 1).to_vec().unwrap();
            let row: Vec<i32> = (0..count as i32).flat_map(|k| [k; 3]).collect();
            assert_eq!(wide, [row.clone(), row].concat());
        }
        let between = stack(&all, 1).to_vec().unwrap();
        assert_eq!(between[..6], [0, 0, 0, 1, 1, 1]);
        let last = stack(&all, 2).to_vec().unwrap();
        assert_eq!(last[..4], [0, 1, 2, 3]);
        assert!(engine.counts().plans <= 6, "{:?}", engine.counts());
    });
}

/// The same in programs of `jit`, and for parts that are computed: no plan grows with their number.
#[test]
fn many_computed_arrays_one_after_another() {
    let engine = Engine::new(EngineConfig::default());
    engine.run(|| {
        let parts: Vec<Array<i64>> = (0..100).map(|k| Array::from_vec(vec![k, 2 * k])).collect();
        let scale = Array::scalar(3);
        let joined = |parts: &[Array<i64>], axis: usize| {
            let total = parts[0].sum() + 1;
            let parts: Vec<Array<i64>> = parts.iter().map(|part| part * &total + &scale).collect();
            stack(&parts.iter().collect::<Vec<_>>(), axis)
        };
        let rows = |count: i64| -> Vec<i64> { (0..count).flat_map(|k| [k + 3, 2 * k + 3]).collect() };
        assert_eq!(joined(&parts, 0).to_vec().unwrap(), rows(100));
        // What all parts need, a part, and nothing for their number.
        let plans = engine.counts().plans;
        assert!(plans <= 3, "{:?}", engine.counts());
        assert_eq!(joined(&parts[..50], 0).to_vec().unwrap(), rows(50));
        assert_eq!(engine.counts().plans, plans, "{:?}", engine.counts());

        let program = jit(|parts: Vec<Array<i64>>| {
            let both = joined(&parts, 0);
            (&both - 3, joined(&parts, 1).sum_axis(1), both)
        });
        for count in [100, 40, 40] {
            let (less, sums, both) = program.call((&parts[..count].to_vec(),)).unwrap();
            let rows = rows(count as i64);
            assert_eq!(both.to_vec().unwrap(), rows);
            assert_eq!(less.to_vec().unwrap(), rows.iter().map(|x| x - 3).collect::<Vec<_>>());
            let sum = |at: usize| rows.iter().skip(at).step_by(2).sum::<i64>();
            assert_eq!(sums.to_vec().unwrap(), [sum(0), sum(1)]);
        }
        assert!(engine.counts().plans <= plans + 8, "{:?}", engine.counts());
        let explained = program.explain((&parts,)).unwrap();
        assert!(!explained.lcu().contains("if"), "{explained}");
        // Other arguments for the same program, and what it captured once.
        let other: Vec<Array<i64>> = (0..40).map(|k| Array::from_vec(vec![-k, k])).collect();
        let (_, _, both) = program.call((&other,)).unwrap();
        assert_eq!(both.to_vec().unwrap()[2..6], [2, 4, 1, 5]);
        let constants = jit(|x: Array<i64>| (x.clone() + stack(&[&x.sum(); 20], 0).sum(), joined(&parts, 0)));
        for k in 0..3 {
            let (sum, both) = constants.call((&Array::from_vec(vec![k, k]),)).unwrap();
            assert_eq!((sum.to_vec().unwrap(), both.to_vec().unwrap()), (vec![41 * k; 2], rows(100)));
        }
    });
}

#[test]
fn many_arrays_of_different_kinds() {
    // Of different lengths, empty ones among them, along each axis.
    for axis in 0..3 {
        let shape = |k: usize| {
            let mut shape = [2, 3, 2];
            shape[axis] = k * 7 % 5;
            shape
        };
        let element = |k: usize, at: usize| (100 * k + at) as i64;
        let parts: Vec<Array<i64>> = (0..40)
            .map(|k| {
                let shape = shape(k);
                Array::new((0..shape.iter().product()).map(|at| element(k, at)).collect(), &shape)
            })
            .collect();
        let all: Vec<&Array<i64>> = parts.iter().collect();
        // The same in small steps.
        let mut few = parts[0].clone();
        for part in &all[1..] {
            few = concat(&[&few, part], axis);
        }
        assert_eq!(concat(&all, axis).to_vec().unwrap(), few.to_vec().unwrap(), "{axis}");
    }
    // Computed numbers, with more computed of what they make.
    let x = Array::from_vec(vec![1.5f64, 2.5]);
    let numbers: Vec<Array<f64>> = (0..30)
        .map(|k| if k % 2 == 0 { x.sum() * f64::from(k) } else { Array::scalar(f64::from(k)) })
        .collect();
    let all: Vec<&Array<f64>> = numbers.iter().collect();
    let line = stack(&all, 0) + 1.0;
    assert_eq!(line.slice(0, 0..4).to_vec().unwrap(), [1.0, 2.0, 9.0, 4.0]);
    assert_eq!(line.compress(&stack(&all, 0).gt(100.0)).unwrap().to_vec().unwrap(), [105.0, 113.0]);
    let twice = concat(&[&line; 20], 0);
    assert_eq!(twice.sum().item().unwrap(), 20.0 * line.sum().item().unwrap());
    let flags: Vec<Array<bool>> = (0..33).map(|k| Array::from_vec(vec![k % 3 == 0; 3])).collect();
    assert_eq!(stack(&flags.iter().collect::<Vec<_>>(), 0).count().item().unwrap(), 33);
}
