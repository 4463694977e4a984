//! What a parallel `for` without work costs: `cargo run --release -p nestled-pool --example fork_join [THREADS]`.

use nestled_pool::Pool;
use std::time::{Duration, Instant};

/// Times `job` after a `pause`, often; prints the median and the 95th of a hundred.
fn time(name: &str, pause: Duration, rounds: usize, job: impl Fn()) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            let begin = Instant::now();
            job();
            begin.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:44} median {:7.2} µs, 95 % {:7.2} µs", times[rounds / 2], times[rounds * 95 / 100]);
}

fn busy(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2);
    let pool = Pool::new(threads);
    let idle = Duration::from_millis(1);
    println!("{threads} threads");
    time("nothing (the clock itself)", Duration::ZERO, 10_000, || {});
    time("empty, hot", Duration::ZERO, 10_000, || pool.for_each_chunk(threads, |_| {}));
    time("empty, after 1 ms idle", idle, 1000, || pool.for_each_chunk(threads, |_| {}));
    for micros in [10, 100, 1000] {
        let chunk = Duration::from_micros(micros);
        time(&format!("{micros} µs for each thread, hot"), Duration::ZERO, 500, || {
            pool.for_each_chunk(threads, |_| busy(chunk))
        });
        time(&format!("{micros} µs for each thread, after 1 ms idle"), idle, 500, || {
            pool.for_each_chunk(threads, |_| busy(chunk))
        });
    }
}
