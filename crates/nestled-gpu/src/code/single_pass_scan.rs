//! Single-pass scans with decoupled look-back, on machines with warps: a workgroup to a tile, in the order in which they begin. See `look_back.rs`.
//!
//! A tile uses whatever earlier ones have published, so these are scans by exact monoids, and those of which any order is accepted.

use super::combine::States;
use super::entry::Shared;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::text::Text;
use nestled_ir::{Combinator, Inclusion, Monoid, ScalarType};
use nestled_rt::device::Math;

impl Writer<'_> {
    /// True if values of these types may be joined in any order.
    pub fn may_join_in_any_order(&self, monoid: &Monoid, types: &[ScalarType]) -> bool {
        self.dialect.math == Math::FastSums || self.is_exact(monoid, types)
    }

    /// True if every order of joining values of these types gives the same bits.
    pub fn is_exact(&self, monoid: &Monoid, types: &[ScalarType]) -> bool {
        let mut first = 0;
        monoid.parts.iter().all(|part| {
            let types = &types[first..];
            first += part.width(&self.program.monoids);
            part.is_exact(types, &self.program.monoids)
        })
    }

    /// Emits the entry of a scan.
    pub fn scan_in_warps(
        &mut self,
        number: usize,
        (within, level): (usize, usize),
        what: (&Combinator, Inclusion),
        states: &States,
    ) {
        let size = Size::Share { level, points: self.tile() };
        let run = format!("Run{number}");
        let (flags, values) = self.run_places(level, states);
        let mut text = Text::default();
        text.line(format!("const i32 points = {};", self.points(level)));
        self.take_tile(&mut text, flags);
        self.narrow_orders(&mut text, number, level);
        let earlier =
            format!("return look_back<{run}>(words_at({flags}u), words_at({values}u), tile, total, join);");
        self.write_rows(&mut text, (number, within > 0), &earlier, what, states);
        let sums = [self.sums(number)];
        self.entry(&format!("pass{number}_write"), Grid::Groups(size), &sums, text);
    }

    /// Emits the narrowing of segment searches to the points of a tile.
    fn narrow_orders(&self, text: &mut Text, number: usize, level: usize) {
        let tile_points = self.tile();
        let order = |order: String| format!("element{number}(min({order}, points - 1), points)");
        let (first, last) = (
            order(format!("tile * {tile_points}")),
            order(format!("tile * {tile_points} + {}", tile_points - 1)),
        );
        self.narrow(text, level, &first, &last);
    }

    /// Returns the shared array with the totals of warps.
    fn sums(&self, number: usize) -> Shared {
        Shared { name: format!("sums{number}"), ty: format!("Run{number}"), len: self.warps() }
    }

    /// Binds `rows`, the runs of the points of a thread.
    fn visit_rows(&self, text: &mut Text, number: usize) {
        let items = super::scan::ITEMS;
        text.line(format!("Run{number} rows[{items}];"));
        self.each_row(text);
        text.line(format!("rows[row] = Run{number}{{}};"));
        text.line(format!("if (order < points) {{ rows[row] = visit{number}(order, points); }}"));
        text.close();
    }

    /// Emits the scan of the points of a tile, and the store of each result.
    fn write_rows(
        &self,
        text: &mut Text,
        (number, segmented): (usize, bool),
        earlier: &str,
        what: (&Combinator, Inclusion),
        states: &States,
    ) {
        let items = super::scan::ITEMS;
        self.visit_rows(text, number);
        text.line(format!("bool heads[{items}], somes[{items}];"));
        self.each_row(text);
        if segmented {
            text.line("heads[row] = rows[row].head;");
        }
        text.line("somes[row] = rows[row].state.some;");
        text.close();
        self.scan_tile(text, number, &self.sums(number).name, earlier);
        text.line(format!("Run{number} edge = Run{number}{{}};"));
        self.each_row(text);
        match what.1 {
            Inclusion::Exclusive => self.run_before(text, number),
            Inclusion::Inclusive => text.line(format!("const Run{number} next = join(before, rows[row]);")),
        }
        text.open("if (order < points) {");
        text.line(format!("const i32 at = element{number}(order, points);"));
        let head = segmented.then_some("heads[row]");
        self.store_scanned(text, what, states, (head, "somes[row]"));
        text.close();
        text.close();
    }
}
