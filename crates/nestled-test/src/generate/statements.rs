//! Generation of statements of host code: shapes, literals, library operations, commands.

use super::class::Class;
use super::expr::{self, random_scalar, random_type};
use super::host::{Fact, HostCode};
use super::kernel::array_over;
use super::steps::random_kernel;
use super::thunk::SITE;
use nestled_ir::{
    Axis, Command, Form, HostAtom, HostOp, Library, Order, Placement, PrintItem, Scalar, ScalarType, Shape,
    Type, ValueId,
};

impl HostCode<'_> {
    /// Adds a random statement.
    pub fn statement(&mut self) {
        let nested = usize::from(self.nest < 2);
        match self.g.random.weighted(&[
            30,
            6,
            3,
            3,
            2,
            4,
            3,
            2,
            3,
            2,
            4,
            2,
            3,
            2,
            2,
            1,
            2 * nested,
            5 * nested,
        ]) {
            0 => random_kernel(self),
            1 => self.scalar(),
            2 => self.literal_array(),
            3 => self.dim(),
            4 => self.size(),
            5 => self.segments(),
            6 => self.regular(),
            7 => self.widen(),
            8 => self.lengths_or_starts(),
            9 => self.same(),
            10 => self.reshape(),
            11 => self.view(),
            12 => self.sort(),
            13 => self.rank_keys(),
            14 => self.matmul(),
            15 => self.check(),
            16 => self.branch(),
            _ => self.call_something(),
        }
    }

    fn scalar(&mut self) {
        let ty = random_type(&mut self.g.random);
        expr::want(self, ty, 3);
    }

    fn literal_array(&mut self) {
        let ty = random_type(&mut self.g.random);
        let rank = 1 + self.g.random.below(3);
        let extents: Vec<u64> = (0..rank).map(|_| self.g.random.below(4) as u64).collect();
        let n: u64 = extents.iter().product();
        let tame = ty.is_float() && self.g.random.chance(60);
        let elements: Vec<Scalar> = (0..n)
            .map(|_| {
                let random = &mut self.g.random;
                if tame { expr::tame(random, ty) } else { random_scalar(random, ty) }
            })
            .collect();
        let class = elements.iter().map(|&e| Class::of(e)).reduce(Class::join).unwrap_or(Class::base(ty));
        self.bind(HostOp::Literal { elem: ty, extents, elements }, &[Fact::of(class)]);
    }

    fn dim(&mut self) {
        let least = if self.g.random.chance(self.g.size.faults * 2) { -1 } else { 0 };
        let extent = expr::want_in(self, ScalarType::Idx, Class::Range(least, 6), 2);
        let (bound, known) = match extent.class {
            Class::Range(from, to) => (to.max(0) as u64, (from == to && from >= 0).then_some(from)),
            Class::Any | Class::Dyadic { .. } => (6, None),
        };
        let fact = Fact { known, ..Fact::bound(bound) };
        self.bind(HostOp::Dim { extent: extent.atom, site: SITE }, &[fact]);
    }

    fn size(&mut self) {
        let shape = self.some_shape();
        let bound = self.points(&shape);
        if bound > self.g.size.points {
            return;
        }
        self.size_of(shape);
    }

    /// The number of points of a shape, as an extent.
    fn size_of(&mut self, shape: Shape) -> ValueId {
        let known = match shape.axes.as_slice() {
            [Axis::Sym(symbol)] if *self.ty(*symbol) == Type::Dim => self.fact(*symbol).known,
            _ => None,
        };
        let fact = Fact { known, ..Fact::bound(self.points(&shape)) };
        let same = shape.axes.clone();
        let size = self.bind(HostOp::Size { shape }, &[fact])[0];
        if let ([axis @ Axis::Sym(symbol)], true) = (same.as_slice(), self.g.random.chance(50))
            && *self.ty(*symbol) == Type::Dim
        {
            self.declare_same(Axis::Sym(size), *axis);
        }
        size
    }

    fn declare_same(&mut self, left: Axis, right: Axis) {
        self.push(Vec::new(), HostOp::Same { left, right, site: SITE });
        let (from, to) = (self.canonical(left), self.canonical(right));
        // What a branch leaves must have its type outside too, where the two axes may differ.
        if from != to && !self.in_branch() {
            self.equal.push((from, to));
        }
    }

    /// Two extents that are equal because both are known, rarely any two.
    fn same(&mut self) {
        let dims = self.dims();
        if dims.len() < 2 {
            return;
        }
        let (a, b) = (*self.g.random.pick(&dims), *self.g.random.pick(&dims));
        let equal = self.fact(a).known.is_some() && self.fact(a).known == self.fact(b).known;
        if let (Some(n), true) = (self.fact(a).known, self.g.random.chance(40)) {
            self.declare_same(Axis::Sym(a), Axis::Const(n as u64));
        } else if equal || a == b || self.g.random.chance(self.g.size.faults * 3) {
            self.declare_same(Axis::Sym(a), Axis::Sym(b));
        }
    }

    /// A segmentation from lengths, which are made for it if there are none.
    fn segments(&mut self) {
        let fits = |fact: Fact, most: i64| fact.class.fits(Class::Range(0, most));
        let found = self.arrays(|array, fact| {
            array.elem.is_integer() && array.placement == Placement::Dense && fits(fact, 40)
        });
        let lengths = if !found.is_empty() && self.g.random.chance(70) {
            *self.g.random.pick(&found)
        } else {
            self.new_lengths()
        };
        let Class::Range(_, most) = self.fact(lengths).class else { return };
        let n = self.points(&self.array_type(lengths).shape.clone());
        let bound = n.saturating_mul(most.max(0) as u64);
        if bound <= self.g.size.points * 2 && self.chain(&self.array_type(lengths).shape.clone()).len() < 8 {
            self.bind(HostOp::Segments { lengths, site: SITE }, &[Fact::bound(bound)]);
        }
    }

    fn new_lengths(&mut self) -> ValueId {
        let shape = self.some_shape();
        let shape = if self.points(&shape) > 200 { Shape::new([Axis::Const(3)]) } else { shape };
        use ScalarType as S;
        let ty = *self.g.random.pick(&[S::Idx, S::Idx, S::I32, S::I64, S::I8, S::U8, S::I16, S::U16]);
        let negative = ty.is_signed() && self.g.random.chance(self.g.size.faults * 3);
        array_over(self, &shape, ty, Class::Range(if negative { -1 } else { 0 }, 4))
    }

    fn regular(&mut self) {
        let parent = self.some_shape();
        let length = self.some_axis();
        let bound = self.points(&parent).saturating_mul(self.axis_bound(length));
        if bound <= self.g.size.points && self.chain(&parent).len() < 8 {
            self.bind(HostOp::Regular { parent, length }, &[Fact::bound(bound)]);
        }
    }

    fn widen(&mut self) {
        let regular = |id: &ValueId| self.ty(*id).as_seg().is_some_and(|seg| seg.form == Form::Regular);
        let all: Vec<ValueId> = self.segs().into_iter().filter(regular).collect();
        if !all.is_empty() {
            let seg = *self.g.random.pick(&all);
            let fact = self.fact(seg);
            self.bind(HostOp::Widen { seg }, &[fact]);
        }
    }

    fn lengths_or_starts(&mut self) {
        let segs = self.segs();
        if segs.is_empty() {
            return;
        }
        let seg = *self.g.random.pick(&segs);
        let fact = Fact::of(Class::Range(0, self.fact(seg).bound as i64));
        let op = if self.g.random.chance(50) { HostOp::Lengths { seg } } else { HostOp::Starts { seg } };
        self.bind(op, &[fact]);
    }

    /// Flat, or back to a shape of which the number of points is known.
    fn reshape(&mut self) {
        let arrays = self.dense();
        if arrays.is_empty() {
            return;
        }
        let array = *self.g.random.pick(&arrays);
        let (shape, fact) = (self.array_type(array).shape.clone(), self.fact(array));
        let size = self.size_of(shape.clone());
        let flat = HostOp::Reshape { array, shape: Shape::of(size), site: SITE };
        let flat = self.bind(flat, &[fact])[0];
        let other = match self.g.random.below(4) {
            0 => shape,
            1 => Shape::new([Axis::Const(1), Axis::Sym(size)]),
            2 => Shape::new([Axis::Sym(size), Axis::Const(1)]),
            _ => return,
        };
        let slip = self.g.random.chance(self.g.size.faults);
        let other = if slip { self.some_shape() } else { other };
        if self.points(&other) <= self.g.size.points * 4 {
            self.bind(HostOp::Reshape { array: flat, shape: other, site: SITE }, &[fact]);
        }
    }

    /// A view of a nested array's own elements, with starts that may be exchanged.
    fn view(&mut self) {
        let segs = self.segs();
        if segs.is_empty() {
            return;
        }
        let seg = *self.g.random.pick(&segs);
        let buffers =
            self.arrays(|array, _| array.placement == Placement::Dense && array.shape == Shape::of(seg));
        let buffer = if buffers.is_empty() {
            let ty = random_type(&mut self.g.random);
            array_over(self, &Shape::of(seg), ty, Class::base(ty))
        } else {
            *self.g.random.pick(&buffers)
        };
        let fact = self.fact(buffer);
        let size = self.size_of(Shape::of(seg));
        let flat =
            self.bind(HostOp::Reshape { array: buffer, shape: Shape::of(size), site: SITE }, &[fact])[0];
        let starts = if self.g.random.chance(50) {
            self.bind(HostOp::Starts { seg }, &[Fact::of(Class::Any)])[0]
        } else {
            super::kernel::starts_within(self, seg, size)
        };
        self.bind(HostOp::View { seg, starts, buffer: flat, site: SITE }, &[fact]);
    }

    /// A random array that can be sorted.
    fn keys(&mut self) -> Option<ValueId> {
        let keys =
            self.arrays(|array, _| array.placement == Placement::Dense && array.elem != ScalarType::F16);
        if keys.is_empty() { None } else { Some(*self.g.random.pick(&keys)) }
    }

    fn order(&mut self) -> Order {
        *self.g.random.pick(&[Order::Ascending, Order::Descending])
    }

    fn sort(&mut self) {
        let Some(keys) = self.keys() else { return };
        let shape = self.array_type(keys).shape.clone();
        let others = self
            .arrays(|array, _| array.placement == Placement::Dense && self.same_shape(&array.shape, &shape));
        let mut payload = Vec::new();
        for _ in 0..self.g.random.below(3) {
            payload.push(*self.g.random.pick(&others));
        }
        let facts: Vec<Fact> = std::iter::once(&keys).chain(&payload).map(|&id| self.fact(id)).collect();
        let order = self.order();
        self.bind(HostOp::Library(Library::Sort { keys, payload, order }), &facts);
    }

    fn rank_keys(&mut self) {
        let Some(keys) = self.keys() else { return };
        let order = self.order();
        self.bind(HostOp::Library(Library::Rank { keys, order }), &[Fact::of(Class::Any)]);
    }

    /// A product of two new matrices. Of floats the sign of a zero depends on the order, so that only positive ones take part.
    fn matmul(&mut self) {
        let ty = random_type(&mut self.g.random);
        if !ty.is_number() {
            return;
        }
        let (n, k, m) = (self.some_axis(), self.some_axis(), self.some_axis());
        let (rows, columns) = (Shape::new([n, k]), Shape::new([k, m]));
        let work = self.points(&rows).saturating_mul(self.axis_bound(m));
        if work > self.g.size.points || self.points(&columns) > self.g.size.points {
            return;
        }
        let (left, right) = if ty.is_float() {
            (self.positive(&rows, ty), self.positive(&columns, ty))
        } else {
            (array_over(self, &rows, ty, Class::Any), array_over(self, &columns, ty, Class::Any))
        };
        let class = Class::Dyadic { whole: 4, fraction: 0 }.sum(ty, self.axis_bound(k));
        let class = if ty.is_float() { class.unwrap_or(Class::Any) } else { Class::Any };
        self.bind(HostOp::Library(Library::MatMul { left, right }), &[Fact::of(class)]);
    }

    fn positive(&mut self, shape: &Shape, ty: ScalarType) -> ValueId {
        let counts = array_over(self, shape, ScalarType::I32, Class::Range(0, 3));
        super::kernel::converted(self, counts, ty)
    }

    fn check(&mut self) {
        let percent = self.g.size.faults * 3;
        let cond = expr::likely(self, percent).atom;
        self.push(Vec::new(), HostOp::Check { cond, code: "host check".into(), site: SITE });
    }

    /// Prints something in scope.
    pub fn print(&mut self) {
        if !self.commands || self.scope.is_empty() {
            return;
        }
        let mut items = vec![PrintItem::Text("found \"it\":\t".into())];
        for _ in 0..1 + self.g.random.below(2) {
            let id = *self.g.random.pick(&self.scope.clone());
            items.push(PrintItem::Value(HostAtom::Value(id)));
            items.push(PrintItem::Text(" ".into()));
        }
        if self.g.random.chance(20) {
            items.push(PrintItem::Value(HostAtom::Const(Scalar::I64(-7))));
        }
        let to_error = self.g.random.chance(25);
        self.push(Vec::new(), HostOp::Command(Command::Print { items, to_error }));
    }

    /// Writes a file and reads it back.
    pub fn files(&mut self) {
        if !self.commands {
            return;
        }
        let text = |text: &str| text.bytes().map(Scalar::U8).collect::<Vec<Scalar>>();
        let path = text("random.bin");
        let literal = |elements: Vec<Scalar>| HostOp::Literal {
            elem: ScalarType::U8,
            extents: vec![elements.len() as u64],
            elements,
        };
        let path = self.bind(literal(path), &[Fact::of(Class::Any)])[0];
        let bytes = self.bind(literal(text("\u{0}a\n")), &[Fact::of(Class::Any)])[0];
        let any = Fact::of(Class::Any);
        let append = self.g.random.chance(50);
        self.bind(HostOp::Command(Command::WriteFile { path, bytes, append }), &[any]);
        // Programs that append to one file more than this many times do not occur.
        self.bind(HostOp::Command(Command::ReadFile { path }), &[any, Fact::bound(400), any]);
    }

    /// Adds several statements.
    pub fn grow(&mut self, n: usize) {
        for _ in 0..n {
            self.statement();
            if self.g.random.chance(8) {
                self.print();
            }
        }
    }
}
