//! The programs `examples/*.nesl`: what they print and the values of their expressions stand in `tests/nesl/examples`, for every dialect.
//! `UPDATE=1` writes them anew; then read them.

use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};
use std::fs;
use std::path::{Path, PathBuf};

/// What is printed, and after it the result lines of the statements that are expressions.
fn outcome(path: &Path, dialect: Dialect) -> String {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let text = fs::read_to_string(path).expect("a readable example");
    let mut session = Session::new(dialect);
    let mut world = TestWorld::default();
    let mut found = String::new();
    for result in session.run(&name, &text, &mut world) {
        found += &nestled_ir::render_all(&result.errors, &session.sources);
        found += &nestled_ir::render_all(&result.warnings, &session.sources);
        found += &String::from_utf8(std::mem::take(&mut world.output)).expect("text");
        assert_eq!(result.fault, None, "{name}");
        let line = result.line().filter(|line| line.starts_with("it = "));
        found += &line.map_or(String::new(), |line| line + "\n");
    }
    found
}

#[test]
fn examples_give_what_they_gave() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = fs::read_dir(root.join("examples")).expect("the folder of examples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "nesl"));
    assert!(!paths.is_empty());
    for path in paths {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let expected = root.join(format!("tests/nesl/examples/{stem}.txt"));
        let found = outcome(&path, Dialect::default());
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &found).expect("a writable file");
        }
        let wanted = fs::read_to_string(&expected).expect("the outcome of the example");
        assert_eq!(found, wanted, "{stem}");
        // There values lose digits between statements.
        let compat = outcome(&path, Dialect::COMPAT);
        assert_eq!(compat.lines().count(), wanted.lines().count(), "{stem}, compat: {compat}");
    }
}
