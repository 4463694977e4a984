//! Values at one point of a context, as thunks compute them.

use super::Emitter;
use super::held::Held;
use super::host::{array, axis_atom};
use super::kernel::KernelWriter;
use super::val::{At, Base, Leaf, Place, Seq, Val};
use nestled_ir::{Atom, HostAtom, Op, Scalar, ScalarType};
use std::rc::Rc;

/// A value at a point.
#[derive(Clone, Debug)]
pub(super) enum Point {
    Scalar(Atom),
    Tuple(Vec<Point>),
    Seq(Run),
}

/// A sequence at a point.
#[derive(Clone, Debug)]
pub(super) enum Run {
    /// A sequence of the context, at coordinates.
    At { seq: Rc<Seq>, coordinates: Vec<Atom> },
    /// A slice of a flat sequence.
    Part(Part),
    /// One of several sequences, chosen at run time.
    One(Choice),
    /// A sequence that the thunk updates in place.
    Held(Rc<Held>),
    /// A new sequence of one element.
    Single(Box<Point>),
}

/// One of several sequences; the alternatives stay apart so that reads keep their known places.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub len: Atom,
    /// The row, or the start in a flat sequence.
    pub at: Atom,
    /// The number of the alternative: an `idx`.
    pub which: Atom,
    pub of: Vec<Alternative>,
}

/// An alternative of a choice.
#[derive(Clone, Debug)]
pub(super) enum Alternative {
    /// A slice of a flat sequence.
    Flat(Rc<Base>),
    /// A row of dense sequences of level 1, whose elements may be computed at the read instead.
    Row(Rc<Seq>),
}

impl Alternative {
    fn is(&self, other: &Alternative) -> bool {
        match (self, other) {
            (Alternative::Flat(a), Alternative::Flat(b)) => Rc::ptr_eq(a, b),
            (Alternative::Row(a), Alternative::Row(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// A slice of one of several flat sequences.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub len: Atom,
    pub start: Atom,
    /// The number of the flat sequence, where there are several: an `idx`.
    pub which: Option<Atom>,
    pub bases: Vec<Rc<Base>>,
}

pub(super) fn idx(value: i64) -> Atom {
    Atom::Const(Scalar::Idx(value))
}

impl Point {
    pub fn scalar(&self) -> Atom {
        match self {
            Point::Scalar(atom) => *atom,
            other => unreachable!("{other:?} is no scalar"),
        }
    }

    pub fn run(&self) -> &Run {
        match self {
            Point::Seq(run) => run,
            other => unreachable!("{other:?} is no sequence"),
        }
    }

    pub fn part(&self, position: usize) -> &Point {
        match self {
            Point::Tuple(parts) => &parts[position],
            other => unreachable!("{other:?} is no pair"),
        }
    }

    /// Collects the scalars outside of sequences.
    pub fn scalars(&self, found: &mut Vec<Atom>) {
        match self {
            Point::Scalar(atom) => found.push(*atom),
            Point::Tuple(parts) => parts.iter().for_each(|part| part.scalars(found)),
            Point::Seq(_) => {}
        }
    }

    /// Returns the same value with other scalars.
    pub fn with_scalars(&self, next: &mut impl Iterator<Item = Atom>) -> Point {
        match self {
            Point::Scalar(_) => Point::Scalar(next.next().expect("as many scalars as before")),
            Point::Tuple(parts) => Point::Tuple(parts.iter().map(|part| part.with_scalars(next)).collect()),
            Point::Seq(run) => Point::Seq(run.clone()),
        }
    }
}

impl Emitter<'_> {
    /// Reads a scalar at coordinates.
    pub fn read_leaf(&mut self, k: &mut KernelWriter, leaf: &Leaf, coordinates: &[Atom]) -> Atom {
        if let At::Pending(id) = leaf.at
            && let Some(&atom) = k.pending.get(&id)
        {
            return atom;
        }
        let atom = self.resolve(leaf);
        match leaf.level {
            0 => k.scalar(&self.f, atom),
            level => k.read(&self.f, array(atom), &coordinates[..level]),
        }
    }

    /// Reads a value at coordinates.
    pub fn read(&mut self, k: &mut KernelWriter, val: &Val, coordinates: &[Atom]) -> Point {
        match val {
            Val::Scalar(leaf) => Point::Scalar(self.read_leaf(k, leaf, coordinates)),
            Val::Tuple(parts) => {
                Point::Tuple(parts.iter().map(|part| self.read(k, part, coordinates)).collect())
            }
            Val::Seq(seq) => {
                let coordinates = coordinates[..seq.level].to_vec();
                Point::Seq(Run::At { seq: Rc::clone(seq), coordinates })
            }
        }
    }

    /// Returns the length of a sequence.
    pub fn run_len(&mut self, k: &mut KernelWriter, run: &Run) -> Atom {
        match run {
            Run::At { seq, .. } if seq.level == 0 => {
                k.scalar(&self.f, axis_atom(self.f.canonical(seq.shape)))
            }
            Run::At { seq, coordinates } => k.len(&self.f, seq.shape, coordinates),
            Run::Part(part) => part.len,
            Run::One(choice) => choice.len,
            Run::Held(held) => held.len,
            Run::Single(_) => idx(1),
        }
    }

    /// Returns a sequence as a slice of flat sequences.
    pub fn run_part(&mut self, k: &mut KernelWriter, run: &Run) -> Part {
        let len = self.run_len(k, run);
        match run {
            Run::Part(part) => part.clone(),
            Run::One(choice) => self.choice_part(k, choice),
            Run::Held(_) | Run::Single(_) => {
                unreachable!("what is changed in place is read element by element")
            }
            Run::At { seq, coordinates } => match &seq.place {
                Place::View { starts, base } => {
                    let start = self.read_leaf(k, starts, coordinates);
                    Part { len, start, which: None, bases: vec![Rc::clone(base)] }
                }
                Place::Dense(_) => {
                    let base = self.flat_base(seq);
                    let start =
                        if seq.level == 0 { idx(0) } else { k.start(&self.f, seq.shape, coordinates) };
                    Part { len, start, which: None, bases: vec![base] }
                }
            },
        }
    }

    /// Returns a choice as a slice of flat sequences; rows get their start there.
    fn choice_part(&mut self, k: &mut KernelWriter, choice: &Choice) -> Part {
        let mut start = choice.at;
        let mut bases = Vec::new();
        for (number, alternative) in choice.of.iter().enumerate() {
            match alternative {
                Alternative::Flat(base) => bases.push(Rc::clone(base)),
                Alternative::Row(seq) if choice.of.len() == 1 => {
                    bases.push(self.flat_base(seq));
                    start = k.start(&self.f, seq.shape, &[choice.at]);
                }
                Alternative::Row(seq) => {
                    bases.push(self.flat_base(seq));
                    let here = k.op(Op::Eq, &[choice.which, idx(number as i64)]);
                    k.open();
                    let row = k.start(&self.f, seq.shape, &[choice.at]);
                    let then = k.close(vec![row]);
                    k.open();
                    let otherwise = k.close(vec![start]);
                    start = k.branch(here, then, otherwise)[0];
                }
            }
        }
        let which = (bases.len() > 1).then_some(choice.which);
        Part { len: choice.len, start, which, bases }
    }

    /// Reads the element at a position that exists.
    pub fn element(&mut self, k: &mut KernelWriter, run: &Run, at: Atom) -> Point {
        match run {
            Run::At { seq, coordinates } => match &seq.place {
                Place::Dense(elems) => {
                    let mut coordinates = coordinates.clone();
                    coordinates.push(at);
                    self.read(k, &elems.clone(), &coordinates)
                }
                Place::View { starts, base } => {
                    let start = self.read_leaf(k, starts, coordinates);
                    let place = k.op(Op::Add, &[start, at]);
                    self.read(k, &base.elems, &[place])
                }
            },
            Run::Part(part) => {
                let place = k.op(Op::Add, &[part.start, at]);
                let mut bases = part.bases.clone();
                let last = bases.pop().expect("a part is of something");
                let Some(which) = part.which else { return self.read(k, &last.elems, &[place]) };
                self.choose(k, which, &bases, &last, 0, place)
            }
            Run::One(choice) => self.chosen(k, choice, &choice.of, 0, at),
            Run::Held(held) => self.held_element(k, held, at, None),
            Run::Single(point) => (**point).clone(),
        }
    }

    /// Reads an element of the chosen alternative, by a chain of comparisons.
    fn chosen(
        &mut self,
        k: &mut KernelWriter,
        choice: &Choice,
        of: &[Alternative],
        number: i64,
        at: Atom,
    ) -> Point {
        let (first, rest) = of.split_first().expect("one of them it is");
        let mut here = |this: &mut Self, k: &mut KernelWriter| match first {
            Alternative::Flat(base) => {
                let place = k.op(Op::Add, &[choice.at, at]);
                this.read(k, &base.elems, &[place])
            }
            Alternative::Row(seq) => {
                this.element(k, &Run::At { seq: Rc::clone(seq), coordinates: vec![choice.at] }, at)
            }
        };
        if rest.is_empty() {
            return here(self, k);
        }
        let cond = k.op(Op::Eq, &[choice.which, idx(number)]);
        self.branch_point(k, cond, &mut here, &mut |this, k| this.chosen(k, choice, rest, number + 1, at))
    }

    /// Reads an element of one of several flat sequences, by a chain of comparisons.
    fn choose(
        &mut self,
        k: &mut KernelWriter,
        which: Atom,
        bases: &[Rc<Base>],
        last: &Rc<Base>,
        number: i64,
        place: Atom,
    ) -> Point {
        let Some((first, rest)) = bases.split_first() else { return self.read(k, &last.elems, &[place]) };
        let cond = k.op(Op::Eq, &[which, idx(number)]);
        self.branch_point(k, cond, &mut |this, k| this.read(k, &first.elems, &[place]), &mut |this, k| {
            this.choose(k, which, rest, last, number + 1, place)
        })
    }

    /// Writes an `if` of two values, so that only the chosen one is computed.
    pub fn branch_point(
        &mut self,
        k: &mut KernelWriter,
        cond: Atom,
        yes: &mut dyn FnMut(&mut Self, &mut KernelWriter) -> Point,
        no: &mut dyn FnMut(&mut Self, &mut KernelWriter) -> Point,
    ) -> Point {
        if let Atom::Const(Scalar::Bool(known)) = cond {
            return if known { yes(self, k) } else { no(self, k) };
        }
        k.open();
        let first = yes(self, k);
        let (first, results) = self.settle(k, first);
        let then = k.close(results);
        k.open();
        let second = no(self, k);
        let (second, mut results) = self.settle(k, second);
        let joined = join(k, &first, &second, &mut results, &mut 0);
        let otherwise = k.close(results);
        let results = k.branch(cond, then, otherwise);
        joined.rebuild(&mut results.into_iter())
    }

    /// Returns a value as scalars, with sequences as slices.
    fn settle(&mut self, k: &mut KernelWriter, point: Point) -> (Side, Vec<Atom>) {
        let mut results = Vec::new();
        let side = self.settle_into(k, &point, &mut results);
        (side, results)
    }

    fn settle_into(&mut self, k: &mut KernelWriter, point: &Point, results: &mut Vec<Atom>) -> Side {
        match point {
            Point::Scalar(atom) => {
                results.push(*atom);
                Side::Scalar
            }
            Point::Tuple(parts) => {
                Side::Tuple(parts.iter().map(|part| self.settle_into(k, part, results)).collect())
            }
            Point::Seq(run) => Side::Seq(self.settle_run(k, run, results)),
        }
    }

    fn settle_run(&mut self, k: &mut KernelWriter, run: &Run, results: &mut Vec<Atom>) -> Vec<Alternative> {
        match run {
            Run::One(choice) => {
                results.extend([choice.len, choice.at, choice.which]);
                choice.of.clone()
            }
            Run::At { seq, coordinates }
                if seq.level == 1 && matches!(&seq.place, Place::Dense(elems) if elems.level() == 2) =>
            {
                let len = self.run_len(k, run);
                results.extend([len, coordinates[0], idx(0)]);
                vec![Alternative::Row(Rc::clone(seq))]
            }
            _ => {
                let part = self.run_part(k, run);
                results.extend([part.len, part.start, part.which.unwrap_or(idx(0))]);
                part.bases.into_iter().map(Alternative::Flat).collect()
            }
        }
    }

    /// Returns the zero of a type at a point.
    pub fn zero_point(&mut self, ty: crate::core::Ty) -> Point {
        match self.shape_of(ty) {
            super::TypeShape::Scalar(ty) => Point::Scalar(Atom::Const(Scalar::zero(ty))),
            super::TypeShape::Tuple(parts) => {
                Point::Tuple(parts.into_iter().map(|part| self.zero_point(part)).collect())
            }
            super::TypeShape::Seq(element) => {
                let elems = self.empty_elements(element);
                let base = Rc::new(Base { extent: nestled_ir::Axis::Const(0), elems });
                Point::Seq(Run::Part(Part { len: idx(0), start: idx(0), which: None, bases: vec![base] }))
            }
        }
    }

    /// Returns a value of level 1 over no points.
    pub fn empty_elements(&mut self, ty: crate::core::Ty) -> Val {
        match self.shape_of(ty) {
            super::TypeShape::Scalar(elem) => {
                let op = nestled_ir::HostOp::Literal { elem, extents: vec![0], elements: Vec::new() };
                let atom = HostAtom::Value(self.emit_one("none", op));
                Val::host(1, elem, atom)
            }
            super::TypeShape::Tuple(parts) => {
                Val::tuple(parts.into_iter().map(|part| self.empty_elements(part)).collect())
            }
            super::TypeShape::Seq(element) => {
                let op = nestled_ir::HostOp::Literal {
                    elem: ScalarType::Idx,
                    extents: vec![0],
                    elements: Vec::new(),
                };
                let none = HostAtom::Value(self.emit_one("none", op));
                let shape = self.segments(none, crate::fault::FaultCode::Limit);
                let elems = self.empty_elements(element);
                let base = Rc::new(Base { extent: nestled_ir::Axis::Const(0), elems });
                let starts = Leaf { level: 1, ty: ScalarType::Idx, at: At::Host(none) };
                Val::seq(1, shape, Place::View { starts, base })
            }
        }
    }
}

/// The results of a block of an `if`, as scalars.
enum Side {
    Scalar,
    Tuple(Vec<Side>),
    /// Three scalars: length, place, and number of the alternative.
    Seq(Vec<Alternative>),
}

/// Joins both sides of an `if`; the alternatives of the second side are renumbered in its results.
fn join(k: &mut KernelWriter, first: &Side, second: &Side, results: &mut [Atom], at: &mut usize) -> Side {
    match (first, second) {
        (Side::Scalar, Side::Scalar) => {
            *at += 1;
            Side::Scalar
        }
        (Side::Tuple(a), Side::Tuple(b)) => {
            Side::Tuple(a.iter().zip(b).map(|(a, b)| join(k, a, b, results, at)).collect())
        }
        (Side::Seq(a), Side::Seq(b)) => {
            let which = *at + 2;
            *at += 3;
            // A flat sequence that both sides have stays one.
            if matches!((a.as_slice(), b.as_slice()), ([a], [b]) if a.is(b)) {
                return Side::Seq(a.clone());
            }
            // What is empty has no elements to look for.
            if is_empty(a) || is_empty(b) {
                return Side::Seq(if is_empty(a) { b } else { a }.clone());
            }
            results[which] = k.op(Op::Add, &[results[which], idx(a.len() as i64)]);
            Side::Seq(a.iter().chain(b).cloned().collect())
        }
        _ => unreachable!("both sides have one type"),
    }
}

fn is_empty(of: &[Alternative]) -> bool {
    matches!(of, [Alternative::Flat(base)] if base.extent == nestled_ir::Axis::Const(0))
}

impl Side {
    fn rebuild(&self, results: &mut impl Iterator<Item = Atom>) -> Point {
        match self {
            Side::Scalar => Point::Scalar(results.next().expect("a result for each scalar")),
            Side::Tuple(parts) => Point::Tuple(parts.iter().map(|part| part.rebuild(results)).collect()),
            Side::Seq(of) => {
                let mut next = || results.next().expect("three results for each sequence");
                let (len, at, which) = (next(), next(), next());
                let flat = |one: &Alternative| match one {
                    Alternative::Flat(base) => Some(Rc::clone(base)),
                    Alternative::Row(_) => None,
                };
                Point::Seq(match of.iter().map(flat).collect::<Option<Vec<_>>>() {
                    Some(bases) => {
                        let which = (bases.len() > 1).then_some(which);
                        Run::Part(Part { len, start: at, which, bases })
                    }
                    None => Run::One(Choice { len, at, which, of: of.clone() }),
                })
            }
        }
    }
}
