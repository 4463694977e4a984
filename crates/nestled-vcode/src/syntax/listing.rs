//! The listing of superoperators: definitions of the fused elementwise operations `FUSED n`.
//!
//! ```text
//! fused OP0#2 ($0 : FLOAT, $1 : SEGDES, $2 : INT) =
//!   (* FLOAT @ (- FLOAT @ $0 (DIST FLOAT @ (CONST FLOAT 0.25) $1)) (I_TO_F @ $2))
//! ```
//!
//! A `.cu` file holds the listing in its last comment; a file with only a listing is accepted too.

use super::ast::Constant;
use super::codes;
use super::instr::{Elem, Instr, Medium, Point};
use super::words::Word;
use nestled_ir::{Diagnostic, Span};

/// A parameter of a superoperator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// A vector.
    Vector(Elem),
    /// A descriptor, which gives the length of a vector of constants.
    Segdes,
}

/// A value computed at every position. Operands are earlier nodes.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// An element of a parameter.
    Param(usize),
    /// A constant: distributed over a descriptor or, in older listings, alone.
    Const(Constant),
    /// An elementwise instruction.
    Point(Point, Elem, Vec<usize>),
}

/// One superoperator.
#[derive(Clone, PartialEq, Debug)]
pub struct Superoperator {
    /// The parameters, deepest slot first.
    pub params: Vec<Param>,
    /// The nodes, operands first; the last one is the result.
    pub nodes: Vec<Node>,
    /// The type of each node.
    pub types: Vec<Elem>,
    /// Its text, on one line.
    pub text: String,
}

/// The superoperators of a program, by number.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listing {
    ops: Vec<Option<Superoperator>>,
}

/// Largest number of superoperators. Numbers count up from 0, so a listing has about as many lines.
const MAX_OPS: usize = 1 << 20;

impl Listing {
    /// Returns the superoperator with a number.
    pub fn get(&self, number: usize) -> Option<&Superoperator> {
        self.ops.get(number)?.as_ref()
    }

    /// Parses a listing, or a `.cu` file that ends with one. Spans point into source `source`.
    pub fn parse(text: &str, source: u32) -> Result<Listing, Vec<Diagnostic>> {
        let (start, end) = match (text.rfind("/*"), text.rfind("*/")) {
            (Some(start), Some(end)) if start + 2 <= end => (start + 2, end),
            _ => (0, text.len()),
        };
        let mut reader = Reader { text, at: start, end, source };
        let mut listing = Listing::default();
        let mut wrong = Vec::new();
        while reader.peek().is_some() && wrong.len() < 50 {
            match reader.definition() {
                Ok((number, op)) => {
                    if listing.ops.len() <= number {
                        listing.ops.resize(number + 1, None);
                    }
                    listing.ops[number] = Some(op);
                }
                Err(diagnostic) => {
                    wrong.push(*diagnostic);
                    reader.skip_to_next();
                }
            }
        }
        if wrong.is_empty() { Ok(listing) } else { Err(wrong) }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    source: u32,
}

type Read<T> = Result<T, Box<Diagnostic>>;

/// An expression that is still open.
struct Open {
    head: Head,
    args: Vec<usize>,
    at: usize,
}

enum Head {
    Point(Point, Elem),
    Dist(Elem),
    Const(Constant),
}

impl<'a> Reader<'a> {
    /// Returns the next word, number or mark without consuming it.
    fn peek(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        let rest = &self.text[self.at..self.end];
        let first = rest.chars().next()?;
        let is_mark = |c: char| "(),:@#".contains(c) || c.is_whitespace();
        let length = match first {
            '(' | ')' | ',' | ':' | '@' | '#' => 1,
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            _ => rest.find(is_mark).unwrap_or(rest.len()),
        };
        Some(&rest[..length])
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.at += word.len();
        Some(word)
    }

    fn wrong<T>(&self, message: impl Into<String>, from: usize) -> Read<T> {
        let span = Span::new(self.source, from, self.at.max(from));
        Err(Box::new(Diagnostic::new(codes::LISTING, message, span)))
    }

    fn expect(&mut self, wanted: &str) -> Read<()> {
        match self.peek() {
            Some(word) if word == wanted => {
                self.at += word.len();
                Ok(())
            }
            _ => self.wrong(format!("`{wanted}` is expected here"), self.at),
        }
    }

    fn number(&mut self, what: &str) -> Read<usize> {
        let from = self.at;
        match self.next().and_then(|word| word.parse().ok()).filter(|&number| number < MAX_OPS) {
            Some(number) => Ok(number),
            None => self.wrong(format!("{what} is expected here"), from),
        }
    }

    /// Recovers from an error: skips to the next definition.
    fn skip_to_next(&mut self) {
        while let Some(word) = self.peek() {
            if word == "fused" {
                return;
            }
            self.at += word.len();
        }
    }

    fn definition(&mut self) -> Read<(usize, Superoperator)> {
        self.expect("fused")?;
        let start = self.at;
        let from = self.at;
        let number = self.next().and_then(|word| word.strip_prefix("OP")).and_then(|word| word.parse().ok());
        let Some(number) = number.filter(|&number: &usize| number < MAX_OPS) else {
            return self.wrong("`OP` and a number are expected here", from);
        };
        self.expect("#")?;
        self.number("how often it is used")?;
        self.expect("(")?;
        let mut params = Vec::new();
        while self.peek() != Some(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            let from = self.at;
            let position: Option<usize> =
                self.next().and_then(|word| word.strip_prefix('$')).and_then(|word| word.parse().ok());
            if position != Some(params.len()) {
                return self.wrong(format!("`${}` is expected here", params.len()), from);
            }
            self.expect(":")?;
            let from = self.at;
            params.push(match self.next() {
                Some("INT" | "CHAR") => Param::Vector(Elem::Int),
                Some("FLOAT") => Param::Vector(Elem::Float),
                // What the fuser does not know is declared so in the tables that it makes.
                Some("BOOL" | "ANY") => Param::Vector(Elem::Bool),
                Some("SEGDES") => Param::Segdes,
                _ => return self.wrong("the type of a parameter is expected here", from),
            });
        }
        self.expect(")")?;
        self.expect("=")?;
        let (nodes, types) = self.expression(&params)?;
        let text = self.text[start..self.at].split_whitespace().collect::<Vec<_>>().join(" ");
        if params.is_empty() {
            return self.wrong("a superoperator without parameters has no length", start);
        }
        Ok((number, Superoperator { params, nodes, types, text }))
    }

    /// Parses an expression to nodes in order of computation. The parser is not recursive: listings may be very deep.
    fn expression(&mut self, params: &[Param]) -> Read<(Vec<Node>, Vec<Elem>)> {
        let (mut nodes, mut types) = (Vec::new(), Vec::new());
        let mut open: Vec<Open> = Vec::new();
        loop {
            let from = self.at;
            let Some(word) = self.next() else {
                return self.wrong("the expression does not end", from);
            };
            let done = if word == "(" {
                let head = self.head()?;
                open.push(Open { head, args: Vec::new(), at: from });
                if self.peek() == Some("@") {
                    self.at += 1;
                }
                None
            } else if word == ")" {
                let Some(closed) = open.pop() else {
                    return self.wrong("an expression is expected here", from);
                };
                Some(self.close(closed, params, &mut nodes, &mut types)?)
            } else {
                let position: Option<usize> = word.strip_prefix('$').and_then(|word| word.parse().ok());
                let Some(&param) = position.and_then(|position| params.get(position)) else {
                    return self.wrong("an expression is expected here", from);
                };
                types.push(match param {
                    Param::Vector(elem) => elem,
                    Param::Segdes => Elem::Int,
                });
                nodes.push(Node::Param(position.unwrap_or(0)));
                Some(nodes.len() - 1)
            };
            match (done, open.last_mut()) {
                (Some(node), Some(open)) => open.args.push(node),
                (Some(node), None) if matches!(&nodes[node], Node::Param(at) if params[*at] == Param::Segdes) =>
                {
                    return self.wrong("a descriptor is not the value of an element", from);
                }
                (Some(node), None) => {
                    debug_assert_eq!(node + 1, nodes.len());
                    return Ok((nodes, types));
                }
                (None, _) => {}
            }
        }
    }

    /// Parses the operator after a parenthesis.
    fn head(&mut self) -> Read<Head> {
        let from = self.at;
        let Some(word) = self.next() else { return self.wrong("an operator is expected here", from) };
        if word == "CONST" {
            let ty = self.next();
            let from = self.at;
            let literal = self.next().unwrap_or("");
            let constant = match ty {
                Some("INT") => match literal {
                    "STDIN" => Some(Constant::Ints(vec![0])),
                    "STDOUT" => Some(Constant::Ints(vec![1])),
                    "STDERR" => Some(Constant::Ints(vec![2])),
                    "NULL_STREAM" => Some(Constant::Ints(vec![-1])),
                    _ => literal.parse::<i128>().ok().map(|value| Constant::Ints(vec![value as i64])),
                },
                Some("FLOAT") => literal.parse().ok().map(|value| Constant::Floats(vec![value])),
                Some("BOOL") => match literal {
                    "T" => Some(Constant::Bools(vec![true])),
                    "F" => Some(Constant::Bools(vec![false])),
                    _ => None,
                },
                _ => None,
            };
            return match constant {
                Some(constant) => Ok(Head::Const(constant)),
                None => self.wrong("a constant of this type is expected here", from),
            };
        }
        let suffix = match self.peek() {
            Some("INT") => Some(Elem::Int),
            Some("BOOL") => Some(Elem::Bool),
            Some("FLOAT") => Some(Elem::Float),
            _ => None,
        };
        if let Some(suffix) = suffix {
            self.at += suffix.word().len();
        }
        let elem = suffix.unwrap_or(Elem::Int);
        match Word::find(word).map(|found| found.instr(Medium::Vector(elem))) {
            Some(Instr::Point(point, elem)) => {
                let letters = point.suffixes();
                let fits = match suffix {
                    Some(suffix) => letters.contains(&suffix.word()[..1]),
                    None => letters.is_empty(),
                };
                if fits || (letters.is_empty() && suffix.is_some()) {
                    Ok(Head::Point(point, elem))
                } else {
                    self.wrong(format!("`{word}` has another type"), from)
                }
            }
            Some(Instr::Dist(elem)) if suffix.is_some() => Ok(Head::Dist(elem)),
            _ => self.wrong(format!("`{word}` cannot be part of a superoperator"), from),
        }
    }

    /// Adds the node of an expression whose operands are complete.
    fn close(
        &mut self,
        Open { head, args, at }: Open,
        params: &[Param],
        nodes: &mut Vec<Node>,
        types: &mut Vec<Elem>,
    ) -> Read<usize> {
        let is_segdes = |nodes: &[Node], node: usize| matches!(nodes[node], Node::Param(at) if params[at] == Param::Segdes);
        let (node, ty) = match head {
            Head::Const(constant) => {
                let ty = constant.elem().unwrap_or(Elem::Int);
                (Node::Const(constant), ty)
            }
            Head::Dist(elem) => match args[..] {
                [value, seg] if types[value] == elem && is_segdes(nodes, seg) => match &nodes[value] {
                    Node::Const(constant) => (Node::Const(constant.clone()), elem),
                    _ => return self.wrong("only a constant is distributed in a superoperator", at),
                },
                _ => return self.wrong("`DIST` takes a constant of its type and a descriptor", at),
            },
            Head::Point(point, elem) => {
                let (wanted, result) = point.signature(elem);
                let found: Vec<Elem> = args.iter().map(|&arg| types[arg]).collect();
                if wanted != found || args.iter().any(|&arg| is_segdes(nodes, arg)) {
                    return self.wrong(format!("the operands of `{}` have other types", point.word()), at);
                }
                (Node::Point(point, elem, args), result)
            }
        };
        nodes.push(node);
        types.push(ty);
        Ok(nodes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example() {
        let text = "int x; /* no */ /*\nfused OP0#2 ($0 : FLOAT, $1 : SEGDES, $2 : INT) =\n\
            (* FLOAT @ (- FLOAT @ $0 (DIST FLOAT @ (CONST FLOAT 0.25) $1)) (I_TO_F @ $2)) */";
        let listing = Listing::parse(text, 0).unwrap();
        let op = listing.get(0).unwrap();
        assert_eq!(op.params, [Param::Vector(Elem::Float), Param::Segdes, Param::Vector(Elem::Int)]);
        assert_eq!(op.types.last(), Some(&Elem::Float));
        assert_eq!(listing.get(1), None);
    }

    #[test]
    fn wrong_listings_say_so() {
        for text in [
            "fused OP0#1 () = (CONST INT 1)",
            "fused OP0#1 ($0 : INT) = (RAND @ $0)",
            "fused OP0#1 ($0 : INT) = (+ INT @ $0)",
            "fused OP0#1 ($0 : SEGDES) = $0",
            "fused OP0#1 ($0 : INT) = (+ INT @ $0 $1)",
            "fused OP0#1 ($0 : INT) = (+ INT @ $0",
            "OP0",
        ] {
            assert!(Listing::parse(text, 0).is_err(), "{text}");
        }
        let deep =
            format!("fused OP0#1 ($0 : INT) = {}$0{}", "(NOT INT @ ".repeat(100_000), ")".repeat(100_000));
        assert_eq!(Listing::parse(&deep, 0).unwrap().get(0).unwrap().nodes.len(), 100_001);
    }
}
