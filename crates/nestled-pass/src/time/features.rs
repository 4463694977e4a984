//! Features of a launch: what a kernel does over its points, counted by class of work, before a device's rates make it time.
//!
//! Statements count once for each point of their combinator's level, and those of loops once for each round, where the number of rounds follows from sizes.

use super::index_form::{IndexForm, IndexForms};
use nestled_ir::interp::math_thunk;
use nestled_ir::{
    Atom, Axis, Base, Block, Collision, Combinator, CombinatorKind, Form, Index, Kernel, LocalId, Op,
    Program, ScalarType, Stmt, StmtKind, Thunk, Value, ValueId,
};
use std::collections::{HashMap, HashSet};

/// The sizes of a launch, known or estimated.
pub trait Sizes {
    /// The extent of an axis; of a segmentation, the number of points up to and with it.
    fn extent(&self, symbol: ValueId) -> f64;

    /// The value of a scalar parameter, if it is known.
    fn scalar(&self, param: ValueId) -> Option<f64>;
}

/// The classes of work, each with a rate of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(usize)]
pub enum Work {
    /// Additions, products, comparisons, selections and the like, per four bytes of operand.
    Plain,
    /// Operations on 64-bit integers that vectors have no instruction for everywhere: products, and conversions from and to floats.
    Long,
    /// Divisions and square roots of floats, per four bytes.
    Divide,
    /// Divisions of integers.
    DivideInteger,
    /// Loads of elements that are in order, per four bytes.
    Load,
    /// Rounds of loops, per lane.
    Round,
    /// Elements that a scan goes over.
    Scan,
    /// Elements that a reduction goes over, per four bytes.
    Reduce,
    /// Elements that a filter or partition goes over.
    Pack,
    /// Results of reductions: the end of each row or segment.
    Reduced,
    /// Segments that offsets cut.
    Segment,
    /// Points that run one after another.
    Serial,
    /// Shapes, arguments and results of a launch, beyond three.
    Argument,
    /// Reductions, scans, filters and scatters of a launch, whatever their points.
    Combinator,
}

impl Work {
    /// Number of classes.
    pub const COUNT: usize = 14;
    /// All classes, with their names in files.
    pub const ALL: [(Work, &'static str); Work::COUNT] = [
        (Work::Plain, "plain"),
        (Work::Long, "long"),
        (Work::Divide, "divide"),
        (Work::DivideInteger, "divide-integer"),
        (Work::Load, "load"),
        (Work::Round, "round"),
        (Work::Scan, "scan"),
        (Work::Reduce, "reduce"),
        (Work::Pack, "pack"),
        (Work::Reduced, "reduced"),
        (Work::Segment, "segment"),
        (Work::Serial, "serial"),
        (Work::Argument, "argument"),
        (Work::Combinator, "combinator"),
    ];
}

/// Accesses of one array at places in no order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scattered {
    /// Number of accesses.
    pub count: f64,
    /// Bytes of the array.
    pub bytes: f64,
}

/// Amounts of work and of memory accesses of a launch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Features {
    /// Amounts of work, by class.
    pub work: [f64; Work::COUNT],
    /// Bytes that go through memory in order: arguments read and results written.
    pub streamed: f64,
    /// Reads at any places.
    pub gathers: Vec<Scattered>,
    /// Writes at any places.
    pub scatters: Vec<Scattered>,
    /// Writes at any places that combine with what is there.
    pub combines: Vec<Scattered>,
    /// The same of elements of 64 bits.
    pub wide_combines: Vec<Scattered>,
}

/// Lanes that do nothing while one works.
const IDLE_LANES: f64 = 8.0;

/// Additions, rotations and the like of one random number.
const THREEFRY: f64 = 80.0;

/// Part of the lanes that need the rare arm of a branch.
const RARE: f64 = 0.1;

/// Loads in order that take as long as one with a stride.
const STRIDED: f64 = 2.0;

/// Assumed rounds of a loop whose number follows from no size.
const ROUNDS: f64 = 16.0;

impl Features {
    /// Counts what a kernel does.
    pub fn of(program: &Program, kernel: &Kernel, sizes: &dyn Sizes) -> Features {
        let mut count =
            Count { program, kernel, sizes, features: Features::default(), in_order: HashSet::new() };
        for step in &kernel.steps {
            count.step(step);
        }
        count.segments();
        count.results();
        let passed = kernel.shapes.len() + kernel.params.len() + kernel.ret.len();
        count.work(Work::Argument, passed.saturating_sub(3) as f64);
        let combining = |step: &&Combinator| !matches!(step.kind, CombinatorKind::Map);
        count.work(Work::Combinator, kernel.steps.iter().filter(combining).count() as f64);
        count.features
    }

    /// Multiplies all amounts but those of arrays read in order.
    fn scale(&mut self, factor: f64) {
        self.work.iter_mut().for_each(|amount| *amount *= factor);
        let lists = [&mut self.gathers, &mut self.scatters, &mut self.combines, &mut self.wide_combines];
        lists.into_iter().flatten().for_each(|one| one.count *= factor);
    }

    /// Adds what another kernel does.
    pub fn add(&mut self, other: &Features) {
        for (sum, own) in self.work.iter_mut().zip(other.work) {
            *sum += own;
        }
        self.streamed += other.streamed;
        self.gathers.extend_from_slice(&other.gathers);
        self.scatters.extend_from_slice(&other.scatters);
        self.combines.extend_from_slice(&other.combines);
        self.wide_combines.extend_from_slice(&other.wide_combines);
    }
}

/// A count that is going on.
struct Count<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    sizes: &'a dyn Sizes,
    features: Features,
    /// Arrays that are counted already as read in order.
    in_order: HashSet<ValueId>,
}

/// The thunk that is counted.
struct Site<'a> {
    thunk: &'a Thunk,
    forms: IndexForms,
    /// The part of the points that stands for all points of a row, at which uniform work is done once.
    rows: f64,
    /// Values of integers that follow from sizes.
    known: HashMap<LocalId, f64>,
}

impl Count<'_> {
    fn points(&self, axes: &[Axis]) -> f64 {
        points(axes, &self.kernel.values, &|symbol| self.sizes.extent(symbol))
    }

    fn bytes(&self, array: ValueId) -> f64 {
        self.kernel.values[array.index()]
            .ty
            .as_array()
            .map_or(0.0, |array| self.points(&array.shape.axes) * array.elem.size() as f64)
    }

    fn work(&mut self, class: Work, amount: f64) {
        self.features.work[class as usize] += amount;
    }

    fn step(&mut self, step: &Combinator) {
        let is_serial = matches!(step.kind, CombinatorKind::Serial { .. });
        let level = step.level().0;
        let points = if is_serial { IDLE_LANES } else { self.points(&self.kernel.space[..level]) };
        let rows = self.points(&self.kernel.space[..level.saturating_sub(1)]);
        let rows = if is_serial { 1.0 } else { (rows / points.max(1.0)).min(1.0) };
        let is_outer =
            |value| self.kernel.binder(value).is_some_and(|(_, binder)| binder.result_level().0 < level);
        let forms = IndexForms::of(&step.body, &is_outer);
        let mut site = Site { thunk: &step.body, forms, rows, known: HashMap::new() };
        self.block(&mut site, &step.body.body, points);
        let width: f64 = step.binds.iter().map(|&bind| self.width(bind)).sum();
        match &step.kind {
            CombinatorKind::Map => {}
            CombinatorKind::Reduce { to, .. } => {
                self.work(Work::Reduce, points * width);
                let results = self.points(&self.kernel.space[..to.0]);
                self.work(Work::Reduced, results);
            }
            CombinatorKind::Scan { .. } => self.work(Work::Scan, points * width.max(1.0)),
            CombinatorKind::Filter { .. } | CombinatorKind::Partition { .. } => self.work(Work::Pack, points),
            CombinatorKind::Permute { dest, collision, base, .. } => {
                let all = self.points(&dest.axes);
                match base {
                    Base::Arrays(bases) => bases.iter().for_each(|&base| self.stream(base)),
                    Base::Fill(_) => {}
                }
                for &bind in &step.binds {
                    let width = self.width(bind);
                    let scattered = Scattered { count: points, bytes: all * 4.0 * width };
                    match collision {
                        Collision::Combine(_) if width > 1.0 => self.features.wide_combines.push(scattered),
                        Collision::Combine(_) => self.features.combines.push(scattered),
                        Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => {
                            self.features.scatters.push(scattered);
                        }
                    }
                }
            }
            CombinatorKind::Serial { .. } => self.work(Work::Serial, points),
        }
    }

    /// Counts the segments of the space.
    fn segments(&mut self) {
        let kernel = self.kernel;
        for (at, axis) in kernel.space.iter().enumerate() {
            if let Axis::Sym(symbol) = axis
                && let Some(seg) = kernel.values[symbol.index()].ty.as_seg()
            {
                let parents = self.points(&kernel.space[..at]);
                match seg.form {
                    Form::Offsets => self.work(Work::Segment, parents),
                    Form::Regular => {}
                }
                self.offsets(*symbol);
            }
        }
    }

    /// The size of an element of a value, in units of four bytes.
    fn width(&self, value: ValueId) -> f64 {
        self.kernel.values[value.index()].ty.as_array().map_or(0.0, |array| array.elem.size() as f64 / 4.0)
    }

    /// Counts the results, which are written in order, those of scatters included: their bases are copied.
    fn results(&mut self) {
        for &ret in &self.kernel.ret {
            self.features.streamed += self.bytes(ret);
        }
    }

    fn block(&mut self, site: &mut Site<'_>, block: &Block, points: f64) {
        for stmt in &block.stmts {
            self.stmt(site, stmt, points);
        }
    }

    fn stmt(&mut self, site: &mut Site<'_>, stmt: &Stmt, points: f64) {
        match &stmt.kind {
            StmtKind::Op { dst, op, args } => {
                site.learn(*dst, *op, args, self.sizes);
                self.op(site, *dst, *op, args, points);
            }
            StmtKind::Threefry { .. } => self.work(Work::Plain, THREEFRY * points),
            StmtKind::Read { array, index, .. } => self.read(site, *array, index, points),
            StmtKind::Own { .. } => {}
            StmtKind::Window { bind, .. } => self.work(Work::Load, points * self.width(*bind)),
            StmtKind::Len { dst, seg, .. } => {
                self.offsets(*seg);
                site.known.insert(*dst, self.segment(*seg));
                self.work(Work::Load, 4.0 * points);
            }
            StmtKind::Start { seg, .. } => {
                self.offsets(*seg);
                self.work(Work::Load, 2.0 * points);
            }
            StmtKind::Call { thunk, args, .. } => {
                let called = &self.program.thunk(*thunk).thunk;
                self.call(site, called, args, points);
            }
            StmtKind::If { then, otherwise, .. } => {
                self.work(Work::Plain, points);
                self.arms(site, [then, otherwise], points);
            }
            StmtKind::For { from, to, body, .. } => {
                let rounds = site.value(*to, self.sizes).zip(site.value(*from, self.sizes));
                let rounds = rounds.map_or(ROUNDS, |(to, from)| (to - from).max(0.0));
                self.work(Work::Round, points * rounds);
                self.block(site, body, points * rounds);
            }
            StmtKind::While { cond, body, .. } => {
                self.work(Work::Round, points * ROUNDS);
                self.block(site, cond, points * ROUNDS);
                self.block(site, body, points * ROUNDS);
            }
            StmtKind::PrivateNew { .. } => self.work(Work::Round, points),
            StmtKind::PrivateGet { .. } | StmtKind::PrivateSet { .. } => self.work(Work::Load, 4.0 * points),
            StmtKind::Check { .. } => self.work(Work::Plain, 2.0 * points),
        }
    }

    /// Counts a call; one with uniform arguments is made once for each row.
    fn call(&mut self, site: &Site<'_>, called: &Thunk, args: &[Atom], points: f64) {
        let is_uniform = site.forms.are_uniform(args.iter().copied());
        let (points, rows) = if is_uniform { (points * site.rows, 1.0) } else { (points, site.rows) };
        let forms = IndexForms::of_call(called, &site.forms_of(args));
        let mut inner = Site { thunk: called, forms, rows, known: HashMap::new() };
        self.block(&mut inner, &called.body, points);
    }

    /// Counts the arms of a branch. Lanes mostly need both, but one that is far dearer than the other is rare, as the long way of an elementary function is.
    fn arms(&mut self, site: &mut Site<'_>, arms: [&Block; 2], points: f64) {
        let plain = |features: &Features| features.work.iter().sum::<f64>();
        let [a, b] = arms.map(|arm| {
            let before = std::mem::take(&mut self.features);
            self.block(site, arm, points);
            std::mem::replace(&mut self.features, before)
        });
        let (cheap, mut dear) = if plain(&a) <= plain(&b) { (a, b) } else { (b, a) };
        if plain(&dear) > 4.0 * (plain(&cheap) + 8.0 * points) {
            dear.scale(RARE);
        }
        self.features.add(&cheap);
        self.features.add(&dear);
    }

    fn op(&mut self, site: &Site<'_>, dst: LocalId, op: Op, args: &[Atom], points: f64) {
        let of = |atom: Atom| match atom {
            Atom::Local(local) => site.thunk.local_type(local),
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => {
                self.kernel.values[value.index()].ty.as_array().map_or(ScalarType::Idx, |array| array.elem)
            }
        };
        let ty = site.thunk.local_type(dst);
        // An index that is linear along the row costs nothing at each point.
        if ty == ScalarType::Idx && site.forms.at(Atom::Local(dst)) != IndexForm::Any {
            return;
        }
        let is_uniform = site.forms.are_uniform(args.iter().copied());
        let points = if is_uniform { points * site.rows } else { points };
        if op.is_elementary() {
            let (program, thunk) = math_thunk(op, ty);
            let forms = IndexForms::of_call(thunk, &site.forms_of(args));
            let rows = if is_uniform { 1.0 } else { site.rows };
            let mut inner = Site { thunk, forms, rows, known: HashMap::new() };
            let mut count = Count {
                program,
                kernel: self.kernel,
                sizes: self.sizes,
                features: Features::default(),
                in_order: HashSet::new(),
            };
            count.block(&mut inner, &thunk.body, points);
            return self.features.add(&count.features);
        }
        let operand = of(args[usize::from(op == Op::Select)]);
        let width = width_of(operand).max(width_of(ty));
        let is_constant = |at: usize| matches!(args.get(at), Some(Atom::Const(_)));
        let class = match op {
            Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor if !ty.is_float() && !is_constant(1) => {
                Work::DivideInteger
            }
            Op::Rem | Op::RemFloor | Op::DivFloor if ty.is_float() => Work::Divide,
            Op::Div if ty.is_float() => Work::Divide,
            Op::Sqrt => Work::Divide,
            Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor => Work::Long,
            Op::Mul | Op::MulHigh if is_long(ty) => Work::Long,
            Op::Convert(to) if is_long(operand) != is_long(to) && operand.is_float() != to.is_float() => {
                Work::Long
            }
            _ => Work::Plain,
        };
        self.work(class, points * width);
    }

    fn read(&mut self, site: &Site<'_>, array: ValueId, index: &[Index], points: f64) {
        let width = self.width(array);
        let Some((last, outer)) = index.split_last() else { return };
        let inner = site.forms.at(last.at);
        let is_uniform = outer.iter().all(|index| site.forms.at(index.at) == IndexForm::Uniform);
        match inner {
            IndexForm::Uniform if is_uniform => self.stream(array),
            IndexForm::Linear(1 | -1) if is_uniform => {
                self.stream(array);
                self.work(Work::Load, points * width);
            }
            // Along another axis, or with a stride: neighbouring rows share cache lines.
            IndexForm::Uniform | IndexForm::Linear(_)
                if outer.iter().all(|index| site.forms.at(index.at) != IndexForm::Any) =>
            {
                self.stream(array);
                self.work(Work::Load, STRIDED * points * width);
            }
            IndexForm::Uniform | IndexForm::Linear(_) | IndexForm::Any => {
                self.features.gathers.push(Scattered { count: points, bytes: self.bytes(array) });
            }
        }
    }

    /// Counts an array that is read in order, once.
    fn stream(&mut self, array: ValueId) {
        if self.in_order.insert(array) {
            self.features.streamed += self.bytes(array);
        }
    }

    fn offsets(&mut self, seg: ValueId) {
        if let Some(ty) = self.kernel.values[seg.index()].ty.as_seg()
            && self.in_order.insert(seg)
        {
            self.features.streamed += self.points(&ty.parent.axes) * ScalarType::Idx.size() as f64;
        }
    }

    /// The mean length of a segment.
    fn segment(&self, seg: ValueId) -> f64 {
        let parent =
            self.kernel.values[seg.index()].ty.as_seg().map_or(1.0, |ty| self.points(&ty.parent.axes));
        self.sizes.extent(seg) / parent.max(1.0)
    }
}

impl Site<'_> {
    fn forms_of(&self, atoms: &[Atom]) -> Vec<IndexForm> {
        atoms.iter().map(|&atom| self.forms.at(atom)).collect()
    }

    /// Notes the value of an integer that is computed from sizes.
    fn learn(&mut self, dst: LocalId, op: Op, args: &[Atom], sizes: &dyn Sizes) {
        let Some(values) = args.iter().map(|&arg| self.value(arg, sizes)).collect::<Option<Vec<f64>>>()
        else {
            return;
        };
        let value = match (op, values.as_slice()) {
            (Op::Add, [a, b]) => a + b,
            (Op::Sub, [a, b]) => a - b,
            (Op::Mul, [a, b]) => a * b,
            (Op::Min, [a, b]) => a.min(*b),
            (Op::Max, [a, b]) => a.max(*b),
            (Op::Convert(_), [a]) => *a,
            _ => return,
        };
        self.known.insert(dst, value);
    }

    fn value(&self, atom: Atom, sizes: &dyn Sizes) -> Option<f64> {
        match atom {
            Atom::Const(scalar) => scalar.as_integer().map(|value| value as f64),
            Atom::Local(local) => self.known.get(&local).copied(),
            Atom::Value(value) => sizes.scalar(value),
        }
    }
}

/// Number of points of a space or shape; a segmentation stands for all axes before it.
///
/// `values` are those of the function or kernel whose symbols the axes are.
pub fn points(axes: &[Axis], values: &[Value], extent: &dyn Fn(ValueId) -> f64) -> f64 {
    let symbol = |axis: &Axis| match axis {
        Axis::Sym(symbol) => Some(*symbol),
        Axis::Const(_) => None,
    };
    let is_seg =
        |axis: &Axis| symbol(axis).is_some_and(|symbol| values[symbol.index()].ty.as_seg().is_some());
    let from = axes.iter().rposition(is_seg).unwrap_or(0);
    let length = |axis: &Axis| match axis {
        Axis::Const(extent) => *extent as f64,
        Axis::Sym(symbol) => extent(*symbol),
    };
    axes[from..].iter().map(length).product()
}

fn is_long(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::I64 | ScalarType::U64)
}

/// The size of an operand in vectors, in units of four bytes. Indices are 32 bits wide there.
fn width_of(ty: ScalarType) -> f64 {
    match ty {
        ScalarType::Idx => 1.0,
        ScalarType::Bool => 0.25,
        ty => ty.size() as f64 / 4.0,
    }
}
