//! Reading ahead: a thread reads the next piece of a table while the last one is computed with.
//!
//! At most two pieces are alive: the one that was given out, and the next.

use super::table::Batches;
use crate::fault::{Outcome, fault, guarded};
use arrow_array::RecordBatch;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// The pieces that a thread reads.
pub(crate) struct Ahead {
    /// Nothing when the last piece was taken.
    pieces: Option<Receiver<Outcome<RecordBatch>>>,
    reader: Option<JoinHandle<()>>,
}

impl Ahead {
    pub fn of(mut batches: Batches) -> Ahead {
        // A piece is handed over when somebody asks for it: none waits in between.
        let (give, pieces) = sync_channel(0);
        let read = move || {
            loop {
                let piece = match guarded(|| batches.next().transpose()) {
                    Ok(Some(batch)) => Ok(batch),
                    Ok(None) => return,
                    Err(fault) => Err(fault),
                };
                let is_last = piece.is_err();
                if give.send(piece).is_err() || is_last {
                    return;
                }
            }
        };
        match std::thread::Builder::new().name("nestled-read".to_owned()).spawn(read) {
            Ok(reader) => Ahead { pieces: Some(pieces), reader: Some(reader) },
            Err(_) => Ahead { pieces: None, reader: None },
        }
    }
}

impl Iterator for Ahead {
    type Item = Outcome<RecordBatch>;

    fn next(&mut self) -> Option<Outcome<RecordBatch>> {
        if self.reader.is_none() {
            return self.pieces.take().map(|_| fault("no thread can be started"));
        }
        let piece = self.pieces.as_ref()?.recv().ok();
        if piece.is_none() {
            self.pieces = None;
        }
        piece
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // The reader hears that nobody takes what it reads.
        self.pieces = None;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
