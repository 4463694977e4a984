//! Types of the inference: a graph with unification of type variables.
//!
//! Types are nodes of a graph and may share parts, so that no program makes them grow without bound. A variable that is determined becomes a link. Every walk
//! visits nodes of the graph, never the tree that it stands for, and none is recursive.

mod class;
mod print;

pub use class::{Base, Class};
pub use print::{Records, TypePrinter};

use crate::token::Text;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// The size of the graph below a node, itself included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of nodes on the longest path; all pairs of a tuple count as one.
    pub depth: usize,
    /// Number of nodes of the tree, with shared parts repeated.
    pub size: usize,
}

/// A datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// The declaration of a datatype.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name, which is also that of the constructor.
    pub name: Text,
    /// Its type parameters.
    pub parameters: Vec<TypeId>,
    /// The form of its values.
    pub form: RecordForm,
}

/// The form of a datatype's values; types are in terms of the parameters.
#[derive(Clone, Debug)]
pub enum RecordForm {
    /// A single constructor, whose values are represented by their content of this type.
    Content(TypeId),
    /// Variants, each with a constructor of its own; or a single one that holds values of the datatype itself.
    Variants(Arc<[Variant]>),
}

/// A variant of a datatype.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The constructor.
    pub name: Text,
    /// The type of the content; a variant without one is a constant.
    pub content: Option<TypeId>,
}

impl Record {
    /// Returns the variants; a record has none.
    pub fn variants(&self) -> &[Variant] {
        match &self.form {
            RecordForm::Content(_) => &[],
            RecordForm::Variants(variants) => variants,
        }
    }

    /// Returns the type of the content, if every value has one: that of a record, or of a single variant.
    pub fn content(&self) -> Option<TypeId> {
        match &self.form {
            RecordForm::Content(content) => Some(*content),
            RecordForm::Variants(variants) => match &**variants {
                [Variant { content: Some(content), .. }] => Some(*content),
                _ => None,
            },
        }
    }
}

/// A node's constructor with its parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A variable that is undetermined, or a parameter of a [`Scheme`].
    Var(Class),
    /// A link to another node, made by unification.
    Link(TypeId),
    /// A type without parts.
    Base(Base),
    /// `[element]`
    Seq(TypeId),
    /// `(left, right)`
    Pair(TypeId, TypeId),
    /// `name(arguments)`
    Record(RecordId, Arc<[TypeId]>),
    /// `from -> to`
    Function(TypeId, TypeId),
}

/// A type scheme: a type over variables that each use instantiates.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The variables, in order of appearance.
    pub variables: Vec<TypeId>,
    /// The type.
    pub ty: TypeId,
}

/// The reason why two types do not unify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Different constructors.
    Shape,
    /// A type is not of a class; of two variables, the classes do not meet.
    Class(Class, TypeId),
    /// A type would contain itself (occurs check).
    Infinite,
}

/// The graph, with a trail for undoing unification.
#[derive(Clone, Debug, Default)]
pub struct Types {
    nodes: Vec<Type>,
    trail: Vec<(TypeId, Type)>,
}

impl Types {
    /// Adds a node.
    pub fn add(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.nodes.len() as u32);
        self.nodes.push(ty);
        id
    }

    /// Adds a variable.
    pub fn fresh(&mut self, class: Class) -> TypeId {
        self.add(Type::Var(class))
    }

    /// Makes all unifications so far permanent.
    pub fn commit(&mut self) {
        self.trail.clear();
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Follows links to the representative node.
    pub fn resolve(&self, mut id: TypeId) -> TypeId {
        while let Type::Link(next) = self.nodes[id.0 as usize] {
            id = next;
        }
        id
    }

    /// Returns the outermost constructor of a type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.nodes[self.resolve(id).0 as usize]
    }

    fn set(&mut self, id: TypeId, ty: Type) {
        let old = std::mem::replace(&mut self.nodes[id.0 as usize], ty);
        self.trail.push((id, old));
    }

    /// Returns the direct parts of a type.
    pub fn parts(&self, id: TypeId) -> Vec<TypeId> {
        match self.get(id) {
            Type::Var(_) | Type::Base(_) => Vec::new(),
            Type::Link(next) | Type::Seq(next) => vec![*next],
            Type::Pair(left, right) | Type::Function(left, right) => vec![*left, *right],
            Type::Record(_, arguments) => arguments.to_vec(),
        }
    }

    /// Unifies two types; leaves both unchanged if that fails.
    pub fn unify(&mut self, a: TypeId, b: TypeId) -> Result<(), Mismatch> {
        let start = self.trail.len();
        let result = self.unify_all(vec![(a, b)]);
        if result.is_err() {
            while self.trail.len() > start {
                let (id, old) = self.trail.pop().expect("the trail is longer");
                self.nodes[id.0 as usize] = old;
            }
        }
        result
    }

    fn unify_all(&mut self, mut pending: Vec<(TypeId, TypeId)>) -> Result<(), Mismatch> {
        let mut seen = HashSet::new();
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.resolve(a), self.resolve(b));
            // Only variables are linked: a link between types with parts could close a circle that no occurs check sees.
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            match (self.get(a).clone(), self.get(b).clone()) {
                (Type::Var(one), Type::Var(other)) => {
                    let class = one.meet(other).ok_or(Mismatch::Class(one, b))?;
                    self.set(b, Type::Var(class));
                    self.set(a, Type::Link(b));
                    continue;
                }
                (Type::Var(class), _) => self.bind(a, class, b)?,
                (_, Type::Var(class)) => self.bind(b, class, a)?,
                (Type::Base(one), Type::Base(other)) if one == other => {}
                (Type::Seq(one), Type::Seq(other)) => pending.push((one, other)),
                (Type::Pair(x, y), Type::Pair(z, w)) | (Type::Function(x, y), Type::Function(z, w)) => {
                    pending.extend([(y, w), (x, z)]);
                }
                (Type::Record(one, these), Type::Record(other, those)) if one == other => {
                    pending.extend(these.iter().copied().zip(those.iter().copied()));
                }
                _ => return Err(Mismatch::Shape),
            }
        }
        Ok(())
    }

    fn bind(&mut self, variable: TypeId, class: Class, ty: TypeId) -> Result<(), Mismatch> {
        let fits = match *self.get(ty) {
            Type::Base(base) => class.has(base),
            Type::Seq(element) => class == Class::Any || self.may_be_text(class, element),
            _ => class == Class::Any,
        };
        if !fits {
            return Err(Mismatch::Class(class, ty));
        }
        if self.occurs(variable, ty) {
            return Err(Mismatch::Infinite);
        }
        // The only sequences of a class that has not all of them are strings.
        if let (Type::Seq(element), true) = (self.get(ty), class != Class::Any) {
            let element = self.resolve(*element);
            if matches!(self.get(element), Type::Var(_)) {
                self.set(element, Type::Base(Base::Char));
            }
        }
        self.set(variable, Type::Link(ty));
        Ok(())
    }

    /// True if a sequence of these elements is, or can become, a string, and the class has strings.
    fn may_be_text(&self, class: Class, element: TypeId) -> bool {
        class.has_strings()
            && match self.get(element) {
                Type::Base(base) => *base == Base::Char,
                Type::Var(of) => of.has(Base::Char),
                _ => false,
            }
    }

    fn occurs(&self, variable: TypeId, within: TypeId) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![within];
        while let Some(id) = pending.pop() {
            let id = self.resolve(id);
            if id == variable {
                return true;
            }
            if seen.insert(id) {
                pending.extend(self.parts(id));
            }
        }
        false
    }

    /// Returns the variables of a type, in order of appearance.
    pub fn variables(&self, ty: TypeId) -> Vec<TypeId> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut pending = vec![ty];
        while let Some(id) = pending.pop() {
            let id = self.resolve(id);
            if !seen.insert(id) {
                continue;
            }
            if matches!(self.get(id), Type::Var(_)) {
                found.push(id);
            }
            pending.extend(self.parts(id).into_iter().rev());
        }
        found
    }

    /// True if a type contains a function type.
    pub fn has_function(&self, ty: TypeId) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![ty];
        while let Some(id) = pending.pop() {
            let id = self.resolve(id);
            if matches!(self.get(id), Type::Function(..)) {
                return true;
            }
            if seen.insert(id) {
                pending.extend(self.parts(id));
            }
        }
        false
    }

    /// Returns the largest extent of any node made since there were `first`.
    pub fn extent_since(&self, first: usize) -> Extent {
        let mut extents: HashMap<TypeId, Extent> = HashMap::new();
        let mut most = Extent::default();
        for id in first..self.nodes.len() {
            let id = self.resolve(TypeId(id as u32));
            self.extent(id, &mut extents);
            let Extent { depth, size } = extents[&id];
            most = Extent { depth: most.depth.max(depth), size: most.size.max(size) };
        }
        most
    }

    /// Computes the extent of a node and of all nodes below it.
    fn extent(&self, ty: TypeId, extents: &mut HashMap<TypeId, Extent>) {
        let mut pending = vec![ty];
        while let Some(&id) = pending.last() {
            if extents.contains_key(&id) {
                pending.pop();
                continue;
            }
            let parts: Vec<TypeId> = self.parts(id).into_iter().map(|part| self.resolve(part)).collect();
            let missing: Vec<TypeId> =
                parts.iter().copied().filter(|part| !extents.contains_key(part)).collect();
            if missing.is_empty() {
                let is_tuple = matches!(self.get(id), Type::Pair(_, right) if matches!(self.get(*right), Type::Pair(..)));
                let depth = |(at, part): (usize, &TypeId)| match (is_tuple, at) {
                    (true, 1) => extents[part].depth - 1,
                    _ => extents[part].depth,
                };
                let below = parts.iter().enumerate().map(depth).max().unwrap_or(0);
                let size = parts.iter().fold(1, |size: usize, part| size.saturating_add(extents[part].size));
                extents.insert(id, Extent { depth: below + 1, size });
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
    }

    /// Substitutes variables of a type. Parts without them are shared, not copied.
    pub fn replace(&mut self, ty: TypeId, by: &HashMap<TypeId, TypeId>) -> TypeId {
        let mut done: HashMap<TypeId, TypeId> = by.clone();
        let root = self.resolve(ty);
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if done.contains_key(&id) {
                pending.pop();
                continue;
            }
            let parts: Vec<TypeId> = self.parts(id).into_iter().map(|part| self.resolve(part)).collect();
            let missing: Vec<TypeId> =
                parts.iter().copied().filter(|part| !done.contains_key(part)).collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            pending.pop();
            let new: Vec<TypeId> = parts.iter().map(|part| done[part]).collect();
            let copy = if new == parts { id } else { self.with_parts(id, new) };
            done.insert(id, copy);
        }
        done[&root]
    }

    fn with_parts(&mut self, id: TypeId, parts: Vec<TypeId>) -> TypeId {
        let ty = match self.get(id) {
            Type::Seq(_) => Type::Seq(parts[0]),
            Type::Pair(..) => Type::Pair(parts[0], parts[1]),
            Type::Function(..) => Type::Function(parts[0], parts[1]),
            Type::Record(record, _) => Type::Record(*record, parts.into()),
            other @ (Type::Var(_) | Type::Link(_) | Type::Base(_)) => other.clone(),
        };
        self.add(ty)
    }

    /// Generalises a type over its undetermined variables.
    pub fn generalise(&self, ty: TypeId) -> Scheme {
        Scheme { variables: self.variables(ty), ty }
    }

    /// Instantiates a scheme: returns its type at new variables, and these.
    pub fn instantiate(&mut self, scheme: &Scheme) -> (TypeId, Vec<TypeId>) {
        let mut by = HashMap::new();
        let mut chosen = Vec::new();
        for &variable in &scheme.variables {
            let Type::Var(class) = *self.get(variable) else {
                unreachable!("parameters of a scheme stay variables")
            };
            let fresh = self.fresh(class);
            by.insert(self.resolve(variable), fresh);
            chosen.push(fresh);
        }
        (self.replace(scheme.ty, &by), chosen)
    }

    /// True if two schemes are equal up to names of variables.
    pub fn same_scheme(&self, one: &Scheme, other: &Scheme) -> bool {
        let mut pairs: HashMap<TypeId, TypeId> = HashMap::new();
        let mut back: HashMap<TypeId, TypeId> = HashMap::new();
        let mut seen = HashSet::new();
        let mut pending = vec![(one.ty, other.ty)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.resolve(a), self.resolve(b));
            if !seen.insert((a, b)) {
                continue;
            }
            let same = match (self.get(a), self.get(b)) {
                (Type::Var(one), Type::Var(other)) => {
                    one == other && *pairs.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a
                }
                (Type::Base(one), Type::Base(other)) => one == other,
                (Type::Record(one, _), Type::Record(other, _)) => one == other,
                (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
            };
            if !same {
                return false;
            }
            pending.extend(self.parts(a).into_iter().zip(self.parts(b)));
        }
        true
    }
}
