//! Operations on columns: a loop over lanes for each operation and type that is frequent, and the interpreter's operation lane by lane for the rest.
//!
//! The loops are compiled for AVX2, too: helpers are inlined for that.
//!
//! NaNs that operations make keep the bits that the processor gives them, as in compiled code; the interpreter has one for all.

use super::columns::both;
use crate::interp::ops;
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::value::Buffer;
use nestled_multiversion::{Job, with_avx2};

/// Computes an operation, which is not elementary, in `n` lanes.
pub(super) fn apply(op: Op, dst: &mut Buffer, args: &[&Buffer], n: usize) {
    if !with_avx2(Apply { op, dst: &mut *dst, args, n }) {
        lane_by_lane(op, dst, args, n);
    }
}

/// An operation in `n` lanes.
struct Apply<'a> {
    op: Op,
    dst: &'a mut Buffer,
    args: &'a [&'a Buffer],
    n: usize,
}

impl Job for Apply<'_> {
    type Output = bool;

    /// False if there is no loop for it.
    #[inline(always)]
    fn run(self) -> bool {
        let Apply { op, dst, args, n } = self;
        match (op, args) {
            (Op::Select, [cond, then, otherwise]) => {
                select(dst, cond, then, otherwise, n);
                true
            }
            (Op::Fma, [a, b, c]) => fma(dst, a, b, c, n),
            (Op::Convert(to), [arg]) => convert(dst, arg, to, n),
            (Op::Bitcast(_), [arg]) => bitcast(dst, arg, n),
            (_, [a, b]) => binary(op, dst, a, b, n) || compare(op, dst, a, b, n),
            (_, [arg]) => unary(op, dst, arg, n),
            _ => false,
        }
    }
}

fn lane_by_lane(op: Op, dst: &mut Buffer, args: &[&Buffer], n: usize) {
    *dst = Buffer::zeroed(dst.elem(), 0);
    let mut values = [Scalar::Bool(false); 3];
    for lane in 0..n {
        for (value, arg) in values.iter_mut().zip(args) {
            *value = arg.get(lane);
        }
        let result = ops::plain(op, &values[..args.len()]);
        dst.push(result.expect("elementary functions are inlined"));
    }
}

/// Makes room for `n` lanes, whatever they hold.
#[inline(always)]
fn lanes<D: Copy + Default>(dst: &mut Vec<D>, n: usize) -> &mut [D] {
    dst.resize(n, D::default());
    &mut dst[..n]
}

#[inline(always)]
fn map1<A: Copy, D: Copy + Default>(dst: &mut Vec<D>, a: &[A], n: usize, f: impl Fn(A) -> D) {
    let (dst, a) = (lanes(dst, n), &a[..n]);
    for lane in 0..n {
        dst[lane] = f(a[lane]);
    }
}

#[inline(always)]
fn map2<A: Copy, B: Copy, D: Copy + Default>(
    dst: &mut Vec<D>,
    a: &[A],
    b: &[B],
    n: usize,
    f: impl Fn(A, B) -> D,
) {
    let (dst, a, b) = (lanes(dst, n), &a[..n], &b[..n]);
    for lane in 0..n {
        dst[lane] = f(a[lane], b[lane]);
    }
}

#[inline(always)]
fn map3<A: Copy, B: Copy, D: Copy + Default>(
    dst: &mut Vec<D>,
    (a, b, c): (&[A], &[B], &[B]),
    n: usize,
    f: impl Fn(A, B, B) -> D,
) {
    let (dst, a, b, c) = (lanes(dst, n), &a[..n], &b[..n], &c[..n]);
    for lane in 0..n {
        dst[lane] = f(a[lane], b[lane], c[lane]);
    }
}

/// Instantiates a function of two operands for the integers and, where given, for floats and truth values.
macro_rules! typed {
    ($dst:expr, $a:expr, $b:expr, $n:expr, |$x:ident, $y:ident| int $int:expr $(; float $float:expr)? $(; bool $bool:expr)?) => {
        match ($dst, $a, $b) {
            (Buffer::I8(dst), Buffer::I8(a), Buffer::I8(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::U8(dst), Buffer::U8(a), Buffer::U8(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::I16(dst), Buffer::I16(a), Buffer::I16(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::U16(dst), Buffer::U16(a), Buffer::U16(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::I32(dst), Buffer::I32(a), Buffer::I32(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::U32(dst), Buffer::U32(a), Buffer::U32(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::I64(dst), Buffer::I64(a), Buffer::I64(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::U64(dst), Buffer::U64(a), Buffer::U64(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            (Buffer::Idx(dst), Buffer::Idx(a), Buffer::Idx(b)) => map2(dst, a, b, $n, |$x, $y| $int),
            $((Buffer::F32(dst), Buffer::F32(a), Buffer::F32(b)) => map2(dst, a, b, $n, |$x, $y| $float),
            (Buffer::F64(dst), Buffer::F64(a), Buffer::F64(b)) => map2(dst, a, b, $n, |$x, $y| $float),)?
            $((Buffer::Bool(dst), Buffer::Bool(a), Buffer::Bool(b)) => map2(dst, a, b, $n, |$x, $y| $bool),)?
            _ => return false,
        }
    };
}

#[inline(always)]
fn binary(op: Op, dst: &mut Buffer, a: &Buffer, b: &Buffer, n: usize) -> bool {
    match op {
        Op::Add => typed!(dst, a, b, n, |x, y| int x.wrapping_add(y); float x + y),
        Op::Sub => typed!(dst, a, b, n, |x, y| int x.wrapping_sub(y); float x - y),
        Op::Mul => typed!(dst, a, b, n, |x, y| int x.wrapping_mul(y); float x * y),
        Op::Div => {
            typed!(dst, a, b, n, |x, y| int if y == 0 { 0 } else { x.wrapping_div(y) }; float x / y)
        }
        Op::Rem => typed!(dst, a, b, n, |x, y| int if y == 0 { x } else { x.wrapping_rem(y) }),
        Op::DivFloor => typed!(dst, a, b, n, |x, y| int if y == 0 {
            0
        } else {
            let (zero, rem) = (Default::default(), x.wrapping_rem(y));
            let is_above = rem != zero && (rem < zero) != (y < zero);
            if is_above { x.wrapping_div(y).wrapping_sub(1) } else { x.wrapping_div(y) }
        }),
        Op::RemFloor => typed!(dst, a, b, n, |x, y| int if y == 0 {
            x
        } else {
            let (zero, rem) = (Default::default(), x.wrapping_rem(y));
            let is_above = rem != zero && (rem < zero) != (y < zero);
            if is_above { rem.wrapping_add(y) } else { rem }
        }),
        Op::MulHigh => return mul_high(dst, a, b, n),
        Op::And => typed!(dst, a, b, n, |x, y| int x & y; bool x & y),
        Op::Or => typed!(dst, a, b, n, |x, y| int x | y; bool x | y),
        Op::Xor => typed!(dst, a, b, n, |x, y| int x ^ y; bool x ^ y),
        Op::Shl => typed!(dst, a, b, n, |x, y| int x.wrapping_shl(y as u32)),
        Op::Shr => typed!(dst, a, b, n, |x, y| int x.wrapping_shr(y as u32)),
        Op::Min => typed!(dst, a, b, n, |x, y| int x.min(y); float least(x, y); bool x & y),
        Op::Max => typed!(dst, a, b, n, |x, y| int x.max(y); float greatest(x, y); bool x | y),
        _ => return false,
    }
    true
}

#[inline(always)]
fn mul_high(dst: &mut Buffer, a: &Buffer, b: &Buffer, n: usize) -> bool {
    macro_rules! high {
        ($($variant:ident $ty:ty, $wide:ty);+) => {
            match (dst, a, b) {
                $((Buffer::$variant(dst), Buffer::$variant(a), Buffer::$variant(b)) => {
                    map2(dst, a, b, n, |x, y| ((<$wide>::from(x) * <$wide>::from(y)) >> <$ty>::BITS) as $ty);
                })+
                _ => return false,
            }
        };
    }
    high!(I32 i32, i64; U32 u32, u64; I64 i64, i128; U64 u64, u128);
    true
}

/// A float with the order of `min` and `max`.
pub(super) trait Float: Copy + PartialOrd + std::ops::Add<Output = Self> {
    fn is_negative(self) -> bool;
}

impl Float for f32 {
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
}

impl Float for f64 {
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
}

/// NaN if either is; −0.0 is less than +0.0.
#[inline(always)]
pub(super) fn least<T: Float>(x: T, y: T) -> T {
    match x.partial_cmp(&y) {
        None => x + y,
        Some(std::cmp::Ordering::Less) => x,
        Some(std::cmp::Ordering::Greater) => y,
        Some(std::cmp::Ordering::Equal) => {
            if x.is_negative() {
                x
            } else {
                y
            }
        }
    }
}

/// NaN if either is; −0.0 is less than +0.0.
#[inline(always)]
pub(super) fn greatest<T: Float>(x: T, y: T) -> T {
    match x.partial_cmp(&y) {
        None => x + y,
        Some(std::cmp::Ordering::Less) => y,
        Some(std::cmp::Ordering::Greater) => x,
        Some(std::cmp::Ordering::Equal) => {
            if x.is_negative() {
                y
            } else {
                x
            }
        }
    }
}

#[inline(always)]
fn compare(op: Op, dst: &mut Buffer, a: &Buffer, b: &Buffer, n: usize) -> bool {
    let Buffer::Bool(dst) = dst else { return false };
    macro_rules! compared {
        ($compare:tt) => {
            both!(a, b, |a, b| map2(dst, a, b, n, |x, y| x $compare y))
        };
    }
    match op {
        Op::Eq => compared!(==),
        Op::Ne => compared!(!=),
        Op::Lt => compared!(<),
        Op::Le => compared!(<=),
        Op::Gt => compared!(>),
        Op::Ge => compared!(>=),
        _ => return false,
    }
    true
}

#[inline(always)]
fn unary(op: Op, dst: &mut Buffer, arg: &Buffer, n: usize) -> bool {
    macro_rules! of_types {
        (|$x:ident| $($variant:ident)|+ => $body:expr) => {
            match (dst, arg) {
                $((Buffer::$variant(dst), Buffer::$variant(arg)) => map1(dst, arg, n, |$x| $body),)+
                _ => return false,
            }
        };
    }
    let is_float = matches!(arg.elem(), ScalarType::F32 | ScalarType::F64);
    match op {
        Op::Not => of_types!(|x| Bool | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 | Idx => !x),
        Op::Neg if is_float => of_types!(|x| F32 | F64 => -x),
        Op::Neg => of_types!(|x| I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 | Idx => x.wrapping_neg()),
        Op::Abs if is_float => of_types!(|x| F32 | F64 => x.abs()),
        Op::Abs => of_types!(|x| I8 | I16 | I32 | I64 | Idx => x.wrapping_abs()),
        Op::Sqrt => of_types!(|x| F32 | F64 => x.sqrt()),
        Op::Floor => of_types!(|x| F32 | F64 => x.floor()),
        Op::Ceil => of_types!(|x| F32 | F64 => x.ceil()),
        Op::Trunc => of_types!(|x| F32 | F64 => x.trunc()),
        Op::Round => of_types!(|x| F32 | F64 => x.round()),
        Op::RoundEven => of_types!(|x| F32 | F64 => x.round_ties_even()),
        Op::Popcount => of_types!(|x| I32 | U32 | I64 | U64 | Idx => x.count_ones() as _),
        Op::Clz => of_types!(|x| I32 | U32 | I64 | U64 | Idx => x.leading_zeros() as _),
        Op::Ctz => of_types!(|x| I32 | U32 | I64 | U64 | Idx => x.trailing_zeros() as _),
        _ => return false,
    }
    true
}

#[inline(always)]
fn select(dst: &mut Buffer, cond: &Buffer, then: &Buffer, otherwise: &Buffer, n: usize) {
    let cond = super::columns::truths(cond, n);
    both!(then, otherwise, |then, otherwise| {
        let dst = Element::vec(dst);
        map3(dst, (cond, then, otherwise), n, |cond, then, otherwise| if cond { then } else { otherwise });
    });
}

/// Elements of a buffer.
trait Element: Copy + Default {
    fn vec(buffer: &mut Buffer) -> &mut Vec<Self>;
}

macro_rules! elements {
    ($($ty:ty: $($variant:ident)|+;)*) => {
        $(impl Element for $ty {
            #[inline(always)]
            fn vec(buffer: &mut Buffer) -> &mut Vec<$ty> {
                match buffer {
                    $(Buffer::$variant(values))|+ => values,
                    other => unreachable!("the verifier types thunks: {}", other.elem()),
                }
            }
        })*
    };
}

elements! {
    bool: Bool;
    i8: I8;
    u8: U8;
    i16: I16;
    u16: U16 | F16;
    i32: I32;
    u32: U32;
    i64: I64 | Idx;
    u64: U64;
    f32: F32;
    f64: F64;
}

#[inline(always)]
fn fma(dst: &mut Buffer, a: &Buffer, b: &Buffer, c: &Buffer, n: usize) -> bool {
    match (dst, a, b, c) {
        (Buffer::F32(dst), Buffer::F32(a), Buffer::F32(b), Buffer::F32(c)) => {
            map3(dst, (a, b, c), n, |a, b, c| a.mul_add(b, c));
        }
        (Buffer::F64(dst), Buffer::F64(a), Buffer::F64(b), Buffer::F64(c)) => {
            map3(dst, (a, b, c), n, |a, b, c| a.mul_add(b, c));
        }
        _ => return false,
    }
    true
}

/// Rust's `as` truncates, saturates, wraps and rounds as λcu says.
#[inline(always)]
fn convert(dst: &mut Buffer, arg: &Buffer, to: ScalarType, n: usize) -> bool {
    macro_rules! number {
        ($arg:expr) => {
            match (to, dst) {
                (ScalarType::I8, Buffer::I8(dst)) => map1(dst, $arg, n, |x| x as i8),
                (ScalarType::U8, Buffer::U8(dst)) => map1(dst, $arg, n, |x| x as u8),
                (ScalarType::I16, Buffer::I16(dst)) => map1(dst, $arg, n, |x| x as i16),
                (ScalarType::U16, Buffer::U16(dst)) => map1(dst, $arg, n, |x| x as u16),
                (ScalarType::I32, Buffer::I32(dst)) => map1(dst, $arg, n, |x| x as i32),
                (ScalarType::U32, Buffer::U32(dst)) => map1(dst, $arg, n, |x| x as u32),
                (ScalarType::I64, Buffer::I64(dst)) => map1(dst, $arg, n, |x| x as i64),
                (ScalarType::U64, Buffer::U64(dst)) => map1(dst, $arg, n, |x| x as u64),
                (ScalarType::Idx, Buffer::Idx(dst)) => map1(dst, $arg, n, |x| x as i64),
                (ScalarType::F32, Buffer::F32(dst)) => map1(dst, $arg, n, |x| x as f32),
                (ScalarType::F64, Buffer::F64(dst)) => map1(dst, $arg, n, |x| x as f64),
                _ => return false,
            }
        };
    }
    match arg {
        Buffer::Bool(arg) => {
            macro_rules! from_bool {
                ($($variant:ident $ty:ty),+) => {
                    match dst {
                        $(Buffer::$variant(dst) => map1(dst, arg, n, |x| x as u8 as $ty),)+
                        _ => return false,
                    }
                };
            }
            from_bool!(I8 i8, U8 u8, I32 i32, U32 u32, I64 i64, U64 u64, Idx i64, F32 f32, F64 f64)
        }
        Buffer::I8(arg) => number!(arg),
        Buffer::U8(arg) => number!(arg),
        Buffer::I16(arg) => number!(arg),
        Buffer::U16(arg) => number!(arg),
        Buffer::I32(arg) => number!(arg),
        Buffer::U32(arg) => number!(arg),
        Buffer::I64(arg) | Buffer::Idx(arg) => number!(arg),
        Buffer::U64(arg) => number!(arg),
        Buffer::F32(arg) => number!(arg),
        Buffer::F64(arg) => number!(arg),
        Buffer::F16(_) => return false,
    }
    true
}

#[inline(always)]
fn bitcast(dst: &mut Buffer, arg: &Buffer, n: usize) -> bool {
    match (dst, arg) {
        (Buffer::U32(dst), Buffer::F32(arg)) => map1(dst, arg, n, f32::to_bits),
        (Buffer::I32(dst), Buffer::F32(arg)) => map1(dst, arg, n, |x| x.to_bits() as i32),
        (Buffer::F32(dst), Buffer::U32(arg)) => map1(dst, arg, n, f32::from_bits),
        (Buffer::F32(dst), Buffer::I32(arg)) => map1(dst, arg, n, |x| f32::from_bits(x as u32)),
        (Buffer::U64(dst), Buffer::F64(arg)) => map1(dst, arg, n, f64::to_bits),
        (Buffer::I64(dst), Buffer::F64(arg)) => map1(dst, arg, n, |x| x.to_bits() as i64),
        (Buffer::F64(dst), Buffer::U64(arg)) => map1(dst, arg, n, f64::from_bits),
        (Buffer::F64(dst), Buffer::I64(arg)) => map1(dst, arg, n, |x| f64::from_bits(x as u64)),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of a type, among them the least and the greatest, and what is next to zero.
    fn values(ty: ScalarType) -> Vec<Scalar> {
        let floats = [0.0, -0.0, 0.5, -0.5, 1.0, -1.5, 2.5, 3.0e9, -1e20, f64::INFINITY, f64::NAN];
        match ty {
            ScalarType::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
            ScalarType::F32 => floats.iter().map(|&value| Scalar::F32(value as f32)).collect(),
            ScalarType::F64 => floats.iter().map(|&value| Scalar::F64(value)).collect(),
            ScalarType::F16 => vec![Scalar::F16(0), Scalar::F16(0x3c00), Scalar::F16(0xc580)],
            _ => {
                let bits =
                    [0, 1, 2, 3, 7, 31, 63, 100, u64::MAX, u64::MAX - 1, u64::MAX - 6, 1 << 31, 1 << 63];
                let own =
                    bits.iter().chain(&[0x7f, 0x80, 0x7fff, 0x8000, 0x7fff_ffff, 0x7fff_ffff_ffff_ffff]);
                own.map(|&bits| Scalar::from_bits(ty, bits)).collect()
            }
        }
    }

    fn is_same(a: Scalar, b: Scalar) -> bool {
        match (a, b) {
            (a, b) if a.is_nan() => b.is_nan() && a.ty() == b.ty(),
            _ => a.ty() == b.ty() && a.to_bits() == b.to_bits(),
        }
    }

    /// Every operation, on operands of every type, in columns that are longer than a vector: what the interpreter computes lane by lane.
    #[test]
    fn columns_are_as_lanes() {
        let typed = ScalarType::ALL.into_iter().flat_map(|ty| [Op::Convert(ty), Op::Bitcast(ty)]);
        let mut tried = 0;
        for op in Op::PLAIN.iter().copied().filter(|op| !op.is_elementary()).chain(typed) {
            for ty in ScalarType::ALL {
                let mut types = vec![ty; op.arity()];
                types[..op.first_shared_operand()].fill(ScalarType::Bool);
                let Ok(result) = op.result_type(&types) else { continue };
                let own = values(ty);
                let n = own.len() * own.len();
                let mut columns: Vec<Buffer> = types.iter().map(|&ty| Buffer::zeroed(ty, 0)).collect();
                for lane in 0..n {
                    for (at, column) in columns.iter_mut().enumerate() {
                        let from = values(column.elem());
                        column.push(from[[lane, lane / own.len(), lane / 3][at] % from.len()]);
                    }
                }
                let mut dst = Buffer::zeroed(result, 0);
                let args: Vec<&Buffer> = columns.iter().collect();
                apply(op, &mut dst, &args, n);
                assert_eq!(dst.len(), n);
                for lane in 0..n {
                    let args: Vec<Scalar> = columns.iter().map(|column| column.get(lane)).collect();
                    let wanted = ops::plain(op, &args).unwrap();
                    assert!(
                        is_same(dst.get(lane), wanted),
                        "{op:?} {args:?}: {:?}, not {wanted:?}",
                        dst.get(lane)
                    );
                }
                tried += 1;
            }
        }
        assert!(tried > 300, "{tried}");
    }
}
