//! Conditionals: `IF` for one instance; for many, each branch with the instances that take it, or both with all where that costs little and cannot fault.

use super::super::code::Var;
use super::super::value::Value;
use super::{Body, Written};
use crate::syntax::instr::{Instr, Point};
use nestled_nesl::core::{Atom, Block, Local, Op, Ty};
use nestled_nesl::primitive::Primitive;
use std::collections::{BTreeSet, HashMap};

/// Largest number of statements of a branch that is computed for all instances.
const CHEAP: usize = 8;

impl Body<'_, '_> {
    /// Writes a conditional.
    pub(super) fn branch(&mut self, condition: Atom, (yes, no): (&Block, &Block), ty: Ty) -> Written<Value> {
        let flags = self.atom(condition).scalar();
        let Some(extent) = self.extent else { return self.one_branch(flags, (yes, no), ty) };
        if self.form(ty)?.is_flat() && is_cheap(yes) && is_cheap(no) {
            let (yes, no) = (self.block(yes)?, self.block(no)?);
            return Ok(self.select(flags, &yes, &no));
        }
        let others = self.not(flags);
        let yes = self.part(yes, flags, extent, ty)?;
        let no = self.part(no, others, extent, ty)?;
        Ok(self.out.merge(flags, &yes, &no))
    }

    fn one_branch(&mut self, flag: Var, (yes, no): (&Block, &Block), ty: Ty) -> Written<Value> {
        let form = self.form(ty)?;
        let mut written = Vec::new();
        for block in [yes, no] {
            self.out.open();
            self.check_depth()?;
            let values = self.values.clone();
            let value = self.block(block)?;
            self.values = values;
            written.push(self.end(&value));
        }
        let (no, yes) = (written.pop().expect("two blocks"), written.pop().expect("two blocks"));
        let made = self.out.branch(flag, yes, no, &form.slots());
        Ok(form.take(&mut self.out, None, &mut made.into_iter()))
    }

    /// Writes a branch for the instances where flags hold.
    fn part(&mut self, block: &Block, flags: Var, extent: Var, ty: Ty) -> Written<Value> {
        let form = self.form(ty)?;
        let kept = self.out.kept(flags, extent);
        self.out.is_one(kept);
        let outer = self.values.clone();
        let written = self.guarded(kept, &form, self.reach.clone().may_recur(block), |body| {
            let mut inner = HashMap::new();
            for local in used(block) {
                if let Some(value) = body.values.get(&local).cloned() {
                    inner.insert(local, body.out.pack(&value, flags, extent));
                }
            }
            body.values = inner;
            body.extent = Some(kept);
            let value = body.block(block)?;
            Ok(body.out.full(&value))
        });
        (self.values, self.extent) = (outer, Some(extent));
        written
    }

    /// Chooses between two values made of scalars.
    fn select(&mut self, flags: Var, yes: &Value, no: &Value) -> Value {
        match (yes, no) {
            (Value::Tuple(yes), Value::Tuple(no)) => {
                Value::Tuple(yes.iter().zip(no).map(|(yes, no)| self.select(flags, yes, no)).collect())
            }
            (yes, no) => {
                let (yes, no) = (yes.scalar(), no.scalar());
                let elem = self.out.elem(yes);
                Value::Scalar(self.out.op(Instr::Point(Point::Select, elem), &[flags, yes, no]))
            }
        }
    }
}

/// Returns the values that a block uses, its own included.
fn used(block: &Block) -> BTreeSet<Local> {
    let mut used = BTreeSet::new();
    block.visit_atoms(&mut |atom| {
        if let Atom::Local(local) = atom {
            used.insert(local);
        }
    });
    used
}

/// True if a block is short, and of scalar operations that cannot fault.
fn is_cheap(block: &Block) -> bool {
    let total = |op: &Op| match op {
        Op::Primitive(primitive, _) => is_total(*primitive),
        Op::Pair(..) | Op::First(_) | Op::Second(_) => true,
        Op::Call(..) | Op::Global(_) | Op::Closure(_) | Op::Captured(..) | Op::Sequence(_) => false,
        Op::Str(_) | Op::Data(..) | Op::If(..) | Op::Each(_) => false,
    };
    block.statements.len() <= CHEAP && block.statements.iter().all(|statement| total(&statement.op))
}

fn is_total(primitive: Primitive) -> bool {
    use Primitive::{
        Add, And, AnyToFloat, BoolToInt, CharCode, CodeChar, Equal, Greater, GreaterEqual, IntToAny,
        IntToFloat, Less, LessEqual, MaxInt, Multiply, Negate, Not, NotEqual, Or, ShiftLeft, ShiftRight,
        Subtract, Xor,
    };
    matches!(
        primitive,
        Not | And
            | Or
            | Xor
            | Equal
            | NotEqual
            | Less
            | Greater
            | LessEqual
            | GreaterEqual
            | Add
            | Subtract
            | Multiply
            | Negate
            | ShiftLeft
            | ShiftRight
            | BoolToInt
            | CodeChar
            | CharCode
            | IntToFloat
            | IntToAny
            | AnyToFloat
            | MaxInt
    )
}
