//! Operands of a relocation, and the field that it patches.

use super::ObjectError;
use super::layout::STUB_ADDRESS;

/// The numbers a relocation is made of, by ELF's letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values {
    /// The kind of relocation.
    pub kind: u32,
    /// S + A: the address of the symbol, plus the addend.
    pub target: u64,
    /// The address of the field that is patched.
    pub place: u64,
    /// The addend.
    pub addend: i64,
    /// The address of the symbol's stub, if it has one.
    pub stub: Option<u64>,
    /// Whether the symbol is from outside, so that a call must go through the stub.
    pub outside: bool,
}

impl Values {
    /// The address a call goes to: functions from outside may be far away, their stubs are not.
    pub(super) fn callee(&self) -> u64 {
        match self.stub {
            Some(stub) if self.outside => stub.wrapping_add_signed(self.addend),
            Some(_) | None => self.target,
        }
    }

    /// The address of the word that holds the symbol's address.
    pub(super) fn table_entry(&self) -> Result<u64, ObjectError> {
        let stub = self.stub.ok_or(ObjectError::Relocation(self.kind))?;
        Ok((stub + STUB_ADDRESS).wrapping_add_signed(self.addend))
    }

    pub(super) fn out_of_reach(&self, value: i64) -> ObjectError {
        ObjectError::OutOfReach { kind: self.kind, value }
    }
}

/// The bytes a relocation patches, at the start of what is left of its section.
pub(super) fn field<const N: usize>(rest: &mut [u8]) -> Result<&mut [u8; N], ObjectError> {
    rest.first_chunk_mut::<N>().ok_or(ObjectError::Malformed("place of a relocation"))
}
