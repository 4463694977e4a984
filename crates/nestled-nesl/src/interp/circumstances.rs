//! Circumstances of a fault: the values, the elements and the calls that led to it.

use super::Value;
use crate::core::{Atom, Op};
use crate::primitive::Primitive;
use crate::token::Text;
use nestled_ir::{Diagnostic, SourceMap, Span};

/// Largest number of calls shown.
pub(super) const MOST_CALLS: usize = 4;

/// The circumstances of a fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circumstances {
    /// The error with its values: `position 5 of a sequence of 3`.
    pub what: Option<String>,
    /// The positions of the elements in the apply-to-eaches around it, outermost first.
    pub elements: Vec<usize>,
    /// Sequences that should be equally long: their places and lengths.
    pub lengths: Vec<(Span, usize)>,
    /// The active calls, innermost first.
    pub calls: Vec<Called>,
    /// Number of further calls.
    pub more_calls: usize,
}

/// An active call.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The name of the function.
    pub function: Text,
    /// The place of the call.
    pub place: Span,
    /// Number of directly nested calls from that place.
    pub times: usize,
}

impl Called {
    /// True if it is a call of this function from that place. (Spans are equal wherever they are.)
    fn is(&self, function: &Text, place: Span) -> bool {
        let key = |span: Span| (span.source, span.start, span.end);
        key(self.place) == key(place) && self.function == *function
    }
}

impl Circumstances {
    /// Adds the next outer call, or so many directly nested calls from one place.
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

    /// Adds the next inner call; of many the innermost are kept.
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

    /// Adds all calls of another fault as outer calls.
    pub(super) fn calls_of(&mut self, other: &Circumstances) {
        for Called { function, place, times } in &other.calls {
            self.call(function, *place, *times);
        }
        self.more_calls += other.more_calls;
    }

    /// Completes messages that need the text of the program.
    pub fn in_words(mut self, sources: &SourceMap) -> Circumstances {
        let texts: Vec<Option<String>> =
            self.lengths.iter().map(|(span, _)| written(*span, sources)).collect();
        if !texts.is_empty() && self.what.is_none() {
            self.what = Some(of_lengths(&texts, &self.lengths));
        }
        self
    }

    /// Adds the circumstances to a message.
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

/// Describes the operands of an operation, where they explain the fault.
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

/// Returns places and lengths of the sources of an apply-to-each.
pub(super) fn lengths(op: &Op, value: &dyn Fn(&Atom) -> Value) -> Vec<(Span, usize)> {
    let Op::Each(each) = op else { return Vec::new() };
    let lengths = each.sources.iter().map(|source| value(source).elements().len());
    each.written.iter().copied().zip(lengths).collect()
}

/// Describes lengths: `` `xs` has 3 elements, `ys` has 4 ``.
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

/// Largest number of characters of the program repeated in a message.
const MOST_TEXT: usize = 40;

/// Returns the text of the program at a place, on one line.
fn written(span: Span, sources: &SourceMap) -> Option<String> {
    let text = sources.source(span)?.text.get(span.start as usize..span.end as usize)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    Some(match line.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    })
}

/// Describes the arguments of a library function.
pub(super) fn of_call(name: &str, given: Vec<Value>) -> String {
    let given: Vec<String> = given.iter().map(described).collect();
    format!("`{name}` of {}", given.join(" and "))
}

/// Describes a value in few words.
fn described(value: &Value) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Bool(value) => if *value { "t" } else { "f" }.to_owned(),
        Value::Char(code) => format!("`{}", char::from(*code)),
        Value::Seq(elements) => format!("a sequence of {}", elements.len()),
        Value::Pair(_) => "a pair".to_owned(),
        Value::Data(_) => "a value of a datatype".to_owned(),
        Value::Closure(_) => "a function".to_owned(),
    }
}
