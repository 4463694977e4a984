//! What is typed, line by line, to statements.

use super::{Flow, TopLevel};
use crate::interp::World;

/// A statement of so many bytes is not read again with each line.
const LONG: usize = 100_000;

/// The name of what is typed, in messages.
const TYPED: &str = "<stdin>";

impl TopLevel {
    /// Reads, runs and shows until the input ends or a command leaves.
    pub fn converse(&mut self, world: &mut dyn World) {
        let mut text = String::new();
        let mut read = 0;
        loop {
            if self.prompts {
                world.print(if text.trim().is_empty() { b"<Nesl> " } else { b"> " });
            }
            let Some(line) = read_line(world) else { break };
            text.push_str(&line);
            // Nothing ends a statement but these; and no time is lost on reading very long ones again and again.
            if !line.contains([';', '$', '?']) || (text.len() > LONG && text.len() < read + read / 4) {
                continue;
            }
            if self.typed(&mut text, world) != Flow::On || world.interrupted() {
                return;
            }
            read = text.len();
        }
        if self.typed(&mut text, world) == Flow::On {
            self.unfinished(&text, world);
        }
    }

    /// Runs the statements at the beginning of a text and takes them away.
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

    /// The input ended inside a statement: one that lacks nothing but its terminator is taken.
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

    /// Runs a text that is there as a whole; errors do not end it.
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

/// A line with its end; the last one may lack it.
fn read_line(world: &mut dyn World) -> Option<String> {
    let mut line = Vec::new();
    while let Some(byte) = world.read_input() {
        line.push(byte);
        if byte == b'\n' {
            break;
        }
    }
    if line.is_empty() { None } else { Some(String::from_utf8_lossy(&line).into_owned()) }
}
