//! Control-flow joins: the signature of the results of a function or a conditional, as the least upper bound over all its ends.
//!
//! A vector known to have one element on one side only becomes a vector of any length. Extents that differ, or are not known outside, become new extents. A
//! segmented vector stays segmented if its segmentation is a result too or is known outside.

use super::equal_extents::Extent;
use super::frame::axis_atom;
use super::shape::form_shape;
use super::slot::{Descr, Form, Origin, Slot, Vector};
use super::{Lower, Lowering, Output};
use crate::stack::ir::State;
use crate::syntax::instr::Elem;
use nestled_ir::{Axis, Form as SegForm, HostAtom, HostOp, Name, ScalarType, Shape, Span, Type, ValueId};
use std::collections::HashSet;

/// An extent of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DimRef {
    /// A number, or an extent that is known outside.
    Outer(Axis),
    /// A new extent, by its number.
    New(usize),
}

/// A segmentation of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegRef {
    /// One that is known outside.
    Outer(ValueId),
    /// A new segmentation, by its number.
    New(usize),
}

/// The type of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SigSlot {
    /// A vector of one element.
    One(Elem),
    /// A flat vector.
    Flat(Elem, DimRef),
    /// A segmented vector.
    Seg(Elem, SegRef),
    /// A descriptor of one segment.
    Single(DimRef),
    /// Any other descriptor.
    Many(SegRef),
    /// A pair of slots.
    Pair(Box<SigSlot>, Box<SigSlot>),
    /// The machine's state.
    State(State),
}

/// The signature of a function or conditional: new extents, then new segmentations, then vectors and states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sig {
    /// Number of new extents.
    pub dims: usize,
    /// The number of segments of each new segmentation.
    pub segs: Vec<DimRef>,
    /// The slots.
    pub slots: Vec<SigSlot>,
}

impl SigSlot {
    /// Returns the place of a slot of the final stack among the results; `next` is the next vector.
    pub fn output(&self, sig: &Sig, next: &mut usize) -> Output {
        match self {
            SigSlot::One(elem) | SigSlot::Flat(elem, _) | SigSlot::Seg(elem, _) => {
                *next += 1;
                Output::Vector { elem: *elem, at: *next - 1 }
            }
            SigSlot::Single(DimRef::New(number)) => Output::Segdes { at: *number },
            SigSlot::Single(DimRef::Outer(Axis::Const(extent))) => Output::Known(*extent),
            SigSlot::Many(SegRef::New(number)) => Output::Segdes { at: sig.dims + number },
            SigSlot::Pair(left, right) => {
                let left = left.output(sig, next);
                Output::Pair(Box::new(left), Box::new(right.output(sig, next)))
            }
            SigSlot::Single(DimRef::Outer(Axis::Sym(_)))
            | SigSlot::Many(SegRef::Outer(_))
            | SigSlot::State(_) => {
                unreachable!("the entry has no parameters, and keeps its state")
            }
        }
    }
}

impl Sig {
    /// Collects the symbols that refer to values known outside.
    fn outer_symbols(&self) -> HashSet<ValueId> {
        fn visit(slot: &SigSlot, found: &mut HashSet<ValueId>) {
            match slot {
                SigSlot::Flat(_, DimRef::Outer(Axis::Sym(value)))
                | SigSlot::Single(DimRef::Outer(Axis::Sym(value))) => {
                    found.insert(*value);
                }
                SigSlot::Seg(_, SegRef::Outer(seg)) | SigSlot::Many(SegRef::Outer(seg)) => {
                    found.insert(*seg);
                }
                SigSlot::Pair(left, right) => {
                    visit(left, found);
                    visit(right, found);
                }
                SigSlot::One(_)
                | SigSlot::Flat(..)
                | SigSlot::Seg(..)
                | SigSlot::Single(_)
                | SigSlot::Many(_)
                | SigSlot::State(_) => {}
            }
        }
        let mut found = HashSet::new();
        self.slots.iter().for_each(|slot| visit(slot, &mut found));
        for parent in &self.segs {
            if let DimRef::Outer(Axis::Sym(value)) = parent {
                found.insert(*value);
            }
        }
        found
    }
}

/// A signature, with the origins of the new extents and segmentations on each side.
pub struct Join {
    /// The signature.
    pub sig: Sig,
    pub(super) dims: Vec<[Extent; 2]>,
    pub(super) segs: Vec<[Descr; 2]>,
}

impl Lowering<'_> {
    /// Gives every extent of a slot its preferred name, which stays valid after the end of the block.
    pub fn resolve(&mut self, slot: &Slot) -> Slot {
        match slot {
            Slot::Vector(vector) => {
                let form = match vector.form {
                    Form::Flat(axis) => Form::Flat(self.named(axis)),
                    form => form,
                };
                Slot::Vector(Vector { form, origin: Origin::Any, ..*vector })
            }
            Slot::Descr(Descr::Single(axis)) => Slot::Descr(Descr::Single(self.named(*axis))),
            Slot::Descr(Descr::Many { seg, parent }) => {
                Slot::Descr(Descr::Many { seg: *seg, parent: self.named(*parent) })
            }
            Slot::Pair(both) => {
                let both = (self.resolve(&both.0), self.resolve(&both.1));
                Slot::Pair(std::rc::Rc::new(both))
            }
            Slot::State(..) => slot.clone(),
        }
    }

    /// Returns the number of elements under a segmentation, by name if it is known.
    pub fn known_total(&mut self, seg: ValueId) -> Extent {
        self.frame.facts.axis(Extent::Total(seg)).map_or(Extent::Total(seg), Extent::Axis)
    }

    /// Returns the results of a side in the order of the signature; writes the statements that convert them.
    pub fn realize(&mut self, join: &Join, side: usize, slots: &[Slot], span: Span) -> Lower<Vec<HostAtom>> {
        let mut results = Vec::new();
        // A symbol among the results stands for all its mentions in their types. So no symbol may be there twice, nor one that is also meant
        // as it is known outside.
        let mut taken = join.sig.outer_symbols();
        let mut dims = Vec::new();
        for sources in &join.dims {
            let value = match sources[side] {
                Extent::Axis(Axis::Sym(value)) if taken.insert(value) => value,
                Extent::Axis(axis) => {
                    let site = self.out.site(span);
                    self.emit_one("n", HostOp::Dim { extent: axis_atom(axis), site }, span)?
                }
                Extent::Total(seg) => self.emit_one("n", HostOp::Size { shape: Shape::of(seg) }, span)?,
            };
            results.push(HostAtom::Value(value));
            dims.push(value);
        }
        let mut segs = Vec::new();
        for (sources, parent) in join.segs.iter().zip(&join.sig.segs) {
            let (mut seg, _) = self.many(sources[side], span)?;
            let parent = match parent {
                DimRef::Outer(axis) => *axis,
                DimRef::New(number) => Axis::Sym(dims[*number]),
            };
            if self.parent(seg) != parent || !taken.insert(seg) {
                let lengths = self.emit_one("lengths", HostOp::Lengths { seg }, span)?;
                let lengths = self.exactly(HostAtom::Value(lengths), Form::Flat(parent), span)?;
                let lengths = self.as_value(lengths);
                let site = self.out.site(span);
                seg = self.emit_one("s", HostOp::Segments { lengths, site }, span)?;
            }
            results.push(HostAtom::Value(seg));
            segs.push(seg);
        }
        for (slot, sig) in slots.iter().zip(&join.sig.slots) {
            self.realize_slot(slot, sig, (&dims, &segs), &mut results, span)?;
        }
        Ok(results)
    }

    fn realize_slot(
        &mut self,
        slot: &Slot,
        sig: &SigSlot,
        (dims, segs): (&[ValueId], &[ValueId]),
        results: &mut Vec<HostAtom>,
        span: Span,
    ) -> Lower<()> {
        let form = match (slot, sig) {
            (Slot::Pair(both), SigSlot::Pair(left, right)) => {
                self.realize_slot(&both.0, left, (dims, segs), results, span)?;
                return self.realize_slot(&both.1, right, (dims, segs), results, span);
            }
            (Slot::State(_, atom), _) => {
                results.push(*atom);
                return Ok(());
            }
            (_, SigSlot::One(_)) => Form::One,
            (_, SigSlot::Flat(_, DimRef::Outer(axis))) => Form::Flat(*axis),
            (_, SigSlot::Flat(_, DimRef::New(number))) => Form::Flat(Axis::Sym(dims[*number])),
            (_, SigSlot::Seg(_, SegRef::Outer(seg))) => Form::Seg(*seg),
            (_, SigSlot::Seg(_, SegRef::New(number))) => Form::Seg(segs[*number]),
            _ => return Ok(()),
        };
        let Slot::Vector(vector) = slot else { return Ok(()) };
        let atom = match (vector.form, form) {
            (Form::One, Form::Flat(_)) => self.fill(vector.elem, form, vector.atom, span)?,
            (Form::One, _) => vector.atom,
            (Form::Flat(_) | Form::Seg(_), _) => self.exactly(vector.atom, form, span)?,
        };
        results.push(atom);
        Ok(())
    }

    /// Returns an array with exactly this shape in its type.
    fn exactly(&mut self, atom: HostAtom, form: Form, span: Span) -> Lower<HostAtom> {
        let value = self.as_value(atom);
        let shape = form_shape(form);
        let fits = matches!(
            &self.frame.function.0.values[value.index()].ty,
            Type::Array(array) if array.shape == shape
        );
        if fits {
            return Ok(atom);
        }
        let site = self.out.site(span);
        let op = HostOp::Reshape { array: value, shape, site };
        Ok(HostAtom::Value(self.emit_one("", op, span)?))
    }

    /// Makes new values for a signature and returns their slots. `axis` and `seg` translate the symbols that are known outside.
    pub fn bind(
        &mut self,
        sig: &Sig,
        axis: &dyn Fn(Axis) -> Axis,
        seg: &dyn Fn(ValueId) -> ValueId,
        span: Span,
    ) -> (Vec<ValueId>, Vec<Slot>) {
        let nameless: Name = "".into();
        let mut binds = Vec::new();
        for _ in 0..sig.dims {
            binds.push(self.frame.value(&"n".into(), Type::Dim, span));
        }
        let dims = binds.clone();
        let dim = |dim: DimRef| match dim {
            DimRef::Outer(outer) => axis(outer),
            DimRef::New(number) => Axis::Sym(dims[number]),
        };
        let mut segs = Vec::new();
        for &parent in &sig.segs {
            let ty = Type::seg(Shape::new([dim(parent)]), SegForm::Offsets);
            segs.push(self.frame.value(&"s".into(), ty, span));
        }
        binds.extend(&segs);
        let mut slots = Vec::new();
        for slot in &sig.slots {
            let slot = self.bind_slot(
                slot,
                &dim,
                &|seg_ref| match seg_ref {
                    SegRef::Outer(outer) => seg(outer),
                    SegRef::New(number) => segs[number],
                },
                &mut binds,
                &nameless,
                span,
            );
            slots.push(slot);
        }
        (binds, slots)
    }

    fn bind_slot(
        &mut self,
        slot: &SigSlot,
        dim: &dyn Fn(DimRef) -> Axis,
        seg: &dyn Fn(SegRef) -> ValueId,
        binds: &mut Vec<ValueId>,
        name: &Name,
        span: Span,
    ) -> Slot {
        let (elem, form) = match slot {
            SigSlot::One(elem) => (*elem, Form::One),
            SigSlot::Flat(elem, axis) => (*elem, Form::Flat(dim(*axis))),
            SigSlot::Seg(elem, of) => (*elem, Form::Seg(seg(*of))),
            SigSlot::Single(axis) => return Slot::Descr(Descr::Single(dim(*axis))),
            SigSlot::Many(of) => {
                let seg = seg(*of);
                return Slot::Descr(Descr::Many { seg, parent: self.parent(seg) });
            }
            SigSlot::Pair(left, right) => {
                let left = self.bind_slot(left, dim, seg, binds, name, span);
                let right = self.bind_slot(right, dim, seg, binds, name, span);
                return Slot::Pair(std::rc::Rc::new((left, right)));
            }
            SigSlot::State(state) => {
                let ty = Type::scalar(state_type(*state));
                binds.push(self.frame.value(name, ty, span));
                return Slot::State(*state, HostAtom::Value(binds[binds.len() - 1]));
            }
        };
        let ty = Type::dense(self.options.scalar(elem), form_shape(form));
        let value = self.frame.value(name, ty, span);
        binds.push(value);
        Slot::Vector(Vector::new(elem, form, HostAtom::Value(value)))
    }
}

/// Returns the λcu type of a part of the machine's state.
pub fn state_type(state: State) -> ScalarType {
    match state {
        State::Random => ScalarType::I64,
        State::Timer => ScalarType::F64,
    }
}
