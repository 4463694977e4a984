//! The linear congruential generator of the original: 48 bits of state, numbers of 31 bits.
//!
//! ```text
//! x ← (0x5DEECE66D·x + 0xB) mod 2⁴⁸,  the number is x >> 17,  from x = 0 on
//! ```

/// The bits of a state.
pub(crate) const MASK: u64 = (1 << 48) - 1;
/// Number of low bits of a state that are not in its number.
pub(crate) const SHIFT: u64 = 17;

/// Returns the factor and summand of 2⁰, 2¹, 2², … steps, for skipping ahead.
pub(crate) fn powers() -> impl Iterator<Item = (u64, u64)> {
    let twice = |&(factor, summand): &(u64, u64)| {
        let product = factor.wrapping_mul(factor) & MASK;
        Some((product, factor.wrapping_add(1).wrapping_mul(summand) & MASK))
    };
    std::iter::successors(Some((0x5_DEEC_E66D, 0xB)), twice)
}

/// Returns the state after a number of steps, in logarithmic time.
pub(crate) fn skip(state: u64, steps: u64) -> u64 {
    let bits = (0..64).take_while(|bit| steps >> bit != 0);
    bits.zip(powers()).fold(state, |state, (bit, (factor, summand))| {
        if steps >> bit & 1 == 0 { state } else { state.wrapping_mul(factor).wrapping_add(summand) & MASK }
    })
}

/// Returns the state for a seed.
pub(crate) fn seeded(seed: i64) -> u64 {
    ((seed as u64) << 16).wrapping_add(0x330E) & MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_known() {
        let numbers: Vec<u64> = (1..=4).map(|step| skip(0, step) >> SHIFT).collect();
        assert_eq!(numbers, [0, 2_116_118, 89_401_895, 379_337_186]);
        let far = (0..1000).fold(seeded(7), |state, _| skip(state, 1));
        assert_eq!(skip(seeded(7), 1000), far);
    }
}
