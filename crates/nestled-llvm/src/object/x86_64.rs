//! Relocations of x86-64, and its stub.

use super::ObjectError;
use super::fields::{Values, field};

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

/// True if a relocation asks for the table entry of its symbol.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(kind: u32, place: u64, target: u64) -> Result<[u8; 8], ObjectError> {
        let stub = Some(0x5000);
        let values = Values { kind, target, place, addend: -4, stub, outside: true };
        let mut bytes = [0; 8];
        apply(&mut bytes, &values).map(|()| bytes)
    }

    fn low_half(bytes: [u8; 8]) -> i32 {
        bytes.first_chunk().map_or(0, |low| i32::from_le_bytes(*low))
    }

    #[test]
    fn fields_hold_what_the_abi_says() {
        assert_eq!(patched(ABS64, 0x1000, u64::MAX - 5).unwrap(), (u64::MAX - 5).to_le_bytes());
        assert_eq!(patched(PC64, 0x1000, 0x10).unwrap(), (-0xff0i64).to_le_bytes());
        assert_eq!(low_half(patched(PC32, 0x1000, 0x10).unwrap()), -0xff0);
        assert_eq!(low_half(patched(ABS32S, 0, -8i64 as u64).unwrap()), -8);
        assert_eq!(low_half(patched(ABS32, 0, 0xffff_fff8).unwrap()), -8);
        // A call from outside goes to the stub; the table entry is the second half of it. Both with the addend.
        assert_eq!(low_half(patched(PLT32, 0x4000, 0).unwrap()), 0x1000 - 4);
        assert_eq!(low_half(patched(REX_GOTPCRELX, 0x4000, 0).unwrap()), 0x1000 + 8 - 4);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let cases = [(PC32, 0x8000_0000), (ABS32S, 0x8000_0000), (ABS32, 0x1_0000_0000), (ABS32, u64::MAX)];
        for (kind, target) in cases {
            assert!(
                matches!(patched(kind, 0, target), Err(ObjectError::OutOfReach { .. })),
                "{kind} {target:#x}"
            );
        }
        assert_eq!(patched(PC32, 0, 0x7fff_ffff).map(low_half), Ok(i32::MAX));
        assert_eq!(patched(77, 0, 0), Err(ObjectError::Relocation(77)));
    }
}
