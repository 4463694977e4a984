//! The programs for images on pictures that are made by procedure, written as `.pgm` and `.ppm` files.
//!
//! ```text
//! cargo run --release -p nestled-peers --example pictures
//! ```

use nestled::{Array, Border, Result, stack};
use nestled_peers::{blur, corners, demosaic, life, motion, products, stereo, sum, turn};
use std::io::Write;

/// A smooth picture with edges: waves, and a chequered disc.
fn scene(n: usize) -> Array<f32> {
    let (y, x) = (Array::<f32>::index(&[n, n], 0), Array::<f32>::index(&[n, n], 1));
    let (v, u) = (y / n as f32 - 0.5, x / n as f32 - 0.5);
    let waves = ((&u * 9.0 + &v * 4.0).sin() + (&v * 13.0 - &u * 3.0).cos()) * 0.15 + 0.5;
    let squares = ((&u * 12.0).floor_to::<i32>() + (&v * 12.0).floor_to::<i32>()) & 1;
    let inside = (u.square() + v.square()).lt(0.1);
    (inside & squares.eq(1)).select(0.9, waves)
}

/// Numbers from 0 to 1 as grey values.
fn grey(values: &Array<f32>) -> Array<u8> {
    (values.clamp(0.0, 1.0) * 255.0).round_to()
}

fn write(name: &str, header: &str, bytes: &[u8]) {
    let path = std::env::temp_dir().join(name);
    let written = std::fs::File::create(&path)
        .and_then(|mut file| file.write_all(header.as_bytes()).and_then(|()| file.write_all(bytes)));
    match written {
        Ok(()) => println!("{}", path.display()),
        Err(error) => eprintln!("{}: {error}", path.display()),
    }
}

fn write_grey(name: &str, values: &Array<f32>) -> Result<()> {
    let header = format!("P5 {} {} 255\n", values.len_of(1), values.len_of(0));
    write(name, &header, &grey(values).to_vec()?);
    Ok(())
}

fn write_colour(name: &str, planes: [&Array<f32>; 3]) -> Result<()> {
    let header = format!("P6 {} {} 255\n", planes[0].len_of(1), planes[0].len_of(0));
    let planes = planes.map(grey);
    write(name, &header, &stack(&[&planes[0], &planes[1], &planes[2]], 2).to_vec()?);
    Ok(())
}

/// One picture for each program that makes one.
fn main() -> Result<()> {
    let n = 256;
    let image = scene(n);
    println!("sum: {:?}", sum::sum(image.clone()));
    println!("matrix × vector: {:?}", products::matrix_vector(image.clone(), image.at(0, 7)));
    write_grey("matrix_matrix.pgm", &(products::matrix_matrix(image.clone(), image.t()) / n as f32))?;
    let mut cells = Array::<f32>::uniform(&[n, n], 1).lt(0.35).select(1.0, 0.0);
    for _ in 0..50 {
        cells = life::life(cells);
    }
    write_grey("life.pgm", &cells)?;
    let (red, green, blue) = demosaic::demosaic(image.clone());
    write_colour("demosaic.ppm", [&red, &green, &blue])?;
    write_grey("blur.pgm", &blur::blur(image.clone()))?;
    let channels = stack(&[&image, &image.t(), &image.reverse(&[0]), &image], 2);
    let turned = turn::turn(channels).unstack(2);
    write_colour("turn.ppm", [&turned[0], &turned[1], &turned[2]])?;
    write_grey("corners.pgm", &(corners::corners(image.clone()) * 50.0))?;
    let moved = image.shift(&[2, 3], Border::Clamp);
    let (dy, dx) = motion::motion(&moved * 255.0, &image * 255.0);
    println!(
        "motion in quarters of pixels, at (5, 5): {:?}, {:?}",
        dy.at(0, 5).at(0, 5),
        dx.at(0, 5).at(0, 5)
    );
    let far = stereo::stereo(image.shift(&[0, 9], Border::Clamp) * 255.0, image * 255.0, 16);
    write_grey("stereo.pgm", &(far.cast::<f32>() / 16.0))
}
