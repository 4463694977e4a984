//! Reductions, in the order that λcu prescribes, so that bits do not depend on the device.
//!
//! ```text
//! tiles    sixteen threads to a tile of 4096 positions of a group; each takes its lane, then lanes are joined in pairs
//! join     a workgroup to a group of several tiles: neighbours are joined, then neighbours of those
//! end      a thread to a group: the state of its first tile, or the unit
//! ```
//!
//! For exact monoids on machines with warps, a lane takes four neighbours at a time, so that four loads become one.
//!
//! On machines with warps, a reduction of the whole is a single entry, in which the last workgroup does the rest; `rows.rs` has reductions of several
//! groups, and `reduce_across.rs` those of columns. Where tiles store their states, `places.rs` says.

use super::Unsupported;
use super::combine::States;
use super::element::Element;
use super::entry::Shared;
use super::sizes::{Grid, Size, When};
use super::vectorise::{are_aligned, assume_aligned};
use super::writer::Writer;
use crate::plan::{self, Groups, Pass, REST, Reduce};
use crate::text::Text;
use nestled_ir::reduction_order::{self, SHORT, TILE};
use nestled_ir::{Combinator, Monoid};

/// Lanes of a tile, as a number of threads.
pub(super) const LANES: u32 = reduction_order::LANES as u32;
/// A group of more tiles is joined by a whole workgroup instead of a warp.
const MANY_TILES: u32 = 256;

/// A reduction during emission.
pub(super) struct Reduction<'k> {
    /// The number of the pass.
    pub number: usize,
    /// The level of the groups.
    pub to: usize,
    /// The level of the points.
    pub level: usize,
    /// Whether the monoid commutes. If so, a lane takes every sixteenth position of a tile; otherwise a contiguous block.
    pub commutes: bool,
    /// The number of points that a lane takes at once.
    pub pace: Pace,
    /// The combinator.
    pub step: &'k Combinator,
    /// The element function.
    pub element: Element,
    /// The states of the monoid.
    pub states: States,
}

/// The number of points that a lane takes at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// One point.
    Single,
    /// Several points, loaded before they are joined.
    Ahead(u32),
    /// The same with four neighbours in one load, for exact monoids. The words hold the addresses that must be multiples of 16.
    Fours(u32, Vec<u32>),
}

impl Writer<'_> {
    /// Emits a pass that reduces.
    pub fn reduce_pass(
        &mut self,
        number: usize,
        pass: &Pass,
        step: &Combinator,
        (to, monoid, reduce): (usize, &Monoid, &Reduce),
    ) -> Result<(), Unsupported> {
        let Reduce { groups, commutes, pace, across } = *reduce;
        let pace = match pace {
            plan::Pace::Single => Pace::Single,
            plan::Pace::Ahead(points) => Pace::Ahead(points),
            plan::Pace::Fours(times) => Pace::Fours(times, self.addresses(pass)),
        };
        let element = self.element(number, pass, false)?;
        let size = Size::Tiles { to, level: pass.level, points: TILE as u32 };
        let states = self.states(number, monoid, &element, size)?;
        self.write_places(number, to, pass.level);
        let what = Reduction { number, to, level: pass.level, commutes, pace, step, element, states };
        match groups {
            Groups::Worklist => {
                let before = self.entries.len();
                self.rows_in_warps(&what);
                if across {
                    self.reduce_across(&what, before);
                }
            }
            Groups::Whole | Groups::Tiles => self.tiles(&what, groups),
        }
        let Reduction { states, .. } = what;
        if groups != Groups::Whole {
            self.join_tiles(number, to, pass.level, step, &states);
        }
        if groups == Groups::Tiles {
            self.end_groups(number, to, step, &states);
        }
        Ok(())
    }

    /// Emits the functions on groups and the places of their tiles.
    fn write_places(&mut self, number: usize, to: usize, level: usize) {
        let mut text = Text::default();
        let (place, group_of) = (format!("place{number}"), format!("group_of{number}"));
        self.write_first_and_count(&mut text, number, (to, level));
        self.write_place(&mut text, number, (&place, TILE));
        text.open(self.dialect.function(
            &format!("n_tiles{number}"),
            &[("n".into(), "i32".into())],
            Some("i32"),
        ));
        text.line(format!("if (n <= {SHORT}) {{ return 1; }}"));
        text.line(format!("return (n + {}) / {TILE};", TILE - 1));
        text.close();
        self.write_group_of(&mut text, to, (&group_of, &place));
        self.define(text.finish());
    }

    fn tiles(&mut self, what: &Reduction<'_>, groups: Groups) {
        let Reduction { number, to, level, commutes, ref pace, step, ref element, ref states } = *what;
        let locate = self.locate(level);
        let (lanes, dialect) = (format!("lanes{number}"), self.dialect);
        let mut text = Text::default();
        self.thread(&mut text);
        text.line(dialect.constant("place", "i32", &format!("at / {LANES}")));
        text.line(dialect.constant("lane", "i32", &format!("at % {LANES}")));
        text.line(dialect.constant("group_at", "i32", &format!("group_of{number}(place)")));
        text.line(dialect.variable("state", &states.ty, None));
        text.line(dialect.variable("used", "bool", Some("false")));
        text.open(format!("if (group_at < {}) {{", self.points(to)));
        text.line(dialect.constant("origin", "i32", &format!("first{number}(group_at)")));
        text.line(dialect.constant("n", "i32", &format!("count{number}(group_at)")));
        text.line(dialect.constant("tile", "i32", &format!("place - place{number}(group_at)")));
        text.line(format!("used = tile >= 0 && tile < n_tiles{number}(n);"));
        text.open("if (used) {");
        let taken = |at: &str| format!("{}({}({locate}({at})))", states.of, element.name);
        self.fold_tile(&mut text, (commutes, pace), states, taken);
        text.close();
        text.close();
        text.line(format!("{lanes}[tid] = state;"));
        text.line(dialect.barrier());
        self.join_lanes(&mut text, commutes, &lanes, states, dialect.barrier());
        if groups == Groups::Whole {
            self.end_whole(&mut text, number, &lanes, step, states);
        } else {
            text.line(format!("if (lane == 0 && used) {{ {}(place, {lanes}[tid]); }}", states.store));
        }
        let shared = [Shared { name: lanes, ty: states.ty.clone(), len: dialect.workgroup }];
        let grid = Grid::Threads { of: Size::Tiles { to, level, points: TILE as u32 }, per: LANES };
        self.entry(&format!("pass{number}_tiles"), grid, &shared, text);
    }

    /// Emits the fold of a lane's points of `tile`, in a group of `n`, into `state`.
    pub fn fold_tile(
        &self,
        text: &mut Text,
        (commutes, pace): (bool, &Pace),
        states: &States,
        taken: impl Fn(&str) -> String,
    ) {
        if let Pace::Fours(ahead, addresses) = pace {
            let places: Vec<String> = addresses.iter().map(|word| format!("address({word}u)")).collect();
            text.open(format!("if (n > {SHORT} && {}) {{", are_aligned(&places)));
            fold_fours(text, *ahead, addresses, states, &taken);
            text.otherwise();
        }
        let dialect = self.dialect;
        text.line(dialect.variable("position", "i32", Some("0")));
        text.line(dialect.variable("end", "i32", Some("n")));
        text.line(dialect.variable("stride", "i32", Some("1")));
        text.open(format!("if (n <= {SHORT}) {{"));
        text.line("if (lane > 0) { end = 0; }");
        text.otherwise();
        text.line(dialect.constant("begin", "i32", &format!("tile * {TILE}")));
        text.line(dialect.constant("size", "i32", &format!("min(n - begin, {TILE})")));
        if commutes {
            text.line("position = begin + lane;");
            text.line("end = begin + size;");
            text.line(format!("stride = {LANES};"));
        } else {
            text.line(dialect.constant("block", "i32", &format!("(size + {}) / {LANES}", LANES - 1)));
            text.line("position = begin + lane * block;");
            text.line("end = min(position + block, begin + size);");
        }
        text.close();
        if let &Pace::Ahead(ahead) = pace {
            // The loads of several points are in flight at the same time.
            text.open(format!(
                "for (; position + {} * stride < end; position += {ahead} * stride) {{",
                ahead - 1
            ));
            text.line(format!("{} next[{ahead}];", states.ty));
            text.line("#pragma unroll");
            let fetched = taken("origin + position + k * stride");
            text.line(format!("for (i32 k = 0; k < {ahead}; k++) {{ next[k] = {fetched}; }}"));
            text.line("#pragma unroll");
            text.line(format!(
                "for (i32 k = 0; k < {ahead}; k++) {{ state = {}(state, next[k]); }}",
                states.join
            ));
            text.close();
        }
        self.fold_rest(text, pace, states, ("position", "end", "stride"), |at| {
            taken(&format!("origin + {at}"))
        });
        if let Pace::Fours(..) = pace {
            text.close();
        }
    }

    /// Emits the fold of the points from `position` to `end` into `state`: some are loaded before the first is joined, if thunks are cheap.
    pub fn fold_rest(
        &self,
        text: &mut Text,
        pace: &Pace,
        states: &States,
        (position, end, stride): (&str, &str, &str),
        taken: impl Fn(&str) -> String,
    ) {
        let join = &states.join;
        if *pace == Pace::Single {
            text.open(format!("while ({position} < {end}) {{"));
            text.line(format!("state = {join}(state, {});", taken(position)));
            text.line(format!("{position} = {position} + {stride};"));
            return text.close();
        }
        let next = format!("{position} + k * {stride}");
        text.open(format!("for (; {position} < {end}; {position} += {REST} * {stride}) {{"));
        text.line(format!("{} next[{REST}];", states.ty));
        text.line("#pragma unroll");
        text.open(format!("for (i32 k = 0; k < {REST}; k++) {{"));
        // The last point once more, where there are fewer: a branch would let each load wait for the one before.
        text.line(format!("next[k] = {};", taken(&format!("min({next}, {end} - 1)"))));
        text.line(format!("next[k].some = next[k].some && {next} < {end};"));
        text.close();
        text.line("#pragma unroll");
        text.line(format!("for (i32 k = 0; k < {REST}; k++) {{ state = {join}(state, next[k]); }}"));
        text.close();
    }

    /// Emits the joining of the lanes of tiles, whose states are in shared memory.
    pub fn join_lanes(&self, text: &mut Text, commutes: bool, lanes: &str, states: &States, wait: &str) {
        for round in 0..4 {
            let (distance, takes) = if commutes {
                (8 >> round, format!("lane < {}", 8 >> round))
            } else {
                (1 << round, format!("lane % {} == 0", 2 << round))
            };
            text.line(format!(
                "if ({takes}) {{ {lanes}[tid] = {}({lanes}[tid], {lanes}[tid + {distance}u]); }}",
                states.join
            ));
            text.line(wait);
        }
    }

    /// Emits the end of a reduction of the whole: each workgroup joins its own tiles, and the last workgroup to finish joins those of all.
    fn end_whole(&self, text: &mut Text, number: usize, lanes: &str, step: &Combinator, states: &States) {
        let (load, join, store) = (&states.load, &states.join, &states.store);
        let units = self.dialect.workgroup / LANES;
        text.line(format!("const i32 tiles = n_tiles{number}(count{number}(0));"));
        let mut by = 1;
        while by < units {
            text.line(format!(
                "if (tid % {}u == 0u && place + {by} < tiles) {{ {lanes}[tid] = {join}({lanes}[tid], {lanes}[tid + {}u]); }}",
                2 * by * LANES,
                by * LANES
            ));
            text.line(self.dialect.barrier());
            by *= 2;
        }
        text.line(format!("const i32 blocks = (tiles + {}) / {units};", units - 1));
        text.line("if (i32(wid) >= blocks) { return; }");
        text.open("if (blocks > 1) {");
        text.line(format!("if (tid == 0u) {{ {store}(i32(wid), {lanes}[0]); }}"));
        text.line(format!("if (!is_last_block(counter({}u), u32(blocks))) {{ return; }}", states.words[0]));
        text.open("for (i32 step = 1; step < blocks; step *= 2) {");
        let stride = 2 * self.dialect.workgroup;
        text.open(format!(
            "for (i32 left = i32(tid) * 2 * step; left + step < blocks; left += {stride} * step) {{"
        ));
        text.line(format!("{store}(left, {join}({load}(left), {load}(left + step)));"));
        text.close();
        text.line(self.dialect.barrier());
        text.close();
        text.line(format!("if (tid == 0u) {{ {lanes}[0] = {load}(0); }}"));
        text.close();
        text.open("if (tid == 0u) {");
        self.store_reduced(text, step, states, (&format!("{lanes}[0]"), "0"));
        text.close();
    }

    /// Emits the store of a group's result, or of the unit.
    pub fn store_reduced(
        &self,
        text: &mut Text,
        step: &Combinator,
        states: &States,
        (state, at): (&str, &str),
    ) {
        for (position, (&bind, repr)) in step.binds.iter().zip(&states.reprs).enumerate() {
            let unit = &states.unit[position];
            let value = format!("select_{}({state}.some, {state}.v{position}, {unit})", repr.name());
            self.store_bind(text, bind, at, &value);
        }
    }

    fn join_tiles(&mut self, number: usize, to: usize, level: usize, ended: &Combinator, states: &States) {
        if self.has_warps() {
            return self.join_tiles_in_warps(number, to, level, ended, states);
        }
        let dialect = self.dialect;
        let mut text = Text::default();
        text.line(dialect.constant("element", "i32", &format!("i32(wid) * {TILE}")));
        self.elect(&mut text, number, (to, level), "i32(wid)");
        text.line(dialect.variable("step", "i32", Some("1")));
        // WGSL requires uniform control flow at barriers.
        text.open(format!("while (step <= points / {TILE}) {{"));
        text.line(dialect.variable("left", "i32", Some("i32(tid) * 2 * step")));
        text.open("while (left + step < tiles) {");
        let (load, join, store) = (&states.load, &states.join, &states.store);
        text.line(format!(
            "{store}(begin + left, {join}({load}(begin + left), {load}(begin + left + step)));"
        ));
        text.line(format!("left = left + {} * step;", 2 * dialect.workgroup));
        text.close();
        text.line("step = step * 2;");
        text.line(dialect.barrier());
        text.close();
        let grid = Grid::GroupsIfMany(Size::Share { level, points: TILE as u32 });
        self.entry(&format!("pass{number}_join"), grid, &[], text);
    }

    /// Emits the binding of the group, if any, that owns the multiple `place` of the size of a tile, which is `element`: where its states `begin`, its number of
    /// `tiles`, and the group `joined`.
    fn elect(&mut self, text: &mut Text, number: usize, (to, level): (usize, usize), place: &str) {
        let (dialect, locate) = (self.dialect, self.locate(level));
        text.line(dialect.constant("points", "i32", &self.points(level)));
        text.line(dialect.variable("begin", "i32", Some("0")));
        text.line(dialect.variable("tiles", "i32", Some("0")));
        text.line(dialect.variable("joined", "i32", Some("0")));
        text.open("if (element < points) {");
        let owner = if to == 0 { dialect.small(0) } else { format!("{locate}(element).a{to}") };
        text.line(dialect.constant("group_at", "i32", &owner));
        text.line(dialect.constant("origin", "i32", &format!("first{number}(group_at)")));
        // The first multiple of the tile size inside the group elects one.
        text.open(format!("if ((origin + {}) / {TILE} == {place}) {{", TILE - 1));
        text.line(format!("begin = place{number}(group_at);"));
        text.line(format!("tiles = n_tiles{number}(count{number}(group_at));"));
        text.line("joined = group_at;");
        text.close();
        text.close();
    }

    /// Emits the joining with a warp to a group; the whole workgroup joins groups of many tiles.
    fn join_tiles_in_warps(
        &mut self,
        number: usize,
        to: usize,
        level: usize,
        ended: &Combinator,
        states: &States,
    ) {
        let (warps, workgroup) = (self.warps(), self.dialect.workgroup);
        let (load, join, store) = (&states.load, &states.join, &states.store);
        let (begins, many) = (format!("begins{number}"), format!("many{number}"));
        let joins = |text: &mut Text, [thread, begin, tiles]: [&str; 3], threads: u32, wait: &str| {
            text.open(format!("for (i32 step = 1; step < {tiles}; step *= 2) {{"));
            let next = format!("left += {} * step", 2 * threads);
            text.open(format!("for (i32 left = {thread} * 2 * step; left + step < {tiles}; {next}) {{"));
            text.line(format!(
                "{store}({begin} + left, {join}({load}({begin} + left), {load}({begin} + left + step)));"
            ));
            text.close();
            text.line(wait);
            text.close();
        };
        let mut text = Text::default();
        text.line(format!("const i32 place = i32(wid) * {warps} + warp_id(), element = place * {TILE};"));
        self.elect(&mut text, number, (to, level), "place");
        text.line(format!("const bool is_long = tiles > {MANY_TILES};"));
        text.line(format!(
            "if (lane_id() == 0) {{ {begins}[warp_id()] = begin; {many}[warp_id()] = is_long ? tiles : 0; }}"
        ));
        text.open("if (!is_long) {");
        joins(&mut text, ["lane_id()", "begin", "tiles"], 32, "__syncwarp();");
        text.close();
        text.line("__syncthreads();");
        text.open(format!("for (i32 warp = 0; warp < {warps}; warp++) {{"));
        let (begin, tiles) = (format!("{begins}[warp]"), format!("{many}[warp]"));
        joins(&mut text, ["i32(tid)", &begin, &tiles], workgroup, "__syncthreads();");
        text.close();
        text.open("if (lane_id() == 0 && tiles > 1) {");
        text.line(format!("const {} state = {load}(begin);", states.ty));
        self.store_reduced(&mut text, ended, states, ("state", "joined"));
        text.close();
        let tiles = Size::Share { level, points: TILE as u32 };
        let shared = [begins, many].map(|name| Shared { name, ty: "i32".to_owned(), len: warps });
        self.entry(&format!("pass{number}_join"), Grid::Threads { of: tiles, per: 32 }, &shared, text);
        let entry = self.entries.last_mut().expect("it was just added");
        entry.when = When::AtLeast(tiles, 2);
    }

    fn end_groups(&mut self, number: usize, to: usize, step: &Combinator, states: &States) {
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < {}) {{", self.points(to)));
        let load = format!("{}(place{number}(at))", states.load);
        text.line(self.dialect.variable("state", &states.ty, Some(&load)));
        self.store_reduced(&mut text, step, states, ("state", "at"));
        text.close();
        let grid = Grid::Threads { of: Size::Level(to), per: 1 };
        self.entry(&format!("pass{number}_end"), grid, &[], text);
    }
}

/// Emits the fold of a tile four neighbours at a time: first those before a multiple of four, then four for each lane in turn.
fn fold_fours(
    text: &mut Text,
    ahead: u32,
    addresses: &[u32],
    states: &States,
    taken: &impl Fn(&str) -> String,
) {
    let (join, round) = (&states.join, 4 * LANES);
    assume_aligned(text, addresses);
    text.line(format!("const i32 first = origin + tile * {TILE};"));
    text.line(format!("const i32 last = first + min(n - tile * {TILE}, {TILE});"));
    text.line("const i32 before = min(-first & 3, last - first);");
    text.line(format!("if (lane < before) {{ state = {}; }}", taken("first + lane")));
    // Quarters, so that what is four times one is plainly a multiple of four.
    // Upwards, where the tile ends before there is one.
    text.line("i32 four = (first + before + 3) / 4 + lane;");
    for ahead in [ahead, 1] {
        let least = round * (ahead - 1) + 3;
        text.open(format!("for (; 4 * four + {least} < last; four += {}) {{", LANES * ahead));
        text.line(format!("{} next[{}];", states.ty, 4 * ahead));
        text.line("#pragma unroll");
        let fetched = taken(&format!("(four + k / 4 * {LANES}) * 4 + k % 4"));
        text.line(format!("for (i32 k = 0; k < {}; k++) {{ next[k] = {fetched}; }}", 4 * ahead));
        text.line("#pragma unroll");
        text.line(format!("for (i32 k = 0; k < {}; k++) {{ state = {join}(state, next[k]); }}", 4 * ahead));
        text.close();
    }
    text.line(format!(
        "for (i32 at = 4 * four; at < last; at++) {{ state = {join}(state, {}); }}",
        taken("at")
    ));
}
