//! State of one function of a kernel's module during emission: the text, and the values and addresses that its code can reach.

use super::emit::{Emit, NOTHING, llvm_type, memory_suffix, memory_type, nothing};
use super::fault::FaultSites;
use super::lane::Privates;
use super::launch_table::{Slot, Slots};
use super::point::{ArrayRef, AxisRef, Captures, Dereferenceable, StepRef};
use super::ring::RingRef;
use super::text::Name;
use super::value::{Depth, Form, Val};
use super::visit::Visit;
use nestled_ir::{
    ArrayType, Axis, Form as SegForm, Kernel, Placement, Program, ScalarType, Shape, Type, ValueId,
};
use nestled_kernel::Plan;
use nestled_kernel::memory::Home;
use nestled_kernel::reduction::{self, Part};
use nestled_kernel::rolling::Band;
use nestled_kernel::scan::{self, ScanPart};
use nestled_kernel::stream::{self, Stream};
use std::collections::HashMap;

/// The shared state of all functions of a module.
#[derive(Debug)]
pub struct Shared<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kernel, in normal form.
    pub kernel: &'a Kernel,
    /// The plan.
    pub plan: &'a Plan,
    /// The slots.
    pub slots: Slots,
    /// The fault templates.
    pub faults: FaultSites,
    /// Whether extents may reach 2³¹.
    pub wide: bool,
    /// The reason why the kernel is refused, recorded where no error can be returned.
    pub refused: Option<super::Unsupported>,
}

/// A function during emission.
#[derive(Debug)]
pub struct Function<'s, 'a> {
    /// The state shared with other functions.
    pub shared: &'s mut Shared<'a>,
    /// Its text.
    pub emit: Emit<'a>,
    /// The values that its thunks can read.
    pub captures: Captures,
    /// Its private arrays.
    pub privates: Privates,
    /// Stores deferred to the end of a round, if they are deferred.
    pub held: Option<Vec<(ValueId, Val, Visit)>>,
    addresses: HashMap<Slot, Name>,
    numbers: HashMap<Slot, Val>,
    /// For each level, a variable with the segment found last.
    pub(super) last_segments: HashMap<usize, Name>,
}

impl<'s, 'a> Function<'s, 'a> {
    /// Begins a function for W lanes.
    pub fn new(shared: &'s mut Shared<'a>, lanes: usize) -> Function<'s, 'a> {
        let mut function = Function {
            emit: Emit::new(&shared.plan.target, lanes),
            shared,
            captures: Captures::default(),
            privates: Privates::default(),
            held: None,
            addresses: HashMap::new(),
            numbers: HashMap::new(),
            last_segments: HashMap::new(),
        };
        function.capture();
        function
    }

    /// Loads the address in a slot.
    pub fn address(&mut self, slot: Slot) -> Name {
        if let Some(name) = self.addresses.get(&slot) {
            return name.clone();
        }
        let name = self.shared.slots.address(&mut self.emit, slot);
        self.addresses.insert(slot, name.clone());
        name
    }

    /// Loads the number in a slot.
    pub fn number(&mut self, slot: Slot, ty: ScalarType) -> Val {
        if let Some(val) = self.numbers.get(&slot) {
            return val.clone();
        }
        let val = self.shared.slots.number(&mut self.emit, slot, ty);
        self.numbers.insert(slot, val.clone());
        val
    }

    fn capture(&mut self) {
        let kernel = self.shared.kernel;
        for (position, &shape) in kernel.shapes.iter().enumerate() {
            match &kernel.values[shape.index()].ty {
                Type::Dim => {
                    let extent = self.number(Slot::Extent(position), ScalarType::Idx);
                    self.captures.scalars.insert(shape, extent);
                }
                Type::Seg(seg) => {
                    let mut steps = self.steps(&seg.parent);
                    let step = self.segment_step(shape);
                    steps.push(AxisRef { axis: Axis::Sym(shape), step });
                    self.captures.segs.insert(shape, steps);
                }
                Type::Array(_) => {}
            }
        }
        for (position, &param) in kernel.params.iter().enumerate() {
            match &kernel.values[param.index()].ty {
                Type::Array(array) if !array.shape.is_scalar() => {
                    let array = self.array(position, array);
                    self.captures.arrays.insert(param, array);
                }
                ty => {
                    let scalar = ty.as_scalar().unwrap_or(ScalarType::Idx);
                    let val = self.number(Slot::Scalar(position), scalar);
                    self.captures.scalars.insert(param, val);
                }
            }
        }
        let space: Vec<AxisRef> = kernel.space.iter().map(|&axis| self.space_step(axis)).collect();
        self.captures.space = space;
        self.capture_windows();
    }

    /// Makes the values that are read through windows available as arrays over their level.
    fn capture_windows(&mut self) {
        let kernel = self.shared.kernel;
        for step in &kernel.steps {
            for bind in step.reads().1 {
                if let Some(data) = self.stored(bind) {
                    let axes = self.captures.space[..step.level().0].to_vec();
                    self.captures.arrays.insert(bind, ArrayRef { data, axes, dereferenceable: None });
                    if let Some(ring) = self.ring(bind) {
                        self.captures.rings.insert(bind, ring);
                    }
                }
            }
        }
    }

    /// Returns the step of an axis of the space. That of a segmentation comes after its parents.
    fn space_step(&mut self, axis: Axis) -> AxisRef {
        let step = match axis {
            Axis::Const(extent) => StepRef::Extent(Val::idx(extent as i64)),
            Axis::Sym(symbol) => match &self.shared.kernel.values[symbol.index()].ty {
                Type::Seg(_) => self.segment_step(symbol),
                Type::Dim | Type::Array(_) => StepRef::Extent(self.extent(symbol)),
            },
        };
        AxisRef { axis, step }
    }

    /// Returns the length of an array with one axis.
    pub fn extent_of(&mut self, value: ValueId) -> Val {
        let axis = self.shared.kernel.values[value.index()].ty.as_array().map(|array| array.shape.axes[0]);
        match axis.expect("it is an array") {
            Axis::Const(extent) => Val::idx(extent as i64),
            Axis::Sym(symbol) => self.extent(symbol),
        }
    }

    fn extent(&mut self, symbol: ValueId) -> Val {
        self.captures.scalars.get(&symbol).cloned().expect("extents in shapes are shape parameters")
    }

    fn shape_position(&self, symbol: ValueId) -> usize {
        let shapes = &self.shared.kernel.shapes;
        shapes
            .iter()
            .position(|&shape| shape == symbol)
            .expect("segmentations in shapes are shape parameters")
    }

    fn segment_step(&mut self, seg: ValueId) -> StepRef {
        let position = self.shape_position(seg);
        let form = self.shared.kernel.values[seg.index()].ty.as_seg().map(|seg| seg.form);
        match form {
            Some(SegForm::Regular) => StepRef::Extent(self.number(Slot::Length(position), ScalarType::Idx)),
            _ => StepRef::Offsets(self.address(Slot::Offsets(position))),
        }
    }

    /// Returns the steps of a shape, one for each coordinate.
    fn steps(&mut self, shape: &Shape) -> Vec<AxisRef> {
        let mut steps = Vec::new();
        for &axis in &shape.axes {
            if let Axis::Sym(symbol) = axis
                && let Type::Seg(seg) = &self.shared.kernel.values[symbol.index()].ty
            {
                let parent = self.steps(&seg.parent);
                steps.extend(parent);
            }
            let step = self.space_step(axis);
            steps.push(step);
        }
        steps
    }

    fn array(&mut self, position: usize, ty: &ArrayType) -> ArrayRef {
        let mut axes = self.steps(&ty.shape);
        if ty.placement == Placement::View
            && let Some(last) = axes.last_mut()
        {
            let starts = self.address(Slot::Starts(position));
            let lengths = Box::new(last.step.clone());
            last.step = StepRef::View { starts, lengths };
        }
        let data = self.address(Slot::Data(position));
        let dereferenceable = self.dereferenceable(position, &data);
        ArrayRef { data, axes, dereferenceable }
    }

    /// Returns the dereferenceable memory of a parameter. Processors with mask registers do not need it.
    fn dereferenceable(&mut self, position: usize, data: &str) -> Option<Dereferenceable> {
        if self.emit.target.avx512 {
            return None;
        }
        let elements = self.number(Slot::Elements(position), ScalarType::Idx).name;
        let most = self.emit.lanes as i64 - 1;
        let mut define = |value: std::fmt::Arguments<'_>| self.emit.define_at(Depth::Entry, value);
        let rest = define(format_args!("sub i64 {elements}, {most}"));
        let some = define(format_args!("icmp sgt i64 {rest}, 0"));
        let runs = define(format_args!("select i1 {some}, i64 {rest}, i64 0"));
        let any = define(format_args!("icmp sgt i64 {elements}, 0"));
        let one = define(format_args!("select i1 {any}, ptr {data}, ptr {NOTHING}"));
        self.emit.declare(nothing());
        Some(Dereferenceable { runs, one })
    }

    /// Returns the address of a value that is a result or goes from nest to nest.
    pub fn stored(&mut self, bind: ValueId) -> Option<Name> {
        let slot = match self.shared.plan.memory.home(bind)? {
            Home::Result(position) => Slot::Result(position),
            Home::Stored(number) => Slot::Stored(number),
        };
        Some(self.address(slot))
    }

    /// Returns the layout of a value's ring, if it is in one.
    pub fn ring(&mut self, bind: ValueId) -> Option<RingRef> {
        let Home::Stored(number) = self.shared.plan.memory.home(bind)? else { return None };
        let find = |band: &Band| {
            let ring = band.rings.iter().find(|ring| ring.stored == number)?;
            Some((ring.like, band.strips))
        };
        let (like, strips) = self.shared.plan.bands.iter().find_map(find)?;
        let turn = self.number(Slot::Turn(like), ScalarType::Idx);
        let rows = self.number(Slot::Rows(like), ScalarType::Idx);
        let width = strips.then(|| self.number(Slot::Width, ScalarType::Idx));
        Some(RingRef { turn, rows, width })
    }

    /// Returns the position in memory of a value at points with these numbers and coordinates.
    pub fn place(&mut self, bind: ValueId, position: &Val, coordinates: &[Val]) -> Val {
        let Some(ring) = self.ring(bind) else { return position.clone() };
        let row = &coordinates[0];
        let depth = row.uniform_depth().expect("rows are walked one after another");
        let place = ring.place(&mut self.emit, row);
        let (mut place, mut row) = (self.emit.scalar(&place), self.emit.scalar(row));
        for axis in self.captures.space[1..coordinates.len()].iter().cloned() {
            let StepRef::Extent(extent) = axis.step else { unreachable!("bands are over grids") };
            let width = self.emit.scalar(ring.width.as_ref().unwrap_or(&extent));
            let extent = self.emit.scalar(&extent);
            place = self.emit.define_at(depth, format_args!("mul i64 {place}, {width}"));
            row = self.emit.define_at(depth, format_args!("mul i64 {row}, {extent}"));
        }
        let by = self.emit.define_at(depth, format_args!("sub i64 {place}, {row}"));
        let mut moved = position.clone();
        moved.name = self.emit.define_at(depth, format_args!("add i64 {}, {by}", position.name));
        moved
    }

    /// Returns the reductions of some steps, component by component.
    pub fn reductions(&self, steps: impl Iterator<Item = usize>) -> Vec<Part> {
        reduction::parts(self.shared.program, self.shared.kernel, steps)
    }

    /// Returns the scans of some steps, component by component.
    pub fn scans(&self, steps: impl Iterator<Item = usize>) -> Vec<ScanPart> {
        scan::parts(self.shared.program, self.shared.kernel, steps, 0)
    }

    /// Returns the streams of some steps.
    pub fn streams(&self, steps: impl Iterator<Item = usize>) -> Vec<Stream> {
        stream::streams(self.shared.program, self.shared.kernel, steps)
    }

    /// Returns the element type of a bound value.
    pub fn elem(&self, bind: ValueId) -> ScalarType {
        self.shared.kernel.elem(bind)
    }

    /// Returns the address of element `at` of memory at `data`.
    pub fn element(&mut self, depth: Depth, data: &str, ty: ScalarType, at: &str) -> Name {
        let memory = memory_type(ty);
        self.emit.define_at(depth, format_args!("getelementptr inbounds {memory}, ptr {data}, i64 {at}"))
    }

    /// Loads one element, at a depth.
    pub fn load(&mut self, depth: Depth, data: &str, ty: ScalarType, at: &str) -> Val {
        let place = self.element(depth, data, ty, at);
        let loaded = self
            .emit
            .define_at(depth, format_args!("load {}, ptr {place}, align {}", memory_type(ty), ty.size()));
        let name = match ty {
            ScalarType::Bool => self.emit.define_at(depth, format_args!("icmp ne i8 {loaded}, 0")),
            _ => loaded,
        };
        Val::uniform(ty, depth, name)
    }

    /// Stores one element.
    pub fn store(&mut self, data: &str, ty: ScalarType, at: &str, name: &str) {
        let place = self.element(Depth::Here, data, ty, at);
        let name: Name = match ty {
            ScalarType::Bool => self.emit.define(format_args!("zext i1 {name} to i8")),
            _ => name.into(),
        };
        self.emit.line(format_args!("store {} {name}, ptr {place}, align {}", memory_type(ty), ty.size()));
    }

    /// Defines a variable for a value at one point or at W points; truth values are `i1`.
    pub fn scalar_variable(&mut self, ty: ScalarType) -> Name {
        self.emit.variable(llvm_type(ty))
    }

    /// Reads an `i64` variable.
    pub fn get(&mut self, variable: &str) -> Name {
        self.emit.define(format_args!("load i64, ptr {variable}"))
    }

    /// Writes an `i64` variable.
    pub fn set(&mut self, variable: &str, value: &str) {
        self.emit.line(format_args!("store i64 {value}, ptr {variable}"));
    }

    /// Loads W contiguous elements from element `at` on, masked.
    pub fn load_vector(&mut self, data: &str, ty: ScalarType, at: &str, mask: &Val) -> Val {
        let place = self.element(Depth::Here, data, ty, at);
        let (memory, size) = (memory_type(ty), ty.size());
        let wide = self.emit.wide(memory);
        let all = mask.is(nestled_ir::Scalar::Bool(true));
        let loaded = if all {
            self.emit.define(format_args!("load {wide}, ptr {place}, align {size}"))
        } else {
            let (bits, mask) = (self.emit.wide("i1"), self.emit.vector(mask));
            let name = format!("@llvm.masked.load.v{}{}.p0", self.emit.lanes, memory_suffix(ty));
            self.emit.declare(format!("declare {wide} {name}(ptr, i32, {bits}, {wide})"));
            self.emit.define(format_args!(
                "call {wide} {name}(ptr {place}, i32 {size}, {bits} {mask}, {wide} zeroinitializer)"
            ))
        };
        let name = match ty {
            ScalarType::Bool => self.emit.define(format_args!("icmp ne {wide} {loaded}, zeroinitializer")),
            _ => loaded,
        };
        Val::varying(ty, name)
    }

    /// Stores W contiguous elements from element `at` on, masked. With `streaming` the store is non-temporal; its address must be a multiple of the
    /// vector's size.
    pub fn store_vector(&mut self, data: &str, at: &str, val: &Val, mask: &Val, streaming: bool) {
        let ty = val.ty;
        let place = self.element(Depth::Here, data, ty, at);
        let (memory, size) = (memory_type(ty), ty.size());
        let wide = self.emit.wide(memory);
        let mut name = self.emit.vector(val);
        if ty == ScalarType::Bool {
            let bits = self.emit.wide("i1");
            name = self.emit.define(format_args!("zext {bits} {name} to {wide}"));
        }
        let whole =
            |align: usize, hint: &str| format!("store {wide} {name}, ptr {place}, align {align}{hint}");
        if mask.is(nestled_ir::Scalar::Bool(true)) {
            return self.emit.line(match streaming {
                true => whole((size * self.emit.lanes).min(64), ", !nontemporal !0"),
                false => whole(size, ""),
            });
        }
        let (bits, truths) = (self.emit.wide("i1"), self.emit.vector(mask));
        let call = format!("@llvm.masked.store.v{}{}.p0", self.emit.lanes, memory_suffix(ty));
        self.emit.declare(format!("declare void {call}({wide}, ptr, i32, {bits})"));
        let masked = format!("call void {call}({wide} {name}, ptr {place}, i32 {size}, {bits} {truths})");
        if self.emit.target.avx512 {
            return self.emit.line(masked);
        }
        // Most often all lanes are stored, and without mask registers some processors take twenty times as long for a masked store.
        let (all, some, done) = (self.emit.label(), self.emit.label(), self.emit.label());
        let full = self.emit.all(mask);
        self.emit.branch(&full, all, some);
        self.emit.text.begin(some);
        self.emit.line(masked);
        self.emit.line(format_args!("br label %{done}"));
        self.emit.text.begin(all);
        self.emit.line(whole(size, ""));
        self.emit.fall_into(done);
    }

    /// Loads a value that an earlier nest or sweep stored, at points with these numbers.
    pub fn load_stored(&mut self, bind: ValueId, at: &Val, mask: &Val) -> Val {
        let ty = self.elem(bind);
        let data = self.stored(bind).expect("what goes from nest to nest lies in memory");
        match at.form {
            Form::Const(_) | Form::Uniform(_) => {
                let depth = at.uniform_depth().expect("it is uniform");
                let at = self.emit.scalar(at);
                self.load(depth, &data, ty, &at)
            }
            Form::Linear { stride: 1, .. } => {
                let first = self.emit.first(at);
                self.load_vector(&data, ty, &first, mask)
            }
            Form::Linear { .. } | Form::Varying | Form::Narrow => {
                unreachable!("vectors run along the numbers of points")
            }
        }
    }
}
