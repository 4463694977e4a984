//! Checking of statements: definitions, redefinitions, generalisation.

use super::{Infer, MAX_DEPTH, MAX_SIZE, Outcome, Own};
use crate::ast::{self, Name, PatternKind, Statement, StatementKind};
use crate::dialect::Dialect;
use crate::environment::{Environment, Global, Meaning, Open};
use crate::token::Text;
use crate::typed::{Expr, GlobalId, Kind, Lambda, Pattern};
use crate::types::{Class, Extent, RecordId, Scheme, Type, TypeId};
use nestled_ir::{Diagnostic, Span};
use std::sync::Arc;

/// A checked statement: a definition that is in force, or an expression to be run.
#[derive(Debug)]
pub enum Checked {
    /// A function was defined.
    Function(GlobalId, Redefinition),
    /// A function was declared.
    Declared(GlobalId),
    /// A record was defined; its constructor.
    Datatype(GlobalId),
    /// A datatype with variants was defined.
    Variants(RecordId),
    /// A value to be computed, and the names that it is bound to.
    Assign {
        /// The pattern that takes the value apart.
        pattern: Pattern,
        /// The pattern as it was written.
        written: ast::Pattern,
        /// The names with their types, from left to right.
        names: Vec<(Name, TypeId)>,
        /// The expression of the value.
        value: Expr,
        /// True if the value is to be kept in a file.
        file: bool,
    },
    /// A value to be computed and shown.
    Expr(Expr),
    /// A statement for the session: a command, a background job, a configuration.
    Other,
}

/// The effect of a definition on an older meaning of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redefinition {
    /// There was no older meaning.
    New,
    /// The older meaning was replaced, for its callers too.
    Same,
    /// The older meaning had another type; its callers keep it.
    OtherType,
}

impl Environment {
    /// Checks a statement; a definition without errors is in force afterwards.
    pub fn check(&mut self, statement: &Statement, dialect: Dialect, library: bool) -> Outcome {
        if !library && !self.ahead().is_open() {
            self.ahead_mut().arrive(statement);
            self.check_needed(statement, dialect);
        }
        let mut infer = Infer::new(self, dialect, library);
        let checked = infer.statement(statement);
        let (mut errors, warnings) = (infer.errors, infer.warnings);
        errors.sort_by_key(|error| error.labels[0].span.start);
        self.types.commit();
        Outcome { checked: checked.filter(|_| errors.is_empty()), errors, warnings }
    }
}

impl Environment {
    /// Returns a type of the table of primitives; its letters stand for type variables of a class.
    pub(crate) fn table_type(&mut self, text: &str, dialect: Dialect) -> Scheme {
        let written = crate::parser::parse_type(text).unwrap_or_else(|| panic!("`{text}` is a type"));
        let mut infer = Infer::new(self, dialect, true);
        let mut variables = Vec::new();
        let classes =
            [("abcd", Class::Any), ("nmq", Class::Number), ("op", Class::Ordinal), ("lk", Class::Logical)];
        for (letters, class) in classes {
            for letter in letters.chars() {
                variables.push((Text::from(letter.to_string()), infer.env.types.fresh(class)));
            }
        }
        let ty = infer.declared_type(&written, &mut variables);
        assert!(infer.errors.is_empty(), "{text}: {:?}", infer.errors);
        self.types.generalise(ty)
    }
}

impl Infer<'_> {
    fn statement(&mut self, statement: &Statement) -> Option<Checked> {
        match &statement.kind {
            StatementKind::Function(function) => self.function(function, statement),
            StatementKind::Datatype { name, content } => self.datatype(name, content),
            StatementKind::Variants { name, variants, context } => {
                self.variants(name, variants, context.as_ref())
            }
            StatementKind::Assign { pattern, value } => self.assign(pattern, value, false, statement),
            StatementKind::FileAssign { pattern, value } => self.assign(pattern, value, true, statement),
            StatementKind::Expr(expr) => {
                let expr = self.expr(expr);
                self.settled(expr.ty, expr.span).then_some(Checked::Expr(expr))
            }
            StatementKind::Background { value, .. } => {
                self.expr(value);
                Some(Checked::Other)
            }
            StatementKind::Config { .. } | StatementKind::Command { .. } => Some(Checked::Other),
        }
    }

    /// True if a value's type is determined enough to compute the value, and not too large.
    fn settled(&mut self, ty: TypeId, span: Span) -> bool {
        if !self.errors.is_empty() || !self.reasonable(span) {
            return false;
        }
        let function = matches!(self.env.types.get(ty), Type::Function(..));
        if function || self.env.types.variables(ty).is_empty() {
            return true;
        }
        let shown = self.show(ty);
        let diagnostic =
            Diagnostic::new("N0119", format!("the type of this value stays open: `{shown}`"), span)
                .help("only functions may have type variables at the top level");
        self.error(diagnostic);
        false
    }

    fn reasonable(&mut self, span: Span) -> bool {
        let fine = !self.exhausted() && {
            let Extent { depth, size } = self.env.types.extent_since(self.first_node);
            depth <= MAX_DEPTH && size <= MAX_SIZE
        };
        if !fine {
            let diagnostic = Diagnostic::new("N0118", "a type in here grows beyond all reason", span)
                .help("pairs of pairs double with each step; keep what belongs together in sequences");
            self.error(diagnostic);
        }
        fine
    }

    fn function(&mut self, function: &ast::Function, statement: &Statement) -> Option<Checked> {
        let name = &function.name;
        if crate::token::is_operator(&name.text) && !self.library {
            let diagnostic =
                Diagnostic::new("N0115", format!("`{}` cannot be redefined", name.text), name.span)
                    .help("operators keep their meaning; give the function a name of its own");
            self.error(diagnostic);
            return None;
        }
        if self.is_protected(&name.text, name.span) {
            return None;
        }
        let declared = function.declared.as_ref().map(|written| self.declared_function(written));
        let Some(body) = &function.body else {
            let (ty, _) = declared?;
            if !self.errors.is_empty() {
                return None;
            }
            let scheme = self.env.types.generalise(ty);
            let id = self.env.add_global(self.new_global(name, scheme, Meaning::Declared, statement));
            self.bind_global(&name.text, id);
            return Some(Checked::Declared(id));
        };
        let ty = declared.as_ref().map_or_else(|| self.env.types.fresh(Class::Any), |(ty, _)| *ty);
        let scheme = Scheme { variables: Vec::new(), ty };
        let own = self.env.add_global(self.new_global(name, scheme, Meaning::Declared, statement));
        self.env.global_mut(own).defaults = function.defaults.clone();
        self.own = Some(Own { name: name.text.clone(), id: own, ty });
        if self.library {
            return self.body(function, body, declared.as_ref(), own, ty);
        }
        let (inner, borrowed) = (Vec::new(), false);
        self.env.ahead_mut().open(Open { name: name.text.clone(), id: own, ty, borrowed, inner });
        let checked = self.body(function, body, declared.as_ref(), own, ty);
        let open = self.env.ahead_mut().close().filter(|open| open.borrowed);
        let Some(open) = open else { return checked };
        // Those that call it know only the one type that it had while they were read.
        let general = !self.env.global(own).scheme.variables.is_empty();
        if general && checked.is_some() && !open.inner.is_empty() {
            let diagnostic = self.open_circle(name, &open.inner);
            self.error(diagnostic);
        }
        if !self.errors.is_empty() {
            for inner in &open.inner {
                self.env.unbind(inner);
                self.env.ahead_mut().take_back(inner);
            }
            return None;
        }
        checked
    }

    /// The message for mutually recursive functions with polymorphic types.
    fn open_circle(&self, name: &Name, inner: &[Text]) -> Diagnostic {
        let other = &inner[inner.len() - 1];
        let message = format!("`{}` and `{other}` call each other, and their types stay open", name.text);
        Diagnostic::new("N0103", message, name.span)
            .here("calls a function that is defined further down")
            .help(format!(
                "declare the type of one of them before both, as in `function {other}(x) : int -> int;`"
            ))
    }

    /// Checks the body of a function; recursive calls refer to `own`.
    fn body(
        &mut self,
        function: &ast::Function,
        body: &ast::Expr,
        declared: Option<&(TypeId, super::declared::Variables)>,
        own: GlobalId,
        ty: TypeId,
    ) -> Option<Checked> {
        let name = &function.name;
        let pattern = full_pattern(function);
        let from = match *self.env.types.get(ty) {
            Type::Function(from, _) => from,
            _ => self.env.types.fresh(Class::Any),
        };
        let (lambda, inferred) = self.lambda_from(name.text.clone(), &pattern, body, from);
        if let Err(why) = self.env.types.unify(ty, inferred)
            && self.errors.is_empty()
        {
            let what = match declared {
                Some(_) => "the body does not have the declared type; it is",
                None => "the function is used in its own body as if it were another; it is",
            };
            let diagnostic = self.mismatch("N0117", what, name.span, ty, inferred, why);
            self.error(diagnostic);
        }
        if !self.reasonable(name.span) || !self.errors.is_empty() {
            return None;
        }
        if let Some((_, variables)) = declared {
            self.warn_if_narrower(variables, name);
        }
        Some(self.finish_function(name, lambda, inferred, own))
    }

    /// Generalises the type of a function, but for what is a part of the type of another open function: that is known when the body of the other has been checked.
    fn generalise(&self, ty: TypeId) -> Scheme {
        let mut scheme = self.env.types.generalise(ty);
        if !self.library && !scheme.variables.is_empty() {
            for open in self.env.ahead().open_around() {
                let open = self.env.types.variables(open);
                scheme.variables.retain(|variable| !open.contains(variable));
            }
        }
        scheme
    }

    /// Binds the name of a function to a new global, or to the older function of the same type.
    fn finish_function(&mut self, name: &Name, lambda: Lambda, ty: TypeId, own: GlobalId) -> Checked {
        let scheme = self.generalise(ty);
        let meaning = Meaning::Function(Arc::new(lambda));
        let serial = self.serial;
        let global = self.env.global_mut(own);
        (global.scheme, global.meaning, global.serial) = (scheme.clone(), meaning, serial);
        let finished = global.clone();
        let older = match self.library {
            true => self.env.lookup_library(&name.text, self.dialect),
            false => self.env.lookup(&name.text).filter(|id| !self.env.global(*id).library),
        };
        let Some(older) = older else {
            self.bind_global(&name.text, own);
            return Checked::Function(own, Redefinition::New);
        };
        let early = !self.library && self.env.ahead_mut().take_early(&name.text);
        let function = matches!(self.env.global(older).meaning, Meaning::Function(_) | Meaning::Declared);
        if function && self.env.types.same_scheme(&self.env.global(older).scheme, &scheme) {
            let declared = matches!(self.env.global(older).meaning, Meaning::Declared);
            *self.env.global_mut(older) = finished;
            let new = declared || early;
            return Checked::Function(older, if new { Redefinition::New } else { Redefinition::Same });
        }
        self.bind_global(&name.text, own);
        Checked::Function(own, if early { Redefinition::New } else { Redefinition::OtherType })
    }

    /// Binds a name of the library or of the program.
    pub(super) fn bind_global(&mut self, name: &Text, id: GlobalId) {
        match self.library {
            true => self.env.bind_library(name.clone(), id),
            false => self.env.bind(name.clone(), id),
        }
    }

    fn declared_function(&mut self, written: &ast::TypeExpr) -> (TypeId, super::declared::Variables) {
        self.opaque = self.dialect.compat;
        let (ty, variables) = self.declared_with_context(written);
        self.opaque = false;
        if !matches!(self.env.types.get(ty), Type::Function(..)) && self.errors.is_empty() {
            let shown = self.show(ty);
            let diagnostic =
                Diagnostic::new("N0117", format!("`{shown}` is not the type of a function"), written.span)
                    .help("a function of two parameters takes a pair: `(int, int) -> bool`");
            self.error(diagnostic);
        }
        (ty, variables)
    }

    /// Warns if the declared type is more general than the body allows.
    fn warn_if_narrower(&mut self, variables: &super::declared::Variables, name: &Name) {
        let mut seen = Vec::new();
        for (text, variable) in variables {
            let id = self.env.types.resolve(*variable);
            if id == *variable && matches!(self.env.types.get(id), Type::Record(..)) {
                continue;
            }
            let shown = self.show(id);
            let open = matches!(self.env.types.get(id), Type::Var(_));
            if open && !seen.contains(&id) {
                seen.push(id);
                continue;
            }
            let what = if open { "the same as another".to_owned() } else { format!("`{shown}`") };
            let message = format!("`{}` is narrower than declared", name.text);
            let diagnostic = Diagnostic::new("N0120", message, name.span)
                .here(format!("its body makes `{text}` {what}"))
                .help("the narrower type is taken");
            self.warnings.push(diagnostic);
            return;
        }
    }

    fn new_global(&self, name: &Name, scheme: Scheme, meaning: Meaning, statement: &Statement) -> Global {
        let doc = match &statement.kind {
            StatementKind::Function(function) => function.doc.clone(),
            _ => None,
        };
        Global {
            name: name.text.clone(),
            scheme,
            meaning,
            serial: false,
            library: self.library,
            defaults: Vec::new(),
            doc,
            definition: Some(Arc::new(statement.clone())),
            span: name.span,
        }
    }

    fn assign(
        &mut self,
        written: &ast::Pattern,
        value: &ast::Expr,
        file: bool,
        statement: &Statement,
    ) -> Option<Checked> {
        if written.names().iter().any(|name| self.is_protected(&name.text, name.span)) {
            return None;
        }
        let value = self.expr(value);
        if !self.settled(value.ty, value.span) {
            return None;
        }
        if self.dialect.compat
            && matches!(written.kind, PatternKind::Record(..))
            && self.is_constant_record(&value)
        {
            let diagnostic =
                Diagnostic::new("N0124", "the original cannot take a constant record apart", value.span)
                    .help("give the record a name first, or leave `--compat` away");
            self.error(diagnostic);
            return None;
        }
        if let (PatternKind::Name(name), Kind::Lambda(lambda)) = (&written.kind, &value.kind) {
            let name = Name { text: name.clone(), span: written.span };
            let scheme = self.env.types.generalise(value.ty);
            let own = self.env.add_global(self.new_global(&name, scheme, Meaning::Declared, statement));
            return Some(self.finish_function(&name, Lambda::clone(lambda), value.ty, own));
        }
        let mut bound = Vec::new();
        let pattern = self.pattern(written, value.ty, &mut bound);
        let types: Vec<TypeId> =
            bound.iter().map(|name| self.scope[name].last().expect("it was bound").ty).collect();
        self.unbind(&bound);
        let names = written.names().into_iter().zip(types).collect();
        Some(Checked::Assign { pattern, written: written.clone(), names, value, file })
    }
}

/// Returns the parameter of a function, extended by the parameters with defaults.
fn full_pattern(function: &ast::Function) -> ast::Pattern {
    let mut names: Vec<ast::Pattern> = function
        .defaults
        .iter()
        .map(|default| ast::Pattern {
            kind: PatternKind::Name(default.name.text.clone()),
            span: default.name.span,
        })
        .collect();
    let Some(mut tail) = names.pop() else { return function.pattern.clone() };
    while let Some(left) = names.pop() {
        tail = pair(left, tail);
    }
    append(function.pattern.clone(), tail)
}

fn append(pattern: ast::Pattern, tail: ast::Pattern) -> ast::Pattern {
    match pattern.kind {
        PatternKind::Pair(left, right) => pair(*left, append(*right, tail)),
        _ => pair(pattern, tail),
    }
}

fn pair(left: ast::Pattern, right: ast::Pattern) -> ast::Pattern {
    let span = left.span.to(right.span);
    ast::Pattern { kind: PatternKind::Pair(Box::new(left), Box::new(right)), span }
}

/// Makes a global for a value, such as `it`, that the session binds.
pub(crate) fn value_global(name: &Text, ty: Scheme, span: Span) -> Global {
    Global {
        name: name.clone(),
        scheme: ty,
        meaning: Meaning::Value,
        serial: false,
        library: false,
        defaults: Vec::new(),
        doc: None,
        definition: None,
        span,
    }
}
