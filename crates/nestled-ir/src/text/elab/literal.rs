//! Elaborates literals to scalars of the type that their place asks for.

use crate::diagnostic::Diagnostic;
use crate::scalar::{Scalar, ScalarType};
use crate::text::ast::Literal;
use crate::text::token::NumberKind;

/// The type that a literal has by itself.
pub(super) fn own_type(literal: &Literal) -> Option<ScalarType> {
    match literal.number.kind {
        NumberKind::Bool(_) => Some(ScalarType::Bool),
        _ => literal.number.suffix,
    }
}

/// The value of a literal, of its own type or the type its place asks for.
pub(super) fn scalar(literal: &Literal, place: Option<ScalarType>) -> Result<Scalar, Diagnostic> {
    let Some(ty) = own_type(literal).or(place) else {
        let diagnostic = Diagnostic::new("L0103", "nothing says which type the literal has", literal.span);
        let written = match &literal.number.kind {
            NumberKind::Integer(digits) => format!("`{digits}i64`, `{digits}f32` or `{digits}idx`"),
            NumberKind::Float(digits) => format!("`{digits}f32` or `{digits}f64`"),
            NumberKind::Inf => "`inf.f32` or `inf.f64`".to_owned(),
            NumberKind::Nan => "`nan.f32` or `nan.f64`".to_owned(),
            NumberKind::Hex(_) | NumberKind::Bool(_) | NumberKind::Bits(_) => {
                "`0xffu32` or `0xffi64`".to_owned()
            }
        };
        return Err(diagnostic.help(format!("write the type after it, as in {written}")));
    };
    value(literal, ty).ok_or_else(|| {
        let diagnostic = Diagnostic::new("L0104", format!("the literal is not of type `{ty}`"), literal.span);
        match (ty, &literal.number.kind) {
            (ScalarType::F16, _) => {
                diagnostic.help("write the four hexadecimal digits of its bits, as in `0x3c00f16`")
            }
            (_, NumberKind::Hex(_)) if ty.is_float() => {
                diagnostic.help("write all digits of its bits, as in `0x3f800000f32`, or a decimal number")
            }
            _ => diagnostic,
        }
    })
}

fn value(literal: &Literal, ty: ScalarType) -> Option<Scalar> {
    let negative = literal.negative;
    match &literal.number.kind {
        NumberKind::Bool(value) => (ty == ScalarType::Bool).then_some(Scalar::Bool(*value)),
        NumberKind::Integer(digits) if ty.is_integer() => {
            let magnitude: u64 = digits.parse().ok()?;
            let value = i128::from(magnitude);
            integer(if negative { -value } else { value }, ty)
        }
        NumberKind::Integer(digits) | NumberKind::Float(digits) => decimal(digits, negative, ty),
        NumberKind::Hex(bits) => hexadecimal((*bits)?, negative, ty),
        NumberKind::Inf => special(f64::INFINITY, negative, ty),
        NumberKind::Nan => special(f64::NAN, negative, ty),
        NumberKind::Bits(bits) => Some(Scalar::from_bits(ty, *bits)),
    }
}

fn integer(value: i128, ty: ScalarType) -> Option<Scalar> {
    Some(match ty {
        ScalarType::I8 => Scalar::I8(value.try_into().ok()?),
        ScalarType::U8 => Scalar::U8(value.try_into().ok()?),
        ScalarType::I16 => Scalar::I16(value.try_into().ok()?),
        ScalarType::U16 => Scalar::U16(value.try_into().ok()?),
        ScalarType::I32 => Scalar::I32(value.try_into().ok()?),
        ScalarType::U32 => Scalar::U32(value.try_into().ok()?),
        ScalarType::I64 => Scalar::I64(value.try_into().ok()?),
        ScalarType::U64 => Scalar::U64(value.try_into().ok()?),
        ScalarType::Idx => Scalar::Idx(value.try_into().ok()?),
        ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return None,
    })
}

/// The value of hexadecimal digits; for signed types they give the bits.
fn hexadecimal(bits: u64, negative: bool, ty: ScalarType) -> Option<Scalar> {
    if !ty.is_integer() {
        return None;
    }
    let fits = ty.bits() == 64 || bits >> ty.bits() == 0;
    let scalar = Scalar::from_bits(ty, bits);
    match (negative, fits) {
        (_, false) => None,
        (false, true) => Some(scalar),
        (true, true) => integer(-i128::from(bits), ty),
    }
}

/// Rounded once, from the digits to the type.
fn decimal(digits: &str, negative: bool, ty: ScalarType) -> Option<Scalar> {
    match ty {
        ScalarType::F32 => digits.parse::<f32>().ok().map(|x| Scalar::F32(if negative { -x } else { x })),
        ScalarType::F64 => digits.parse::<f64>().ok().map(|x| Scalar::F64(if negative { -x } else { x })),
        _ => None,
    }
}

fn special(value: f64, negative: bool, ty: ScalarType) -> Option<Scalar> {
    let sign = u16::from(negative) << 15;
    Some(match ty {
        ScalarType::F32 => Scalar::F32(if negative { -(value as f32) } else { value as f32 }),
        ScalarType::F64 => Scalar::F64(if negative { -value } else { value }),
        ScalarType::F16 => Scalar::F16(sign | if value.is_nan() { 0x7e00 } else { 0x7c00 }),
        _ => return None,
    })
}
