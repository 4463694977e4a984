//! Native operations, by the reference device: what they read is copied there, and what they write comes back.

use super::machine::Machine;
use super::{State, bug};
use nestled_rt::Reference;
use nestled_rt::device::{
    Device, DeviceError, DeviceFault, Extent, LaunchMemory, Native, NativeKind, Rows, Slice,
};

impl<M: Machine> State<M> {
    /// Runs a native operation on the host.
    pub(super) fn native(&mut self, native: &Native) -> Result<(), DeviceError> {
        let reference = Reference::default();
        let results = native.kind.results();
        let mut mapped: Vec<(Slice, Slice)> = Vec::new();
        let kind = {
            let mut move_slice = |slice: Slice| -> Result<Slice, DeviceError> {
                let data = self.memory.read(slice)?;
                // One more than is used, for what begins a slice then leaves the rest of it as it is.
                let buffer = reference.allocate(data.elem(), slice.len + 1)?;
                reference.copy_in(buffer, 0, &data)?;
                let moved = Slice { buffer, offset: 0, len: slice.len };
                mapped.push((slice, moved));
                Ok(moved)
            };
            let extent = |extent: Extent| -> Result<Extent, DeviceError> {
                Ok(Extent::known(self.memory.exact(extent)?))
            };
            moved(&native.kind, &mut move_slice, &extent)?
        };
        let outcome = reference.native(Native { kind, ..*native }).and_then(|()| reference.wait());
        let fault = match outcome {
            // What follows a fault may be called with values that the program never meant.
            Err(DeviceError::Bug(_)) if self.fault.is_some() => return Ok(()),
            outcome => outcome?,
        };
        for result in results {
            let (_, from) = *mapped
                .iter()
                .rfind(|(slice, _)| *slice == result)
                .ok_or_else(|| bug("a result of a native operation is not among its operands"))?;
            let data = reference.copy_out(from)?;
            self.make_writable(result)?;
            self.memory.write(result, &data)?;
        }
        if let Some(fault) = fault {
            self.note(DeviceFault { region: native.region, ..fault });
        }
        Ok(())
    }
}

type Move<'a> = &'a mut dyn FnMut(Slice) -> Result<Slice, DeviceError>;
type Known<'a> = &'a dyn Fn(Extent) -> Result<Extent, DeviceError>;

fn rows(rows: &Rows, slice: Move<'_>, extent: Known<'_>) -> Result<Rows, DeviceError> {
    Ok(match *rows {
        Rows::Regular { count, length } => Rows::Regular { count: extent(count)?, length: extent(length)? },
        Rows::Offsets(offsets) => Rows::Offsets(slice(offsets)?),
    })
}

/// The operation on other memory.
fn moved(kind: &NativeKind, slice: Move<'_>, extent: Known<'_>) -> Result<NativeKind, DeviceError> {
    Ok(match kind {
        NativeKind::Sort { elem, keys, sorted, payload, rows: cut, order } => NativeKind::Sort {
            elem: *elem,
            keys: slice(*keys)?,
            sorted: slice(*sorted)?,
            payload: payload
                .iter()
                .map(|(elem, from, to)| Ok((*elem, slice(*from)?, slice(*to)?)))
                .collect::<Result<_, DeviceError>>()?,
            rows: rows(cut, slice, extent)?,
            order: *order,
        },
        NativeKind::Rank { elem, keys, ranks, rows: cut, order } => NativeKind::Rank {
            elem: *elem,
            keys: slice(*keys)?,
            ranks: slice(*ranks)?,
            rows: rows(cut, slice, extent)?,
            order: *order,
        },
        NativeKind::MatMul { elem, left, right, product, sizes } => NativeKind::MatMul {
            elem: *elem,
            left: slice(*left)?,
            right: slice(*right)?,
            product: slice(*product)?,
            sizes: [extent(sizes[0])?, extent(sizes[1])?, extent(sizes[2])?],
        },
        NativeKind::Offsets { elem, lengths, count, offsets, site } => NativeKind::Offsets {
            elem: *elem,
            lengths: slice(*lengths)?,
            count: extent(*count)?,
            offsets: slice(*offsets)?,
            site: *site,
        },
        NativeKind::Lengths { offsets, lengths } => {
            NativeKind::Lengths { offsets: slice(*offsets)?, lengths: slice(*lengths)? }
        }
        NativeKind::Ramp { step, count, into } => {
            NativeKind::Ramp { step: extent(*step)?, count: extent(*count)?, into: slice(*into)? }
        }
        NativeKind::FillExtent { extent: what, into } => {
            NativeKind::FillExtent { extent: extent(*what)?, into: slice(*into)? }
        }
        NativeKind::Inside { starts, count, rows: cut, limit, site } => NativeKind::Inside {
            starts: slice(*starts)?,
            count: extent(*count)?,
            rows: rows(cut, slice, extent)?,
            limit: extent(*limit)?,
            site: *site,
        },
        NativeKind::SameOffsets { left, right, equal } => {
            NativeKind::SameOffsets { left: slice(*left)?, right: slice(*right)?, equal: slice(*equal)? }
        }
    })
}
