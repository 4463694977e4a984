//! Shape equalities: the pairs of shapes that a statement takes for equal although their symbols differ, because of an earlier `same` or `widen`.
//!
//! ```text
//! same n m
//! ys = run f<n>(xs)        ; `xs: [m]f32`, and `f` wants `[n]f32`: the pair (n, m)
//! ```

use nestled_ir::typing::Substitution;
use nestled_ir::{Axis, Function, HostAtom, Kernel, Library, Shape, Type, ValueId};

/// The pairs of shapes that must be equal, those first that others are made of.
pub(super) type Pairs = Vec<(Axis, Axis)>;

/// The equalities that a kernel launch relies on.
pub(super) fn run(function: &Function, kernel: &Kernel, shapes: &[Axis], args: &[HostAtom]) -> Pairs {
    let mut pairing = Pairing { function, pairs: Pairs::new() };
    let formal = Substitution::new(&kernel.shapes, shapes);
    let wanted = |value: ValueId| formal.ty(&kernel.values[value.index()].ty);
    for (&shape, &actual) in kernel.shapes.iter().zip(shapes) {
        if let Axis::Sym(actual) = actual {
            pairing.types(&wanted(shape), actual);
        }
    }
    for (&param, &arg) in kernel.params.iter().zip(args) {
        if let HostAtom::Value(arg) = arg {
            pairing.types(&wanted(param), arg);
        }
    }
    pairing.pairs
}

/// The equalities that a library operation relies on.
pub(super) fn library(function: &Function, library: &Library) -> Pairs {
    let mut pairing = Pairing { function, pairs: Pairs::new() };
    match library {
        Library::Sort { keys, payload, order: _ } => {
            let wanted = pairing.shape_of(*keys);
            for &array in payload {
                let found = pairing.shape_of(array);
                pairing.shapes(&wanted, &found);
            }
        }
        Library::Rank { .. } => {}
        Library::MatMul { left, right } => {
            let (left, right) = (pairing.shape_of(*left), pairing.shape_of(*right));
            pairing.axes(left.axes[1], right.axes[0]);
        }
    }
    pairing.pairs
}

/// The equalities that a view relies on: one start for each segment.
pub(super) fn view(function: &Function, seg: ValueId, starts: ValueId) -> Pairs {
    let mut pairing = Pairing { function, pairs: Pairs::new() };
    if let Type::Seg(seg) = pairing.ty(seg) {
        let found = pairing.shape_of(starts);
        pairing.shapes(&seg.parent, &found);
    }
    pairing.pairs
}

struct Pairing<'a> {
    function: &'a Function,
    pairs: Pairs,
}

impl<'a> Pairing<'a> {
    fn ty(&self, value: ValueId) -> &'a Type {
        &self.function.values[value.index()].ty
    }

    fn shape_of(&self, array: ValueId) -> Shape {
        self.ty(array).as_array().map_or_else(|| Shape { axes: Vec::new() }, |array| array.shape.clone())
    }

    fn types(&mut self, wanted: &Type, found: ValueId) {
        match (wanted, self.ty(found)) {
            (Type::Array(wanted), Type::Array(found)) => self.shapes(&wanted.shape, &found.shape),
            (Type::Seg(wanted), Type::Seg(found)) => self.shapes(&wanted.parent, &found.parent),
            (Type::Array(_) | Type::Dim | Type::Seg(_), _) => {}
        }
    }

    fn shapes(&mut self, left: &Shape, right: &Shape) {
        for (&left, &right) in left.axes.iter().zip(&right.axes) {
            self.axes(left, right);
        }
    }

    fn axes(&mut self, left: Axis, right: Axis) {
        if left == right || self.pairs.contains(&(left, right)) {
            return;
        }
        if let (Axis::Sym(left), Axis::Sym(right)) = (left, right)
            && let (Type::Seg(left), Type::Seg(right)) = (self.ty(left), self.ty(right))
        {
            self.shapes(&left.parent, &right.parent);
        }
        self.pairs.push((left, right));
    }
}
