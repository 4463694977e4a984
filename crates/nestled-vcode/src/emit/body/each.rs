//! Apply-to-eaches and calls: both go on in a context.

use super::super::code::{Var, bools, ints};
use super::super::instances::{Key, Wanted};
use super::super::value::{Form, Value};
use super::{Body, Written};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Instr, Point};
use nestled_nesl::FaultCode;
use nestled_nesl::core::{Atom, Each, FunctionId, Ty};
use std::rc::Rc;

impl Body<'_, '_> {
    /// Writes an apply-to-each: its block, once, for all elements of all instances.
    pub(super) fn each(&mut self, each: &Each, ty: Ty) -> Written<Value> {
        if each.serial {
            return Err(self.refusal("an apply-to-each that must run one element after another"));
        }
        let form = self.form(self.element(ty))?;
        let values = self.atoms(&each.sources);
        let sources: Vec<(Var, Value)> = values.iter().map(|value| self.full_sequence(value)).collect();
        let seg = sources[0].0;
        for (other, _) in sources.iter().filter(|(other, _)| *other != seg) {
            let lengths = [seg, *other].map(|seg| self.out.op(Instr::Lengths, &[seg]));
            let equal = self.out.op(ints(Point::Eq), &lengths);
            self.require(equal, FaultCode::Length);
        }
        let extent = self.out.total(seg);
        let outer = (self.values.clone(), self.extent);
        let inner = self.guarded(extent, &form, self.reach.clone().may_recur(&each.body), |body| {
            for local in &each.captured {
                let value = body.out.repeat(&body.values[local].clone(), seg);
                body.values.insert(*local, value);
            }
            for (element, (_, value)) in each.elements.iter().zip(&sources) {
                body.values.insert(*element, value.clone());
            }
            body.extent = Some(extent);
            let value = body.block(&each.body)?;
            Ok(body.out.full(&value))
        });
        (self.values, self.extent) = outer;
        Ok(Value::Seq(seg, Rc::new(inner?)))
    }

    /// Writes code for a context. If it is guarded, it runs only where there are instances: a recursion ends where there are none.
    pub(super) fn guarded(
        &mut self,
        extent: Var,
        form: &Form,
        guard: bool,
        write: impl FnOnce(&mut Self) -> Written<Value>,
    ) -> Written<Value> {
        if !guard {
            return write(self);
        }
        let count = self.out.op(Instr::Lengths, &[extent]);
        let zero = self.out.fill(Constant::Ints(vec![0]), count);
        let some = self.out.op(ints(Point::Gt), &[count, zero]);
        self.out.open();
        self.check_depth()?;
        let value = write(self)?;
        let then = self.end(&value);
        self.out.open();
        let none = self.out.none(form);
        let otherwise = self.end(&none);
        let made = self.out.branch(some, then, otherwise, &form.slots());
        Ok(form.take(&mut self.out, Some(extent), &mut made.into_iter()))
    }

    /// Writes a call, for one instance or for all of the context.
    pub(super) fn call(&mut self, function: FunctionId, atoms: &[Atom]) -> Written<Value> {
        let args: Vec<Value> = atoms
            .iter()
            .map(|atom| {
                let value = self.atom(*atom);
                self.handed_over(&value)
            })
            .collect();
        let reach = self.reach.clone();
        let globals: Vec<_> =
            reach.globals(function).iter().map(|id| (*id, self.globals[id].clone())).collect();
        let wanted = Wanted {
            statement: self.statement,
            function,
            many: self.extent.is_some(),
            forms: args.iter().map(|arg| arg.form(&self.out)).collect(),
            globals: globals.iter().map(|(id, value)| (*id, value.form(&self.out))).collect(),
        };
        let number = self.around.instances.number(Key::Core(wanted), self.span);
        let mut slots: Vec<Var> = self.extent.into_iter().collect();
        args.iter().chain(globals.iter().map(|(_, value)| value)).for_each(|value| value.slots(&mut slots));
        let form = self.form(reach.program.functions[function.0 as usize].result)?;
        let made = self.out.call(number, slots, &form.slots());
        Ok(form.take(&mut self.out, self.extent, &mut made.into_iter()))
    }

    /// Returns a value as it is given to a function: what is the same for many instances stays so, but not inside of sequences.
    fn handed_over(&mut self, value: &Value) -> Value {
        match value {
            Value::Scalar(_) => value.clone(),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.handed_over(part)).collect()),
            Value::Seq(..) => self.out.full(value),
            Value::Outer(seg, value) => Value::Outer(*seg, Rc::new(self.out.full(value))),
        }
    }

    /// Stops the program unless flags hold in all instances.
    pub(super) fn require(&mut self, flags: Var, code: FaultCode) {
        let mut text = code.name().to_owned();
        if let Some(place) = self.around.sources.describe(self.span) {
            text = format!("{text} at {place}");
        }
        let text = format!("{text}: {}\n", code.message());
        let all = self.all(flags);
        self.out.open();
        let then = self.out.close(Vec::new());
        self.out.open();
        let text = self.out.text(text.as_bytes());
        self.stop(text);
        let otherwise = self.out.close(Vec::new());
        self.out.branch(all, then, otherwise, &[]);
    }

    /// Returns one flag: whether flags hold in all instances.
    pub(super) fn all(&mut self, flags: Var) -> Var {
        if self.out.one(flags) {
            return flags;
        }
        let extent = self.out.extent(flags);
        let fold = Instr::Reduce(crate::syntax::instr::Fold::And, crate::syntax::instr::Elem::Bool);
        self.out.op(fold, &[flags, extent])
    }

    /// Returns flags that hold where others do not.
    pub(super) fn not(&mut self, flags: Var) -> Var {
        self.out.op(bools(Point::Not), &[flags])
    }
}
