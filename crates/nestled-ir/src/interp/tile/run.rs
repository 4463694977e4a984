//! Runs code for the lanes of a tile.
//!
//! All lanes of a block run together. Where they differ, in a branch or in the number of rounds of a loop, the columns that are read there are packed to the lanes that go
//! on, and what these lanes come to is put back.

use super::code::{Arm, Code, Loop, Reg, Rounds, Step};
use super::columns::{
    broadcast, copy, indices, indices_mut, keep, pack, resize, truths, unpack, unpack_some,
};
use super::points::TilePoints;
use super::primitives;
use super::read::{AxisIndex, Places, gather};
use super::unusual::Unusual;
use crate::interp::capture::{Capture, Captures};
use crate::interp::error::Error;
use crate::interp::meter::Meter;
use crate::interp::ops;
use crate::scalar::Scalar;
use crate::value::Buffer;

/// How the run of a tile has ended.
#[derive(Debug)]
pub(in crate::interp) enum Tiled {
    /// The columns hold its results.
    Done,
    /// It has to run point by point.
    GivenUp,
}

/// The columns of a thunk that runs.
#[derive(Debug)]
pub(in crate::interp) struct Registers<'c> {
    code: &'c Code,
    columns: Vec<Buffer>,
    /// Columns that are not in use.
    spare: Vec<Buffer>,
    places: Places,
}

impl<'c> Registers<'c> {
    /// The columns for a launch, with what is the same at every point.
    pub fn new(code: &'c Code, captures: &Captures<'_>, tile: usize) -> Registers<'c> {
        let mut columns: Vec<Buffer> = code.registers.iter().map(|&ty| Buffer::zeroed(ty, 0)).collect();
        for &(register, scalar) in &code.literals {
            columns[register.0] = broadcast(scalar, tile);
        }
        for &(register, value) in &code.scalars {
            let Capture::Scalar(scalar) = captures.get(value) else {
                unreachable!("the verifier lets thunks use only scalars as operands");
            };
            columns[register.0] = broadcast(*scalar, tile);
        }
        Registers { code, columns, spare: Vec::new(), places: Places::default() }
    }

    /// Runs the code at the points of a tile.
    pub fn run(
        &mut self,
        captures: &Captures<'_>,
        points: &TilePoints,
        meter: &mut Meter,
    ) -> Result<Tiled, Error> {
        let code = self.code;
        for (column, from) in self.columns.iter_mut().zip(points.columns()) {
            let column = indices_mut(column);
            column.clear();
            column.extend_from_slice(from);
        }
        let mut tile = Tile { registers: self, captures, meter };
        match tile.arm(&code.body, points.len()) {
            Ok(()) => Ok(Tiled::Done),
            Err(Unusual::Lane) => Ok(Tiled::GivenUp),
            Err(Unusual::Error(error)) => Err(error),
        }
    }

    /// The columns of the results.
    pub fn results(&self) -> impl Iterator<Item = &Buffer> {
        self.code.body.results.iter().map(|result| &self.columns[result.0])
    }

    fn take(&mut self, register: Reg) -> Buffer {
        let empty = Buffer::Bool(Vec::new());
        std::mem::replace(&mut self.columns[register.0], empty)
    }

    fn column(&self, register: Reg) -> &Buffer {
        &self.columns[register.0]
    }

    /// A column that nobody uses, of the type of a register.
    fn spare(&mut self, like: Reg) -> Buffer {
        let ty = self.code.registers[like.0];
        let at = self.spare.iter().rposition(|column| column.elem() == ty);
        at.map_or_else(|| Buffer::zeroed(ty, 0), |at| self.spare.swap_remove(at))
    }
}

/// Columns of registers that were packed, as they were before.
type Saved = Vec<(Reg, Buffer)>;

/// A tile that is being run.
struct Tile<'r, 'c, 'm> {
    registers: &'r mut Registers<'c>,
    captures: &'r Captures<'r>,
    meter: &'m mut Meter,
}

impl Tile<'_, '_, '_> {
    /// Runs a block in `n` lanes.
    fn arm(&mut self, arm: &Arm, n: usize) -> Result<(), Unusual> {
        self.meter.step(n as u64 * arm.steps.len() as u64)?;
        arm.steps.iter().try_for_each(|step| self.step(step, n))
    }

    fn step(&mut self, step: &Step, n: usize) -> Result<(), Unusual> {
        match step {
            Step::Op { dst, op, args } => {
                let mut column = self.registers.take(*dst);
                let registers = &*self.registers;
                match args.as_slice() {
                    [a] => primitives::apply(*op, &mut column, &[registers.column(*a)], n),
                    [a, b] => {
                        let args = [registers.column(*a), registers.column(*b)];
                        primitives::apply(*op, &mut column, &args, n);
                    }
                    args => {
                        let args: Vec<&Buffer> = args.iter().map(|&arg| registers.column(arg)).collect();
                        primitives::apply(*op, &mut column, &args, n);
                    }
                }
                self.registers.columns[dst.0] = column;
                Ok(())
            }
            Step::Threefry { dsts, words } => {
                self.threefry(*dsts, *words, n);
                Ok(())
            }
            Step::Read { dst, array, index, default } => {
                let Capture::Array { layout, data } = self.captures.get(*array) else {
                    unreachable!("the verifier lets thunks read only array parameters");
                };
                let index = index.iter().map(|&(at, rule)| (at, 0, rule));
                self.read(*dst, (layout, data), index, *default, n)
            }
            Step::Own { dst, bind, at } => {
                let Capture::Bind { data, .. } = self.captures.get(*bind) else {
                    unreachable!("the verifier lets thunks read only what is bound before");
                };
                let mut column = self.registers.take(*dst);
                gather(&mut column, data, indices(self.registers.column(*at), n));
                self.registers.columns[dst.0] = column;
                Ok(())
            }
            Step::Window { dst, bind, index, default } => {
                let Capture::Bind { data, .. } = self.captures.get(*bind) else {
                    unreachable!("the verifier lets windows read only what is bound before");
                };
                let index = index.iter().map(|&(at, offset)| (at, offset.by, offset.rule));
                self.read(*dst, (&self.captures.space, data), index, *default, n)
            }
            Step::Len { dst, seg, at } => {
                self.segments(*dst, *seg, at, n, |_, length| length);
                Ok(())
            }
            Step::Start { dst, seg, at } => {
                self.segments(*dst, *seg, at, n, |start, _| start);
                Ok(())
            }
            Step::If { dsts, cond, then, otherwise } => self.branch(dsts, *cond, [then, otherwise], n),
            Step::Loop(each) => self.rounds(each, n),
            Step::Check { cond } => match truths(self.registers.column(*cond), n).contains(&false) {
                true => Err(Unusual::Lane),
                false => Ok(()),
            },
        }
    }

    fn threefry(&mut self, dsts: [Reg; 2], words: [Reg; 4], n: usize) {
        let mut columns = dsts.map(|dst| {
            let mut column = self.registers.take(dst);
            resize(&mut column, n);
            column
        });
        for lane in 0..n {
            let word = |register: Reg| match self.registers.column(register).get(lane) {
                Scalar::U32(word) => word,
                other => unreachable!("the verifier types random bits: {}", other.ty()),
            };
            let [k0, k1, c0, c1] = words.map(word);
            let made = ops::threefry2x32([k0, k1], [c0, c1]);
            columns.iter_mut().zip(made).for_each(|(column, word)| column.set(lane, Scalar::U32(word)));
        }
        for (dst, column) in dsts.into_iter().zip(columns) {
            self.registers.columns[dst.0] = column;
        }
    }

    /// Reads a buffer at indices of a layout, each with what is added to it.
    fn read(
        &mut self,
        dst: Reg,
        (layout, data): (&crate::value::Layout, &Buffer),
        index: impl Iterator<Item = (Reg, i64, crate::thunk::Rule)>,
        default: Option<Reg>,
        n: usize,
    ) -> Result<(), Unusual> {
        let mut places = std::mem::take(&mut self.registers.places);
        let mut column = self.registers.take(dst);
        let registers = &*self.registers;
        let index = index.map(|(at, offset, rule)| AxisIndex { column: registers.column(at), offset, rule });
        let outcome = places.walk(layout, index, n);
        if outcome.is_ok() {
            places.read(&mut column, data, default.map(|default| registers.column(default)));
        }
        self.registers.columns[dst.0] = column;
        self.registers.places = places;
        outcome
    }

    /// Asks for the start or the length of segments; 0 where there is none.
    fn segments(
        &mut self,
        dst: Reg,
        seg: crate::id::ValueId,
        at: &[Reg],
        n: usize,
        of: impl Fn(u64, u64) -> u64,
    ) {
        let Capture::Seg { parent, lengths } = self.captures.get(seg) else {
            unreachable!("the verifier lets thunks ask only segmentation parameters");
        };
        let mut column = self.registers.take(dst);
        let answers = indices_mut(&mut column);
        answers.clear();
        for lane in 0..n {
            let index = at.iter().map(|&at| indices(self.registers.column(at), n)[lane]);
            let found = parent.locate(index).map_or(0, |at| of(lengths.start(at), lengths.length(at)));
            answers.push(found as i64);
        }
        self.registers.columns[dst.0] = column;
    }

    /// Runs each of two blocks in the lanes that take it.
    fn branch(&mut self, dsts: &[Reg], cond: Reg, arms: [&Arm; 2], n: usize) -> Result<(), Unusual> {
        let conditions = truths(self.registers.column(cond), n);
        let taken = conditions.iter().filter(|taken| **taken).count();
        if taken == n || taken == 0 {
            let arm = if taken == n { arms[0] } else { arms[1] };
            self.arm(arm, n)?;
            self.assign(&arm.results, dsts.iter().copied(), n);
            return Ok(());
        }
        let lanes = [true, false].map(|side| lanes_where(conditions, side));
        for &dst in dsts {
            resize(&mut self.registers.columns[dst.0], n);
        }
        for (arm, lanes) in arms.into_iter().zip(&lanes) {
            let saved = self.pack(&arm.uses, lanes);
            self.arm(arm, lanes.len())?;
            for (&dst, &result) in dsts.iter().zip(&arm.results) {
                let mut column = self.registers.take(dst);
                unpack(&mut column, self.registers.column(result), lanes);
                self.registers.columns[dst.0] = column;
            }
            self.restore(saved);
        }
        Ok(())
    }

    /// Copies results to registers; all are read before any is written.
    fn assign(&mut self, from: &[Reg], to: impl Iterator<Item = Reg>, n: usize) {
        let copies: Vec<Buffer> = from
            .iter()
            .map(|&register| {
                let mut column = self.registers.spare(register);
                copy(&mut column, self.registers.column(register), n);
                column
            })
            .collect();
        for (dst, column) in to.zip(copies) {
            let before = std::mem::replace(&mut self.registers.columns[dst.0], column);
            self.registers.spare.push(before);
        }
    }

    /// Packs columns to some lanes; returns them as they were.
    fn pack(&mut self, uses: &[Reg], lanes: &[u32]) -> Saved {
        let mut saved = Vec::with_capacity(uses.len());
        for &register in uses {
            let mut packed = self.registers.spare(register);
            pack(&mut packed, self.registers.column(register), lanes);
            saved.push((register, std::mem::replace(&mut self.registers.columns[register.0], packed)));
        }
        saved
    }

    fn restore(&mut self, saved: Saved) {
        for (register, column) in saved {
            let packed = std::mem::replace(&mut self.registers.columns[register.0], column);
            self.registers.spare.push(packed);
        }
    }

    /// Runs the rounds of a loop. Lanes that have had their last are left out.
    fn rounds(&mut self, each: &Loop, n: usize) -> Result<(), Unusual> {
        let inits: Vec<Reg> = each.carried.iter().map(|&(_, init)| init).collect();
        self.assign(&inits, each.carried.iter().map(|&(register, _)| register), n);
        if let Rounds::Counted { counter, from, .. } = each.rounds {
            self.assign(&[from], std::iter::once(counter), n);
        }
        for &dst in &each.dsts {
            resize(&mut self.registers.columns[dst.0], n);
        }
        // The lanes of the block around the loop that go on; at first all.
        let mut lanes: Option<Vec<u32>> = None;
        let mut saved: Option<Saved> = None;
        let mut n_on = n;
        while n_on > 0 {
            self.meter.step(n_on as u64)?;
            let goes_on = self.goes_on(each, n_on)?;
            let n_next = goes_on.iter().filter(|on| **on).count();
            if n_next < n_on {
                self.leave(each, &goes_on, lanes.as_deref());
                let kept = lanes_where(&goes_on, true);
                if n_next > 0 {
                    saved = Some(self.pack_round(each, &kept, saved));
                }
                lanes = Some(match lanes {
                    None => kept,
                    Some(lanes) => kept.iter().map(|&at| lanes[at as usize]).collect(),
                });
                n_on = n_next;
                if n_on == 0 {
                    break;
                }
            }
            self.arm(&each.body, n_on)?;
            self.assign(&each.body.results, each.carried.iter().map(|&(register, _)| register), n_on);
            if let Rounds::Counted { counter, .. } = each.rounds {
                let counts = indices_mut(&mut self.registers.columns[counter.0]);
                counts.iter_mut().for_each(|count| *count = count.wrapping_add(1));
            }
        }
        self.restore(saved.unwrap_or_default());
        Ok(())
    }

    /// For each lane, true if it has another round.
    fn goes_on(&mut self, each: &Loop, n: usize) -> Result<Vec<bool>, Unusual> {
        match &each.rounds {
            Rounds::Counted { counter, from: _, to } => {
                let counts = indices(self.registers.column(*counter), n);
                let ends = indices(self.registers.column(*to), n);
                Ok(counts.iter().zip(ends).map(|(count, end)| count < end).collect())
            }
            Rounds::While(cond) => {
                self.arm(cond, n)?;
                Ok(truths(self.registers.column(cond.results[0]), n).to_vec())
            }
        }
    }

    /// Puts what the lanes carry that have had their last round where the block around the loop has them.
    fn leave(&mut self, each: &Loop, goes_on: &[bool], lanes: Option<&[u32]>) {
        for (&dst, &(register, _)) in each.dsts.iter().zip(&each.carried) {
            let mut column = self.registers.take(dst);
            let ended = lanes_where(goes_on, false).into_iter();
            let pairs = ended.map(|at| (lanes.map_or(at, |lanes| lanes[at as usize]), at));
            unpack_some(&mut column, self.registers.column(register), pairs);
            self.registers.columns[dst.0] = column;
        }
    }

    /// Packs what a round reads to the lanes that go on.
    fn pack_round(&mut self, each: &Loop, kept: &[u32], saved: Option<Saved>) -> Saved {
        let counter = match each.rounds {
            Rounds::Counted { counter, .. } => Some(counter),
            Rounds::While(_) => None,
        };
        for register in each.carried.iter().map(|&(register, _)| register).chain(counter) {
            self.keep(register, kept);
        }
        match saved {
            None => self.pack(&each.uses, kept),
            Some(saved) => {
                each.uses.iter().for_each(|&register| self.keep(register, kept));
                saved
            }
        }
    }

    fn keep(&mut self, register: Reg, kept: &[u32]) {
        let mut spare = self.registers.spare(register);
        keep(&mut self.registers.columns[register.0], &mut spare, kept);
        self.registers.spare.push(spare);
    }
}

fn lanes_where(conditions: &[bool], side: bool) -> Vec<u32> {
    let lanes = conditions.iter().enumerate().filter(|(_, condition)| **condition == side);
    lanes.map(|(lane, _)| lane as u32).collect()
}
