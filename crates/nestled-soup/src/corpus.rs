//! The seed corpus for mutations: files of the repository, and some in NumPy's formats.

use crate::random::Random;
use crate::readers::Reader;
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::npy::Npy;
use nestled_rt::npz;
use std::path::{Path, PathBuf};

/// The files for a reader.
///
/// # Panics
/// The repository has none.
#[must_use]
pub fn corpus(reader: Reader) -> Vec<Vec<u8>> {
    let found = match reader {
        Reader::Nesl => with_extension("nesl"),
        Reader::Lcu => with_extension("lcu"),
        Reader::Vcode => with_extension("vcode"),
        Reader::Fcode => fcode(),
        Reader::Npy => arrays().iter().map(Npy::to_file).collect(),
        Reader::Npz => archives(),
        Reader::Cache => vec![Vec::new(), b"an object".to_vec(), vec![7; 5000]],
        Reader::Parquet => with_extension("parquet"),
        Reader::Arrow => ["arrow", "feather"].into_iter().flat_map(with_extension).collect(),
        Reader::Csv | Reader::JsonLines => texts(reader),
        Reader::Interface => choices(),
    };
    assert!(!found.is_empty(), "there are no files for {}", reader.name());
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files with this extension, in a fixed order.
fn with_extension(extension: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for folder in ["tests", "examples", "benches", "crates/nestled-arrow/tests"] {
        collect(&root().join(folder), extension, &mut paths);
    }
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, extension, paths);
        } else if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
}

/// A program and its listing, with a zero between them.
fn fcode() -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    collect(&root().join("tests"), "fcode", &mut paths);
    collect(&root().join("examples"), "fcode", &mut paths);
    paths.sort();
    let both = |path: &PathBuf| {
        let listing = std::fs::read(path.with_extension("cu")).unwrap_or_default();
        Some([std::fs::read(path).ok()?, listing].join(&0))
    };
    paths.iter().filter_map(both).collect()
}

/// Tables as text, with something of everything.
fn texts(reader: Reader) -> Vec<Vec<u8>> {
    let texts: &[&str] = match reader {
        Reader::Csv => &[
            "a,b,c\n1,2.5,x\n-3,,\"y \"\"z\"\"\"\n",
            "when,who\n2024-02-29T01:02:03.5Z,\"two\nlines\"\n,\n",
            "x\r\ntrue\r\nfalse\r\n\r\n",
            "x;y\n1;2\n",
        ],
        _ => &[
            "{\"x\": 1, \"y\": [1.5, null], \"z\": {\"a\": \"gr\\u00fcn\", \"b\": [[], [true]]}}\n{\"x\": null, \"y\": []}\n",
            "{\"when\": \"2024-02-29\", \"far\": 1e308}\n\n{\"when\": \"1970-01-01\", \"far\": -9223372036854775808}\n",
            "{\"mixed\": [1, \"a\", {\"k\": 1}]}\n{\"mixed\": \"\\ud83d\\ude00\"}\n",
        ],
    };
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Bytes that arrays are made up from.
fn choices() -> Vec<Vec<u8>> {
    let bytes = |seed| {
        let mut random = Random::seeded(seed);
        (0..120).map(|_| random.bits() as u8).collect()
    };
    (0..400).map(bytes).collect()
}

fn arrays() -> Vec<Npy> {
    let shapes = [vec![], vec![0], vec![3], vec![2, 3], vec![0, 5], vec![2, 1, 2]];
    let of = |elem: ScalarType, shape: &Vec<u64>| {
        let count = shape.iter().product::<u64>();
        let numbers: Vec<Scalar> = (0..count).map(|at| Scalar::from_bits(elem, at & 1)).collect();
        Npy { shape: shape.clone(), elements: Buffer::from_scalars(elem, &numbers) }
    };
    let types = [ScalarType::F64, ScalarType::I64, ScalarType::U8, ScalarType::Bool, ScalarType::F16];
    types.iter().flat_map(|&elem| shapes.iter().map(move |shape| of(elem, shape))).collect()
}

fn archives() -> Vec<Vec<u8>> {
    let arrays = arrays();
    let archive = |count: usize| {
        let named: Vec<(String, Vec<u64>, &Buffer)> = arrays
            .iter()
            .take(count)
            .enumerate()
            .map(|(at, npy)| (format!("arr_{at}"), npy.shape.clone(), &npy.elements))
            .collect();
        let mut file = Vec::new();
        npz::write(&named, &mut file).expect("there is room in memory");
        file
    };
    let mut all: Vec<Vec<u8>> = [0, 1, 3, 20].map(archive).to_vec();
    all.push(DEFLATED.to_vec());
    all
}

/// `np.savez_compressed("x.npz", a=np.arange(300, dtype="i4") % 7)`
const DEFLATED: &[u8] = include_bytes!("../../../tests/cli/programs/deflated.npz");
