//! Strip-mined loops over the points of a group: W points at a time, or one after another.
//!
//! The points of a group are walked in **runs**, ranges that lie in one row and one tile. A run has up to three parts: the interior, where all lanes
//! are present and no index needs a check, goes through the *interior* loop; the parts before and after it, the boundary, go through the *boundary*
//! loop, under a mask.

use super::Unsupported;
use super::column::Column;
use super::frame::Frame;
use super::function::Function;
use super::point::{Assumed, Point, StepRef};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use super::visit::{Phase, Visit};
use nestled_ir::{Direction, ScalarType, ValueId};
use nestled_kernel::nest::Nest;
use nestled_kernel::schedule::Schedule;

/// Larger strides are not worth guarding against overflow.
pub const MAX_STRIDE: u64 = 1 << 20;

/// The action at the end of each tile, given its number.
pub type AtTile<'c> = &'c mut dyn FnMut(&mut Function<'_, '_>, &mut Sinks, &str);

/// A walk over the points of a group.
#[derive(Clone, Debug)]
pub struct Walk<'n> {
    /// The nest.
    pub nest: &'n Nest,
    /// Its schedule.
    pub schedule: &'n Schedule,
    /// The number of the sweep.
    pub sweep: usize,
    /// The phase.
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
    /// The position in the group of its first element. Vectors are aligned to it where alignment matters.
    pub offset: Name,
    /// Set if groups are in the lanes.
    pub column: Option<Column>,
    /// The part that was done by jamming.
    pub done: Option<Done>,
}

/// The part of a row that has been done by jamming.
#[derive(Clone, Debug)]
pub struct Done {
    /// Whether the part is not empty, an `i1`.
    pub some: Name,
    /// Its begin.
    pub low: Name,
    /// Its end.
    pub high: Name,
}

impl Row {
    /// Treats all points below a frame as one row.
    pub fn flattened(frame: &Frame) -> Row {
        Row { frame: frame.clone(), start: frame.base.clone(), offset: "0".into(), column: None, done: None }
    }
}

impl Function<'_, '_> {
    /// Returns the row that contains a position of the group, the position where it ends, and its number.
    pub fn row(&mut self, walk: &Walk<'_>, position: &str) -> (Row, Name, Name) {
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

    /// Emits the minimum of two `i64`.
    pub fn least(&mut self, a: &str, b: &str) -> Name {
        self.emit.declare("declare i64 @llvm.smin.i64(i64, i64)");
        self.emit.define(format_args!("call i64 @llvm.smin.i64(i64 {a}, i64 {b})"))
    }

    /// Emits the maximum (`max`) or minimum (`min`) of two `i64`, at a depth.
    pub fn min_max(&mut self, depth: Depth, which: &str, a: &str, b: &str) -> Name {
        self.emit.declare(format!("declare i64 @llvm.s{which}.i64(i64, i64)"));
        self.emit.define_at(depth, format_args!("call i64 @llvm.s{which}.i64(i64 {a}, i64 {b})"))
    }

    /// Makes the points of a visit whose lane 0 has vector coordinate `first`.
    pub fn visit(
        &mut self,
        (nest, phase): (&Nest, Phase),
        row: &Row,
        frame: &Frame,
        first: Name,
        mask: Val,
    ) -> Visit {
        let level = nest.level;
        self.emit.position = first.clone();
        self.emit.first_lane = first;
        if let Some(column) = &row.column {
            let point = column.point(self, frame, &row.start, mask);
            return Visit { point, assumed: None, streaming: false, phase };
        }
        let mut coordinates = frame.coordinates.clone();
        let mut positions = frame.positions.clone();
        if nest.flat && level > 1 {
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
        Visit { point, assumed: None, streaming: false, phase }
    }

    /// Emits the run `from..to` of a row, in coordinates of the row.
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
        let interior = (self.emit.variable("i64"), self.emit.variable("i64"));
        let (at, begin, end) =
            (self.emit.variable("i64"), self.emit.variable("i64"), self.emit.variable("i64"));
        let second = self.emit.variable("i1");
        // The vectors of a scan over the whole must be the same in both phases.
        let streaming = walk.schedule.nontemporal && row.column.is_none();
        let fixed = walk.schedule.aligned || row.column.is_some();
        let origin: Option<Name> = match walk.schedule.aligned_to {
            _ if fixed => Some(row.offset.clone()),
            Some(array) => Some(self.number_in_memory(array)),
            None => None,
        };
        let labels: Vec<_> = (0..8).map(|_| self.emit.label()).collect();
        let [
            boundary,
            boundary_body,
            boundary_done,
            interior_start,
            interior_head,
            interior_body,
            interior_done,
            exit,
        ] = labels[..]
        else {
            unreachable!("eight labels")
        };
        // The first part of the boundary: before the interior loop, or after it if the walk is backward.
        let (mut low, mut high) = (self.get(&interior.0), self.get(&interior.1));
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
        self.boundary_part(
            &at,
            &begin,
            &end,
            down,
            (if down { &high } else { from }, if down { to } else { &low }),
            &origin,
        );
        self.emit.fall_into(boundary);
        let j = self.get(&at);
        let (b, e) = (self.get(&begin), self.get(&end));
        let more = match down {
            false => self.emit.define(format_args!("icmp slt i64 {j}, {e}")),
            true => {
                let top = self.emit.define(format_args!("add i64 {j}, {lanes}"));
                self.emit.define(format_args!("icmp sgt i64 {top}, {b}"))
            }
        };
        self.emit.branch(&more, boundary_body, boundary_done);
        self.emit.text.begin(boundary_body);
        let mask = self.range_mask(&j, &b, &e, down || origin.is_some());
        let visit = self.visit((walk.nest, walk.phase), &row, &row.frame.clone(), j.clone(), mask);
        if let Some(column) = &row.column {
            column.place(self, sinks, &j);
        }
        self.sweep_steps(walk.nest, walk.sweep, visit, &row.frame.made, sinks)?;
        let next = self.emit.define(format_args!("{} i64 {j}, {lanes}", if down { "sub" } else { "add" }));
        self.set(&at, &next);
        self.emit.line(format_args!("br label %{boundary}"));
        self.emit.text.begin(boundary_done);
        let was_second = self.emit.define(format_args!("load i1, ptr {second}"));
        self.emit.branch(&was_second, exit, interior_start);
        self.emit.text.begin(interior_start);
        let start = match down {
            false => begins,
            true => self.emit.define(format_args!("sub i64 {high}, {lanes}")),
        };
        self.set(&at, &start);
        self.emit.fall_into(interior_head);
        let j = self.get(&at);
        let more = match down {
            false => self.emit.define(format_args!("icmp slt i64 {j}, {high}")),
            true => self.emit.define(format_args!("icmp sge i64 {j}, {low}")),
        };
        self.emit.branch(&more, interior_body, interior_done);
        self.emit.text.begin(interior_body);
        let mut visit =
            self.visit((walk.nest, walk.phase), &row, &row.frame.clone(), j.clone(), Val::truth(true));
        visit.assumed = Some(Assumed::default());
        visit.streaming = streaming && walk.phase == Phase::Main;
        if let Some(column) = &row.column {
            column.place(self, sinks, &j);
        }
        self.emit.prefetch = row.column.as_ref().and_then(|column| column.next.clone());
        let assumed = self.sweep_steps(walk.nest, walk.sweep, visit, &row.frame.made, sinks)?;
        self.emit.prefetch = None;
        let next = self.emit.define(format_args!("{} i64 {j}, {lanes}", if down { "sub" } else { "add" }));
        self.set(&at, &next);
        self.emit.line(format_args!("br label %{interior_head}"));
        self.emit.text.begin(interior_done);
        self.emit.line(format_args!("store i1 true, ptr {second}"));
        self.boundary_part(
            &at,
            &begin,
            &end,
            down,
            (if down { from } else { &high }, if down { &low } else { to }),
            &origin,
        );
        self.emit.line(format_args!("br label %{boundary}"));
        self.emit.text.begin(exit);
        self.interior_range(&interior, from, to, down, &origin, &assumed.unwrap_or_default());
        Ok(())
    }

    /// Returns the address of the first element of an array, counted in elements.
    fn number_in_memory(&mut self, array: ValueId) -> Name {
        let data = self.captures.arrays[&array].data.clone();
        let ty = self.shared.kernel.values[array.index()].ty.as_array();
        let size = ty.map_or(1, |array| array.elem.size());
        let address = self.emit.define_at(Depth::Entry, format_args!("ptrtoint ptr {data} to i64"));
        self.emit.define_at(Depth::Entry, format_args!("udiv i64 {address}, {size}"))
    }

    /// Sets the variables of the boundary loop for the part `range` of the row.
    fn boundary_part(
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

    /// Returns the greatest coordinate, at most `at`, that is a multiple of W from the origin.
    fn multiple_below(&mut self, origin: &str, at: &str) -> Name {
        let number = self.emit.define(format_args!("add i64 {origin}, {at}"));
        let off = self.emit.define(format_args!("and i64 {number}, {}", self.emit.lanes - 1));
        self.emit.define(format_args!("sub i64 {at}, {off}"))
    }

    /// Returns the mask of the lanes of a vector at `j` with coordinates in `begin..end`.
    pub fn range_mask(&mut self, j: &str, begin: &str, end: &str, below: bool) -> Val {
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

    /// Emits a sweep over W elements below a frame, from `at` on, under a mask.
    pub fn masked(
        &mut self,
        (nest, sweep): (&Nest, usize),
        frame: Frame,
        (at, mask): (&str, Val),
        sinks: &mut Sinks,
    ) -> Result<(), Unsupported> {
        let frame = frame.at_row();
        let start = frame.base.clone();
        let row = Row { frame, start, offset: "0".into(), column: None, done: None };
        let visit = self.visit((nest, Phase::Main), &row, &row.frame, at.into(), mask);
        self.sweep_steps(nest, sweep, visit, &row.frame.made, sinks).map(|_| ())
    }

    /// Walks one point after another, forward or backward. `at_point` runs around each: before (`true`) and after, with its position in the group.
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

    /// Makes the visit of one point, at a position of the group.
    fn visit_point(&mut self, walk: &Walk<'_>, position: &str) -> Visit {
        self.emit.position = position.into();
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
