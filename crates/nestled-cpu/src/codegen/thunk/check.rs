//! Fault checks: which lanes a check applies to, the report of the first lane that fails, and the removal of failed lanes from the mask.

use super::Run;
use crate::codegen::emit::llvm_type;
use crate::codegen::fault::FaultTemplate;
use crate::codegen::text::{Label, Name};
use crate::codegen::value::Val;
use crate::codegen::variable::Variable;
use nestled_ir::{Name as SourceName, Scalar, ScalarType, SiteId};
use std::cell::Cell;
use std::rc::Rc;

/// The function that keeps the least fault, for every module with checks. Its parameters are the record, then the fields of the new fault.
pub const FAULT_FUNCTION: &str = "\
define internal void @nestled.fault(ptr %record, i64 %site, i64 %element, i64 %template, i64 %a, i64 %b) cold noinline nounwind {
  %old.site = load i64, ptr %record
  %element.at = getelementptr i64, ptr %record, i64 1
  %old.element = load i64, ptr %element.at
  %site.less = icmp ult i64 %site, %old.site
  %site.same = icmp eq i64 %site, %old.site
  %element.less = icmp slt i64 %element, %old.element
  %both = and i1 %site.same, %element.less
  %less = or i1 %site.less, %both
  br i1 %less, label %keep, label %done
keep:
  store i64 %site, ptr %record
  store i64 %element, ptr %element.at
  %template.at = getelementptr i64, ptr %record, i64 2
  store i64 %template, ptr %template.at
  %a.at = getelementptr i64, ptr %record, i64 3
  store i64 %a, ptr %a.at
  %b.at = getelementptr i64, ptr %record, i64 4
  store i64 %b, ptr %b.at
  br label %done
done:
  ret void
}
";

/// Code that is skipped when none of its lanes is active.
#[derive(Clone, Debug)]
pub(super) struct MaskedRegion {
    end: Label,
    /// The lanes that want it.
    pub mask: Val,
    used: Rc<Cell<bool>>,
}

impl MaskedRegion {
    /// Makes a region that ends at the label.
    pub fn new(end: Label, mask: Val) -> MaskedRegion {
        MaskedRegion { end, mask, used: Rc::new(Cell::new(false)) }
    }

    /// Returns the label to jump to when no lane is active any more.
    fn end(&self) -> Label {
        self.used.set(true);
        self.end
    }

    /// True if there is a jump to its end.
    pub fn is_used(&self) -> bool {
        self.used.get()
    }
}

/// The fault of a lane that fails.
pub(super) struct Report {
    pub site: SiteId,
    pub template: FaultTemplate,
    pub a: Val,
    pub b: Val,
}

impl Run<'_, '_, '_> {
    fn live_slot(&mut self) -> Variable {
        if self.live.is_none() {
            let slot = Variable::varying(self.emit, ScalarType::Bool);
            slot.store_at(self.emit, self.start, &Val::truth(true));
            self.live = Some(slot);
        }
        self.live.clone().expect("made above")
    }

    /// Returns the lanes that have not faulted.
    pub fn live(&mut self) -> Val {
        let slot = self.live_slot();
        slot.load(self.emit)
    }

    /// Returns the active lanes: those of the mask that have not faulted.
    pub fn active(&mut self) -> Val {
        if !self.dirty {
            return self.mask.clone();
        }
        let live = self.live();
        let mask = self.mask.clone();
        self.emit.and(&mask, &live)
    }

    /// Emits a check.
    pub fn check(&mut self, cond: &Val, code: &SourceName, site: SiteId) {
        let template = FaultTemplate::Check { code: code.clone() };
        let report = Report { site, template, a: Val::idx(0), b: Val::idx(0) };
        self.fault_unless(cond, &Val::truth(true), &report);
    }

    /// Emits a fault in lanes that are active and `among` the given ones, unless `ok`. Returns the value of `ok` known in the remaining lanes.
    pub fn fault_unless(&mut self, ok: &Val, among: &Val, report: &Report) -> Val {
        if ok.is(Scalar::Bool(true)) || among.is(Scalar::Bool(false)) {
            return Val::truth(true);
        }
        let all = Val::truth(true);
        let among = if *among == self.lane.point.mask { &all } else { among };
        if ok.uniform_depth().is_some() && among.is(Scalar::Bool(true)) {
            self.fault_unless_uniform(ok, report);
            return Val::truth(true);
        }
        let active = self.active();
        let judged = self.emit.and(&active, among);
        let fails = self.emit.not(ok);
        let bad = self.emit.and(&judged, &fails);
        let (cold, go_on) = (self.emit.label(), self.emit.label());
        if judged.is(Scalar::Bool(true)) {
            let all = self.emit.all(ok);
            self.emit.branch(&all, go_on, cold);
        } else {
            let any = self.emit.any(&bad);
            self.emit.branch(&any, cold, go_on);
        }
        self.emit.text.begin(cold);
        self.report(&bad, report);
        let left = self.deactivate(&bad);
        let anybody = {
            let region = self.region.mask.clone();
            let left = self.emit.and(&region, &left);
            self.emit.any(&left)
        };
        let end = self.region.end();
        self.emit.branch(&anybody, go_on, end);
        self.emit.text.begin(go_on);
        self.dirty = true;
        ok.clone()
    }

    /// Emits a uniform check. If it fails, no lane of the region remains active; if no condition encloses it, the whole thunk ends.
    fn fault_unless_uniform(&mut self, ok: &Val, report: &Report) {
        let (cold, told, go_on) = (self.emit.label(), self.emit.label(), self.emit.label());
        let holds = self.emit.scalar(ok);
        self.emit.branch(&holds, go_on, cold);
        self.emit.text.begin(cold);
        let active = self.active();
        let any = self.emit.any(&active);
        let everybody = self.mask == self.top.mask;
        let end = if everybody { self.top.end() } else { self.region.end() };
        self.emit.branch(&any, told, end);
        self.emit.text.begin(told);
        self.report(&active, report);
        self.deactivate(&active);
        self.emit.line(format_args!("br label %{end}"));
        self.emit.text.begin(go_on);
        self.dirty |= !everybody;
    }

    /// Removes lanes from those that have not faulted, and returns the remaining ones.
    fn deactivate(&mut self, bad: &Val) -> Val {
        let slot = self.live_slot();
        let live = slot.load(self.emit);
        let good = self.emit.not(bad);
        let left = self.emit.and(&live, &good);
        slot.store(self.emit, &left);
        left
    }

    /// Emits the report of the first of these lanes; at least one is set.
    fn report(&mut self, bad: &Val, report: &Report) {
        let template = self
            .lane
            .faults
            .number(report.template.clone(), self.lane.point.positions.len().saturating_sub(1));
        let (lanes, bits) = (self.emit.lanes, self.emit.bits(bad));
        self.emit.declare(format!("declare i{lanes} @llvm.cttz.i{lanes}(i{lanes}, i1)"));
        let first =
            self.emit.define(format_args!("call i{lanes} @llvm.cttz.i{lanes}(i{lanes} {bits}, i1 true)"));
        let first = match lanes {
            64 => first,
            _ => {
                let (cast, to) = if lanes < 64 { ("zext", "i64") } else { ("trunc", "i64") };
                self.emit.define(format_args!("{cast} i{lanes} {first} to {to}"))
            }
        };
        // A point always has a position, that of level 0 at least.
        let element = self.lane.point.positions.last().cloned().unwrap_or(Val::idx(0));
        let [element, a, b] = [&element, &report.a, &report.b].map(|val| self.of_lane(val, &first));
        let site = report.site.0;
        self.emit.line(format_args!(
            "call void @nestled.fault(ptr %fault, i64 {site}, i64 {element}, i64 {template}, i64 {a}, i64 {b})"
        ));
    }

    /// Extracts an index of one lane as an LLVM scalar.
    fn of_lane(&mut self, val: &Val, lane: &str) -> Name {
        if val.uniform_depth().is_some() {
            return self.emit.scalar(val);
        }
        let (vector, wide) = (self.emit.vector(val), self.emit.wide(llvm_type(val.ty)));
        self.emit.define(format_args!("extractelement {wide} {vector}, i64 {lane}"))
    }
}
