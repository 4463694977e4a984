//! Parses expressions.

use super::cursor::Parser;
use super::{MAX_DEPTH, Parse};
use crate::op::Op;
use crate::text::ast::{Block, CarriedExpr, Expr, ExprKind, Ident, IndexExpr, Literal, SiteMark};
use crate::text::token::{Number, NumberKind, TokenKind};
use crate::text::words::Word;
use crate::thunk::Rule;

impl Parser<'_> {
    /// The right side of a statement: an operation with its operands, a construct, or an operand.
    pub fn expr(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Word(Word::Op(op)) => self.operation(*op)?,
            TokenKind::Word(Word::Key(key)) => match self.keyed(key)? {
                Some(kind) => kind,
                None => return self.expected("an expression"),
            },
            TokenKind::Text(text) => {
                self.advance();
                ExprKind::Text(text.clone())
            }
            TokenKind::Mark("[") => self.array_literal()?,
            _ => return self.operand(),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// `add x 1`
    fn operation(&mut self, op: Op) -> Parse<ExprKind> {
        self.advance();
        let args = self.operands(op.arity(), op.name())?;
        Ok(ExprKind::Op { op, args })
    }

    /// Parses `count` operands, on this line; `what` names the operation in messages.
    pub fn operands(&mut self, count: usize, what: &str) -> Parse<Vec<Expr>> {
        let mut args = Vec::with_capacity(count);
        for _ in 0..count {
            if self.at_line_end() || self.is(",") || self.is(")") || self.is("]") {
                let plural = if count == 1 { "" } else { "s" };
                return self
                    .expected_on_line(&format!("an operand (`{what}` takes {count} operand{plural})"));
            }
            args.push(self.operand()?);
        }
        Ok(args)
    }

    /// A construct that begins with a word of the grammar; `None` where the word begins no expression.
    fn keyed(&mut self, key: &'static str) -> Parse<Option<ExprKind>> {
        Ok(Some(match key {
            "threefry" => {
                self.advance();
                ExprKind::Threefry { args: self.operands(4, key)? }
            }
            "len" | "start" => self.segment(key == "start")?,
            "if" => self.branch()?,
            "for" => self.counted_loop()?,
            "while" => self.while_loop()?,
            "check" => self.check()?,
            _ => return self.host_construct(key),
        }))
    }

    /// `len s[i]`
    fn segment(&mut self, start: bool) -> Parse<ExprKind> {
        self.advance();
        let seg = self.name("a segmentation")?;
        self.expect("[")?;
        let at = self.nested(|p| p.list("]", Parser::index_expr))?;
        Ok(ExprKind::Segment { start, seg, at })
    }

    /// `if c { … } else { … }`; without `else` where nothing is bound.
    fn branch(&mut self) -> Parse<ExprKind> {
        self.advance();
        let cond = Box::new(self.expr()?);
        let then = self.block()?;
        // A call as the last line may give nothing.
        let gives = !matches!(then.results.as_slice(), [] | [Expr { kind: ExprKind::Call { .. }, .. }]);
        let otherwise = if !gives && !self.is_key("else") {
            Block::default()
        } else {
            self.expect_key("else")?;
            self.block()?
        };
        Ok(ExprKind::If { cond, then, otherwise })
    }

    /// `for k in 0..n with (a = 0.0f32) { … }`
    fn counted_loop(&mut self) -> Parse<ExprKind> {
        self.advance();
        let var = self.name_or_hole("a counter")?;
        self.expect_key("in")?;
        let from = Box::new(self.operand()?);
        self.expect("..")?;
        let to = Box::new(self.operand()?);
        let carried = if self.eat_key("with") { self.carried()? } else { Vec::new() };
        let body = self.block()?;
        Ok(ExprKind::For { var, from, to, carried, body })
    }

    /// `while (a = x) { … } do { … }`
    fn while_loop(&mut self) -> Parse<ExprKind> {
        self.advance();
        let carried = self.carried()?;
        let cond = self.block()?;
        self.expect_key("do")?;
        let body = self.block()?;
        Ok(ExprKind::While { carried, cond, body })
    }

    fn carried(&mut self) -> Parse<Vec<CarriedExpr>> {
        self.expect("(")?;
        self.nested(|p| {
            p.list(")", |p| {
                let name = p.name_or_hole("a carried value")?;
                p.expect("=")?;
                Ok(CarriedExpr { name, init: p.expr()? })
            })
        })
    }

    /// `check c "E12"`
    fn check(&mut self) -> Parse<ExprKind> {
        self.advance();
        let cond = Box::new(self.operand()?);
        let TokenKind::Text(code) = self.kind() else { return self.expected("a text") };
        self.advance();
        Ok(ExprKind::Check { cond, code: code.clone(), site: self.site()? })
    }

    /// A name, literal, read, call, or an expression in parentheses.
    pub fn operand(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Mark("(") => {
                self.advance();
                let inner = self.nested(Parser::expr)?;
                self.expect(")")?;
                return Ok(Expr { kind: inner.kind, span: self.since(start) });
            }
            TokenKind::Literal(_) | TokenKind::Mark("-") => ExprKind::Literal(self.literal()?),
            TokenKind::Name { .. } => self.named()?,
            TokenKind::Word(Word::Op(op)) => {
                let text = format!("an operand; `{op}` with its operands goes into parentheses here");
                return self.expected(&text);
            }
            _ => return self.expected_on_line("an operand"),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// `x`, `xs[i]`, `f(x)` or `f<n>(x)`. Brackets and parentheses belong to a name only if they touch it.
    fn named(&mut self) -> Parse<ExprKind> {
        let name = self.name("an operand")?;
        if !self.touches(0) {
            return Ok(ExprKind::Name(name));
        }
        if self.is("[") {
            return self.read(name);
        }
        if self.is("(") || self.is("<") {
            return self.call(name, false);
        }
        Ok(ExprKind::Name(name))
    }

    /// The arguments of a call, whose name was read.
    pub fn call(&mut self, callee: Ident, run: bool) -> Parse<ExprKind> {
        let shapes = self.shape_args()?;
        self.expect("(")?;
        let args = self.nested(|p| p.list(")", Parser::expr))?;
        Ok(ExprKind::Call { run, callee, shapes, args })
    }

    /// `[i + 1 clamp, j] else 0.0`, after the name of the array.
    fn read(&mut self, array: Ident) -> Parse<ExprKind> {
        self.advance();
        let index = self.nested(|p| p.list("]", Parser::index))?;
        let mut site = self.site()?;
        let mut default = None;
        if self.eat_key("else") {
            default = Some(Box::new(self.nested(Parser::operand)?));
            if site.number.is_none() {
                let late: SiteMark = self.site()?;
                site = if late.number.is_some() { late } else { site };
            }
        }
        Ok(ExprKind::Read { array, index, default, site })
    }

    /// `i + 1 clamp`
    pub fn index(&mut self) -> Parse<IndexExpr> {
        let at = self.index_expr()?;
        let rules =
            [("fault", Rule::Fault), ("clamp", Rule::Clamp), ("wrap", Rule::Wrap), ("proved", Rule::Proved)];
        let rule = rules.into_iter().find(|(word, _)| self.eat_soft(word)).map(|(_, rule)| rule);
        Ok(IndexExpr { at, rule })
    }

    /// An expression in which `+`, `-` and `*` stand for `add`, `sub` and `mul`.
    pub fn index_expr(&mut self) -> Parse<Expr> {
        self.chain(&[("+", Op::Add), ("-", Op::Sub)], |p| p.chain(&[("*", Op::Mul)], Parser::index_factor))
    }

    fn chain(&mut self, ops: &[(&str, Op)], mut item: impl FnMut(&mut Self) -> Parse<Expr>) -> Parse<Expr> {
        let mut left = item(self)?;
        for _ in 0..MAX_DEPTH {
            let Some((_, op)) = ops.iter().find(|(mark, _)| self.eat(mark)) else { return Ok(left) };
            let right = item(self)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Op { op: *op, args: vec![left, right] }, span };
        }
        self.too_deep()
    }

    fn index_factor(&mut self) -> Parse<Expr> {
        if matches!(self.kind(), TokenKind::Word(_)) {
            return self.expr();
        }
        if !self.is("(") {
            return self.operand();
        }
        let start = self.advance().span;
        let inner = self.nested(Parser::index_expr)?;
        self.expect(")")?;
        Ok(Expr { kind: inner.kind, span: self.since(start) })
    }

    /// `-1.5f32`
    pub fn literal(&mut self) -> Parse<Literal> {
        let start = self.span();
        let negative = self.eat("-");
        let TokenKind::Literal(number) = self.kind() else {
            return self.expected(if negative { "a number right after `-`" } else { "a literal" });
        };
        let signed = !matches!(number, Number { kind: NumberKind::Bool(_) | NumberKind::Bits(_), .. });
        if negative && !(signed && self.touches(0)) {
            return self.expected("a number right after `-`");
        }
        self.advance();
        Ok(Literal { number: number.clone(), negative, span: self.since(start) })
    }

    /// `0`, or `(0, 1.0)`
    pub fn literals(&mut self) -> Parse<Vec<Literal>> {
        if self.eat("(") {
            return self.list(")", Parser::literal);
        }
        Ok(vec![self.literal()?])
    }
}
