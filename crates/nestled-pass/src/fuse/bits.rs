//! Sets of runs as bits, and square tables of bits.

const BITS: usize = u64::BITS as usize;

/// How many words hold so many bits.
pub fn words(len: usize) -> usize {
    len.div_ceil(BITS)
}

/// Whether a bit is set.
pub fn has(row: &[u64], at: usize) -> bool {
    row[at / BITS] >> (at % BITS) & 1 == 1
}

/// Sets a bit.
pub fn set(row: &mut [u64], at: usize) {
    row[at / BITS] |= 1 << (at % BITS);
}

/// Clears a bit.
pub fn clear(row: &mut [u64], at: usize) {
    row[at / BITS] &= !(1 << (at % BITS));
}

/// Adds all of `other`.
pub fn join(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// Whether two sets have something in common.
pub fn meets(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The first member.
pub fn first(row: &[u64]) -> Option<usize> {
    let at = row.iter().position(|word| *word != 0)?;
    Some(at * BITS + row[at].trailing_zeros() as usize)
}

/// The members, in order.
pub fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |word| {
            let rest = word & (word - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |word| at * BITS + word.trailing_zeros() as usize)
    })
}

/// A square table of bits.
#[derive(Clone, Debug)]
pub struct Table {
    words: usize,
    bits: Vec<u64>,
}

impl Table {
    /// All bits clear.
    pub fn new(len: usize) -> Table {
        Table { words: words(len), bits: vec![0; words(len) * len] }
    }

    /// A row, as a set.
    pub fn row(&self, at: usize) -> &[u64] {
        &self.bits[at * self.words..][..self.words]
    }

    /// A row, to change.
    pub fn row_mut(&mut self, at: usize) -> &mut [u64] {
        &mut self.bits[at * self.words..][..self.words]
    }

    /// Whether a bit is set.
    pub fn has(&self, row: usize, column: usize) -> bool {
        has(self.row(row), column)
    }

    /// Sets a bit.
    pub fn set(&mut self, row: usize, column: usize) {
        set(self.row_mut(row), column);
    }

    /// Sets a bit and its mirror image.
    pub fn set_both(&mut self, a: usize, b: usize) {
        self.set(a, b);
        self.set(b, a);
    }

    /// Adds one row to another.
    pub fn join_row(&mut self, row: usize, other: usize) {
        for word in 0..self.words {
            self.bits[row * self.words + word] |= self.bits[other * self.words + word];
        }
    }
}
