//! Unordered scatters: generated code writes, or combines, directly into the destination or into a private table of the same shape.

use super::emit::{memory_suffix, memory_type};
use super::fault::FaultTemplate;
use super::function::Function;
use super::text::Name;
use super::value::{Depth, Form, Val};
use nestled_ir::reduction_order::LANES;
use nestled_ir::{CombinatorKind, Direction, Range, Scalar, ScalarType, Shape};
use nestled_kernel::stream::{COPIES, Extent, Way, axes, table_parts, table_start};

/// The places of the lanes, in the narrowest sufficient type.
struct Places {
    /// `i32` or `i64`.
    ty: &'static str,
    /// An LLVM vector.
    name: Name,
}

impl Function<'_, '_> {
    /// Emits a scatter of the results of a combinator's thunk, in the lanes of the mask, to the addresses `pointers`. `number` is the number of the
    /// point.
    pub fn scatter(
        &mut self,
        step: usize,
        way: Way,
        pointers: &[Name],
        values: &[Val],
        number: &Val,
        mask: &Val,
    ) {
        let kernel = self.shared.kernel;
        let CombinatorKind::Permute { dest, range, .. } = &kernel.steps[step].kind else { return };
        let extents = self.extents(dest);
        let (index, values) = values.split_at(extents.len());
        let fault = match range {
            Range::Fault(site) => Some((site.0 as u64, kernel.steps[step].level().0)),
            // Even indices proved to be inside are tested: after a fault they may be anything.
            Range::Drop | Range::Proved => None,
        };
        if mask.uniform_depth().is_some() && number.uniform_depth().is_some() {
            return self.scatter_point(step, way, pointers, (index, &extents), values, number, mask, fault);
        }
        let mut live = mask.clone();
        let mut insides = Vec::new();
        for (at, extent) in index.iter().zip(&extents) {
            let inside = self.inside(at, extent);
            live = self.emit.and(&live, &inside);
            insides.push(inside);
        }
        let places = self.places(index, &extents);
        let (all, some, done) = (self.emit.label(), self.emit.label(), self.emit.label());
        let holds = self.emit.all(&live);
        self.emit.branch(&holds, all, some);
        // Some lanes are absent, or not inside.
        self.emit.text.begin(some);
        if way == Way::Combine && self.emit.lanes > LANES {
            // Of sixteen all are so more often.
            let vals = [index, values, &[number.clone(), mask.clone()]].concat();
            self.by_lanes(LANES, Direction::Forward, &vals, |f, _, part| {
                let (values, [number, mask]) = part.split_last_chunk().expect("these two are last");
                f.scatter(step, way, pointers, values, number, mask);
            });
            self.emit.line(format_args!("br label %{done}"));
            self.emit.text.begin(all);
            self.update_places(step, pointers, &places, values);
            return self.emit.fall_into(done);
        }
        if let Some(fault) = fault {
            let mut judged = mask.clone();
            for ((at, extent), inside) in index.iter().zip(&extents).zip(&insides) {
                self.report_outside(&judged, inside, fault, number, at, extent);
                judged = self.emit.and(&judged, inside);
            }
        }
        match way {
            Way::Append => {}
            Way::Place => self.write_all(pointers, &places, values, &live),
            Way::Combine => self.combine_places(step, pointers, &places, values, &live),
        }
        self.emit.line(format_args!("br label %{done}"));
        self.emit.text.begin(all);
        match way {
            Way::Append => {}
            Way::Place => self.write_all(pointers, &places, values, &Val::truth(true)),
            Way::Combine => self.update_places(step, pointers, &places, values),
        }
        self.emit.fall_into(done);
    }

    fn write_all(&mut self, pointers: &[Name], places: &Places, values: &[Val], live: &Val) {
        for (val, data) in values.iter().zip(pointers) {
            self.write_places(data, places, val, live);
        }
    }

    /// Returns the extents of a destination.
    fn extents(&mut self, dest: &Shape) -> Vec<Val> {
        let kernel = self.shared.kernel;
        let extents = axes(kernel, dest).expect("other scatters are appended");
        let val = |extent: Extent| match extent {
            Extent::Literal(extent) => Val::idx(extent as i64),
            Extent::Symbol(symbol) => self.captures.scalars[&symbol].clone(),
            Extent::Segments(symbol) => match &self.captures.segs[&symbol].last().map(|axis| &axis.step) {
                Some(super::point::StepRef::Extent(extent)) => extent.clone(),
                _ => unreachable!("regular segments have one length"),
            },
        };
        extents.into_iter().map(val).collect()
    }

    /// Returns the mask of lanes whose index is inside this extent.
    fn inside(&mut self, at: &Val, extent: &Val) -> Val {
        let (element, index) = match at.form {
            Form::Narrow => ("i32", at.name.clone()),
            _ => ("i64", self.emit.vector(at)),
        };
        let limit = match (element, extent.as_const().and_then(Scalar::as_integer)) {
            (_, Some(extent)) => {
                let limit = if element == "i32" { extent.min(i64::from(i32::MAX)) } else { extent };
                self.emit.splat_literal(element, &limit.to_string()).into()
            }
            ("i32", None) => {
                self.emit.declare("declare i64 @llvm.smin.i64(i64, i64)");
                let greatest = i32::MAX;
                let limit = self.emit.define_at(
                    Depth::Entry,
                    format_args!("call i64 @llvm.smin.i64(i64 {}, i64 {greatest})", extent.name),
                );
                let limit = self.emit.define_at(Depth::Entry, format_args!("trunc i64 {limit} to i32"));
                self.emit.splat(Depth::Entry, "i32", &limit)
            }
            _ => self.emit.splat(Depth::Entry, "i64", &extent.name.clone()),
        };
        // Negative indices are large when compared unsigned.
        let wide = self.emit.wide(element);
        let name = self.emit.define(format_args!("icmp ult {wide} {index}, {limit}"));
        Val::varying(ScalarType::Bool, name)
    }

    /// Reports the first of the live lanes that are not inside.
    fn report_outside(
        &mut self,
        live: &Val,
        inside: &Val,
        (site, level): (u64, usize),
        number: &Val,
        at: &Val,
        extent: &Val,
    ) {
        let outside = self.emit.not(inside);
        let bad = self.emit.and(live, &outside);
        let (cold, go_on) = (self.emit.label(), self.emit.label());
        let any = self.emit.any(&bad);
        self.emit.branch(&any, cold, go_on);
        self.emit.text.begin(cold);
        let (lanes, bits) = (self.emit.lanes, self.emit.bits(&bad));
        self.emit.declare(format!("declare i{lanes} @llvm.cttz.i{lanes}(i{lanes}, i1)"));
        let first =
            self.emit.define(format_args!("call i{lanes} @llvm.cttz.i{lanes}(i{lanes} {bits}, i1 true)"));
        let first = match lanes {
            64 => first,
            _ => self.emit.define(format_args!("zext i{lanes} {first} to i64")),
        };
        let wide = self.emit.wide("i64");
        let [element, at] = [number, at].map(|val| {
            let vector = self.emit.vector(val);
            self.emit.define(format_args!("extractelement {wide} {vector}, i64 {first}"))
        });
        self.call_fault(site, level, &element, &at, extent);
        self.emit.fall_into(go_on);
    }

    fn call_fault(&mut self, site: u64, level: usize, element: &str, at: &str, extent: &Val) {
        let template = self.shared.faults.number(FaultTemplate::OutOfRange { array: "".into() }, level);
        let extent = self.emit.scalar(extent);
        self.emit.line(format_args!(
            "call void @nestled.fault(ptr %fault, i64 {site}, i64 {element}, i64 {template}, i64 {at}, i64 {extent})"
        ));
    }

    /// Computes the places of indices; unspecified for lanes that are not inside.
    fn places(&mut self, index: &[Val], extents: &[Val]) -> Places {
        let ty = if self.shared.wide { "i64" } else { "i32" };
        let wide = self.emit.wide(ty);
        let mut place: Option<Name> = None;
        for (at, extent) in index.iter().zip(extents) {
            let own = match (at.form, ty) {
                (Form::Narrow, "i32") => at.name.clone(),
                (_, "i32") => {
                    let from = self.emit.vector(at);
                    self.emit.low_halves(&from)
                }
                _ => self.emit.vector(at),
            };
            place = Some(match place {
                None => own,
                Some(before) => {
                    let extent = self.emit.scalar(extent);
                    let extent = match ty {
                        "i32" => self.emit.define_at(Depth::Entry, format_args!("trunc i64 {extent} to i32")),
                        _ => extent,
                    };
                    let extent = self.emit.splat(Depth::Entry, ty, &extent);
                    let first = self.emit.define(format_args!("mul {wide} {before}, {extent}"));
                    self.emit.define(format_args!("add {wide} {first}, {own}"))
                }
            });
        }
        Places { ty, name: place.unwrap_or_else(|| "zeroinitializer".into()) }
    }

    /// Writes the live lanes to their places.
    fn write_places(&mut self, data: &str, places: &Places, val: &Val, live: &Val) {
        let (ty, memory) = (val.ty, memory_type(val.ty));
        let (wide, bits) = (self.emit.wide(memory), self.emit.wide("i1"));
        let mut name = self.emit.vector(val);
        if ty == ScalarType::Bool {
            name = self.emit.define(format_args!("zext {bits} {name} to {wide}"));
        }
        let (at, pointers) = (self.emit.wide(places.ty), self.emit.wide("ptr"));
        let place =
            self.emit.define(format_args!("getelementptr {memory}, ptr {data}, {at} {}", places.name));
        let live = self.emit.vector(live);
        let call = format!("@llvm.masked.scatter.v{0}{1}.v{0}p0", self.emit.lanes, memory_suffix(ty));
        self.emit.declare(format!("declare void {call}({wide}, {pointers}, i32, {bits})"));
        self.emit.line(format_args!(
            "call void {call}({wide} {name}, {pointers} {place}, i32 {}, {bits} {live})",
            ty.size()
        ));
    }

    /// Combines the values of live lanes into their places.
    fn combine_places(
        &mut self,
        step: usize,
        pointers: &[Name],
        places: &Places,
        values: &[Val],
        live: &Val,
    ) {
        let (program, kernel) = (self.shared.program, self.shared.kernel);
        let start = table_start(program, kernel, step).expect("only such scatters are combined like this");
        let (few, done) = (self.emit.label(), self.emit.label());
        let any = self.emit.any(live);
        self.emit.branch(&any, few, done);
        self.emit.text.begin(few);
        // Other lanes combine the identity into the first place, which exists if any lane is inside.
        let values: Vec<Val> = values
            .iter()
            .zip(start)
            .map(|(val, start)| self.emit.blend(live, val, &Val::constant(start)))
            .collect();
        let (wide, bits, mask) = (self.emit.wide(places.ty), self.emit.wide("i1"), self.emit.vector(live));
        let name = self
            .emit
            .define(format_args!("select {bits} {mask}, {wide} {}, {wide} zeroinitializer", places.name));
        self.update_places(step, pointers, &Places { ty: places.ty, name }, &values);
        self.emit.fall_into(done);
    }

    /// Emits the updates of all lanes, one after another.
    fn update_places(&mut self, step: usize, pointers: &[Name], places: &Places, values: &[Val]) {
        let wide = self.emit.wide(places.ty);
        let spilled_places = self.spilled(&wide, &places.name);
        let spilled: Vec<Option<Name>> = values
            .iter()
            .map(|val| {
                if val.uniform_depth().is_some() {
                    return None;
                }
                let wide = self.emit.wide(memory_type(val.ty));
                let mut name = self.emit.vector(val);
                if val.ty == ScalarType::Bool {
                    let bits = self.emit.wide("i1");
                    name = self.emit.define(format_args!("zext {bits} {name} to {wide}"));
                }
                Some(self.spilled(&wide, &name))
            })
            .collect();
        for lane in 0..self.emit.lanes {
            let mut place = self.unspilled(places.ty, &spilled_places, lane);
            if places.ty == "i32" {
                place = self.emit.define(format_args!("zext i32 {place} to i64"));
            }
            let mut own = Vec::new();
            for (val, spilled) in values.iter().zip(&spilled) {
                own.push(match spilled {
                    None => val.clone(),
                    Some(slot) => {
                        let mut name = self.unspilled(memory_type(val.ty), slot, lane);
                        if val.ty == ScalarType::Bool {
                            name = self.emit.define(format_args!("icmp ne i8 {name}, 0"));
                        }
                        Val::uniform(val.ty, Depth::Here, name)
                    }
                });
            }
            self.update(step, pointers, lane % COPIES, &place, &own);
        }
    }

    /// Spills a vector to memory, to be read lane by lane: loads cost less than the extraction of lanes from a register, into which LLVM would turn
    /// them if they were not volatile.
    fn spilled(&mut self, wide: &str, name: &str) -> Name {
        let slot = self.emit.variable(wide);
        self.emit.line(format_args!("store volatile {wide} {name}, ptr {slot}"));
        slot
    }

    fn unspilled(&mut self, ty: &str, slot: &str, lane: usize) -> Name {
        let place = self.emit.define(format_args!("getelementptr inbounds {ty}, ptr {slot}, i64 {lane}"));
        self.emit.define(format_args!("load volatile {ty}, ptr {place}"))
    }

    /// Combines values into one place of a table.
    fn update(&mut self, step: usize, pointers: &[Name], copy: usize, place: &str, values: &[Val]) {
        let (program, kernel) = (self.shared.program, self.shared.kernel);
        let parts = table_parts(program, kernel, step).expect("only such scatters are combined like this");
        for (component, (part, ty)) in parts.into_iter().enumerate() {
            let table = &pointers[component * COPIES + copy];
            let held = self.load(Depth::Here, table, ty, place);
            let sum = self.combine(part, &[held], std::slice::from_ref(&values[component]));
            let name = self.emit.scalar(&sum[0]);
            self.store(table, ty, place, &name);
        }
    }

    /// Emits the scatter of one point.
    #[allow(clippy::too_many_arguments)]
    fn scatter_point(
        &mut self,
        step: usize,
        way: Way,
        pointers: &[Name],
        (index, extents): (&[Val], &[Val]),
        values: &[Val],
        number: &Val,
        mask: &Val,
        fault: Option<(u64, usize)>,
    ) {
        let done = self.emit.label();
        let (take, holds) = (self.emit.label(), self.emit.scalar(mask));
        self.emit.branch(&holds, take, done);
        self.emit.text.begin(take);
        let mut place: Name = "0".into();
        for (at, extent_val) in index.iter().zip(extents) {
            let (at, extent) = (self.emit.scalar(at), self.emit.scalar(extent_val));
            let inside = self.emit.define(format_args!("icmp ult i64 {at}, {extent}"));
            let (outside, go_on) = (self.emit.label(), self.emit.label());
            self.emit.branch(&inside, go_on, outside);
            self.emit.text.begin(outside);
            if let Some((site, level)) = fault {
                let element = self.emit.scalar(number);
                self.call_fault(site, level, &element, &at, extent_val);
            }
            self.emit.line(format_args!("br label %{done}"));
            self.emit.text.begin(go_on);
            let first = self.emit.define(format_args!("mul i64 {place}, {extent}"));
            place = self.emit.define(format_args!("add i64 {first}, {at}"));
        }
        match way {
            Way::Append => {}
            Way::Place => {
                for (val, data) in values.iter().zip(pointers) {
                    let name = self.emit.scalar(val);
                    self.store(data, val.ty, &place, &name);
                }
            }
            Way::Combine => self.update(step, pointers, 0, &place, values),
        }
        self.emit.fall_into(done);
    }
}
