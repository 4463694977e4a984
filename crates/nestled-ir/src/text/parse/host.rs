//! Parses the constructs that only host code has.

use super::Parse;
use super::cursor::Parser;
use crate::diagnostic::Diagnostic;
use crate::host::Order;
use crate::text::ast::AxisExpr;
use crate::text::ast::{ArrayLiteral, EachExpr, Expr, ExprKind, HostWord, Literal, ShapeWord, TypeKind};
use crate::text::token::TokenKind;

impl Parser<'_> {
    /// A construct of host code; `None` where the word begins none.
    pub fn host_construct(&mut self, key: &'static str) -> Parse<Option<ExprKind>> {
        let kind = match key {
            "dim" => self.plain(HostWord::Dim, 1, key),
            "segments" => self.plain(HostWord::Segments, 1, key),
            "widen" => self.plain(HostWord::Widen, 1, key),
            "lengths" => self.plain(HostWord::Lengths, 1, key),
            "starts" => self.plain(HostWord::Starts, 1, key),
            "view" => self.plain(HostWord::View, 3, key),
            "matmul" => self.plain(HostWord::MatMul, 2, key),
            "read_file" => self.plain(HostWord::ReadFile, 1, key),
            "write_file" => self.plain(HostWord::WriteFile, 2, key),
            "append_file" => self.plain(HostWord::AppendFile, 2, key),
            "clock" => self.clock(),
            "entropy" => self.plain(HostWord::Entropy, 0, key),
            "size" => self.shaped(ShapeWord::Size),
            "regular" => self.shaped(ShapeWord::Regular),
            "reshape" => self.shaped(ShapeWord::Reshape),
            "same" => self.same(),
            "run" => self.run(),
            "each" => self.each(),
            "sort" => self.sort(),
            "rank" => self.rank(),
            "print" => self.print(false),
            "eprint" => self.print(true),
            _ => return Ok(None),
        };
        kind.map(Some)
    }

    fn plain(&mut self, word: HostWord, count: usize, name: &str) -> Parse<ExprKind> {
        self.advance();
        let args = self.operands(count, name)?;
        Ok(ExprKind::Host { word, args, site: self.site()? })
    }

    /// `clock`, `clock xs ys`
    fn clock(&mut self) -> Parse<ExprKind> {
        self.advance();
        let mut args = Vec::new();
        while !self.at_line_end() && !self.is(")") {
            args.push(self.operand()?);
        }
        Ok(ExprKind::Host { word: HostWord::Clock, args, site: self.site()? })
    }

    /// `size [s]`, `regular [n] m`, `reshape xs [n, m]`
    fn shaped(&mut self, word: ShapeWord) -> Parse<ExprKind> {
        self.advance();
        let array = if word == ShapeWord::Reshape { Some(Box::new(self.operand()?)) } else { None };
        let shape = self.shape()?;
        let length = if word == ShapeWord::Regular { Some(self.axis()?) } else { None };
        Ok(ExprKind::Shaped { word, shape, array, length, site: self.site()? })
    }

    /// `same a b`
    fn same(&mut self) -> Parse<ExprKind> {
        self.advance();
        let (left, right) = (self.axis()?, self.axis()?);
        Ok(ExprKind::Same { left, right, site: self.site()? })
    }

    /// `run kernel<n>(xs)`
    fn run(&mut self) -> Parse<ExprKind> {
        self.advance();
        let kernel = self.name("a kernel")?;
        self.call(kernel, true)
    }

    /// `each n f<_>(xs[_], c)`
    fn each(&mut self) -> Parse<ExprKind> {
        self.advance();
        let extent = self.axis()?;
        let callee = self.name("a function")?;
        let shapes = self.shape_args()?;
        self.expect("(")?;
        let args = self.nested(|p| p.list(")", Parser::each_arg))?;
        Ok(ExprKind::Each { extent, callee, shapes, args })
    }

    fn each_arg(&mut self) -> Parse<EachExpr> {
        let hole = matches!(&self.ahead(2).kind, TokenKind::Name { name, tag: None, .. } if &**name == "_");
        if !(self.is_name() && self.mark_at(1, "[") && hole && self.mark_at(3, "]")) {
            return self.expr().map(EachExpr::Uniform);
        }
        let array = self.name("an array")?;
        for _ in 0..3 {
            self.advance();
        }
        Ok(EachExpr::Element(array))
    }

    fn order(&mut self) -> Parse<Order> {
        if self.eat_soft("ascending") {
            Ok(Order::Ascending)
        } else if self.eat_soft("descending") {
            Ok(Order::Descending)
        } else {
            self.expected("`ascending` or `descending`")
        }
    }

    /// `sort ascending keys, payload`
    fn sort(&mut self) -> Parse<ExprKind> {
        self.advance();
        let order = self.order()?;
        Ok(ExprKind::Sort { args: self.commas(Parser::operand)?, order })
    }

    /// `rank descending keys`
    fn rank(&mut self) -> Parse<ExprKind> {
        self.advance();
        let order = self.order()?;
        Ok(ExprKind::Rank { keys: Box::new(self.operand()?), order })
    }

    /// `print "x = " x`
    fn print(&mut self, to_error: bool) -> Parse<ExprKind> {
        self.advance();
        let mut items = Vec::new();
        while !self.at_line_end() && !self.is(")") {
            let span = self.span();
            items.push(match self.kind() {
                TokenKind::Text(text) => {
                    self.advance();
                    Expr { kind: ExprKind::Text(text.clone()), span }
                }
                _ => self.operand()?,
            });
            self.eat(",");
        }
        Ok(ExprKind::Print { items, to_error })
    }

    /// `[[1, 2], [3, 4]]f64`, or `[…] of [0, 3]f64`
    pub fn array_literal(&mut self) -> Parse<ExprKind> {
        let start = self.span();
        let mut extents = Vec::new();
        let mut elements = Vec::new();
        self.rows(0, &mut extents, &mut elements)?;
        if !self.eat_soft("of") {
            if self.at_line_end() {
                return self.expected_on_line("the type of the elements, as in `[1, 2]f64`");
            }
            let elem = self.scalar_type()?;
            return Ok(ExprKind::Array(ArrayLiteral { elem, extents, elements }));
        }
        let ty = self.ty()?;
        let TypeKind::Array { elem, shape, view: false } = ty.kind else {
            return self.report(Diagnostic::new("L0005", "a literal has an array type", ty.span));
        };
        let extents: Option<Vec<u64>> = shape
            .iter()
            .map(|axis| match axis {
                AxisExpr::Const(extent) => Some(*extent),
                AxisExpr::Name(_) => None,
            })
            .collect();
        let Some(extents) = extents else {
            return self.report(Diagnostic::new("L0005", "a literal has constant extents", ty.span));
        };
        let count = extents.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent));
        if count != Some(elements.len() as u64) {
            let message = format!("{} elements do not fill this shape", elements.len());
            return self.report(Diagnostic::new("L0008", message, self.since(start)));
        }
        Ok(ExprKind::Array(ArrayLiteral { elem, extents, elements }))
    }

    /// One pair of brackets at a depth; the first row at each depth says how long rows are.
    fn rows(&mut self, depth: usize, extents: &mut Vec<u64>, elements: &mut Vec<Literal>) -> Parse<()> {
        let start = self.span();
        self.expect("[")?;
        let first = extents.len() == depth;
        if first {
            extents.push(0);
        }
        let mut count = 0u64;
        let nested = self.is("[");
        while !self.eat("]") {
            if nested {
                self.nested(|p| p.rows(depth + 1, extents, elements))?;
            } else {
                elements.push(self.literal()?);
            }
            count += 1;
            if !self.is("]") && !self.eat(",") {
                return self.expected("`,` or `]`");
            }
        }
        let inner = extents.len() > depth + 1;
        if first {
            extents[depth] = count;
        } else if extents[depth] != count || (inner && !nested && count > 0) {
            let span = self.since(start);
            return self.report(Diagnostic::new("L0008", "rows of a literal array differ in length", span));
        }
        Ok(())
    }
}
