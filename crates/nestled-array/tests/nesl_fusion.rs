//! Calls of functions in NESL as parts of the graph: how many kernels come of them, and what is computed at the call.

use nestled_array::{Array, Engine, EngineConfig, Nesl, Ragged, Reason, Segments, jit, nesl};
use nestled_test::again;

nesl! {
    "function squares(v) = {x * x : x in v};
     function scaled(rows, by) = {{x * by + 1.0 : x in row} : row in rows};
     function sums(rows) = {sum(row) : row in rows};
     function dot(a, b) = sum({x * y : x in a; y in b});
     function both(a, b) = {x + y : x in a; y in b};
     function means(rows) = {sum(row) / float(#row) : row in rows};
     function evens(v) = {x in v | rem(x, 2) == 0};
     function swapped(rows) = {{(y, x) : (x, y) in row} : row in rows};
     function twice_each(v) = flatten({[x, x + 1] : x in v});
     function at(v, i) = {v[j] : j in i};
     function fact(n) = if n <= 1 then 1 else n * fact(n - 1);
     function facts(v) = {fact(n) : n in v};
     function centred(rows) = {let m = sum(row) * 0.5 in {x - m : x in row} : row in rows};";
    fn squares(v: Array<f64>) -> Array<f64>;
    fn scaled(rows: Ragged<f64>, by: f64) -> Ragged<f64>;
    fn sums(rows: Ragged<f64>) -> Array<f64>;
    fn dot(a: Array<f64>, b: Array<f64>) -> f64;
    fn both(a: Array<f64>, b: Array<f64>) -> Array<f64>;
    fn means(rows: Ragged<f64>) -> Array<f64>;
    fn evens(v: Array<i64>) -> Array<i64>;
    fn swapped(rows: Ragged<(i64, f64)>) -> Ragged<(f64, i64)>;
    fn twice_each(v: Array<i64>) -> Array<i64>;
    fn at(v: Array<i64>, i: Array<i64>) -> Array<i64>;
    fn facts(v: Array<i64>) -> Array<i64>;
    fn centred(rows: Ragged<f64>) -> Ragged<f64>;
}

fn lengths(count: usize) -> Vec<usize> {
    (0..count).map(|row| row * 7 % 11).collect()
}

/// Rows of numbers that are there.
fn rows() -> Ragged<f64> {
    let segments = Segments::from_lengths(&lengths(100));
    let values: Vec<f64> = (0..segments.total()).map(|at| (at * 37 % 101) as f64 * 0.25 - 3.0).collect();
    Ragged::new(&Array::from_vec(values), &segments).unwrap()
}

fn kernels(wanted: &dyn nestled_array::Evaluate) -> usize {
    Engine::current().explain(&[wanted]).unwrap().kernels()
}

/// A value that is computed, apart from what made it and from what reads it.
fn by_itself(rows: &Ragged<f64>) -> Ragged<f64> {
    Engine::current().eval(&[rows]).unwrap();
    rows.clone()
}

#[test]
fn arithmetic_a_function_and_a_reduction_are_one_kernel() {
    let fused = scaled(rows().map(|x| x * 2.0 - 1.0), 3.0).unwrap().map(|x| x.abs()).sum();
    assert!(!fused.is_ready());
    assert_eq!(kernels(&fused), 1, "{}", fused.explain().unwrap());
    let before = by_itself(&rows().map(|x| x * 2.0 - 1.0));
    let apart = by_itself(&scaled(before, 3.0).unwrap()).map(|x| x.abs()).sum();
    assert_eq!(fused.to_vec().unwrap(), apart.to_vec().unwrap());
}

#[test]
fn sums_of_rows_go_along_with_what_reads_them() {
    let fused = (sums(rows().map(|x| x + 0.5)).unwrap() * 2.0).sqrt();
    assert_eq!(kernels(&fused), 1, "{}", fused.explain().unwrap());
    let apart = sums(by_itself(&rows().map(|x| x + 0.5))).unwrap();
    apart.eval().unwrap();
    let bits = |array: &Array<f64>| array.to_vec().unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(&fused), bits(&(apart * 2.0).sqrt()));
    // A sum, and what goes back to the elements.
    let centred = centred(rows().map(|x| x * 3.0)).unwrap().max();
    assert_eq!(kernels(&centred), 1, "{}", centred.explain().unwrap());
}

#[test]
fn chains_of_functions_are_one_kernel() {
    let v = Array::from_vec((0..1000).map(f64::from).collect());
    let fused = squares(squares(v.clone() * 0.5).unwrap() + 1.0).unwrap().sum();
    assert_eq!(kernels(&fused), 1, "{}", fused.explain().unwrap());
    let apart = {
        let first = squares(v * 0.5).unwrap();
        first.eval().unwrap();
        let second = squares(first + 1.0).unwrap();
        second.eval().unwrap();
        second.sum()
    };
    assert_eq!(fused.item().unwrap().to_bits(), apart.item().unwrap().to_bits());
}

#[test]
fn what_a_function_gives_back_as_it_is_stays_one_array() {
    let keys = Ragged::from_rows(&[vec![1, 2], vec![], vec![3]]);
    let pairs = keys.zip(&keys.map(|key| key.cast::<f64>() * 0.5)).unwrap();
    let made = swapped(pairs).unwrap();
    assert!(!made.segments().lengths().is_ready() || keys.segments().lengths().is_ready());
    let (halves, whole) = made.unzip();
    assert_eq!(whole.to_rows().unwrap(), [vec![1, 2], vec![], vec![3]]);
    assert_eq!(halves.to_rows().unwrap(), [vec![0.5, 1.0], vec![], vec![1.5]]);
    // Lengths of results are those of the arguments, so that kernels over both have one segmentation.
    let scaled = scaled(rows(), 2.0).unwrap();
    assert!(scaled.segments().lengths().is_ready());
}

/// The lengths of results follow from those of arguments by arithmetic too.
#[test]
fn lengths_are_computed_from_lengths() {
    let made = twice_each(Array::from_vec(vec![1, 5, 9]) * 10).unwrap();
    assert!(!made.is_ready());
    assert_eq!(made.to_vec().unwrap(), [10, 11, 50, 51, 90, 91]);
}

/// Two sequences that must be equally long: the call finds out, as ever; where they are, nothing is left that may fault.
#[test]
fn equal_lengths_are_known_at_the_call() {
    let (a, b) = (Array::from_vec(vec![1.0, 2.0, 3.0]), Array::from_vec(vec![0.5, 0.25, 2.0]));
    let sum = both(a.clone() * 2.0, b.clone()).unwrap();
    assert!(!sum.is_ready());
    assert_eq!(kernels(&sum.sum()), 1, "{}", sum.sum().explain().unwrap());
    assert_eq!(sum.to_vec().unwrap(), [2.5, 4.25, 8.0]);
    let wrong = both(a.clone(), Array::from_vec(vec![1.0])).unwrap_err();
    assert!(matches!(wrong.reason(), Reason::Fault(_)), "{wrong}");
    assert!(wrong.to_string().contains("`a` has 3 elements, `b` has 1"), "{wrong}");
    // A number is there when the call returns, and its arguments are part of its program.
    let engine = Engine::new(EngineConfig::default());
    let product = engine.run(|| dot(a * 2.0, b + 1.0)).unwrap();
    assert_eq!((product, engine.counts().evaluations), (26.0, 1));
}

/// Where lengths are equal by chance, another call with other lengths uses no plan that relied on it.
#[test]
fn other_lengths_find_other_plans() {
    for (n, m) in [(30, 30), (30, 31), (31, 31), (40, 30), (40, 40)] {
        let a = Array::<f64>::range(n) + 1.0;
        let b = Array::<f64>::range(m) + 1.0;
        match both(a, b) {
            Ok(sum) => {
                assert_eq!((n, sum.to_vec().unwrap()), (m, (0..n).map(|i| 2.0 * (i as f64 + 1.0)).collect()))
            }
            Err(wrong) => assert!(n != m && wrong.to_string().contains("elements"), "{wrong}"),
        }
    }
}

/// What may fault, recurs, or has a length that is data is computed at the call.
#[test]
fn the_rest_is_computed_at_the_call() {
    let full = Ragged::from_rows(&[vec![1.0, 3.0], vec![5.0]]);
    let found = means(full.map(|x| x * 2.0)).unwrap();
    assert!(found.is_ready());
    assert_eq!(found.to_vec().unwrap(), [4.0, 10.0]);
    let wrong = means(rows()).unwrap_err().to_string();
    assert!(wrong.contains("E:divide"), "{wrong}");
    let v = Array::<i64>::range(10) * 3;
    assert_eq!(evens(v.clone()).unwrap().to_vec().unwrap(), [0, 6, 12, 18, 24]);
    assert!(facts(v.clone().maximum(5).minimum(6)).unwrap().is_ready());
    let wrong = at(v.clone(), Array::from_vec(vec![1, 10])).unwrap_err().to_string();
    assert!(wrong.contains("position 10 of a sequence of 10"), "{wrong}");
    assert_eq!(at(v, Array::from_vec(vec![1, 9])).unwrap().to_vec().unwrap(), [3, 27]);
}

/// The parts of one call are computed together, and a loop compiles one plan.
#[test]
fn a_call_runs_once_and_a_loop_compiles_once() {
    let engine = Engine::new(EngineConfig::default());
    let text = Nesl::compile("function parts(v) = ({x + 1.0 : x in v}, {x * 2.0 : x in v});").unwrap();
    let parts = text.function::<(Array<f64>,), (Array<f64>, Array<f64>)>("parts").unwrap();
    engine.run(|| {
        let (more, twice) = parts.call((Array::from_vec(vec![1.0, 2.0]),)).unwrap();
        assert_eq!(more.to_vec().unwrap(), [2.0, 3.0]);
        assert!(twice.is_ready());
        assert_eq!(twice.to_vec().unwrap(), [2.0, 4.0]);
        assert_eq!(engine.counts().evaluations, 1);
        let before = engine.counts().plans;
        for round in 0..10 {
            let v = Array::from_vec(vec![f64::from(round); 100 + round as usize]);
            let found = squares(v + 1.0).unwrap().sum().item().unwrap();
            assert_eq!(found, f64::from((round + 1) * (round + 1) * (100 + round)));
        }
        assert!(engine.counts().plans - before <= 2, "{}", engine.counts().plans - before);
    });
}

#[test]
fn traced_closures_call_functions() {
    let norm = jit(|v: Array<f64>| squares(v * 2.0).unwrap().sum());
    assert_eq!(norm.call((&Array::from_vec(vec![1.0, 2.0]),)).unwrap().item().unwrap(), 20.0);
    assert_eq!(norm.call((&Array::from_vec(vec![3.0, 2.0]),)).unwrap().item().unwrap(), 52.0);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
