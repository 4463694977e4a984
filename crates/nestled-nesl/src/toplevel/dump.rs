//! The command `dump`: files about a session.

use super::{Flow, TopLevel};
use crate::ast::{Statement, StatementKind};
use crate::interp::World;
use crate::parser::parse;
use crate::token::{Token, TokenKind};
use std::collections::BTreeMap;

impl TopLevel {
    /// `dump vcode "file" expression;` A comma may stand between them.
    pub(super) fn dump_vcode(&mut self, words: &[Token], world: &mut dyn World) -> Flow {
        let Some(to_vcode) = self.to_vcode else {
            return self.complain("there is no translation to VCODE here", world);
        };
        let (Some(Token { kind: TokenKind::Str(name), .. }), true) = (words.first(), words.len() > 1) else {
            return self.complain(
                "`dump vcode` is followed by the name of a file, as a string, and an expression",
                world,
            );
        };
        let has_comma = words[1].kind.text() == Some(",");
        let Some(statement) = self.statement_of(&words[1 + usize::from(has_comma)..], world) else {
            return Flow::On;
        };
        if !matches!(statement.kind, StatementKind::Expr(_)) {
            return self
                .complain("`dump vcode` writes an expression; what it needs is written with it", world);
        }
        let mut statements = self.definitions();
        statements.push(statement);
        match to_vcode(&self.session, &statements) {
            Ok(text) => self.write_dump(&String::from_utf8_lossy(name), &text, world),
            Err(errors) => {
                self.say_static("at top level", &errors, world);
                Flow::On
            }
        }
    }

    /// The definitions and assignments so far, read again from their texts.
    fn definitions(&self) -> Vec<Statement> {
        let mut texts: BTreeMap<u32, BTreeMap<u32, Statement>> = BTreeMap::new();
        let found = self.defined.iter().filter_map(|span| {
            let text = &self.session.sources.source(*span)?.text;
            let begin = |statement: Statement| (statement.span.start, statement);
            let read = || parse(text, span.source, self.session.dialect()).statements.into_iter().map(begin);
            texts.entry(span.source).or_insert_with(|| read().collect()).get(&span.start).cloned()
        });
        found.collect()
    }

    fn write_dump(&mut self, name: &str, text: &str, world: &mut dyn World) -> Flow {
        match world.write_file(name, text.as_bytes(), false) {
            Ok(()) => Flow::On,
            Err(message) => self.complain(&message, world),
        }
    }

    pub(super) fn dump_info(&mut self, words: &[Token], world: &mut dyn World) -> Flow {
        let dialect = self.session.dialect();
        let text = format!(
            "nestled {}\nint: {} bits\ncompat: {}\n",
            env!("CARGO_PKG_VERSION"),
            dialect.int_bits(),
            dialect.compat
        );
        if words.is_empty() {
            world.print(text.as_bytes());
            return Flow::On;
        }
        let Some(name) = self.text_of(words, world) else { return Flow::On };
        self.write_dump(&name, &text, world)
    }
}
