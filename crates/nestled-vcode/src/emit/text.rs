//! The text of constants.

use crate::syntax::ast::Constant;
use std::fmt::Write;

/// Returns the instruction that pushes a constant.
pub fn constant(constant: &Constant) -> String {
    let (word, elements): (&str, Vec<String>) = match constant {
        Constant::Ints(all) => ("INT", all.iter().map(i64::to_string).collect()),
        Constant::Segdes(all) => ("SEGDES", all.iter().map(i64::to_string).collect()),
        Constant::Floats(all) => ("FLOAT", all.iter().map(|value| float(*value)).collect()),
        Constant::Bools(all) => {
            ("BOOL", all.iter().map(|&value| if value { "T" } else { "F" }.to_owned()).collect())
        }
    };
    match &elements[..] {
        [one] => format!("CONST {word} {one}"),
        all => format!("CONST {word} ({})", all.join(" ")),
    }
}

/// Writes a float with a dot, so that it is one in VCODE, and with as many digits as it takes to be this one.
fn float(value: f64) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// Returns the instruction that pushes the codes of a text: as characters, where VCODE has a way to write them.
pub fn characters(bytes: &[u8]) -> String {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n') && *byte != b'"';
    if bytes.iter().all(plain) {
        return format!("CONST CHAR \"{}\"", String::from_utf8_lossy(bytes));
    }
    let mut out = "CONST INT (".to_owned();
    for (position, byte) in bytes.iter().enumerate() {
        let _ = write!(out, "{}{byte}", if position == 0 { "" } else { " " });
    }
    out.push(')');
    out
}

/// Returns the text of a comment, without what would end it.
pub fn comment(text: &str) -> String {
    text.replace(['{', '}'], "|").replace('\n', " ")
}
