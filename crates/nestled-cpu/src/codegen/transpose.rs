//! Transposed batches: vectorises sixteen short groups at once, by a transposition of their values.
//!
//! The values of a short group are computed as one masked vector, which is a row of a square matrix. The square is then transposed, so that each
//! group has a lane, and the values of all groups are combined from left to right in all lanes at once. No branch depends on the length of a group.
//! Groups that are not short remain in a bit set, for the scalar loop over groups; with flat rows (`flat_rows.rs`) none does.
//!
//! If later sweeps read the results of the groups, all sixteen must be short. Then sweeps that reduce are done in the same way, and sweeps that
//! only map run along the elements of all sixteen (`broadcast.rs`).

use super::Unsupported;
use super::broadcast::Elements;
use super::control::{each, when};
use super::emit::memory_type;
use super::flat_rows;
use super::frame::Frame;
use super::function::Function;
use super::reduce::Accumulators;
use super::results::lane_results;
use super::row_totals::RowTotals;
use super::short_groups::{elements, first_lanes, lengths, short_ones, taken_of};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{ScalarType, ValueId};
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::schedule::Batches;
use nestled_kernel::strategy::transpose::SIDE;
use std::collections::{BTreeMap, HashMap};

/// Minimum number of short groups with elements for which a transposition takes less time than a loop for each.
const ENOUGH: usize = 4;

/// With several sweeps, batches with at most this number of elements are faster one element after another.
const FEW: usize = 2 * SIDE;

/// Runs the short ones of the groups `first..first + 16`, and writes the remaining ones to `pending`, an `i64` variable with a bit for each group,
/// lowest first. Before, all bits are set.
pub fn write(
    f: &mut Function<'_, '_>,
    (nest, batches): (&Nest, Batches),
    first: &Name,
    pending: &str,
) -> Result<(), Unsupported> {
    let lengths = lengths(f, first);
    if nest.sweeps() == 1 {
        let mut suits = has_enough(f, &lengths);
        if batches.flat {
            let (_, elements) = elements(f, first);
            let few = f.emit.define(format_args!("icmp ule i64 {elements}, {}", flat_rows::MOST));
            suits = f.emit.define(format_args!("and i1 {suits}, {few}"));
        }
        return when(f, &suits, &mut |f| {
            let square = square(f, (nest, batches), 0, first, &HashMap::new())?;
            f.emit.row = f.emit.text.mark();
            f.emit.first_lane = first.clone();
            lane_results(f, nest, (0, &Frame::whole()), (&square.parts, &square.values), &square.done)?;
            let done = f.emit.bits(&square.done);
            let left = f.emit.define(format_args!("xor i{SIDE} {done}, -1"));
            let left = f.emit.define(format_args!("zext i{SIDE} {left} to i64"));
            f.set(pending, &left);
            Ok(())
        });
    }
    let (_, elements) = elements(f, first);
    let many = f.emit.define(format_args!("icmp ugt i64 {elements}, {FEW}"));
    let short = short_ones(f, &lengths, SIDE);
    let short = f.emit.all(&short);
    let suits = f.emit.define(format_args!("and i1 {many}, {short}"));
    when(f, &suits, &mut |f| sweeps(f, (nest, batches), first, pending))
}

/// Emits a test whether enough groups are short and not empty, an `i1`.
fn has_enough(f: &mut Function<'_, '_>, lengths: &Name) -> Name {
    let (wide, one) = (f.emit.wide("i64"), f.emit.splat_literal("i64", "1"));
    let side = f.emit.splat_literal("i64", &SIDE.to_string());
    let less = f.emit.define(format_args!("sub {wide} {lengths}, {one}"));
    let some = f.emit.define(format_args!("icmp ult {wide} {less}, {side}"));
    let bits = f.emit.bits(&Val::varying(ScalarType::Bool, some));
    f.emit.declare(format!("declare i{SIDE} @llvm.ctpop.i{SIDE}(i{SIDE})"));
    let count = f.emit.define(format_args!("call i{SIDE} @llvm.ctpop.i{SIDE}(i{SIDE} {bits})"));
    f.emit.define(format_args!("icmp uge i{SIDE} {count}, {ENOUGH}"))
}

/// Emits all sweeps of sixteen short groups.
fn sweeps(
    f: &mut Function<'_, '_>,
    (nest, batches): (&Nest, Batches),
    first: &Name,
    pending: &str,
) -> Result<(), Unsupported> {
    let elements = Elements::new(f, first);
    let mut made = HashMap::new();
    for sweep in 0..nest.sweeps() {
        if f.reductions(nest.in_sweep(sweep)).is_empty() {
            let mut sinks = Sinks::none(f, nest);
            elements.map(f, nest, sweep, &made, &mut sinks)?;
            continue;
        }
        let square = square(f, (nest, batches), sweep, first, &made)?;
        f.emit.row = f.emit.text.mark();
        f.emit.first_lane = first.clone();
        let outer = Frame { made, ..Frame::whole() };
        made = lane_results(f, nest, (sweep, &outer), (&square.parts, &square.values), &Val::truth(true))?;
    }
    f.set(pending, "0");
    Ok(())
}

/// The results of sixteen groups, one per lane.
struct Square {
    parts: Vec<Part>,
    /// The values of each component of each part.
    values: Vec<Vec<Val>>,
    /// The mask of the groups that are done; the other lanes are ignored.
    done: Val,
}

/// Emits the reductions of a sweep. `made` holds the values bound at the groups before, one group per lane.
fn square(
    f: &mut Function<'_, '_>,
    (nest, batches): (&Nest, Batches),
    sweep: usize,
    first: &Name,
    made: &HashMap<ValueId, Val>,
) -> Result<Square, Unsupported> {
    let parts = f.reductions(nest.in_sweep(sweep));
    let lengths = lengths(f, first);
    let wide = f.emit.wide("i64");
    let any = f.emit.define(format_args!("icmp sgt {wide} {lengths}, zeroinitializer"));
    let any = Val::varying(ScalarType::Bool, any);
    let (done, mut values) = match batches.flat {
        true => {
            let (base, count) = elements(f, first);
            (Val::truth(true), flat_rows::totals(f, (nest, sweep), (first, &lengths), (&base, &count))?)
        }
        false => {
            let short = short_ones(f, &lengths, SIDE);
            let taken = taken_of(f, &lengths, &short);
            let values = own_rows(f, (nest, batches), sweep, (first, &taken), made)?;
            (short, values)
        }
    };
    for (part, sum) in parts.iter().zip(&mut values).filter(|(part, _)| part.counts()) {
        for (val, &unit) in sum.iter_mut().zip(&part.unit) {
            *val = f.emit.blend(&any, val, &Val::constant(unit));
        }
    }
    Ok(Square { parts, values, done })
}

/// Emits the reductions of a sweep, for which the values of each group are computed as one vector. Returns the results of each component of each part.
fn own_rows(
    f: &mut Function<'_, '_>,
    (nest, batches): (&Nest, Batches),
    sweep: usize,
    (first, taken): (&Name, &Name),
    made: &HashMap<ValueId, Val>,
) -> Result<Vec<Vec<Val>>, Unsupported> {
    let parts = f.reductions(nest.in_sweep(sweep));
    let totals: Vec<RowTotals> = parts.iter().map(|part| RowTotals::new(f, part)).collect();
    let made: BTreeMap<ValueId, &Val> = made.iter().map(|(&bind, val)| (bind, val)).collect();
    let known: Vec<(ValueId, ScalarType, Name)> = made
        .into_iter()
        .map(|(bind, val)| {
            let wide = f.emit.wide(memory_type(val.ty));
            let buffer = f.emit.variable(&wide);
            f.store_vector(&buffer, "0", val, &Val::truth(true), false);
            (bind, val.ty, buffer)
        })
        .collect();
    let accumulated = totals.iter().map(RowTotals::accumulated).collect();
    let accumulators = Accumulators::new(f, accumulated, Some(f.emit.lanes));
    let mut sinks = Sinks { accumulators, ..Sinks::none(f, nest) };
    let mut fill = |f: &mut Function<'_, '_>, number: &str| {
        let group = f.emit.define(format_args!("add i64 {first}, {number}"));
        let begin = f.first_of(1, 2, &group);
        sinks.accumulators.reset(f);
        let count = f.load(Depth::Here, taken, ScalarType::I32, number);
        let mask = first_lanes(f, &count);
        let mut made = HashMap::new();
        for (bind, ty, buffer) in &known {
            made.insert(*bind, f.load(Depth::Here, buffer, *ty, number));
        }
        f.emit.row = f.emit.text.mark();
        let (coordinates, positions) = f.decode(1, &group);
        let frame = Frame { coordinates, positions, base: begin, made };
        f.masked((nest, sweep), frame, ("0", mask), &mut sinks)?;
        for (position, totals) in totals.iter().enumerate() {
            let values = sinks.accumulators.current(f, position);
            totals.keep(f, number, values);
        }
        Ok(())
    };
    match batches.unrolled {
        true => (0..SIDE).try_for_each(|number| fill(f, &number.to_string()))?,
        false => each(f, "0", &SIDE.to_string(), 1, &mut fill)?,
    }
    Ok(totals.iter().map(|totals| totals.results(f)).collect())
}
