//! Lowering of functions: one specialised copy for each combination of operand types and shapes with which a function is called.
//!
//! The signature of a recursive function is found by fixpoint iteration. At first its own calls are assumed never to return, so a branch without recursion
//! determines the results; then the function is written again under that assumption until its signature does not change.

use super::control::Left;
use super::equal_extents::Extent;
use super::frame::Frame;
use super::join::{DimRef, SegRef, Sig, SigSlot};
use super::slot::{Descr, Form, Slot, Vector};
use super::{Lower, Lowering};
use crate::stack::ir::{State, Var};
use crate::syntax::codes;
use crate::syntax::instr::Elem;
use nestled_ir::{
    Axis, Diagnostic, Form as SegForm, Function, FunctionId, HostAtom, HostBlock, HostOp, HostStmt, Shape,
    Span, Type, ValueId,
};
use std::collections::HashMap;

/// Largest number of rounds of the iteration for a recursive function.
const MAX_ROUNDS: usize = 40;

/// The key of a copy: the shapes and types of its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Key {
    /// The function.
    pub function: usize,
    /// Number of different extents among the operands.
    pub dims: usize,
    /// Segmentations among the operands: the number of the extent that counts their segments and, if there is one, of the extent that counts their elements.
    pub segs: Vec<(usize, Option<usize>)>,
    /// The operands.
    pub slots: Vec<KeySlot>,
}

/// The type of an operand; extents and segmentations are numbered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeySlot {
    /// A vector of one element.
    One(Elem),
    /// A flat vector.
    Flat(Elem, usize),
    /// A segmented vector.
    Seg(Elem, usize),
    /// A descriptor of one segment.
    Single(usize),
    /// Any other descriptor.
    Many(usize),
    /// A pair of slots.
    Pair(Box<KeySlot>, Box<KeySlot>),
    /// The machine's state.
    State(State),
}

/// The copies that have been written.
#[derive(Debug, Default)]
pub struct Instances {
    by_key: HashMap<Key, usize>,
    all: Vec<Instance>,
    /// The copies that are being written, outermost first.
    open: Vec<usize>,
}

#[derive(Debug)]
struct Instance {
    id: FunctionId,
    status: Status,
    /// The signature of the results as far as it is known; none where the function does not return.
    sig: Option<Sig>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// Being written, at a place in `open`; `low` is the outermost place on which it depends.
    Open { place: usize, low: usize },
    /// Written, under assumptions about the function at a place in `open`.
    Assumed(usize),
    /// To be written again, because assumptions were wrong.
    Stale,
    /// Written.
    Done,
}

impl Lowering<'_> {
    /// Returns the copy for a key, with its signature as far as it is known.
    pub fn instance(&mut self, key: Key, span: Span) -> Lower<(FunctionId, Option<Sig>)> {
        let number = match self.instances.by_key.get(&key) {
            Some(&number) => number,
            None => self.new_instance(&key),
        };
        match self.instances.all[number].status {
            Status::Done => {}
            Status::Open { place, .. } => self.depend(place),
            Status::Assumed(place) => self.depend(place),
            Status::Stale => self.write(number, &key, span)?,
        }
        let instance = &self.instances.all[number];
        Ok((instance.id, instance.sig.clone()))
    }

    fn new_instance(&mut self, key: &Key) -> usize {
        let id = self.out.function(Frame::default().function.0);
        let number = self.instances.all.len();
        self.instances.all.push(Instance { id, status: Status::Stale, sig: None });
        self.instances.by_key.insert(key.clone(), number);
        number
    }

    /// Records that the current function depends on an assumption about an open function further out.
    fn depend(&mut self, on: usize) {
        if let Some(&number) = self.instances.open.last()
            && let Status::Open { low, .. } = &mut self.instances.all[number].status
        {
            *low = (*low).min(on);
        }
    }

    /// Writes a function, in rounds until its signature is stable.
    fn write(&mut self, number: usize, key: &Key, span: Span) -> Lower<()> {
        let place = self.instances.open.len();
        self.instances.open.push(number);
        let saved = std::mem::take(&mut self.frame);
        let mut rounds = 0;
        let low = loop {
            self.instances.all[number].status = Status::Open { place, low: usize::MAX };
            let (function, sig) = self.function(key, span)?;
            let id = self.instances.all[number].id;
            self.out.define(id, function);
            let Status::Open { low, .. } = self.instances.all[number].status else { break usize::MAX };
            let changed = sig != self.instances.all[number].sig;
            self.instances.all[number].sig = sig;
            if low > place || !changed {
                break low;
            }
            rounds += 1;
            if rounds > MAX_ROUNDS {
                let name = &self.source.functions[key.function].name;
                let message = format!("the shapes that `{name}` gives do not settle");
                return Err(Box::new(Diagnostic::new(codes::LIMIT, message, span)));
            }
            // What was written under the old assumption is written again.
            for instance in &mut self.instances.all {
                if matches!(instance.status, Status::Assumed(on) if on >= place) {
                    instance.status = Status::Stale;
                }
            }
        };
        self.frame = saved;
        self.instances.open.pop();
        let settled = low >= place;
        for instance in &mut self.instances.all {
            match &mut instance.status {
                Status::Assumed(on) if *on >= place => {
                    instance.status = if settled { Status::Done } else { Status::Assumed(low) };
                }
                _ => {}
            }
        }
        self.instances.all[number].status = if settled { Status::Done } else { Status::Assumed(low) };
        if !settled {
            self.depend(low);
        }
        Ok(())
    }

    /// Writes a function once.
    fn function(&mut self, key: &Key, span: Span) -> Lower<(Function, Option<Sig>)> {
        let source = &self.source.functions[key.function];
        self.frame = Frame::default();
        let mut name = source.name.clone();
        if key.function == self.source.entry {
            name = nestled_ir::Program::ENTRY.into();
        } else if &*name == nestled_ir::Program::ENTRY {
            name = "main_".into();
        }
        self.frame.function.0.name = name;
        self.frame.function.0.span = source.span;
        self.frame.env = vec![None; source.n_vars];
        let mut dims = Vec::new();
        for _ in 0..key.dims {
            dims.push(self.frame.value(&"n".into(), Type::Dim, source.span));
        }
        let mut segs = Vec::new();
        for &(parent, total) in &key.segs {
            let ty = Type::seg(Shape::of(dims[parent]), SegForm::Offsets);
            let seg = self.frame.value(&"s".into(), ty, source.span);
            if let Some(total) = total {
                self.frame.facts.unite(Extent::Axis(Axis::Sym(dims[total])), Extent::Total(seg));
            }
            segs.push(seg);
        }
        let mut params = Vec::new();
        for (slot, &param) in key.slots.iter().zip(&source.params) {
            let slot = self.param(slot, (&dims, &segs), &mut params, source.span);
            self.set(param, slot);
        }
        self.frame.function.0.shapes = dims.into_iter().chain(segs).collect();
        self.frame.function.0.params = params;
        let outer = self.frame.function.0.shapes.len() as u32;
        let left: Left = self.block(&source.body, span)?;
        let mut results = Vec::new();
        let sig = match Self::function_sig(&left, outer, source.span)? {
            None => None,
            Some((join, sig)) => {
                let slots = left.slots.unwrap_or_default();
                results = self.realize(&join, 0, &slots, source.span)?;
                let (formals, _) = self.bind(&sig, &|axis| axis, &|seg| seg, source.span);
                self.frame.function.0.results = formals;
                Some(sig)
            }
        };
        let mut frame = std::mem::take(&mut self.frame);
        frame.function.0.body = HostBlock { stmts: frame.stmts, results };
        Ok((frame.function.0, sig))
    }

    fn param(
        &mut self,
        slot: &KeySlot,
        (dims, segs): (&[ValueId], &[ValueId]),
        params: &mut Vec<ValueId>,
        span: Span,
    ) -> Slot {
        let sig = match slot {
            KeySlot::Pair(left, right) => {
                let left = self.param(left, (dims, segs), params, span);
                let right = self.param(right, (dims, segs), params, span);
                return Slot::Pair(std::rc::Rc::new((left, right)));
            }
            KeySlot::One(elem) => SigSlot::One(*elem),
            KeySlot::Flat(elem, dim) => SigSlot::Flat(*elem, DimRef::Outer(Axis::Sym(dims[*dim]))),
            KeySlot::Seg(elem, seg) => SigSlot::Seg(*elem, SegRef::Outer(segs[*seg])),
            KeySlot::Single(dim) => SigSlot::Single(DimRef::Outer(Axis::Sym(dims[*dim]))),
            KeySlot::Many(seg) => SigSlot::Many(SegRef::Outer(segs[*seg])),
            KeySlot::State(state) => SigSlot::State(*state),
        };
        let sig = Sig { dims: 0, segs: Vec::new(), slots: vec![sig] };
        let (values, slots) = self.bind(&sig, &|axis| axis, &|seg| seg, span);
        params.extend(values);
        slots.into_iter().next().expect("there is one slot")
    }

    /// Writes a call; the result is false if the function never returns.
    pub fn call(&mut self, callee: usize, args: &[Var], binds: &[Var], span: Span) -> Lower<bool> {
        let slots: Vec<Slot> = args.iter().map(|&arg| self.frame.slot(arg).clone()).collect();
        let slots: Vec<Slot> = slots.iter().map(|slot| self.resolve(slot)).collect();
        let mut namer = Namer { dims: Vec::new(), segs: Vec::new() };
        let key_slots: Vec<KeySlot> = slots.iter().map(|slot| namer.slot(slot, self)).collect();
        let mut segs = Vec::new();
        for &(seg, parent) in &namer.segs.clone() {
            let parent = namer.dim(parent);
            segs.push((seg, parent));
        }
        let mut key_segs = Vec::new();
        for &(seg, parent) in &segs {
            let total = self.frame.facts.axis(Extent::Total(seg));
            key_segs.push((parent, total.and_then(|axis| namer.dims.iter().position(|&dim| dim == axis))));
            // The callee counts its segments by another name.
            let actual = self.parent(seg);
            self.same(actual, namer.dims[parent], span)?;
        }
        let key = Key { function: callee, dims: namer.dims.len(), segs: key_segs, slots: key_slots };
        let mut given = Vec::new();
        for slot in &slots {
            let mut leaves = Vec::new();
            slot.for_each(&mut |leaf| leaves.push(leaf.clone()));
            for leaf in leaves {
                match leaf {
                    Slot::Vector(vector) => given.push(self.conform(vector.atom, vector.form, span)?),
                    Slot::State(_, atom) => given.push(atom),
                    Slot::Descr(_) | Slot::Pair(_) => {}
                }
            }
        }
        let (function, sig) = self.instance(key, span)?;
        let dims = namer.dims;
        let shapes: Vec<Axis> =
            dims.iter().copied().chain(segs.iter().map(|&(seg, _)| Axis::Sym(seg))).collect();
        let Some(sig) = sig else {
            self.push_call(function, shapes, given, Vec::new(), span);
            return Ok(false);
        };
        let axis = |axis: Axis| match axis {
            Axis::Sym(formal) => shapes[formal.index()],
            Axis::Const(_) => axis,
        };
        let seg = |formal: ValueId| match shapes[formal.index()] {
            Axis::Sym(seg) => seg,
            Axis::Const(_) => unreachable!("a segmentation is a symbol"),
        };
        let (values, results) = self.bind(&sig, &axis, &seg, span);
        self.push_call(function, shapes.clone(), given, values, span);
        for (&bind, slot) in binds.iter().zip(results) {
            self.set(bind, slot);
        }
        Ok(true)
    }

    fn push_call(
        &mut self,
        function: FunctionId,
        shapes: Vec<Axis>,
        args: Vec<HostAtom>,
        binds: Vec<ValueId>,
        span: Span,
    ) {
        self.work += 1;
        self.frame.stmts.push(HostStmt { binds, op: HostOp::Call { function, shapes, args }, span });
    }
}

/// Numbers the extents and segmentations of a call.
struct Namer {
    dims: Vec<Axis>,
    segs: Vec<(ValueId, Axis)>,
}

impl Namer {
    fn dim(&mut self, axis: Axis) -> usize {
        if let Some(number) = self.dims.iter().position(|&dim| dim == axis) {
            return number;
        }
        self.dims.push(axis);
        self.dims.len() - 1
    }

    fn seg(&mut self, seg: ValueId, parent: Axis) -> usize {
        if let Some(number) = self.segs.iter().position(|&(other, _)| other == seg) {
            return number;
        }
        self.segs.push((seg, parent));
        self.segs.len() - 1
    }

    fn slot(&mut self, slot: &Slot, lowering: &mut Lowering<'_>) -> KeySlot {
        match slot {
            Slot::Vector(Vector { elem, form, .. }) => match form {
                Form::One => KeySlot::One(*elem),
                Form::Flat(axis) => KeySlot::Flat(*elem, self.dim(*axis)),
                Form::Seg(seg) => {
                    let parent = lowering.parent(*seg);
                    let parent = lowering.named(parent);
                    KeySlot::Seg(*elem, self.seg(*seg, parent))
                }
            },
            Slot::Descr(Descr::Single(axis)) => KeySlot::Single(self.dim(*axis)),
            Slot::Descr(Descr::Many { seg, parent }) => KeySlot::Many(self.seg(*seg, *parent)),
            Slot::Pair(both) => {
                let left = self.slot(&both.0, lowering);
                KeySlot::Pair(Box::new(left), Box::new(self.slot(&both.1, lowering)))
            }
            Slot::State(state, _) => KeySlot::State(*state),
        }
    }
}
