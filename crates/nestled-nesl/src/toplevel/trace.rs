//! Instrumentation by `set trace` and `set profile`: the function is redefined with print statements inserted.
//!
//! ```text
//! function g(x) = let y = x + 1 in y * y   →   function g(x) = let *enter* = print_line("Entering g");
//!                                                              *given* = print_line("  x = " ++ abrev_string(x));
//!                                                              *value* = let y = x + 1 in y * y;
//!                                                              *leave* = print_line("Leaving g");
//!                                                              *result* = print_line("  result = " ++ abrev_string(*value*))
//!                                                          in *value*
//! ```

use super::{Flow, TopLevel, hidden};
use crate::ast::{
    Expr, ExprKind, Function, LetBinding, Pattern, PatternKind, Statement, StatementKind, print,
};
use crate::interp::World;
use crate::token::Text;
use nestled_ir::Span;
use std::sync::Arc;

/// A function that is instrumented.
#[derive(Debug)]
pub(super) struct Watched {
    original: Arc<Statement>,
    library: bool,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Prints calls, optionally with values and with bindings.
    Trace { values: bool, bindings: bool },
    /// Prints the times that the parts of the function take.
    Profile,
}

impl Watched {
    pub fn is_profile(&self) -> bool {
        self.how == How::Profile
    }

    pub fn original(&self) -> &Statement {
        &self.original
    }
}

impl TopLevel {
    /// Runs `set trace name level`.
    pub(super) fn trace(&mut self, name: &str, level: u8, world: &mut dyn World) -> Flow {
        if level == 0 {
            return self.unwatch(name, world);
        }
        let how = How::Trace { values: level == 2 || level == 4, bindings: level > 2 };
        self.watch(name, how, world)
    }

    /// Runs `set profile name on`.
    pub(super) fn profile(&mut self, name: &str, on: bool, world: &mut dyn World) -> Flow {
        if on { self.watch(name, How::Profile, world) } else { self.unwatch(name, world) }
    }

    pub(super) fn unwatch_all(&mut self, profile: bool, world: &mut dyn World) {
        let names: Vec<Text> = self.watched.keys().cloned().collect();
        for name in names {
            if self.watched[&name].is_profile() == profile {
                self.unwatch(&name, world);
            }
        }
    }

    fn unwatch(&mut self, name: &str, world: &mut dyn World) -> Flow {
        if let Some(Watched { original, library, .. }) = self.watched.remove(name) {
            self.define(&original, library, world);
        }
        Flow::On
    }

    fn watch(&mut self, name: &str, how: How, world: &mut dyn World) -> Flow {
        let Some(id) = self.known(name) else { return self.unknown(name, world) };
        self.unwatch(name, world);
        let global = self.session.environment().global(id);
        let (library, definition) = (global.library, global.definition.clone());
        let function = definition.as_ref().and_then(|definition| match &definition.kind {
            StatementKind::Function(function) => Some(function),
            _ => None,
        });
        let (Some(original), Some(function)) = (&definition, function) else {
            return self.complain(&format!("`{name}` has no definition that could be watched"), world);
        };
        let words = Words { how, upper: self.session.dialect().compat };
        let Some(kind) = words.put_in(function) else { return Flow::On };
        let statement = Statement { kind: StatementKind::Function(kind), span: original.span };
        if self.define(&statement, library, world) {
            let watched = Watched { original: Arc::clone(original), library, how };
            self.watched.insert(Text::from(name), watched);
        }
        Flow::On
    }

    /// Redefines a function for all its callers.
    fn define(&mut self, statement: &Statement, library: bool, world: &mut dyn World) -> bool {
        let dialect = self.session.dialect();
        let outcome = self.session.environment_mut().check(statement, dialect, library);
        if !outcome.errors.is_empty() {
            self.say_static("in a watched function", &outcome.errors, world);
        }
        outcome.errors.is_empty()
    }
}

/// The generator of inserted code.
#[derive(Clone, Copy)]
struct Words {
    how: How,
    /// True if names are printed in capital letters, as in the original.
    upper: bool,
}

impl Words {
    /// Returns the function with print statements inserted.
    fn put_in(self, function: &Function) -> Option<Function> {
        let body = function.body.clone()?;
        let span = body.span;
        let name = self.name(&function.name.text);
        let value = || expr(ExprKind::Name(hidden("value")), span);
        let bind = |name: &str, value: Expr| LetBinding {
            pattern: Pattern { kind: PatternKind::Name(hidden(name)), span },
            value,
        };
        let bindings = match self.how {
            How::Trace { values, bindings } => {
                let body =
                    if bindings { tell_bindings(body, &|binding| self.told(binding, values)) } else { body };
                let says = |word: &str| call("print_line", string(&format!("{word} {name}"), span));
                let given = self.names_and_values(&function.pattern, 2);
                let result = named_value(2, &self.name("result"), value());
                let mut all = vec![bind("enter", says("Entering"))];
                all.extend(values.then(|| bind("given", call("print_string", given))));
                all.extend([bind("value", body), bind("leave", says("Leaving"))]);
                all.extend(values.then(|| bind("result", call("print_string", result))));
                all
            }
            How::Profile => {
                let tell = |binding: LetBinding| timed(&print::pattern(&binding.pattern), binding);
                let body = tell_bindings(body, &tell);
                let whole = Pattern { kind: PatternKind::Name(hidden("value")), span };
                timed(&name, LetBinding { pattern: whole, value: body })
            }
        };
        let body = expr(ExprKind::Let(bindings, Box::new(value())), span);
        Some(Function { body: Some(body), ..function.clone() })
    }

    fn name(self, name: &str) -> String {
        if self.upper { name.to_uppercase() } else { name.to_owned() }
    }

    /// Returns a binding with the bindings that report it.
    fn told(self, binding: LetBinding, values: bool) -> Vec<LetBinding> {
        let span = binding.pattern.span;
        let says = match values {
            true => call("print_string", self.names_and_values(&binding.pattern, 4)),
            false => {
                call("print_line", string(&format!("  Let: {}", print::pattern(&binding.pattern)), span))
            }
        };
        let pattern = Pattern { kind: PatternKind::Name(hidden("told")), span };
        vec![binding, LetBinding { pattern, value: says }]
    }

    /// Makes a line for each name of a pattern.
    fn names_and_values(self, pattern: &Pattern, indent: usize) -> Expr {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Name(name) => {
                named_value(indent, &self.name(name), expr(ExprKind::Name(name.clone()), span))
            }
            PatternKind::Pair(left, right) => {
                let left = self.names_and_values(left, indent);
                call("++", pair(left, self.names_and_values(right, indent)))
            }
            PatternKind::Record(_, content) => self.names_and_values(content, indent),
        }
    }
}

/// Makes `"  name = " ++ abrev_string(value) ++ "\n"`.
fn named_value(indent: usize, name: &str, value: Expr) -> Expr {
    let span = value.span;
    let head = string(&format!("{}{name} = ", " ".repeat(indent)), span);
    let line = call("++", pair(head, call("abrev_string", value)));
    call("++", pair(line, string("\n", span)))
}

/// Instruments the bindings of the leading `let`s of an expression, and those of its branches there.
fn tell_bindings(body: Expr, tell: &dyn Fn(LetBinding) -> Vec<LetBinding>) -> Expr {
    let span = body.span;
    let kind = match body.kind {
        ExprKind::Let(bindings, inner) => {
            let bindings = bindings.into_iter().flat_map(tell).collect();
            ExprKind::Let(bindings, Box::new(tell_bindings(*inner, tell)))
        }
        ExprKind::If(condition, yes, no) => {
            let (yes, no) = (tell_bindings(*yes, tell), tell_bindings(*no, tell));
            ExprKind::If(condition, Box::new(yes), Box::new(no))
        }
        other => other,
    };
    expr(kind, span)
}

fn timed(what: &str, binding: LetBinding) -> Vec<LetBinding> {
    let span = binding.pattern.span;
    let name = |name: &str| Pattern { kind: PatternKind::Name(hidden(name)), span };
    let both = PatternKind::Pair(Box::new(binding.pattern), Box::new(name("seconds")));
    let timed = LetBinding {
        pattern: Pattern { kind: both, span },
        value: expr(ExprKind::Time(Box::new(binding.value)), span),
    };
    let seconds = expr(ExprKind::Name(hidden("seconds")), span);
    let says = call("print_debug", pair(string(&format!("{what}: seconds "), span), seconds));
    vec![timed, LetBinding { pattern: name("told"), value: says }]
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr::new(kind, span)
}

fn string(text: &str, span: Span) -> Expr {
    expr(ExprKind::Str(text.as_bytes().to_vec()), span)
}

fn pair(left: Expr, right: Expr) -> Expr {
    let span = left.span;
    expr(ExprKind::Pair(Box::new(left), Box::new(right)), span)
}

fn call(function: &str, argument: Expr) -> Expr {
    let span = argument.span;
    let function = expr(ExprKind::Name(Text::from(function)), span);
    expr(ExprKind::Apply(Box::new(function), Box::new(argument), Vec::new()), span)
}
