//! Lowering of `if` at W points: a branch where the condition is uniform; otherwise both arms under masks, and a blend (if-conversion). Lanes that
//! diverge still branch around an expensive arm that none of them takes.

use super::check::MaskedRegion;
use super::{LiveOut, Run, ThunkFrame};
use crate::codegen::text::Place;
use crate::codegen::value::Val;
use crate::codegen::variable::{Variable, is_known_everywhere};
use nestled_ir::{Block, Scalar};
use nestled_kernel::cost::Cost;

impl Run<'_, '_, '_> {
    /// Emits an `if` and returns its results.
    pub fn branch(
        &mut self,
        frame: &mut ThunkFrame<'_>,
        cond: &Val,
        then: &Block,
        otherwise: &Block,
    ) -> Vec<Val> {
        if let Some(Scalar::Bool(known)) = cond.as_const() {
            return self.block(frame, if known { then } else { otherwise });
        }
        let costs = [then, otherwise].map(|block| self.costs.block(frame.program, block));
        if cond.uniform_depth().is_some() {
            if costs.iter().all(|cost| cost.is_trifling()) {
                let (yes, no) = (self.block(frame, then), self.block(frame, otherwise));
                return self.blend_all(cond, &yes, &no);
            }
            return self.jump(frame, cond, then, otherwise);
        }
        let yes = self.arm(frame, cond, then, costs[0]);
        let no = {
            let inverse = self.emit.not(cond);
            self.arm(frame, &inverse, otherwise, costs[1])
        };
        let yes: Vec<Val> = yes.into_iter().map(|val| self.load_live_out(val)).collect();
        let no: Vec<Val> = no.into_iter().map(|val| self.load_live_out(val)).collect();
        self.blend_all(cond, &yes, &no)
    }

    fn blend_all(&mut self, cond: &Val, yes: &[Val], no: &[Val]) -> Vec<Val> {
        yes.iter().zip(no).map(|(yes, no)| self.blend(cond, yes, no)).collect()
    }

    /// [`Emit::blend`](crate::codegen::emit::Emit::blend), which keeps indices narrow where one of them is a literal.
    pub fn blend(&mut self, cond: &Val, yes: &Val, no: &Val) -> Val {
        // What is uniform stays so: bounds of loops are asked for as scalars.
        let is_uniform = |val: &Val| val.uniform_depth().is_some();
        let alike = is_uniform(yes) && is_uniform(no) && (is_uniform(cond) || yes == no);
        let both = [yes, no].map(|val| self.narrowed(val));
        match both {
            [Some(yes), Some(no)] if !alike => self.emit.blend(cond, &yes, &no),
            _ => self.emit.blend(cond, yes, no),
        }
    }

    /// Emits one arm of an `if` with a varying condition. Its results are valid in lanes where the condition holds.
    fn arm(&mut self, frame: &mut ThunkFrame<'_>, cond: &Val, block: &Block, cost: Cost) -> Vec<LiveOut> {
        if block.stmts.is_empty() {
            return block.results.iter().map(|&atom| LiveOut::Known(self.atom(frame, atom))).collect();
        }
        let outer = self.mask.clone();
        if !cost.is_worth_a_jump() {
            if cost.memory {
                self.mask = self.emit.and(&outer, cond);
            }
            let results = self.block(frame, block);
            self.mask = outer;
            return results.into_iter().map(LiveOut::Known).collect();
        }
        let active = self.active();
        let mask = self.emit.and(&active, cond);
        let (inside, end) = (self.emit.label(), self.emit.label());
        let any = self.emit.any(&mask);
        self.emit.branch(&any, inside, end);
        self.emit.text.begin(inside);
        self.mask = mask.clone();
        let region = std::mem::replace(&mut self.region, MaskedRegion::new(end, mask));
        let results = self.block(frame, block);
        let live_outs = self.live_outs(results);
        self.region = region;
        self.mask = outer;
        self.emit.fall_into(end);
        live_outs
    }

    /// Emits an `if` with a uniform condition.
    fn jump(&mut self, frame: &mut ThunkFrame<'_>, cond: &Val, then: &Block, otherwise: &Block) -> Vec<Val> {
        let (yes, no, join) = (self.emit.label(), self.emit.label(), self.emit.label());
        let holds = self.emit.scalar(cond);
        self.emit.branch(&holds, yes, no);
        let mut arms: Vec<(Vec<Val>, Place)> = Vec::new();
        for (label, block) in [(yes, then), (no, otherwise)] {
            self.emit.text.begin(label);
            let results = self.block(frame, block);
            // The results are stored here once it is clear what both arms have.
            let place = self.emit.text.mark();
            self.emit.line(format_args!("br label %{join}"));
            arms.push((results, place));
        }
        self.emit.text.begin(join);
        let [(yes, yes_end), (no, no_end)] = &arms[..] else { unreachable!("there are two arms") };
        let merge = |(a, b): (&Val, &Val)| {
            if a == b && is_known_everywhere(a) {
                return a.clone();
            }
            let slot = Variable::for_any_of(self.emit, &[a, b]);
            slot.store_at(self.emit, *yes_end, a);
            slot.store_at(self.emit, *no_end, b);
            slot.load(self.emit)
        };
        yes.iter().zip(no).map(merge).collect()
    }
}
