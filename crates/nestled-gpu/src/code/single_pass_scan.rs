//! Single-pass scans with decoupled look-back, on machines with warps: a workgroup to a tile, in the order in which they begin. See `look_back.rs`.
//!
//! A tile uses whatever earlier ones have published, so these are scans by exact monoids, and those of which any order is accepted.

use super::combine::States;
use super::entry::Shared;
use super::sizes::{Grid, Size};
use super::tile::{each_row, rows};
use super::writer::Writer;
use crate::text::Text;
use nestled_ir::{Combinator, Inclusion};

/// A scan during emission.
pub(super) struct SinglePass<'k> {
    /// The number of the pass.
    pub number: usize,
    /// The level of the groups.
    pub within: usize,
    /// The level of the points.
    pub level: usize,
    /// True if runs consist of values only, besides the flag of a head.
    pub values: bool,
    /// Words of a point's values.
    pub words: u64,
    /// The combinator.
    pub step: &'k Combinator,
    pub inclusion: Inclusion,
    /// The states of the monoid.
    pub states: &'k States,
}

impl SinglePass<'_> {
    /// Returns the number of points of a thread.
    fn items(&self) -> u32 {
        let flags = u64::from(self.within > 0) + u64::from(!self.values);
        rows(flags + self.words)
    }
}

impl Writer<'_> {
    /// Emits the entry of a scan.
    pub fn scan_in_warps(&mut self, scan: &SinglePass<'_>) {
        let SinglePass { number, within, level, values, states, .. } = *scan;
        let items = scan.items();
        let size = Size::Share { level, points: items * self.dialect.workgroup };
        let run = format!("Run{number}");
        let (flags, published) = self.published(size, states);
        let mut text = Text::default();
        text.line(format!("const i32 points = {};", self.points(level)));
        self.take_tile(&mut text, items, flags);
        self.narrow_orders(&mut text, scan);
        // Then the first byte of a run is a truth value.
        let flagged = within > 0 || !values;
        let earlier = format!(
            "return look_back<{flagged}, {run}>(words_at({flags}u), words_at({published}u), tile, total, join);"
        );
        self.write_rows(&mut text, scan, &earlier);
        let sums = [Shared { name: format!("sums{number}"), ty: run, len: self.warps() }];
        self.entry(&format!("pass{number}_write"), Grid::Groups(size), &sums, text);
    }

    /// Emits the narrowing of segment searches to the points of a tile.
    fn narrow_orders(&self, text: &mut Text, scan: &SinglePass<'_>) {
        let tile_points = scan.items() * self.dialect.workgroup;
        let order = |order: String| format!("element{}(min({order}, points - 1), points)", scan.number);
        let (first, last) = (
            order(format!("tile * {tile_points}")),
            order(format!("tile * {tile_points} + {}", tile_points - 1)),
        );
        self.narrow(text, scan.level, &first, &last);
    }

    /// Emits the scan of the points of a tile, and the store of each result.
    fn write_rows(&self, text: &mut Text, scan: &SinglePass<'_>, earlier: &str) {
        let SinglePass { number, within, values, .. } = *scan;
        let items = scan.items();
        text.line(format!("Run{number} rows[{items}];"));
        each_row(text, items);
        text.line(format!("rows[row] = Run{number}{{}};"));
        text.line(format!("if (order < points) {{ rows[row] = visit{number}(order, points); }}"));
        text.close();
        text.line(format!("bool heads[{items}], somes[{items}];"));
        each_row(text, items);
        if within > 0 {
            text.line("heads[row] = rows[row].head;");
        }
        if !values {
            text.line("somes[row] = rows[row].state.some;");
        }
        text.close();
        self.scan_tile(text, (number, items), &format!("sums{number}"), earlier);
        text.line(format!("Run{number} edge = Run{number}{{}};"));
        each_row(text, items);
        match scan.inclusion {
            Inclusion::Exclusive => self.run_before(text, number),
            Inclusion::Inclusive => text.line(format!("const Run{number} next = join(before, rows[row]);")),
        }
        text.open("if (order < points) {");
        text.line(format!("const i32 at = element{number}(order, points);"));
        let head = (within > 0).then_some("heads[row]");
        if values {
            self.store_values(text, scan, head);
        } else {
            self.store_scanned(text, (scan.step, scan.inclusion), scan.states, (head, "somes[row]"));
        }
        text.close();
        text.close();
    }

    /// Emits the store of a point's result, from the values of `run` (the exclusive prefix) or `next` (the inclusive prefix).
    fn store_values(&self, text: &mut Text, scan: &SinglePass<'_>, head: Option<&str>) {
        for (position, (&bind, repr)) in scan.step.binds.iter().zip(&scan.states.reprs).enumerate() {
            let value = match (scan.inclusion, head) {
                (Inclusion::Inclusive, _) => format!("next.v{position}"),
                (Inclusion::Exclusive, None) => format!("run.v{position}"),
                (Inclusion::Exclusive, Some(head)) => {
                    let (name, unit) = (repr.name(), &scan.states.unit[position]);
                    format!("select_{name}({head}, {unit}, run.v{position})")
                }
            };
            self.store_bind(text, bind, "at", &value);
        }
    }
}
