//! The loops over the points of a group: W at a time, or one after another.
//!
//! A group's points are walked in **runs**: stretches that lie in one row and one tile. A run has up to three parts: the middle, where all lanes are there and
//! no index needs a check, is the *quick* loop; what is before and behind it goes through the *border* loop, under a mask.

use super::Unsupported;
use super::abreast::Abreast;
use super::beside::{self, Beside, Done};
use super::columns::Column;
use super::fetch::Ahead;
use super::frame::Frame;
use super::function::Function;
use super::plan::Nest;
use super::point::{Assumed, Constraint, Point, StepRef};
use super::slots::Slot;
use super::steps::{Phase, Sinks, Visit};
use super::text::Name;
use super::together::{self, Here};
use super::value::{Depth, Val};
use super::whole_rows;
use nestled_ir::{Direction, Scalar, ScalarType};

/// Positions of a tile, where a reduction's order is fixed.
pub const TILE: u64 = 4096;

/// Strides beyond this are not worth the care about overflow.
pub const MAX_STRIDE: u64 = 1 << 20;

/// Rows with fewer elements are left before what lies ahead is reached.
const SHORT_ROW: i64 = 512;

/// What is done at the end of each tile: its number is given.
pub type AtTile<'c> = &'c mut dyn FnMut(&mut Function<'_, '_>, &mut Sinks, &str);

/// A walk over the points of a group.
#[derive(Clone, Debug)]
pub struct Walk<'n> {
    /// The nest.
    pub nest: &'n Nest,
    /// Which sweep.
    pub sweep: usize,
    /// What is done.
    pub phase: Phase,
    /// The group.
    pub frame: Frame,
    /// The first position in the group, an `i64`.
    pub from: Name,
    /// One past the last.
    pub to: Name,
}

/// The row of a run.
#[derive(Clone, Debug)]
pub struct Row {
    /// The point that its points lie below.
    pub frame: Frame,
    /// The number of its first element; of the first group, if groups are in the lanes.
    pub start: Name,
    /// The position in the group of its first element. Vectors are aligned to it where it matters.
    pub offset: Name,
    /// Set if groups are in the lanes.
    pub column: Option<Column>,
    /// The part that was done beside other rows.
    pub done: Option<Done>,
}

impl Function<'_, '_> {
    /// Walks W points at a time.
    pub fn vectors(
        &mut self,
        walk: &Walk<'_>,
        sinks: &mut Sinks,
        mut at_tile: Option<AtTile<'_>>,
    ) -> Result<(), Unsupported> {
        let rows = !walk.nest.flat && walk.nest.level > walk.nest.group + 1;
        if !rows && at_tile.is_none() {
            let row = Row {
                frame: walk.frame.clone(),
                start: walk.frame.base.clone(),
                offset: "0".into(),
                column: None,
                done: None,
            };
            return self.run(walk, &row, &walk.from.clone(), &walk.to.clone(), sinks);
        }
        let grouped;
        let mut walk = walk;
        if rows {
            self.emit.group = self.emit.text.mark();
            grouped = Walk { frame: walk.frame.at_group(), ..walk.clone() };
            walk = &grouped;
        }
        // A group that is known to be one tile need not ask where tiles end.
        let one_tile = rows
            && &*walk.from == "0"
            && self.literal_length(walk.nest).is_some_and(|length| (1..=TILE).contains(&length));
        let mut at_end = None;
        if one_tile {
            at_end = at_tile.take();
        }
        let abreast = match at_tile.is_some() && !rows {
            true => Abreast::new(self, walk, sinks),
            false => None,
        };
        let strips = walk
            .nest
            .strips
            .then(|| [Slot::Left, Slot::Right].map(|slot| self.number(slot, ScalarType::Idx)));
        let together = rows && at_tile.is_none() && strips.is_none() && together::suits(self, walk);
        let whole = match rows && at_tile.is_none() && strips.is_none() && !together {
            true => whole_rows::vectors(self, walk),
            false => None,
        };
        let beside = match rows && at_tile.is_none() && !together && whole.is_none() {
            true => Beside::new(self, walk),
            false => None,
        };
        let at = self.emit.variable("i64");
        self.set(&at, &walk.from);
        let (head, body, exit) = (self.emit.label(), self.emit.label(), self.emit.label());
        self.emit.fall_into(head);
        let position = self.get(&at);
        let more = self.emit.define(format_args!("icmp slt i64 {position}, {}", walk.to));
        self.emit.branch(&more, body, exit);
        self.emit.text.begin(body);
        let mut end = walk.to.clone();
        let mut number = None;
        let mut row = match rows {
            true => {
                let (row, row_end, own) = self.row(walk, &position);
                if together {
                    let here = Here { position: &position, row_end: &row_end, row: &row, number: &own };
                    together::write(self, walk, &here, (&at, head), sinks)?;
                }
                end = self.least(&end, &row_end);
                number = Some(own);
                row
            }
            false => Row {
                frame: walk.frame.clone(),
                start: walk.frame.base.clone(),
                offset: "0".into(),
                column: None,
                done: None,
            },
        };
        if let (Some(abreast), Some(at_tile)) = (abreast, &mut at_tile) {
            abreast.write(self, walk, &row, (&at, head), sinks, at_tile)?;
        }
        let mut tile = None;
        if at_tile.is_some() {
            let number = self.emit.define(format_args!("udiv i64 {position}, {TILE}"));
            let next = self.emit.define(format_args!("add i64 {number}, 1"));
            let tile_end = self.emit.define(format_args!("mul i64 {next}, {TILE}"));
            end = self.least(&end, &tile_end);
            tile = Some((number, tile_end));
        }
        let (from, to) = match (&*row.offset, &strips) {
            (_, Some([left, right])) => (left.name.clone(), right.name.clone()),
            ("0", None) => (position.clone(), end.clone()),
            (offset, None) => (
                self.emit.define(format_args!("sub i64 {position}, {offset}")),
                self.emit.define(format_args!("sub i64 {end}, {offset}")),
            ),
        };
        if let (Some(beside), Some(number)) = (&beside, &number) {
            let range = (&from, &to);
            let here = beside::Here { position: &position, row: &row, number, range };
            row.done = Some(beside.write(self, walk, &here, sinks)?);
        }
        match whole {
            Some(count) => whole_rows::write(self, walk, &row, (&from, &to), count, sinks)?,
            None => self.run(walk, &row, &from, &to, sinks)?,
        }
        self.set(&at, &end);
        if let (Some((number, tile_end)), Some(at_tile)) = (tile, at_tile) {
            let (flush, next) = (self.emit.label(), self.emit.label());
            let full = self.emit.define(format_args!("icmp eq i64 {end}, {tile_end}"));
            let last = self.emit.define(format_args!("icmp eq i64 {end}, {}", walk.to));
            let ends = self.emit.define(format_args!("or i1 {full}, {last}"));
            self.emit.branch(&ends, flush, next);
            self.emit.text.begin(flush);
            at_tile(self, sinks, &number);
            self.emit.fall_into(next);
        }
        self.emit.line(format_args!("br label %{head}"));
        self.emit.text.begin(exit);
        if let Some(at_tile) = at_end {
            at_tile(self, sinks, "0");
        }
        Ok(())
    }

    /// How many points a group has, if the text says so.
    pub fn literal_length(&self, nest: &Nest) -> Option<u64> {
        let extents = self.captures.space[nest.group..nest.level].iter().map(|step| match &step.step {
            StepRef::Extent(extent) => extent.as_const().and_then(Scalar::as_integer),
            StepRef::Offsets(_) | StepRef::View { .. } => None,
        });
        extents
            .map(|extent| u64::try_from(extent?).ok())
            .try_fold(1, |length: u64, extent| Some(length.saturating_mul(extent?)))
    }

    /// The row that a position of the group lies in, the position where it ends, and its number.
    fn row(&mut self, walk: &Walk<'_>, position: &str) -> (Row, Name, Name) {
        let level = walk.nest.level - 1;
        let base = walk.frame.base.clone();
        let element = self.emit.define(format_args!("add i64 {base}, {position}"));
        let number = match self.captures.space[level].step.clone() {
            StepRef::Extent(extent) => {
                let extent = self.emit.scalar(&extent);
                self.emit.define(format_args!("udiv i64 {element}, {extent}"))
            }
            StepRef::Offsets(offsets) => self.segment_of(level, &offsets, &element),
            StepRef::View { .. } => unreachable!("a space is made of shapes"),
        };
        let start = self.first_of(level, level + 1, &number);
        let next = self.emit.define(format_args!("add i64 {number}, 1"));
        let end = self.first_of(level, level + 1, &next);
        let offset = self.emit.define(format_args!("sub i64 {start}, {base}"));
        let row_end = self.emit.define(format_args!("sub i64 {end}, {base}"));
        let (coordinates, positions) = match self.decode_below(walk.nest.group, &walk.frame, level, &number) {
            Some(known) => known,
            None => self.decode(level, &number),
        };
        let frame = Frame { coordinates, positions, base: start.clone(), made: walk.frame.made.clone() };
        (Row { frame, start, offset, column: None, done: None }, row_end, number)
    }

    /// Whether rows are known to be so short that what lies ahead in memory belongs to others.
    fn has_short_rows(&self, nest: &Nest, row: &Row) -> bool {
        let along = if row.column.is_some() { nest.group - 1 } else { nest.level - 1 };
        let StepRef::Extent(extent) = &self.captures.space[along].step else { return false };
        !nest.flat && extent.as_const().and_then(Scalar::as_integer).is_some_and(|extent| extent < SHORT_ROW)
    }

    /// The lesser of two `i64`.
    pub fn least(&mut self, a: &str, b: &str) -> Name {
        self.emit.declare("declare i64 @llvm.smin.i64(i64, i64)");
        self.emit.define(format_args!("call i64 @llvm.smin.i64(i64 {a}, i64 {b})"))
    }

    /// The greater (`max`) or lesser (`min`) of two `i64`, at a depth.
    pub fn min_max(&mut self, depth: Depth, which: &str, a: &str, b: &str) -> Name {
        self.emit.declare(format!("declare i64 @llvm.s{which}.i64(i64, i64)"));
        self.emit.define_at(depth, format_args!("call i64 @llvm.s{which}.i64(i64 {a}, i64 {b})"))
    }

    /// The points of a visit whose lane 0 has vector coordinate `first`.
    pub fn visit(&mut self, walk: &Walk<'_>, row: &Row, frame: &Frame, first: Name, mask: Val) -> Visit {
        let level = walk.nest.level;
        self.emit.first_lane = first;
        if let Some(column) = &row.column {
            let point = column.point(self, frame, &row.start, mask);
            return Visit { point, assumed: None, streaming: false, phase: walk.phase };
        }
        let mut coordinates = frame.coordinates.clone();
        let mut positions = frame.positions.clone();
        if walk.nest.flat && level > 1 {
            let number = Val::linear(row.start.clone(), 1, Depth::Row);
            coordinates = self.no_coordinates(level, &number);
            while positions.len() < level {
                positions.push(Val::idx(0));
            }
        } else {
            let mut last = Val::linear("0".into(), 1, Depth::Entry);
            last.coordinate = Some(level - 1);
            coordinates.push(last);
        }
        positions.push(Val::linear(row.start.clone(), 1, Depth::Row));
        let point = Point { coordinates, positions, mask, own: Default::default() };
        Visit { point, assumed: None, streaming: false, phase: walk.phase }
    }

    /// A run `from..to` of a row, in coordinates of the row.
    pub fn run(
        &mut self,
        walk: &Walk<'_>,
        row: &Row,
        from: &str,
        to: &str,
        sinks: &mut Sinks,
    ) -> Result<(), Unsupported> {
        self.emit.row = self.emit.text.mark();
        let row = Row { frame: row.frame.at_row(), ..row.clone() };
        let lanes = self.emit.lanes as i64;
        let down = walk.nest.direction == Direction::Backward;
        let quick = (self.emit.variable("i64"), self.emit.variable("i64"));
        let (at, begin, end) =
            (self.emit.variable("i64"), self.emit.variable("i64"), self.emit.variable("i64"));
        let second = self.emit.variable("i1");
        // The vectors of a scan over the whole must be the same in both phases.
        let streaming = self.shared.streaming && walk.nest.streams() && row.column.is_none();
        let fixed = walk.nest.tiled || walk.nest.chained || row.column.is_some() || streaming;
        let origin: Option<Name> = fixed.then(|| row.offset.clone());
        let labels: Vec<_> = (0..8).map(|_| self.emit.label()).collect();
        let [border, border_body, border_done, quick_start, quick_head, quick_body, quick_done, exit] =
            labels[..]
        else {
            unreachable!("eight labels")
        };
        // The first part of the border: before the quick loop, or behind it if we go down.
        let (mut low, mut high) = (self.get(&quick.0), self.get(&quick.1));
        let mut begins = low.clone();
        if let Some(done) = &row.done {
            let or = |f: &mut Self, a: &Name, b: &Name| {
                f.emit.define(format_args!("select i1 {}, i64 {a}, i64 {b}", done.some))
            };
            begins = or(self, &done.high, &low);
            low = or(self, &done.low, &low);
            high = or(self, &done.high, &high);
        }
        self.emit.line(format_args!("store i1 false, ptr {second}"));
        self.border_part(
            &at,
            &begin,
            &end,
            down,
            (if down { &high } else { from }, if down { to } else { &low }),
            &origin,
        );
        self.emit.fall_into(border);
        let j = self.get(&at);
        let (b, e) = (self.get(&begin), self.get(&end));
        let more = match down {
            false => self.emit.define(format_args!("icmp slt i64 {j}, {e}")),
            true => {
                let top = self.emit.define(format_args!("add i64 {j}, {lanes}"));
                self.emit.define(format_args!("icmp sgt i64 {top}, {b}"))
            }
        };
        self.emit.branch(&more, border_body, border_done);
        self.emit.text.begin(border_body);
        let mask = self.border_mask(&j, &b, &e, down || origin.is_some());
        let visit = self.visit(walk, &row, &row.frame.clone(), j.clone(), mask);
        if let Some(column) = &row.column {
            column.place(self, sinks, &j);
        }
        self.sweep_steps(walk.nest, walk.sweep, visit, &row.frame.made, sinks)?;
        let next = self.emit.define(format_args!("{} i64 {j}, {lanes}", if down { "sub" } else { "add" }));
        self.set(&at, &next);
        self.emit.line(format_args!("br label %{border}"));
        self.emit.text.begin(border_done);
        let was_second = self.emit.define(format_args!("load i1, ptr {second}"));
        self.emit.branch(&was_second, exit, quick_start);
        self.emit.text.begin(quick_start);
        let start = match down {
            false => begins,
            true => self.emit.define(format_args!("sub i64 {high}, {lanes}")),
        };
        self.set(&at, &start);
        self.emit.fall_into(quick_head);
        let j = self.get(&at);
        let more = match down {
            false => self.emit.define(format_args!("icmp slt i64 {j}, {high}")),
            true => self.emit.define(format_args!("icmp sge i64 {j}, {low}")),
        };
        self.emit.branch(&more, quick_body, quick_done);
        self.emit.text.begin(quick_body);
        let mut visit = self.visit(walk, &row, &row.frame.clone(), j.clone(), Val::truth(true));
        visit.assumed = Some(Assumed::default());
        visit.streaming = streaming && walk.phase == Phase::Main;
        if let Some(column) = &row.column {
            column.place(self, sinks, &j);
        }
        let next = row.column.as_ref().map_or(Ahead::Along, Column::ahead);
        let asks = walk.nest.only_reduces(self.shared.kernel) && !self.has_short_rows(walk.nest, &row);
        self.emit.ahead = asks.then_some(next);
        let assumed = self.sweep_steps(walk.nest, walk.sweep, visit, &row.frame.made, sinks)?;
        self.emit.ahead = None;
        let next = self.emit.define(format_args!("{} i64 {j}, {lanes}", if down { "sub" } else { "add" }));
        self.set(&at, &next);
        self.emit.line(format_args!("br label %{quick_head}"));
        self.emit.text.begin(quick_done);
        self.emit.line(format_args!("store i1 true, ptr {second}"));
        self.border_part(
            &at,
            &begin,
            &end,
            down,
            (if down { from } else { &high }, if down { &low } else { to }),
            &origin,
        );
        self.emit.line(format_args!("br label %{border}"));
        self.emit.text.begin(exit);
        self.quick_range(&quick, from, to, down, &origin, &assumed.unwrap_or_default());
        Ok(())
    }

    /// Sets the variables of the border loop for the part `range` of the row.
    fn border_part(
        &mut self,
        at: &str,
        begin: &str,
        end: &str,
        down: bool,
        range: (&str, &str),
        origin: &Option<Name>,
    ) {
        let lanes = self.emit.lanes as i64;
        self.set(begin, range.0);
        self.set(end, range.1);
        let first = match (down, origin) {
            (false, None) => range.0.into(),
            (true, None) => self.emit.define(format_args!("sub i64 {}, {lanes}", range.1)),
            (false, Some(origin)) => self.multiple_below(origin, range.0),
            (true, Some(origin)) => {
                let last = self.emit.define(format_args!("sub i64 {}, 1", range.1));
                self.multiple_below(origin, &last)
            }
        };
        self.set(at, &first);
    }

    /// The greatest coordinate, at most `at`, that lies a multiple of W behind the origin.
    fn multiple_below(&mut self, origin: &str, at: &str) -> Name {
        let number = self.emit.define(format_args!("add i64 {origin}, {at}"));
        let off = self.emit.define(format_args!("and i64 {number}, {}", self.emit.lanes - 1));
        self.emit.define(format_args!("sub i64 {at}, {off}"))
    }

    /// The lanes of a vector at `j` whose coordinates are in `begin..end`.
    pub fn border_mask(&mut self, j: &str, begin: &str, end: &str, below: bool) -> Val {
        let lanes = self.emit.lanes;
        let wide = self.emit.wide("i32");
        let ramp = self.emit.ramp_literal("i32", 1);
        let rest = self.emit.define(format_args!("sub i64 {end}, {j}"));
        let rest = self.least(&rest, &lanes.to_string());
        let rest = self.emit.define(format_args!("trunc i64 {rest} to i32"));
        let rest = self.emit.splat(Depth::Here, "i32", &rest);
        let mut mask = self.emit.define(format_args!("icmp slt {wide} {ramp}, {rest}"));
        if below {
            let skip = self.emit.define(format_args!("sub i64 {begin}, {j}"));
            let skip = self.min_max(Depth::Here, "max", &skip, "0");
            let skip = self.emit.define(format_args!("trunc i64 {skip} to i32"));
            let skip = self.emit.splat(Depth::Here, "i32", &skip);
            let above = self.emit.define(format_args!("icmp sge {wide} {ramp}, {skip}"));
            let bits = self.emit.wide("i1");
            mask = self.emit.define(format_args!("and {bits} {mask}, {above}"));
        }
        Val::varying(ScalarType::Bool, mask)
    }

    /// Computes, before the loops, the part of the row that the quick loop takes: whole vectors for which everything holds that was assumed.
    pub fn quick_range(
        &mut self,
        quick: &(Name, Name),
        from: &str,
        to: &str,
        down: bool,
        origin: &Option<Name>,
        assumed: &Assumed,
    ) {
        let lanes = self.emit.lanes as i64;
        let (mut low, mut high): (Name, Name) = (from.into(), to.into());
        let mut holds: Name = "true".into();
        for fact in &assumed.row {
            holds = self.emit.define_at(Depth::Row, format_args!("and i1 {holds}, {fact}"));
        }
        // As far out as that is known, each depth after the one before.
        let mut range: Option<(Name, Name)> = None;
        for depth in [Depth::Entry, Depth::Group, Depth::Row] {
            for constraint in assumed.along.iter().filter(|constraint| constraint.depth == depth) {
                if constraint.stride.unsigned_abs() > MAX_STRIDE {
                    holds = "false".into();
                    continue;
                }
                let (first, end) = self.constrained(constraint);
                range = Some(match range {
                    None => (first, end),
                    Some((low, high)) => {
                        (self.min_max(depth, "max", &low, &first), self.min_max(depth, "min", &high, &end))
                    }
                });
            }
        }
        if let Some((first, end)) = range {
            low = self.min_max(Depth::Row, "max", &low, &first);
            high = self.min_max(Depth::Row, "min", &high, &end);
        }
        if let (Some(origin), true) = (origin, down) {
            let number = self.emit.define_at(Depth::Row, format_args!("add i64 {origin}, {high}"));
            let off = self.emit.define_at(Depth::Row, format_args!("and i64 {number}, {}", lanes - 1));
            high = self.emit.define_at(Depth::Row, format_args!("sub i64 {high}, {off}"));
        } else if let Some(origin) = origin {
            let number = self.emit.define_at(Depth::Row, format_args!("add i64 {origin}, {low}"));
            let minus = self.emit.define_at(Depth::Row, format_args!("sub i64 0, {number}"));
            let up = self.emit.define_at(Depth::Row, format_args!("and i64 {minus}, {}", lanes - 1));
            low = self.emit.define_at(Depth::Row, format_args!("add i64 {low}, {up}"));
        }
        if assumed.aligned > 1 {
            let rest = assumed.aligned - 1;
            match origin {
                Some(origin) => {
                    let off = self.emit.define_at(Depth::Row, format_args!("and i64 {origin}, {rest}"));
                    let begins = self.emit.define_at(Depth::Row, format_args!("icmp eq i64 {off}, 0"));
                    holds = self.emit.define_at(Depth::Row, format_args!("and i1 {holds}, {begins}"));
                }
                None if down => {
                    high = self.emit.define_at(Depth::Row, format_args!("and i64 {high}, {}", !rest as i64));
                }
                None => {
                    let up = self.emit.define_at(Depth::Row, format_args!("add i64 {low}, {rest}"));
                    low = self.emit.define_at(Depth::Row, format_args!("and i64 {up}, {}", !rest as i64));
                }
            }
        }
        let length = self.emit.define_at(Depth::Row, format_args!("sub i64 {high}, {low}"));
        let whole = self.emit.define_at(Depth::Row, format_args!("and i64 {length}, {}", -lanes));
        let some = self.emit.define_at(Depth::Row, format_args!("icmp sgt i64 {length}, 0"));
        let any = self.emit.define_at(Depth::Row, format_args!("icmp sgt i64 {whole}, 0"));
        let some = self.emit.define_at(Depth::Row, format_args!("and i1 {some}, {any}"));
        let runs = self.emit.define_at(Depth::Row, format_args!("and i1 {some}, {holds}"));
        let (first, last) = match down {
            false => (low.clone(), self.emit.define_at(Depth::Row, format_args!("add i64 {low}, {whole}"))),
            true => (self.emit.define_at(Depth::Row, format_args!("sub i64 {high}, {whole}")), high.clone()),
        };
        let idle = if down { to } else { from };
        let first =
            self.emit.define_at(Depth::Row, format_args!("select i1 {runs}, i64 {first}, i64 {idle}"));
        let last = self.emit.define_at(Depth::Row, format_args!("select i1 {runs}, i64 {last}, i64 {idle}"));
        let place = self.emit.row;
        self.emit.text.line(place, format_args!("store i64 {first}, ptr {}", quick.0));
        self.emit.text.line(place, format_args!("store i64 {last}, ptr {}", quick.1));
    }

    /// The first of the coordinates for which a constraint holds, and the one behind the last.
    fn constrained(&mut self, constraint: &Constraint) -> (Name, Name) {
        let depth = constraint.depth;
        // Kept away from the ends of the range of `i64`, so that nothing below overflows.
        let base = self.min_max(depth, "max", &constraint.base, &(-(1i64 << 61)).to_string());
        let base = self.min_max(depth, "min", &base, &(1i64 << 61).to_string());
        if constraint.stride > 0 {
            let past = self.emit.define_at(depth, format_args!("sub i64 {}, {base}", constraint.extent));
            let before = self.emit.define_at(depth, format_args!("sub i64 0, {base}"));
            return (
                self.ceiling(depth, &before, constraint.stride),
                self.ceiling(depth, &past, constraint.stride),
            );
        }
        let stride = -constraint.stride;
        let last = self.floor(depth, &base, stride);
        let below = self.emit.define_at(depth, format_args!("sub i64 {base}, {}", constraint.extent));
        let below = self.floor(depth, &below, stride);
        let first = self.emit.define_at(depth, format_args!("add i64 {below}, 1"));
        (first, self.emit.define_at(depth, format_args!("add i64 {last}, 1")))
    }

    /// ⌈a / b⌉ for b > 0.
    fn ceiling(&mut self, depth: Depth, a: &str, b: i64) -> Name {
        if b == 1 {
            return a.into();
        }
        let minus = self.emit.define_at(depth, format_args!("sub i64 0, {a}"));
        let floor = self.floor(depth, &minus, b);
        self.emit.define_at(depth, format_args!("sub i64 0, {floor}"))
    }

    /// ⌊a / b⌋ for b > 0.
    fn floor(&mut self, depth: Depth, a: &str, b: i64) -> Name {
        if b == 1 {
            return a.into();
        }
        let quotient = self.emit.define_at(depth, format_args!("sdiv i64 {a}, {b}"));
        let rest = self.emit.define_at(depth, format_args!("srem i64 {a}, {b}"));
        let under = self.emit.define_at(depth, format_args!("ashr i64 {rest}, 63"));
        self.emit.define_at(depth, format_args!("add i64 {quotient}, {under}"))
    }

    /// Walks one point after another, forward or backward. `at_point` runs around each: before (`true`) and after, with its position
    /// in the group.
    pub fn points(
        &mut self,
        walk: &Walk<'_>,
        sinks: &mut Sinks,
        around: &mut dyn FnMut(&mut Function<'_, '_>, &mut Sinks, bool, &str),
    ) -> Result<(), Unsupported> {
        let down = walk.nest.direction == Direction::Backward;
        let at = self.emit.variable("i64");
        let (head, body, exit) = (self.emit.label(), self.emit.label(), self.emit.label());
        match down {
            false => self.set(&at, &walk.from),
            true => {
                let last = self.emit.define(format_args!("sub i64 {}, 1", walk.to));
                self.set(&at, &last);
            }
        }
        self.emit.fall_into(head);
        let position = self.get(&at);
        let more = match down {
            false => self.emit.define(format_args!("icmp slt i64 {position}, {}", walk.to)),
            true => self.emit.define(format_args!("icmp sge i64 {position}, {}", walk.from)),
        };
        self.emit.branch(&more, body, exit);
        self.emit.text.begin(body);
        self.emit.row = self.emit.text.mark();
        around(self, sinks, true, &position);
        let visit = self.visit_point(walk, &position);
        self.sweep_steps(walk.nest, walk.sweep, visit, &walk.frame.made, sinks)?;
        around(self, sinks, false, &position);
        let next = self.emit.define(format_args!("{} i64 {position}, 1", if down { "sub" } else { "add" }));
        self.set(&at, &next);
        self.emit.line(format_args!("br label %{head}"));
        self.emit.text.begin(exit);
        Ok(())
    }

    /// The visit of one point, at a position of the group.
    fn visit_point(&mut self, walk: &Walk<'_>, position: &str) -> Visit {
        let (level, group) = (walk.nest.level, walk.nest.group);
        let number = match &*walk.frame.base {
            "0" => position.into(),
            base => self.emit.define(format_args!("add i64 {base}, {position}")),
        };
        let uniform = |name: Name| Val::uniform(ScalarType::Idx, Depth::Here, name);
        let (coordinates, positions) = if level == group + 1 {
            let mut coordinates = walk.frame.coordinates.clone();
            let mut own = uniform(position.into());
            own.coordinate = Some(level - 1);
            coordinates.push(own);
            let mut positions = walk.frame.positions.clone();
            positions.push(uniform(number));
            (coordinates, positions)
        } else if walk.nest.flat {
            let mut positions = walk.frame.positions.clone();
            while positions.len() < level {
                positions.push(Val::idx(0));
            }
            positions.push(uniform(number));
            let number = positions.last().cloned().unwrap_or(Val::idx(0));
            (self.no_coordinates(level, &number), positions)
        } else {
            self.decode(level, &number)
        };
        let point = Point { coordinates, positions, mask: Val::truth(true), own: Default::default() };
        Visit { point, assumed: None, streaming: false, phase: walk.phase }
    }
}
