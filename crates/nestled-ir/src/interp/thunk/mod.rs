//! Interpreter of thunks: scalar code at one point.

mod private;
mod read;

use super::capture::{Capture, Captures, Point};
use super::error::{Error, FaultKind, Limit};
use super::math;
use super::meter::{self, Meter};
use super::ops;
use crate::id::{LocalId, SiteId, ThunkId};
use crate::op::Op;
use crate::program::Program;
use crate::scalar::Scalar;
use crate::span::Span;
use crate::thunk::{Atom, Block, Carried, Stmt, StmtKind, Thunk};

/// Why a thunk ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The lane faults.
    Fault(SiteId, FaultKind),
    /// A *proved* rule is violated. After an earlier fault this only turns the lane off; otherwise the pass that proved it is wrong.
    Broken(Error),
    /// The whole run ends.
    Error(Error),
}

/// The result of a piece of a thunk.
pub(super) type Outcome<T> = Result<T, Box<Stop>>;

impl From<Error> for Box<Stop> {
    fn from(error: Error) -> Box<Stop> {
        Box::new(Stop::Error(error))
    }
}

fn broken<T>(message: String, span: Span) -> Outcome<T> {
    Err(Box::new(Stop::Broken(Error::Bug { message, span })))
}

/// Greatest nesting depth of blocks and calls: each level takes room on the machine's stack.
const MAX_NESTING: usize = 400;

/// The memory of running thunks: their locals and private arrays. Kept from point to point, so that a point allocates nothing.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Never shrinks; free from `top` on.
    locals: Vec<Scalar>,
    top: usize,
    privates: Vec<Vec<Scalar>>,
    /// Values on their way from one place to another.
    moving: Vec<Scalar>,
    /// Bytes taken from the meter for private arrays.
    taken: u64,
    nesting: usize,
}

impl Memory {
    /// Gives all memory back.
    pub fn release(self, meter: &mut Meter) {
        meter.give(self.taken);
    }
}

/// A thunk being run: where its locals and private arrays are.
#[derive(Clone, Copy)]
struct Frame<'p> {
    program: &'p Program,
    thunk: &'p Thunk,
    locals: usize,
    privates: usize,
}

/// Runs thunks at one point.
pub(super) struct Lane<'a> {
    /// The values that the thunk can read.
    pub captures: &'a Captures<'a>,
    /// The point.
    pub point: &'a Point,
    /// Scratch memory.
    pub memory: &'a mut Memory,
    /// Counts steps and memory against the limits.
    pub meter: &'a mut Meter,
}

impl<'a> Lane<'a> {
    /// Runs a thunk on arguments and appends its results to `results`. A lane that faults appends nothing.
    pub fn run(
        &mut self,
        program: &Program,
        thunk: &Thunk,
        args: &[Scalar],
        results: &mut Vec<Scalar>,
    ) -> Outcome<()> {
        let frame = self.enter(program, thunk);
        self.memory.locals[frame.locals..frame.locals + args.len()].copy_from_slice(args);
        self.memory.nesting = 0;
        let outcome = self.block(&frame, &thunk.body);
        if outcome.is_ok() {
            let values = thunk.body.results.iter().map(|&atom| self.atom(&frame, atom));
            results.extend(values);
        }
        self.memory.moving.clear();
        self.leave(&frame);
        outcome
    }

    /// Runs a thunk without arguments on private arrays that it is given, and gives them back as it leaves them.
    pub fn run_given(
        &mut self,
        program: &Program,
        thunk: &Thunk,
        given: &mut [Vec<Scalar>],
        results: &mut Vec<Scalar>,
    ) -> Outcome<()> {
        let frame = self.enter(program, thunk);
        for (slot, array) in given.iter_mut().enumerate() {
            std::mem::swap(&mut self.memory.privates[frame.privates + slot], array);
        }
        self.memory.nesting = 0;
        let outcome = self.block(&frame, &thunk.body);
        if outcome.is_ok() {
            results.extend(thunk.body.results.iter().map(|&atom| self.atom(&frame, atom)));
        }
        for (slot, array) in given.iter_mut().enumerate() {
            std::mem::swap(&mut self.memory.privates[frame.privates + slot], array);
        }
        self.memory.moving.clear();
        self.leave(&frame);
        outcome
    }

    #[inline]
    fn enter<'p>(&mut self, program: &'p Program, thunk: &'p Thunk) -> Frame<'p> {
        let memory = &mut *self.memory;
        let (locals, privates) = (memory.top, memory.privates.len());
        memory.top += thunk.locals.len();
        if memory.locals.len() < memory.top {
            memory.locals.resize(memory.top, Scalar::Bool(false));
        }
        if !thunk.privates.is_empty() {
            memory.privates.resize(privates + thunk.privates.len(), Vec::new());
        }
        Frame { program, thunk, locals, privates }
    }

    #[inline]
    fn leave(&mut self, frame: &Frame<'_>) {
        self.memory.top = frame.locals;
        if self.memory.privates.len() > frame.privates {
            self.drop_privates(frame.privates);
        }
    }

    #[inline]
    fn atom(&self, frame: &Frame<'_>, atom: Atom) -> Scalar {
        match atom {
            Atom::Local(local) => self.memory.locals[frame.locals + local.index()],
            Atom::Const(scalar) => scalar,
            Atom::Value(value) => match self.captures.get(value) {
                Capture::Scalar(scalar) => *scalar,
                _ => unreachable!("the verifier lets thunks use only scalars as operands"),
            },
        }
    }

    fn index(&self, frame: &Frame<'_>, atom: Atom) -> i64 {
        self.atom(frame, atom).as_integer().unwrap_or(0)
    }

    fn truth(&self, frame: &Frame<'_>, atom: Atom) -> bool {
        self.atom(frame, atom) == Scalar::Bool(true)
    }

    #[inline]
    fn set(&mut self, frame: &Frame<'_>, local: LocalId, value: Scalar) {
        self.memory.locals[frame.locals + local.index()] = value;
    }

    /// Runs a block; its results are then read off its locals.
    fn block(&mut self, frame: &Frame<'_>, block: &Block) -> Outcome<()> {
        self.memory.nesting += 1;
        if self.memory.nesting > MAX_NESTING {
            return Err(meter::error(Limit::Nesting { limit: MAX_NESTING }).into());
        }
        for stmt in &block.stmts {
            self.meter.step(1)?;
            self.stmt(frame, stmt)?;
        }
        self.memory.nesting -= 1;
        Ok(())
    }

    /// Runs a block and assigns its results. All are read before any is written: a round of a loop may exchange carried values.
    fn block_into(
        &mut self,
        frame: &Frame<'_>,
        block: &Block,
        dsts: impl ExactSizeIterator<Item = LocalId>,
    ) -> Outcome<()> {
        self.block(frame, block)?;
        self.assign(frame, &block.results, frame, dsts);
        Ok(())
    }

    fn assign(
        &mut self,
        from: &Frame<'_>,
        atoms: &[Atom],
        to: &Frame<'_>,
        dsts: impl ExactSizeIterator<Item = LocalId>,
    ) {
        let mark = self.memory.moving.len();
        for &atom in atoms {
            let value = self.atom(from, atom);
            self.memory.moving.push(value);
        }
        for (position, dst) in dsts.enumerate() {
            self.set(to, dst, self.memory.moving[mark + position]);
        }
        self.memory.moving.truncate(mark);
    }

    fn stmt(&mut self, frame: &Frame<'_>, stmt: &Stmt) -> Outcome<()> {
        match &stmt.kind {
            StmtKind::Op { dst, op, args } => self.op(frame, *dst, *op, args),
            StmtKind::Threefry { dsts, key, counter } => {
                let word = |atom: Atom| self.index(frame, atom) as u32;
                let words = ops::threefry2x32(key.map(word), counter.map(word));
                self.set(frame, dsts[0], Scalar::U32(words[0]));
                self.set(frame, dsts[1], Scalar::U32(words[1]));
                Ok(())
            }
            StmtKind::Read { dst, array, index, default, site } => {
                let value = self.read(frame, *array, index, *default, *site, stmt.span)?;
                self.set(frame, *dst, value);
                Ok(())
            }
            StmtKind::Own { dst, bind } => {
                self.set(frame, *dst, self.own(*bind));
                Ok(())
            }
            StmtKind::Window { dst, bind, offsets, default, site } => {
                let value = self.window(frame, *bind, offsets, *default, *site, stmt.span)?;
                self.set(frame, *dst, value);
                Ok(())
            }
            StmtKind::Len { dst, seg, at } => {
                let length = self.segment(frame, *seg, at).map_or(0, |(_, length)| length);
                self.set(frame, *dst, Scalar::Idx(length as i64));
                Ok(())
            }
            StmtKind::Start { dst, seg, at } => {
                let start = self.segment(frame, *seg, at).map_or(0, |(start, _)| start);
                self.set(frame, *dst, Scalar::Idx(start as i64));
                Ok(())
            }
            StmtKind::Call { dsts, thunk, args } => self.call(frame, dsts, *thunk, args),
            StmtKind::If { dsts, cond, then, otherwise } => {
                let block = if self.truth(frame, *cond) { then } else { otherwise };
                self.block_into(frame, block, dsts.iter().copied())
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                self.start_loop(frame, carried);
                let (from, to) = (self.index(frame, *from), self.index(frame, *to));
                for k in from..to {
                    self.meter.step(1)?;
                    self.set(frame, *var, Scalar::Idx(k));
                    self.block_into(frame, body, carried.iter().map(|carried| carried.local))?;
                }
                self.end_loop(frame, carried, dsts);
                Ok(())
            }
            StmtKind::While { dsts, carried, cond, body } => {
                self.start_loop(frame, carried);
                loop {
                    self.meter.step(1)?;
                    self.block(frame, cond)?;
                    if !self.truth(frame, cond.results[0]) {
                        break;
                    }
                    self.block_into(frame, body, carried.iter().map(|carried| carried.local))?;
                }
                self.end_loop(frame, carried, dsts);
                Ok(())
            }
            StmtKind::PrivateNew { array, size } => self.private_new(frame, *array, *size),
            StmtKind::PrivateGet { dst, array, at, site } => {
                let slot = self.private_slot(frame, *array, *at, *site, stmt.span)?;
                self.set(frame, *dst, self.memory.privates[frame.privates + array.index()][slot]);
                Ok(())
            }
            StmtKind::PrivateSet { array, at, value, site } => {
                let slot = self.private_slot(frame, *array, *at, *site, stmt.span)?;
                self.memory.privates[frame.privates + array.index()][slot] = self.atom(frame, *value);
                Ok(())
            }
            StmtKind::Check { cond, code, site } => {
                if self.truth(frame, *cond) {
                    return Ok(());
                }
                Err(Box::new(Stop::Fault(*site, FaultKind::Check { code: code.clone() })))
            }
        }
    }

    #[inline]
    fn op(&mut self, frame: &Frame<'_>, dst: LocalId, op: Op, args: &[Atom]) -> Outcome<()> {
        // No operation takes more than three operands.
        let mut values = [Scalar::Bool(false); 3];
        for (value, &atom) in values.iter_mut().zip(args) {
            *value = self.atom(frame, atom);
        }
        let value = match ops::plain(op, &values[..args.len()]) {
            Some(value) => value,
            None => self.elementary(op, &values[..args.len()])?,
        };
        self.set(frame, dst, value);
        Ok(())
    }

    /// Computes an elementary function by its text.
    fn elementary(&mut self, op: Op, args: &[Scalar]) -> Outcome<Scalar> {
        let (program, thunk) = math::math_thunk(op, args[0].ty());
        let frame = self.enter(program, thunk);
        self.memory.locals[frame.locals..frame.locals + args.len()].copy_from_slice(args);
        self.block(&frame, &thunk.body)?;
        let value = self.atom(&frame, thunk.body.results[0]);
        self.leave(&frame);
        Ok(value)
    }

    fn call(&mut self, caller: &Frame<'_>, dsts: &[LocalId], thunk: ThunkId, args: &[Atom]) -> Outcome<()> {
        let thunk = &caller.program.thunk(thunk).thunk;
        let callee = self.enter(caller.program, thunk);
        for (param, &atom) in args.iter().enumerate() {
            let value = self.atom(caller, atom);
            self.memory.locals[callee.locals + param] = value;
        }
        self.block(&callee, &thunk.body)?;
        self.assign(&callee, &thunk.body.results, caller, dsts.iter().copied());
        self.leave(&callee);
        Ok(())
    }

    fn start_loop(&mut self, frame: &Frame<'_>, carried: &[Carried]) {
        for carried in carried {
            let value = self.atom(frame, carried.init);
            self.set(frame, carried.local, value);
        }
    }

    fn end_loop(&mut self, frame: &Frame<'_>, carried: &[Carried], dsts: &[LocalId]) {
        for (carried, &dst) in carried.iter().zip(dsts) {
            let value = self.atom(frame, Atom::Local(carried.local));
            self.set(frame, dst, value);
        }
    }
}

#[cold]
fn fault<T>(site: Option<SiteId>, kind: FaultKind) -> Outcome<T> {
    // The verifier demands a site wherever a rule is `fault`.
    let site = site.expect("a read that may fault has a site");
    Err(Box::new(Stop::Fault(site, kind)))
}
