//! Nested arrays as text that fits a terminal: first and last elements, each on one line, and the type.

use crate::fault::Outcome;
use crate::nested::Nested;
use crate::schema::quoted;
use crate::value::Value;
use nestled_array::{Array, Result};
use std::fmt;

/// Number of columns where nothing says how wide the terminal is.
const WIDTH: usize = 80;

/// Number of lines at most.
const LINES: usize = 20;

/// The ellipsis, in place of elements that are left out.
const GAP: &str = "…";

impl Nested {
    /// The first and the last elements, on at most so many lines of at most so many columns, and the type.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows: Nested = (0..100).map(|n| (0..n).collect::<Vec<i64>>()).collect();
    /// assert_eq!(rows.show(4, 24)?, "[[],\n [0],\n …,\n [0, 1, 2, …, 97, 98]]\ntype: 100 * var * int64");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn show(&self, lines: usize, columns: usize) -> Result<String> {
        let (first, last) = self.ends(lines.max(3))?;
        let width = columns.saturating_sub(2);
        let mut texts: Vec<String> = first.iter().map(|value| fitted(value, width)).collect();
        if first.len() + last.len() < self.length {
            texts.push(GAP.to_owned());
        }
        texts.extend(last.iter().map(|value| fitted(value, width)));
        Ok(format!("[{}]\ntype: {}", texts.join(",\n "), self.type_string()))
    }

    /// The elements that so many lines show.
    fn ends(&self, lines: usize) -> Result<(Vec<Value>, Vec<Value>)> {
        if self.length <= lines {
            return Ok((self.to_values()?, Vec::new()));
        }
        let (before, after) = (lines / 2, lines - lines / 2 - 1);
        let (before, after) = (self.between(0, before), self.between(self.length - after, self.length));
        let values = |part: Outcome<Nested>| crate::fault::told("show", part)?.to_values();
        Ok((values(before)?, values(after)?))
    }

    /// The elements in a range.
    fn between(&self, from: usize, to: usize) -> Outcome<Nested> {
        self.take(&(Array::<i64>::range(to - from) + from as i64))
    }
}

/// A value on one line of at most so many columns, if the least that can be said of it fits.
fn fitted(value: &Value, width: usize) -> String {
    let whole = value.to_string();
    if whole.chars().count() <= width {
        return whole;
    }
    match value {
        Value::List(values) => abridged(values, width, ["[", "]"]),
        Value::Tuple(values) => abridged(values, width, ["(", ")"]),
        Value::Record(fields) => fields_in(fields, width),
        _ => cut(&whole, width),
    }
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width.saturating_sub(1)).chain(GAP.chars()).collect()
}

/// The first and last of values, in turns as long as they fit.
fn abridged(values: &[Value], width: usize, ends: [&str; 2]) -> String {
    let mut left = width.saturating_sub("[, …]".chars().count());
    let (mut first, mut last) = (Vec::new(), Vec::new());
    while first.len() + last.len() < values.len() {
        let at_front = first.len() <= last.len();
        let value = if at_front { &values[first.len()] } else { &values[values.len() - 1 - last.len()] };
        let is_only = first.is_empty();
        let text = if is_only { fitted(value, left) } else { value.to_string() };
        let taken = text.chars().count() + if is_only { 0 } else { 2 };
        if taken > left && !is_only {
            break;
        }
        left = left.saturating_sub(taken);
        if at_front { first.push(text) } else { last.push(text) }
    }
    let gap = (first.len() + last.len() < values.len()).then(|| GAP.to_owned());
    let texts: Vec<String> = first.into_iter().chain(gap).chain(last.into_iter().rev()).collect();
    format!("{}{}{}", ends[0], texts.join(", "), ends[1])
}

/// All names as long as they fit, and of the values what fits.
fn fields_in(fields: &[(String, Value)], width: usize) -> String {
    let mut left = width.saturating_sub(2);
    let mut texts = Vec::new();
    for (place, (name, value)) in fields.iter().enumerate() {
        let name = quoted(name);
        // Each name that comes after needs a sign for its value.
        let later: usize =
            fields[place + 1..].iter().map(|(name, _)| quoted(name).chars().count() + "x, : ".len()).sum();
        let own = name.chars().count() + ": ".len();
        let room = left.saturating_sub(own + later.min(left / 2)).max(1);
        let text = format!("{name}: {}", fitted(value, room));
        let taken = text.chars().count() + ", ".len();
        if taken > left + 2 {
            texts.push(GAP.to_owned());
            break;
        }
        left = left.saturating_sub(taken);
        texts.push(text);
    }
    format!("{{{}}}", texts.join(", "))
}

fn columns() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(WIDTH)
}

/// As [`show`](Nested::show), as wide as the variable `COLUMNS` says the terminal is.
impl fmt::Display for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.show(LINES, columns()) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "({error})"),
        }
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
