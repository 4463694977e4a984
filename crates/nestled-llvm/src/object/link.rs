//! Static linking in memory: copies the sections, resolves the symbols, writes the stubs, applies the relocations.
//!
//! It works on a plain slice and is told the address the slice will have, so that objects for another processor can be linked
//! and looked at as well.

use super::elf::{Elf, Machine, Place, Relocation};
use super::fields::Values;
use super::layout::{Layout, STUB_ADDRESS, STUB_SIZE, lay_out};
use super::{ObjectError, Symbols, aarch64, x86_64};
use std::collections::BTreeMap;
use std::ops::Range;

/// An object with a place for everything, not yet in memory.
#[derive(Debug)]
pub(super) struct LinkLayout<'a> {
    elf: Elf<'a>,
    /// The stubs, by the symbol each belongs to.
    stubs: BTreeMap<usize, u64>,
    pub layout: Layout,
}

/// Assigns a place to every section and stub.
pub(super) fn plan(elf: Elf<'_>, page: u64) -> Result<LinkLayout<'_>, ObjectError> {
    let mut stubs = BTreeMap::new();
    for relocation in &elf.relocations {
        let undefined = elf.symbols[relocation.symbol].place == Place::Undefined;
        if undefined || uses_table(elf.machine, relocation.kind) {
            stubs.insert(relocation.symbol, 0);
        }
    }
    let layout = lay_out(&elf, stubs.len(), page)?;
    for (idx, place) in stubs.values_mut().enumerate() {
        *place = layout.stubs + idx as u64 * STUB_SIZE;
    }
    Ok(LinkLayout { elf, stubs, layout })
}

fn uses_table(machine: Machine, kind: u32) -> bool {
    match machine {
        Machine::X86_64 => x86_64::uses_table(kind),
        Machine::AArch64 => aarch64::uses_table(kind),
    }
}

impl LinkLayout<'_> {
    /// Fills `image`, zeros of the size of the layout, as it must look at the address `base`.
    pub(super) fn fill(&self, image: &mut [u8], base: u64, outside: &Symbols) -> Result<(), ObjectError> {
        for (section, place) in self.elf.sections.iter().zip(&self.layout.sections) {
            let Some(start) = place.map(|place| place as usize) else { continue };
            image[start..start + section.data.len()].copy_from_slice(section.data);
        }
        for (&symbol, &stub) in &self.stubs {
            let address = self.address(symbol, base, outside)?;
            self.write_stub(&mut image[stub as usize..][..STUB_SIZE as usize], address);
        }
        self.elf.relocations.iter().try_for_each(|relocation| self.relocate(image, base, outside, relocation))
    }

    /// The functions the object defines, with their offsets.
    pub(super) fn functions(&self) -> BTreeMap<String, usize> {
        let defined = self.elf.symbols.iter().filter(|symbol| symbol.function);
        defined
            .filter_map(|symbol| match symbol.place {
                Place::Section { index, offset } => {
                    let place = self.layout.sections[index]?.checked_add(offset)?;
                    let place = usize::try_from(place).ok()?;
                    self.layout.code.contains(&place).then(|| (symbol.name.to_string(), place))
                }
                Place::Undefined | Place::Absolute(_) => None,
            })
            .collect()
    }

    fn address(&self, symbol: usize, base: u64, outside: &Symbols) -> Result<u64, ObjectError> {
        let symbol = &self.elf.symbols[symbol];
        match symbol.place {
            Place::Absolute(value) => Ok(value),
            Place::Section { index, offset } => {
                let section = self.layout.sections[index];
                let section =
                    section.ok_or(ObjectError::Malformed("symbol in a section that is not loaded"))?;
                Ok((base + section).wrapping_add(offset))
            }
            Place::Undefined => match outside.get(symbol.name) {
                Some(address) => Ok(address),
                None if symbol.weak => Ok(0),
                None => Err(ObjectError::Undefined(symbol.name.to_string())),
            },
        }
    }

    fn write_stub(&self, stub: &mut [u8], address: u64) {
        let jump = match self.elf.machine {
            Machine::X86_64 => x86_64::STUB,
            Machine::AArch64 => aarch64::STUB,
        };
        let (code, word) = stub.split_at_mut(STUB_ADDRESS as usize);
        code.copy_from_slice(&jump);
        word.copy_from_slice(&address.to_le_bytes());
    }

    fn relocate(
        &self,
        image: &mut [u8],
        base: u64,
        outside: &Symbols,
        relocation: &Relocation,
    ) -> Result<(), ObjectError> {
        let field = self.field(relocation)?;
        let values = Values {
            kind: relocation.kind,
            target: self.address(relocation.symbol, base, outside)?.wrapping_add_signed(relocation.addend),
            place: base + field.start as u64,
            addend: relocation.addend,
            stub: self.stubs.get(&relocation.symbol).map(|stub| base + stub),
            outside: self.elf.symbols[relocation.symbol].place == Place::Undefined,
        };
        match self.elf.machine {
            Machine::X86_64 => x86_64::apply(&mut image[field], &values),
            Machine::AArch64 => aarch64::apply(&mut image[field], &values),
        }
    }

    /// From the field to the end of its section: a relocation cannot touch what lies behind.
    fn field(&self, relocation: &Relocation) -> Result<Range<usize>, ObjectError> {
        const WHAT: ObjectError = ObjectError::Malformed("place of a relocation");
        let size = self.elf.sections[relocation.section].data.len();
        let start = self.layout.sections[relocation.section].ok_or(WHAT)? as usize;
        match usize::try_from(relocation.offset) {
            Ok(offset) if offset < size => Ok(start + offset..start + size),
            Ok(_) | Err(_) => Err(WHAT),
        }
    }
}
