//! An emitter that is generic over LLVM scalars and vectors, so that each operation is written once.

use super::super::emit::{Emit, llvm_type};
use super::super::text::Name;
use super::super::value::{Depth, Val};
use nestled_ir::ScalarType;
use std::fmt::Display;

/// Emits the instructions of one operation, all with the same number of lanes. Elements are named as in LLVM: `i32`, `float`.
pub(super) struct Writer<'e, 't> {
    pub emit: &'e mut Emit<'t>,
    /// The depth of scalars; `None` for vectors, which go to the end of the text.
    depth: Option<Depth>,
}

/// Returns the suffix of an intrinsic's name for an element.
fn suffix(element: &str) -> &str {
    match element {
        "half" => "f16",
        "float" => "f32",
        "double" => "f64",
        integer => integer,
    }
}

impl<'e, 't> Writer<'e, 't> {
    /// Creates a writer for an operation on these operands: of scalars, if all are uniform.
    pub fn new(emit: &'e mut Emit<'t>, args: &[Val]) -> Writer<'e, 't> {
        let mut depths = args.iter().map(Val::uniform_depth);
        let depth = depths.try_fold(Depth::Entry, |deepest, depth| depth.map(|depth| deepest.max(depth)));
        Writer { emit, depth }
    }

    /// Creates a writer of vectors.
    pub fn vectors(emit: &'e mut Emit<'t>) -> Writer<'e, 't> {
        Writer { emit, depth: None }
    }

    /// True if it writes vectors.
    pub fn is_vector(&self) -> bool {
        self.depth.is_none()
    }

    /// Returns an operand.
    pub fn value(&mut self, val: &Val) -> Name {
        match self.depth {
            Some(_) => self.emit.scalar(val),
            None => self.emit.vector(val),
        }
    }

    /// Returns a computed name as a value of this type.
    pub fn result(&self, ty: ScalarType, name: Name) -> Val {
        match self.depth {
            Some(depth) => Val::uniform(ty, depth, name),
            None => Val::varying(ty, name),
        }
    }

    /// Returns the type of an operand with this element.
    pub fn ty(&self, element: &str) -> String {
        match self.depth {
            Some(_) => element.to_string(),
            None => self.emit.wide(element),
        }
    }

    /// Writes a literal, the same in each lane.
    pub fn literal(&self, element: &str, value: impl Display) -> Name {
        match self.depth {
            Some(_) => value.to_string().into(),
            None => self.emit.splat_literal(element, &value.to_string()).into(),
        }
    }

    /// Writes a float literal, the same in each lane; it must be exact in its type.
    pub fn float_literal(&self, element: &str, value: f64) -> Name {
        self.literal(element, format_args!("0x{:016X}", value.to_bits()))
    }

    /// Defines a value.
    pub fn define(&mut self, value: impl Display) -> Name {
        self.emit.define_at(self.depth.unwrap_or(Depth::Here), value)
    }

    /// Emits an instruction on two operands, or a comparison such as `icmp eq`.
    pub fn binary(&mut self, instruction: &str, element: &str, a: &Name, b: &Name) -> Name {
        let ty = self.ty(element);
        self.define(format_args!("{instruction} {ty} {a}, {b}"))
    }

    /// Emits a conversion such as `sext`.
    pub fn cast(&mut self, instruction: &str, from: &str, a: &Name, to: &str) -> Name {
        let (from, to) = (self.ty(from), self.ty(to));
        self.define(format_args!("{instruction} {from} {a} to {to}"))
    }

    /// Selects `a` where the condition holds, otherwise `b`.
    pub fn select(&mut self, condition: &Name, element: &str, a: &Name, b: &Name) -> Name {
        if let Some(depth) = self.depth {
            return self.emit.select_scalar(depth, condition, element, a, b);
        }
        let (bits, ty) = (self.ty("i1"), self.ty(element));
        self.define(format_args!("select {bits} {condition}, {ty} {a}, {ty} {b}"))
    }

    /// Emits an intrinsic whose operands and result have the same type.
    pub fn intrinsic(&mut self, name: &str, element: &str, args: &[&Name]) -> Name {
        self.call(name, element, args, "")
    }

    /// Emits an intrinsic on one operand with a second operand `i1 false`, which makes its special case defined.
    pub fn total_intrinsic(&mut self, name: &str, element: &str, arg: &Name) -> Name {
        self.call(name, element, &[arg], "i1 false")
    }

    fn call(&mut self, name: &str, element: &str, args: &[&Name], last: &str) -> Name {
        let ty = self.ty(element);
        let name = format!("@llvm.{name}.{}", self.overload(element));
        let mut types = vec![ty.as_str(); args.len()];
        let mut operands: Vec<String> = args.iter().map(|arg| format!("{ty} {arg}")).collect();
        if !last.is_empty() {
            types.push("i1");
            operands.push(last.to_string());
        }
        self.emit.declare(format!("declare {ty} {name}({})", types.join(", ")));
        self.define(format_args!("call {ty} {name}({})", operands.join(", ")))
    }

    /// Emits a conversion intrinsic, overloaded by both types.
    pub fn converting_intrinsic(&mut self, name: &str, from: &str, a: &Name, to: &str) -> Name {
        let name = format!("@llvm.{name}.{}.{}", self.overload(to), self.overload(from));
        let (from, to) = (self.ty(from), self.ty(to));
        self.emit.declare(format!("declare {to} {name}({from})"));
        self.define(format_args!("call {to} {name}({from} {a})"))
    }

    fn overload(&self, element: &str) -> String {
        match self.depth {
            Some(_) => suffix(element).to_string(),
            None => format!("v{}{}", self.emit.lanes, suffix(element)),
        }
    }

    /// Emits a `select` of the second or third of three operands, by the first.
    pub fn choose(&mut self, args: &[Val]) -> Val {
        let ty = args[1].ty;
        let element = llvm_type(ty);
        // One bit for the whole vector suffices.
        let bits = if args[0].uniform_depth().is_some() { "i1".to_string() } else { self.ty("i1") };
        let condition = if bits == "i1" { self.emit.scalar(&args[0]) } else { self.value(&args[0]) };
        let (mut yes, no) = (self.value(&args[1]), self.value(&args[2]));
        if let Some(depth) = self.depth {
            let name = self.emit.select_scalar(depth, &condition, element, &yes, &no);
            return self.result(ty, name);
        }
        if let (Some(one), Some(_)) = (args[1].as_const(), args[2].as_const())
            && self.emit.hides_bytes(ty)
        {
            yes = self.emit.opaque(one);
        }
        let wide = self.ty(element);
        let name = self.define(format_args!("select {bits} {condition}, {wide} {yes}, {wide} {no}"));
        self.result(ty, name)
    }
}
