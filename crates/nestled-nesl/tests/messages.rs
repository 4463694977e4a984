//! The files of `tests/nesl/errors`: statements with errors, and beside each file the messages, word for word.
//! `UPDATE=1` writes the messages anew; then read them.

use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};
use std::fs;
use std::path::Path;

#[test]
fn messages_are_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/nesl/errors");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the folder of test files") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|ending| ending != "nesl") {
            continue;
        }
        seen += 1;
        let text = fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut session = Session::new(Dialect::default());
        let mut found = String::new();
        for result in session.run(&name, &text, &mut TestWorld::default()) {
            for error in &result.errors {
                found += &(error.render(&session.sources) + "\n");
            }
            for warning in &result.warnings {
                found += &(warning.render_warning(&session.sources) + "\n");
            }
        }
        let expected = path.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &found).expect("a writable file");
        }
        let wanted = fs::read_to_string(&expected).expect("the messages beside the file");
        assert_eq!(found, wanted, "{name}");
    }
    assert!(seen > 0);
}
