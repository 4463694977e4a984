//! The serial loop over groups: one thread runs the sweeps of each group in turn, with versions for short groups.

use super::Unsupported;
use super::control::{choose, when};
use super::frame::Frame;
use super::function::Function;
use super::loops::Walk;
use super::reduce;
use super::results::{bind_results, store_results};
use super::row_stack::RowStack;
use super::sinks::{Sinks, guarded};
use super::stream::Writers;
use super::text::{Label, Name};
use super::transpose;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;
use nestled_ir::reduction_order::TILE;
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::schedule::{Batches, GroupSweep, Strategy};
use nestled_kernel::strategy::transpose::SIDE;

/// A batch of sixteen groups: short ones are done at once, the others one after another.
pub struct Batch {
    /// An `i64` variable with a bit for each group that is left, lowest first.
    pending: Name,
    /// The groups that are left, including the current one.
    bits: Name,
    /// The first group after the batch.
    past: Name,
    each: Label,
    done: Label,
}

impl Batch {
    /// Begins a batch at a group. The code that follows is for one of the remaining groups, which replaces it.
    pub fn begin(
        f: &mut Function<'_, '_>,
        nest: &Nest,
        batches: Batches,
        (group, to): (&mut Name, &str),
    ) -> Result<Batch, Unsupported> {
        let first = group.clone();
        let side = SIDE;
        let (each, body, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        let pending = f.emit.variable("i64");
        let past = f.emit.define(format_args!("add i64 {first}, {side}"));
        let rest = f.emit.define(format_args!("sub i64 {to}, {first}"));
        let count = f.least(&rest, &side.to_string());
        let ones = f.emit.define(format_args!("shl i64 1, {count}"));
        let ones = f.emit.define(format_args!("sub i64 {ones}, 1"));
        f.set(&pending, &ones);
        let full = f.emit.define(format_args!("icmp sge i64 {rest}, {side}"));
        when(f, &full, &mut |f| transpose::write(f, (nest, batches), &first, &pending))?;
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

    /// Ends the code for one group, and the batch. Returns the next group.
    pub fn end(self, f: &mut Function<'_, '_>) -> Name {
        let less = f.emit.define(format_args!("sub i64 {}, 1", self.bits));
        let rest = f.emit.define(format_args!("and i64 {}, {less}", self.bits));
        f.set(&self.pending, &rest);
        f.emit.line(format_args!("br label %{}", self.each));
        f.emit.text.begin(self.done);
        self.past
    }
}

/// Emits one sweep of one group, by one thread.
pub fn group_sweep(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    how: &GroupSweep,
    frame: &mut Frame,
    writers: &Writers,
    group: &str,
) -> Result<(), Unsupported> {
    let length = &walk.to;
    let any = f.emit.define(format_args!("icmp sgt i64 {length}, 0"));
    let any = Val::uniform(ScalarType::Bool, Depth::Here, any);
    let (parts, values): (Vec<Part>, Vec<Vec<Val>>) = match *how {
        GroupSweep::PointsUpTo(most, strategy) => {
            let [mut one, mut many] =
                [Strategy::Points, strategy].map(|way| group_sinks(f, walk, way, writers));
            let few = f.emit.define(format_args!("icmp sle i64 {length}, {most}"));
            choose(f, &few, &mut |f| f.sweep(Strategy::Points, walk, &mut one, None), &mut |f| {
                f.sweep(strategy, walk, &mut many, None)
            })?;
            (Vec::new(), Vec::new())
        }
        GroupSweep::Any(strategy) => freely(f, walk, strategy, writers, &any)?,
        GroupSweep::LeftToRight => freely(f, walk, Strategy::Points, writers, &any)?,
        GroupSweep::Tiles(strategy) => in_tiles(f, walk, strategy, writers, &any)?,
        GroupSweep::LeftToRightUpTo(most, strategy) => {
            let (short, long, done) = (f.emit.label(), f.emit.label(), f.emit.label());
            let is_short = f.emit.define(format_args!("icmp sle i64 {length}, {most}"));
            f.emit.branch(&is_short, short, long);
            f.emit.text.begin(short);
            let (parts, values) = freely(f, walk, Strategy::Points, writers, &any)?;
            let variables = value_variables(f, &parts);
            set_values(f, &variables, &values);
            f.emit.line(format_args!("br label %{done}"));
            f.emit.text.begin(long);
            let (_, values) = in_tiles(f, walk, strategy, writers, &any)?;
            set_values(f, &variables, &values);
            f.emit.fall_into(done);
            let values = get_values(f, &variables, &parts);
            (parts, values)
        }
    };
    store_results(f, &parts, &values, group);
    bind_results(f, &parts, &values, frame);
    Ok(())
}

/// Makes the sinks of a sweep of a group.
fn group_sinks(f: &mut Function<'_, '_>, walk: &Walk<'_>, strategy: Strategy, writers: &Writers) -> Sinks {
    let mut sinks = Sinks::with(f, walk.nest, walk.sweep, strategy.is_in_lanes(), writers.clone());
    sinks.accumulators.reset(f);
    sinks.scans.reset(f, None);
    sinks
}

/// Emits a sweep of a group without fixed order: reductions have one accumulator per lane, or one in all for scalar code.
fn freely(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    strategy: Strategy,
    writers: &Writers,
    any: &Val,
) -> Result<(Vec<Part>, Vec<Vec<Val>>), Unsupported> {
    let guarded = guarded(f);
    let mut sinks = group_sinks(f, walk, strategy, writers);
    f.sweep(strategy, walk, &mut sinks, None)?;
    let values = sinks.accumulators.values(f, &guarded, any);
    Ok((sinks.accumulators.parts, values))
}

/// Emits a sweep of a group whose tiles leave rows of partial results. The accumulators of a group of one tile are its result.
fn in_tiles(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    strategy: Strategy,
    writers: &Writers,
    any: &Val,
) -> Result<(Vec<Part>, Vec<Vec<Val>>), Unsupported> {
    let guarded = guarded(f);
    let mut sinks = group_sinks(f, walk, strategy, writers);
    let parts = sinks.accumulators.parts.clone();
    let variables = value_variables(f, &parts);
    let stack = RowStack::new(f, &parts);
    let several = f.emit.define(format_args!("icmp sgt i64 {}, {TILE}", walk.to));
    stack.reset(f);
    let mut at_tile = |f: &mut Function<'_, '_>, sinks: &mut Sinks, _: &str| {
        let (push, done) = (f.emit.label(), f.emit.label());
        f.emit.branch(&several, push, done);
        f.emit.text.begin(push);
        sinks.accumulators.write_row(f, &stack.next(), &guarded);
        stack.push(f, &parts);
        sinks.accumulators.reset(f);
        f.emit.fall_into(done);
    };
    f.sweep(strategy, walk, &mut sinks, Some(&mut at_tile))?;
    choose(
        f,
        &several,
        &mut |f| {
            stack.finish(f, &parts);
            let values = reduce::row_values(f, &parts, &stack.next());
            set_values(f, &variables, &values);
            Ok(())
        },
        &mut |f| {
            let values = sinks.accumulators.values(f, &guarded, any);
            set_values(f, &variables, &values);
            Ok(())
        },
    )?;
    let values = get_values(f, &variables, &parts);
    Ok((parts, values))
}

/// Makes a variable for each component of each part.
fn value_variables(f: &mut Function<'_, '_>, parts: &[Part]) -> Vec<Vec<Name>> {
    parts.iter().map(|part| part.types.iter().map(|&ty| f.scalar_variable(ty)).collect()).collect()
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
