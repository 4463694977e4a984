//! Builder of kernels over the vectors of a form.

use super::slot::Form;
use super::{Lower, Lowering};
use nestled_ir::build::{CodeBuilder, KernelBuilder};
use nestled_ir::{
    Atom, Axis, Form as SegForm, HostAtom, HostOp, Index, Level, Name, Rule, Scalar, ScalarType, Shape,
    SiteId, Span, Type, ValueId,
};

/// A kernel that is being written.
pub struct Sweep {
    /// The kernel written so far.
    pub kernel: KernelBuilder,
    /// The axes of its iteration space, which is that of vectors of the form.
    pub space: Vec<Axis>,
}

impl Sweep {
    /// Declares an extent.
    pub fn extent(&mut self, name: &str) -> Axis {
        Axis::Sym(self.kernel.declare(name, Type::Dim))
    }

    /// Declares a segmentation.
    pub fn segmentation(&mut self, name: &str, parent: Axis) -> Axis {
        Axis::Sym(self.kernel.declare(name, Type::seg(Shape::new([parent]), SegForm::Offsets)))
    }

    /// Declares an array over an axis, or a scalar.
    pub fn array(&mut self, name: &str, elem: ScalarType, axis: Option<Axis>) -> ValueId {
        let shape = axis.map_or(Shape::SCALAR, |axis| Shape::new([axis]));
        self.kernel.declare(name, Type::dense(elem, shape))
    }

    /// Declares a vector of the form.
    pub fn vector(&mut self, name: &str, elem: ScalarType) -> ValueId {
        self.array(name, elem, self.space.last().copied())
    }

    /// Declares an array with one element for each segment: a scalar where there is one segment.
    pub fn per_segment(&mut self, name: &str, elem: ScalarType) -> ValueId {
        let segments = self.space.len().checked_sub(2).map(|at| self.space[at]);
        self.array(name, elem, segments)
    }

    /// Reads such an array at the point's own segment.
    pub fn of_segment(&mut self, value: ValueId) -> Atom {
        if self.kernel.ty(value).as_scalar().is_some() {
            return Atom::Value(value);
        }
        let at = self.at()[0];
        self.element(value, &[at], Rule::Proved, None)
    }

    /// Begins another thunk at the same points.
    pub fn again(&mut self) {
        self.kernel.begin(self.space.len());
    }

    /// Returns the level of segments: the one around the elements.
    pub fn outer(&self) -> Level {
        Level(self.space.len().saturating_sub(1))
    }

    /// Returns the builder of the current thunk.
    pub fn code(&mut self) -> &mut CodeBuilder {
        &mut self.kernel.code
    }

    /// Returns the thunk's own coordinates.
    pub fn at(&self) -> Vec<Atom> {
        self.kernel.code.params()
    }

    /// Reads a parameter at the thunk's own coordinates.
    pub fn own(&mut self, value: ValueId) -> Atom {
        if self.kernel.ty(value).as_scalar().is_some() {
            return Atom::Value(value);
        }
        let at = self.at();
        self.element(value, &at, Rule::Proved, None)
    }

    /// Reads an element. Outer coordinates are known to be in range; the rule is for the last index.
    pub fn element(&mut self, array: ValueId, at: &[Atom], rule: Rule, site: Option<SiteId>) -> Atom {
        let last = at.len() - 1;
        let rule = |axis| if axis == last { rule } else { Rule::Proved };
        let index = at.iter().enumerate().map(|(axis, &at)| Index { at, rule: rule(axis) }).collect();
        self.code().read(array, index, None, site)
    }

    /// Ends the thunk as a map.
    pub fn map(&mut self, name: &str, result: Atom) -> ValueId {
        self.kernel.end_map(name, vec![result])[0]
    }
}

/// Returns a literal as an operand.
pub fn number(ty: ScalarType, value: i64) -> Atom {
    Atom::Const(Scalar::from_bits(ty, value as u64))
}

/// Returns a position as an operand.
pub fn position(value: i64) -> Atom {
    number(ScalarType::Idx, value)
}

impl Lowering<'_> {
    /// Makes a kernel over vectors of a form.
    pub fn sweep(&self, name: &str, form: Form, span: Span) -> Sweep {
        let mut sweep = Sweep { kernel: KernelBuilder::apart(name, span), space: Vec::new() };
        match form {
            Form::One => {}
            Form::Flat(_) => sweep.space = vec![sweep.extent("n")],
            Form::Seg(_) => {
                let parent = sweep.extent("m");
                sweep.space = vec![parent, sweep.segmentation("s", parent)];
            }
        }
        sweep
    }

    /// Begins the first thunk, after the parameters have been declared.
    pub fn begin(sweep: &mut Sweep) {
        let space = sweep.space.clone();
        sweep.kernel.over(&space);
    }

    /// Runs a kernel; returns its results.
    pub fn run(
        &mut self,
        sweep: Sweep,
        ret: Vec<ValueId>,
        shapes: Vec<Axis>,
        args: Vec<HostAtom>,
        span: Span,
    ) -> Lower<Vec<ValueId>> {
        let (kernel, _, _) = sweep.kernel.finish(ret);
        let names: Vec<Name> =
            kernel.ret.iter().map(|value| kernel.values[value.index()].name.clone()).collect();
        let kernel = self.out.kernel(kernel);
        let names: Vec<&Name> = names.iter().collect();
        self.emit(&names, HostOp::Run { kernel, shapes, args }, span)
    }
}
