//! How long passes take, where somebody wants to know: each writes the time at its beginning and at its end, and both are read once the host has waited.

use std::time::Duration;
use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassTimestampWrites, Device, QUERY_SIZE,
    QuerySet, QuerySetDescriptor, QueryType, Queue,
};

/// So many passes wait to be looked at.
const MOST: u32 = 1024;

/// The times of passes.
#[derive(Debug)]
pub struct Times {
    /// Whether passes are given times.
    pub is_on: bool,
    /// Of all that were looked at.
    pub sum: Duration,
    set: QuerySet,
    resolved: Buffer,
    /// Nanoseconds of a tick.
    period: f32,
    passes: u32,
}

impl Times {
    /// None yet, on a device with such queries.
    pub fn new(device: &Device, queue: &Queue) -> Times {
        let (label, count) = (None, 2 * MOST);
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let size = u64::from(count * QUERY_SIZE);
        Times {
            is_on: false,
            sum: Duration::ZERO,
            set: device.create_query_set(&QuerySetDescriptor { label, ty: QueryType::Timestamp, count }),
            resolved: device.create_buffer(&BufferDescriptor {
                label,
                size,
                usage,
                mapped_at_creation: false,
            }),
            period: queue.get_timestamp_period(),
            passes: 0,
        }
    }

    /// Whether those that there are have to be looked at before the next pass.
    pub fn is_full(&self) -> bool {
        self.passes == MOST
    }

    /// What a pass that begins now writes.
    pub fn next(&mut self) -> Option<ComputePassTimestampWrites<'_>> {
        let first = self.passes * 2;
        self.passes += u32::from(self.is_on);
        self.is_on.then_some(ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Brings all times, so many bytes, to a place.
    pub fn bring(&self, encoder: &mut CommandEncoder, to: &Buffer) {
        encoder.resolve_query_set(&self.set, 0..self.passes * 2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, to, 0, Some(self.bytes()));
    }

    /// How many bytes those are.
    pub fn bytes(&self) -> u64 {
        u64::from(self.passes * 2 * QUERY_SIZE)
    }

    /// Adds what was brought.
    pub fn add(&mut self, words: &[u32]) {
        let number = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        let ticks: u64 =
            (0..words.len()).step_by(4).map(|at| number(at + 2).saturating_sub(number(at))).sum();
        self.sum += Duration::from_secs_f64(ticks as f64 * f64::from(self.period) * 1e-9);
        self.passes = 0;
    }
}
