//! Typing rules of the primitives: number of operands and type of the result.

use super::{CoreType, CoreTypes, Ty};
use crate::primitive::{Column, HostCall, Primitive};

/// Returns the type of a primitive's result for operands of these types.
pub fn primitive_result(types: &mut CoreTypes, primitive: Primitive, args: &[Ty]) -> Ty {
    use Primitive::*;
    let ty = match primitive {
        Not | And | Or | Xor | Add | Subtract | Multiply | Divide | Remainder | Negate | ShiftLeft
        | ShiftRight | Sqrt | Ln | Exp | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh
        | Slice | Gather | Append | PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan
        | Rand | RandInOrder => {
            return args[0];
        }
        IntToAny | FloatToAny => return args[1],
        Put => return args[2],
        Element | Sum | Product | MaxVal | MinVal | Any | All | Parity | Flatten => {
            return types.element(args[0]).expect("inference knows what is a sequence");
        }
        Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | RandSeed | SeedInOrder
        | PrintString | Abort | Check(_) | AreRanks => CoreType::Bool,
        BoolToInt | CharCode | Floor | Truncate | MaxInt | Length | StartTimer => CoreType::Int,
        IntToFloat | AnyToFloat | StopTimer => CoreType::Float,
        CodeChar => CoreType::Char,
        Distribute => CoreType::Seq(args[0]),
        Index | Rank | RankDown => CoreType::Seq(types.number(CoreType::Int)),
        Partition => CoreType::Seq(args[0]),
        Pack => {
            let pair = types.element(args[0]).expect("inference knows what is a sequence");
            let CoreType::Pair(value, _) = *types.get(pair) else {
                unreachable!("inference knows what is a pair")
            };
            CoreType::Seq(value)
        }
        Dispatch(_) => unreachable!("handled before"),
        Host(call) => return host_result(types, call),
    };
    types.number(ty)
}

fn host_result(types: &mut CoreTypes, call: HostCall) -> Ty {
    let int = types.number(CoreType::Int);
    let char = types.number(CoreType::Char);
    let string = types.number(CoreType::Seq(char));
    let bool = types.number(CoreType::Bool);
    let state = types.number(CoreType::Pair(bool, string));
    let value = match call {
        HostCall::Shell | HostCall::Variable => return string,
        HostCall::WriteFile | HostCall::Close | HostCall::Write | HostCall::WriteColumn(_) => return state,
        HostCall::ReadFile => string,
        HostCall::Open | HostCall::Draw => int,
        HostCall::Read => types.number(CoreType::Pair(string, int)),
        HostCall::ReadColumn(column) => {
            let element = match column {
                Column::Ints | Column::Lengths => int,
                Column::Floats => types.number(CoreType::Float),
                Column::Bools => bool,
                Column::Chars => char,
            };
            types.number(CoreType::Seq(element))
        }
        HostCall::Spawn => {
            let two = types.number(CoreType::Pair(int, int));
            types.number(CoreType::Pair(int, two))
        }
    };
    types.number(CoreType::Pair(value, state))
}

/// Returns the number of operands of a primitive.
pub fn arity(primitive: Primitive) -> usize {
    use Primitive::*;
    match primitive {
        And | Or | Xor | Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | Add | Subtract
        | Multiply | Divide | Remainder | ShiftLeft | ShiftRight | IntToAny | FloatToAny | Distribute
        | Element | Gather | Append | Partition => 2,
        Put | Slice => 3,
        Not | Negate | Sqrt | Ln | Exp | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh
        | BoolToInt | CodeChar | CharCode | IntToFloat | Floor | Truncate | AnyToFloat | MaxInt | Length
        | Index | Pack | Flatten | PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan
        | Sum | Product | MaxVal | MinVal | Any | All | Parity | Rank | RankDown | AreRanks | Rand
        | RandSeed | RandInOrder | SeedInOrder | StartTimer | StopTimer | PrintString | Abort | Check(_)
        | Dispatch(_) => 1,
        Host(call) => match call {
            HostCall::ReadFile | HostCall::Close | HostCall::Variable => 1,
            HostCall::Open
            | HostCall::Write
            | HostCall::Shell
            | HostCall::ReadColumn(_)
            | HostCall::WriteColumn(_) => 2,
            HostCall::WriteFile | HostCall::Read | HostCall::Draw => 3,
            HostCall::Spawn => 4,
        },
    }
}
