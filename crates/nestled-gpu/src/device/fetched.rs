//! Operands of a launch, fetched to the host by one read before its fault is explained: for reads that do not block.

use super::bug;
use super::elements::from_words;
use super::machine::{Machine, Place};
use super::memory::{Held, Memory};
use super::window::Window;
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::device::{BufferId, Cell, DeviceError, LaunchMemory, Slice};
use std::sync::Arc;

/// A whole buffer that is fetched.
#[derive(Debug)]
struct Whole {
    buffer: BufferId,
    elem: ScalarType,
    len: u64,
    window: Window,
}

/// The buffers that are fetched.
#[derive(Debug)]
pub(super) struct Wanted(Vec<Whole>);

impl Wanted {
    /// All that a launch holds.
    pub fn of(held: &[(BufferId, Held)]) -> Result<Wanted, DeviceError> {
        let mut list: Vec<Whole> = Vec::new();
        for &(buffer, held) in held {
            if list.iter().all(|whole| whole.buffer != buffer) {
                let (elem, len) = held.content();
                let window = held.window(Slice { buffer, offset: 0, len })?;
                list.push(Whole { buffer, elem, len, window });
            }
        }
        Ok(Wanted(list))
    }

    /// Their words.
    pub fn places(&self) -> Vec<(Place, u64)> {
        let words = self.0.iter().map(|whole| (whole.window.place, whole.window.words));
        words.filter(|&(_, words)| words > 0).collect()
    }
}

/// The buffers, on the host.
#[derive(Debug)]
pub(super) struct Fetched<'a, M: Machine> {
    memory: &'a Memory<M>,
    buffers: Vec<(BufferId, Buffer)>,
}

impl<'a, M: Machine> Fetched<'a, M> {
    /// The words are those of [`Wanted::places`].
    pub fn new(memory: &'a Memory<M>, wanted: &Wanted, words: &[u32]) -> Fetched<'a, M> {
        let mut rest = words;
        let mut buffers = Vec::with_capacity(wanted.0.len());
        for &Whole { buffer, elem, len, window } in &wanted.0 {
            let (own, after) = rest.split_at((window.words as usize).min(rest.len()));
            buffers.push((buffer, from_words(elem, own, window.skip as usize, len as usize)));
            rest = after;
        }
        Fetched { memory, buffers }
    }

    fn buffer(&self, buffer: BufferId) -> Result<&Buffer, DeviceError> {
        let found = self.buffers.iter().find(|(id, _)| *id == buffer);
        found.map(|(_, data)| data).ok_or_else(|| bug("a launch reads what it did not hold"))
    }
}

impl<M: Machine> LaunchMemory for Fetched<'_, M> {
    fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        let data = self.buffer(slice.buffer)?;
        let end = slice.offset.saturating_add(slice.len);
        if end > data.len() as u64 {
            return Err(bug(format!("{slice:?} is longer than its buffer of {}", data.len())));
        }
        Ok(self.memory.fetched(data.slice(slice.offset as usize, end as usize)))
    }

    fn number(&self, cell: Cell) -> Result<Scalar, DeviceError> {
        Ok(self.read(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })?.get(0))
    }

    fn limit(&self) -> u64 {
        self.memory.limit()
    }
}
