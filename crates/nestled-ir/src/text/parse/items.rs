//! Parses definitions.

use super::Parse;
use super::cursor::Parser;
use crate::diagnostic::Diagnostic;
use crate::op::Op;
use crate::span::Span;
use crate::text::ast::{File, FunctionItem, MonoidItem, MonoidName, ThunkItem};
use crate::text::token::TokenKind;
use crate::text::words::Word;

impl Parser<'_> {
    pub fn file(&mut self) -> File {
        let mut file = File::default();
        if self.is_soft("sites") && self.sites_header(&mut file).is_err() {
            self.skip_definition();
        }
        while !self.is_end() {
            if self.definition(&mut file).is_err() {
                self.skip_definition();
            }
        }
        file
    }

    /// `sites 12`
    fn sites_header(&mut self, file: &mut File) -> Parse<()> {
        let start = self.advance().span;
        let count = self.count("how many fault sites there are")?;
        let span = self.since(start);
        let Ok(count) = u32::try_from(count) else {
            return self.report(Diagnostic::new("L0111", "too many fault sites", span));
        };
        file.sites = Some((count, span));
        Ok(())
    }

    fn definition(&mut self, file: &mut File) -> Parse<()> {
        let start = self.span();
        if self.eat_key("thunk") {
            file.thunks.push(self.thunk(start)?);
        } else if self.eat_key("monoid") {
            file.monoids.push(self.monoid_item(start)?);
        } else if self.eat_key("kernel") {
            file.kernels.push(self.kernel(start)?);
        } else if self.eat_key("fn") {
            file.functions.push(self.function(start)?);
        } else {
            let result = self.expected("`fn`, `kernel`, `thunk` or `monoid`");
            self.advance();
            return result;
        }
        Ok(())
    }

    /// `thunk f(x: f32) -> f32 { … }`
    fn thunk(&mut self, start: Span) -> Parse<ThunkItem> {
        let name = self.name("the name of a thunk")?;
        let params = self.params()?;
        let results = self.results()?.into_iter().map(|result| result.ty).collect();
        let body = self.block()?;
        Ok(ThunkItem { name, params, results, body, span: self.since(start) })
    }

    /// `monoid affine commutative exact = unit (1.0f32, 0.0f32) combine compose`
    fn monoid_item(&mut self, start: Span) -> Parse<MonoidItem> {
        let name = self.name("the name of a monoid")?;
        let (mut commutative, mut exact) = (false, false);
        loop {
            if self.eat_soft("commutative") {
                commutative = true;
            } else if self.eat_soft("exact") {
                exact = true;
            } else {
                break;
            }
        }
        self.expect("=")?;
        self.expect_soft("unit")?;
        let unit = self.literals()?;
        self.expect_soft("combine")?;
        let combine = self.name("a thunk")?;
        Ok(MonoidItem { name, commutative, exact, unit, combine, span: self.since(start) })
    }

    /// `fn f<n>(xs: [n]f32) -> f32 { … ret s }`
    fn function(&mut self, start: Span) -> Parse<FunctionItem> {
        let name = self.name("the name of a function")?;
        let shapes = self.shape_params()?;
        let params = self.params()?;
        let results = self.results()?;
        let body = self.function_body()?;
        Ok(FunctionItem { name, shapes, params, results, body, span: self.since(start) })
    }

    /// `add`, or `(add, argmax)`
    pub fn monoid(&mut self) -> Parse<Vec<MonoidName>> {
        if self.eat("(") {
            return self.list(")", Parser::monoid_part);
        }
        Ok(vec![self.monoid_part()?])
    }

    fn monoid_part(&mut self) -> Parse<MonoidName> {
        let span = self.span();
        match self.kind() {
            TokenKind::Word(Word::Op(
                op @ (Op::Add | Op::Mul | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor),
            )) => {
                self.advance();
                Ok(MonoidName::Op(*op, span))
            }
            TokenKind::Word(Word::Key("argmin")) => {
                self.advance();
                Ok(MonoidName::ArgMin)
            }
            TokenKind::Word(Word::Key("argmax")) => {
                self.advance();
                Ok(MonoidName::ArgMax)
            }
            TokenKind::Name { .. } => self.name("a monoid").map(MonoidName::User),
            _ => self.expected("a monoid (`add mul min max and or xor argmin argmax`, or the name of one)"),
        }
    }
}
