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
