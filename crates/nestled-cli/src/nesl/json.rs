//! Values as JSON: `{"name": "it", "type": "[int]", "value": [1, 2]}`. Strings are strings, other characters one-letter strings, pairs and
//! what is right of them one array; records are what they hold; functions and numbers that are not finite are `null`.

use nestled_nesl::interp::Value;
use nestled_nesl::{Session, Shown};
use nestled_rt::json::quote;
use std::fmt::Write;

/// The value that `it` has, and what was shown of it, on a line.
pub fn line(session: &Session, shown: &Shown) -> String {
    let mut out = String::from("{\"name\": ");
    string(&mut out, shown.name.as_bytes());
    out.push_str(", \"type\": ");
    string(&mut out, shown.ty.to_string().as_bytes());
    out.push_str(", \"value\": ");
    match session.value("it") {
        Some((it, _)) => value(&mut out, it, is_string(&shown.ty.to_string())),
        None => out.push_str("null"),
    }
    out.push_str("}\n");
    out
}

/// A value of this type.
pub fn text(of: &Value, ty: &str) -> String {
    let mut out = String::new();
    value(&mut out, of, is_string(ty));
    out
}

/// An empty sequence does not say of itself whether it is a string.
fn is_string(ty: &str) -> bool {
    ty == "[char]"
}

fn value(out: &mut String, of: &Value, empty_string: bool) {
    match of {
        Value::Int(number) => drop(write!(out, "{number}")),
        Value::Float(number) if number.is_finite() => drop(write!(out, "{number:?}")),
        Value::Float(_) | Value::Closure(_) => out.push_str("null"),
        Value::Bool(holds) => drop(write!(out, "{holds}")),
        Value::Char(code) => string(out, &[*code]),
        Value::Pair(_) => {
            out.push('[');
            let mut rest = of;
            while let Value::Pair(parts) = rest {
                value(out, &parts.0, false);
                out.push_str(", ");
                rest = &parts.1;
            }
            value(out, rest, false);
            out.push(']');
        }
        Value::Seq(elements) => {
            if matches!(elements.beginning(1).first(), Some(Value::Char(_)))
                || (elements.is_empty() && empty_string)
            {
                return string(out, &elements.characters());
            }
            out.push('[');
            let mut first = true;
            for piece in elements.pieces() {
                for element in piece.iter() {
                    out.push_str(if std::mem::take(&mut first) { "" } else { ", " });
                    value(out, element, false);
                }
            }
            out.push(']');
        }
    }
}

/// Bytes as a string; what is no UTF-8 is replaced.
fn string(out: &mut String, bytes: &[u8]) {
    quote(out, &String::from_utf8_lossy(bytes));
}

#[cfg(test)]
mod tests {
    use nestled_nesl::interp::TestWorld;
    use nestled_nesl::{Dialect, Session};

    #[test]
    fn values_as_json() {
        let mut session = Session::new(Dialect::default());
        let mut shown = |text: &str| {
            let results = session.run("test", text, &mut TestWorld::default());
            super::line(&session, results[0].shown.as_ref().expect("a value"))
        };
        assert_eq!(
            shown("(1, 2.5, t);"),
            "{\"name\": \"it\", \"type\": \"int, float, bool\", \"value\": [1, 2.5, true]}\n"
        );
        assert_eq!(
            shown("[\"a\\\"b\"];"),
            "{\"name\": \"it\", \"type\": \"[[char]]\", \"value\": [\"a\\\"b\"]}\n"
        );
        assert_eq!(shown("\"\";"), "{\"name\": \"it\", \"type\": \"[char]\", \"value\": \"\"}\n");
        assert_eq!(
            shown("([] int, `x);"),
            "{\"name\": \"it\", \"type\": \"[int], char\", \"value\": [[], \"x\"]}\n"
        );
    }
}
