//! Stencil benchmarks on square images: cells and pixels that read their neighbours.

use super::{float, floats, matrix};
use crate::bench::{Bound, CArguments, Case, Work};
use crate::random::Random;
use nestled_ir::ScalarType::F32;
use nestled_ir::value::Buffer;

/// Cells alive with probability 0.35.
pub(super) fn life(n: usize) -> Case {
    let mut random = Random::new("life");
    let cells: Vec<f32> = (0..n * n).map(|_| f32::from(u8::from(random.unit() < 0.35))).collect();
    let mut reference = Vec::with_capacity(n * n);
    for y in 0..n {
        let rows = [(y + n - 1) % n, y, (y + 1) % n].map(|y| &cells[y * n..][..n]);
        let column = |x: usize| rows.iter().map(|row| row[x]).sum::<f32>();
        for (x, &cell) in rows[1].iter().enumerate() {
            let around = column((x + n - 1) % n) + column(x) + column((x + 1) % n) - cell;
            let lives = around == 3.0 || (around == 2.0 && cell == 1.0);
            reference.push(f32::from(u8::from(lives)));
        }
    }
    let cells = floats(cells);
    Case {
        shapes: None,
        args: vec![matrix(n, n, &cells)],
        c: CArguments { inputs: vec![cells], outputs: vec![(F32, n * n)], sizes: vec![n, n] },
        reference: vec![Buffer::F32(reference)],
        work: Work { bytes: 8 * (n * n) as u64, flops: 11 * (n * n) as u64, bound: Bound::Copy },
    }
}

/// The weights of a Gaussian from the middle outwards.
fn weights<const N: usize>(sigma: f64) -> [f64; N] {
    let weight = |at: usize| (-((at * at) as f64) / (2.0 * sigma * sigma)).exp();
    let total = weight(0) + (1..N).map(|at| 2.0 * weight(at)).sum::<f64>();
    std::array::from_fn(|at| weight(at) / total)
}

/// Both sides of the same weights, as C takes them.
fn both_sides<const N: usize>(weights: &[f64; N]) -> Vec<f32> {
    (0..2 * N - 1).map(|at| weights[at.abs_diff(N - 1)] as f32).collect()
}

/// Large patches with noise.
fn picture(name: &str, n: usize) -> Vec<f32> {
    let mut random = Random::new(name);
    let patch = |at: usize| (at as f64 * 40.0 / n as f64).sin();
    let mut pixel =
        |at: usize| (0.5 + 0.2 * patch(at / n) * patch(at % n) + random.between(-0.05, 0.05)) as f32;
    (0..n * n).map(&mut pixel).collect()
}

/// A weighted sum of each point's neighbours in its column, then in its row.
fn blur<const N: usize>(image: &[f64], n: usize, weights: &[f64; N]) -> Vec<f64> {
    let reach = N as isize - 1;
    let clamp = |at: usize, by: isize| (at as isize + by).clamp(0, n as isize - 1) as usize;
    let weight = |by: isize| weights[by.unsigned_abs()];
    let mut columns = vec![0.0; n * n];
    for (y, sums) in columns.chunks_mut(n).enumerate() {
        for by in -reach..=reach {
            let row = &image[clamp(y, by) * n..][..n];
            sums.iter_mut().zip(row).for_each(|(sum, pixel)| *sum += weight(by) * pixel);
        }
    }
    let point = |row: &[f64], x: usize| (-reach..=reach).map(|by| weight(by) * row[clamp(x, by)]).sum();
    let row = |row: &[f64]| (0..n).map(|x| point(row, x)).collect::<Vec<f64>>();
    columns.chunks(n).flat_map(row).collect()
}

fn wide(image: &[f32]) -> Vec<f64> {
    image.iter().map(|&pixel| f64::from(pixel)).collect()
}

fn narrow(image: &[f64]) -> Buffer {
    Buffer::F32(image.iter().map(|&pixel| pixel as f32).collect())
}

pub(super) fn gaussian(n: usize) -> Case {
    let image = picture("gaussian", n);
    let w: [f64; 3] = weights(1.0);
    let reference = narrow(&blur(&wide(&image), n, &w));
    let image = floats(image);
    let mut args = vec![matrix(n, n, &image)];
    args.extend(w.iter().map(|&weight| float(weight as f32)));
    Case {
        shapes: None,
        args,
        c: CArguments {
            inputs: vec![image, floats(both_sides(&w))],
            outputs: vec![(F32, n * n)],
            sizes: vec![n, n],
        },
        reference: vec![reference],
        work: Work { bytes: 8 * (n * n) as u64, flops: 16 * (n * n) as u64, bound: Bound::Copy },
    }
}

pub(super) fn klt(n: usize) -> Case {
    let image = picture("klt", n);
    let w: [f64; 3] = weights(1.0);
    let a: [f64; 5] = weights(2.0);
    let reference = narrow(&corners(&blur(&wide(&image), n, &w), n, &a));
    let image = floats(image);
    let mut args = vec![matrix(n, n, &image)];
    args.extend(w.iter().chain(&a).map(|&weight| float(weight as f32)));
    Case {
        shapes: None,
        args,
        c: CArguments {
            inputs: vec![image, floats(both_sides(&w)), floats(both_sides(&a))],
            outputs: vec![(F32, n * n)],
            sizes: vec![n, n],
        },
        reference: vec![reference],
        work: Work { bytes: 8 * (n * n) as u64, flops: 112 * (n * n) as u64, bound: Bound::Copy },
    }
}

/// Half the greater eigenvalue and the lesser, of the products of differences of a smooth image.
fn corners(image: &[f64], n: usize, a: &[f64; 5]) -> Vec<f64> {
    let slope = |y: usize, x: usize| {
        let across = image[y * n + (x + 1).min(n - 1)] - image[y * n + x.saturating_sub(1)];
        let down = image[(y + 1).min(n - 1) * n + x] - image[y.saturating_sub(1) * n + x];
        (0.5 * across, 0.5 * down)
    };
    let slopes: Vec<(f64, f64)> = (0..n * n).map(|at| slope(at / n, at % n)).collect();
    let smooth = |product: fn(f64, f64) -> f64| {
        blur(&slopes.iter().map(|&(gx, gy)| product(gx, gy)).collect::<Vec<f64>>(), n, a)
    };
    let (xx, xy, yy) = (smooth(|gx, _| gx * gx), smooth(|gx, gy| gx * gy), smooth(|_, gy| gy * gy));
    let corner = |at: usize| {
        let mean = 0.5 * (xx[at] + yy[at]);
        let root = (0.5 * (xx[at] - yy[at])).hypot(xy[at]);
        0.5 * (mean + root) + (mean - root)
    };
    (0..n * n).map(corner).collect()
}
