//! The head of a kernel (its parameters) together with the arguments of one run: values that copied code needs become new parameters.

use nestled_ir::typing::Substitution;
use nestled_ir::{Axis, HostAtom, Kernel, Shape, Type, Value, ValueId};

/// The kernel of one run, with its arguments.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// The values of the function that runs it.
    pub function: &'a [Value],
    /// The kernel, to be changed.
    pub kernel: Kernel,
    /// The arguments of its shape parameters.
    pub shapes: Vec<Axis>,
    /// The arguments of its parameters.
    pub args: Vec<HostAtom>,
}

impl Head<'_> {
    /// Returns the kernel's name for an axis of the function.
    pub fn axis(&mut self, axis: Axis) -> Axis {
        match axis {
            Axis::Const(_) => axis,
            Axis::Sym(symbol) => Axis::Sym(self.value(symbol)),
        }
    }

    /// Returns the kernel's name for a value of the function; makes it a parameter unless it is one.
    pub fn value(&mut self, value: ValueId) -> ValueId {
        let host = &self.function[value.index()];
        let ty = self.ty(&host.ty);
        let is_shape = ty.is_shape();
        let known = if is_shape {
            self.shapes.iter().position(|shape| *shape == Axis::Sym(value)).map(|at| self.kernel.shapes[at])
        } else {
            let mut params = self.args.iter().zip(&self.kernel.params);
            let fits = |param: &ValueId| self.kernel.values[param.index()].ty == ty;
            params
                .find(|(arg, param)| **arg == HostAtom::Value(value) && fits(param))
                .map(|(_, param)| *param)
        };
        known.unwrap_or_else(|| {
            let new = ValueId::from(self.kernel.values.len());
            self.kernel.values.push(Value { name: host.name.clone(), ty, span: host.span });
            if is_shape {
                self.kernel.shapes.push(new);
                self.shapes.push(Axis::Sym(value));
            } else {
                self.kernel.params.push(new);
                self.args.push(HostAtom::Value(value));
            }
            new
        })
    }

    /// Translates a type of the function into the kernel's names.
    fn ty(&mut self, ty: &Type) -> Type {
        let mut names = Substitution::default();
        let mut symbols = Vec::new();
        ty.for_each_symbol(&mut |symbol| symbols.push(symbol));
        for symbol in symbols {
            let name = self.value(symbol);
            names.insert(symbol, Axis::Sym(name));
        }
        names.ty(ty)
    }

    /// Translates a type of the kernel into the function's names, as far as its shape parameters go.
    pub fn host_type(&self, ty: &Type) -> Type {
        Substitution::new(&self.kernel.shapes, &self.shapes).ty(ty)
    }

    /// Returns the axes of the kernel's space in the function's names.
    pub fn host_space(&self) -> Vec<Axis> {
        Substitution::new(&self.kernel.shapes, &self.shapes)
            .shape(&Shape::new(self.kernel.space.clone()))
            .axes
    }

    /// Removes a parameter that nothing reads.
    pub fn drop_param(&mut self, param: ValueId) {
        if let Some(at) = self.kernel.params.iter().position(|other| *other == param) {
            self.kernel.params.remove(at);
            self.args.remove(at);
        }
    }
}
