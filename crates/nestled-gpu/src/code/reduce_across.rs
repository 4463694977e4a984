//! Reductions along an outer axis of memory, such as sums of the columns of a matrix, on machines with warps: the threads of a warp take neighbouring groups,
//! so that they access neighbouring places.
//!
//! ```text
//! across   a workgroup to a tile of each of 32 neighbouring groups: a warp takes two of the sixteen lanes of all of them
//! join     a warp to a group of several tiles, as in `reduce.rs`
//! ```
//!
//! All groups have the same number of positions, and reads move by one element from group to group. Launches with fewer groups run the entries of
//! `rows.rs` instead.

use super::entry::Shared;
use super::reduce::{LANES, Pace, Reduction};
use super::sizes::{Grid, Size, When};
use super::writer::Writer;
use crate::text::Text;
use nestled_ir::reduction_order::{SHORT, TILE};

/// Threads of a warp, and so groups of a workgroup.
const WARP: u32 = 32;
/// Maximum number of workgroups.
const WORKERS: u32 = 8192;

impl Writer<'_> {
    /// Emits the entry up to the joining of tiles, and restricts the entries since `others` to launches with few groups.
    pub fn reduce_across(&mut self, what: &Reduction<'_>, others: usize) {
        let groups = Size::Level(what.to);
        for entry in &mut self.entries[others..] {
            entry.when = When::Below(groups, u64::from(WARP));
        }
        self.tiles_across(what);
        let entry = self.entries.last_mut().expect("it was just added");
        entry.when = When::AtLeast(groups, u64::from(WARP));
    }

    fn tiles_across(&mut self, what: &Reduction<'_>) {
        let Reduction { number, to, level, ref pace, step, ref element, ref states, .. } = *what;
        let (group, child, join) = (self.locate(to), self.child(to, level), &states.join);
        let lanes = format!("across{number}");
        let taken =
            |at: &str| format!("{}({}({child}(owner, origin + {at}, origin)))", states.of, element.name);
        let half = LANES / 2;
        debug_assert_eq!(self.warps(), half, "a warp has two lanes");
        let ahead = match pace {
            Pace::Single => 1,
            Pace::Ahead(ahead) => (ahead / 2).max(1),
            Pace::Fours(ahead, _) => 2 * ahead,
        };
        let mut text = Text::default();
        text.line(format!("const i32 groups = {}, n = count{number}(0);", self.points(to)));
        text.line(format!(
            "const i32 tiles = n_tiles{number}(n), chunks = (groups + {}) / {WARP};",
            WARP - 1
        ));
        text.line("const i32 lane = warp_id();");
        text.open("for (i32 item = (i32)wid; item < chunks * tiles; item += (i32)gridDim.x) {");
        text.line(format!("const i32 tile = item / chunks, group_at = item % chunks * {WARP} + lane_id();"));
        text.line(format!("{} state = {{}}, other = {{}};", states.ty));
        text.open("if (group_at < groups) {");
        text.line(format!("const {} owner = {group}(group_at);", self.point_type(to)));
        text.line(format!("const i32 origin = first{number}(group_at);"));
        text.open(format!("if (n <= {SHORT}) {{"));
        let folded = taken("k");
        text.line(format!("for (i32 k = 0; lane == 0 && k < n; k++) {{ state = {join}(state, {folded}); }}"));
        text.otherwise();
        text.line(format!("const i32 end = min((tile + 1) * {TILE}, n);"));
        text.line(format!("i32 position = tile * {TILE} + lane;"));
        let reach = LANES * (ahead - 1) + half;
        text.open(format!("for (; position + {reach} < end; position += {}) {{", LANES * ahead));
        text.line(format!("{} next[{}];", states.ty, 2 * ahead));
        text.line("#pragma unroll");
        let fetched = taken(&format!("position + k * {half}"));
        text.line(format!("for (i32 k = 0; k < {}; k++) {{ next[k] = {fetched}; }}", 2 * ahead));
        text.line("#pragma unroll");
        text.open(format!("for (i32 k = 0; k < {}; k += 2) {{", 2 * ahead));
        text.line(format!("state = {join}(state, next[k]);"));
        text.line(format!("other = {join}(other, next[k + 1]);"));
        text.close();
        text.close();
        text.open(format!("for (; position < end; position += {LANES}) {{"));
        text.line(format!("state = {join}(state, {});", taken("position")));
        let next = taken(&format!("position + {half}"));
        text.line(format!("if (position + {half} < end) {{ other = {join}(other, {next}); }}"));
        text.close();
        text.close();
        text.close();
        text.line(format!("{lanes}[tid] = {join}(state, other);"));
        text.line(self.dialect.barrier());
        for distance in [4, 2, 1] {
            let neighbour = format!("{lanes}[tid + {}u]", distance * WARP);
            text.line(format!(
                "if (lane < {distance}) {{ {lanes}[tid] = {join}({lanes}[tid], {neighbour}); }}"
            ));
            text.line(self.dialect.barrier());
        }
        text.open("if (lane == 0 && group_at < groups) {");
        text.open("if (tiles == 1) {");
        self.store_reduced(&mut text, step, states, (&format!("{lanes}[tid]"), "group_at"));
        text.otherwise();
        text.line(format!("{}(place{number}(group_at) + tile, {lanes}[tid]);", states.store));
        text.close();
        text.close();
        text.line(self.dialect.barrier());
        text.close();
        let shared = [Shared { name: lanes, ty: states.ty.clone(), len: self.dialect.workgroup }];
        let of = Size::Tiles { to, level, points: TILE as u32 };
        let grid = Grid::Some { of, per: half, most: WORKERS };
        self.entry(&format!("pass{number}_across"), grid, &shared, text);
    }
}
