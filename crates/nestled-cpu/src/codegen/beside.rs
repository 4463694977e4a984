//! Rows beside each other: a few rows of a picture at a time, where each reads what the next one reads again.
//!
//! A sum over a column of seven neighbours reads seven rows, and the sum in the row below reads six of them again. Done in the same round of the loop, four sums
//! read ten elements and not twenty-eight: whatever a round reads twice, LLVM reads once, if nothing is written in between. So all is written at the end of a round.
//!
//! ```text
//! for row: for x: sum of a[row - 3 …, x]                                   before
//! for four rows: for x: sum of a[row - 3 …, x], of a[row - 2 …, x], …      after
//! ```
//!
//! Only the part of the rows that needs no checks is done so. The loop over rows then comes to each of them all the same, and does the rest.

use super::Unsupported;
use super::cost::Costs;
use super::frame::Frame;
use super::function::Function;
use super::loops::{Row, Walk};
use super::plan::{At, Walk as Order};
use super::point::{Assumed, StepRef};
use super::steps::{Phase, Sinks};
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{Atom, CombinatorKind, Direction, ScalarType, StmtKind, Thunk, ValueId};
use std::collections::{HashMap, HashSet};

/// Rows of a round.
pub const ROWS: u64 = 4;

/// Statements of a point, at most: the code is written once more for each row.
const LIGHT: u64 = 64;

/// Rows that are read at the same place of a row, at least.
const NEIGHBOURS: usize = 3;

/// What some rows have behind them.
#[derive(Debug)]
pub struct Beside {
    /// A variable: the number of the first row that was not among them.
    until: Name,
    /// Variables: from where to where.
    part: (Name, Name),
}

/// The part of a row that is done.
#[derive(Clone, Debug)]
pub struct Done {
    /// Whether any is, an `i1`.
    pub some: Name,
    /// Where it begins.
    pub low: Name,
    /// Where it ends.
    pub high: Name,
}

/// A row that a walk has come to.
pub struct Here<'n> {
    /// The position, in the group.
    pub position: &'n Name,
    /// The row.
    pub row: &'n Row,
    /// Its number.
    pub number: &'n Name,
    /// Which part of it is walked.
    pub range: (&'n Name, &'n Name),
}

impl Beside {
    /// If it pays for a walk.
    pub fn new(f: &mut Function<'_, '_>, walk: &Walk<'_>) -> Option<Beside> {
        suits(f, walk).then(|| {
            let variable = |f: &mut Function<'_, '_>| {
                let name = f.emit.variable("i64");
                f.set(&name, "0");
                name
            };
            Beside { until: variable(f), part: (variable(f), variable(f)) }
        })
    }

    /// Does a part of a row and of those behind it, if they are all there and it has not been done; answers which part of the row is done.
    pub fn write(
        &self,
        f: &mut Function<'_, '_>,
        walk: &Walk<'_>,
        here: &Here<'_>,
        sinks: &mut Sinks,
    ) -> Result<Done, Unsupported> {
        let StepRef::Extent(extent) = f.captures.space[walk.nest.level - 1].step.clone() else {
            unreachable!("rows are of one length")
        };
        let extent = f.emit.scalar(&extent);
        let (look, round, known) = (f.emit.label(), f.emit.label(), f.emit.label());
        let until = f.get(&self.until);
        let fresh = f.emit.define(format_args!("icmp sge i64 {}, {until}", here.number));
        f.emit.branch(&fresh, look, known);
        f.emit.text.begin(look);
        let all = f.emit.define(format_args!("mul i64 {extent}, {ROWS}"));
        let end = f.emit.define(format_args!("add i64 {}, {all}", here.position));
        let fits = f.emit.define(format_args!("icmp sle i64 {end}, {}", walk.to));
        let begins = f.emit.define(format_args!("icmp eq i64 {}, {}", here.position, here.row.offset));
        let whole = f.emit.define(format_args!("and i1 {fits}, {begins}"));
        f.emit.branch(&whole, round, known);
        f.emit.text.begin(round);
        self.rounds(f, walk, here, &extent, sinks)?;
        let until = f.emit.define(format_args!("add i64 {}, {ROWS}", here.number));
        f.set(&self.until, &until);
        f.emit.fall_into(known);
        let until = f.get(&self.until);
        let (low, high) = (f.get(&self.part.0), f.get(&self.part.1));
        let among = f.emit.define(format_args!("icmp slt i64 {}, {until}", here.number));
        let some = f.emit.define(format_args!("icmp slt i64 {low}, {high}"));
        let some = f.emit.define(format_args!("and i1 {among}, {some}"));
        Ok(Done { some, low, high })
    }

    fn rounds(
        &self,
        f: &mut Function<'_, '_>,
        walk: &Walk<'_>,
        here: &Here<'_>,
        extent: &str,
        sinks: &mut Sinks,
    ) -> Result<(), Unsupported> {
        f.emit.row = f.emit.text.mark();
        let rows: Vec<Row> = (0..ROWS).map(|row| below(f, here, row, extent)).collect();
        let lanes = f.emit.lanes;
        let streaming = f.shared.streaming && walk.nest.streams();
        let (low, high) = (f.get(&self.part.0), f.get(&self.part.1));
        let mut all = Assumed::default();
        super::control::each(f, &low, &high, lanes, &mut |f, j| {
            f.held = Some(Vec::new());
            for row in &rows {
                let mut visit = f.visit(walk, row, &row.frame.clone(), j.into(), Val::truth(true));
                visit.assumed = Some(Assumed::default());
                visit.streaming = streaming;
                let assumed = f.sweep_steps(walk.nest, walk.sweep, visit, &row.frame.made, sinks)?;
                all.join(assumed.unwrap_or_default());
            }
            for (bind, val, visit) in f.held.take().unwrap_or_default() {
                f.store_bind(bind, &val, &visit);
            }
            Ok(())
        })?;
        let mut origin = None;
        if streaming {
            // Vectors begin at multiples of W in one row; so they do in the others, if rows are whole vectors.
            let rest = f.emit.define_at(Depth::Row, format_args!("and i64 {extent}, {}", lanes - 1));
            let whole = f.emit.define_at(Depth::Row, format_args!("icmp eq i64 {rest}, 0"));
            all.row.push(whole);
            origin = Some(here.row.offset.clone());
        }
        f.quick_range(&self.part, here.range.0, here.range.1, false, &origin, &all);
        Ok(())
    }
}

/// A row so many behind another, as known before the loop that begins now.
fn below(f: &mut Function<'_, '_>, here: &Here<'_>, by: u64, extent: &str) -> Row {
    let on = f.emit.define_at(Depth::Row, format_args!("mul i64 {extent}, {by}"));
    let start = f.emit.define_at(Depth::Row, format_args!("add i64 {}, {on}", here.row.start));
    let offset = f.emit.define_at(Depth::Row, format_args!("add i64 {}, {on}", here.row.offset));
    let first = Val::uniform(ScalarType::Idx, Depth::Row, here.number.clone());
    let own = f.emit.moved(&first, by as i64);
    let coordinate = Val { coordinate: Some(0), ..own.clone() };
    let made = here.row.frame.at_row().made;
    let positions = vec![Val::idx(0), own];
    let frame = Frame { coordinates: vec![coordinate], positions, base: start.clone(), made };
    Row { frame, start, offset, ..here.row.clone() }
}

/// Whether a walk is over the rows of a grid, and its maps read several rows at one place.
fn suits(f: &Function<'_, '_>, walk: &Walk<'_>) -> bool {
    let nest = walk.nest;
    let (program, kernel) = (f.shared.program, f.shared.kernel);
    let plain = nest.level == 2
        && nest.group == 0
        && walk.phase == Phase::Main
        && nest.walk == Order::Vectors
        && nest.direction == Direction::Forward
        && matches!(f.captures.space[1].step, StepRef::Extent(_));
    let is_map = |step: usize, at: At| {
        let step = &kernel.steps[step];
        at == At::Element(0) && step.guard.is_none() && matches!(step.kind, CombinatorKind::Map)
    };
    if !plain || !nest.items.iter().all(|item| is_map(item.step, item.at)) {
        return false;
    }
    let mut costs = Costs::default();
    let bodies = || nest.items.iter().map(|item| &kernel.steps[item.step].body);
    let costs: Vec<_> = bodies().map(|thunk| costs.block(program, &thunk.body)).collect();
    costs.iter().all(|cost| !cost.loops && !cost.faults)
        && costs.iter().map(|cost| cost.size).sum::<u64>() <= LIGHT
        && bodies().any(reads_neighbours)
}

/// Whether a thunk reads several rows of something at the same place of the row.
fn reads_neighbours(thunk: &Thunk) -> bool {
    // What differs along a row.
    let mut along: HashSet<Atom> = thunk.params().skip(1).map(Atom::Local).collect();
    let mut windows: HashMap<(ValueId, i64), HashSet<i64>> = HashMap::new();
    let mut reads: HashMap<(ValueId, Atom), HashSet<Atom>> = HashMap::new();
    thunk.body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Window { bind, offsets, .. } => {
            windows.entry((*bind, offsets[1].by)).or_default().insert(offsets[0].by);
        }
        StmtKind::Own { dst, bind } => {
            windows.entry((*bind, 0)).or_default().insert(0);
            along.insert(Atom::Local(*dst));
        }
        StmtKind::Read { dst, array, index, .. } => {
            if let [row, column] = &index[..]
                && !along.contains(&row.at)
            {
                reads.entry((*array, column.at)).or_default().insert(row.at);
            }
            along.insert(Atom::Local(*dst));
        }
        kind => {
            if kind.atoms().iter().any(|atom| along.contains(atom)) {
                along.extend(kind.dsts().iter().map(|&dst| Atom::Local(dst)));
            }
        }
    });
    let most = windows.values().map(HashSet::len).chain(reads.values().map(HashSet::len)).max();
    most.is_some_and(|most| most >= NEIGHBOURS)
}

#[cfg(test)]
mod tests {
    use crate::codegen::{Target, generate};
    use nestled_ir::KernelId;

    /// How many vectors of floats a kernel loads, in all loops of the nest that reads a window.
    fn loads(window: &str) -> usize {
        let text = format!(
            "kernel k(xs: [n, m]f32) over n, m {{
  a = map {{ y, x => mul xs[y, x] 2.0 }}
  b = map {{ y, x =>
{window}
  }}
  ret b
}}
fn main<n, m>(xs: [n, m]f32) -> [n, m]f32 {{
  ys = run k(xs)
  ret ys
}}
"
        );
        let program = nestled_ir::text::parse("test", &text).unwrap();
        let target = Target { vector_bits: 512, avx512: true, f16c: true };
        let generated = generate(&program, KernelId::from(0usize), false, &target).unwrap();
        let nest =
            generated.text.split("define void").find(|text| text.starts_with(" @\"n1.main\"")).unwrap();
        nest.matches("= load <16 x float>").count()
    }

    #[test]
    fn rows_above_and_below_are_read_for_several_rows() {
        // Four rows in one round, and one in the loop for those that are left. What is read twice, LLVM reads once.
        let column = "    add a[y - 1 clamp, x proved] (add a[y, x] a[y + 1 clamp, x proved])";
        assert_eq!(loads(column), 4 * 3 + 3);
    }

    #[test]
    fn neighbours_in_a_row_are_read_row_by_row() {
        let row = "    add a[y proved, x - 1 clamp] (add a[y, x] a[y proved, x + 1 clamp])";
        assert_eq!(loads(row), 3);
    }
}
