//! Decoders in Rust for what the crates of Arrow and Parquet read by libraries in C only, or not at all: bytes that zstd or brotli has compressed become at most as many as are expected.

use std::io::Read;

/// Appends what something has compressed, if there is not more than so much.
pub(super) type Decode = fn(&[u8], u64, &mut Vec<u8>) -> Result<(), String>;

/// Appends what zstd has compressed, if there is not more than so much.
pub(super) fn zstd(packed: &[u8], most: u64, into: &mut Vec<u8>) -> Result<(), String> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| error.to_string())?;
    append(decoder, most, into)
}

/// As [`zstd`], of brotli.
#[cfg(feature = "parquet")]
pub(super) fn brotli(packed: &[u8], most: u64, into: &mut Vec<u8>) -> Result<(), String> {
    const PART: usize = 1 << 12;
    append(brotli_decompressor::Decompressor::new(packed, PART), most, into)
}

fn append(decoder: impl Read, most: u64, into: &mut Vec<u8>) -> Result<(), String> {
    let before = into.len() as u64;
    // No room is made for what is only claimed.
    decoder.take(most.saturating_add(1)).read_to_end(into).map_err(|error| error.to_string())?;
    match into.len() as u64 - before <= most {
        true => Ok(()),
        false => Err(format!("it has more than {most} bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a` a thousand times, as the programs `zstd` and `brotli` write it.
    const ZSTD: &[u8] = include_bytes!("../../tests/data/a.zst");
    #[cfg(feature = "parquet")]
    const BROTLI: &[u8] = include_bytes!("../../tests/data/a.br");

    fn check(decode: Decode, packed: &[u8]) {
        let mut bytes = b"b".to_vec();
        decode(packed, 1000, &mut bytes).unwrap();
        assert_eq!((bytes[0], bytes.len(), bytes[1..].iter().all(|&byte| byte == b'a')), (b'b', 1001, true));
        assert_eq!(decode(packed, 999, &mut Vec::new()), Err("it has more than 999 bytes".to_owned()));
        for end in 0..packed.len() {
            assert!(decode(&packed[..end], 1000, &mut Vec::new()).is_err(), "{end}");
        }
    }

    #[test]
    fn no_more_than_is_expected() {
        check(zstd, ZSTD);
        #[cfg(feature = "parquet")]
        check(brotli, BROTLI);
    }
}
