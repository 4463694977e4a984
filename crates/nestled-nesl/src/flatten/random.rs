//! Random numbers: a counter-based generator with a key for each instance and a count of numbers and applications.
//!
//! Under `--compat` there is one generator for the whole statement, as in the original: each application of `rand` takes as many numbers from it as it has
//! instances, which is an effect. The host, which answers requests, keeps the state of the generator; each number is computed from that state by itself.
//!
//! The three words of the state are a value like any other, of the level at which they differ. They exist only in programs that draw.

use super::Emitter;
use super::Result;
use super::effect::protocol;
use super::point::Point;
use super::scalar::{InThunk, Operations};
use super::val::Val;
use crate::fault::FaultCode;
use crate::interp::lcg;
use nestled_ir::{Atom, Axis, HostAtom, Op, PrintItem, Scalar, ScalarType, StmtKind};

impl Emitter<'_> {
    /// Returns the state for a seed that is known.
    pub fn seeded(seed: i64) -> Val {
        let word = |value: u32| Val::host(0, ScalarType::U32, HostAtom::Const(Scalar::U32(value)));
        Val::tuple(vec![word(seed as u32), word((seed >> 32) as u32), word(0)])
    }

    /// Pairs a value with the state after it.
    pub fn with_random(&mut self, val: Val) -> Val {
        match &self.scope.random {
            Some(random) => Val::tuple(vec![val, random.clone()]),
            None => val,
        }
    }

    /// Takes the state off a pair made by `with_random`, and goes on from it.
    pub fn take_random(&mut self, val: Val) -> Val {
        if self.scope.random.is_none() {
            return val;
        }
        self.scope.random = Some(val.part(1).clone());
        val.part(0).clone()
    }

    pub fn zero_random(&mut self, chain: &[Axis]) -> Val {
        let zero = Point::Scalar(Atom::Const(Scalar::U32(0)));
        let zero = Point::Tuple(vec![zero.clone(), zero.clone(), zero]);
        self.tabulate("numbers", chain, &mut |_, _| zero.clone())
    }

    /// Returns the state around an apply-to-each that begins.
    pub fn begin_random(&mut self) -> Option<Val> {
        self.scope.random.clone()
    }

    /// Gives every instance a key of its own.
    pub fn split_random(&mut self, outer: &Option<Val>) {
        let Some(outer) = outer else { return };
        let chain = self.scope.chain.clone();
        let made = self.tabulate("keys", &chain, &mut |this, k| {
            let own = k.coordinates();
            let point = this.read(k, outer, &own);
            let mut words = Vec::new();
            point.scalars(&mut words);
            let at = *own.last().expect("an instance has a position");
            let next = k.op(Op::Add, &[at, super::point::idx(1)]);
            let next = k.convert(next, ScalarType::U32);
            let (a, b) = threefry(k, [words[0], words[1]], [words[2], next]);
            let zero = Point::Scalar(Atom::Const(Scalar::U32(0)));
            Point::Tuple(vec![Point::Scalar(a), Point::Scalar(b), zero])
        });
        self.scope.random = Some(made);
    }

    /// Returns the state after an apply-to-each, which counts as one application.
    pub fn after_each(&mut self, outer: Option<Val>) -> Option<Val> {
        outer.map(|outer| self.counted(&outer))
    }

    fn counted(&mut self, random: &Val) -> Val {
        let used = random.part(2).clone();
        let level = used.level();
        let next = if level == 0 {
            let atom = self.resolve(used.leaf());
            let one = HostAtom::Const(Scalar::U32(1));
            Val::host(0, ScalarType::U32, self.host_op(Op::Add, vec![atom, one]))
        } else {
            let chain = self.scope.chain[..level].to_vec();
            self.tabulate("count", &chain, &mut |this, k| {
                let own = k.coordinates();
                let used = this.read(k, &used, &own).scalar();
                Point::Scalar(k.op(Op::Add, &[used, Atom::Const(Scalar::U32(1))]))
            })
        };
        Val::tuple(vec![random.part(0).clone(), random.part(1).clone(), next])
    }

    /// Writes `rand`.
    pub fn draw(&mut self, bound: &Val) -> Result<Val> {
        let random = self.scope.random.clone().expect("numbers are drawn");
        let chain = self.scope.chain.clone();
        let val = self.tabulate("random", &chain, &mut |this, k| {
            let own = k.coordinates();
            let mut words = Vec::new();
            this.read(k, &random, &own).scalars(&mut words);
            let bound = this.read(k, bound, &own).scalar();
            let zero = Atom::Const(Scalar::U32(0));
            let (a, b) = threefry(k, [words[0], words[1]], [words[2], zero]);
            let ty = k.ty(bound);
            let nothing = Atom::Const(Scalar::zero(ty));
            let fine = k.op(Op::Gt, &[bound, nothing]);
            if this.source.checked {
                InThunk { this, k }.check(fine, FaultCode::Rand);
            }
            let low = k.convert(a, ScalarType::I64);
            let high = k.convert(b, ScalarType::I64);
            let high = k.op(Op::Shl, &[high, Atom::Const(Scalar::I64(32))]);
            let bits = k.op(Op::Or, &[high, low]);
            let value = if ty.is_float() {
                let steps = k.op(Op::Shr, &[bits, Atom::Const(Scalar::I64(34))]);
                let steps = k.op(Op::And, &[steps, Atom::Const(Scalar::I64((1 << 30) - 1))]);
                let steps = k.convert(steps, ScalarType::F64);
                let wide = k.convert(bound, ScalarType::F64);
                let product = k.op(Op::Mul, &[wide, steps]);
                let value = k.op(Op::Div, &[product, Atom::Const(Scalar::F64(f64::from(1u32 << 30)))]);
                k.convert(value, ty)
            } else {
                // The high half of an unsigned product by a signed one.
                let wide = k.convert(bound, ScalarType::I64);
                let high = k.op(Op::MulHigh, &[bits, wide]);
                let negative = k.op(Op::Lt, &[bits, Atom::Const(Scalar::I64(0))]);
                let more = k.op(Op::Select, &[negative, wide, Atom::Const(Scalar::I64(0))]);
                let value = k.op(Op::Add, &[high, more]);
                k.convert(value, ty)
            };
            let value = if this.source.checked { value } else { k.op(Op::Select, &[fine, value, nothing]) };
            Point::Scalar(value)
        });
        self.scope.random = Some(self.counted(&random));
        Ok(val)
    }
}

impl Emitter<'_> {
    /// Writes `rand` of the shared generator.
    pub fn draw_in_order(&mut self, bound: &Val) -> Val {
        let size = self.context_size();
        self.say(vec![PrintItem::Text(protocol::RANDOM.into()), PrintItem::Value(size)]);
        let (_, bytes) = self.read_answer(&mut 0);
        let state = self.decoded(bytes, ScalarType::I64, &[]);
        let chain = self.scope.chain.clone();
        let flat: Vec<Axis> = if chain.is_empty() { Vec::new() } else { vec![self.size(&chain)] };
        let numbers = self.tabulate("numbers", &flat, &mut |this, k| {
            let own = k.coordinates();
            let state = this.read(k, &state, &own).scalar();
            let at = own.first().copied().unwrap_or(super::point::idx(0));
            let at = k.convert(at, ScalarType::I64);
            Point::Scalar(number(k, state, at))
        });
        let numbers = if chain.len() > 1 { self.reseat(&numbers, &flat, &chain) } else { numbers };
        self.tabulate("random", &chain, &mut |this, k| {
            let own = k.coordinates();
            let number = this.read(k, &numbers, &own).scalar();
            let bound = this.read(k, bound, &own).scalar();
            let ty = k.ty(bound);
            let nothing = Atom::Const(Scalar::zero(ty));
            let fine = k.op(Op::Gt, &[bound, nothing]);
            if this.source.checked {
                InThunk { this, k }.check(fine, FaultCode::Rand);
            }
            let value = if ty.is_float() {
                let steps = k.op(Op::And, &[number, Atom::Const(Scalar::I64((1 << 30) - 1))]);
                let steps = k.convert(steps, ScalarType::F64);
                let part = k.op(Op::Div, &[steps, Atom::Const(Scalar::F64(f64::from(1u32 << 30)))]);
                let wide = k.convert(bound, ScalarType::F64);
                let value = k.op(Op::Mul, &[wide, part]);
                k.convert(value, ty)
            } else {
                let wide = k.convert(bound, ScalarType::I64);
                let some = k.op(Op::Select, &[fine, wide, Atom::Const(Scalar::I64(1))]);
                let value = k.op(Op::Rem, &[number, some]);
                k.convert(value, ty)
            };
            let value = if this.source.checked { value } else { k.op(Op::Select, &[fine, value, nothing]) };
            Point::Scalar(value)
        })
    }

    /// Writes `rand_seed` of the shared generator.
    pub fn seed_in_order(&mut self, seed: &Val) {
        let seed = self.here(seed);
        let seed = self.resolve(seed.leaf());
        self.say(vec![PrintItem::Text(protocol::SEED.into()), PrintItem::Value(seed)]);
    }
}

/// Computes the number of the generator at a position, counted from a state.
fn number(k: &mut super::kernel::KernelWriter, state: Atom, at: Atom) -> Atom {
    let long = |value: u64| Atom::Const(Scalar::I64(value as i64));
    let mut state = state;
    let mut left = k.op(Op::Add, &[at, long(1)]);
    for (factor, summand) in lcg::powers().take(32) {
        let bit = k.op(Op::And, &[left, long(1)]);
        let taken = k.op(Op::Ne, &[bit, long(0)]);
        let product = k.op(Op::Mul, &[state, long(factor)]);
        let next = k.op(Op::Add, &[product, long(summand)]);
        state = k.op(Op::Select, &[taken, next, state]);
        left = k.op(Op::Shr, &[left, long(1)]);
    }
    let state = k.op(Op::And, &[state, long(lcg::MASK)]);
    k.op(Op::Shr, &[state, long(lcg::SHIFT)])
}

fn threefry(k: &mut super::kernel::KernelWriter, key: [Atom; 2], counter: [Atom; 2]) -> (Atom, Atom) {
    let dsts = [k.local(ScalarType::U32), k.local(ScalarType::U32)];
    k.push(StmtKind::Threefry { dsts, key, counter });
    (Atom::Local(dsts[0]), Atom::Local(dsts[1]))
}
