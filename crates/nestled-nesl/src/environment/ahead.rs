//! Forward references: what a text defines further down than where it is used.
//!
//! A function that is used before its definition is checked there and then, and once more when its own place comes. While a body is being read, the function it
//! belongs to is *open*: functions that are checked on the way may call it, at the one type that it has so far. So functions that call each other
//! need no declaration as long as none of their types stays open.

use crate::ast::{Statement, StatementKind};
use crate::token::Text;
use crate::typed::GlobalId;
use crate::types::TypeId;
use nestled_ir::Span;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// No circle of functions that call each other is longer: each takes stack.
const MAX_OPEN: usize = 40;

/// What is further down.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    functions: HashMap<Text, Arc<Statement>>,
    /// Those that could not be checked before the place that has been reached.
    refused: Vec<(Text, Arc<Statement>)>,
    /// Where values and datatypes get their names.
    places: HashMap<Text, Span>,
    /// Functions that were checked before their place.
    early: HashSet<Text>,
    open: Vec<Open>,
}

/// A function whose body is being read.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// Its name.
    pub name: Text,
    /// What calls of it mean.
    pub id: GlobalId,
    /// Its type, as far as it is known.
    pub ty: TypeId,
    /// Whether a function that was checked on the way calls it.
    pub borrowed: bool,
    /// The functions that were checked on the way.
    pub inner: Vec<Text>,
}

impl Ahead {
    /// Forgets another text; of a name that is defined more than once the first definition counts.
    pub fn expect<'s>(&mut self, statements: impl Iterator<Item = &'s Statement>) {
        *self = Ahead::default();
        for statement in statements {
            match &statement.kind {
                StatementKind::Function(function) if function.body.is_some() => {
                    let name = function.name.text.clone();
                    self.functions.entry(name).or_insert_with(|| Arc::new(statement.clone()));
                }
                StatementKind::Datatype { name, .. } => {
                    self.places.entry(name.text.clone()).or_insert(name.span);
                }
                StatementKind::Assign { pattern, .. } | StatementKind::FileAssign { pattern, .. } => {
                    for name in pattern.names() {
                        self.places.entry(name.text).or_insert(name.span);
                    }
                }
                _ => {}
            }
        }
    }

    /// The place of a statement has come.
    pub fn arrive(&mut self, statement: &Statement) {
        self.try_again();
        let come = |span: Span| span.source == statement.span.source && span.start < statement.span.end;
        if let StatementKind::Function(function) = &statement.kind
            && self.functions.get(&function.name.text).is_some_and(|ahead| come(ahead.span))
        {
            self.functions.remove(&function.name.text);
        }
        self.places.retain(|_, place| !come(*place));
    }

    /// A function that is defined further down, to be checked now, unless too many are already.
    pub fn take(&mut self, name: &str) -> Option<Arc<Statement>> {
        let statement = self.functions.get(name)?.clone();
        if self.open.len() >= MAX_OPEN {
            return None;
        }
        self.functions.remove(name);
        Some(statement)
    }

    /// A function has a meaning before its place.
    pub fn is_early(&mut self, name: &Text) {
        self.early.insert(name.clone());
        if let Some(open) = self.open.last_mut() {
            open.inner.push(name.clone());
        }
    }

    /// Whether a function had a meaning before its place, which has come.
    pub fn was_early(&mut self, name: &str) -> bool {
        self.early.remove(name)
    }

    /// A function could not be checked here.
    pub fn refuse(&mut self, name: &Text, statement: Arc<Statement>) {
        self.refused.push((name.clone(), statement));
    }

    /// What could not be checked perhaps can be now.
    pub fn try_again(&mut self) {
        self.functions.extend(self.refused.drain(..));
    }

    /// Whether a body is being read.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// What a function that is defined further down is.
    pub fn function(&self, name: &str) -> Option<&Arc<Statement>> {
        self.functions.get(name)
    }

    /// Where a name is defined, if that is further down.
    pub fn place(&self, name: &str) -> Option<Span> {
        let refused = self.refused.iter().find(|(refused, _)| &**refused == name);
        let function = self.functions.get(name).or(refused.map(|(_, statement)| statement));
        let function = function.map(|statement| match &statement.kind {
            StatementKind::Function(function) => function.name.span,
            _ => statement.span,
        });
        function.or_else(|| self.places.get(name).copied())
    }

    /// Begins the body of a function.
    pub fn open(&mut self, open: Open) {
        self.open.push(open);
    }

    /// Ends it.
    pub fn close(&mut self) -> Option<Open> {
        self.open.pop()
    }

    /// The function of this name whose body is being read; it is borrowed.
    pub fn borrow(&mut self, name: &str) -> Option<&Open> {
        let open = self.open.iter_mut().rev().find(|open| &*open.name == name)?;
        open.borrowed = true;
        Some(open)
    }

    /// The types of the functions whose bodies are being read.
    pub fn open_types(&self) -> Vec<TypeId> {
        self.open.iter().map(|open| open.ty).collect()
    }
}
