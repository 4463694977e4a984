//! Emission of thunks at W points: statements in order, under a mask.
//!
//! **The mask.** All operations are total, so code may run for lanes that are inactive; their values are ignored. Only effects consult the mask:
//! faults, private arrays, loops, and reads that are known to be in range for the active lanes only. `mask` is the points' mask and all conditions so
//! far. Lanes that faulted leave the mask through a separate variable, `live`, which is written only by the cold blocks that report faults.
//!
//! **Regions.** Code that is skipped when no lane is active (an arm with a branch around it, a round of a loop, the thunk itself) is a *region*. Its
//! results leave it through variables, so a fault that deactivates its last lane can jump to its end. Code after the check of a uniform fault may
//! therefore assume that the check passed.
//!
//! [`Lane::run`] is the way in. The walk over statements is here; what one statement needs is in the files below: control flow (`branch.rs`, `loops.rs`), reads
//! (`read.rs`, with `index.rs`, `fetch.rs`, `grouped.rs`, `slide.rs`, `edge.rs`, and `interior.rs` for what the interior of a row saves), private arrays
//! (`private.rs`), and faults (`check.rs`).

mod branch;
mod check;
mod edge;
mod fetch;
mod grouped;
mod index;
mod interior;
mod loops;
mod private;
mod read;
mod saturating;
mod slide;

pub use check::FAULT_FUNCTION;

use super::emit::Emit;
use super::lane::{Lane, Outcome, PrivateArray};
use super::text::{Name, Place};
use super::value::{Form, Val};
use super::variable::{Variable, is_known_everywhere};
use super::{MAX_STATEMENTS, Unsupported};
use check::MaskedRegion;
use nestled_ir::interp::{eval_op, math_thunk};
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, Block, Combinator, CombinatorKind, LocalId, Op, Program, Range, Scalar, ScalarType, StmtKind,
    Thunk, ThunkId, ValueId,
};
use nestled_kernel::cost::Costs;
use nestled_kernel::strategy::slide::{HERE, Reaches};
use nestled_kernel::uniform::{Surroundings, Uniformities, Uniformity};
use saturating::saturating;
use slide::Loaded;
use std::collections::HashSet;
use std::rc::Rc;

/// A scalar of a thunk.
#[derive(Clone, Debug)]
struct Local {
    /// Its value at the W points.
    pub val: Val,
    /// Set if it is a counter between 0 and the extent of this axis.
    pub below: Option<Axis>,
}

/// The frame of a thunk during emission: what its locals are bound to.
#[derive(Debug)]
struct ThunkFrame<'p> {
    pub program: &'p Program,
    pub thunk: &'p Thunk,
    pub facts: Rc<Uniformity>,
    pub reaches: Reaches,
    /// Conversions of floats to indices that may be made to 32 bits.
    saturating: HashSet<LocalId>,
    locals: Vec<Option<Local>>,
    pub privates: Vec<Option<PrivateArray>>,
}

impl ThunkFrame<'_> {
    /// Binds a scalar.
    pub fn set(&mut self, local: LocalId, val: Val) {
        self.bind(local, Local { val, below: None });
    }

    /// Binds a scalar with the static knowledge about it.
    pub fn bind(&mut self, local: LocalId, bound: Local) {
        self.locals[local.index()] = Some(bound);
    }

    /// Returns the axis whose extent an operand is known to stay below.
    pub fn below(&self, atom: Atom) -> Option<Axis> {
        match atom {
            Atom::Local(local) => self.locals[local.index()].as_ref()?.below,
            Atom::Const(_) | Atom::Value(_) => None,
        }
    }
}

/// The emission of a thunk at W points: its mutable state.
#[derive(Debug)]
struct Run<'r, 'a, 't> {
    pub lane: &'r mut Lane<'a>,
    pub emit: &'r mut Emit<'t>,
    /// The lanes that are present and for which all conditions so far hold; those that faulted included.
    pub mask: Val,
    /// The lanes that have not faulted, once there is a check.
    pub live: Option<Variable>,
    /// Whether lanes of the mask may have faulted.
    pub dirty: bool,
    pub region: MaskedRegion,
    /// The region of the whole thunk.
    pub top: MaskedRegion,
    /// The place where the thunk begins.
    pub start: Place,
    pub costs: Costs,
    /// The vectors loaded for sliding windows.
    pub slid: Vec<Loaded>,
    /// The arrays whose row of pixels below has been prefetched.
    pub prefetched: Vec<Name>,
    uniformities: Uniformities,
}

impl Surroundings for Lane<'_> {
    fn own_varies(&self, bind: ValueId) -> bool {
        self.point.own.get(&bind).is_none_or(|val| val.uniform_depth().is_none())
    }

    fn privates_vary(&self) -> bool {
        !self.alone
    }

    fn coordinates_vary(&self) -> bool {
        self.point.coordinates.iter().any(|coordinate| coordinate.uniform_depth().is_none())
    }
}

impl Lane<'_> {
    /// Emits the thunk of a combinator, which runs at the points. At least one of them must be present: with an empty mask its loops might not terminate.
    ///
    /// # Errors
    /// If it is too large.
    pub fn run(&mut self, emit: &mut Emit<'_>, step: &Combinator) -> Result<Outcome, Unsupported> {
        let (program, thunk) = (self.program, &step.body);
        let places = match &step.kind {
            CombinatorKind::Permute { dest, range: Range::Drop, .. } => {
                Scope::new(&self.kernel.values).coordinates(dest)
            }
            CombinatorKind::Permute { .. }
            | CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Serial { .. } => 0,
        };
        let args: Vec<Val> = self.point.coordinates[..thunk.n_params].to_vec();
        let (mut run, end) = Run::begin(self, emit, program, &thunk.body)?;
        let values = run.thunk(program, thunk, args, places);
        Ok(run.finish(end, values))
    }

    /// Emits a named thunk of the program on arguments. It must not be able to fault; private arrays and loops are for the lanes of the points' mask.
    ///
    /// # Errors
    /// If it is too large.
    pub fn run_named(
        &mut self,
        emit: &mut Emit<'_>,
        thunk: ThunkId,
        args: &[Val],
    ) -> Result<Vec<Val>, Unsupported> {
        let program = self.program;
        let thunk = &program.thunk(thunk).thunk;
        let (mut run, end) = Run::begin(self, emit, program, &thunk.body)?;
        let values = run.thunk(program, thunk, args.to_vec(), 0);
        Ok(run.finish(end, values).values)
    }
}

impl<'r, 'a, 't> Run<'r, 'a, 't> {
    fn begin(
        lane: &'r mut Lane<'a>,
        emit: &'r mut Emit<'t>,
        program: &Program,
        body: &Block,
    ) -> Result<(Run<'r, 'a, 't>, super::text::Label), Unsupported> {
        let mut costs = Costs::default();
        let size = costs.block(program, body).size;
        if size > MAX_STATEMENTS {
            return Err(Unsupported { what: format!("a thunk of {size} statements, calls expanded") });
        }
        let (start, end) = (emit.text.mark(), emit.label());
        lane.privates.begin_thunk();
        let mask = lane.point.mask.clone();
        let top = MaskedRegion::new(end, mask.clone());
        let run = Run {
            lane,
            emit,
            mask,
            live: None,
            dirty: false,
            region: top.clone(),
            top,
            start,
            costs,
            slid: Vec::new(),
            prefetched: Vec::new(),
            uniformities: Uniformities::default(),
        };
        Ok((run, end))
    }

    /// Ends the thunk, with zeros for lanes that faulted.
    fn finish(mut self, end: super::text::Label, mut values: Vec<Val>) -> Outcome {
        if self.dirty && self.live.is_some() {
            let live = self.live();
            values = values.iter().map(|val| self.or_zero(&live, val)).collect();
        }
        if self.top.is_used() {
            let mut slots = Vec::new();
            for val in &values {
                let slot = Variable::for_any_of(self.emit, &[val]);
                slot.clear_at(self.emit, self.start);
                slot.store(self.emit, val);
                slots.push(slot);
            }
            self.emit.fall_into(end);
            values = slots.iter().map(|slot| slot.load(self.emit)).collect();
        }
        let live = match self.live {
            Some(_) => {
                let live = self.live();
                self.emit.and(&self.lane.point.mask, &live)
            }
            None => self.lane.point.mask.clone(),
        };
        Outcome { values, live }
    }

    fn or_zero(&mut self, live: &Val, val: &Val) -> Val {
        self.emit.blend(live, val, &Val::constant(Scalar::zero(val.ty)))
    }

    /// Emits a thunk with these arguments, and returns its results, of which the first `places` are places of a scatter that drops what is outside.
    fn thunk(&mut self, program: &Program, thunk: &Thunk, args: Vec<Val>, places: usize) -> Vec<Val> {
        let vary = args.iter().map(|val| val.uniform_depth().is_none()).collect();
        let facts = self.uniformities.of(program, thunk, vary, &*self.lane);
        let mut frame = ThunkFrame {
            program,
            thunk,
            facts,
            reaches: Reaches::of(thunk, self.lane.point.coordinates.len()),
            saturating: if self.lane.wide { HashSet::new() } else { saturating(thunk, places) },
            locals: vec![None; thunk.locals.len()],
            privates: vec![None; thunk.privates.len()],
        };
        for (slot, given) in thunk.given().zip(&self.lane.given) {
            frame.privates[slot.index()] = Some(given.clone());
        }
        for (param, val) in thunk.params().zip(args) {
            frame.set(param, val);
        }
        self.block(&mut frame, &thunk.body)
    }

    /// Emits a block, and returns its results.
    pub fn block(&mut self, frame: &mut ThunkFrame<'_>, block: &Block) -> Vec<Val> {
        for stmt in &block.stmts {
            self.stmt(frame, &stmt.kind);
        }
        block.results.iter().map(|&atom| self.atom(frame, atom)).collect()
    }

    /// Returns an operand.
    pub fn atom(&self, frame: &ThunkFrame<'_>, atom: Atom) -> Val {
        match atom {
            // The verifier lets code mention only what is bound before.
            Atom::Local(local) => frame.locals[local.index()].as_ref().expect("bound before").val.clone(),
            Atom::Const(scalar) => Val::constant(scalar),
            Atom::Value(value) => self.lane.captures.scalars[&value].clone(),
        }
    }

    fn atoms(&self, frame: &ThunkFrame<'_>, atoms: &[Atom]) -> Vec<Val> {
        atoms.iter().map(|&atom| self.atom(frame, atom)).collect()
    }

    fn stmt(&mut self, frame: &mut ThunkFrame<'_>, kind: &StmtKind) {
        match kind {
            StmtKind::Op { dst, op, args } => {
                let args = self.atoms(frame, args);
                let is_short = frame.saturating.contains(dst) && args[0].form == Form::Varying;
                let val = match is_short {
                    true => {
                        let short = self.op(Op::Convert(ScalarType::I32), &args);
                        self.op(*op, &[short])
                    }
                    false => self.op(*op, &args),
                };
                frame.set(*dst, val);
            }
            StmtKind::Threefry { dsts, key, counter } => {
                let [key, counter] = [key, counter].map(|words| words.map(|atom| self.atom(frame, atom)));
                let [a, b] = self.emit.threefry(key, counter);
                frame.set(dsts[0], a);
                frame.set(dsts[1], b);
            }
            StmtKind::Own { dst, bind } => {
                let val = match self.lane.point.own.get(bind) {
                    Some(val) => val.clone(),
                    None => {
                        let rank = self.lane.point.coordinates.len().min(2);
                        self.window(frame, *bind, &[HERE; 2][..rank], None, None)
                    }
                };
                frame.set(*dst, val);
            }
            StmtKind::Read { dst, array, index, default, site } => {
                let val = self.read(frame, *array, index, *default, *site);
                frame.set(*dst, val);
            }
            StmtKind::Window { dst, bind, offsets, default, site } => {
                let val = self.window(frame, *bind, offsets, *default, *site);
                frame.set(*dst, val);
            }
            StmtKind::Len { dst, seg, at } => {
                let at = self.atoms(frame, at);
                let (_, length) = self.segment(*seg, &at);
                frame.set(*dst, length);
            }
            StmtKind::Start { dst, seg, at } => {
                let at = self.atoms(frame, at);
                let (start, _) = self.segment(*seg, &at);
                frame.set(*dst, start);
            }
            StmtKind::Call { dsts, thunk, args } => {
                let args = self.atoms(frame, args);
                let callee = &frame.program.thunk(*thunk).thunk;
                let results = self.thunk(frame.program, callee, args, 0);
                dsts.iter().zip(results).for_each(|(&dst, val)| frame.set(dst, val));
            }
            StmtKind::If { dsts, cond, then, otherwise } => {
                let cond = self.atom(frame, *cond);
                let results = self.branch(frame, &cond, then, otherwise);
                dsts.iter().zip(results).for_each(|(&dst, val)| frame.set(dst, val));
            }
            StmtKind::For { .. } => self.counted_loop(frame, kind),
            StmtKind::While { dsts, carried, cond, body } => {
                self.while_loop(frame, dsts, carried, cond, body);
            }
            StmtKind::PrivateNew { array, size } => self.private_new(frame, *array, *size),
            StmtKind::PrivateGet { dst, array, at, site } => {
                let val = self.private_get(frame, *array, *at, *site);
                frame.set(*dst, val);
            }
            StmtKind::PrivateSet { array, at, value, site } => {
                self.private_set(frame, *array, *at, *value, *site);
            }
            StmtKind::Check { cond, code, site } => {
                let cond = self.atom(frame, *cond);
                self.check(&cond, code, *site);
            }
        }
    }

    fn op(&mut self, op: Op, args: &[Val]) -> Val {
        if let Some(same) = self.interior_op(op, args) {
            return same;
        }
        if !op.is_elementary() {
            return self.emit.op(op, args);
        }
        if let Some(literals) = args.iter().map(Val::as_const).collect::<Option<Vec<Scalar>>>() {
            return Val::constant(eval_op(op, &literals));
        }
        let (program, thunk) = math_thunk(op, args[0].ty);
        self.thunk(program, thunk, args.to_vec(), 0).swap_remove(0)
    }

    /// Ends an arm or a similar block that a branch may skip: results that are not known everywhere are stored in variables.
    pub fn live_outs(&mut self, vals: Vec<Val>) -> Vec<LiveOut> {
        let live_out = |val: Val| {
            if is_known_everywhere(&val) {
                return LiveOut::Known(val);
            }
            let slot = Variable::for_any_of(self.emit, &[&val]);
            slot.store(self.emit, &val);
            LiveOut::In(slot)
        };
        vals.into_iter().map(live_out).collect()
    }

    /// Returns the value of a live-out of a block.
    pub fn load_live_out(&mut self, live_out: LiveOut) -> Val {
        match live_out {
            LiveOut::Known(val) => val,
            LiveOut::In(slot) => slot.load(self.emit),
        }
    }
}

/// A live-out of a block: a result that is used after it.
#[derive(Debug)]
enum LiveOut {
    /// Known outside as well.
    Known(Val),
    /// In a variable.
    In(Variable),
}
