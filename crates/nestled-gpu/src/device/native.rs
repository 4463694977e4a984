//! Host fallback of native operations, by the reference device: operands are copied there, and results come back.

use super::machine::Machine;
use super::{State, bug};
use nestled_ir::ScalarType::{self, Idx};
use nestled_ir::value::Buffer;
use nestled_rt::Reference;
use nestled_rt::device::{
    Device, DeviceError, DeviceFault, Extent, LaunchMemory, Native, NativeKind, Rows, Slice,
};

impl<M: Machine> State<M> {
    /// Runs a native operation on the host.
    pub(super) fn native(&mut self, native: &Native) -> Result<(), DeviceError> {
        let (results, fault) = match on_host(&self.memory, native) {
            // After a fault, operands may be values that the program never meant.
            Err(DeviceError::Bug(_)) if self.fault.is_some() => return Ok(()),
            outcome => outcome?,
        };
        for (result, data) in results {
            self.make_free(result)?;
            self.memory.bring_back(result, &data)?;
        }
        if let Some(fault) = fault {
            self.note(fault);
        }
        Ok(())
    }
}

/// The slices that an operation writes, with their contents, and its fault.
type Outcome = (Vec<(Slice, Buffer)>, Option<DeviceFault>);

/// Computes a native operation on the host.
pub(super) fn on_host(memory: &impl LaunchMemory, native: &Native) -> Result<Outcome, DeviceError> {
    let reference = Reference::default();
    let results = native.kind.results();
    let mut mapped: Vec<(Slice, Slice)> = Vec::new();
    let kind = {
        let mut move_slice = |slice: Slice, elem: ScalarType| -> Result<Slice, DeviceError> {
            // One spare element, so that the slice does not cover its whole buffer: the reference device then keeps the rest as it is.
            let buffer = reference.allocate(elem, slice.len + 1)?;
            match memory.read(slice) {
                Ok(data) => reference.copy_in(buffer, 0, &data)?,
                // Snapshots hold operands only.
                Err(_) if results.contains(&slice) => {
                    reference.copy_in(buffer, 0, &Buffer::zeroed(elem, slice.len as usize))?;
                }
                Err(error) => return Err(error),
            }
            let moved = Slice { buffer, offset: 0, len: slice.len };
            mapped.push((slice, moved));
            Ok(moved)
        };
        let extent = |extent: Extent| Ok(Extent::known(memory.exact(extent)?));
        moved(&native.kind, &mut move_slice, &extent)?
    };
    let fault = reference.native(Native { kind, ..*native }).and_then(|()| reference.wait())?;
    let mut written = Vec::with_capacity(results.len());
    for result in results {
        let moved = mapped.iter().rfind(|(slice, _)| *slice == result);
        let (_, from) =
            moved.ok_or_else(|| bug("a result of a native operation is not among its operands"))?;
        written.push((result, reference.copy_out(*from)?));
    }
    Ok((written, fault.map(|fault| DeviceFault { region: native.region, ..fault })))
}

type Move<'a> = &'a mut dyn FnMut(Slice, ScalarType) -> Result<Slice, DeviceError>;
type Known<'a> = &'a dyn Fn(Extent) -> Result<Extent, DeviceError>;

fn rows(rows: &Rows, slice: Move<'_>, extent: Known<'_>) -> Result<Rows, DeviceError> {
    Ok(match *rows {
        Rows::Regular { count, length } => Rows::Regular { count: extent(count)?, length: extent(length)? },
        Rows::Offsets(offsets) => Rows::Offsets(slice(offsets, Idx)?),
    })
}

/// Maps the operands of an operation to other memory.
fn moved(kind: &NativeKind, slice: Move<'_>, extent: Known<'_>) -> Result<NativeKind, DeviceError> {
    Ok(match kind {
        NativeKind::Sort { elem, keys, sorted, payload, rows: cut, order } => NativeKind::Sort {
            elem: *elem,
            keys: slice(*keys, *elem)?,
            sorted: slice(*sorted, *elem)?,
            payload: payload
                .iter()
                .map(|(elem, from, to)| Ok((*elem, slice(*from, *elem)?, slice(*to, *elem)?)))
                .collect::<Result<_, DeviceError>>()?,
            rows: rows(cut, slice, extent)?,
            order: *order,
        },
        NativeKind::Rank { elem, keys, ranks, rows: cut, order } => NativeKind::Rank {
            elem: *elem,
            keys: slice(*keys, *elem)?,
            ranks: slice(*ranks, Idx)?,
            rows: rows(cut, slice, extent)?,
            order: *order,
        },
        NativeKind::MatMul { elem, left, right, product, sizes } => NativeKind::MatMul {
            elem: *elem,
            left: slice(*left, *elem)?,
            right: slice(*right, *elem)?,
            product: slice(*product, *elem)?,
            sizes: [extent(sizes[0])?, extent(sizes[1])?, extent(sizes[2])?],
        },
        NativeKind::Offsets { elem, lengths, count, offsets, site } => NativeKind::Offsets {
            elem: *elem,
            lengths: slice(*lengths, *elem)?,
            count: extent(*count)?,
            offsets: slice(*offsets, Idx)?,
            site: *site,
        },
        NativeKind::Lengths { offsets, lengths } => {
            NativeKind::Lengths { offsets: slice(*offsets, Idx)?, lengths: slice(*lengths, Idx)? }
        }
        NativeKind::Ramp { step, count, into } => {
            NativeKind::Ramp { step: extent(*step)?, count: extent(*count)?, into: slice(*into, Idx)? }
        }
        NativeKind::FillExtent { extent: what, into } => {
            NativeKind::FillExtent { extent: extent(*what)?, into: slice(*into, Idx)? }
        }
        NativeKind::Inside { starts, count, rows: cut, limit, site } => NativeKind::Inside {
            starts: slice(*starts, Idx)?,
            count: extent(*count)?,
            rows: rows(cut, slice, extent)?,
            limit: extent(*limit)?,
            site: *site,
        },
        NativeKind::SameOffsets { left, right, equal } => NativeKind::SameOffsets {
            left: slice(*left, Idx)?,
            right: slice(*right, Idx)?,
            equal: slice(*equal, ScalarType::Bool)?,
        },
    })
}
