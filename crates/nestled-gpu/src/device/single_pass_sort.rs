//! Single-pass radix sort with digits of eight bits, where the machine supports it: one launch counts the digits of all passes, and one for each
//! digit moves the keys and their payload. Data between passes uses the results, and as much memory again.

use super::keys::{Keys, Owner, Space, Temporary, key_bits};
use super::machine::{Dispatch, Machine, Ones, Place};
use super::work::Work;
use super::{State, bug};
use crate::code::{Moving, SWEEP_DIGIT, SWEEP_TABLE, Sweep, SweepWords};
use crate::dialect::Language;
use crate::repr::bytes;
use nestled_ir::{Order, Scalar, ScalarType};
use nestled_rt::device::{DeviceError, Slice};
use std::rc::Rc;

/// Number of keys that a workgroup counts at a time, and maximum number of counting workgroups.
const COUNTED: u64 = 2048;
const COUNTING: u64 = 512;

/// The payload that moves with keys.
#[derive(Clone, Copy)]
pub(super) enum With {
    /// Nothing.
    Nothing,
    /// Their numbers, of one word each, to a destination.
    Numbers(Slice),
    /// Values of one word, from a source to a destination.
    Words(Slice, Slice),
    /// Values of two words, from a source to a destination.
    Pairs(Slice, Slice),
}

impl With {
    fn moving(self) -> Moving {
        match self {
            With::Nothing => Moving::Nothing,
            With::Numbers(_) => Moving::Numbers,
            With::Words(..) => Moving::Words,
            With::Pairs(..) => Moving::Pairs,
        }
    }
}

/// The operands of a sort.
#[derive(Clone, Copy)]
pub(super) struct Swept {
    /// The keys.
    pub keys: Slice,
    /// Their encoding.
    pub coding: Coding,
    /// The row of each key, as a number of 32 bits, if rows are more significant.
    pub rows: Option<Slice>,
    /// The destination of the sorted keys.
    pub sorted: Option<Slice>,
    /// The payload.
    pub with: With,
}

/// An order-preserving encoding of keys as unsigned numbers.
#[derive(Clone, Copy)]
pub(super) struct Coding {
    /// Bytes of a key.
    key: u64,
    /// Number of significant bits: the last ones of those bytes.
    bits: u32,
    last: u64,
    negative: u64,
    top: u64,
    /// The bits of infinity.
    infinity: u64,
}

impl Coding {
    /// Returns the encoding of unsigned numbers of 32 bits, of which the last `bits` are significant.
    pub fn plain(bits: u32) -> Coding {
        Coding { key: 4, bits, last: 0, negative: 0, top: 0, infinity: 0 }
    }

    pub fn of(elem: ScalarType, order: Order) -> Coding {
        let bits = key_bits(elem);
        let ones = u64::MAX >> (u64::BITS - bits);
        let sign = 1 << (bits - 1);
        let (negative, top) = match elem {
            ScalarType::F32 | ScalarType::F64 => (ones & !sign, sign),
            ScalarType::F16 => unreachable!("the verifier lets nobody sort these"),
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 | ScalarType::Idx => {
                (0, sign)
            }
            ScalarType::Bool | ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => (0, 0),
        };
        let infinity = match elem {
            ScalarType::F32 => u64::from(f32::INFINITY.to_bits()),
            ScalarType::F64 => f64::INFINITY.to_bits(),
            _ => 0,
        };
        let last = if order == Order::Descending { ones } else { 0 };
        Coding { key: bytes(elem), bits, last, negative, top, infinity }
    }
}

impl<M: Machine> State<M> {
    /// True if the machine supports this sort.
    pub(super) fn sweeps(&self) -> bool {
        self.memory.dialect().language == Language::Cuda
    }

    /// True if keys can be sorted together with their rows: three words are too much for one sort.
    pub(super) fn sweeps_at_once(&self, keys: &Keys) -> bool {
        let space = keys.space();
        self.sweeps() && !space.compares() && (bytes(keys.elem) <= 4 || space.rows <= 1)
    }

    /// Sorts keys. A payload of one array of words moves along; other payloads are gathered afterwards.
    pub(super) fn sort_swept(
        &mut self,
        owner: Owner,
        keys: &Keys,
        sorted: Slice,
        payload: &[(ScalarType, Slice, Slice)],
        temporary: &mut Temporary,
    ) -> Result<bool, DeviceError> {
        let (with, places) = match *payload {
            [] => (With::Nothing, None),
            [(elem, from, to)] if bytes(elem) == 4 => (With::Words(from, to), None),
            [(elem, from, to)] if bytes(elem) == 8 => (With::Pairs(from, to), None),
            _ => {
                let places = self.temporary(ScalarType::I32, keys.keys.len, temporary)?;
                (With::Numbers(places), Some(places))
            }
        };
        if !self.swept(owner, keys, Some(sorted), with, temporary)? {
            return Ok(false);
        }
        places.map_or(Ok(true), |places| self.gather_all(owner, payload.iter().copied(), places))
    }

    /// Returns, for each point of the sorted rows, the place that it comes from.
    pub(super) fn places_swept(
        &mut self,
        owner: Owner,
        keys: &Keys,
        temporary: &mut Temporary,
    ) -> Result<Option<Slice>, DeviceError> {
        let places = self.temporary(ScalarType::I32, keys.keys.len, temporary)?;
        Ok(self.swept(owner, keys, None, With::Numbers(places), temporary)?.then_some(places))
    }

    fn swept(
        &mut self,
        owner: Owner,
        keys: &Keys,
        sorted: Option<Slice>,
        with: With,
        temporary: &mut Temporary,
    ) -> Result<bool, DeviceError> {
        let space = keys.space();
        let mut rows = None;
        if space.rows > 1 {
            rows = self.row_numbers(owner, &space, temporary)?;
            if rows.is_none() {
                return Ok(false);
            }
        }
        let coding = Coding::of(keys.elem, keys.order);
        self.sweep(&Swept { keys: keys.keys, coding, rows, sorted, with }, &space)?;
        Ok(true)
    }

    /// Sorts the points of a space.
    pub(super) fn sweep(&mut self, swept: &Swept, space: &Space) -> Result<(), DeviceError> {
        let mut work = self.spare.pop().unwrap_or_default();
        let done = self.sweep_with(&mut work, swept, space);
        work.end(&mut self.memory);
        self.spare.push(work);
        done
    }

    fn sweep_with(&mut self, work: &mut Work, swept: &Swept, space: &Space) -> Result<(), DeviceError> {
        let Swept { keys, coding, rows, sorted, with } = *swept;
        let form = Sweep { key: coding.key, rows: rows.is_some(), moving: with.moving() };
        if form.key == 8 && form.rows {
            return Err(bug("codes of three words"));
        }
        let code = self.sweep_code(form)?;
        let row_bits = if rows.is_some() { u64::BITS - (space.rows.max(1) - 1).leading_zeros() } else { 0 };
        let passes = u64::from((coding.bits + row_bits).div_ceil(SWEEP_DIGIT).max(1));
        let tiles = space.len.div_ceil(form.tile(self.memory.dialect())).max(1);

        let block = &mut work.block;
        block.clear();
        block.words.resize(SweepWords::ALL as usize, 0);
        block.reads(Language::Cuda, SweepWords::KEYS, self.memory.place(keys)?);
        if let Some(rows) = rows {
            block.reads(Language::Cuda, SweepWords::ROWS, self.memory.place(rows)?);
        }
        if let With::Words(from, _) | With::Pairs(from, _) = with {
            block.reads(Language::Cuda, SweepWords::VALUES, self.memory.place(from)?);
        }
        let [count, length] = space.extents();
        block.extent(&self.memory, SweepWords::COUNT, count)?;
        block.extent(&self.memory, SweepWords::LENGTH, length)?;
        block.words[SweepWords::MOST as usize] = u32::try_from(space.len).map_err(|_| bug("so many keys"))?;
        block.words[SweepWords::PASSES as usize] = passes as u32;
        block.words[SweepWords::KEY_BITS as usize] = coding.bits;
        let Coding { last, negative, top, infinity, .. } = coding;
        for (word, bits) in [
            (SweepWords::LAST, last),
            (SweepWords::NEGATIVE, negative),
            (SweepWords::TOP, top),
            (SweepWords::ENDLESS, infinity),
        ] {
            block.scalar(word, Scalar::I64(bits as i64));
        }

        if let Some(sorted) = sorted {
            self.make_writable(sorted, &mut work.kept)?;
            let place = self.memory.place(sorted)?;
            work.block.writes(Language::Cuda, SweepWords::SORTED, place);
            if !form.rows {
                work.block.address(Language::Cuda, SweepWords::CODES, place);
            }
        }
        let codes = space.len * form.code_words();
        if passes > 2 && (sorted.is_none() || form.rows) {
            self.sweep_scratch(work, SweepWords::CODES, codes)?;
        }
        if passes > 1 {
            self.sweep_scratch(work, SweepWords::OTHER_CODES, codes)?;
        }
        if let With::Numbers(to) | With::Words(_, to) | With::Pairs(_, to) = with {
            self.make_writable(to, &mut work.kept)?;
            work.block.writes(Language::Cuda, SweepWords::MOVED, self.memory.place(to)?);
            if passes > 1 {
                let wide = u64::from(form.moving == Moving::Pairs);
                self.sweep_scratch(work, SweepWords::OTHER_VALUES, space.len * (1 + wide))?;
            }
        }
        let words = SWEEP_TABLE.0 + passes * tiles * SWEEP_TABLE.1;
        let place = self.sweep_scratch(work, SweepWords::TABLE, words)?;
        work.block.ones.push(Ones { place, words });
        self.memory.give_zeros(&mut work.block)?;

        let counting = space.len.div_ceil(COUNTED).clamp(1, COUNTING);
        work.block.dispatches.push(Dispatch { entry: 0, groups: counting });
        work.block.dispatches.extend((0..passes).map(|_| Dispatch { entry: 1, groups: tiles }));
        self.memory.run(&code, &work.block)?;
        self.counts.launched();
        Ok(())
    }

    /// Allocates scratch for a sort.
    fn sweep_scratch(&mut self, work: &mut Work, word: u32, words: u64) -> Result<Place, DeviceError> {
        let storage = self.take(words)?;
        work.scratch.push(Some(storage));
        let place = self.memory.begin(storage);
        work.block.writes(Language::Cuda, word, place);
        Ok(place)
    }

    fn sweep_code(&mut self, form: Sweep) -> Result<Rc<M::Code>, DeviceError> {
        if let Some((_, code)) = self.sweeps.iter().find(|(known, _)| *known == form) {
            return Ok(Rc::clone(code));
        }
        let code = Rc::new(self.memory.queue().compile(&form.module(self.memory.dialect()))?);
        self.counts.compiled();
        self.sweeps.push((form, Rc::clone(&code)));
        Ok(code)
    }
}
