//! Loads at W points: uniform (one element for all lanes), contiguous, or gathers; and prefetches.

use super::Run;
use crate::codegen::emit::{NOTHING, literal, memory_suffix, memory_type, nothing};
use crate::codegen::point::Dereferenceable;
use crate::codegen::text::Name;
use crate::codegen::value::{Depth, Form, Val};
use nestled_ir::{Scalar, ScalarType};
use nestled_kernel::strategy::slide::Slide;

/// Memory to load from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory<'m> {
    /// The address of element 0.
    pub data: &'m str,
    /// The type of an element.
    pub elem: ScalarType,
    /// The depth from which on it holds the data.
    pub from: Depth,
    /// Distance in elements to the second next row of a picture, for arrays of pixels with channels; known at the entry.
    pub below: Option<&'m str>,
    /// Its dereferenceable memory, where that is known.
    pub dereferenceable: Option<&'m Dereferenceable>,
    /// Set for reads through a sliding window.
    pub slide: Option<&'m Slide>,
}

impl Run<'_, '_, '_> {
    /// Loads the element at a uniform position, hoisted as far out as the position is known. It must exist, or be 0.
    pub fn load_scalar(&mut self, memory: Memory<'_>, at: &Val) -> Val {
        let depth = at.uniform_depth().unwrap_or(Depth::Here).max(memory.from);
        let (element, position) = (memory_type(memory.elem), self.emit.scalar(at));
        let pointer = self
            .emit
            .define_at(depth, format_args!("getelementptr {element}, ptr {}, i64 {position}", memory.data));
        let size = memory.elem.size();
        let name = self.emit.define_at(depth, format_args!("load {element}, ptr {pointer}, align {size}"));
        let name = match memory.elem {
            ScalarType::Bool => self.emit.define_at(depth, format_args!("icmp ne i8 {name}, 0")),
            _ => name,
        };
        Val::uniform(memory.elem, depth, name)
    }

    /// Loads an element for each lane. Where `inside` does not hold, `outside` is the result and no memory is accessed.
    pub fn load_vector(&mut self, memory: Memory<'_>, at: &Val, inside: &Val, outside: &Val) -> Val {
        if inside.is(Scalar::Bool(false)) {
            return outside.clone();
        }
        match at.form {
            Form::Linear { stride: 1, .. } => {
                let first = self.emit.first(at);
                self.load_run(memory, &first, inside, outside)
            }
            Form::Linear { stride: -1, .. } => {
                let first = self.emit.first(at);
                let last = self.emit.lanes as i64 - 1;
                let least = self.emit.define(format_args!("sub i64 {first}, {last}"));
                let [inside, outside] = [inside, outside].map(|val| self.reversed(val));
                let run = self.load_run(memory, &least, &inside, &outside);
                self.reversed(&run)
            }
            Form::Const(_) | Form::Uniform(_) | Form::Linear { .. } | Form::Varying | Form::Narrow => {
                match self.load_groups(memory, at, inside, outside) {
                    Some(val) => val,
                    None => self.gather(memory, at, inside, outside),
                }
            }
        }
    }

    /// Reverses the lanes.
    fn reversed(&mut self, val: &Val) -> Val {
        if val.uniform_depth().is_some() {
            return val.clone();
        }
        let (vector, wide, lanes) = (self.emit.vector(val), self.emit.vector_type(val.ty), self.emit.lanes);
        let order: Vec<String> = (0..lanes).rev().map(|lane| format!("i32 {lane}")).collect();
        let order = format!("<{lanes} x i32> <{}>", order.join(", "));
        let name = self.emit.define(format_args!("shufflevector {wide} {vector}, {wide} poison, {order}"));
        Val::varying(val.ty, name)
    }

    /// Loads W contiguous elements.
    fn load_run(&mut self, memory: Memory<'_>, first: &str, inside: &Val, outside: &Val) -> Val {
        if let Some(slide) = memory.slide.filter(|_| inside.is(Scalar::Bool(true))) {
            return self.load_slid(memory, first, slide);
        }
        let (element, size) = (memory_type(memory.elem), memory.elem.size());
        let pointer =
            self.emit.define(format_args!("getelementptr {element}, ptr {}, i64 {first}", memory.data));
        let wide = self.emit.wide(element);
        let name = if inside.is(Scalar::Bool(true)) {
            self.prefetch(&pointer, element);
            self.emit.define(format_args!("load {wide}, ptr {pointer}, align {size}"))
        } else {
            let (mask, outside) = (self.emit.vector(inside), self.stored(outside));
            match memory.dereferenceable {
                Some(known) => self.load_whole(memory.elem, (&pointer, first, &known.runs), &mask, &outside),
                None => self.load_masked(memory.elem, &pointer, &mask, &outside),
            }
        };
        self.loaded(memory.elem, name)
    }

    /// Loads the elements of a run that are in a mask, and no others.
    fn load_masked(&mut self, elem: ScalarType, pointer: &str, mask: &str, outside: &str) -> Name {
        let (wide, bits, lanes) = (self.emit.wide(memory_type(elem)), self.emit.wide("i1"), self.emit.lanes);
        let (load, size) = (format!("@llvm.masked.load.v{lanes}{}.p0", memory_suffix(elem)), elem.size());
        self.emit.declare(format!("declare {wide} {load}(ptr, i32, {bits}, {wide})"));
        self.emit.define(format_args!(
            "call {wide} {load}(ptr {pointer}, i32 {size}, {bits} {mask}, {wide} {outside})"
        ))
    }

    /// The same, where all elements of the run are loaded if they exist: everywhere but at the end of an array.
    ///
    /// Without mask registers, some processors take ten times as long for a masked load, and there is none for bytes.
    fn load_whole(
        &mut self,
        elem: ScalarType,
        (pointer, first, runs): (&str, &str, &str),
        mask: &str,
        outside: &str,
    ) -> Name {
        let (wide, bits, size) = (self.emit.wide(memory_type(elem)), self.emit.wide("i1"), elem.size());
        let slot = self.emit.variable(&wide);
        let (all, some, done) = (self.emit.label(), self.emit.label(), self.emit.label());
        let exist = self.emit.define(format_args!("icmp ult i64 {first}, {runs}"));
        self.emit.branch(&exist, all, some);
        self.emit.text.begin(some);
        let few = self.load_masked(elem, pointer, mask, outside);
        self.emit.line(format_args!("store {wide} {few}, ptr {slot}"));
        self.emit.line(format_args!("br label %{done}"));
        self.emit.text.begin(all);
        let loaded = self.emit.define(format_args!("load {wide}, ptr {pointer}, align {size}"));
        let chosen =
            self.emit.define(format_args!("select {bits} {mask}, {wide} {loaded}, {wide} {outside}"));
        self.emit.line(format_args!("store {wide} {chosen}, ptr {slot}"));
        self.emit.fall_into(done);
        self.emit.define(format_args!("load {wide}, ptr {slot}"))
    }

    /// Emits a prefetch, if the distance is known. The address need not exist.
    pub(super) fn prefetch(&mut self, pointer: &str, element: &str) {
        let Some(distance) = self.emit.prefetch.clone() else { return };
        let address =
            self.emit.define(format_args!("getelementptr {element}, ptr {pointer}, i64 {distance}"));
        self.emit.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)");
        self.emit.line(format_args!("call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)"));
    }

    /// Gathers elements from any places.
    pub fn gather(&mut self, memory: Memory<'_>, at: &Val, inside: &Val, outside: &Val) -> Val {
        let pointers = match inside.is(Scalar::Bool(true)) || self.emit.target.avx512 {
            true => self.addresses(memory, at),
            false => self.readable(memory, at, inside),
        };
        let size = memory.elem.size();
        if size >= 4 {
            let outside = self.stored(outside);
            let name = self.gather_words(memory, memory_type(memory.elem), size, &pointers, inside, &outside);
            return self.loaded(memory.elem, name);
        }
        // Processors gather words only. What lies behind the last element may be read.
        let zero = self.emit.splat_literal("i32", "0");
        let words = self.gather_words(memory, "i32", 1, &pointers, inside, &zero);
        let (from, bits) = (self.emit.wide("i32"), 8 * size);
        let small = self.emit.wide(&format!("i{bits}"));
        let name = self.emit.define(format_args!("trunc {from} {words} to {small}"));
        let name = match memory.elem {
            ScalarType::F16 => {
                let half = self.emit.wide("half");
                self.emit.define(format_args!("bitcast {small} {name} to {half}"))
            }
            _ => name,
        };
        let val = self.loaded(memory.elem, name);
        if outside.is(Scalar::zero(memory.elem)) {
            return val;
        }
        self.emit.blend(inside, &val, outside)
    }

    fn gather_words(
        &mut self,
        memory: Memory<'_>,
        element: &str,
        align: usize,
        pointers: &str,
        inside: &Val,
        outside: &str,
    ) -> Name {
        let (bits, lanes) = (self.emit.wide("i1"), self.emit.lanes);
        let (wide, many) = (self.emit.wide(element), self.emit.wide("ptr"));
        let all = inside.is(Scalar::Bool(true));
        let mask = match (all, self.emit.target.avx512) {
            (true, true) => self.hidden_mask(memory),
            (_, false) => self.emit.splat_literal("i1", "true").into(),
            (false, true) => self.emit.vector(inside),
        };
        let suffix = match element {
            "float" => "f32",
            "double" => "f64",
            integer => integer,
        };
        let gather = format!("@llvm.masked.gather.v{lanes}{suffix}.v{lanes}p0");
        self.emit.declare(format!("declare {wide} {gather}({many}, i32, {bits}, {wide})"));
        let loaded = self.emit.define(format_args!(
            "call {wide} {gather}({many} {pointers}, i32 {align}, {bits} {mask}, {wide} {outside})"
        ));
        if all || self.emit.target.avx512 {
            return loaded;
        }
        let inside = self.emit.vector(inside);
        self.emit.define(format_args!("select {bits} {inside}, {wide} {loaded}, {wide} {outside}"))
    }

    /// The address of an element in each lane that is inside, and of something that may be read in the others, so that all lanes can be loaded.
    ///
    /// Without masks in the processor, LLVM makes a masked gather a jump around each load, and jumps that follow the data are mispredicted.
    fn readable(&mut self, memory: Memory<'_>, at: &Val, inside: &Val) -> Name {
        if let (Some(known), Form::Varying | Form::Narrow) = (memory.dereferenceable, at.form) {
            // Addresses that are sums of one number and a vector, since processors gather from such.
            let zero = match at.form {
                Form::Narrow => Val::narrow("zeroinitializer".into()),
                _ => Val::idx(0),
            };
            let at = self.emit.blend(inside, at, &zero);
            return self.addresses(Memory { data: &known.one, ..memory }, &at);
        }
        let pointers = self.addresses(memory, at);
        self.emit.declare(nothing());
        let (many, bits) = (self.emit.wide("ptr"), self.emit.wide("i1"));
        let (inside, nothing) = (self.emit.vector(inside), self.emit.splat_literal("ptr", NOTHING));
        self.emit.define(format_args!("select {bits} {inside}, {many} {pointers}, {many} {nothing}"))
    }

    /// A mask of all lanes that LLVM does not know to be constant: the array is there.
    ///
    /// A gather uses its mask up. LLVM makes a constant one again for each gather, as `kxnorw k0, k0`, and to processors that reads what a comparison
    /// wrote to `k0` before: every gather would wait for the comparisons of the vector before it. A mask that is no constant is copied.
    fn hidden_mask(&mut self, memory: Memory<'_>) -> Name {
        let there = self.emit.define(format_args!("icmp ne ptr {}, null", memory.data));
        self.emit.splat(Depth::Here, "i1", &there)
    }

    /// Computes the address of an element in each lane, as a vector of pointers.
    pub fn addresses(&mut self, memory: Memory<'_>, at: &Val) -> Name {
        let element = memory_type(memory.elem);
        match at.form {
            Form::Const(_) | Form::Uniform(_) | Form::Linear { .. } => {
                let first = self.emit.first(at);
                let stride = match at.form {
                    Form::Linear { stride, .. } => stride,
                    Form::Const(_) | Form::Uniform(_) | Form::Varying | Form::Narrow => 0,
                };
                let base = self
                    .emit
                    .define(format_args!("getelementptr {element}, ptr {}, i64 {first}", memory.data));
                let width = if i32::try_from(stride.saturating_mul(self.emit.lanes as i64)).is_ok() {
                    "i32"
                } else {
                    "i64"
                };
                let (ramp, wide) = (self.emit.ramp_literal(width, stride), self.emit.wide(width));
                self.emit.define(format_args!("getelementptr {element}, ptr {base}, {wide} {ramp}"))
            }
            Form::Varying | Form::Narrow => {
                let wide = self.emit.wide(if at.form == Form::Narrow { "i32" } else { "i64" });
                self.emit
                    .define(format_args!("getelementptr {element}, ptr {}, {wide} {}", memory.data, at.name))
            }
        }
    }

    /// Converts W values to their form in memory, an LLVM vector.
    pub fn stored(&mut self, val: &Val) -> Name {
        match (val.ty, val.as_const()) {
            (_, Some(scalar)) => {
                let value = match scalar {
                    Scalar::Bool(value) => u8::from(value).to_string(),
                    other => literal(other),
                };
                self.emit.splat_literal(memory_type(val.ty), &value).into()
            }
            (ScalarType::Bool, None) => {
                let (vector, from, to) = (self.emit.vector(val), self.emit.wide("i1"), self.emit.wide("i8"));
                self.emit.define(format_args!("zext {from} {vector} to {to}"))
            }
            (_, None) => self.emit.vector(val),
        }
    }

    /// Converts W values from their form in memory.
    pub fn loaded(&mut self, elem: ScalarType, name: Name) -> Val {
        match elem {
            ScalarType::Bool => {
                let wide = self.emit.wide("i8");
                let truth = self.emit.define(format_args!("icmp ne {wide} {name}, zeroinitializer"));
                Val::varying(elem, truth)
            }
            _ => Val::varying(elem, name),
        }
    }
}
