//! Parallel loops over pieces, with out-of-memory errors.

use super::scratch::NoMemory;
use nestled_pool::Pool;
use std::sync::{Mutex, PoisonError};

/// Runs `body` for each piece, on all threads. All pieces run even if one fails.
///
/// # Errors
/// That of a piece that failed.
pub(super) fn for_each(
    pool: &Pool,
    pieces: usize,
    body: impl Fn(usize) -> Result<(), NoMemory> + Sync,
) -> Result<(), NoMemory> {
    let failed = Mutex::new(None);
    pool.for_each_chunk(pieces, |piece| note(&failed, body(piece)));
    outcome(failed)
}

/// The same, but a piece begins only after all earlier pieces have begun, so that it may wait for them.
///
/// # Errors
/// That of a piece that failed.
pub(super) fn for_each_in_turn(
    pool: &Pool,
    pieces: usize,
    body: impl Fn(usize) -> Result<(), NoMemory> + Sync,
) -> Result<(), NoMemory> {
    let failed = Mutex::new(None);
    pool.for_each_in_turn(pieces, |piece| note(&failed, body(piece)));
    outcome(failed)
}

fn note(failed: &Mutex<Option<NoMemory>>, outcome: Result<(), NoMemory>) {
    if let Err(error) = outcome {
        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

fn outcome(failed: Mutex<Option<NoMemory>>) -> Result<(), NoMemory> {
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
