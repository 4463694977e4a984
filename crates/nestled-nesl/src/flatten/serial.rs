//! Serial code: parts of the core that a single point computes, as thunk code.
//!
//! A conditional becomes an `if`. A tail-recursive function becomes a `while`; its carried variables are the arguments of the next round, a flag that tells
//! whether there is one, and the result. Sequences updated in place (`in_place.rs`) are private arrays, shared by all rounds.

use super::kernel::KernelWriter;
use super::point::{Point, Run, idx};
use super::scalar::{InThunk, Operations, scalar_primitive};
use super::sites::Origin;
use super::val::{Place, Val};
use super::{Emitter, TypeShape};
use crate::core::{self, Block, Local, Op, Statement};
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::{Atom, Carried, Index, LocalId, Op as IrOp, Rule, Scalar, ScalarType, StmtKind};
use std::collections::HashMap;

/// The values of a function's locals in a thunk.
pub(super) struct Names<'v> {
    known: HashMap<Local, Point>,
    outside: Option<&'v HashMap<Local, Val>>,
}

impl<'v> Names<'v> {
    pub fn new(outside: &'v HashMap<Local, Val>) -> Names<'v> {
        Names { known: HashMap::new(), outside: Some(outside) }
    }
}

impl<'a> Emitter<'a> {
    fn serial_local(&mut self, k: &mut KernelWriter, names: &mut Names<'_>, local: Local) -> Point {
        if let Some(point) = names.known.get(&local) {
            return point.clone();
        }
        let val = names
            .outside
            .and_then(|outside| outside.get(&local))
            .expect("locals are bound before they are used");
        let coordinates = k.coordinates();
        self.read(k, val, &coordinates)
    }

    fn serial_atom(&mut self, k: &mut KernelWriter, names: &mut Names<'_>, atom: core::Atom) -> Point {
        match atom {
            core::Atom::Local(local) => self.serial_local(k, names, local),
            other => Point::Scalar(Atom::Const(self.literal(other))),
        }
    }

    /// Writes a statement and returns its value at a point.
    pub fn serial_op(
        &mut self,
        k: &mut KernelWriter,
        names: &mut Names<'_>,
        statement: &'a Statement,
    ) -> Point {
        match &statement.op {
            Op::Primitive(primitive, atoms) => {
                let args: Vec<Point> = atoms.iter().map(|atom| self.serial_atom(k, names, *atom)).collect();
                self.serial_primitive(k, *primitive, &args)
            }
            Op::Call(callee, atoms) => {
                let args: Vec<Point> = atoms.iter().map(|atom| self.serial_atom(k, names, *atom)).collect();
                self.serial_call(k, callee.0 as usize, args)
            }
            Op::Global(id) => {
                let val = self.scope.globals[id].clone();
                self.read(k, &val, &[])
            }
            Op::Pair(left, right) => {
                let left = self.serial_atom(k, names, *left);
                Point::Tuple(vec![left, self.serial_atom(k, names, *right)])
            }
            Op::First(pair) => self.serial_atom(k, names, *pair).part(0).clone(),
            Op::Second(pair) => self.serial_atom(k, names, *pair).part(1).clone(),
            Op::Closure(atoms) => {
                Point::Tuple(atoms.iter().map(|atom| self.serial_atom(k, names, *atom)).collect())
            }
            Op::Captured(closure, position) => self.serial_atom(k, names, *closure).part(*position).clone(),
            Op::If(cond, yes, no) => {
                let cond = self.serial_atom(k, names, *cond).scalar();
                if let Atom::Const(Scalar::Bool(known)) = cond {
                    return self.serial_block(k, names, if known { yes } else { no });
                }
                let unwritten = k.unwritten.clone();
                k.open();
                let first = self.serial_inner(k, names, yes);
                self.write_all_held(k);
                let mut results = Vec::new();
                first.scalars(&mut results);
                let then = k.close(results);
                k.unwritten = unwritten;
                k.open();
                let second = self.serial_inner(k, names, no);
                self.write_all_held(k);
                let mut results = Vec::new();
                second.scalars(&mut results);
                let otherwise = k.close(results);
                let results = k.branch(cond, then, otherwise);
                first.with_scalars(&mut results.into_iter())
            }
            Op::Sequence(atoms) => {
                let element = self.serial_atom(k, names, atoms[0]);
                Point::Seq(Run::Single(Box::new(element)))
            }
            Op::Str(_) | Op::Each(_) => unreachable!("serial code makes no sequences"),
            Op::Data(..) => unreachable!("serial code has no pools"),
        }
    }

    /// Writes a block with a scope of its own.
    fn serial_inner(&mut self, k: &mut KernelWriter, names: &mut Names<'_>, block: &'a Block) -> Point {
        let known = names.known.clone();
        let point = self.serial_block(k, names, block);
        names.known = known;
        point
    }

    fn serial_block(&mut self, k: &mut KernelWriter, names: &mut Names<'_>, block: &'a Block) -> Point {
        for statement in &block.statements {
            self.serial_statement(k, names, statement);
        }
        self.serial_atom(k, names, block.result)
    }

    fn serial_statement(&mut self, k: &mut KernelWriter, names: &mut Names<'_>, statement: &'a Statement) {
        let origin = Origin { span: self.origin.span_of(statement), ..self.origin };
        let point =
            self.at_origin(origin, |this| k.at_span(origin.span, |k| this.serial_op(k, names, statement)));
        names.known.insert(statement.local, point);
    }

    /// Writes a call of a function that one point can compute.
    pub fn serial_call(&mut self, k: &mut KernelWriter, callee: usize, args: Vec<Point>) -> Point {
        let function = &self.source.core.functions[callee];
        if self.analysis.functions[callee].recursive {
            return self.serial_loop(k, callee, args);
        }
        let known = function.parameters.iter().copied().zip(args).collect();
        let mut names = Names { known, outside: None };
        self.serial_block(k, &mut names, &function.body)
    }

    fn serial_loop(&mut self, k: &mut KernelWriter, callee: usize, args: Vec<Point>) -> Point {
        let function = &self.source.core.functions[callee];
        self.write_all_held(k);
        let mut first = Vec::new();
        args.iter().for_each(|arg| arg.scalars(&mut first));
        let mut zeros = Vec::new();
        self.zeros_beside_sequences(function.result, &mut zeros);
        first.push(Atom::Const(Scalar::Bool(true)));
        first.extend(&zeros);
        let fresh = |k: &mut KernelWriter| -> Vec<LocalId> {
            first
                .iter()
                .map(|atom| k.ty(*atom))
                .collect::<Vec<_>>()
                .into_iter()
                .map(|ty| k.local(ty))
                .collect()
        };
        let carried = fresh(k);
        let dsts = fresh(k);
        let own: Vec<Atom> = carried.iter().copied().map(Atom::Local).collect();
        let goes_on = own[own.len() - zeros.len() - 1];
        k.open();
        let cond = k.close(vec![goes_on]);
        k.open();
        let mut next = own.iter().copied();
        let args: Vec<Point> = args.iter().map(|arg| arg.with_scalars(&mut next)).collect();
        let known = function.parameters.iter().copied().zip(args).collect();
        let mut names = Names { known, outside: None };
        let n_args = own.len() - zeros.len() - 1;
        let mut round = Round { callee, own: own[..n_args].to_vec(), zeros: zeros.clone(), result: None };
        let results = self.serial_tail(k, &mut names, &function.body, &mut round);
        let body = k.close(results);
        let carried = carried.into_iter().zip(&first).map(|(local, &init)| Carried { local, init }).collect();
        k.push(StmtKind::While { dsts: dsts.clone(), carried, cond, body });
        let mut last = dsts[n_args + 1..].iter().copied().map(Atom::Local);
        // A loop without an end gives nothing.
        let result = round.result.unwrap_or_else(|| self.zero_point(function.result));
        result.with_scalars(&mut last)
    }

    /// Writes a block in tail position of a loop; returns the next arguments, the flag that there is a next round, and the result.
    fn serial_tail(
        &mut self,
        k: &mut KernelWriter,
        names: &mut Names<'_>,
        block: &'a Block,
        round: &mut Round,
    ) -> Vec<Atom> {
        if let Some((last, first)) = block.statements.split_last()
            && block.result == core::Atom::Local(last.local)
        {
            match &last.op {
                Op::Call(callee, atoms) if callee.0 as usize == round.callee => {
                    first.iter().for_each(|statement| self.serial_statement(k, names, statement));
                    let mut results = Vec::new();
                    for atom in atoms {
                        self.serial_atom(k, names, *atom).scalars(&mut results);
                    }
                    self.write_all_held(k);
                    results.push(Atom::Const(Scalar::Bool(true)));
                    results.extend(&round.zeros);
                    return results;
                }
                Op::If(cond, yes, no) => {
                    first.iter().for_each(|statement| self.serial_statement(k, names, statement));
                    let cond = self.serial_atom(k, names, *cond).scalar();
                    let (known, unwritten) = (names.known.clone(), k.unwritten.clone());
                    k.open();
                    let results = self.serial_tail(k, names, yes, round);
                    let then = k.close(results);
                    names.known.clone_from(&known);
                    k.unwritten = unwritten;
                    k.open();
                    let results = self.serial_tail(k, names, no, round);
                    let otherwise = k.close(results);
                    names.known = known;
                    return k.branch(cond, then, otherwise);
                }
                _ => {}
            }
        }
        let mut results = round.own.clone();
        results.push(Atom::Const(Scalar::Bool(false)));
        let result = self.serial_block(k, names, block);
        self.write_all_held(k);
        result.scalars(&mut results);
        round.result = Some(result);
        results
    }

    /// Collects zeros for the scalars of a type that are not in sequences.
    fn zeros_beside_sequences(&self, ty: core::Ty, zeros: &mut Vec<Atom>) {
        match self.shape_of(ty) {
            TypeShape::Scalar(ty) => zeros.push(Atom::Const(Scalar::zero(ty))),
            TypeShape::Tuple(parts) => {
                parts.into_iter().for_each(|part| self.zeros_beside_sequences(part, zeros));
            }
            TypeShape::Seq(_) => {}
        }
    }

    fn serial_primitive(&mut self, k: &mut KernelWriter, primitive: Primitive, args: &[Point]) -> Point {
        match primitive {
            Primitive::Length => {
                let len = self.run_len(k, args[0].run());
                Point::Scalar(k.convert(len, self.int()))
            }
            Primitive::Put => {
                let (Run::Single(value), Run::Single(at)) = (args[0].run(), args[1].run()) else {
                    unreachable!("one element is put at a time")
                };
                let Run::Held(held) = args[2].run() else { unreachable!("it may be changed") };
                Point::Seq(Run::Held(self.put_held(k, held, at.scalar(), value)))
            }
            Primitive::Element => self.checked_element(k, args[0].run(), args[1].scalar(), FaultCode::Index),
            _ => {
                let args: Vec<Atom> = args.iter().map(Point::scalar).collect();
                Point::Scalar(scalar_primitive(&mut InThunk { this: self, k }, primitive, &args))
            }
        }
    }

    /// Reads the element at a position; faults if there is none. Without checks it reads the nearest one, if there is any.
    pub fn checked_element(&mut self, k: &mut KernelWriter, run: &Run, at: Atom, code: FaultCode) -> Point {
        let mut at = k.index(at);
        if self.source.checked
            && let Run::Held(held) = run
        {
            let site = self.site(code, self.origin.span);
            return self.held_element(k, held, at, Some(site));
        }
        if self.source.checked
            && let Run::At { seq, coordinates } = run
            && let Place::Dense(Val::Scalar(leaf)) = &seq.place
            && leaf.level == seq.level + 1
        {
            // The read itself looks.
            let leaf = leaf.clone();
            let array = self.array_of(&leaf);
            let site = self.site(code, self.origin.span);
            let inside = coordinates.iter().map(|&at| Index { at, rule: Rule::Proved });
            let index = inside.chain([Index { at, rule: Rule::Fault }]).collect();
            return Point::Scalar(k.read_with(&self.f, array, index, Some(site)));
        }
        let len = self.run_len(k, run);
        let fine = match self.source.checked {
            true => self.in_range(k, at, len),
            false => {
                let last = k.op(IrOp::Sub, &[len, idx(1)]);
                let low = k.op(IrOp::Max, &[at, idx(0)]);
                at = k.op(IrOp::Min, &[low, last]);
                k.op(IrOp::Gt, &[len, idx(0)])
            }
        };
        InThunk { this: self, k }.check(fine, code);
        self.element(k, run, at)
    }

    /// Returns a constant of the core.
    pub fn literal(&self, atom: core::Atom) -> Scalar {
        match atom {
            core::Atom::Int(value) => self.source.dialect.int_scalar(value),
            core::Atom::Float(value) => self.source.dialect.float_scalar(value),
            core::Atom::Bool(value) => Scalar::Bool(value),
            core::Atom::Char(code) => Scalar::U8(code),
            core::Atom::Local(local) => unreachable!("{local:?} is no constant"),
        }
    }

    /// Returns the type of integers.
    pub fn int(&self) -> ScalarType {
        self.source.dialect.int_type()
    }
}

/// The loop invariants that every round knows.
struct Round {
    callee: usize,
    own: Vec<Atom>,
    zeros: Vec<Atom>,
    /// The result, once it is known: its sequences are the same wherever the loop ends.
    result: Option<Point>,
}
