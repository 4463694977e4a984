//! Flattening of blocks of the core, statement by statement.

use super::analysis::{Kind, kind};
use super::free::free;
use super::plan::{Body, CallStep, Step};
use super::scalar::{InHost, Operations, scalar_primitive};
use super::sites::Origin;
use super::val::{At, Leaf, Val};
use super::{Emitter, Result, TypeShape};
use crate::core::{Atom, Block, Local, Op, Statement, Ty};
use crate::primitive::Primitive;
use nestled_ir::{Axis, HostAtom, HostOp, Scalar, ScalarType};
use std::collections::HashMap;
use std::rc::Rc;

/// A function of the core whose body is being written.
pub(super) struct Frame<'a> {
    pub body: &'a Body<'a>,
    pub env: HashMap<Local, Val>,
}

impl Frame<'_> {
    /// Returns the type of a local.
    pub fn type_of(&self, local: Local) -> Ty {
        self.body.function.locals[local.0 as usize]
    }
}

/// Largest size of a program, in statements.
const LIMIT: usize = 600_000;

impl<'a> Emitter<'a> {
    /// Writes a block and returns its value.
    pub fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<Val> {
        let since = self.delayed.mark_faults();
        self.statements(frame, &block.statements)?;
        self.settle_faults(since);
        Ok(self.atom(frame, block.result))
    }

    /// Writes statements and binds their values.
    pub fn statements(&mut self, frame: &mut Frame<'a>, statements: &'a [Statement]) -> Result<()> {
        for (at, statement) in statements.iter().enumerate() {
            self.out.statements += 1;
            if self.out.statements > LIMIT {
                return Err(self.too_large("its functions call each other in too many ways"));
            }
            let span = self.origin.span_of(statement);
            let origin = Origin { span, order: self.out.statements };
            let val = self.at_origin(origin, |this| {
                if matches!(statement.op, Op::Primitive(Primitive::StartTimer, _)) {
                    this.tie(&given_to(timed(&statements[at + 1..]), frame));
                }
                this.statement(frame, statement)
            })?;
            // What follows comes after all statements that the statement is made of.
            self.origin.order = self.out.statements;
            frame.env.insert(statement.local, val);
        }
        Ok(())
    }

    /// Returns the value of an operand.
    pub fn atom(&self, frame: &Frame<'a>, atom: Atom) -> Val {
        match atom {
            Atom::Local(local) => frame.env[&local].clone(),
            other => {
                let scalar = self.literal(other);
                Val::host(0, scalar.ty(), HostAtom::Const(scalar))
            }
        }
    }

    pub fn atoms(&self, frame: &Frame<'a>, atoms: &[Atom]) -> Vec<Val> {
        atoms.iter().map(|atom| self.atom(frame, *atom)).collect()
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) -> Result<Val> {
        let step = frame.body.step(statement);
        if let Step::Delayed { needed } = step {
            return Ok(self.scalar_statement(frame, statement, needed));
        }
        let ty = frame.type_of(statement.local);
        match &statement.op {
            Op::Primitive(primitive, atoms) => {
                let args = self.atoms(frame, atoms);
                match kind(*primitive) {
                    Kind::Scalar if *primitive == Primitive::Element => {
                        self.nested_element(&args[0], &args[1])
                    }
                    Kind::Scalar => self.draw(&args[0]),
                    Kind::Sequence => {
                        let types: Vec<_> = atoms.iter().map(|atom| self.type_of(frame, *atom)).collect();
                        self.sequence_primitive(*primitive, &args, ty, &types)
                    }
                    Kind::Act => self.act(*primitive, &args, ty),
                }
            }
            Op::Call(callee, atoms) => {
                let Step::Call(step) = step else { unreachable!("the plan has a step for each call") };
                let args = self.atoms(frame, atoms);
                self.call(callee.0 as usize, args, step)
            }
            Op::Global(id) => Ok(self.scope.globals[id].clone()),
            Op::Pair(left, right) => Ok(Val::tuple(self.atoms(frame, &[*left, *right]))),
            Op::First(pair) => Ok(self.atom(frame, *pair).part(0).clone()),
            Op::Second(pair) => Ok(self.atom(frame, *pair).part(1).clone()),
            Op::Closure(atoms) => Ok(Val::tuple(self.atoms(frame, atoms))),
            Op::Captured(closure, position) => Ok(self.atom(frame, *closure).part(*position).clone()),
            Op::Sequence(atoms) => {
                let vals = self.atoms(frame, atoms);
                let TypeShape::Seq(element) = self.shape_of(ty) else { unreachable!("it is a sequence") };
                self.literal_sequence(&vals, element)
            }
            Op::Data(op, atoms) => {
                let arg = self.atom(frame, atoms[0]);
                self.pool_operation(*op, &arg)
            }
            Op::Str(bytes) => {
                let elements: Vec<Scalar> = bytes.iter().map(|byte| Scalar::U8(*byte)).collect();
                Ok(self.constant_sequence(ScalarType::U8, elements))
            }
            Op::If(cond, yes, no) => {
                let Step::If(effects) = step else {
                    unreachable!("the plan has a step for each conditional")
                };
                let cond = self.atom(frame, *cond);
                self.conditional(frame, cond.leaf().clone(), [yes, no], effects, ty)
            }
            Op::Each(each) => {
                let Step::Each(effects) = step else { unreachable!("the plan has a step for each one") };
                self.each(frame, each, effects, ty)
            }
        }
    }

    fn type_of(&self, frame: &Frame<'a>, atom: Atom) -> Option<Ty> {
        match atom {
            Atom::Local(local) => Some(frame.type_of(local)),
            _ => None,
        }
    }

    /// Makes an array of constants.
    pub fn constant_sequence(&mut self, elem: ScalarType, elements: Vec<Scalar>) -> Val {
        let extent = elements.len() as u64;
        let op = HostOp::Literal { elem, extents: vec![extent], elements };
        let atom = HostAtom::Value(self.emit_one("text", op));
        Val::seq(0, Axis::Const(extent), super::val::Place::Dense(Val::host(1, elem, atom)))
    }

    /// Puts off a statement that one point can compute.
    fn scalar_statement(&mut self, frame: &Frame<'a>, statement: &'a Statement, needed: bool) -> Val {
        let mut operands = HashMap::new();
        let mut level = 0;
        for local in free(&statement.op) {
            let val = frame.env[&local].clone();
            level = level.max(val.level());
            operands.insert(local, val);
        }
        // What faults is computed even if nobody asks for it, and so is what may never end.
        let needed = needed && (level > 0 || !self.is_fine(frame, &statement.op));
        if needed {
            level = self.scope.chain.len();
        }
        if level == 0
            && let Op::Primitive(primitive, atoms) = &statement.op
            && let Some(val) = self.host_statement(frame, *primitive, atoms)
        {
            return val;
        }
        let ty = frame.type_of(statement.local);
        let mut types = Vec::new();
        self.scalar_types(ty, &mut types);
        let work = super::lazy::Work::Statement { statement, operands: Rc::new(operands) };
        let leaves = self.put_off(work, level, &types, needed);
        self.val_of_leaves(ty, &mut leaves.into_iter())
    }

    /// True if an operation that may fault does not with these operands: divisors and conditions that are constants.
    fn is_fine(&self, frame: &Frame<'a>, op: &Op) -> bool {
        let Op::Primitive(primitive, atoms) = op else { return false };
        let constant = |at: usize| match self.atom(frame, atoms[at]) {
            Val::Scalar(Leaf { at: At::Host(HostAtom::Const(scalar)), .. }) => Some(scalar),
            _ => None,
        };
        match primitive {
            Primitive::Divide | Primitive::Remainder => {
                constant(1).and_then(Scalar::as_integer).is_some_and(|by| by != 0 && by != -1)
            }
            Primitive::Check(_) => constant(0) == Some(Scalar::Bool(true)),
            _ => false,
        }
    }

    /// Writes a scalar operation in host code, if its operands are available there.
    fn host_statement(&mut self, frame: &Frame<'a>, primitive: Primitive, atoms: &[Atom]) -> Option<Val> {
        let args = self.atoms(frame, atoms);
        if primitive == Primitive::Length {
            let len = self.host_len(args[0].as_seq());
            let int = self.int();
            let atom = InHost(self).convert(len, int);
            return Some(Val::host(0, int, atom));
        }
        if primitive == Primitive::Element {
            return None;
        }
        let mut known = Vec::new();
        for arg in &args {
            match arg.leaf().at {
                At::Host(atom) => known.push(atom),
                At::Pending(id) => known.push(self.delayed.result(id)?),
            }
        }
        let atom = scalar_primitive(&mut InHost(self), primitive, &known);
        Some(Val::host(0, self.host_type(atom), atom))
    }

    /// Rebuilds a value of a type from its scalars, in order.
    pub fn val_of_leaves(
        &self,
        ty: crate::core::Ty,
        leaves: &mut dyn Iterator<Item = super::val::Leaf>,
    ) -> Val {
        match self.shape_of(ty) {
            TypeShape::Scalar(_) => Val::Scalar(leaves.next().expect("a leaf for each scalar")),
            TypeShape::Tuple(parts) => {
                Val::tuple(parts.into_iter().map(|part| self.val_of_leaves(part, leaves)).collect())
            }
            TypeShape::Seq(_) => unreachable!("serial code makes no sequences"),
        }
    }

    fn scalar_types(&self, ty: crate::core::Ty, found: &mut Vec<ScalarType>) {
        match self.shape_of(ty) {
            TypeShape::Scalar(ty) => found.push(ty),
            TypeShape::Tuple(parts) => parts.into_iter().for_each(|part| self.scalar_types(part, found)),
            TypeShape::Seq(_) => unreachable!("serial code makes no sequences"),
        }
    }

    /// Writes a call in the way that was planned.
    fn call(&mut self, callee: usize, args: Vec<Val>, step: CallStep) -> Result<Val> {
        match step {
            CallStep::InPlace if self.scope.chain.is_empty() => Ok(self.updating_call(callee, &args)),
            CallStep::InPlace | CallStep::Function => self.instance_call(callee, args),
            CallStep::Inlined => {
                let body = self.plan.body(callee);
                let env = body.function.parameters.iter().copied().zip(args).collect();
                self.block(&mut Frame { body, env }, &body.function.body)
            }
        }
    }
}

/// Returns the timed statements: those up to the one that stops the timer.
fn timed(statements: &[Statement]) -> &[Statement] {
    let mut running = 1;
    for (at, statement) in statements.iter().enumerate() {
        match statement.op {
            Op::Primitive(Primitive::StartTimer, _) => running += 1,
            Op::Primitive(Primitive::StopTimer, _) => running -= 1,
            _ => {}
        }
        if running == 0 {
            return &statements[..at];
        }
    }
    &[]
}

/// Returns the values from before that statements use.
fn given_to(statements: &[Statement], frame: &Frame<'_>) -> Vec<Val> {
    let mut locals: Vec<Local> = statements.iter().flat_map(|statement| free(&statement.op)).collect();
    locals.sort_unstable();
    locals.dedup();
    // What they make themselves has no value yet.
    locals.iter().filter_map(|local| frame.env.get(local).cloned()).collect()
}
