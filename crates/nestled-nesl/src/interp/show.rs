//! Values in the format of the original's interactive loop (section 6.1 of the reference).

use super::{Sequence, Value};
use crate::types::{Record, Type, TypeId, Types};
use std::collections::HashMap;

/// How values are shown.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Longer sequences end with `,...]`; strings never do.
    pub print_length: usize,
    /// Significant digits of floats; the full precision of constants needs none.
    pub digits: usize,
    /// Whether floats have 32 bits: then the shortest text that reads back as the same one.
    pub single: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { print_length: 100, digits: 15, single: false }
    }
}

/// The value as bytes. The type says where records stand, and what an empty sequence is one of.
pub fn show(value: &Value, ty: TypeId, types: &mut Types, records: &[Record], style: Style) -> Vec<u8> {
    let mut show = Show { types, records, style, out: Vec::new() };
    show.value(value, ty, true);
    show.out
}

/// No value is shown longer than about this.
const LIMIT: usize = 1 << 22;

struct Show<'a> {
    types: &'a mut Types,
    records: &'a [Record],
    style: Style,
    out: Vec<u8>,
}

impl Show<'_> {
    fn text(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
    }

    /// `bracket`: whether a pair needs brackets here.
    fn value(&mut self, value: &Value, ty: TypeId, bracket: bool) {
        // Shared parts are written out again and again, which no memory may be large enough for.
        if self.out.len() > LIMIT {
            self.out.extend(if self.out.ends_with(b"...") { &b""[..] } else { b"..." });
            return;
        }
        if let Type::Record(record, arguments) = self.types.get(ty).clone() {
            let declared = self.records[record.0 as usize].clone();
            let parameters = declared.parameters.iter().map(|parameter| self.types.resolve(*parameter));
            let by: HashMap<TypeId, TypeId> = parameters.zip(arguments.iter().copied()).collect();
            let content = self.types.replace(declared.content, &by);
            self.text(&declared.name);
            self.text("(");
            self.value(value, content, false);
            self.text(")");
            return;
        }
        let parts = self.types.parts(ty);
        match value {
            Value::Int(value) => self.text(&value.to_string()),
            Value::Float(value) => {
                let text = float(*value, self.style);
                self.text(&text);
            }
            Value::Bool(value) => self.text(if *value { "T" } else { "F" }),
            Value::Char(code) => {
                self.text("`");
                self.out.push(*code);
            }
            Value::Pair(pair) => {
                self.text(if bracket { "(" } else { "" });
                self.value(&pair.0, parts[0], true);
                self.text(", ");
                self.value(&pair.1, parts[1], false);
                self.text(if bracket { ")" } else { "" });
            }
            Value::Seq(elements) => self.sequence(elements, parts[0]),
            Value::Closure(_) => self.text("fn"),
        }
    }

    fn sequence(&mut self, elements: &Sequence, element: TypeId) {
        if matches!(self.types.get(element), Type::Base(crate::types::Base::Char)) {
            self.text("\"");
            for code in elements.characters().iter() {
                if matches!(code, b'"' | b'\\') {
                    self.out.push(b'\\');
                }
                self.out.push(*code);
            }
            self.text("\"");
            return;
        }
        let limit = self.style.print_length;
        self.text("[");
        for (position, value) in elements.beginning(limit).iter().enumerate() {
            self.text(if position == 0 { "" } else { ", " });
            self.value(value, element, true);
        }
        self.text(match elements.len() > limit {
            true if limit == 0 => "...",
            true => ",...",
            false => "",
        });
        self.text("]");
    }
}

/// A float with at most so many significant digits: plain between 10⁻³ and 10⁷, else with an exponent.
fn float(value: f64, style: Style) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-Infinity" } else { "Infinity" }.to_owned();
    }
    if value == 0.0 {
        return "0.0".to_owned();
    }
    let digits = style.digits;
    let shortest = if style.single { format!("{:e}", value as f32) } else { format!("{value:e}") };
    let rounded = format!("{value:.*e}", digits - 1);
    let mantissa_digits =
        |text: &str| text.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let text = if mantissa_digits(&shortest) <= digits { shortest } else { rounded };
    let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let all = all.trim_end_matches('0');
    let all = if all.is_empty() { "0" } else { all };
    if (-3..7).contains(&exponent) {
        return format!("{sign}{}", plain(all, exponent));
    }
    let rest = if all.len() > 1 { &all[1..] } else { "0" };
    format!("{sign}{}.{rest}E{exponent}", &all[..1])
}

/// The digits with a point behind the one of this exponent.
fn plain(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}.0", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}
