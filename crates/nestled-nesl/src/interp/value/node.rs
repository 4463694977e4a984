//! Values of datatypes with variants: ordinary trees.

use super::Value;
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

/// Says no more than the variant: a tree may be deep.
impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "variant {}", self.tag)
    }
}
