//! Generation of parameters of kernels and functions, from the caller's values.

use super::class::Class;
use super::host::{Fact, HostCode};
use nestled_ir::{Axis, HostAtom, Name, ScalarType, Shape, Span, Type, Value, ValueId};

/// Formal parameters, with the actual ones of the first call.
#[derive(Debug, Default)]
pub struct Formals {
    /// Its table of values.
    pub values: Vec<Value>,
    /// The facts about each value.
    pub facts: Vec<Fact>,
    /// Its shape parameters.
    pub shapes: Vec<ValueId>,
    /// Its other parameters.
    pub params: Vec<ValueId>,
    /// The caller's axes for the shape parameters; `None` where `each` reads it off a segment.
    pub actual_shapes: Vec<Option<Axis>>,
    /// The caller's arguments for the others.
    pub actual_args: Vec<HostAtom>,
    memo: Vec<(Axis, Axis)>,
}

impl Formals {
    /// Adds a value.
    pub fn value(&mut self, name: impl Into<Name>, ty: Type, fact: Fact) -> ValueId {
        self.values.push(Value { name: name.into(), ty, span: Span::NONE });
        self.facts.push(fact);
        ValueId::from(self.values.len() - 1)
    }

    /// The parameter for an axis of the caller: the same for axes that are known to be equal.
    pub fn axis(&mut self, host: &mut HostCode<'_>, axis: Axis) -> Axis {
        let key = host.canonical(axis);
        if let Some((_, mapped)) = self.memo.iter().find(|(from, _)| *from == key) {
            return *mapped;
        }
        let mapped = match axis {
            Axis::Const(_) if host.g.random.chance(70) => axis,
            Axis::Const(n) => {
                let fact = Fact { class: Class::Range(0, n as i64), bound: n, known: None };
                Axis::Sym(self.shape_parameter("c", Type::Dim, fact, Some(axis)))
            }
            Axis::Sym(symbol) => {
                let fact = Fact { known: None, ..host.facts[symbol.index()] };
                let (name, ty) = match host.values[symbol.index()].ty.clone() {
                    Type::Seg(seg) => ("s", Type::seg(self.shape(host, &seg.parent), seg.form)),
                    Type::Dim | Type::Array(_) => ("n", Type::Dim),
                };
                Axis::Sym(self.shape_parameter(name, ty, fact, Some(axis)))
            }
        };
        self.memo.push((key, mapped));
        mapped
    }

    /// Adds a shape parameter.
    pub fn shape_parameter(&mut self, name: &str, ty: Type, fact: Fact, actual: Option<Axis>) -> ValueId {
        let id = self.value(name, ty, fact);
        self.shapes.push(id);
        self.actual_shapes.push(actual);
        id
    }

    /// Makes an axis of the caller stand for this parameter from here on.
    pub fn stands_for(&mut self, host: &HostCode<'_>, axis: Axis, formal: ValueId) {
        self.memo.push((host.canonical(axis), Axis::Sym(formal)));
    }

    /// True if an axis of the caller is a parameter already.
    pub fn has(&self, canonical: Axis) -> bool {
        self.memo.iter().any(|(from, _)| *from == canonical)
    }

    /// A shape of the caller in terms of the parameters.
    pub fn shape(&mut self, host: &mut HostCode<'_>, shape: &Shape) -> Shape {
        Shape { axes: shape.axes.iter().map(|&axis| self.axis(host, axis)).collect() }
    }

    /// A parameter for an array of the caller.
    pub fn array(&mut self, host: &mut HostCode<'_>, array: ValueId) -> ValueId {
        if let Some(at) = self.actual_args.iter().position(|&arg| arg == HostAtom::Value(array)) {
            return self.params[at];
        }
        let mut ty = host.values[array.index()].ty.clone();
        if let Type::Array(array) = &mut ty {
            array.shape = self.shape(host, &array.shape);
        }
        self.parameter("xs", ty, host.facts[array.index()], HostAtom::Value(array))
    }

    /// A parameter for a scalar.
    pub fn scalar(&mut self, ty: ScalarType, class: Class, actual: HostAtom) -> ValueId {
        self.parameter("a", Type::scalar(ty), Fact::of(class), actual)
    }

    /// Adds a parameter.
    pub fn parameter(&mut self, name: &str, ty: Type, fact: Fact, actual: HostAtom) -> ValueId {
        let id = self.value(name, ty, Fact { known: None, ..fact });
        self.params.push(id);
        self.actual_args.push(actual);
        id
    }

    /// The shape arguments of an ordinary call.
    pub fn shape_arguments(&self) -> Vec<Axis> {
        self.actual_shapes.iter().map(|axis| axis.expect("only `each` leaves shapes out")).collect()
    }
}
