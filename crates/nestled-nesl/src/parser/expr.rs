//! Operator-precedence parser of expressions: operands and the operators between them.

use super::chain::Chain;
use super::{Open, Parser, Result, reserved};
use crate::ast::{Expr, ExprKind, Keyword, Name};
use crate::token::{APPLY, ARROW, COMMA, PREFIX, Text, TokenKind, infix, is_keyword, is_operator};
use nestled_ir::Diagnostic;

/// The arguments of a call, or the parameters of a function.
pub(super) struct Arguments {
    /// The positional arguments, as one right-nested pair.
    pub positional: Expr,
    /// The trailing named arguments.
    pub keywords: Vec<Keyword>,
}

impl Parser<'_> {
    /// Parses an expression whose operators bind tighter than `level`; 3 includes commas, 4 does not.
    pub(super) fn expr(&mut self, level: i8) -> Result<Expr> {
        self.deeper(|parser| {
            let mut left = parser.operand()?;
            let (mut chain, mut operators) = (Chain::default(), 0);
            while let Some(next) = parser.combine(&mut left, level)? {
                operators += 1;
                left = chain.take(next, operators);
            }
            chain.end(parser, left)
        })
    }

    /// Combines the left operand with what follows, if that binds tighter than `level`.
    fn combine(&mut self, left: &mut Expr, level: i8) -> Result<Option<Expr>> {
        if self.begins_operand() {
            return if level < APPLY { self.apply(left).map(Some) } else { Ok(None) };
        }
        let Some(symbol) = self.kind().text().map(str::to_owned) else { return Ok(None) };
        let Some(binding) = infix(&symbol).filter(|binding| binding.left > level) else { return Ok(None) };
        if symbol == ":=" {
            let diagnostic =
                Diagnostic::new("N0009", "`:=` stands where no parameter can be named", self.span())
                    .help("named parameters come last in the brackets of a call: `g(x, size := 3)`");
            return Err(self.stop(diagnostic));
        }
        let token = self.advance();
        let left = std::mem::replace(left, Expr::new(ExprKind::Bool(false), token.span));
        if binding == ARROW {
            let pattern = self.pattern_of(left)?;
            let body = self.expr(binding.right)?;
            let span = pattern.span.to(body.span);
            return self.build(ExprKind::Lambda(Box::new(pattern), Box::new(body)), span).map(Some);
        }
        if binding == COMMA {
            let mut parts = vec![left, self.expr(COMMA.left)?];
            while self.eat(",") {
                parts.push(self.expr(COMMA.left)?);
            }
            return self.tuple(parts).map(Some);
        }
        let right = self.expr(binding.right)?;
        let span = left.span.to(right.span);
        let op = Name { text: Text::from(symbol), span: token.span };
        self.build(ExprKind::Infix(op, Box::new(left), Box::new(right)), span).map(Some)
    }

    /// True if an operand begins here, which after an operand means application.
    fn begins_operand(&self) -> bool {
        match self.kind() {
            TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Char(_) | TokenKind::Str(_) => true,
            TokenKind::Word(word) if self.matched && &**word == "with" => false,
            TokenKind::Word(word) => !is_keyword(word) || matches!(&**word, "if" | "let"),
            TokenKind::Symbol(symbol) => matches!(*symbol, "(" | "[" | "{" | "#" | "@" | "'"),
            TokenKind::End => false,
        }
    }

    /// Parses an application: `left(…)`, `left[…]` or `left right`.
    fn apply(&mut self, left: &mut Expr) -> Result<Expr> {
        let span = self.span();
        let left = Box::new(std::mem::replace(left, Expr::new(ExprKind::Bool(false), span)));
        let start = left.span;
        let (kind, end) = if self.is("(") {
            let arguments = self.arguments()?;
            (ExprKind::Apply(left, Box::new(arguments.positional), arguments.keywords), self.last())
        } else if self.is("[") {
            self.open();
            let position = self.expr(3)?;
            self.close("]", "`]` after the position")?;
            (ExprKind::Index(left, Box::new(position)), self.last())
        } else {
            let right = self.expr(APPLY)?;
            let end = right.span;
            (ExprKind::Apply(left, Box::new(right), Vec::new()), end)
        };
        self.build(kind, start.to(end))
    }

    /// Parses `( … )`, where trailing parts may be `name := value`.
    pub(super) fn arguments(&mut self) -> Result<Arguments> {
        let start = self.span();
        self.open();
        if self.is(")") {
            let diagnostic = Diagnostic::new("N0005", "expected an expression, found `)`", self.span())
                .label(start, "nothing stands in these brackets")
                .help("every function takes exactly one argument; there is no empty tuple");
            return Err(self.stop(diagnostic));
        }
        let arguments = self.argument_list()?;
        self.close(")", "`,` or `)`")?;
        Ok(arguments)
    }

    /// Parses parts separated by commas, the positional ones first.
    pub(super) fn argument_list(&mut self) -> Result<Arguments> {
        let mut parts = vec![self.expr(4)?];
        let mut keywords = Vec::new();
        while self.eat(",") {
            if matches!(self.kind(), TokenKind::Word(_)) && self.ahead_is(":=") {
                let name = self.name("a name")?;
                self.at += 1;
                keywords.push(Keyword { name, value: self.expr(5)? });
            } else if keywords.is_empty() {
                parts.push(self.expr(4)?);
            } else {
                let diagnostic =
                    Diagnostic::new("N0009", "a positional part stands after a named one", self.span())
                        .help("named parameters come last");
                return Err(self.stop(diagnostic));
            }
        }
        let positional = self.tuple(parts)?;
        Ok(Arguments { positional, keywords })
    }

    fn operand(&mut self) -> Result<Expr> {
        let span = self.span();
        let kind = match self.kind().clone() {
            TokenKind::Int(value) => ExprKind::Int(value),
            TokenKind::Float(value) => ExprKind::Float(value),
            TokenKind::Char(code) => ExprKind::Char(code),
            TokenKind::Str(bytes) => ExprKind::Str(bytes),
            TokenKind::Word(word) => match &*word {
                "t" => ExprKind::Bool(true),
                "f" => ExprKind::Bool(false),
                "if" => return self.if_form(),
                "let" => return self.let_form(),
                "match" if self.begins_match() => return self.match_form(),
                "time" if self.ahead_is("(") => return self.time_form(),
                "time" | "pair" | "closure" => return Err(self.reserved_operand(&word)),
                word if is_keyword(word) => return Err(self.no_operand()),
                _ => ExprKind::Name(word),
            },
            TokenKind::Symbol("-" | "#" | "@") => return self.prefix(),
            TokenKind::Symbol("(") => return self.parenthesised(),
            TokenKind::Symbol("[") => return self.sequence(),
            TokenKind::Symbol("{") => return self.each(),
            TokenKind::Symbol("'") => return self.quoted(),
            TokenKind::Symbol(_) | TokenKind::End => return Err(self.no_operand()),
        };
        self.at += 1;
        self.build(kind, span)
    }

    fn no_operand(&mut self) -> super::Stop {
        let diagnostic = self.unexpected("an expression");
        self.stop(diagnostic)
    }

    fn reserved_operand(&mut self, word: &str) -> super::Stop {
        let diagnostic = match word {
            "time" => {
                reserved(word, self.span()).help("`time(e)` gives the value of `e` and the seconds it took")
            }
            "pair" => reserved(word, self.span()).help("a pair is written `(a, b)`"),
            _ => reserved(word, self.span()).help("a function value is written `x => g(v, x)`"),
        };
        self.stop(diagnostic)
    }

    fn prefix(&mut self) -> Result<Expr> {
        let token = self.advance();
        let text = Text::from(token.kind.text().expect("a symbol"));
        let operand = self.expr(PREFIX)?;
        let span = token.span.to(operand.span);
        self.build(ExprKind::Prefix(Name { text, span: token.span }, Box::new(operand)), span)
    }

    pub(super) fn parenthesised(&mut self) -> Result<Expr> {
        let start = self.span();
        let arguments = self.arguments()?;
        if let Some(keyword) = arguments.keywords.first() {
            let diagnostic =
                Diagnostic::new("N0009", "`:=` stands where no parameter can be named", keyword.name.span)
                    .help("named parameters come last in the brackets of a call: `g(x, size := 3)`");
            return Err(self.stop(diagnostic));
        }
        let mut expr = arguments.positional;
        expr.span = start.to(self.last());
        Ok(expr)
    }

    /// Parses `'token`: the token as a name.
    fn quoted(&mut self) -> Result<Expr> {
        let start = self.advance().span;
        let text = match self.kind() {
            TokenKind::Symbol(symbol) if is_operator(symbol) => Text::from(*symbol),
            TokenKind::Word(word) if is_operator(word) => word.clone(),
            TokenKind::Word(_) => {
                let name = self.name("a name or an operator after `'`")?;
                return self.build(ExprKind::Name(name.text), start.to(name.span));
            }
            _ => {
                let diagnostic = self.unexpected("a name or an operator after `'`");
                return Err(self.stop(diagnostic));
            }
        };
        self.at += 1;
        let span = start.to(self.last());
        self.build(ExprKind::Name(text), span)
    }

    /// Runs `read` inside a `let`; its `;` do not end a statement.
    pub(super) fn inside_let<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.open.push(Open::Let);
        let result = read(self)?;
        self.open.pop();
        Ok(result)
    }
}
