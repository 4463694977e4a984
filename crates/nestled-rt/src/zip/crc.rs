//! CRC-32, the checksum of ZIP and of PNG, eight bytes at a time.

/// The check sum of ZIP, and of PNG.
#[derive(Clone, Copy, Debug)]
pub struct Crc(u32);

impl Default for Crc {
    fn default() -> Crc {
        Crc(!0)
    }
}

/// Contribution of a byte to the checksum, by its distance from the end of a chunk of eight.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut at = 1;
    while at < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[at - 1][byte];
            tables[at][byte] = before >> 8 ^ tables[0][before as usize & 255];
            byte += 1;
        }
        at += 1;
    }
    tables
};

impl Crc {
    /// The sum also of these bytes.
    #[must_use]
    pub fn over(self, bytes: &[u8]) -> Crc {
        let (chunks, rest) = bytes.as_chunks::<8>();
        let crc = chunks.iter().fold(self.0, |crc, chunk| {
            let word = u64::from_le_bytes(*chunk) ^ u64::from(crc);
            (0..8).fold(0, |sum, at| sum ^ TABLES[7 - at][(word >> (8 * at)) as usize & 255])
        });
        Crc(rest.iter().fold(crc, |crc, byte| crc >> 8 ^ TABLES[0][(crc as u8 ^ byte) as usize]))
    }

    /// The sum.
    #[must_use]
    pub fn value(self) -> u32 {
        !self.0
    }
}
