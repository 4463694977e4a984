//! Load-balanced segmented reductions, on machines with warps: the work is even whatever the lengths of groups.
//!
//! ```text
//! rows     a thread to a group: a short one is folded; of a long one the tiles are appended to a worklist
//! tiles    sixteen threads to a tile of the worklist; a group of one tile ends here
//! join     a workgroup to a group of several tiles, as in `reduce.rs`
//! ```
//!
//! The order of the worklist is nondeterministic, but does not affect results: each tile has a place of its own for its state.

use super::entry::Shared;
use super::reduce::{LANES, Reduction};
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::text::Text;
use nestled_ir::reduction_order::{SHORT, TILE};

/// Number of workgroups that process the worklist.
const WORKERS: u32 = 2048;

impl Writer<'_> {
    /// Emits the entries up to the joining of tiles.
    pub fn rows_in_warps(&mut self, what: &Reduction<'_>) {
        let Reduction { number, to, level, commutes, ref pace, step, ref element, ref states } = *what;
        let size = Size::Tiles { to, level, points: TILE as u32 };
        let list = self.take_scratch(size, 2);
        let (group, child) = (self.locate(to), self.child(to, level));
        let taken = |at: &str| format!("{}({}({child}(owner, {at}, origin)))", states.of, element.name);
        let owner = format!("const {} owner = {group}(group_at);", self.point_type(to));

        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < {}) {{", self.points(to)));
        text.line("const i32 group_at = at;");
        text.line(format!("const i32 origin = first{number}(at);"));
        text.line(format!("const i32 n = count{number}(at);"));
        text.open(format!("if (n <= {SHORT}) {{"));
        text.line(&owner);
        text.line(format!("{} state = {{}};", states.ty));
        text.line("i32 position = 0;");
        let folded = |at: &str| taken(&format!("origin + {at}"));
        self.fold_rest(&mut text, pace, states, ("position", "n", "1"), folded);
        self.store_reduced(&mut text, step, states, ("state", "at"));
        text.otherwise();
        text.line(format!("const i32 tiles = n_tiles{number}(n);"));
        text.line(format!("const i32 slot = (i32)atomicAdd(counter({list}u), (u32)tiles);"));
        text.open("for (i32 tile = 0; tile < tiles; tile++) {");
        text.line(format!("st_i32(address({list}u), 2 * (slot + tile), at);"));
        text.line(format!("st_i32(address({list}u), 2 * (slot + tile) + 1, tile);"));
        text.close();
        text.close();
        text.close();
        let grid = Grid::Threads { of: Size::Level(to), per: 1 };
        self.entry(&format!("pass{number}_rows"), grid, &[], text);

        let lanes = format!("lanes{number}");
        let units = self.dialect.workgroup / LANES;
        let mut text = Text::default();
        text.line(format!("const i32 listed = (i32)*counter({list}u);"));
        text.line(format!("const i32 lane = (i32)tid % {LANES};"));
        // The two halves of a warp proceed together.
        text.open(format!(
            "for (i32 pair = (i32)wid * {units} + warp_id() * 2; pair < listed; pair += (i32)gridDim.x * {units}) {{"
        ));
        text.line(format!("const i32 item = pair + lane_id() / {LANES};"));
        text.line("const bool used = item < listed;");
        text.line("i32 group_at = 0, tile = 0, n = 0;");
        text.line(format!("{} state = {{}};", states.ty));
        text.open("if (used) {");
        text.line(format!("group_at = ld_i32(address({list}u), 2 * item);"));
        text.line(format!("tile = ld_i32(address({list}u), 2 * item + 1);"));
        text.line(format!("n = count{number}(group_at);"));
        text.line(format!("const i32 origin = first{number}(group_at);"));
        text.line(&owner);
        self.fold_tile(&mut text, (commutes, pace), states, taken);
        text.close();
        text.line(format!("{lanes}[tid] = state;"));
        text.line("__syncwarp();");
        self.join_lanes(&mut text, commutes, &lanes, states, "__syncwarp();");
        text.open("if (lane == 0 && used) {");
        text.open(format!("if (n_tiles{number}(n) == 1) {{"));
        self.store_reduced(&mut text, step, states, (&format!("{lanes}[tid]"), "group_at"));
        text.otherwise();
        text.line(format!("{}(place{number}(group_at) + tile, {lanes}[tid]);", states.store));
        text.close();
        text.close();
        text.line("__syncwarp();");
        text.close();
        let shared = [Shared { name: lanes, ty: states.ty.clone(), len: self.dialect.workgroup }];
        let grid = Grid::Some { of: size, per: LANES, most: WORKERS };
        self.entry(&format!("pass{number}_tiles"), grid, &shared, text);
    }

    /// Emits the function that decodes a point of a level from its number, its owner at an outer level, and the first point of that owner.
    pub fn child(&mut self, to: usize, level: usize) -> String {
        let name = format!("child{to}_{level}");
        if self.once(&name) {
            let (owner, point, locate) = (self.point_type(to), self.point_type(level), self.locate(level));
            let mut text = Text::default();
            let int = |name: &str| (name.to_owned(), "i32".to_owned());
            let params = [("owner".to_owned(), owner), int("at"), int("origin")];
            text.open(self.dialect.function(&name, &params, Some(&point)));
            if level == to + 1 {
                // The owner is known, so no search is needed.
                let positions = (0..=to).map(|level| format!("owner.a{level}"));
                let coordinates = (0..to).map(|axis| format!("owner.c{axis}"));
                let fields: Vec<String> = positions
                    .chain(["at".to_owned()])
                    .chain(coordinates)
                    .chain(["at - origin".to_owned()])
                    .collect();
                text.line(format!("return {};", self.dialect.make(&point, &fields)));
            } else {
                text.line(format!("return {locate}(at);"));
            }
            text.close();
            self.define(text.finish());
        }
        name
    }
}
