//! Relocations of AArch64, and its stub. Most of them put a few bits of an address into an instruction.

use super::ObjectError;
use super::fields::{Values, field};

/// `ldr x16, #8` and `br x16`: the register is the one the ABI leaves to linkers.
pub(super) const STUB: [u8; 8] = [0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6];

const NONE: u32 = 0;
const ABS64: u32 = 257;
const ABS32: u32 = 258;
const PREL64: u32 = 260;
const PREL32: u32 = 261;
const LD_PREL_LO19: u32 = 273;
const ADR_PREL_LO21: u32 = 274;
const ADR_PREL_PG_HI21: u32 = 275;
const ADD_ABS_LO12_NC: u32 = 277;
const LDST8_ABS_LO12_NC: u32 = 278;
const TSTBR14: u32 = 279;
const CONDBR19: u32 = 280;
const JUMP26: u32 = 282;
const CALL26: u32 = 283;
const LDST16_ABS_LO12_NC: u32 = 284;
const LDST32_ABS_LO12_NC: u32 = 285;
const LDST64_ABS_LO12_NC: u32 = 286;
const LDST128_ABS_LO12_NC: u32 = 299;
const ADR_GOT_PAGE: u32 = 311;
const LD64_GOT_LO12_NC: u32 = 312;

/// True if a relocation asks for the table entry of its symbol.
pub(super) fn uses_table(kind: u32) -> bool {
    matches!(kind, ADR_GOT_PAGE | LD64_GOT_LO12_NC)
}

/// Patches the field at the start of `rest`.
pub(super) fn apply(rest: &mut [u8], values: &Values) -> Result<(), ObjectError> {
    let distance = |target: u64| target.wrapping_sub(values.place) as i64;
    match values.kind {
        NONE => Ok(()),
        ABS64 => write(rest, values.target.to_le_bytes()),
        PREL64 => write(rest, distance(values.target).to_le_bytes()),
        ABS32 => {
            let value = u32::try_from(values.target);
            write(rest, value.map_err(|_| values.out_of_reach(values.target as i64))?.to_le_bytes())
        }
        PREL32 => {
            let value = distance(values.target);
            write(rest, i32::try_from(value).map_err(|_| values.out_of_reach(value))?.to_le_bytes())
        }
        JUMP26 | CALL26 => branch(rest, values, distance(values.callee()), 26, 0),
        CONDBR19 | LD_PREL_LO19 => branch(rest, values, distance(values.target), 19, 5),
        TSTBR14 => branch(rest, values, distance(values.target), 14, 5),
        ADR_PREL_LO21 => adr(rest, values, distance(values.target)),
        ADR_PREL_PG_HI21 => adr(rest, values, pages(values, values.target)),
        ADR_GOT_PAGE => adr(rest, values, pages(values, values.table_entry()?)),
        ADD_ABS_LO12_NC | LDST8_ABS_LO12_NC => low12(rest, values, values.target, 0),
        LDST16_ABS_LO12_NC => low12(rest, values, values.target, 1),
        LDST32_ABS_LO12_NC => low12(rest, values, values.target, 2),
        LDST64_ABS_LO12_NC => low12(rest, values, values.target, 3),
        LDST128_ABS_LO12_NC => low12(rest, values, values.target, 4),
        LD64_GOT_LO12_NC => low12(rest, values, values.table_entry()?, 3),
        other => Err(ObjectError::Relocation(other)),
    }
}

fn write<const N: usize>(rest: &mut [u8], value: [u8; N]) -> Result<(), ObjectError> {
    *field(rest)? = value;
    Ok(())
}

/// Replaces the bits of an instruction that `mask` names.
fn insert(rest: &mut [u8], mask: u32, bits: u32) -> Result<(), ObjectError> {
    let field = field::<4>(rest)?;
    let instruction = u32::from_le_bytes(*field);
    *field = (instruction & !mask | bits & mask).to_le_bytes();
    Ok(())
}

/// True if a signed value fits into so many bits.
fn fits(value: i64, bits: u32) -> bool {
    value << (64 - bits) >> (64 - bits) == value
}

/// A distance counted in instructions, of `width` bits, from bit `shift` on.
fn branch(
    rest: &mut [u8],
    values: &Values,
    distance: i64,
    width: u32,
    shift: u32,
) -> Result<(), ObjectError> {
    if distance & 3 != 0 || !fits(distance, width + 2) {
        return Err(values.out_of_reach(distance));
    }
    let mask = ((1 << width) - 1) << shift;
    insert(rest, mask, ((distance >> 2) as u32) << shift)
}

/// The 21 bits of `adr` and `adrp`: the lowest two stand apart.
fn adr(rest: &mut [u8], values: &Values, value: i64) -> Result<(), ObjectError> {
    if !fits(value, 21) {
        return Err(values.out_of_reach(value));
    }
    let bits = value as u32;
    insert(rest, 0x60ff_ffe0, (bits & 3) << 29 | (bits >> 2 & 0x7_ffff) << 5)
}

/// Number of pages of 4096 bytes between the field and the target; the base of the image is a multiple of 4096.
fn pages(values: &Values, target: u64) -> i64 {
    ((target & !0xfff).wrapping_sub(values.place & !0xfff) as i64) >> 12
}

/// The place in its page, counted in units of `1 << scale` bytes.
fn low12(rest: &mut [u8], values: &Values, target: u64, scale: u32) -> Result<(), ObjectError> {
    let low = (target & 0xfff) as u32;
    if low & ((1 << scale) - 1) != 0 {
        return Err(values.out_of_reach(target as i64));
    }
    insert(rest, 0x003f_fc00, (low >> scale) << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patches an instruction of zeros, and returns the result.
    fn patched(kind: u32, place: u64, target: u64) -> Result<u32, ObjectError> {
        let values = Values { kind, target, place, addend: 0, stub: None, outside: false };
        let mut bytes = [0; 4];
        apply(&mut bytes, &values).map(|()| u32::from_le_bytes(bytes))
    }

    fn sign_extended(bits: u32, width: u32) -> i64 {
        i64::from(bits) << (64 - width) >> (64 - width)
    }

    const PLACE: u64 = 0x7fff_1234_5678;

    #[test]
    fn page_distances_can_be_read_back() {
        for pages in [0, 1, 2, 3, 4, 5, 0x3_ffff, 0xf_ffff, -1, -2, -3, -0x10_0000] {
            let target = (PLACE & !0xfff).wrapping_add_signed(pages << 12) + 0xabc;
            let word = patched(ADR_PREL_PG_HI21, PLACE, target).unwrap();
            assert_eq!(word & !0x60ff_ffe0, 0, "{pages}");
            assert_eq!(sign_extended(word >> 29 & 3 | word >> 5 << 2 & 0x1f_fffc, 21), pages);
        }
        for pages in [0x10_0000i64, -0x10_0001] {
            let target = (PLACE & !0xfff).wrapping_add_signed(pages << 12);
            assert!(matches!(patched(ADR_PREL_PG_HI21, PLACE, target), Err(ObjectError::OutOfReach { .. })));
        }
    }

    #[test]
    fn branches_can_be_read_back() {
        for (kind, width, shift) in [(CALL26, 26, 0), (JUMP26, 26, 0), (CONDBR19, 19, 5), (TSTBR14, 14, 5)] {
            let most = 1i64 << (width - 1);
            for words in [0, 1, 2, 1000, most - 1, -1, -most] {
                let word = patched(kind, PLACE, PLACE.wrapping_add_signed(words * 4)).unwrap();
                assert_eq!(sign_extended(word >> shift & ((1 << width) - 1), width), words, "{kind}");
            }
            for bytes in [most * 4, -most * 4 - 4, 2] {
                let result = patched(kind, PLACE, PLACE.wrapping_add_signed(bytes));
                assert!(matches!(result, Err(ObjectError::OutOfReach { .. })), "{kind} {bytes}");
            }
        }
    }

    #[test]
    fn places_in_a_page_are_scaled() {
        let scaled = [
            (ADD_ABS_LO12_NC, 1),
            (LDST8_ABS_LO12_NC, 1),
            (LDST16_ABS_LO12_NC, 2),
            (LDST32_ABS_LO12_NC, 4),
            (LDST64_ABS_LO12_NC, 8),
            (LDST128_ABS_LO12_NC, 16),
        ];
        for (kind, unit) in scaled {
            for low in (0..0x1000).step_by(unit) {
                let word = patched(kind, PLACE, 0x5_5000 + low as u64).unwrap();
                assert_eq!(word, ((low / unit) as u32) << 10, "{kind}");
            }
            let crooked = patched(kind, PLACE, 0x5_5001);
            assert_eq!(crooked.is_err(), unit > 1, "{kind}");
        }
    }

    #[test]
    fn only_the_field_changes() {
        let values = Values { kind: CALL26, target: 8, place: 4, addend: 0, stub: None, outside: false };
        let mut bytes = 0x97ff_ffffu32.to_le_bytes();
        apply(&mut bytes, &values).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), 0x9400_0001);
    }
}
