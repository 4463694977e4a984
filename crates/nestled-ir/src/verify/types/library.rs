//! Checks the types of library operations, which devices implement natively.

use super::host::HostTypes;
use super::type_error;
use crate::diagnostic::Diagnostic;
use crate::host::Library;
use crate::id::ValueId;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::types::{ArrayType, Shape};
use crate::typing::TypeError;

impl<'a> HostTypes<'a, '_> {
    /// Checks the operands of a library operation.
    pub(super) fn library(&mut self, library: &Library, span: Span) {
        match library {
            Library::Sort { keys, payload, order: _ } => {
                let Some(array) = self.keys(*keys, span) else { return };
                for &value in payload {
                    self.payload(*keys, array, value, span);
                }
            }
            Library::Rank { keys, order: _ } => drop(self.keys(*keys, span)),
            Library::MatMul { left, right } => self.matmul(*left, *right, span),
        }
    }

    fn keys(&mut self, keys: ValueId, span: Span) -> Option<&'a ArrayType> {
        let array = self.dense(keys, span)?;
        if array.elem == ScalarType::F16 {
            let message = format!("`{}` is of `f16`, which has no order", self.name(keys));
            self.report
                .add(Diagnostic::new("L0354", message, span).help("convert it to `f32` in a kernel before"));
        }
        Some(array)
    }

    fn payload(&mut self, keys: ValueId, array: &ArrayType, value: ValueId, span: Span) {
        let Some(found) = self.dense(value, span) else { return };
        if !self.equal.shape(&array.shape, &found.shape) {
            let message = format!(
                "`{}` is `{}`, which has not the shape of the keys `{}`, which are `{}`",
                self.name(value),
                self.type_text(self.ty(value)),
                self.name(keys),
                self.type_text(self.ty(keys))
            );
            let diagnostic = Diagnostic::new("L0355", message, span);
            self.report.add(match self.same_help(&found.shape, &array.shape) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
    }

    fn matmul(&mut self, left: ValueId, right: ValueId, span: Span) {
        let (Some(a), Some(b)) = (self.matrix(left, span), self.matrix(right, span)) else { return };
        let text = format!(
            "`{}` is `{}`, and `{}` is `{}`",
            self.name(left),
            self.type_text(self.ty(left)),
            self.name(right),
            self.type_text(self.ty(right))
        );
        if a.elem != b.elem || !a.elem.is_number() {
            let message = format!("`matmul` wants numbers of one type: {text}");
            self.report.add(Diagnostic::new("L0356", message, span));
        }
        if !self.equal.axis(a.shape.axes[1], b.shape.axes[0]) {
            let message = format!("`matmul` wants as many columns on the left as rows on the right: {text}");
            let (left, right) = (Shape::new([b.shape.axes[0]]), Shape::new([a.shape.axes[1]]));
            let diagnostic = Diagnostic::new("L0356", message, span);
            self.report.add(match self.same_help(&left, &right) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
    }

    fn matrix(&mut self, value: ValueId, span: Span) -> Option<&'a ArrayType> {
        let array = self.dense(value, span)?;
        if array.shape.rank() == 2 && !self.scope().is_seg(array.shape.axes[0]) {
            return Some(array);
        }
        self.report.add(type_error(&TypeError::NotAMatrix(value), self.values(), span));
        None
    }
}
