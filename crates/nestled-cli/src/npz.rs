//! NumPy's `.npz` files: ZIP archives of `.npy` files.

use nestled_rt::npy::Npy;

/// Several arrays with their names as the bytes of an `.npz` file: a ZIP archive in which nothing is compressed.
pub fn npz(arrays: &[(String, Npy)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, array) in arrays {
        let (name, file) = (format!("{name}.npy"), array.to_file());
        let start = out.len() as u32;
        let size = (file.len() as u32).to_le_bytes();
        // Version 2.0, no flags, stored, the first of January 1980.
        let mut entry = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        entry.extend(crc32(&file).to_le_bytes());
        entry.extend([size, size].concat());
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend([0, 0]);
        out.extend([b"PK\x03\x04", &entry[..], name.as_bytes(), &file].concat());
        directory.extend(
            [b"PK\x01\x02\x14\0", &entry[..], &[0; 10], &start.to_le_bytes(), name.as_bytes()].concat(),
        );
    }
    let count = (arrays.len() as u16).to_le_bytes();
    let place = [(directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes()].concat();
    out.extend(&directory);
    out.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &place, &[0, 0]].concat());
    out
}

/// The check sum of ZIP, and of PNG.
pub fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_sums() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
