//! Lowering of elementwise operations at a single position, in host code and in thunks alike.

use super::{Lower, Lowering, Options};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Point};
use crate::syntax::listing::{Node, Param, Superoperator};
use nestled_ir::build::{CodeBuilder, ProgramBuilder};
use nestled_ir::{Atom, HostAtom, HostOp, Op, Scalar, ScalarType, Span};

/// The message of an integer division by zero.
pub const BY_ZERO: &str = "division by zero";

impl Options {
    /// Returns the λcu type of an element type.
    pub fn scalar(&self, elem: Elem) -> ScalarType {
        match elem {
            Elem::Int => self.int,
            Elem::Bool => ScalarType::Bool,
            Elem::Float => self.float,
        }
    }

    /// Returns the zero of an element type.
    pub fn zero(&self, elem: Elem) -> Scalar {
        Scalar::from_bits(self.scalar(elem), 0)
    }

    /// Returns a float of the program.
    pub fn float(&self, value: f64) -> Scalar {
        if self.float == ScalarType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) }
    }

    /// Returns an integer of the program.
    pub fn int(&self, value: i64) -> Scalar {
        Scalar::from_bits(self.int, value as u64)
    }

    /// Returns the least integer, and the first float beyond the largest.
    fn int_limits(&self) -> (Scalar, f64) {
        if self.int == ScalarType::I64 {
            (Scalar::I64(i64::MIN), 9_223_372_036_854_775_808.0)
        } else {
            (Scalar::I32(i32::MIN), 2_147_483_648.0)
        }
    }
}

/// A writer of scalar code.
pub trait Code {
    /// An operand.
    type Operand: Copy;
    /// Returns a literal as an operand.
    fn literal(&self, scalar: Scalar) -> Self::Operand;
    /// Writes a scalar operation.
    fn op(&mut self, op: Op, args: &[Self::Operand]) -> Lower<Self::Operand>;
    /// Writes a check: a fault unless the condition holds.
    fn check(&mut self, cond: Self::Operand, code: &str) -> Lower<()>;
}

/// Writes scalar code as host code.
pub struct InHost<'a, 'l> {
    /// The lowering that writes it.
    pub lowering: &'a mut Lowering<'l>,
    /// The place of the instruction.
    pub span: Span,
}

impl Code for InHost<'_, '_> {
    type Operand = HostAtom;

    fn literal(&self, scalar: Scalar) -> HostAtom {
        HostAtom::Const(scalar)
    }

    fn op(&mut self, op: Op, args: &[HostAtom]) -> Lower<HostAtom> {
        self.lowering.scalar(op, args.to_vec(), self.span)
    }

    fn check(&mut self, cond: HostAtom, code: &str) -> Lower<()> {
        let site = self.lowering.out.site(self.span);
        self.lowering.emit(&[], HostOp::Check { cond, code: code.into(), site }, self.span)?;
        Ok(())
    }
}

/// Writes scalar code into a thunk.
pub struct InThunk<'a> {
    /// The code of the thunk.
    pub code: &'a mut CodeBuilder,
    /// The program, which has the fault sites.
    pub out: &'a mut ProgramBuilder,
    /// The place of the instruction.
    pub span: Span,
}

impl Code for InThunk<'_> {
    type Operand = Atom;

    fn literal(&self, scalar: Scalar) -> Atom {
        Atom::Const(scalar)
    }

    fn op(&mut self, op: Op, args: &[Atom]) -> Lower<Atom> {
        Ok(self.code.op(op, args))
    }

    fn check(&mut self, cond: Atom, code: &str) -> Lower<()> {
        let site = self.out.site(self.span);
        self.code.check(cond, code, site);
        Ok(())
    }
}

/// Writes an elementwise instruction.
pub fn compute<C: Code>(
    options: &Options,
    (point, elem): (Point, Elem),
    args: &[C::Operand],
    code: &mut C,
) -> Lower<C::Operand> {
    let is_nonzero = |code: &mut C, value: C::Operand| {
        let zero = code.literal(options.int(0));
        code.op(Op::Ne, &[value, zero])
    };
    let op = match point {
        Point::Div | Point::Rem if elem == Elem::Int || point == Point::Rem => {
            if options.checks {
                let divides = is_nonzero(code, args[1])?;
                code.check(divides, BY_ZERO)?;
            }
            if point == Point::Rem { Op::Rem } else { Op::Div }
        }
        Point::Floor | Point::Ceil | Point::Trunc | Point::Round => {
            let whole = match point {
                Point::Floor => code.op(Op::Floor, args)?,
                Point::Ceil => code.op(Op::Ceil, args)?,
                Point::Round => {
                    let half = code.literal(options.float(0.5));
                    let raised = code.op(Op::Add, &[args[0], half])?;
                    code.op(Op::Trunc, &[raised])?
                }
                _ => code.op(Op::Trunc, args)?,
            };
            return to_int(options, whole, code);
        }
        Point::IToB => return is_nonzero(code, args[0]),
        Point::Add => Op::Add,
        Point::Sub => Op::Sub,
        Point::Mul => Op::Mul,
        Point::Div => Op::Div,
        Point::Rem => Op::Rem,
        Point::Lt => Op::Lt,
        Point::Le => Op::Le,
        Point::Gt => Op::Gt,
        Point::Ge => Op::Ge,
        Point::Eq => Op::Eq,
        Point::Ne => Op::Ne,
        Point::Lshift => Op::Shl,
        Point::Rshift => Op::Shr,
        Point::Not => Op::Not,
        Point::And => Op::And,
        Point::Or => Op::Or,
        Point::Xor => Op::Xor,
        Point::Select => Op::Select,
        Point::Log => Op::Ln,
        Point::Sqrt => Op::Sqrt,
        Point::Exp => Op::Exp,
        Point::Sin => Op::Sin,
        Point::Cos => Op::Cos,
        Point::Tan => Op::Tan,
        Point::Asin => Op::Asin,
        Point::Acos => Op::Acos,
        Point::Atan => Op::Atan,
        Point::Sinh => Op::Sinh,
        Point::Cosh => Op::Cosh,
        Point::Tanh => Op::Tanh,
        Point::IToF => Op::Convert(options.float),
        Point::BToI => Op::Convert(options.int),
    };
    code.op(op, args)
}

/// Converts a whole float to an integer. NaN and floats out of range become the least integer, as on the machines of the original.
fn to_int<C: Code>(options: &Options, whole: C::Operand, code: &mut C) -> Lower<C::Operand> {
    let (least, end) = options.int_limits();
    let (from, to) = (code.literal(options.float(-end)), code.literal(options.float(end)));
    let above = code.op(Op::Ge, &[whole, from])?;
    let below = code.op(Op::Lt, &[whole, to])?;
    let fits = code.op(Op::And, &[above, below])?;
    let int = code.op(Op::Convert(options.int), &[whole])?;
    let least = code.literal(least);
    code.op(Op::Select, &[fits, int, least])
}

/// Returns the first value of a constant.
fn literal(options: &Options, constant: &Constant) -> Scalar {
    match constant {
        Constant::Ints(all) | Constant::Segdes(all) => options.int(all.first().copied().unwrap_or(0)),
        Constant::Floats(all) => options.float(all.first().copied().unwrap_or(0.0)),
        Constant::Bools(all) => Scalar::Bool(all.first().copied().unwrap_or(false)),
    }
}

/// Writes a superoperator at a position; `None` stands for a descriptor.
pub fn fused<C: Code>(
    options: &Options,
    op: &Superoperator,
    given: &[Option<C::Operand>],
    code: &mut C,
) -> Lower<C::Operand> {
    let nothing = code.literal(options.int(0));
    let mut made: Vec<C::Operand> = Vec::with_capacity(op.nodes.len());
    for node in &op.nodes {
        made.push(match node {
            Node::Param(position) => match op.params[*position] {
                Param::Vector(_) => given[*position].unwrap_or(nothing),
                // Only how many elements it describes counts.
                Param::Segdes => nothing,
            },
            Node::Const(constant) => code.literal(literal(options, constant)),
            Node::Point(point, elem, args) => {
                let args: Vec<C::Operand> = args.iter().map(|&arg| made[arg]).collect();
                compute(options, (*point, *elem), &args, code)?
            }
        });
    }
    Ok(made.pop().unwrap_or(nothing))
}
