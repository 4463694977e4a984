//! Values of the top level in the representation of programs: trees are laid into pools, each node once.

use super::form::{Form, Forms};
use super::structure;
use crate::core::{CoreType, CoreTypes, Ty};
use crate::interp::{Node, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The pools into which values are laid.
pub(crate) struct Encoder<'a> {
    forms: &'a Forms,
    types: &'a CoreTypes,
    pools: Vec<Vec<Value>>,
    /// The positions of nodes, by their addresses.
    places: HashMap<*const Node, usize>,
}

impl<'a> Encoder<'a> {
    pub fn new(forms: &'a Forms, types: &'a CoreTypes, pools: usize) -> Encoder<'a> {
        Encoder { forms, types, pools: vec![Vec::new(); pools], places: HashMap::new() }
    }

    /// Returns the pools, each a sequence.
    pub fn pools(self) -> Vec<Value> {
        self.pools.into_iter().map(Value::seq).collect()
    }

    /// Returns the representation of a value.
    pub fn value(&mut self, value: &Value, ty: Ty) -> Value {
        let mut links = Vec::new();
        self.links(value, ty, &mut links);
        self.lay(links);
        self.represented(value, ty)
    }

    /// Lays nodes into pools, those that they hold before them.
    fn lay(&mut self, links: Vec<(Arc<Node>, Ty)>) {
        let mut pending = links;
        while let Some((node, ty)) = pending.last().cloned() {
            if self.places.contains_key(&Arc::as_ptr(&node)) {
                pending.pop();
                continue;
            }
            let (pool, content) = self.pool_of(&node, ty);
            let held = node.content.as_ref().expect("nodes with a pool have a content");
            let mut inside = Vec::new();
            self.links(held, content, &mut inside);
            inside.retain(|(node, _)| !self.places.contains_key(&Arc::as_ptr(node)));
            if !inside.is_empty() {
                pending.extend(inside);
                continue;
            }
            pending.pop();
            let row = self.represented(held, content);
            self.places.insert(Arc::as_ptr(&node), self.pools[pool].len());
            self.pools[pool].push(row);
        }
    }

    /// Returns the pool of a node, and the type of its content.
    fn pool_of(&self, node: &Node, ty: Ty) -> (usize, Ty) {
        let pools = self.forms.known(ty).pools.as_ref().expect("it is a link");
        let pool = pools[node.tag].expect("its variant has a content");
        (pool, self.forms.content_of(pool))
    }

    /// Collects the nodes that a value holds itself, not inside of others.
    fn links(&self, value: &Value, ty: Ty, found: &mut Vec<(Arc<Node>, Ty)>) {
        structure::visit(value, ty, self.types, &mut |value, ty| {
            let (node, form) = (value.node(), self.forms.known(ty));
            let Some(content) = &node.content else { return };
            match form.pools {
                Some(_) => found.push((Arc::clone(node), ty)),
                None => {
                    let of = form.variants[node.tag].content.expect("the variant has a content");
                    self.links(content, of, found);
                }
            }
        });
    }

    /// Returns the representation of a value whose nodes have their places.
    fn represented(&self, value: &Value, ty: Ty) -> Value {
        structure::replace(value, ty, self.types, &|value, ty| self.data(value.node(), self.forms.known(ty)))
    }

    fn data(&self, node: &Arc<Node>, form: &Form) -> Value {
        let tag = Value::Int(node.tag as i64);
        if form.pools.is_some() {
            let at = Value::Int(self.places.get(&Arc::as_ptr(node)).map_or(0, |at| *at as i64));
            return if form.tagged { Value::pair(tag, at) } else { at };
        }
        let mut parts: Vec<Value> = form.tagged.then_some(tag).into_iter().collect();
        for (number, ty) in form.contents.iter().enumerate() {
            let Some(ty) = *ty else { continue };
            parts.push(match (&node.content, form.variants[number].content) {
                (Some(content), Some(of)) if number == node.tag => self.represented(content, of),
                _ => zero(ty, self.types),
            });
        }
        let last = parts.pop().expect("there is a number or a content");
        parts.into_iter().rev().fold(last, |rest, part| Value::pair(part, rest))
    }
}

/// Returns some value of a type that has no datatypes.
fn zero(ty: Ty, types: &CoreTypes) -> Value {
    match types.get(ty) {
        CoreType::Int => Value::Int(0),
        CoreType::Float => Value::Float(0.0),
        CoreType::Char => Value::Char(0),
        CoreType::Bool => Value::Bool(false),
        CoreType::Seq(_) => Value::seq(Vec::new()),
        CoreType::Pair(left, right) => Value::pair(zero(*left, types), zero(*right, types)),
        CoreType::Closure(closure) => {
            Value::Closure(Arc::new(closure.captured.iter().map(|ty| zero(*ty, types)).collect()))
        }
        CoreType::Data(_) => unreachable!("datatypes are represented by other types"),
    }
}
