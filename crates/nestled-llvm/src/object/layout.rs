//! Layout of sections in one mapping: code, then stubs, then constants, then variables, each group on pages of its own.

use super::ObjectError;
use super::elf::{Access, Elf};
use std::ops::Range;

/// Bytes of a stub: an indirect jump, then at [`STUB_ADDRESS`] the address it jumps to.
pub(super) const STUB_SIZE: u64 = 16;

/// Offset of the address in a stub, in bytes.
pub(super) const STUB_ADDRESS: u64 = 8;

/// The largest mapping. No kernel comes near; a damaged size does.
const MAX_SIZE: u64 = 256 << 20;

/// The places of all parts, as offsets from the start of the mapping.
#[derive(Debug)]
pub(super) struct Layout {
    /// Of each section that is loaded.
    pub sections: Vec<Option<u64>>,
    pub stubs: u64,
    /// Whole pages.
    pub code: Range<usize>,
    pub constants: Range<usize>,
    pub variables: Range<usize>,
}

impl Layout {
    /// Bytes of the whole mapping.
    pub(super) fn size(&self) -> usize {
        self.variables.end
    }
}

/// Lays out an object that needs `n_stubs` stubs, for pages of `page` bytes.
pub(super) fn lay_out(elf: &Elf<'_>, n_stubs: usize, page: u64) -> Result<Layout, ObjectError> {
    let mut placer = Placer { places: vec![None; elf.sections.len()], end: 0 };
    placer.place_all(elf, Access::Code)?;
    let stubs = placer.take(n_stubs as u64 * STUB_SIZE, STUB_SIZE)?;
    let code = 0..placer.take(0, page)? as usize;
    placer.place_all(elf, Access::Constants)?;
    let constants = code.end..placer.take(0, page)? as usize;
    placer.place_all(elf, Access::Variables)?;
    let variables = constants.end..placer.take(0, page)? as usize;
    Ok(Layout { sections: placer.places, stubs, code, constants, variables })
}

struct Placer {
    places: Vec<Option<u64>>,
    end: u64,
}

impl Placer {
    fn place_all(&mut self, elf: &Elf<'_>, access: Access) -> Result<(), ObjectError> {
        for (index, section) in elf.sections.iter().enumerate() {
            if section.access == Some(access) {
                self.places[index] = Some(self.take(section.size, section.align)?);
            }
        }
        Ok(())
    }

    /// Takes `size` bytes at the next multiple of `align`, a power of two that is at most a page.
    fn take(&mut self, size: u64, align: u64) -> Result<u64, ObjectError> {
        let start = self.end.next_multiple_of(align);
        let end = start.saturating_add(size);
        if end > MAX_SIZE {
            return Err(ObjectError::TooLarge(end));
        }
        self.end = end;
        Ok(start)
    }
}
