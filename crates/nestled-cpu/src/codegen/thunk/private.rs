//! Private arrays, interleaved across lanes: element k of lane l lies at `k · W + l`, so that accesses at a uniform index are whole vectors. A thunk
//! that runs at a single point has one array for all lanes, and its elements are accessed as scalars: the arrays passed to a `serial` are of this
//! kind.

use super::check::Report;
use super::fetch::Memory;
use super::{Run, ThunkFrame};
use crate::codegen::emit::{memory_suffix, memory_type};
use crate::codegen::fault::FaultTemplate;
use crate::codegen::lane::{PrivateArray, PrivateBuffer};
use crate::codegen::text::Name;
use crate::codegen::value::{Depth, Form, Val};
use nestled_ir::{Atom, PrivateId, Scalar, ScalarType, SiteId};

impl Run<'_, '_, '_> {
    /// Emits a new private array of zeros.
    pub fn private_new(&mut self, frame: &mut ThunkFrame<'_>, array: PrivateId, size: Atom) {
        let elem = frame.thunk.privates[array.index()].elem;
        let data = match &frame.privates[array.index()] {
            Some(known) => known.data.clone(),
            None => self.private_buffer(size, elem),
        };
        let size = self.atom(frame, size);
        let size = match size.as_const().and_then(Scalar::as_integer) {
            Some(size) => Val::idx(size.max(0)),
            None => {
                let (depth, name) = (size.uniform_depth().unwrap_or(Depth::Here), self.emit.scalar(&size));
                Val::uniform(ScalarType::Idx, depth, self.scalar_extreme("smax", depth, &name, "0"))
            }
        };
        let bytes = self.product(&size, &Val::idx((self.lanes_of_privates() * elem.size()) as i64));
        let bytes = self.emit.scalar(&bytes);
        self.emit.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)");
        let align = elem.size();
        self.emit.line(format_args!(
            "call void @llvm.memset.p0.i64(ptr align {align} {data}, i8 0, i64 {bytes}, i1 false)"
        ));
        frame.privates[array.index()] = Some(PrivateArray { data, size });
    }

    /// Returns the number of lanes with private arrays of their own.
    fn lanes_of_privates(&self) -> usize {
        if self.lane.alone { 1 } else { self.emit.lanes }
    }

    /// Returns the address of a buffer of this size that the thunk does not use yet.
    fn private_buffer(&mut self, size: Atom, elem: ScalarType) -> Name {
        let lanes = self.lanes_of_privates();
        let fits =
            |buffer: &PrivateBuffer| buffer.size == size && buffer.elem == elem && buffer.lanes == lanes;
        let buffers = self.lane.privates.arrays.iter().enumerate();
        let free = buffers
            .filter(|(number, buffer)| fits(buffer) && !self.lane.privates.taken.contains(number))
            .map(|(number, buffer)| (number, buffer.data.clone()))
            .next();
        let (number, data) = match free {
            Some(free) => free,
            None => {
                let number = self.lane.privates.arrays.len();
                let entry = self
                    .emit
                    .define_at(Depth::Entry, format_args!("getelementptr ptr, ptr %privates, i64 {number}"));
                let data = self.emit.define_at(Depth::Entry, format_args!("load ptr, ptr {entry}"));
                self.lane.privates.arrays.push(PrivateBuffer { size, elem, lanes, data: data.clone() });
                (number, data)
            }
        };
        self.lane.privates.taken.push(number);
        data
    }

    /// Checks an index. Returns it with the mask of lanes in which the element exists. A uniform index is inside if any lane is active.
    fn private_slot(
        &mut self,
        frame: &ThunkFrame<'_>,
        array: PrivateId,
        at: Atom,
        site: Option<SiteId>,
    ) -> (PrivateArray, Val, Val) {
        // The verifier lets code mention only what is bound before.
        let buffer = frame.privates[array.index()].clone().expect("bound before");
        let at = self.atom(frame, at);
        let within = self.within(&at, &buffer.size);
        let inside = match site {
            Some(site) => {
                let template =
                    FaultTemplate::OutOfRange { array: frame.thunk.privates[array.index()].name.clone() };
                let report = Report { site, template, a: at.clone(), b: buffer.size.clone() };
                self.fault_unless(&within, &Val::truth(true), &report)
            }
            None => within,
        };
        (buffer, at, inside)
    }

    /// Emits a read.
    pub fn private_get(
        &mut self,
        frame: &ThunkFrame<'_>,
        array: PrivateId,
        at: Atom,
        site: Option<SiteId>,
    ) -> Val {
        let elem = frame.thunk.privates[array.index()].elem;
        let (buffer, at, inside) = self.private_slot(frame, array, at, site);
        if self.lane.alone {
            return self.load_alone(&buffer, elem, &at);
        }
        let at = self.element(&buffer, &at);
        let memory = Memory {
            data: &buffer.data,
            elem,
            from: Depth::Here,
            below: None,
            dereferenceable: None,
            slide: None,
        };
        self.load_vector(memory, &at, &inside, &Val::constant(Scalar::zero(elem)))
    }

    /// Emits an assignment.
    pub fn private_set(
        &mut self,
        frame: &ThunkFrame<'_>,
        array: PrivateId,
        at: Atom,
        value: Atom,
        site: Option<SiteId>,
    ) {
        let elem = frame.thunk.privates[array.index()].elem;
        let (buffer, at, inside) = self.private_slot(frame, array, at, site);
        if self.lane.alone {
            let value = self.atom(frame, value);
            return self.store_alone(&buffer, &at, &value);
        }
        let active = self.active();
        let mask = self.emit.and(&active, &inside);
        let value = self.atom(frame, value);
        let value = self.stored(&value);
        let (wide, size) = (self.emit.wide(memory_type(elem)), elem.size());
        let at = self.element(&buffer, &at);
        let memory = Memory {
            data: &buffer.data,
            elem,
            from: Depth::Here,
            below: None,
            dereferenceable: None,
            slide: None,
        };
        if let Form::Linear { stride: 1, .. } = at.form {
            let first = self.emit.first(&at);
            let element = memory_type(elem);
            let pointer =
                self.emit.define(format_args!("getelementptr {element}, ptr {}, i64 {first}", buffer.data));
            if mask.is(Scalar::Bool(true)) {
                self.emit.line(format_args!("store {wide} {value}, ptr {pointer}, align {size}"));
                return;
            }
            let (bits, vector, lanes) = (self.emit.wide("i1"), self.emit.vector(&mask), self.emit.lanes);
            let store = format!("@llvm.masked.store.v{lanes}{}.p0", memory_suffix(elem));
            self.emit.declare(format!("declare void {store}({wide}, ptr, i32, {bits})"));
            self.emit.line(format_args!(
                "call void {store}({wide} {value}, ptr {pointer}, i32 {size}, {bits} {vector})"
            ));
            return;
        }
        let pointers = self.addresses(memory, &at);
        let (bits, vector, lanes) = (self.emit.wide("i1"), self.emit.vector(&mask), self.emit.lanes);
        let many = self.emit.wide("ptr");
        let scatter = format!("@llvm.masked.scatter.v{lanes}{}.v{lanes}p0", memory_suffix(elem));
        self.emit.declare(format!("declare void {scatter}({wide}, {many}, i32, {bits})"));
        self.emit.line(format_args!(
            "call void {scatter}({wide} {value}, {many} {pointers}, i32 {size}, {bits} {vector})"
        ));
    }

    /// Returns the address of an element that all lanes share. Lanes with an index out of range have left the thunk.
    fn place_alone(&mut self, buffer: &PrivateArray, elem: ScalarType, at: &Val) -> Name {
        let (memory, at) = (memory_type(elem), self.emit.scalar(at));
        self.emit.define(format_args!("getelementptr inbounds {memory}, ptr {}, i64 {at}", buffer.data))
    }

    fn load_alone(&mut self, buffer: &PrivateArray, elem: ScalarType, at: &Val) -> Val {
        let place = self.place_alone(buffer, elem, at);
        let name =
            self.emit.define(format_args!("load {}, ptr {place}, align {}", memory_type(elem), elem.size()));
        let name = match elem {
            ScalarType::Bool => self.emit.define(format_args!("icmp ne i8 {name}, 0")),
            _ => name,
        };
        Val::uniform(elem, Depth::Here, name)
    }

    fn store_alone(&mut self, buffer: &PrivateArray, at: &Val, value: &Val) {
        let elem = value.ty;
        let place = self.place_alone(buffer, elem, at);
        let name = self.emit.scalar(value);
        let name: Name = match elem {
            ScalarType::Bool => self.emit.define(format_args!("zext i1 {name} to i8")),
            _ => name,
        };
        let memory = memory_type(elem);
        self.emit.line(format_args!("store {memory} {name}, ptr {place}, align {}", elem.size()));
    }

    /// Returns the position of each lane's element in the buffer.
    fn element(&mut self, buffer: &PrivateArray, at: &Val) -> Val {
        let lanes = self.emit.lanes as i64;
        if at.uniform_depth().is_some() {
            // Linear values count from the vector's first coordinate; these positions count from its first lane.
            let base = self.product(at, &Val::idx(lanes));
            let first = self.emit.first_lane.clone();
            let base = self.emit.scalar(&base);
            let base = match &*first {
                "0" => base,
                _ => self.emit.define(format_args!("sub i64 {base}, {first}")),
            };
            return Val::linear(base, 1, Depth::Here);
        }
        let small =
            buffer.size.as_const().and_then(Scalar::as_integer).is_some_and(|size| size < (1 << 31) / lanes);
        if small {
            let (low, wide) = (self.lanes32(at), self.emit.wide("i32"));
            let by = self.emit.splat_literal("i32", &lanes.to_string());
            let row = self.emit.define(format_args!("mul {wide} {low}, {by}"));
            let ramp = self.emit.ramp_literal("i32", 1);
            return Val::narrow(self.emit.define(format_args!("add {wide} {row}, {ramp}")));
        }
        let (at, wide) = (self.emit.vector(at), self.emit.wide("i64"));
        let by = self.emit.splat_literal("i64", &lanes.to_string());
        let row = self.emit.define(format_args!("mul {wide} {at}, {by}"));
        let ramp = self.emit.ramp_literal("i64", 1);
        Val::varying(ScalarType::Idx, self.emit.define(format_args!("add {wide} {row}, {ramp}")))
    }
}
