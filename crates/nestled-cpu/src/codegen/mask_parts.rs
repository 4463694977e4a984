//! Masks in parts: the truth values of the lanes of each register by themselves.
//!
//! A vector of four registers is compared register by register. As one `<64 x i1>` the four masks would be packed into one mask register after every comparison, and unpacked for
//! every blend. In a divergent loop, where that is a third of the instructions of a short round, masks are known by their parts as well: comparisons, conjunctions, blends
//! and the mask that goes from round to round are written part by part. The whole is put together beside them, and LLVM drops it if nothing asks for it.
//!
//! **Invariant.** The parts of a mask, one after another, are the mask.

use super::emit::{Emit, literal, llvm_type};
use super::lane_groups;
use super::ops::predicate;
use super::text::Name;
use super::value::{Depth, Form, Val};
use super::variable::Variable;
use nestled_ir::{Op, ScalarType};

/// Registers of a vector of as many independent chains as `lanes.rs` in `nestled-kernel` has; each has a part of the mask.
const PARTS: usize = 4;

/// Minimum number of lanes of a part: a mask of fewer has no instructions of its own.
const LEAST: usize = 8;

impl Emit<'_> {
    /// From here on masks are computed in parts, if the processor has mask registers and vectors are several registers. Returns what was before, for [`Emit::part`].
    pub fn begin_parts(&mut self) -> Option<usize> {
        let lanes = (self.lanes / PARTS).max(LEAST);
        let several = self.target.avx512 && lanes < self.lanes;
        std::mem::replace(&mut self.part, several.then_some(lanes))
    }

    /// The parts of a truth value, if they are known, or the same for all lanes.
    fn parts(&mut self, val: &Val) -> Option<Vec<Name>> {
        let lanes = self.part?;
        let part = match val.form {
            Form::Const(scalar) => {
                let items = vec![format!("i1 {}", literal(scalar)); lanes].join(", ");
                format!("<{items}>").into()
            }
            Form::Uniform(_) => {
                let ty = format!("<{lanes} x i1>");
                let one = self.define(format_args!("insertelement {ty} poison, i1 {}, i64 0", val.name));
                let zeros = format!("<{lanes} x i32> zeroinitializer");
                self.define(format_args!("shufflevector {ty} {one}, {ty} poison, {zeros}"))
            }
            Form::Linear { .. } | Form::Varying | Form::Narrow => {
                let known = self.mask_parts.get(&val.name)?;
                return (known.len() * lanes == self.lanes).then(|| known.clone());
            }
        };
        Some(vec![part; self.lanes / lanes])
    }

    /// Cuts a vector into parts.
    fn cut(&mut self, element: &str, vector: &str, lanes: usize) -> Vec<Name> {
        let (wide, count) = (self.wide(element), self.lanes / lanes);
        let part = |number: usize| {
            let order: Vec<String> =
                (0..lanes).map(|lane| format!("i32 {}", number * lanes + lane)).collect();
            let order = format!("<{lanes} x i32> <{}>", order.join(", "));
            self.define(format_args!("shufflevector {wide} {vector}, {wide} poison, {order}"))
        };
        (0..count).map(part).collect()
    }

    /// Puts parts together to a vector.
    fn joined(&mut self, element: &str, mut parts: Vec<Name>) -> Name {
        let mut lanes = self.lanes / parts.len();
        while parts.len() > 1 {
            let ty = format!("<{lanes} x {element}>");
            lanes *= 2;
            let order: Vec<String> = (0..lanes).map(|lane| format!("i32 {lane}")).collect();
            let order = format!("<{lanes} x i32> <{}>", order.join(", "));
            let pair = |pair: &[Name]| {
                self.define(format_args!("shufflevector {ty} {}, {ty} {}, {order}", pair[0], pair[1]))
            };
            parts = parts.chunks(2).map(pair).collect();
        }
        parts.swap_remove(0)
    }

    /// A mask of these parts.
    fn of_parts(&mut self, parts: Vec<Name>) -> Val {
        let name = self.joined("i1", parts.clone());
        self.mask_parts.insert(name.clone(), parts);
        Val::varying(ScalarType::Bool, name)
    }

    /// Emits a comparison, or a conjunction or disjunction of masks, part by part, if masks are computed so and operands have parts.
    pub fn op_in_parts(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        let lanes = self.part?;
        let [a, b] = args else { return None };
        if a.uniform_depth().is_some() && b.uniform_depth().is_some() {
            return None;
        }
        let (instruction, element, parts) = match op {
            Op::And | Op::Or if a.ty == ScalarType::Bool => {
                let name = if op == Op::And { "and" } else { "or" };
                (name.to_owned(), "i1", [self.parts(a)?, self.parts(b)?])
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge if a.ty != ScalarType::Bool => {
                let element = llvm_type(a.ty);
                let parts = [a, b].map(|val| {
                    let vector = self.vector(val);
                    self.cut(element, &vector, lanes)
                });
                (predicate(op, a.ty), element, parts)
            }
            _ => return None,
        };
        let ty = format!("<{lanes} x {element}>");
        let [left, right] = parts;
        let pairs = left.iter().zip(&right);
        let parts = pairs.map(|(a, b)| self.define(format_args!("{instruction} {ty} {a}, {b}"))).collect();
        let group = lane_groups::alike([a, b]);
        Some(Val { group, ..self.of_parts(parts) })
    }

    /// Selects `a` in the lanes where a mask with parts holds, otherwise `b`, part by part.
    pub fn blend_in_parts(&mut self, mask: &Val, element: &str, a: &str, b: &str) -> Option<Name> {
        let (lanes, masks) = (self.part?, self.parts(mask)?);
        let (yes, no) = (self.cut(element, a, lanes), self.cut(element, b, lanes));
        let (ty, bits) = (format!("<{lanes} x {element}>"), format!("<{lanes} x i1>"));
        let mut parts = Vec::with_capacity(masks.len());
        for ((mask, a), b) in masks.iter().zip(yes).zip(no) {
            parts.push(self.define(format_args!("select {bits} {mask}, {ty} {a}, {ty} {b}")));
        }
        Some(self.joined(element, parts))
    }

    /// Emits a test whether a mask with parts holds in any lane.
    pub fn any_in_parts(&mut self, mask: &Val) -> Option<Name> {
        let (lanes, parts) = (self.part?, self.parts(mask)?);
        let ty = format!("<{lanes} x i1>");
        let some = parts.into_iter().reduce(|a, b| self.define(format_args!("or {ty} {a}, {b}")))?;
        let bits = self.define(format_args!("bitcast {ty} {some} to i{lanes}"));
        Some(self.define(format_args!("icmp ne i{lanes} {bits}, 0")))
    }
}

/// A mask that goes from round to round, in parts where masks are computed so.
pub struct MaskVariable {
    whole: Option<Variable>,
    parts: Vec<Name>,
}

impl MaskVariable {
    /// Defines a variable.
    pub fn new(emit: &mut Emit<'_>) -> MaskVariable {
        let Some(lanes) = emit.part else {
            return MaskVariable {
                whole: Some(Variable::varying(emit, ScalarType::Bool)),
                parts: Vec::new(),
            };
        };
        let count = emit.lanes / lanes;
        let part = |_| emit.define_at(Depth::Entry, format_args!("alloca <{lanes} x i1>"));
        MaskVariable { whole: None, parts: (0..count).map(part).collect() }
    }

    /// Stores a mask.
    pub fn store(&self, emit: &mut Emit<'_>, mask: &Val) {
        if let Some(whole) = &self.whole {
            return whole.store(emit, mask);
        }
        let lanes = emit.lanes / self.parts.len();
        let parts = match emit.parts(mask) {
            Some(parts) => parts,
            None => {
                let vector = emit.vector(mask);
                emit.cut("i1", &vector, lanes)
            }
        };
        for (part, place) in parts.iter().zip(&self.parts) {
            emit.line(format_args!("store <{lanes} x i1> {part}, ptr {place}"));
        }
    }

    /// Loads the mask.
    pub fn load(&self, emit: &mut Emit<'_>) -> Val {
        if let Some(whole) = &self.whole {
            return whole.load(emit);
        }
        let lanes = emit.lanes / self.parts.len();
        let load = |place| emit.define(format_args!("load <{lanes} x i1>, ptr {place}"));
        let parts = self.parts.iter().map(load).collect();
        emit.of_parts(parts)
    }
}
