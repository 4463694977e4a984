//! Mutable variables that carry values out of blocks: `alloca`s, which LLVM's `mem2reg` promotes to registers.

use super::emit::{Emit, literal, llvm_type};
use super::text::{Name, Place};
use super::value::{Depth, Form, Val};
use nestled_ir::{Scalar, ScalarType};

/// The form in which a variable holds its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// One LLVM scalar for all lanes.
    Scalar,
    /// `<W x i32>`, for indices that fit 32 bits.
    Narrow,
    /// `<W x T>`.
    Vector,
    /// Truth values as integers of this number of bits, all ones for true. Only processors with mask registers keep `<W x i1>` whole from one block
    /// to the next; others would pack and unpack it.
    Mask(u32),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    name: Name,
    ty: ScalarType,
    held: Held,
}

/// Returns an index literal that fits 32 bits.
fn small(val: &Val) -> Option<i32> {
    match val.form {
        Form::Const(Scalar::Idx(index)) => i32::try_from(index).ok(),
        Form::Const(_) | Form::Uniform(_) | Form::Linear { .. } | Form::Varying | Form::Narrow => None,
    }
}

impl Variable {
    /// Defines a variable for uniform values.
    pub fn uniform(emit: &mut Emit<'_>, ty: ScalarType) -> Variable {
        Variable::new(emit, ty, Held::Scalar)
    }

    /// Defines a variable for varying values.
    pub fn varying(emit: &mut Emit<'_>, ty: ScalarType) -> Variable {
        let held = match ty {
            ScalarType::Bool if !emit.target.avx512 => {
                Held::Mask((emit.target.vector_bits / emit.lanes as u32).clamp(8, 64))
            }
            _ => Held::Vector,
        };
        Variable::new(emit, ty, held)
    }

    /// Defines a variable that can hold any of these values of one type, in the tightest form.
    pub fn for_any_of(emit: &mut Emit<'_>, vals: &[&Val]) -> Variable {
        let ty = vals[0].ty;
        if vals.iter().all(|val| val.uniform_depth().is_some()) {
            Variable::uniform(emit, ty)
        } else if vals.iter().all(|val| val.form == Form::Narrow || small(val).is_some()) {
            Variable::new(emit, ty, Held::Narrow)
        } else {
            Variable::varying(emit, ty)
        }
    }

    fn new(emit: &mut Emit<'_>, ty: ScalarType, held: Held) -> Variable {
        let llvm = Variable::llvm(emit, ty, held);
        Variable { name: emit.variable(&llvm), ty, held }
    }

    fn llvm(emit: &Emit<'_>, ty: ScalarType, held: Held) -> String {
        match held {
            Held::Scalar => llvm_type(ty).to_string(),
            Held::Narrow => emit.wide("i32"),
            Held::Vector => emit.vector_type(ty),
            Held::Mask(bits) => emit.wide(&format!("i{bits}")),
        }
    }

    /// Stores a value at the end.
    pub fn store(&self, emit: &mut Emit<'_>, val: &Val) {
        let here = emit.text.end();
        self.store_at(emit, here, val);
    }

    /// Stores a value at a place where it is known.
    pub fn store_at(&self, emit: &mut Emit<'_>, place: Place, val: &Val) {
        let llvm = Variable::llvm(emit, self.ty, self.held);
        let value = match self.held {
            // Values known to be uniform may still have been computed lane by lane.
            Held::Scalar if val.uniform_depth().is_none() => emit.first(val),
            Held::Scalar => emit.scalar(val),
            Held::Narrow => match small(val) {
                Some(index) => emit.splat_literal("i32", &index.to_string()).into(),
                None => val.name.clone(),
            },
            Held::Vector => vector_at(emit, place, val),
            Held::Mask(_) => {
                let (bits, from) = (vector_at(emit, place, val), emit.wide("i1"));
                emit.text.define(place, format_args!("sext {from} {bits} to {llvm}"))
            }
        };
        emit.text.line(place, format_args!("store {llvm} {value}, ptr {}", self.name));
    }

    /// Stores zero at a place.
    pub fn clear_at(&self, emit: &mut Emit<'_>, place: Place) {
        let llvm = Variable::llvm(emit, self.ty, self.held);
        emit.text.line(place, format_args!("store {llvm} zeroinitializer, ptr {}", self.name));
    }

    /// Loads the variable at the end.
    pub fn load(&self, emit: &mut Emit<'_>) -> Val {
        let llvm = Variable::llvm(emit, self.ty, self.held);
        let name = emit.define(format_args!("load {llvm}, ptr {}", self.name));
        match self.held {
            Held::Scalar => Val::uniform(self.ty, Depth::Here, name),
            Held::Narrow => Val::narrow(name),
            Held::Vector => Val::varying(self.ty, name),
            Held::Mask(_) => {
                let bits = emit.define(format_args!("icmp ne {llvm} {name}, zeroinitializer"));
                Val::varying(self.ty, bits)
            }
        }
    }
}

/// True if a value is known everywhere inside the row's loop, whichever block computed it.
pub(super) fn is_known_everywhere(val: &Val) -> bool {
    match val.form {
        Form::Const(_) => true,
        Form::Uniform(depth) | Form::Linear { depth, .. } => depth <= Depth::Row,
        Form::Varying | Form::Narrow => false,
    }
}

/// [`Emit::vector`], emitted at a place where the value is known.
fn vector_at(emit: &mut Emit<'_>, place: Place, val: &Val) -> Name {
    let element = llvm_type(val.ty);
    match val.form {
        Form::Const(scalar) => emit.splat_literal(element, &literal(scalar)).into(),
        Form::Uniform(_) => splat_at(emit, place, element, &val.name),
        Form::Linear { stride, .. } => {
            let lane = emit.first_lane.clone();
            let grown = emit.text.define(place, format_args!("mul i64 {lane}, {stride}"));
            let first = emit.text.define(place, format_args!("add i64 {}, {grown}", val.name));
            let splat = splat_at(emit, place, "i64", &first);
            let (wide, ramp) = (emit.wide("i64"), emit.ramp_literal("i64", stride));
            emit.text.define(place, format_args!("add {wide} {splat}, {ramp}"))
        }
        Form::Varying => val.name.clone(),
        Form::Narrow => {
            let (from, to) = (emit.wide("i32"), emit.wide("i64"));
            emit.text.define(place, format_args!("sext {from} {} to {to}", val.name))
        }
    }
}

fn splat_at(emit: &mut Emit<'_>, place: Place, element: &str, name: &str) -> Name {
    let wide = emit.wide(element);
    let one = emit.text.define(place, format_args!("insertelement {wide} poison, {element} {name}, i64 0"));
    let zeros = format!("<{} x i32> zeroinitializer", emit.lanes);
    emit.text.define(place, format_args!("shufflevector {wide} {one}, {wide} poison, {zeros}"))
}
