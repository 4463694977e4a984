//! Tiles of scans, filters and partitions: the points that a thread of a workgroup takes.

use crate::text::Text;

/// Points that a thread takes one after another.
pub(super) const ITEMS: u32 = 8;

/// Returns the number of points of a thread that holds so many words of each: few tiles wait for each other less, but more registers leave room for fewer
/// workgroups.
pub(super) fn rows(words: u64) -> u32 {
    if words <= 3 { 16 } else { 8 }
}

/// Begins a loop over the points of a thread: `row` counts them, `order` is the place of the point.
pub(super) fn each_row(text: &mut Text, items: u32) {
    text.line("#pragma unroll");
    text.open(format!("for (i32 row = 0; row < {items}; row++) {{"));
    text.line("const i32 order = first + row * 32;");
}
