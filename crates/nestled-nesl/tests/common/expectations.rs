//! The files of `tests/nesl/values`: expressions and what they give, on any engine.

use nestled_nesl::engine::Engine;
use nestled_nesl::interp::{Limits, TestWorld};
use nestled_nesl::{Dialect, Session, StatementResult, Width};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/nesl").join(folder);
    let entries = fs::read_dir(&root).expect("the folder of test files");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn dialects(text: &str) -> Vec<Dialect> {
    let line = text.lines().find_map(|line| line.strip_prefix("# dialects: "));
    let one = |word: &str| match word {
        "default" => Dialect::default(),
        "compat" => Dialect::COMPAT,
        "narrow" => Dialect { int: Width::W32, float: Width::W32, compat: false },
        other => panic!("no dialect {other}"),
    };
    line.unwrap_or("default compat").split_whitespace().map(one).collect()
}

/// What is wrong with an expectation, if anything.
fn judge(last: &StatementResult, mark: &str, wanted: &str, session: &Session) -> Result<(), String> {
    let codes: Vec<String> =
        last.errors.iter().map(|error| format!("{} {}", error.code, error.message)).collect();
    let found = match (&last.shown, &last.fault, mark) {
        (Some(shown), _, "⇒") => {
            let value = shown.value.as_ref().map_or(Vec::new(), |value| value.text());
            String::from_utf8_lossy(&value).into_owned()
        }
        (Some(shown), _, "∈") => shown.ty.to_string(),
        (None, Some(fault), "⇏") => {
            format!("{} at {}", fault.code, session.sources.describe(fault.span).unwrap_or_default())
        }
        (None, None, "⇏") => codes.join("; "),
        _ => format!(
            "{:?} {:?} {}",
            last.line(),
            last.fault,
            nestled_ir::render_all(&last.errors, &session.sources)
        ),
    };
    let good = if mark == "⇏" { found.starts_with(wanted) } else { found == wanted };
    if good { Ok(()) } else { Err(found) }
}

fn check(file: &Path, dialect: Dialect, engine: Engine) -> Vec<String> {
    let text = fs::read_to_string(file).expect("a readable file");
    let mut session = Session::new(dialect);
    session.limits = Limits { steps: 200_000_000, ..Limits::default() };
    session.engine = engine;
    session.arg_check = !text.lines().any(|line| line == "# unchecked");
    let mut world = TestWorld::default();
    let mut failures = Vec::new();
    let mut pending = String::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('#') && !line.contains('⇒') && !line.contains('⇏') && !line.contains('∈') {
            continue;
        }
        let marked = ["⇒", "⇏", "∈"].into_iter().find_map(|mark| {
            let (expr, wanted) = line.split_once(&format!(" {mark} "))?;
            Some((expr, mark, wanted))
        });
        let Some((expr, mark, wanted)) = marked else {
            pending.push_str(line);
            pending.push('\n');
            continue;
        };
        pending.push_str(expr);
        pending.push(';');
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let mut results = session.run(&name, &pending, &mut world);
        pending.clear();
        let last = results.pop().expect("a result");
        let fine = |result: &StatementResult| result.errors.is_empty() && result.fault.is_none();
        for result in results.iter().filter(|result| !fine(result)) {
            let rendered = nestled_ir::render_all(&result.errors, &session.sources);
            failures.push(format!("{name}:{}: {rendered}{:?}", number + 1, result.fault));
        }
        if let Err(found) = judge(&last, mark, wanted, &session) {
            let at = number + 1;
            failures.push(format!("{name}:{at} {dialect:?}\n  {expr}\n  {mark} {wanted}\n  found {found}"));
        }
    }
    failures
}

/// Checks every expression of every file, in each of its dialects.
pub fn all(engine: &dyn Fn() -> Engine) {
    let mut failures = Vec::new();
    for file in files("values", "txt") {
        let text = fs::read_to_string(&file).expect("a readable file");
        for dialect in dialects(&text) {
            failures.extend(check(&file, dialect, engine()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
