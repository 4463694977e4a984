//! Scatters that combine into few places, on machines with warps.
//!
//! ```text
//! gather    some workgroups, which share the points: each combines its own in memory that its threads share, and then what came of them with the places
//! ```
//!
//! So no two workgroups want the same place more than once. Where places are many, or points few, each point is combined with its place at once.

use super::element::Element;
use super::entry::Shared;
use super::module::Writer;
use super::scatter::Scatter;
use super::sizes::{Grid, Size};
use crate::text::Text;

/// So many places a workgroup has memory for, and so many workgroups there are at most.
const PLACES: u32 = 2048;
const GROUPS: u32 = 512;

/// How values of one component, each of one word, are combined.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    /// The function on places of the destination: `add_u32`.
    name: &'static str,
    /// Whether it takes other values as unsigned numbers.
    cast: bool,
    /// The function on memory that threads share, and what that holds.
    atomic: &'static str,
    ty: &'static str,
    /// The bits of what changes nothing.
    unit: &'static str,
}

impl Gathered {
    /// For a function on places, if there is one for memory that threads share.
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
            // A negative zero: the other one would change the sign of that.
            "add_f32" => ("atomicAdd", "f32", "0x80000000u"),
            _ => return None,
        };
        Some(Gathered { name, cast, atomic, ty, unit })
    }
}

impl Writer<'_> {
    /// The entry that combines all points.
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
        let step = format!("at += groups * {workgroup}");
        text.open(format!("for (i32 at = i32(wid * {workgroup}u + tid); at < points; {step}) {{"));
        text.line(format!("const {} taken = {}({locate}(at));", element.taken, element.name));
        text.line(format!("const i32 to = target{number}(at, taken);"));
        text.line("if (to < 0) { continue; }");
        let value = format!("taken.v{rank}");
        let value = if cast { format!("u32({value})") } else { value };
        text.line(format!("if (gathers) {{ {atomic}(({ty}*){shared} + to, {value}); }}"));
        text.line(format!("else {{ combine_{name}(address({word}u), to, {value}); }}"));
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
