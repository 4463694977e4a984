//! The relocations of x86-64, and its stub.

use super::ObjectError;
use super::link::{Values, field};

/// `jmp *2(%rip)` to the address in the second half, then `ud2`.
pub(super) const STUB: [u8; 8] = [0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b];

const NONE: u32 = 0;
const ABS64: u32 = 1;
const PC32: u32 = 2;
const PLT32: u32 = 4;
const GOTPCREL: u32 = 9;
const ABS32: u32 = 10;
const ABS32S: u32 = 11;
const PC64: u32 = 24;
const GOTPCRELX: u32 = 41;
const REX_GOTPCRELX: u32 = 42;

/// Whether a relocation asks for the table entry of its symbol.
pub(super) fn uses_table(kind: u32) -> bool {
    matches!(kind, GOTPCREL | GOTPCRELX | REX_GOTPCRELX)
}

/// Patches the field at the start of `rest`.
pub(super) fn apply(rest: &mut [u8], values: &Values) -> Result<(), ObjectError> {
    match values.kind {
        NONE => {}
        ABS64 => *field(rest)? = values.target.to_le_bytes(),
        PC64 => *field(rest)? = values.target.wrapping_sub(values.place).to_le_bytes(),
        ABS32 => *field(rest)? = unsigned(values)?.to_le_bytes(),
        ABS32S => *field(rest)? = signed(values, values.target as i64)?.to_le_bytes(),
        PC32 => *field(rest)? = relative(values, values.target)?.to_le_bytes(),
        PLT32 => *field(rest)? = relative(values, values.callee())?.to_le_bytes(),
        GOTPCREL | GOTPCRELX | REX_GOTPCRELX => {
            *field(rest)? = relative(values, values.table_entry()?)?.to_le_bytes();
        }
        other => return Err(ObjectError::Relocation(other)),
    }
    Ok(())
}

fn relative(values: &Values, target: u64) -> Result<i32, ObjectError> {
    signed(values, target.wrapping_sub(values.place) as i64)
}

fn signed(values: &Values, value: i64) -> Result<i32, ObjectError> {
    i32::try_from(value).map_err(|_| values.out_of_reach(value))
}

fn unsigned(values: &Values) -> Result<u32, ObjectError> {
    u32::try_from(values.target).map_err(|_| values.out_of_reach(values.target as i64))
}
