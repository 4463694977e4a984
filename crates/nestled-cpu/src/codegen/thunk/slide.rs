//! Sliding windows in registers: neighbouring windows along a row are extracted from two loaded vectors by shuffles.
//!
//! Of seven unaligned vectors that begin one element after another, six cross a cache line, and each loads two lines. Two vectors hold all elements
//! of the seven. The instruction that concatenates the upper lanes of one and the lower lanes of another costs less than a load.
//!
//! ```text
//! window     −3  −2  −1   0  +1  +2  +3
//! low        elements j − 3 … j + 12
//! high       elements j + 13 … j + 18, and no more: the others may not exist
//! window −1  low's lanes 2 … 15, then high's 0, 1
//! ```

use super::fetch::Memory;
use super::{Run, ThunkFrame};
use crate::codegen::emit::{memory_suffix, memory_type};
use crate::codegen::text::Name;
use crate::codegen::value::{Form, Val};
use nestled_ir::{Offset, ScalarType, ValueId};
use nestled_kernel::strategy::slide::{Line, Slide};

/// The two loaded vectors of a line.
#[derive(Debug)]
pub struct Loaded {
    line: Line,
    /// The block that contains the loads.
    block: u32,
    low: Name,
    high: Name,
}

impl Run<'_, '_, '_> {
    /// In the interior version: returns the window as one that slides, if its line has enough windows.
    pub fn slide(&self, frame: &ThunkFrame<'_>, bind: ValueId, offsets: &[Offset]) -> Option<Slide> {
        self.lane.assumed.as_ref()?;
        let own = self.lane.point.coordinates.last()?;
        if !matches!(own.form, Form::Linear { stride: 1, .. }) {
            return None;
        }
        frame.reaches.slide(self.emit.target, self.emit.lanes, self.lane.kernel, (bind, offsets))
    }

    /// Loads W elements from `first` on, the place of a window.
    pub fn load_slid(&mut self, memory: Memory<'_>, first: &str, slide: &Slide) -> Val {
        let (element, size, lanes) = (memory_type(memory.elem), memory.elem.size(), self.emit.lanes);
        let block = self.emit.text.block();
        // Integers, for which LLVM finds the instruction that concatenates.
        let (whole, ty) = if size == 4 { ("i32", ScalarType::I32) } else { ("i64", ScalarType::I64) };
        let wide = self.emit.wide(whole);
        let known = self.slid.iter().find(|known| known.block == block && known.line == slide.line);
        let (low, high) = match known {
            Some(known) => (known.low.clone(), known.high.clone()),
            None => {
                let first = self.emit.define(format_args!("sub i64 {first}, {}", slide.by));
                let pointer = self
                    .emit
                    .define(format_args!("getelementptr {element}, ptr {}, i64 {first}", memory.data));
                self.prefetch(&pointer, element);
                let low = self.emit.define(format_args!("load {wide}, ptr {pointer}, align {size}"));
                let behind =
                    self.emit.define(format_args!("getelementptr {element}, ptr {pointer}, i64 {lanes}"));
                let load = format!("@llvm.masked.load.v{lanes}{}.p0", memory_suffix(ty));
                let bits = self.emit.wide("i1");
                self.emit.declare(format!("declare {wide} {load}(ptr, i32, {bits}, {wide})"));
                let mask: Vec<String> =
                    (0..lanes as i64).map(|lane| format!("i1 {}", lane < slide.reach)).collect();
                let high = self.emit.define(format_args!(
                    "call {wide} {load}(ptr {behind}, i32 {size}, {bits} <{}>, {wide} zeroinitializer)",
                    mask.join(", ")
                ));
                let line = slide.line.clone();
                self.slid.push(Loaded { line, block, low: low.clone(), high: high.clone() });
                (low, high)
            }
        };
        let order: Vec<String> =
            (slide.by..slide.by + lanes as i64).map(|lane| format!("i32 {lane}")).collect();
        let name = match slide.by {
            0 => low,
            _ => self.emit.define(format_args!(
                "shufflevector {wide} {low}, {wide} {high}, <{lanes} x i32> <{}>",
                order.join(", ")
            )),
        };
        let name = match element == whole {
            true => name,
            false => self.emit.define(format_args!("bitcast {wide} {name} to {}", self.emit.wide(element))),
        };
        self.loaded(memory.elem, name)
    }
}

#[cfg(test)]
mod tests {
    use crate::codegen::{Target, generate};
    use nestled_ir::KernelId;

    /// Counts the vectors of a row that a nest with windows at these places loads, and those that it slides.
    fn loads(places: &[i64], elem: &str, avx512: bool) -> (usize, usize) {
        let windows: Vec<String> = places.iter().map(|place| format!("y, x + {place} clamp")).collect();
        loads_of(&windows.iter().map(|window| &**window).collect::<Vec<_>>(), elem, avx512)
    }

    fn loads_of(places: &[&str], elem: &str, avx512: bool) -> (usize, usize) {
        let mut lines = String::from("    s0 = 0\n");
        for (number, place) in places.iter().enumerate() {
            lines += &format!("    s{} = add s{number} a[{place}]\n", number + 1);
        }
        let lines = lines.replace("+ -", "- ").replace("s0 = 0", &format!("s0 = {elem} 0i32"));
        let text = format!(
            "kernel k(xs: [n, m]{elem}) over n, m {{
  a = map {{ y, x => mul xs[y, x] xs[y, x] }}
  b = map {{ y, x =>
{lines}    s{}
  }}
  ret b
}}
fn main<n, m>(xs: [n, m]{elem}) -> [n, m]{elem} {{
  ys = run k(xs)
  ret ys
}}
",
            places.len()
        );
        let program = nestled_ir::text::parse("test", &text).unwrap();
        let target = Target { vector_bits: 512, avx512, f16c: true };
        let generated = generate(&program, KernelId::from(0usize), false, &target).unwrap();
        let nest =
            generated.text.split("define void").find(|text| text.starts_with(" @\"n1.main\"")).unwrap();
        let count = |what: &str| nest.matches(what).count();
        let load = |ty: &str| count(&format!("= load <16 x {ty}>"));
        let all = ["float", "double", "i32", "i64"].map(load).iter().sum();
        // Others have but one vector.
        let slides = nest.lines().filter(|line| line.contains("shufflevector") && !line.contains("poison"));
        (all, slides.count())
    }

    #[test]
    fn windows_near_each_other_share_two_vectors() {
        assert_eq!(loads(&[-3, -2, -1, 1, 2, 3], "f32", true), (1, 5));
        assert_eq!(loads(&[-3, -2, -1, 1, 2, 3], "i32", true), (1, 5));
        assert_eq!(loads(&[-2, -1, 1, 2], "f64", true), (1, 3));
    }

    #[test]
    fn others_are_loaded_one_by_one() {
        assert_eq!(loads(&[-1, 1, 2], "f32", true), (3, 0));
        assert_eq!(loads(&[-9, -2, 1, 7], "f32", true), (4, 0));
        assert_eq!(loads(&[-3, -2, -1, 1, 2, 3], "f32", false), (6, 0));
    }

    #[test]
    fn rows_are_told_apart_by_what_their_index_does_outside() {
        let row = |rule: &str, along: i64| format!("y - 1 {rule}, x + {along} clamp");
        let mixed = [row("clamp", -1), row("clamp", 1), row("wrap", 2), row("wrap", 3)];
        assert_eq!(loads_of(&mixed.each_ref().map(|window| &**window), "f32", true), (4, 0));
        let same = [row("wrap", -1), row("wrap", 1), row("wrap", 2), row("wrap", 3)];
        assert_eq!(loads_of(&same.each_ref().map(|window| &**window), "f32", true), (1, 3));
    }

    #[test]
    fn what_is_proved_behind_a_check_is_not_loaded_before() {
        let windows = ["y, x - 1 clamp", "y, x + 1 clamp", "y, x + 2 clamp", "y, x + 3 proved"];
        assert_eq!(loads_of(&windows, "f32", true), (4, 0));
    }
}
