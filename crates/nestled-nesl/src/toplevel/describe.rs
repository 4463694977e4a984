//! The commands `describe`, `apropos` and `show code`: documentation of names.

use super::{Flow, TopLevel};
use crate::ast::{Statement, StatementKind, print};
use crate::environment::Meaning;
use crate::interp::World;
use crate::library::documentation;
use crate::token::TokenKind;
use crate::typed::GlobalId;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Largest number of lines of a definition that `describe` shows.
const LINES: usize = 5;

impl TopLevel {
    pub(super) fn describe(&mut self, name: &str, world: &mut dyn World) -> Flow {
        let Some(id) = self.known(name) else { return self.unknown(name, world) };
        let ty = self.session.type_of(id);
        let global = self.session.environment().global(id);
        let mut text = format!("INTERFACE: {}\n", interface(name, global.definition.as_deref()));
        let serial = if global.serial { "   (serial only)" } else { "" };
        let _ = writeln!(text, "TYPE: {ty}{serial}");
        if let Some(doc) = self.documentation(id) {
            let _ = writeln!(text, "DOCUMENTATION: {doc}");
        }
        match &global.definition {
            Some(definition) => {
                let lines = print::statement(definition);
                let shown: Vec<&str> = lines.lines().take(LINES).collect();
                let _ = writeln!(text, "DEFINITION: {}", shown.join("\n"));
            }
            None if matches!(global.meaning, Meaning::Primitive(_)) => {
                text += "DEFINITION: part of the language\n"
            }
            None => {}
        }
        world.print(text.as_bytes());
        Flow::On
    }

    pub(super) fn show_code(&mut self, name: &str, world: &mut dyn World) -> Flow {
        let Some(id) = self.known(name) else { return self.unknown(name, world) };
        let watched = self.watched.get(name).map(|watched| watched.original());
        let global = self.session.environment().global(id);
        let Some(definition) = watched.or(global.definition.as_deref()) else {
            return self.complain(&format!("`{name}` has no definition in NESL"), world);
        };
        world.print(format!("{};\n", print::statement(definition)).as_bytes());
        Flow::On
    }

    /// Lists every name that contains the word, or whose documentation does, with its type.
    pub(super) fn apropos(&mut self, word: &TokenKind, world: &mut dyn World) -> Flow {
        let word = match word {
            TokenKind::Str(bytes) => String::from_utf8_lossy(bytes).to_lowercase(),
            other => other.text().unwrap_or_default().to_owned(),
        };
        let names: BTreeSet<String> =
            self.session.environment().names().map(|name| name.to_string()).collect();
        let mut text = String::new();
        for name in names {
            // Asking for a function of the library has it checked, which takes a while for all of them.
            let doc = match self.session.environment().lookup(&name) {
                Some(id) => self.documentation(id),
                None => documentation(&name).map(str::to_owned),
            };
            let documented = doc.is_some_and(|doc| doc.to_lowercase().contains(&word));
            if (name.contains(&word) || documented)
                && let Some(id) = self.known(&name)
            {
                let _ = writeln!(text, "{name} : {}", self.session.type_of(id));
            }
        }
        world.print(if text.is_empty() { b"nothing\n" } else { text.as_bytes() });
        Flow::On
    }

    fn documentation(&self, id: GlobalId) -> Option<String> {
        let global = self.session.environment().global(id);
        match &global.doc {
            Some(doc) => Some(String::from_utf8_lossy(doc).into_owned()),
            None if global.library => documentation(&global.name).map(str::to_owned),
            None => None,
        }
    }

    pub(super) fn unknown(&self, name: &str, world: &mut dyn World) -> Flow {
        self.complain(&format!("`{name}` is not defined"), world)
    }
}

/// Returns the form of a call: `take(v, n)`.
fn interface(name: &str, definition: Option<&Statement>) -> String {
    match definition.map(|statement| &statement.kind) {
        Some(StatementKind::Function(function)) => format!("{name}({})", print::pattern(&function.pattern)),
        _ => name.to_owned(),
    }
}
