//! Emission of the combinators of a sweep, at W points or at one: runs their thunks and passes the results to sinks.

use super::Unsupported;
use super::emit::Emit;
use super::frame::Frame;
use super::function::Function;
use super::lane::{Lane, Outcome, PrivateArray};
use super::point::{ArrayRef, Assumed, Point};
use super::sinks::Sinks;
use super::value::{Depth, Val};
use super::variable::Variable;
use super::visit::{Phase, Visit};
use nestled_ir::{CombinatorKind, Scalar, ScalarType, ValueId};
use nestled_kernel::combinator::{level_of, result_types};
use nestled_kernel::cost::Costs;
use nestled_kernel::memory::Home;
use nestled_kernel::nest::Nest;
use std::collections::{HashMap, HashSet};

impl Function<'_, '_> {
    /// Emits the combinators of a sweep at the points of a visit. `group` holds the values bound at the group. Returns the assumptions of the interior
    /// version.
    pub fn sweep_steps(
        &mut self,
        nest: &Nest,
        sweep: usize,
        mut visit: Visit,
        group: &HashMap<ValueId, Val>,
        sinks: &mut Sinks,
    ) -> Result<Option<Assumed>, Unsupported> {
        let steps: Vec<usize> = match visit.phase {
            Phase::Main => nest.in_sweep(sweep).collect(),
            Phase::Totals => self.needed_for_totals(nest, sweep),
        };
        let mut made: HashMap<ValueId, Val> = group.clone();
        for step in steps {
            self.sweep_step(step, &mut visit, &mut made, sinks)?;
        }
        Ok(visit.assumed)
    }

    /// Returns the scans of a sweep, and the combinators that they depend on.
    fn needed_for_totals(&self, nest: &Nest, sweep: usize) -> Vec<usize> {
        let kernel = self.shared.kernel;
        let steps: Vec<usize> = nest.in_sweep(sweep).collect();
        let mut wanted: HashSet<ValueId> = HashSet::new();
        let mut needed = Vec::new();
        for &step in steps.iter().rev() {
            let combinator = &kernel.steps[step];
            let scans = matches!(combinator.kind, CombinatorKind::Scan { .. });
            if scans || combinator.binds.iter().any(|bind| wanted.contains(bind)) {
                wanted.extend(combinator.reads().0);
                needed.push(step);
            }
        }
        needed.reverse();
        needed
    }

    fn sweep_step(
        &mut self,
        step: usize,
        visit: &mut Visit,
        made: &mut HashMap<ValueId, Val>,
        sinks: &mut Sinks,
    ) -> Result<(), Unsupported> {
        let kernel = self.shared.kernel;
        let combinator = &kernel.steps[step];
        let all = visit.point.mask.clone();
        let level = visit.point.positions.len() - 1;
        for bind in combinator.reads().0 {
            if made.contains_key(&bind) || self.is_read_beside(bind) {
                continue;
            }
            let at = visit.point.positions[level_of(self.shared.kernel, bind, level)].clone();
            let at = self.place(bind, &at, &visit.point.coordinates);
            let val = self.load_stored(bind, &at, &all);
            made.insert(bind, val);
        }
        let guard = combinator.guard.map_or(Val::truth(true), |guard| made[&guard].clone());
        let mask = self.emit.and(&all, &guard);
        let Outcome { values, live } = self.run_guarded(step, visit, &guard, mask.clone(), made)?;
        let guarded = combinator.guard.is_some();
        let position = visit.point.positions[level].clone();
        match &combinator.kind {
            CombinatorKind::Map => {
                let values = self.zero_unless(&guard, values);
                self.bind_and_store(&combinator.binds, values, visit, made);
            }
            CombinatorKind::Reduce { .. } => {
                sinks.accumulators.take(self, step, &values, &mask, guarded);
            }
            CombinatorKind::Scan { .. } => match visit.phase {
                Phase::Totals if position.uniform_depth().is_some() => {
                    sinks.scans.point(self, step, &values, &mask);
                }
                Phase::Totals => sinks.scans.total(self, step, &values, &mask),
                Phase::Main => {
                    let values = match position.uniform_depth() {
                        Some(_) => sinks.scans.point(self, step, &values, &mask),
                        None => sinks.scans.vector(self, step, &values, &mask),
                    };
                    self.bind_and_store(&combinator.binds, values, visit, made);
                }
            },
            CombinatorKind::Filter { .. } | CombinatorKind::Partition { .. } => {
                sinks.writers.append(self, step, &values, &position, &mask);
            }
            CombinatorKind::Serial { bases } => {
                self.bind_and_store(&combinator.binds[bases.len()..], values, visit, made);
            }
            CombinatorKind::Permute { .. } => {
                sinks.writers.append(self, step, &values, &position, &live);
            }
        }
        Ok(())
    }

    /// True if rows are jammed and the value is also read at neighbouring rows: then the own row is read in the same way.
    fn is_read_beside(&self, bind: ValueId) -> bool {
        let rows = |array: &ArrayRef| array.axes.len() == 2;
        self.held.is_some() && self.captures.arrays.get(&bind).is_some_and(rows)
    }

    /// Emits the thunk of a combinator. Skipped when its mask is empty if it has loops, since they might not terminate.
    fn run_guarded(
        &mut self,
        step: usize,
        visit: &mut Visit,
        guard: &Val,
        mask: Val,
        made: &HashMap<ValueId, Val>,
    ) -> Result<Outcome, Unsupported> {
        let kernel = self.shared.kernel;
        let cost = Costs::default().block(self.shared.program, &kernel.steps[step].body.body);
        if guard.is(Scalar::Bool(true)) || !cost.loops {
            return self.run_thunk(step, visit, mask, made);
        }
        let one = visit.point.positions.iter().all(|position| position.uniform_depth().is_some());
        let slot = |emit: &mut Emit<'_>, ty| match one {
            true => Variable::uniform(emit, ty),
            false => Variable::varying(emit, ty),
        };
        let types = result_types(kernel, &kernel.steps[step]);
        let slots: Vec<Variable> = types.iter().map(|&ty| slot(&mut self.emit, ty)).collect();
        let alive = slot(&mut self.emit, ScalarType::Bool);
        let here = self.emit.text.end();
        slots.iter().chain([&alive]).for_each(|slot| slot.clear_at(&mut self.emit, here));
        let (run, join) = (self.emit.label(), self.emit.label());
        let any = self.emit.any(&mask);
        self.emit.branch(&any, run, join);
        self.emit.text.begin(run);
        let outcome = self.run_thunk(step, visit, mask, made)?;
        for (slot, val) in slots.iter().zip(&outcome.values) {
            slot.store(&mut self.emit, val);
        }
        alive.store(&mut self.emit, &outcome.live);
        self.emit.fall_into(join);
        let values = slots.iter().map(|slot| slot.load(&mut self.emit)).collect();
        Ok(Outcome { values, live: alive.load(&mut self.emit) })
    }

    /// Emits the thunk of a combinator.
    fn run_thunk(
        &mut self,
        step: usize,
        visit: &mut Visit,
        mask: Val,
        made: &HashMap<ValueId, Val>,
    ) -> Result<Outcome, Unsupported> {
        let mut point = visit.point.clone();
        let one_point = visit.point.positions.iter().all(|position| position.uniform_depth().is_some());
        if one_point {
            self.emit.first_lane = "0".into();
        }
        // In the interior version all lanes are present; a guard removes some.
        let interior = mask.is(Scalar::Bool(true));
        point.mask = mask;
        point.own.clone_from(made);
        let assumed = if interior { visit.assumed.take() } else { None };
        let had = assumed.is_some();
        let given = self.given(step);
        let shared = &mut *self.shared;
        let alone = shared.kernel.steps[step].level().0 == 0 && point.mask.is(Scalar::Bool(true));
        let mut lane = Lane {
            program: shared.program,
            kernel: shared.kernel,
            captures: &self.captures,
            faults: &mut shared.faults,
            privates: &mut self.privates,
            point: &point,
            assumed,
            beside: self.held.is_some(),
            wide: shared.wide,
            alone,
            given,
        };
        let mut outcome = lane.run(&mut self.emit, &shared.kernel.steps[step])?;
        if had {
            visit.assumed = lane.assumed;
        }
        if one_point {
            outcome.values = outcome.values.iter().map(|val| self.one(val)).collect();
            outcome.live = self.one(&outcome.live);
        }
        Ok(outcome)
    }

    /// Returns the private arrays that a combinator passes to its thunk: they are its results in memory.
    fn given(&mut self, step: usize) -> Vec<PrivateArray> {
        let (kernel, binds) = (self.shared.kernel, &self.shared.kernel.steps[step].binds);
        let count = kernel.steps[step].body.n_given;
        let mut given = Vec::new();
        for &bind in &binds[..count] {
            let data = self.stored(bind).expect("what is given lies in memory");
            given.push(PrivateArray { data, size: self.extent_of(bind) });
        }
        given
    }

    /// Returns the value of lane 0, for a value at one point.
    fn one(&mut self, val: &Val) -> Val {
        if val.uniform_depth().is_some() {
            return val.clone();
        }
        let name = self.emit.first(val);
        Val::uniform(val.ty, Depth::Here, name)
    }

    /// Blends zeros into the lanes of a `map` whose guard does not hold.
    fn zero_unless(&mut self, guard: &Val, values: Vec<Val>) -> Vec<Val> {
        values
            .into_iter()
            .map(|val| {
                let zero = Val::constant(Scalar::zero(val.ty));
                self.emit.blend(guard, &val, &zero)
            })
            .collect()
    }

    fn bind_and_store(
        &mut self,
        binds: &[ValueId],
        values: Vec<Val>,
        visit: &Visit,
        made: &mut HashMap<ValueId, Val>,
    ) {
        for (&bind, val) in binds.iter().zip(values) {
            match &mut self.held {
                Some(held) => held.push((bind, val.clone(), visit.clone())),
                None => self.store_bind(bind, &val, visit),
            }
            made.insert(bind, val);
        }
    }

    /// Stores a value in memory, if it has a place there.
    pub fn store_bind(&mut self, bind: ValueId, val: &Val, visit: &Visit) {
        let Some(data) = self.stored(bind) else { return };
        let position = visit.point.positions[visit.point.positions.len() - 1].clone();
        if position.uniform_depth().is_some() {
            let (at, name) = (self.emit.scalar(&position), self.emit.scalar(val));
            return self.store(&data, val.ty, &at, &name);
        }
        let place = self.place(bind, &position, &visit.point.coordinates);
        let at = self.emit.first(&place);
        // Values private to the launch are read soon, and the rows of a ring are not aligned.
        let leaves = matches!(self.shared.plan.memory.home(bind), Some(Home::Result(_)));
        let streaming = visit.streaming && leaves && self.ring(bind).is_none();
        self.store_vector(&data, &at, val, &visit.point.mask, streaming);
    }

    /// Emits the combinators that run at one group before a sweep, and binds their results.
    pub fn group_steps(&mut self, nest: &Nest, sweep: usize, frame: &mut Frame) -> Result<(), Unsupported> {
        for step in nest.before_sweep(sweep) {
            self.emit.row = self.emit.text.mark();
            let point = Point {
                coordinates: frame.coordinates.clone(),
                positions: frame.positions.clone(),
                mask: Val::truth(true),
                own: HashMap::new(),
            };
            let binds = self.group_step(step, &point, &frame.made)?;
            frame.made.extend(binds);
        }
        Ok(())
    }

    /// Emits a combinator of the group, at one group or at W. Returns the values that it binds.
    pub fn group_step(
        &mut self,
        step: usize,
        point: &Point,
        group: &HashMap<ValueId, Val>,
    ) -> Result<Vec<(ValueId, Val)>, Unsupported> {
        let mut visit = Visit { point: point.clone(), assumed: None, streaming: false, phase: Phase::Main };
        let mut made = group.clone();
        let combinator = &self.shared.kernel.steps[step];
        let level = point.positions.len() - 1;
        for bind in combinator.reads().0 {
            if made.contains_key(&bind) {
                continue;
            }
            let at = point.positions[level_of(self.shared.kernel, bind, level)].clone();
            let val = self.load_stored(bind, &at, &point.mask);
            made.insert(bind, val);
        }
        let guard = combinator.guard.map_or(Val::truth(true), |guard| made[&guard].clone());
        let mask = self.emit.and(&point.mask, &guard);
        let outcome = self.run_guarded(step, &mut visit, &guard, mask, &made)?;
        let values = self.zero_unless(&guard, outcome.values);
        for (&bind, val) in combinator.binds.iter().zip(&values) {
            self.store_bind(bind, val, &visit);
        }
        Ok(combinator.binds.iter().copied().zip(values).collect())
    }
}
