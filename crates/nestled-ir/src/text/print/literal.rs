//! Prints literals and quoted texts.

use crate::scalar::{Scalar, ScalarType};
use std::fmt::Write;

/// A literal; without its type where its place has the same.
pub(super) fn literal(scalar: Scalar, place: Option<ScalarType>) -> String {
    let ty = scalar.ty();
    let bare = place == Some(ty);
    let suffixed = |text: String| if bare { text } else { format!("{text}{ty}") };
    match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::I8(value) => suffixed(value.to_string()),
        Scalar::U8(value) => suffixed(value.to_string()),
        Scalar::I16(value) => suffixed(value.to_string()),
        Scalar::U16(value) => suffixed(value.to_string()),
        Scalar::I32(value) => suffixed(value.to_string()),
        Scalar::U32(value) => suffixed(value.to_string()),
        Scalar::I64(value) | Scalar::Idx(value) => suffixed(value.to_string()),
        Scalar::U64(value) => suffixed(value.to_string()),
        Scalar::F16(bits) => format!("0x{bits:04x}f16"),
        Scalar::F32(value) if value.is_finite() => suffixed(format!("{value:?}")),
        Scalar::F64(value) if value.is_finite() => suffixed(format!("{value:?}")),
        Scalar::F32(value) => special(f64::from(value), scalar, bare),
        Scalar::F64(value) => special(value, scalar, bare),
    }
}

/// Infinities, and NaNs: the usual one by name, others by their bits.
fn special(value: f64, scalar: Scalar, bare: bool) -> String {
    let ty = scalar.ty();
    let usual = if ty == ScalarType::F32 { u64::from(f32::NAN.to_bits()) } else { f64::NAN.to_bits() };
    let sign = 1 << (ty.bits() - 1);
    let bits = scalar.to_bits();
    let minus = if bits & sign == 0 { "" } else { "-" };
    if value.is_nan() && bits & !sign != usual & !sign {
        return format!("0x{bits:0width$x}{ty}", width = ty.size() * 2);
    }
    let word = if value.is_nan() { "nan" } else { "inf" };
    if bare { format!("{minus}{word}") } else { format!("{minus}{word}.{ty}") }
}

/// A text between quotes.
pub(super) fn quote(text: &str, mark: char) -> String {
    let mut out = String::from(mark);
    for found in text.chars() {
        match found {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            found if found == mark => {
                out.push('\\');
                out.push(found);
            }
            found if found.is_control() || found == '\u{feff}' => {
                let _ = write!(out, "\\u{{{:x}}}", found as u32);
            }
            found => out.push(found),
        }
    }
    out.push(mark);
    out
}

/// The bytes as a text, if they are one that people would write so.
pub(super) fn as_text(elements: &[Scalar]) -> Option<String> {
    let bytes: Option<Vec<u8>> = elements
        .iter()
        .map(|element| match element {
            Scalar::U8(byte) => Some(*byte),
            _ => None,
        })
        .collect();
    let text = String::from_utf8(bytes?).ok()?;
    let readable =
        !text.is_empty() && text.chars().all(|found| !found.is_control() || matches!(found, '\n' | '\t'));
    readable.then(|| quote(&text, '"'))
}
