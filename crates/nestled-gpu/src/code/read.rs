//! Array reads: from indices to a place in memory, axis by axis, each with its rule for indices out of range.
//!
//! ```text
//! xs[i]                    if (!inside_i32(i, x)) { fault(…); return …; }      let l3 = ld_f32(address(12u), i);
//! xs[i clamp] else …       nested `if`s around an assignment to a variable that begins as zero
//! xs[i, j]                 over a space of that shape: the number of the point is its place
//! ```

use super::Unsupported;
use super::home::Lies;
use super::thunk::Body;
use super::writer::Writer;
use crate::dialect::Language;
use crate::plan::{Inner, Step, array_steps, shape_position};
use crate::repr::{Repr, words};
use nestled_ir::{Atom, Index, LocalId, Offset, Rule, SiteId, Type, ValueId, are_own_coordinates};

/// An index as text.
struct At {
    text: String,
    repr: Repr,
    rule: Rule,
}

impl Writer<'_> {
    /// Returns the steps of an array parameter.
    pub fn array_steps(&self, array: ValueId) -> Vec<Step> {
        array_steps(self.kernel, array)
    }

    /// Clamps a place to the array whose address is in a word, so that no access leaves the array. WebGPU does so by itself.
    pub fn within(&self, place: &str, word: u32) -> String {
        match self.dialect.language {
            Language::Wgsl => place.to_owned(),
            Language::Cuda => format!("within({place}, word({}u))", word + 2),
        }
    }

    fn param_position(&self, param: ValueId) -> usize {
        let position = self.kernel.params.iter().position(|&known| known == param);
        position.expect("the verifier lets thunks read only array parameters")
    }
}

impl Body<'_, '_, '_> {
    /// Emits a read of an array.
    pub(super) fn read(
        &mut self,
        dst: LocalId,
        array: ValueId,
        index: &[Index],
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Result<(), Unsupported> {
        let steps = self.writer.array_steps(array);
        let word = self.writer.layout.param(self.writer.param_position(array));
        let level = self.thunk.n_params;
        if self.writer.space.starts_with(&steps) && index.len() <= level && are_own_coordinates(index) {
            // The point's own place, which exists whatever the rules.
            let repr = Repr::of(self.writer.elem(array));
            self.writer.need(repr)?;
            let load = Lies::InBuffer.load(repr, word, &format!("p.a{}", steps.len()));
            return self.set(dst, &load, repr);
        }
        if level == steps.len()
            && let Some(inner) = &self.inner
        {
            let offset = |(axis, index): (usize, &Index)| {
                inner.offset(self.writer.kernel, steps[axis], axis, index.at, index.rule)
            };
            let offsets: Option<Vec<i64>> = index.iter().enumerate().map(offset).collect();
            if self.writer.space[..level] == steps
                && let Some(offsets) = offsets
            {
                return self.neighbour(dst, (array, word, Lies::InBuffer), &offsets);
            }
        }
        let mut places = Vec::new();
        for (&step, index) in steps.iter().zip(index) {
            let repr = self.repr(index.at);
            self.writer.need(repr)?;
            let rule = match &self.inner {
                Some(inner) => inner.rule(self.writer.kernel, step, index.at, index.rule),
                None => index.rule,
            };
            places.push(At { text: self.atom(index.at, repr), repr, rule });
        }
        self.fetch(dst, (array, word, Lies::InBuffer), &steps, &places, default, site)
    }

    /// Emits a read of an earlier combinator's value at constant offsets.
    pub(super) fn window(
        &mut self,
        dst: LocalId,
        bind: ValueId,
        offsets: &[Offset],
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Result<(), Unsupported> {
        let home = self.writer.home(bind).expect("what windows read lies in memory");
        let steps = self.writer.space[..offsets.len()].to_vec();
        let kept = |inner: &Inner, axis: usize| {
            let offset = &offsets[axis];
            inner.window_rule(steps[axis], (axis, offset.by), offset.rule) == Rule::Proved
        };
        if let Some(inner) = &self.inner
            && home.level == offsets.len()
            && (0..home.level).all(|axis| kept(inner, axis))
        {
            let by: Vec<i64> = offsets.iter().map(|offset| offset.by).collect();
            return self.neighbour(dst, (bind, home.word, home.lies), &by);
        }
        let mut places = Vec::new();
        for (axis, offset) in offsets.iter().enumerate() {
            // A coordinate has thirty bits, so its sum with an offset of thirty bits fits.
            if offset.by.unsigned_abs() >= 1 << 30 {
                return Err(Unsupported::new("windows that wide"));
            }
            let rule = match &self.inner {
                Some(inner) => inner.window_rule(steps[axis], (axis, offset.by), offset.rule),
                None => offset.rule,
            };
            let by = self.writer.dialect.small(offset.by);
            places.push(At { text: format!("add_i32(p.c{axis}, {by})"), repr: Repr::I32, rule });
        }
        self.fetch(dst, (bind, home.word, home.lies), &steps, &places, default, site)
    }

    /// Emits a read of a neighbour of the point in an array over the grid. The distance is the same for all points, which lets compilers see that
    /// neighbouring threads read neighbouring places.
    fn neighbour(
        &mut self,
        dst: LocalId,
        (value, word, lies): (ValueId, u32, Lies),
        offsets: &[i64],
    ) -> Result<(), Unsupported> {
        let repr = Repr::of(self.writer.elem(value));
        self.writer.need(repr)?;
        let mut by = String::new();
        for (axis, &offset) in offsets.iter().enumerate() {
            if !by.is_empty() {
                by = format!("({by}) * {}", self.writer.step_extent(self.writer.space[axis], "0"));
            }
            if offset != 0 {
                let offset = self.writer.dialect.small(offset);
                by = if by.is_empty() { offset } else { format!("{by} + {offset}") };
            }
        }
        let (name, at) = (lies.name(repr), format!("p.a{}", offsets.len()));
        let load = match self.writer.dialect.language {
            _ if by.is_empty() => lies.load(repr, word, &at),
            Language::Wgsl => {
                let words = words(self.writer.elem(value));
                format!("ld_{name}(address({word}u) + u32({by}) * {words}u, {at})")
            }
            Language::Cuda => format!("near_{name}(address({word}u), {by}, {at})"),
        };
        self.set(dst, &load, repr)
    }

    /// Emits the length or start of a segment; 0 if it does not exist.
    pub(super) fn segment(
        &mut self,
        dst: LocalId,
        seg: ValueId,
        at: &[Atom],
        function: &str,
    ) -> Result<(), Unsupported> {
        let Type::Seg(ty) = &self.writer.kernel.values[seg.index()].ty else {
            unreachable!("the verifier lets thunks ask only segmentations")
        };
        let steps = self.writer.steps_of(&ty.parent.axes);
        let shape = self.writer.layout.shape(shape_position(self.writer.kernel, seg));
        let zero = self.writer.dialect.small(0);
        let result = self.fresh("found");
        self.variable(&result, "i32", Some(&zero));
        let mut place = zero.clone();
        for (&step, &atom) in steps.iter().zip(at) {
            let repr = self.repr(atom);
            self.writer.need(repr)?;
            let index = self.atom(atom, repr);
            let extent = self.writer.step_extent(step, &place);
            self.text.open(format!("if (inside_{}({index}, {extent})) {{", repr.name()));
            place = self.next(step, &place, &format!("narrow_{}({index})", repr.name()));
        }
        self.text.line(format!("{result} = {function}({shape}u, {place});"));
        steps.iter().for_each(|_| self.text.close());
        self.set(dst, &result, Repr::I32)
    }

    /// Binds the place of an entry of a step.
    fn next(&mut self, step: Step, place: &str, entry: &str) -> String {
        let start = self.writer.step_start(step, place);
        if start == self.writer.dialect.small(0) {
            return entry.to_owned();
        }
        let name = self.fresh("at");
        let sum = match step {
            // Plain arithmetic, for which compilers may assume no overflow: so they see that neighbouring entries are adjacent.
            Step::Const(_) | Step::Extent(_) => {
                format!("{place} * {} + {entry}", self.writer.step_extent(step, place))
            }
            Step::Seg(_) | Step::Placed { .. } => format!("add_i32({start}, {entry})"),
        };
        self.bind(&name, "i32", &sum);
        name
    }

    fn fetch(
        &mut self,
        dst: LocalId,
        (value, word, lies): (ValueId, u32, Lies),
        steps: &[Step],
        index: &[At],
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Result<(), Unsupported> {
        let repr = Repr::of(self.writer.elem(value));
        self.writer.need(repr)?;
        let straight = index.iter().all(|at| matches!(at.rule, Rule::Fault | Rule::Proved));
        let result = self.fresh("read");
        let default = match default {
            Some(atom) => self.atom(atom, repr),
            None => self.writer.dialect.zero(repr),
        };
        if !straight {
            let zero = self.writer.dialect.zero(repr);
            self.variable(&result, repr.ty(), Some(&zero));
        }
        let mut place = self.writer.dialect.small(0);
        let mut opened = 0;
        for (&step, At { text, repr, rule }) in steps.iter().zip(index) {
            let suffix = repr.name();
            let inside = |extent: &str| format!("inside_{suffix}({text}, {extent})");
            let extent = if *rule == Rule::Proved {
                String::new()
            } else {
                let extent = self.writer.step_extent(step, &place);
                let name = self.fresh("extent");
                self.bind(&name, "i32", &extent);
                name
            };
            let entry = match rule {
                Rule::Fault => {
                    let site = site.expect("the verifier demands a site where a rule is `fault`");
                    self.check(&inside(&extent), site);
                    format!("narrow_{suffix}({text})")
                }
                Rule::Proved => format!("narrow_{suffix}({text})"),
                Rule::Else => {
                    self.text.open(format!("if (!{}) {{", inside(&extent)));
                    self.text.line(format!("{result} = {default};"));
                    self.text.otherwise();
                    opened += 1;
                    format!("narrow_{suffix}({text})")
                }
                Rule::Clamp | Rule::Wrap => {
                    let zero = self.writer.dialect.small(0);
                    self.text.open(format!("if ({extent} > {zero}) {{"));
                    opened += 1;
                    let how = if *rule == Rule::Clamp { "clamp" } else { "wrap" };
                    format!("{how}_{suffix}({text}, {extent})")
                }
            };
            place = self.next(step, &place, &entry);
        }
        // After a fault that has not been examined yet, proofs may be void, and segments may lie outside of the viewed data.
        let trusted = steps.iter().all(|step| !matches!(step, Step::Placed { .. }))
            && index.iter().all(|at| at.rule != Rule::Proved);
        if lies == Lies::InBuffer && !trusted {
            place = self.writer.within(&place, word);
        }
        let load = lies.load(repr, word, &place);
        if straight {
            return self.set(dst, &load, repr);
        }
        self.text.line(format!("{result} = {load};"));
        (0..opened).for_each(|_| self.text.close());
        self.set(dst, &result, repr)
    }
}
