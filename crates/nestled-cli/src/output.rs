//! Terminal output, in colour where the terminal shows it.

use crate::exit_codes::Failure;
use std::io::{IsTerminal, Write};

const RED: &str = "\x1b[1;31m";
const BLUE: &str = "\x1b[1;34m";
const PLAIN: &str = "\x1b[0m";

/// Prints a rendered message on standard error.
pub fn print_failure(failure: &Failure) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = if colour { paint(&failure.message) } else { failure.message.clone() };
    // Nobody is left to tell if standard error is closed.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints a text on standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints on standard output. A reader that went away ends the command quietly, as it does in any pipeline.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::nobody_reads()),
        Err(error) => Err(Failure::usage(format!("cannot write the output: {error}"))),
    }
}

/// Colours the words `error[…]` and the lines of carets of a rendered diagnostic.
fn paint(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        if let Some(rest) = body.strip_prefix("error") {
            let (code, message) = rest.split_once(':').unwrap_or((rest, ""));
            out.push_str(&format!("{RED}error{code}{PLAIN}:{message}"));
        } else if let Some((margin, marks)) = body.split_once("| ")
            && marks.trim_start().starts_with(['^', '-'])
            && margin.trim().is_empty()
        {
            out.push_str(&format!("{BLUE}{margin}|{PLAIN} {RED}{marks}{PLAIN}"));
        } else if body.trim_start().starts_with("-->") || body.trim_start().starts_with("= help") {
            out.push_str(&format!("{BLUE}{body}{PLAIN}"));
        } else {
            out.push_str(body);
        }
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn paint_only_adds_colours() {
        let text = "error[L0001]: bad\n --> f.lcu:1:1\n  |\n1 | x\n  | ^ here\n  = help: y\n";
        let painted = super::paint(text);
        assert!(painted.contains("\x1b[1;31merror[L0001]\x1b[0m: bad"));
        let bare = painted.replace(super::RED, "").replace(super::BLUE, "").replace(super::PLAIN, "");
        assert_eq!(bare, text);
    }
}
