//! Sorting against the standard library: `cargo run --release -p nestled-sort --example sorting [ELEMENTS]`.

use nestled_pool::Pool;
use nestled_sort::{Column, Key, Order, Rows, rank, sort};
use std::cmp::Ordering;
use std::time::Instant;

/// The least and the median of five times, in milliseconds. (The least says most on a machine that does other things too.)
fn time(name: &str, elements: usize, mut job: impl FnMut() -> f64) {
    let mut times: Vec<f64> = (0..5).map(|_| job() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let rate = elements as f64 / times[0] / 1e3;
    println!("{name:44} {:8.1} ms, median {:8.1} ms, {rate:7.1} M/s", times[0], times[2]);
}

fn seconds(job: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    job();
    begin.elapsed().as_secs_f64()
}

fn bench<K: Key + Default>(pools: &[Pool], name: &str, keys: &[K], order: impl Fn(&K, &K) -> Ordering) {
    let len = keys.len();
    let mut sorted = vec![K::default(); len];
    let mut ranks = vec![0; len];
    let payload: Vec<u32> = (0..len as u32).collect();
    let mut moved = vec![0; len];
    time(&format!("{name}: std sort_unstable"), len, || {
        sorted.copy_from_slice(keys);
        seconds(|| sorted.sort_unstable_by(&order))
    });
    for pool in pools {
        let name = format!("{name}: {} threads", pool.threads());
        let mut run = |what: &str, rows: Rows<'_>, payload: &mut [Column<'_>]| {
            time(&format!("{name}, {what}"), len, || {
                seconds(|| sort(pool, rows, Order::Ascending, keys, &mut sorted, payload))
            });
        };
        run("keys", Rows::One, &mut []);
        run("keys, u32 payload", Rows::One, &mut [Column::new(&payload, &mut moved)]);
        for length in [10, 100, 1000, 10_000] {
            run(&format!("rows of {length}"), Rows::Regular { length }, &mut []);
        }
        time(&format!("{name}, rank"), len, || {
            seconds(|| rank(pool, Rows::One, Order::Ascending, keys, &mut ranks))
        });
    }
}

fn main() {
    let len = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10_000_000);
    let most = std::thread::available_parallelism().map_or(2, |count| count.get());
    let pools: Vec<Pool> = [1, most].map(Pool::new).into();
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    };
    let bits: Vec<u64> = (0..len).map(|_| random()).collect();
    let u32s: Vec<u32> = bits.iter().map(|bits| (bits >> 32) as u32).collect();
    let f32s: Vec<f32> = u32s.iter().map(|bits| *bits as f32 / u32::MAX as f32 - 0.5).collect();
    let i64s: Vec<i64> = bits.iter().map(|bits| bits.cast_signed()).collect();
    let f64s: Vec<f64> = bits.iter().map(|bits| (bits >> 11) as f64 / (1u64 << 53) as f64).collect();
    bench(&pools, "u32", &u32s, Ord::cmp);
    bench(&pools, "f32", &f32s, f32::total_cmp);
    bench(&pools, "i64", &i64s, Ord::cmp);
    bench(&pools, "f64", &f64s, f64::total_cmp);
}
