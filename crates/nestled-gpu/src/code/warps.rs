//! Scans on machines with warps.
//!
//! ```text
//! write    by a monoid of which every order gives the same, or where nobody minds: all at once, as `once.rs` says
//!
//! totals   by others: a workgroup to a tile, what it comes to
//! carry    one workgroup: what comes before each tile, so many tiles at a time as a tile has points
//! write    a workgroup to a tile again
//! ```
//!
//! The order in which the points of a tile are joined is the same in all of these, and fixed.

use super::combine::States;
use super::entry::Shared;
use super::module::Writer;
use super::sizes::{Grid, Size};
use crate::text::Text;
use nestled_ir::{Combinator, Inclusion, Monoid, ScalarType};
use nestled_rt::device::Math;

impl Writer<'_> {
    /// Whether it does not matter in which order values of these types are joined.
    pub fn may_look_back(&self, monoid: &Monoid, types: &[ScalarType]) -> bool {
        self.dialect.math == Math::FastSums || self.is_exact(monoid, types)
    }

    /// Whether every order of joining values of these types gives the same.
    fn is_exact(&self, monoid: &Monoid, types: &[ScalarType]) -> bool {
        let mut first = 0;
        monoid.parts.iter().all(|part| {
            let types = &types[first..];
            first += part.width(&self.program.monoids);
            part.is_exact(types, &self.program.monoids)
        })
    }

    /// The entries of a scan.
    pub fn scan_in_warps(
        &mut self,
        number: usize,
        (level, looks_back): (usize, bool),
        what: (&Combinator, Inclusion),
        states: &States,
    ) {
        let size = Size::Share { level, points: self.tile() };
        let points = self.points(level);
        let run = format!("Run{number}");
        if looks_back {
            let (flags, values) = self.run_places(level, states);
            let mut text = Text::default();
            text.line(format!("const i32 points = {points};"));
            self.take_tile(&mut text, flags);
            self.narrow_orders(&mut text, number, level, "tile");
            let earlier = format!(
                "return look_back<{run}>(words_at({flags}u), words_at({values}u), tile, total, join);"
            );
            self.write_rows(&mut text, number, &earlier, what, states);
            self.entry(
                &format!("pass{number}_write"),
                Grid::Groups(size),
                &[self.sums(number, "write")],
                text,
            );
            return;
        }
        let mut text = Text::default();
        text.line(format!("const i32 points = {points};"));
        self.first_of_warp(&mut text, "i32(wid)");
        self.narrow_orders(&mut text, number, level, "i32(wid)");
        self.visit_rows(&mut text, number);
        let store =
            format!("if (lane_id() == 0) {{ store_run{number}(i32(wid), total); }} return {run}{{}};");
        self.scan_tile(&mut text, number, &self.sums(number, "totals").name, &store);
        self.entry(
            &format!("pass{number}_totals"),
            Grid::GroupsIfMany(size),
            &[self.sums(number, "totals")],
            text,
        );
        self.carry_tiles(number, &points, size);
        let mut text = Text::default();
        text.line(format!("const i32 points = {points};"));
        self.first_of_warp(&mut text, "i32(wid)");
        self.narrow_orders(&mut text, number, level, "i32(wid)");
        let earlier = format!("if (wid == 0u) {{ return {run}{{}}; }} return load_run{number}(i32(wid));");
        self.write_rows(&mut text, number, &earlier, what, states);
        self.entry(&format!("pass{number}_write"), Grid::Groups(size), &[self.sums(number, "write")], text);
    }

    /// Makes the searches for the points of a tile short.
    fn narrow_orders(&self, text: &mut Text, number: usize, level: usize, tile: &str) {
        let tile_points = self.tile();
        let order = |order: String| format!("element{number}(min({order}, points - 1), points)");
        let (first, last) = (
            order(format!("{tile} * {tile_points}")),
            order(format!("{tile} * {tile_points} + {}", tile_points - 1)),
        );
        self.narrow(text, level, &first, &last);
    }

    /// What warps come to; one place is left over.
    fn sums(&self, number: usize, entry: &str) -> Shared {
        Shared { name: format!("{entry}_sums{number}"), ty: format!("Run{number}"), len: self.warps() + 1 }
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

    /// The lines that visit the points of a tile, and write what each gets.
    fn write_rows(
        &self,
        text: &mut Text,
        number: usize,
        earlier: &str,
        what: (&Combinator, Inclusion),
        states: &States,
    ) {
        let items = super::scan::ITEMS;
        self.visit_rows(text, number);
        text.line(format!("bool heads[{items}], somes[{items}];"));
        self.each_row(text);
        text.line("heads[row] = rows[row].head;");
        text.line("somes[row] = rows[row].state.some;");
        text.close();
        self.scan_tile(text, number, &self.sums(number, "write").name, earlier);
        text.line(format!("Run{number} edge = Run{number}{{}};"));
        self.each_row(text);
        match what.1 {
            Inclusion::Exclusive => self.run_before(text, number),
            Inclusion::Inclusive => text.line(format!("const Run{number} next = join(before, rows[row]);")),
        }
        text.open("if (order < points) {");
        text.line(format!("const i32 at = element{number}(order, points);"));
        self.store_scanned(text, what, states, ("heads[row]", "somes[row]"));
        text.close();
        text.close();
    }

    fn carry_tiles(&mut self, number: usize, points: &str, size: Size) {
        let (run, items, chunk) = (format!("Run{number}"), super::scan::ITEMS, self.tile());
        let (sums, left_over) = (self.sums(number, "carry"), self.warps());
        let mut text = Text::default();
        text.line(format!("const i32 tiles = ({points}) / {chunk} + 1;"));
        text.line(format!("if (tid == 0u) {{ {}[{left_over}] = {run}{{}}; }}", sums.name));
        text.open(format!("for (i32 chunk = 0; chunk * {chunk} < tiles; chunk++) {{"));
        self.first_of_warp(&mut text, "chunk");
        text.line(format!("{run} rows[{items}];"));
        self.each_row(&mut text);
        text.line(format!("rows[row] = {run}{{}};"));
        text.line(format!("if (order < tiles) {{ rows[row] = load_run{number}(order); }}"));
        text.close();
        let edge = format!("{}[{left_over}]", sums.name);
        let earlier = format!(
            "const {run} earlier = {edge}; __syncwarp(); if (lane_id() == 0) {{ {edge} = join(earlier, total); }} return earlier;"
        );
        self.scan_tile(&mut text, number, &sums.name, &earlier);
        text.line(format!("{run} edge = {run}{{}};"));
        self.each_row(&mut text);
        self.run_before(&mut text, number);
        text.line(format!("if (order < tiles) {{ store_run{number}(order, run); }}"));
        text.close();
        text.close();
        self.entry(&format!("pass{number}_carry"), Grid::OneIfMany(size), &[sums], text);
    }
}
