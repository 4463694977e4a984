//! Single-pass scans of the whole in the order that λcu prescribes, on machines with warps: a workgroup to a block, in the order in which they begin. See
//! `ordered_scan.rs` for the order.
//!
//! ```text
//! vectors   sixteen threads to a vector: what it comes to, in shared memory
//! running   one thread: what came before each vector in the block, and what the block comes to
//! carry     one warp: what came before the block, block by block from the nearest one that has published it
//! write     sixteen threads to a vector again: carry ∘ (running ∘ inside)
//! ```
//!
//! The points of a block are computed twice. Their operands are still in the caches the second time, so that memory is read once.
//!
//! Without a guard every point of the block takes part. Then states are known to be there where they are made, and only their values are passed on.

use super::entry::Shared;
use super::ordered_scan::{Ordered, WIDTH};
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::text::Text;
use nestled_ir::{Direction, Inclusion};

/// Points that a thread computes before it combines them.
const AHEAD: u32 = 4;

/// Workgroups of a multiprocessor, as far as states of one word do not spill: while one thread of a workgroup joins vectors, and while it waits for earlier ones, others compute.
const AT_ONCE: u32 = 5;
impl Writer<'_> {
    /// Emits the entry of a scan of the whole.
    pub fn scan_blocks(&mut self, scan: &Ordered<'_>) {
        let (number, ty) = (scan.number, &scan.blocks.ty);
        let size = Size::Share { level: scan.level, points: scan.block as u32 };
        let (flags, values) = self.published(size, &scan.blocks);
        let (totals, carried) = (format!("totals{number}"), format!("carried{number}"));
        if scan.step.guard.is_none() {
            self.write_values_up(scan);
        }
        let mut text = Text::default();
        self.take_block(&mut text, scan, flags);
        text.line(format!("{ty} states[{AHEAD}];"));

        self.visit_ahead(&mut text, scan);
        self.scan_vector(&mut text, scan);
        text.line(format!("if (lane == {} && vector < vectors) {{ {totals}[vector] = state; }}", WIDTH - 1));
        end_visit(&mut text);

        text.line(self.dialect.barrier());
        text.open("if (warp_id() == 0) {");
        text.line(format!("{ty} total = {ty}{{}};"));
        text.open("if (tid == 0u) {");
        let (place, first) = match scan.direction {
            Direction::Forward => ("k", "0"),
            Direction::Backward => ("vectors - 1 - k", "vectors - 1"),
        };
        let all = if scan.step.guard.is_none() { " vector.some = true;" } else { "" };
        text.line(format!(
            "auto load = [&](i32 k) {{ {ty} vector = {totals}[{place}];{all} return vector; }};"
        ));
        text.line(format!("auto store = [&](i32 k, const {ty}& state) {{ {totals}[{place}] = state; }};"));
        text.line(format!("total = exclusive_fold<{ty}>(vectors, load, store, join);"));
        text.close();
        text.line(format!(
            "const {ty} earlier = look_back_in_order<{ty}>(words_at({flags}u), words_at({values}u), tile, shuffle(total, 0), join);"
        ));
        text.line(format!("if (tid == 0u) {{ {carried}[0] = earlier; }}"));
        text.close();
        text.line(self.dialect.barrier());
        text.line(format!("const {ty} carry = {carried}[0];"));

        self.visit_ahead(&mut text, scan);
        text.line("const bool some = state.some;");
        self.scan_vector(&mut text, scan);
        if scan.inclusion == Inclusion::Exclusive {
            self.move_vector_up(&mut text, scan, 1, ["state = moved;", &format!("state = {ty}{{}};")]);
        }
        text.open("if (position < n) {");
        text.line(format!("{ty} running = {totals}[vector];"));
        if scan.step.guard.is_none() {
            text.line(format!("running.some = vector != {first};"));
        }
        text.line(format!("state = {};", scan.joined("running", "state")));
        text.line(format!("state = {};", scan.joined("carry", "state")));
        self.store_prefix(&mut text, scan);
        text.close();
        end_visit(&mut text);

        let vectors = scan.block as u32 / WIDTH;
        let shared =
            [(totals, vectors), (carried, 1)].map(|(name, len)| Shared { name, ty: ty.clone(), len });
        self.entry(&format!("pass{number}_write"), Grid::Groups(size), &shared, text);
        let entry = self.entries.last_mut().expect("it was just added");
        if scan.words == 1 {
            entry.at_once = AT_ONCE;
        }
    }

    /// Emits the function that moves the values of states up by some lanes.
    fn write_values_up(&mut self, scan: &Ordered<'_>) {
        let (ty, mut text) = (&scan.blocks.ty, Text::default());
        let params = [("state".to_owned(), ty.clone()), ("by".to_owned(), "i32".to_owned())];
        text.open(self.dialect.function(&format!("values_up{}", scan.number), &params, Some(ty)));
        let values = (0..scan.blocks.reprs.len()).map(|at| format!("shuffle_up(state.v{at}, by)"));
        let fields: Vec<String> = std::iter::once("true".to_owned()).chain(values).collect();
        text.line(format!("return {};", self.dialect.make(ty, &fields)));
        text.close();
        self.define(text.finish());
    }

    /// Emits the prefixes of a vector: each lane's `state` becomes that of the lanes up to it.
    fn scan_vector(&self, text: &mut Text, scan: &Ordered<'_>) {
        let joined = format!("state = {};", scan.joined("moved", "state"));
        for distance in [1, 2, 4, 8] {
            self.move_vector_up(text, scan, distance, [&joined, ""]);
        }
    }

    /// Emits the move of states up by some lanes, as `moved`, and what to do where there is one and where there is none.
    fn move_vector_up(&self, text: &mut Text, scan: &Ordered<'_>, distance: u32, used: [&str; 2]) {
        if scan.step.guard.is_some() {
            return self.move_up(text, "", distance, &scan.blocks, used);
        }
        let [reaches, beyond] = used;
        // The first lanes of a backward scan lie beyond the end.
        let is_there = match scan.direction {
            Direction::Forward => format!("lane >= {distance}"),
            Direction::Backward => format!("lane >= {distance} && position + {distance} < n"),
        };
        text.open("{");
        let (ty, number) = (&scan.blocks.ty, scan.number);
        text.line(format!("const {ty} moved = values_up{number}(state, {distance});"));
        text.line(format!("if ({is_there}) {{ {reaches} }} else {{ {beyond} }}"));
        text.close();
    }

    /// Binds the workgroup's block: its number `tile` in the order of the scan, its points from `begin` to `begin + size` of `n`, and its `vectors`.
    fn take_block(&self, text: &mut Text, scan: &Ordered<'_>, counter: u32) {
        let (ty, block) = (&scan.blocks.ty, scan.block);
        text.line("const i32 group_at = 0, origin = 0;");
        text.line(format!("const i32 n = count{}(0);", scan.number));
        text.line(format!("const i32 blocks = (n + {}) / {block};", block - 1));
        text.line(format!("const i32 tile = next_tile(counter({counter}u));"));
        text.line("if (tile >= blocks) { return; }");
        let place = match scan.direction {
            Direction::Forward => "tile",
            Direction::Backward => "(blocks - 1 - tile)",
        };
        text.line(format!("const i32 begin = {place} * {block};"));
        text.line(format!("const i32 size = min(n - begin, {block});"));
        text.line(format!("const i32 vectors = (size + {}) / {WIDTH};", WIDTH - 1));
        text.line(format!("const i32 lane = i32(tid) % {WIDTH};"));
        text.line(&scan.owner);
        let joined = scan.joined("a", "b");
        text.line(format!("auto join = [&](const {ty}& a, const {ty}& b) {{ return {joined}; }};"));
    }

    /// Begins the visit of the block's points, each with its `vector`, its `position` and its `state`. Some of them are computed before the first is visited.
    fn visit_ahead(&self, text: &mut Text, scan: &Ordered<'_>) {
        let workgroup = self.dialect.workgroup;
        let lane = match scan.direction {
            Direction::Forward => "lane".to_owned(),
            Direction::Backward => format!("{} - lane", WIDTH - 1),
        };
        let each = |text: &mut Text| {
            text.line("#pragma unroll");
            text.open(format!("for (i32 k = 0; k < {AHEAD}; k++) {{"));
            text.line(format!("const i32 vector = (first + k * {workgroup} + i32(tid)) / {WIDTH};"));
            text.line(format!("const i32 position = begin + vector * {WIDTH} + {lane};"));
        };
        text.open(format!("for (i32 first = 0; first < size; first += {}) {{", AHEAD * workgroup));
        each(text);
        text.line(format!("states[k] = {}{{}};", scan.blocks.ty));
        text.line(format!("if (position < n) {{ states[k] = {}; }}", scan.taken));
        if scan.step.guard.is_none() {
            text.line("states[k].some = true;");
        }
        text.close();
        each(text);
        text.line(format!("{} state = states[k];", scan.blocks.ty));
    }
}

/// Ends the visit of a point.
fn end_visit(text: &mut Text) {
    text.close();
    text.close();
}
