//! How large the user's cache may grow.

use super::DEFAULT_CAP;

/// The environment variable that says it.
const VARIABLE: &str = "NESTLED_CACHE_SIZE";

/// Bytes at most. What is not understood is said, and passed over.
pub(super) fn cap() -> u64 {
    let Some(text) = std::env::var_os(VARIABLE) else { return DEFAULT_CAP };
    let text = text.to_string_lossy();
    parse_size(&text).unwrap_or_else(|| {
        eprintln!("{VARIABLE}: `{text}` is not a size such as 512M or 2G; using {}M", DEFAULT_CAP >> 20);
        DEFAULT_CAP
    })
}

/// Parses a number of bytes: `1000`, `64K`, `500M`, `2G`, `1T`, in powers of 1024.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, shift) = match text.char_indices().last()? {
        (at, 'K' | 'k') => (&text[..at], 10),
        (at, 'M' | 'm') => (&text[..at], 20),
        (at, 'G' | 'g') => (&text[..at], 30),
        (at, 'T' | 't') => (&text[..at], 40),
        _ => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(
            ["1000", " 64K ", "500m", "2G", "0"].map(parse_size),
            [1000, 64 << 10, 500 << 20, 2 << 30, 0].map(Some)
        );
        assert_eq!(
            ["", "M", "-1", "G", "1.5G", "99999999999999999999", "99999999999G"].map(parse_size),
            [None; 7]
        );
    }
}
