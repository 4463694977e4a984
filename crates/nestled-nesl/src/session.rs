//! A session: statements one after another, each checked, made concrete, and run by the interpreter of the core.
//!
//! ```
//! use nestled_nesl::{Dialect, Session, interp::TestWorld};
//!
//! let mut session = Session::new(Dialect::default());
//! let results = session.run("example", "{x * x : x in [1:4]};", &mut TestWorld::default());
//! assert_eq!(results[0].line().unwrap(), "it = [1, 4, 9] : [int]");
//! ```

use crate::ast::{Statement, StatementKind, print};
use crate::core::{CoreTypes, Program, Ty, verify::verify};
use crate::dialect::{Dialect, Width};
use crate::environment::Environment;
use crate::fault::FaultCode;
use crate::infer::{Checked, Redefinition, value_global};
use crate::interp::{Fault, Limits, Settings, Style, TestWorld, Value, World, run, show};
use crate::library::{PRELUDE, add_primitives, of_dialect};
use crate::parser::parse;
use crate::specialise::specialise;
use crate::token::Text;
use crate::typed::{Expr, GlobalId, Kind, Pattern};
use crate::types::{Scheme, TypeId, TypePrinter};
use nestled_ir::{Diagnostic, Source, SourceMap, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// Names, types and values of the statements so far.
#[derive(Debug)]
pub struct Session {
    /// The texts of the library and of the statements.
    pub sources: SourceMap,
    /// Whether positions, lengths and divisors are checked.
    pub arg_check: bool,
    /// How values are shown.
    pub style: Style,
    /// Where programs are stopped.
    pub limits: Limits,
    dialect: Dialect,
    env: Environment,
    core_types: CoreTypes,
    value_types: HashMap<GlobalId, Ty>,
    values: HashMap<GlobalId, Value>,
}

/// What came of a statement.
#[derive(Debug)]
pub struct StatementResult {
    /// Where it stands.
    pub span: Span,
    /// What is shown, unless something was wrong.
    pub shown: Option<Shown>,
    /// What was wrong before it ran.
    pub errors: Vec<Diagnostic>,
    /// What is legal and probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// What stopped it.
    pub fault: Option<Fault>,
}

/// The parts of a result line.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The name, or the whole pattern.
    pub name: String,
    /// The value; strings may hold any bytes.
    pub value: Vec<u8>,
    /// The type.
    pub ty: String,
    /// What happened to an older meaning of a function's name.
    pub redefinition: Redefinition,
}

impl StatementResult {
    /// The result line: `it = 3 : int`.
    pub fn line(&self) -> Option<String> {
        let Shown { name, value, ty, .. } = self.shown.as_ref()?;
        Some(format!("{name} = {} : {ty}", String::from_utf8_lossy(value)))
    }
}

impl Session {
    /// A session that knows the library.
    pub fn new(dialect: Dialect) -> Session {
        let mut session = Session {
            sources: SourceMap::default(),
            arg_check: true,
            style: Style { single: dialect.float == Width::W32, ..Style::default() },
            limits: Limits::default(),
            dialect,
            env: Environment::default(),
            core_types: CoreTypes::default(),
            value_types: HashMap::new(),
            values: HashMap::new(),
        };
        add_primitives(&mut session.env, dialect);
        for (name, text) in PRELUDE.into_iter().chain([of_dialect(dialect)]) {
            session.load_library(name, text);
        }
        session
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

    /// Everything that statements may refer to.
    pub fn environment(&self) -> &Environment {
        &self.env
    }

    #[cfg(test)]
    pub(crate) fn environment_mut(&mut self) -> &mut Environment {
        &mut self.env
    }

    /// The type of a global as people read it.
    pub fn type_of(&self, id: GlobalId) -> String {
        TypePrinter::new(&self.env.types, &self.env.records).with_context(self.env.global(id).scheme.ty)
    }

    /// Runs a text; a statement with an error is left out and the next one goes on.
    pub fn run(&mut self, name: &str, text: &str, world: &mut dyn World) -> Vec<StatementResult> {
        self.run_all(name, text, world, false)
    }

    fn run_all(
        &mut self,
        name: &str,
        text: &str,
        world: &mut dyn World,
        library: bool,
    ) -> Vec<StatementResult> {
        let source = self.sources.sources.len() as u32;
        self.sources.sources.push(Arc::new(Source { name: name.to_owned(), text: text.to_owned() }));
        let parsed = parse(text, source, self.dialect);
        let mut results: Vec<StatementResult> = parsed.diagnostics.into_iter().map(syntax_error).collect();
        for statement in parsed.statements {
            if let (true, StatementKind::Function(function)) = (library, &statement.kind) {
                // Most programs use few of them.
                self.env.keep_for_later(function.name.text.clone(), statement);
            } else {
                results.push(self.statement(&statement, world, library));
            }
        }
        results.sort_by_key(|result| result.span.start);
        results
    }

    fn statement(&mut self, statement: &Statement, world: &mut dyn World, library: bool) -> StatementResult {
        let outcome = self.env.check(statement, self.dialect, library);
        let mut result = StatementResult {
            span: statement.span,
            shown: None,
            errors: outcome.errors,
            warnings: outcome.warnings,
            fault: None,
        };
        match outcome.checked {
            None | Some(Checked::Other) => {}
            Some(Checked::Function(id, redefinition)) => {
                result.shown = Some(self.definition(id, redefinition))
            }
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
                        shown.value.clear();
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

    /// The core program of an expression, for whoever runs it.
    pub fn specialise(&mut self, expr: &Expr) -> Result<(Program, Ty), Diagnostic> {
        specialise(&mut self.env, &mut self.core_types, &self.value_types, self.dialect, expr)
    }

    /// The concrete types that core programs of this session speak of.
    pub fn core_types(&self) -> &CoreTypes {
        &self.core_types
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
        let settings = Settings { dialect: self.dialect, arg_check: self.arg_check, limits: self.limits };
        match run(&program, &self.core_types, &self.values, settings, world) {
            Ok(value) if self.dialect.compat && !value.is_finite() => {
                let span = expr.span;
                result.fault = Some(Fault { code: FaultCode::NotFinite, message: None, span });
                None
            }
            Ok(value) => Some((value, core)),
            Err(fault) => {
                result.fault = Some(fault);
                None
            }
        }
    }

    fn definition(&self, id: GlobalId, redefinition: Redefinition) -> Shown {
        let name = self.env.global(id).name.to_string();
        Shown { name, value: b"fn".to_vec(), ty: self.type_of(id), redefinition }
    }

    fn show(&mut self, name: String, value: &Value, expr: &Expr) -> Shown {
        let mut style = self.style;
        if self.is_constant(expr) {
            style.digits = 17;
        }
        let records = self.env.records.clone();
        let shown = show(value, expr.ty, &mut self.env.types, &records, style);
        let ty = TypePrinter::new(&self.env.types, &self.env.records).with_context(expr.ty);
        Shown { name, value: shown, ty, redefinition: Redefinition::New }
    }

    /// Whether the value is there without computing: such floats show every digit.
    fn is_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Float(_) => true,
            Kind::Global(id, _) => self.env.global(*id).library,
            _ => false,
        }
    }

    fn take_apart(&mut self, pattern: &Pattern, value: Value, core: Ty, parts: &mut Vec<(Value, Ty)>) {
        match pattern {
            Pattern::Local(..) => parts.push((value, core)),
            Pattern::Record(_, content) => self.take_apart(content, value, core, parts),
            Pattern::Pair(left, right) => {
                let crate::core::CoreType::Pair(one, other) = *self.core_types.get(core) else {
                    unreachable!("inference knows what is a pair")
                };
                let (first, second) = value.into_parts();
                self.take_apart(left, first, one, parts);
                self.take_apart(right, second, other, parts);
            }
        }
    }

    /// Gives a name a value: a new one, or that of an older variable of the same type.
    fn bind_value(&mut self, name: &Text, ty: TypeId, span: Span, value: Value, core: Ty, library: bool) {
        let scheme = self.env.types.generalise(ty);
        let id = self.reusable(name, &scheme, core).unwrap_or_else(|| {
            let mut global = value_global(name, scheme, span);
            global.library = library;
            let id = self.env.add_global(global);
            match library {
                true => self.env.bind_library(name.clone(), id),
                false => self.env.bind(name.clone(), id),
            }
            id
        });
        self.values.insert(id, value);
        self.value_types.insert(id, core);
    }

    fn reusable(&self, name: &Text, scheme: &Scheme, core: Ty) -> Option<GlobalId> {
        let id = self.env.lookup(name)?;
        let global = self.env.global(id);
        let same =
            self.value_types.get(&id) == Some(&core) && self.env.types.same_scheme(&global.scheme, scheme);
        (same && !global.library).then_some(id)
    }
}

fn syntax_error(diagnostic: Diagnostic) -> StatementResult {
    let span = diagnostic.labels[0].span;
    StatementResult { span, shown: None, errors: vec![diagnostic], warnings: Vec::new(), fault: None }
}
