//! Name resolution: names of functions become numbers. Of several definitions the last one counts, also for calls before it.

use super::ast::{Function, Program, Stmt, StmtKind};
use super::codes;
use super::parser::Parser;
use nestled_ir::Diagnostic;
use std::collections::HashMap;
use std::sync::Arc;

impl Parser<'_> {
    /// Resolves all calls, and finds the entry.
    pub(super) fn link(&mut self, functions: Vec<Function>) -> Option<Program> {
        if functions.is_empty() {
            if self.wrong.is_empty() {
                let end = self.tokens[self.tokens.len() - 1].span;
                self.wrong.push(Diagnostic::new(codes::NOTHING, "there is no function here", end));
            }
            return None;
        }
        // The last definition of a name counts.
        let mut last: HashMap<Arc<str>, usize> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            let earlier = last.insert(function.name.clone(), index);
            if let (Some(earlier), "MAIN") = (earlier, &*function.name) {
                self.wrong.push(
                    Diagnostic::new(codes::MAIN_TWICE, "`MAIN` is defined twice", function.span)
                        .label(functions[earlier].span, "first here"),
                );
            }
        }
        let first = functions[0].name.clone();
        let mut kept: Vec<usize> = last.values().copied().collect();
        kept.sort_unstable();
        let place: HashMap<&str, usize> =
            kept.iter().enumerate().map(|(new, &old)| (&*functions[old].name, new)).collect();
        let mut targets = Vec::new();
        for &(name, span) in &self.calls {
            match place.get(name) {
                Some(&target) => targets.push(target),
                None => {
                    targets.push(0);
                    let message = format!("there is no function `{name}`");
                    self.wrong.push(Diagnostic::new(codes::UNDEFINED, message, span));
                }
            }
        }
        let entry = place.get("MAIN").or_else(|| place.get(&*first)).copied().unwrap_or(0);
        let mut functions: Vec<Option<Function>> = functions.into_iter().map(Some).collect();
        let functions = kept.into_iter().filter_map(|index| functions[index].take());
        let functions = functions.map(|mut function| {
            retarget(&mut function.body, &targets);
            function
        });
        Some(Program { functions: functions.collect(), entry })
    }
}

/// Replaces numbers of names by numbers of functions.
fn retarget(stmts: &mut [Stmt], targets: &[usize]) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Call(target) => *target = targets[*target],
            StmtKind::If { then, otherwise } => {
                retarget(then, targets);
                retarget(otherwise, targets);
            }
            _ => {}
        }
    }
}
