//! Specialisation of calls: selects the copy of a function by the types of its arguments.

use super::value::{Form, Value};
use super::{Chosen, Copy, Key, MAX_COPIES, Result, Specialise, Work, body::Body};
use crate::core::{Closure, ClosureCode, CoreType, FunctionId, Local, Op, Ty};
use crate::environment::Meaning;
use crate::typed::{GlobalId, Lambda, Pattern};
use crate::types::{Type, TypeId};
use nestled_ir::Span;
use std::sync::Arc;

impl Specialise<'_> {
    /// Calls a function value. `wanted` is the inferred type of the result.
    pub(super) fn call(
        &mut self,
        body: &mut Body,
        callee: &Value,
        argument: Value,
        wanted: TypeId,
        span: Span,
    ) -> Result<Value> {
        let CoreType::Closure(closure) = self.types.get(callee.ty).clone() else {
            unreachable!("inference knows what is a function")
        };
        let lambda = match &closure.code {
            ClosureCode::Lambda(lambda) => lambda.clone(),
            ClosureCode::Global(id) => match self.env.global(*id).meaning.clone() {
                Meaning::Primitive(primitive) => {
                    return self.primitive(body, primitive, &argument, wanted, span);
                }
                Meaning::Variant(record, variant) => {
                    return self.construct(body, (record, variant), Some(argument), wanted, span);
                }
                _ => return Ok(argument),
            },
        };
        let wanted = self.concrete(wanted, &body.chosen);
        let (function, result) = self.copy(&lambda, &closure, argument.ty, wanted, body.place(span))?;
        let captured = self.captured(body, callee, &closure.captured, span);
        let mut values = captured;
        self.leaves(body, &lambda.pattern, argument, span, &mut values);
        let atoms = values.iter().map(|value| self.atom(body, value, span)).collect();
        let atom = body.emit(Op::Call(function, atoms), result, span);
        Ok(Value { ty: result, form: Form::Atom(atom) })
    }

    /// Calls a function of the library by its hidden name.
    pub(super) fn call_library(
        &mut self,
        body: &mut Body,
        name: &str,
        argument: Value,
        wanted: TypeId,
        span: Span,
    ) -> Result<Value> {
        let id = self.env.lookup_library(name, self.dialect);
        let id = id.unwrap_or_else(|| panic!("the library has `{name}`"));
        let callee = self.library_function(id);
        self.call(body, &callee, argument, wanted, span)
    }

    fn library_function(&mut self, id: GlobalId) -> Value {
        let code = match &self.env.global(id).meaning {
            Meaning::Function(lambda) => ClosureCode::Lambda(lambda.clone()),
            _ => ClosureCode::Global(id),
        };
        let closure = Closure { code, chosen: Vec::new(), captured: Vec::new() };
        let ty = self.ty(CoreType::Closure(closure));
        Value { ty, form: Form::Closure(std::rc::Rc::default()) }
    }

    /// Collects the parts of an argument that a pattern names.
    fn leaves(
        &mut self,
        body: &mut Body,
        mut pattern: &Pattern,
        mut value: Value,
        span: Span,
        found: &mut Vec<Value>,
    ) {
        while let Pattern::Pair(left, right) = pattern {
            let (one, other) = self.components(body, &value, span);
            self.leaves(body, left, one, span, found);
            (pattern, value) = (right, other);
        }
        match pattern {
            Pattern::Local(..) => found.push(value),
            Pattern::Pair(..) => unreachable!("pairs were taken apart"),
            Pattern::Record(_, content) => {
                let inside = self.opened(body, value, span);
                self.leaves(body, content, inside, span, found);
            }
        }
    }

    /// Makes and binds the parameters of a copy.
    pub(super) fn parameters(
        &mut self,
        body: &mut Body,
        lambda: &Lambda,
        captured: &[Ty],
        argument: Ty,
    ) -> Result<Vec<Local>> {
        let mut parameters = Vec::new();
        for (name, &ty) in lambda.captured.iter().zip(captured) {
            parameters.push(self.parameter(body, *name, ty));
        }
        self.pattern_parameters(body, &lambda.pattern, argument, &mut parameters);
        Ok(parameters)
    }

    fn pattern_parameters(
        &mut self,
        body: &mut Body,
        mut pattern: &Pattern,
        mut ty: Ty,
        parameters: &mut Vec<Local>,
    ) {
        while let (Pattern::Pair(left, right), CoreType::Pair(one, other)) = (pattern, self.types.get(ty)) {
            let (one, other) = (*one, *other);
            self.pattern_parameters(body, left, one, parameters);
            (pattern, ty) = (right, other);
        }
        match pattern {
            Pattern::Local(name, _) => {
                let local = self.parameter(body, *name, ty);
                parameters.push(local);
            }
            Pattern::Pair(..) => unreachable!("inference knows what is a pair"),
            Pattern::Record(_, content) => {
                let inside = self.content_type(ty, 0).unwrap_or(ty);
                self.pattern_parameters(body, content, inside, parameters);
            }
        }
    }

    fn parameter(&mut self, body: &mut Body, name: crate::typed::LocalId, ty: Ty) -> Local {
        let local = body.local(ty);
        let form = match self.types.get(ty) {
            CoreType::Closure(closure) if closure.captured.is_empty() => {
                Form::Closure(std::rc::Rc::default())
            }
            _ => Form::Atom(crate::core::Atom::Local(local)),
        };
        body.name(name, Value { ty, form });
        local
    }

    /// Returns the copy of a function for an argument, with the type of its result. `span` is a place in the program.
    fn copy(
        &mut self,
        lambda: &Arc<Lambda>,
        closure: &Closure,
        argument: Ty,
        wanted: Option<Ty>,
        span: Span,
    ) -> Result<(FunctionId, Ty)> {
        let mut chosen: Chosen = closure.chosen.iter().copied().collect();
        let functions = self.choose(lambda.from, argument, &mut chosen);
        let mut result = self.concrete(lambda.body.ty, &chosen);
        let told = result.is_some();
        let mut key = Key {
            lambda: lambda.id,
            chosen: closure.chosen.clone(),
            captured: closure.captured.clone(),
            argument,
            wanted: None,
        };
        if let (false, Some(wanted)) = (told, wanted) {
            self.choose(lambda.body.ty, wanted, &mut chosen);
            result = Some(wanted);
            key.wanted = Some(wanted);
        }
        if let Some(&id) = self.copies.get(&key) {
            if let Some(result) = self.functions[id.0 as usize].result {
                return Ok((id, result));
            }
            return Err(self.untold(lambda, span));
        }
        if result.is_none() {
            self.choose_from_functions(functions, &mut chosen, span)?;
            result = self.concrete(lambda.body.ty, &chosen);
        }
        if self.functions.len() >= MAX_COPIES {
            return Err(self.endless(span));
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Copy { result, function: None });
        self.copies.insert(key, id);
        let captured = closure.captured.clone();
        let place = lambda.library.then_some(span);
        let work = Work { id, lambda: lambda.clone(), chosen, captured, argument, place };
        match result {
            Some(result) => {
                self.pending.push(work);
                Ok((id, result))
            }
            None => {
                let result = self.deeper(span, |this| this.copy_body(work))?;
                Ok((id, result))
            }
        }
    }

    /// Determines type variables by the results of functions among the arguments, where the types of their own arguments are known.
    fn choose_from_functions(
        &mut self,
        functions: Vec<(TypeId, Ty)>,
        chosen: &mut Chosen,
        span: Span,
    ) -> Result<()> {
        for (ty, core) in functions {
            let Type::Function(from, to) = *self.env.types.get(ty) else { continue };
            let Some(argument) = self.concrete(from, chosen) else { continue };
            let CoreType::Closure(closure) = self.types.get(core).clone() else { continue };
            let result = match &closure.code {
                ClosureCode::Lambda(lambda) => {
                    let lambda = lambda.clone();
                    self.deeper(span, |this| this.copy(&lambda, &closure, argument, None, span))?.1
                }
                ClosureCode::Global(id) => {
                    let scheme = self.env.global(*id).scheme.clone();
                    let Type::Function(from, to) = *self.env.types.get(scheme.ty) else { continue };
                    let mut own = Chosen::new();
                    self.choose(from, argument, &mut own);
                    let Some(result) = self.concrete(to, &own) else { continue };
                    result
                }
            };
            self.choose(to, result, chosen);
        }
        Ok(())
    }
}
