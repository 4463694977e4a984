//! Unroll-and-jam of rows: one round of the loop computes several neighbouring rows whose windows overlap, so that shared elements are loaded once.
//!
//! A sum over a column of seven neighbours reads seven rows, and the sum in the row below reads six of them again. Jammed into the same round of the
//! loop, four sums load ten elements instead of twenty-eight: LLVM merges equal loads if no store lies between them. All stores therefore come at the
//! end of a round.
//!
//! ```text
//! for row: for x: sum of a[row - 3 …, x]                                   before
//! for four rows: for x: sum of a[row - 3 …, x], of a[row - 2 …, x], …      after
//! ```
//!
//! Only the interior of the rows, which needs no checks, is jammed. The loop over rows still visits each of them and does the remaining points.

use super::Unsupported;
use super::frame::Frame;
use super::function::Function;
use super::loops::{Done, Row, Walk};
use super::point::{Assumed, StepRef};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;

/// State of the jamming of rows.
#[derive(Debug)]
pub struct JammedRows {
    /// Number of rows of a round.
    count: u64,
    /// A variable: the number of the first row after the current round.
    until: Name,
    /// Variables: the range of the rows that is done.
    part: (Name, Name),
}

/// The row at the current position of a walk.
pub struct JamRow<'n> {
    /// The position, in the group.
    pub position: &'n Name,
    /// The row.
    pub row: &'n Row,
    /// Its number.
    pub number: &'n Name,
    /// The range of the row that is walked.
    pub range: (&'n Name, &'n Name),
}

impl JammedRows {
    /// Makes the state for rounds of `count` rows.
    pub fn new(f: &mut Function<'_, '_>, count: u64) -> JammedRows {
        let variable = |f: &mut Function<'_, '_>| {
            let name = f.emit.variable("i64");
            f.set(&name, "0");
            name
        };
        JammedRows { count, until: variable(f), part: (variable(f), variable(f)) }
    }

    /// Emits a round: computes the interior of a row and of the rows after it, if all are present and not done yet. Returns the part of the row that
    /// is done.
    pub fn write(
        &self,
        f: &mut Function<'_, '_>,
        walk: &Walk<'_>,
        here: &JamRow<'_>,
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
        let all = f.emit.define(format_args!("mul i64 {extent}, {}", self.count));
        let end = f.emit.define(format_args!("add i64 {}, {all}", here.position));
        let fits = f.emit.define(format_args!("icmp sle i64 {end}, {}", walk.to));
        let begins = f.emit.define(format_args!("icmp eq i64 {}, {}", here.position, here.row.offset));
        let whole = f.emit.define(format_args!("and i1 {fits}, {begins}"));
        f.emit.branch(&whole, round, known);
        f.emit.text.begin(round);
        self.rounds(f, walk, here, &extent, sinks)?;
        let until = f.emit.define(format_args!("add i64 {}, {}", here.number, self.count));
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
        here: &JamRow<'_>,
        extent: &str,
        sinks: &mut Sinks,
    ) -> Result<(), Unsupported> {
        f.emit.row = f.emit.text.mark();
        let rows: Vec<Row> = (0..self.count).map(|row| below(f, here, row, extent)).collect();
        let lanes = f.emit.lanes;
        let streaming = walk.schedule.nontemporal;
        let (low, high) = (f.get(&self.part.0), f.get(&self.part.1));
        let mut all = Assumed::default();
        super::control::each(f, &low, &high, lanes, &mut |f, j| {
            f.held = Some(Vec::new());
            for row in &rows {
                let mut visit =
                    f.visit((walk.nest, walk.phase), row, &row.frame.clone(), j.into(), Val::truth(true));
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
            all.row.push((Depth::Row, whole));
            origin = Some(here.row.offset.clone());
        }
        f.interior_range(&self.part, here.range.0, here.range.1, false, &origin, &all);
        Ok(())
    }
}

/// Returns the row `by` rows after another, as known before the loop that begins now.
fn below(f: &mut Function<'_, '_>, here: &JamRow<'_>, by: u64, extent: &str) -> Row {
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

#[cfg(test)]
mod tests {
    use crate::codegen::{Target, generate};
    use nestled_ir::KernelId;

    /// Counts the vectors of floats that a kernel loads, in all loops of the nest that reads a window.
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
