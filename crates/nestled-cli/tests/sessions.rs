//! Runs the sessions in `tests/cli/*.txt` and in the README: lines that start with `$ nestled`, followed by what must be printed.
//!
//! Standard output and standard error are compared together, in this order; `[exit 1]` is the last line where the status is not 0.
//! `…` at the end of a line stands for any rest of it, and a line of only `…` for any number of lines. A word `#` stands for any
//! number; in a line that has one, it does not matter how many spaces there are between words.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One command and what it must print.
struct Case {
    place: String,
    command: String,
    expected: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The sessions of a file. A blank line or the end of a fenced block ends what is expected.
fn cases(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases: Vec<Case> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(command) = line.strip_prefix("$ nestled") {
            let place = format!("{}:{}", path.file_name().unwrap().display(), number + 1);
            cases.push(Case { place, command: command.trim().to_owned(), expected: Vec::new() });
            open = true;
        } else if line.is_empty() || line.starts_with("```") {
            open = false;
        } else if open {
            cases.last_mut().unwrap().expected.push(line.to_owned());
        }
    }
    cases
}

/// Words as a shell would split them, with single and double quotes.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    for c in command.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => (quote, begun) = (Some(c), true),
            (' ', None) => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (c, _) => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

/// What the command prints, line by line; blank lines are left out.
fn run(command: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(words(command))
        .current_dir(root())
        .env("NO_COLOR", "1")
        .output()
        .expect("nestled starts");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
    let mut lines: Vec<String> =
        text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect();
    match output.status.code() {
        Some(0) => {}
        Some(code) => lines.push(format!("[exit {code}]")),
        None => lines.push("[killed]".to_owned()),
    }
    lines
}

fn matches(expected: &[String], actual: &[String]) -> bool {
    match (expected.split_first(), actual.split_first()) {
        (None, None) => true,
        (Some((line, rest)), _) if line == "…" => {
            (0..=actual.len()).any(|skip| matches(rest, &actual[skip..]))
        }
        (Some((line, expected)), Some((found, actual))) => {
            let same = match line.strip_suffix('…') {
                Some(start) => found.starts_with(start),
                None if line.split(' ').any(|word| word == NUMBER) => same_words(line, found),
                None => found == line,
            };
            same && matches(expected, actual)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Stands for a number.
const NUMBER: &str = "#";

/// Whether all words agree.
fn same_words(expected: &str, found: &str) -> bool {
    let same = |(wanted, word): (&str, &str)| {
        wanted == word || (wanted == NUMBER && word.parse::<f64>().is_ok_and(f64::is_finite))
    };
    let (wanted, words) = (expected.split_whitespace(), found.split_whitespace());
    wanted.clone().count() == words.clone().count() && wanted.zip(words).all(same)
}

#[test]
fn numbers_are_masked_and_nothing_else() {
    assert!(same_words("a  # %", "a 1.50 %"));
    assert!(!same_words("a # %", "a x %"));
    assert!(!same_words("a # %", "b 1 %"));
    assert!(!same_words("a # %", "a 1"));
    assert!(!same_words("a #", "a 1 2"));
}

#[test]
fn sessions_print_what_they_show() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/cli"))
        .expect("tests/cli")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files.push(root().join("README.md"));
    let mut failures = Vec::new();
    let mut count = 0;
    for file in files {
        let cases = cases(&file);
        assert!(!cases.is_empty(), "{} has no `$ nestled` line", file.display());
        for case in cases {
            count += 1;
            let actual = run(&case.command);
            if !matches(&case.expected, &actual) {
                failures.push(format!(
                    "{}: nestled {}\nexpected:\n{}\nfound:\n{}\n",
                    case.place,
                    case.command,
                    case.expected.join("\n"),
                    actual.join("\n")
                ));
            }
        }
    }
    println!("{count} sessions, {} failures", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
