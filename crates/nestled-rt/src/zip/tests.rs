//! Round trips of archives, and detection of damage.

use super::read::{u32_at, u64_at, zip64};
use super::*;
use std::io::{Cursor, Read, Write};

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out);
    files.iter().for_each(|(name, bytes)| writer.add(name, &|out| out.write_all(bytes)).unwrap());
    writer.finish().unwrap();
    out
}

/// The files of an archive with their names.
fn read(file: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut archive = Archive::open(Cursor::new(file))?;
    let names: Vec<String> = archive.entries().iter().map(|entry| entry.name.clone()).collect();
    let mut files = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        let mut content = archive.content(at)?;
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        content.finish()?;
        files.push((name, bytes));
    }
    Ok(files)
}

#[test]
fn check_sums() {
    assert_eq!(Crc::default().over(b"123456789").value(), 0xcbf4_3926);
    assert_eq!(Crc::default().over(b"1234").over(b"56789").value(), 0xcbf4_3926);
    assert_eq!(Crc::default().value(), 0);
}

#[test]
fn files_come_back() {
    let files: &[(&str, &[u8])] = &[("a.npy", b"first"), ("b.npy", b""), ("c", &[7; 1000])];
    let archive = archive(files);
    for file in [archive.clone(), [&archive[..archive.len() - 2], b"\x03\x00end"].concat()] {
        let found = read(&file).unwrap();
        assert!(found.iter().map(|(name, bytes)| (&**name, &**bytes)).eq(files.iter().copied()));
    }
    assert!(read(&self::archive(&[])).unwrap().is_empty());
}

#[test]
fn no_damage_goes_unseen() {
    let whole = archive(&[("a.npy", b"the bytes of a file")]);
    let bytes = |file: &[u8]| -> Result<Vec<Vec<u8>>, String> {
        Ok(read(file)?.into_iter().map(|(_, bytes)| bytes).collect())
    };
    let right = bytes(&whole).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            // Names, times and versions may change; the bytes may not.
            if let Ok(found) = bytes(&damaged) {
                assert!(found == right || found.is_empty(), "bit {bit} of byte {at}");
            }
        }
    }
    (0..whole.len()).for_each(|length| assert!(bytes(&whole[..length]).is_err(), "{length}"));
}

/// A disk that remembers nothing but the last bytes, for archives of many gigabytes.
#[derive(Default)]
struct Tail(Vec<u8>);

impl Write for &mut Tail {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.len() < 1 << 16 {
            self.0.extend(bytes);
        } else {
            self.0.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn sizes_and_places_beyond_32_bits() {
    let megabyte = vec![0; 1 << 20];
    let mut tail = Tail::default();
    let mut writer = Writer::new(&mut tail);
    // Nobody looks at the sum of so many bytes.
    let content = |out: &mut dyn Write| (0..4096).try_for_each(|_| out.write_all(&megabyte));
    writer.add_summed("big", (Crc::default(), 1 << 32), &content).unwrap();
    writer.add("late", &|out| out.write_all(b"x")).unwrap();
    writer.finish().unwrap();
    let end = tail.0;
    // The file `late`, then the directory with its two entries, each with a field of ZIP64.
    let at = end.windows(4).position(|four| four == CENTRAL).unwrap();
    let directory = &end[at..];
    assert_eq!(
        [u32_at(directory, 20), u32_at(directory, 24), u32_at(directory, 42)],
        [Some(ELSEWHERE), Some(ELSEWHERE), Some(0)]
    );
    assert!(zip64(&directory[49..69]).eq([1 << 32, 1 << 32]));
    let second = &directory[69..];
    assert_eq!([u32_at(second, 24), u32_at(second, 42)], [Some(1), Some(ELSEWHERE)]);
    let header = (30 + 3 + 20) as u64;
    assert!(zip64(&second[50..62]).eq([(1 << 32) + header]));
    let last = &second[62..];
    assert!(last.starts_with(END_64));
    assert_eq!(u64_at(last, 48), Some((1 << 32) + header + 30 + 4 + 1));
    assert!(last[56..].starts_with(LOCATOR_64) && last[76..].starts_with(END));
}

#[test]
fn deflated_files_come_in_a_stream() {
    let file = include_bytes!("../../../../tests/cli/programs/deflated.npz");
    let mut archive = Archive::open(Cursor::new(file)).unwrap();
    let mut content = archive.content(0).unwrap();
    let mut bytes = Vec::new();
    // A few at a time.
    let mut some = [0; 7];
    loop {
        let read = content.read(&mut some).unwrap();
        if read == 0 {
            break;
        }
        bytes.extend(&some[..read]);
    }
    content.finish().unwrap();
    assert_eq!((bytes.len(), bytes[bytes.len() - 4]), (128 + 1200, 5));
    for at in 0..file.len() {
        let mut damaged = file.to_vec();
        damaged[at] ^= 0x10;
        assert!(read(&damaged).map_or(true, |found| found.is_empty() || found[0].1 == bytes), "byte {at}");
    }
}

/// Both sizes of a deflated file stand in the field of ZIP64: first the unpacked one.
#[test]
fn large_sizes_of_a_deflated_file() {
    let small = include_bytes!("../../../../tests/cli/programs/deflated.npz");
    let at = small.windows(4).rposition(|four| four == CENTRAL).unwrap();
    let end = small.windows(4).rposition(|four| four == END).unwrap();
    let (name, extra) = (28 + usize::from(small[at + 28]) + 18, u16::from(small[at + 30]));
    assert_eq!((extra, small.windows(4).filter(|four| *four == CENTRAL).count()), (0, 1));
    let [packed, size] = [20, 24].map(|from| u32_at(&small[at..], from).unwrap());
    assert!(packed < size);
    let mut file = small[..at + name].to_vec();
    file[at + 20..at + 28].fill(0xff);
    file[at + 30] = 20;
    file.extend([1, 0, 16, 0]);
    file.extend([size, packed].iter().flat_map(|number| number.to_le_bytes()));
    file.extend(&small[at + name..]);
    let directory = u32_at(small, end + 12).unwrap() as u32 + 20;
    file[end + 20 + 12..end + 20 + 16].copy_from_slice(&directory.to_le_bytes());
    assert_eq!(read(&file).unwrap(), read(small).unwrap());
}
