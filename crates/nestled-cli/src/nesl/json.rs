//! Values as JSON: `{"name": "it", "type": "[int]", "value": [1, 2]}`. Strings are strings, other characters one-letter strings, pairs and
//! what is right of them one array; records are what they hold, and values with others that know their variant are texts; functions and numbers that are
//! not finite are `null`.

use nestled_nesl::interp::Value;
use nestled_nesl::{Session, Shown};
use nestled_rt::json::write_quoted;
use std::fmt::{self, Write};
use std::io;

/// The value of `it` and its shown text, on a line.
pub fn line(session: &Session, shown: &Shown) -> String {
    let mut out = String::new();
    // Nothing goes wrong while a string grows.
    let _ = write_line(&mut out, session, shown);
    out
}

fn write_line(out: &mut dyn Write, session: &Session, shown: &Shown) -> fmt::Result {
    let ty = shown.ty.to_string();
    out.write_str("{\"name\": ")?;
    write_quoted(out, &shown.name)?;
    out.write_str(", \"type\": ")?;
    write_quoted(out, &ty)?;
    out.write_str(", \"value\": ")?;
    match session.value("it") {
        // What tells the variants apart is the text.
        Some((_, id)) if session.has_variants(id) => {
            let text = shown.value.as_ref().map_or(Vec::new(), |value| value.text());
            write_quoted(out, &String::from_utf8_lossy(&text))?;
        }
        Some((it, _)) => value(out, it, is_string(&ty))?,
        None => out.write_str("null")?,
    }
    out.write_str("}\n")
}

/// Writes a value of this type, and the end of the line.
///
/// # Errors
/// It cannot be written there.
pub fn write(out: &mut dyn io::Write, of: &Value, ty: &str) -> io::Result<()> {
    let mut text = Text { out, result: Ok(()) };
    let written = value(&mut text, of, is_string(ty)).and_then(|()| text.write_char('\n'));
    text.result.and(written.map_err(io::Error::other))
}

/// Texts as bytes of a file.
struct Text<'o> {
    out: &'o mut dyn io::Write,
    /// The error of the file, if there was one.
    result: io::Result<()>,
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.result = Err(error);
            fmt::Error
        })
    }
}

/// True if a sequence of this type is a string: an empty sequence does not tell.
fn is_string(ty: &str) -> bool {
    ty == "[char]"
}

fn value(out: &mut dyn Write, of: &Value, empty_string: bool) -> fmt::Result {
    match of {
        Value::Int(number) => write!(out, "{number}"),
        Value::Float(number) if number.is_finite() => write!(out, "{number:?}"),
        Value::Float(_) | Value::Closure(_) | Value::Data(_) => out.write_str("null"),
        Value::Bool(holds) => write!(out, "{holds}"),
        Value::Char(code) => string(out, &[*code]),
        Value::Pair(_) => {
            out.write_char('[')?;
            let mut rest = of;
            while let Value::Pair(parts) = rest {
                value(out, &parts.0, false)?;
                out.write_str(", ")?;
                rest = &parts.1;
            }
            value(out, rest, false)?;
            out.write_char(']')
        }
        Value::Seq(elements) => {
            if matches!(elements.beginning(1).first(), Some(Value::Char(_)))
                || (elements.is_empty() && empty_string)
            {
                return string(out, &elements.characters());
            }
            out.write_char('[')?;
            let mut first = true;
            for piece in elements.pieces() {
                for element in piece.iter() {
                    out.write_str(if std::mem::take(&mut first) { "" } else { ", " })?;
                    value(out, element, false)?;
                }
            }
            out.write_char(']')
        }
    }
}

/// Writes bytes as a string; invalid UTF-8 is replaced.
fn string(out: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    write_quoted(out, &String::from_utf8_lossy(bytes))
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
