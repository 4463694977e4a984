//! Serialisation of every type of the representation, field by field. Variants are written as their numbers.

use super::{Part, Reader};
use crate::host::{
    Command, EachArg, Function, HostAtom, HostBlock, HostOp, HostStmt, Library, Order, PrintItem,
};
use crate::id::{FunctionId, KernelId, LocalId, MonoidId, PrivateId, SiteId, ThunkId, ValueId};
use crate::kernel::{
    Base, Collision, Combinator, CombinatorKind, Direction, Inclusion, Kernel, Level, Range,
};
use crate::monoid::{Monoid, MonoidDef, MonoidOp, MonoidPart};
use crate::name::Value;
use crate::op::Op;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::{SourceMap, Span};
use crate::thunk::{
    Atom, Block, Carried, Index, Local, Offset, Private, Rule, Stmt, StmtKind, Thunk, ThunkDef,
};
use crate::types::{ArrayType, Axis, Form, Placement, SegType, Shape, Type};

/// Structures, field by field.
macro_rules! records {
    ($($type:ident { $($field:ident),* $(,)? })*) => {$(
        impl Part for $type {
            fn write(&self, out: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $($field.write(out);)*
            }

            fn read(from: &mut Reader<'_>) -> Option<$type> {
                Some($type { $($field: Part::read(from)?),* })
            }
        }
    )*};
}

/// Structures of one field without a name.
macro_rules! wrappers {
    ($($type:ident),* $(,)?) => {$(
        impl Part for $type {
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }

            fn read(from: &mut Reader<'_>) -> Option<$type> {
                Part::read(from).map($type)
            }
        }
    )*};
}

/// Enumerations: the number of each variant, and its fields.
macro_rules! variants {
    ($($type:ident {
        $($number:literal $variant:ident $(($($part:ident),*))? $({ $($field:ident),* $(,)? })?;)*
    })*) => {$(
        impl Part for $type {
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $($type::$variant $(($($part),*))? $({ $($field),* })? => {
                        out.push($number);
                        $($($part.write(out);)*)?
                        $($($field.write(out);)*)?
                    })*
                }
            }

            fn read(from: &mut Reader<'_>) -> Option<$type> {
                Some(match from.byte()? {
                    $($number => {
                        $($(let $part = Part::read(from)?;)*)?
                        $($(let $field = Part::read(from)?;)*)?
                        $type::$variant $(($($part),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    )*};
}

/// Blocks, which lie in one another.
macro_rules! blocks {
    ($($type:ident),*) => {$(
        impl Part for $type {
            fn write(&self, out: &mut Vec<u8>) {
                let $type { stmts, results } = self;
                stmts.write(out);
                results.write(out);
            }

            fn read(from: &mut Reader<'_>) -> Option<$type> {
                from.block(|from| Some($type { stmts: Part::read(from)?, results: Part::read(from)? }))
            }
        }
    )*};
}

wrappers! { ValueId, LocalId, PrivateId, KernelId, FunctionId, ThunkId, MonoidId, SiteId, Level }

blocks! { Block, HostBlock }

records! {
    Program { thunks, monoids, kernels, functions, sites, sources }
    Span { source, start, end }
    Value { name, ty, span }

    ArrayType { elem, shape, placement }
    SegType { parent, form }
    Shape { axes }

    ThunkDef { name, results, thunk, span }
    Thunk { locals, privates, n_params, n_given, body }
    Local { name, ty }
    Private { name, elem }
    Stmt { kind, span }
    Index { at, rule }
    Offset { by, rule }
    Carried { local, init }

    MonoidDef { name, unit, combine, commutative, exact, span }
    Monoid { parts }

    Kernel { name, values, shapes, params, space, steps, ret, span }
    Combinator { binds, kind, guard, body, span }

    Function { name, values, shapes, params, results, body, span }
    HostStmt { binds, op, span }
}

variants! {
    ScalarType {
        0 Bool; 1 I8; 2 U8; 3 I16; 4 U16; 5 I32; 6 U32; 7 I64; 8 F16; 9 F32; 10 F64; 11 Idx; 12 U64;
    }

    Type { 0 Array(array); 1 Dim; 2 Seg(seg); }
    Axis { 0 Const(extent); 1 Sym(symbol); }
    Placement { 0 Dense; 1 View; }
    Form { 0 Regular; 1 Offsets; }

    Atom { 0 Local(local); 1 Const(scalar); 2 Value(value); }
    Rule { 0 Fault; 1 Clamp; 2 Wrap; 3 Else; 4 Proved; }
    StmtKind {
        0 Op { dst, op, args };
        1 Threefry { dsts, key, counter };
        2 Read { dst, array, index, default, site };
        3 Own { dst, bind };
        4 Window { dst, bind, offsets, default, site };
        5 Len { dst, seg, at };
        6 Start { dst, seg, at };
        7 Call { dsts, thunk, args };
        8 If { dsts, cond, then, otherwise };
        9 For { dsts, var, from, to, carried, body };
        10 While { dsts, carried, cond, body };
        11 PrivateNew { array, size };
        12 PrivateGet { dst, array, at, site };
        13 PrivateSet { array, at, value, site };
        14 Check { cond, code, site };
    }

    MonoidOp { 0 Add; 1 Mul; 2 Min; 3 Max; 4 And; 5 Or; 6 Xor; }
    MonoidPart { 0 Op(op); 1 ArgMin; 2 ArgMax; 3 User(monoid); }

    Inclusion { 0 Exclusive; 1 Inclusive; }
    Direction { 0 Forward; 1 Backward; }
    Base { 0 Fill(values); 1 Arrays(arrays); }
    Range { 0 Fault(site); 1 Drop; 2 Proved; }
    Collision { 0 Proved; 1 Fault(site); 2 First; 3 Last; 4 Combine(monoid); }
    CombinatorKind {
        0 Map;
        1 Reduce { to, monoid };
        2 Scan { within, monoid, inclusion, direction };
        3 Filter { within };
        4 Partition { within, classes, site };
        5 Permute { dest, base, range, collision };
        6 Serial { bases };
    }

    HostAtom { 0 Value(value); 1 Const(scalar); }
    HostOp {
        0 Scalar { op, args };
        1 Literal { elem, extents, elements };
        2 Dim { extent, site };
        3 Size { shape };
        4 Segments { lengths, site };
        5 Regular { parent, length };
        6 Widen { seg };
        7 Lengths { seg };
        8 Starts { seg };
        9 Same { left, right, site };
        10 Reshape { array, shape, site };
        11 View { seg, starts, buffer, site };
        12 Check { cond, code, site };
        13 If { cond, then, otherwise };
        14 Call { function, shapes, args };
        15 Run { kernel, shapes, args };
        16 Each { extent, function, shapes, args };
        17 Library(library);
        18 Command(command);
    }
    EachArg { 0 Uniform(atom); 1 Element(array); }
    Order { 0 Ascending; 1 Descending; }
    Library {
        0 Sort { keys, payload, order };
        1 Rank { keys, order };
        2 MatMul { left, right };
    }
    Command {
        0 Print { items, to_error };
        1 ReadFile { path };
        2 WriteFile { path, bytes, append };
        3 Clock { after };
        4 Entropy;
    }
    PrintItem { 0 Text(text); 1 Value(atom); }
}

/// Sources are not serialised: the reader of a program supplies them.
impl Part for SourceMap {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut Reader<'_>) -> Option<SourceMap> {
        Some(SourceMap::default())
    }
}

/// The position among those without a type, or behind them, with the type.
impl Part for Op {
    fn write(&self, out: &mut Vec<u8>) {
        let plain = Op::PLAIN.len();
        match self {
            Op::Convert(to) => {
                plain.write(out);
                to.write(out);
            }
            Op::Bitcast(to) => {
                (plain + 1).write(out);
                to.write(out);
            }
            op => {
                let position = Op::PLAIN.iter().position(|other| other == op);
                position.expect("all but those above have no type in them").write(out);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Op> {
        let number = usize::read(from)?;
        match number.checked_sub(Op::PLAIN.len()) {
            None => Op::PLAIN.get(number).copied(),
            Some(0) => ScalarType::read(from).map(Op::Convert),
            Some(1) => ScalarType::read(from).map(Op::Bitcast),
            Some(_) => None,
        }
    }
}
