//! Inlining: copies the body of a function into its caller, with new names for the values that it binds.

use nestled_ir::typing::{Scope, Substitution};
use nestled_ir::{
    Axis, Function, HostAtom, HostBlock, HostOp, HostPartMut, HostStmt, Op, Scalar, ScalarType, Span, Type,
    Value, ValueId,
};

/// A function that may be inlined.
pub struct Template {
    function: Function,
    /// Whether the program has exactly one call of it.
    pub only_call: bool,
    /// Number of its statements.
    pub size: usize,
    /// Nesting depth of its blocks.
    pub depth: usize,
}

impl Template {
    /// Makes the template of a function, if its body can be inlined.
    pub fn of(function: &Function, only_call: bool) -> Option<Template> {
        let size = size(&function.body);
        let depth = depth(&function.body);
        let movable =
            results_are_exact(function) && !is_param_pinned(function) && !is_scalar_reshaped(function);
        movable.then(|| Template { function: function.clone(), only_call, size, depth })
    }
}

/// Number of statements, including those inside others.
pub fn size(block: &HostBlock) -> usize {
    let mut size = 0;
    block.walk(&mut |_| size += 1);
    size
}

/// Nesting depth of blocks.
fn depth(block: &HostBlock) -> usize {
    let inner = block.stmts.iter().flat_map(|stmt| stmt.op.blocks()).map(depth);
    1 + inner.max().unwrap_or(0)
}

/// True if the results have exactly the types of the signature, without relying on a `same`.
fn results_are_exact(function: &Function) -> bool {
    let scope = Scope::new(&function.values);
    let mut symbols = Substitution::default();
    function.results.iter().zip(&function.body.results).all(|(&formal, &result)| {
        let wanted = symbols.ty(scope.ty(formal));
        if let (true, HostAtom::Value(symbol)) = (wanted.is_shape(), result) {
            symbols.insert(formal, Axis::Sym(symbol));
        }
        let found = scope.host_atom(result);
        found == wanted || is_index(&found, &wanted)
    })
}

/// True if an extent is given where an index is expected.
fn is_index(found: &Type, wanted: &Type) -> bool {
    *found == Type::Dim && *wanted == Type::scalar(ScalarType::Idx)
}

/// True if a shape parameter is a result of an arm.
fn is_param_pinned(function: &Function) -> bool {
    let pins = pins(function);
    function.shapes.iter().any(|shape| pins[shape.index()])
}

/// True if a scalar parameter is the operand of a `reshape`, which cannot be a literal.
fn is_scalar_reshaped(function: &Function) -> bool {
    let mut found = false;
    function.body.walk(&mut |stmt| {
        if let HostOp::Reshape { array, .. } = stmt.op {
            found |=
                function.params.contains(&array) && function.values[array.index()].ty.as_scalar().is_some();
        }
    });
    found
}

/// For each extent or segmentation: true if it is a result of an arm.
fn pins(function: &Function) -> Vec<bool> {
    let mut pins = vec![false; function.values.len()];
    function.body.walk(&mut |stmt| {
        for block in stmt.op.blocks() {
            block.for_each_result(&mut |value| {
                pins[value.index()] |= function.values[value.index()].ty.is_shape();
            });
        }
    });
    pins
}

/// The values of the caller under construction, and the substitution for those that are gone.
pub struct Copier {
    values: Vec<Value>,
    subst: Vec<Option<HostAtom>>,
    pins: Vec<bool>,
    /// Results of the caller: an extent among them stays one, and does not become a number.
    given: Vec<HostAtom>,
}

impl Copier {
    /// Starts for a caller.
    pub fn new(function: &Function) -> Copier {
        Copier {
            values: function.values.clone(),
            subst: vec![None; function.values.len()],
            pins: pins(function),
            given: function.body.results.clone(),
        }
    }

    /// Returns the values, with the symbols in their types substituted.
    pub fn into_values(self) -> Vec<Value> {
        let values = self.values.iter();
        values.map(|value| Value { ty: substituted(&value.ty, &self.subst), ..value.clone() }).collect()
    }

    /// Substitutes an operand.
    pub fn atom(&self, atom: HostAtom) -> HostAtom {
        substitute(atom, &self.subst)
    }

    /// Substitutes the operands of a statement.
    pub fn operands(&self, op: &mut HostOp) {
        substitute_all(op, &self.subst);
    }

    fn fresh(&mut self, value: Value, pinned: bool) -> ValueId {
        self.values.push(value);
        self.subst.push(None);
        self.pins.push(pinned);
        ValueId::from(self.values.len() - 1)
    }

    /// Returns the body of a function for these arguments; from here on its results are substituted for `binds`. `None` if the types do not fit.
    pub fn inline(
        &mut self,
        template: &Template,
        binds: &[ValueId],
        shapes: &[Axis],
        args: &[HostAtom],
    ) -> Option<Vec<HostStmt>> {
        let callee = &template.function;
        let mut new: Vec<Option<HostAtom>> = vec![None; callee.values.len()];
        for (&formal, &axis) in callee.shapes.iter().zip(shapes) {
            new[formal.index()] = Some(match axis {
                Axis::Sym(symbol) => self.atom(HostAtom::Value(symbol)),
                Axis::Const(extent) => HostAtom::Const(Scalar::Idx(i64::try_from(extent).ok()?)),
            });
        }
        let args: Vec<HostAtom> = args.iter().map(|&arg| self.atom(arg)).collect();
        if !self.fits(callee, &new, &args, binds) {
            return None;
        }
        let mut code = Vec::new();
        for (&param, &arg) in callee.params.iter().zip(&args) {
            let wanted = substituted(&callee.values[param.index()].ty, &new);
            new[param.index()] = Some(self.converted(arg, &wanted, &mut code));
        }
        self.rename(callee, &mut new);
        code.extend(copy_stmts(&callee.body.stmts, &new));
        for (&bind, &result) in binds.iter().zip(&callee.body.results) {
            let wanted = self.values[bind.index()].ty.clone();
            let result = substitute(result, &new);
            self.subst[bind.index()] = Some(self.converted(result, &wanted, &mut code));
        }
        Some(code)
    }

    /// True if the types name the same symbols after the substitution.
    fn fits(
        &self,
        callee: &Function,
        new: &[Option<HostAtom>],
        args: &[HostAtom],
        binds: &[ValueId],
    ) -> bool {
        let shapes_fit = callee.shapes.iter().all(|&shape| {
            let wanted = substituted(&callee.values[shape.index()].ty, new);
            wanted.as_seg().is_none() || new[shape.index()].is_some_and(|given| self.type_of(given) == wanted)
        });
        let params_fit = callee.params.iter().zip(args).all(|(&param, &arg)| {
            let wanted = substituted(&callee.values[param.index()].ty, new);
            let found = self.type_of(arg);
            found == wanted || is_index(&found, &wanted)
        });
        let results_fit = binds.iter().zip(&callee.body.results).all(|(&bind, &result)| {
            let given = match result {
                HostAtom::Value(value) => new[value.index()],
                HostAtom::Const(_) => None,
            };
            let pinned = match given {
                Some(HostAtom::Value(symbol)) => self.pins[symbol.index()],
                Some(HostAtom::Const(_)) => self.given.contains(&HostAtom::Value(bind)),
                None => false,
            };
            !self.values[bind.index()].ty.is_shape() || (!pinned && !self.pins[bind.index()])
        });
        shapes_fit && params_fit && results_fit
    }

    fn type_of(&self, atom: HostAtom) -> Type {
        match atom {
            HostAtom::Value(value) => substituted(&self.values[value.index()].ty, &self.subst),
            HostAtom::Const(scalar) => Type::scalar(scalar.ty()),
        }
    }

    /// Returns the operand, converted to an index if it is an extent where an index is expected.
    fn converted(&mut self, atom: HostAtom, wanted: &Type, code: &mut Vec<HostStmt>) -> HostAtom {
        if !is_index(&self.type_of(atom), wanted) {
            return atom;
        }
        let index = self.fresh(Value { name: "".into(), ty: wanted.clone(), span: Span::NONE }, false);
        let op = HostOp::Scalar { op: Op::Convert(ScalarType::Idx), args: vec![atom] };
        code.push(HostStmt { binds: vec![index], op, span: Span::NONE });
        HostAtom::Value(index)
    }

    /// Makes new names for all values that the function binds.
    fn rename(&mut self, callee: &Function, new: &mut [Option<HostAtom>]) {
        let pins = pins(callee);
        let mut bound: Vec<ValueId> = Vec::new();
        callee.body.walk(&mut |stmt| bound.extend(&stmt.binds));
        let mut fresh = Vec::new();
        for value in bound {
            let id = self.fresh(callee.values[value.index()].clone(), pins[value.index()]);
            new[value.index()] = Some(HostAtom::Value(id));
            fresh.push(id);
        }
        for id in fresh {
            let ty = substituted(&self.values[id.index()].ty, new);
            self.values[id.index()].ty = ty;
        }
    }
}

fn substitute(atom: HostAtom, new: &[Option<HostAtom>]) -> HostAtom {
    match atom {
        HostAtom::Value(value) => new[value.index()].unwrap_or(atom),
        HostAtom::Const(_) => atom,
    }
}

fn substitute_axis(axis: Axis, new: &[Option<HostAtom>]) -> Axis {
    let Axis::Sym(symbol) = axis else { return axis };
    match new[symbol.index()] {
        None => axis,
        Some(HostAtom::Value(symbol)) => Axis::Sym(symbol),
        Some(HostAtom::Const(extent)) => Axis::Const(extent.to_bits()),
    }
}

fn substituted(ty: &Type, new: &[Option<HostAtom>]) -> Type {
    let mut symbols = Substitution::default();
    ty.for_each_symbol(&mut |symbol| symbols.insert(symbol, substitute_axis(Axis::Sym(symbol), new)));
    symbols.ty(ty)
}

fn substitute_all(op: &mut HostOp, new: &[Option<HostAtom>]) {
    op.for_each_part_mut(&mut |part| match part {
        HostPartMut::Atom(atom) => *atom = substitute(*atom, new),
        HostPartMut::Axis(axis) => *axis = substitute_axis(*axis, new),
        HostPartMut::Value(value) => {
            if let Some(HostAtom::Value(new)) = new[value.index()] {
                *value = new;
            }
        }
        HostPartMut::Block(_) | HostPartMut::Site(_) | HostPartMut::Function(_) | HostPartMut::Kernel(_) => {}
    });
}

fn copy_stmts(stmts: &[HostStmt], new: &[Option<HostAtom>]) -> Vec<HostStmt> {
    stmts.iter().map(|stmt| copy_stmt(stmt, new)).collect()
}

fn copy_stmt(stmt: &HostStmt, new: &[Option<HostAtom>]) -> HostStmt {
    let mut stmt = stmt.clone();
    substitute_all(&mut stmt.op, new);
    let bound = |bind: &ValueId| match new[bind.index()] {
        Some(HostAtom::Value(new)) => new,
        _ => *bind,
    };
    stmt.binds = stmt.binds.iter().map(bound).collect();
    for block in stmt.op.blocks_mut() {
        block.stmts = copy_stmts(&block.stmts, new);
        block.results.iter_mut().for_each(|result| *result = substitute(*result, new));
    }
    stmt
}
