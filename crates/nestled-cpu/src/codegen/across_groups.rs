//! Vectorisation across groups: reductions down the columns of arrays, with one group in each lane.
//!
//! If neighbouring groups are adjacent in memory and the points of a group are far apart, vectors run along the groups, and the loop over the
//! points of a group is the outer one. Reductions keep their order: a block (`group_block.rs`) of groups has sixteen rows of accumulators in memory.

use super::Unsupported;
use super::column::{Column, inner};
use super::control::{each, when};
use super::frame::Frame;
use super::function::Function;
use super::group_block::{ALIGN, GroupBlock, Layout, WAITING};
use super::loops::{Row, Walk};
use super::point::StepRef;
use super::reduce::Accumulators;
use super::results::lane_results;
use super::sinks::Sinks;
use super::stream::field;
use super::text::Name;
use super::value::{Depth, Val};
use super::visit::Phase;
use super::work::offset;
use nestled_ir::ScalarType;
use nestled_ir::reduction_order::{SHORT, TILE};
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::schedule::{Across, Schedule};
use nestled_kernel::strategy::across_groups::ROWS;

/// The parameters of vectorisation across groups, for the driver.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Size of the buffer of a piece, in bytes.
    pub bytes: usize,
    /// Whether all groups are so short that vectors across groups pay even with many empty lanes.
    pub short: bool,
}

impl Columns {
    /// Computes the parameters of a nest with these reductions that may run across groups.
    pub fn new(parts: Vec<Part>, across: Across) -> Columns {
        Columns { bytes: (Layout::of(parts).row * (ROWS + WAITING) + ALIGN) as usize, short: across.short }
    }
}

/// Emits the function for groups `from..to`.
pub fn write(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    schedule: &Schedule,
    across: Across,
) -> Result<(), Unsupported> {
    let layout = Layout::new(f, nest);
    let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
    let memory = aligned(f);
    let outer = nest.group - 1;
    let width = extent(f, outer);
    let extents: Vec<Name> = (nest.group..nest.level).map(|level| extent(f, level)).collect();
    let mut length = extents[0].clone();
    for extent in &extents[1..] {
        length = f.emit.define(format_args!("mul i64 {length}, {extent}"));
    }
    let short = f.emit.define(format_args!("icmp sle i64 {length}, {SHORT}"));
    let rows = f.emit.define(format_args!("select i1 {short}, i64 1, i64 {ROWS}"));
    let up = f.emit.define(format_args!("add i64 {length}, {}", TILE - 1));
    let tiles = f.emit.define(format_args!("udiv i64 {up}, {TILE}"));
    let many = f.emit.define(format_args!("icmp sgt i64 {tiles}, 1"));
    let next = f.emit.define(format_args!("mul i64 {rows}, {width}"));
    let accumulators = Accumulators::at(layout.parts.clone(), Vec::new(), f.emit.lanes);
    let mut sinks = Sinks { accumulators, ..Sinks::none(f, nest) };
    let at = f.emit.variable("i64");
    f.set(&at, &from);
    let (head, body, exit) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let group = f.get(&at);
    let more = f.emit.define(format_args!("icmp slt i64 {group}, {to}"));
    f.emit.branch(&more, body, exit);
    f.emit.text.begin(body);
    let frame = match outer {
        0 => Frame::whole(),
        _ => {
            let number = f.emit.define(format_args!("udiv i64 {group}, {width}"));
            let base = f.emit.define(format_args!("mul i64 {number}, {width}"));
            let (coordinates, positions) = f.decode(outer, &number);
            Frame { coordinates, positions, base, made: Default::default() }
        }
    };
    let begin = f.emit.define(format_args!("sub i64 {group}, {}", frame.base));
    let rest = f.emit.define(format_args!("sub i64 {to}, {}", frame.base));
    let end = f.emit.define(format_args!("add i64 {begin}, {}", layout.block));
    let end = f.least(&end, &width);
    let end = f.least(&end, &rest);
    let count = f.emit.define(format_args!("sub i64 {end}, {begin}"));
    let back = f.emit.define(format_args!("sub i64 0, {begin}"));
    let block = GroupBlock { layout: &layout, memory, count };
    let walk = Walk {
        nest,
        schedule,
        sweep: 0,
        phase: Phase::Main,
        frame: frame.clone(),
        from: begin.clone(),
        to: end.clone(),
    };
    each(f, "0", &length, TILE, &mut |f, start| {
        let tile_end = f.emit.define(format_args!("add i64 {start}, {TILE}"));
        let tile_end = f.least(&tile_end, &length);
        // One row of accumulators after another, so that it stays in the first-level cache.
        each(f, "0", &rows, 1, &mut |f, lane| {
            let accumulators = block.row(f, lane);
            block.fill(f, &accumulators)?;
            let first = f.emit.define(format_args!("add i64 {start}, {lane}"));
            each(f, &first, &tile_end, &rows, &mut |f, element| {
                let column = Column {
                    inner: inner(f, element, &extents),
                    row: accumulators.clone(),
                    begin: begin.clone(),
                    next: across.prefetch.then(|| next.clone()),
                };
                let row = Row {
                    frame: frame.clone(),
                    start: frame.base.clone(),
                    offset: back.clone(),
                    column: Some(column),
                    done: None,
                };
                f.run(&walk, &row, &begin, &end, &mut sinks)
            })
        })?;
        block.fold(f, &rows)?;
        when(f, &many, &mut |f| {
            let number = f.emit.define(format_args!("udiv i64 {start}, {TILE}"));
            block.push(f, &number)
        })
    })?;
    when(f, &many, &mut |f| block.finish(f, &tiles))?;
    let any = f.emit.define(format_args!("icmp sgt i64 {length}, 0"));
    let any = Val::uniform(ScalarType::Bool, Depth::Here, any);
    results(f, nest, &block, &frame, (&begin, &end), &any)?;
    let next = f.emit.define(format_args!("add i64 {}, {end}", frame.base));
    f.set(&at, &next);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(exit);
    Ok(())
}

/// Stores the results of the groups of a block, and runs the combinators at the groups.
fn results(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    block: &GroupBlock<'_>,
    frame: &Frame,
    (begin, end): (&str, &str),
    any: &Val,
) -> Result<(), Unsupported> {
    each(f, begin, end, ROWS, &mut |f, first| {
        f.emit.row = f.emit.text.mark();
        f.emit.first_lane = first.into();
        let mask = f.range_mask(first, begin, end, false);
        let at = f.emit.define(format_args!("sub i64 {first}, {begin}"));
        let accumulators = block.layout.accumulators(f, &block.memory, &at);
        let mut all = Vec::new();
        for (position, part) in block.layout.parts.iter().enumerate() {
            let mut values = accumulators.current(f, position);
            for (val, &unit) in values.iter_mut().zip(&part.unit) {
                *val = f.emit.blend(any, val, &Val::constant(unit));
            }
            all.push(values);
        }
        lane_results(f, nest, (0, frame), (&block.layout.parts, &all), &mask).map(|_| ())
    })
}

/// Returns the extent of an axis of the space.
fn extent(f: &Function<'_, '_>, level: usize) -> Name {
    match &f.captures.space[level].step {
        StepRef::Extent(extent) => f.emit.scalar(extent),
        StepRef::Offsets(_) | StepRef::View { .. } => unreachable!("such axes are told apart before"),
    }
}

/// Returns the aligned start of the piece's buffer.
fn aligned(f: &mut Function<'_, '_>) -> Name {
    let memory = field(&mut f.emit, "i64", offset::STATE);
    let up = f.emit.define(format_args!("add i64 {memory}, {}", ALIGN - 1));
    let up = f.emit.define(format_args!("and i64 {up}, -{ALIGN}"));
    f.emit.define(format_args!("inttoptr i64 {up} to ptr"))
}
