//! Choices by bytes: whoever makes something up asks for numbers, and a fuzzer finds the bytes.

/// Bytes that are choices, one after another. Behind them choices go on, by a fixed rule.
pub(crate) struct Choices<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices { bytes, at: 0 }
    }

    pub fn byte(&mut self) -> u8 {
        self.at += 1;
        let behind = (self.at as u32).wrapping_mul(2_654_435_769) >> 24;
        self.bytes.get(self.at - 1).copied().unwrap_or(behind as u8)
    }

    /// A number below a bound of at most 65 536; 0 if the bound is.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::from(u16::from_le_bytes([self.byte(), self.byte()]));
        if bound == 0 { 0 } else { bits % bound }
    }

    /// True once in so many times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
