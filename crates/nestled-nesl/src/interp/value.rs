//! Values of the interpreter, nested as the program sees them.

mod node;
mod seq;

pub use node::Node;
pub use seq::Sequence;
pub(crate) use seq::Source;

use crate::fault::FaultCode;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer of the dialect's width.
    Int(i64),
    /// A float of the dialect's width.
    Float(f64),
    /// A byte.
    Char(u8),
    /// A truth value.
    Bool(bool),
    /// A pair.
    Pair(Arc<(Value, Value)>),
    /// A sequence.
    Seq(Arc<Sequence>),
    /// A value of a datatype with variants.
    Data(Arc<Node>),
    /// The captured values of a closure.
    Closure(Arc<Vec<Value>>),
}

/// The result of an operation, or the code of the check that failed.
pub(super) type Outcome = Result<Value, FaultCode>;

impl Value {
    /// Makes a pair.
    pub fn pair(left: Value, right: Value) -> Value {
        Value::Pair(Arc::new((left, right)))
    }

    /// Makes a sequence.
    pub fn seq(elements: Vec<Value>) -> Value {
        Value::Seq(Arc::new(elements.into()))
    }

    /// Makes a string of a copy of these bytes.
    pub fn string(bytes: &[u8]) -> Value {
        Value::text(bytes.to_vec())
    }

    /// Makes a string of these bytes without a copy.
    pub fn text(bytes: Vec<u8>) -> Value {
        Value::Seq(Arc::new(Sequence::text(bytes)))
    }

    /// Returns the components of a pair.
    pub(crate) fn into_parts(self) -> (Value, Value) {
        match self {
            Value::Pair(parts) => Arc::unwrap_or_clone(parts),
            other => unreachable!("{other:?} is no pair"),
        }
    }

    /// True if every float in the value is finite.
    pub(crate) fn is_finite(&self) -> bool {
        let mut pending = vec![self];
        // Values share parts, so that walking over all of them may take for ever.
        let mut seen = HashSet::new();
        while let Some(value) = pending.pop() {
            match value {
                Value::Int(_) | Value::Char(_) | Value::Bool(_) => {}
                Value::Float(value) if value.is_finite() => {}
                Value::Float(_) => return false,
                Value::Pair(parts) => {
                    if seen.insert(Arc::as_ptr(parts).addr()) {
                        pending.extend([&parts.0, &parts.1]);
                    }
                }
                Value::Seq(elements) => {
                    if seen.insert(Arc::as_ptr(elements).addr()) {
                        pending.extend(elements.iter());
                    }
                }
                Value::Data(node) => {
                    if seen.insert(Arc::as_ptr(node).addr()) {
                        pending.extend(&node.content);
                    }
                }
                Value::Closure(captured) => {
                    if seen.insert(Arc::as_ptr(captured).addr()) {
                        pending.extend(captured.iter());
                    }
                }
            }
        }
        true
    }

    /// Returns the text of a string.
    pub(crate) fn to_text(&self) -> Option<String> {
        match self {
            Value::Seq(elements) => {
                let text = elements.characters();
                (text.len() == elements.len()).then(|| String::from_utf8_lossy(&text).into_owned())
            }
            _ => None,
        }
    }

    /// Returns the value with every float rounded to 15 significant digits. Parts without floats are shared.
    pub(crate) fn in_15_digits(&self) -> Value {
        // Values share parts, and what is shared is rounded once. The parts live as long as `self`, so their addresses name them. What
        // has one owner is met once, and need not be looked up.
        fn shared<T>(parts: &Arc<T>, known: &HashMap<usize, Value>) -> Option<Option<Value>> {
            (Arc::strong_count(parts) > 1).then(|| known.get(&Arc::as_ptr(parts).addr()).cloned())
        }
        fn rounded(value: &Value, known: &mut HashMap<usize, Value>) -> Value {
            match value {
                Value::Float(value) if value.is_finite() => {
                    Value::Float(format!("{value:.14e}").parse().expect("the format is that of numbers"))
                }
                Value::Pair(parts) => {
                    let known_already = shared(parts, known);
                    if let Some(Some(value)) = known_already {
                        return value;
                    }
                    let pair = Value::pair(rounded(&parts.0, known), rounded(&parts.1, known));
                    if known_already.is_some() {
                        known.insert(Arc::as_ptr(parts).addr(), pair.clone());
                    }
                    pair
                }
                Value::Seq(elements) => match elements.first() {
                    None | Some(Value::Int(_) | Value::Char(_) | Value::Bool(_)) => value.clone(),
                    _ => {
                        let known_already = shared(elements, known);
                        if let Some(Some(value)) = known_already {
                            return value;
                        }
                        let seq = Value::seq(elements.iter().map(|value| rounded(value, known)).collect());
                        if known_already.is_some() {
                            known.insert(Arc::as_ptr(elements).addr(), seq.clone());
                        }
                        seq
                    }
                },
                // Nodes are rounded before those that hold them.
                Value::Data(node) => {
                    known.get(&Arc::as_ptr(node).addr()).cloned().unwrap_or_else(|| value.clone())
                }
                other => other.clone(),
            }
        }
        let mut known = HashMap::new();
        for node in node::inner_first(self) {
            let content = node.content.as_ref().map(|content| rounded(content, &mut known));
            known.insert(Arc::as_ptr(&node).addr(), Value::data(node.tag, content));
        }
        rounded(self, &mut known)
    }

    /// Returns the integer; the type checker ensures that it is one.
    pub(crate) fn int(&self) -> i64 {
        match self {
            Value::Int(value) => *value,
            other => unreachable!("{other:?} is no int"),
        }
    }

    pub(crate) fn float(&self) -> f64 {
        match self {
            Value::Float(value) => *value,
            other => unreachable!("{other:?} is no float"),
        }
    }

    pub(crate) fn bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => unreachable!("{other:?} is no bool"),
        }
    }

    pub(crate) fn elements(&self) -> &Arc<Sequence> {
        match self {
            Value::Seq(elements) => elements,
            other => unreachable!("{other:?} is no sequence"),
        }
    }

    pub(crate) fn parts(&self) -> &(Value, Value) {
        match self {
            Value::Pair(parts) => parts,
            other => unreachable!("{other:?} is no pair"),
        }
    }

    /// Makes a value of a variant.
    pub(crate) fn data(tag: usize, content: Option<Value>) -> Value {
        Value::Data(Arc::new(Node { tag, content }))
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        match self {
            Value::Data(node) => node,
            other => unreachable!("{other:?} is of no datatype"),
        }
    }

    /// Returns the captured values of a closure.
    pub(crate) fn captured(&self) -> &Arc<Vec<Value>> {
        match self {
            Value::Closure(captured) => captured,
            other => unreachable!("{other:?} is no function value"),
        }
    }

    /// Returns the bytes of a string.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        self.elements().characters()
    }
}
