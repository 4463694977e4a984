//! Termination of counting loops: a `while` whose condition compares a carried integer (an induction variable) with a loop-invariant bound, and whose rounds move that integer
//! towards the bound.
//!
//! Such a loop ends whatever its operands are, so that it may be removed as dead code like any other computation. `while (i = 0) { lt i n } do { add i 1 }` has this form; a loop
//! without it is assumed to run forever.

use nestled_ir::{Atom, Block, Carried, LocalId, Op, ScalarType, Stmt, StmtKind, Thunk};
use std::collections::HashSet;

/// The side of the bound on which the loop continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// True if a `while` loop is a counting loop, and so ends.
pub fn ends(thunk: &Thunk, carried: &[Carried], cond: &Block, body: &Block) -> bool {
    let [going_on] = cond.results[..] else { return false };
    let inside = bound_inside(carried, cond, body);
    let counting = Counting { thunk, carried, cond, body, inside };
    counting.condition(going_on)
}

struct Counting<'a> {
    thunk: &'a Thunk,
    carried: &'a [Carried],
    cond: &'a Block,
    body: &'a Block,
    /// Locals bound in the rounds of the loop: they may change from round to round.
    inside: HashSet<LocalId>,
}

impl Counting<'_> {
    /// True if the condition `atom` is false after finitely many rounds.
    fn condition(&self, atom: Atom) -> bool {
        match operation(&self.cond.stmts, atom) {
            Some((Op::And, [a, b])) => self.condition(*a) || self.condition(*b),
            Some((Op::Lt, &[a, b])) => {
                self.counts(a, b, Side::Below, true) || self.counts(b, a, Side::Above, true)
            }
            Some((Op::Gt, &[a, b])) => {
                self.counts(a, b, Side::Above, true) || self.counts(b, a, Side::Below, true)
            }
            Some((Op::Le, &[a, b])) => {
                self.counts(a, b, Side::Below, false) || self.counts(b, a, Side::Above, false)
            }
            Some((Op::Ge, &[a, b])) => {
                self.counts(a, b, Side::Above, false) || self.counts(b, a, Side::Below, false)
            }
            _ => false,
        }
    }

    /// True if `counter` crosses `bound` after finitely many rounds, coming from `side`. Where the bound itself still continues the loop (not `strict`), it must be a known
    /// constant, since nothing lies beyond the greatest integer and the least.
    fn counts(&self, counter: Atom, bound: Atom, side: Side, strict: bool) -> bool {
        let Atom::Local(local) = counter else { return false };
        let Some(place) = self.carried.iter().position(|one| one.local == local) else { return false };
        let ty = self.thunk.local_type(local);
        if !ty.is_integer() || !self.stays(bound) || !(strict || has_room(bound, ty)) {
            return false;
        }
        let towards = if side == Side::Below { 1 } else { -1 };
        match operation(&self.body.stmts, self.body.results[place]) {
            // A step of one goes past no bound; greater ones could wrap around.
            Some((Op::Add, &[a, step])) if a == counter => constant(step) == Some(towards),
            Some((Op::Add, &[step, a])) if a == counter => constant(step) == Some(towards),
            Some((Op::Sub, &[a, step])) if a == counter => constant(step) == Some(-towards),
            Some((Op::Shr, &[a, count])) if a == counter && side == Side::Above => {
                constant(count).is_some_and(|count| (1..i128::from(ty.bits())).contains(&count))
                    && excludes_zero(bound, strict)
            }
            Some((Op::Div, &[a, by])) if a == counter && side == Side::Above => {
                constant(by).is_some_and(|by| by >= 2) && excludes_zero(bound, strict)
            }
            _ => false,
        }
    }

    fn stays(&self, bound: Atom) -> bool {
        match bound {
            Atom::Const(_) | Atom::Value(_) => true,
            Atom::Local(local) => !self.inside.contains(&local),
        }
    }
}

/// Returns the locals bound in the rounds of a loop.
fn bound_inside(carried: &[Carried], cond: &Block, body: &Block) -> HashSet<LocalId> {
    let mut inside: HashSet<LocalId> = carried.iter().map(|one| one.local).collect();
    for block in [cond, body] {
        block.for_each_bound(&mut |local| {
            inside.insert(local);
        });
    }
    inside
}

/// Returns the operation of a block that binds a scalar.
fn operation(stmts: &[Stmt], atom: Atom) -> Option<(Op, &[Atom])> {
    let Atom::Local(local) = atom else { return None };
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Op { dst, op, args } if *dst == local => Some((*op, args.as_slice())),
        _ => None,
    })
}

fn constant(atom: Atom) -> Option<i128> {
    match atom {
        Atom::Const(scalar) => scalar.exact_integer(),
        Atom::Local(_) | Atom::Value(_) => None,
    }
}

/// True if the loop has stopped once the counter is zero, the limit of repeated halving.
fn excludes_zero(bound: Atom, strict: bool) -> bool {
    constant(bound).is_some_and(|bound| bound >= i128::from(!strict))
}

/// True if integers of a type lie beyond a constant bound, on both sides.
fn has_room(bound: Atom, ty: ScalarType) -> bool {
    let (least, greatest): (i128, i128) = match ty {
        ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
        ScalarType::U8 => (u8::MIN.into(), u8::MAX.into()),
        ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ScalarType::U16 => (u16::MIN.into(), u16::MAX.into()),
        ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ScalarType::U32 => (u32::MIN.into(), u32::MAX.into()),
        ScalarType::I64 | ScalarType::Idx => (i64::MIN.into(), i64::MAX.into()),
        ScalarType::U64 => (u64::MIN.into(), u64::MAX.into()),
        ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return false,
    };
    constant(bound).is_some_and(|bound| least < bound && bound < greatest)
}
