//! The text form: the programs of the documentation, the way back from print, and canonical numbering.

use nestled_ir::Program;
use nestled_ir::compact::compact;
use nestled_ir::text::{parse, print};
use std::path::{Path, PathBuf};

/// The programs of `docs/lcu.md`, one after another.
fn page() -> String {
    let page = include_str!("../../../docs/lcu.md");
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| ["fn ", "kernel ", "thunk "].iter().any(|word| block.contains(word))).collect()
}

fn program(text: &str) -> Program {
    parse("test.lcu", text).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Parses, prints, and parses again.
#[track_caller]
fn round_trip(name: &str, text: &str) -> String {
    let first = parse(name, text).unwrap_or_else(|failure| panic!("{failure}"));
    let printed = print(&first);
    let second =
        parse("printed.lcu", &printed).unwrap_or_else(|failure| panic!("{name}\n{printed}\n{failure}"));
    assert_eq!(print(&second), printed, "{name}: printed twice");
    assert!(first == second, "{name}: not the same program\n{printed}");
    assert!(compact(&first) == first, "{name}: not in canonical order\n{printed}");
    printed
}

/// A text that prints as it is.
#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(round_trip("test.lcu", text), text);
}

#[test]
fn the_programs_of_the_page_parse() {
    let text = page();
    let program = program(&text);
    assert!(program.kernels.len() >= 3 && program.functions.len() >= 3 && program.thunks.len() >= 2);
    round_trip("lcu.md", &text);
}

#[test]
fn the_library_texts_parse() {
    round_trip("math.lcu", &[include_str!("../src/math.lcu"), include_str!("../src/random.lcu")].concat());
}

/// Every `.lcu` file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lcu") {
            found.push(path);
        }
    }
}

#[test]
fn the_programs_of_the_corpus_come_back() {
    let mut found = Vec::new();
    files(Path::new("../../tests/programs"), &mut found);
    assert!(found.len() > 10);
    for path in found {
        round_trip(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn shape_arguments_are_left_out_where_arguments_tell_them() {
    unchanged(
        "kernel fill<n, m>(xs: [n]f32) over m {
  ys = map { i => xs[i wrap] }
  ret ys
}

kernel copy<n>(xs: [n]f32) over n {
  ys = map { i => xs[i] }
  ret ys
}

fn main<n>(xs: [n]f32) -> (k: dim, [k]f32) {
  k = dim 7
  ys = run copy(xs)
  zs = run fill<n, k>(ys)
  ret k, zs
}
",
    );
}

#[test]
fn every_construct_comes_back() {
    println!("{}", round_trip("every_construct.lcu", include_str!("data/every_construct.lcu")));
}
