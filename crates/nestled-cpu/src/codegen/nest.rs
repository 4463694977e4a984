//! The functions of a nest, one for each phase of its parallel execution.
//!
//! | Name | Does |
//! |---|---|
//! | `n0.main` | sweeps the whole's positions `from..to`, or groups `from..to` |
//! | `n0.short` | sweeps the whole when it is so short that its reductions run from left to right |
//! | `n0.totals` | computes the totals of the scans over positions `from..to` |
//! | `n0.chain` | computes the carry of the next piece, from that of one (`carry`) and its totals (`state`) |
//! | `n0.join` | combines `to` rows of partial results of reductions over the whole |
//! | `n0.columns` | sweeps groups `from..to`, vectorised across groups |
//! | `n0.tiles` | sweeps positions `from..to` of one group into rows of partial results |
//! | `n0.close` | computes the results of one group from `to` rows of partial results |

use super::Unsupported;
use super::across_groups::{self, Columns};
use super::frame::Frame;
use super::function::{Function, Shared};
use super::groups::{Batch, group_sweep};
use super::interleave_groups;
use super::lane::PrivateBuffer;
use super::loops::Walk;
use super::reduce;
use super::results::store_results;
use super::row_stack::RowStack;
use super::scan_carry;
use super::sinks::{Sinks, guarded};
use super::split_groups;
use super::stream::{Writers, field};
use super::value::Val;
use super::visit::{Phase, Visit};
use super::work::offset;
use nestled_ir::{CombinatorKind, Program, Scalar};
use nestled_kernel::Plan;
use nestled_kernel::nest::{At, Item, Nest};
use nestled_kernel::reduction::{self, row_cells};
use nestled_kernel::scan::{ScanPart, parts as scan_parts};
use nestled_kernel::schedule::{Groups, Loops, Schedule, Strategy, Whole};
use nestled_kernel::stream::{Stream, streams};
use std::collections::BTreeSet;

/// The text of a function.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub text: String,
    /// The declarations that the module needs.
    pub declarations: BTreeSet<String>,
    /// Its private arrays.
    pub privates: Vec<PrivateBuffer>,
}

/// Everything that the driver needs to run a nest.
#[derive(Clone, Debug)]
pub struct NestPlan {
    /// The nest.
    pub nest: Nest,
    /// Bytes of a row of partial results.
    pub row: usize,
    /// The cells of the initial carry; empty without scans.
    pub carry: Vec<u64>,
    /// The streams that leave the nest.
    pub streams: Vec<Stream>,
    /// Set if elements of arrays are stored beside them.
    pub stores: bool,
    /// Whether partial results must be joined at the end.
    pub joins: bool,
    /// Whether there is a version for short wholes.
    pub short: bool,
    /// The parameters of the version across groups, if there is one.
    pub columns: Option<Columns>,
    /// Whether something is written for a group that has no elements.
    pub writes_empty_groups: bool,
}

impl NestPlan {
    /// Derives the driver's plan of a nest.
    pub fn new(program: &Program, planned: &Plan, number: usize) -> NestPlan {
        let (kernel, nest, schedule) = (&planned.kernel, &planned.nests[number], &planned.schedules[number]);
        let parts = reduction::parts(program, kernel, nest.in_sweep(0));
        let scans = scan_parts(program, kernel, nest.in_sweep(0), 0);
        let (short, joins, across) = match &schedule.loops {
            Loops::Once => (false, false, None),
            Loops::Whole(Whole { short, .. }) => (*short, !parts.is_empty(), None),
            Loops::Groups(groups) => (false, false, groups.across),
        };
        let streams = streams(program, kernel, nest.items.iter().map(|item| item.step));
        let only_elements = |item: &Item| {
            matches!(item.at, At::Element(_))
                && matches!(kernel.steps[item.step].kind, CombinatorKind::Map | CombinatorKind::Scan { .. })
        };
        let stores = |item: &Item| {
            let own = &kernel.steps[item.step];
            matches!(own.kind, CombinatorKind::Map | CombinatorKind::Scan { .. })
                && own.binds.iter().any(|bind| planned.memory.home(*bind).is_some())
        };
        NestPlan {
            nest: nest.clone(),
            row: 8 * row_cells(&parts),
            carry: if nest.chained { carry_start(&scans) } else { Vec::new() },
            writes_empty_groups: !streams.is_empty() || !nest.items.iter().all(only_elements),
            stores: nest.items.iter().any(stores),
            streams,
            joins,
            short,
            columns: across.map(|across| Columns::new(parts, across)),
        }
    }
}

/// Emits the functions of a nest.
pub fn functions(shared: &mut Shared<'_>, number: usize) -> Result<Vec<FunctionText>, Unsupported> {
    let (program, planned) = (shared.program, shared.plan);
    let (nest, schedule) = (&planned.nests[number], &planned.schedules[number]);
    let mut writer = NestWriter { shared, number, nest, schedule, texts: Vec::new() };
    match &schedule.loops {
        Loops::Once => writer.once()?,
        Loops::Groups(groups) => {
            writer.groups(groups)?;
            if let Some(across) = groups.across {
                writer.part("columns", &|f| across_groups::write(f, nest, schedule, across))?;
            }
            if let Some(strategy) = groups.split {
                writer.part("tiles", &|f| split_groups::tiles(f, nest, schedule, strategy))?;
                writer.part("close", &|f| split_groups::close(f, nest))?;
            }
        }
        Loops::Whole(whole) => {
            writer.whole("main", Phase::Main, whole.main)?;
            if let Some(totals) = whole.totals {
                writer.whole("totals", Phase::Totals, totals)?;
                writer.chain();
            }
            if whole.short {
                writer.whole("short", Phase::Main, Strategy::Points)?;
            }
            if !reduction::parts(program, &planned.kernel, nest.in_sweep(0)).is_empty() {
                writer.join();
            }
        }
    }
    Ok(writer.texts)
}

struct NestWriter<'s, 'a, 'n> {
    shared: &'s mut Shared<'a>,
    number: usize,
    nest: &'n Nest,
    schedule: &'n Schedule,
    texts: Vec<FunctionText>,
}

impl<'a> NestWriter<'_, 'a, '_> {
    fn begin(&mut self) -> Function<'_, 'a> {
        let mut f = Function::new(self.shared, self.schedule.lanes);
        let entry = f.emit.entry;
        let fault = offset::FAULT;
        f.emit.text.line(entry, format_args!("%fault = getelementptr inbounds i8, ptr %work, i64 {fault}"));
        let at = offset::PRIVATES;
        f.emit
            .text
            .line(entry, format_args!("%privates.at = getelementptr inbounds i8, ptr %work, i64 {at}"));
        f.emit.text.line(entry, format_args!("%privates = load ptr, ptr %privates.at, align 8"));
        f
    }

    fn name(&self, what: &str) -> String {
        format!("n{}.{what}", self.number)
    }

    /// Emits a nest that runs once.
    fn once(&mut self) -> Result<(), Unsupported> {
        let (name, nest) = (self.name("main"), self.nest);
        let mut f = self.begin();
        let mut sinks = Sinks::new(&mut f, nest, 0, false);
        let frame = Frame::whole();
        f.emit.row = f.emit.text.mark();
        let point = super::point::Point {
            coordinates: Vec::new(),
            positions: frame.positions,
            mask: Val::truth(true),
            own: Default::default(),
        };
        let visit = Visit { point, assumed: None, streaming: false, phase: Phase::Main };
        f.sweep_steps(nest, 0, visit, &frame.made, &mut sinks)?;
        sinks.writers.finish(&mut f);
        let text = finish(f, name);
        self.texts.push(text);
        Ok(())
    }

    /// Emits a function that sweeps a range of the whole.
    fn whole(&mut self, what: &str, phase: Phase, strategy: Strategy) -> Result<(), Unsupported> {
        let (name, nest, schedule) = (self.name(what), self.nest, self.schedule);
        let mut f = self.begin();
        let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
        let mut sinks = Sinks::new(&mut f, nest, 0, strategy.is_in_lanes());
        let carry = match nest.chained && phase == Phase::Main {
            true => Some(field(&mut f.emit, "ptr", offset::CARRY)),
            false => None,
        };
        sinks.accumulators.reset(&mut f);
        sinks.scans.reset(&mut f, carry.as_deref());
        let parts = sinks.accumulators.parts.clone();
        let state = (!parts.is_empty()).then(|| field(&mut f.emit, "ptr", offset::STATE));
        let walk = Walk { nest, schedule, sweep: 0, phase, frame: Frame::whole(), from, to };
        let guarded = guarded(&f);
        let size = 8 * row_cells(&parts);
        let mut at_tile = |f: &mut Function<'_, '_>, sinks: &mut Sinks, number: &str| {
            if let Some(state) = &state {
                let at = f.emit.define(format_args!("mul i64 {number}, {size}"));
                let row = f.emit.define(format_args!("getelementptr inbounds i8, ptr {state}, i64 {at}"));
                sinks.accumulators.write_row(f, &row, &guarded);
                sinks.accumulators.reset(f);
            }
        };
        let tiled = strategy.is_in_tiles();
        f.sweep(strategy, &walk, &mut sinks, if tiled { Some(&mut at_tile) } else { None })?;
        if phase == Phase::Main
            && !tiled
            && let Some(state) = &state
        {
            sinks.accumulators.write_row(&mut f, state, &guarded);
        }
        if nest.chained {
            let total = field(&mut f.emit, "ptr", offset::TOTAL);
            sinks.scans.write_row(&mut f, &total);
        }
        if phase == Phase::Main {
            sinks.writers.finish(&mut f);
        }
        let text = finish(f, name);
        self.texts.push(text);
        Ok(())
    }

    /// Emits the function that computes the carry of the next piece.
    fn chain(&mut self) {
        let (name, nest) = (self.name("chain"), self.nest);
        let mut f = self.begin();
        let parts = f.scans(nest.in_sweep(0));
        let carry = field(&mut f.emit, "ptr", offset::CARRY);
        let own = field(&mut f.emit, "ptr", offset::STATE);
        let into = field(&mut f.emit, "ptr", offset::TOTAL);
        scan_carry::combine_carries(&mut f, &parts, nest.direction, &carry, &own, &into);
        let text = finish(f, name);
        self.texts.push(text);
    }

    /// Emits the function that combines rows into reductions over the whole.
    fn join(&mut self) {
        let (name, nest) = (self.name("join"), self.nest);
        let mut f = self.begin();
        let parts = f.reductions(nest.in_sweep(0));
        let state = field(&mut f.emit, "ptr", offset::STATE);
        let count = field(&mut f.emit, "i64", offset::TO);
        let stack = RowStack::new(&mut f, &parts);
        stack.take(&mut f, &parts, &state, &count);
        let values = reduce::row_values(&mut f, &parts, &stack.next());
        store_results(&mut f, &parts, &values, "0");
        let text = finish(f, name);
        self.texts.push(text);
    }

    /// Emits a function that is written elsewhere.
    fn part(
        &mut self,
        what: &str,
        write: &dyn Fn(&mut Function<'_, 'a>) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let name = self.name(what);
        let mut f = self.begin();
        write(&mut f)?;
        let text = finish(f, name);
        self.texts.push(text);
        Ok(())
    }

    /// Emits the function for groups `from..to`, one after another.
    fn groups(&mut self, groups: &Groups) -> Result<(), Unsupported> {
        let (name, nest, schedule) = (self.name("main"), self.nest, self.schedule);
        let mut f = self.begin();
        let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
        let steps = nest.items.iter().map(|item| item.step);
        let streams = f.streams(steps);
        let writers = Writers::new(&mut f, streams);
        let at = f.emit.variable("i64");
        f.set(&at, &from);
        let (head, body, exit) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let mut group = f.get(&at);
        let more = f.emit.define(format_args!("icmp slt i64 {group}, {to}"));
        f.emit.branch(&more, body, exit);
        f.emit.text.begin(body);
        if let Some(count) = groups.interleaved {
            interleave_groups::write(&mut f, (nest, count), &writers, (&group, &to), (&at, head))?;
        }
        let batch = match groups.transposed {
            Some(batches) => Some(Batch::begin(&mut f, nest, batches, (&mut group, &to))?),
            None => None,
        };
        let (coordinates, positions) = f.decode(nest.group, &group);
        let base = f.first_of(nest.group, nest.level, &group);
        let next = f.emit.define(format_args!("add i64 {group}, 1"));
        let end = f.first_of(nest.group, nest.level, &next);
        let length = f.emit.define(format_args!("sub i64 {end}, {base}"));
        let mut frame = Frame { coordinates, positions, base, made: Default::default() };
        for sweep in 0..=nest.sweeps() {
            f.group_steps(nest, sweep, &mut frame)?;
            if let Some(how) = groups.sweeps.get(sweep) {
                let (from, to) = ("0".into(), length.clone());
                let frame_now = frame.clone();
                let walk = Walk { nest, schedule, sweep, phase: Phase::Main, frame: frame_now, from, to };
                group_sweep(&mut f, &walk, how, &mut frame, &writers, &group)?;
            }
        }
        writers.end_group(&mut f, &group);
        let next = match batch {
            Some(batch) => batch.end(&mut f),
            None => next,
        };
        f.set(&at, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(exit);
        writers.finish(&mut f);
        let text = finish(f, name);
        self.texts.push(text);
        Ok(())
    }
}

/// Returns the cells of the initial carry.
fn carry_start(parts: &[ScanPart]) -> Vec<u64> {
    let mut cells = Vec::new();
    for part in parts {
        let start = part.identity.as_ref().unwrap_or(&part.unit);
        cells.extend(start.iter().map(|scalar: &Scalar| scalar.to_bits()));
        cells.push(0);
    }
    cells
}

/// Completes a function.
fn finish(mut f: Function<'_, '_>, name: String) -> FunctionText {
    if f.shared.plan.sizes.streaming && cfg!(target_arch = "x86_64") {
        // Non-temporal stores reach memory in any order; the fence makes all of them visible before the piece is done.
        f.emit.declare("declare void @llvm.x86.sse.sfence()");
        f.emit.line("call void @llvm.x86.sse.sfence()");
    }
    f.emit.line("ret void");
    let (declarations, privates) = (f.emit.declarations, f.privates.arrays);
    let body = f.emit.text.finish();
    let text = format!("define void @\"{name}\"(ptr noalias %slots, ptr noalias %work) #0 {{\n{body}}}\n");
    FunctionText { name, text, declarations, privates }
}
