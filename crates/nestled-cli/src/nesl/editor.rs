//! Line editing at a terminal, with completion of words and a history of earlier lines, also those of earlier sessions.

use crate::signals::InteractiveInterrupt;
use nestled_nesl::interp::Line;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Helper};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The most lines kept from one session to the next.
const KEPT: usize = 1000;

/// An editor of lines.
pub struct Editor {
    lines: rustyline::Editor<Words, FileHistory>,
    /// The history file, if lines are kept.
    history: Option<PathBuf>,
}

impl Editor {
    /// An editor for this terminal, if it is one on which lines can be edited. `keep`: whether lines may be kept in a file.
    pub fn of_terminal(keep: bool, presses: InteractiveInterrupt) -> Option<Editor> {
        let plain = std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
        if plain || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return None;
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(KEPT)
            .ok()?
            .auto_add_history(false)
            .build();
        let mut lines = rustyline::Editor::with_config(config).ok()?;
        lines.set_helper(Some(Words { words: Vec::new(), presses }));
        let history = if keep { history_file() } else { None };
        if let Some(history) = &history {
            // The first session has none.
            let _ = lines.load_history(history);
        }
        Some(Editor { lines, history })
    }

    /// Reads a line, with its end.
    pub fn line(&mut self, prompt: &str, words: Vec<String>) -> Line {
        if let Some(helper) = self.lines.helper_mut() {
            helper.words = words;
        }
        match self.lines.readline(prompt) {
            Ok(line) => {
                let _ = self.lines.add_history_entry(line.as_str());
                Line::Typed(line + "\n")
            }
            Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Line::Cancelled,
            Err(_) => Line::End,
        }
    }

    /// Saves the history for the next session. A failure is ignored.
    pub fn keep(&mut self) {
        if let Some(history) = &self.history
            && history.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok())
        {
            let _ = self.lines.append_history(history);
        }
    }
}

/// `nestled/history` in the folder where programs keep their state.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(Path::new(&state).join("nestled/history"))
}

/// Helper for the line editor: completion of words.
struct Words {
    /// The words that can complete a line.
    words: Vec<String>,
    presses: InteractiveInterrupt,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completions(&self.words, &line[..at]))
    }
}

/// Returns the start of the last word of a text, in bytes, and its completions.
fn completions(words: &[String], text: &str) -> (usize, Vec<String>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start =
        text.rfind(|c| !is_part(c)).map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    // Names are of no case.
    let begun = text[start..].to_ascii_lowercase();
    let mut found: Vec<String> = match begun.is_empty() {
        true => Vec::new(),
        false => words.iter().filter(|word| word.starts_with(&begun)).cloned().collect(),
    };
    found.sort();
    found.dedup();
    (start, found)
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {
    /// Any line will do. Interrupts of what went before are forgotten here, while Ctrl-C is still a key: once the line is taken, they mean what
    /// it says.
    fn validate(&self, _context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        self.presses.forget();
        Ok(ValidationResult::Valid(None))
    }
}

impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::completions;

    #[test]
    fn the_last_word_is_completed() {
        let words = ["plus_scan", "plus_reduce", "power", "sum"].map(str::to_owned);
        assert_eq!(
            completions(&words, "sum(PLUS_"),
            (4, vec!["plus_reduce".to_owned(), "plus_scan".to_owned()])
        );
        assert_eq!(completions(&words, "é+po"), (3, vec!["power".to_owned()]));
        assert_eq!(completions(&words, "sum("), (4, Vec::new()));
    }
}
