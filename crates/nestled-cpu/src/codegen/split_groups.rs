//! Split groups: a large group is cut into pieces by tiles. Each tile leaves a row of partial results, and the rows are combined at the end.

use super::Unsupported;
use super::frame::Frame;
use super::function::Function;
use super::loops::Walk;
use super::reduce;
use super::results::close_group;
use super::row_stack::RowStack;
use super::sinks::{Sinks, guarded};
use super::stream::field;
use super::visit::Phase;
use super::work::offset;
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::row_cells;
use nestled_kernel::schedule::{Schedule, Strategy};

/// Computes the frame of the current group.
fn frame(f: &mut Function<'_, '_>, nest: &Nest, group: &str) -> Frame {
    let (coordinates, positions) = f.decode(nest.group, group);
    let base = f.first_of(nest.group, nest.level, group);
    Frame { coordinates, positions, base, made: Default::default() }
}

/// Emits the function for positions `from..to` of a group. Pieces begin at tile boundaries; rows are counted from the group's first tile.
pub fn tiles(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    schedule: &Schedule,
    strategy: Strategy,
) -> Result<(), Unsupported> {
    let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
    let (group, state) = (field(&mut f.emit, "i64", offset::GROUP), field(&mut f.emit, "ptr", offset::STATE));
    let frame = frame(f, nest, &group);
    let mut sinks = Sinks::new(f, nest, 0, true);
    sinks.accumulators.reset(f);
    let guarded = guarded(f);
    let size = 8 * row_cells(&sinks.accumulators.parts);
    let walk = Walk { nest, schedule, sweep: 0, phase: Phase::Main, frame, from, to };
    f.sweep(
        strategy,
        &walk,
        &mut sinks,
        Some(&mut |f: &mut Function<'_, '_>, sinks: &mut Sinks, number: &str| {
            let at = f.emit.define(format_args!("mul i64 {number}, {size}"));
            let row = f.emit.define(format_args!("getelementptr inbounds i8, ptr {state}, i64 {at}"));
            sinks.accumulators.write_row(f, &row, &guarded);
            sinks.accumulators.reset(f);
        }),
    )
}

/// Emits the function that computes the results of a group from its `to` rows.
pub fn close(f: &mut Function<'_, '_>, nest: &Nest) -> Result<(), Unsupported> {
    let (group, state) = (field(&mut f.emit, "i64", offset::GROUP), field(&mut f.emit, "ptr", offset::STATE));
    let count = field(&mut f.emit, "i64", offset::TO);
    let mut frame = frame(f, nest, &group);
    let parts = f.reductions(nest.in_sweep(0));
    let stack = RowStack::new(f, &parts);
    stack.take(f, &parts, &state, &count);
    let values = reduce::row_values(f, &parts, &stack.next());
    close_group(f, nest, (&parts, &values), (&mut frame, &group))
}
