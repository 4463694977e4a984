//! Privatised scatters: combining scatters into few places accumulate in shared memory first, on machines with warps.
//!
//! ```text
//! gather    some workgroups, which share the points: each combines its own points in shared memory, and then the results with the destination
//! ```
//!
//! So each workgroup updates a place at most once. Where places are many, or points few, each point is combined with its place directly.

use super::element::Element;
use super::entry::Shared;
use super::scatter::Scatter;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::text::Text;

/// Maximum number of places in shared memory, and maximum number of workgroups.
const PLACES: u32 = 2048;
const GROUPS: u32 = 1024;
/// Points that a thread computes before it combines the first, so that their loads are in flight at the same time.
const AHEAD: u32 = 4;

/// The operation on values of one component of one word.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    /// The atomic function on places of the destination, such as `add_u32`.
    name: &'static str,
    /// Whether it takes values of other types as unsigned numbers.
    cast: bool,
    /// The atomic function on shared memory, and the type of that memory.
    atomic: &'static str,
    ty: &'static str,
    /// The bits of the identity.
    unit: &'static str,
}

impl Gathered {
    /// Returns the operation for a function on places, if shared memory has a corresponding atomic.
    pub fn of(name: &'static str, cast: bool) -> Option<Gathered> {
        let (atomic, ty, unit) = match name {
            "add_u32" => ("atomicAdd", "u32", "0u"),
            "or_u32" => ("atomicOr", "u32", "0u"),
            "xor_u32" => ("atomicXor", "u32", "0u"),
            "and_u32" => ("atomicAnd", "u32", "0xffffffffu"),
            "max_u32" => ("atomicMax", "u32", "0u"),
            "min_u32" => ("atomicMin", "u32", "0xffffffffu"),
            "max_i32" => ("atomicMax", "i32", "0x80000000u"),
            "min_i32" => ("atomicMin", "i32", "0x7fffffffu"),
            // Negative zero: adding positive zero would change the sign of negative zero.
            "add_f32" => ("atomicAdd", "f32", "0x80000000u"),
            _ => return None,
        };
        Some(Gathered { name, cast, atomic, ty, unit })
    }
}

impl Writer<'_> {
    /// Emits the entry that combines all points.
    pub(super) fn gather(&mut self, scatter: &Scatter<'_, '_>, element: &Element, how: Gathered) {
        let Scatter { number, level, rank, result, .. } = *scatter;
        let Gathered { name, cast, atomic, ty, unit } = how;
        let (shared, workgroup) = (format!("gathered{number}"), self.dialect.workgroup);
        let word = self.layout.result(result);
        let locate = self.locate(level);
        let mut text = Text::default();
        text.line(format!("const i32 points = {};", self.points(level)));
        text.line(format!("const i32 places = i32(word({}u)), groups = i32(gridDim.x);", word + 2));
        text.line(format!("const bool gathers = places <= {PLACES} && groups * places <= points;"));
        let each_place = |text: &mut Text| {
            text.open("if (gathers) {");
            text.open(format!("for (i32 place = i32(tid); place < places; place += {workgroup}) {{"));
        };
        each_place(&mut text);
        text.line(format!("{shared}[place] = {unit};"));
        text.close();
        text.close();
        text.line(self.dialect.barrier());
        text.line(format!("const i32 stride = groups * {workgroup};"));
        let first = format!("i32 first = i32(wid * {workgroup}u + tid)");
        text.open(format!("for ({first}; first < points; first += {AHEAD} * stride) {{"));
        text.line(format!("{} ahead[{AHEAD}];", element.taken));
        let each = |text: &mut Text| {
            text.line("#pragma unroll");
            text.open(format!("for (i32 k = 0; k < {AHEAD}; k++) {{"));
            text.line("const i32 at = first + k * stride;");
        };
        each(&mut text);
        // The last point once more, where there are fewer: a branch would let each load wait for the one before.
        text.line(format!("ahead[k] = {}({locate}(min(at, points - 1)));", element.name));
        text.line("ahead[k].alive = ahead[k].alive && at < points;");
        text.close();
        each(&mut text);
        text.line("const auto taken = ahead[k];");
        text.line(format!("const i32 to = target{number}(at, taken);"));
        text.line("if (to < 0) { continue; }");
        let value = format!("taken.v{rank}");
        let value = if cast { format!("u32({value})") } else { value };
        text.line(format!("if (gathers) {{ {atomic}(({ty}*){shared} + to, {value}); }}"));
        text.line(format!("else {{ combine_{name}(address({word}u), to, {value}); }}"));
        text.close();
        text.close();
        text.line(self.dialect.barrier());
        each_place(&mut text);
        text.line(format!("const u32 held = {shared}[place];"));
        let held = match ty {
            "i32" => "(i32)held",
            "f32" => "__uint_as_float(held)",
            _ => "held",
        };
        text.line(format!("if (held != {unit}) {{ combine_{name}(address({word}u), place, {held}); }}"));
        text.close();
        text.close();
        let grid = Grid::Some { of: Size::Level(level), per: 1, most: GROUPS };
        let shared = [Shared { name: shared, ty: "u32".to_owned(), len: PLACES }];
        self.entry(&format!("pass{number}_gather"), grid, &shared, text);
    }
}
