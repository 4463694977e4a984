//! Kernel merging: the runs of a cluster become one kernel.
//!
//! ```text
//! kernel f(xs: [n]f32) over n { ys = map { i => mul xs[i] 2.0 }, ret ys }
//! kernel g(zs: [n]f32) over n { s = reduce { i => zs[i] } add, ret s }
//!
//! ys = run f(xs)                        kernel `f+g`(xs: [n]f32) over n {
//! s = run g(ys)                           ys = map { i => mul xs[i] 2.0 }
//!                                         s = reduce { i => ys[i] } add      ; a register
//!                                         ret s
//!                                       }
//! ```
//!
//! The combinators of all runs stand one after another, in program order, with their sites. Equal shapes of host code become one shape parameter, equal arguments one parameter.
//! The space is the longest of the runs' spaces. A read of a value that another run of the cluster makes becomes a register or a window, scalar host code between the runs becomes
//! a `once`, and a `map` that is now read outside of its guard has an `if` instead.

mod frame;
mod guards;
mod once;
mod step;

use super::graph::Graph;
use super::reason::Reason;
pub(in crate::fuse) use frame::is_sum;
use frame::{Frame, Source};
use nestled_ir::typing::{Substitution, combinator_types};
use nestled_ir::{
    Axis, Combinator, CombinatorKind, CombinatorPartMut, HostAtom, Kernel, KernelId, Name, Span, Type, Value,
    ValueId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use step::{Place, Rewriting};

/// The merged kernel of a cluster, and its run.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The kernel.
    pub kernel: Kernel,
    /// Its shape arguments.
    pub shapes: Vec<Axis>,
    /// Its arguments.
    pub args: Vec<HostAtom>,
    /// The values that its run binds.
    pub binds: Vec<ValueId>,
    /// The statements that make shapes equal, where the kernel uses those shapes as one.
    pub relies_on: BTreeSet<usize>,
    /// Whether shapes with different names became one, so that the declared types of results change.
    pub retypes: bool,
}

/// A merged kernel under construction; its results are not chosen yet.
#[derive(Debug)]
pub struct Merging<'a> {
    graph: &'a Graph<'a>,
    members: &'a [usize],
    kernel: Kernel,
    /// For each class of equal axes: the axis of host code that represents it.
    axes: BTreeMap<Axis, Axis>,
    relies_on: BTreeSet<usize>,
    retypes: bool,
    shapes: Vec<Axis>,
    args: Vec<HostAtom>,
    params: HashMap<(HostAtom, Type), ValueId>,
    /// For each value of host code that the kernel computes: the kernel's value, readable by later combinators.
    made: HashMap<ValueId, ValueId>,
    /// For each value of host code that leaves packed or moved: the kernel's result.
    packed: HashMap<ValueId, ValueId>,
    /// For each value that lives at only some points of its level, or at points in another order: the source of these points.
    kept: HashMap<ValueId, usize>,
    /// Reductions of classes, which only leave.
    of_classes: BTreeSet<ValueId>,
    /// Filters, partitions and scatters with members over their points.
    sources: Vec<Source>,
    /// The shapes that filters and partitions make, by the shape in host code.
    filters: HashMap<ValueId, ValueId>,
    broken: Option<Reason>,
    /// The shape of an argument is made by the kernel, so that the argument's producer would have to be a member.
    lacks_producer: bool,
}

/// The replacement of a value of a member's kernel.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Axis(Axis),
    Param(ValueId),
    /// A combinator of the merged kernel binds it.
    Made(ValueId),
}

impl<'a> Merging<'a> {
    /// Merges runs. [`fits`](Self::fits) says whether that succeeded.
    pub fn new(graph: &'a Graph<'a>, members: &'a [usize]) -> Merging<'a> {
        let first = &graph.runs[members[0]];
        let kernel = Kernel {
            name: name(graph, members),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            space: Vec::new(),
            steps: Vec::new(),
            ret: Vec::new(),
            span: first.kernel.span,
        };
        let mut merging = Merging {
            graph,
            members,
            kernel,
            axes: BTreeMap::new(),
            relies_on: BTreeSet::new(),
            retypes: false,
            shapes: Vec::new(),
            args: Vec::new(),
            params: HashMap::new(),
            made: HashMap::new(),
            packed: HashMap::new(),
            kept: HashMap::new(),
            of_classes: BTreeSet::new(),
            sources: Vec::new(),
            filters: HashMap::new(),
            broken: None,
            lacks_producer: false,
        };
        merging.choose_axes();
        for &member in members {
            merging.add(member);
        }
        merging.add_packing();
        merging.free_guarded();
        merging
    }

    /// The merged kernel, without results.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// True if the members form a valid kernel.
    pub fn fits(&self) -> bool {
        self.broken.is_none() && !self.lacks_producer
    }

    /// Returns the reason why the members form no valid kernel, if no further member could change that.
    pub fn broken(&self) -> Option<&Reason> {
        // What is not read where it is made is read by position.
        self.broken.as_ref().filter(|_| !self.lacks_producer)
    }

    /// The arguments of its run.
    pub fn args(&self) -> &[HostAtom] {
        &self.args
    }

    /// The shape arguments of its run.
    pub fn shapes(&self) -> &[Axis] {
        &self.shapes
    }

    /// Finishes the kernel: chooses as results the values for which `is_needed` holds. `computed` lists scalar statements of host code that the kernel computes instead of the
    /// host; their values can be results too.
    pub fn finish(mut self, computed: &[usize], is_needed: impl Fn(ValueId) -> bool) -> Merged {
        let stmts =
            self.members.iter().map(|&member| self.graph.runs[member].stmt).chain(computed.iter().copied());
        let bound = stmts.flat_map(|stmt| &self.graph.stmts[stmt].binds);
        let mut binds: Vec<ValueId> = bound.clone().copied().filter(|&bind| is_needed(bind)).collect();
        if binds.is_empty() {
            binds.extend(bound.take(1));
        }
        let leaves = |bind: &ValueId| self.packed.get(bind).or_else(|| self.made.get(bind)).copied();
        self.kernel.ret = binds.iter().filter_map(leaves).collect();
        self.drop_unpacked();
        let Merging { kernel, shapes, args, relies_on, retypes, .. } = self;
        Merged { kernel, shapes, args, binds, relies_on, retypes }
    }

    /// Chooses the representative of each class of equal axes: a constant if there is one, otherwise the symbol bound first.
    fn choose_axes(&mut self) {
        let mut named: BTreeMap<Axis, BTreeSet<Axis>> = BTreeMap::new();
        for &member in self.members {
            for &axis in self.graph.runs[member].shapes {
                named.entry(self.graph.symbols.class(axis)).or_default().insert(axis);
            }
        }
        for (class, axes) in named {
            if axes.len() > 1 {
                self.retypes = true;
                self.relies_on
                    .extend(self.graph.sames().filter(|(_, of)| *of == class).map(|(same, _)| same));
            }
            // Literals come before symbols, and symbols are numbered in order of the text.
            self.axes.extend(axes.first().map(|&axis| (class, axis)));
        }
    }

    fn value(&mut self, name: Name, ty: Type, span: Span) -> ValueId {
        self.kernel.values.push(Value { name, ty, span });
        ValueId::from(self.kernel.values.len() - 1)
    }

    fn add(&mut self, member: usize) {
        let graph = self.graph;
        let node = &graph.runs[member];
        let kernel = node.kernel;
        let frame = self.frame_of(member);
        let mut slots: Vec<Option<Slot>> = vec![None; kernel.values.len()];
        let mut substitution = Substitution::default();
        for (&formal, &actual) in kernel.shapes.iter().zip(node.shapes) {
            let axis = self.shape(kernel, formal, actual, &substitution);
            substitution.insert(formal, axis);
            slots[formal.index()] = Some(Slot::Axis(axis));
        }
        self.add_space(node.kernel, &substitution, frame);
        for (&param, &arg) in kernel.params.iter().zip(node.args) {
            let slot = match self.inside(arg) {
                Some(made) => Slot::Made(made),
                None => {
                    let value = &kernel.values[param.index()];
                    Slot::Param(self.param(arg, &value.name, substitution.ty(&value.ty), value.span))
                }
            };
            slots[param.index()] = Some(slot);
        }
        for step in &kernel.steps {
            for &bind in &step.binds {
                let value = &kernel.values[bind.index()];
                let new = self.value(value.name.clone(), substitution.ty(&value.ty), value.span);
                if value.ty.is_shape() {
                    substitution.insert(bind, Axis::Sym(new));
                }
                slots[bind.index()] = Some(Slot::Made(new));
            }
            let mut new = self.step(step, &slots, &substitution, frame);
            new.for_each_earlier(&mut |value, _| {
                if self.of_classes.contains(&value) {
                    self.broken.get_or_insert(Reason::EachClass);
                }
            });
            new.span = place_of(kernel, step, graph.stmts[node.stmt].span);
            if let Some(frame) = frame {
                let is_kept = new.level().0 > frame.within && new.kind.is_readable();
                let is_kept = is_kept && !matches!(new.kind, CombinatorKind::Reduce { .. });
                let source = frame.source.filter(|_| is_kept);
                self.kept.extend(new.binds.iter().filter_map(|&bind| Some((bind, source?))));
                self.place(&mut new, frame);
            }
            if let Some(shape) = self.is_source(member, step) {
                self.add_filter(new, shape);
            } else if self.is_scatter(member, step) {
                self.add_scatter(new);
            } else {
                self.push(new);
            }
        }
        self.add_results(member, &slots, frame);
    }

    /// Extends the space of the kernel to the member's, if that is longer; the shorter of the two must be a prefix of the longer.
    fn add_space(&mut self, kernel: &Kernel, substitution: &Substitution, frame: Option<Frame>) {
        let mut space: Vec<Axis> = kernel.space.iter().map(|&axis| substitution.axis(axis)).collect();
        if let Some(frame) = frame {
            space.truncate(frame.within);
        }
        if !space.iter().zip(&self.kernel.space).all(|(a, b)| a == b) {
            self.break_off(Reason::OtherSpace);
        } else if space.len() > self.kernel.space.len() {
            self.kernel.space = space;
        }
    }

    /// Records the values that hold the results of a member.
    fn add_results(&mut self, member: usize, slots: &[Option<Slot>], frame: Option<Frame>) {
        let node = &self.graph.runs[member];
        for (&bind, ret) in node.binds.iter().zip(&node.kernel.ret) {
            let Some(Slot::Made(made)) = slots[ret.index()] else { continue };
            let source = self.sources.iter().flat_map(|source| &source.components);
            if let Some((packed, held)) = source.clone().find(|(packed, _)| *packed == made) {
                self.made.insert(bind, *held);
                self.packed.insert(bind, *packed);
                continue;
            }
            self.made.insert(bind, made);
            let Some((frame, (_, step))) = frame.zip(node.kernel.binder(*ret)) else { continue };
            if let (true, true, Some(source)) =
                (step.kind.keeps_points(), step.level().0 > frame.within, frame.source)
            {
                let packed = self.leave_by(made, source);
                self.packed.insert(bind, packed);
            }
        }
    }

    /// Returns the axis of the merged kernel for a shape argument of a member.
    fn shape(&mut self, kernel: &Kernel, formal: ValueId, actual: Axis, so_far: &Substitution) -> Axis {
        if let Axis::Sym(symbol) = actual
            && let Some(&filter) = self.filters.get(&symbol)
        {
            return Axis::Sym(filter);
        }
        let chosen = self.axes[&self.graph.symbols.class(actual)];
        if let Axis::Const(_) = chosen {
            return chosen;
        }
        let position = self.shapes.iter().position(|&shape| shape == chosen);
        let shape = position.map(|position| self.kernel.shapes[position]).unwrap_or_else(|| {
            let value = &kernel.values[formal.index()];
            let shape = self.value(value.name.clone(), so_far.ty(&value.ty), value.span);
            self.kernel.shapes.push(shape);
            self.shapes.push(chosen);
            shape
        });
        Axis::Sym(shape)
    }

    fn param(&mut self, arg: HostAtom, name: &Name, ty: Type, span: Span) -> ValueId {
        if let Some(&param) = self.params.get(&(arg, ty.clone())) {
            return param;
        }
        ty.for_each_symbol(&mut |symbol| self.lacks_producer |= !self.kernel.shapes.contains(&symbol));
        let param = self.value(name.clone(), ty.clone(), span);
        self.params.insert((arg, ty), param);
        self.kernel.params.push(param);
        self.args.push(arg);
        param
    }

    /// Returns a combinator of a member with its values replaced by those of the merged kernel.
    fn step(
        &mut self,
        step: &Combinator,
        slots: &[Option<Slot>],
        substitution: &Substitution,
        frame: Option<Frame>,
    ) -> Combinator {
        let made = |value: ValueId| match slots[value.index()] {
            Some(Slot::Made(new) | Slot::Param(new)) => new,
            Some(Slot::Axis(_)) | None => value,
        };
        let mut step = step.clone();
        step.binds.iter_mut().for_each(|bind| *bind = made(*bind));
        step.guard = step.guard.map(made);
        if let CombinatorKind::Permute { dest, base: _, range: _, collision: _ } = &mut step.kind {
            *dest = substitution.shape(dest);
            let is_outside = |axis: &Axis| match axis {
                Axis::Const(_) => true,
                Axis::Sym(symbol) => self.kernel.shapes.contains(symbol),
            };
            if !dest.axes.iter().all(is_outside) {
                self.broken.get_or_insert(Reason::ShapeIsMade);
            }
        }
        step.kind.for_each_part_mut(&mut |part| {
            if let CombinatorPartMut::Base(base) = part {
                *base = made(*base);
            }
        });
        let (within, source) = frame.map_or((0, None), |frame| (frame.within, frame.source));
        let place = Place { within, source, kept: &self.kept };
        let rewriting = Rewriting::new(slots, &self.kernel.values, &step.body, place);
        if let Some(reason) = rewriting.thunk(&mut step.body, step.span) {
            self.break_off(reason);
        }
        step
    }

    /// Adds a combinator that binds new values with these names.
    fn bind_new(&mut self, step: Combinator, names: &[Name]) -> Vec<ValueId> {
        let binds: Vec<ValueId> =
            names.iter().map(|name| self.value(name.clone(), Type::Dim, step.span)).collect();
        self.push(Combinator { binds: binds.clone(), ..step });
        binds
    }

    /// Adds a combinator and declares the types of the values that it binds.
    fn push(&mut self, step: Combinator) {
        self.declare(&step);
        self.kernel.steps.push(step);
    }

    fn declare(&mut self, step: &Combinator) {
        match combinator_types(&self.kernel, &step.kind, &step.body, &step.binds) {
            Ok(types) => {
                for (bind, ty) in step.binds.iter().zip(types) {
                    self.kernel.values[bind.index()].ty = ty;
                }
            }
            Err(_) => self.break_off(Reason::OtherSpace),
        }
    }

    fn name_of(&self, value: ValueId) -> Name {
        self.kernel.values[value.index()].name.clone()
    }

    /// Records the first reason why the members form no valid kernel.
    fn break_off(&mut self, reason: Reason) {
        self.broken.get_or_insert(reason);
    }
}

/// The place of a combinator in a merged kernel. Front ends that make up kernels give the place of a run to the whole kernel; of equal kernels only one is left, so that the
/// place of this run is another.
fn place_of(kernel: &Kernel, step: &Combinator, run: Span) -> Span {
    let is_made_up = (step.span.start, step.span.end) == (kernel.span.start, kernel.span.end);
    if is_made_up { run } else { step.span }
}

/// Makes the kernel's name from those of the members' kernels, in program order and each once.
fn name(graph: &Graph<'_>, members: &[usize]) -> Name {
    const MOST: usize = 4;
    let mut ids: Vec<KernelId> = Vec::new();
    for &member in members {
        if !ids.contains(&graph.runs[member].id) {
            ids.push(graph.runs[member].id);
        }
    }
    let mut names: Vec<&str> = ids.iter().take(MOST).map(|&id| &*graph.program.kernel(id).name).collect();
    let more = format!("{} more", ids.len().saturating_sub(MOST));
    if ids.len() > MOST {
        names.push(&more);
    }
    names.join("+").into()
}
