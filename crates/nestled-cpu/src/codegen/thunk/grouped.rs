//! Grouped loads: where indices [count lanes in groups](crate::codegen::lane_groups), the elements of each group are loaded at once.

use super::Run;
use super::fetch::Memory;
use crate::codegen::emit::{memory_suffix, memory_type};
use crate::codegen::lane_groups::alike;
use crate::codegen::text::Name;
use crate::codegen::value::{Depth, Form, Group, Val};
use crate::codegen::variable::Variable;
use nestled_ir::{Op, Scalar, ScalarType};

impl Run<'_, '_, '_> {
    /// In the interior version: recognises the part of an index along the row that counts groups of lanes, or the lanes within each. Vectors must then
    /// begin at group boundaries.
    pub fn grouped(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        let [index, by] = args else { return None };
        let (Form::Linear { stride: 1, depth }, Some(Scalar::Idx(by))) = (index.form, by.as_const()) else {
            return None;
        };
        let log = match op {
            Op::Shr => u32::try_from(by).ok()?,
            Op::And => u32::try_from(by).ok()?.checked_add(1).filter(|size| size.is_power_of_two())?.ilog2(),
            _ => return None,
        };
        let size = 1u64.checked_shl(log).filter(|&size| size > 1 && size <= self.emit.lanes as u64)?;
        if depth > Depth::Row {
            return None;
        }
        let assumed = self.lane.assumed.as_mut()?;
        assumed.aligned = assumed.aligned.max(size);
        if &*index.name != "0" {
            let rest = self.emit.define_at(depth, format_args!("and i64 {}, {}", index.name, size - 1));
            let begins = self.emit.define_at(depth, format_args!("icmp eq i64 {rest}, 0"));
            self.assume_row(&Val::uniform(ScalarType::Bool, depth, begins));
        }
        let group = |step| Some(Group { log, step, is_number: op == Op::And });
        if op == Op::And {
            let name = self.ramp("i32", |lane| lane % size);
            return Some(Val { group: group(1), ..Val::narrow(name) });
        }
        let fits = index.coordinate.is_some() && !self.lane.wide;
        let first = self.emit.first(index);
        let mut first = self.emit.define(format_args!("ashr i64 {first}, {log}"));
        let element = if fits { "i32" } else { "i64" };
        if fits {
            first = self.emit.define(format_args!("trunc i64 {first} to i32"));
        }
        let (first, wide) = (self.emit.splat(Depth::Here, element, &first), self.emit.wide(element));
        let ramp = self.ramp(element, |lane| lane / size);
        let name = self.emit.define(format_args!("add {wide} {first}, {ramp}"));
        let val = if fits { Val::narrow(name) } else { Val::varying(ScalarType::Idx, name) };
        Some(Val { group: group(0), ..val })
    }

    fn ramp(&self, element: &str, of: impl Fn(u64) -> u64) -> Name {
        let items: Vec<String> =
            (0..self.emit.lanes as u64).map(|lane| format!("{element} {}", of(lane))).collect();
        format!("<{}>", items.join(", ")).into()
    }

    /// Loads the elements of each group of lanes at once, if they are contiguous and the mask is uniform within each group.
    pub fn load_groups(&mut self, memory: Memory<'_>, at: &Val, inside: &Val, outside: &Val) -> Option<Val> {
        let step = at.group?.step;
        let log = match inside.uniform_depth() {
            Some(_) => at.group?.log,
            None => alike([inside])?.log.min(at.group?.log),
        };
        let size = 1usize << log;
        if step != 1 || size < 2 || size > self.emit.lanes || memory.elem.size() < 4 {
            return None;
        }
        // Reads around a pixel access the same rows: only one of them prefetches.
        let below =
            memory.below.filter(|_| !self.prefetched.iter().any(|prefetched| **prefetched == *memory.data));
        if below.is_some() {
            self.prefetched.push(memory.data.into());
        }
        let memory = Memory { below, ..memory };
        if inside.is(Scalar::Bool(true)) {
            return Some(self.groups(memory, at, size, inside));
        }
        // Most often all lanes are wanted, and masked loads are slow.
        let slot = Variable::varying(self.emit, memory.elem);
        let (whole, some, done) = (self.emit.label(), self.emit.label(), self.emit.label());
        let all = self.emit.all(inside);
        self.emit.branch(&all, whole, some);
        self.emit.text.begin(whole);
        let val = self.groups(memory, at, size, &Val::truth(true));
        slot.store(self.emit, &val);
        self.emit.line(format_args!("br label %{done}"));
        self.emit.text.begin(some);
        // A masked load from where there is no memory is allowed, but takes a processor as long as a hundred others.
        let zero = if at.form == Form::Narrow { Val::narrow("zeroinitializer".into()) } else { Val::idx(0) };
        let at = self.emit.blend(inside, at, &zero);
        let val = self.groups(memory, &at, size, inside);
        // Lanes outside hold zeros so far.
        let val = match outside.is(Scalar::zero(memory.elem)) {
            true => val,
            false => self.emit.blend(inside, &val, outside),
        };
        slot.store(self.emit, &val);
        self.emit.fall_into(done);
        Some(slot.load(self.emit))
    }

    /// Loads groups of `size` lanes each.
    fn groups(&mut self, memory: Memory<'_>, at: &Val, size: usize, inside: &Val) -> Val {
        let (element, bytes) = (memory_type(memory.elem), memory.elem.size());
        let index = if at.form == Form::Narrow { "i32" } else { "i64" };
        let (places, few, bits) =
            (self.emit.wide(index), format!("<{size} x {element}>"), self.emit.wide("i1"));
        let mut parts = Vec::new();
        for first in (0..self.emit.lanes).step_by(size) {
            let place = self.emit.define(format_args!("extractelement {places} {}, i32 {first}", at.name));
            let pointer = self
                .emit
                .define(format_args!("getelementptr {element}, ptr {}, {index} {place}", memory.data));
            if let Some(below) = memory.below {
                // The row that is walked next most likely reads the rows of pixels below, which no hardware prefetcher predicts.
                let next =
                    self.emit.define(format_args!("getelementptr {element}, ptr {pointer}, i64 {below}"));
                self.emit.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)");
                self.emit.line(format_args!("call void @llvm.prefetch.p0(ptr {next}, i32 0, i32 3, i32 1)"));
            }
            if inside.is(Scalar::Bool(true)) {
                parts.push(self.emit.define(format_args!("load {few}, ptr {pointer}, align {bytes}")));
                continue;
            }
            let mask = self.emit.vector(inside);
            let order: Vec<String> = (first..first + size).map(|lane| format!("i32 {lane}")).collect();
            let own = self.emit.define(format_args!(
                "shufflevector {bits} {mask}, {bits} poison, <{size} x i32> <{}>",
                order.join(", ")
            ));
            let load = format!("@llvm.masked.load.v{size}{}.p0", memory_suffix(memory.elem));
            self.emit.declare(format!("declare {few} {load}(ptr, i32, <{size} x i1>, {few})"));
            parts.push(self.emit.define(format_args!(
                "call {few} {load}(ptr {pointer}, i32 {bytes}, <{size} x i1> {own}, {few} zeroinitializer)"
            )));
        }
        let mut width = size;
        while parts.len() > 1 {
            let order: Vec<String> = (0..2 * width).map(|lane| format!("i32 {lane}")).collect();
            let order = format!("<{} x i32> <{}>", 2 * width, order.join(", "));
            let half = format!("<{width} x {element}>");
            parts = parts
                .chunks(2)
                .map(|two| {
                    self.emit
                        .define(format_args!("shufflevector {half} {}, {half} {}, {order}", two[0], two[1]))
                })
                .collect();
            width *= 2;
        }
        self.loaded(memory.elem, parts.swap_remove(0))
    }
}
