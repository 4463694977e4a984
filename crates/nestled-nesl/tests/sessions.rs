//! The conversations of `tests/nesl/sessions`: what is typed stands behind `> `, what is answered below it; messages are shown by their
//! codes, behind `! `. Lines that begin with `#` at the top are for readers, and say the dialect: `# dialect: compat`.
//! `UPDATE=1` writes the answers anew; then read them.

use nestled_nesl::interp::{TestWorld, World};
use nestled_nesl::{Dialect, TopLevel};
use std::fs;
use std::path::Path;

/// A world that writes down what is said, in order.
#[derive(Default)]
struct Log {
    world: TestWorld,
    text: Vec<u8>,
    line: Vec<u8>,
}

impl Log {
    /// Begins a line, unless one has just begun.
    fn fresh(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(b"\n") {
            self.text.extend(b"\n");
        }
    }
}

impl World for Log {
    fn print(&mut self, bytes: &[u8]) {
        self.text.extend(bytes);
    }

    fn report(&mut self, bytes: &[u8]) {
        self.fresh();
        for line in String::from_utf8_lossy(bytes).lines() {
            let code = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            let said = match code {
                Some((code, _)) if line.starts_with("error[") || line.starts_with("warning[") => code,
                _ if line.starts_with("error: ") || line.starts_with("note: ") => line,
                _ => continue,
            };
            self.text.extend(format!("! {said}\n").as_bytes());
        }
    }

    fn seconds(&mut self) -> f64 {
        self.world.seconds()
    }

    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.world.read_file(name)
    }

    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        self.world.write_file(name, bytes, append)
    }

    fn variable(&mut self, name: &str) -> String {
        self.world.variable(name)
    }

    fn read_input(&mut self) -> Option<u8> {
        let byte = self.world.read_input()?;
        self.line.push(byte);
        if byte == b'\n' {
            self.fresh();
            let line = std::mem::take(&mut self.line);
            self.text.extend([b"> ", &line[..]].concat());
        }
        Some(byte)
    }
}

/// A session without blank lines, which stand before every result.
fn run(text: &str) -> String {
    let compat = text.lines().any(|line| line == "# dialect: compat");
    let input: String = text
        .lines()
        .filter_map(|line| if line == ">" { Some("") } else { line.strip_prefix("> ") })
        .map(|line| line.to_owned() + "\n")
        .collect();
    let mut log = Log { world: TestWorld::typing(&input), ..Log::default() };
    TopLevel::new(if compat { Dialect::COMPAT } else { Dialect::default() }).converse(&mut log);
    log.fresh();
    let found = String::from_utf8_lossy(&log.text).into_owned();
    let head: String =
        text.lines().take_while(|line| line.starts_with('#')).map(|line| line.to_owned() + "\n").collect();
    let lines = found.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.fold(head, |text, line| text + line + "\n")
}

#[test]
fn sessions_go_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/nesl/sessions");
    let mut seen = 0;
    let mut failures = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of sessions") {
        let path = entry.expect("a file").path();
        seen += 1;
        let text = fs::read_to_string(&path).expect("a readable file");
        let found = run(&text);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &found).expect("a writable file");
        } else if found != text {
            let differs = found.lines().zip(text.lines()).find(|(found, text)| found != text);
            failures.push(format!("{}: {differs:?}", path.display()));
        }
    }
    assert!(seen > 0);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
