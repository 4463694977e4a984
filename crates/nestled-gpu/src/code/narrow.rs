//! Whose segment a point is in, on machines with warps: a workgroup has neighbouring points, so it looks once between which segments those of its first and last one
//! lie, and its threads search only there. However long or short segments are, a search takes few steps.

use super::module::Writer;
use super::point::Step;
use crate::text::Text;

impl Writer<'_> {
    /// The lines that make the searches of a workgroup short, whose points have numbers from `first` to `last`, or the other way round. All its
    /// threads come here.
    pub fn narrow(&self, text: &mut Text, level: usize, first: &str, last: &str) {
        let Some(Step::Seg(seg)) = level.checked_sub(1).map(|axis| self.space[axis]) else { return };
        // The first axis is no segmentation, and where there is one level nothing is searched.
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

    /// The same where each thread has a point of its own.
    pub fn narrow_threads(&self, text: &mut Text, level: usize) {
        let workgroup = self.dialect.workgroup;
        let (first, last) =
            (format!("i32(wid * {workgroup}u)"), format!("i32(wid * {workgroup}u + {}u)", workgroup - 1));
        self.narrow(text, level, &first, &last);
    }
}
