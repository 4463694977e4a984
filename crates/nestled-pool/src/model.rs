//! The protocol under the model checker `loom`, which tries the interleavings of its threads and the values that weak memory allows:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p nestled-pool --lib --target-dir target/loom model
//! ```
//!
//! In a model no thread spins, so that all sleeping and waking is explored. The checker itself detects data races on the job and threads that
//! wait for ever.

#![allow(unsafe_code)] // Memory that the checker watches.

use super::Pool;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};

/// Goes through all runs of `model` in which at most this many threads are interrupted where they would not have to wait. (Without a
/// bound even the smallest model takes hours; errors that need more than two are rare.)
fn model(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Runs a job and checks that each chunk came once.
fn check(pool: &Pool, chunks: usize) {
    let seen: Vec<_> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
    let body = |chunk: usize| {
        seen[chunk].fetch_add(1, Ordering::Relaxed);
    };
    match chunks % 2 {
        0 => pool.for_each_chunk(chunks, body),
        _ => pool.for_each_in_turn(chunks, body),
    }
    for count in seen {
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn one_job_on_two_threads() {
    model(3, || check(&Pool::new(2), 3));
    model(3, || check(&Pool::new(2), 4));
}

#[test]
fn a_job_in_turn_and_one_nearby() {
    model(2, || {
        let pool = Pool::new(2);
        check(&pool, 3);
        check(&pool, 2);
    });
}

#[test]
fn two_jobs_one_after_the_other() {
    model(2, || {
        let pool = Pool::new(2);
        check(&pool, 2);
        check(&pool, 2);
    });
}

#[test]
fn one_job_on_three_threads() {
    model(2, || check(&Pool::new(3), 2));
}

#[test]
fn what_chunks_wrote_is_seen_by_the_caller() {
    model(2, || {
        let pool = Pool::new(2);
        let items = Items([UnsafeCell::new(0), UnsafeCell::new(0)]);
        let cells = &items;
        // SAFETY: each chunk writes an item of its own, and the caller reads when all are done. The checker fails the model where that is wrong.
        pool.for_each_chunk(2, |chunk| cells.0[chunk].with_mut(|item| unsafe { *item = chunk + 1 }));
        let read = |item: &UnsafeCell<usize>| item.with(|item| unsafe { *item });
        assert_eq!(items.0.each_ref().map(read), [1, 2]);
    });
}

/// Memory without atomics; the checker reports concurrent accesses to it.
struct Items([UnsafeCell<usize>; 2]);

// SAFETY: each chunk touches its own item, and the caller comes last; this is what the model checks.
unsafe impl Sync for Items {}

#[test]
fn two_callers_at_once() {
    model(2, || {
        let pool = loom::sync::Arc::new(Pool::new(2));
        let other = loom::sync::Arc::clone(&pool);
        let thread = loom::thread::spawn(move || check(&other, 2));
        check(&pool, 2);
        thread.join().expect("no chunk panics");
    });
}

#[test]
fn a_panic_reaches_the_caller_and_the_pool_goes_on() {
    std::panic::set_hook(Box::new(|_| {}));
    model(2, || {
        let pool = Pool::new(2);
        let job = || pool.for_each_chunk(2, |chunk| std::panic::panic_any(chunk));
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).expect_err("it panics");
        assert_eq!(payload.downcast_ref(), Some(&0usize));
        check(&pool, 2);
    });
}
