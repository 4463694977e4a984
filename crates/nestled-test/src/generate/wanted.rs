//! Generation of result lists: types are chosen first, then produced, so that both branches of an `if` and all ends of a recursion agree on them.

use super::class::Class;
use super::expr::{self, random_type};
use super::host::{Fact, HostCode};
use super::kernel::array_over;
use super::steps::packed;
use super::thunk::SITE;
use nestled_ir::{Axis, HostAtom, HostOp, Op, Placement, ScalarType, Shape, Type, ValueId};

/// One result.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// A scalar.
    Scalar(ScalarType, Class),
    /// An array over a shape that is in scope.
    Array(ScalarType, Class, Shape),
    /// A new extent, at most this.
    Extent(u64),
    /// A new segmentation of a shape in scope, with at most so many elements.
    Seg(Shape, u64),
    /// An array over the last new shape.
    Over(ScalarType, Class),
}

impl Wanted {
    /// The facts about the result.
    pub fn fact(&self) -> Fact {
        match self {
            Wanted::Scalar(_, class) | Wanted::Array(_, class, _) | Wanted::Over(_, class) => {
                Fact::of(*class)
            }
            Wanted::Extent(bound) | Wanted::Seg(_, bound) => Fact::bound(*bound),
        }
    }
}

/// The most elements of new shapes of branches and functions.
const NEW: u64 = 40;

impl HostCode<'_> {
    /// A list of results. Only scalars, extents and arrays over those if `simple`, as `each` wants it.
    pub(super) fn wish(&mut self, simple: bool) -> Vec<Wanted> {
        let mut list = Vec::new();
        for _ in 0..1 + self.g.random.below(2) {
            let ty = random_type(&mut self.g.random);
            let class = Class::base(ty);
            match self.g.random.below(4) {
                0 => list.push(Wanted::Scalar(ty, class)),
                1 if !simple => {
                    let shape = self.some_shape();
                    if self.points(&shape) <= 200 {
                        list.push(Wanted::Array(ty, class, shape));
                    }
                }
                2 if !simple => {
                    let shape = self.some_shape();
                    if self.points(&shape) <= NEW && self.chain(&shape).len() < 8 {
                        list.push(Wanted::Seg(shape, NEW * 4));
                        list.push(Wanted::Over(ty, class));
                    }
                }
                _ => {
                    list.push(Wanted::Extent(NEW));
                    list.push(Wanted::Over(ty, class));
                    if self.g.random.chance(30) {
                        let ty = random_type(&mut self.g.random);
                        list.push(Wanted::Over(ty, Class::base(ty)));
                    }
                }
            }
        }
        if list.is_empty() {
            list.push(Wanted::Scalar(ScalarType::I32, Class::Any));
        }
        list
    }

    /// Produces the results of a list.
    pub(super) fn produce(&mut self, list: &[Wanted]) -> Vec<HostAtom> {
        let mut atoms: Vec<HostAtom> = Vec::new();
        let mut shape = Shape::SCALAR;
        for (at, wanted) in list.iter().enumerate() {
            if atoms.len() > at {
                continue;
            }
            match wanted {
                Wanted::Scalar(ty, class) => atoms.push(self.scalar_of(*ty, *class)),
                Wanted::Array(ty, class, over) => atoms.push(self.array_of(over, *ty, *class)),
                Wanted::Extent(bound) => {
                    let arrays = over_types(&list[at + 1..]);
                    if self.g.random.chance(60) {
                        let axes = self.small_space(*bound);
                        let made = packed(self, &axes, &arrays);
                        atoms.extend(made.iter().map(|&id| HostAtom::Value(id)));
                    } else {
                        let extent = self.small_extent(*bound, list);
                        shape = Shape::of(extent);
                        atoms.push(HostAtom::Value(extent));
                    }
                }
                Wanted::Seg(parent, _) => {
                    let lengths = array_over(self, parent, ScalarType::I32, Class::Range(0, 4));
                    let bound = self.points(parent) * 4;
                    let seg = self.bind(HostOp::Segments { lengths, site: SITE }, &[Fact::bound(bound)])[0];
                    shape = Shape::of(seg);
                    atoms.push(HostAtom::Value(seg));
                }
                Wanted::Over(ty, class) => atoms.push(self.array_of(&shape.clone(), *ty, *class)),
            }
        }
        atoms
    }

    /// A scalar that is no extent: an extent would be taken for a new shape.
    fn scalar_of(&mut self, ty: ScalarType, class: Class) -> HostAtom {
        let known = expr::want_in(self, ty, class, 2);
        match known.atom {
            HostAtom::Value(id) if *self.ty(id) == Type::Dim => {
                expr::must(self, Op::Convert(ScalarType::Idx), &[known]).atom
            }
            atom => atom,
        }
    }

    /// An array in scope that fits, or a new one.
    fn array_of(&mut self, shape: &Shape, ty: ScalarType, class: Class) -> HostAtom {
        let fine = self.arrays(|array, fact| {
            let dense = array.placement == Placement::Dense;
            dense && array.elem == ty && fact.class.fits(class) && array.shape == *shape
        });
        if !fine.is_empty() && self.g.random.chance(60) {
            return HostAtom::Value(*self.g.random.pick(&fine));
        }
        HostAtom::Value(array_over(self, shape, ty, class))
    }

    fn small_space(&mut self, bound: u64) -> Vec<Axis> {
        let shape = self.some_shape();
        let axes = self.chain(&shape);
        if self.points(&shape) <= bound && axes.len() <= 8 { axes } else { vec![Axis::Const(5)] }
    }

    /// A new extent, or one in scope that is not meant by the type of another result: a branch that gives an extent of the outside
    /// gives it a new name, in the types of the results after it too.
    fn small_extent(&mut self, bound: u64, list: &[Wanted]) -> ValueId {
        let shaped = |wanted: &&Wanted| !matches!(wanted, Wanted::Scalar(..) | Wanted::Over(..));
        let free = list.iter().filter(shaped).count() == 1;
        let fine: Vec<ValueId> =
            self.dims().into_iter().filter(|&dim| self.fact(dim).bound <= bound).collect();
        if free && !fine.is_empty() && self.g.random.chance(50) {
            return *self.g.random.pick(&fine);
        }
        let extent = expr::want_in(self, ScalarType::Idx, Class::Range(0, 6), 1);
        self.bind(HostOp::Dim { extent: extent.atom, site: SITE }, &[Fact::bound(6)])[0]
    }

    /// An `if` with branches that compute a list of results in different ways.
    pub(super) fn branch(&mut self) {
        let cond = expr::want(self, ScalarType::Bool, 2).atom;
        let list = self.wish(false);
        let write = |code: &mut Self| {
            let n = code.g.random.below(2);
            code.grow(n);
            code.produce(&list)
        };
        let (then, otherwise) = (self.block(write), self.block(write));
        let facts: Vec<Fact> = list.iter().map(Wanted::fact).collect();
        self.bind(HostOp::If { cond, then, otherwise }, &facts);
    }

    /// The formal results of a function for a list of results.
    pub(super) fn formal_results(&mut self, list: &[Wanted]) -> Vec<ValueId> {
        let mut shape = Shape::SCALAR;
        let mut results = Vec::new();
        for wanted in list {
            let ty = match wanted {
                Wanted::Scalar(ty, _) => Type::scalar(*ty),
                Wanted::Array(ty, _, over) => Type::dense(*ty, over.clone()),
                Wanted::Extent(_) => Type::Dim,
                Wanted::Seg(parent, _) => Type::seg(parent.clone(), nestled_ir::Form::Offsets),
                Wanted::Over(ty, _) => Type::dense(*ty, shape.clone()),
            };
            let is_shape = ty.is_shape();
            let id = self.value(ty, wanted.fact());
            if is_shape {
                shape = Shape::of(id);
            }
            results.push(id);
        }
        results
    }
}

/// The arrays that follow a new shape.
fn over_types(rest: &[Wanted]) -> Vec<(ScalarType, Class)> {
    let over = |wanted: &Wanted| match wanted {
        Wanted::Over(ty, class) => Some((*ty, *class)),
        Wanted::Scalar(..) | Wanted::Array(..) | Wanted::Extent(_) | Wanted::Seg(..) => None,
    };
    rest.iter().map_while(over).collect()
}
