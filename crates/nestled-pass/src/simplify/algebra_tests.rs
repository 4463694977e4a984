//! Tests every rule on edge-case operands: the simplified operation must have the same bits.

use super::algebra::simplify;
use super::rule::{Operands, Simple};
use nestled_ir::interp::eval_op;
use nestled_ir::{Atom, LocalId, Op, Scalar, ScalarType};

/// Locals with values, some of them computed from others.
#[derive(Default)]
struct World {
    values: Vec<Scalar>,
    definitions: Vec<Option<(Op, Vec<Atom>)>>,
}

impl World {
    fn variable(&mut self, value: Scalar) -> Atom {
        self.values.push(value);
        self.definitions.push(None);
        Atom::Local(LocalId::from(self.values.len() - 1))
    }

    fn computed(&mut self, op: Op, args: Vec<Atom>) -> Atom {
        let atom = self.variable(self.eval(op, &args));
        *self.definitions.last_mut().expect("a variable was added") = Some((op, args));
        atom
    }

    fn value(&self, atom: Atom) -> Scalar {
        match atom {
            Atom::Local(local) => self.values[local.index()],
            Atom::Const(scalar) => scalar,
            Atom::Value(_) => unreachable!("there are locals only"),
        }
    }

    fn eval(&self, op: Op, args: &[Atom]) -> Scalar {
        let values: Vec<Scalar> = args.iter().map(|&arg| self.value(arg)).collect();
        eval_op(op, &values)
    }

    /// Simplifies an operation, if it takes operands of these types; returns whether that changed it.
    fn check(&self, op: Op, args: &[Atom]) -> bool {
        let types: Vec<ScalarType> = args.iter().map(|&arg| self.ty(arg)).collect();
        if op.result_type(&types).is_err() {
            return false;
        }
        let expected = self.eval(op, args);
        let simple = simplify(op, args.to_vec(), self);
        let found = match &simple {
            Simple::Atom(atom) => self.value(*atom),
            Simple::Op(op, args) => self.eval(*op, args),
        };
        let same = found == expected || (found.is_nan() && expected.is_nan() && found.ty() == expected.ty());
        assert!(
            same,
            "{op} {args:?} is {expected:?}; it became {simple:?}, which is {found:?}, with {:?} and {:?}",
            self.values, self.definitions
        );
        simple != Simple::Op(op, args.to_vec())
    }
}

impl Operands for World {
    fn ty(&self, atom: Atom) -> ScalarType {
        self.value(atom).ty()
    }

    fn definition(&self, atom: Atom) -> Option<(Op, &[Atom])> {
        let Atom::Local(local) = atom else { return None };
        self.definitions[local.index()].as_ref().map(|(op, args)| (*op, args.as_slice()))
    }
}

fn samples(ty: ScalarType) -> Vec<Scalar> {
    use ScalarType as S;
    match ty {
        S::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        S::F16 => [0u16, 0x8000, 0x3c00, 0x7c00].map(Scalar::F16).to_vec(),
        S::F32 => {
            let values = [0.0f32, -0.0, 1.0, -1.0, 0.25, -3.5, f32::INFINITY, f32::NAN, 1e-40, f32::MAX];
            values.map(Scalar::F32).to_vec()
        }
        S::F64 => {
            let values = [0.0f64, -0.0, 1.0, -1.0, 4.0, 2.5, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MAX];
            values.map(Scalar::F64).to_vec()
        }
        S::I8 | S::U8 | S::I16 | S::U16 | S::I32 | S::U32 | S::I64 | S::U64 | S::Idx => {
            let most = u64::MAX >> (65 - ty.bits());
            let values = [0, 1, u64::MAX, 2, 7, most, most + 1, u64::from(ty.bits()), 300];
            values.map(|bits| Scalar::from_bits(ty, bits)).to_vec()
        }
    }
}

/// All operations but the elementary functions, about which there are no rules.
fn ops() -> Vec<Op> {
    let converts = ScalarType::ALL.into_iter().map(Op::Convert);
    let bitcasts = ScalarType::ALL.into_iter().map(Op::Bitcast);
    let plain = Op::PLAIN.iter().copied().filter(|op| !op.is_elementary());
    plain.chain(converts).chain(bitcasts).collect()
}

#[test]
fn operations_on_variables_and_literals() {
    let mut changed = 0;
    for ty in ScalarType::ALL {
        for &a in &samples(ty) {
            for &b in &samples(ty) {
                let mut world = World::default();
                let (x, y) = (world.variable(a), world.variable(b));
                let (lit_a, lit_b) = (Atom::Const(a), Atom::Const(b));
                for op in ops() {
                    let pairs = [[x, x], [x, y], [x, lit_b], [lit_a, y], [lit_a, lit_b]];
                    changed +=
                        pairs.iter().filter(|args| world.check(op, &args[..op.arity().min(2)])).count();
                    let triples = [[x, y, x], [x, lit_b, y], [lit_a, x, y], [x, y, lit_a], [y, x, lit_b]];
                    changed += triples.iter().filter(|args| world.check(op, &args[..])).count();
                }
                for c in [false, true] {
                    let c_variable = world.variable(Scalar::Bool(c));
                    for cond in [c_variable, Atom::Const(Scalar::Bool(c))] {
                        let arms = [[x, x], [x, y], [x, lit_b], [lit_a, y], [lit_a, lit_b]];
                        let check = |&&[a, b]: &&[Atom; 2]| world.check(Op::Select, &[cond, a, b]);
                        changed += arms.iter().filter(check).count();
                    }
                }
            }
        }
    }
    assert!(changed > 5000, "only {changed} operations were simplified");
}

#[test]
fn operations_on_operations() {
    let mut changed = 0;
    for ty in ScalarType::ALL {
        for inner in ops() {
            for &a in &samples(ty) {
                for &b in &samples(ty) {
                    changed += check_inner(inner, a, b) + check_variables(inner, a, b);
                }
            }
        }
    }
    assert!(changed > 20_000, "only {changed} operations were simplified");
}

/// Every operation on the result of another, and on a literal or the operand of the other.
fn check_inner(inner: Op, a: Scalar, b: Scalar) -> usize {
    let types = [a.ty(), b.ty()];
    if inner.arity() > 2 || inner.result_type(&types[..inner.arity()]).is_err() {
        return 0;
    }
    let mut world = World::default();
    let x = world.variable(a);
    let args = [x, Atom::Const(b)];
    let y = world.computed(inner, args[..inner.arity()].to_vec());
    let other = world.computed(inner, args[..inner.arity()].to_vec());
    let mut changed = 0;
    for op in ops() {
        match op.arity() {
            1 => changed += usize::from(world.check(op, &[y])),
            2 => {
                let literals = samples(world.ty(y)).into_iter().map(Atom::Const);
                for second in literals.chain([x, y, other]) {
                    changed += usize::from(world.check(op, &[y, second]));
                    changed += usize::from(world.check(op, &[second, y]));
                }
            }
            _ => {
                changed += usize::from(world.check(op, &[y, x, Atom::Const(b)]));
                changed += usize::from(world.check(op, &[x, y, Atom::Const(a)]));
            }
        }
    }
    changed
}

/// Every operation on the result of another of two variables, and on one of these.
fn check_variables(inner: Op, a: Scalar, b: Scalar) -> usize {
    if inner.arity() != 2 || inner.result_type(&[a.ty(), b.ty()]).is_err() {
        return 0;
    }
    let mut world = World::default();
    let (x, z) = (world.variable(a), world.variable(b));
    let y = world.computed(inner, vec![x, z]);
    let zero = Atom::Const(Scalar::zero(world.ty(y)));
    let mut changed = 0;
    for op in ops() {
        let args = match op.arity() {
            2 => vec![vec![y, x], vec![y, z], vec![x, y], vec![z, y], vec![y, zero]],
            3 => vec![vec![y, x, z], vec![y, z, x]],
            _ => Vec::new(),
        };
        changed += args.iter().filter(|args| world.check(op, args)).count();
    }
    changed
}

#[test]
fn operations_on_choices() {
    let mut changed = 0;
    for ty in ScalarType::ALL {
        for &a in &samples(ty) {
            for &b in &samples(ty) {
                changed += check_choice(false, a, b) + check_choice(true, a, b);
            }
        }
    }
    assert!(changed > 2000, "only {changed} operations were simplified");
}

/// Every operation on a choice between literals, or on a converted truth value, and a literal; and choices of choices.
fn check_choice(truth: bool, a: Scalar, b: Scalar) -> usize {
    let mut world = World::default();
    let c = world.variable(Scalar::Bool(truth));
    let (x, z) = (world.variable(a), world.variable(b));
    let chosen = world.computed(Op::Select, vec![c, Atom::Const(a), Atom::Const(b)]);
    let variable = world.computed(Op::Select, vec![c, x, z]);
    let mut of = vec![chosen];
    if Op::Convert(a.ty()).result_type(&[ScalarType::Bool]).is_ok() {
        of.push(world.computed(Op::Convert(a.ty()), vec![c]));
    }
    let mut changed = 0;
    for op in ops().into_iter().filter(|op| op.arity() == 2) {
        for &y in &of {
            changed += usize::from(world.check(op, &[y, Atom::Const(b)]));
            changed += usize::from(world.check(op, &[Atom::Const(a), y]));
        }
    }
    for args in [[c, variable, x], [c, z, variable], [c, chosen, variable]] {
        changed += usize::from(world.check(Op::Select, &args));
    }
    changed
}
