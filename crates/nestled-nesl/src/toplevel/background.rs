//! Background values: `name &= value` and `get name`. They are evaluated lazily, when asked for.

use super::{Flow, TopLevel};
use crate::ast::{Expr, Name, Pattern, PatternKind, Statement, StatementKind};
use crate::interp::World;
use std::collections::BTreeMap;

/// The values that wait to be evaluated, by name.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    waiting: BTreeMap<String, (Name, Expr)>,
}

impl Jobs {
    pub fn start(&mut self, name: Name, value: Expr) {
        self.waiting.insert(name.text.to_string(), (name, value));
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.waiting.keys()
    }
}

impl TopLevel {
    /// Runs `get name`.
    pub(super) fn get(&mut self, name: &str, world: &mut dyn World) -> Flow {
        let Some((name, value)) = self.jobs.waiting.remove(name) else {
            return self
                .complain(&format!("there is no background job `{name}`; `{name} &= …` makes one"), world);
        };
        let span = name.span.to(value.span);
        let pattern = Pattern { kind: PatternKind::Name(name.text), span: name.span };
        let statement = Statement { kind: StatementKind::Assign { pattern, value }, span };
        self.statement(&statement, false, world)
    }
}
