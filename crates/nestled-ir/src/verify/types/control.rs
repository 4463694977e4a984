//! Checks the types of control flow in thunks: branch results and carried values.

use super::thunk::ThunkTypes;
use crate::diagnostic::Diagnostic;
use crate::id::LocalId;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::thunk::{Atom, Block, Carried};
use crate::verify::names;

impl ThunkTypes<'_, '_> {
    /// `(a, b) = if c { … } else { … }`
    pub(super) fn branch(&mut self, dsts: &[LocalId], cond: Atom, blocks: [&Block; 2], span: Span) {
        self.condition(cond, span);
        let wanted: Vec<ScalarType> = dsts.iter().map(|&dst| self.thunk.local_type(dst)).collect();
        for (block, what) in blocks.into_iter().zip(["the first branch", "the `else` branch"]) {
            self.stmts(block);
            let found = self.atom_types(&block.results, span);
            self.expect_results("L0321", what, &wanted, &found, span);
        }
    }

    /// `(a) = for k in from..to with (x = 0) { … }`
    pub(super) fn counted_loop(
        &mut self,
        dsts: &[LocalId],
        var: LocalId,
        bounds: [Atom; 2],
        carried: &[Carried],
        body: &Block,
        span: Span,
    ) {
        for bound in bounds {
            self.expect("L0311", "a bound of `for`", ScalarType::Idx, bound, span);
        }
        self.declared(var, ScalarType::Idx, span);
        self.carried(dsts, carried, span);
        self.round(carried, body, span);
    }

    /// `(a) = while (x = 0) { cond } do { … }`
    pub(super) fn loop_(
        &mut self,
        dsts: &[LocalId],
        carried: &[Carried],
        cond: &Block,
        body: &Block,
        span: Span,
    ) {
        self.carried(dsts, carried, span);
        self.stmts(cond);
        let found = self.atom_types(&cond.results, span);
        self.expect_results("L0312", "the condition of `while`", &[ScalarType::Bool], &found, span);
        self.round(carried, body, span);
    }

    /// Checks that initial and final values have the types of the carried values.
    fn carried(&mut self, dsts: &[LocalId], carried: &[Carried], span: Span) {
        if dsts.len() != carried.len() {
            let message = format!(
                "the loop carries {}, but {} bound",
                names::count(carried.len(), "value"),
                names::count(dsts.len(), "name")
            );
            self.report.add(Diagnostic::new("L0322", message, span));
        }
        for (&dst, carried) in dsts.iter().zip(carried) {
            self.declared(dst, self.thunk.local_type(carried.local), span);
        }
        for carried in carried {
            let what = format!("the first value of `{}`", names::local(self.thunk, carried.local));
            self.expect("L0322", &what, self.thunk.local_type(carried.local), carried.init, span);
        }
    }

    /// Checks that the results of a round have the types of the carried values.
    fn round(&mut self, carried: &[Carried], body: &Block, span: Span) {
        self.stmts(body);
        let wanted: Vec<ScalarType> =
            carried.iter().map(|carried| self.thunk.local_type(carried.local)).collect();
        let found = self.atom_types(&body.results, span);
        self.expect_results("L0322", "the body of the loop", &wanted, &found, span);
    }
}
