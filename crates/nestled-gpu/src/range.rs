//! Range analysis (intervals): finds the indices that fit into 32 bits.
//!
//! ```text
//! i                       a coordinate: 0 ≤ i < 2³⁰, because a launch with more points is left to the interpreter
//! add i 1                 0 < i + 1 ≤ 2³⁰              32 bits do
//! mul i n                 up to 2⁶⁰                    64 bits
//! rem (mul i n) 7         −7 < … < 7                   computed with 64 bits, held in 32
//! ```
//!
//! Each index of a thunk has an interval, computed from its operands; where nothing is known (numbers from memory, carried variables), it is the
//! whole range of 64 bits.

use nestled_ir::{Atom, Block, LocalId, Op, Scalar, ScalarType, StmtKind, Thunk, Type, Value};

/// Exclusive bound of extents, totals and positions. Launches beyond it are left to the interpreter.
pub const MOST_POINTS: u64 = 1 << 30;

/// The least and the greatest value that an index may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    low: i128,
    high: i128,
}

impl Interval {
    const ALL: Interval = Interval { low: i64::MIN as i128, high: i64::MAX as i128 };
    const SIZE: Interval = Interval { low: 0, high: MOST_POINTS as i128 };

    fn of(value: i64) -> Interval {
        Interval { low: i128::from(value), high: i128::from(value) }
    }

    /// Returns the interval, or the whole range where the result would wrap.
    fn new(low: i128, high: i128) -> Interval {
        if low < Interval::ALL.low || high > Interval::ALL.high || low > high {
            return Interval::ALL;
        }
        Interval { low, high }
    }

    fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// True if 32 bits hold every value of the interval.
    pub fn is_small(self) -> bool {
        self.low >= i128::from(i32::MIN) && self.high <= i128::from(i32::MAX)
    }
}

/// Computes the interval of each local of a thunk; only those of indices are meaningful.
pub fn intervals(thunk: &Thunk, values: &[Value], coordinates: bool) -> Vec<Interval> {
    let mut ranges = Ranges { thunk, values, found: vec![Interval::ALL; thunk.locals.len()] };
    if coordinates {
        thunk.params().for_each(|param| ranges.found[param.index()] = Interval::SIZE);
    }
    ranges.block(&thunk.body);
    ranges.found
}

/// Returns the interval of an operand.
pub fn interval(atom: Atom, found: &[Interval], values: &[Value]) -> Interval {
    match atom {
        Atom::Local(local) => found[local.index()],
        Atom::Const(scalar) => scalar.as_integer().map_or(Interval::ALL, Interval::of),
        Atom::Value(value) => match values[value.index()].ty {
            Type::Dim => Interval::SIZE,
            Type::Array(_) | Type::Seg(_) => Interval::ALL,
        },
    }
}

struct Ranges<'a> {
    thunk: &'a Thunk,
    values: &'a [Value],
    found: Vec<Interval>,
}

impl Ranges<'_> {
    fn of(&self, atom: Atom) -> Interval {
        interval(atom, &self.found, self.values)
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
        }
    }

    fn set(&mut self, local: LocalId, interval: Interval) {
        self.found[local.index()] = interval;
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Op { dst, op, args } if self.thunk.local_type(*dst) == ScalarType::Idx => {
                let interval = self.op(*op, args);
                self.set(*dst, interval);
            }
            StmtKind::Len { dst, .. } | StmtKind::Start { dst, .. } => self.set(*dst, Interval::SIZE),
            StmtKind::If { dsts, cond: _, then, otherwise } => {
                self.block(then);
                self.block(otherwise);
                for (at, &dst) in dsts.iter().enumerate() {
                    let joined = self.of(then.results[at]).join(self.of(otherwise.results[at]));
                    self.set(dst, joined);
                }
            }
            StmtKind::For { var, from, to, body, .. } => {
                let (from, to) = (self.of(*from), self.of(*to));
                self.set(*var, Interval::new(from.low, (to.high - 1).max(from.low)));
                self.block(body);
            }
            StmtKind::While { cond, body, .. } => {
                self.block(cond);
                self.block(body);
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        }
    }

    fn op(&self, op: Op, args: &[Atom]) -> Interval {
        let arg = |at: usize| self.of(args[at]);
        match op {
            Op::Add => Interval::new(arg(0).low + arg(1).low, arg(0).high + arg(1).high),
            Op::Sub => Interval::new(arg(0).low - arg(1).high, arg(0).high - arg(1).low),
            Op::Mul => {
                let (a, b) = (arg(0), arg(1));
                let ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
                let least = ends.iter().copied().min().unwrap_or(0);
                Interval::new(least, ends.iter().copied().max().unwrap_or(0))
            }
            Op::Neg => Interval::new(-arg(0).high, -arg(0).low),
            Op::Abs => {
                let (low, high) = (arg(0).low, arg(0).high);
                let least = if low <= 0 && high >= 0 { 0 } else { low.abs().min(high.abs()) };
                Interval::new(least, low.abs().max(high.abs()))
            }
            Op::Min => Interval::new(arg(0).low.min(arg(1).low), arg(0).high.min(arg(1).high)),
            Op::Max => Interval::new(arg(0).low.max(arg(1).low), arg(0).high.max(arg(1).high)),
            Op::Select => arg(1).join(arg(2)),
            Op::Div | Op::DivFloor if arg(0).low >= 0 && arg(1).low >= 0 => Interval::new(0, arg(0).high),
            Op::Rem | Op::RemFloor if arg(0).low >= 0 && arg(1).low > 0 => {
                Interval::new(0, arg(0).high.min(arg(1).high - 1))
            }
            Op::RemFloor if arg(1).low > 0 => Interval::new(0, arg(1).high - 1),
            Op::Rem if arg(1).low > 0 => Interval::new(1 - arg(1).high, arg(1).high - 1),
            Op::Convert(ScalarType::Idx) => self.converted(args[0]),
            Op::And if arg(1).low >= 0 => Interval::new(0, arg(1).high),
            _ => Interval::ALL,
        }
    }

    fn converted(&self, atom: Atom) -> Interval {
        let ty = match atom {
            Atom::Local(local) => self.thunk.local_type(local),
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => self.values[value.index()].ty.as_scalar().unwrap_or(ScalarType::I64),
        };
        match ty {
            ScalarType::Bool => Interval::new(0, 1),
            ScalarType::I8 => Interval::new(i128::from(i8::MIN), i128::from(i8::MAX)),
            ScalarType::U8 => Interval::new(0, i128::from(u8::MAX)),
            ScalarType::I16 => Interval::new(i128::from(i16::MIN), i128::from(i16::MAX)),
            ScalarType::U16 => Interval::new(0, i128::from(u16::MAX)),
            ScalarType::I32 => Interval::new(i128::from(i32::MIN), i128::from(i32::MAX)),
            ScalarType::U32 => Interval::new(0, i128::from(u32::MAX)),
            ScalarType::Idx => self.of(atom),
            ScalarType::I64 | ScalarType::U64 => Interval::ALL,
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => Interval::ALL,
        }
    }
}

/// True if a literal is a small index.
pub fn is_small(scalar: Scalar) -> bool {
    scalar.as_integer().is_some_and(|value| Interval::of(value).is_small())
}
