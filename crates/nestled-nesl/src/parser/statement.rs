//! Parser of statements.

use super::{Parser, Result};
use crate::ast::{Function, Keyword, Name, PatternKind, Statement, StatementKind};
use crate::token::{COMMANDS, Text, TokenKind};
use nestled_ir::Diagnostic;

impl Parser<'_> {
    /// Parses one statement with its terminator; `None` for a terminator alone.
    pub(super) fn statement(&mut self) -> Result<Option<Statement>> {
        self.open.clear();
        self.depth = 0;
        self.matched = false;
        if self.eat(";") || self.eat("$") {
            return Ok(None);
        }
        let start = self.span();
        self.start = start.start;
        let help = self.is("?");
        let kind = self.statement_kind()?;
        let span = start.to(self.last());
        if !(help || self.eat(";") || self.eat("$") || self.at_end()) {
            let diagnostic = self.unexpected("an operator or `;`");
            return Err(self.stop(diagnostic));
        }
        Ok(Some(Statement { kind, span }))
    }

    fn statement_kind(&mut self) -> Result<StatementKind> {
        match self.kind().text() {
            Some("function") => self.function(),
            Some("datatype") => {
                self.at += 1;
                let name = self.name("the name of the datatype")?;
                if self.eat("=") {
                    return self.variants(name);
                }
                Ok(StatementKind::Datatype { name, content: self.type_with_context()? })
            }
            Some("defconfig") => {
                self.at += 1;
                let name = self.name("the name of the configuration")?;
                Ok(StatementKind::Config { name, options: self.options()? })
            }
            Some("?") => {
                let span = self.advance().span;
                Ok(StatementKind::Command {
                    name: Name { text: Text::from("help"), span },
                    words: Vec::new(),
                })
            }
            Some(word) if COMMANDS.contains(&word) => self.command(),
            _ => self.binding_or_expr(),
        }
    }

    fn command(&mut self) -> Result<StatementKind> {
        let name = self.name("a command")?;
        let mut words = Vec::new();
        while !(self.is(";") || self.is("$") || self.at_end()) {
            words.push(self.advance());
        }
        Ok(StatementKind::Command { name, words })
    }

    fn function(&mut self) -> Result<StatementKind> {
        self.at += 1;
        let name = match self.kind().clone() {
            TokenKind::Symbol(symbol) if !matches!(symbol, "(" | ")" | ";" | "$") => {
                Name { text: Text::from(symbol), span: self.advance().span }
            }
            TokenKind::Word(word) if matches!(&*word, "and" | "or" | "nand" | "nor" | "xor") => {
                Name { text: word, span: self.advance().span }
            }
            _ => self.name("the name of the function")?,
        };
        if self.is("=") {
            let diagnostic = self.unexpected("a parameter").help(format!(
                "every function has exactly one; a constant is `{} = …`, a function value `x => …`",
                name.text
            ));
            return Err(self.stop(diagnostic));
        }
        let (pattern, defaults) = self.parameter()?;
        let declared = if self.eat(":") { Some(self.type_with_context()?) } else { None };
        let doc = match self.kind().clone() {
            TokenKind::Str(doc) => {
                self.at += 1;
                Some(doc)
            }
            _ => None,
        };
        let ends = self.is(";") || self.is("$") || self.at_end();
        let body = if declared.is_some() && doc.is_none() && ends {
            None
        } else {
            self.expect("=", "before the body of the function")?;
            Some(self.expr(3)?)
        };
        Ok(StatementKind::Function(Function { name, pattern, defaults, declared, doc, body }))
    }

    fn binding_or_expr(&mut self) -> Result<StatementKind> {
        let left = self.expr(2)?;
        if self.is("=") || self.is("|=") {
            let file = self.advance().kind.text() == Some("|=");
            let pattern = self.pattern_of(left)?;
            self.distinct(&pattern)?;
            let value = self.expr(2)?;
            return Ok(match file {
                true => StatementKind::FileAssign { pattern, value },
                false => StatementKind::Assign { pattern, value },
            });
        }
        if !self.is("&=") {
            return Ok(StatementKind::Expr(left));
        }
        self.at += 1;
        let pattern = self.pattern_of(left)?;
        let PatternKind::Name(text) = pattern.kind else {
            let diagnostic = Diagnostic::new("N0011", "a background job binds a single name", pattern.span);
            return Err(self.stop(diagnostic));
        };
        let arguments = self.argument_list()?;
        let name = Name { text, span: pattern.span };
        Ok(StatementKind::Background { name, value: arguments.positional, options: arguments.keywords })
    }

    /// Parses `, name := value`, repeated.
    fn options(&mut self) -> Result<Vec<Keyword>> {
        let mut options = Vec::new();
        while self.eat(",") {
            let name = self.name("the name of an option")?;
            self.expect(":=", "after the name of an option")?;
            options.push(Keyword { name, value: self.expr(5)? });
        }
        Ok(options)
    }
}
