//! Parses scalars.

use super::super::array::f16_from_f64;
use super::ValueError;
use crate::scalar::{Scalar, ScalarType};
use std::str::FromStr;

/// A scalar of a type: `true`, `-3`, `0xff`, `1.5e-3`, `inf`, `nan`; the type may follow, as in the text form.
pub fn parse_scalar(word: &str, ty: ScalarType) -> Result<Scalar, ValueError> {
    let error = || ValueError::Scalar { word: word.to_owned(), ty };
    let bare = word.strip_suffix(ty.name()).unwrap_or(word);
    let bare = bare.strip_suffix('.').filter(|_| bare.contains(['a', 'i'])).unwrap_or(bare);
    let scalar = match ty {
        ScalarType::Bool => parse_as(word).map(Scalar::Bool),
        ScalarType::I8 => integer(bare).and_then(|value| i8::try_from(value).ok()).map(Scalar::I8),
        ScalarType::U8 => integer(bare).and_then(|value| u8::try_from(value).ok()).map(Scalar::U8),
        ScalarType::I16 => integer(bare).and_then(|value| i16::try_from(value).ok()).map(Scalar::I16),
        ScalarType::U16 => integer(bare).and_then(|value| u16::try_from(value).ok()).map(Scalar::U16),
        ScalarType::I32 => integer(bare).and_then(|value| i32::try_from(value).ok()).map(Scalar::I32),
        ScalarType::U32 => integer(bare).and_then(|value| u32::try_from(value).ok()).map(Scalar::U32),
        ScalarType::I64 => integer(bare).and_then(|value| i64::try_from(value).ok()).map(Scalar::I64),
        ScalarType::U64 => integer(bare).and_then(|value| u64::try_from(value).ok()).map(Scalar::U64),
        ScalarType::Idx => integer(bare).and_then(|value| i64::try_from(value).ok()).map(Scalar::Idx),
        ScalarType::F16 if bare.starts_with("0x") => {
            integer(bare).and_then(|value| u16::try_from(value).ok()).map(Scalar::F16)
        }
        ScalarType::F16 => parse_as(bare).map(|value| Scalar::F16(f16_from_f64(value))),
        ScalarType::F32 => parse_as(bare).map(Scalar::F32),
        ScalarType::F64 => parse_as(bare).map(Scalar::F64),
    };
    scalar.ok_or_else(error)
}

fn parse_as<T: FromStr>(word: &str) -> Option<T> {
    word.parse().ok()
}

/// A decimal or hexadecimal integer.
fn integer(word: &str) -> Option<i128> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(if negative { -magnitude } else { magnitude })
}
