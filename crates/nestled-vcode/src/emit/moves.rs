//! Moves of whole values: repeating, gathering, packing, merging and appending them, whatever is nested in them.
//!
//! Each works on the outermost level by one instruction, and goes on inside with what that means there. Elements of inner sequences are addressed by their
//! place among all elements, so that one segment suffices.

use super::code::{STARTS, SUM, Type, Var, bools, gather, ints};
use super::value::{Form, Value};
use super::writer::Writer;
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Instr, Move, Point};
use std::rc::Rc;

/// A gather: where elements are, and where they go.
#[derive(Clone, Copy)]
pub struct Places {
    /// For each place in `to` a place in the corresponding segment of `from`.
    pub at: Var,
    /// The descriptor of the elements.
    pub from: Var,
    /// The descriptor of the result.
    pub to: Var,
    /// True if a place may be wrong, which is a fault.
    pub checked: bool,
}

impl Writer {
    fn lengths(&mut self, seg: Var) -> Var {
        self.op(Instr::Lengths, &[seg])
    }

    fn segdes(&mut self, lengths: Var) -> Var {
        self.op(Instr::MakeSegdes, &[lengths])
    }

    /// Returns the starts of segments among all elements.
    fn starts(&mut self, seg: Var) -> Var {
        let lengths = self.lengths(seg);
        let extent = self.extent(seg);
        self.op(STARTS, &[lengths, extent])
    }

    /// Returns the places of elements: `start` and what follows, for each segment.
    fn run(&mut self, start: Var, seg: Var) -> Var {
        let step = self.fill(Constant::Ints(vec![1]), start);
        self.op(Instr::Index, &[start, step, seg])
    }

    /// Returns the places 0, 1, … in every segment.
    pub fn places(&mut self, seg: Var) -> Var {
        let zero = self.fill(Constant::Ints(vec![0]), seg);
        self.run(zero, seg)
    }

    /// Joins two descriptors of which the second has a segment for each element of the first: a segment is all that lies below one of the first.
    pub fn joined(&mut self, outer: Var, inner: Var) -> Var {
        let lengths = self.lengths(inner);
        let sums = self.op(SUM, &[lengths, outer]);
        self.segdes(sums)
    }

    /// Repeats a value of the context around a descriptor for each of its elements. Sequences stay where they are.
    pub fn repeat(&mut self, value: &Value, seg: Var) -> Value {
        match value {
            Value::Scalar(var) => {
                let elem = self.elem(*var);
                Value::Scalar(self.op(Instr::Dist(elem), &[*var, seg]))
            }
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.repeat(part, seg)).collect()),
            Value::Seq(..) => Value::Outer(seg, Rc::new(value.clone())),
            Value::Outer(outer, value) => Value::Outer(self.joined(*outer, seg), value.clone()),
        }
    }

    /// Returns a value in which nothing stands for what lies outside.
    pub fn full(&mut self, value: &Value) -> Value {
        match value {
            Value::Scalar(_) => value.clone(),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.full(part)).collect()),
            Value::Seq(seg, inner) => Value::Seq(*seg, Rc::new(self.full(inner))),
            Value::Outer(seg, value) => {
                let Value::Seq(from, inner) = self.full(value) else {
                    unreachable!("only sequences stay outside")
                };
                let lengths = self.lengths(from);
                let lengths = self.op(Instr::Dist(Elem::Int), &[lengths, *seg]);
                let made = self.segdes(lengths);
                let (at, to) = (self.places(made), self.joined(*seg, made));
                let inner = self.gather(&inner, Places { at, from, to, checked: false });
                Value::Seq(made, Rc::new(inner))
            }
        }
    }

    /// Takes elements from the places that are given.
    pub fn gather(&mut self, value: &Value, places: Places) -> Value {
        let Places { at, from, to, checked } = places;
        match value {
            Value::Scalar(var) => {
                let instr = gather(self.elem(*var));
                Value::Scalar(self.pure(instr, &[*var, at, from, to], checked)[0])
            }
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.gather(part, places)).collect()),
            Value::Seq(seg, inner) => {
                let (lengths, starts) = (self.lengths(*seg), self.starts(*seg));
                let instr = gather(Elem::Int);
                let lengths = self.pure(instr, &[lengths, at, from, to], checked)[0];
                let starts = self.op(instr, &[starts, at, from, to]);
                self.runs(*seg, inner, starts, lengths)
            }
            Value::Outer(..) => {
                let value = self.full(value);
                self.gather(&value, places)
            }
        }
    }

    /// Takes from each segment the element at one place.
    pub fn extract(&mut self, value: &Value, at: Var, seg: Var) -> Value {
        match value {
            Value::Scalar(var) => {
                let elem = self.elem(*var);
                Value::Scalar(self.checked(Instr::Extract(elem), &[*var, at, seg]))
            }
            Value::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|part| self.extract(part, at, seg)).collect())
            }
            Value::Seq(inner_seg, inner) => {
                let (lengths, starts) = (self.lengths(*inner_seg), self.starts(*inner_seg));
                let lengths = self.checked(Instr::Extract(Elem::Int), &[lengths, at, seg]);
                let starts = self.op(Instr::Extract(Elem::Int), &[starts, at, seg]);
                self.runs(*inner_seg, inner, starts, lengths)
            }
            Value::Outer(..) => {
                let value = self.full(value);
                self.extract(&value, at, seg)
            }
        }
    }

    /// Makes sequences of elements that lie side by side: so many, from these places on among all elements.
    fn runs(&mut self, seg: Var, inner: &Value, starts: Var, lengths: Var) -> Value {
        let made = self.segdes(lengths);
        let at = self.run(starts, made);
        let (from, to) = (self.total(seg), self.total(made));
        Value::Seq(made, Rc::new(self.gather(inner, Places { at, from, to, checked: false })))
    }

    /// Returns the descriptor that is left where flags hold.
    pub fn kept(&mut self, flags: Var, seg: Var) -> Var {
        self.pure(Instr::Pack(Elem::Bool), &[flags, flags, seg], false)[1]
    }

    /// Keeps the instances of a value for which flags hold; `seg` is any descriptor of the flags.
    pub fn pack(&mut self, value: &Value, flags: Var, seg: Var) -> Value {
        match value {
            Value::Scalar(var) => {
                let kept = self.kept(flags, seg);
                let instr = Instr::Pack(self.elem(*var));
                let packed = self.pure(instr, &[*var, flags, seg], false)[0];
                self.is_under(packed, kept);
                Value::Scalar(packed)
            }
            Value::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|part| self.pack(part, flags, seg)).collect())
            }
            Value::Seq(own, inner) => {
                let lengths = Value::Scalar(self.lengths(*own));
                let lengths = self.pack(&lengths, flags, seg).scalar();
                let made = self.segdes(lengths);
                let flags = self.op(Instr::Dist(Elem::Bool), &[flags, *own]);
                Value::Seq(made, Rc::new(self.pack(inner, flags, *own)))
            }
            Value::Outer(outer, value) => Value::Outer(self.kept(flags, *outer), value.clone()),
        }
    }

    /// Merges two values: where flags hold the next of the first, elsewhere the next of the second.
    pub fn merge(&mut self, flags: Var, yes: &Value, no: &Value) -> Value {
        match (yes, no) {
            (Value::Scalar(yes), Value::Scalar(no)) => Value::Scalar(self.merge_scalars(flags, *yes, *no)),
            (Value::Tuple(yes), Value::Tuple(no)) => {
                Value::Tuple(yes.iter().zip(no).map(|(yes, no)| self.merge(flags, yes, no)).collect())
            }
            (Value::Seq(left, yes), Value::Seq(right, no)) => {
                let (left, right) = (self.lengths(*left), self.lengths(*right));
                let lengths = self.merge_scalars(flags, left, right);
                let made = self.segdes(lengths);
                let flags = self.op(Instr::Dist(Elem::Bool), &[flags, made]);
                Value::Seq(made, Rc::new(self.merge(flags, yes, no)))
            }
            _ => {
                let (yes, no) = (self.full(yes), self.full(no));
                self.merge(flags, &yes, &no)
            }
        }
    }

    fn merge_scalars(&mut self, flags: Var, yes: Var, no: Var) -> Var {
        let elem = self.elem(yes);
        let to = self.extent(flags);
        let others = self.op(bools(Point::Not), &[flags]);
        let [yes, no] = [(flags, yes), (others, no)].map(|(flags, values)| {
            let counts = self.counts(flags);
            let at = self.op(STARTS, &[counts, to]);
            let from = self.extent(values);
            self.op(Instr::Move(Move::Bfpermute, elem), &[values, at, flags, from, to])
        });
        self.op(Instr::Point(Point::Select, elem), &[flags, yes, no])
    }

    /// Appends sequences of the same context, each to each.
    pub fn append(&mut self, first: (Var, &Value), second: (Var, &Value)) -> (Var, Value) {
        let (left, right) = (self.lengths(first.0), self.lengths(second.0));
        let lengths = self.op(ints(Point::Add), &[left, right]);
        let made = self.segdes(lengths);
        let ends = self.op(Instr::Dist(Elem::Int), &[left, made]);
        let places = self.places(made);
        let flags = self.op(ints(Point::Lt), &[places, ends]);
        (made, self.merge(flags, first.1, second.1))
    }

    /// Makes a value for no instance.
    pub fn none(&mut self, form: &Form) -> Value {
        let slots: Vec<Var> = form
            .slots()
            .into_iter()
            .map(|ty| {
                self.own_constant(match ty {
                    Type::Segdes => Constant::Segdes(Vec::new()),
                    Type::Vector(Elem::Int) => Constant::Ints(Vec::new()),
                    Type::Vector(Elem::Bool) => Constant::Bools(Vec::new()),
                    Type::Vector(Elem::Float) => Constant::Floats(Vec::new()),
                })
            })
            .collect();
        let extent = self.own_constant(Constant::Segdes(vec![0]));
        self.is_one(extent);
        form.take(self, Some(extent), &mut slots.into_iter())
    }

    /// Makes an empty sequence for each instance.
    pub fn empty(&mut self, form: &Form, extent: Option<Var>) -> Value {
        let zero = self.spread(Constant::Ints(vec![0]), extent);
        let made = self.segdes(zero);
        Value::Seq(made, Rc::new(self.none(form)))
    }
}
