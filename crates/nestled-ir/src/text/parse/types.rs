//! Parses types, shapes and parameters.

use super::Parse;
use super::cursor::Parser;
use crate::diagnostic::Diagnostic;
use crate::op::Op;
use crate::scalar::ScalarType;
use crate::text::ast::{AxisExpr, Binder, Param, ShapeArg, ShapeParam, TypeExpr, TypeKind};
use crate::text::token::TokenKind;
use crate::text::words::Word;
use crate::types::Form;

impl Parser<'_> {
    /// `f32`
    pub fn scalar_type(&mut self) -> Parse<ScalarType> {
        let TokenKind::Word(Word::Op(Op::Convert(ty))) = self.kind() else {
            return self.expected("a scalar type");
        };
        self.advance();
        Ok(*ty)
    }

    /// `[n]f32`, `view[s]f32`, `dim`, `seg[n]`, …
    pub fn ty(&mut self) -> Parse<TypeExpr> {
        let start = self.span();
        let kind = if self.eat_key("dim") {
            TypeKind::Dim
        } else if self.eat_key("seg") {
            TypeKind::Seg { parent: self.shape()?, form: Form::Offsets }
        } else if self.eat_key("regular") {
            TypeKind::Seg { parent: self.shape()?, form: Form::Regular }
        } else if self.eat_key("view") {
            let shape = self.shape()?;
            TypeKind::Array { elem: self.scalar_type()?, shape, view: true }
        } else if self.is("[") {
            let shape = self.shape()?;
            TypeKind::Array { elem: self.scalar_type()?, shape, view: false }
        } else if matches!(self.kind(), TokenKind::Word(Word::Op(Op::Convert(_)))) {
            let elem = self.scalar_type()?;
            if self.is("[") && self.touches(0) {
                let message = format!("the shape of an array stands before its type: `[n]{elem}`");
                return self.report(Diagnostic::new("L0005", message, self.span()));
            }
            TypeKind::Array { elem, shape: Vec::new(), view: false }
        } else {
            return self.expected("a type");
        };
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    /// `[n, m, 3]`
    pub fn shape(&mut self) -> Parse<Vec<AxisExpr>> {
        self.expect("[")?;
        self.list("]", Parser::axis)
    }

    /// `n` or `3`
    pub fn axis(&mut self) -> Parse<AxisExpr> {
        match self.kind() {
            TokenKind::Literal(_) => self.count("an extent").map(AxisExpr::Const),
            _ => self.name("a shape").map(AxisExpr::Name),
        }
    }

    /// `<n, s: seg[n]>`, if it follows.
    pub fn shape_params(&mut self) -> Parse<Vec<ShapeParam>> {
        if !self.eat("<") {
            return Ok(Vec::new());
        }
        self.list(">", |p| {
            let name = p.name("a shape parameter")?;
            let ty = if p.eat(":") { Some(p.ty()?) } else { None };
            Ok(ShapeParam { name, ty })
        })
    }

    /// `<n, 3, _>`, if it follows.
    pub fn shape_args(&mut self) -> Parse<Option<Vec<ShapeArg>>> {
        if !self.eat("<") {
            return Ok(None);
        }
        let args = self.list(">", |p| {
            let span = p.span();
            if p.eat_soft("_") { Ok(ShapeArg::Hole(span)) } else { p.axis().map(ShapeArg::Axis) }
        })?;
        Ok(Some(args))
    }

    /// `(x: f32, y: i64)`
    pub fn params(&mut self) -> Parse<Vec<Param>> {
        self.expect("(")?;
        self.list(")", |p| {
            let span = p.span();
            let name = p.name_or_hole("a parameter")?;
            p.expect(":")?;
            Ok(Param { name, ty: p.ty()?, span })
        })
    }

    /// `-> f32` or `-> (k: dim, [k]f32)`, if it follows.
    pub fn results(&mut self) -> Parse<Vec<Param>> {
        if !self.eat("->") {
            return Ok(Vec::new());
        }
        if self.eat("(") {
            return self.list(")", Parser::result);
        }
        Ok(vec![self.result()?])
    }

    fn result(&mut self) -> Parse<Param> {
        let span = self.span();
        let mut name = None;
        if self.is_name() {
            name = self.name_or_hole("a result")?;
            self.expect(":")?;
        }
        Ok(Param { name, ty: self.ty()?, span })
    }

    /// A name that is bound, with or without its type.
    pub fn binder(&mut self) -> Parse<Binder> {
        let start = self.span();
        let name = self.name_or_hole("a name")?;
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        Ok(Binder { name, ty, span: self.since(start) })
    }

    /// `y =` or `(a, b) =`, if a statement begins so.
    pub fn binders(&mut self) -> Parse<Vec<Binder>> {
        let named = self.is_name() && (self.mark_at(1, "=") || self.mark_at(1, ":"));
        let word = matches!(self.kind(), TokenKind::Word(_)) && self.mark_at(1, "=");
        if named || word {
            let binder = self.binder()?;
            self.expect("=")?;
            return Ok(vec![binder]);
        }
        if self.is("(") && self.mark_at(self.closing(0) + 1, "=") {
            self.advance();
            let binders = self.list(")", Parser::binder)?;
            self.expect("=")?;
            return Ok(binders);
        }
        Ok(Vec::new())
    }
}
