//! Unrolled rows: rows whose length is known to be a few whole vectors are emitted without a loop and without a computed interior.
//!
//! Computing the interior takes longer than a vector or two. Mostly all of a row needs no checks, and mostly this is known before the rows of a group
//! begin. So one test per row decides: either no part of the row needs checks, or the whole row takes the boundary version.

use super::Unsupported;
use super::function::Function;
use super::loops::{MAX_STRIDE, Row, Walk};
use super::point::{Assumed, Constraint};
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};

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
    let here = Row { frame: row.frame.at_row(), ..row.clone() };
    let mut holds: Name = "true".into();
    for vector in 0..count {
        let first = (vector * lanes).to_string().into();
        let mut visit = f.visit((walk.nest, walk.phase), &here, &here.frame.clone(), first, Val::truth(true));
        visit.assumed = Some(Assumed::default());
        let assumed = f.sweep_steps(walk.nest, walk.sweep, visit, &here.frame.made, sinks)?;
        // Each vector has the same assumptions.
        if vector == 0 {
            holds = throughout(f, &assumed.unwrap_or_default(), length as i64);
        }
    }
    let place = f.emit.row;
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
    for fact in &assumed.row {
        holds = f.emit.define_at(Depth::Row, format_args!("and i1 {holds}, {fact}"));
    }
    holds
}
