//! Single-pass scans and counts with decoupled look-back, on machines whose workgroups may wait for earlier ones.
//!
//! ```text
//! write    a workgroup to a tile, in the order in which they begin: it publishes the total of the tile, combines what earlier tiles have
//!          published into the prefix before the tile, and then writes its points
//! ```
//!
//! A thread takes every 32nd point of its warp, so that neighbouring threads access neighbouring places. The progress of earlier tiles is
//! nondeterministic: counts and values are taken from the earlier tile that has published the longest prefix.

use super::combine::States;
use super::filter::Counting;
use super::module::Scratch;
use super::sizes::Size;
use super::tile::each_row;
use super::writer::Writer;
use crate::text::Text;

impl Writer<'_> {
    /// True if there are warps, and workgroups may wait for each other.
    pub fn has_warps(&self) -> bool {
        self.dialect.has_warps()
    }

    /// Returns the number of warps of a workgroup.
    pub fn warps(&self) -> u32 {
        self.dialect.workgroup / 32
    }

    /// Binds `tile`, the number of the tile that the workgroup takes, and `first`, the first point of the thread.
    pub fn take_tile(&self, text: &mut Text, items: u32, counter: u32) {
        let (points, warp) = (items * self.dialect.workgroup, 32 * items);
        text.line(format!("const i32 tile = next_tile(counter({counter}u));"));
        text.line(format!("const i32 first = tile * {points} + warp_id() * {warp} + lane_id();"));
    }

    /// Allocates the memory in which tiles publish their counts.
    pub fn count_places(&mut self, counting: &Counting) -> u32 {
        let size = Size::Share { level: counting.level, points: counting.tile };
        self.take(Scratch { size, words: counting.classes, ones: true })
    }

    /// Begins the entry that visits each point `at` as `own`, with the `counts` of the points before it.
    pub fn visit_tile_once(&self, text: &mut Text, counting: &Counting, tiles: u32) {
        let (number, classes) = (counting.number, counting.classes);
        text.line(format!("const i32 points = {};", self.points(counting.level)));
        let (tile, items) = (counting.tile, counting.tile / self.dialect.workgroup);
        self.take_tile(text, items, tiles);
        let last = format!("tile * {tile} + {}", tile - 1);
        self.narrow(text, counting.level, &format!("tile * {tile}"), &last);
        text.line(format!("{} items[{items}];", counting.classified));
        text.line(format!("Counts{number} counts = {{}};"));
        each_row(text, items);
        text.line("items[row].class_at = -1;");
        text.line(format!("if (order < points) {{ items[row] = {}(order); }}", counting.classify));
        text.close();
        // Votes are in a loop of their own, so that the loads of all rows are in flight at the same time.
        each_row(text, items);
        for class in 0..classes {
            text.line(format!(
                "counts.n{class} += __popc(__ballot_sync(ALL_LANES, items[row].class_at == {class}));"
            ));
        }
        text.close();
        text.line(format!("if (lane_id() == 0) {{ befores{number}[warp_id()] = counts; }}"));
        text.line(self.dialect.barrier());
        let warps = self.warps();
        for class in 0..classes {
            // Classes are assigned to different warps, so that their look-backs wait concurrently.
            text.open(format!("if (warp_id() == {}) {{", class % u64::from(warps)));
            text.line("i32 own = 0;");
            text.line(format!("if (lane_id() < {warps}) {{ own = befores{number}[lane_id()].n{class}; }}"));
            text.line("const i32 upto = scan_warp(own, [](i32 a, i32 b) { return a + b; });");
            text.line(format!(
                "const i32 before = look_back_count(words_at({tiles}u) + {class}, tile, {classes}, shuffle(upto, 31));"
            ));
            text.line(format!(
                "if (lane_id() < {warps}) {{ befores{number}[lane_id()].n{class} = before + upto - own; }}"
            ));
            text.close();
        }
        text.line(self.dialect.barrier());
        text.line(format!("Counts{number} next = befores{number}[warp_id()];"));
        text.line("const u32 earlier = (1u << (tid % 32u)) - 1u;");
        each_row(text, items);
        text.line("const i32 at = order;");
        text.line(format!("const {} own = items[row];", counting.classified));
        text.line(format!("Counts{number} counts = next;"));
        for class in 0..classes {
            text.open("{");
            text.line(format!("const u32 votes = __ballot_sync(ALL_LANES, own.class_at == {class});"));
            text.line(format!("counts.n{class} += __popc(votes & earlier);"));
            text.line(format!("next.n{class} += __popc(votes);"));
            text.close();
        }
        text.open("if (at < points) {");
    }

    /// Ends the visit of a point. The lines that follow run once, with the `total`.
    pub fn end_visit_once(&self, text: &mut Text, counting: &Counting) {
        text.close();
        text.close();
        text.line(format!("const Counts{} total = next;", counting.number));
        // The warp of the last point knows the total; without points the first one does.
        let warp = counting.tile / self.warps();
        let last = format!("first < points && points <= first + {warp}");
        text.open(format!("if (lane_id() == 0 && (({last}) || (points == 0 && first == 0))) {{"));
    }

    /// Emits the scan of a tile. `rows` become the inclusive prefixes within the warp, and `before` the prefix before the warp. The parameter
    /// `before` is the expression of the prefix before the tile; it sees the tile's total as `total`.
    pub fn scan_tile(&self, text: &mut Text, (number, items): (usize, u32), shared: &str, before: &str) {
        let (run, warps) = (format!("Run{number}"), self.warps());
        text.line(format!(
            "auto join = [&](const {run}& a, const {run}& b) {{ return join_runs{number}(a, b); }};"
        ));
        text.line(format!(
            "const {run} before = scan_tile<{items}, {warps}>(rows, {shared}, join, [&](const {run}& total) {{ {before} }});"
        ));
    }

    /// Binds `run`, the exclusive prefix of a row's point, from `rows`. `edge` holds the total of the warp's earlier rows.
    pub fn run_before(&self, text: &mut Text, number: usize) {
        text.line(format!("Run{number} prior = shuffle_up(rows[row], 1);"));
        text.line("if (lane_id() == 0) { prior = edge; }");
        text.line("edge = shuffle(rows[row], 31);");
        text.line(format!("const Run{number} run = join(before, prior);"));
    }

    /// Allocates the flags of tiles, two words for each, and memory for two runs or states for each.
    pub fn published(&mut self, size: Size, states: &States) -> (u32, u32) {
        let flags = self.take(Scratch { size, words: 2, ones: true });
        // The flags of a run and a state take at most eight bytes each, as does a value.
        let words = 2 * (4 + 2 * states.reprs.len() as u64);
        (flags, self.take_scratch(size, words))
    }
}
