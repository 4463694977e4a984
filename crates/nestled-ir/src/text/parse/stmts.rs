//! Parses blocks and statements, of thunks and of host code.

use super::Parse;
use super::cursor::Parser;
use crate::text::ast::{Block, Expr, ExprKind, Ident, Stmt, StmtKind};
use crate::text::token::TokenKind;
use crate::text::words::Word;

impl Parser<'_> {
    /// `{ … }`
    pub fn block(&mut self) -> Parse<Block> {
        self.nested(|p| {
            p.expect("{")?;
            p.rest_of_block(false)
        })
    }

    /// The body of a function, whose results follow `ret`.
    pub fn function_body(&mut self) -> Parse<Block> {
        self.expect("{")?;
        self.rest_of_block(true)
    }

    /// `{ i, j => … }`
    pub fn lambda(&mut self) -> Parse<(Vec<Option<Ident>>, Block)> {
        self.nested(|p| {
            p.expect("{")?;
            let mut params = Vec::new();
            if p.has_arrow() {
                params = p.list("=>", |p| p.name_or_hole("a coordinate"))?;
            }
            Ok((params, p.rest_of_block(false)?))
        })
    }

    /// True if a parameter list, names and `=>`, follows.
    fn has_arrow(&self) -> bool {
        let mut at = 0;
        loop {
            match &self.ahead(at).kind {
                TokenKind::Mark("=>") => return true,
                TokenKind::Name { .. } | TokenKind::Word(_) | TokenKind::Mark(",") => at += 1,
                _ => return false,
            }
        }
    }

    /// Parses a block after its `{`, up to and with `}`.
    fn rest_of_block(&mut self, function: bool) -> Parse<Block> {
        let start = self.before();
        let mut block = Block::default();
        while !self.is("}") {
            if self.is_end() || self.at_definition() {
                return self.expected("`}`");
            }
            let line = self.position();
            if self.line(&mut block, function).is_err() {
                self.skip_line(line);
            }
        }
        self.advance();
        block.span = self.since(start);
        Ok(block)
    }

    /// A statement, or the last line with the results.
    fn line(&mut self, block: &mut Block, function: bool) -> Parse<()> {
        if function && self.eat_key("ret") {
            if !self.at_line_end() {
                block.results = self.commas(Parser::expr)?;
            }
            return self.end_of_block("`ret` is the last line");
        }
        if let Some(stmt) = self.stmt()? {
            block.stmts.push(stmt);
            return if self.at_line_end() { Ok(()) } else { self.expected("the end of the line") };
        }
        let start = self.span();
        let calls = self.is_name() && (self.mark_at(1, "(") || self.mark_at(1, "<"));
        if function && !calls {
            return self.expected("a statement or `ret`");
        }
        let mut results = self.commas(Parser::expr)?;
        // A call with more lines after it gives nothing and is there for what it does.
        let acts = matches!(results.as_slice(), [Expr { kind: ExprKind::Call { .. }, .. }]);
        if acts && self.at_line_end() && (function || !self.is("}")) {
            let kind = StmtKind::Bind { binders: Vec::new(), expr: results.remove(0) };
            block.stmts.push(Stmt { kind, span: self.since(start) });
            return Ok(());
        }
        if function {
            return self.expected("the end of the line");
        }
        block.results = results;
        self.end_of_block("results are the last line of a block")
    }

    fn end_of_block(&mut self, why: &str) -> Parse<()> {
        if self.is("}") {
            return Ok(());
        }
        if self.at_line_end() {
            return self.expected(&format!("`}}`, since {why}"));
        }
        self.expected("`,` or the end of the line")
    }

    /// A statement, unless what follows can only be a list of results.
    fn stmt(&mut self) -> Parse<Option<Stmt>> {
        let start = self.span();
        let kind = if self.is_key("private") {
            self.private()?
        } else if self.is_set() {
            self.set()?
        } else {
            let binders = self.binders()?;
            if binders.is_empty() && self.before().end <= start.start && !self.acts() {
                return Ok(None);
            }
            StmtKind::Bind { binders, expr: self.expr()? }
        };
        Ok(Some(Stmt { kind, span: self.since(start) }))
    }

    /// True if an expression follows that is a statement by itself.
    fn acts(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Word(Word::Key(
                "if" | "for" | "while" | "check" | "same" | "print" | "eprint" | "run" | "each"
            ))
        )
    }

    /// `private stack: [64]i32`
    fn private(&mut self) -> Parse<StmtKind> {
        self.advance();
        let name = self.name("the name of a private array")?;
        self.expect(":")?;
        self.expect("[")?;
        let size = self.operand()?;
        self.expect("]")?;
        Ok(StmtKind::Private { name, size, elem: self.scalar_type()? })
    }

    /// True if `stack[…] =` or `stack[…]!7 =` follows.
    fn is_set(&self) -> bool {
        if !self.is_name() || !self.mark_at(1, "[") {
            return false;
        }
        let close = self.closing(1);
        self.mark_at(close + 1, "=") || (self.mark_at(close + 1, "!") && self.mark_at(close + 3, "="))
    }

    /// `stack[k] = x`
    fn set(&mut self) -> Parse<StmtKind> {
        let array = self.name("a private array")?;
        self.expect("[")?;
        let index = self.nested(|p| p.list("]", Parser::index))?;
        let site = self.site()?;
        self.expect("=")?;
        Ok(StmtKind::Set { array, index, site, value: self.expr()? })
    }
}
