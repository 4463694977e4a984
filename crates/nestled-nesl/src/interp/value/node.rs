//! Values of datatypes with variants: ordinary trees.

use super::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// A value of a datatype with variants.
#[derive(Clone, PartialEq)]
pub struct Node {
    /// The number of the variant.
    pub tag: usize,
    /// What it holds.
    pub content: Option<Value>,
}

/// Trees may be as deep as memory allows, and so they are given back one node after another.
impl Drop for Node {
    fn drop(&mut self) {
        let mut pending: Vec<Value> = self.content.take().into_iter().collect();
        while let Some(value) = pending.pop() {
            match value {
                Value::Data(mut node) => {
                    pending.extend(Arc::get_mut(&mut node).and_then(|node| node.content.take()))
                }
                Value::Pair(parts) => {
                    if let Some((left, right)) = Arc::into_inner(parts) {
                        pending.extend([left, right]);
                    }
                }
                Value::Seq(mut elements) => {
                    if let Some(own) = Arc::get_mut(&mut elements) {
                        pending.extend(own.take_nested());
                    }
                }
                Value::Int(_) | Value::Float(_) | Value::Char(_) | Value::Bool(_) | Value::Closure(_) => {}
            }
        }
    }
}

/// Returns all nodes in a value, each once, after those that it holds.
pub(super) fn inner_first(value: &Value) -> Vec<Arc<Node>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut pending: Vec<(Arc<Node>, bool)> =
        held(Some(value)).into_iter().map(|node| (node, false)).collect();
    while let Some((node, is_open)) = pending.pop() {
        if is_open {
            found.push(node);
        } else if seen.insert(Arc::as_ptr(&node)) {
            let inside = held(node.content.as_ref());
            pending.push((node, true));
            pending.extend(inside.into_iter().map(|node| (node, false)));
        }
    }
    found
}

/// Returns the nodes that a value holds itself.
fn held(value: Option<&Value>) -> Vec<Arc<Node>> {
    let (mut found, mut pending): (_, Vec<&Value>) = (Vec::new(), value.into_iter().collect());
    while let Some(value) = pending.pop() {
        match value {
            Value::Data(node) => found.push(Arc::clone(node)),
            Value::Pair(parts) => pending.extend([&parts.0, &parts.1]),
            Value::Closure(captured) => pending.extend(captured.iter()),
            Value::Seq(elements) => {
                if matches!(
                    elements.beginning(1).first(),
                    Some(Value::Data(_) | Value::Pair(_) | Value::Seq(_))
                ) {
                    pending.extend(elements.iter());
                }
            }
            Value::Int(_) | Value::Float(_) | Value::Char(_) | Value::Bool(_) => {}
        }
    }
    found
}

/// Says no more than the variant: a tree may be deep.
impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "variant {}", self.tag)
    }
}
