//! A session: statements are checked, specialised to concrete types and run one after another by the [`Engine`], flattened on a backend or directly by the
//! interpreter of the core.
//!
//! ```
//! use nestled_nesl::{Dialect, Session, interp::TestWorld};
//!
//! let mut session = Session::new(Dialect::default());
//! let results = session.run("example", "{x * x : x in [1:4]};", &mut TestWorld::default());
//! assert_eq!(results[0].line().unwrap(), "it = [1, 4, 9] : [int]");
//! ```

mod binding;
mod column;
mod outcome;
mod types;

pub use column::{Column, Elements};
pub use outcome::{CheckedStatement, Shown, StatementResult};

use crate::ast::{ExprKind, Statement, StatementKind, print};
use crate::core::{CoreType, CoreTypes, Program, Ty, verify::verify};
use crate::data::{Translated, translate};
use crate::dialect::{Dialect, Width};
use crate::engine::{Engine, Known, Run, TIME_LIMIT, run_flat};
use crate::environment::{Environment, Meaning};
use crate::fault::FaultCode;
use crate::flatten::{Flat, flatten};
use crate::infer::{Checked, Redefinition};
use crate::interp::{Fault, Limits, Picture, Settings, Style, TestWorld, Value, World, run, show};
use crate::layout::Layout;
use crate::library::{PRELUDE, add_primitives, of_dialect};
use crate::parser::{Typed, parse, parse_typed};
use crate::specialise::specialise;
use crate::token::Text;
use crate::typed::{Expr, GlobalId, Kind, Pattern};
use crate::types::{TypeId, TypePrinter};
use nestled_ir::{Diagnostic, SourceMap};
use std::collections::HashMap;
use std::time::Duration;

/// A session: names, types and values of the statements so far.
#[derive(Debug)]
pub struct Session {
    /// The texts of the library and of the statements.
    pub sources: SourceMap,
    /// True if positions, lengths and divisors are checked.
    pub arg_check: bool,
    /// The format of shown values.
    pub style: Style,
    /// Limits on steps, memory and depth of calls.
    pub limits: Limits,
    /// The engine that runs the statements.
    pub engine: Engine,
    /// Time limit for the replay of a statement that faulted on a device, which finds the values at the fault.
    pub patience: Duration,
    dialect: Dialect,
    env: Environment,
    core_types: CoreTypes,
    value_types: HashMap<GlobalId, Ty>,
    values: HashMap<GlobalId, Value>,
    /// The values that λcu has in flat form.
    known: Known,
}

impl Session {
    /// Makes a session with the library loaded.
    pub fn new(dialect: Dialect) -> Session {
        let mut session = Session {
            sources: SourceMap::default(),
            arg_check: true,
            style: Style { single: dialect.float == Width::W32, ..Style::default() },
            limits: Limits::default(),
            engine: Engine::Core,
            patience: TIME_LIMIT,
            dialect,
            env: Environment::default(),
            core_types: CoreTypes::default(),
            value_types: HashMap::new(),
            values: HashMap::new(),
            known: Known::default(),
        };
        add_primitives(&mut session.env, dialect);
        for (name, text) in PRELUDE.into_iter().chain([of_dialect(dialect)]) {
            session.load_library(name, text);
        }
        session
    }

    /// Copies a session with its definitions and the default engine, which is cheaper than to load the library again.
    pub fn another(&self) -> Session {
        Session {
            sources: self.sources.clone(),
            engine: Engine::Core,
            env: self.env.clone(),
            core_types: self.core_types.clone(),
            value_types: self.value_types.clone(),
            values: self.values.clone(),
            known: Known::default(),
            ..*self
        }
    }

    fn load_library(&mut self, name: &str, text: &str) {
        let results = self.run_all(name, text, &mut TestWorld::default(), true);
        for result in results {
            assert!(
                result.errors.is_empty() && result.fault.is_none(),
                "{}{:?}",
                nestled_ir::render_all(&result.errors, &self.sources),
                result.fault
            );
        }
    }

    /// Returns the environment: everything that statements may refer to.
    pub fn environment(&self) -> &Environment {
        &self.env
    }

    /// Returns the environment, to be changed.
    pub(crate) fn environment_mut(&mut self) -> &mut Environment {
        &mut self.env
    }

    /// Returns the type of a global as it is shown.
    pub fn type_of(&self, id: GlobalId) -> Layout {
        TypePrinter::new(&self.env.types, &self.env.records).with_context(self.env.global(id).scheme.ty)
    }

    /// Returns the dialect of the session.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Runs a text. A statement with an error is skipped, and the next one runs.
    pub fn run(&mut self, name: &str, text: &str, world: &mut dyn World) -> Vec<StatementResult> {
        self.run_all(name, text, world, false)
    }

    /// Parses a text: returns its statements, and an error in the place of each that is wrong.
    pub fn read(&mut self, name: &str, text: &str) -> Vec<Result<Statement, Diagnostic>> {
        let source = self.add_source(name, text);
        let parsed = parse(text, source, self.dialect);
        self.env.ahead_mut().expect(parsed.statements.iter());
        let statements = parsed.statements.into_iter().map(|statement| (statement.span.start, Ok(statement)));
        let errors = parsed.diagnostics.into_iter().map(|error| (error.labels[0].span.start, Err(error)));
        let mut items: Vec<_> = statements.chain(errors).collect();
        items.sort_by_key(|item| item.0);
        items.into_iter().map(|item| item.1).collect()
    }

    /// Parses the complete statements, at most `most`, at the beginning of a text that may continue.
    pub fn read_typed(&mut self, name: &str, text: &str, most: usize) -> Typed {
        self.env.ahead_mut().expect(std::iter::empty());
        let source = self.sources.len() as u32;
        let typed = parse_typed(text, source, self.dialect, most);
        if typed.end > 0 {
            self.add_source(name, &text[..typed.end]);
        }
        typed
    }

    fn add_source(&mut self, name: &str, text: &str) -> u32 {
        self.sources.push(name, text);
        self.sources.len() as u32 - 1
    }

    /// Runs one statement parsed by [`Session::read`]. Commands have no effect here: a [`crate::TopLevel`] runs them.
    pub fn execute(&mut self, statement: &Statement, world: &mut dyn World) -> StatementResult {
        self.statement(statement, world, false)
    }

    /// Checks a statement without running it: its functions and datatypes are in force afterwards, and the names of its values have their types.
    pub fn check(&mut self, statement: &Statement) -> CheckedStatement {
        let outcome = self.env.check(statement, self.dialect, false);
        let mut errors = self.as_comment(statement, outcome.errors);
        let mut shown = None;
        match &outcome.checked {
            None | Some(Checked::Other) => {}
            Some(Checked::Variants(record)) => {
                let Shown { name, ty, .. } = self.variants(*record);
                shown = Some((name, ty.to_string()));
            }
            Some(Checked::Function(id, _) | Checked::Declared(id) | Checked::Datatype(id)) => {
                shown = Some((self.env.global(*id).name.to_string(), self.type_of(*id).to_string()));
            }
            Some(Checked::Expr(expr)) => match self.specialise(expr) {
                Ok((_, core)) => {
                    shown = Some(("it".to_owned(), self.show_type(expr.ty)));
                    self.bind_type(&Text::from("it"), expr.ty, expr.span, core, false);
                }
                Err(diagnostic) => errors.push(diagnostic),
            },
            Some(Checked::Assign { pattern, written, names, value, .. }) => match self.specialise(value) {
                Ok((_, core)) => {
                    shown = Some((print::pattern(written), self.show_type(value.ty)));
                    let mut parts = Vec::new();
                    self.core_parts(pattern, core, &mut parts);
                    for ((name, ty), core) in names.iter().zip(parts) {
                        self.bind_type(&name.text, *ty, name.span, core, false);
                    }
                }
                Err(diagnostic) => errors.push(diagnostic),
            },
        }
        CheckedStatement { shown, errors, warnings: outcome.warnings, checked: outcome.checked }
    }

    fn core_parts(&self, pattern: &Pattern, core: Ty, parts: &mut Vec<Ty>) {
        match pattern {
            Pattern::Local(..) => parts.push(core),
            Pattern::Record(_, content) => {
                let inside = self.core_types.variants(core).and_then(|variants| variants[0].content);
                self.core_parts(content, inside.unwrap_or(core), parts);
            }
            Pattern::Pair(left, right) => {
                let CoreType::Pair(one, other) = *self.core_types.get(core) else {
                    unreachable!("inference knows what is a pair")
                };
                self.core_parts(left, one, parts);
                self.core_parts(right, other, parts);
            }
        }
    }

    fn show_type(&self, ty: TypeId) -> String {
        TypePrinter::new(&self.env.types, &self.env.records).with_context(ty).to_string()
    }

    fn run_all(
        &mut self,
        name: &str,
        text: &str,
        world: &mut dyn World,
        library: bool,
    ) -> Vec<StatementResult> {
        let mut results = Vec::new();
        for item in self.read(name, text) {
            match item {
                Err(diagnostic) => results.push(syntax_error(diagnostic)),
                Ok(statement) => match &statement.kind {
                    StatementKind::Function(function) if library => {
                        // Most programs use few of them.
                        self.env.keep_for_later(function.name.text.clone(), statement);
                    }
                    _ => results.push(self.statement(&statement, world, library)),
                },
            }
        }
        results
    }

    fn statement(&mut self, statement: &Statement, world: &mut dyn World, library: bool) -> StatementResult {
        let mut result = self.checked(statement, world, library);
        if let (true, Some(literal), Some(shown)) =
            (self.dialect.compat, literal(statement), &mut result.shown)
        {
            // Only what is computed with is reduced to 32 bits there.
            shown.value = Some(Picture::of_text(literal.to_string()));
        }
        result
    }

    fn checked(&mut self, statement: &Statement, world: &mut dyn World, library: bool) -> StatementResult {
        let outcome = self.env.check(statement, self.dialect, library);
        let mut result = StatementResult {
            span: statement.span,
            shown: None,
            errors: self.as_comment(statement, outcome.errors),
            warnings: outcome.warnings,
            fault: None,
        };
        match outcome.checked {
            None | Some(Checked::Other) => {}
            Some(Checked::Function(id, redefinition)) => {
                result.shown = Some(self.definition(id, redefinition))
            }
            Some(Checked::Variants(record)) => result.shown = Some(self.variants(record)),
            Some(Checked::Declared(id) | Checked::Datatype(id)) => {
                result.shown = Some(self.definition(id, Redefinition::New));
            }
            Some(Checked::Expr(expr)) => {
                if let Some((value, core)) = self.evaluate(&expr, world, &mut result) {
                    result.shown = Some(self.show("it".to_owned(), &value, &expr));
                    let name = Text::from("it");
                    self.bind_value(&name, expr.ty, expr.span, value, core, library);
                }
            }
            Some(Checked::Assign { pattern, written, names, value: expr, file }) => {
                if let Some((value, core)) = self.evaluate(&expr, world, &mut result) {
                    let name = match written.kind {
                        crate::ast::PatternKind::Pair(..) => format!("({})", print::pattern(&written)),
                        _ => print::pattern(&written),
                    };
                    let mut shown = self.show(name, &value, &expr);
                    if file {
                        shown.value = None;
                    }
                    result.shown = Some(shown);
                    let mut parts = Vec::new();
                    self.take_apart(&pattern, value, core, &mut parts);
                    for ((name, ty), (value, core)) in names.into_iter().zip(parts) {
                        self.bind_value(&name.text, ty, name.span, value, core, library);
                    }
                }
            }
        }
        result
    }

    /// Returns the errors of a statement; if it looks like a comment of other languages, a single message that says so.
    fn as_comment(&self, statement: &Statement, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let text = match self.sources.source(statement.span) {
            Some(source) => &source.text[statement.span.start as usize..],
            None => return errors,
        };
        let marks = ["# ", "##", "#!", "-- "].iter().any(|mark| text.starts_with(mark));
        if !marks || !errors.iter().any(|error| error.code == "N0103") {
            return errors;
        }
        let mut first = errors.into_iter().next().expect("there is one");
        first.help = Some("a comment stands between two `%`: `% like this %`".to_owned());
        vec![first]
    }

    /// Specialises an expression to a core program.
    pub fn specialise(&mut self, expr: &Expr) -> Result<(Program, Ty), Diagnostic> {
        specialise(&mut self.env, &mut self.core_types, &self.value_types, self.dialect, expr)
    }

    /// Flattens an expression.
    ///
    /// # Errors
    /// A message, if it cannot be specialised or is too large.
    pub fn flatten(&mut self, expr: &Expr) -> Result<Flat, Diagnostic> {
        self.flatten_translated(expr).map(|(flat, _)| flat)
    }

    /// As [`flatten`](Session::flatten), with the representation of datatypes, if the program has some.
    pub(crate) fn flatten_translated(
        &mut self,
        expr: &Expr,
    ) -> Result<(Flat, Option<Translated>), Diagnostic> {
        let (program, _) = self.specialise(expr)?;
        let (dialect, sources) = (self.dialect, self.sources.clone());
        let translated = self.translated(&program);
        let (program, value_types) = match &translated {
            Some(translated) => (&translated.program, &translated.values),
            None => (&program, &self.value_types),
        };
        let flat = flatten(program, &self.core_types, value_types, dialect, self.arg_check, sources);
        Ok((flat.map_err(|diagnostic| *diagnostic)?, translated))
    }

    /// Translates the datatypes of a program away, if it has some.
    fn translated(&mut self, program: &Program) -> Option<Translated> {
        let translated = translate(program, &mut self.core_types, &self.value_types)?;
        if cfg!(debug_assertions) {
            let Translated { program, values, .. } = &translated;
            let verified = verify(program, &mut self.core_types, values);
            verified
                .unwrap_or_else(|what| panic!("{what}\n{}", crate::core::print(program, &self.core_types)));
        }
        Some(translated)
    }

    /// Returns the concrete types of the core programs of this session.
    pub fn core_types(&self) -> &CoreTypes {
        &self.core_types
    }

    /// Returns the value of a variable.
    pub(crate) fn value_of(&self, id: GlobalId) -> Option<&Value> {
        self.values.get(&id)
    }

    /// Returns the concrete type of a variable.
    pub(crate) fn core_type_of(&self, id: GlobalId) -> Ty {
        self.value_types[&id]
    }

    /// Returns the concrete types, to be added to.
    pub(crate) fn core_types_mut(&mut self) -> &mut CoreTypes {
        &mut self.core_types
    }

    fn evaluate(
        &mut self,
        expr: &Expr,
        world: &mut dyn World,
        result: &mut StatementResult,
    ) -> Option<(Value, Ty)> {
        let (program, core) = match self.specialise(expr) {
            Ok(made) => made,
            Err(diagnostic) => {
                result.errors.push(diagnostic);
                return None;
            }
        };
        if cfg!(debug_assertions) {
            let verified = verify(&program, &mut self.core_types, &self.value_types);
            verified
                .unwrap_or_else(|what| panic!("{what}\n{}", crate::core::print(&program, &self.core_types)));
        }
        if let Kind::Global(id, _) = &expr.kind
            && !self.dialect.compat
            && self.value_types.get(id) == Some(&core)
            && let Some(value) = self.values.get(id)
        {
            // There is nothing to compute, and much to copy.
            return Some((value.clone(), core));
        }
        let settings = Settings { dialect: self.dialect, arg_check: self.arg_check, limits: self.limits };
        let translated = match &self.engine {
            Engine::Core => None,
            Engine::Flat(_) => self.translated(&program),
        };
        let outcome = match &mut self.engine {
            Engine::Core => run(&program, &self.core_types, &self.values, settings, world),
            Engine::Flat(backend) => {
                let (types, value_types) = (&self.core_types, &self.value_types);
                let (values, sources) = (&self.values, &self.sources);
                let known = &mut self.known;
                let patience = self.patience;
                let run = Run { types, value_types, values, settings, sources, known, translated, patience };
                run_flat(&program, run, backend.as_mut(), world)
            }
        };
        match outcome {
            Ok(value) if self.dialect.compat && !value.is_finite() => {
                let span = expr.span;
                result.fault =
                    Some(Fault { code: FaultCode::NotFinite, message: None, span, why: Box::default() });
                None
            }
            // The original hands values on as text, with 15 digits.
            Ok(value) if self.dialect.compat && !self.is_constant(expr) => Some((value.in_15_digits(), core)),
            Ok(value) => Some((value, core)),
            Err(fault) => {
                let why = Box::new(fault.why.in_words(&self.sources));
                result.fault = Some(Fault { why, ..fault });
                None
            }
        }
    }

    fn definition(&self, id: GlobalId, redefinition: Redefinition) -> Shown {
        let name = self.env.global(id).name.to_string();
        Shown { name, value: Some(Picture::of_text("fn")), ty: self.type_of(id), redefinition }
    }

    fn show(&mut self, name: String, value: &Value, expr: &Expr) -> Shown {
        let mut style = self.style;
        if self.is_constant(expr) {
            style.digits = 17;
        }
        let records = self.env.records.clone();
        let shown = show(value, expr.ty, &mut self.env.types, &records, style);
        let ty = TypePrinter::new(&self.env.types, &self.env.records).with_context(expr.ty);
        Shown { name, value: Some(shown), ty, redefinition: Redefinition::New }
    }

    /// True if an expression needs no computation: its floats are shown with every digit.
    fn is_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Float(_) | Kind::Int(_) | Kind::Bool(_) | Kind::Char(_) => true,
            // The digits of what was computed were cut when it got its name.
            Kind::Global(id, _) => self.dialect.compat || self.env.global(*id).library,
            Kind::Pair(left, right) => self.is_constant(left) && self.is_constant(right),
            Kind::Apply(function, argument) => {
                let made = match &function.kind {
                    Kind::Global(id, _) => self.env.global(*id).meaning.clone(),
                    _ => return false,
                };
                matches!(made, Meaning::Constructor(_) | Meaning::Variant(..)) && self.is_constant(argument)
            }
            _ => false,
        }
    }
}

fn syntax_error(diagnostic: Diagnostic) -> StatementResult {
    let span = diagnostic.labels[0].span;
    StatementResult { span, shown: None, errors: vec![diagnostic], warnings: Vec::new(), fault: None }
}

/// Returns the integer literal that is the whole value of a statement.
fn literal(statement: &Statement) -> Option<u64> {
    let (StatementKind::Expr(value) | StatementKind::Assign { value, .. }) = &statement.kind else {
        return None;
    };
    if let ExprKind::Int(value) = value.kind { Some(value) } else { None }
}
