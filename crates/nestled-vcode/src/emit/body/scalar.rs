//! Primitives on scalars: elementwise instructions, with what NESL wants at the edges, where VCODE leaves something open.

use super::super::code::{Var, floats, ints};
use super::super::value::Value;
use super::{Body, Written};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Instr, Point};
use nestled_nesl::core::{Atom, CoreType, Ty};
use nestled_nesl::primitive::Primitive;
use nestled_nesl::{FaultCode, Width};

impl Body<'_, '_> {
    /// Writes a primitive; `ty` is the type of its result.
    pub(super) fn primitive(&mut self, primitive: Primitive, atoms: &[Atom], ty: Ty) -> Written<Value> {
        use Primitive::*;
        let point = match primitive {
            Not => Point::Not,
            And => Point::And,
            Or => Point::Or,
            Xor => Point::Xor,
            Equal => Point::Eq,
            NotEqual => Point::Ne,
            Less => Point::Lt,
            Greater => Point::Gt,
            LessEqual => Point::Le,
            GreaterEqual => Point::Ge,
            Add => Point::Add,
            Subtract => Point::Sub,
            Multiply => Point::Mul,
            Divide => return Ok(self.divide(Point::Div, atoms)),
            Remainder => return Ok(self.divide(Point::Rem, atoms)),
            Negate => return Ok(self.negate(atoms[0])),
            ShiftLeft => Point::Lshift,
            ShiftRight => Point::Rshift,
            Sqrt | Ln => return Ok(self.of_positive(primitive, atoms[0])),
            Exp => Point::Exp,
            Sin => Point::Sin,
            Cos => Point::Cos,
            Tan => Point::Tan,
            Asin => Point::Asin,
            Acos => Point::Acos,
            Atan => Point::Atan,
            Sinh => Point::Sinh,
            Cosh => Point::Cosh,
            Tanh => Point::Tanh,
            BoolToInt => Point::BToI,
            IntToFloat => Point::IToF,
            CharCode => return Ok(self.atom(atoms[0])),
            CodeChar => return Ok(self.code_char(atoms[0])),
            Floor => return Ok(self.rounded(Point::Floor, atoms[0])),
            Truncate => return Ok(self.rounded(Point::Trunc, atoms[0])),
            IntToAny | AnyToFloat | FloatToAny => return self.convert(primitive, atoms[0], ty),
            AreRanks => return Ok(self.atom(Atom::Bool(false))),
            MaxInt => return Ok(self.atom(Atom::Int(self.around.dialect.max_int()))),
            Length | Distribute | Index | Element | Slice | Gather | Put | Pack | Append | Flatten
            | Partition | PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan | Sum
            | Product | MaxVal | MinVal | Any | All | Parity | Rank | RankDown => {
                return self.on_sequences(primitive, atoms, ty);
            }
            Rand | RandSeed | RandInOrder | SeedInOrder | StartTimer | StopTimer | PrintString | Abort
            | Check(_) | Dispatch(_) | Host(_) => return self.effect(primitive, atoms),
        };
        let args = self.scalars(atoms);
        Ok(Value::Scalar(self.point(point, &args)))
    }

    fn scalars(&mut self, atoms: &[Atom]) -> Vec<Var> {
        atoms.iter().map(|atom| self.atom(*atom).scalar()).collect()
    }

    /// Writes an elementwise instruction on operands of its type.
    pub(super) fn point(&mut self, point: Point, args: &[Var]) -> Var {
        let elem = if point.suffixes().is_empty() { Elem::Int } else { self.out.elem(args[0]) };
        self.out.op(Instr::Point(point, elem), args)
    }

    /// Repeats a float as often as there are elements in a vector.
    fn float_like(&mut self, value: f64, like: Var) -> Var {
        self.out.fill(Constant::Floats(vec![value]), like)
    }

    fn int_like(&mut self, value: i64, like: Var) -> Var {
        self.out.fill(Constant::Ints(vec![value]), like)
    }

    fn divide(&mut self, point: Point, atoms: &[Atom]) -> Value {
        let args = self.scalars(atoms);
        let elem = self.out.elem(args[0]);
        if elem == Elem::Float {
            let zero = self.float_like(0.0, args[1]);
            let divides = self.point(Point::Ne, &[args[1], zero]);
            self.require(divides, FaultCode::Divide);
        }
        let elem = if point == Point::Rem { Elem::Int } else { elem };
        Value::Scalar(self.out.checked(Instr::Point(point, elem), &args))
    }

    fn negate(&mut self, atom: Atom) -> Value {
        let arg = self.atom(atom).scalar();
        let zero = match self.out.elem(arg) {
            Elem::Float => self.float_like(0.0, arg),
            Elem::Int | Elem::Bool => self.int_like(0, arg),
        };
        Value::Scalar(self.point(Point::Sub, &[zero, arg]))
    }

    fn of_positive(&mut self, primitive: Primitive, atom: Atom) -> Value {
        let arg = self.atom(atom).scalar();
        let zero = self.float_like(0.0, arg);
        let negative = self.point(Point::Lt, &[arg, zero]);
        let fine = self.not(negative);
        let (point, code) = match primitive {
            Primitive::Sqrt => (Point::Sqrt, FaultCode::Sqrt),
            _ => (Point::Log, FaultCode::Ln),
        };
        self.require(fine, code);
        Value::Scalar(self.point(point, &[arg]))
    }

    fn code_char(&mut self, atom: Atom) -> Value {
        let arg = self.atom(atom).scalar();
        let mask = self.int_like(255, arg);
        Value::Scalar(self.point(Point::And, &[arg, mask]))
    }

    fn rounded(&mut self, point: Point, atom: Atom) -> Value {
        let arg = self.atom(atom).scalar();
        Value::Scalar(self.integer_of(point, arg))
    }

    /// Makes integers of floats: what is too great becomes the greatest, NaN zero. What is too small becomes the least already.
    fn integer_of(&mut self, point: Point, arg: Var) -> Var {
        let bits = self.around.dialect.int_bits();
        let end = self.float_like(2f64.powi(bits as i32 - 1), arg);
        let made = self.out.op(Instr::Point(point, Elem::Int), &[arg]);
        let most = self.int_like(self.around.dialect.max_int(), arg);
        let great = self.point(Point::Ge, &[arg, end]);
        let made = self.out.op(ints(Point::Select), &[great, most, made]);
        let zero = self.int_like(0, arg);
        let number = self.point(Point::Eq, &[arg, arg]);
        self.out.op(ints(Point::Select), &[number, made, zero])
    }

    fn convert(&mut self, primitive: Primitive, atom: Atom, ty: Ty) -> Written<Value> {
        let arg = self.atom(atom).scalar();
        let made = match (self.around.types.get(ty), self.out.elem(arg)) {
            (CoreType::Float, Elem::Int) => self.point(Point::IToF, &[arg]),
            (CoreType::Int, Elem::Float) if primitive == Primitive::FloatToAny => {
                if self.around.dialect.float == Width::W32 {
                    return Err(self.refusal("rounding of 32-bit floats"));
                }
                let half = self.float_like(0.5, arg);
                let raised = self.out.op(floats(Point::Add), &[arg, half]);
                self.integer_of(Point::Floor, raised)
            }
            _ => arg,
        };
        Ok(Value::Scalar(made))
    }
}
