//! Scans whose order shows in the result, in the order that λcu prescribes: prefixes restart in each block of a group, and what came before the block is
//! combined last.
//!
//! By built-in operations, blocks consist of vectors of 16 positions:
//!
//! ```text
//! vectors  sixteen threads to a vector of a group: what it comes to
//! blocks   a thread to a block: what came before each of its vectors in the block, and what the block comes to
//! carry    a thread to a group of several blocks: what came before each block
//! write    sixteen threads to a vector again: carry ∘ (running ∘ inside)
//! ```
//!
//! By monoids of the program they do not, and one thread takes the points of a block one after another:
//!
//! ```text
//! blocks   a thread to a block of a group of several: what it comes to
//! carry    as above
//! write    a thread to a block again: carry ∘ running
//! ```
//!
//! On machines with warps a scan in vectors of the whole is a single entry instead, `single_pass_ordered_scan.rs`.
//!
//! Where vectors and blocks store their states, `places.rs` says. Groups of one vector, or of one block, store none. A backward scan has the same vectors
//! and blocks, which it visits from the last to the first.

use super::Unsupported;
use super::combine::States;
use super::element::Element;
use super::entry::Shared;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::Scan;
use crate::text::Text;
use nestled_ir::reduction_order::{LANES, SCAN_BLOCK, SCAN_BLOCK_OF_POINTS};
use nestled_ir::{Combinator, CombinatorKind, Direction, Inclusion};

/// Positions of a vector, each with its thread.
pub(super) const WIDTH: u32 = LANES as u32;
/// States that a thread loads before it combines them.
const AHEAD: u32 = 16;

/// A scan during emission.
pub(super) struct Ordered<'k> {
    /// The number of the pass.
    pub number: usize,
    /// The level of the groups.
    pub to: usize,
    /// The level of the points.
    pub level: usize,
    pub inclusion: Inclusion,
    pub direction: Direction,
    /// The combinator.
    pub step: &'k Combinator,
    /// Words of a point's values.
    pub words: u64,
    /// Positions of a block.
    pub block: u64,
    /// The states of the monoid, with access to those of blocks.
    pub blocks: States,
    /// The binding of `owner`, the group, and the state of its `position`.
    pub owner: String,
    pub taken: String,
}

impl Ordered<'_> {
    /// Returns the expression of two states combined, of which the scan visits `earlier` first.
    pub fn joined(&self, earlier: &str, later: &str) -> String {
        match self.direction {
            Direction::Forward => format!("{}({earlier}, {later})", self.blocks.join),
            Direction::Backward => format!("{}({later}, {earlier})", self.blocks.join),
        }
    }

    /// Returns the place, among `size` from `begin` on, that the scan visits after `step` others.
    fn visited(&self, begin: &str, size: &str, step: &str) -> String {
        match self.direction {
            Direction::Forward => format!("{begin} + {step}"),
            Direction::Backward => format!("{begin} + {size} - 1 - {step}"),
        }
    }

    /// Returns the number of tiles of that many points that groups have.
    fn tiles(&self, points: u64) -> Size {
        let points = points as u32;
        match self.to {
            0 => Size::Share { level: self.level, points },
            to => Size::Tiles { to, level: self.level, points },
        }
    }
}

impl Writer<'_> {
    /// Emits the entries of a scan in vectors, or of one in points.
    pub fn ordered_scan(
        &mut self,
        number: usize,
        element: &Element,
        (step, order): (&Combinator, Scan),
    ) -> Result<(), Unsupported> {
        let CombinatorKind::Scan { within, ref monoid, inclusion, direction } = step.kind else {
            unreachable!("the combinator is a scan")
        };
        let (to, level) = (within.0, step.level().0);
        let block = if order == Scan::Points { SCAN_BLOCK_OF_POINTS } else { SCAN_BLOCK };
        let size = Size::Tiles { to, level, points: block as u32 };
        let blocks = self.states(number, monoid, element, size)?;
        let (group, child) = (self.locate(to), self.child(to, level));
        let owner = self.dialect.constant("owner", &self.point_type(to), &format!("{group}(group_at)"));
        let taken = format!("{}({}({child}(owner, origin + position, origin)))", blocks.of, element.name);
        let words = element.words();
        let scan =
            Ordered { number, to, level, inclusion, direction, step, words, block, blocks, owner, taken };
        self.write_groups(&scan);
        match order {
            Scan::VectorsInOneSweep => self.scan_blocks(&scan),
            Scan::Vectors => {
                let size = Size::Tiles { to, level, points: WIDTH };
                let vectors =
                    self.more_states(&scan.blocks, &format!("vector{number}"), &element.types, size);
                self.write_vectors(&scan);
                self.vector_totals(&scan, &vectors);
                self.vectors_of_blocks(&scan, &vectors);
                self.carry_blocks(&scan);
                self.write_in_vectors(&scan, &vectors);
            }
            Scan::Points => {
                self.points_of_blocks(&scan);
                self.carry_blocks(&scan);
                self.write_in_points(&scan);
            }
            Scan::SinglePass { .. } | Scan::ReduceThenScan => unreachable!("its order does not show"),
        }
        Ok(())
    }

    /// Emits the functions on groups and the places of their blocks.
    fn write_groups(&mut self, scan: &Ordered<'_>) {
        let Ordered { number, to, level, block, .. } = *scan;
        let mut text = Text::default();
        let (place, group_of) = (format!("block_place{number}"), format!("group_of_block{number}"));
        self.write_first_and_count(&mut text, number, (to, level));
        self.write_place(&mut text, number, (&place, block));
        self.write_group_of(&mut text, to, (&group_of, &place));
        self.define(text.finish());
    }

    /// Emits the functions on the places of vectors.
    fn write_vectors(&mut self, scan: &Ordered<'_>) {
        let number = scan.number;
        let mut text = Text::default();
        let (place, group_of) = (format!("vector_place{number}"), format!("group_of_vector{number}"));
        self.write_place(&mut text, number, (&place, u64::from(WIDTH)));
        self.write_group_of(&mut text, scan.to, (&group_of, &place));
        self.define(text.finish());
    }

    /// Binds a thread's vector: its `place`, `group_at`, `origin`, `n` and number `vector`; and the thread's `lane` and `position`, whether it `takes` part, and
    /// the `state` of the position, of groups of more than `least` positions.
    fn visit_vectors(&self, text: &mut Text, scan: &Ordered<'_>, least: u32) {
        let (dialect, number) = (self.dialect, scan.number);
        let units = dialect.workgroup / WIDTH;
        // Not the number of the thread in the grid, which may exceed 32 bits.
        let place = format!("i32(wid) * {units} + i32(tid) / {WIDTH}");
        text.line(dialect.constant("place", "i32", &place));
        text.line(dialect.constant("lane", "i32", &format!("i32(tid) % {WIDTH}")));
        text.line(dialect.constant("group_at", "i32", &format!("group_of_vector{number}(place)")));
        for name in ["origin", "n", "vector", "position"] {
            text.line(dialect.variable(name, "i32", Some("0")));
        }
        text.line(dialect.variable("takes", "bool", Some("false")));
        text.line(dialect.variable("state", &scan.blocks.ty, None));
        text.open(format!("if (group_at < {}) {{", self.points(scan.to)));
        text.line(format!("origin = first{number}(group_at);"));
        text.line(format!("n = count{number}(group_at);"));
        // Places beyond the last group may be many, and their positions exceed 32 bits.
        text.line(format!("vector = min(place - vector_place{number}(group_at), n / {WIDTH} + 1);"));
        let lane = match scan.direction {
            Direction::Forward => "lane".to_owned(),
            Direction::Backward => format!("{} - lane", WIDTH - 1),
        };
        text.line(format!("position = vector * {WIDTH} + {lane};"));
        text.line(format!("takes = position < n && n > {least};"));
        text.open("if (takes) {");
        text.line(&scan.owner);
        text.line(format!("state = {};", scan.taken));
        text.close();
        text.close();
    }

    /// Emits the move of states up by some lanes: `use_moved` says what becomes of `state` where it is to be combined with `moved`.
    pub fn move_up(&self, text: &mut Text, lanes: &str, distance: u32, states: &States, used: [&str; 2]) {
        let [reaches, beyond] = used;
        if self.has_warps() {
            text.open("{");
            text.line(format!("const {} moved = shuffle_up(state, {distance});", states.ty));
            text.line(format!("if (lane >= {distance}) {{ {reaches} }} else {{ {beyond} }}"));
            text.close();
            return;
        }
        text.line(format!("{lanes}[tid] = state;"));
        text.line(self.dialect.barrier());
        text.open(format!("if (lane >= {distance}) {{"));
        let moved = format!("{lanes}[tid - {distance}u]");
        text.line(self.dialect.constant("moved", &states.ty, &moved));
        text.line(reaches);
        text.otherwise();
        text.line(beyond);
        text.close();
        text.line(self.dialect.barrier());
    }

    /// Emits the prefixes of vectors: each lane's `state` becomes that of the lanes up to it.
    pub fn scan_lanes(&self, text: &mut Text, scan: &Ordered<'_>, lanes: &str) {
        let combined = format!("state = {};", scan.joined("moved", "state"));
        for distance in [1, 2, 4, 8] {
            self.move_up(text, lanes, distance, &scan.blocks, [&combined, ""]);
        }
    }

    /// Returns the shared array through which lanes pass their states.
    fn passed_states(&self, name: &str, scan: &Ordered<'_>) -> Vec<Shared> {
        if self.has_warps() {
            return Vec::new();
        }
        vec![Shared { name: name.to_owned(), ty: scan.blocks.ty.clone(), len: self.dialect.workgroup }]
    }

    fn vector_totals(&mut self, scan: &Ordered<'_>, vectors: &States) {
        let (number, lanes) = (scan.number, format!("lanes{}", scan.number));
        let mut text = Text::default();
        self.visit_vectors(&mut text, scan, WIDTH);
        self.scan_lanes(&mut text, scan, &lanes);
        // The last lane of a vector may lie beyond the group.
        let stores = format!("lane == {} && n > {WIDTH} && vector * {WIDTH} < n", WIDTH - 1);
        text.line(format!("if ({stores}) {{ {}(place, state); }}", vectors.store));
        let shared = self.passed_states(&lanes, scan);
        let grid = Grid::Threads { of: scan.tiles(u64::from(WIDTH)), per: WIDTH };
        self.entry(&format!("pass{number}_vectors"), grid, &shared, text);
    }

    /// Begins the visit of the blocks of groups of more than `least` positions: a thread has the block `at` of `group_at`, with the positions from `begin` to
    /// `begin + size`, at least one. Returns the grid.
    fn visit_blocks(&self, text: &mut Text, scan: &Ordered<'_>, least: u64) -> Grid {
        let (dialect, number) = (self.dialect, scan.number);
        self.thread(text);
        text.line(dialect.constant("group_at", "i32", &format!("group_of_block{number}(at)")));
        text.open(format!("if (group_at < {}) {{", self.points(scan.to)));
        text.line(dialect.constant("n", "i32", &format!("count{number}(group_at)")));
        let block = scan.block;
        let begin = format!("min(at - block_place{number}(group_at), n / {block} + 1) * {block}");
        text.line(dialect.constant("begin", "i32", &begin));
        text.line(dialect.constant("size", "i32", &format!("min(n - begin, {block})")));
        text.open(format!("if (size > 0 && n > {least}) {{"));
        Grid::Threads { of: scan.tiles(scan.block), per: 1 }
    }

    fn end_blocks(&self, text: &mut Text) {
        text.close();
        text.close();
    }

    fn vectors_of_blocks(&mut self, scan: &Ordered<'_>, vectors: &States) {
        let (dialect, number) = (self.dialect, scan.number);
        let mut text = Text::default();
        let grid = self.visit_blocks(&mut text, scan, u64::from(WIDTH));
        let first = format!("vector_place{number}(group_at) + begin / {WIDTH}");
        text.line(dialect.constant("base", "i32", &first));
        text.line(dialect.constant("many", "i32", &format!("(size + {}) / {WIDTH}", WIDTH - 1)));
        self.replace_by_prefixes(&mut text, scan, vectors);
        let several = format!("n > {}", scan.block);
        text.line(format!("if ({several}) {{ {}(at, running); }}", scan.blocks.store));
        self.end_blocks(&mut text);
        self.entry(&format!("pass{number}_blocks"), grid, &[], text);
    }

    /// Emits the replacement of `many` states, from `base` on, by what came before each; `running` is what they come to.
    fn replace_by_prefixes(&self, text: &mut Text, scan: &Ordered<'_>, states: &States) {
        let dialect = self.dialect;
        text.line(dialect.variable("running", &states.ty, None));
        text.line(dialect.variable("k", "i32", Some("0")));
        text.open("while (k < many) {");
        // Several loads are in flight at the same time. Those beyond the last are not used.
        for ahead in 0..AHEAD {
            let place = scan.visited("base", "many", &format!("min(k + {ahead}, many - 1)"));
            text.line(dialect.constant(
                &format!("s{ahead}"),
                &states.ty,
                &format!("{}({place})", states.load),
            ));
        }
        for ahead in 0..AHEAD {
            text.open(format!("if (k + {ahead} < many) {{"));
            let place = scan.visited("base", "many", &format!("(k + {ahead})"));
            text.line(format!("{}({place}, running);", states.store));
            text.line(format!("running = {};", scan.joined("running", &format!("s{ahead}"))));
            text.close();
        }
        text.line(format!("k = k + {AHEAD};"));
        text.close();
    }

    fn carry_blocks(&mut self, scan: &Ordered<'_>) {
        let (dialect, Ordered { number, to, block, .. }) = (self.dialect, scan);
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < {}) {{", self.points(*to)));
        text.line(dialect.constant("n", "i32", &format!("count{number}(at)")));
        text.open(format!("if (n > {block}) {{"));
        text.line(dialect.constant("base", "i32", &format!("block_place{number}(at)")));
        text.line(dialect.constant("many", "i32", &format!("(n + {}) / {block}", block - 1)));
        self.replace_by_prefixes(&mut text, scan, &scan.blocks);
        text.close();
        text.close();
        let grid = match to {
            0 => Grid::OneIfMany(scan.tiles(*block)),
            _ => Grid::Threads { of: Size::Level(*to), per: 1 },
        };
        self.entry(&format!("pass{number}_carry"), grid, &[], text);
    }

    fn write_in_vectors(&mut self, scan: &Ordered<'_>, vectors: &States) {
        let (dialect, number) = (self.dialect, scan.number);
        let (ty, lanes) = (&scan.blocks.ty, format!("insides{number}"));
        let mut text = Text::default();
        self.visit_vectors(&mut text, scan, 0);
        text.line(dialect.constant("some", "bool", "state.some"));
        self.scan_lanes(&mut text, scan, &lanes);
        if scan.inclusion == Inclusion::Exclusive {
            text.line(dialect.variable("none", ty, None));
            self.move_up(&mut text, &lanes, 1, &scan.blocks, ["state = moved;", "state = none;"]);
        }
        text.open("if (takes) {");
        text.line(dialect.variable("running", ty, None));
        text.line(dialect.variable("carry", ty, None));
        text.line(format!("if (n > {WIDTH}) {{ running = {}(place); }}", vectors.load));
        let place = format!("block_place{number}(group_at) + position / {}", scan.block);
        text.line(format!("if (n > {}) {{ carry = {}({place}); }}", scan.block, scan.blocks.load));
        text.line(format!("state = {};", scan.joined("running", "state")));
        text.line(format!("state = {};", scan.joined("carry", "state")));
        self.store_prefix(&mut text, scan);
        text.close();
        let shared = self.passed_states(&lanes, scan);
        let grid = Grid::Threads { of: scan.tiles(u64::from(WIDTH)), per: WIDTH };
        self.entry(&format!("pass{number}_write"), grid, &shared, text);
    }

    /// Begins a thread's visit of the points of its block: each binds its `position` and the state `own`; `running` begins without a value.
    fn visit_points(&self, text: &mut Text, scan: &Ordered<'_>) {
        let (dialect, states) = (self.dialect, &scan.blocks);
        text.line(dialect.constant("origin", "i32", &format!("first{}(group_at)", scan.number)));
        text.line(&scan.owner);
        text.line(dialect.variable("running", &states.ty, None));
        text.line(dialect.variable("k", "i32", Some("0")));
        text.open("while (k < size) {");
        text.line(dialect.constant("position", "i32", &scan.visited("begin", "size", "k")));
        text.line(dialect.constant("own", &states.ty, &scan.taken));
        text.line("k = k + 1;");
    }

    fn points_of_blocks(&mut self, scan: &Ordered<'_>) {
        let mut text = Text::default();
        let grid = self.visit_blocks(&mut text, scan, scan.block);
        self.visit_points(&mut text, scan);
        text.line(format!("running = {};", scan.joined("running", "own")));
        text.close();
        text.line(format!("{}(at, running);", scan.blocks.store));
        self.end_blocks(&mut text);
        self.entry(&format!("pass{}_blocks", scan.number), grid, &[], text);
    }

    fn write_in_points(&mut self, scan: &Ordered<'_>) {
        let (dialect, ty) = (self.dialect, &scan.blocks.ty);
        let mut text = Text::default();
        let grid = self.visit_blocks(&mut text, scan, 0);
        text.line(dialect.variable("carry", ty, None));
        text.line(format!("if (n > {}) {{ carry = {}(at); }}", scan.block, scan.blocks.load));
        self.visit_points(&mut text, scan);
        let next = dialect.constant("next", ty, &scan.joined("running", "own"));
        let local = match scan.inclusion {
            Inclusion::Inclusive => "next",
            Inclusion::Exclusive => "running",
        };
        text.line(next);
        text.line(dialect.constant("some", "bool", "own.some"));
        text.line(dialect.constant("state", ty, &scan.joined("carry", local)));
        self.store_prefix(&mut text, scan);
        text.line("running = next;");
        text.close();
        self.end_blocks(&mut text);
        self.entry(&format!("pass{}_write", scan.number), grid, &[], text);
    }

    /// Emits the store of `state` as the result of `position`, or of the unit if nothing came before; of zero where the guard leaves it out (`some` is false).
    pub fn store_prefix(&self, text: &mut Text, scan: &Ordered<'_>) {
        let states = &scan.blocks;
        for (at, (&bind, repr)) in scan.step.binds.iter().zip(&states.reprs).enumerate() {
            let (name, unit) = (repr.name(), &states.unit[at]);
            let prefix = match scan.inclusion {
                Inclusion::Inclusive => format!("state.v{at}"),
                Inclusion::Exclusive => format!("select_{name}(state.some, state.v{at}, {unit})"),
            };
            let value = format!("select_{name}(some, {prefix}, {})", self.dialect.zero(*repr));
            self.store_bind(text, bind, "(origin + position)", &value);
        }
    }
}
