//! Parallel loops over blocks of long slices.

use nestled_pool::Pool;

/// Number of elements of a block. Slices of at most one block run on one thread.
pub(super) const BLOCK: usize = 1 << 15;

/// Calls `body` for each block of `into`, with the position of its first element.
pub(super) fn fill<T: Send>(pool: &Pool, into: &mut [T], body: impl Fn(usize, &mut [T]) + Sync) {
    if into.len() <= BLOCK {
        return body(0, into);
    }
    let mut blocks: Vec<&mut [T]> = into.chunks_mut(BLOCK).collect();
    pool.for_each_mut(&mut blocks, |at, block| body(at * BLOCK, block));
}

/// Computes one value for each block of `len` elements; `body` is given the range.
pub(super) fn map<T: Send + Clone + Default>(
    pool: &Pool,
    len: usize,
    body: impl Fn(std::ops::Range<usize>) -> T + Sync,
) -> Vec<T> {
    let mut answers = vec![T::default(); len.div_ceil(BLOCK)];
    pool.for_each_mut(&mut answers, |at, answer| {
        *answer = body(at * BLOCK..len.min((at + 1) * BLOCK));
    });
    answers
}
