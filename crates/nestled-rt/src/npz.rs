//! NumPy's `.npz` files: ZIP archives of `.npy` files.

use crate::npy::Npy;
use crate::zip;
use std::io::{Error, Write};

/// Writes several arrays with their names.
///
/// # Errors
/// Those of the one who writes.
pub fn write(arrays: &[(String, Npy)], out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = zip::Writer::new(out);
    for (name, array) in arrays {
        writer.add(&format!("{name}.npy"), &[&array.header(), &array.bytes])?;
    }
    writer.finish()
}

/// The arrays of a file with their names. They may take so many bytes together.
///
/// # Errors
/// What is wrong with it, in words that follow its name.
pub fn read(file: &[u8], room: u64) -> Result<Vec<(String, Npy)>, String> {
    let entries = zip::read(file)?;
    let size = entries.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.size));
    if size > room {
        return Err(format!("its arrays take {size} bytes; there is room for {room}"));
    }
    let array = |entry: &zip::Entry<'_>| {
        let name = entry.name.strip_suffix(".npy").unwrap_or(&entry.name);
        let array = Npy::parse(&entry.bytes()?).map_err(|why| format!("`{name}` in it: {why}"))?;
        Ok((name.to_owned(), array))
    };
    entries.iter().map(array).collect()
}

/// The array of this name; without a name the only one.
///
/// # Errors
/// There is none, or there are several.
pub fn one(mut arrays: Vec<(String, Npy)>, name: Option<&str>) -> Result<Npy, String> {
    let found = match name {
        Some(name) => arrays.iter().position(|(other, _)| other == name),
        None => Some(0).filter(|_| arrays.len() == 1),
    };
    match found {
        Some(at) => Ok(arrays.swap_remove(at).1),
        None => Err(choices(&arrays)),
    }
}

/// What can be asked for instead.
pub fn choices(arrays: &[(String, Npy)]) -> String {
    match arrays {
        [] => "it holds no array".to_owned(),
        [(first, _), ..] => {
            let names: Vec<&str> = arrays.iter().map(|(name, _)| &**name).collect();
            format!("it holds the arrays {}; `@FILE.npz:{first}` is one of them", names.join(", "))
        }
    }
}

/// The name of a file, and that of one of its arrays: `r.npz:lengths`.
pub fn split(path: &str) -> (&str, Option<&str>) {
    match path.rsplit_once(':') {
        Some((file, name)) if file.ends_with(".npz") => (file, Some(name)),
        _ => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::ScalarType;

    #[test]
    fn arrays_come_back_with_their_names() {
        let bytes = |bytes: &[u8]| Npy {
            elem: ScalarType::U8,
            shape: vec![bytes.len() as u64],
            bytes: bytes.to_vec(),
        };
        let arrays = vec![("a".to_owned(), bytes(b"xyz")), ("1.lengths".to_owned(), bytes(b""))];
        let mut file = Vec::new();
        write(&arrays, &mut file).unwrap();
        assert_eq!(read(&file, 1 << 20).unwrap(), arrays);
        assert!(read(&file, 200).unwrap_err().contains("there is room for 200"));
        assert_eq!(one(arrays.clone(), Some("a")).unwrap(), bytes(b"xyz"));
        assert_eq!(
            one(arrays, None).unwrap_err(),
            "it holds the arrays a, 1.lengths; `@FILE.npz:a` is one of them"
        );
        assert_eq!(split("x/r.npz:a"), ("x/r.npz", Some("a")));
        assert_eq!(split("a:b.npy"), ("a:b.npy", None));
    }
}
