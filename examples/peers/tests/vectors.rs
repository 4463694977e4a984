//! Vectors and matrices.

use crate::given::{Given, close, noise, signed};

#[test]
fn sums_and_products() {
    let (n, wide) = (37, |x: &f32| f64::from(*x));
    let (a, b, x) = (signed(n * n, 1), signed(n * n, 2), signed(n, 3));
    let given = Given::new("A1").with("x", &a, &[n, n]);
    let sum = a.iter().map(|x| wide(x).abs()).sum::<f64>();
    close(&given.result::<f32>("A1").0, &[sum], 1e-5);

    let given = Given::new("A2").with("a", &a, &[n, n]).with("x", &x, &[n]);
    let row = |row: &[f32]| row.iter().zip(&x).map(|(a, x)| wide(a) * wide(x)).sum::<f64>();
    close(&given.result::<f32>("A2").0, &a.chunks(n).map(row).collect::<Vec<_>>(), 1e-5);

    let given = Given::new("A3").with("a", &a, &[n, n]).with("b", &b, &[n, n]);
    let at = |k: usize| (0..n).map(|j| wide(&a[k / n * n + j]) * wide(&b[j * n + k % n])).sum::<f64>();
    let (found, shape) = given.result::<f32>("A3");
    assert_eq!(shape, [n, n]);
    close(&found, &(0..n * n).map(at).collect::<Vec<_>>(), 1e-5);

    let given = Given::new("N1").with("x", &a, &[n * n]).with("y", &b, &[n * n]);
    let dot = a.iter().zip(&b).map(|(a, b)| wide(a) * wide(b)).sum();
    close(&given.result::<f32>("N1").0, &[dot], 1e-5);
}

#[test]
fn elementwise() {
    let n = 1003;
    let (x, y) = (noise(n, 4), noise(n, 5));
    let given = Given::new("N12").with("x", &x, &[n]).with("y", &y, &[n]);
    let chain = |(x, y): (&f32, &f32)| {
        let (x, y) = (f64::from(*x), f64::from(*y));
        ((1.5 * x + y).powi(2) - x).abs().sqrt() * 0.7 + y
    };
    close(&given.result::<f32>("N12").0, &x.iter().zip(&y).map(chain).collect::<Vec<_>>(), 1e-4);

    let years: Vec<f32> = noise(n, 6).iter().map(|t| 0.25 + 9.75 * t).collect();
    let prices: Vec<f32> = x.iter().map(|x| 5.0 + 25.0 * x).collect();
    let strikes: Vec<f32> = y.iter().map(|y| 1.0 + 99.0 * y).collect();
    let given = Given::new("N3").with("s", &prices, &[n]).with("k", &strikes, &[n]).with("t", &years, &[n]);
    let option = |at: usize| {
        let [s, k, t] = [prices[at], strikes[at], years[at]].map(f64::from);
        let spread = 0.3 * t.sqrt();
        let d1 = ((s / k).ln() + (0.02 + 0.045) * t) / spread;
        let later = k * (-0.02 * t).exp();
        let call = s * normal(d1) - later * normal(d1 - spread);
        [call, call - s + later]
    };
    let options: Vec<[f64; 2]> = (0..n).map(option).collect();
    let expected: Vec<f64> = [0, 1].iter().flat_map(|&which| options.iter().map(move |o| o[which])).collect();
    let (found, shape) = given.result::<f32>("N3");
    assert_eq!(shape, [2, n]);
    close(&found, &expected, 2e-5);
}

/// The cumulative normal distribution, by Marsaglia's series.
fn normal(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() && k < 1e3 {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

#[test]
fn prefixes_filters_and_counts() {
    let n = 2011;
    let (x, unit) = (signed(n, 7), noise(n, 8));
    let given = Given::new("N8F").with("x", &x, &[n]);
    let mut sum = 0.0;
    let next = |x: &f32| {
        sum += f64::from(*x);
        sum
    };
    close(&given.result::<f32>("N8F").0, &x.iter().map(next).collect::<Vec<_>>(), 1e-5);

    let whole: Vec<i32> = x.iter().map(|x| (x * 100.0) as i32).collect();
    let given = Given::new("N8I").with("x", &whole, &[n]);
    let mut sum = 0;
    let next = |x: &i32| {
        sum += x;
        sum
    };
    assert_eq!(given.result::<i32>("N8I").0, whole.iter().map(next).collect::<Vec<_>>());

    let given = Given::new("N10").with("x", &x, &[n]);
    let kept: Vec<f32> = x.iter().copied().filter(|x| *x > 0.0).collect();
    assert_eq!(given.result::<f32>("N10").0, kept);

    let given = Given::new("N11").with("x", &unit, &[n]);
    let mut counts = [0i64; 256];
    unit.iter().for_each(|x| counts[(x * 256.0) as usize] += 1);
    assert_eq!(given.result::<i64>("N11").0, counts);
}

#[test]
fn sorts() {
    let whole: Vec<i32> = signed(1500, 9).iter().map(|x| (x * 2e9) as i32).collect();
    let mut sorted = whole.clone();
    sorted.sort_unstable();
    let given = Given::new("N2").with("x", &whole, &[1500]);
    assert_eq!(given.result::<i32>("N2").0, sorted);
    let wide: Vec<i64> = sorted.into_iter().map(i64::from).collect();
    assert_eq!(given.result::<i64>("N2Q").0, wide);
}
