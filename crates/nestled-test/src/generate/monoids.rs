//! Generation of monoids: built-in ones, tuples, and user-defined ones that are associative to the last bit.

use super::Gen;
use super::class::{Class, TAME};
use super::expr::{self, Code, Known};
use super::surroundings::Surroundings;
use super::thunk::ThunkCode;
use nestled_ir::{
    Atom, Monoid, MonoidDef, MonoidId, MonoidOp, MonoidPart, Op, Scalar, ScalarType, Span, ThunkDef, ThunkId,
};

/// A chosen monoid, with the classes of its operands and results.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The monoid.
    pub monoid: Monoid,
    /// The type and class that each operand must have.
    pub wanted: Vec<(ScalarType, Class)>,
    /// The class of each result.
    pub results: Vec<Class>,
}

/// A user-defined monoid of a program.
#[derive(Clone, Debug)]
pub struct MonoidFacts {
    kind: Kind,
    types: Vec<(ScalarType, Class)>,
}

/// The kinds of user-defined monoids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// `x ↦ a·x + b` modulo 2³², one after the other.
    Affine,
    /// 2×2 matrices of `i64`.
    Matrix,
    /// 2×2 matrices over (max, +), of small `i64`.
    MaxPlus,
    /// Segmented sums: a flag starts a new segment.
    Segmented,
    /// Total and least prefix sum.
    Brackets,
    /// The greatest common divisor, by a loop.
    Gcd,
    /// The last value with its flag set.
    Latest,
}

const KINDS: [Kind; 7] =
    [Kind::Affine, Kind::Matrix, Kind::MaxPlus, Kind::Segmented, Kind::Brackets, Kind::Gcd, Kind::Latest];

/// Minus infinity of max-plus: far below all sums that occur.
const FAR: i64 = -(1 << 60);

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Affine => "affine",
            Kind::Matrix => "matrix",
            Kind::MaxPlus => "max_plus",
            Kind::Segmented => "segmented",
            Kind::Brackets => "brackets",
            Kind::Gcd => "gcd",
            Kind::Latest => "latest",
        }
    }

    fn unit(self) -> Vec<Scalar> {
        match self {
            Kind::Affine => vec![Scalar::U32(1), Scalar::U32(0)],
            Kind::Matrix => [1, 0, 0, 1].map(Scalar::I64).to_vec(),
            Kind::MaxPlus => [0, FAR, FAR, 0].map(Scalar::I64).to_vec(),
            Kind::Segmented => vec![Scalar::Bool(false), Scalar::I32(0)],
            Kind::Brackets => vec![Scalar::I64(0), Scalar::I64(0)],
            Kind::Gcd => vec![Scalar::U32(0)],
            Kind::Latest => vec![Scalar::Bool(false), Scalar::F32(0.0)],
        }
    }

    /// The types and classes for which the monoid is associative and has its unit.
    fn wanted(self) -> Vec<(ScalarType, Class)> {
        let small = Class::Range(-100, 100);
        let class = match self {
            Kind::MaxPlus | Kind::Brackets => small,
            Kind::Affine | Kind::Matrix | Kind::Segmented | Kind::Gcd | Kind::Latest => Class::Any,
        };
        self.unit().iter().map(|unit| (unit.ty(), if unit.ty().is_float() { TAME } else { class })).collect()
    }

    fn is_commutative(self) -> bool {
        self == Kind::Gcd
    }

    fn combine(self, code: &mut ThunkCode<'_>, x: &[Known<Atom>]) -> Vec<Known<Atom>> {
        match self {
            Kind::Affine => {
                let a = expr::must(code, Op::Mul, &[x[0], x[2]]);
                let b = expr::must(code, Op::Mul, &[x[1], x[2]]);
                vec![a, expr::must(code, Op::Add, &[b, x[3]])]
            }
            Kind::Matrix => product(code, x, Op::Mul, Op::Add),
            Kind::MaxPlus => product(code, x, Op::Add, Op::Max),
            Kind::Segmented => {
                let flag = expr::must(code, Op::Or, &[x[0], x[2]]);
                let sum = expr::must(code, Op::Add, &[x[1], x[3]]);
                vec![flag, expr::must(code, Op::Select, &[x[2], x[3], sum])]
            }
            Kind::Brackets => {
                let total = expr::must(code, Op::Add, &[x[0], x[2]]);
                let later = expr::must(code, Op::Add, &[x[0], x[3]]);
                vec![total, expr::must(code, Op::Min, &[x[1], later])]
            }
            Kind::Gcd => vec![code.gcd(x[0], x[1])],
            Kind::Latest => {
                let flag = expr::must(code, Op::Or, &[x[0], x[2]]);
                vec![flag, expr::must(code, Op::Select, &[x[2], x[3], x[1]])]
            }
        }
    }

    /// The class of each result.
    fn results(self) -> Vec<Class> {
        self.unit().iter().map(|unit| if unit.ty().is_float() { TAME } else { Class::Any }).collect()
    }
}

fn product(code: &mut ThunkCode<'_>, x: &[Known<Atom>], times: Op, plus: Op) -> Vec<Known<Atom>> {
    let mut results = Vec::new();
    for (row, column) in [(0, 4), (0, 5), (2, 4), (2, 5)] {
        let first = expr::must(code, times, &[x[row], x[column]]);
        let second = expr::must(code, times, &[x[row + 1], x[column + 2]]);
        results.push(expr::must(code, plus, &[first, second]));
    }
    results
}

/// Adds a user-defined monoid to the program. Leaving out that it is commutative or exact is always allowed.
fn define(g: &mut Gen, kind: Kind) {
    let unit = kind.unit();
    let types: Vec<(ScalarType, Class)> =
        unit.iter().chain(&unit).map(|unit| (unit.ty(), Class::base(unit.ty()))).collect();
    let around = Surroundings::default();
    let mut code = ThunkCode::new(g.random.fork(), g.size, &[], &around, &types);
    code.may_fault = false;
    let params: Vec<Known<Atom>> = (0..types.len()).map(|at| code.coordinate(at)).collect();
    let results = kind.combine(&mut code, &params);
    let thunk = ThunkDef {
        name: format!("combine_{}", kind.name()).into(),
        results: unit.iter().map(|unit| unit.ty()).collect(),
        thunk: code.finish(&results),
        span: Span::NONE,
    };
    // Combining thunks stand behind the ordinary ones, which are made first.
    g.program.thunks.push(thunk);
    g.program.monoids.push(MonoidDef {
        name: kind.name().into(),
        unit,
        combine: ThunkId::from(g.program.thunks.len() - 1),
        commutative: kind.is_commutative() && g.random.chance(70),
        exact: g.random.chance(70),
        span: Span::NONE,
    });
    g.monoids.push(MonoidFacts { kind, types: kind.wanted() });
}

fn user(g: &mut Gen) -> MonoidId {
    let kind = *g.random.pick(&KINDS);
    if let Some(at) = g.monoids.iter().position(|facts| facts.kind == kind) {
        return MonoidId::from(at);
    }
    define(g, kind);
    MonoidId::from(g.monoids.len() - 1)
}

/// A monoid for up to `points` values.
pub fn choose(g: &mut Gen, points: u64) -> Choice {
    let mut choice = Choice { monoid: Monoid { parts: Vec::new() }, wanted: Vec::new(), results: Vec::new() };
    let parts = [1, 1, 1, 2, 2, 3];
    for _ in 0..*g.random.pick(&parts) {
        match g.random.below(10) {
            0..=5 => operator(g, points, &mut choice),
            6 | 7 => best(g, &mut choice),
            _ => {
                let id = user(g);
                let facts = g.monoids[id.index()].clone();
                choice.monoid.parts.push(MonoidPart::User(id));
                choice.wanted.extend(facts.types);
                choice.results.extend(facts.kind.results());
            }
        }
    }
    choice
}

fn operator(g: &mut Gen, points: u64, choice: &mut Choice) {
    let (op, ty, class) = loop {
        let op = *g.random.pick(&MonoidOp::ALL);
        let ty = expr::random_type(&mut g.random);
        if op.unit(ty).is_some() {
            let tame = ty.is_float() && op == MonoidOp::Add && g.random.chance(30);
            break (op, ty, if tame { TAME } else { Class::Any });
        }
    };
    choice.monoid.parts.push(MonoidPart::Op(op));
    choice.wanted.push((ty, class));
    choice.results.push(class.sum(ty, points.saturating_add(1)).unwrap_or(Class::Any));
}

/// `argmin` or `argmax`.
fn best(g: &mut Gen, choice: &mut Choice) {
    let ty = loop {
        let ty = expr::random_type(&mut g.random);
        if ty.is_number() {
            break ty;
        }
    };
    choice.monoid.parts.push(*g.random.pick(&[MonoidPart::ArgMin, MonoidPart::ArgMax]));
    choice.wanted.extend([(ty, Class::Any), (ScalarType::Idx, Class::Any)]);
    choice.results.extend([Class::Any, Class::Any]);
}

/// Gives a value the class that a monoid wants. Tame floats also lose the sign of a zero: whether −0.0 survives a sum depends on
/// where the unit comes in.
pub fn bring<C: Code>(code: &mut C, known: Known<C::Atom>, class: Class) -> Known<C::Atom> {
    let known = expr::bring(code, known, class);
    if class != TAME {
        return known;
    }
    let zero = expr::exactly(code, Scalar::zero(known.ty));
    Known { class: TAME, ..expr::must(code, Op::Add, &[known, zero]) }
}
