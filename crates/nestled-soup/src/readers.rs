//! The readers under test: all code that parses programs or files written by others.

use crate::interface;
use nestled_cache::{DiskCache, Kind, Source};
use nestled_ir::{SourceMap, bytes, render_all};
use nestled_nesl::{Dialect, Session};
use nestled_rt::npy::Npy;
use nestled_rt::npz;
use nestled_vcode::{ListingText, Options};

/// A reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Programs in NESL, up to their types and flat programs.
    Nesl,
    /// λcu text, and the verifier.
    Lcu,
    /// Programs in VCODE.
    Vcode,
    /// Programs in FCODE with their listings; a zero is between them.
    Fcode,
    /// `.npy` files.
    Npy,
    /// `.npz` files.
    Npz,
    /// Entries of the cache of kernels.
    Cache,
    /// Tables in Parquet.
    Parquet,
    /// Tables in Arrow's own formats.
    Arrow,
    /// Tables in CSV.
    Csv,
    /// Tables in JSON lines.
    JsonLines,
    /// Arrays and streams by Arrow's C interface.
    Interface,
}

/// The most bytes that arrays of an archive may take.
const ROOM: u64 = 1 << 28;

impl Reader {
    /// All of them.
    pub const ALL: [Reader; 12] = [
        Reader::Nesl,
        Reader::Lcu,
        Reader::Vcode,
        Reader::Fcode,
        Reader::Npy,
        Reader::Npz,
        Reader::Cache,
        Reader::Parquet,
        Reader::Arrow,
        Reader::Csv,
        Reader::JsonLines,
        Reader::Interface,
    ];

    /// Its name on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reader::Nesl => "nesl",
            Reader::Lcu => "lcu",
            Reader::Vcode => "vcode",
            Reader::Fcode => "fcode",
            Reader::Npy => "npy",
            Reader::Npz => "npz",
            Reader::Cache => "cache",
            Reader::Parquet => "parquet",
            Reader::Arrow => "arrow",
            Reader::Csv => "csv",
            Reader::JsonLines => "jsonl",
            Reader::Interface => "interface",
        }
    }

    /// Reads bytes, and renders the errors.
    ///
    /// # Panics
    /// The reader is wrong.
    pub fn read(self, bytes: &[u8]) {
        match self {
            Reader::Nesl => nesl(&String::from_utf8_lossy(bytes)),
            Reader::Lcu => lcu(&String::from_utf8_lossy(bytes)),
            Reader::Vcode => vcode(&String::from_utf8_lossy(bytes), None),
            Reader::Fcode => {
                let (program, listing) = match bytes.iter().position(|byte| *byte == 0) {
                    Some(at) => (&bytes[..at], &bytes[at + 1..]),
                    None => (bytes, &[][..]),
                };
                vcode(&String::from_utf8_lossy(program), Some(&String::from_utf8_lossy(listing)));
            }
            Reader::Npy => {
                if let Ok(npy) = Npy::parse(bytes) {
                    let again = Npy::parse(&npy.to_file()).map(|again| again.to_file());
                    assert_eq!(again, Ok(npy.to_file()));
                }
            }
            Reader::Npz => drop(npz::read(bytes, ROOM)),
            Reader::Cache => cache(bytes),
            Reader::Parquet | Reader::Arrow | Reader::Csv | Reader::JsonLines => table(self.name(), bytes),
            Reader::Interface => interface::read(bytes),
        }
    }
}

fn nesl(text: &str) {
    // To read the library takes longer than any of these texts.
    thread_local!(static LIBRARY: Session = Session::new(Dialect::default()));
    let mut session = LIBRARY.with(Session::another);
    let mut errors = Vec::new();
    for item in session.read("soup", text) {
        match item {
            Ok(statement) => errors.extend(session.check(&statement).errors),
            Err(error) => errors.push(error),
        }
    }
    drop(render_all(&errors, &session.sources));
}

fn lcu(text: &str) {
    match nestled_ir::text::parse("soup", text) {
        Err(failure) => drop(render_all(&failure.diagnostics, &failure.sources)),
        Ok(program) => match nestled_ir::verify::verify(&program) {
            Err(diagnostics) => drop(render_all(&diagnostics, &program.sources)),
            Ok(()) => {
                let printed = nestled_ir::text::print(&program);
                let again = nestled_ir::text::parse("printed", &printed);
                assert!(again.is_ok(), "what is printed is not read:\n{printed}");
                let kept = bytes::read(&bytes::write(&program), program.sources.clone());
                assert_eq!(kept.as_ref(), Some(&program), "what is kept is another program");
            }
        },
    }
}

fn vcode(text: &str, listing: Option<&str>) {
    let listing = listing.map(|text| ListingText { name: "listing", text });
    match nestled_vcode::compile("soup", text, listing, &Options::default()) {
        Err(refusal) => drop(refusal.to_string()),
        Ok(compiled) => {
            let verified = nestled_ir::verify::verify(&compiled.program);
            assert!(verified.is_ok(), "what was compiled is not well-formed");
        }
    }
}

/// A table in a file, as a whole and in pieces.
fn table(extension: &str, bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("nestled-soup-{}.{extension}", std::process::id()));
    if std::fs::write(&path, bytes).is_ok() {
        if let Ok(rows) = nestled_arrow::read(&path) {
            let _ = rows.to_list();
        }
        if let Ok(scan) = nestled_arrow::scan(&path) {
            let _ = scan.summary(2);
            for piece in scan.pieces().into_iter().flatten().flatten() {
                let _ = piece.to_list();
            }
        }
    }
    // Nothing of it is wanted again.
    let _ = std::fs::remove_file(path);
}

/// Bytes of a finished program, as they are and in the place of some of a good one's.
fn program(bytes: &[u8]) {
    let look = |bytes: &[u8]| {
        if let Some(program) = bytes::read(bytes, SourceMap::default()) {
            let _ = nestled_ir::verify::verify(&program);
        }
    };
    look(bytes);
    let text = "kernel scale(xs: [n]f32) over n {\n  y = map { i => mul xs[i] 2.0 }\n  ret y\n}\n\
                fn main(xs: [n]f32) -> [n]f32 {\n  y = run scale(xs)\n  ret y\n}\n";
    let good =
        nestled_ir::text::parse("good", text).map(|program| bytes::write(&program)).unwrap_or_default();
    for (at, piece) in bytes.chunks(4).enumerate().take(64) {
        let at = (at * 7 + usize::from(piece[0])) % good.len();
        look(&[&good[..at], piece, &good[(at + piece.len()).min(good.len())..]].concat());
    }
}

/// The bytes behind the header of a real entry, or in its place, and of a program.
fn cache(bytes: &[u8]) {
    program(bytes);
    let folder = std::env::temp_dir().join(format!("nestled-soup-{}", std::process::id()));
    let cache = DiskCache::at(&folder, 1 << 20);
    let source = Source::new(Kind::Kernel, &[b"soup"]);
    cache.put(&source, bytes);
    assert_eq!(cache.get(&source).as_deref(), Some(bytes), "{:?}", cache.trouble());
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "kernel")) {
        let Ok(mut whole) = std::fs::read(&file) else { continue };
        // Some byte of the header, by the bytes themselves.
        let at = bytes.iter().fold(7usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)))
            % whole.len();
        whole[at] = whole[at].wrapping_add(1 + bytes.len() as u8 % 255);
        if std::fs::write(&file, &whole).is_ok() {
            assert_eq!(cache.get(&source), None, "byte {at}");
        }
        if std::fs::write(&file, bytes).is_ok() {
            drop(cache.get(&source));
        }
    }
    // Nothing of it is wanted again.
    let _ = std::fs::remove_dir_all(folder);
}
