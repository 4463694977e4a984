//! How long each program of tests runs, read from what cargo says while it runs them.

use crate::{in_root, shown};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Programs that take less are not listed.
const WORTH_A_LINE: Duration = Duration::from_secs(3);

/// The programs of tests in the order in which they ran.
#[derive(Default)]
pub struct Times(Vec<(String, Duration)>);

impl Times {
    /// Runs `cargo test` with these arguments, and passes on all that it prints.
    pub fn cargo(&mut self, args: &[&str], envs: &[(&str, &str)]) -> Result<(), String> {
        let mut command = in_root(args, envs);
        let mut child =
            command.stderr(Stdio::piped()).spawn().map_err(|error| format!("cannot start cargo: {error}"))?;
        let said = child.stderr.take().expect("it is piped");
        let mut now: Option<(String, Instant)> = None;
        for line in BufReader::new(said).lines() {
            let line = line.map_err(|error| format!("cannot read what cargo says: {error}"))?;
            eprintln!("{line}");
            if let Some(name) = program(&line) {
                self.end(now.replace((name, Instant::now())));
            }
        }
        self.end(now);
        let status = child.wait().map_err(|error| format!("cannot wait for cargo: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(args))) }
    }

    fn end(&mut self, ran: Option<(String, Instant)>) {
        if let Some((name, begin)) = ran {
            self.0.push((name, begin.elapsed()));
        }
    }

    /// The slowest first, to standard error.
    pub fn print(&self) {
        let mut slow: Vec<&(String, Duration)> =
            self.0.iter().filter(|(_, took)| *took >= WORTH_A_LINE).collect();
        slow.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        if !slow.is_empty() {
            eprintln!("\n minutes  tests");
        }
        for (name, took) in slow {
            eprintln!("{:8.2}  {name}", minutes(*took));
        }
    }
}

/// A duration in minutes.
pub fn minutes(duration: Duration) -> f64 {
    duration.as_secs_f64() / 60.0
}

/// The program that a line of cargo's says it runs: `Running unittests src/lib.rs (target/debug/deps/nestled_ir-0123)` or `Doc-tests nestled_ir`.
fn program(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("{name}, documentation"));
    }
    let (what, path) = line.strip_prefix("Running ")?.split_once(" (")?;
    let file = path.trim_end_matches(')').rsplit('/').next()?;
    let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
    Some(format!("{name}, {what}"))
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn programs_are_named_in_what_cargo_says() {
        let unit = "     Running unittests src/lib.rs (target/debug/deps/nestled_ir-955af44bc25c86fd)";
        assert_eq!(program(unit).as_deref(), Some("nestled_ir, unittests src/lib.rs"));
        assert_eq!(program("   Doc-tests nestled_rt").as_deref(), Some("nestled_rt, documentation"));
        assert_eq!(program("    Finished `test` profile [optimized] target(s) in 3s"), None);
    }
}
