//! Operations on columns: a loop over lanes for each operation and type that is frequent, and the interpreter's operation lane by lane for the rest.
//!
//! NaNs that operations make keep the bits that the processor gives them, as in compiled code; the interpreter has one for all.

use super::columns::both;
use crate::interp::ops;
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::value::Buffer;

/// Computes an operation, which is not elementary, in `n` lanes.
pub(super) fn apply(op: Op, dst: &mut Buffer, args: &[&Buffer], n: usize) {
    let is_done = match (op, args) {
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
    };
    if !is_done {
        lane_by_lane(op, dst, args, n);
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

fn map1<A: Copy, D>(dst: &mut Vec<D>, a: &[A], n: usize, f: impl Fn(A) -> D) {
    dst.clear();
    dst.extend(a[..n].iter().map(|&a| f(a)));
}

fn map2<A: Copy, B: Copy, D>(dst: &mut Vec<D>, a: &[A], b: &[B], n: usize, f: impl Fn(A, B) -> D) {
    dst.clear();
    dst.extend(a[..n].iter().zip(&b[..n]).map(|(&a, &b)| f(a, b)));
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

fn binary(op: Op, dst: &mut Buffer, a: &Buffer, b: &Buffer, n: usize) -> bool {
    match op {
        Op::Add => typed!(dst, a, b, n, |x, y| int x.wrapping_add(y); float x + y),
        Op::Sub => typed!(dst, a, b, n, |x, y| int x.wrapping_sub(y); float x - y),
        Op::Mul => typed!(dst, a, b, n, |x, y| int x.wrapping_mul(y); float x * y),
        Op::Div => {
            typed!(dst, a, b, n, |x, y| int if y == 0 { 0 } else { x.wrapping_div(y) }; float x / y)
        }
        Op::Rem => typed!(dst, a, b, n, |x, y| int if y == 0 { x } else { x.wrapping_rem(y) }),
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

/// A float with the order of `min` and `max`.
pub(super) trait Float: Copy + PartialOrd + std::ops::Add<Output = Self> {
    fn is_negative(self) -> bool;
}

impl Float for f32 {
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
}

impl Float for f64 {
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
}

/// NaN if either is; −0.0 is less than +0.0.
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

fn unary(op: Op, dst: &mut Buffer, arg: &Buffer, n: usize) -> bool {
    macro_rules! floats {
        (|$x:ident| $body:expr) => {
            match (dst, arg) {
                (Buffer::F32(dst), Buffer::F32(arg)) => map1(dst, arg, n, |$x| $body),
                (Buffer::F64(dst), Buffer::F64(arg)) => map1(dst, arg, n, |$x| $body),
                _ => return false,
            }
        };
    }
    match (op, &mut *dst, arg) {
        (Op::Not, Buffer::Bool(dst), Buffer::Bool(arg)) => map1(dst, arg, n, |x| !x),
        (Op::Neg, Buffer::I64(dst), Buffer::I64(arg)) => map1(dst, arg, n, i64::wrapping_neg),
        (Op::Neg, Buffer::Idx(dst), Buffer::Idx(arg)) => map1(dst, arg, n, i64::wrapping_neg),
        (Op::Neg, Buffer::I32(dst), Buffer::I32(arg)) => map1(dst, arg, n, i32::wrapping_neg),
        (Op::Neg, ..) => floats!(|x| -x),
        (Op::Abs, ..) => floats!(|x| x.abs()),
        (Op::Sqrt, ..) => floats!(|x| x.sqrt()),
        (Op::Floor, ..) => floats!(|x| x.floor()),
        (Op::RoundEven, ..) => floats!(|x| x.round_ties_even()),
        _ => return false,
    }
    true
}

fn select(dst: &mut Buffer, cond: &Buffer, then: &Buffer, otherwise: &Buffer, n: usize) {
    let cond = super::columns::truths(cond, n);
    both!(then, otherwise, |then, otherwise| {
        let chosen = cond.iter().zip(&then[..n]).zip(&otherwise[..n]);
        let chosen = chosen.map(|((&cond, &then), &otherwise)| if cond { then } else { otherwise });
        extend(dst, chosen);
    });
}

/// Elements of a buffer.
trait Element: Sized {
    fn vec(buffer: &mut Buffer) -> &mut Vec<Self>;
}

macro_rules! elements {
    ($($ty:ty: $($variant:ident)|+;)*) => {
        $(impl Element for $ty {
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

fn extend<T: Element>(dst: &mut Buffer, values: impl Iterator<Item = T>) {
    let dst = T::vec(dst);
    dst.clear();
    dst.extend(values);
}

fn fma(dst: &mut Buffer, a: &Buffer, b: &Buffer, c: &Buffer, n: usize) -> bool {
    macro_rules! fused {
        ($a:expr, $b:expr, $c:expr) => {
            extend(dst, $a[..n].iter().zip(&$b[..n]).zip(&$c[..n]).map(|((&a, &b), &c)| a.mul_add(b, c)))
        };
    }
    match (a, b, c) {
        (Buffer::F32(a), Buffer::F32(b), Buffer::F32(c)) => fused!(a, b, c),
        (Buffer::F64(a), Buffer::F64(b), Buffer::F64(c)) => fused!(a, b, c),
        _ => return false,
    }
    true
}

/// Rust's `as` truncates, saturates, wraps and rounds as λcu says.
fn convert(dst: &mut Buffer, arg: &Buffer, to: ScalarType, n: usize) -> bool {
    macro_rules! number {
        ($arg:expr) => {
            match (to, dst) {
                (ScalarType::I8, Buffer::I8(dst)) => map1(dst, $arg, n, |x| x as i8),
                (ScalarType::U8, Buffer::U8(dst)) => map1(dst, $arg, n, |x| x as u8),
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
        Buffer::Bool(arg) => match (to, dst) {
            (ScalarType::I64, Buffer::I64(dst)) => map1(dst, arg, n, i64::from),
            (ScalarType::Idx, Buffer::Idx(dst)) => map1(dst, arg, n, i64::from),
            (ScalarType::I32, Buffer::I32(dst)) => map1(dst, arg, n, i32::from),
            _ => return false,
        },
        Buffer::U8(arg) => number!(arg),
        Buffer::I32(arg) => number!(arg),
        Buffer::U32(arg) => number!(arg),
        Buffer::I64(arg) | Buffer::Idx(arg) => number!(arg),
        Buffer::U64(arg) => number!(arg),
        Buffer::F32(arg) => number!(arg),
        Buffer::F64(arg) => number!(arg),
        Buffer::I8(_) | Buffer::I16(_) | Buffer::U16(_) | Buffer::F16(_) => return false,
    }
    true
}

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
