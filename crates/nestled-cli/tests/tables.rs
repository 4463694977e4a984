//! Tables on the command line: the examples of the guide, and errors that name the file and the column.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tables-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Runs a line of a shell in it. Standard output and standard error, and whether all is well.
    fn run(&self, line: &str) -> (String, bool) {
        let line = line.replacen("nestled", "\"$NESTLED\"", 1);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{line} 2>&1")]).current_dir(&self.0);
        command.env("NESTLED", env!("CARGO_BIN_EXE_nestled"));
        command.env("NO_COLOR", "1").env("NESTLED_DEVICE", "reference").stdin(Stdio::null());
        let output = command.output().expect("a shell");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
    }

    /// The output of a line that fails.
    fn refused(&self, line: &str) -> String {
        let (said, is_well) = self.run(line);
        assert!(!is_well, "{line}: {said}");
        said
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_commands_of_the_guide_do_what_it_says() {
    let page = std::fs::read_to_string(root().join("docs/files.md")).unwrap();
    let folder = Folder::new("guide");
    let blocks: Vec<&str> =
        page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for step in blocks.concat().split("$ ").filter(|step| !step.is_empty()) {
        let (line, expected) = step.split_once('\n').unwrap();
        let (said, is_well) = folder.run(line);
        assert!(is_well, "{line}: {said}");
        assert_eq!(said.trim_end(), expected.trim_end(), "{line}");
    }
}

#[test]
fn files_of_other_programs() {
    let folder = Folder::new("others");
    let data = root().join("crates/nestled-arrow/tests/data");
    for (from, to) in [
        ("kinds.parquet", "kinds.parquet"),
        ("zstd.parquet", "zstd.parquet"),
        ("kinds.feather", "kinds.feather"),
    ] {
        std::fs::copy(data.join(from), folder.0.join(to)).unwrap();
    }
    let run =
        |expression: &str, file: &str| folder.run(&format!("nestled run -e '{expression}' --arg x=@{file}"));
    for (expression, file, expected) in [
        ("sum({n : (n, s) in x})", "zstd.parquet", "it = 1999000 : int\n"),
        ("#{s in {s : (n, s) in x} | #s == 0}", "zstd.parquet", "it = 400 : int\n"),
        ("x", "kinds.parquet:int8", "it = [1.0, NaN, 2.0, 3.0, 4.0] : [float]\n"),
        ("x", "kinds.parquet:muons.pt", "it = [[1.5, 2.5], [], [3.5], [], []] : [[float]]\n"),
        (
            "x",
            "kinds.feather:words,string",
            "it = [(\"u\", \"a\"), (\"\", \"\"), (\"v\", \"\"), (\"u\", \"gr\u{fc}n\"), (\"u\", \"bc\")] : [([char], [char])]\n",
        ),
    ] {
        assert_eq!(run(expression, file), (expected.to_owned(), true), "{expression} of {file}");
    }
    for (file, why) in [
        (
            "kinds.parquet:bool",
            "cannot use `kinds.parquet:bool`: column `bool`: some `bool` are missing, and NESL has no value for that",
        ),
        ("kinds.parquet:no", "there is no column `no`; it has `int8`, "),
        ("nowhere.parquet", "cannot use `nowhere.parquet`: No such file"),
    ] {
        let (said, is_well) = run("x", file);
        assert!(!is_well && said.contains(why), "{file}: {said}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let folder = Folder::new("back");
    let value = "{(n, [\"a\", \"\"], ([n > 1], 1.5)) : n in [0:3]}";
    let shown = folder.run(&format!("nestled run -e '{value}'"));
    for form in ["parquet", "arrow", "feather"] {
        let (said, is_well) = folder.run(&format!("nestled run -e '{value}' -o x.{form}"));
        assert!(is_well, "{said}");
        assert_eq!(folder.run(&format!("nestled run -e x --arg x=@x.{form}")), shown, "{form}");
    }
}

#[test]
fn data_is_shown() {
    let folder = Folder::new("shown");
    std::fs::copy(root().join("crates/nestled-arrow/tests/data/times.parquet"), folder.0.join("t.parquet"))
        .unwrap();
    let (said, is_well) = folder.run("nestled show data t.parquet --rows 1");
    assert!(is_well && said.starts_with("2 rows in one part, "), "{said}");
    assert!(said.contains("?int64") && said.contains("?timestamp[us, \"UTC\"]"), "{said}");
    let said = folder.refused("nestled show t.lcu t.parquet");
    assert!(said.contains("`nestled show data t.parquet`"), "{said}");
    let said = folder.refused("nestled show data t.txt");
    assert!(said.contains("its name should end with .parquet"), "{said}");
}
