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
    assert_eq!(
        format!("{:?}", Array::<i32>::index(&[2, 500], 1)),
        "[2, 500] i32 [[0, 1, 2, …, 497, 498, 499],\n [0, 1, 2, …, 497, 498, 499]]"
    );
    // However many axes there are, and however many elements.
    for shape in [&[7; 6][..], &[3; 8], &[2, 100_000, 2], &[0, 1000]] {
        let text = format!("{:?}", Array::<u8>::fill(7, shape));
        assert!(text.len() < 8000, "{shape:?}: {}", text.len());
    }
    let rows: Ragged<i64> = (0..1000).map(|k| vec![k; k as usize % 50]).collect();
    let text = format!("{rows:?}");
    assert!(
        text.starts_with("[[], [1], [2, 2], …, ") && text.ends_with("[999, 999, 999, …, 999, 999, 999]]"),
        "{text}"
    );
    assert_eq!(format!("{:?}", Ragged::from_rows(&[vec![1], vec![2, 3]])), "[[1], [2, 3]]");
}

#[test]
fn errors_read_well() {
    let error = Array::<i32>::ones(&[2]).try_add(Array::ones(&[3])).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.to_string().starts_with("add at crates/nestled-array/src/tests.rs:"), "{error}");
    let says = |error: Error, operation: &str| {
        assert_eq!(error.operation(), operation, "{error}");
        assert!(error.place().is_some_and(|place| place.file() == file!()), "{error}");
    };
    let (x, m) = (Array::from_vec(vec![1.0, 2.0]), Array::<f64>::ones(&[3, 3]));
    says(x.try_clamp(0.0, Array::ones(&[3])).unwrap_err(), "clamp");
    says(x.try_mul_add(Array::ones(&[3]), 1.0).unwrap_err(), "mul_add");
    says(x.try_ge(Array::ones(&[3])).unwrap_err(), "ge");
    says(x.try_shift(&[2], Border::Reflect).unwrap_err(), "shift");
    says(x.try_neighbour(&[2], Border::Reflect).unwrap_err(), "neighbour");
    says(x.try_pad(&[2], &[0], Border::Reflect).unwrap_err(), "pad");
    says(m.try_stencil(&[&[4, 0]], &[1.0], Border::Reflect).unwrap_err(), "stencil");
    says(m.try_every(2, 0, 1).unwrap_err(), "every");
    says(m.try_every(1, 5, 0).unwrap_err(), "every");
    says(m.try_slice(1, 2..9).unwrap_err(), "slice");
    says(m.try_sum_axis(2).unwrap_err(), "sum_axis");
    says(m.try_max_axes(&[1, 1]).unwrap_err(), "max_axes");
    says(m.try_cumsum(2).unwrap_err(), "cumsum");
    says(m.try_argsort(2).unwrap_err(), "argsort");
    says(m.try_inner(&x).unwrap_err(), "inner");
    says(m.try_inner_with(&x, Operator::Min, |a, b| a + b).unwrap_err(), "inner_with");
    says(m.compress_axis(0, &x.gt(0.0)).unwrap_err(), "compress_axis");
    says(m.try_reduce_with(2, 0.0, |a, b| a + b).unwrap_err(), "reduce_with");
    says(Array::<f32>::read_npy("/nowhere/at/all.npy").unwrap_err(), "read_npy");
    says(x.write_npy("/nowhere/at/all.npy").unwrap_err(), "write_npy");
    let places = Array::from_vec(vec![5i64]);
    says(x.gather(&[&places], Outside::Fault).to_vec().unwrap_err(), "gather");
    says(x.take(0, &places, Outside::Fault).to_vec().unwrap_err(), "take");
    says(x.take_along(0, &places, Outside::Fault).to_vec().unwrap_err(), "take_along");
    says(x.gather_packed(&places.reshape(&[1, 1]), Outside::Fault).to_vec().unwrap_err(), "gather_packed");
    let why = std::panic::catch_unwind(|| Array::<f32>::ones(&[2]).minus(Array::ones(&[3]))).unwrap_err();
    assert!(why.downcast_ref::<String>().unwrap().starts_with("minus at crates/nestled-array/src/tests.rs"));
    let why = std::panic::catch_unwind(|| Array::<f32>::ones(&[2]) - Array::ones(&[3])).unwrap_err();
    assert!(why.downcast_ref::<String>().unwrap().starts_with("- at crates/nestled-array/src/tests.rs"));
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

#[test]
fn complex_division() {
    let of = |re: &[f64], im: &[f64]| Complex::new(Array::from_slice(re), Array::from_slice(im));
    let (a, b) = (
        of(&[1.0, 3.0, 1e300, 0.0, 5.0], &[2.0, -1.0, 1e300, 1.0, 0.0]),
        of(&[3.0, 0.0, 1e300, 0.5, 2.0], &[-4.0, 2.0, -1e300, 0.5, 0.0]),
    );
    let quotient = &a / &b;
    assert_eq!(quotient.re.to_vec().unwrap(), [-0.2, -0.5, 0.0, 1.0, 2.5]);
    assert_eq!(quotient.im.to_vec().unwrap(), [0.4, -1.5, 1.0, 1.0, 0.0]);
    // Back again, and values as well as references.
    let back = quotient.clone() * b.clone() - a;
    assert!(back.norm().to_vec().unwrap()[..2].iter().all(|&far| far < 1e-28));
    let real = Complex::from(Array::from_vec(vec![2.0])) / of(&[0.0], &[0.0]);
    assert!(real.re.item().unwrap().is_infinite() && real.im.item().unwrap().is_nan());
}

#[test]
fn programs_of_all_that_is_made_of_arrays() {
    let sums = jit(|all: Vec<Array<i32>>, scale: Array<i32>| {
        let total = all.iter().fold(Array::zeros(&[2]), |sum, one| sum + one);
        (all.iter().map(|one| one * &scale).collect::<Vec<_>>(), total)
    });
    let (a, b) = (Array::from([1, 2]), Array::from([3, 4]));
    for list in [
        vec![],
        vec![a.clone()],
        vec![a.clone(), b.clone()],
        vec![b.clone(), a.clone()],
        vec![a.clone(), a.clone()],
    ] {
        let (scaled, total) = sums.call((&list, &Array::scalar(10))).unwrap();
        let plain: Vec<Vec<i32>> = list.iter().map(|one| one.to_vec().unwrap()).collect();
        let found: Vec<Vec<i32>> = scaled.iter().map(|one| one.to_vec().unwrap()).collect();
        assert_eq!(
            found,
            plain.iter().map(|one| one.iter().map(|x| x * 10).collect()).collect::<Vec<Vec<_>>>()
        );
        let expected: Vec<i32> = (0..2).map(|at| plain.iter().map(|one| one[at]).sum()).collect();
        assert_eq!(total.to_vec().unwrap(), expected);
    }
    // Two vectors of one array each, or one of two: as many arrays, and another program.
    let split =
        jit(|all: Vec<Vec<Array<i32>>>| Array::scalar(all.len() as i32) + all[0][0].sum().cast::<i32>());
    assert_eq!(split.call((&vec![vec![a.clone()], vec![b.clone()]],)).unwrap().item().unwrap(), 5);
    assert_eq!(split.call((&vec![vec![a.clone(), b.clone()]],)).unwrap().item().unwrap(), 4);
    let turn = jit(|z: Complex<f64>| (&z * &z, z.conj()));
    let (square, other) = turn.call((&Complex::new(Array::from([0.0]), Array::from([2.0])),)).unwrap();
    assert_eq!((square.re.item().unwrap(), other.im.item().unwrap()), (-4.0, -2.0));
    let rows = jit(|rows: Ragged<i64>, by: Array<i64>| {
        let sums = rows.sum();
        (rows.map(|x| x * &by).sort(), rows.map_with_segment(&sums, |x, sum| sum - x), sums)
    });
    for list in [vec![vec![3, 1], vec![], vec![2]], vec![vec![], vec![], vec![5, 6, 4]], vec![vec![7]]] {
        let (sorted, rest, sums) = rows.call((&Ragged::from_rows(&list), &Array::scalar(-1))).unwrap();
        let totals: Vec<i64> = list.iter().map(|row| row.iter().sum()).collect();
        let mut expected: Vec<Vec<i64>> = list.iter().map(|row| row.iter().map(|x| -x).collect()).collect();
        expected.iter_mut().for_each(|row| row.sort());
        assert_eq!(sorted.to_rows().unwrap(), expected);
        let others = list.iter().zip(&totals).map(|(row, sum)| row.iter().map(|x| sum - x).collect());
        assert_eq!(
            (rest.to_rows().unwrap(), sums.to_vec().unwrap()),
            (others.collect::<Vec<Vec<_>>>(), totals.clone())
        );
    }
    // What is data cannot be asked for while the program is traced; the error says where.
    let wrong = jit(|x: Array<i64>| x.compress(&x.gt(0)).map_or(Array::zeros(&[1]), |kept| kept));
    assert_eq!(wrong.call((&Array::from([1i64, -1]),)).unwrap().to_vec().unwrap(), [0]);
}
