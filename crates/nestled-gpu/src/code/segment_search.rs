//! Segment search narrowed per workgroup, on machines with warps. The points of a workgroup are neighbours, so it finds the segments of its first and
//! its last point once, and its threads search only between them. Searches take few steps, whatever the lengths of segments.

use super::writer::Writer;
use crate::plan::Step;
use crate::text::Text;

impl Writer<'_> {
    /// Emits the narrowing of the searches of a workgroup whose points have numbers from `first` to `last`, or the other way round. All threads of
    /// the workgroup must reach it.
    pub fn narrow(&self, text: &mut Text, level: usize, first: &str, last: &str) {
        let Some(Step::Seg(seg)) = level.checked_sub(1).map(|axis| self.space[axis]) else { return };
        // The first axis is no segmentation, so with a single level there is no search.
        if !self.has_warps() || level < 2 {
            return;
        }
        let (shape, owners, points) = (self.layout.shape(seg), self.points(level - 1), self.points(level));
        text.line("__shared__ i32 edges[2];");
        text.open("if (tid < 2u) {");
        text.line(format!("const i32 edge = min(tid == 0u ? {first} : {last}, {points} - 1);"));
        text.line(format!("edges[tid] = seg_owner({shape}u, max(0, edge), {owners});"));
        text.close();
        text.line(self.dialect.barrier());
        text.line(format!("narrow({shape}u, edges[0], edges[1], {first}, {last});"));
    }

    /// Emits the same where each thread has one point.
    pub fn narrow_threads(&self, text: &mut Text, level: usize) {
        let workgroup = self.dialect.workgroup;
        let (first, last) =
            (format!("i32(wid * {workgroup}u)"), format!("i32(wid * {workgroup}u + {}u)", workgroup - 1));
        self.narrow(text, level, &first, &last);
    }
}
