//! Compute-bound benchmarks: much arithmetic for each point.

use super::{float, floats, vector};
use crate::bench::{Bound, CArguments, Case, Work};
use crate::random::Random;
use nestled_ir::ScalarType::{F32, I32};
use nestled_ir::value::{AxisValue, Buffer};

/// The interest rate and the volatility.
const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.30;

pub(super) fn black_scholes(n: usize) -> Case {
    let mut random = Random::new("black-scholes");
    let s = random.floats(n, 5.0, 30.0);
    let k = random.floats(n, 1.0, 100.0);
    let t = random.floats(n, 0.25, 10.0);
    let (mut call, mut put) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for at in 0..n {
        let (s, k, t) = (f64::from(s[at]), f64::from(k[at]), f64::from(t[at]));
        let spread = VOLATILITY * t.sqrt();
        let d = ((s / k).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread;
        let strike = k * (-RATE * t).exp();
        let price = s * normal(d) - strike * normal(d - spread);
        call.push(price as f32);
        put.push((price - s + strike) as f32);
    }
    let [s, k, t] = [s, k, t].map(floats);
    Case {
        shapes: None,
        args: vec![vector(&s), vector(&k), vector(&t)],
        c: CArguments { inputs: vec![s, k, t], outputs: vec![(F32, n), (F32, n)], sizes: vec![n] },
        reference: vec![Buffer::F32(call), Buffer::F32(put)],
        work: Work { bytes: 20 * n as u64, flops: 60 * n as u64, bound: Bound::Compute },
    }
}

/// The normal distribution, by the polynomial 26.2.17 of Abramowitz and Stegun, whose error is below 7.5e-8.
fn normal(x: f64) -> f64 {
    const B: [f64; 5] = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
    let t = 1.0 / (1.0 + 0.2316419 * x.abs());
    let tail =
        (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt() * B.iter().rev().fold(0.0, |p, b| t * (p + b));
    if x > 0.0 { 1.0 - tail } else { tail }
}

pub(super) fn mandelbrot(n: usize) -> Case {
    let step = 2.5 / n as f32;
    let count = |at: usize| {
        let (cx, cy) = ((at % n) as f32 * step - 2.0, (at / n) as f32 * step - 1.25);
        let (mut x, mut y, mut rounds) = (0.0f32, 0.0f32, 0);
        while rounds < 255 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            rounds += 1;
        }
        rounds
    };
    let reference: Vec<i32> = (0..n * n).map(count).collect();
    let rounds: u64 = reference.iter().map(|&count| count as u64).sum();
    Case {
        shapes: Some(vec![AxisValue::Extent(n as u64)]),
        args: vec![float(step)],
        c: CArguments { inputs: Vec::new(), outputs: vec![(I32, n * n)], sizes: vec![n] },
        reference: vec![Buffer::I32(reference)],
        work: Work { bytes: 4 * (n * n) as u64, flops: 8 * rounds, bound: Bound::Compute },
    }
}
