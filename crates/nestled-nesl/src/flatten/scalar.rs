//! Scalar primitives as operations of λcu, in host code and in thunks alike.

use super::Emitter;
use super::kernel::KernelWriter;
use crate::dialect::{Dialect, Width};
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::{Atom, HostAtom, HostOp, Op, Scalar, ScalarType};

/// A writer of scalar operations.
pub(super) trait Operations {
    type Operand: Copy;
    fn op(&mut self, op: Op, args: &[Self::Operand]) -> Self::Operand;
    fn constant(&mut self, scalar: Scalar) -> Self::Operand;
    fn ty(&mut self, operand: Self::Operand) -> ScalarType;
    fn check(&mut self, cond: Self::Operand, code: FaultCode);
    fn dialect(&self) -> Dialect;
    fn checked(&self) -> bool;

    fn convert(&mut self, operand: Self::Operand, ty: ScalarType) -> Self::Operand {
        if self.ty(operand) == ty { operand } else { self.op(Op::Convert(ty), &[operand]) }
    }
}

/// Writes operations into a thunk.
pub(super) struct InThunk<'t, 'a> {
    pub this: &'t mut Emitter<'a>,
    pub k: &'t mut KernelWriter,
}

impl Operations for InThunk<'_, '_> {
    type Operand = Atom;

    fn op(&mut self, op: Op, args: &[Atom]) -> Atom {
        self.k.op(op, args)
    }

    fn constant(&mut self, scalar: Scalar) -> Atom {
        Atom::Const(scalar)
    }

    fn ty(&mut self, operand: Atom) -> ScalarType {
        self.k.ty(operand)
    }

    fn check(&mut self, cond: Atom, code: FaultCode) {
        let site = self.this.site(code, self.this.origin.span);
        self.k.check(cond, &code.to_string(), site);
    }

    fn dialect(&self) -> Dialect {
        self.this.source.dialect
    }

    fn checked(&self) -> bool {
        self.this.source.checked
    }
}

/// Writes operations into host code.
pub(super) struct InHost<'t, 'a>(pub &'t mut Emitter<'a>);

impl Operations for InHost<'_, '_> {
    type Operand = HostAtom;

    fn op(&mut self, op: Op, args: &[HostAtom]) -> HostAtom {
        self.0.host_op(op, args.to_vec())
    }

    fn constant(&mut self, scalar: Scalar) -> HostAtom {
        HostAtom::Const(scalar)
    }

    fn ty(&mut self, operand: HostAtom) -> ScalarType {
        self.0.host_type(operand)
    }

    fn check(&mut self, cond: HostAtom, code: FaultCode) {
        if cond != HostAtom::Const(Scalar::Bool(true)) {
            let site = self.0.site(code, self.0.origin.span);
            self.0.emit("", HostOp::Check { cond, code: code.to_string().into(), site }, 0);
        }
    }

    fn dialect(&self) -> Dialect {
        self.0.source.dialect
    }

    fn checked(&self) -> bool {
        self.0.source.checked
    }
}

impl Dialect {
    /// Returns the λcu type of integers.
    pub(crate) fn int_type(self) -> ScalarType {
        if self.int == Width::W32 { ScalarType::I32 } else { ScalarType::I64 }
    }

    /// Returns the λcu type of floats.
    pub(crate) fn float_type(self) -> ScalarType {
        if self.float == Width::W32 { ScalarType::F32 } else { ScalarType::F64 }
    }

    pub(crate) fn int_scalar(self, value: i64) -> Scalar {
        if self.int == Width::W32 { Scalar::I32(value as i32) } else { Scalar::I64(value) }
    }

    pub(crate) fn float_scalar(self, value: f64) -> Scalar {
        if self.float == Width::W32 { Scalar::F32(value as f32) } else { Scalar::F64(value) }
    }
}

/// Writes a scalar primitive that reads only scalars.
pub(super) fn scalar_primitive<O: Operations>(
    o: &mut O,
    primitive: Primitive,
    args: &[O::Operand],
) -> O::Operand {
    use Primitive::*;
    let plain = match primitive {
        Not => Op::Not,
        And => Op::And,
        Or => Op::Or,
        Xor => Op::Xor,
        Equal => Op::Eq,
        NotEqual => Op::Ne,
        Less => Op::Lt,
        Greater => Op::Gt,
        LessEqual => Op::Le,
        GreaterEqual => Op::Ge,
        Add => Op::Add,
        Subtract => Op::Sub,
        Multiply => Op::Mul,
        ShiftLeft => Op::Shl,
        ShiftRight => Op::Shr,
        Sqrt => Op::Sqrt,
        Ln => Op::Ln,
        Exp => Op::Exp,
        Sin => Op::Sin,
        Cos => Op::Cos,
        Tan => Op::Tan,
        Asin => Op::Asin,
        Acos => Op::Acos,
        Atan => Op::Atan,
        Sinh => Op::Sinh,
        Cosh => Op::Cosh,
        Tanh => Op::Tanh,
        _ => return special(o, primitive, args),
    };
    if let (Sqrt | Ln, true) = (primitive, o.checked()) {
        let ty = o.ty(args[0]);
        let zero = o.constant(Scalar::zero(ty));
        let negative = o.op(Op::Lt, &[args[0], zero]);
        let fine = o.op(Op::Not, &[negative]);
        o.check(fine, if primitive == Sqrt { FaultCode::Sqrt } else { FaultCode::Ln });
    }
    o.op(plain, args)
}

fn special<O: Operations>(o: &mut O, primitive: Primitive, args: &[O::Operand]) -> O::Operand {
    use Primitive::*;
    let dialect = o.dialect();
    let (int, float) = (dialect.int_type(), dialect.float_type());
    match primitive {
        Negate => {
            let ty = o.ty(args[0]);
            let zero = o.constant(Scalar::zero(ty));
            o.op(Op::Sub, &[zero, args[0]])
        }
        Divide | Remainder => divide(o, primitive, args),
        BoolToInt | CharCode => o.convert(args[0], int),
        CodeChar => o.convert(args[0], ScalarType::U8),
        IntToFloat => int_to_float(o, args[0]),
        Floor => {
            let whole = o.op(Op::Floor, &[args[0]]);
            o.convert(whole, int)
        }
        Truncate => o.convert(args[0], int),
        IntToAny => match o.ty(args[1]).is_float() {
            true => int_to_float(o, args[0]),
            false => args[0],
        },
        AnyToFloat => match o.ty(args[0]).is_float() {
            true => args[0],
            false => int_to_float(o, args[0]),
        },
        FloatToAny => match o.ty(args[1]).is_float() {
            true => args[0],
            false => {
                let wide = o.convert(args[0], ScalarType::F64);
                let half = o.constant(Scalar::F64(0.5));
                let sum = o.op(Op::Add, &[wide, half]);
                let whole = o.op(Op::Floor, &[sum]);
                o.convert(whole, int)
            }
        },
        MaxInt => o.constant(dialect.int_scalar(dialect.max_int())),
        Check(code) => {
            if o.checked() || code == FaultCode::Unsupported {
                o.check(args[0], code);
            }
            o.constant(Scalar::Bool(true))
        }
        other => unreachable!("{other:?} does not only look at scalars, {float}"),
    }
}

/// Converts an integer to a float by way of 64 bits, as the interpreter of the core rounds.
fn int_to_float<O: Operations>(o: &mut O, operand: O::Operand) -> O::Operand {
    let wide = o.convert(operand, ScalarType::F64);
    let float = o.dialect().float_type();
    o.convert(wide, float)
}

fn divide<O: Operations>(o: &mut O, primitive: Primitive, args: &[O::Operand]) -> O::Operand {
    let ty = o.ty(args[1]);
    let zero = o.constant(Scalar::zero(ty));
    let fine = o.op(Op::Ne, &[args[1], zero]);
    if o.checked() {
        o.check(fine, FaultCode::Divide);
    }
    if primitive == Primitive::Divide {
        return o.op(Op::Div, args);
    }
    let rest = o.op(Op::Rem, args);
    if o.checked() { rest } else { o.op(Op::Select, &[fine, rest, zero]) }
}
