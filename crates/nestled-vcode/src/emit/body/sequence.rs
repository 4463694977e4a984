//! Primitives on sequences that are one instruction on vectors, or a few.

use super::super::code::{SUM, Var, ints};
use super::super::instances::Key;
use super::super::moves::Places;
use super::super::value::Value;
use super::{Body, Written};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Fold, Instr, Point};
use nestled_nesl::FaultCode;
use nestled_nesl::core::{Atom, Ty};
use nestled_nesl::primitive::Primitive;
use std::rc::Rc;

impl Body<'_, '_> {
    /// Writes a primitive that takes or makes sequences.
    pub(super) fn on_sequences(&mut self, primitive: Primitive, atoms: &[Atom], ty: Ty) -> Written<Value> {
        use Primitive::*;
        let args = self.atoms(atoms);
        Ok(match primitive {
            Length => Value::Scalar(self.length(&args[0])),
            Distribute => {
                let seg = self.out.checked(Instr::MakeSegdes, &[args[1].scalar()]);
                Value::Seq(seg, Rc::new(self.out.repeat(&args[0], seg)))
            }
            Index => {
                let seg = self.out.checked(Instr::MakeSegdes, &[args[0].scalar()]);
                Value::Seq(seg, Rc::new(Value::Scalar(self.out.places(seg))))
            }
            Element => self.at(&args[0], args[1].scalar()),
            Gather => self.all_at(&args[0], &args[1]),
            Slice => self.slice(&args),
            Put => self.put(&args),
            Pack => self.packed(&args[0]),
            Append => {
                let (first, second) = (self.full_sequence(&args[0]), self.full_sequence(&args[1]));
                let (seg, inner) = self.out.append((first.0, &first.1), (second.0, &second.1));
                Value::Seq(seg, Rc::new(inner))
            }
            Flatten => {
                let (seg, inner) = self.full_sequence(&args[0]);
                let (inner_seg, inner) = self.full_sequence(&inner);
                Value::Seq(self.out.joined(seg, inner_seg), Rc::new(inner))
            }
            Partition => self.partition(&args),
            Rank | RankDown => {
                let (seg, keys) = self.full_sequence(&args[0]);
                let elem = self.out.elem(keys.scalar());
                let instr = Instr::Rank { down: primitive == RankDown, elem };
                let ranks = self.out.op(instr, &[keys.scalar(), seg]);
                Value::Seq(seg, Rc::new(Value::Scalar(ranks)))
            }
            PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan => {
                let element = self.element(ty);
                let (seg, inner) = self.full_sequence(&args[0]);
                let made = self.fold(primitive, (seg, inner.scalar()), element);
                Value::Seq(seg, Rc::new(Value::Scalar(made)))
            }
            _ => {
                let (seg, inner) = self.full_sequence(&args[0]);
                Value::Scalar(self.fold(primitive, (seg, inner.scalar()), ty))
            }
        })
    }

    fn length(&mut self, value: &Value) -> Var {
        match value {
            Value::Outer(seg, value) => {
                let length = self.length(value);
                self.out.op(Instr::Dist(Elem::Int), &[length, *seg])
            }
            Value::Seq(seg, _) => self.out.op(Instr::Lengths, &[*seg]),
            Value::Scalar(_) | Value::Tuple(_) => unreachable!("the core knows what is a sequence"),
        }
    }

    /// Takes one element of each sequence. A sequence that lies outside is read where it is.
    fn at(&mut self, value: &Value, at: Var) -> Value {
        match value {
            Value::Outer(to, value) => {
                let (from, inner) = self.full_sequence(value);
                self.out.gather(&inner, Places { at, from, to: *to, checked: true })
            }
            value => {
                let (seg, inner) = self.full_sequence(value);
                self.out.extract(&inner, at, seg)
            }
        }
    }

    /// Takes elements of each sequence.
    fn all_at(&mut self, value: &Value, places: &Value) -> Value {
        let (seg, at) = self.full_sequence(places);
        let (to, value) = match value {
            Value::Outer(outer, value) => (self.out.joined(*outer, seg), &**value),
            value => (seg, value),
        };
        let (from, inner) = self.full_sequence(value);
        let inner = self.out.gather(&inner, Places { at: at.scalar(), from, to, checked: true });
        Value::Seq(seg, Rc::new(inner))
    }

    fn slice(&mut self, args: &[Value]) -> Value {
        let (start, wanted) = (args[1].scalar(), args[2].scalar());
        let length = self.length(&args[0]);
        let zero = self.out.fill(Constant::Ints(vec![0]), start);
        let last = self.out.op(ints(Point::Sub), &[length, wanted]);
        let tests = [
            (Point::Ge, start, zero),
            (Point::Ge, wanted, zero),
            (Point::Le, wanted, length),
            (Point::Le, start, last),
        ];
        let fine = tests
            .map(|(test, left, right)| self.out.op(ints(test), &[left, right]))
            .into_iter()
            .reduce(|left, right| self.point(Point::And, &[left, right]))
            .expect("four tests");
        self.require(fine, FaultCode::Subseq);
        let seg = self.out.op(Instr::MakeSegdes, &[wanted]);
        let step = self.out.fill(Constant::Ints(vec![1]), start);
        let at = self.out.op(Instr::Index, &[start, step, seg]);
        self.all_at(&args[0], &Value::Seq(seg, Rc::new(Value::Scalar(at))))
    }

    fn packed(&mut self, value: &Value) -> Value {
        let (seg, pairs) = self.full_sequence(value);
        let (kept, flags) = (&pairs.parts()[0], pairs.parts()[1].scalar());
        let made = self.out.kept(flags, seg);
        Value::Seq(made, Rc::new(self.out.pack(kept, flags, seg)))
    }

    fn partition(&mut self, args: &[Value]) -> Value {
        let (seg, inner) = self.full_sequence(&args[0]);
        let (counted, counts) = self.full_sequence(&args[1]);
        let length = self.out.op(Instr::Lengths, &[seg]);
        let sum = self.out.op(SUM, &[counts.scalar(), counted]);
        let fine = self.out.op(ints(Point::Eq), &[sum, length]);
        self.require(fine, FaultCode::Partition);
        let parts = self.out.checked(Instr::MakeSegdes, &[counts.scalar()]);
        Value::Seq(counted, Rc::new(Value::Seq(parts, Rc::new(inner))))
    }

    /// Writes a scan or a reduction; `element` is the type of what it is of.
    fn fold(&mut self, primitive: Primitive, (seg, vector): (Var, Var), element: Ty) -> Var {
        use Primitive::*;
        let fold = match primitive {
            PlusScan | Sum => Fold::Add,
            MultScan | Product => Fold::Mul,
            MaxScan | MaxVal => Fold::Max,
            MinScan | MinVal => Fold::Min,
            OrScan | Any => Fold::Or,
            AndScan | All => Fold::And,
            _ => Fold::Xor,
        };
        let scan = matches!(primitive, PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan);
        let elem = self.out.elem(vector);
        let least = fold == Fold::Min;
        if elem == Elem::Float && matches!(fold, Fold::Max | Fold::Min) {
            return self.extreme_float(vector, seg, least, scan);
        }
        let instr = if scan { Instr::Scan(fold, elem) } else { Instr::Reduce(fold, elem) };
        let made = self.out.op(instr, &[vector, seg]);
        if !self.is_char(element) || !matches!(fold, Fold::Max | Fold::Min) {
            return made;
        }
        // Of nothing VCODE gives a number that is no character.
        let unit = self.out.fill(Constant::Ints(vec![if least { 255 } else { 0 }]), made);
        let beyond = if least { Point::Gt } else { Point::Lt };
        let beyond = self.point(beyond, &[made, unit]);
        self.out.op(ints(Point::Select), &[beyond, unit, made])
    }

    fn extreme_float(&mut self, vector: Var, seg: Var, least: bool, scan: bool) -> Var {
        let bounded = self.around.dialect.compat;
        let number = self.helper(Key::Extreme { least, scan, bounded });
        let made =
            self.out.call(number, vec![vector, seg], &[super::super::code::Type::Vector(Elem::Float)])[0];
        match scan {
            true => self.out.is_under(made, seg),
            false if self.out.one(seg) => self.out.is_one(made),
            false => self.out.is_like(made, seg),
        }
        made
    }
}
