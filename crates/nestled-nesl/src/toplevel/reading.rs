//! The reading loop of the top level: typed lines to statements.

use super::{Flow, TopLevel};
use crate::interp::{Line, World};
use crate::token::{COMMANDS, KEYWORDS};

/// Size in bytes from which an incomplete statement is not parsed again with each line.
const LONG: usize = 100_000;

/// The name of typed text in messages.
const TYPED: &str = "<stdin>";

/// The first text on a terminal.
const GREETING: &str = concat!(
    "Nestled ",
    env!("CARGO_PKG_VERSION"),
    ": type NESL, such as `sum({x * x : x in [1:4]});`. A statement ends with `;`. `help` lists the commands, `exit` leaves.\n"
);

impl TopLevel {
    /// Reads, runs and prints until the input ends or a command ends it.
    pub fn converse(&mut self, world: &mut dyn World) {
        if self.prompts {
            world.print(GREETING.as_bytes());
        }
        let mut text = String::new();
        let mut read = 0;
        loop {
            let line = match self.line(&text, world) {
                Line::Typed(line) => line,
                Line::Cancelled => {
                    text.clear();
                    read = 0;
                    continue;
                }
                Line::End => break,
            };
            text.push_str(&line);
            // Nothing else ends a statement; and no time is lost on reading very long ones again and again.
            let mut ends =
                line.contains([';', '$', '?']) && !(text.len() > LONG && text.len() < read + read / 4);
            if self.prompts
                && let Some(word) = self.word_alone(&text)
            {
                text = format!("{word};\n");
                ends = true;
            }
            if !ends {
                continue;
            }
            if self.typed(&mut text, world) != Flow::On {
                return;
            }
            if world.interrupted() {
                if !world.forget_interrupt() {
                    return;
                }
                // What else was typed is not wanted any more either.
                text.clear();
            }
            read = text.len();
        }
        if self.typed(&mut text, world) == Flow::On {
            self.unfinished(&text, world);
        }
    }

    /// Reads the next line, with a prompt if there are prompts.
    fn line(&self, text: &str, world: &mut dyn World) -> Line {
        if !self.prompts {
            return world.read_line();
        }
        world.type_line(if text.trim().is_empty() { "<Nesl> " } else { "> " }, &|| self.words())
    }

    /// Returns all words that a statement may contain, for completion.
    fn words(&self) -> Vec<String> {
        let names = self.session.environment().names().map(|name| name.to_string());
        let own = KEYWORDS.iter().chain(&COMMANDS).map(|word| (*word).to_owned());
        // Operators and what programs cannot write are names as well.
        names.chain(own).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())).collect()
    }

    /// Returns the command for a word typed alone, without `;`.
    fn word_alone(&self, text: &str) -> Option<&'static str> {
        let command = match text.trim().trim_end_matches(';').trim_end() {
            "help" => "help",
            "exit" => "exit",
            "quit" if self.session.environment().lookup("quit").is_none() => "exit",
            _ => return None,
        };
        Some(command)
    }

    /// Runs the complete statements at the beginning of a text and removes them.
    fn typed(&mut self, text: &mut String, world: &mut dyn World) -> Flow {
        // There the rest of a line means nothing.
        let compat = self.session.dialect().compat;
        while !text.trim().is_empty() {
            let typed = self.session.read_typed(TYPED, text, if compat { 1 } else { usize::MAX });
            if typed.end == 0 {
                return Flow::On;
            }
            let rest = text[typed.end..].find('\n').map_or(text.len(), |at| typed.end + at + 1);
            text.drain(..if compat { rest } else { typed.end });
            for item in typed.items {
                let flow = match item {
                    Ok(statement) => self.statement(&statement, false, world),
                    Err(error) => {
                        self.say_static("at top level", &[error], world);
                        self.after_an_error()
                    }
                };
                if flow != Flow::On || world.interrupted() {
                    return flow;
                }
            }
        }
        text.clear();
        Flow::On
    }

    /// Handles input that ended inside a statement: runs it if only its terminator is missing.
    fn unfinished(&mut self, text: &str, world: &mut dyn World) {
        if text.trim().is_empty() {
            return;
        }
        for item in self.session.read(TYPED, text) {
            match item {
                Ok(statement) => drop(self.statement(&statement, false, world)),
                Err(error) => self.say_static("at top level", &[error], world),
            }
        }
    }

    /// Runs a complete text; errors do not end it.
    pub(super) fn text(&mut self, name: &str, text: &str, quiet: bool, world: &mut dyn World) -> Flow {
        for item in self.session.read(name, text) {
            let flow = match item {
                Ok(statement) => self.statement(&statement, quiet, world),
                Err(error) => {
                    self.say_static("at top level", &[error], world);
                    self.after_an_error()
                }
            };
            if flow != Flow::On || world.interrupted() {
                return flow;
            }
        }
        Flow::On
    }

    fn after_an_error(&self) -> Flow {
        if self.stops { Flow::Fail } else { Flow::On }
    }
}
