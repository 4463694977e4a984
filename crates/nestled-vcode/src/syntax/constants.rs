//! Parser of constants: one element, a vector, or a text.

use super::ast::Constant;
use super::codes;
use super::instr::{Elem, Medium};
use super::lexer::{Kind, Token};
use super::parser::{Parser, medium};
use nestled_ir::Diagnostic;

impl Parser<'_> {
    /// Parses the constant after `CONST`.
    pub(super) fn constant(&mut self) -> Option<Constant> {
        let token = self.next();
        let ty = match token.kind {
            Kind::Word(word) => medium(word),
            _ => None,
        };
        let Some(ty) = ty else {
            self.at -= 1;
            self.expected("the type of the constant", token);
            return None;
        };
        let mut constant = match ty {
            Medium::Vector(Elem::Int) => Constant::Ints(Vec::new()),
            Medium::Vector(Elem::Bool) => Constant::Bools(Vec::new()),
            Medium::Vector(Elem::Float) => Constant::Floats(Vec::new()),
            Medium::Segdes => Constant::Segdes(Vec::new()),
            Medium::Char => {
                let token = self.peek();
                let Kind::Text(text) = token.kind else {
                    self.expected("a text", token);
                    return None;
                };
                self.at += 1;
                return Some(Constant::Ints(text.bytes().map(i64::from).collect()));
            }
        };
        let token = self.next();
        if token.kind != Kind::Open {
            return match token.kind {
                Kind::Integer(_) | Kind::Real(_) | Kind::Word(_) => {
                    self.element(&mut constant, token, true).then_some(constant)
                }
                _ => {
                    self.at -= 1;
                    self.expected("the value of the constant", token);
                    None
                }
            };
        }
        let mut well = true;
        loop {
            let token = self.next();
            match token.kind {
                Kind::Close => return well.then_some(constant),
                Kind::Integer(_) | Kind::Real(_) | Kind::Word("T" | "F") => {
                    // One message for a vector is enough.
                    well = well && self.element(&mut constant, token, false);
                }
                _ => {
                    self.at -= 1;
                    self.expected("an element or `)`", token);
                    return None;
                }
            }
        }
    }

    /// Adds an element to a constant; returns whether its type fits.
    fn element(&mut self, constant: &mut Constant, token: Token<'_>, alone: bool) -> bool {
        match (&mut *constant, token.kind) {
            (Constant::Ints(all), Kind::Integer(number)) => all.push(number),
            (Constant::Floats(all), Kind::Real(number)) => all.push(number),
            (Constant::Bools(all), Kind::Word("T")) => all.push(true),
            (Constant::Bools(all), Kind::Word("F")) => all.push(false),
            (Constant::Segdes(all), Kind::Integer(number)) if number >= 0 => all.push(number),
            (Constant::Ints(all), Kind::Word("STDIN")) if alone => all.push(0),
            (Constant::Ints(all), Kind::Word("STDOUT")) if alone => all.push(1),
            (Constant::Ints(all), Kind::Word("STDERR")) if alone => all.push(2),
            (Constant::Ints(all), Kind::Word("NULL_STREAM")) if alone => all.push(-1),
            _ => {
                let (wanted, help) = match constant {
                    Constant::Ints(_) => ("`INT`", None),
                    Constant::Floats(_) => ("`FLOAT`", Some("a float has a digit and a dot: `2.0`, `1.0e5`")),
                    Constant::Bools(_) => ("`BOOL`, `T` or `F`", None),
                    Constant::Segdes(_) => ("a length, which is an integer and not negative", None),
                };
                let diagnostic = Diagnostic::new(codes::ELEMENT, format!("this is not {wanted}"), token.span);
                self.wrong.push(match help {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                });
                return false;
            }
        }
        true
    }
}
