//! Uniqueness analysis for in-place updates: finds the functions that replace a sequence by one that differs in an element, where the old one is not used again.
//!
//! ```text
//! function fill(v, i) = if i == #v then v else fill(rep(v, v[i - 1] + 1, i), i + 1);
//! ```
//!
//! Such code is serial code (`analysis.rs`) that also puts single elements into sequences it was given. A sequence has *versions*: a put makes a new version, and
//! only the last version may be passed on or returned. So one array can hold all versions, one after another. The write of an element is delayed as long as
//! possible, so that the version before it may be read until then: `f(rep(v, x, i), v[i])` reads it behind the `rep`.
//!
//! The analysis is an abstract interpretation of the body: a sequence is known only by the parameter from which it comes. Where that depends on a condition, or
//! two sequences would alias, the function is not updated in place and is compiled like any other.

use super::Analysis;
use crate::core::{Atom, Block, CoreType, CoreTypes, Function, Local, Op, Program, Statement, Ty};
use crate::primitive::Primitive;
use crate::typed::GlobalId;
use std::collections::HashMap;

/// The facts about a function that updates sequences in place.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::flatten) struct Updates {
    /// For each sequence among the parameters, in order, whether it is changed.
    pub changed: Vec<bool>,
    /// For each of those, whether no write happens before the function has ended: the caller may still read the old version.
    keeps: Vec<bool>,
    /// The abstract value of the result.
    result: Held,
}

/// An abstract value.
#[derive(Clone, PartialEq, Debug)]
enum Held {
    /// Scalars.
    Flat,
    Tuple(Vec<Held>),
    /// A version of a sequence.
    Seq(Source, u32),
    /// A new sequence of one element.
    One,
    /// No value: the function has called itself instead.
    Never,
}

/// The origin of a sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Source {
    /// The sequence of this number among those of the parameters.
    Given(usize),
    /// A value of the top level.
    Global(GlobalId),
}

/// Analyses all functions of a program; the result has those that can be updated in place, by their positions. `order` has callees before their callers.
pub(super) fn updates(
    program: &Program,
    types: &CoreTypes,
    analysis: &Analysis,
    order: &[usize],
) -> HashMap<usize, Updates> {
    let mut known = HashMap::new();
    for &at in order {
        let function = &program.functions[at];
        if analysis.functions[at].mutual || !analysis.sizes.fits_thunk(at) {
            continue;
        }
        let mut walk = Walk::new(types, analysis, &known, function, at);
        let found =
            walk.tail(&function.body).map(|result| walk.found(result, analysis.functions[at].recursive));
        known.extend(found.map(|found| (at, found)));
    }
    known
}

/// The abstract interpreter of one body.
struct Walk<'a> {
    types: &'a CoreTypes,
    analysis: &'a Analysis,
    known: &'a HashMap<usize, Updates>,
    function: &'a Function,
    own: usize,
    locals: HashMap<Local, Held>,
    changed: Vec<bool>,
    /// The last version of each sequence.
    last: Vec<u32>,
    /// The version that is in memory: the last one, or the one before.
    written: Vec<u32>,
    next: u32,
}

impl<'a> Walk<'a> {
    fn new(
        types: &'a CoreTypes,
        analysis: &'a Analysis,
        known: &'a HashMap<usize, Updates>,
        function: &'a Function,
        own: usize,
    ) -> Walk<'a> {
        let (locals, changed, last) = (HashMap::new(), Vec::new(), Vec::new());
        let written = Vec::new();
        let mut walk =
            Walk { types, analysis, known, function, own, locals, changed, last, written, next: 1 };
        for &parameter in &function.parameters {
            let held = walk.given(walk.type_of(parameter));
            walk.locals.insert(parameter, held);
        }
        walk
    }

    fn type_of(&self, local: Local) -> Ty {
        self.function.locals[local.0 as usize]
    }

    /// Returns the abstract value of a parameter.
    fn given(&mut self, ty: Ty) -> Held {
        let parts = match self.types.get(ty) {
            _ if self.types.is_flat(ty) => return Held::Flat,
            CoreType::Pair(left, right) => vec![*left, *right],
            CoreType::Closure(closure) => closure.captured.clone(),
            _ => {
                self.changed.push(false);
                self.last.push(0);
                self.written.push(0);
                return Held::Seq(Source::Given(self.last.len() - 1), 0);
            }
        };
        Held::Tuple(parts.into_iter().map(|part| self.given(part)).collect())
    }

    fn found(self, result: Held, recursive: bool) -> Updates {
        let keeps = self.written.iter().map(|version| *version == 0 && !recursive).collect();
        Updates { changed: self.changed, keeps, result: without_versions(&result) }
    }

    fn held(&self, atom: Atom) -> Held {
        match atom {
            Atom::Local(local) => self.locals[&local].clone(),
            _ => Held::Flat,
        }
    }

    /// Returns an operand that may be passed on: it must be the last version of each of its sequences.
    fn last_of(&self, atom: Atom) -> Option<Held> {
        let held = self.held(atom);
        let mut last = true;
        for_each_seq(&held, &mut |source, version| {
            last &= !matches!(source, Source::Given(number) if self.last[number] != version);
        });
        (last && held != Held::One).then_some(held)
    }

    /// Returns an operand whose elements may be read here: its versions must be in memory, or be written here.
    fn read(&mut self, atom: Atom) -> Option<Held> {
        let held = self.held(atom);
        let mut there = true;
        for_each_seq(&held, &mut |source, version| {
            let Source::Given(number) = source else { return };
            if version == self.last[number] {
                self.written[number] = version;
            }
            there &= version == self.written[number];
        });
        (there && held != Held::One).then_some(held)
    }

    /// Marks all delayed elements as written.
    fn write_all(&mut self) {
        self.written.clone_from(&self.last);
    }

    /// Interprets a block in tail position.
    fn tail(&mut self, block: &Block) -> Option<Held> {
        let Some((last, first)) = block.statements.split_last() else { return self.last_of(block.result) };
        if block.result != Atom::Local(last.local) {
            return self.block(block);
        }
        match &last.op {
            Op::Call(callee, atoms) if callee.0 as usize == self.own => {
                self.statements(first)?;
                // Each sequence goes to its own place.
                let mut number = 0;
                for &atom in atoms {
                    let held = self.last_of(atom)?;
                    let mut in_place = true;
                    for_each_seq(&held, &mut |source, _| {
                        in_place &= source == Source::Given(number);
                        number += 1;
                    });
                    if !in_place {
                        return None;
                    }
                }
                Some(Held::Never)
            }
            Op::If(_, yes, no) => {
                self.statements(first)?;
                self.either(&mut |walk| walk.tail(yes), &mut |walk| walk.tail(no))
            }
            _ => self.block(block),
        }
    }

    fn block(&mut self, block: &Block) -> Option<Held> {
        self.statements(&block.statements)?;
        self.last_of(block.result)
    }

    fn statements(&mut self, statements: &[Statement]) -> Option<()> {
        for statement in statements {
            let held = self.statement(statement)?;
            self.locals.insert(statement.local, held);
        }
        Some(())
    }

    /// Interprets one of two blocks, at whose ends all elements are written.
    fn either(
        &mut self,
        yes: &mut dyn FnMut(&mut Self) -> Option<Held>,
        no: &mut dyn FnMut(&mut Self) -> Option<Held>,
    ) -> Option<Held> {
        let (before, written) = (self.last.clone(), self.written.clone());
        let first = yes(self)?;
        let after_yes = std::mem::replace(&mut self.last, before);
        self.written = written;
        let second = no(self)?;
        let after_no = std::mem::take(&mut self.last);
        for (a, b) in after_yes.into_iter().zip(after_no) {
            let both = if a == b { a } else { self.fresh() };
            self.last.push(both);
        }
        self.write_all();
        match (without_versions(&first), without_versions(&second)) {
            (Held::Never, other) | (other, Held::Never) => Some(self.with_versions(&other)),
            (first, second) => (first == second).then(|| self.with_versions(&first)),
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Returns the value with its sequences at their last versions.
    fn with_versions(&self, held: &Held) -> Held {
        match held {
            Held::Seq(Source::Given(number), _) => Held::Seq(Source::Given(*number), self.last[*number]),
            Held::Tuple(parts) => Held::Tuple(parts.iter().map(|part| self.with_versions(part)).collect()),
            other => other.clone(),
        }
    }

    /// Makes a new version of a sequence; the one before stays in memory if `keeps`.
    fn change(&mut self, number: usize, keeps: bool) {
        self.changed[number] = true;
        self.written[number] = self.last[number];
        self.last[number] = self.fresh();
        if !keeps {
            self.written[number] = self.last[number];
        }
    }

    fn statement(&mut self, statement: &Statement) -> Option<Held> {
        let is_flat = self.types.is_flat(self.type_of(statement.local));
        match &statement.op {
            Op::Primitive(Primitive::Put, atoms) => self.put(atoms),
            // All versions are equally long.
            Op::Primitive(Primitive::Length, _) => Some(Held::Flat),
            Op::Primitive(primitive, atoms) => {
                let scalar = super::kind(*primitive) == super::Kind::Scalar && *primitive != Primitive::Rand;
                atoms.iter().try_for_each(|&atom| self.read(atom).map(drop))?;
                (scalar && is_flat).then_some(Held::Flat)
            }
            Op::Call(callee, atoms) => self.call(callee.0 as usize, atoms, is_flat),
            Op::Global(_) if is_flat => Some(Held::Flat),
            Op::Global(id) => {
                let ty = self.type_of(statement.local);
                matches!(self.types.get(ty), CoreType::Seq(_)).then_some(Held::Seq(Source::Global(*id), 0))
            }
            Op::Pair(..) | Op::Closure(_) if is_flat => Some(Held::Flat),
            Op::Pair(left, right) => Some(Held::Tuple(vec![self.held(*left), self.held(*right)])),
            Op::Closure(atoms) => Some(Held::Tuple(atoms.iter().map(|&atom| self.held(atom)).collect())),
            Op::First(whole) => self.part(*whole, 0),
            Op::Second(whole) => self.part(*whole, 1),
            Op::Captured(whole, number) => self.part(*whole, *number),
            Op::Sequence(atoms) => {
                let one = matches!(self.types.get(self.type_of(statement.local)), CoreType::Seq(elem) if self.types.is_flat(*elem));
                (atoms.len() == 1 && one).then_some(Held::One)
            }
            Op::If(_, yes, no) => self.either(&mut |walk| walk.block(yes), &mut |walk| walk.block(no)),
            Op::Str(_) | Op::Each(_) | Op::Data(..) => None,
        }
    }

    fn part(&self, whole: Atom, number: usize) -> Option<Held> {
        match self.held(whole) {
            Held::Flat => Some(Held::Flat),
            Held::Tuple(parts) => parts.get(number).cloned(),
            Held::Seq(..) | Held::One | Held::Never => None,
        }
    }

    /// Interprets `put([x], [i], v)`.
    fn put(&mut self, atoms: &[Atom]) -> Option<Held> {
        let [values, indices, destination] = atoms else { return None };
        let ones = self.held(*values) == Held::One && self.held(*indices) == Held::One;
        match self.last_of(*destination)? {
            Held::Seq(Source::Given(number), _) if ones => {
                self.change(number, true);
                Some(Held::Seq(Source::Given(number), self.last[number]))
            }
            _ => None,
        }
    }

    fn call(&mut self, callee: usize, atoms: &[Atom], is_flat: bool) -> Option<Held> {
        let facts = &self.analysis.functions[callee];
        // The code of a callee with branches or loops writes delayed elements before them.
        if facts.recursive || facts.loops || facts.branches {
            self.write_all();
        }
        let mut given = Vec::new();
        let mut marks =
            self.known.get(&callee).map(|updates| updates.changed.clone()).unwrap_or_default().into_iter();
        for &atom in atoms {
            let before = given.len();
            names_of(&self.held(atom), &mut given)?;
            let changes = marks.by_ref().take(given.len() - before).any(|changed| changed);
            if changes {
                self.last_of(atom)?
            } else {
                self.read(atom)?
            };
        }
        let Some(updates) = self.known.get(&callee) else {
            let serial = callee != self.own && self.analysis.functions[callee].serial;
            return (serial && is_flat).then_some(Held::Flat);
        };
        // What changes has no other name.
        for (at, source) in given.iter().enumerate().filter(|(at, _)| updates.changed[*at]) {
            let alone = given.iter().enumerate().all(|(other, name)| other == at || name != source);
            match *source {
                Some(Source::Given(number)) if alone => self.change(number, updates.keeps[at]),
                Some(_) => return None,
                // A new sequence, which nobody else sees.
                None => {}
            }
        }
        self.with_sources(&updates.result, &given)
    }

    /// Translates the result of a call to the caller's sequences, at their last versions.
    fn with_sources(&self, held: &Held, given: &[Option<Source>]) -> Option<Held> {
        Some(match held {
            Held::Seq(Source::Given(number), _) => self.with_versions(&Held::Seq(given[*number]?, 0)),
            Held::Tuple(parts) => {
                Held::Tuple(parts.iter().map(|part| self.with_sources(part, given)).collect::<Option<_>>()?)
            }
            // It calls itself for ever, whatever it is given: what it would give nobody knows.
            Held::Never | Held::One => return None,
            Held::Seq(Source::Global(_), _) | Held::Flat => held.clone(),
        })
    }
}

fn without_versions(held: &Held) -> Held {
    match held {
        Held::Seq(source, _) => Held::Seq(*source, 0),
        Held::Tuple(parts) => Held::Tuple(parts.iter().map(without_versions).collect()),
        other => other.clone(),
    }
}

/// Appends the names of all sequences of an argument, in the order of the parameters that they become; `None` for one without a name, such as `[x]`. `None` as a whole
/// if nobody knows how many there are.
fn names_of(held: &Held, into: &mut Vec<Option<Source>>) -> Option<()> {
    match held {
        Held::Seq(source, _) => into.push(Some(*source)),
        Held::One => into.push(None),
        Held::Tuple(parts) => return parts.iter().try_for_each(|part| names_of(part, into)),
        Held::Flat => {}
        Held::Never => return None,
    }
    Some(())
}

fn for_each_seq(held: &Held, visit: &mut dyn FnMut(Source, u32)) {
    match held {
        Held::Seq(source, version) => visit(*source, *version),
        Held::Tuple(parts) => parts.iter().for_each(|part| for_each_seq(part, visit)),
        Held::Flat | Held::One | Held::Never => {}
    }
}
