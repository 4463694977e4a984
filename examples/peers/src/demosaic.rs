//! Colours from a Bayer mosaic (red at even rows and columns), by the method of Malvar, He and Cutler. Edges are mirrored.

use nestled::{Array, Border};

/// The planes red, green and blue.
pub fn demosaic(raw: Array<f32>) -> (Array<f32>, Array<f32>, Array<f32>) {
    let shape = [raw.len_of(0), raw.len_of(1)];
    let at = |dy: i64, dx: i64| raw.neighbour(&[dy, dx], Border::Reflect);
    let centre = &raw;
    let near_v = at(-1, 0) + at(1, 0);
    let near_h = at(0, -1) + at(0, 1);
    let diagonal = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1);
    let far_v = at(-2, 0) + at(2, 0);
    let far_h = at(0, -2) + at(0, 2);
    let green = (centre * 4.0 + (&near_v + &near_h) * 2.0 - &far_v - &far_h) / 8.0;
    let in_row = (centre * 5.0 + &near_h * 4.0 - &diagonal - &far_h + &far_v * 0.5) / 8.0;
    let in_column = (centre * 5.0 + &near_v * 4.0 - &diagonal - &far_v + &far_h * 0.5) / 8.0;
    let across = (centre * 6.0 + &diagonal * 2.0 - (far_v + far_h) * 1.5) / 8.0;
    let even = |axis| (Array::<i32>::index(&shape, axis) & 1).eq(0);
    let (row, column) = (even(0), even(1));
    let red = row.select(column.select(centre, &in_row), column.select(&in_column, &across));
    let blue = row.select(column.select(&across, &in_column), column.select(&in_row, centre));
    (red, row.eq(&column).select(green, centre), blue)
}
