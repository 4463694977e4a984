//! Builder of kernels: appends combinators, and turns captured values of the enclosing function into parameters.

use super::code::CodeBuilder;
use super::function::FunctionBuilder;
use super::program::ProgramBuilder;
use crate::host::{HostAtom, HostOp};
use crate::id::ValueId;
use crate::kernel::{Combinator, CombinatorKind, Kernel};
use crate::name::{Name, Value};
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::thunk::{Atom, Local};
use crate::types::{Axis, Shape, Type};
use crate::typing;
use std::collections::HashMap;

/// A kernel. Extents, segmentations, arrays and scalars of the function around it become its parameters when they are first mentioned.
#[derive(Debug)]
pub struct KernelBuilder {
    /// The kernel, but for its values: those are with the code.
    kernel: Kernel,
    /// The thunk that is being written.
    pub code: CodeBuilder,
    /// The shape arguments of the launch, one for each shape parameter.
    shapes: Vec<Axis>,
    args: Vec<HostAtom>,
    /// Maps symbols of the function to shape parameters of the kernel; `params` does so for values.
    symbols: HashMap<ValueId, ValueId>,
    params: HashMap<ValueId, ValueId>,
}

impl KernelBuilder {
    /// A kernel over a chain of axes of a function; its first thunk runs at all of them.
    pub fn new(name: &str, f: &FunctionBuilder, space: &[Axis], span: Span) -> KernelBuilder {
        let mut builder = KernelBuilder::apart(name, span);
        let space: Vec<Axis> = space.iter().map(|&axis| builder.axis(f, axis)).collect();
        builder.over(&space);
        builder
    }

    /// A kernel without an enclosing function: its parameters are declared one by one, and the launch supplies the arguments.
    pub fn apart(name: &str, span: Span) -> KernelBuilder {
        let kernel = Kernel {
            name: Name::from(name),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            space: Vec::new(),
            steps: Vec::new(),
            ret: Vec::new(),
            span,
        };
        KernelBuilder {
            kernel,
            code: CodeBuilder::new(&[], span),
            shapes: Vec::new(),
            args: Vec::new(),
            symbols: HashMap::new(),
            params: HashMap::new(),
        }
    }

    /// Declares a parameter: of an array or scalar type, or a shape parameter.
    pub fn declare(&mut self, name: &str, ty: Type) -> ValueId {
        let is_shape = ty.is_shape();
        let value = self.value(name, ty);
        if is_shape {
            self.kernel.shapes.push(value)
        } else {
            self.kernel.params.push(value)
        }
        value
    }

    /// Says the space, of axes of the kernel's own, and begins a thunk at all of them.
    pub fn over(&mut self, space: &[Axis]) {
        self.kernel.space = space.to_vec();
        self.begin(space.len());
    }

    /// Begins a thunk that runs at a level.
    pub fn begin(&mut self, level: usize) {
        let coordinate = |axis: usize| {
            let name = ["i", "j", "k", "l", "m", "n", "o", "p"][axis.min(7)];
            Local { name: Name::from(name), ty: ScalarType::Idx }
        };
        self.code.begin((0..level).map(coordinate).collect());
    }

    fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.code.values.push(Value { name: Name::from(name), ty, span: self.code.span });
        ValueId::from(self.code.values.len() - 1)
    }

    /// The type of a value of the kernel.
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.code.values[value.index()].ty
    }

    /// An axis of the function in words of the kernel.
    pub fn axis(&mut self, f: &FunctionBuilder, axis: Axis) -> Axis {
        let Axis::Sym(symbol) = f.canonical(axis) else { return f.canonical(axis) };
        if let Some(&own) = self.symbols.get(&symbol) {
            return Axis::Sym(own);
        }
        let ty = match f.ty(symbol) {
            Type::Seg(seg) => Type::seg(self.shape(f, &seg.parent), seg.form),
            Type::Dim | Type::Array(_) => Type::Dim,
        };
        let own = self.value(f.name(symbol), ty);
        self.kernel.shapes.push(own);
        self.shapes.push(Axis::Sym(symbol));
        self.symbols.insert(symbol, own);
        Axis::Sym(own)
    }

    /// A shape of the function in words of the kernel.
    pub fn shape(&mut self, f: &FunctionBuilder, shape: &Shape) -> Shape {
        Shape::new(shape.axes.iter().map(|&axis| self.axis(f, axis)).collect::<Vec<_>>())
    }

    /// A segmentation, or an extent that is no literal, of the function.
    pub fn symbol(&mut self, f: &FunctionBuilder, axis: Axis) -> ValueId {
        match self.axis(f, axis) {
            Axis::Sym(own) => own,
            Axis::Const(extent) => panic!("{extent} is no symbol"),
        }
    }

    /// An array or a scalar of the function as a parameter.
    pub fn param(&mut self, f: &FunctionBuilder, value: ValueId) -> ValueId {
        if let Some(&own) = self.params.get(&value) {
            return own;
        }
        let ty = match f.ty(value) {
            Type::Array(array) => {
                let mut array = array.clone();
                array.shape = self.shape(f, &array.shape);
                Type::Array(array)
            }
            Type::Dim | Type::Seg(_) => Type::scalar(ScalarType::Idx),
        };
        let own = self.value(f.name(value), ty);
        self.kernel.params.push(own);
        self.args.push(HostAtom::Value(value));
        self.params.insert(value, own);
        own
    }

    /// An extent of the function as an operand.
    pub fn extent(&mut self, f: &FunctionBuilder, axis: Axis) -> Atom {
        match self.axis(f, axis) {
            Axis::Sym(own) => Atom::Value(own),
            Axis::Const(extent) => Atom::Const(Scalar::Idx(extent as i64)),
        }
    }

    /// A scalar of the function as an operand.
    pub fn scalar(&mut self, f: &FunctionBuilder, atom: HostAtom) -> Atom {
        match atom {
            HostAtom::Const(scalar) => Atom::Const(scalar),
            HostAtom::Value(value) if f.ty(value).is_shape() => self.extent(f, Axis::Sym(value)),
            HostAtom::Value(value) => Atom::Value(self.param(f, value)),
        }
    }

    /// Ends the thunk and makes it the body of a combinator; returns the values that this binds.
    pub fn end(
        &mut self,
        name: &str,
        kind: CombinatorKind,
        guard: Option<ValueId>,
        results: Vec<Atom>,
    ) -> Vec<ValueId> {
        let body = self.code.finish(results);
        // Types are asked of a kernel, so it has the table of values for a moment.
        self.kernel.values = std::mem::take(&mut self.code.values);
        let count = typing::combinator_binds(&self.kernel, &kind, &body);
        let first = self.kernel.values.len();
        let binds: Vec<ValueId> = (first..first + count).map(ValueId::from).collect();
        let types = typing::combinator_types(&self.kernel, &kind, &body, &binds);
        self.code.values = std::mem::take(&mut self.kernel.values);
        let types = types.unwrap_or_else(|error| panic!("{kind:?} does not fit its thunk: {error}"));
        for ty in types {
            self.value(name, ty);
        }
        let span = self.code.span;
        self.kernel.steps.push(Combinator { binds: binds.clone(), kind, guard, body, span });
        binds
    }

    /// Names a value of the kernel, where several were bound under one name.
    pub fn rename(&mut self, value: ValueId, name: &str) {
        self.code.values[value.index()].name = Name::from(name);
    }

    /// Ends the thunk as a map.
    pub fn end_map(&mut self, name: &str, results: Vec<Atom>) -> Vec<ValueId> {
        self.end(name, CombinatorKind::Map, None, results)
    }

    /// Ends the kernel with these results; returns it with the shape arguments and arguments of its launch.
    pub fn finish(self, ret: Vec<ValueId>) -> (Kernel, Vec<Axis>, Vec<HostAtom>) {
        let kernel = Kernel { values: self.code.values, ret, ..self.kernel };
        (kernel, self.shapes, self.args)
    }
}

impl FunctionBuilder {
    /// Emits a launch of a kernel with these results; returns the values it binds, under these names.
    pub fn run(
        &mut self,
        program: &mut ProgramBuilder,
        kernel: KernelBuilder,
        ret: Vec<ValueId>,
        names: &[&str],
    ) -> Vec<ValueId> {
        let (kernel, shapes, args) = kernel.finish(ret);
        let kernel = program.kernel(kernel);
        self.emit(program, names, HostOp::Run { kernel, shapes, args })
    }
}
