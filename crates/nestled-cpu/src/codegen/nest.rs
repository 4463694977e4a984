//! The functions of a nest.
//!
//! | Name | Does |
//! |---|---|
//! | `n0.main` | the whole's positions `from..to`, or groups `from..to` |
//! | `n0.short` | the whole, when it is so short that its reductions run from left to right |
//! | `n0.totals` | what the scans of positions `from..to` come to |
//! | `n0.chain` | the carry of the next piece, from that of one (`carry`) and its totals (`state`) |
//! | `n0.join` | reductions over the whole from `to` rows of partial results |
//! | `n0.columns` | groups `from..to`, with groups in the lanes |
//! | `n0.tiles` | of one group, the positions `from..to`: rows of partial results |
//! | `n0.close` | the results of one group from `to` rows of partial results |

use super::Unsupported;
use super::batch;
use super::columns::{self, Columns};
use super::control::{choose, when};
use super::frame::Frame;
use super::function::{Function, Shared};
use super::giant;
use super::lane::PrivateRoom;
use super::loops::Walk;
use super::ordered;
use super::plan::{At, Nest, Walk as Order};
use super::reduce::{self, Accumulators, Part, RowStack, row_cells};
use super::scan::{self, ScanPart, Scans};
use super::steps::{Phase, Sinks, Visit};
use super::stream::{self, Stream, Writers, field};
use super::text::{Label, Name};
use super::value::{Depth, Val};
use super::work::offset;
use nestled_ir::{CombinatorKind, Scalar, ScalarType, ValueId};
use std::collections::BTreeSet;

/// So many positions or fewer are reduced from left to right.
pub const SHORT: u64 = 32;

/// Groups of so many positions or fewer are mapped one position after another: to begin with vectors takes longer than that.
const FEW: u64 = 4;

/// The text of a function.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub text: String,
    /// What the module must declare.
    pub declarations: BTreeSet<String>,
    /// Its private arrays.
    pub privates: Vec<PrivateRoom>,
}

/// What the driver must know of a nest.
#[derive(Clone, Debug)]
pub struct NestPlan {
    /// The nest.
    pub nest: Nest,
    /// Bytes of a row of partial results.
    pub row: usize,
    /// The cells of the carry before the first piece; empty without scans.
    pub carry: Vec<u64>,
    /// What leaves packed.
    pub streams: Vec<Stream>,
    /// Whether there is something to join at the end.
    pub joins: bool,
    /// Whether there is a short version.
    pub short: bool,
    /// Set if there is a version with groups in the lanes.
    pub columns: Option<Columns>,
}

/// Writes the functions of a nest.
pub fn functions(
    shared: &mut Shared<'_>,
    number: usize,
    nest: &Nest,
    lanes: usize,
) -> Result<(NestPlan, Vec<FunctionText>), Unsupported> {
    let mut writer = Writer { shared, number, nest, lanes, texts: Vec::new() };
    let plan = writer.plan();
    if nest.level == 0 {
        writer.once()?;
    } else if nest.group > 0 {
        writer.groups()?;
        if plan.columns.is_some() {
            writer.part("columns", columns::write)?;
        }
        if giant::suits(writer.shared.kernel, nest) {
            writer.part("tiles", giant::tiles)?;
            writer.part("close", giant::close)?;
        }
    } else {
        writer.whole("main", Phase::Main, false)?;
        if nest.chained {
            writer.whole("totals", Phase::Totals, false)?;
            writer.chain();
        }
        if plan.short {
            writer.whole("short", Phase::Main, true)?;
        }
        if plan.joins {
            writer.join();
        }
    }
    Ok((plan, writer.texts))
}

struct Writer<'s, 'a, 'n> {
    shared: &'s mut Shared<'a>,
    number: usize,
    nest: &'n Nest,
    lanes: usize,
    texts: Vec<FunctionText>,
}

impl<'a> Writer<'_, 'a, '_> {
    fn begin(&mut self) -> Function<'_, 'a> {
        let mut f = Function::new(self.shared, self.lanes);
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

    fn plan(&mut self) -> NestPlan {
        let nest = self.nest;
        let f = self.begin();
        let parts = reduce::parts(&f, nest.in_sweep(0));
        let scans = scan::parts(&f, nest.in_sweep(0), 0);
        let whole = nest.group == 0 && nest.level > 0;
        NestPlan {
            nest: nest.clone(),
            row: 8 * row_cells(&parts),
            carry: if nest.chained { carry_start(&scans) } else { Vec::new() },
            streams: stream::streams(&f, nest.items.iter().map(|item| item.step)),
            joins: whole && !parts.is_empty(),
            short: whole && nest.tiled,
            columns: columns::columns(&f, nest),
        }
    }

    /// A nest that runs once.
    fn once(&mut self) -> Result<(), Unsupported> {
        let (name, nest) = (self.name("main"), self.nest);
        let mut f = self.begin();
        let mut sinks = sinks(&mut f, nest, 0, false);
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

    /// A stretch of the whole.
    fn whole(&mut self, what: &str, phase: Phase, short: bool) -> Result<(), Unsupported> {
        let (name, nest) = (self.name(what), self.nest);
        let mut f = self.begin();
        let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
        let in_points = short || nest.walk == Order::Points;
        let mut sinks = sinks(&mut f, nest, 0, !in_points);
        let carry = match nest.chained && phase == Phase::Main {
            true => Some(field(&mut f.emit, "ptr", offset::CARRY)),
            false => None,
        };
        sinks.accumulators.reset(&mut f);
        sinks.scans.reset(&mut f, carry.as_deref());
        let parts = sinks.accumulators.parts.clone();
        let state = (!parts.is_empty()).then(|| field(&mut f.emit, "ptr", offset::STATE));
        let walk = Walk { nest, sweep: 0, phase, frame: Frame::whole(), from, to };
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
        let tiled = nest.tiled && phase == Phase::Main && !short;
        match (in_points, tiled) {
            (false, true) => f.vectors(&walk, &mut sinks, Some(&mut at_tile))?,
            (false, false) => f.vectors(&walk, &mut sinks, None)?,
            (true, true) => ordered::tiles(&mut f, &walk, &mut sinks, &mut at_tile)?,
            (true, false) => f.points(&walk, &mut sinks, &mut |_, _, _, _| {})?,
        }
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

    /// The carry of the next piece.
    fn chain(&mut self) {
        let (name, nest) = (self.name("chain"), self.nest);
        let mut f = self.begin();
        let parts = scan::parts(&f, nest.in_sweep(0), 0);
        let carry = field(&mut f.emit, "ptr", offset::CARRY);
        let own = field(&mut f.emit, "ptr", offset::STATE);
        let into = field(&mut f.emit, "ptr", offset::TOTAL);
        scan::combine_carries(&mut f, &parts, nest.direction, &carry, &own, &into);
        let text = finish(f, name);
        self.texts.push(text);
    }

    /// Reductions over the whole, from rows.
    fn join(&mut self) {
        let (name, nest) = (self.name("join"), self.nest);
        let mut f = self.begin();
        let parts = reduce::parts(&f, nest.in_sweep(0));
        let state = field(&mut f.emit, "ptr", offset::STATE);
        let count = field(&mut f.emit, "i64", offset::TO);
        let stack = RowStack::new(&mut f, &parts);
        stack.take(&mut f, &parts, &state, &count);
        let values = reduce::row_values(&mut f, &parts, &stack.next());
        store_results(&mut f, &parts, &values, "0");
        let text = finish(f, name);
        self.texts.push(text);
    }

    /// A function that is written elsewhere.
    fn part(
        &mut self,
        what: &str,
        write: fn(&mut Function<'_, 'a>, &Nest) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let (name, nest) = (self.name(what), self.nest);
        let mut f = self.begin();
        write(&mut f, nest)?;
        let text = finish(f, name);
        self.texts.push(text);
        Ok(())
    }

    /// Groups `from..to`, each by itself.
    fn groups(&mut self) -> Result<(), Unsupported> {
        let (name, nest) = (self.name("main"), self.nest);
        let mut f = self.begin();
        let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
        let steps = nest.items.iter().map(|item| item.step);
        let streams = stream::streams(&f, steps);
        let writers = Writers::new(&mut f, streams);
        let at = f.emit.variable("i64");
        f.set(&at, &from);
        let (head, body, exit) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let mut group = f.get(&at);
        let more = f.emit.define(format_args!("icmp slt i64 {group}, {to}"));
        f.emit.branch(&more, body, exit);
        f.emit.text.begin(body);
        let batch = match batch::suits(&f, nest) {
            true => Some(Batch::begin(&mut f, nest, &mut group, &to)?),
            false => None,
        };
        let (coordinates, positions) = f.decode(nest.group, &group);
        let base = f.first_of(nest.group, nest.level, &group);
        let next = f.emit.define(format_args!("add i64 {group}, 1"));
        let end = f.first_of(nest.group, nest.level, &next);
        let length = f.emit.define(format_args!("sub i64 {end}, {base}"));
        let mut frame = Frame { coordinates, positions, base, made: Default::default() };
        for sweep in 0..=nest.sweeps() {
            for step in nest.before_sweep(sweep) {
                f.emit.row = f.emit.text.mark();
                let point = super::point::Point {
                    coordinates: frame.coordinates.clone(),
                    positions: frame.positions.clone(),
                    mask: Val::truth(true),
                    own: Default::default(),
                };
                let binds = f.group_step(step, &point, &frame.made)?;
                frame.made.extend(binds);
            }
            if sweep < nest.sweeps() {
                group_sweep(&mut f, nest, sweep, &mut frame, &length, &writers, &group)?;
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

/// Sixteen groups, of which the short ones are done at once and the others one after another.
struct Batch {
    /// Which groups are left: an `i64` variable, lowest bit first.
    pending: Name,
    /// Which groups are left, the one at hand included.
    bits: Name,
    /// The first of the groups after these.
    past: Name,
    each: Label,
    done: Label,
}

impl Batch {
    /// Begins a batch at a group; what is written next is for one of the groups that are left, which takes its place.
    fn begin(
        f: &mut Function<'_, '_>,
        nest: &Nest,
        group: &mut Name,
        to: &str,
    ) -> Result<Batch, Unsupported> {
        let first = group.clone();
        let side = batch::SIDE;
        let (each, body, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        let pending = f.emit.variable("i64");
        let past = f.emit.define(format_args!("add i64 {first}, {side}"));
        let rest = f.emit.define(format_args!("sub i64 {to}, {first}"));
        let count = f.least(&rest, &side.to_string());
        let ones = f.emit.define(format_args!("shl i64 1, {count}"));
        let ones = f.emit.define(format_args!("sub i64 {ones}, 1"));
        f.set(&pending, &ones);
        let full = f.emit.define(format_args!("icmp sge i64 {rest}, {side}"));
        when(f, &full, &mut |f| batch::write(f, nest, &first, &pending))?;
        f.emit.fall_into(each);
        let bits = f.get(&pending);
        let more = f.emit.define(format_args!("icmp ne i64 {bits}, 0"));
        f.emit.branch(&more, body, done);
        f.emit.text.begin(body);
        f.emit.declare("declare i64 @llvm.cttz.i64(i64, i1)");
        let number = f.emit.define(format_args!("call i64 @llvm.cttz.i64(i64 {bits}, i1 true)"));
        *group = f.emit.define(format_args!("add i64 {first}, {number}"));
        Ok(Batch { pending, bits, past, each, done })
    }

    /// Ends what is written for one group, and the batch; answers the group that comes next.
    fn end(self, f: &mut Function<'_, '_>) -> Name {
        let less = f.emit.define(format_args!("sub i64 {}, 1", self.bits));
        let rest = f.emit.define(format_args!("and i64 {}, {less}", self.bits));
        f.set(&self.pending, &rest);
        f.emit.line(format_args!("br label %{}", self.each));
        f.emit.text.begin(self.done);
        self.past
    }
}

/// One sweep of one group, by one thread.
fn group_sweep(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    sweep: usize,
    frame: &mut Frame,
    length: &Name,
    writers: &Writers,
    group: &str,
) -> Result<(), Unsupported> {
    let in_points = nest.walk == Order::Points;
    let make = |f: &mut Function<'_, '_>, lanes: bool| {
        let mut sinks = sinks_with(f, nest, sweep, lanes, writers.clone());
        sinks.accumulators.reset(f);
        sinks.scans.reset(f, None);
        sinks
    };
    let walk =
        Walk { nest, sweep, phase: Phase::Main, frame: frame.clone(), from: "0".into(), to: length.clone() };
    let guarded = guarded(f);
    let any = f.emit.define(format_args!("icmp sgt i64 {length}, 0"));
    let any = Val::uniform(ScalarType::Bool, Depth::Here, any);
    let tiled = nest
        .in_sweep(sweep)
        .any(|step| super::plan::is_tiled(f.shared.program, f.shared.kernel, &f.shared.kernel.steps[step]));
    let left_to_right = |f: &mut Function<'_, '_>| {
        let mut sinks = make(f, false);
        f.points(&walk, &mut sinks, &mut |_, _, _, _| {})?;
        let values = sinks.accumulators.values(f, &guarded, &any);
        Ok((sinks.accumulators.parts, values))
    };
    let in_tiles = |f: &mut Function<'_, '_>| {
        let mut sinks = make(f, !in_points);
        let parts = sinks.accumulators.parts.clone();
        let stack = RowStack::new(f, &parts);
        stack.reset(f);
        let mut at_tile = |f: &mut Function<'_, '_>, sinks: &mut Sinks, _: &str| {
            sinks.accumulators.write_row(f, &stack.next(), &guarded);
            stack.push(f, &parts);
            sinks.accumulators.reset(f);
        };
        match in_points {
            false => f.vectors(&walk, &mut sinks, Some(&mut at_tile))?,
            true => ordered::tiles(f, &walk, &mut sinks, &mut at_tile)?,
        }
        stack.finish(f, &parts);
        let values = reduce::row_values(f, &parts, &stack.next());
        Ok((parts, values))
    };
    let maps =
        nest.in_sweep(sweep).all(|step| matches!(f.shared.kernel.steps[step].kind, CombinatorKind::Map));
    let (parts, values): (Vec<Part>, Vec<Vec<Val>>) = if maps && !in_points && sweep > 0 {
        let [mut one, mut many] = [false, true].map(|lanes| make(f, lanes));
        let few = f.emit.define(format_args!("icmp sle i64 {length}, {FEW}"));
        choose(f, &few, &mut |f| f.points(&walk, &mut one, &mut |_, _, _, _| {}), &mut |f| {
            f.vectors(&walk, &mut many, None)
        })?;
        (Vec::new(), Vec::new())
    } else if !tiled {
        let mut sinks = make(f, !in_points);
        match in_points {
            false => f.vectors(&walk, &mut sinks, None)?,
            true => f.points(&walk, &mut sinks, &mut |_, _, _, _| {})?,
        }
        let values = sinks.accumulators.values(f, &guarded, &any);
        (sinks.accumulators.parts, values)
    } else if let Some(known) = f.literal_length(nest) {
        if known <= SHORT { left_to_right(f)? } else { in_tiles(f)? }
    } else {
        let (short, long, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        let is_short = f.emit.define(format_args!("icmp sle i64 {length}, {SHORT}"));
        f.emit.branch(&is_short, short, long);
        f.emit.text.begin(short);
        let (parts, values) = left_to_right(f)?;
        let variables: Vec<Vec<Name>> = values
            .iter()
            .map(|values: &Vec<Val>| values.iter().map(|val| f.scalar_variable(val.ty)).collect())
            .collect();
        set_values(f, &variables, &values);
        f.emit.line(format_args!("br label %{done}"));
        f.emit.text.begin(long);
        let (_, values) = in_tiles(f)?;
        set_values(f, &variables, &values);
        f.emit.fall_into(done);
        let values = get_values(f, &variables, &parts);
        (parts, values)
    };
    store_results(f, &parts, &values, group);
    bind_results(f, &parts, &values, frame);
    Ok(())
}

fn set_values(f: &mut Function<'_, '_>, variables: &[Vec<Name>], values: &[Vec<Val>]) {
    for (variable, val) in variables.iter().flatten().zip(values.iter().flatten()) {
        let name = f.emit.scalar(val);
        f.emit.line(format_args!("store {} {name}, ptr {variable}", super::emit::llvm_type(val.ty)));
    }
}

fn get_values(f: &mut Function<'_, '_>, variables: &[Vec<Name>], parts: &[Part]) -> Vec<Vec<Val>> {
    let mut all = Vec::new();
    for (list, part) in variables.iter().zip(parts) {
        let mut values = Vec::new();
        for (variable, &ty) in list.iter().zip(&part.types) {
            let name = f.emit.define(format_args!("load {}, ptr {variable}", super::emit::llvm_type(ty)));
            values.push(Val::uniform(ty, Depth::Here, name));
        }
        all.push(values);
    }
    all
}

/// The bind of each component of a part.
pub(super) fn binds(f: &Function<'_, '_>, part: &Part) -> Vec<ValueId> {
    let binds = &f.shared.kernel.steps[part.step].binds;
    binds[part.first..part.first + part.types.len()].to_vec()
}

pub(super) fn store_results(f: &mut Function<'_, '_>, parts: &[Part], values: &[Vec<Val>], at: &str) {
    for (part, values) in parts.iter().zip(values) {
        for (bind, val) in binds(f, part).into_iter().zip(values) {
            if let Some(data) = f.stored(bind) {
                let name = f.emit.scalar(val);
                f.store(&data, val.ty, at, &name);
            }
        }
    }
}

pub(super) fn bind_results(f: &Function<'_, '_>, parts: &[Part], values: &[Vec<Val>], frame: &mut Frame) {
    for (part, values) in parts.iter().zip(values) {
        frame.made.extend(binds(f, part).into_iter().zip(values.iter().cloned()));
    }
}

/// Whether points may be left out, for each step.
pub(super) fn guarded(f: &Function<'_, '_>) -> impl Fn(usize) -> bool + use<> {
    let list: Vec<bool> = f.shared.kernel.steps.iter().map(|step| step.guard.is_some()).collect();
    move |step| list[step]
}

pub(super) fn sinks(f: &mut Function<'_, '_>, nest: &Nest, sweep: usize, lanes: bool) -> Sinks {
    let elements = nest.items.iter().filter(|item| matches!(item.at, At::Element(_)));
    let streams = stream::streams(f, elements.map(|item| item.step));
    let writers = Writers::new(f, streams);
    sinks_with(f, nest, sweep, lanes, writers)
}

fn sinks_with(f: &mut Function<'_, '_>, nest: &Nest, sweep: usize, lanes: bool, writers: Writers) -> Sinks {
    let parts = reduce::parts(f, nest.in_sweep(sweep));
    let accumulators = Accumulators::new(f, parts, lanes);
    let scans = scan::parts(f, nest.in_sweep(sweep), 0);
    let scans = Scans::new(f, scans, nest.direction, lanes);
    Sinks { accumulators, scans, writers }
}

/// The cells of the carry before the first piece.
fn carry_start(parts: &[ScanPart]) -> Vec<u64> {
    let mut cells = Vec::new();
    for part in parts {
        let start = part.identity.as_ref().unwrap_or(&part.unit);
        cells.extend(start.iter().map(|scalar: &Scalar| scalar.to_bits()));
        cells.push(0);
    }
    cells
}

/// Ends a function.
fn finish(mut f: Function<'_, '_>, name: String) -> FunctionText {
    if f.shared.streaming && cfg!(target_arch = "x86_64") {
        // What went past the caches comes to memory in no order; the piece is done when all of it is there.
        f.emit.declare("declare void @llvm.x86.sse.sfence()");
        f.emit.line("call void @llvm.x86.sse.sfence()");
    }
    f.emit.line("ret void");
    let (declarations, privates) = (f.emit.declarations, f.privates.arrays);
    let body = f.emit.text.finish();
    let text = format!("define void @\"{name}\"(ptr noalias %slots, ptr noalias %work) #0 {{\n{body}}}\n");
    FunctionText { name, text, declarations, privates }
}
