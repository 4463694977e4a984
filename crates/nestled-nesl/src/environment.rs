//! What the top level knows: names, types, datatypes.

mod ahead;

pub(crate) use ahead::{Ahead, Open};

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
    /// What it stands for.
    pub meaning: Meaning,
    /// Whether it must not be used inside an apply-to-each.
    pub serial: bool,
    /// Whether it belongs to the language. Such a one is never replaced, only hidden.
    pub library: bool,
    /// Trailing parameters with defaults, which calls may leave out.
    pub defaults: Vec<ast::Keyword>,
    /// Documentation.
    pub doc: Option<Vec<u8>>,
    /// The definition as it was written.
    pub definition: Option<Arc<ast::Statement>>,
    /// Where its name was written.
    pub span: Span,
}

/// What a global stands for.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A function with a body.
    Function(Arc<Lambda>),
    /// A function of the language itself.
    Primitive(Primitive),
    /// The constructor of a datatype.
    Constructor(RecordId),
    /// A value, kept by whoever runs the program.
    Value,
    /// A function that was declared and not yet defined.
    Declared,
}

/// Everything that statements may refer to.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The types of all that follows.
    pub types: Types,
    /// The datatypes.
    pub records: Vec<Record>,
    globals: Vec<Global>,
    names: HashMap<Text, GlobalId>,
    hidden: HashMap<Text, GlobalId>,
    /// Definitions of the library that nobody asked for yet.
    unread: HashMap<Text, Arc<ast::Statement>>,
    type_names: HashMap<Text, RecordId>,
    ahead: Ahead,
    n_locals: u32,
    n_lambdas: u32,
}

impl Environment {
    /// The global of this number.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// The global of this number, to be changed.
    pub fn global_mut(&mut self, id: GlobalId) -> &mut Global {
        &mut self.globals[id.0 as usize]
    }

    /// Adds a global that no name leads to yet.
    pub fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// Lets a name mean a global from now on.
    pub fn bind(&mut self, name: Text, id: GlobalId) {
        self.names.insert(name, id);
    }

    /// Takes a name's meaning away.
    pub(crate) fn unbind(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// What the text that is being read has further down.
    pub(crate) fn ahead(&self) -> &Ahead {
        &self.ahead
    }

    /// The same, to be changed.
    pub(crate) fn ahead_mut(&mut self) -> &mut Ahead {
        &mut self.ahead
    }

    /// Gives the library a name. Programs see it unless it begins with `_`, or they have defined it before.
    pub fn bind_library(&mut self, name: Text, id: GlobalId) {
        if !name.starts_with('_') {
            self.names.entry(name.clone()).or_insert(id);
        }
        self.hidden.insert(name, id);
    }

    /// What a name means in a program that defined it, or used it before.
    pub fn lookup(&self, name: &str) -> Option<GlobalId> {
        self.names.get(name).copied()
    }

    /// What a name means in a program.
    pub fn lookup_any(&mut self, name: &str, dialect: Dialect) -> Option<GlobalId> {
        match self.lookup(name) {
            Some(id) => Some(id),
            None if name.starts_with('_') => None,
            None => self.lookup_library(name, dialect),
        }
    }

    /// Whether a name means something of the library.
    pub fn is_of_library(&self, name: &str) -> bool {
        match self.names.get(name) {
            Some(id) => self.global(*id).library,
            None => {
                !name.starts_with('_') && (self.unread.contains_key(name) || self.hidden.contains_key(name))
            }
        }
    }

    /// What a name means in the library, whose functions are checked when they are first asked for.
    pub fn lookup_library(&mut self, name: &str, dialect: Dialect) -> Option<GlobalId> {
        if let Some(statement) = self.unread.remove(name) {
            let outcome = self.check(&statement, dialect, true);
            assert!(outcome.errors.is_empty(), "`{name}` of the library: {:?}", outcome.errors);
        }
        self.hidden.get(name).copied()
    }

    /// Keeps a definition of the library until it is asked for; it takes the place of an earlier one.
    pub fn keep_for_later(&mut self, name: Text, statement: ast::Statement) {
        self.unread.insert(name, Arc::new(statement));
    }

    #[cfg(test)]
    pub(crate) fn unread_names(&self) -> Vec<Text> {
        self.unread.keys().cloned().collect()
    }

    /// Every visible name, in no order that means anything.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        let unread =
            self.unread.keys().filter(|name| !name.starts_with('_') && !self.names.contains_key(*name));
        self.names.keys().chain(unread)
    }

    /// Adds a datatype; a name that is taken means the new one from now on.
    pub fn add_record(&mut self, record: Record) -> RecordId {
        let id = RecordId(self.records.len() as u32);
        self.type_names.insert(record.name.clone(), id);
        self.records.push(record);
        id
    }

    /// Adds a datatype that no name leads to.
    pub fn add_hidden_record(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId(self.records.len() as u32 - 1)
    }

    /// The datatype of this name.
    pub fn record_named(&self, name: &str) -> Option<RecordId> {
        self.type_names.get(name).copied()
    }

    /// The names of all datatypes.
    pub fn record_names(&self) -> impl Iterator<Item = &Text> {
        self.type_names.keys()
    }

    /// A local name that was never used.
    pub fn new_local(&mut self) -> LocalId {
        self.n_locals += 1;
        LocalId(self.n_locals - 1)
    }

    /// An identity for a function value.
    pub fn new_lambda(&mut self) -> LambdaId {
        self.n_lambdas += 1;
        LambdaId(self.n_lambdas - 1)
    }
}
