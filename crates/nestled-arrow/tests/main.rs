//! Arrow and files of tables: what other programs wrote is read, what is written is read back, and what is malformed is refused.

mod convert;
mod files;
mod groups;
mod interface;
mod malformed;
mod pieces;
mod progress;
mod stream;

use nestled_nested::{Nested, Value};
use std::path::PathBuf;

/// A file of another program.
fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A file that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("arrow-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder.join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The message of an error, without its place.
#[track_caller]
fn message<T>(result: nestled_nested::Result<T>) -> String {
    match result {
        Ok(_) => panic!("it is no error"),
        Err(error) => {
            let text = error.to_string();
            text.split_once(": ").expect("a place, then a message").1.to_owned()
        }
    }
}

/// Records with something of everything, and something missing at every level.
fn everything() -> Nested {
    let muon = |pt: f64, q: Value| Value::record([("pt", pt.into()), ("q", q)]);
    let row = |place: i64, muons: Value, name: Value, flags: Value| {
        Value::record([
            ("place", place.into()),
            ("muons", muons),
            ("name", name),
            ("flags", flags),
            ("pair", Value::Tuple(vec![(place * 2).into(), format!("p{place}").as_str().into()])),
        ])
    };
    let flag = |set: bool| Value::Bool(set);
    Nested::from_iter([
        row(
            0,
            Value::List(vec![muon(1.5, 1.into()), muon(2.5, Value::Missing)]),
            "grün".into(),
            Value::List(vec![flag(true), flag(false)]),
        ),
        row(1, Value::Missing, Value::Missing, Value::List(vec![])),
        row(2, Value::List(vec![]), "".into(), Value::List(vec![flag(true)])),
    ])
}
