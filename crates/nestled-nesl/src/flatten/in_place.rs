//! In-place updates: calls of functions that change sequences destructively, outside of any context, become one `serial` each.
//!
//! ```text
//! function fill(v, i) = if i == #v then v else fill(rep(v, v[i - 1] + 1, i), i + 1);
//!
//! kernel fill(v: [n]i64) {
//!   w = serial base v { v =>
//!     while (i = 1, goes_on = true) { goes_on } do {
//!       if eq i n { i, false } else { x = v[i - 1] ; v[i] = add x 1 ; add i 1, true }
//!     }
//!   }
//!   ret w
//! }
//! ```

use super::held::{Held, Unwritten};
use super::kernel::KernelWriter;
use super::point::{Point, Run};
use super::scalar::{InThunk, Operations};
use super::scatter::rebuild;
use super::val::{At, Leaf, Place, Val};
use super::{Emitter, host::axis_atom};
use crate::fault::FaultCode;
use nestled_ir::{Atom, CombinatorKind, HostAtom, HostBlock, HostOp, Scalar, SiteId, StmtKind, ValueId};
use std::rc::Rc;

impl Emitter<'_> {
    /// Writes a call of a function that updates sequences in place.
    pub fn updating_call(&mut self, callee: usize, args: &[Val]) -> Val {
        self.settle_all();
        let args: Vec<Val> = args.iter().map(|arg| self.settled(arg)).collect();
        let mut changed = self.analysis.updates[&callee].changed.clone().into_iter();
        // What is changed lies in arrays of its own.
        let args: Vec<(Val, Vec<bool>)> = args.iter().map(|arg| self.with_solid(arg, &mut changed)).collect();
        self.end_region();
        let name = self.source.core.functions[callee].name.clone();
        let mut k = self.kernel(&name, &[]);
        let mut bases = Vec::new();
        let points = args
            .iter()
            .map(|(arg, changed)| self.held_point(&mut k, arg, &mut changed.iter().copied(), &mut bases))
            .collect();
        let result = self.serial_call(&mut k, callee, points);
        self.write_all_held(&mut k);
        let mut scalars = Vec::new();
        result.scalars(&mut scalars);
        let types: Vec<_> = scalars.iter().map(|atom| k.ty(*atom)).collect();
        let binds = k.end(CombinatorKind::Serial { bases: bases.clone() }, None, scalars);
        let made = self.run(k, binds);
        let (arrays, scalars) = made.split_at(bases.len());
        let mut scalars =
            scalars.iter().zip(types).map(|(&made, ty)| Val::host(0, ty, HostAtom::Value(made)));
        updated(&result, arrays, &mut scalars)
    }

    /// Ends the region, so that faults are reported here: on the values that a fault leaves, the loop might not terminate.
    fn end_region(&mut self) {
        let cond = HostAtom::Const(Scalar::Bool(true));
        let (then, otherwise) = (HostBlock::default(), HostBlock::default());
        self.emit("", HostOp::If { cond, then, otherwise }, 0);
    }

    /// Returns the value with dense sequences where they are updated, and a flag for each of its sequences.
    fn with_solid(&mut self, val: &Val, changed: &mut dyn Iterator<Item = bool>) -> (Val, Vec<bool>) {
        match val {
            Val::Scalar(_) => (val.clone(), Vec::new()),
            Val::Tuple(parts) => {
                let mut marks = Vec::new();
                let mut part = |part: &Val| {
                    let (part, more) = self.with_solid(part, changed);
                    marks.extend(more);
                    part
                };
                let parts = parts.iter().map(&mut part).collect();
                (Val::tuple(parts), marks)
            }
            Val::Seq(_) => match changed.next().expect("a mark for each sequence") {
                true => (self.solid(val, &[]), vec![true]),
                false => (val.clone(), vec![false]),
            },
        }
    }

    /// Returns a value in the thunk of a `serial`.
    fn held_point(
        &mut self,
        k: &mut KernelWriter,
        val: &Val,
        changed: &mut dyn Iterator<Item = bool>,
        bases: &mut Vec<ValueId>,
    ) -> Point {
        match val {
            Val::Scalar(leaf) => Point::Scalar(self.read_leaf(k, leaf, &[])),
            Val::Tuple(parts) => {
                Point::Tuple(parts.iter().map(|part| self.held_point(k, part, changed, bases)).collect())
            }
            Val::Seq(_) if !changed.next().expect("a mark for each sequence") => self.read(k, val, &[]),
            Val::Seq(seq) => {
                let Place::Dense(elems) = &seq.place else { unreachable!("it was made solid") };
                let mut leaves = Vec::new();
                elems.scalars(&mut |leaf| leaves.push(leaf.clone()));
                let mut privates = Vec::new();
                for leaf in &leaves {
                    let array = self.array_of(leaf);
                    bases.push(k.param(&self.f, array));
                    privates.push(k.given("held", leaf.ty));
                }
                let len = k.scalar(&self.f, axis_atom(self.f.canonical(seq.shape)));
                let held = Held { privates, elems: elems.clone(), shape: seq.shape, len, version: 0 };
                Point::Seq(Run::Held(Rc::new(held)))
            }
        }
    }

    /// Reads the element at a position. The site is that of its fault; there is none where the element is known to exist.
    pub fn held_element(
        &mut self,
        k: &mut KernelWriter,
        held: &Held,
        at: Atom,
        site: Option<SiteId>,
    ) -> Point {
        // Of an earlier version, the element is in memory still.
        if k.unwritten.iter().any(|one| one.held.is(held) && one.held.version == held.version) {
            self.write_held(k, held);
        }
        let mut leaves = Vec::new();
        held.elems.scalars(&mut |leaf| leaves.push(leaf.ty));
        let (mut atoms, mut site) = (Vec::new(), site);
        for (&array, ty) in held.privates.iter().zip(leaves) {
            let dst = k.local(ty);
            // Behind the first, the others cannot miss.
            k.push(StmtKind::PrivateGet { dst, array, at, site: site.take() });
            atoms.push(Atom::Local(dst));
        }
        like(&held.elems, &mut atoms.into_iter())
    }

    /// Writes `put([value], [at], held)`: the bounds check is done here, the write is delayed until a read needs it.
    pub fn put_held(&mut self, k: &mut KernelWriter, held: &Rc<Held>, at: Atom, value: &Point) -> Rc<Held> {
        self.write_held(k, held);
        let at = k.index(at);
        let mut values = Vec::new();
        value.scalars(&mut values);
        if self.source.checked {
            let fine = self.in_range(k, at, held.len);
            InThunk { this: self, k }.check(fine, FaultCode::Write);
        }
        k.versions += 1;
        let held = Rc::new(Held {
            elems: held.elems.clone(),
            privates: held.privates.clone(),
            version: k.versions,
            ..**held
        });
        k.unwritten.push(Unwritten { held: Rc::clone(&held), at, values });
        held
    }

    /// Writes the delayed element of a sequence, if there is one.
    fn write_held(&mut self, k: &mut KernelWriter, held: &Held) {
        if let Some(at) = k.unwritten.iter().position(|one| one.held.is(held)) {
            let one = k.unwritten.remove(at);
            self.write_one(k, &one);
        }
    }

    /// Writes all delayed elements: the code that follows is run repeatedly, or conditionally.
    pub fn write_all_held(&mut self, k: &mut KernelWriter) {
        for one in std::mem::take(&mut k.unwritten) {
            self.write_one(k, &one);
        }
    }

    fn write_one(&mut self, k: &mut KernelWriter, one: &Unwritten) {
        let Unwritten { held, at, values } = one;
        let at = *at;
        let write = |k: &mut KernelWriter| {
            for (&array, &value) in held.privates.iter().zip(values) {
                k.push(StmtKind::PrivateSet { array, at, value, site: None });
            }
        };
        if self.source.checked {
            return write(k);
        }
        // What would be written elsewhere is dropped.
        let inside = self.in_range(k, at, held.len);
        k.open();
        write(k);
        let then = k.close(Vec::new());
        k.open();
        let otherwise = k.close(Vec::new());
        k.branch(inside, then, otherwise);
    }
}

/// Rebuilds an element from its scalars.
fn like(elems: &Val, atoms: &mut dyn Iterator<Item = Atom>) -> Point {
    match elems {
        Val::Scalar(_) => Point::Scalar(atoms.next().expect("an atom for each scalar")),
        Val::Tuple(parts) => Point::Tuple(parts.iter().map(|part| like(part, atoms)).collect()),
        Val::Seq(_) => unreachable!("elements are flat"),
    }
}

/// Returns the result of a `serial` as a value of host code.
fn updated(point: &Point, arrays: &[ValueId], scalars: &mut dyn Iterator<Item = Val>) -> Val {
    match point {
        Point::Scalar(_) => scalars.next().expect("a value for each scalar"),
        Point::Tuple(parts) => Val::tuple(parts.iter().map(|part| updated(part, arrays, scalars)).collect()),
        Point::Seq(Run::Held(held)) => {
            let mut leaves = Vec::new();
            held.elems.scalars(&mut |leaf| leaves.push(leaf.clone()));
            let made = held.privates.iter().map(|private| At::Host(HostAtom::Value(arrays[private.index()])));
            let mut leaves = leaves.into_iter().zip(made).map(|(leaf, at)| Leaf { at, ..leaf });
            Val::seq(0, held.shape, Place::Dense(rebuild(&held.elems, &mut leaves)))
        }
        Point::Seq(Run::At { seq, .. }) => Val::Seq(Rc::clone(seq)),
        Point::Seq(run) => unreachable!("{run:?} is neither given nor of the top level"),
    }
}
