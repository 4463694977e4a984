//! Specialisation of primitives at concrete types.

use super::value::{Form, Value};
use super::{Result, Specialise, body::Body};
use crate::core::{CoreType, Op, Ty, arity, primitive_result};
use crate::primitive::{Dispatch, Primitive};
use crate::types::TypeId;
use nestled_ir::Span;

impl Specialise<'_> {
    pub(super) fn primitive(
        &mut self,
        body: &mut Body,
        primitive: Primitive,
        argument: &Value,
        wanted: TypeId,
        span: Span,
    ) -> Result<Value> {
        if let Primitive::Dispatch(dispatch) = primitive {
            return self.dispatch(body, dispatch, argument, wanted, span);
        }
        if matches!(primitive, Primitive::Rank | Primitive::RankDown) && !self.holds_numbers(argument.ty) {
            // Devices rank numbers; for other values the library has numbers that are in the same order.
            let keys = self.dispatch(body, Dispatch::Order, argument, wanted, span)?;
            return self.primitive(body, primitive, &keys, wanted, span);
        }
        if let Some(name) = primitive.of_strings()
            && self.compares_sequences(primitive, argument.ty)
        {
            return self.deeper(span, |this| this.call_library(body, name, argument.clone(), wanted, span));
        }
        let mut values = Vec::new();
        let mut rest = argument.clone();
        for _ in 1..arity(primitive) {
            let (first, second) = self.components(body, &rest, span);
            values.push(first);
            rest = second;
        }
        values.push(rest);
        let types: Vec<Ty> = values.iter().map(|value| value.ty).collect();
        let atoms = values.iter().map(|value| self.atom(body, value, span)).collect();
        let ty = primitive_result(self.types, primitive, &types);
        Ok(Value { ty, form: Form::Atom(body.emit(Op::Primitive(primitive, atoms), ty, span)) })
    }

    fn holds_numbers(&self, ty: Ty) -> bool {
        let element = self.types.element(ty).expect("inference knows what is a sequence");
        matches!(self.types.get(element), CoreType::Int | CoreType::Float)
    }

    /// True if what a primitive compares are sequences; inference allows strings only.
    fn compares_sequences(&self, primitive: Primitive, argument: Ty) -> bool {
        let compared = match self.types.get(argument) {
            CoreType::Pair(first, _) if arity(primitive) == 2 => Some(*first),
            CoreType::Seq(element) => Some(*element),
            _ => None,
        };
        compared.is_some_and(|ty| matches!(self.types.get(ty), CoreType::Seq(_)))
    }

    /// Calls the case of a dispatched function for the type of its first argument.
    fn dispatch(
        &mut self,
        body: &mut Body,
        dispatch: Dispatch,
        argument: &Value,
        wanted: TypeId,
        span: Span,
    ) -> Result<Value> {
        let ty = match (dispatch, self.types.get(argument.ty)) {
            (Dispatch::Eql | Dispatch::Abbreviated | Dispatch::AbbreviatedOpen, CoreType::Pair(first, _)) => {
                *first
            }
            (Dispatch::Zeros | Dispatch::WriteColumns | Dispatch::ReadColumns, CoreType::Pair(first, _)) => {
                self.types.element(*first).expect("inference knows what is a sequence")
            }
            (Dispatch::Order, _) => {
                self.types.element(argument.ty).expect("inference knows what is a sequence")
            }
            _ => argument.ty,
        };
        let case = match self.types.get(ty) {
            CoreType::Int => "int",
            CoreType::Float => "float",
            CoreType::Char => "char",
            CoreType::Bool => "bool",
            CoreType::Pair(..) => "pair",
            CoreType::Seq(_) => "vector",
            CoreType::Closure(_) => "function",
            CoreType::Data(_) => {
                let name = self.data_case(dispatch, ty, span)?;
                return self
                    .deeper(span, |this| this.call_library(body, &name, argument.clone(), wanted, span));
            }
        };
        if case == "function" && dispatch == Dispatch::Identity {
            return Ok(argument.clone());
        }
        let name = format!("{}_{case}", dispatch.stem());
        self.deeper(span, |this| this.call_library(body, &name, argument.clone(), wanted, span))
    }
}
