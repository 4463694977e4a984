//! Specialisation of function bodies, statement by statement.

use super::value::{Form, Value};
use super::{Chosen, MAX_SIZE, Result, Specialise, Stop};
use crate::core::{Atom, Block, Closure, ClosureCode, CoreType, Function, Local, Op, Statement, Ty};
use crate::environment::Meaning;
use crate::primitive::Primitive;
use crate::token::Text;
use crate::typed::{Expr, GlobalId, Kind, Lambda, LocalId, Pattern};
use crate::types::TypeId;
use nestled_ir::{Diagnostic, Span};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A function body that is being specialised.
pub(super) struct Body {
    /// The concrete types of the function's type variables.
    pub chosen: Chosen,
    names: HashMap<LocalId, Value>,
    /// Values of expressions that were computed ahead, by their addresses in the typed tree.
    computed: HashMap<*const Expr, Value>,
    locals: Vec<Ty>,
    statements: Vec<Statement>,
    /// In a function of the library, the first place in the program that asks for it.
    place: Option<Span>,
}

impl Body {
    pub fn new(chosen: Chosen, place: Option<Span>) -> Body {
        Body {
            chosen,
            names: HashMap::new(),
            computed: HashMap::new(),
            locals: Vec::new(),
            statements: Vec::new(),
            place,
        }
    }

    pub fn local(&mut self, ty: Ty) -> Local {
        self.locals.push(ty);
        Local(self.locals.len() as u32 - 1)
    }

    pub fn type_of(&self, local: Local) -> Ty {
        self.locals[local.0 as usize]
    }

    pub fn emit(&mut self, op: Op, ty: Ty, span: Span) -> Atom {
        let local = self.local(ty);
        let span = if self.place.is_some() { Span::NONE } else { span };
        self.statements.push(Statement { local, op, span });
        Atom::Local(local)
    }

    /// Returns the place in the program that asks for what is written at a place.
    pub fn place(&self, written: Span) -> Span {
        self.place.unwrap_or(written)
    }

    pub fn name(&mut self, name: LocalId, value: Value) {
        self.names.insert(name, value);
    }

    /// Records the value of an expression that was computed ahead.
    pub fn computed(&mut self, expr: &Expr, value: Value) {
        self.computed.insert(std::ptr::from_ref(expr), value);
    }

    /// Begins an inner block; returns the statements of the outer one, for [`Body::end_block`].
    pub fn begin_block(&mut self) -> Vec<Statement> {
        std::mem::take(&mut self.statements)
    }

    pub fn end_block(&mut self, outer: Vec<Statement>, result: Atom) -> Block {
        let statements = std::mem::replace(&mut self.statements, outer);
        Block { statements, result }
    }

    /// Puts the statements of a block here; returns its value.
    pub fn splice(&mut self, block: Block) -> Atom {
        self.statements.extend(block.statements);
        block.result
    }

    pub fn finish(self, name: Text, parameters: Vec<Local>, result: Atom, ty: Ty) -> Function {
        let body = Block { statements: self.statements, result };
        let library = self.place.is_some();
        Function { name, parameters, locals: self.locals, body, result: ty, library }
    }
}

impl Specialise<'_> {
    pub(super) fn expr(&mut self, body: &mut Body, expr: &Expr) -> Result<Value> {
        let value = self.deeper(expr.span, |this| this.expr_kind(body, expr))?;
        match self.types.size(value.ty) {
            0..=MAX_SIZE => Ok(value),
            _ => Err(self.too_large(expr.span)),
        }
    }

    fn expr_kind(&mut self, body: &mut Body, expr: &Expr) -> Result<Value> {
        if let Some(value) = body.computed.get(&std::ptr::from_ref(expr)) {
            return Ok(value.clone());
        }
        match &expr.kind {
            Kind::Int(value) => Ok(self.constant(Atom::Int(*value), CoreType::Int)),
            Kind::Float(value) => Ok(self.constant(Atom::Float(*value), CoreType::Float)),
            Kind::Bool(value) => Ok(self.constant(Atom::Bool(*value), CoreType::Bool)),
            Kind::Char(value) => Ok(self.constant(Atom::Char(*value), CoreType::Char)),
            Kind::Str(bytes) => {
                let char = self.ty(CoreType::Char);
                Ok(self.computed(body, Op::Str(bytes.clone()), CoreType::Seq(char), expr.span))
            }
            Kind::Local(local) => Ok(body.names[local].clone()),
            Kind::Global(id, _) => self.global(body, *id, expr.ty, expr.span),
            Kind::Pair(..) => self.tuple(body, expr),
            Kind::Apply(function, argument) => {
                let callee = self.expr(body, function)?;
                let argument = self.expr(body, argument)?;
                self.call(body, &callee, argument, expr.ty, expr.span)
            }
            Kind::Time(value) => self.time(body, value, expr.span),
            Kind::Sequence(elements) => self.sequence(body, elements, expr.span),
            Kind::Empty => self.empty(body, expr),
            Kind::Each(each) => self.each(body, each, expr.span),
            Kind::If(condition, yes, no) => self.conditional(body, condition, yes, no, expr.span),
            Kind::Match(matching) => self.matching(body, matching, expr.span),
            Kind::Let(bindings, inner) => {
                for (pattern, value) in bindings {
                    let value = self.expr(body, value)?;
                    self.bind(body, pattern, value, expr.span);
                }
                self.expr(body, inner)
            }
            Kind::Lambda(lambda) => Ok(self.function_value(body, lambda)),
        }
    }

    fn tuple(&mut self, body: &mut Body, expr: &Expr) -> Result<Value> {
        let (mut lefts, mut rest) = (Vec::new(), expr);
        while let Kind::Pair(left, right) = &rest.kind {
            lefts.push(self.expr(body, left)?);
            rest = right;
        }
        let last = self.expr(body, rest)?;
        Ok(lefts.into_iter().rev().fold(last, |rest, left| self.pair(left, rest)))
    }

    fn constant(&mut self, atom: Atom, ty: CoreType) -> Value {
        Value { ty: self.ty(ty), form: Form::Atom(atom) }
    }

    pub(super) fn computed(&mut self, body: &mut Body, op: Op, ty: CoreType, span: Span) -> Value {
        let ty = self.ty(ty);
        Value { ty, form: Form::Atom(body.emit(op, ty, span)) }
    }

    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, body: &mut Body, mut pattern: &Pattern, mut value: Value, span: Span) {
        while let Pattern::Pair(left, right) = pattern {
            let (one, other) = self.components(body, &value, span);
            self.bind(body, left, one, span);
            (pattern, value) = (right, other);
        }
        match pattern {
            Pattern::Local(name, _) => {
                // What has a name may be used often: large values are then put together once.
                let value = if value.size() > 16 {
                    let atom = self.atom(body, &value, span);
                    Value { ty: value.ty, form: Form::Atom(atom) }
                } else {
                    value
                };
                body.name(*name, value);
            }
            Pattern::Pair(..) => unreachable!("pairs were taken apart"),
            Pattern::Record(_, content) => {
                let inside = self.opened(body, value, span);
                self.bind(body, content, inside, span);
            }
        }
    }

    fn global(&mut self, body: &mut Body, id: GlobalId, ty: TypeId, span: Span) -> Result<Value> {
        let global = self.env.global(id);
        let code = match &global.meaning {
            Meaning::Function(lambda) => ClosureCode::Lambda(lambda.clone()),
            Meaning::Variant(record, variant) if self.is_constant(*record, *variant) => {
                let variant = (*record, *variant);
                return self.construct(body, variant, None, ty, span);
            }
            Meaning::Primitive(_) | Meaning::Constructor(_) | Meaning::Variant(..) => ClosureCode::Global(id),
            Meaning::Value => {
                let ty = self.values[&id];
                return Ok(Value { ty, form: Form::Atom(body.emit(Op::Global(id), ty, span)) });
            }
            Meaning::Declared => {
                let message = format!("`{}` is declared but not defined", global.name);
                let diagnostic = Diagnostic::new("N0203", message, span)
                    .label(global.span, "declared here")
                    .help("define it with exactly the declared type, which the definition may repeat");
                return Err(self.stop(diagnostic));
            }
        };
        let closure = Closure { code, chosen: Vec::new(), captured: Vec::new() };
        let ty = self.ty(CoreType::Closure(closure));
        Ok(Value { ty, form: Form::Closure(Rc::default()) })
    }

    fn function_value(&mut self, body: &mut Body, lambda: &Arc<Lambda>) -> Value {
        let captured: Vec<Value> = lambda.captured.iter().map(|name| body.names[name].clone()).collect();
        let closure = Closure {
            code: ClosureCode::Lambda(lambda.clone()),
            chosen: body.chosen.iter().map(|(variable, ty)| (*variable, *ty)).collect(),
            captured: captured.iter().map(|value| value.ty).collect(),
        };
        let ty = self.ty(CoreType::Closure(closure));
        Value { ty, form: Form::Closure(Rc::new(captured)) }
    }

    fn time(&mut self, body: &mut Body, value: &Expr, span: Span) -> Result<Value> {
        let start = Op::Primitive(Primitive::StartTimer, vec![Atom::Int(0)]);
        self.computed(body, start, CoreType::Int, span);
        let value = self.expr(body, value)?;
        let atom = self.atom(body, &value, span);
        let value = Value { ty: value.ty, form: Form::Atom(atom) };
        let stop = Op::Primitive(Primitive::StopTimer, vec![atom]);
        let seconds = self.computed(body, stop, CoreType::Float, span);
        Ok(self.pair(value, seconds))
    }

    fn sequence(&mut self, body: &mut Body, elements: &[Expr], span: Span) -> Result<Value> {
        let mut atoms = Vec::new();
        let mut element = None;
        for expr in elements {
            let value = self.expr(body, expr)?;
            if element.is_some_and(|ty| ty != value.ty) {
                return Err(self.differ(expr.span, Some(elements[0].span)));
            }
            element = Some(value.ty);
            atoms.push(self.atom(body, &value, expr.span));
        }
        let element = element.expect("a literal has elements");
        Ok(self.computed(body, Op::Sequence(atoms), CoreType::Seq(element), span))
    }

    fn empty(&mut self, body: &mut Body, expr: &Expr) -> Result<Value> {
        let Some(ty) = self.concrete(expr.ty, &body.chosen) else {
            let diagnostic =
                Diagnostic::new("N0204", "the type of this empty sequence is not known", expr.span)
                    .help("function types cannot be written here");
            return Err(self.stop(diagnostic));
        };
        Ok(Value { ty, form: Form::Atom(body.emit(Op::Sequence(Vec::new()), ty, expr.span)) })
    }

    fn conditional(
        &mut self,
        body: &mut Body,
        condition: &Expr,
        yes: &Expr,
        no: &Expr,
        span: Span,
    ) -> Result<Value> {
        let condition_value = self.expr(body, condition)?;
        let condition = self.atom(body, &condition_value, condition.span);
        let (yes_block, ty) = self.block(body, yes)?;
        let (no_block, other) = self.block(body, no)?;
        if ty != other {
            return Err(self.differ(no.span, Some(yes.span)));
        }
        let atom = body.emit(Op::If(condition, yes_block, no_block), ty, span);
        Ok(Value { ty, form: Form::Atom(atom) })
    }

    /// Specialises an expression as a block of its own.
    pub(super) fn block(&mut self, body: &mut Body, expr: &Expr) -> Result<(Block, Ty), Stop> {
        let outer = body.begin_block();
        let value = self.expr(body, expr)?;
        let atom = self.atom(body, &value, expr.span);
        Ok((body.end_block(outer, atom), value.ty))
    }
}
