//! The scope of a thunk in a kernel: the kernel's values by name, and the levels at which combinators bound them.

use super::signature::{Binding, Values};
use crate::host::HostAtom;
use crate::id::ValueId;
use crate::scalar::ScalarType;
use crate::text::ast::Ident;
use crate::types::Type;

/// The scope that a kernel gives to its thunks.
pub(super) struct KernelScope {
    pub values: Values,
    /// For each value the level at which a combinator bound it; `None` for parameters.
    levels: Vec<Option<usize>>,
}

impl KernelScope {
    /// The scope of a kernel that has its parameters.
    pub fn new(values: Values) -> KernelScope {
        let levels = vec![None; values.table.len()];
        KernelScope { values, levels }
    }

    /// Gives the values that were made last a level.
    pub fn at_level(&mut self, level: usize) {
        self.levels.resize(self.values.table.len(), Some(level));
    }

    /// The level at which a value lives, if a combinator bound it.
    pub fn level(&self, value: ValueId) -> Option<usize> {
        self.levels.get(value.index()).copied().flatten()
    }

    /// The value that a combinator bound under this name, with its level.
    pub fn bound(&self, name: &Ident) -> Option<(ValueId, usize)> {
        match self.values.names.get(name) {
            Some(Binding::Atom(HostAtom::Value(value))) => self.level(*value).map(|level| (*value, level)),
            _ => None,
        }
    }

    /// The element type of the value with this name.
    pub fn element(&self, name: &Ident) -> Option<ScalarType> {
        match self.values.names.get(name) {
            Some(Binding::Atom(HostAtom::Value(value))) => match &self.values.table[value.index()].ty {
                Type::Array(array) => Some(array.elem),
                Type::Dim => Some(ScalarType::Idx),
                Type::Seg(_) => None,
            },
            _ => None,
        }
    }
}
