//! Products of square matrices: `cargo run --release -p nestled-matmul --example multiplying [SIZE…]`.

use nestled_matmul::{Number, matmul};
use nestled_pool::Pool;
use std::time::Instant;

/// Prints the best of eight times.
fn bench<T: Number>(pool: &Pool, name: &str, size: usize, make: fn(usize) -> T) {
    let left: Vec<T> = (0..size * size).map(|at| make(at % 17)).collect();
    let right: Vec<T> = (0..size * size).map(|at| make(at % 13)).collect();
    let mut product = vec![make(0); size * size];
    let mut best = f64::INFINITY;
    for _ in 0..8 {
        let begin = Instant::now();
        matmul(pool, &left, &right, &mut product, [size; 3]);
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let rate = 2.0 * (size as f64).powi(3) / best / 1e9;
    println!("{name:4} {size:5}², {} threads: {:9.3} ms, {rate:6.1} G/s", pool.threads(), best * 1e3);
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![64, 256, 512, 1000, 1024, 2048] } else { sizes };
    let most = std::thread::available_parallelism().map_or(2, |count| count.get());
    for pool in [1, most].map(Pool::new) {
        for &size in &sizes {
            bench(&pool, "f32", size, |at| at as f32);
            bench(&pool, "f64", size, |at| at as f64);
            bench(&pool, "i32", size, |at| at as i32);
            bench(&pool, "i64", size, |at| at as i64);
            bench(&pool, "u8", size, |at| at as u8);
        }
    }
}
