//! Where each block of 16×16 pixels came from, to a quarter of a pixel: a search on coarse images first, refined on finer ones.

use nestled::{Array, Outside};

/// Half as large: means of 2×2 pixels.
fn halved(image: &Array<f32>) -> Array<f32> {
    let part = |y, x| image.every(0, y, 2).every(1, x, 2);
    (part(0, 0) + part(0, 1) + part(1, 0) + part(1, 1)) * 0.25
}

/// The best of `(2·radius + 1)²` displacements around those found so far, `step` apart, in units of 1/`unit` pixels. Axes are block
/// row, block column, candidate, row and column in the block.
fn search(
    (current, reference): (&Array<f32>, &Array<f32>),
    (dy, dx): (&Array<i64>, &Array<i64>),
    (size, unit): (usize, i64),
    (radius, step): (i64, i64),
) -> (Array<i64>, Array<i64>) {
    let n = dy.len_of(0);
    let width = 2 * radius + 1;
    let candidates = (width * width) as usize;
    let block = |axis: usize, within: usize| {
        Array::<i64>::index(&[n, n, 1, size, size], axis) * size as i64
            + Array::index(&[n, n, 1, size, size], within)
    };
    let (y, x) = (block(0, 3), block(1, 4));
    let candidate = Array::<i64>::range(candidates);
    let try_y = dy.add_dim(2) + (&candidate / width - radius) * step;
    let try_x = dx.add_dim(2) + (&candidate % width - radius) * step;
    let deep = |array: &Array<i64>| array.add_dim(3).add_dim(4);
    // Whole pixels, and what is left.
    let (iy, ix) = (y.clone() + deep(&try_y.div_floor(unit)), x.clone() + deep(&try_x.div_floor(unit)));
    let tap = |dy: i64, dx: i64| reference.gather(&[&(&iy + dy), &(&ix + dx)], Outside::Clamp);
    let sample = if unit == 1 {
        tap(0, 0)
    } else {
        let rest = |tried: &Array<i64>| deep(&tried.rem_floor(unit)).cast::<f32>() * (1.0 / unit as f32);
        let (fy, fx) = (rest(&try_y), rest(&try_x));
        let mix = |a: Array<f32>, b: Array<f32>, f: &Array<f32>| (1.0 - f) * a + f * b;
        mix(mix(tap(0, 0), tap(0, 1), &fx), mix(tap(1, 0), tap(1, 1), &fx), &fy)
    };
    let own = current.gather(&[&y, &x], Outside::Clamp);
    let best = (own - sample).abs().sum_axes(&[3, 4]).argmin_axis(2).add_dim(2);
    let chosen = |tried: &Array<i64>| tried.take_along(2, &best, Outside::Clamp).at(2, 0);
    (chosen(&try_y), chosen(&try_x))
}

/// The displacements of all blocks in quarters of a pixel: rows and columns.
pub fn motion(current: Array<f32>, reference: Array<f32>) -> (Array<i64>, Array<i64>) {
    let n = current.len_of(0) / 16;
    let (c1, r1) = (halved(&current), halved(&reference));
    let (c2, r2) = (halved(&c1), halved(&r1));
    let (dy, dx) = (Array::zeros(&[n, n]), Array::zeros(&[n, n]));
    let (dy, dx) = search((&c2, &r2), (&dy, &dx), (4, 1), (3, 1));
    let (dy, dx) = search((&c1, &r1), (&(dy * 2), &(dx * 2)), (8, 1), (1, 1));
    let (dy, dx) = search((&current, &reference), (&(dy * 2), &(dx * 2)), (16, 1), (1, 1));
    let (dy, dx) = search((&current, &reference), (&(dy * 4), &(dx * 4)), (16, 4), (1, 2));
    search((&current, &reference), (&dy, &dx), (16, 4), (1, 1))
}
