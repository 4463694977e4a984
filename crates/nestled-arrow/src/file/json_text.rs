//! Texts in JSON: values read and written.

use nestled_nested::{Meaning, Value};
use std::io::{self, Write};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn bool(&self) -> Option<bool> {
        if let Json::Bool(truth) = self { Some(*truth) } else { None }
    }

    pub fn int(&self) -> Option<i64> {
        if let Json::Int(number) = self { Some(*number) } else { None }
    }

    /// A float, or an integer as one.
    pub fn float(&self) -> Option<f64> {
        match self {
            Json::Int(number) => Some(*number as f64),
            Json::Float(number) => Some(*number),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub fn list(&self) -> Option<&Vec<Json>> {
        if let Json::List(values) = self { Some(values) } else { None }
    }

    pub fn members(&self) -> Option<&Vec<(String, Json)>> {
        if let Json::Object(members) = self { Some(members) } else { None }
    }
}

/// Reads the one value of a text.
///
/// # Errors
/// The reason, and the byte that is wrong.
pub(super) fn parse(text: &str) -> Result<Json, String> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(0)?;
    parser.space();
    if parser.at < text.len() {
        return parser.wanted("the end");
    }
    Ok(value)
}

/// Values may be nested so deeply.
const DEPTH: usize = 100;

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn wanted<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("{what} is wanted at byte {}", self.at + 1))
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Passes over a word, if it comes next.
    fn takes(&mut self, word: &str) -> bool {
        self.space();
        let comes = self.rest().starts_with(word);
        self.at += if comes { word.len() } else { 0 };
        comes
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEPTH {
            return Err(format!("values are nested deeper than {DEPTH} levels"));
        }
        self.space();
        match self.rest().as_bytes().first().copied() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            _ if self.takes("null") => Ok(Json::Null),
            _ if self.takes("true") => Ok(Json::Bool(true)),
            _ if self.takes("false") => Ok(Json::Bool(false)),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.takes("[");
        let mut values = Vec::new();
        if self.takes("]") {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.takes("]") {
                return Ok(Json::List(values));
            }
            if !self.takes(",") {
                return self.wanted("`,` or `]`");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.takes("{");
        let mut members: Vec<(String, Json)> = Vec::new();
        if self.takes("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            if members.iter().any(|(known, _)| *known == name) {
                return Err(format!("there are two values `{name}`"));
            }
            if !self.takes(":") {
                return self.wanted("`:`");
            }
            members.push((name, self.value(depth + 1)?));
            if self.takes("}") {
                return Ok(Json::Object(members));
            }
            if !self.takes(",") {
                return self.wanted("`,` or `}`");
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let end = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        let starts = word.strip_prefix('-').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit());
        let value = match (starts, word.parse::<i64>(), word.parse::<f64>()) {
            (true, Ok(value), _) => Json::Int(value),
            (true, _, Ok(value)) => Json::Float(value),
            _ => return self.wanted("a value"),
        };
        self.at += end;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.rest().starts_with('"') {
            return self.wanted("`\"`");
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let end = self.rest().find(['"', '\\']);
            let Some(end) = end else { return self.wanted("`\"`") };
            text.push_str(&self.rest()[..end]);
            self.at += end;
            if self.takes_byte(b'"') {
                return Ok(text);
            }
            self.at += 1;
            text.push(self.escaped()?);
        }
    }

    fn takes_byte(&mut self, byte: u8) -> bool {
        let comes = self.rest().as_bytes().first() == Some(&byte);
        self.at += usize::from(comes);
        comes
    }

    /// The letter that is meant by what stands behind a `\`.
    fn escaped(&mut self) -> Result<char, String> {
        let Some(letter) = self.rest().chars().next() else { return self.wanted("a letter") };
        self.at += letter.len_utf8();
        Ok(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.hexadecimal()?;
                let code = match first {
                    0xd800..0xdc00 if self.rest().starts_with("\\u") => {
                        self.at += 2;
                        let second = self.hexadecimal()?;
                        0x10000 + (first - 0xd800) * 0x400 + second.wrapping_sub(0xdc00) % 0x400
                    }
                    _ => first,
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return self.wanted("one of `\"\\/bfnrtu`"),
        })
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.wanted("a hexadecimal number of four digits"),
        }
    }
}

/// Writes a value. What JSON has no number for is `null`; tuples are objects with numbers for names.
pub(super) fn write(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Float(number) if !number.is_finite() => out.write_all(b"null"),
        Value::Float(number) => write!(out, "{number:?}"),
        Value::Bool(truth) => write!(out, "{truth}"),
        Value::Int(number) => write!(out, "{number}"),
        Value::String(text) => write_text(out, text),
        Value::Bytes(bytes) => write_text(out, &String::from_utf8_lossy(bytes)),
        Value::List(values) => {
            out.write_all(b"[")?;
            for (place, value) in values.iter().enumerate() {
                out.write_all(if place > 0 { b"," } else { b"" })?;
                write(out, value)?;
            }
            out.write_all(b"]")
        }
        Value::Record(fields) => write_members(out, fields.iter().map(|(name, value)| (name.clone(), value))),
        Value::Tuple(values) => {
            write_members(out, values.iter().enumerate().map(|(place, value)| (place.to_string(), value)))
        }
        Value::Meant(Meaning::Decimal(..), _) => write!(out, "{value}"),
        Value::Meant(..) => write_text(out, &value.to_string()),
        Value::Missing => out.write_all(b"null"),
    }
}

fn write_members<'v>(
    out: &mut dyn Write,
    members: impl Iterator<Item = (String, &'v Value)>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (place, (name, value)) in members.enumerate() {
        out.write_all(if place > 0 { b"," } else { b"" })?;
        write_text(out, &name)?;
        out.write_all(b":")?;
        write(out, value)?;
    }
    out.write_all(b"}")
}

fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    for letter in text.chars() {
        match letter {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\t' => out.write_all(b"\\t")?,
            '\0'..' ' => write!(out, "\\u{:04x}", u32::from(letter))?,
            _ => write!(out, "{letter}")?,
        }
    }
    out.write_all(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(members: Vec<(&str, Json)>) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    #[test]
    fn values_of_all_kinds() {
        let text =
            r#" {"a": [1, -2.5e1, null], "b" : {"c": true, "d": []}, "e": "x\n\"\u00fc\ud83d\ude00/"} "#;
        let value = object(vec![
            ("a", Json::List(vec![Json::Int(1), Json::Float(-25.0), Json::Null])),
            ("b", object(vec![("c", Json::Bool(true)), ("d", Json::List(vec![]))])),
            ("e", Json::Text("x\n\"ü😀/".to_owned())),
        ]);
        assert_eq!(parse(text), Ok(value));
    }

    #[test]
    fn what_is_wrong() {
        for (text, why) in [
            ("[1 2]", "`,` or `]` is wanted at byte 4"),
            ("{\"a\" 1}", "`:` is wanted at byte 6"),
            ("{\"a\": 1, \"a\": 2}", "there are two values `a`"),
            ("1 x", "the end is wanted at byte 3"),
            ("\"x", "`\"` is wanted at byte 2"),
            ("\"\\q\"", "one of `\"\\/bfnrtu` is wanted at byte 4"),
            ("\"\\u12\"", "a hexadecimal number of four digits is wanted at byte 4"),
            ("inf", "a value is wanted at byte 1"),
            ("", "a value is wanted at byte 1"),
        ] {
            assert_eq!(parse(text), Err(why.to_owned()), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        let value = Value::record([
            ("a\"", Value::List(vec![1.into(), 2.5.into(), Value::Missing])),
            ("b", "\u{1}ü\\".into()),
        ]);
        let mut out = Vec::new();
        write(&mut out, &value).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "{\"a\\\"\":[1,2.5,null],\"b\":\"\\u0001ü\\\\\"}");
        assert!(parse(&text).is_ok());
    }
}
