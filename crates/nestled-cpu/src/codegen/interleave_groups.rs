//! Interleaved groups: several long rows are reduced in the same pass over their columns, so that what all rows read is loaded once.
//!
//! ```text
//! for four rows: for tile: for x in tile: sum0 += a[row, x] * v[x], sum1 += a[row + 1, x] * v[x], …
//! ```
//!
//! Each row has accumulators and partial results of its own, so its order is that of a row alone. Rows are taken together where all vectors but the
//! last one are interior in each of them: there no index needs a check. The last vector goes under a mask.

use super::Unsupported;
use super::control::{each, when};
use super::frame::Frame;
use super::function::Function;
use super::loops::Row;
use super::point::Assumed;
use super::reduce::{self, Accumulators};
use super::results::close_group;
use super::row_stack::RowStack;
use super::sinks::{Sinks, guarded};
use super::stream::Writers;
use super::text::{Label, Name};
use super::value::Val;
use super::visit::Phase;
use nestled_ir::reduction_order::TILE;
use nestled_kernel::nest::Nest;
use nestled_kernel::strategy::interleave_groups::LONG;

/// One of the groups.
struct Group {
    number: Name,
    row: Row,
    accumulators: Accumulators,
    stack: RowStack,
}

/// Emits the reduction of several groups from `group` on, if all are present, long, and interior. Then `at` is moved past them,
/// and the loop over groups continues at `head`.
pub fn write(
    f: &mut Function<'_, '_>,
    (nest, count): (&Nest, usize),
    writers: &Writers,
    (group, to): (&Name, &Name),
    (at, head): (&Name, Label),
) -> Result<(), Unsupported> {
    let (look, start, alone) = (f.emit.label(), f.emit.label(), f.emit.label());
    let past = f.emit.define(format_args!("add i64 {group}, {count}"));
    let present = f.emit.define(format_args!("icmp sle i64 {past}, {to}"));
    // All rows are as long as the first of the array.
    let length = f.first_of(nest.group, nest.level, "1");
    let long = f.emit.define(format_args!("icmp sge i64 {length}, {LONG}"));
    let suits = f.emit.define(format_args!("and i1 {long}, {present}"));
    f.emit.branch(&suits, look, alone);
    f.emit.text.begin(look);
    let mut sinks = Sinks::with(f, nest, 0, true, writers.clone());
    let mut groups: Vec<Group> = (0..count).map(|after| begin(f, nest, &sinks, (group, after))).collect();
    f.emit.row = f.emit.text.mark();
    for group in &mut groups {
        group.row.frame = group.row.frame.at_row();
    }
    let lanes = f.emit.lanes;
    let interior = (f.emit.variable("i64"), f.emit.variable("i64"));
    let (low, high) = (f.get(&interior.0), f.get(&interior.1));
    let from_first = f.emit.define(format_args!("icmp eq i64 {low}, 0"));
    let rest = f.emit.define(format_args!("sub i64 {length}, {high}"));
    let to_last = f.emit.define(format_args!("icmp slt i64 {rest}, {lanes}"));
    let all = f.emit.define(format_args!("and i1 {from_first}, {to_last}"));
    f.emit.branch(&all, start, alone);
    f.emit.text.begin(start);
    for group in &groups {
        group.accumulators.reset(f);
        group.stack.reset(f);
    }
    let mut assumed = Assumed::default();
    let guarded = guarded(f);
    each(f, "0", &length, TILE, &mut |f, from| {
        let end = f.emit.define(format_args!("add i64 {from}, {TILE}"));
        let end = f.least(&end, &length);
        let whole = f.least(&end, &high);
        each(f, from, &whole, lanes, &mut |f, j| {
            for group in &groups {
                let joined =
                    group.visit(f, nest, (j, Val::truth(true)), &mut sinks, Some(Assumed::default()))?;
                assumed.join(joined.unwrap_or_default());
            }
            Ok(())
        })?;
        let more = f.emit.define(format_args!("icmp slt i64 {whole}, {end}"));
        when(f, &more, &mut |f| {
            for group in &groups {
                let mask = f.range_mask(&whole, "0", &end, false);
                group.visit(f, nest, (&whole, mask), &mut sinks, None)?;
            }
            Ok(())
        })?;
        for group in &groups {
            group.accumulators.write_row(f, &group.stack.next(), &guarded);
            group.stack.push(f, &group.accumulators.parts);
            group.accumulators.reset(f);
        }
        Ok(())
    })?;
    f.interior_range(&interior, "0", &length, false, &Some("0".into()), &assumed);
    for group in groups {
        group.finish(f, nest)?;
    }
    f.set(at, &past);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(alone);
    Ok(())
}

/// Begins the group that comes `after` groups after another.
fn begin(f: &mut Function<'_, '_>, nest: &Nest, sinks: &Sinks, (first, after): (&Name, usize)) -> Group {
    let number = f.emit.define(format_args!("add i64 {first}, {after}"));
    let (coordinates, positions) = f.decode(nest.group, &number);
    let base = f.first_of(nest.group, nest.level, &number);
    let row = Row::flattened(&Frame { coordinates, positions, base, made: Default::default() });
    let parts = sinks.accumulators.parts.clone();
    let stack = RowStack::new(f, &parts);
    Group { number, row, accumulators: sinks.accumulators.another(f), stack }
}

impl Group {
    /// Emits the sweep of the vector at column `first`.
    fn visit(
        &self,
        f: &mut Function<'_, '_>,
        nest: &Nest,
        (first, mask): (&str, Val),
        sinks: &mut Sinks,
        assumed: Option<Assumed>,
    ) -> Result<Option<Assumed>, Unsupported> {
        sinks.accumulators = self.accumulators.clone();
        let frame = &self.row.frame;
        let mut visit = f.visit((nest, Phase::Main), &self.row, frame, first.into(), mask);
        visit.assumed = assumed;
        f.sweep_steps(nest, 0, visit, &frame.made, sinks)
    }

    /// Stores the results of the group, and emits the combinators that run at it.
    fn finish(self, f: &mut Function<'_, '_>, nest: &Nest) -> Result<(), Unsupported> {
        let parts = &self.accumulators.parts;
        self.stack.finish(f, parts);
        let values = reduce::row_values(f, parts, &self.stack.next());
        let mut frame = self.row.frame;
        close_group(f, nest, (parts, &values), (&mut frame, &self.number))
    }
}
