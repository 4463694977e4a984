//! Loops inside thunks at W points.
//!
//! A loop with a uniform condition is a scalar loop, and uniform carried variables stay scalar. A divergent loop runs while any lane wants another
//! round. Lanes that have left it compute along, and their values are ignored; only the values that are read after the loop are kept as they were
//! when the lane left.

use super::check::MaskedRegion;
use super::{Local, Run, ThunkFrame};
use crate::codegen::mask_parts::MaskVariable;
use crate::codegen::text::{Label, Name};
use crate::codegen::value::{Depth, Form, Val};
use crate::codegen::variable::Variable;
use nestled_ir::{Atom, Axis, Block, Carried, LocalId, Op, Scalar, ScalarType, StmtKind, Type};

/// A carried variable of a loop.
struct LoopVariable {
    local: LocalId,
    /// Its value inside the loop.
    slot: Variable,
    /// Whether lanes that have left must keep its value: it is a result.
    keep: bool,
    /// Set if it is uniform inside the loop, but its final value is not: a variable with the final value.
    last: Option<Variable>,
}

impl Run<'_, '_, '_> {
    /// Makes variables for the carried values of a loop, and stores their initial values. Lanes may leave a `split` loop at different times.
    fn loop_variables(
        &mut self,
        frame: &ThunkFrame<'_>,
        carried: &[Carried],
        dsts: &[LocalId],
        split: bool,
    ) -> Vec<LoopVariable> {
        let loop_variable = |(carried, &dst): (&Carried, &LocalId)| {
            let ty = frame.thunk.local_type(carried.local);
            let init = self.atom(frame, carried.init);
            let varies = frame.facts.varies(carried.local);
            let slot =
                if varies { Variable::varying(self.emit, ty) } else { Variable::uniform(self.emit, ty) };
            slot.store(self.emit, &init);
            let counts = split && frame.facts.is_used(dst);
            let last = (counts && !varies).then(|| {
                let last = Variable::varying(self.emit, ty);
                last.store(self.emit, &init);
                last
            });
            LoopVariable { local: carried.local, slot, keep: counts && varies, last }
        };
        carried.iter().zip(dsts).map(loop_variable).collect()
    }

    /// Binds the carried values for a round.
    fn load_carried(&mut self, frame: &mut ThunkFrame<'_>, loop_variables: &[LoopVariable]) -> Vec<Val> {
        let load = |loop_variable: &LoopVariable| {
            let val = loop_variable.slot.load(self.emit);
            frame.set(loop_variable.local, val.clone());
            val
        };
        loop_variables.iter().map(load).collect()
    }

    /// Ends a round in which the lanes of `mask` took part.
    fn update_carried(&mut self, loop_variables: &[LoopVariable], old: &[Val], new: &[Val], mask: &Val) {
        let mut stores = Vec::new();
        for ((loop_variable, old), new) in loop_variables.iter().zip(old).zip(new) {
            let next = if loop_variable.keep { self.emit.blend(mask, new, old) } else { new.clone() };
            if let Some(last) = &loop_variable.last {
                let before = last.load(self.emit);
                let after = self.emit.blend(mask, new, &before);
                last.store(self.emit, &after);
            }
            stores.push((&loop_variable.slot, next));
        }
        for (slot, next) in stores {
            slot.store(self.emit, &next);
        }
    }

    /// Binds the results of a loop.
    fn bind_results(
        &mut self,
        frame: &mut ThunkFrame<'_>,
        loop_variables: &[LoopVariable],
        dsts: &[LocalId],
    ) {
        for (loop_variable, &dst) in loop_variables.iter().zip(dsts) {
            if frame.facts.is_used(dst) {
                let val = loop_variable.last.as_ref().unwrap_or(&loop_variable.slot).load(self.emit);
                frame.set(dst, val);
            }
        }
    }

    /// Emits a poll of the interrupt flag, which leaves a loop that may not terminate; the caller discards the results then. The load is volatile so
    /// that it stays in the loop. It is otherwise an ordinary load, so that other loads can still be moved.
    ///
    /// It comes to two instructions, a comparison with memory and a branch that is never taken. llvm-mca says of the rounds of benches/mandelbrot.lcu
    /// (101 instructions without it, 32 lanes) 0.0 % more cycles on both znver3 and icelake-server, of those of Collatz' sequence (86, 16 lanes) 0.0
    /// and 1.0 %. Polling every so many rounds would need a counter, which costs as much.
    fn poll_interrupt(&mut self, end: Label) {
        let byte = self.emit.define_at(Depth::Entry, "load ptr, ptr %slots, align 8");
        let flag = self.emit.define(format_args!("load volatile i8, ptr {byte}, align 1"));
        let unset = self.emit.define(format_args!("icmp eq i8 {flag}, 0"));
        let go_on = self.emit.label();
        self.emit.branch(&unset, go_on, end);
        self.emit.text.begin(go_on);
    }

    /// Emits a `while`.
    pub fn while_loop(
        &mut self,
        frame: &mut ThunkFrame<'_>,
        dsts: &[LocalId],
        carried: &[Carried],
        cond: &Block,
        body: &Block,
    ) {
        let split = frame.facts.atom_varies(cond.results[0]);
        let loop_variables = self.loop_variables(frame, carried, dsts, split);
        let costs = [cond, body].map(|block| self.costs.block(frame.program, block));
        // Lanes may have faulted in the round before.
        self.dirty |= costs.iter().any(|cost| cost.faults);
        let (head, inside, end) = (self.emit.label(), self.emit.label(), self.emit.label());
        let outer = self.mask.clone();
        let part = if split { self.emit.begin_parts() } else { self.emit.part };
        let rest = split.then(|| {
            let rest = MaskVariable::new(self.emit);
            let active = self.active();
            rest.store(self.emit, &active);
            rest
        });
        self.emit.fall_into(head);
        let old = self.load_carried(frame, &loop_variables);
        if let Some(rest) = &rest {
            self.mask = rest.load(self.emit);
        }
        let region = std::mem::replace(&mut self.region, MaskedRegion::new(end, self.mask.clone()));
        let go_on = self.block(frame, cond).swap_remove(0);
        if let Some(rest) = &rest {
            let (uniform, go_on) = self.conjuncts(frame, cond, go_on);
            let active = self.active();
            self.mask = self.emit.and(&active, &go_on);
            rest.store(self.emit, &self.mask.clone());
            self.region.mask = self.mask.clone();
            let mut any = self.emit.any(&self.mask.clone());
            if let Some(uniform) = uniform {
                any = self.emit.define(format_args!("and i1 {any}, {uniform}"));
            }
            self.emit.branch(&any, inside, end);
        } else {
            let holds = self.emit.scalar(&go_on);
            self.emit.branch(&holds, inside, end);
        }
        self.emit.text.begin(inside);
        self.poll_interrupt(end);
        let new = self.block(frame, body);
        let mask = self.mask.clone();
        self.update_carried(&loop_variables, &old, &new, &mask);
        self.emit.line(format_args!("br label %{head}"));
        self.emit.text.begin(end);
        self.emit.part = part;
        self.region = region;
        self.mask = outer;
        self.bind_results(frame, &loop_variables, dsts);
    }

    /// Takes the condition of a loop, which is `whole`, apart if it is a conjunction: what is the same for all lanes, an `i1`, ends the loop for all of them, and need not go into
    /// the mask.
    fn conjuncts(&mut self, frame: &ThunkFrame<'_>, cond: &Block, whole: Val) -> (Option<Name>, Val) {
        let result = cond.results[0];
        let both = cond.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Op { dst, op: Op::And, args } if result == Atom::Local(*dst) => Some(args),
            _ => None,
        });
        let Some(&[a, b]) = both.map(Vec::as_slice) else { return (None, whole) };
        let [a, b] = [a, b].map(|atom| self.atom(frame, atom));
        match (a.uniform_depth().is_some(), b.uniform_depth().is_some()) {
            (true, false) => (Some(self.emit.scalar(&a)), b),
            (false, true) => (Some(self.emit.scalar(&b)), a),
            _ => (None, whole),
        }
    }

    /// Emits a `for`.
    pub fn counted_loop(&mut self, frame: &mut ThunkFrame<'_>, kind: &StmtKind) {
        let StmtKind::For { dsts, var, from, to, carried, body } = kind else {
            unreachable!("only a `for` is a counted loop");
        };
        let bounds = [*from, *to].map(|atom| self.atom(frame, atom));
        let split = frame.facts.atom_varies(*from) || frame.facts.atom_varies(*to);
        let faults = self.costs.block(frame.program, body).faults;
        self.dirty |= faults;
        let loop_variables = self.loop_variables(frame, carried, dsts, split);
        let counter = Variable::uniform(self.emit, ScalarType::Idx);
        let (head, inside, end) = (self.emit.label(), self.emit.label(), self.emit.label());
        let outer = self.mask.clone();
        let trips = if split {
            counter.store(self.emit, &Val::idx(0));
            Some(self.trips(&bounds))
        } else {
            counter.store(self.emit, &bounds[0]);
            None
        };
        self.emit.fall_into(head);
        let old = self.load_carried(frame, &loop_variables);
        let count = counter.load(self.emit);
        let again = match &trips {
            Some(trips) => self.emit.define(format_args!("icmp ult i64 {}, {}", count.name, trips.most)),
            None => {
                let to = self.emit.scalar(&bounds[1]);
                self.emit.define(format_args!("icmp slt i64 {}, {to}", count.name))
            }
        };
        self.emit.branch(&again, inside, end);
        self.emit.text.begin(inside);
        // Trip counts of innermost loops are bounded by sizes of memory, so they end soon.
        if has_loop(body) {
            self.poll_interrupt(end);
        }
        if let Some(trips) = &trips {
            self.mask = self.still_counting(trips, &count);
            if faults {
                let active = self.active();
                let (any, somebody) = (self.emit.any(&active), self.emit.label());
                self.emit.branch(&any, somebody, end);
                self.emit.text.begin(somebody);
            }
            let val = self.counter_value(trips, &bounds[0], &count);
            frame.set(*var, val);
        } else {
            let below = self.counts_below(*from, *to);
            frame.bind(*var, Local { val: count.clone(), below });
        }
        let region = std::mem::replace(&mut self.region, MaskedRegion::new(end, self.mask.clone()));
        let new = self.block(frame, body);
        let mask = self.mask.clone();
        self.update_carried(&loop_variables, &old, &new, &mask);
        let next = self.emit.define(format_args!("add i64 {}, 1", count.name));
        counter.store(self.emit, &Val::uniform(ScalarType::Idx, Depth::Here, next));
        self.emit.line(format_args!("br label %{head}"));
        self.emit.text.begin(end);
        self.region = region;
        self.mask = outer;
        self.bind_results(frame, &loop_variables, dsts);
    }

    /// Returns the axis whose extent a counter stays below, if it begins at 0 or later.
    fn counts_below(&self, from: Atom, to: Atom) -> Option<Axis> {
        let Atom::Const(Scalar::Idx(0..)) = from else { return None };
        match to {
            Atom::Value(extent) if self.lane.kernel.values[extent.index()].ty == Type::Dim => {
                Some(Axis::Sym(extent))
            }
            Atom::Const(Scalar::Idx(extent)) => Some(Axis::Const(u64::try_from(extent).ok()?)),
            Atom::Value(_) | Atom::Const(_) | Atom::Local(_) => None,
        }
    }

    /// Computes the trip counts of the lanes for a loop between varying bounds.
    fn trips(&mut self, bounds: &[Val; 2]) -> Trips {
        let [from, to] = bounds;
        let narrow = match [from, to].map(|bound| self.narrowed(bound)) {
            [Some(from), Some(to)] => Some([from, to]),
            _ => None,
        };
        let (element, [from, to]) = match narrow {
            Some(narrow) => ("i32", narrow.map(|bound| self.lanes32(&bound))),
            None => ("i64", [from, to].map(|bound| self.emit.vector(bound))),
        };
        let (wide, bits, lanes) = (self.emit.wide(element), self.emit.wide("i1"), self.emit.lanes);
        let some = self.emit.define(format_args!("icmp sgt {wide} {to}, {from}"));
        let some = Val::varying(ScalarType::Bool, some);
        let active = self.active();
        let wanted = self.emit.and(&active, &some);
        let wanted = self.emit.vector(&wanted);
        let count = self.emit.define(format_args!("sub {wide} {to}, {from}"));
        let each =
            self.emit.define(format_args!("select {bits} {wanted}, {wide} {count}, {wide} zeroinitializer"));
        let reduce = format!("@llvm.vector.reduce.umax.v{lanes}{element}");
        self.emit.declare(format!("declare {element} {reduce}({wide})"));
        let most = self.emit.define(format_args!("call {element} {reduce}({wide} {each})"));
        let most = match element {
            "i64" => most,
            _ => self.emit.define(format_args!("zext i32 {most} to i64")),
        };
        Trips { element, each, most }
    }

    /// Returns the mask of lanes that have a round of this number.
    fn still_counting(&mut self, trips: &Trips, count: &Val) -> Val {
        let element = trips.element;
        let count = match element {
            "i64" => count.name.clone(),
            _ => self.emit.define(format_args!("trunc i64 {} to i32", count.name)),
        };
        let (splat, wide) = (self.emit.splat(Depth::Here, element, &count), self.emit.wide(element));
        let more = self.emit.define(format_args!("icmp ugt {wide} {}, {splat}", trips.each));
        Val::varying(ScalarType::Bool, more)
    }

    /// Returns the counter in a round of this number.
    fn counter_value(&mut self, trips: &Trips, from: &Val, count: &Val) -> Val {
        match from.form {
            Form::Const(_) | Form::Uniform(_) => {
                let from = self.emit.scalar(from);
                let name = self.emit.define(format_args!("add i64 {from}, {}", count.name));
                Val::uniform(ScalarType::Idx, Depth::Here, name)
            }
            Form::Linear { .. } | Form::Varying | Form::Narrow => {
                let element = trips.element;
                let (from, count) = match element {
                    "i64" => (self.emit.vector(from), count.name.clone()),
                    _ => (
                        self.lanes32(from),
                        self.emit.define(format_args!("trunc i64 {} to i32", count.name)),
                    ),
                };
                let (splat, wide) = (self.emit.splat(Depth::Here, element, &count), self.emit.wide(element));
                let name = self.emit.define(format_args!("add {wide} {from}, {splat}"));
                match element {
                    "i64" => Val::varying(ScalarType::Idx, name),
                    _ => Val::narrow(name),
                }
            }
        }
    }
}

/// True if a block contains a loop.
fn has_loop(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. })
            || stmt.kind.blocks().into_iter().any(has_loop)
    })
}

/// The trip counts of the lanes.
struct Trips {
    /// The element type: `i32` if that is enough, else `i64`; unsigned.
    element: &'static str,
    /// The trip count of each lane; 0 for those that take no part.
    each: Name,
    /// The maximum, an `i64`.
    most: Name,
}
