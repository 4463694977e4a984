//! Order of checking for functions used before their definition: dependencies first, so that only mutually recursive functions are checked inside one another.

use super::Checked;
use crate::ast::{Expr, ExprKind, Statement, StatementKind};
use crate::dialect::Dialect;
use crate::environment::Environment;
use crate::token::Text;
use crate::typed::GlobalId;
use std::collections::HashSet;

impl Environment {
    /// Checks a function that is defined further down, now.
    pub(super) fn check_early(&mut self, name: &Text, dialect: Dialect) -> Option<GlobalId> {
        let statement = self.ahead_mut().take(name)?;
        match self.check(&statement, dialect, false).checked {
            Some(Checked::Function(id, _)) => {
                self.ahead_mut().mark_early(name, statement);
                Some(id)
            }
            _ => {
                self.ahead_mut().refuse(name, statement);
                None
            }
        }
    }

    /// Checks the functions further down on which a statement depends.
    pub(super) fn check_needed(&mut self, statement: &Statement, dialect: Dialect) {
        let mut seen = HashSet::new();
        // What is needed, and whether all is that it needs itself.
        let mut work: Vec<(Text, bool)> = self.needs(statement);
        while let Some((name, ready)) = work.pop() {
            if ready {
                self.check_early(&name, dialect);
            } else if seen.insert(name.clone())
                && let Some(function) = self.ahead().function(&name).cloned()
            {
                work.push((name, true));
                work.extend(self.needs(&function));
            }
        }
        // Those that need the statement itself can be checked inside of it.
        self.ahead_mut().try_again();
    }

    /// Returns the functions further down that a statement names, for names that have no meaning yet.
    fn needs(&self, statement: &Statement) -> Vec<(Text, bool)> {
        let mut found = Vec::new();
        let mut pending: Vec<&Expr> = match &statement.kind {
            StatementKind::Function(function) => {
                let defaults = function.defaults.iter().map(|default| &default.value);
                function.body.iter().chain(defaults).collect()
            }
            StatementKind::Assign { value, .. }
            | StatementKind::FileAssign { value, .. }
            | StatementKind::Background { value, .. }
            | StatementKind::Expr(value) => vec![value],
            StatementKind::Datatype { .. }
            | StatementKind::Variants { .. }
            | StatementKind::Config { .. }
            | StatementKind::Command { .. } => Vec::new(),
        };
        while let Some(expr) = pending.pop() {
            if let ExprKind::Name(name) = &expr.kind
                && self.ahead().function(name).is_some()
                && self.lookup(name).is_none()
                && !self.is_of_library(name)
            {
                found.push((name.clone(), false));
            }
            expr.kind.visit(&mut |part| pending.push(part));
        }
        found
    }
}
