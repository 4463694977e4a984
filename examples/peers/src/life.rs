//! One step of Conway's Life on a torus. Cells are 0 or 1.

use nestled::Array;

/// A cell lives if it has three neighbours, or two and lives already.
pub fn life(cells: Array<f32>) -> Array<f32> {
    let rows = cells.rotate(&[1, 0]) + &cells + cells.rotate(&[-1, 0]);
    let all = rows.rotate(&[0, 1]) + &rows + rows.rotate(&[0, -1]);
    // With the cell itself: three, or four of which it is one.
    (all.eq(3.0) | (all.eq(4.0) & cells.eq(1.0))).select(1.0, 0.0)
}
