//! Primitives at concrete types.

use super::value::{Form, Value};
use super::{Result, Specialise, body::Body};
use crate::core::{CoreType, Op, Ty};
use crate::primitive::{Dispatch, HostCall, Primitive};
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
        let ty = self.result(primitive, &types);
        Ok(Value { ty, form: Form::Atom(body.emit(Op::Primitive(primitive, atoms), ty, span)) })
    }

    /// The case of a function for the type of its (first) argument.
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
            (Dispatch::Zeros, CoreType::Pair(first, _)) => {
                self.types.element(*first).expect("inference knows what is a sequence")
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
        };
        if case == "function" && dispatch == Dispatch::Identity {
            return Ok(argument.clone());
        }
        let name = format!("{}_{case}", dispatch.stem());
        self.deeper(span, |this| this.call_library(body, &name, argument.clone(), wanted, span))
    }

    fn result(&mut self, primitive: Primitive, types: &[Ty]) -> Ty {
        use Primitive::*;
        let ty = match primitive {
            Not | And | Or | Xor | Add | Subtract | Multiply | Divide | Remainder | Negate | ShiftLeft
            | ShiftRight | Sqrt | Ln | Exp | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh
            | Slice | Gather | Append | PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan
            | XorScan | Rand => {
                return types[0];
            }
            IntToAny | FloatToAny => return types[1],
            Put => return types[2],
            Element | Sum | Product | MaxVal | MinVal | Any | All | Parity | Flatten => {
                return self.types.element(types[0]).expect("inference knows what is a sequence");
            }
            Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | RandSeed | PrintString | Abort
            | Check(_) => CoreType::Bool,
            BoolToInt | CharCode | Floor | Truncate | MaxInt | Length | StartTimer => CoreType::Int,
            IntToFloat | AnyToFloat | StopTimer => CoreType::Float,
            CodeChar => CoreType::Char,
            Distribute => CoreType::Seq(types[0]),
            Index | Rank | RankDown => CoreType::Seq(self.ty(CoreType::Int)),
            Partition => CoreType::Seq(types[0]),
            Pack => {
                let pair = self.types.element(types[0]).expect("inference knows what is a sequence");
                let CoreType::Pair(value, _) = *self.types.get(pair) else {
                    unreachable!("inference knows what is a pair")
                };
                CoreType::Seq(value)
            }
            Dispatch(_) => unreachable!("handled before"),
            Host(call) => return self.host_result(call),
        };
        self.ty(ty)
    }

    fn host_result(&mut self, call: HostCall) -> Ty {
        let int = self.ty(CoreType::Int);
        let char = self.ty(CoreType::Char);
        let string = self.ty(CoreType::Seq(char));
        let bool = self.ty(CoreType::Bool);
        let state = self.ty(CoreType::Pair(bool, string));
        let value = match call {
            HostCall::Shell | HostCall::Variable => return string,
            HostCall::WriteFile | HostCall::Close | HostCall::Write => return state,
            HostCall::ReadFile => string,
            HostCall::Open | HostCall::ReadByte => int,
            HostCall::Spawn => {
                let two = self.ty(CoreType::Pair(int, int));
                self.ty(CoreType::Pair(int, two))
            }
        };
        self.ty(CoreType::Pair(value, state))
    }
}

/// The number of operands.
fn arity(primitive: Primitive) -> usize {
    use Primitive::*;
    match primitive {
        And | Or | Xor | Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | Add | Subtract
        | Multiply | Divide | Remainder | ShiftLeft | ShiftRight | IntToAny | FloatToAny | Distribute
        | Element | Gather | Append | Partition => 2,
        Put | Slice => 3,
        Not | Negate | Sqrt | Ln | Exp | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh
        | BoolToInt | CodeChar | CharCode | IntToFloat | Floor | Truncate | AnyToFloat | MaxInt | Length
        | Index | Pack | Flatten | PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan
        | Sum | Product | MaxVal | MinVal | Any | All | Parity | Rank | RankDown | Rand | RandSeed
        | StartTimer | StopTimer | PrintString | Abort | Check(_) | Dispatch(_) => 1,
        Host(call) => match call {
            HostCall::ReadFile | HostCall::Close | HostCall::ReadByte | HostCall::Variable => 1,
            HostCall::Open | HostCall::Write | HostCall::Shell => 2,
            HostCall::WriteFile => 3,
            HostCall::Spawn => 4,
        },
    }
}
