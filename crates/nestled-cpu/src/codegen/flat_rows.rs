//! Flat rows: the values of sixteen short groups, computed along their elements, and read row by row.
//!
//! The elements of neighbouring groups are adjacent in memory, so that their values are computed in full vectors, whatever the lengths of the groups. Vectors
//! in which no short group has an element are left out.

use super::Unsupported;
use super::control::{each_bit, when};
use super::emit::memory_type;
use super::frame::Frame;
use super::function::Function;
use super::reduce::Accumulators;
use super::row_totals::RowTotals;
use super::short_groups::{begins, first_lanes};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::strategy::transpose::SIDE;
use std::collections::HashMap;

/// Maximum number of elements of the sixteen groups: each of their vectors has a bit in an `i64`. Long groups among them are reduced by themselves.
pub const MOST: usize = 60 * SIDE;

/// Maximum number of elements of a group that is reduced from its row.
pub const LONGEST: usize = 2 * SIDE;

/// Emits the reductions of a sweep over the elements of sixteen groups from `first` on: `base` is the number of the first element, `count` that of all, and `taken`
/// has a number for each group, at most [`LONGEST`]. Returns the results of each component of each part, one group per lane.
pub fn totals(
    f: &mut Function<'_, '_>,
    (nest, sweep): (&Nest, usize),
    (first, taken): (&Name, &Name),
    (base, count): (&Name, &Name),
) -> Result<Vec<Vec<Val>>, Unsupported> {
    let parts = f.reductions(nest.in_sweep(sweep));
    let flat: Vec<FlatPart> = parts.iter().map(|part| FlatPart::new(f, part)).collect();
    let accumulators = Accumulators::new(f, parts, Some(f.emit.lanes));
    let mut sinks = Sinks { accumulators, ..Sinks::none(f, nest) };
    let needed = needed(f, first, base, taken);
    each_bit(f, &needed, &mut |f, number| {
        let at = f.emit.define(format_args!("mul i64 {number}, {SIDE}"));
        sinks.accumulators.reset(f);
        f.emit.row = f.emit.text.mark();
        let mask = f.range_mask(&at, "0", count, false);
        let frame = Frame {
            coordinates: Vec::new(),
            positions: vec![Val::idx(0)],
            base: base.clone(),
            made: HashMap::new(),
        };
        f.masked((nest, sweep), frame, (&at, mask), &mut sinks)?;
        for (position, part) in flat.iter().enumerate() {
            let values = sinks.accumulators.current(f, position);
            for (val, component) in values.iter().zip(&part.components) {
                f.store_vector(&component.values, &at, val, &Val::truth(true), false);
            }
        }
        Ok(())
    })?;
    let groups = groups(f, first, base, taken);
    for part in &flat {
        part.fill(f, &groups, 0);
        let results = part.totals.results(f);
        part.set_results(f, &results);
    }
    let lengths = f.load_vector(taken, ScalarType::I32, "0", &Val::truth(true));
    let (wide, side) = (f.emit.wide("i32"), f.emit.splat_literal("i32", &SIDE.to_string()));
    let longer = f.emit.define(format_args!("icmp sgt {wide} {}, {side}", lengths.name));
    let longer = f.emit.any(&Val::varying(ScalarType::Bool, longer));
    when(f, &longer, &mut |f| {
        for part in &flat {
            part.fill(f, &groups, SIDE);
            let earlier = part.results(f);
            let results = part.totals.results_after(f, earlier);
            part.set_results(f, &results);
        }
        Ok(())
    })?;
    Ok(flat.iter().map(|part| part.results(f)).collect())
}

/// Computes the set of vectors in which one of the groups has an element that is taken, an `i64` with a bit for each.
fn needed(f: &mut Function<'_, '_>, first: &Name, base: &Name, taken: &Name) -> Name {
    let (wide, bits) = (f.emit.wide("i64"), f.emit.wide("i1"));
    let begins = begins(f, first);
    let base = f.emit.splat(Depth::Here, "i64", base);
    let at = f.emit.define(format_args!("sub {wide} {begins}, {base}"));
    let counts = f.load_vector(taken, ScalarType::I32, "0", &Val::truth(true));
    let narrow = f.emit.wide("i32");
    let counts = f.emit.define(format_args!("sext {narrow} {} to {wide}", counts.name));
    let [one, two] = ["1", "2"].map(|number| f.emit.splat_literal("i64", number));
    let shift = f.emit.splat_literal("i64", &SIDE.ilog2().to_string());
    let last = f.emit.define(format_args!("add {wide} {at}, {counts}"));
    let last = f.emit.define(format_args!("sub {wide} {last}, {one}"));
    let [low, high] = [at, last].map(|at| f.emit.define(format_args!("lshr {wide} {at}, {shift}")));
    let below = f.emit.define(format_args!("shl {wide} {one}, {low}"));
    let up_to = f.emit.define(format_args!("shl {wide} {two}, {high}"));
    let own = f.emit.define(format_args!("sub {wide} {up_to}, {below}"));
    let some = f.emit.define(format_args!("icmp sgt {wide} {counts}, zeroinitializer"));
    let own = f.emit.define(format_args!("select {bits} {some}, {wide} {own}, {wide} zeroinitializer"));
    let call = format!("@llvm.vector.reduce.or.v{SIDE}i64");
    f.emit.declare(format!("declare i64 {call}({wide})"));
    f.emit.define(format_args!("call i64 {call}({wide} {own})"))
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
            let row = |component: &Component| {
                let row = f.load_vector(&component.values, component.ty, &at, &Val::truth(true));
                f.emit.blend(&mask, &row, &component.identity)
            };
            let rows = self.components.iter().map(row).collect();
            self.totals.keep(f, &number.to_string(), rows);
        }
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
