//! Vectorisation across groups: reductions down the columns of arrays, with one group in each lane.
//!
//! If neighbouring groups are adjacent in memory and the points of a group are far apart, vectors run along the groups, and the loop over the
//! points of a group is the outer one. Reductions keep their order: a **block** of groups has sixteen rows of accumulators in memory, and point i is
//! combined into row i mod 16. At the end of a tile the rows are combined pairwise, in the order in which lanes are combined elsewhere.

use super::Unsupported;
use super::control::{each, when};
use super::fetch::Ahead;
use super::frame::Frame;
use super::function::Function;
use super::loops::{Row, Walk};
use super::point::{Point, StepRef};
use super::reduce::Accumulators;
use super::scan::Scans;
use super::steps::{Phase, Sinks};
use super::stream::{Writers, field};
use super::text::Name;
use super::transpose;
use super::value::{Depth, Val};
use super::work::offset;
use nestled_ir::ScalarType;
use nestled_ir::reduction_order::{SHORT, TILE};
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::schedule::{Across, Schedule};
use nestled_kernel::strategy::across_groups::ROWS;

/// Number of rows for tiles that wait for their neighbours: one for each power of two.
const WAITING: u64 = 50;

/// Bytes of a row.
const ROW: u64 = 8192;

/// Rows begin at multiples of this.
const ALIGN: u64 = 128;

/// The parameters of vectorisation across groups, for the driver.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Size of the buffer of a piece, in bytes.
    pub room: usize,
    /// Whether all groups are so short that vectors across groups pay even with many empty lanes.
    pub short: bool,
}

impl Columns {
    /// Computes the parameters of a nest with these reductions that may run across groups.
    pub fn new(parts: Vec<Part>, across: Across) -> Columns {
        Columns { room: (Layout::of(parts).row * (ROWS + WAITING) + ALIGN) as usize, short: across.short }
    }
}

/// The memory layout of the rows of a block.
struct Layout {
    parts: Vec<Part>,
    /// Number of groups of a block.
    block: u64,
    /// Bytes of a row.
    row: u64,
}

impl Layout {
    fn new(f: &Function<'_, '_>, nest: &Nest) -> Layout {
        Layout::of(f.reductions(nest.in_sweep(0)))
    }

    fn of(parts: Vec<Part>) -> Layout {
        let size: usize = parts.iter().flat_map(|part| &part.types).map(|ty| ty.size()).sum();
        let block = (ROW / size as u64 / ROWS * ROWS).clamp(64, 2048);
        let row = parts.iter().flat_map(|part| &part.types).map(|&ty| column(block, ty)).sum();
        Layout { parts, block, row }
    }

    /// Returns the accumulators of W groups of a row, from the block's group `at` on.
    fn accumulators(&self, f: &mut Function<'_, '_>, row: &str, at: &str) -> Accumulators {
        let mut offset = 0;
        let mut places = Vec::new();
        for part in &self.parts {
            let mut list = Vec::new();
            for ty in &part.types {
                let bytes = f.emit.define(format_args!("mul i64 {at}, {}", ty.size()));
                let bytes = f.emit.define(format_args!("add i64 {bytes}, {offset}"));
                list.push(f.emit.define(format_args!("getelementptr inbounds i8, ptr {row}, i64 {bytes}")));
                offset += column(self.block, *ty);
            }
            places.push(list);
        }
        Accumulators::at(self.parts.clone(), places)
    }
}

/// Returns the size of a component in a row, in bytes: aligned so that vectors of any type may follow.
fn column(block: u64, ty: ScalarType) -> u64 {
    (block * ty.size() as u64).next_multiple_of(ALIGN)
}

/// The rows of the current block.
struct Block<'l> {
    layout: &'l Layout,
    room: Name,
    /// Number of groups.
    count: Name,
}

impl Block<'_> {
    fn row(&self, f: &mut Function<'_, '_>, number: &str) -> Name {
        let at = f.emit.define(format_args!("mul i64 {number}, {}", self.layout.row));
        f.emit.define(format_args!("getelementptr inbounds i8, ptr {}, i64 {at}", self.room))
    }

    fn waiting(&self, f: &mut Function<'_, '_>, level: &str) -> Name {
        let number = f.emit.define(format_args!("add i64 {level}, {ROWS}"));
        self.row(f, &number)
    }

    fn fill(&self, f: &mut Function<'_, '_>, row: &str) -> Result<(), Unsupported> {
        each(f, "0", &self.count, ROWS, &mut |f, at| {
            let accumulators = self.layout.accumulators(f, row, at);
            accumulators.reset(f);
            Ok(())
        })
    }

    fn copy(&self, f: &mut Function<'_, '_>, from: &str, to: &str) -> Result<(), Unsupported> {
        each(f, "0", &self.count, ROWS, &mut |f, at| {
            let from = self.layout.accumulators(f, from, at);
            let to = self.layout.accumulators(f, to, at);
            for position in 0..self.layout.parts.len() {
                let values = from.current(f, position);
                to.keep(f, position, &values);
            }
            Ok(())
        })
    }

    /// Emits `into = left ∘ right`.
    fn combine(
        &self,
        f: &mut Function<'_, '_>,
        left: &str,
        right: &str,
        into: &str,
    ) -> Result<(), Unsupported> {
        each(f, "0", &self.count, ROWS, &mut |f, at| {
            let left = self.layout.accumulators(f, left, at);
            let right = self.layout.accumulators(f, right, at);
            let into = self.layout.accumulators(f, into, at);
            for (position, part) in self.layout.parts.iter().enumerate() {
                let (a, b) = (left.current(f, position), right.current(f, position));
                let sum = f.combine(part.part, &a, &b);
                into.keep(f, position, &sum);
            }
            Ok(())
        })
    }

    /// Combines the first `rows` rows, a power of two, pairwise into the first one.
    fn fold(&self, f: &mut Function<'_, '_>, rows: &str) -> Result<(), Unsupported> {
        let half = f.emit.variable("i64");
        let first = f.emit.define(format_args!("lshr i64 {rows}, 1"));
        f.set(&half, &first);
        let (head, body, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let width = f.get(&half);
        let more = f.emit.define(format_args!("icmp sgt i64 {width}, 0"));
        f.emit.branch(&more, body, done);
        f.emit.text.begin(body);
        each(f, "0", &width, 1, &mut |f, lane| {
            let other = f.emit.define(format_args!("add i64 {lane}, {width}"));
            let (left, right) = (self.row(f, lane), self.row(f, &other));
            self.combine(f, &left, &right, &left)
        })?;
        let next = f.emit.define(format_args!("lshr i64 {width}, 1"));
        f.set(&half, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
        Ok(())
    }

    /// Pushes the result of tile `number`, which is in the first row, onto the stack of waiting rows.
    fn push(&self, f: &mut Function<'_, '_>, number: &str) -> Result<(), Unsupported> {
        let level = f.emit.variable("i64");
        f.set(&level, "0");
        let (head, merge, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let at = f.get(&level);
        let rest = f.emit.define(format_args!("lshr i64 {number}, {at}"));
        let odd = f.emit.define(format_args!("trunc i64 {rest} to i1"));
        let waiting = self.waiting(f, &at);
        f.emit.branch(&odd, merge, done);
        f.emit.text.begin(merge);
        self.combine(f, &waiting, &self.room, &self.room)?;
        let next = f.emit.define(format_args!("add i64 {at}, 1"));
        f.set(&level, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
        self.copy(f, &self.room, &waiting)
    }

    /// Combines the waiting rows after `tiles` tiles, at least one, into the first row.
    fn finish(&self, f: &mut Function<'_, '_>, tiles: &str) -> Result<(), Unsupported> {
        f.emit.declare("declare i64 @llvm.cttz.i64(i64, i1)");
        let lowest = f.emit.define(format_args!("call i64 @llvm.cttz.i64(i64 {tiles}, i1 true)"));
        let waiting = self.waiting(f, &lowest);
        self.copy(f, &waiting, &self.room)?;
        let up = f.emit.define(format_args!("add i64 {lowest}, 1"));
        each(f, &up, &WAITING.to_string(), 1, &mut |f, level| {
            let (merge, next) = (f.emit.label(), f.emit.label());
            let rest = f.emit.define(format_args!("lshr i64 {tiles}, {level}"));
            let odd = f.emit.define(format_args!("trunc i64 {rest} to i1"));
            f.emit.branch(&odd, merge, next);
            f.emit.text.begin(merge);
            let waiting = self.waiting(f, level);
            self.combine(f, &waiting, &self.room, &self.room)?;
            f.emit.fall_into(next);
            Ok(())
        })
    }
}

/// A row of points, one of each group of a block.
#[derive(Clone, Debug)]
pub struct Column {
    /// The coordinates of the points in their groups, each with the extent of its axis.
    inner: Vec<(Name, Name)>,
    /// The address of the row of accumulators.
    row: Name,
    /// The coordinate of the block's first group.
    begin: Name,
    /// The distance to the row visited next, in elements of an array with one element for each point; `None` without prefetching.
    next: Option<Name>,
}

impl Column {
    /// Returns the prefetch distance: rows are short and far apart, so the next row is prefetched while this one is processed.
    pub fn ahead(&self) -> Option<Ahead> {
        self.next.clone().map(Ahead::Elements)
    }

    /// Returns the points of W groups, from the first lane's coordinate on; `start` is the number of the group with coordinate 0.
    pub fn point(&self, f: &mut Function<'_, '_>, frame: &Frame, start: &str, mask: Val) -> Point {
        let (mut coordinates, mut positions) = (frame.coordinates.clone(), frame.positions.clone());
        coordinates.push(lane_coordinate(coordinates.len()));
        let group = Val::linear(start.into(), 1, Depth::Row);
        let (mut number, wide) = (f.emit.vector(&group), f.emit.wide("i64"));
        positions.push(group);
        for (element, length) in &self.inner {
            let mut coordinate = Val::uniform(ScalarType::Idx, Depth::Row, element.clone());
            coordinate.coordinate = Some(coordinates.len());
            coordinates.push(coordinate);
            let length = f.emit.splat(Depth::Row, "i64", length);
            let element = f.emit.splat(Depth::Row, "i64", element);
            let first = f.emit.define(format_args!("mul {wide} {number}, {length}"));
            number = f.emit.define(format_args!("add {wide} {first}, {element}"));
            positions.push(Val::varying(ScalarType::Idx, number.clone()));
        }
        Point { coordinates, positions, mask, own: Default::default() }
    }

    /// Directs reductions to the accumulators of W groups, from coordinate `first` on.
    pub fn place(&self, f: &mut Function<'_, '_>, sinks: &mut Sinks, first: &str) {
        let at = f.emit.define(format_args!("sub i64 {first}, {}", self.begin));
        let parts = sinks.accumulators.parts.clone();
        let layout = Layout::of(parts);
        sinks.accumulators = layout.accumulators(f, &self.row, &at);
    }
}

/// Computes the coordinates of a group's point, each with the extent of its axis.
fn inner(f: &mut Function<'_, '_>, element: &str, extents: &[Name]) -> Vec<(Name, Name)> {
    let mut inner = Vec::new();
    let mut rest: Name = element.into();
    for (axis, extent) in extents.iter().enumerate().rev() {
        let mut coordinate = rest.clone();
        if axis > 0 {
            coordinate = f.emit.define(format_args!("urem i64 {rest}, {extent}"));
            rest = f.emit.define(format_args!("udiv i64 {rest}, {extent}"));
        }
        inner.push((coordinate, extent.clone()));
    }
    inner.reverse();
    inner
}

fn lane_coordinate(axis: usize) -> Val {
    let mut coordinate = Val::linear("0".into(), 1, Depth::Entry);
    coordinate.coordinate = Some(axis);
    coordinate
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
    let room = aligned(f);
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
    let writers = Writers::new(f, Vec::new());
    let scans = Scans::new(f, Vec::new(), nest.direction, true);
    let mut sinks =
        Sinks { accumulators: Accumulators::at(layout.parts.clone(), Vec::new()), scans, writers };
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
    let block = Block { layout: &layout, room, count };
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
    block: &Block<'_>,
    frame: &Frame,
    (begin, end): (&str, &str),
    any: &Val,
) -> Result<(), Unsupported> {
    each(f, begin, end, ROWS, &mut |f, first| {
        f.emit.row = f.emit.text.mark();
        f.emit.first_lane = first.into();
        let mask = f.border_mask(first, begin, end, false);
        let at = f.emit.define(format_args!("sub i64 {first}, {begin}"));
        let accumulators = block.layout.accumulators(f, &block.room, &at);
        let mut all = Vec::new();
        for (position, part) in block.layout.parts.iter().enumerate() {
            let mut values = accumulators.current(f, position);
            for (val, &unit) in values.iter_mut().zip(&part.unit) {
                *val = f.emit.blend(any, val, &Val::constant(unit));
            }
            all.push(values);
        }
        transpose::results(f, nest, (0, frame), (&block.layout.parts, &all), &mask).map(|_| ())
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
    let room = field(&mut f.emit, "i64", offset::STATE);
    let up = f.emit.define(format_args!("add i64 {room}, {}", ALIGN - 1));
    let up = f.emit.define(format_args!("and i64 {up}, -{ALIGN}"));
    f.emit.define(format_args!("inttoptr i64 {up} to ptr"))
}
