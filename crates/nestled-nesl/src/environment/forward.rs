//! Forward references: names that a text defines further down than their use.
//!
//! A function used before its definition is checked at that use, and once more at its own place. While a body is checked, its function is *open*: functions that
//! are checked on the way may call it, monomorphically, at the type inferred so far. So mutually recursive functions need no declaration as long as none of
//! their types stays polymorphic.

use crate::ast::{Statement, StatementKind};
use crate::token::Text;
use crate::typed::GlobalId;
use crate::types::TypeId;
use nestled_ir::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Largest number of functions open at once, which bounds cycles of mutual calls: each open function takes stack.
const MAX_OPEN: usize = 40;

/// The definitions further down in the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForwardReferences {
    functions: HashMap<Text, Arc<Statement>>,
    /// Functions that could not be checked before the place that has been reached.
    refused: Vec<(Text, Arc<Statement>)>,
    /// The places where values and datatypes are defined.
    places: HashMap<Text, Span>,
    /// The places where datatypes are defined, by the names of the types.
    types: HashMap<Text, Span>,
    /// Functions that were checked before their place.
    early: HashMap<Text, Arc<Statement>>,
    open: Vec<Open>,
}

/// A function whose body is being checked.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// Its name.
    pub name: Text,
    /// The global that calls of it refer to.
    pub id: GlobalId,
    /// Its type as inferred so far.
    pub ty: TypeId,
    /// True if a function that was checked on the way calls it.
    pub borrowed: bool,
    /// The functions that were checked on the way.
    pub inner: Vec<Text>,
}

impl ForwardReferences {
    /// Replaces the text by another one; for a name defined more than once the first definition counts.
    pub fn expect<'s>(&mut self, statements: impl Iterator<Item = &'s Statement>) {
        *self = ForwardReferences::default();
        for statement in statements {
            match &statement.kind {
                StatementKind::Function(function) if function.body.is_some() => {
                    let name = function.name.text.clone();
                    self.functions.entry(name).or_insert_with(|| Arc::new(statement.clone()));
                }
                StatementKind::Datatype { name, .. } => {
                    self.places.entry(name.text.clone()).or_insert(name.span);
                    self.types.entry(name.text.clone()).or_insert(name.span);
                }
                StatementKind::Variants { name, variants, .. } => {
                    self.types.entry(name.text.clone()).or_insert(name.span);
                    for variant in variants {
                        self.places.entry(variant.name.text.clone()).or_insert(variant.name.span);
                    }
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

    /// Removes the definitions of a statement that is now reached.
    pub fn arrive(&mut self, statement: &Statement) {
        self.try_again();
        let come = |span: Span| span.source == statement.span.source && span.start < statement.span.end;
        if let StatementKind::Function(function) = &statement.kind
            && self.functions.get(&function.name.text).is_some_and(|ahead| come(ahead.span))
        {
            self.functions.remove(&function.name.text);
        }
        self.places.retain(|_, place| !come(*place));
        self.types.retain(|_, place| !come(*place));
    }

    /// Takes a function that is defined further down, to be checked now; none if too many are open.
    pub fn take(&mut self, name: &str) -> Option<Arc<Statement>> {
        let statement = self.functions.get(name)?.clone();
        if self.open.len() >= MAX_OPEN {
            return None;
        }
        self.functions.remove(name);
        Some(statement)
    }

    /// Records that a function was checked before its place.
    pub fn mark_early(&mut self, name: &Text, statement: Arc<Statement>) {
        self.early.insert(name.clone(), statement);
        if let Some(open) = self.open.last_mut() {
            open.inner.push(name.clone());
        }
    }

    /// Returns whether a function was checked before its place, which is now reached, and forgets that.
    pub fn take_early(&mut self, name: &str) -> bool {
        self.early.remove(name).is_some()
    }

    /// Forgets that a function was checked: one that it needs could not be. It can be tried again.
    pub fn take_back(&mut self, name: &Text) {
        if let Some(statement) = self.early.remove(name) {
            self.refuse(name, statement);
        }
    }

    /// Records that a function could not be checked here.
    pub fn refuse(&mut self, name: &Text, statement: Arc<Statement>) {
        self.refused.push((name.clone(), statement));
    }

    /// Allows functions that could not be checked to be tried again.
    pub fn try_again(&mut self) {
        self.functions.extend(self.refused.drain(..));
    }

    /// True while a body is being checked.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns the definition of a function further down.
    pub fn function(&self, name: &str) -> Option<&Arc<Statement>> {
        self.functions.get(name)
    }

    /// Returns the place where a name is defined further down.
    pub fn place(&self, name: &str) -> Option<Span> {
        let refused = self.refused.iter().find(|(refused, _)| &**refused == name);
        let function = self.functions.get(name).or(refused.map(|(_, statement)| statement));
        let function = function.map(|statement| match &statement.kind {
            StatementKind::Function(function) => function.name.span,
            _ => statement.span,
        });
        function.or_else(|| self.places.get(name).copied())
    }

    /// Returns the place where a datatype is defined further down.
    pub fn place_of_type(&self, name: &str) -> Option<Span> {
        self.types.get(name).copied()
    }

    /// Opens a function: its body begins.
    pub fn open(&mut self, open: Open) {
        self.open.push(open);
    }

    /// Closes the function opened last. What was checked on the way to it was so on the way to the one around it, too.
    pub fn close(&mut self) -> Option<Open> {
        let closed = self.open.pop()?;
        if let Some(around) = self.open.last_mut() {
            around.inner.extend(closed.inner.iter().cloned());
        }
        Some(closed)
    }

    /// Returns the open function of this name and marks it as borrowed.
    pub fn borrow(&mut self, name: &str) -> Option<&Open> {
        let open = self.open.iter_mut().rev().find(|open| &*open.name == name)?;
        open.borrowed = true;
        Some(open)
    }

    /// Returns the types of the open functions around the one opened last.
    pub fn open_around(&self) -> impl Iterator<Item = TypeId> {
        self.open.iter().rev().skip(1).map(|open| open.ty)
    }
}
