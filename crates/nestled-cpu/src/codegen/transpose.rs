//! Transposed batches: vectorises sixteen short groups at once, by a transposition of their values.
//!
//! The values of a short group are computed as one masked vector, which is a row of a square matrix. The square is then transposed, so that each
//! group has a lane, and the values of all groups are combined from left to right in all lanes at once. No branch depends on the length of a group.
//! Groups that are not short remain in a bit set, for the scalar loop over groups.
//!
//! If later sweeps read the results of the groups, all sixteen must be short. Then sweeps that reduce are done in the same way, and sweeps that
//! only map run along the elements of all sixteen (`broadcast.rs`).

use super::Unsupported;
use super::broadcast::Elements;
use super::control::{each, when};
use super::emit::memory_type;
use super::frame::Frame;
use super::function::Function;
use super::point::StepRef;
use super::reduce::Accumulators;
use super::results::lane_results;
use super::row_totals::RowTotals;
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{ScalarType, ValueId};
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::strategy::transpose::SIDE;
use std::collections::{BTreeMap, HashMap};

/// Batches with more elements than this have few short groups.
const MANY: usize = 24 * SIDE;

/// Batches with at most this number of elements are faster one element after another.
const FEW: usize = 2 * SIDE;

/// Runs the short ones of the groups `first..first + 16`, and writes the remaining ones to `pending`, an `i64` variable with a bit for each group,
/// lowest first. Before, all bits are set.
pub fn write(f: &mut Function<'_, '_>, nest: &Nest, first: &Name, pending: &str) -> Result<(), Unsupported> {
    let past = f.emit.define(format_args!("add i64 {first}, {SIDE}"));
    let (begin, end) = (f.first_of(1, 2, first), f.first_of(1, 2, &past));
    let elements = f.emit.define(format_args!("sub i64 {end}, {begin}"));
    // `FEW < elements ≤ MANY`, as a single comparison.
    let over = f.emit.define(format_args!("sub i64 {elements}, {}", FEW + 1));
    let suits = f.emit.define(format_args!("icmp ult i64 {over}, {}", MANY - FEW));
    if nest.sweeps() == 1 {
        return when(f, &suits, &mut |f| {
            let square = square(f, nest, 0, first, &HashMap::new())?;
            f.emit.row = f.emit.text.mark();
            f.emit.first_lane = first.clone();
            lane_results(f, nest, (0, &Frame::whole()), (&square.parts, &square.values), &square.short)?;
            let done = f.emit.bits(&square.short);
            let left = f.emit.define(format_args!("xor i{SIDE} {done}, -1"));
            let left = f.emit.define(format_args!("zext i{SIDE} {left} to i64"));
            f.set(pending, &left);
            Ok(())
        });
    }
    when(f, &suits, &mut |f| {
        let lengths = lengths(f, first);
        let short = short_ones(f, &lengths);
        let short = f.emit.all(&short);
        when(f, &short, &mut |f| sweeps(f, nest, first, pending))
    })
}

/// Computes the number of elements of each group, one per lane.
fn lengths(f: &mut Function<'_, '_>, first: &Name) -> Name {
    match f.captures.space[1].step.clone() {
        StepRef::Extent(extent) => f.emit.vector(&extent),
        StepRef::Offsets(offsets) => {
            let next = f.emit.define(format_args!("add i64 {first}, 1"));
            let [begin, end] =
                [first, &next].map(|at| f.load_vector(&offsets, ScalarType::I64, at, &Val::truth(true)).name);
            let wide = f.emit.wide("i64");
            f.emit.define(format_args!("sub {wide} {end}, {begin}"))
        }
        StepRef::View { .. } => unreachable!("a space is made of shapes"),
    }
}

/// Computes the mask of groups with at most sixteen elements.
fn short_ones(f: &mut Function<'_, '_>, lengths: &Name) -> Val {
    let (wide, side) = (f.emit.wide("i64"), f.emit.splat_literal("i64", &SIDE.to_string()));
    Val::varying(ScalarType::Bool, f.emit.define(format_args!("icmp sle {wide} {lengths}, {side}")))
}

/// Emits all sweeps of sixteen short groups.
fn sweeps(f: &mut Function<'_, '_>, nest: &Nest, first: &Name, pending: &str) -> Result<(), Unsupported> {
    let elements = Elements::new(f, first);
    let mut made = HashMap::new();
    for sweep in 0..nest.sweeps() {
        if f.reductions(nest.in_sweep(sweep)).is_empty() {
            let mut sinks = Sinks::none(f, nest);
            elements.map(f, nest, sweep, &made, &mut sinks)?;
            continue;
        }
        let square = square(f, nest, sweep, first, &made)?;
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
    /// The mask of short groups; the other lanes are ignored.
    short: Val,
}

/// Emits the reductions of a sweep. `made` holds the values bound at the groups before, one group per lane.
fn square(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    sweep: usize,
    first: &Name,
    made: &HashMap<ValueId, Val>,
) -> Result<Square, Unsupported> {
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
    let accumulators = Accumulators::new(f, parts.clone(), true);
    let mut sinks = Sinks { accumulators, ..Sinks::none(f, nest) };
    each(f, "0", &SIDE.to_string(), 1, &mut |f, number| {
        let group = f.emit.define(format_args!("add i64 {first}, {number}"));
        let next = f.emit.define(format_args!("add i64 {group}, 1"));
        let (begin, end) = (f.first_of(1, 2, &group), f.first_of(1, 2, &next));
        let length = f.emit.define(format_args!("sub i64 {end}, {begin}"));
        sinks.accumulators.reset(f);
        let less = f.emit.define(format_args!("sub i64 {length}, 1"));
        let short = f.emit.define(format_args!("icmp ult i64 {less}, {SIDE}"));
        let taken = f.emit.define(format_args!("select i1 {short}, i64 {length}, i64 0"));
        let mut made = HashMap::new();
        for (bind, ty, buffer) in &known {
            made.insert(*bind, f.load(Depth::Here, buffer, *ty, number));
        }
        f.emit.row = f.emit.text.mark();
        let (coordinates, positions) = f.decode(1, &group);
        let frame = Frame { coordinates, positions, base: begin, made };
        f.masked((nest, sweep), frame, ("0", &taken), &mut sinks)?;
        for (position, totals) in totals.iter().enumerate() {
            let values = sinks.accumulators.current(f, position);
            totals.keep(f, number, values);
        }
        Ok(())
    })?;
    let wide = f.emit.wide("i64");
    let lengths = lengths(f, first);
    let short = short_ones(f, &lengths);
    let any = f.emit.define(format_args!("icmp sgt {wide} {lengths}, zeroinitializer"));
    let any = Val::varying(ScalarType::Bool, any);
    let mut values = Vec::new();
    for (part, totals) in parts.iter().zip(&totals) {
        let mut sum = totals.results(f);
        if part.counts() {
            for (val, &unit) in sum.iter_mut().zip(&part.unit) {
                *val = f.emit.blend(&any, val, &Val::constant(unit));
            }
        }
        values.push(sum);
    }
    Ok(Square { parts, values, short })
}

/// Returns the address of a row of a square.
fn place(f: &mut Function<'_, '_>, ty: ScalarType, buffer: &Name, number: &str) -> Name {
    let wide = f.emit.vector_type(ty);
    f.emit.define(format_args!("getelementptr inbounds {wide}, ptr {buffer}, i64 {number}"))
}

/// Stores a row of a square.
pub fn store_row(f: &mut Function<'_, '_>, buffer: &Name, number: &str, val: &Val) {
    let (wide, place) = (f.emit.vector_type(val.ty), place(f, val.ty, buffer, number));
    f.emit.line(format_args!("store {wide} {}, ptr {place}", val.name));
}

/// Loads a row of a square.
pub fn row(f: &mut Function<'_, '_>, ty: ScalarType, buffer: &Name, number: usize) -> Val {
    let (wide, place) = (f.emit.vector_type(ty), place(f, ty, buffer, &number.to_string()));
    Val::varying(ty, f.emit.define(format_args!("load {wide}, ptr {place}")))
}

/// Transposes a square: returns its columns.
pub fn turned(f: &mut Function<'_, '_>, mut rows: Vec<Val>) -> Vec<Val> {
    let mut step = 1;
    while step < SIDE {
        for upper in (0..SIDE).filter(|row| row & step == 0) {
            let (a, b) = (rows[upper].clone(), rows[upper + step].clone());
            // Lane l of the second operand is numbered 16 + l.
            let above = |lane: usize| if lane & step == 0 { lane } else { SIDE + lane - step };
            let below = |lane: usize| if lane & step == 0 { lane + step } else { SIDE + lane };
            rows[upper] = mix(f, &a, &b, above);
            rows[upper + step] = mix(f, &a, &b, below);
        }
        step *= 2;
    }
    rows
}

fn mix(f: &mut Function<'_, '_>, a: &Val, b: &Val, lane: impl Fn(usize) -> usize) -> Val {
    let (wide, left, right) = (f.emit.vector_type(a.ty), f.emit.vector(a), f.emit.vector(b));
    let order: Vec<String> = (0..SIDE).map(|at| format!("i32 {}", lane(at))).collect();
    let order = format!("<{SIDE} x i32> <{}>", order.join(", "));
    Val::varying(a.ty, f.emit.define(format_args!("shufflevector {wide} {left}, {wide} {right}, {order}")))
}
