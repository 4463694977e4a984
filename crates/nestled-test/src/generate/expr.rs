//! Generation of scalar expressions, in thunks and in host code alike.

use super::class::{Class, TAME, transfer};
use super::random::Random;
use nestled_ir::{Op, Scalar, ScalarType};

/// A scalar that code may use.
#[derive(Clone, Copy, Debug)]
pub struct Known<A> {
    /// The operand that stands for it in the code.
    pub atom: A,
    /// Its type.
    pub ty: ScalarType,
    /// Its class.
    pub class: Class,
}

/// Code that is being written.
pub trait Code {
    /// The type of operands.
    type Atom: Copy;

    /// The random numbers.
    fn random(&mut self) -> &mut Random;
    /// A literal.
    fn literal(&self, value: Scalar) -> Self::Atom;
    /// Adds an operation.
    fn emit(&mut self, op: Op, args: Vec<Self::Atom>, ty: ScalarType) -> Self::Atom;
    /// A value of this type in scope.
    fn known(&mut self, ty: ScalarType) -> Option<Known<Self::Atom>>;
    /// Records a computed value, so that it may be used again.
    fn remember(&mut self, known: Known<Self::Atom>);
}

/// A random type for computed values; the more interesting ones are more frequent.
pub fn random_type(random: &mut Random) -> ScalarType {
    use ScalarType as S;
    *random.pick(&[
        S::Bool,
        S::I8,
        S::U8,
        S::I16,
        S::U16,
        S::I32,
        S::I32,
        S::U32,
        S::I64,
        S::U64,
        S::F16,
        S::F32,
        S::F32,
        S::F64,
        S::Idx,
        S::Idx,
    ])
}

/// A literal: mostly small, sometimes at the edge of its type.
pub fn random_scalar(random: &mut Random, ty: ScalarType) -> Scalar {
    if ty.is_float() {
        return if random.chance(12) { wild(random, ty) } else { tame(random, ty) };
    }
    match ty {
        ScalarType::Bool => Scalar::Bool(random.chance(50)),
        // Zeros, ordinary and largest ones, subnormals, infinities and NaNs.
        ScalarType::F16 => Scalar::F16(*random.pick(&[
            0, 0x8000, 0x3c00, 0xc200, 0x3555, 0x7bff, 0x0001, 0x83ff, 0x7c00, 0xfc00, 0x7e00, 0xfe00,
        ])),
        _ if random.chance(80) => {
            let value = random.between(-4, 9);
            Scalar::from_bits(ty, if ty.is_signed() { value as u64 } else { value.unsigned_abs() })
        }
        _ => {
            let least = 1 << (ty.bits() - 1);
            let edges = [0, u64::MAX, 1 << 31, 1 << 63, least, least, least - 1, 255, random.bits()];
            Scalar::from_bits(ty, *random.pick(&edges))
        }
    }
}

/// A float on which sums are exact: quarters up to 8.
pub fn tame(random: &mut Random, ty: ScalarType) -> Scalar {
    let value = random.between(-32, 32) as f64 / 4.0;
    if ty == ScalarType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) }
}

/// A float of any kind.
pub fn wild(random: &mut Random, ty: ScalarType) -> Scalar {
    let edges = [
        0.1,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        1e30,
        -3.7e-20,
        16777217.0,
        1.0 / 3.0,
        5e-324,
    ];
    let value =
        if random.chance(60) { *random.pick(&edges) } else { random.between(-9999, 9999) as f64 * 0.013 };
    if ty == ScalarType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) }
}

/// A value of a type: a known value, a literal, or an expression of depth at most `depth`.
pub fn want<C: Code>(code: &mut C, ty: ScalarType, depth: usize) -> Known<C::Atom> {
    let leaf = depth == 0 || code.random().chance(15);
    if leaf
        && code.random().chance(80)
        && let Some(known) = code.known(ty)
    {
        return known;
    }
    if leaf && ty != ScalarType::F16 {
        return constant(code, ty);
    }
    for _ in 0..4 {
        if let Some(known) = operation(code, ty, depth.saturating_sub(1)) {
            return known;
        }
    }
    constant(code, ty)
}

/// A random literal.
pub fn constant<C: Code>(code: &mut C, ty: ScalarType) -> Known<C::Atom> {
    let value = random_scalar(code.random(), ty);
    exactly(code, value)
}

/// This literal.
pub fn exactly<C: Code>(code: &C, value: Scalar) -> Known<C::Atom> {
    Known { atom: code.literal(value), ty: value.ty(), class: Class::of(value) }
}

/// An index literal.
pub fn index<C: Code>(code: &C, value: i64) -> Known<C::Atom> {
    exactly(code, Scalar::Idx(value))
}

/// Applies an operation to known operands, if all engines agree on its result.
pub fn apply<C: Code>(code: &mut C, op: Op, args: &[Known<C::Atom>]) -> Option<Known<C::Atom>> {
    let types: Vec<ScalarType> = args.iter().map(|arg| arg.ty).collect();
    let ty = op.result_type(&types).ok()?;
    let classes: Vec<Class> = args.iter().map(|arg| arg.class).collect();
    let class = transfer(op, ty, types[0], &classes)?;
    let atom = code.emit(op, args.iter().map(|arg| arg.atom).collect(), ty);
    let known = Known { atom, ty, class };
    code.remember(known);
    Some(known)
}

/// Applies an operation that is known to be fine.
pub fn must<C: Code>(code: &mut C, op: Op, args: &[Known<C::Atom>]) -> Known<C::Atom> {
    apply(code, op, args).expect("the operation takes these operands")
}

fn operation<C: Code>(code: &mut C, ty: ScalarType, depth: usize) -> Option<Known<C::Atom>> {
    let op = random_op(code.random(), ty);
    let operands = operand_types(code.random(), op, ty)?;
    let args: Vec<Known<C::Atom>> = operands.iter().map(|&ty| want(code, ty, depth)).collect();
    apply(code, op, &args)
}

fn random_op(random: &mut Random, ty: ScalarType) -> Op {
    match random.below(10) {
        0 => Op::Convert(ty),
        1 if ty.size() >= 4 => Op::Bitcast(ty),
        2 => Op::Select,
        _ => {
            let plain: Vec<Op> = Op::PLAIN.iter().copied().filter(|op| !op.is_elementary()).collect();
            *random.pick(&plain)
        }
    }
}

/// Types of operands with which the operation gives the type, if there are any.
fn operand_types(random: &mut Random, op: Op, ty: ScalarType) -> Option<Vec<ScalarType>> {
    let types = match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => vec![random_type(random); 2],
        Op::Select => vec![ScalarType::Bool, ty, ty],
        Op::Convert(_) | Op::Bitcast(_) => vec![random_type(random)],
        _ => vec![ty; op.arity()],
    };
    (op.result_type(&types) == Ok(ty)).then_some(types)
}

/// Brings a value into a class.
pub fn bring<C: Code>(code: &mut C, known: Known<C::Atom>, class: Class) -> Known<C::Atom> {
    if known.class.fits(class) {
        return known;
    }
    match class {
        Class::Any => known,
        Class::Range(from, to) => {
            let literal = |code: &C, value: i64| exactly(code, Scalar::from_bits(known.ty, value as u64));
            let width = literal(code, to - from + 1);
            let inside = must(code, Op::RemFloor, &[known, width]);
            let least = literal(code, from);
            let moved = if from == 0 { inside } else { must(code, Op::Add, &[inside, least]) };
            Known { class, ..moved }
        }
        Class::Dyadic { .. } => bring_float(code, known),
    }
}

/// Brings a float into the tame class: NaN and numbers that are too large become 1, others are rounded down.
fn bring_float<C: Code>(code: &mut C, known: Known<C::Atom>) -> Known<C::Atom> {
    let float = |value: f64| match known.ty {
        ScalarType::F32 => Scalar::F32(value as f32),
        _ => Scalar::F64(value),
    };
    let (limit, one) = (exactly(code, float(8.0)), exactly(code, float(1.0)));
    let size = must(code, Op::Abs, &[known]);
    let small = must(code, Op::Le, &[size, limit]);
    let whole = must(code, Op::Floor, &[known]);
    let result = must(code, Op::Select, &[small, whole, one]);
    let result = Known { class: TAME, ..result };
    code.remember(result);
    result
}

/// A value of a type and class.
pub fn want_in<C: Code>(code: &mut C, ty: ScalarType, class: Class, depth: usize) -> Known<C::Atom> {
    let known = want(code, ty, depth);
    bring(code, known, class)
}

/// A condition that holds, but not obviously; rarely (`percent`) one that may not.
pub fn likely<C: Code>(code: &mut C, percent: usize) -> Known<C::Atom> {
    let x = want_in(code, ScalarType::Idx, Class::Range(0, 6), 1);
    let limit = if code.random().chance(percent) { 5 } else { 7 };
    let limit = index(code, limit);
    must(code, Op::Lt, &[x, limit])
}
