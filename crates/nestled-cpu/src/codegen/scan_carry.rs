//! Carries of scans between pieces: rows of cells, of which each piece leaves one.

use super::function::Function;
use super::reduce::{load_cell, store_cell};
use super::scan::Scans;
use super::value::{Depth, Val};
use nestled_ir::reduction_order::LANES;
use nestled_ir::{Direction, ScalarType};
use nestled_kernel::scan::ScanPart;

impl Scans {
    /// Writes the total of the piece into a row, combined with the carry if that is known: the carry of the next piece.
    pub fn write_row(&self, f: &mut Function<'_, '_>, row: &str) {
        f.with_lanes(LANES, |f| self.write_lanes(f, row));
    }

    fn write_lanes(&self, f: &mut Function<'_, '_>, row: &str) {
        self.end_points(f);
        for (position, part) in self.parts.iter().enumerate() {
            let mut values = self.totals(f, position);
            let mut seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
            if let Some((carry, any)) = self.earlier(f, position) {
                let own = Val::uniform(ScalarType::Bool, Depth::Here, seen.clone());
                let both = self.in_order(f, part.part, &carry, &values);
                for at in 0..values.len() {
                    if part.identity.is_some() {
                        values[at] = both[at].clone();
                        continue;
                    }
                    let with_own = f.emit.blend(&own, &both[at], &carry[at]);
                    values[at] = f.emit.blend(&any, &with_own, &values[at]);
                }
                seen = f.emit.define(format_args!("or i1 {seen}, {}", any.name));
            }
            for (at, val) in values.iter().enumerate() {
                let name = f.emit.scalar(val);
                store_cell(f, row, part.cell + at, val.ty, &name);
            }
            let seen = if part.counts() { seen } else { "true".into() };
            store_cell(f, row, part.cell + part.types.len(), ScalarType::Bool, &seen);
        }
    }
}

/// Emits the combination of a piece's carry with its total, into the carry of the next piece.
pub fn combine_carries(
    f: &mut Function<'_, '_>,
    parts: &[ScanPart],
    direction: Direction,
    carry: &str,
    total: &str,
    into: &str,
) {
    for part in parts {
        let width = part.types.len();
        let cells = |f: &mut Function<'_, '_>, row: &str| -> Vec<Val> {
            (0..width).map(|at| load_cell(f, row, part.cell + at, part.types[at])).collect()
        };
        let (before, own) = (cells(f, carry), cells(f, total));
        let seen_before = load_cell(f, carry, part.cell + width, ScalarType::Bool);
        let seen_own = load_cell(f, total, part.cell + width, ScalarType::Bool);
        let mut sum = match direction {
            Direction::Forward => f.combine(part.part, &before, &own),
            Direction::Backward => f.combine(part.part, &own, &before),
        };
        for at in 0..width {
            let with_own = f.emit.blend(&seen_own, &sum[at], &before[at]);
            sum[at] = f.emit.blend(&seen_before, &with_own, &own[at]);
        }
        for (at, val) in sum.iter().enumerate() {
            let name = f.emit.scalar(val);
            store_cell(f, into, part.cell + at, val.ty, &name);
        }
        let seen = f.emit.define(format_args!("or i1 {}, {}", seen_before.name, seen_own.name));
        store_cell(f, into, part.cell + width, ScalarType::Bool, &seen);
    }
}
