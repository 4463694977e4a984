//! Gray-scale PNG pictures for images inside of drawings, without compression.

use nestled_rt::zip::Crc;

/// The most bytes of a stored block.
const BLOCK: usize = 65_535;

/// Encodes a picture of so many columns and rows, with values from 0 to 255 in row-major order from the top. `None` if there are not as many.
pub fn png(width: i64, height: i64, grays: &[i64]) -> Option<Vec<u8>> {
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let columns = width as usize;
    if columns == 0 || height == 0 || columns.checked_mul(height as usize)? != grays.len() {
        return None;
    }
    let mut rows = Vec::with_capacity(grays.len() + height as usize);
    for row in grays.chunks(columns) {
        rows.push(0); // No filter.
        rows.extend(row.iter().map(|gray| (*gray).clamp(0, 255) as u8));
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat());
    chunk(&mut file, b"IDAT", &stored(&rows));
    chunk(&mut file, b"IEND", &[]);
    Some(file)
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let body = [&kind[..], data].concat();
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(&body);
    file.extend(Crc::default().over(&body).value().to_be_bytes());
}

/// The zlib format with stored blocks.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let last = data.chunks(BLOCK).count() - 1;
    for (position, block) in data.chunks(BLOCK).enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(position == last));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (mut low, mut high) = (1u32, 0u32);
    for byte in data {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    out.extend((high << 16 | low).to_be_bytes());
    out
}

/// Bytes as text.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_bytes() {
        assert_eq!(
            [&b""[..], b"f", b"fo", b"foo", b"foob"].map(base64),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }

    #[test]
    fn a_picture_has_its_check_sums() {
        let file = png(2, 1, &[0, 300]).expect("a picture");
        // Of the end, which every picture has.
        assert!(file.ends_with(b"\0\0\0\0IEND\xaeB`\x82"));
        // Adler-32 of the row 0 0 255.
        assert!(file.windows(4).any(|bytes| bytes == [0x01, 0x02, 0x01, 0x00]));
        assert_eq!(png(2, 2, &[0]), None);
    }
}
