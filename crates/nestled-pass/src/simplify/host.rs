//! Simplification of host code: the same walk as for [thunks](super::thunk), over scalars, arrays and shapes.
//!
//! - scalar operations go through [`algebra`]; copies are propagated: `size [n]`, `dim k` of an extent, a reshape to the shape that an array has;
//! - common statements, runs of kernels and calls are eliminated, where that leaves the reported fault as it is;
//! - an `if` of a literal becomes the taken arm; inside an arm its condition is known.
//!
//! **Faults.** At the end of a region, host code reports the fault with the least site. So a statement may be merged into an earlier equal one only if its own site is not the
//! lesser; and a statement that ends a region (a call, `if`, `each`) may be removed only if the faults on both sides keep their order when the regions join ([`Regions`]). Nor may
//! a rule drop an operand that a fault may have [lost](super::lost).

mod arms;

use super::algebra;
use super::cse::{Scoped, host_key};
use super::lost::may_be_lost;
use super::regions::Regions;
use super::rule::{Operands, Simple};
use crate::facts::{Facts, SiteRange};
use nestled_ir::typing::Substitution;
use nestled_ir::{
    Atom, Axis, Function, HostAtom, HostBlock, HostOp, HostPartMut, HostStmt, Op, Scalar, ScalarType, Type,
    Value, ValueId,
};

/// Returns the function, simplified.
pub fn simplify_function(function: &Function, facts: &Facts) -> Function {
    let n_values = function.values.len();
    let mut walk = Walk {
        facts,
        values: function.values.clone(),
        subst: vec![None; n_values],
        definitions: vec![None; n_values],
        lost: may_be_lost(function, facts),
        pins: pins(function),
        seen: Scoped::new(),
        known: Vec::new(),
    };
    let body = walk.block(&function.body, None);
    let values = walk.final_values();
    Function { values, body, ..function.clone() }
}

/// Statements of a block under construction, with the range of their sites.
#[derive(Default)]
struct Code {
    stmts: Vec<HostStmt>,
    sites: Option<SiteRange>,
}

impl Code {
    fn push(&mut self, stmt: HostStmt, sites: Option<SiteRange>) {
        self.stmts.push(stmt);
        self.sites = SiteRange::join(self.sites, sites);
    }

    /// The sites before and after the place of the next statement.
    fn regions(&self, after: Option<SiteRange>) -> Regions {
        Regions { before: self.sites, after }
    }
}

/// An earlier statement that equal ones are replaced by.
struct Earlier {
    binds: Vec<ValueId>,
    sites: Option<SiteRange>,
}

struct Walk<'a> {
    facts: &'a Facts,
    values: Vec<Value>,
    /// The substitution: for each value its replacement from here on.
    subst: Vec<Option<HostAtom>>,
    /// For each scalar: the operation that computes it, with operands as they are now.
    definitions: Vec<Option<(Op, Vec<Atom>)>>,
    /// For each value: whether it may be lost after a fault.
    lost: Vec<bool>,
    /// For each extent or segmentation: number of occurrences as a result of an arm.
    pins: Vec<u32>,
    seen: Scoped<HostOp, Earlier>,
    /// Conditions with a known value, to the end of the block.
    known: Vec<ValueId>,
}

impl Operands for Walk<'_> {
    fn ty(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => {
                let ty = self.values[value.index()].ty.as_scalar();
                ty.expect("operands of verified scalar operations are scalars")
            }
            Atom::Local(_) => unreachable!("host code has no locals"),
        }
    }

    fn definition(&self, atom: Atom) -> Option<(Op, &[Atom])> {
        let Atom::Value(value) = atom else { return None };
        self.definitions[value.index()].as_ref().map(|(op, args)| (*op, args.as_slice()))
    }
}

/// Converts an operand of host code to an operand of the algebra, which host code and thunks share.
fn to_atom(atom: HostAtom) -> Atom {
    match atom {
        HostAtom::Value(value) => Atom::Value(value),
        HostAtom::Const(scalar) => Atom::Const(scalar),
    }
}

fn from_atom(atom: Atom) -> HostAtom {
    match atom {
        Atom::Value(value) => HostAtom::Value(value),
        Atom::Const(scalar) => HostAtom::Const(scalar),
        Atom::Local(_) => unreachable!("host code has no locals"),
    }
}

impl Walk<'_> {
    fn resolve(&self, atom: HostAtom) -> HostAtom {
        match atom {
            HostAtom::Value(value) => {
                let last = self.resolve_value(value);
                self.subst[last.index()].unwrap_or(HostAtom::Value(last))
            }
            HostAtom::Const(_) => atom,
        }
    }

    /// Follows chains of replacements: a replacement may itself be replaced later, when both arms of an `if` compute it.
    fn resolve_value(&self, mut value: ValueId) -> ValueId {
        // A condition whose value is known is a literal only where an operand may be one.
        while let Some(HostAtom::Value(new)) = self.subst[value.index()] {
            value = new;
        }
        value
    }

    fn resolve_axis(&self, axis: Axis) -> Axis {
        match axis {
            Axis::Sym(symbol) => Axis::Sym(self.resolve_value(symbol)),
            Axis::Const(_) => axis,
        }
    }

    fn resolve_operands(&self, op: &mut HostOp) {
        op.for_each_part_mut(&mut |part| match part {
            HostPartMut::Atom(atom) => *atom = self.resolve(*atom),
            HostPartMut::Value(value) => *value = self.resolve_value(*value),
            HostPartMut::Axis(axis) => *axis = self.resolve_axis(*axis),
            HostPartMut::Block(_)
            | HostPartMut::Site(_)
            | HostPartMut::Function(_)
            | HostPartMut::Kernel(_) => {}
        });
    }

    /// Substitutes the symbols of a type.
    fn resolve_type(&self, ty: &Type) -> Type {
        let mut new = Substitution::default();
        ty.for_each_symbol(&mut |symbol| new.insert(symbol, Axis::Sym(self.resolve_value(symbol))));
        new.ty(ty)
    }

    fn type_of(&self, atom: HostAtom) -> Type {
        match atom {
            HostAtom::Value(value) => self.resolve_type(&self.values[value.index()].ty),
            HostAtom::Const(scalar) => Type::scalar(scalar.ty()),
        }
    }

    /// Replaces a value by an operand if that has the same type; returns whether it did.
    ///
    /// An extent that is a result of an arm gets a new symbol outside, and types outside name it in place of the arm's. Replacing one symbol by another would change those types;
    /// so such symbols (pins) are left alone.
    fn replace(&mut self, value: ValueId, by: HostAtom) -> bool {
        let free = |value: ValueId| self.pins[value.index()] == 0;
        let fits = free(value) && by_value(by).is_none_or(free) && self.has_type_of(by, value);
        if fits {
            self.subst[value.index()] = Some(by);
        }
        fits
    }

    fn has_type_of(&self, atom: HostAtom, value: ValueId) -> bool {
        self.type_of(HostAtom::Value(value)) == self.type_of(atom)
    }

    /// Replaces all values or none.
    fn replace_all(&mut self, values: &[ValueId], by: &[HostAtom]) -> bool {
        let fits = values.iter().zip(by).all(|(&value, &atom)| self.replace(value, atom));
        if !fits {
            values.iter().for_each(|value| self.subst[value.index()] = None);
        }
        fits
    }

    /// Returns the table of values, with the symbols in their types substituted.
    fn final_values(&self) -> Vec<Value> {
        let values = self.values.iter();
        values.map(|value| Value { ty: self.resolve_type(&value.ty), ..value.clone() }).collect()
    }

    /// Simplifies a block in a scope of its own, in which a condition may have a known value.
    fn block(&mut self, block: &HostBlock, known: Option<(HostAtom, bool)>) -> HostBlock {
        self.seen.enter();
        let n_known = self.known.len();
        if let Some((HostAtom::Value(cond), truth)) = known {
            self.known.push(cond);
            self.subst[cond.index()] = Some(HostAtom::Const(Scalar::Bool(truth)));
        }
        let mut code = Code::default();
        let results = self.inline(block, None, &mut code);
        for value in self.known.drain(n_known..) {
            self.subst[value.index()] = None;
        }
        self.seen.leave();
        HostBlock { stmts: code.stmts, results }
    }

    /// Simplifies the statements of a block into the block under construction; returns its results. `after` are the sites of the statements that follow there.
    fn inline(&mut self, block: &HostBlock, after: Option<SiteRange>, out: &mut Code) -> Vec<HostAtom> {
        let mut following = Vec::new();
        let mut sites = after;
        for stmt in block.stmts.iter().rev() {
            following.push(sites);
            sites = SiteRange::join(sites, self.facts.order(&stmt.op));
        }
        for (stmt, after) in block.stmts.iter().zip(following.into_iter().rev()) {
            self.stmt(stmt, after, out);
        }
        block.results.iter().map(|&result| self.resolve(result)).collect()
    }

    fn stmt(&mut self, stmt: &HostStmt, after: Option<SiteRange>, out: &mut Code) {
        if let HostOp::If { cond, then, otherwise } = &stmt.op {
            return self.branch(stmt, *cond, [then, otherwise], after, out);
        }
        let mut stmt = stmt.clone();
        self.resolve_operands(&mut stmt.op);
        if let HostOp::Scalar { op, args } = &stmt.op {
            let args = args.iter().map(|&arg| to_atom(arg)).collect();
            let Some((op, args)) = self.scalar(stmt.binds[0], *op, args) else { return };
            stmt.op = HostOp::Scalar { op, args: args.into_iter().map(from_atom).collect() };
        } else if self.is_copy(&stmt) {
            return;
        }
        self.emit(stmt, after, out);
    }

    /// Simplifies an operation; `None` if its result is replaced.
    fn scalar(&mut self, bind: ValueId, op: Op, args: Vec<Atom>) -> Option<(Op, Vec<Atom>)> {
        let (op, args) = match algebra::simplify(op, args.clone(), self) {
            Simple::Atom(atom) if self.forgets(&args, &[atom]) => (op, args),
            Simple::Op(_, fewer) if self.forgets(&args, &fewer) => (op, args),
            Simple::Atom(atom) if self.replace(bind, from_atom(atom)) => return None,
            // An extent that is wanted as an index: the operation turns one into the other.
            Simple::Atom(atom) => (Op::Convert(self.ty(atom)), vec![atom]),
            Simple::Op(op, args) => (op, args),
        };
        self.definitions[bind.index()] = Some((op, args.clone()));
        Some((op, args))
    }

    /// True if a rule drops an operand that may be lost.
    fn forgets(&self, before: &[Atom], after: &[Atom]) -> bool {
        let is_lost = |atom: &Atom| match atom {
            Atom::Value(value) => self.lost[value.index()],
            Atom::Const(_) | Atom::Local(_) => false,
        };
        let mut lost: Vec<&Atom> = before.iter().filter(|atom| is_lost(atom)).collect();
        lost.dedup();
        match lost.as_slice() {
            [] => false,
            // It may also be looked through; what it was computed from is lost with it.
            [_] => !after.iter().any(is_lost),
            several => !several.iter().all(|atom| after.contains(atom)),
        }
    }

    /// Copy propagation: true if a statement only renames a value, or checks a known fact. Its binds are then replaced.
    fn is_copy(&mut self, stmt: &HostStmt) -> bool {
        let source = match &stmt.op {
            HostOp::Same { left, right, site: _ } => return left == right,
            HostOp::Check { cond, .. } => return *cond == HostAtom::Const(Scalar::Bool(true)),
            HostOp::Dim { extent, site: _ } => *extent,
            HostOp::Size { shape } => match shape.axes.as_slice() {
                &[Axis::Sym(extent)] => HostAtom::Value(extent),
                _ => return false,
            },
            HostOp::Reshape { array, shape: _, site: _ } => HostAtom::Value(*array),
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::View { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => return false,
        };
        self.replace(stmt.binds[0], source)
    }

    /// Adds a statement, unless it is merged into an earlier equal one.
    fn emit(&mut self, stmt: HostStmt, after: Option<SiteRange>, out: &mut Code) {
        let sites = self.facts.host(&stmt.op);
        if let Some(key) = host_key(&stmt.op).filter(|_| self.is_repeatable(&stmt.op)) {
            if self.merge(&key, &stmt, sites, after, out) {
                return;
            }
            self.seen.insert(key, Earlier { binds: stmt.binds.clone(), sites });
        }
        out.push(stmt, sites);
    }

    /// True if a statement is idempotent: running it twice is the same as running it once.
    fn is_repeatable(&self, op: &HostOp) -> bool {
        match op {
            HostOp::Call { function, .. } | HostOp::Each { function, .. } => {
                !self.facts.function(*function).commands
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Run { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => true,
        }
    }

    fn merge(
        &mut self,
        key: &HostOp,
        stmt: &HostStmt,
        sites: Option<SiteRange>,
        after: Option<SiteRange>,
        out: &Code,
    ) -> bool {
        let Some(earlier) = self.seen.get(key) else { return false };
        // Equal runs are runs of one kernel, with the same sites; others have one site.
        let in_order = match (earlier.sites, sites) {
            (Some(first), Some(second)) => first.max <= second.min || matches!(key, HostOp::Run { .. }),
            (None, _) | (_, None) => true,
        };
        let allowed = in_order && (!key.ends_region() || out.regions(after).may_join());
        let binds: Vec<HostAtom> = earlier.binds.iter().map(|&bind| HostAtom::Value(bind)).collect();
        allowed && self.replace_all(&stmt.binds, &binds)
    }
}

fn by_value(atom: HostAtom) -> Option<ValueId> {
    match atom {
        HostAtom::Value(value) => Some(value),
        HostAtom::Const(_) => None,
    }
}

fn is_scalar(ty: &Type) -> bool {
    ty.as_scalar().is_some() && !ty.is_shape()
}

/// For each extent or segmentation of a function: number of occurrences as a result of an arm.
fn pins(function: &Function) -> Vec<u32> {
    let mut pins = vec![0; function.values.len()];
    function.body.walk(&mut |stmt| {
        for block in stmt.op.blocks() {
            block.for_each_result(&mut |value| {
                pins[value.index()] += u32::from(function.values[value.index()].ty.is_shape());
            });
        }
    });
    pins
}

/// Number of occurrences of a value as a result of these arms.
fn pins_of(arms: [&HostBlock; 2], value: ValueId) -> u32 {
    let mut count = 0;
    for arm in arms {
        arm.for_each_result(&mut |result| count += u32::from(result == value));
    }
    count
}
