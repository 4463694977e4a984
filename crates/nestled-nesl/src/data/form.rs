//! The representation of datatypes: which types stand for them, and which pools there are.

use crate::core::{Closure, CoreType, CoreTypes, Ty, Variant};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The representation of a datatype.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub variants: Arc<[Variant]>,
    /// The type that stands for it.
    pub ty: Ty,
    /// True if a number says which variant a value is: there are several, or there is nothing else.
    pub tagged: bool,
    /// For links the pool of each variant that has a content; none for values that hold their contents.
    pub pools: Option<Vec<Option<usize>>>,
    /// The types that stand for the contents.
    pub contents: Vec<Option<Ty>>,
}

/// The representations of the datatypes of a program, found as they are needed.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    known: HashMap<Ty, Arc<Form>>,
    /// The types that stand for others.
    types: HashMap<Ty, Ty>,
    links: HashMap<Ty, bool>,
    /// The types of the contents in each pool, as the program has them.
    pools: Vec<Ty>,
    /// The types that stand for them.
    elements: Vec<Option<Ty>>,
}

impl Forms {
    /// Returns the type that stands for a type.
    pub fn of(&mut self, types: &mut CoreTypes, ty: Ty) -> Ty {
        if !types.is_nominal(ty) {
            return ty;
        }
        if let Some(known) = self.types.get(&ty) {
            return *known;
        }
        let made = match types.get(ty).clone() {
            CoreType::Seq(element) => CoreType::Seq(self.of(types, element)),
            CoreType::Pair(left, right) => {
                let left = self.of(types, left);
                CoreType::Pair(left, self.of(types, right))
            }
            CoreType::Closure(closure) => {
                let captured = closure.captured.iter().map(|ty| self.of(types, *ty)).collect();
                CoreType::Closure(Closure { captured, ..closure })
            }
            CoreType::Data(_) => return self.form(types, ty).ty,
            scalar @ (CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool) => scalar,
        };
        let made = types.number(made);
        self.types.insert(ty, made);
        made
    }

    /// Returns the representation of a datatype.
    pub fn form(&mut self, types: &mut CoreTypes, ty: Ty) -> Arc<Form> {
        if let Some(known) = self.known.get(&ty) {
            return Arc::clone(known);
        }
        let variants = Arc::clone(types.variants(ty).expect("the variants of a datatype are known"));
        let form = match self.is_link(types, ty) {
            true => self.link(types, ty, variants),
            false => Arc::new(self.whole(types, variants)),
        };
        self.known.insert(ty, Arc::clone(&form));
        form
    }

    /// Makes the representation of a datatype whose values hold their contents.
    fn whole(&mut self, types: &mut CoreTypes, variants: Arc<[Variant]>) -> Form {
        let contents: Vec<Option<Ty>> =
            variants.iter().map(|variant| variant.content.map(|ty| self.of(types, ty))).collect();
        let tagged = variants.len() > 1 || contents.iter().all(Option::is_none);
        let tag = tagged.then(|| types.number(CoreType::Int));
        let parts: Vec<Ty> = tag.into_iter().chain(contents.iter().copied().flatten()).collect();
        let (last, first) = parts.split_last().expect("there is a number or a content");
        let ty = first.iter().rev().fold(*last, |rest, part| types.number(CoreType::Pair(*part, rest)));
        Form { variants, ty, tagged, pools: None, contents }
    }

    /// Makes the representation of a datatype whose values are links.
    fn link(&mut self, types: &mut CoreTypes, ty: Ty, variants: Arc<[Variant]>) -> Arc<Form> {
        let int = types.number(CoreType::Int);
        let tagged = variants.len() > 1;
        let own = if tagged { types.number(CoreType::Pair(int, int)) } else { int };
        let pools = variants.iter().map(|variant| {
            variant.content.map(|content| {
                self.pools.push(content);
                self.elements.push(None);
                self.pools.len() - 1
            })
        });
        let pools: Vec<Option<usize>> = pools.collect();
        let mut form = Form { variants, ty: own, tagged, pools: Some(pools.clone()), contents: Vec::new() };
        // Its contents may hold the datatype.
        self.known.insert(ty, Arc::new(form.clone()));
        for (variant, pool) in form.variants.iter().zip(pools) {
            let content = variant.content.map(|content| self.of(types, content));
            form.contents.push(content);
            if let Some(pool) = pool {
                self.elements[pool] = content;
            }
        }
        Arc::new(form)
    }

    /// Returns the types of the elements of all pools.
    pub fn pools(&self) -> Vec<Ty> {
        self.elements.iter().map(|ty| ty.expect("every pool has contents")).collect()
    }

    /// Returns the types of the contents in all pools, as the program has them.
    pub fn contents(&self) -> &[Ty] {
        &self.pools
    }

    /// Returns the type of the contents in a pool, as the program has it.
    pub fn content_of(&self, pool: usize) -> Ty {
        self.pools[pool]
    }

    /// Returns the representation of a datatype of the program.
    pub fn known(&self, ty: Ty) -> &Arc<Form> {
        &self.known[&ty]
    }

    /// True if values of a type hold links.
    pub fn has_links(&mut self, types: &CoreTypes, ty: Ty) -> bool {
        let mut found = HashSet::new();
        reachable(types, vec![ty], &mut found);
        found.into_iter().any(|ty| self.is_link(types, ty))
    }

    /// True if a datatype may hold itself.
    fn is_link(&mut self, types: &CoreTypes, ty: Ty) -> bool {
        if let Some(known) = self.links.get(&ty) {
            return *known;
        }
        let contents =
            |variants: &Arc<[Variant]>| variants.iter().filter_map(|variant| variant.content).collect();
        let mut found = HashSet::new();
        reachable(types, types.variants(ty).map(contents).unwrap_or_default(), &mut found);
        let is_link = found.contains(&ty);
        self.links.insert(ty, is_link);
        is_link
    }
}

/// Collects the datatypes of which types may hold values.
fn reachable(types: &CoreTypes, from: Vec<Ty>, found: &mut HashSet<Ty>) {
    let mut pending = from;
    while let Some(ty) = pending.pop() {
        match types.get(ty) {
            CoreType::Seq(element) => pending.push(*element),
            CoreType::Pair(left, right) => pending.extend([*left, *right]),
            CoreType::Closure(closure) => pending.extend(&closure.captured),
            CoreType::Data(_) if found.insert(ty) => {
                let variants = types.variants(ty).into_iter().flat_map(|variants| variants.iter());
                pending.extend(variants.filter_map(|variant| variant.content));
            }
            CoreType::Data(_) | CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => {}
        }
    }
}
