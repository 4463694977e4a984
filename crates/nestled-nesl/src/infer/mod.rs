//! Type inference and name resolution: from the syntax tree to the typed tree.
//!
//! This is Hindley–Milner inference with type classes; types are generalised at the top level only. An error gives its node a type that fits anywhere, so that
//! one run finds several errors.

mod apply;
mod datatype;
mod declared;
mod each;
mod expr;
mod guard;
mod matching;
mod order;
mod pattern;
mod protected;
mod report;
mod statement;

pub(crate) use statement::value_global;
pub use statement::{Checked, Redefinition};

use crate::ast::Name;
use crate::dialect::Dialect;
use crate::environment::Environment;
use crate::token::Text;
use crate::typed::{Expr, GlobalId, Kind, LocalId};
use crate::types::{Base, Class, Type, TypeId, TypePrinter};
use nestled_ir::{Diagnostic, Span};
use std::collections::HashMap;

/// The result of checking a statement.
#[derive(Debug)]
pub struct Outcome {
    /// The typed statement, if there are no errors.
    pub checked: Option<Checked>,
    /// The errors found.
    pub errors: Vec<Diagnostic>,
    /// Warnings: code that is legal but probably not meant.
    pub warnings: Vec<Diagnostic>,
}

/// Largest number of type nodes of a statement; real statements make some thousands.
const MAX_NODES: usize = 2_000_000;
/// Largest depth of a type, so that later passes may walk over types recursively.
const MAX_DEPTH: usize = 200;

/// Largest size of a type written out as a tree, with shared parts repeated.
const MAX_SIZE: usize = 1 << 14;

/// A local name in scope.
#[derive(Clone, Copy)]
struct Local {
    id: LocalId,
    ty: TypeId,
    /// The number of function values around its binding.
    level: usize,
}

/// The function whose body is being checked.
struct Own {
    name: Text,
    id: GlobalId,
    ty: TypeId,
}

struct Infer<'e> {
    env: &'e mut Environment,
    dialect: Dialect,
    /// True if the text belongs to the library and may use its hidden names.
    library: bool,
    scope: HashMap<Text, Vec<Local>>,
    own: Option<Own>,
    /// The captured names of each function value around the current place.
    captured: Vec<Vec<LocalId>>,
    /// The number of parallel apply-to-eaches around the current place.
    parallel: usize,
    serial: bool,
    /// True if an unknown type name denotes a type without values, as in the original.
    opaque: bool,
    first_node: usize,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'e> Infer<'e> {
    fn new(env: &'e mut Environment, dialect: Dialect, library: bool) -> Infer<'e> {
        let first_node = env.types.len();
        Infer {
            env,
            dialect,
            library,
            scope: HashMap::new(),
            own: None,
            captured: Vec::new(),
            parallel: 0,
            serial: false,
            opaque: false,
            first_node,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    /// Returns a node for an expression with an error that was already reported.
    fn broken(&mut self, span: Span) -> Expr {
        let ty = self.env.types.fresh(Class::Any);
        Expr { kind: Kind::Bool(false), ty, span }
    }

    fn base(&mut self, base: Base) -> TypeId {
        self.env.types.add(Type::Base(base))
    }

    fn sequence_of(&mut self, element: TypeId) -> TypeId {
        self.env.types.add(Type::Seq(element))
    }

    fn pair_of(&mut self, left: TypeId, right: TypeId) -> TypeId {
        self.env.types.add(Type::Pair(left, right))
    }

    fn show(&self, ty: TypeId) -> String {
        TypePrinter::new(&self.env.types, &self.env.records).ty(ty)
    }

    /// Prints two types with the same names for the same variables.
    fn show_two(&self, one: TypeId, other: TypeId) -> (String, String) {
        let mut printer = TypePrinter::new(&self.env.types, &self.env.records);
        (printer.ty(one), printer.ty(other))
    }

    /// Resolves a name: a local, the function being defined, or a global.
    fn name(&mut self, name: &Name) -> Expr {
        let span = name.span;
        if let Some(&local) = self.scope.get(&name.text).and_then(|locals| locals.last()) {
            for captured in &mut self.captured[local.level..] {
                if !captured.contains(&local.id) {
                    captured.push(local.id);
                }
            }
            return Expr { kind: Kind::Local(local.id), ty: local.ty, span };
        }
        if let Some(own) = self.own.as_ref().filter(|own| own.name == name.text) {
            return Expr { kind: Kind::Global(own.id, Vec::new()), ty: own.ty, span };
        }
        if !self.library
            && let Some(open) = self.env.ahead_mut().borrow(&name.text)
        {
            return Expr { kind: Kind::Global(open.id, Vec::new()), ty: open.ty, span };
        }
        let global = self.global_named(&name.text).or_else(|| self.further_down(&name.text));
        match global {
            Some(id) => self.global(id, span),
            None => {
                let diagnostic = self.undefined(name);
                self.error(diagnostic);
                self.broken(span)
            }
        }
    }

    /// Resolves a function that the text defines further down. Errors in it are reported at its own place.
    fn further_down(&mut self, name: &Text) -> Option<GlobalId> {
        if self.library {
            return None;
        }
        self.env.check_early(name, self.dialect)
    }

    fn global_named(&mut self, name: &str) -> Option<GlobalId> {
        match self.library {
            true => self.env.lookup_library(name, self.dialect),
            false => self.env.lookup_any(name, self.dialect),
        }
    }

    fn global(&mut self, id: GlobalId, span: Span) -> Expr {
        let global = self.env.global(id);
        let scheme = global.scheme.clone();
        if global.serial {
            self.serial = true;
            if self.parallel > 0 {
                let name = &global.name;
                let message = format!("`{name}` cannot be used inside an apply-to-each");
                let diagnostic = Diagnostic::new("N0114", message, span)
                    .here("it has an effect that must not happen many times at once")
                    .help("`{* … }` takes one element after another, and may use it");
                self.error(diagnostic);
            }
        }
        let (ty, chosen) = self.env.types.instantiate(&scheme);
        Expr { kind: Kind::Global(id, chosen), ty, span }
    }

    fn bind(&mut self, name: &Text, ty: TypeId) -> LocalId {
        let id = self.env.new_local();
        let level = self.captured.len();
        self.scope.entry(name.clone()).or_default().push(Local { id, ty, level });
        id
    }

    fn unbind(&mut self, names: &[Text]) {
        for name in names {
            self.scope.get_mut(name).expect("the name was bound").pop();
        }
    }

    /// True if the statement became too large to go on with.
    fn exhausted(&self) -> bool {
        self.env.types.len() - self.first_node > MAX_NODES
    }
}
