//! Flat rows: the values of sixteen groups, computed along their elements, and read row by row.
//!
//! The elements of neighbouring groups are adjacent in memory, so that their values are computed in full vectors, whatever the lengths of the groups. Short groups
//! are then combined side by side, one in each lane, and each of the others by itself.

use super::Unsupported;
use super::control::{each, each_bit, when};
use super::emit::memory_type;
use super::frame::Frame;
use super::function::Function;
use super::reduce::{Accumulators, fold_lanes};
use super::row_totals::RowTotals;
use super::short_groups::{first_lanes, short_ones, taken_of};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;
use nestled_ir::reduction_order::{SHORT, TILE};
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::strategy::transpose::SIDE;
use std::collections::HashMap;

/// Maximum number of elements of the sixteen groups, so that their values remain in the first cache. A group is less than a tile.
pub const MOST: usize = 64 * SIDE;

/// Maximum number of elements of a short group.
const LONGEST: usize = 2 * SIDE;

const _: () = assert!(MOST as u64 <= TILE && LONGEST as u64 == SHORT);

/// Emits the reductions of a sweep over the elements of sixteen groups from `first` on, with these lengths: `base` is the number of the first element, `count` that
/// of all, at most [`MOST`]. Returns the results of each component of each part, one group per lane.
pub fn totals(
    f: &mut Function<'_, '_>,
    (nest, sweep): (&Nest, usize),
    (first, lengths): (&Name, &Name),
    (base, count): (&Name, &Name),
) -> Result<Vec<Vec<Val>>, Unsupported> {
    let parts = f.reductions(nest.in_sweep(sweep));
    let flat: Vec<FlatPart> = parts.iter().map(|part| FlatPart::new(f, part)).collect();
    let accumulators = Accumulators::new(f, parts, Some(f.emit.lanes));
    let mut sinks = Sinks { accumulators, ..Sinks::none(f, nest) };
    each(f, "0", count, SIDE, &mut |f, at| {
        sinks.accumulators.reset(f);
        f.emit.row = f.emit.text.mark();
        let mask = f.range_mask(at, "0", count, false);
        let frame = Frame {
            coordinates: Vec::new(),
            positions: vec![Val::idx(0)],
            base: base.clone(),
            made: HashMap::new(),
        };
        f.masked((nest, sweep), frame, (at, mask), &mut sinks)?;
        for (position, part) in flat.iter().enumerate() {
            let values = sinks.accumulators.current(f, position);
            for (val, component) in values.iter().zip(&part.components) {
                f.store_vector(&component.values, at, val, &Val::truth(true), false);
            }
        }
        Ok(())
    })?;
    let short = short_ones(f, lengths, LONGEST);
    let taken = taken_of(f, lengths, &short);
    side_by_side(f, &flat, &taken, (first, base))?;
    one_by_one(f, (&flat, &sinks.accumulators), &short, (first, base))?;
    Ok(flat.iter().map(|part| part.results(f)).collect())
}

/// Emits the reductions of short groups, one in each lane, from left to right. `taken` has the number of elements of each group, and 0 for those that are not short.
fn side_by_side(
    f: &mut Function<'_, '_>,
    flat: &[FlatPart],
    taken: &Name,
    (first, base): (&Name, &Name),
) -> Result<(), Unsupported> {
    let groups = groups(f, first, base, taken);
    for part in flat {
        part.fill(f, &groups, 0);
        let results = part.totals.results(f);
        part.set_results(f, &results);
    }
    let lengths = f.load_vector(taken, ScalarType::I32, "0", &Val::truth(true));
    let (wide, side) = (f.emit.wide("i32"), f.emit.splat_literal("i32", &SIDE.to_string()));
    let longer = f.emit.define(format_args!("icmp sgt {wide} {}, {side}", lengths.name));
    let longer = f.emit.any(&Val::varying(ScalarType::Bool, longer));
    when(f, &longer, &mut |f| {
        for part in flat {
            part.fill(f, &groups, SIDE);
            let earlier = part.results(f);
            let results = part.totals.results_after(f, earlier);
            part.set_results(f, &results);
        }
        Ok(())
    })
}

/// Emits the reductions of the groups that are not short, each in the order of a tile.
fn one_by_one(
    f: &mut Function<'_, '_>,
    (flat, accumulators): (&[FlatPart], &Accumulators),
    short: &Val,
    (first, base): (&Name, &Name),
) -> Result<(), Unsupported> {
    let others = f.emit.not(short);
    let others = f.emit.bits(&others);
    let others = f.emit.define(format_args!("zext i{SIDE} {others} to i64"));
    each_bit(f, &others, &mut |f, number| {
        let group = f.emit.define(format_args!("add i64 {first}, {number}"));
        let past = f.emit.define(format_args!("add i64 {group}, 1"));
        let (begin, end) = (f.first_of(1, 2, &group), f.first_of(1, 2, &past));
        let [begin, end] = [begin, end].map(|at| f.emit.define(format_args!("sub i64 {at}, {base}")));
        accumulators.reset(f);
        each(f, &begin, &end, SIDE, &mut |f, at| {
            let mask = f.range_mask(at, "0", &end, false);
            for (position, part) in flat.iter().enumerate() {
                let values = part.row(f, at, &mask);
                let sum = accumulators.current(f, position);
                let sum = f.combine(accumulators.parts[position].part, &sum, &values);
                accumulators.keep(f, position, &sum);
            }
            Ok(())
        })?;
        for (position, part) in flat.iter().enumerate() {
            let lanes = accumulators.current(f, position);
            let total = fold_lanes(f, accumulators.parts[position].part, lanes);
            for (component, val) in part.components.iter().zip(&total) {
                let total = f.emit.scalar(val);
                f.store(&component.results, component.ty, number, &total);
            }
        }
        Ok(())
    })
}

/// A group: its first element among those of the sixteen, an `i64`, and how many it has, an `i32`.
type Group = (Name, Val);

fn groups(f: &mut Function<'_, '_>, first: &Name, base: &Name, taken: &Name) -> Vec<Group> {
    let group = |number: usize| {
        let group = f.emit.define(format_args!("add i64 {first}, {number}"));
        let begin = f.first_of(1, 2, &group);
        let at = f.emit.define(format_args!("sub i64 {begin}, {base}"));
        (at, f.load(Depth::Here, taken, ScalarType::I32, &number.to_string()))
    };
    (0..SIDE).map(group).collect()
}

/// The values of one part of a reduction, and its results.
struct FlatPart {
    components: Vec<Component>,
    totals: RowTotals,
}

struct Component {
    ty: ScalarType,
    /// What leaves a combination as it is.
    identity: Val,
    /// In memory: the values of the elements, and the results of the groups.
    values: Name,
    results: Name,
}

impl FlatPart {
    fn new(f: &mut Function<'_, '_>, part: &Part) -> FlatPart {
        let totals = RowTotals::new(f, part);
        let identity = part.identity.as_ref().unwrap_or(&part.unit);
        let component = |(&ty, &identity): (&ScalarType, _)| {
            let (element, wide) = (memory_type(ty), f.emit.wide(memory_type(ty)));
            // The last vector, and the last row, end behind the last element.
            let values = f.emit.variable(&format!("[{} x {element}]", MOST + LONGEST + SIDE));
            Component { ty, identity: Val::constant(identity), values, results: f.emit.variable(&wide) }
        };
        FlatPart { components: part.types.iter().zip(identity).map(component).collect(), totals }
    }

    /// Makes a row of each group, from a position of it on.
    fn fill(&self, f: &mut Function<'_, '_>, groups: &[Group], from: usize) {
        for (number, (at, count)) in groups.iter().enumerate() {
            let at = f.emit.define(format_args!("add i64 {at}, {from}"));
            let left = f.emit.define(format_args!("sub i32 {}, {from}", count.name));
            let mask = first_lanes(f, &Val::uniform(ScalarType::I32, Depth::Here, left));
            let rows = self.row(f, &at, &mask);
            self.totals.keep(f, &number.to_string(), rows);
        }
    }

    /// Loads sixteen values, or what leaves a combination as it is.
    fn row(&self, f: &mut Function<'_, '_>, at: &str, mask: &Val) -> Vec<Val> {
        let row = |component: &Component| {
            let row = f.load_vector(&component.values, component.ty, at, &Val::truth(true));
            f.emit.blend(mask, &row, &component.identity)
        };
        self.components.iter().map(row).collect()
    }

    fn set_results(&self, f: &mut Function<'_, '_>, results: &[Val]) {
        for (component, result) in self.components.iter().zip(results) {
            f.store_vector(&component.results, "0", result, &Val::truth(true), false);
        }
    }

    fn results(&self, f: &mut Function<'_, '_>) -> Vec<Val> {
        let result =
            |component: &Component| f.load_vector(&component.results, component.ty, "0", &Val::truth(true));
        self.components.iter().map(result).collect()
    }
}
