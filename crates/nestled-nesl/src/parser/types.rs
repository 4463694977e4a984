//! Parser of types, in declarations and after `[]`.

use super::{Parser, Result, too_long};
use crate::ast::{ClassBind, Context, MAX_TUPLE, Name, TypeExpr, TypeExprKind};
use crate::token::{TokenKind, is_keyword};
use nestled_ir::Span;

impl Parser<'_> {
    /// Parses a type with the classes of its variables.
    pub(super) fn type_with_context(&mut self) -> Result<TypeExpr> {
        let mut ty = self.type_pair()?;
        ty.context = self.context()?;
        Ok(ty)
    }

    /// Parses `:: (a in any; b in number)`, if it is there.
    pub(super) fn context(&mut self) -> Result<Option<Context>> {
        if !self.eat("::") {
            return Ok(None);
        }
        let bracketed = self.is("(");
        if bracketed {
            self.open();
        }
        let mut binds = vec![self.class_bind()?];
        while self.eat(";") {
            binds.push(self.class_bind()?);
        }
        if bracketed {
            self.close(")", "`;` or `)`")?;
        }
        Ok(Some(Context { binds }))
    }

    fn class_bind(&mut self) -> Result<ClassBind> {
        let variable = self.type_name("a type variable")?;
        self.expect("in", "after a type variable")?;
        Ok(ClassBind { variable, class: self.type_name("a class: `any`, `number`, `ordinal` or `logical`")? })
    }

    fn type_name(&mut self, wanted: &str) -> Result<Name> {
        match self.kind() {
            TokenKind::Word(word) if !is_keyword(word) => {
                let text = word.clone();
                let span = self.advance().span;
                Ok(Name { text, span })
            }
            _ => {
                let diagnostic = self.unexpected(wanted);
                Err(self.stop(diagnostic))
            }
        }
    }

    fn type_pair(&mut self) -> Result<TypeExpr> {
        self.deeper(|parser| {
            let mut parts = vec![parser.type_arrow()?];
            while parser.eat(",") {
                parts.push(parser.type_arrow()?);
            }
            let mut pair = parts.pop().expect("there is a last part");
            if parts.len() >= usize::from(MAX_TUPLE) {
                return Err(parser.stop(too_long(pair.span)));
            }
            while let Some(left) = parts.pop() {
                let span = left.span.to(pair.span);
                pair = of(TypeExprKind::Pair(Box::new(left), Box::new(pair)), span);
            }
            Ok(pair)
        })
    }

    fn type_arrow(&mut self) -> Result<TypeExpr> {
        self.deeper(|parser| {
            let from = parser.type_primary()?;
            if !parser.eat("->") {
                return Ok(from);
            }
            let to = parser.type_arrow()?;
            let span = from.span.to(to.span);
            Ok(of(TypeExprKind::Function(Box::new(from), Box::new(to)), span))
        })
    }

    /// True if a primary type can begin here.
    pub(super) fn begins_type(&self) -> bool {
        match self.kind() {
            TokenKind::Word(word) => !is_keyword(word),
            TokenKind::Symbol(symbol) => matches!(*symbol, "(" | "["),
            _ => false,
        }
    }

    /// Parses a name, a record type, a sequence type, or a type in brackets.
    pub(super) fn type_primary(&mut self) -> Result<TypeExpr> {
        self.deeper(|parser| {
            let start = parser.span();
            if parser.is("[") {
                parser.open();
                let element = parser.type_primary()?;
                parser.close("]", "`]` after the type of the elements")?;
                return Ok(of(TypeExprKind::Sequence(Box::new(element)), start.to(parser.last())));
            }
            if parser.is("(") {
                parser.open();
                let mut inner = parser.type_pair()?;
                parser.close(")", "`,` or `)`")?;
                inner.span = start.to(parser.last());
                return Ok(inner);
            }
            let name = parser.type_name("a type")?;
            if !parser.is("(") {
                return Ok(of(TypeExprKind::Name(name), start));
            }
            parser.open();
            let parameters = parser.type_pair()?;
            parser.close(")", "`,` or `)`")?;
            Ok(of(TypeExprKind::Record(name, Box::new(parameters)), start.to(parser.last())))
        })
    }
}

fn of(kind: TypeExprKind, span: Span) -> TypeExpr {
    TypeExpr { kind, context: None, span }
}
