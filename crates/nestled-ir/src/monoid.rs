//! Monoids: the associative operators, with units, of reductions, scans and colliding scatters.

use crate::id::{MonoidId, ThunkId};
use crate::name::Name;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;

/// A built-in associative operator with a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MonoidOp {
    /// Numbers. Unit 0; the empty sum of floats is +0.0.
    Add,
    /// Numbers. Unit 1.
    Mul,
    /// Numbers and `bool`. Unit: the greatest value; +∞ for floats.
    Min,
    /// Numbers and `bool`. Unit: the least value; −∞ for floats.
    Max,
    /// Integers and `bool`. Unit: all ones, `true`.
    And,
    /// Integers and `bool`. Unit: 0, `false`.
    Or,
    /// Integers and `bool`. Unit: 0, `false`.
    Xor,
}

impl MonoidOp {
    /// Every built-in operator.
    pub const ALL: [MonoidOp; 7] = [
        MonoidOp::Add,
        MonoidOp::Mul,
        MonoidOp::Min,
        MonoidOp::Max,
        MonoidOp::And,
        MonoidOp::Or,
        MonoidOp::Xor,
    ];

    /// The name in the text form: the name of its operation.
    pub fn name(self) -> &'static str {
        self.op().name()
    }

    /// The scalar operation that combines two values.
    pub fn op(self) -> crate::op::Op {
        use crate::op::Op;
        match self {
            MonoidOp::Add => Op::Add,
            MonoidOp::Mul => Op::Mul,
            MonoidOp::Min => Op::Min,
            MonoidOp::Max => Op::Max,
            MonoidOp::And => Op::And,
            MonoidOp::Or => Op::Or,
            MonoidOp::Xor => Op::Xor,
        }
    }

    /// The unit for a type, if the operator is defined for it.
    pub fn unit(self, ty: ScalarType) -> Option<Scalar> {
        if self.op().result_type(&[ty, ty]).is_err() {
            return None;
        }
        Some(match self {
            MonoidOp::Add | MonoidOp::Or | MonoidOp::Xor => Scalar::zero(ty),
            MonoidOp::Mul => one(ty),
            MonoidOp::Min => greatest(ty),
            MonoidOp::Max => least(ty),
            MonoidOp::And => Scalar::from_bits(ty, u64::MAX),
        })
    }

    /// True if the result does not depend on grouping and order, to the last bit.
    pub fn is_exact(self, ty: ScalarType) -> bool {
        !(ty.is_float() && matches!(self, MonoidOp::Add | MonoidOp::Mul))
    }
}

fn one(ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::F32 => Scalar::F32(1.0),
        ScalarType::F64 => Scalar::F64(1.0),
        other => Scalar::from_bits(other, 1),
    }
}

/// The greatest value of a type; +∞ for floats.
fn greatest(ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::Bool => Scalar::Bool(true),
        ScalarType::I8 => Scalar::I8(i8::MAX),
        ScalarType::U8 => Scalar::U8(u8::MAX),
        ScalarType::I16 => Scalar::I16(i16::MAX),
        ScalarType::U16 => Scalar::U16(u16::MAX),
        ScalarType::I32 => Scalar::I32(i32::MAX),
        ScalarType::U32 => Scalar::U32(u32::MAX),
        ScalarType::I64 => Scalar::I64(i64::MAX),
        ScalarType::U64 => Scalar::U64(u64::MAX),
        ScalarType::Idx => Scalar::Idx(i64::MAX),
        ScalarType::F16 => Scalar::F16(0x7c00),
        ScalarType::F32 => Scalar::F32(f32::INFINITY),
        ScalarType::F64 => Scalar::F64(f64::INFINITY),
    }
}

/// The least value of a type; −∞ for floats.
fn least(ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::Bool => Scalar::Bool(false),
        ScalarType::I8 => Scalar::I8(i8::MIN),
        ScalarType::U8 => Scalar::U8(u8::MIN),
        ScalarType::I16 => Scalar::I16(i16::MIN),
        ScalarType::U16 => Scalar::U16(u16::MIN),
        ScalarType::I32 => Scalar::I32(i32::MIN),
        ScalarType::U32 => Scalar::U32(u32::MIN),
        ScalarType::I64 => Scalar::I64(i64::MIN),
        ScalarType::U64 => Scalar::U64(u64::MIN),
        ScalarType::Idx => Scalar::Idx(i64::MIN),
        ScalarType::F16 => Scalar::F16(0xfc00),
        ScalarType::F32 => Scalar::F32(f32::NEG_INFINITY),
        ScalarType::F64 => Scalar::F64(f64::NEG_INFINITY),
    }
}

/// One component of a tuple of monoids; each takes one or more consecutive values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MonoidPart {
    /// A built-in operator on one value, whose type it takes.
    Op(MonoidOp),
    /// On a (key, index) pair: the pair with the least key, of equal ones that with the least index. A NaN key is less than
    /// all others; −0.0 less than +0.0. Unit: (greatest key, greatest `idx`). Index type `idx`.
    ArgMin,
    /// On a (key, index) pair: the pair with the greatest key, of equal ones that with the least index. A NaN key is greater
    /// than all others; −0.0 less than +0.0. Unit: (least key, greatest `idx`). Index type `idx`.
    ArgMax,
    /// A monoid of the program.
    User(MonoidId),
}

/// A tuple of monoids: written `add`, or `(add, argmax)`. Never empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Monoid {
    /// The components.
    pub parts: Vec<MonoidPart>,
}

impl Monoid {
    /// A single built-in operator.
    pub fn op(op: MonoidOp) -> Monoid {
        Monoid { parts: vec![MonoidPart::Op(op)] }
    }

    /// The monoids of the program among the components.
    pub fn users(&self) -> impl Iterator<Item = MonoidId> + '_ {
        self.parts.iter().filter_map(|part| match part {
            MonoidPart::User(id) => Some(*id),
            MonoidPart::Op(_) | MonoidPart::ArgMin | MonoidPart::ArgMax => None,
        })
    }

    /// The monoids of the program among the components, to change them.
    pub fn users_mut(&mut self) -> impl Iterator<Item = &mut MonoidId> + '_ {
        self.parts.iter_mut().filter_map(|part| match part {
            MonoidPart::User(id) => Some(id),
            MonoidPart::Op(_) | MonoidPart::ArgMin | MonoidPart::ArgMax => None,
        })
    }
}

impl MonoidPart {
    /// Number of values the component takes.
    pub fn width(self, monoids: &[MonoidDef]) -> usize {
        match self {
            MonoidPart::Op(_) => 1,
            MonoidPart::ArgMin | MonoidPart::ArgMax => 2,
            MonoidPart::User(id) => monoids[id.index()].unit.len(),
        }
    }

    /// The unit of the component for values of the given types; `None` where it is not defined for them.
    pub fn unit(self, types: &[ScalarType], monoids: &[MonoidDef]) -> Option<Vec<Scalar>> {
        match (self, types) {
            (MonoidPart::Op(op), [ty]) => op.unit(*ty).map(|unit| vec![unit]),
            (MonoidPart::ArgMin | MonoidPart::ArgMax, [key, ScalarType::Idx]) if key.is_number() => {
                let worst = if self == MonoidPart::ArgMin { greatest(*key) } else { least(*key) };
                Some(vec![worst, Scalar::Idx(i64::MAX)])
            }
            (MonoidPart::User(id), _) => {
                let unit = &monoids[id.index()].unit;
                unit.iter().map(|value| value.ty()).eq(types.iter().copied()).then(|| unit.clone())
            }
            _ => None,
        }
    }

    /// True if operands may be exchanged.
    pub fn is_commutative(self, monoids: &[MonoidDef]) -> bool {
        match self {
            MonoidPart::Op(_) | MonoidPart::ArgMin | MonoidPart::ArgMax => true,
            MonoidPart::User(id) => monoids[id.index()].commutative,
        }
    }

    /// True if any grouping gives the same bits.
    pub fn is_exact(self, types: &[ScalarType], monoids: &[MonoidDef]) -> bool {
        match self {
            MonoidPart::Op(op) => op.is_exact(types[0]),
            MonoidPart::ArgMin | MonoidPart::ArgMax => true,
            MonoidPart::User(id) => monoids[id.index()].exact,
        }
    }
}

/// A monoid of the program: an associative thunk with a unit.
///
/// ```text
/// monoid affine commutative? exact? = unit (1.0f32, 0.0f32) combine compose
/// ```
///
/// `combine` takes the left value and then the right one (2·n parameters) and gives n results. It must not fault: it runs in
/// an order of the device's choosing. That it is associative with this unit, and commutative and exact as declared, is
/// the promise of its author.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MonoidDef {
    /// Its name.
    pub name: Name,
    /// The neutral value.
    pub unit: Vec<Scalar>,
    /// The named thunk that combines a left and a right value.
    pub combine: ThunkId,
    /// True if operands may be exchanged.
    pub commutative: bool,
    /// True if any grouping gives the same bits.
    pub exact: bool,
    /// The source place of its definition.
    pub span: Span,
}
