//! The command that the README runs first does what it promises, with the `nestled` of these tests instead of a release build.

use std::path::Path;
use std::process::Command;

#[test]
fn the_example_of_the_readme_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("README.md")).unwrap();
    let lines: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ cargo run ")).collect();
    assert!(!lines.is_empty(), "README.md has no `$ cargo run` line");
    for line in lines {
        let (options, args) = line.split_once(" -- ").expect("what follows `--` is for `nestled`");
        assert_eq!(options, "--release -p nestled-cli");
        let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
        let output = command.args(args.split_whitespace()).current_dir(&root).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.lines().count() > 20, "a picture was promised:\n{said}");
    }
}
