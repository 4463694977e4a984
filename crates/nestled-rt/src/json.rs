//! JSON writer: objects, and lists of objects and plain values.

use std::fmt::{Display, Write};

/// An object that is being written.
#[derive(Debug)]
pub struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> Object<'a> {
    /// Begins an object at the end of a text.
    pub fn begin(out: &'a mut String) -> Object<'a> {
        out.push('{');
        Object { out, empty: true }
    }

    fn name(&mut self, name: &str) {
        if !std::mem::replace(&mut self.empty, false) {
            self.out.push(',');
        }
        quote(self.out, name);
        self.out.push(':');
    }

    /// A member that is a text.
    pub fn text(&mut self, name: &str, text: &str) -> &mut Object<'a> {
        self.name(name);
        quote(self.out, text);
        self
    }

    /// A member that is a number or a truth value, already in the form that JSON has for it.
    pub fn plain(&mut self, name: &str, value: impl Display) -> &mut Object<'a> {
        self.name(name);
        let _ = write!(self.out, "{value}");
        self
    }

    /// A member that is an object.
    pub fn object(&mut self, name: &str, fill: impl FnOnce(&mut Object<'_>)) -> &mut Object<'a> {
        self.name(name);
        let mut inner = Object::begin(self.out);
        fill(&mut inner);
        inner.end();
        self
    }

    /// A member that is a list of objects.
    pub fn objects<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Object<'_>, T),
    ) -> &mut Object<'a> {
        self.name(name);
        self.out.push('[');
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            let mut inner = Object::begin(self.out);
            fill(&mut inner, item);
            inner.end();
        }
        self.out.push(']');
        self
    }

    /// A member that is a list of numbers, or of lists that print themselves.
    pub fn list(&mut self, name: &str, items: impl IntoIterator<Item = impl Display>) -> &mut Object<'a> {
        self.name(name);
        let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
        let _ = write!(self.out, "[{}]", items.join(","));
        self
    }

    /// Ends the object.
    pub fn end(self) {
        self.out.push('}');
    }
}

/// A text in quotes. All characters but quotes, backslashes and control characters stand for themselves.
pub fn quote(out: &mut String, text: &str) {
    // Nothing goes wrong while a string grows.
    let _ = write_quoted(out, text);
}

/// Writes a quoted text to `out`; see [`quote`].
///
/// # Errors
/// Those of the writer.
pub fn write_quoted(out: &mut dyn Write, text: &str) -> std::fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32)?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut out = String::new();
        quote(&mut out, "a\"b\\c\nd\u{1}λ\u{7f}");
        assert_eq!(out, "\"a\\\"b\\\\c\\nd\\u0001λ\u{7f}\"");
    }

    #[test]
    fn members_are_separated() {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.text("a", "x").plain("b", 1.5).object("c", |_| {}).object("d", |inner| {
            inner.plain("e", true);
        });
        object.end();
        assert_eq!(out, r#"{"a":"x","b":1.5,"c":{},"d":{"e":true}}"#);
    }

    #[test]
    fn lists_are_separated() {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.list("a", [1, 2]).objects("b", ["x", "y"], |inner, name| {
            inner.text("c", name);
        });
        object.objects("d", [(); 0], |_, ()| {});
        object.end();
        assert_eq!(out, r#"{"a":[1,2],"b":[{"c":"x"},{"c":"y"}],"d":[]}"#);
    }
}
