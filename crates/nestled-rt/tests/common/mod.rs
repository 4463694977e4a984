//! Programs from the tree of test data, and the calls that their comments ask for.
#![allow(dead_code)]

use nestled_ir::Program;
use nestled_ir::value::{AxisValue, Value, parse_call, split_list};
use nestled_rt::{Reference, ReferenceConfig};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A program of the tree.
pub struct Case {
    pub path: PathBuf,
    pub program: Program,
    pub calls: Vec<Call>,
}

/// A call that a comment asks for.
pub struct Call {
    pub line: usize,
    pub function: String,
    pub shapes: Vec<AxisValue>,
    pub args: Vec<Value>,
}

/// A program given as text, verified.
pub fn program(text: &str) -> Program {
    let program = nestled_ir::text::parse("test.lcu", text).unwrap_or_else(|failure| panic!("{failure}"));
    nestled_ir::verify::verify(&program).unwrap_or_else(|found| panic!("{found:#?}"));
    program
}

/// All programs below `tests/programs`, in order.
pub fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    paths.iter().map(|path| case(path)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|end| end == "lcu") {
            paths.push(path);
        }
    }
}

fn case(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.display().to_string();
    let program = nestled_ir::text::parse(&name, &text).unwrap_or_else(|failure| panic!("{failure}"));
    let mut calls = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let asked = line.strip_prefix("; run: ").or_else(|| line.strip_prefix("; fault: "));
        if let Some(asked) = asked {
            calls.push(call(&program, &name, at + 1, asked));
        }
    }
    Case { path: path.to_owned(), program, calls }
}

/// `f<5>([1, 2], 3) = …`
fn call(program: &Program, name: &str, line: usize, asked: &str) -> Call {
    let end = asked.find(['<', '(']).unwrap();
    let function = asked[..end].trim().to_owned();
    let mut rest = &asked[end..];
    let mut shapes = None;
    if let Some(after) = rest.strip_prefix('<') {
        let close = after.find(">(").unwrap();
        shapes = Some(split_list(&after[..close]));
        rest = &after[close + 1..];
    }
    let args = split_list(between_parentheses(rest));
    let id = program.find_function(&function).unwrap_or_else(|| panic!("{name}:{line}: `{function}`?"));
    let parsed = parse_call(program, id, shapes.as_deref(), &args);
    let parsed = parsed.unwrap_or_else(|error| panic!("{name}:{line}: {error}"));
    Call { line, function, shapes: parsed.shapes, args: parsed.values }
}

/// What stands between a `(` at the beginning and the `)` that goes with it.
fn between_parentheses(text: &str) -> &str {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    panic!("no end of {text}");
}

/// The reference device in each of the ways in which it behaves.
pub fn devices() -> Vec<Rc<Reference>> {
    let config = ReferenceConfig::default();
    vec![
        Rc::new(Reference::default()),
        Rc::new(Reference::deferred()),
        Rc::new(Reference::new(ReferenceConfig { deferred: true, regions_ahead: 1, ..config })),
    ]
}
