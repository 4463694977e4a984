//! The convex hull of many points in the plane: the hull of a few of them tells which others are certainly inside, and quickhull, in NESL, does the rest.

use nestled::{Array, Outside, Result};

nestled::nesl! {
    include_str!("hull.nesl");
    /// The numbers of the corners, clockwise.
    pub fn quickhull(xs: Array<f64>, ys: Array<f64>) -> Array<i64>;
}

/// How many points are looked at first.
const SAMPLE: usize = 16_384;

/// Columns of equal width, each with a part that is certainly inside.
const COLUMNS: usize = 2048;

/// The numbers of the corners of the hull, clockwise.
///
/// # Errors
/// Errors of evaluation.
pub fn hull(x: &Array<f32>, y: &Array<f32>) -> Result<Array<i64>> {
    if x.size() < 4 * SAMPLE {
        return quickhull(x.cast(), y.cast());
    }
    let numbers = Array::<i64>::range(x.size()).compress(&outside(x, y)?)?;
    let of = |all: &Array<f32>| all.take(0, &numbers, Outside::Clamp).cast::<f64>();
    Ok(numbers.take(0, &quickhull(of(x), of(y))?, Outside::Clamp))
}

/// False only for points inside of the hull of a sample.
fn outside(x: &Array<f32>, y: &Array<f32>) -> Result<Array<bool>> {
    let step = x.size() / SAMPLE;
    let sample = [x, y].map(|all| all.every(0, 0, step).cast::<f64>());
    let corners = quickhull(sample[0].clone(), sample[1].clone())?;
    let [px, py] = sample.map(|all| all.take(0, &corners, Outside::Clamp));
    let (left, right) = (px.min().item()?, px.max().item()?);
    let scale = COLUMNS as f64 / (right - left);
    let (low, high) = bounds(&px, &py, left, scale);
    // Rounded, a point may come into the next column; bounds hold there, too.
    let column = ((x - left as f32) * scale as f32).floor_to::<i64>();
    let inside = |bound: &Array<f32>| bound.take(0, &(&column + 1), Outside::Clamp);
    Ok(y.le(inside(&low)) | y.ge(inside(&high)))
}

/// For each column, and one more at each end where nothing is inside: from where on and up to where points are inside of a hull.
fn bounds(px: &Array<f64>, py: &Array<f64>, left: f64, scale: f64) -> (Array<f32>, Array<f32>) {
    let (dx, dy) = (px.rotate(&[-1]) - px, py.rotate(&[-1]) - py);
    // Where the line of each edge meets the left side of each column.
    let side = Array::<f64>::range(COLUMNS + 1).add_dim(1) / scale + left;
    let meets = py + (side - px) * (dy / &dx);
    // The hull goes clockwise: to the right above, and back below.
    let lowest = dx.gt(0.0).select(&meets, f64::INFINITY).min_axis(1);
    let highest = dx.lt(0.0).select(&meets, f64::NEG_INFINITY).max_axis(1);
    let margin = (py.max() - py.min()) * 1e-5;
    let columns = Array::<i64>::range(COLUMNS + 2);
    let is_end = columns.lt(2) | columns.ge(COLUMNS as i64);
    // The hull is convex: within a column, and its neighbours, a bound is strictest at a side.
    let sides = |all: &Array<f64>, strict: fn(Array<f64>, Array<f64>) -> Array<f64>| {
        let at = |by: i64| all.take(0, &(&columns + by), Outside::Clamp);
        strict(strict(at(-2), at(-1)), strict(at(0), at(1)))
    };
    let low = sides(&highest, |a, b| a.maximum(b)) + &margin;
    let high = sides(&lowest, |a, b| a.minimum(b)) - margin;
    (is_end.select(f64::INFINITY, low).cast(), is_end.select(f64::NEG_INFINITY, high).cast())
}
