//! Lowering of statements and control flow: checks the operands of each instruction, and nests blocks.

use super::equal_extents::Extent;
use super::io::EXIT;
use super::join::{Join, Sig, state_type};
use super::joiner;
use super::operands::{Operands, wrong_operand};
use super::permute::Moved;
use super::promote::promote;
use super::slot::{Descr, Form, Slot, Vector};
use super::{Lower, Lowering};
use crate::stack::ir::{Block, End, Kind, State, Stmt, Var};
use crate::syntax::codes;
use crate::syntax::instr::{Elem, Instr, Move};
use crate::syntax::listing::Param;
use nestled_ir::{Diagnostic, HostAtom, HostBlock, HostOp, HostStmt, Scalar, ScalarType, Span, ValueId};
use std::collections::HashMap;

/// Largest nesting depth of functions and blocks that are being written.
const MAX_DEPTH: usize = 1_000;

/// The state at the end of a block.
pub struct Left {
    /// The values, resolved; none where the block does not reach its end.
    pub slots: Option<Vec<Slot>>,
    /// The number of elements of vectors under segmentations.
    pub totals: HashMap<ValueId, Extent>,
}

impl Lowering<'_> {
    /// Writes the statements of a block.
    pub fn block(&mut self, block: &Block, span: Span) -> Lower<Left> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = "functions and conditionals lie too deep inside one another";
            return Err(Box::new(Diagnostic::new(codes::LIMIT, message, span)));
        }
        let promoted = promote(&block.stmts);
        let mut ends = true;
        for stmt in &block.stmts {
            if !self.stmt(stmt, &promoted)? {
                ends = false;
                break;
            }
        }
        self.depth -= 1;
        let mut left = Left { slots: None, totals: HashMap::new() };
        if let (End::Yield(vars), true) = (&block.end, ends) {
            let slots: Vec<Slot> = vars.iter().map(|&var| self.frame.slot(var).clone()).collect();
            let slots: Vec<Slot> = slots.iter().map(|slot| self.resolve(slot)).collect();
            let mut cut = Vec::new();
            for slot in &slots {
                slot.for_each(&mut |leaf| {
                    if let Slot::Vector(Vector { form: Form::Seg(seg), .. }) = leaf {
                        cut.push(*seg);
                    }
                });
            }
            left.totals = cut.into_iter().map(|seg| (seg, self.known_total(seg))).collect();
            left.slots = Some(slots);
        }
        Ok(left)
    }

    /// Writes a statement; returns whether the next one can be reached.
    fn stmt(&mut self, stmt: &Stmt, promoted: &HashMap<Var, Var>) -> Lower<bool> {
        let span = stmt.span;
        match &stmt.kind {
            Kind::Const(constant) => {
                let slot = self.constant(constant, span)?;
                self.set(stmt.binds[0], slot);
            }
            Kind::Initial(state) => {
                let zero = Scalar::zero(state_type(*state));
                self.set(stmt.binds[0], Slot::State(*state, HostAtom::Const(zero)));
            }
            Kind::Do(instr, args) => {
                let wanted = stmt.binds.first().and_then(|bind| self.wanted(*bind, promoted));
                let slots = self.instr(*instr, args, wanted, span)?;
                self.set_all(&stmt.binds, slots);
            }
            Kind::Fused(number, args) => {
                let wanted = self.wanted(stmt.binds[0], promoted);
                let slots: Vec<Slot> = args.iter().map(|&arg| self.frame.slot(arg).clone()).collect();
                let listing = self.listing;
                if let Some(op) = listing.get(*number) {
                    for (slot, param) in slots.iter().zip(&op.params) {
                        let fits = match (slot, param) {
                            (Slot::Vector(vector), Param::Vector(elem)) => vector.elem == *elem,
                            (Slot::Descr(_), Param::Segdes) => true,
                            _ => false,
                        };
                        if !fits {
                            let wanted = match param {
                                Param::Vector(elem) => elem.word(),
                                Param::Segdes => "SEGDES",
                            };
                            return Err(wrong_operand(&format!("FUSED {number}"), slot, wanted, span));
                        }
                    }
                }
                let made = self.fused(*number, &slots, wanted, span)?;
                self.set(stmt.binds[0], Slot::Vector(made));
            }
            Kind::Exit => {
                self.exit(span)?;
                return Ok(false);
            }
            Kind::Call(callee, args) => return self.call(*callee, args, &stmt.binds, span),
            Kind::If { cond, then, otherwise } => {
                return self.branch(*cond, [then, otherwise], &stmt.binds, span);
            }
        }
        Ok(true)
    }

    /// Writes the end of the program.
    fn exit(&mut self, span: Span) -> Lower<()> {
        let site = self.out.site(span);
        let cond = HostAtom::Const(Scalar::Bool(false));
        self.emit(&[], HostOp::Check { cond, code: EXIT.into(), site }, span)?;
        Ok(())
    }

    /// Binds a variable to a slot.
    pub fn set(&mut self, var: Var, slot: Slot) {
        self.frame.env[var.index()] = Some(slot);
    }

    fn wanted(&self, bind: Var, promoted: &HashMap<Var, Var>) -> Option<Descr> {
        match self.frame.env[promoted.get(&bind)?.index()].as_ref()? {
            Slot::Descr(descr) => Some(*descr),
            Slot::Vector(_) | Slot::Pair(_) | Slot::State(..) => None,
        }
    }

    /// Writes a conditional. Where only one branch reaches its end, the code that follows continues that branch, without a join.
    fn branch(&mut self, cond: Var, blocks: [&Block; 2], binds: &[Var], span: Span) -> Lower<bool> {
        let flag = Operands { lowering: self, what: "IF", args: &[cond], span }.vector(0, Elem::Bool)?;
        let cond = self.shaped(&flag, Form::One, span)?;
        // A branch that surely does not end comes first, alone; the other is the rest of this block.
        if let Some(never) = blocks.iter().position(|block| block.end == End::Never)
            && blocks[1 - never].end != End::Never
        {
            let (code, _) = self.inner(blocks[never], span)?;
            let (then, otherwise) =
                if never == 0 { (code, HostBlock::default()) } else { (HostBlock::default(), code) };
            self.emit(&[], HostOp::If { cond, then, otherwise }, span)?;
            let left = self.block(blocks[1 - never], span)?;
            let Some(slots) = left.slots else { return Ok(false) };
            self.set_all(binds, slots);
            return Ok(true);
        }
        let outer = self.frame.function.0.values.len() as u32;
        let (mut then, left) = self.inner(blocks[0], span)?;
        let (mut otherwise, right) = self.inner(blocks[1], span)?;
        // A branch may turn out not to end only when what it calls is known.
        let (first, last) = match (left.slots, right.slots) {
            (Some(first), Some(last)) => (first, last),
            (None, None) => {
                self.push_if(cond, then, otherwise, Vec::new(), span);
                return Ok(false);
            }
            (Some(slots), None) => {
                self.push_if(cond, HostBlock::default(), otherwise, Vec::new(), span);
                self.frame.stmts.append(&mut then.stmts);
                self.set_all(binds, slots);
                return Ok(true);
            }
            (None, Some(slots)) => {
                self.push_if(cond, then, HostBlock::default(), Vec::new(), span);
                self.frame.stmts.append(&mut otherwise.stmts);
                self.set_all(binds, slots);
                return Ok(true);
            }
        };
        let join = joiner::join(&first, &last, [&left.totals, &right.totals], outer, span)?;
        for (side, (code, slots)) in [(&mut then, &first), (&mut otherwise, &last)].into_iter().enumerate() {
            let known = self.frame.known();
            let saved = std::mem::replace(&mut self.frame.stmts, std::mem::take(&mut code.stmts));
            code.results = self.realize(&join, side, slots, span)?;
            code.stmts = std::mem::replace(&mut self.frame.stmts, saved);
            self.frame.forget(known);
        }
        let (values, slots) = self.bind(&join.sig, &|axis| axis, &|seg| seg, span);
        self.push_if(cond, then, otherwise, values, span);
        self.set_all(binds, slots);
        Ok(true)
    }

    /// Binds variables to slots.
    pub fn set_all(&mut self, binds: &[Var], slots: Vec<Slot>) {
        for (&bind, slot) in binds.iter().zip(slots) {
            self.set(bind, slot);
        }
    }

    fn push_if(
        &mut self,
        cond: HostAtom,
        then: HostBlock,
        otherwise: HostBlock,
        binds: Vec<ValueId>,
        span: Span,
    ) {
        self.work += 1;
        self.frame.stmts.push(HostStmt { binds, op: HostOp::If { cond, then, otherwise }, span });
    }

    /// Writes a nested block.
    fn inner(&mut self, block: &Block, span: Span) -> Lower<(HostBlock, Left)> {
        let known = self.frame.known();
        let saved = std::mem::take(&mut self.frame.stmts);
        let left = self.block(block, span)?;
        let stmts = std::mem::replace(&mut self.frame.stmts, saved);
        self.frame.forget(known);
        Ok((HostBlock { stmts, results: Vec::new() }, left))
    }

    /// Writes an instruction: checks its operands and returns its results.
    fn instr(&mut self, instr: Instr, args: &[Var], wanted: Option<Descr>, span: Span) -> Lower<Vec<Slot>> {
        let what = instr.to_string();
        let mut op = Operands { lowering: self, what: &what, args, span };
        let made = match instr {
            Instr::Point(point, suffix) => {
                let types = point.signature(suffix).0;
                let vectors: Vec<Vector> = (0..types.len())
                    .map(|position| op.vector(position, types[position]))
                    .collect::<Lower<_>>()?;
                self.point((point, suffix), &vectors, wanted, span)?
            }
            Instr::Scan(fold, elem) => {
                let (v, s) = (op.vector(0, elem)?, op.descr(1)?);
                self.scan((fold, elem), &v, s, span)?
            }
            Instr::Reduce(fold, elem) => {
                let (v, s) = (op.vector(0, elem)?, op.descr(1)?);
                self.reduce((fold, elem), &v, s, span)?
            }
            Instr::Move(way, elem) => {
                return Ok(vec![Slot::Vector(self.moved(way, elem, args, &what, span)?)]);
            }
            Instr::Extract(elem) => {
                let (v, x, s) = (op.vector(0, elem)?, op.vector(1, Elem::Int)?, op.descr(2)?);
                self.extract(elem, (&v, &x), s, span)?
            }
            Instr::Replace(elem) => {
                let (v, x, w) = (op.vector(0, elem)?, op.vector(1, Elem::Int)?, op.vector(2, elem)?);
                let s = op.descr(3)?;
                self.replace(elem, (&v, &x, &w), s, span)?
            }
            Instr::Dist(elem) => {
                let (w, s) = (op.vector(0, elem)?, op.descr(1)?);
                self.dist(elem, &w, s, span)?
            }
            Instr::Index => {
                let (a, b, s) = (op.vector(0, Elem::Int)?, op.vector(1, Elem::Int)?, op.descr(2)?);
                self.index_instr(&a, &b, s, span)?
            }
            Instr::Rank { down, elem } => {
                let (v, s) = (op.vector(0, elem)?, op.descr(1)?);
                self.rank(down, &v, s, span)?
            }
            Instr::Length(_) => {
                let vector = op.any_vector(0)?;
                let extent = self.extent(&vector, span)?;
                self.extent_as_int(extent, span)?
            }
            Instr::Lengths => {
                let s = op.descr(0)?;
                self.lengths(s, span)?
            }
            Instr::MakeSegdes => {
                let lengths = op.vector(0, Elem::Int)?;
                return Ok(vec![Slot::Descr(self.make_segdes(&lengths, span)?)]);
            }
            Instr::Pack(elem) => {
                let (v, f, s) = (op.vector(0, elem)?, op.vector(1, Elem::Bool)?, op.descr(2)?);
                let (packed, kept) = self.pack(elem, (&v, &f), s, span)?;
                return Ok(vec![Slot::Vector(packed), Slot::Descr(kept)]);
            }
            Instr::Pair => {
                return Ok(vec![joiner::glue(self.frame.slot(args[0]), self.frame.slot(args[1]), span)?]);
            }
            Instr::Unpair => {
                return match self.frame.slot(args[0]) {
                    Slot::Pair(both) => Ok(vec![both.0.clone(), both.1.clone()]),
                    other => Err(wrong_operand(&what, other, "a pair", span)),
                };
            }
            Instr::Rand => {
                let a = op.vector(0, Elem::Int)?;
                let state = op.state(1)?;
                let (made, state) = self.rand(&a, state, span)?;
                return Ok(vec![Slot::Vector(made), Slot::State(State::Random, state)]);
            }
            Instr::Srand => {
                let seed = op.vector(0, Elem::Int)?;
                let state = self.srand(&seed, span)?;
                let done = HostAtom::Const(Scalar::Bool(true));
                let done = Slot::Vector(Vector::new(Elem::Bool, Form::One, done));
                return Ok(vec![done, Slot::State(State::Random, state)]);
            }
            Instr::StartTimer => {
                let now = self.clock(span)?;
                return Ok(vec![Slot::State(State::Timer, now)]);
            }
            Instr::StopTimer => {
                let start = op.state(0)?;
                self.stop_timer(start, span)?
            }
            Instr::Read(_)
            | Instr::Write(_)
            | Instr::Fread(_)
            | Instr::Fwrite(_)
            | Instr::Fopen
            | Instr::Fclose
            | Instr::FreadChar
            | Instr::Spawn => return self.talk(instr, args, &what, span),
        };
        Ok(vec![Slot::Vector(made)])
    }

    fn moved(&mut self, way: Move, elem: Elem, args: &[Var], what: &str, span: Span) -> Lower<Vector> {
        let mut op = Operands { lowering: self, what, args, span };
        let (v, x) = (op.vector(0, elem)?, op.vector(1, Elem::Int)?);
        let mut next = 2;
        let (mut f, mut d) = (None, None);
        if matches!(way, Move::Fpermute | Move::Bfpermute | Move::Dfpermute) {
            f = Some(op.vector(next, Elem::Bool)?);
            next += 1;
        }
        if matches!(way, Move::Dpermute | Move::Dfpermute) {
            d = Some(op.vector(next, elem)?);
            next += 1;
        }
        let from = op.descr(next)?;
        let to = if way == Move::Permute { from } else { op.descr(next + 1)? };
        let moved = Moved { v: &v, x: &x, f: f.as_ref(), d: d.as_ref(), from, to };
        self.move_elements(way, elem, moved, span)
    }

    /// Reads the clock, in seconds.
    fn clock(&mut self, span: Span) -> Lower<HostAtom> {
        let op = HostOp::Command(nestled_ir::Command::Clock { after: Vec::new() });
        Ok(HostAtom::Value(self.emit_one("time", op, span)?))
    }

    fn stop_timer(&mut self, start: HostAtom, span: Span) -> Lower<Vector> {
        let now = self.clock(span)?;
        let mut passed = self.scalar(nestled_ir::Op::Sub, vec![now, start], span)?;
        if self.options.float != ScalarType::F64 {
            passed = self.scalar(nestled_ir::Op::Convert(self.options.float), vec![passed], span)?;
        }
        Ok(Vector::new(Elem::Float, Form::One, passed))
    }

    /// Returns the signature of a function, as a join of its end with itself.
    pub fn function_sig(left: &Left, outer: u32, span: Span) -> Lower<Option<(Join, Sig)>> {
        let Some(slots) = &left.slots else { return Ok(None) };
        let join = joiner::join(slots, slots, [&left.totals, &left.totals], outer, span)?;
        let sig = join.sig.clone();
        Ok(Some((join, sig)))
    }
}
