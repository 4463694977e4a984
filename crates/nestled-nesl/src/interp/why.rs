//! Circumstances of a fault: with what values, at which element, called from where.

use super::Value;
use crate::core::{Atom, Op};
use crate::primitive::Primitive;
use crate::token::Text;
use nestled_ir::{Diagnostic, SourceMap, Span};

/// So many calls are shown.
pub(super) const MOST_CALLS: usize = 4;

/// How a fault came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// What was wrong, with values: `position 5 of a sequence of 3`.
    pub what: Option<String>,
    /// The elements of the apply-to-each around it, from the outside to the inside.
    pub elements: Vec<usize>,
    /// Sequences that should be equally long: where they are written, and how long they are.
    pub lengths: Vec<(Span, usize)>,
    /// The functions around it, the innermost first.
    pub calls: Vec<Called>,
    /// How many calls more there are.
    pub more_calls: usize,
}

/// A function that was being run.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// Its name.
    pub function: Text,
    /// Where it was called.
    pub place: Span,
    /// How many calls from there lay directly inside one another.
    pub times: usize,
}

impl Called {
    /// Whether it is a call of this function from there. (Spans are equal wherever they are.)
    fn is(&self, function: &Text, place: Span) -> bool {
        let key = |span: Span| (span.source, span.start, span.end);
        key(self.place) == key(place) && self.function == *function
    }
}

impl Why {
    /// Adds the next call to the outside, or so many from one place inside one another.
    pub(super) fn call(&mut self, function: &Text, place: Span, times: usize) {
        let last = self.calls.last_mut().filter(|_| self.more_calls == 0);
        if let Some(last) = last.filter(|last| last.is(function, place)) {
            last.times += times;
        } else if self.calls.len() < MOST_CALLS {
            self.calls.push(Called { function: function.clone(), place, times });
        } else {
            self.more_calls += times;
        }
    }

    /// Adds the next call to the inside; of many the innermost are kept.
    pub(super) fn inner_call(&mut self, function: &Text, place: Span) {
        match self.calls.first_mut().filter(|first| first.is(function, place)) {
            Some(first) => first.times += 1,
            None => {
                if self.calls.len() == MOST_CALLS {
                    self.more_calls += self.calls.pop().map_or(0, |outermost| outermost.times);
                }
                self.calls.insert(0, Called { function: function.clone(), place, times: 1 });
            }
        }
    }

    /// Adds all calls of another to the outside.
    pub(super) fn calls_of(&mut self, other: &Why) {
        for Called { function, place, times } in &other.calls {
            self.call(function, *place, *times);
        }
        self.more_calls += other.more_calls;
    }

    /// Says what is known only by its place, in the words of the program.
    pub fn in_words(mut self, sources: &SourceMap) -> Why {
        let texts: Vec<Option<String>> =
            self.lengths.iter().map(|(span, _)| written(*span, sources)).collect();
        if !texts.is_empty() && self.what.is_none() {
            self.what = Some(of_lengths(&texts, &self.lengths));
        }
        self
    }

    /// The message with all that.
    pub(super) fn say(&self, diagnostic: Diagnostic) -> Diagnostic {
        let mut here: Vec<String> = self.what.iter().cloned().collect();
        if !self.elements.is_empty() {
            let elements: Vec<String> = self.elements.iter().map(usize::to_string).collect();
            here.push(format!("at element {}", elements.join(", ")));
        }
        let mut diagnostic = if here.is_empty() { diagnostic } else { diagnostic.here(here.join(", ")) };
        for (at, Called { function, place, times }) in self.calls.iter().enumerate() {
            let times = match times {
                1 => String::new(),
                times => format!(" {times} times, one call inside the other"),
            };
            let more = match self.more_calls {
                more if more > 0 && at + 1 == self.calls.len() => format!(", inside of {more} calls more"),
                _ => String::new(),
            };
            diagnostic = diagnostic.label(*place, format!("in `{function}`, called here{times}{more}"));
        }
        diagnostic
    }
}

/// What an operation was given, where that says what is wrong.
pub(super) fn of_operation(op: &Op, value: &dyn Fn(&Atom) -> Value) -> Option<String> {
    let (primitive, atoms) = match op {
        Op::Primitive(primitive, atoms) => (primitive, atoms),
        _ => return None,
    };
    let args: Vec<Value> = atoms.iter().map(value).collect();
    match (primitive, args.as_slice()) {
        (Primitive::Element, [Value::Seq(elements), Value::Int(at)]) => {
            Some(format!("position {at} of a sequence of {}", elements.len()))
        }
        (Primitive::Gather, [Value::Seq(elements), Value::Seq(at)])
        | (Primitive::Put, [_, Value::Seq(at), Value::Seq(elements)]) => {
            let outside = |at: &Value| usize::try_from(at.int()).is_ok_and(|at| at < elements.len());
            match at.iter().position(|at| !outside(at)) {
                Some(which) => {
                    let at = at[which].int();
                    Some(format!("position {at} of a sequence of {}, index {which}", elements.len()))
                }
                None => Some(format!("{} positions for {} values", at.len(), args[0].elements().len())),
            }
        }
        (Primitive::Divide | Primitive::Remainder, [divided, by]) => {
            Some(format!("{} divided by {}", described(divided), described(by)))
        }
        (Primitive::Sqrt | Primitive::Ln | Primitive::Index, [of]) => Some(format!("of {}", described(of))),
        (Primitive::Distribute, [_, Value::Int(count)]) => Some(format!("{count} times")),
        _ => None,
    }
}

/// How long the sources of an apply-to-each are.
pub(super) fn lengths(op: &Op, value: &dyn Fn(&Atom) -> Value) -> Vec<(Span, usize)> {
    let Op::Each(each) = op else { return Vec::new() };
    let lengths = each.sources.iter().map(|source| value(source).elements().len());
    each.written.iter().copied().zip(lengths).collect()
}

/// `` `xs` has 3 elements, `ys` has 4 ``
fn of_lengths(texts: &[Option<String>], lengths: &[(Span, usize)]) -> String {
    let said = texts.iter().zip(lengths).enumerate().map(|(at, (text, (_, length)))| {
        let text = text.as_ref().map_or_else(|| "one".to_owned(), |text| format!("`{text}`"));
        let unit = match (at, length) {
            (0, 1) => " element",
            (0, _) => " elements",
            _ => "",
        };
        format!("{text} has {length}{unit}")
    });
    said.collect::<Vec<_>>().join(", ")
}

/// So many characters of the program are repeated in a message.
const MOST_TEXT: usize = 40;

/// What stands at a place of the program, on one line.
fn written(span: Span, sources: &SourceMap) -> Option<String> {
    let text = sources.source(span)?.text.get(span.start as usize..span.end as usize)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    Some(match line.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    })
}

/// What a function of the library was given.
pub(super) fn of_call(name: &str, given: Vec<Value>) -> String {
    let given: Vec<String> = given.iter().map(described).collect();
    format!("`{name}` of {}", given.join(" and "))
}

/// A value in few words.
fn described(value: &Value) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Bool(value) => if *value { "t" } else { "f" }.to_owned(),
        Value::Char(code) => format!("`{}", char::from(*code)),
        Value::Seq(elements) => format!("a sequence of {}", elements.len()),
        Value::Pair(_) => "a pair".to_owned(),
        Value::Closure(_) => "a function".to_owned(),
    }
}
