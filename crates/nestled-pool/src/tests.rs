//! The pool on real threads.

use super::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

fn check(pool: &Pool, chunks: usize) {
    let mut seen = vec![0; chunks];
    pool.for_each_mut(&mut seen, |_, count| *count += 1);
    assert!(seen.iter().all(|count| *count == 1), "{seen:?}");
}

#[test]
fn a_chunk_may_wait_for_those_before_it() {
    let pool = Pool::new(3);
    let begun = AtomicUsize::new(0);
    pool.for_each_in_turn(1000, |chunk| {
        while begun.load(Ordering::Acquire) != chunk {
            std::thread::yield_now();
        }
        begun.store(chunk + 1, Ordering::Release);
    });
    assert_eq!(begun.into_inner(), 1000);
}

#[test]
fn threads_have_their_own_chunks() {
    let pool = Pool::new(2);
    let barrier = Barrier::new(2);
    let mut by = vec![None; 4];
    pool.for_each_mut(&mut by, |_, by| {
        barrier.wait();
        *by = Some(std::thread::current().id());
    });
    assert!(by[0] == by[1] && by[2] == by[3] && by[0] != by[2], "{by:?}");
}

#[test]
fn every_chunk_comes_once() {
    for threads in [1, 2, 3, 8] {
        let pool = Pool::new(threads);
        assert_eq!(pool.threads(), threads);
        for chunks in [0, 1, 2, 3, 7, 1000, 100_000] {
            check(&pool, chunks);
        }
    }
}

#[test]
fn many_short_jobs_with_and_without_pauses() {
    let pool = Pool::new(3);
    for round in 0..5000 {
        check(&pool, round % 5);
        if round % 500 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn workers_take_part() {
    let pool = Pool::new(2);
    let barrier = Barrier::new(2);
    // Would never end if one thread ran both chunks.
    pool.for_each_chunk(2, |_| {
        barrier.wait();
    });
}

#[test]
fn sleepers_are_woken_one_by_the_other() {
    let pool = Pool::new(4);
    std::thread::sleep(Duration::from_millis(20));
    let barrier = Barrier::new(4);
    pool.for_each_chunk(4, |_| {
        barrier.wait();
    });
}

#[test]
fn the_caller_waits_for_a_long_chunk() {
    let pool = Pool::new(2);
    let (started, done) = (Barrier::new(2), AtomicUsize::new(0));
    let caller = std::thread::current().id();
    pool.for_each_chunk(2, |_| {
        started.wait();
        if std::thread::current().id() != caller {
            std::thread::sleep(Duration::from_millis(5));
        }
        done.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(done.into_inner(), 2);
}

#[test]
fn a_parallel_for_inside_a_chunk_is_serial() {
    let pool = Pool::new(2);
    let barrier = Barrier::new(2);
    pool.for_each_chunk(2, |_| {
        barrier.wait();
        let here = std::thread::current().id();
        let order: Mutex<Vec<(ThreadId, usize)>> = Mutex::default();
        pool.for_each_chunk(5, |chunk| order.lock().unwrap().push((std::thread::current().id(), chunk)));
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4].map(|chunk| (here, chunk)));
    });
}

#[test]
fn several_callers_share_a_pool() {
    let pool = Pool::new(2);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..300).for_each(|round| check(&pool, round % 20)));
        }
    });
}

/// The value with which `job` panics.
fn panic_of(job: impl FnOnce()) -> usize {
    let payload = catch_unwind(AssertUnwindSafe(job)).expect_err("it panics");
    *payload.downcast_ref().expect("a chunk's number")
}

#[test]
fn the_panic_of_the_least_chunk_reaches_the_caller() {
    for threads in [1, 2, 3] {
        let pool = Pool::new(threads);
        for _ in 0..20 {
            let least = panic_of(|| {
                pool.for_each_chunk(50, |chunk| {
                    if chunk % 10 == 7 {
                        // Not `panic!`, which would call the hook and print.
                        std::panic::resume_unwind(Box::new(chunk));
                    }
                });
            });
            assert_eq!(least, 7);
            check(&pool, 50);
        }
    }
}

#[test]
fn a_panic_of_an_inner_job_passes_through() {
    let pool = Pool::new(2);
    let job = || {
        pool.for_each_chunk(3, |_| pool.for_each_chunk(3, |_| std::panic::resume_unwind(Box::new(4usize))))
    };
    assert_eq!(panic_of(job), 4);
    check(&pool, 10);
}

#[test]
fn the_global_pool_is_one() {
    assert!(std::ptr::eq(Pool::global(), Pool::global()));
    check(Pool::global(), 100);
}
