use crate::*;

#[test]
fn first_steps() {
    let x = Array::new((0..12).map(|k| k as f32).collect(), &[3, 4]);
    let y = (&x * 2.0 + 1.0).sum_axis(1);
    assert_eq!(y.to_vec().unwrap(), [16.0, 48.0, 80.0]);
    assert_eq!(x.sum_axis(0).to_vec().unwrap(), [12.0, 15.0, 18.0, 21.0]);
    assert_eq!(x.sum().item().unwrap(), 66.0);
    assert_eq!(x.t().sum().item().unwrap(), 66.0);
    assert_eq!(x.shift(&[0, 1], Border::Default(9.0)).slice(0, 0..1).to_vec().unwrap(), [9.0, 0.0, 1.0, 2.0]);
    assert_eq!(x.argmax().item().unwrap(), 11);
    assert_eq!(x.cumsum(0).to_vec().unwrap()[8..], [12.0, 15.0, 18.0, 21.0]);
    assert_eq!(x.reverse(&[1]).at(0, 0).to_vec().unwrap(), [3.0, 2.0, 1.0, 0.0]);
    // On an engine of its own: others count what other tests do.
    let engine = Engine::new(EngineConfig::default());
    engine.run(|| {
        let x = Array::new((0..12).map(|k| k as f32).collect(), &[3, 4]);
        for k in 0..10 {
            let z = (&x * (k as f32) + 1.0).sum_axis(1);
            assert_eq!(z.to_vec().unwrap()[0], 6.0 * k as f32 + 4.0);
        }
    });
    assert!(engine.counts().plans <= 2, "{:?}", engine.counts());
}

#[test]
fn deep() {
    let a = Array::new(vec![1.0f32; 16], &[16]);
    let mut x = a.clone();
    for _ in 0..20_000 {
        x = &x * 0.999 + &a;
    }
    let v = x.to_vec().unwrap();
    assert!(v[0] > 990.0);
    let mut y = a.clone();
    for _ in 0..1_000_000 {
        y = &y + &a;
    }
    drop(y);
}

#[test]
fn data_decides_places() {
    let x = Array::from_vec(vec![10.0f32, 20.0, 30.0, 40.0]);
    let at = Array::from_vec(vec![3i64, 0, 9, -1]);
    assert_eq!(x.gather(&[&at], Outside::Clamp).to_vec().unwrap(), [40.0, 10.0, 40.0, 10.0]);
    assert_eq!(x.gather(&[&at], Outside::Wrap).to_vec().unwrap(), [40.0, 10.0, 20.0, 40.0]);
    assert_eq!(x.gather(&[&at], Outside::Default(5.0)).to_vec().unwrap(), [40.0, 10.0, 5.0, 5.0]);
    let error = x.gather(&[&at], Outside::Fault).to_vec().unwrap_err();
    assert!(matches!(error.reason(), Reason::Fault(_)), "{error}");
    assert!(error.to_string().starts_with("gather at crates/nestled-array/src/tests.rs:"), "{error}");
    let m = Array::new((0..6).collect::<Vec<i32>>(), &[2, 3]);
    let columns = Array::from_vec(vec![2i32, 0]);
    assert_eq!(m.take(1, &columns, Outside::Clamp).to_vec().unwrap(), [2, 0, 5, 3]);
    assert_eq!(m.take(0, &Array::from_vec(vec![1i32]), Outside::Clamp).to_vec().unwrap(), [3, 4, 5]);
    let s = Array::<i32>::zeros(&[5]).scatter(&[&at.cast::<i32>()], &Array::scalar(7), Collision::Last);
    assert_eq!(s.to_vec().unwrap(), [7, 0, 0, 7, 0]);
    assert_eq!(Array::from_vec(vec![1u8, 3, 3, 9]).histogram(4).to_vec().unwrap(), [0, 1, 0, 2]);
    assert_eq!(x.compress(&x.gt(15.0)).unwrap().to_vec().unwrap(), [20.0, 30.0, 40.0]);
    let counts = Array::from_vec(vec![2i64, 0, 3]);
    assert_eq!(m.repeat(1, &counts).unwrap().to_vec().unwrap(), [0, 0, 2, 2, 2, 3, 3, 5, 5, 5]);
    assert_eq!(concat(&[&m, &m, &m], 1).at(0, 1).to_vec().unwrap(), [3, 4, 5, 3, 4, 5, 3, 4, 5]);
    assert_eq!(stack(&[&m, &m.reverse(&[1])], 2).at(0, 0).to_vec().unwrap(), [0, 2, 1, 1, 2, 0]);
    assert_eq!(m.matmul(&m.t()).to_vec().unwrap(), [5, 14, 14, 50]);
    assert_eq!(m.matmul(&Array::from_vec(vec![1, 1, 1])).to_vec().unwrap(), [3, 12]);
    assert_eq!(m.inner(&m.t()).to_vec().unwrap(), [5, 14, 14, 50]);
    assert_eq!(m.at(0, 0).outer(&m.at(0, 1)).to_vec().unwrap(), [0, 0, 0, 3, 4, 5, 6, 8, 10]);
    let k = Array::new(vec![3, 1, 2, 9, 8, 7], &[2, 3]);
    assert_eq!(k.sort(1).to_vec().unwrap(), [1, 2, 3, 7, 8, 9]);
    assert_eq!(k.argsort(1).to_vec().unwrap(), [1, 2, 0, 2, 1, 0]);
    assert_eq!(k.sort_descending(0).to_vec().unwrap(), [9, 8, 7, 3, 1, 2]);
    let u = Array::<f64>::uniform(&[1000], 7);
    let mean = u.mean().item().unwrap();
    assert!((mean - 0.5).abs() < 0.05, "{mean}");
    let n = Array::<f32>::normal(&[1000], 7);
    assert!(n.mean().item().unwrap().abs() < 0.1);
}

#[test]
fn closures() {
    let x = Array::new((1..=6).map(f64::from).collect(), &[2, 3]);
    assert_eq!(x.reduce_with(1, 1.0, |a, b| a * b).to_vec().unwrap(), [6.0, 120.0]);
    assert_eq!(
        x.scan_with(1, 0.0, Inclusion::Inclusive, Direction::Forward, |a, b| a + b).to_vec().unwrap(),
        [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]
    );
    assert_eq!(x.map_with(|x| x.gt(3.0)).to_vec().unwrap(), [false, false, false, true, true, true]);
    assert_eq!(x.zip_with(&x, |a, b| a - b * 2.0).to_vec().unwrap()[5], -6.0);
    let horner = x.fold_with(1, 0.0, |sum, digit| sum * 10.0 + digit);
    assert_eq!(horner.to_vec().unwrap(), [123.0, 456.0]);
    assert_eq!(x.fold_with(0, 0i32, |n, x| x.gt(2.5).select(&n + 1, n)).to_vec().unwrap(), [1, 1, 2]);
    let error = x.try_map_with(|x| x.sum_axes(&[]) + Array::ones(&[2])).unwrap_err();
    assert!(error.to_string().contains("numbers, not on arrays"), "{error}");
}

#[test]
fn programs_as_values() {
    let f = jit(|x: Array<f32>, y: Array<f32>| (&x + &y, x.sum(), y));
    for k in 1..5 {
        let x = Array::from_vec(vec![k as f32; k]);
        let (a, b, c) = f.call((&x, &x)).unwrap();
        assert_eq!(a.to_vec().unwrap(), vec![2.0 * k as f32; k]);
        assert_eq!(b.item().unwrap(), (k * k) as f32);
        assert_eq!(c.to_vec().unwrap(), vec![k as f32; k]);
    }
}

#[test]
fn text() {
    let x = Array::new(vec![1.5f32, 2.0, 3.0, 4.0], &[2, 2]);
    assert_eq!(format!("{x:?}"), "[2, 2] f32 [[1.5, 2.0],\n [3.0, 4.0]]");
    assert_eq!(format!("{:?}", Array::<i32>::range(1000)), "[1000] i32 [0, 1, 2, …, 997, 998, 999]");
}

#[test]
fn rows_of_any_length() {
    let rows = Ragged::from_rows(&[vec![3i32, 1, 2], vec![], vec![5, 4], vec![9]]);
    assert_eq!(rows.sum().to_vec().unwrap(), [6, 0, 9, 9]);
    assert_eq!(rows.map(|x| x * 10).max().to_vec().unwrap(), [30, i32::MIN, 50, 90]);
    assert_eq!(rows.sort().to_rows().unwrap(), [vec![1, 2, 3], vec![], vec![4, 5], vec![9]]);
    let prefixes = rows.scan(Operator::Add, Inclusion::Inclusive, Direction::Forward);
    assert_eq!(prefixes.to_rows().unwrap(), [vec![3, 4, 6], vec![], vec![5, 9], vec![9]]);
    assert_eq!(rows.filter(|x| x.gt(2)).unwrap().to_rows().unwrap(), [vec![3], vec![], vec![5, 4], vec![9]]);
    assert_eq!(rows.slice(1..3).unwrap().to_rows().unwrap(), [vec![], vec![5, 4]]);
    assert_eq!(rows.segments().owners().to_vec().unwrap(), [0, 0, 0, 2, 2, 3]);
    assert_eq!(rows.segments().places().to_vec().unwrap(), [0, 1, 2, 0, 1, 0]);
    let centred = rows.map_with_segment(&rows.max(), |x, max| x - max);
    assert_eq!(centred.to_rows().unwrap(), [vec![0, -2, -1], vec![], vec![0, -1], vec![0]]);
    // A sparse matrix times a vector.
    let (columns, x) = (Array::from_vec(vec![0i32, 2, 1, 1, 0, 2]), Array::from_vec(vec![10, 20, 30]));
    let product = rows.map(|a| a * x.gather(&[&columns], Outside::Fault));
    assert_eq!(product.sum().to_vec().unwrap(), [3 * 10 + 30 + 2 * 20, 0, 5 * 20 + 4 * 10, 9 * 30]);
}

#[test]
fn components() {
    for components in [2, 3, 4, 5] {
        for n in [20, 21] {
            let image = Array::new((0..n * 6 * components).map(|k| k as f32).collect(), &[n, 6, components]);
            let planes = image.unstack(2);
            let back = stack(
                &planes.iter().map(|plane| plane + 1.0).collect::<Vec<_>>().iter().collect::<Vec<_>>(),
                2,
            );
            assert_eq!((&back - &image).to_vec().unwrap(), vec![1.0; n * 6 * components]);
            let row = Array::<i64>::index(&[n, 6, 1], 0) + 1;
            let column = Array::<i64>::index(&[n, 6, 1], 1);
            let component = Array::<i64>::range(components);
            let below = image.gather(&[&row, &column, &component], Outside::Default(0.0)) - &image;
            let expected = Array::fill((6 * components) as f32, &[n, 6, components]);
            let differs = below.ne(&expected).sum_of_rows();
            assert_eq!(differs, (6 * components) as i64);
        }
    }
}

impl Array<bool> {
    fn sum_of_rows(&self) -> i64 {
        self.count().item().unwrap()
    }
}

#[test]
fn quaternions() {
    let one =
        |w, x, y, z| Quaternion::new(Array::scalar(w), Array::scalar(x), Array::scalar(y), Array::scalar(z));
    let parts = |q: &Quaternion<f64>| [&q.w, &q.x, &q.y, &q.z].map(|part| part.item().unwrap());
    let (i, j) = (one(0.0, 1.0, 0.0, 0.0), one(0.0, 0.0, 1.0, 0.0));
    assert_eq!(parts(&(&i * &j)), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(parts(&(&j * &i)), [0.0, 0.0, 0.0, -1.0]);
    let q = one(1.0, 2.0, 3.0, 4.0);
    assert_eq!(parts(&(&q * &q.conj())), [30.0, 0.0, 0.0, 0.0]);
    let (a, b) = (Complex::turn(&Array::scalar(0.3f64)), Complex::turn(&Array::scalar(0.5)));
    assert!(((&a * &b).arg().item().unwrap() - 0.8).abs() < 1e-12);
    assert!(((&a + &-&a).norm().item().unwrap()).abs() < 1e-12);
}
