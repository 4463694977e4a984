//! Writer of code: appends instructions to open blocks, and knows how long vectors are.
//!
//! A value that was computed before, in this block or around it, is not computed again. The *extent* of a value is a descriptor with one segment that is as long as the
//! value (of a descriptor, as long as it has segments); where it is known no instruction asks for it.

use super::code::{Block, Kind, SUM, Stmt, Type, Var, results};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Instr, Point};
use std::collections::HashMap;

/// The known length of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// One element, or one segment.
    One,
    /// As long as the segments of this descriptor together.
    Total(Var),
    /// As long as another value.
    Like(Var),
    /// Nothing.
    Unknown,
}

/// An open block.
#[derive(Clone, Debug, Default)]
struct Frame {
    stmts: Vec<Stmt>,
    known: HashMap<String, Vec<Var>>,
    ended: bool,
}

/// The writer of one function.
#[derive(Clone, Debug)]
pub struct Writer {
    frames: Vec<Frame>,
    /// The types of the values so far.
    pub types: Vec<Type>,
    extents: Vec<Extent>,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { frames: vec![Frame::default()], types: Vec::new(), extents: Vec::new() }
    }
}

impl Writer {
    /// Makes a value of which nothing is known, as a parameter or a result of a call.
    pub fn fresh(&mut self, ty: Type) -> Var {
        self.types.push(ty);
        self.extents.push(Extent::Unknown);
        Var(self.types.len() as u32 - 1)
    }

    /// Records that a value has one element, or one segment.
    pub fn is_one(&mut self, var: Var) {
        self.extents[var.index()] = Extent::One;
    }

    /// Records that a value is as long as the segments of a descriptor together.
    pub fn is_under(&mut self, var: Var, seg: Var) {
        self.extents[var.index()] = Extent::Total(seg);
    }

    /// Records that a value is as long as another.
    pub fn is_like(&mut self, var: Var, other: Var) {
        self.extents[var.index()] = Extent::Like(other);
    }

    /// True if a value is known to have one element, or one segment.
    pub fn one(&self, var: Var) -> bool {
        match self.extents[var.index()] {
            Extent::One => true,
            Extent::Like(other) => self.one(other),
            Extent::Total(_) | Extent::Unknown => false,
        }
    }

    /// Returns the type of the elements of a vector.
    pub fn elem(&self, var: Var) -> Elem {
        match self.types[var.index()] {
            Type::Vector(elem) => elem,
            Type::Segdes => unreachable!("a descriptor where a vector is wanted"),
        }
    }

    /// Opens a block.
    pub fn open(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Ends the innermost block with these values; with none if the program has ended in it.
    pub fn close(&mut self, yields: Vec<Var>) -> Block {
        let frame = self.frames.pop().expect("a block is open");
        Block { stmts: frame.stmts, yields: (!frame.ended).then_some(yields) }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a block is open")
    }

    /// True if the program ends in the innermost block: what follows is never reached.
    pub fn ended(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.ended)
    }

    /// Writes a statement that is never left out.
    fn push(&mut self, kind: Kind, binds: Vec<Var>, stays: bool) {
        if !self.ended() {
            self.frame().stmts.push(Stmt { kind, binds, stays });
        }
    }

    /// Writes a constant.
    pub fn constant(&mut self, constant: Constant) -> Var {
        let key = format!("{constant:?}");
        if let Some(known) = self.found(&key) {
            return known[0];
        }
        let ty = constant.elem().map_or(Type::Segdes, Type::Vector);
        let one = super::code::is_lone(&constant);
        let var = self.fresh(ty);
        self.extents[var.index()] = if one { Extent::One } else { Extent::Unknown };
        self.push(Kind::Const(constant), vec![var], false);
        self.frame().known.insert(key, vec![var]);
        var
    }

    /// Writes a constant of which something else is known than of its equals.
    pub fn own_constant(&mut self, constant: Constant) -> Var {
        let var = self.fresh(constant.elem().map_or(Type::Segdes, Type::Vector));
        self.push(Kind::Const(constant), vec![var], false);
        var
    }

    /// Writes the codes of a text.
    pub fn text(&mut self, bytes: &[u8]) -> Var {
        let var = self.fresh(Type::Vector(Elem::Int));
        self.push(Kind::Text(bytes.to_vec()), vec![var], false);
        var
    }

    /// Writes a float, also one that no constant can be.
    pub fn float(&mut self, value: f64) -> Var {
        if value.is_finite() {
            return self.constant(Constant::Floats(vec![value]));
        }
        let above = if value.is_nan() { 0.0 } else { value.signum() };
        let parts = [above, 0.0].map(|part| self.constant(Constant::Floats(vec![part])));
        self.op(super::code::floats(Point::Div), &parts)
    }

    /// Writes an integer.
    pub fn int(&mut self, value: i64) -> Var {
        self.constant(Constant::Ints(vec![value]))
    }

    fn found(&self, key: &str) -> Option<&Vec<Var>> {
        self.frames.iter().rev().find_map(|frame| frame.known.get(key))
    }

    /// Writes an instruction with one result that cannot fault here, or whose fault nobody misses.
    pub fn op(&mut self, instr: Instr, args: &[Var]) -> Var {
        self.pure(instr, args, false)[0]
    }

    /// Writes an instruction with one result that faults where the program does.
    pub fn checked(&mut self, instr: Instr, args: &[Var]) -> Var {
        self.pure(instr, args, true)[0]
    }

    /// Writes an instruction on vectors, unless its results are known.
    pub fn pure(&mut self, instr: Instr, args: &[Var], stays: bool) -> Vec<Var> {
        let key = format!("{instr} {args:?}");
        if let Some(known) = self.found(&key) {
            return known.clone();
        }
        let binds = self.effect(instr, args, stays);
        for (position, bind) in binds.iter().enumerate() {
            self.extents[bind.index()] = self.extent_of(instr, args, (position, binds[0]));
        }
        self.frame().known.insert(key, binds.clone());
        binds
    }

    /// Writes an instruction anew.
    pub fn effect(&mut self, instr: Instr, args: &[Var], stays: bool) -> Vec<Var> {
        let types = results(instr).expect("an instruction of this writer");
        let binds: Vec<Var> = types.into_iter().map(|ty| self.fresh(ty)).collect();
        self.push(Kind::Do(instr, args.to_vec()), binds.clone(), stays);
        binds
    }

    fn extent_of(&self, instr: Instr, args: &[Var], (position, first): (usize, Var)) -> Extent {
        let like = |var: Var| if self.one(var) { Extent::One } else { Extent::Like(var) };
        match instr {
            Instr::Point(..) => {
                args.iter().find(|arg| self.one(**arg)).map_or(like(args[0]), |_| Extent::One)
            }
            Instr::Scan(..) | Instr::Rank { .. } => like(args[0]),
            Instr::Dist(_) => Extent::Total(args[1]),
            Instr::Index => Extent::Total(args[2]),
            Instr::Move(..) => Extent::Total(args[args.len() - 1]),
            Instr::Reduce(..) => like(args[1]),
            Instr::Extract(_) => like(args[1]),
            Instr::Replace(_) => like(args[0]),
            Instr::Lengths | Instr::MakeSegdes => like(args[0]),
            Instr::Length(_) => Extent::One,
            // The packed elements, and as many segments as before.
            Instr::Pack(_) if position == 0 => Extent::Unknown,
            Instr::Pack(_) => like(args[2]),
            _ => {
                debug_assert!(first.index() < self.extents.len());
                Extent::Unknown
            }
        }
    }

    /// Writes a call.
    pub fn call(&mut self, function: usize, args: Vec<Var>, results: &[Type]) -> Vec<Var> {
        let binds: Vec<Var> = results.iter().map(|ty| self.fresh(*ty)).collect();
        self.push(Kind::Call(function, args), binds.clone(), true);
        binds
    }

    /// Writes a conditional of two blocks. If the program ends in both, it ends here.
    pub fn branch(&mut self, cond: Var, then: Block, otherwise: Block, results: &[Type]) -> Vec<Var> {
        let ended = then.yields.is_none() && otherwise.yields.is_none();
        let binds: Vec<Var> = results.iter().map(|ty| self.fresh(*ty)).collect();
        self.push(Kind::If(cond, then, otherwise), binds.clone(), true);
        self.frame().ended |= ended;
        binds
    }

    /// Writes the end of the program.
    pub fn exit(&mut self) {
        self.push(Kind::Exit, Vec::new(), true);
        self.frame().ended = true;
    }

    /// Returns the extent of a value: a descriptor of one segment, as long as the value.
    pub fn extent(&mut self, var: Var) -> Var {
        match self.extents[var.index()] {
            Extent::One => self.constant(Constant::Segdes(vec![1])),
            Extent::Total(seg) => self.total(seg),
            Extent::Like(other) => self.extent(other),
            Extent::Unknown => {
                let length = match self.types[var.index()] {
                    Type::Segdes => {
                        let lengths = self.op(Instr::Lengths, &[var]);
                        self.op(Instr::Length(Elem::Int), &[lengths])
                    }
                    Type::Vector(elem) => self.op(Instr::Length(elem), &[var]),
                };
                self.op(Instr::MakeSegdes, &[length])
            }
        }
    }

    /// Returns a descriptor of one segment, as long as all segments of a descriptor together.
    pub fn total(&mut self, seg: Var) -> Var {
        if self.one(seg) {
            return seg;
        }
        let lengths = self.op(Instr::Lengths, &[seg]);
        let extent = self.extent(seg);
        let total = self.op(SUM, &[lengths, extent]);
        self.op(Instr::MakeSegdes, &[total])
    }

    /// Repeats a constant for every element of a value.
    pub fn fill(&mut self, constant: Constant, like: Var) -> Var {
        let extent = if self.one(like) { None } else { Some(self.extent(like)) };
        self.spread(constant, extent)
    }

    /// Repeats a constant over an extent; without one there is one element.
    pub fn spread(&mut self, constant: Constant, extent: Option<Var>) -> Var {
        let elem = constant.elem().unwrap_or(Elem::Int);
        let one = match constant {
            Constant::Floats(all) if all.len() == 1 => self.float(all[0]),
            constant => self.constant(constant),
        };
        extent.map_or(one, |extent| self.op(Instr::Dist(elem), &[one, extent]))
    }

    /// Returns the number of blocks that are open.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns the integers of an elementwise conversion of truth values.
    pub fn counts(&mut self, flags: Var) -> Var {
        self.op(super::code::ints(Point::BToI), &[flags])
    }
}
