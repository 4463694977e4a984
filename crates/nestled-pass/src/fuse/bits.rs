//! Bit sets of runs, and square bit matrices.

const BITS: usize = u64::BITS as usize;

/// Number of 64-bit words that hold `len` bits.
pub fn words(len: usize) -> usize {
    len.div_ceil(BITS)
}

/// True if a bit is set.
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

/// Union: adds all members of `other`.
pub fn join(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// True if two sets intersect.
pub fn meets(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The least member.
pub fn first(row: &[u64]) -> Option<usize> {
    let at = row.iter().position(|word| *word != 0)?;
    Some(at * BITS + row[at].trailing_zeros() as usize)
}

/// The members, in ascending order.
pub fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |word| {
            let rest = word & (word - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |word| at * BITS + word.trailing_zeros() as usize)
    })
}

/// A square bit matrix.
#[derive(Clone, Debug)]
pub struct Table {
    words: usize,
    bits: Vec<u64>,
}

impl Table {
    /// Makes a matrix with all bits clear.
    pub fn new(len: usize) -> Table {
        Table { words: words(len), bits: vec![0; words(len) * len] }
    }

    /// A row, as a set.
    pub fn row(&self, at: usize) -> &[u64] {
        &self.bits[at * self.words..][..self.words]
    }

    /// A row, mutable.
    pub fn row_mut(&mut self, at: usize) -> &mut [u64] {
        &mut self.bits[at * self.words..][..self.words]
    }

    /// True if a bit is set.
    pub fn has(&self, row: usize, column: usize) -> bool {
        has(self.row(row), column)
    }

    /// Sets a bit.
    pub fn set(&mut self, row: usize, column: usize) {
        set(self.row_mut(row), column);
    }

    /// Sets a bit and its transpose.
    pub fn set_both(&mut self, a: usize, b: usize) {
        self.set(a, b);
        self.set(b, a);
    }

    /// Adds row `other` to `row`.
    pub fn join_row(&mut self, row: usize, other: usize) {
        for word in 0..self.words {
            self.bits[row * self.words + word] |= self.bits[other * self.words + word];
        }
    }
}
