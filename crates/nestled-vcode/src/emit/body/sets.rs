//! Sequences made of single elements: literals, and copies in which elements are replaced.

use super::super::code::{Var, ints};
use super::super::moves::Places;
use super::super::value::Value;
use super::{Body, Written};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Instr, Move, Point};
use nestled_nesl::FaultCode;
use nestled_nesl::core::{Atom, Ty};
use std::rc::Rc;

impl Body<'_, '_> {
    /// Writes a sequence literal.
    pub(super) fn sequence(&mut self, atoms: &[Atom], ty: Ty) -> Written<Value> {
        let form = self.form(self.element(ty))?;
        if atoms.is_empty() {
            return Ok(self.out.empty(&form, self.extent));
        }
        if let Some(constant) = constants(atoms) {
            return Ok(self.literal(constant));
        }
        let values = self.atoms(atoms);
        let values: Vec<Value> = values.iter().map(|value| self.out.full(value)).collect();
        let length = self.out.spread(Constant::Ints(vec![atoms.len() as i64]), self.extent);
        let seg = self.out.op(Instr::MakeSegdes, &[length]);
        let inner = match form.is_flat() {
            true => self.beside(&values, seg),
            false => self.interleaved(&values, seg),
        };
        Ok(Value::Seq(seg, Rc::new(inner)))
    }

    /// Makes elements of values that are made of scalars.
    fn beside(&mut self, values: &[Value], seg: Var) -> Value {
        if let Value::Tuple(parts) = &values[0] {
            let column =
                |at: usize| -> Vec<Value> { values.iter().map(|value| value.parts()[at].clone()).collect() };
            return Value::Tuple((0..parts.len()).map(|at| self.beside(&column(at), seg)).collect());
        }
        let first = values[0].scalar();
        let elem = self.out.elem(first);
        let mut made = self.out.op(Instr::Dist(elem), &[first, seg]);
        for (at, value) in values.iter().enumerate().skip(1) {
            let at = self.out.spread(Constant::Ints(vec![at as i64]), self.extent);
            made = self.out.op(Instr::Replace(elem), &[made, at, value.scalar(), seg]);
        }
        Value::Scalar(made)
    }

    /// Makes elements of any values: the first of all instances, the second of all instances and so on, which are then taken in the order of instances.
    fn interleaved(&mut self, values: &[Value], seg: Var) -> Value {
        let width = self.extent.unwrap_or_else(|| self.out.constant(Constant::Segdes(vec![1])));
        let (mut all, mut made) = (width, values[0].clone());
        for value in &values[1..] {
            (all, made) = self.out.append((all, &made), (width, value));
        }
        if self.extent.is_none() {
            return made;
        }
        let row = self.out.places(seg);
        let instance = self.out.places(width);
        let instance = self.out.op(Instr::Dist(crate::syntax::instr::Elem::Int), &[instance, seg]);
        let to = self.out.total(seg);
        let width = self.out.op(Instr::Lengths, &[width]);
        let width = self.out.op(Instr::Dist(crate::syntax::instr::Elem::Int), &[width, to]);
        let before = self.out.op(ints(Point::Mul), &[row, width]);
        let at = self.out.op(ints(Point::Add), &[before, instance]);
        self.out.gather(&made, Places { at, from: all, to, checked: false })
    }

    /// Writes `<-`: a copy in which elements are replaced, the last of those with the same place.
    pub(super) fn put(&mut self, args: &[Value]) -> Value {
        let (from, values) = self.full_sequence(&args[0]);
        let (counted, at) = self.full_sequence(&args[1]);
        let (to, old) = self.full_sequence(&args[2]);
        if from != counted {
            let lengths = [from, counted].map(|seg| self.out.op(Instr::Lengths, &[seg]));
            let equal = self.out.op(ints(Point::Eq), &lengths);
            self.require(equal, FaultCode::Length);
        }
        let inner = match values.form(&self.out).is_flat() {
            true => self.replaced(&values, &old, (at.scalar(), from, to)),
            false => self.replaced_whole(&values, &old, (at.scalar(), from, to)),
        };
        Value::Seq(to, Rc::new(inner))
    }

    fn replaced(&mut self, values: &Value, old: &Value, place: (Var, Var, Var)) -> Value {
        match (values, old) {
            (Value::Tuple(values), Value::Tuple(old)) => Value::Tuple(
                values.iter().zip(old).map(|(value, old)| self.replaced(value, old, place)).collect(),
            ),
            (value, old) => {
                let (at, from, to) = place;
                let instr = Instr::Move(Move::Dpermute, self.out.elem(value.scalar()));
                Value::Scalar(self.out.checked(instr, &[value.scalar(), at, old.scalar(), from, to]))
            }
        }
    }

    /// Replaces elements of any type: finds for each place which value stands there, and takes it from all old and new ones.
    fn replaced_whole(&mut self, values: &Value, old: &Value, (at, from, to): (Var, Var, Var)) -> Value {
        let (all_new, all_old) = (self.out.total(from), self.out.total(to));
        let number = self.out.places(all_new);
        let one = self.out.fill(Constant::Ints(vec![1]), number);
        let number = self.out.op(ints(Point::Add), &[number, one]);
        let none = self.out.spread(Constant::Ints(vec![0]), Some(all_old));
        let dpermute = Instr::Move(Move::Dpermute, crate::syntax::instr::Elem::Int);
        let found = self.out.checked(dpermute, &[number, at, none, from, to]);
        let is_new = self.out.op(ints(Point::Gt), &[found, none]);
        let (all, made) = self.out.append((all_new, values), (all_old, old));
        let count = self.out.op(Instr::Lengths, &[all_new]);
        let count = self.out.op(Instr::Dist(crate::syntax::instr::Elem::Int), &[count, all_old]);
        let place = self.out.places(all_old);
        let kept = self.out.op(ints(Point::Add), &[place, count]);
        let one = self.out.fill(Constant::Ints(vec![1]), found);
        let new = self.out.op(ints(Point::Sub), &[found, one]);
        let at = self.out.op(ints(Point::Select), &[is_new, new, kept]);
        self.out.gather(&made, Places { at, from: all, to: all_old, checked: false })
    }
}

/// Returns the vector of constants that atoms are, if all are.
fn constants(atoms: &[Atom]) -> Option<Constant> {
    let ints = atoms.iter().map(|atom| match atom {
        Atom::Int(value) => Some(*value),
        Atom::Char(code) => Some(i64::from(*code)),
        Atom::Float(_) | Atom::Bool(_) | Atom::Local(_) => None,
    });
    let floats = atoms.iter().map(|atom| match atom {
        Atom::Float(value) if value.is_finite() => Some(*value),
        _ => None,
    });
    let bools = atoms.iter().map(|atom| if let Atom::Bool(value) = atom { Some(*value) } else { None });
    ints.collect::<Option<Vec<i64>>>()
        .map(Constant::Ints)
        .or_else(|| floats.collect::<Option<Vec<f64>>>().map(Constant::Floats))
        .or_else(|| bools.collect::<Option<Vec<bool>>>().map(Constant::Bools))
}
