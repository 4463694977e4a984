//! Mutations: one file becomes another that is nearly as well formed.

use crate::random::Random;

/// Tokens that readers have failed on: bounds of types, signs, brackets, and parts of other forms.
const WORDS: [&str; 26] = [
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "4294967296",
    "2147483648",
    "99999999999999999999999999",
    "0",
    "-1",
    "1e309",
    "nan",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "%",
    ";",
    "\n",
    "\0",
    "é",
    "\u{10ffff}",
    " : ",
    " -> ",
];

/// Nothing becomes longer.
const LONGEST: usize = 1 << 18;

/// A file of a corpus, mutated a few times, sometimes with parts of another.
#[must_use]
pub fn mutated(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.one(corpus).clone();
    // Now and then none at all: what is right is read to its end.
    for _ in 0..random.below(8) {
        let other = random.one(corpus);
        mutate(&mut bytes, other, random);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(12) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.bits() as u8,
        2 => drop(bytes.drain(range(bytes.len(), at, 16, random))),
        3 => drop(bytes.drain(range(bytes.len(), at, 4000, random))),
        4 => bytes.truncate(at),
        5 => put(bytes, at, random.one(&WORDS).as_bytes()),
        6 => replace_number(bytes, at, random),
        7 => {
            let part = range(other.len(), random.below(other.len() + 1), 400, random);
            put(bytes, at, &other[part]);
        }
        8 => {
            let part = bytes[range(bytes.len(), at, 60, random)].to_vec();
            put(bytes, at, &part);
        }
        // Many of the same, deep or long.
        9 => {
            let part = bytes[range(bytes.len(), at, 12, random)].to_vec();
            put(bytes, at, &part.repeat(1 << random.below(14)));
        }
        10 => {
            let word = random.one(&WORDS).repeat(1 << random.below(14));
            put(bytes, at, word.as_bytes());
        }
        _ => {
            let end = random.below(bytes.len() + 1);
            let (low, high) = (at.min(end), at.max(end));
            bytes[low..high].rotate_left((high - low) / 2);
        }
    }
}

/// A range from a place on, of at most so many bytes.
fn range(length: usize, at: usize, most: usize, random: &mut Random) -> std::ops::Range<usize> {
    at..length.min(at + random.below(most))
}

fn put(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    drop(bytes.splice(at..at, part.iter().copied()));
}

/// The next number becomes another one.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = WORDS[random.below(8)].to_owned();
    drop(bytes.splice(start..start + length, number.into_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_all_and_nothing_grows_without_end() {
        let corpus = [b"let x = 12 in {y + 1 : y in [1, 2]};".to_vec(), vec![0; 300], Vec::new()];
        let all = |seed| mutated(&corpus, &mut Random::seeded(seed));
        for seed in 0..2000 {
            assert!(all(seed).len() <= LONGEST);
        }
        assert!((0..100).all(|seed| all(seed) == all(seed)));
    }
}
