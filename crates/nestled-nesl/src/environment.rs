//! The environment of the top level: a symbol table of names, types and datatypes.

mod data;
mod forward;

pub(crate) use forward::{ForwardReferences, Open};

use crate::ast;
use crate::dialect::Dialect;
use crate::primitive::Primitive;
use crate::token::Text;
use crate::typed::{GlobalId, Lambda, LambdaId, LocalId};
use crate::types::{Record, RecordId, Scheme, Types};
use nestled_ir::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// A name of the top level.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Text,
    /// Its type.
    pub scheme: Scheme,
    /// The meaning of the name.
    pub meaning: Meaning,
    /// True if it must not be used inside an apply-to-each.
    pub serial: bool,
    /// True if it belongs to the language's library. Library names are never replaced, only hidden.
    pub library: bool,
    /// Trailing parameters with defaults, which calls may leave out.
    pub defaults: Vec<ast::Keyword>,
    /// Documentation.
    pub doc: Option<Vec<u8>>,
    /// The definition as it was written.
    pub definition: Option<Arc<ast::Statement>>,
    /// The place where its name was written.
    pub span: Span,
}

/// The meaning of a global name.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A function with a body.
    Function(Arc<Lambda>),
    /// A primitive of the language.
    Primitive(Primitive),
    /// The constructor of a datatype.
    Constructor(RecordId),
    /// The constructor of a variant, by its number; a constant if the variant has no content.
    Variant(RecordId, usize),
    /// A value, kept by the engine that runs the programs.
    Value,
    /// A function that was declared and not yet defined.
    Declared,
}

/// The symbol table: everything that statements may refer to.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The inference's types of all entries.
    pub types: Types,
    /// The datatypes.
    pub records: Vec<Record>,
    globals: Vec<Global>,
    names: HashMap<Text, GlobalId>,
    hidden: HashMap<Text, GlobalId>,
    /// Definitions of the library that no program has used yet; they are checked at their first use.
    unread: HashMap<Text, Arc<ast::Statement>>,
    type_names: HashMap<Text, RecordId>,
    ahead: ForwardReferences,
    n_locals: u32,
    n_lambdas: u32,
}

impl Environment {
    /// Returns a global.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// Returns a global, to be changed.
    pub fn global_mut(&mut self, id: GlobalId) -> &mut Global {
        &mut self.globals[id.0 as usize]
    }

    /// Adds a global without binding a name to it.
    pub fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// Binds a name to a global from now on.
    pub fn bind(&mut self, name: Text, id: GlobalId) {
        self.names.insert(name, id);
    }

    /// Removes the binding of a name.
    pub(crate) fn unbind(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// Returns the definitions further down in the text that is being read.
    pub(crate) fn ahead(&self) -> &ForwardReferences {
        &self.ahead
    }

    /// Returns the definitions further down in the text that is being read, to be changed.
    pub(crate) fn ahead_mut(&mut self) -> &mut ForwardReferences {
        &mut self.ahead
    }

    /// Binds a name of the library. Programs see it unless it begins with `_` or they have defined it before.
    pub fn bind_library(&mut self, name: Text, id: GlobalId) {
        if !name.starts_with('_') {
            self.names.entry(name.clone()).or_insert(id);
        }
        self.hidden.insert(name, id);
    }

    /// Looks up a name among those that the program defined or has used before.
    pub fn lookup(&self, name: &str) -> Option<GlobalId> {
        self.names.get(name).copied()
    }

    /// Looks up a name for a program, the library included.
    pub fn lookup_any(&mut self, name: &str, dialect: Dialect) -> Option<GlobalId> {
        match self.lookup(name) {
            Some(id) => Some(id),
            None if name.starts_with('_') => None,
            None => self.lookup_library(name, dialect),
        }
    }

    /// True if a program's name refers to the library.
    pub fn is_of_library(&self, name: &str) -> bool {
        match self.names.get(name) {
            Some(id) => self.global(*id).library,
            None => {
                !name.starts_with('_') && (self.unread.contains_key(name) || self.hidden.contains_key(name))
            }
        }
    }

    /// Looks up a name for the library; checks the definition if this is its first use.
    pub fn lookup_library(&mut self, name: &str, dialect: Dialect) -> Option<GlobalId> {
        if let Some(statement) = self.unread.remove(name) {
            let outcome = self.check(&statement, dialect, true);
            assert!(outcome.errors.is_empty(), "`{name}` of the library: {:?}", outcome.errors);
        }
        self.hidden.get(name).copied()
    }

    /// Keeps a definition of the library unchecked until its first use; it replaces an earlier one.
    pub fn keep_for_later(&mut self, name: Text, statement: ast::Statement) {
        self.unread.insert(name, Arc::new(statement));
    }

    #[cfg(test)]
    pub(crate) fn unread_names(&self) -> Vec<Text> {
        self.unread.keys().cloned().collect()
    }

    /// Returns every visible name, in unspecified order.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        let unread =
            self.unread.keys().filter(|name| !name.starts_with('_') && !self.names.contains_key(*name));
        self.names.keys().chain(unread)
    }

    /// Adds a datatype; a name that is taken refers to the new one from now on.
    pub fn add_record(&mut self, record: Record) -> RecordId {
        let id = RecordId(self.records.len() as u32);
        self.type_names.insert(record.name.clone(), id);
        self.records.push(record);
        id
    }

    /// Adds a datatype without binding a name to it.
    pub fn add_hidden_record(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId(self.records.len() as u32 - 1)
    }

    /// Returns a datatype, to be changed.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// Removes the datatype that was added last, which turned out to be wrong.
    pub(crate) fn remove_record(&mut self, older: Option<RecordId>) {
        let record = self.records.pop().expect("it was added");
        match older {
            Some(older) => self.type_names.insert(record.name, older),
            None => self.type_names.remove(&record.name),
        };
    }

    /// Returns the datatype of this name.
    pub fn record_named(&self, name: &str) -> Option<RecordId> {
        self.type_names.get(name).copied()
    }

    /// Returns the names of all datatypes.
    pub fn record_names(&self) -> impl Iterator<Item = &Text> {
        self.type_names.keys()
    }

    /// Returns a fresh local name.
    pub fn new_local(&mut self) -> LocalId {
        self.n_locals += 1;
        LocalId(self.n_locals - 1)
    }

    /// Returns a fresh identity for a function value.
    pub fn new_lambda(&mut self) -> LambdaId {
        self.n_lambdas += 1;
        LambdaId(self.n_lambdas - 1)
    }
}
