//! Elaboration of private arrays: their creation, and writes to them.

use super::thunk::{Binding, ThunkCx};
use super::{Broken, Elab};
use crate::diagnostic::Diagnostic;
use crate::id::PrivateId;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::text::ast::{self, Expr, Ident, SiteMark};
use crate::thunk::{Private, StmtKind};

impl ThunkCx<'_> {
    pub(super) fn private(&mut self, name: &Ident, size: &Expr, elem: ScalarType, span: Span) -> Elab<()> {
        let size = self.expr(size, Some(ScalarType::Idx));
        self.thunk.privates.push(Private { name: name.name.clone(), elem });
        let array = PrivateId::from(self.thunk.privates.len() - 1);
        self.bind(name, Binding::Private(array));
        self.emit(StmtKind::PrivateNew { array, size: size? }, span);
        Ok(())
    }

    pub(super) fn set(
        &mut self,
        array: &Ident,
        index: &[ast::IndexExpr],
        site: SiteMark,
        value: &Expr,
        span: Span,
    ) -> Elab<()> {
        let private = match self.names.get(array) {
            Some(Binding::Private(private)) => *private,
            Some(Binding::Broken) => return Err(Broken),
            _ => {
                let message = format!("`{}` is not a private array", array.text());
                let diagnostic = Diagnostic::new("L0109", message, array.span);
                return self.reports.report(diagnostic.help("only private arrays are written to"));
            }
        };
        let (at, proved) = self.private_index(index, span)?;
        let elem = self.thunk.privates[private.index()].elem;
        let value = self.expr(value, Some(elem))?;
        let site = if proved { None } else { Some(self.reports.sites.take(site, span)?) };
        self.emit(StmtKind::PrivateSet { array: private, at, value, site }, span);
        Ok(())
    }
}
