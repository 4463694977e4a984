//! Exhaustive accuracy test: tries all arguments of functions of one `f32`. Compiled beside `rt.rs`, `exact.rs`, `ulp.rs` and the translated
//! `functions.rs`; `math-exhaustive` makes the folder. Arguments: stride, number of threads, names of functions.
//!
//! One line comes out for each function: name, largest error in ULP, the argument, number of results that break the symmetry.

mod exact;
mod functions;
#[allow(dead_code)]
mod ulp;

use exact::{EXACT, Exact, Symmetry};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Arguments at a time: enough for vector code, few enough for the nearest cache.
const CHUNK: usize = 1024;

/// Chunks that a thread takes at a time.
const TURN: u64 = 512;

/// The findings for a function after some of its arguments.
#[derive(Clone, Copy)]
struct Found {
    error: f64,
    argument: f32,
    asymmetric: u64,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let stride: u64 = args[0].parse().expect("a stride");
    let threads: usize = args[1].parse().expect("a number of threads");
    for (exact, evaluate) in EXACT.iter().zip(functions::FUNCTIONS) {
        assert_eq!(exact.0, evaluate.0, "both lists are in one order");
        if args.len() == 2 || args[2..].iter().any(|name| name == exact.0) {
            let start = Instant::now();
            let found = sweep(exact, evaluate.1, stride, threads);
            let bits = found.argument.to_bits();
            let seconds = start.elapsed().as_secs();
            println!("{} {} {bits:08x} {} {seconds}", exact.0, found.error, found.asymmetric);
        }
    }
}

/// All arguments; of even and odd functions those from +0 up, with their negatives compared to the bit.
fn sweep(exact: &Exact, evaluate: fn(&[f32], &mut [f32]), stride: u64, threads: usize) -> Found {
    let end: u64 = if exact.1 == Symmetry::None { 1 << 32 } else { 1 << 31 };
    let next = AtomicU64::new(0);
    let work = || {
        let mut found = Found { error: 0.0, argument: 0.0, asymmetric: 0 };
        loop {
            let turn = next.fetch_add(TURN, Ordering::Relaxed);
            for chunk in turn..turn + TURN {
                let first = chunk * CHUNK as u64 * stride;
                if first >= end {
                    return found;
                }
                let last = end - 1;
                let xs: [f32; CHUNK] =
                    std::array::from_fn(|k| f32::from_bits((first + k as u64 * stride).min(last) as u32));
                try_chunk(exact, evaluate, &xs, &mut found);
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let all = workers.into_iter().map(|worker| worker.join().expect("no worker fails"));
        all.reduce(worse).expect("at least one thread")
    })
}

fn try_chunk(exact: &Exact, evaluate: fn(&[f32], &mut [f32]), xs: &[f32; CHUNK], found: &mut Found) {
    let mut ys = [0.0; CHUNK];
    evaluate(xs, &mut ys);
    for (&x, &y) in xs.iter().zip(&ys) {
        let error = ulp::error_f32(y, exact.2(f64::from(x)));
        if error > found.error {
            (found.error, found.argument) = (error, x);
        }
    }
    if exact.1 != Symmetry::None {
        let mut mirrored = [0.0; CHUNK];
        evaluate(&xs.map(|x| -x), &mut mirrored);
        let expected = if exact.1 == Symmetry::Odd { ys.map(|y| -y) } else { ys };
        let differ = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
        found.asymmetric += mirrored.iter().zip(&expected).filter(|&pair| differ(pair)).count() as u64;
    }
}

fn worse(a: Found, b: Found) -> Found {
    let worst = if b.error > a.error { b } else { a };
    Found { asymmetric: a.asymmetric + b.asymmetric, ..worst }
}
