//! Random numbers: the key of an instance, and how many numbers and applications it has counted.
//!
//! The three words are a value like any other, of the level that has its own; they are there only in programs that draw.

use super::Flattener;
use super::Result;
use super::point::Point;
use super::scalar::{InThunk, Operations};
use super::val::Val;
use crate::fault::FaultCode;
use nestled_ir::{Atom, Axis, HostAtom, Op, Scalar, ScalarType, StmtKind};

impl Flattener<'_> {
    /// The words of a seed that is known.
    pub fn seeded(seed: i64) -> Val {
        let word = |value: u32| Val::host(0, ScalarType::U32, HostAtom::Const(Scalar::U32(value)));
        Val::tuple(vec![word(seed as u32), word((seed >> 32) as u32), word(0)])
    }

    /// A value and the numbers after it.
    pub fn with_random(&mut self, val: Val) -> Val {
        match &self.random {
            Some(random) => Val::tuple(vec![val, random.clone()]),
            None => val,
        }
    }

    /// The value without the numbers, which go on from there.
    pub fn take_random(&mut self, val: Val) -> Val {
        if self.random.is_none() {
            return val;
        }
        self.random = Some(val.part(1).clone());
        val.part(0).clone()
    }

    pub fn zero_random(&mut self, chain: &[Axis]) -> Val {
        let zero = Point::Scalar(Atom::Const(Scalar::U32(0)));
        let zero = Point::Tuple(vec![zero.clone(), zero.clone(), zero]);
        self.tabulate("numbers", chain, &mut |_, _| zero.clone())
    }

    /// The numbers around an apply-to-each that begins.
    pub fn begin_random(&mut self) -> Option<Val> {
        self.random.clone()
    }

    /// Every instance gets a key of its own.
    pub fn split_random(&mut self, outer: &Option<Val>) {
        let Some(outer) = outer else { return };
        let chain = self.chain.clone();
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
        self.random = Some(made);
    }

    /// The numbers after an apply-to-each, which has counted as one.
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
            let chain = self.chain[..level].to_vec();
            self.tabulate("count", &chain, &mut |this, k| {
                let own = k.coordinates();
                let used = this.read(k, &used, &own).scalar();
                Point::Scalar(k.op(Op::Add, &[used, Atom::Const(Scalar::U32(1))]))
            })
        };
        Val::tuple(vec![random.part(0).clone(), random.part(1).clone(), next])
    }

    /// `rand`
    pub fn draw(&mut self, bound: &Val) -> Result<Val> {
        let random = self.random.clone().expect("numbers are drawn");
        let chain = self.chain.clone();
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
            if this.checked {
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
            let value = if this.checked { value } else { k.op(Op::Select, &[fine, value, nothing]) };
            Point::Scalar(value)
        });
        self.random = Some(self.counted(&random));
        Ok(val)
    }
}

fn threefry(k: &mut super::kernel::KernelWriter, key: [Atom; 2], counter: [Atom; 2]) -> (Atom, Atom) {
    let dsts = [k.local(ScalarType::U32), k.local(ScalarType::U32)];
    k.push(StmtKind::Threefry { dsts, key, counter });
    (Atom::Local(dsts[0]), Atom::Local(dsts[1]))
}
