//! Colours from a Bayer mosaic (red at even rows and columns), by the method of Malvar, He and Cutler. Edges are mirrored.

use nestled::{Array, concat};

/// Two more elements beyond each end of an axis, mirrored at the outermost one.
fn mirrored(image: &Array<f32>, axis: usize) -> Array<f32> {
    let n = image.len_of(axis);
    let before = image.slice(axis, 1..3).reverse(&[axis]);
    let after = image.slice(axis, n - 3..n - 1).reverse(&[axis]);
    concat(&[&before, image, &after], axis)
}

/// The planes red, green and blue.
pub fn demosaic(raw: Array<f32>) -> (Array<f32>, Array<f32>, Array<f32>) {
    let (n, m) = (raw.len_of(0), raw.len_of(1));
    let wide = mirrored(&mirrored(&raw, 0), 1);
    let at = |dy: usize, dx: usize| wide.section(&[(dy..dy + n).into(), (dx..dx + m).into()]);
    let centre = at(2, 2);
    let near_v = at(1, 2) + at(3, 2);
    let near_h = at(2, 1) + at(2, 3);
    let diagonal = at(1, 1) + at(1, 3) + at(3, 1) + at(3, 3);
    let far_v = at(0, 2) + at(4, 2);
    let far_h = at(2, 0) + at(2, 4);
    let green = (&centre * 4.0 + (&near_v + &near_h) * 2.0 - &far_v - &far_h) / 8.0;
    let in_row = (&centre * 5.0 + &near_h * 4.0 - &diagonal - &far_h + &far_v * 0.5) / 8.0;
    let in_column = (&centre * 5.0 + &near_v * 4.0 - &diagonal - &far_v + &far_h * 0.5) / 8.0;
    let across = (&centre * 6.0 + &diagonal * 2.0 - (far_v + far_h) * 1.5) / 8.0;
    let even = |axis| (Array::<i32>::index(&[n, m], axis) & 1).eq(0);
    let (row, column) = (even(0), even(1));
    let red = row.select(column.select(&centre, &in_row), column.select(&in_column, &across));
    let blue = row.select(column.select(&across, &in_column), column.select(&in_row, &centre));
    (red, row.eq(&column).select(green, &centre), blue)
}
