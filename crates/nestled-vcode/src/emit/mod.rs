//! NESL to VCODE: a second back end of the front end for NESL, from its core to the stack machine.
//!
//! ```text
//! core ─ body ─► code: named values ─ tidy ─┬──────► stack ─► VCODE
//!                                           └─ fuse ─ stack ─► FCODE and its listing
//! ```
//!
//! The core is nested, and the code is not: `value` says what values become, `moves` moves whole values, `body` goes through the statements. Nesting is taken away
//! as the original compiler did it: a function is written once for all instances that call it at the same time. `instances` knows which functions are wanted.
//!
//! Constructs without a counterpart in VCODE are refused, with their place; nothing is translated approximately.

mod body;
mod code;
mod extreme;
mod fuse;
mod given;
pub mod heading;
mod instances;
mod moves;
mod stack;
mod text;
mod tidy;
mod value;
mod writer;

use body::{Around, Body, Written};
use code::{Function, Program};
use instances::{Instances, Key, Reach};
use nestled_ir::{Diagnostic, Span};
use nestled_nesl::ast::{Statement, print};
use nestled_nesl::typed::{GlobalId, Pattern};
use nestled_nesl::{Checked, Dialect, Session, Width};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
pub use value::Form;
use value::Value;
use writer::Writer;

impl Emitted {
    /// Returns the whole text, with the listing in a comment at the end.
    pub fn text(&self) -> String {
        let listing =
            if self.listing.is_empty() { String::new() } else { heading::write_listing(&self.listing) };
        self.program.trim_end().to_owned() + "\n" + &listing
    }
}

/// A program that is being translated, statement by statement. It computes the values of its names, and leaves those of its expressions on the stack.
#[derive(Clone, Default)]
pub struct Translation {
    main: Writer,
    instances: Instances,
    reaches: Vec<Rc<Reach>>,
    globals: BTreeMap<GlobalId, Value>,
    /// The expressions, with what lies on the stack for each.
    shown: Vec<(String, Value)>,
    dialect: Dialect,
}

/// Translates an expression, the last of these statements of a session, with what it needs of those before it.
///
/// # Errors
/// VCODE has nothing for something in the expression, or in what it needs.
pub fn of_session(session: &Session, statements: &[Statement]) -> Result<String, Vec<Diagnostic>> {
    let mut own = Session::new(session.dialect());
    own.sources = session.sources.clone();
    let (mut translation, mut refused) = (Translation::default(), Vec::new());
    let Some((last, earlier)) = statements.split_last() else { return Ok(translation.finish(false).text()) };
    for statement in earlier {
        let before = translation.clone();
        // What is refused may not be needed.
        if let Err(errors) = translation.statement(&mut own, statement) {
            translation = before;
            refused.extend(errors);
        }
    }
    translation.statement(&mut own, last).map_err(|mut errors| {
        errors.append(&mut refused);
        errors
    })?;
    Ok(translation.finish(false).text())
}

/// A translated program.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The program, as VCODE or FCODE.
    pub program: String,
    /// The listing of its superoperators; VCODE has none.
    pub listing: String,
    /// The form of each expression on the final stack, bottom first.
    pub results: Vec<Form>,
}

impl Translation {
    /// Translates a statement of a session, which is checked by this.
    ///
    /// # Errors
    /// The statement is wrong, or VCODE has nothing for something in it.
    pub fn statement(&mut self, session: &mut Session, statement: &Statement) -> Result<(), Vec<Diagnostic>> {
        let result = session.check(statement);
        if !result.errors.is_empty() {
            return Err(result.errors);
        }
        self.dialect = session.dialect();
        match &result.checked {
            Some(Checked::Expr(expr)) => {
                let value = self.value(session, expr)?;
                let shown = format!("{} : {}", print::statement(statement), session.type_named("it"));
                self.shown.push((shown, value.clone()));
                if let Some(id) = session.environment().lookup("it") {
                    self.globals.insert(id, value);
                }
            }
            Some(Checked::Assign { pattern, names, value: expr, .. }) => {
                let value = self.value(session, expr)?;
                let mut parts = Vec::new();
                take_apart(pattern, &value, &mut parts);
                for ((name, _), value) in names.iter().zip(parts) {
                    if let Some(id) = session.environment().lookup(&name.text) {
                        self.globals.insert(id, value);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the value of an expression at the end of `MAIN`, and the functions that it calls.
    fn value(
        &mut self,
        session: &mut Session,
        expr: &nestled_nesl::typed::Expr,
    ) -> Result<Value, Vec<Diagnostic>> {
        let program = session.without_datatypes(expr).map_err(|error| vec![error])?;
        let reach = Reach::of(program);
        let statement = self.reaches.len();
        self.reaches.push(reach.clone());
        self.library_values(session, &reach, expr.span).map_err(|error| vec![*error])?;
        let mut around = Around {
            types: session.core_types(),
            sources: &session.sources,
            dialect: session.dialect(),
            instances: &mut self.instances,
        };
        let main = std::mem::take(&mut self.main);
        let globals = self.globals.clone();
        let written = Body::of_statement(&mut around, main, (reach, statement), globals, expr.span);
        let (main, value) = written.map_err(|error| vec![*error])?;
        self.main = main;
        functions(&mut around, &self.reaches).map_err(|error| vec![*error])?;
        Ok(value)
    }

    /// Writes the values of the library that a program uses.
    fn library_values(&mut self, session: &Session, reach: &Reach, span: Span) -> Written<()> {
        for (id, ty) in &reach.types {
            if self.globals.contains_key(id) {
                continue;
            }
            let name = &session.environment().global(*id).name;
            let known = session.value(name).zip(Form::of(session.core_types(), *ty));
            let made = known.and_then(|((value, _), form)| given::constant(&mut self.main, &form, value));
            let made = made.ok_or_else(|| body::refusal(&format!("the value of `{name}`"), span))?;
            self.globals.insert(*id, made);
        }
        Ok(())
    }

    /// Returns the program, as VCODE, or as FCODE with superoperators.
    pub fn finish(mut self, superoperators: bool) -> Emitted {
        let mut slots = Vec::new();
        self.shown.iter().for_each(|(_, value)| value.slots(&mut slots));
        let body = self.main.close(slots);
        let types = self.main.types.clone();
        let main = Function { name: "MAIN".to_owned(), params: Vec::new(), body, types };
        let rest =
            self.instances.written.drain(..).skip(1).map(|function| function.expect("all are written"));
        let mut program = Program { functions: std::iter::once(main).chain(rest).collect() };
        tidy::dead(&mut program);
        tidy::alike(&mut program);
        let mut listing = String::new();
        if superoperators {
            listing = fuse::fuse(&mut program);
            tidy::dead(&mut program);
        }
        let text = self.heading() + &stack::print(&program);
        let results = self.shown.iter().map(|(_, value)| value.form(&self.main)).collect();
        Emitted { program: text, listing, results }
    }

    /// Returns the comment at the head: the widths of numbers, and what the slots of the final stack are.
    fn heading(&self) -> String {
        let bits = |width| if width == Width::W32 { 32 } else { 64 };
        let (int, float) = (bits(self.dialect.int), bits(self.dialect.float));
        let mut out = heading::write_widths(int, float);
        for (shown, value) in &self.shown {
            let slots = match value.form(&self.main).slots().len() {
                1 => "1 slot".to_owned(),
                slots => format!("{slots} slots"),
            };
            let _ = writeln!(out, "{{ {slots}: {} }}", text::comment(shown));
        }
        out + "\n"
    }
}

/// Writes the functions that are wanted, and those that they want.
fn functions(around: &mut Around<'_>, reaches: &[Rc<Reach>]) -> Written<()> {
    while let Some((number, key, called)) = around.instances.open.pop() {
        let function = match key {
            Key::Core(wanted) => {
                let reach = reaches[wanted.statement].clone();
                let core = &reach.program.functions[wanted.function.0 as usize];
                let name = name(&core.name, number);
                Body::of_function(around, reach, &wanted, (name, called))?
            }
            Key::Extreme { least, scan, bounded } => {
                let name = name(if least { "least" } else { "greatest" }, number);
                extreme::function(name, (least, scan, bounded))
            }
        };
        around.instances.written[number] = Some(function);
    }
    Ok(())
}

/// Returns the name of a function in VCODE, where 49 characters count.
fn name(name: &str, number: usize) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_uppercase() } else { '.' };
    format!("{}_{number}", name.chars().take(40).map(plain).collect::<String>())
}

/// Takes a value of the top level apart, as a pattern says.
fn take_apart(pattern: &Pattern, value: &Value, parts: &mut Vec<Value>) {
    match pattern {
        Pattern::Local(..) => parts.push(value.clone()),
        Pattern::Record(_, content) => take_apart(content, value, parts),
        Pattern::Pair(left, right) => {
            take_apart(left, &value.parts()[0], parts);
            take_apart(right, &value.parts()[1], parts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_vcode() {
        assert_eq!(name("quick'sort", 3), "QUICK.SORT_3");
        assert_eq!(name(&"x".repeat(60), 12).len(), 43);
    }
}
