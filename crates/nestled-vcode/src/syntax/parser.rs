//! Parser: tokens to functions. It reports all errors in one run.
//!
//! It accepts what the original accepts and real files need: layout has no meaning, `ELSE` may be missing, signatures are read and ignored, the last definition
//! of a function counts for every call, and `CONST SEGDES (…)` has its obvious meaning. An unknown word, which the original drops with a warning, is an error
//! here.

use super::ast::{Function, Program, Stmt, StmtKind};
use super::codes;
use super::instr::{Elem, Medium};
use super::lexer::{Kind, Token, lex};
use super::words::{Suffix, Word, is_reserved};
use nestled_ir::{Diagnostic, Span};
use std::collections::HashMap;

/// Largest nesting depth of conditionals, as in the original.
pub const MAX_NESTING: usize = 50;

/// Number of errors after which the parser stops.
const MAX_MESSAGES: usize = 50;

/// Largest number of slots in a stack move.
const MAX_SLOTS: i64 = 1 << 20;

/// Parses a program. Spans point into source 0.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let (tokens, wrong) = lex(text);
    let mut parser = Parser { tokens: &tokens, at: 0, wrong, names: HashMap::new(), calls: Vec::new() };
    let functions = parser.functions();
    let program = parser.link(functions);
    let Parser { mut wrong, .. } = parser;
    if let (Some(program), true) = (program, wrong.is_empty()) {
        return Ok(program);
    }
    wrong.sort_by_key(|diagnostic| diagnostic.labels.first().map_or(0, |label| label.span.start));
    wrong.truncate(MAX_MESSAGES);
    Err(wrong)
}

pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    pub(super) wrong: Vec<Diagnostic>,
    /// A number for each name that is called.
    names: HashMap<&'a str, usize>,
    /// The names that are called, each with the place of its first call.
    pub(super) calls: Vec<(&'a str, Span)>,
}

/// A conditional that is still open.
struct OpenIf {
    span: Span,
    /// The statements before it.
    before: Vec<Stmt>,
    /// The first branch, once `ELSE` has come.
    then: Option<Vec<Stmt>>,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().kind == Kind::Word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expected(&mut self, what: &str, token: Token<'_>) {
        let found = match token.kind {
            Kind::Integer(_) => "an integer".to_owned(),
            Kind::Real(_) => "a float".to_owned(),
            Kind::Word(word) => format!("`{word}`"),
            Kind::Text(_) => "a text".to_owned(),
            Kind::Open => "`(`".to_owned(),
            Kind::Close => "`)`".to_owned(),
            Kind::End => "the end of the file".to_owned(),
        };
        let message = format!("{what} is expected here, not {found}");
        self.wrong.push(Diagnostic::new(codes::EXPECTED, message, token.span));
    }

    fn functions(&mut self) -> Vec<Function> {
        let mut functions = Vec::new();
        while self.peek().kind != Kind::End && self.wrong.len() < MAX_MESSAGES {
            if self.take_word("FUNC") {
                functions.extend(self.function());
            } else {
                let token = self.next();
                self.expected("`FUNC`", token);
                while !matches!(self.peek().kind, Kind::Word("FUNC") | Kind::End) {
                    self.at += 1;
                }
            }
        }
        functions
    }

    /// Parses the function after `FUNC`.
    fn function(&mut self) -> Option<Function> {
        let token = self.peek();
        let Some(name) = function_name(token) else {
            self.expected("the name of a function", token);
            return None;
        };
        self.at += 1;
        if self.take_word("I") {
            self.types();
            if !self.take_word("O") {
                let token = self.peek();
                self.expected("`O` and the types of the results", token);
            }
            self.types();
        }
        let body = self.body(token.span);
        Some(Function { name: name.into(), span: token.span, body })
    }

    fn types(&mut self) {
        while matches!(self.peek().kind, Kind::Word(word) if medium(word).is_some()) {
            self.at += 1;
        }
    }

    /// Parses statements up to `RET`.
    fn body(&mut self, name: Span) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let mut open: Vec<OpenIf> = Vec::new();
        let mut too_deep = false;
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Word("RET") => {
                    self.at += 1;
                    break;
                }
                Kind::End | Kind::Word("FUNC") => {
                    let message = "this function has no `RET`";
                    self.wrong.push(Diagnostic::new(codes::EXPECTED, message, name));
                    break;
                }
                _ if self.wrong.len() >= MAX_MESSAGES => {
                    self.at = self.tokens.len();
                    break;
                }
                Kind::Word("IF") => {
                    self.at += 1;
                    if open.len() == MAX_NESTING && !too_deep {
                        too_deep = true;
                        let message = format!("more than {MAX_NESTING} conditionals inside one another");
                        self.wrong.push(Diagnostic::new(codes::DEEP, message, token.span));
                    }
                    open.push(OpenIf { span: token.span, before: std::mem::take(&mut stmts), then: None });
                }
                Kind::Word("ELSE") => {
                    self.at += 1;
                    match open.last_mut() {
                        Some(open) if open.then.is_none() => open.then = Some(std::mem::take(&mut stmts)),
                        Some(open) => self.wrong.push(
                            Diagnostic::new(codes::BRANCHES, "a second `ELSE`", token.span)
                                .label(open.span, "this `IF` has one already"),
                        ),
                        None => {
                            self.wrong.push(Diagnostic::new(
                                codes::BRANCHES,
                                "`ELSE` without `IF`",
                                token.span,
                            ));
                        }
                    }
                }
                Kind::Word("ENDIF") => {
                    self.at += 1;
                    if let Some(OpenIf { span, before, then }) = open.pop() {
                        let last = std::mem::replace(&mut stmts, before);
                        let (then, otherwise) = match then {
                            Some(then) => (then, last),
                            None => (last, Vec::new()),
                        };
                        // Nothing is kept of what is too deep, so that nothing that walks it goes too deep.
                        if !too_deep {
                            stmts.push(Stmt { kind: StmtKind::If { then, otherwise }, span });
                        }
                    } else {
                        self.wrong.push(Diagnostic::new(codes::BRANCHES, "`ENDIF` without `IF`", token.span));
                    }
                }
                _ => {
                    if let Some(kind) = self.statement() {
                        let span = token.span.to(self.tokens[self.at.min(self.tokens.len()) - 1].span);
                        stmts.push(Stmt { kind, span });
                    }
                }
            }
        }
        if let Some(open) = open.last() {
            self.wrong.push(Diagnostic::new(codes::BRANCHES, "this `IF` has no `ENDIF`", open.span));
        }
        stmts
    }

    /// Parses one statement that is no conditional. At an error at least one token is skipped.
    fn statement(&mut self) -> Option<StmtKind> {
        let token = self.next();
        let Kind::Word(word) = token.kind else {
            self.expected("an instruction", token);
            return None;
        };
        match word {
            "COPY" => self.counts().map(|(count, depth)| StmtKind::Copy { count, depth }),
            "POP" => self.counts().map(|(count, depth)| StmtKind::Pop { count, depth }),
            "CPOP" => self.counts().map(|(count, depth)| StmtKind::Cpop { count, depth }),
            "CONST" => self.constant().map(StmtKind::Const),
            "EXIT" => Some(StmtKind::Exit),
            "CALL" => {
                let token = self.peek();
                let Some(name) = function_name(token) else {
                    self.expected("the name of a function", token);
                    return None;
                };
                self.at += 1;
                let (calls, fresh) = (&mut self.calls, (name, token.span));
                let number = *self.names.entry(name).or_insert_with(|| {
                    calls.push(fresh);
                    calls.len() - 1
                });
                Some(StmtKind::Call(number))
            }
            "FUSED" => match self.peek().kind {
                Kind::Integer(number) if (0..=MAX_SLOTS).contains(&number) => {
                    self.at += 1;
                    Some(StmtKind::Fused(number as usize))
                }
                _ => {
                    let token = self.peek();
                    self.expected("the number of a superoperator", token);
                    None
                }
            },
            _ => match Word::find(word) {
                Some(found) => self.instr(found, word),
                None => {
                    let message = format!("`{word}` is no instruction");
                    let diagnostic = Diagnostic::new(codes::EXPECTED, message, token.span);
                    self.wrong.push(match word.to_ascii_uppercase() {
                        upper if upper != word && Word::find(&upper).is_some() => {
                            diagnostic.help(format!("instructions are upper case: `{upper}`"))
                        }
                        _ => diagnostic,
                    });
                    // What belongs to a word that nobody knows says nothing more.
                    while matches!(self.peek().kind, Kind::Integer(_) | Kind::Real(_) | Kind::Text(_))
                        || matches!(self.peek().kind, Kind::Word(word) if medium(word).is_some())
                    {
                        self.at += 1;
                    }
                    None
                }
            },
        }
    }

    /// Parses the type of an instruction.
    fn instr(&mut self, found: Word, word: &str) -> Option<StmtKind> {
        let none = Medium::Vector(Elem::Int);
        if found.suffix == Suffix::None {
            return Some(StmtKind::Do(found.instr(none)));
        }
        let token = self.peek();
        let given = match token.kind {
            Kind::Word(word) => medium(word),
            _ => None,
        };
        let Some(given) = given else {
            self.expected(&format!("the type of `{word}`"), token);
            return None;
        };
        self.at += 1;
        let letter = match given {
            Medium::Vector(Elem::Int) => "I",
            Medium::Vector(Elem::Bool) => "B",
            Medium::Vector(Elem::Float) => "F",
            Medium::Segdes | Medium::Char => "S",
        };
        let letters = match found.suffix {
            Suffix::Elem(letters) => letters,
            Suffix::Medium => "IBFS",
            Suffix::Int | Suffix::None => "I",
        };
        if letters.contains(letter) {
            return Some(StmtKind::Do(found.instr(given)));
        }
        let message = format!("there is no `{word} {}`", given.word());
        let words = Elem::ALL.into_iter().filter(|elem| letters.contains(&elem.word()[..1]));
        let words: Vec<String> = words.map(|elem| format!("`{word} {}`", elem.word())).collect();
        let help = format!("there is {}", words.join(" and "));
        self.wrong.push(Diagnostic::new(codes::SUFFIX, message, token.span).help(help));
        None
    }

    /// Parses the two counts of a stack move.
    fn counts(&mut self) -> Option<(usize, usize)> {
        let mut counts = [0; 2];
        for count in &mut counts {
            let token = self.peek();
            let Kind::Integer(number) = token.kind else {
                self.expected("a number of slots", token);
                return None;
            };
            self.at += 1;
            if !(0..=MAX_SLOTS).contains(&number) {
                let message = format!("{number} is not a number of slots");
                self.wrong.push(Diagnostic::new(codes::EXPECTED, message, token.span));
                return None;
            }
            *count = number as usize;
        }
        Some((counts[0], counts[1]))
    }
}

/// Returns the word as the name of a function, if it can be one.
fn function_name<'a>(token: Token<'a>) -> Option<&'a str> {
    match token.kind {
        Kind::Word("MAIN") => Some("MAIN"),
        Kind::Word(word) if !is_reserved(word) => Some(word),
        _ => None,
    }
}

/// Returns the type that a word names.
pub(super) fn medium(word: &str) -> Option<Medium> {
    Some(match word {
        "INT" => Medium::Vector(Elem::Int),
        "BOOL" => Medium::Vector(Elem::Bool),
        "FLOAT" => Medium::Vector(Elem::Float),
        "SEGDES" => Medium::Segdes,
        "CHAR" => Medium::Char,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(text: &str) -> Vec<&'static str> {
        parse(text).err().unwrap_or_default().iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn what_the_original_takes() {
        let program = parse(
            "FUNC F_1 I INT CHAR O SEGDES RET {one} FUNC MAIN CONST BOOL T IF CALL F_1 ENDIF RET FUNC F_1 EXIT RET",
        )
        .unwrap();
        assert_eq!(program.functions.len(), 2);
        assert_eq!(&*program.functions[program.entry].name, "MAIN");
        assert!(matches!(program.functions[1].body[0].kind, StmtKind::Exit));
        let program = parse("FUNC A CONST SEGDES (1 2) CONST INT STDERR IF ELSE ENDIF RET").unwrap();
        assert_eq!(program.functions[0].body.len(), 3);
    }

    #[test]
    fn several_errors_in_one_run() {
        let text =
            "FUNC MAIN\nFOO INT\n+ BOOL\nCONST FLOAT (1)\nCOPY 1\nCALL X\nENDIF\nIF\nRET\nFUNC MAIN RET";
        let expected = ["V0003", "V0004", "V0005", "V0003", "V0010", "V0006", "V0006", "V0008"];
        assert_eq!(codes_of(text), expected);
    }

    #[test]
    fn nothing_and_far_too_much() {
        assert_eq!(codes_of(""), ["V0009"]);
        assert_eq!(codes_of("FUNC INT RET"), ["V0003", "V0003"]);
        let deep = format!("FUNC A {} {} RET", "IF ".repeat(100_000), "ENDIF ".repeat(100_000));
        assert_eq!(codes_of(&deep), ["V0007"]);
        assert!(parse(&"( ".repeat(100_000)).is_err());
        assert!(parse(&format!("FUNC A {}", "? RET ) x ".repeat(10_000))).is_err());
    }
}
