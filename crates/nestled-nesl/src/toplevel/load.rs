//! The command `load`: runs the statements of a file as if they had been typed.

use super::{Flow, TopLevel, hidden};
use crate::ast::{Pattern, PatternKind, Statement, StatementKind};
use crate::interp::World;
use crate::parser::parse;
use crate::token::{Token, TokenKind};

/// Largest number of files being loaded at once, which bounds files that load each other.
const MAX_LOADING: usize = 40;

/// The options of `load`.
struct Options {
    verbose: bool,
    print: bool,
}

impl TopLevel {
    /// Runs `load "file", print := t`.
    pub(super) fn load(&mut self, words: &[Token], world: &mut dyn World) -> Flow {
        let (named, options) = split_options(without_brackets(words));
        let options = match read_options(options) {
            Ok(options) => options,
            Err(message) => return self.complain(&message, world),
        };
        let name = match named {
            [] => self.last_file.clone(),
            _ => self.text_of(named, world),
        };
        match name {
            Some(name) => self.load_file(&name, !options.print, options.verbose, world),
            None if named.is_empty() => self.complain("no file has been loaded so far", world),
            None => Flow::On,
        }
    }

    /// Loads a file; first tries the name with `.nesl` at its end.
    pub fn load_file(&mut self, name: &str, quiet: bool, verbose: bool, world: &mut dyn World) -> Flow {
        if self.loading >= MAX_LOADING {
            return self.complain("files load one another without end", world);
        }
        let longer = format!("{name}.nesl");
        let found = match world.read_file(&longer) {
            Ok(bytes) => Ok((longer, bytes)),
            Err(_) => world.read_file(name).map(|bytes| (name.to_owned(), bytes)),
        };
        let (path, bytes) = match found {
            Ok(found) => found,
            Err(message) => return self.complain(&message, world),
        };
        self.last_file = Some(name.to_owned());
        if verbose && self.verbose && self.prompts {
            world.report(format!("loading {path}\n").as_bytes());
        }
        self.loading += 1;
        let flow = self.text(&path, &String::from_utf8_lossy(&bytes), quiet, world);
        self.loading -= 1;
        flow
    }

    /// Evaluates an expression among the words of a command to a string.
    pub(super) fn text_of(&mut self, words: &[Token], world: &mut dyn World) -> Option<String> {
        if let [Token { kind: TokenKind::Str(bytes), .. }] = words {
            return Some(String::from_utf8_lossy(bytes).into_owned());
        }
        let StatementKind::Expr(value) = self.statement_of(words, world)?.kind else {
            self.complain("the name of a file is wanted, as a string", world);
            return None;
        };
        let name = hidden("text");
        let pattern = Pattern { kind: PatternKind::Name(name.clone()), span: value.span };
        let span = value.span;
        let statement = Statement { kind: StatementKind::Assign { pattern, value }, span };
        let result = self.session.execute(&statement, world);
        if !self.say_errors(&statement, &result, world) {
            return None;
        }
        let text = self.session.value(&name).and_then(|(value, _)| value.to_text());
        if text.is_none() {
            self.complain("the name of a file is wanted, as a string", world);
        }
        text
    }

    /// Reads words of a command as a statement; reports errors.
    pub(super) fn statement_of(&self, words: &[Token], world: &mut dyn World) -> Option<Statement> {
        let (first, last) = (words.first()?.span, words.last()?.span);
        let source = self.session.sources.source(first)?;
        // Blanks keep the places as they are.
        let start = first.start as usize;
        let text = " ".repeat(start) + source.text.get(start..last.end as usize)?;
        let parsed = parse(&text, first.source, self.session.dialect());
        if !parsed.diagnostics.is_empty() {
            self.say_static("at top level", &parsed.diagnostics, world);
            return None;
        }
        parsed.statements.into_iter().next()
    }
}

/// Removes the brackets of `(file, print := t)`; brackets around a name alone are part of an expression.
fn without_brackets(words: &[Token]) -> &[Token] {
    match words {
        [open, inside @ .., close]
            if open.kind.text() == Some("(")
                && close.kind.text() == Some(")")
                && !split_options(inside).1.is_empty() =>
        {
            inside
        }
        _ => words,
    }
}

/// Splits words before the options.
fn split_options(words: &[Token]) -> (&[Token], &[Token]) {
    let option = |at: &usize| {
        words[*at].kind.text() == Some(",")
            && words.get(at + 2).is_some_and(|word| word.kind.text() == Some(":="))
    };
    let at = (0..words.len()).find(option).unwrap_or(words.len());
    words.split_at(at)
}

fn read_options(words: &[Token]) -> Result<Options, String> {
    let mut options = Options { verbose: true, print: false };
    for option in words.chunks(4) {
        let texts: Vec<Option<&str>> = option.iter().map(|word| word.kind.text()).collect();
        match texts.as_slice() {
            [Some(","), Some("verbose"), Some(":="), Some(value @ ("t" | "f"))] => {
                options.verbose = *value == "t"
            }
            [Some(","), Some("print"), Some(":="), Some(value @ ("t" | "f"))] => {
                options.print = *value == "t"
            }
            [Some(","), Some("save_filename"), Some(":="), Some("t" | "f")] => {}
            _ => {
                return Err(
                    "`load` has the options verbose, print and save_filename, each `t` or `f`".to_owned()
                );
            }
        }
    }
    Ok(options)
}
