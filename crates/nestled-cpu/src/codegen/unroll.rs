//! Unrolled rows: rows whose length is known to be a few whole vectors are emitted without a loop and without a computed interior.
//!
//! Computing the interior takes longer than a vector or two. Mostly all of a row needs no checks, and mostly this is known before the rows of a group
//! begin. So one test per row decides: either no part of the row needs checks, or the whole row takes the boundary version.
//!
//! If the group, too, has a known number of rows, and nothing is to be tested that differs from row to row, one test decides for all rows of the group, which are
//! walked by a loop of their own: without the ends of a range, and without the registers that a boundary takes.

use super::Unsupported;
use super::function::Function;
use super::loops::{MAX_STRIDE, Row, Walk};
use super::point::{Assumed, Constraint};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::Axis;
use nestled_kernel::nest::Nest;

/// The number of rows of a group, where the space has literal extents below it.
pub fn rows_of_group(f: &Function<'_, '_>, nest: &Nest) -> Option<u64> {
    let mut rows = 1;
    for axis in &f.shared.kernel.space[nest.group..nest.level - 1] {
        let Axis::Const(extent) = axis else { return None };
        rows *= extent;
    }
    Some(rows)
}

/// Emits a group of so many rows of `count` vectors, if all of it is to be walked and needs no checks; and `general` otherwise, which is told whether rows may yet
/// be without checks where the group is not.
pub fn group(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    (rows, count): (u64, u64),
    sinks: &mut Sinks,
    general: &mut dyn FnMut(&mut Function<'_, '_>, &mut Sinks, bool) -> Result<(), Unsupported>,
) -> Result<(), Unsupported> {
    let length = count * f.emit.lanes as u64;
    let (place, total) = (f.emit.group, rows * length);
    let (interior, at) = (f.emit.variable("i1"), f.emit.variable("i64"));
    let [whole, body, some, done] = [0; 4].map(|_| f.emit.label());
    let holds = f.emit.define(format_args!("load i1, ptr {interior}"));
    let first = f.emit.define(format_args!("icmp eq i64 {}, 0", walk.from));
    let last = f.emit.define(format_args!("icmp eq i64 {}, {total}", walk.to));
    let all = f.emit.define(format_args!("and i1 {first}, {last}"));
    let all = f.emit.define(format_args!("and i1 {all}, {holds}"));
    f.set(&at, "0");
    f.emit.branch(&all, whole, some);
    f.emit.text.begin(whole);
    let position = f.get(&at);
    let more = f.emit.define(format_args!("icmp slt i64 {position}, {total}"));
    f.emit.branch(&more, body, done);
    f.emit.text.begin(body);
    let (row, ..) = f.row(walk, &position);
    f.emit.row = f.emit.text.mark();
    let assumed = vectors(f, walk, &row, count, sinks)?;
    let next = f.emit.define(format_args!("add i64 {position}, {length}"));
    f.set(&at, &next);
    f.emit.line(format_args!("br label %{whole}"));
    f.emit.text.begin(some);
    // Known only now. If rows differ, LLVM drops the loop above.
    let depths = assumed.along.iter().map(|constraint| constraint.depth);
    let same = depths.chain(assumed.row.iter().map(|(depth, _)| *depth)).all(|depth| depth < Depth::Row);
    general(f, sinks, !same)?;
    f.emit.fall_into(done);
    let holds = if same { throughout(f, &assumed, length as i64) } else { "false".into() };
    f.emit.text.line(place, format_args!("store i1 {holds}, ptr {interior}"));
    Ok(())
}

/// Emits the vectors of a row, all lanes of which are walked. Returns what they assume: each the same.
fn vectors(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    row: &Row,
    count: u64,
    sinks: &mut Sinks,
) -> Result<Assumed, Unsupported> {
    let here = Row { frame: row.frame.at_row(), ..row.clone() };
    let mut all = Assumed::default();
    for vector in 0..count {
        let first = (vector * f.emit.lanes as u64).to_string().into();
        let mut visit = f.visit((walk.nest, walk.phase), &here, &here.frame.clone(), first, Val::truth(true));
        visit.assumed = Some(Assumed::default());
        let assumed = f.sweep_steps(walk.nest, walk.sweep, visit, &here.frame.made, sinks)?;
        if vector == 0 {
            all = assumed.unwrap_or_default();
        }
    }
    Ok(all)
}

/// Emits a row of `count` vectors, of which `range` is to be walked, in coordinates of the row.
pub fn write(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    row: &Row,
    range: (&Name, &Name),
    count: u64,
    sinks: &mut Sinks,
) -> Result<(), Unsupported> {
    let lanes = f.emit.lanes as u64;
    let length = count * lanes;
    f.emit.row = f.emit.text.mark();
    let interior = f.emit.variable("i1");
    let (whole, boundary, done) = (f.emit.label(), f.emit.label(), f.emit.label());
    let holds = f.emit.define(format_args!("load i1, ptr {interior}"));
    let first = f.emit.define(format_args!("icmp eq i64 {}, 0", range.0));
    let last = f.emit.define(format_args!("icmp eq i64 {}, {length}", range.1));
    let all = f.emit.define(format_args!("and i1 {first}, {last}"));
    let all = f.emit.define(format_args!("and i1 {all}, {holds}"));
    f.emit.branch(&all, whole, boundary);
    f.emit.text.begin(whole);
    let place = f.emit.row;
    let assumed = vectors(f, walk, row, count, sinks)?;
    // Each vector has the same assumptions.
    let holds = throughout(f, &assumed, length as i64);
    f.emit.text.line(place, format_args!("store i1 {holds}, ptr {interior}"));
    f.emit.line(format_args!("br label %{done}"));
    f.emit.text.begin(boundary);
    f.run(walk, row, range.0, range.1, sinks)?;
    f.emit.fall_into(done);
    Ok(())
}

/// Emits the test that all assumptions hold for a whole row, hoisted as far out as possible.
fn throughout(f: &mut Function<'_, '_>, assumed: &Assumed, length: i64) -> Name {
    let mut holds: Name = "true".into();
    for depth in [Depth::Entry, Depth::Group, Depth::Row] {
        for (_, fact) in assumed.row.iter().filter(|(of, _)| *of == depth) {
            holds = f.emit.define_at(depth, format_args!("and i1 {holds}, {fact}"));
        }
        for constraint in assumed.along.iter().filter(|constraint| constraint.depth == depth) {
            let Constraint { base, stride, extent, .. } = constraint;
            if stride.unsigned_abs() > MAX_STRIDE {
                return "false".into();
            }
            // Clamped away from the limits of `i64`, so that nothing below overflows.
            let base = f.min_max(depth, "max", base, &(-(1i64 << 61)).to_string());
            let base = f.min_max(depth, "min", &base, &(1i64 << 61).to_string());
            let end = f.emit.define_at(depth, format_args!("add i64 {base}, {}", stride * (length - 1)));
            let (low, high) = if *stride > 0 { (base, end) } else { (end, base) };
            let above = f.emit.define_at(depth, format_args!("icmp sge i64 {low}, 0"));
            let below = f.emit.define_at(depth, format_args!("icmp slt i64 {high}, {extent}"));
            let inside = f.emit.define_at(depth, format_args!("and i1 {above}, {below}"));
            holds = f.emit.define_at(depth, format_args!("and i1 {holds}, {inside}"));
        }
    }
    holds
}
