//! Circumstances of a fault: with what values, at which element, called from where.

use super::Value;
use crate::core::{Atom, Op};
use crate::primitive::Primitive;
use crate::token::Text;
use nestled_ir::{Diagnostic, Span};

/// So many calls are shown.
pub(super) const MOST_CALLS: usize = 4;

/// How a fault came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// What was wrong, with values: `position 5 of a sequence of 3`.
    pub what: Option<String>,
    /// The elements of the apply-to-each around it, from the outside to the inside.
    pub elements: Vec<usize>,
    /// The functions around it, the innermost first, and where they were called.
    pub calls: Vec<(Text, Span)>,
    /// How many more there are.
    pub more_calls: usize,
}

impl Why {
    /// The message with all that.
    pub(super) fn say(&self, diagnostic: Diagnostic) -> Diagnostic {
        let mut here: Vec<String> = self.what.iter().cloned().collect();
        if !self.elements.is_empty() {
            let elements: Vec<String> = self.elements.iter().map(usize::to_string).collect();
            here.push(format!("at element {}", elements.join(", ")));
        }
        let mut diagnostic = if here.is_empty() { diagnostic } else { diagnostic.here(here.join(", ")) };
        for (at, (name, place)) in self.calls.iter().enumerate() {
            let more = match self.more_calls {
                more if more > 0 && at + 1 == self.calls.len() => format!(", inside of {more} calls more"),
                _ => String::new(),
            };
            diagnostic = diagnostic.label(*place, format!("in `{name}`, called here{more}"));
        }
        diagnostic
    }
}

/// What an operation was given, where that says what is wrong.
pub(super) fn of_operation(op: &Op, value: &dyn Fn(&Atom) -> Value) -> Option<String> {
    let (primitive, atoms) = match op {
        Op::Primitive(primitive, atoms) => (primitive, atoms),
        Op::Each(each) => {
            let lengths: Vec<String> =
                each.sources.iter().map(|source| value(source).elements().len().to_string()).collect();
            return Some(format!("their lengths are {}", lengths.join(", ")));
        }
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
