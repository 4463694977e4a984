//! Values from the representation of programs: links become trees again. What several nodes hold is made once.

use super::form::{Form, Forms};
use super::structure;
use crate::core::{CoreTypes, Ty};
use crate::interp::Value;
use std::collections::HashMap;

/// The pools of a program that has ended, and the trees that were made of them.
pub(crate) struct Decoder<'a> {
    forms: &'a Forms,
    types: &'a CoreTypes,
    /// The elements of each pool.
    pools: Vec<Value>,
    /// The values of nodes, by datatype, variant and position.
    made: HashMap<Link, Value>,
}

/// A node: its datatype, its variant, and its position in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Link {
    ty: Ty,
    tag: usize,
    at: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(forms: &'a Forms, types: &'a CoreTypes, pools: Vec<Value>) -> Decoder<'a> {
        Decoder { forms, types, pools, made: HashMap::new() }
    }

    /// Returns the value that another one represents.
    pub fn value(&mut self, value: &Value, ty: Ty) -> Value {
        let mut links = Vec::new();
        self.links(value, ty, &mut links);
        self.make(links);
        self.decoded(value, ty)
    }

    /// Makes the values of nodes, those that they hold before them.
    fn make(&mut self, links: Vec<Link>) {
        let mut pending = links;
        while let Some(&link) = pending.last() {
            if self.made.contains_key(&link) {
                pending.pop();
                continue;
            }
            let pools = self.forms.known(link.ty).pools.as_ref().expect("it is a link");
            let pool = pools[link.tag].expect("its variant has a content");
            let content = self.forms.content_of(pool);
            let row = &self.pools[pool].elements()[link.at];
            let mut inside = Vec::new();
            self.links(row, content, &mut inside);
            inside.retain(|link| !self.made.contains_key(link));
            if !inside.is_empty() {
                pending.extend(inside);
                continue;
            }
            pending.pop();
            let held = self.decoded(row, content);
            self.made.insert(link, Value::data(link.tag, Some(held)));
        }
    }

    /// Returns the link that a value of a datatype is; none for a constant.
    fn link(&self, value: &Value, ty: Ty, form: &Form) -> Option<Link> {
        let (tag, at) = match form.tagged {
            true => (value.parts().0.int() as usize, value.parts().1.int() as usize),
            false => (0, value.int() as usize),
        };
        form.variants[tag].content.map(|_| Link { ty, tag, at })
    }

    /// Collects the links in a value.
    fn links(&self, value: &Value, ty: Ty, found: &mut Vec<Link>) {
        structure::visit(value, ty, self.types, &mut |value, ty| {
            let form = self.forms.known(ty);
            if form.pools.is_some() {
                found.extend(self.link(value, ty, form));
            } else {
                let (tag, content) = taken_apart(value, form);
                if let (Some(content), Some(ty)) = (content, form.variants[tag].content) {
                    self.links(&content, ty, found);
                }
            }
        });
    }

    /// Returns the value that another one represents, once its nodes are made.
    fn decoded(&self, value: &Value, ty: Ty) -> Value {
        structure::replace(value, ty, self.types, &|value, ty| {
            let form = self.forms.known(ty);
            if form.pools.is_some() {
                return match self.link(value, ty, form) {
                    Some(link) => self.made[&link].clone(),
                    None => Value::data(value.parts().0.int() as usize, None),
                };
            }
            let (tag, content) = taken_apart(value, form);
            let of = form.variants[tag].content;
            Value::data(tag, content.zip(of).map(|(content, of)| self.decoded(&content, of)))
        })
    }
}

/// Returns the variant of a value that holds its contents, and the content of that variant. A number that no variant has counts as that of the last.
fn taken_apart(value: &Value, form: &Form) -> (usize, Option<Value>) {
    let contents = form.contents.iter().flatten().count();
    let (tag, mut rest) = match (form.tagged, contents) {
        (false, _) => (0, Some(value.clone())),
        (true, 0) => (value.int() as usize, None),
        (true, _) => (value.parts().0.int() as usize, Some(value.parts().1.clone())),
    };
    let tag = tag.min(form.variants.len() - 1);
    if form.variants[tag].content.is_none() {
        return (tag, None);
    }
    let before = form.contents[..tag].iter().flatten().count();
    for _ in 0..before {
        rest = rest.map(|rest| rest.parts().1.clone());
    }
    let is_last = before + 1 == contents;
    let content = rest.map(|rest| if is_last { rest } else { rest.parts().0.clone() });
    (tag, content)
}
