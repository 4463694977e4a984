//! The combinators of a kernel, one file each: map, reduce, scan, filter, partition, permute, serial.

mod filter;
mod map;
mod partition;
mod permute;
mod reduce;
mod scan;
mod serial;
mod values;

pub(super) use filter::filter;
pub(super) use map::map;
pub(super) use partition::partition;
pub(super) use permute::permute;
pub(super) use reduce::reduce;
pub(super) use scan::scan;
pub(super) use serial::serial;

use crate::scalar::Scalar;
use crate::value::Buffer;

/// Writes one value of each component.
fn set_all(buffers: &mut [Buffer], at: u64, values: &[Scalar]) {
    for (buffer, &value) in buffers.iter_mut().zip(values) {
        buffer.set(at as usize, value);
    }
}
