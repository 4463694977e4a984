//! Elaborates the expressions of host code.

use super::destination::Destination;
use super::host::HostCx;
use super::thunk::wrong_operands;
use super::{Broken, Elab, infer, literal, operand_places};
use crate::diagnostic::Diagnostic;
use crate::host::{Command, HostAtom, HostOp, Library, PrintItem};
use crate::id::ValueId;
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::text::ast::{ArrayLiteral, AxisExpr, Expr, ExprKind, HostWord, ShapeWord, SiteMark};

impl HostCx<'_> {
    /// One value.
    pub fn expr(&mut self, expr: &Expr, place: Option<ScalarType>) -> Elab<HostAtom> {
        match &expr.kind {
            ExprKind::Literal(literal) => match literal::scalar(literal, place) {
                Ok(scalar) => Ok(HostAtom::Const(scalar)),
                Err(diagnostic) => self.reports.report(diagnostic),
            },
            ExprKind::Name(name) => self.values.resolve(name, self.reports),
            ExprKind::If { .. } => self.reports.error(
                "L0108",
                "`if` is a statement of its own; give its result a name",
                expr.span,
            ),
            _ => match self.construct(expr, Destination::Anonymous, place)?.as_slice() {
                [value] => Ok(HostAtom::Value(*value)),
                values => {
                    let message = format!("one value is wanted here, and this gives {}", values.len());
                    self.reports.error("L0106", message, expr.span)
                }
            },
        }
    }

    /// A value that is no literal.
    pub fn value(&mut self, expr: &Expr) -> Elab<ValueId> {
        match self.expr(expr, None)? {
            HostAtom::Value(value) => Ok(value),
            HostAtom::Const(_) => {
                self.reports.error("L0109", "a value is wanted here, not a literal", expr.span)
            }
        }
    }

    /// Elaborates an expression that makes a statement: first its operands, then the values it binds, then its blocks.
    pub fn construct(
        &mut self,
        expr: &Expr,
        target: Destination<'_>,
        place: Option<ScalarType>,
    ) -> Elab<Vec<ValueId>> {
        let span = expr.span;
        let op = match &expr.kind {
            ExprKind::If { cond, then, otherwise } => {
                return self.branch(cond, then, otherwise, target, span);
            }
            ExprKind::Op { op, args } => self.operation(*op, args, place, span)?,
            ExprKind::Check { cond, code, site } => {
                let cond = self.expr(cond, Some(ScalarType::Bool))?;
                HostOp::Check { cond, code: code.clone(), site: self.reports.sites.take(*site, span)? }
            }
            ExprKind::Text(text) => {
                let elements = text.bytes().map(Scalar::U8).collect();
                HostOp::Literal { elem: ScalarType::U8, extents: vec![text.len() as u64], elements }
            }
            ExprKind::Array(array) => self.array(array)?,
            ExprKind::Host { word, args, site } => self.host_word(*word, args, *site, span)?,
            ExprKind::Shaped { word, shape, array, length, site } => {
                self.shaped(*word, shape, array.as_deref(), length.as_ref(), *site, span)?
            }
            ExprKind::Same { left, right, site } => {
                let left = self.values.axis(left, self.reports)?;
                let right = self.values.axis(right, self.reports)?;
                HostOp::Same { left, right, site: self.reports.sites.take(*site, span)? }
            }
            ExprKind::Call { run, callee, shapes, args } => {
                self.call(*run, callee, shapes.as_deref(), args, span)?
            }
            ExprKind::Each { extent, callee, shapes, args } => {
                self.each(extent, callee, shapes.as_deref(), args, span)?
            }
            ExprKind::Sort { args, order } => {
                let values: Vec<ValueId> = args.iter().map(|arg| self.value(arg)).collect::<Elab<_>>()?;
                let Some((&keys, payload)) = values.split_first() else { return Err(Broken) };
                HostOp::Library(Library::Sort { keys, payload: payload.to_vec(), order: *order })
            }
            ExprKind::Rank { keys, order } => {
                HostOp::Library(Library::Rank { keys: self.value(keys)?, order: *order })
            }
            ExprKind::Print { items, to_error } => self.print(items, *to_error)?,
            ExprKind::Read { array, .. } => {
                let message = "host code reads no elements of arrays; a kernel does";
                return self.reports.error("L0108", message, array.span);
            }
            ExprKind::Name(_) | ExprKind::Literal(_) => {
                return self.reports.error("L0106", "this binds nothing by itself", span);
            }
            ExprKind::For { .. } | ExprKind::While { .. } => {
                let message = "this belongs into a thunk, not into host code";
                let help = "host code repeats by calling itself; a call in tail position takes no room";
                return self.reports.report(Diagnostic::new("L0108", message, span).help(help));
            }
            ExprKind::Threefry { .. } | ExprKind::Segment { .. } => {
                return self.reports.error("L0108", "this belongs into a thunk, not into host code", span);
            }
        };
        let count = self.expr_width(expr);
        let binds = self.binds(count, target, span);
        self.emit(op, binds, span)
    }

    fn operation(&mut self, op: Op, args: &[Expr], place: Option<ScalarType>, span: Span) -> Elab<HostOp> {
        let places = operand_places(op, args, place, &|arg| self.infer(arg));
        let mut atoms = Vec::with_capacity(args.len());
        for (arg, place) in args.iter().zip(places) {
            atoms.push(self.expr(arg, place)?);
        }
        let mut types = Vec::new();
        for (&atom, arg) in atoms.iter().zip(args) {
            match self.atom_type(atom) {
                Some(ty) => types.push(ty),
                None => return self.reports.error("L0109", "a scalar is wanted here", arg.span),
            }
        }
        match op.result_type(&types) {
            Ok(_) => Ok(HostOp::Scalar { op, args: atoms }),
            Err(error) => self.reports.report(wrong_operands(op, args, error, span)),
        }
    }

    fn array(&mut self, array: &ArrayLiteral) -> Elab<HostOp> {
        let mut elements = Vec::with_capacity(array.elements.len());
        for element in &array.elements {
            match literal::scalar(element, Some(array.elem)) {
                Ok(scalar) if scalar.ty() == array.elem => elements.push(scalar),
                Ok(scalar) => {
                    let message = format!("a `{}` among elements of type `{}`", scalar.ty(), array.elem);
                    return self.reports.error("L0105", message, element.span);
                }
                Err(diagnostic) => return self.reports.report(diagnostic),
            }
        }
        Ok(HostOp::Literal { elem: array.elem, extents: array.extents.clone(), elements })
    }

    fn host_word(&mut self, word: HostWord, args: &[Expr], site: SiteMark, span: Span) -> Elab<HostOp> {
        if word == HostWord::Dim {
            let extent = self.expr(&args[0], Some(ScalarType::Idx))?;
            return Ok(HostOp::Dim { extent, site: self.reports.sites.take(site, span)? });
        }
        let values: Vec<ValueId> = args.iter().map(|arg| self.value(arg)).collect::<Elab<_>>()?;
        let can_fault = matches!(word, HostWord::Segments | HostWord::View);
        if let (Some(_), false) = (site.number, can_fault) {
            return self.reports.error("L0111", "this cannot fault, so it has no site", site.span);
        }
        Ok(match (word, values.as_slice()) {
            (HostWord::Segments, &[lengths]) => {
                HostOp::Segments { lengths, site: self.reports.sites.take(site, span)? }
            }
            (HostWord::View, &[seg, starts, buffer]) => {
                HostOp::View { seg, starts, buffer, site: self.reports.sites.take(site, span)? }
            }
            (HostWord::Widen, &[seg]) => HostOp::Widen { seg },
            (HostWord::Lengths, &[seg]) => HostOp::Lengths { seg },
            (HostWord::Starts, &[seg]) => HostOp::Starts { seg },
            (HostWord::MatMul, &[left, right]) => HostOp::Library(Library::MatMul { left, right }),
            (HostWord::ReadFile, &[path]) => HostOp::Command(Command::ReadFile { path }),
            (HostWord::WriteFile, &[path, bytes]) => {
                HostOp::Command(Command::WriteFile { path, bytes, append: false })
            }
            (HostWord::AppendFile, &[path, bytes]) => {
                HostOp::Command(Command::WriteFile { path, bytes, append: true })
            }
            (HostWord::Clock, after) => HostOp::Command(Command::Clock { after: after.to_vec() }),
            (HostWord::Entropy, []) => HostOp::Command(Command::Entropy),
            _ => return Err(Broken),
        })
    }

    fn shaped(
        &mut self,
        word: ShapeWord,
        shape: &[AxisExpr],
        array: Option<&Expr>,
        length: Option<&AxisExpr>,
        site: SiteMark,
        span: Span,
    ) -> Elab<HostOp> {
        if let (Some(_), true) = (site.number, word != ShapeWord::Reshape) {
            return self.reports.error("L0111", "this cannot fault, so it has no site", site.span);
        }
        let array = match array {
            Some(array) => Some(self.value(array)?),
            None => None,
        };
        let shape = self.values.shape(shape, self.reports)?;
        Ok(match (word, array, length) {
            (ShapeWord::Size, _, _) => HostOp::Size { shape },
            (ShapeWord::Regular, _, Some(length)) => {
                HostOp::Regular { parent: shape, length: self.values.axis(length, self.reports)? }
            }
            (ShapeWord::Reshape, Some(array), _) => {
                HostOp::Reshape { array, shape, site: self.reports.sites.take(site, span)? }
            }
            (ShapeWord::Regular | ShapeWord::Reshape, _, _) => return Err(Broken),
        })
    }

    fn print(&mut self, items: &[Expr], to_error: bool) -> Elab<HostOp> {
        let mut printed = Vec::new();
        for item in items {
            printed.push(match &item.kind {
                ExprKind::Text(text) => PrintItem::Text(text.clone()),
                _ => PrintItem::Value(self.expr(item, None)?),
            });
        }
        Ok(HostOp::Command(Command::Print { items: printed, to_error }))
    }

    /// The type of an expression as far as it shows without elaborating.
    fn infer(&self, expr: &Expr) -> Option<ScalarType> {
        infer(expr, &|leaf| match &leaf.kind {
            ExprKind::Name(name) => match self.values.names.get(name)? {
                super::signature::Binding::Atom(atom) => self.atom_type(*atom),
                super::signature::Binding::Broken => None,
            },
            ExprKind::Call { run: false, callee, .. } => {
                let function = self.program.function(*self.items.functions.get(callee)?);
                let result = *function.results.first()?;
                function.values[result.index()].ty.as_scalar()
            }
            ExprKind::Call { run: true, callee, .. } => {
                let kernel = self.program.kernel(*self.items.kernels.get(callee)?);
                let result = *kernel.ret.first()?;
                kernel.values[result.index()].ty.as_scalar()
            }
            ExprKind::Host { word: HostWord::Clock, .. } => Some(ScalarType::F64),
            ExprKind::Host { word: HostWord::Entropy, .. } => Some(ScalarType::I64),
            ExprKind::Host { word: HostWord::Dim, .. } | ExprKind::Shaped { word: ShapeWord::Size, .. } => {
                Some(ScalarType::Idx)
            }
            _ => None,
        })
    }
}
