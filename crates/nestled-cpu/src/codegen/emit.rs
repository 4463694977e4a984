//! The instruction emitter: writes LLVM text for W points at a time. All of the code generator uses it.

use super::lane_groups;
use super::text::{Label, Name, Place, Text};
use super::value::{Depth, Form, Val};
use nestled_ir::{Op, Scalar, ScalarType};
use nestled_kernel::Target;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;

/// A constant that speculative loads read in lanes that ask for nothing.
pub const NOTHING: &str = "@nestled.nothing";

/// The definition of [`NOTHING`], a declaration of the module.
pub fn nothing() -> String {
    format!("{NOTHING} = private unnamed_addr constant i64 0")
}

/// The emitter of one function.
#[derive(Debug)]
pub struct Emit<'t> {
    /// The target machine.
    pub target: &'t Target,
    /// W: the number of points computed at once. A power of two.
    pub lanes: usize,
    /// The body.
    pub text: Text,
    /// The insertion point for values of [`Depth::Entry`].
    pub entry: Place,
    /// The insertion point for values of [`Depth::Group`], where there are such.
    pub group: Place,
    /// The insertion point for values of [`Depth::Row`].
    pub row: Place,
    /// The vector coordinate of lane 0, an `i64`; that of lane l is l more.
    pub first_lane: Name,
    /// The position in the group of the point that is visited, or of lane 0 if all points are one row.
    pub position: Name,
    /// The distance of prefetches for contiguous loads, in elements, if there are any.
    pub prefetch: Option<Name>,
    /// Uniform indices that are a sum of an index and a literal, by name: for reassociation.
    pub sums: HashMap<Name, (Val, i64)>,
    /// The truth values that vectors of integers were made of, by the names of the integers.
    pub truths: HashMap<Name, Name>,
    /// Truth values as words of 32 bits, all ones or 0, by the names of the truth values.
    pub words: HashMap<Name, Name>,
    /// The number of lanes of a part, where masks are computed in parts.
    pub part: Option<usize>,
    /// The parts of masks that were computed so, by name.
    pub mask_parts: HashMap<Name, Vec<Name>>,
    /// Declarations that the module needs, one per line.
    pub declarations: BTreeSet<String>,
}

/// Returns the LLVM type of a scalar in a register.
pub fn llvm_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "i1",
        ScalarType::I8 | ScalarType::U8 => "i8",
        ScalarType::I16 | ScalarType::U16 => "i16",
        ScalarType::I32 | ScalarType::U32 => "i32",
        ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => "i64",
        ScalarType::F16 => "half",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// Returns the LLVM type of a scalar in memory.
pub fn memory_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "i8",
        other => llvm_type(other),
    }
}

/// Returns the suffix of intrinsics on this type, such as `f32`.
pub fn suffix(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "i1",
        ScalarType::I8 | ScalarType::U8 => "i8",
        ScalarType::I16 | ScalarType::U16 => "i16",
        ScalarType::I32 | ScalarType::U32 => "i32",
        ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => "i64",
        ScalarType::F16 => "f16",
        ScalarType::F32 => "f32",
        ScalarType::F64 => "f64",
    }
}

/// Returns the suffix of intrinsics on elements of this type in memory.
pub fn memory_suffix(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "i8",
        other => suffix(other),
    }
}

/// Writes a literal as LLVM does, without its type.
pub fn literal(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::I8(value) => value.to_string(),
        Scalar::U8(value) => value.to_string(),
        Scalar::I16(value) => value.to_string(),
        Scalar::U16(value) => value.to_string(),
        Scalar::I32(value) => value.to_string(),
        Scalar::U32(value) => value.to_string(),
        Scalar::I64(value) | Scalar::Idx(value) => value.to_string(),
        Scalar::U64(value) => value.to_string(),
        Scalar::F16(bits) => format!("0xH{bits:04X}"),
        // LLVM writes a float as the double of the same value; a signalling NaN would change on the way, but its payload means nothing.
        Scalar::F32(value) => format!("0x{:016X}", f64::from(value).to_bits()),
        Scalar::F64(value) => format!("0x{:016X}", value.to_bits()),
    }
}

impl<'t> Emit<'t> {
    /// Begins a function with an empty body, for W lanes. Its first insertion point is the entry.
    pub fn new(target: &'t Target, lanes: usize) -> Emit<'t> {
        let mut text = Text::default();
        let entry = text.mark();
        let (first_lane, position) = ("0".into(), "0".into());
        Emit {
            target,
            lanes,
            text,
            entry,
            group: entry,
            row: entry,
            first_lane,
            position,
            prefetch: None,
            sums: HashMap::new(),
            part: None,
            truths: HashMap::new(),
            words: HashMap::new(),
            mask_parts: HashMap::new(),
            declarations: BTreeSet::new(),
        }
    }

    /// Returns the insertion point for values of a depth.
    pub fn place(&self, depth: Depth) -> Place {
        match depth {
            Depth::Entry => self.entry,
            Depth::Group => self.group,
            Depth::Row => self.row,
            Depth::Here => self.text.end(),
        }
    }

    /// Adds a line at the end.
    pub fn line(&mut self, line: impl Display) {
        let end = self.text.end();
        self.text.line(end, line);
    }

    /// Defines a value at the end.
    pub fn define(&mut self, value: impl Display) -> Name {
        let end = self.text.end();
        self.text.define(end, value)
    }

    /// Defines a value at a depth; its operands must be known there.
    pub fn define_at(&mut self, depth: Depth, value: impl Display) -> Name {
        let place = self.place(depth);
        self.text.define(place, value)
    }

    /// Defines a variable in memory, to be promoted to registers: an `alloca` at the entry.
    pub fn variable(&mut self, ty: &str) -> Name {
        self.define_at(Depth::Entry, format_args!("alloca {ty}"))
    }

    /// Adds a declaration to the module.
    pub fn declare(&mut self, declaration: impl Into<String>) {
        self.declarations.insert(declaration.into());
    }

    /// Returns a new label.
    pub fn label(&mut self) -> Label {
        self.text.label()
    }

    /// Ends the current block with a jump, and begins the block of the label.
    pub fn fall_into(&mut self, label: Label) {
        self.line(format_args!("br label %{label}"));
        self.text.begin(label);
    }

    /// Ends the current block with a branch: to `then` if the `i1` holds, else to `otherwise`.
    pub fn branch(&mut self, condition: &str, then: Label, otherwise: Label) {
        self.line(format_args!("br i1 {condition}, label %{then}, label %{otherwise}"));
    }

    /// Returns the LLVM type of W values.
    pub fn vector_type(&self, ty: ScalarType) -> String {
        format!("<{} x {}>", self.lanes, llvm_type(ty))
    }

    /// Returns `<W x T>` for an LLVM type.
    pub fn wide(&self, element: &str) -> String {
        format!("<{} x {element}>", self.lanes)
    }

    /// Writes a vector literal with the same element in each lane, with its type: `<4 x i32> <i32 1, …>`.
    pub fn splat_literal(&self, element: &str, value: &str) -> String {
        let items = vec![format!("{element} {value}"); self.lanes].join(", ");
        format!("<{items}>")
    }

    /// Writes the vector literal `<0, stride, 2·stride, …>` of an integer type.
    pub fn ramp_literal(&self, element: &str, stride: i64) -> String {
        let item = |lane: usize| format!("{element} {}", stride.wrapping_mul(lane as i64));
        let items: Vec<String> = (0..self.lanes).map(item).collect();
        format!("<{}>", items.join(", "))
    }

    /// Broadcasts an LLVM scalar to all lanes.
    pub fn splat(&mut self, depth: Depth, element: &str, name: &str) -> Name {
        let wide = self.wide(element);
        let one = self.define_at(depth, format_args!("insertelement {wide} poison, {element} {name}, i64 0"));
        let zeros = format!("<{} x i32> zeroinitializer", self.lanes);
        self.define_at(depth, format_args!("shufflevector {wide} {one}, {wide} poison, {zeros}"))
    }

    /// Returns the LLVM scalar of a uniform value.
    ///
    /// # Panics
    /// If the value is not uniform.
    pub fn scalar(&self, val: &Val) -> Name {
        match val.form {
            Form::Const(scalar) => literal(scalar).into(),
            Form::Uniform(_) => val.name.clone(),
            Form::Linear { .. } | Form::Varying | Form::Narrow => panic!("{val:?} is not uniform"),
        }
    }

    /// Returns the value of lane 0 as an LLVM scalar; for a linear value, that at the vector's first coordinate.
    pub fn first(&mut self, val: &Val) -> Name {
        match val.form {
            Form::Const(_) | Form::Uniform(_) => self.scalar(val),
            Form::Linear { stride, .. } => {
                let lane = self.first_lane.clone();
                let grown = match stride {
                    1 => lane,
                    _ => self.define(format_args!("mul i64 {lane}, {stride}")),
                };
                match &*val.name {
                    "0" => grown,
                    base => self.define(format_args!("add i64 {base}, {grown}")),
                }
            }
            Form::Varying | Form::Narrow => {
                let vector = self.vector(val);
                let wide = self.vector_type(val.ty);
                self.define(format_args!("extractelement {wide} {vector}, i64 0"))
            }
        }
    }

    /// Returns the value as an LLVM vector `<W x T>` (without its type).
    pub fn vector(&mut self, val: &Val) -> Name {
        let element = llvm_type(val.ty);
        match val.form {
            Form::Const(scalar) => self.splat_literal(element, &literal(scalar)).into(),
            Form::Uniform(depth) => {
                let name = val.name.clone();
                self.splat(depth, element, &name)
            }
            Form::Linear { stride, .. } => {
                let first = self.first(val);
                let splat = self.splat(Depth::Here, "i64", &first);
                let (wide, ramp) = (self.wide("i64"), self.ramp_literal("i64", stride));
                self.define(format_args!("add {wide} {splat}, {ramp}"))
            }
            Form::Varying => val.name.clone(),
            Form::Narrow => {
                let (from, to) = (self.wide("i32"), self.wide("i64"));
                self.define(format_args!("sext {from} {} to {to}", val.name))
            }
        }
    }

    /// Emits a conjunction of truth values.
    pub fn and(&mut self, a: &Val, b: &Val) -> Val {
        match (a.as_const(), b.as_const()) {
            (Some(Scalar::Bool(true)), _) | (_, Some(Scalar::Bool(false))) => return b.clone(),
            (_, Some(Scalar::Bool(true))) | (Some(Scalar::Bool(false)), _) => return a.clone(),
            _ => {}
        }
        if let (Some(left), Some(right)) = (a.uniform_depth(), b.uniform_depth()) {
            let depth = left.max(right);
            let name = self.define_at(depth, format_args!("and i1 {}, {}", a.name, b.name));
            return Val::uniform(ScalarType::Bool, depth, name);
        }
        if let Some(mask) = self.op_in_parts(Op::And, &[a.clone(), b.clone()]) {
            return mask;
        }
        let (left, right, wide) = (self.vector(a), self.vector(b), self.wide("i1"));
        let name = self.define(format_args!("and {wide} {left}, {right}"));
        Val { group: lane_groups::alike([a, b]), ..Val::varying(ScalarType::Bool, name) }
    }

    /// Emits the negation of a truth value.
    pub fn not(&mut self, a: &Val) -> Val {
        match a.form {
            Form::Const(scalar) => Val::truth(scalar != Scalar::Bool(true)),
            Form::Uniform(depth) => {
                let name = self.define_at(depth, format_args!("xor i1 {}, true", a.name));
                Val::uniform(ScalarType::Bool, depth, name)
            }
            Form::Linear { .. } | Form::Varying | Form::Narrow => {
                let (wide, ones) = (self.wide("i1"), self.splat_literal("i1", "true"));
                let name = self.define(format_args!("xor {wide} {}, {ones}", a.name));
                Val { group: lane_groups::alike([a]), ..Val::varying(ScalarType::Bool, name) }
            }
        }
    }

    /// Emits a test whether a truth value holds in any lane: an `i1`.
    pub fn any(&mut self, mask: &Val) -> Name {
        if mask.uniform_depth().is_some() {
            return self.scalar(mask);
        }
        if let Some(any) = self.any_in_parts(mask) {
            return any;
        }
        let bits = self.bits(mask);
        let lanes = self.lanes;
        self.define(format_args!("icmp ne i{lanes} {bits}, 0"))
    }

    /// Emits a test whether a truth value holds in all lanes: an `i1`.
    pub fn all(&mut self, mask: &Val) -> Name {
        if mask.uniform_depth().is_some() {
            return self.scalar(mask);
        }
        let bits = self.bits(mask);
        let lanes = self.lanes;
        self.define(format_args!("icmp eq i{lanes} {bits}, -1"))
    }

    /// Converts a truth value to an integer of W bits, lane 0 lowest.
    pub fn bits(&mut self, mask: &Val) -> Name {
        if let Some(words) = self.words.get(&mask.name).cloned() {
            return self.bits_of_words(&words);
        }
        let (vector, wide, lanes) = (self.vector(mask), self.wide("i1"), self.lanes);
        self.define(format_args!("bitcast {wide} {vector} to i{lanes}"))
    }

    /// The same of truth values as words: a bit of each sign, register by register.
    fn bits_of_words(&mut self, words: &str) -> Name {
        let (lanes, wide) = (self.lanes, self.wide("i32"));
        let size = lanes.min((self.target.vector_bits / 32) as usize);
        let bits = |emit: &mut Self, first: usize| {
            let order: Vec<String> = (first..first + size).map(|lane| format!("i32 {lane}")).collect();
            let order = format!("<{size} x i32> <{}>", order.join(", "));
            let part = emit.define(format_args!("shufflevector {wide} {words}, {wide} poison, {order}"));
            let signs = emit.define(format_args!("icmp slt <{size} x i32> {part}, zeroinitializer"));
            let part = emit.define(format_args!("bitcast <{size} x i1> {signs} to i{size}"));
            if size == lanes {
                return part;
            }
            let part = emit.define(format_args!("zext i{size} {part} to i{lanes}"));
            emit.define(format_args!("shl i{lanes} {part}, {first}"))
        };
        let mut all = bits(self, 0);
        for first in (size..lanes).step_by(size) {
            let part = bits(self, first);
            all = self.define(format_args!("or i{lanes} {all}, {part}"));
        }
        all
    }

    /// Converts a truth value to words of 32 bits, all ones or 0.
    pub fn words_of(&mut self, truth: &Val) -> Name {
        if let Some(words) = self.words.get(&truth.name) {
            return words.clone();
        }
        let (vector, bits, wide) = (self.vector(truth), self.wide("i1"), self.wide("i32"));
        self.define(format_args!("sext {bits} {vector} to {wide}"))
    }

    /// The truth values of words, as which they remain known.
    pub fn of_words(&mut self, words: Name) -> Val {
        let wide = self.wide("i32");
        let truths = self.define(format_args!("icmp slt {wide} {words}, zeroinitializer"));
        self.words.insert(truths.clone(), words);
        Val::varying(ScalarType::Bool, truths)
    }

    /// Returns integers that are 0 or 1 as truth values, and truth values as they are.
    pub fn truths_of(&mut self, val: &Val) -> Val {
        if val.ty == ScalarType::Bool {
            return val.clone();
        }
        if let Some(truths) = self.truths.get(&val.name) {
            return Val::varying(ScalarType::Bool, truths.clone());
        }
        let (wide, bits, vector) = (self.vector_type(val.ty), self.wide("i1"), self.vector(val));
        Val::varying(ScalarType::Bool, self.define(format_args!("trunc {wide} {vector} to {bits}")))
    }

    /// Selects `a` in the lanes where the mask holds, otherwise `b`.
    pub fn blend(&mut self, mask: &Val, a: &Val, b: &Val) -> Val {
        if mask.is(Scalar::Bool(true)) || a == b {
            return a.clone();
        }
        if mask.is(Scalar::Bool(false)) {
            return b.clone();
        }
        let depths = (mask.uniform_depth(), a.uniform_depth(), b.uniform_depth());
        if let (Some(x), Some(y), Some(z)) = depths {
            let (depth, element) = (x.max(y).max(z), llvm_type(a.ty));
            let (left, right) = (self.scalar(a), self.scalar(b));
            let name = self.select_scalar(depth, &mask.name, element, &left, &right);
            return Val::uniform(a.ty, depth, name);
        }
        if let (Form::Narrow, Form::Narrow) = (a.form, b.form) {
            let (condition, wide, bits) = (self.vector(mask), self.wide("i32"), self.wide("i1"));
            let value = format!("select {bits} {condition}, {wide} {}, {wide} {}", a.name, b.name);
            let name = self.define(value);
            return Val { group: lane_groups::alike([mask, a, b]), ..Val::narrow(name) };
        }
        let right = self.vector(b);
        let left = match (a.as_const(), b.as_const()) {
            (Some(one), Some(_)) if self.hides_bytes(a.ty) => self.opaque(one),
            _ => self.vector(a),
        };
        let name = match self.blend_in_parts(mask, llvm_type(a.ty), &left, &right) {
            Some(name) => name,
            None => {
                let (condition, wide, bits) = (self.vector(mask), self.vector_type(a.ty), self.wide("i1"));
                self.define(format_args!("select {bits} {condition}, {wide} {left}, {wide} {right}"))
            }
        };
        Val { group: lane_groups::alike([mask, a, b]), ..Val::varying(a.ty, name) }
    }

    /// Returns the low 32 bits of the 64-bit lanes `wide`, as an LLVM vector. Without AVX-512 they are picked by a shuffle: LLVM 15 splits a truncation into more instructions, in time
    /// quadratic in the number of truncations of a block.
    pub fn low_halves(&mut self, wide: &str) -> Name {
        let (from, to, lanes) = (self.wide("i64"), self.wide("i32"), self.lanes);
        if self.target.avx512 {
            return self.define(format_args!("trunc {from} {wide} to {to}"));
        }
        let halves = format!("<{} x i32>", 2 * lanes);
        let words = self.define(format_args!("bitcast {from} {wide} to {halves}"));
        let even: Vec<String> = (0..lanes).map(|lane| format!("i32 {}", 2 * lane)).collect();
        let even = even.join(", ");
        self.define(format_args!("shufflevector {halves} {words}, {halves} poison, <{lanes} x i32> <{even}>"))
    }

    /// True if a select of two literals of the type hides one of them from LLVM. To extend the result of a select of literal bytes, LLVM 15 extends the
    /// literals and keeps the mask, which AVX2 has no instruction for, and ends the process.
    pub fn hides_bytes(&self, ty: ScalarType) -> bool {
        matches!(ty, ScalarType::I8 | ScalarType::U8) && !self.target.avx512
    }

    /// Returns all lanes of a literal, as a vector with contents unknown to LLVM.
    pub fn opaque(&mut self, scalar: Scalar) -> Name {
        let (wide, entry) = (self.vector_type(scalar.ty()), self.entry);
        let (literal, place) = (self.vector(&Val::constant(scalar)), self.variable(&wide));
        self.text.line(entry, format_args!("store volatile {wide} {literal}, ptr {place}"));
        self.text.define(entry, format_args!("load volatile {wide}, ptr {place}"))
    }

    /// Selects one of two scalars. For two float literals LLVM would load from a constant table, and LLVM 15 divides by zero when it then analyses
    /// lanes that all hold the loaded value; so they are selected as integers.
    pub fn select_scalar(&mut self, depth: Depth, condition: &str, element: &str, a: &str, b: &str) -> Name {
        if let (Some(a), Some(b)) = (float_bits(element, a), float_bits(element, b)) {
            let integer = if element == "float" { "i32" } else { "i64" };
            let bits =
                self.define_at(depth, format_args!("select i1 {condition}, {integer} {a}, {integer} {b}"));
            return self.define_at(depth, format_args!("bitcast {integer} {bits} to {element}"));
        }
        self.define_at(depth, format_args!("select i1 {condition}, {element} {a}, {element} {b}"))
    }
}

/// Returns the bits of a literal of type `float` or `double`, as [`literal`] writes it, as an integer of the same size.
fn float_bits(element: &str, literal: &str) -> Option<i64> {
    let bits = u64::from_str_radix(literal.strip_prefix("0x")?, 16).ok()?;
    match element {
        "double" => Some(bits.cast_signed()),
        "float" => Some(i64::from((f64::from_bits(bits) as f32).to_bits().cast_signed())),
        _ => None,
    }
}
