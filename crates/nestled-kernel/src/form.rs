//! Abstract interpretation of indices before code generation: finds which are uniform, linear along the lanes, or linear within groups of lanes.
//!
//! The results are bounds for the interior version of a loop. A value that varies in a loop of the thunk is [`Form::Any`].

use crate::uniform::{Surroundings, Uniformities};
use nestled_ir::{Atom, Block, LocalId, Op, Program, Scalar, StmtKind, Thunk, ValueId};
use std::collections::HashMap;

/// The form of a scalar along the lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Equal in all lanes.
    Uniform,
    /// Grows by this much from one lane to the next; not 0.
    Linear(i64),
    /// Grows by `.1` from one lane to the next within groups of `.0` neighbouring lanes; unrelated between groups.
    Groups(u64, i64),
    /// Not known.
    Any,
}

/// The forms of a thunk's scalars, where vectors run along some of its coordinates.
#[derive(Debug)]
pub struct Forms(HashMap<LocalId, Form>);

impl Forms {
    /// Computes the forms in a thunk. `coordinates` has the form of each coordinate, `around` tells which of the values that it reads vary.
    pub fn of(program: &Program, thunk: &Thunk, coordinates: &[Form], around: &dyn Surroundings) -> Forms {
        let varies = coordinates.iter().map(|&form| form != Form::Uniform).collect();
        let facts = Uniformities::default().of(program, thunk, varies, around);
        let mut forms: HashMap<LocalId, Form> = (0..thunk.locals.len())
            .map(LocalId::from)
            .map(|local| (local, if facts.varies(local) { Form::Any } else { Form::Uniform }))
            .collect();
        forms.extend(thunk.params().zip(coordinates.iter().copied()));
        let mut forms = Forms(forms);
        forms.block(&thunk.body);
        forms
    }

    /// Returns the form of an operand.
    pub fn atom(&self, atom: Atom) -> Form {
        match atom {
            Atom::Local(local) => self.0.get(&local).copied().unwrap_or(Form::Any),
            Atom::Const(_) | Atom::Value(_) => Form::Uniform,
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.kind.blocks().into_iter().for_each(|inner| self.block(inner));
            if let StmtKind::Op { dst, op, args } = &stmt.kind
                && self.0.get(dst) == Some(&Form::Any)
            {
                let form = self.op(*op, args);
                self.0.insert(*dst, form);
            }
        }
    }

    fn op(&self, op: Op, args: &[Atom]) -> Form {
        let forms: Vec<Form> = args.iter().map(|&atom| self.atom(atom)).collect();
        let grown = match (op, &forms[..]) {
            (Op::Add, [a, b]) => sum(*a, *b, 1),
            (Op::Sub, [a, b]) => sum(*a, *b, -1),
            (Op::Mul, [a, b]) => {
                literal(args[1]).and_then(|by| scaled(*a, by)).or_else(|| scaled(*b, literal(args[0])?))
            }
            (Op::Shr, [Form::Linear(1), _]) => {
                literal(args[1]).and_then(lanes_of_shift).map(|size| Form::Groups(size, 0))
            }
            (Op::And, [Form::Linear(1), _]) => {
                literal(args[1]).and_then(lanes_of_mask).map(|size| Form::Groups(size, 1))
            }
            // In the interior these return the linear operand.
            (Op::Abs, [form @ Form::Linear(_)]) => Some(*form),
            (
                Op::Min | Op::Max,
                [form @ Form::Linear(_), Form::Uniform] | [Form::Uniform, form @ Form::Linear(_)],
            ) => Some(*form),
            _ => None,
        };
        grown.or_else(|| alike(&forms)).unwrap_or(Form::Any)
    }
}

fn literal(atom: Atom) -> Option<i64> {
    match atom {
        Atom::Const(Scalar::Idx(value)) => Some(value),
        Atom::Const(_) | Atom::Local(_) | Atom::Value(_) => None,
    }
}

fn lanes_of_shift(by: i64) -> Option<u64> {
    1u64.checked_shl(u32::try_from(by).ok()?).filter(|&size| size > 1)
}

fn lanes_of_mask(by: i64) -> Option<u64> {
    u64::try_from(by).ok()?.checked_add(1).filter(|size| size.is_power_of_two() && *size > 1)
}

/// Returns the form of `a + sign · b`.
pub fn sum(a: Form, b: Form, sign: i64) -> Option<Form> {
    let by = |b: i64| b.checked_mul(sign);
    let linear = |step| if step == 0 { Form::Uniform } else { Form::Linear(step) };
    match (a, b) {
        (Form::Uniform, Form::Uniform) => Some(Form::Uniform),
        (Form::Uniform, Form::Linear(b)) => Some(linear(by(b)?)),
        (Form::Linear(a), Form::Uniform) => Some(linear(a)),
        (Form::Linear(a), Form::Linear(b)) => Some(linear(a.checked_add(by(b)?)?)),
        (Form::Uniform, Form::Groups(size, b)) => Some(Form::Groups(size, by(b)?)),
        (Form::Groups(size, a), Form::Uniform) => Some(Form::Groups(size, a)),
        (Form::Groups(left, a), Form::Groups(right, b)) => {
            Some(Form::Groups(left.min(right), a.checked_add(by(b)?)?))
        }
        (Form::Linear(_), Form::Groups(..)) | (Form::Groups(..), Form::Linear(_)) => None,
        (Form::Any, _) | (_, Form::Any) => None,
    }
}

/// Returns the form of a product with a literal.
pub fn scaled(form: Form, by: i64) -> Option<Form> {
    match form {
        Form::Uniform => Some(Form::Uniform),
        Form::Linear(step) => Some(match step.checked_mul(by)? {
            0 => Form::Uniform,
            step => Form::Linear(step),
        }),
        Form::Groups(size, step) => Some(Form::Groups(size, step.checked_mul(by)?)),
        Form::Any => None,
    }
}

/// Returns the form of a function of the operands: groups of lanes in which all operands are equal.
fn alike(forms: &[Form]) -> Option<Form> {
    let mut size = None;
    for form in forms {
        match form {
            Form::Uniform => {}
            Form::Groups(own, 0) => size = Some(size.map_or(*own, |size: u64| size.min(*own))),
            Form::Groups(..) | Form::Linear(_) | Form::Any => return None,
        }
    }
    Some(size.map_or(Form::Uniform, |size| Form::Groups(size, 0)))
}

/// The environment of a thunk for the analysis of uniformity.
pub struct Around<'f> {
    /// Tells whether a value that an earlier combinator bound varies from lane to lane.
    pub own: &'f dyn Fn(ValueId) -> bool,
    /// Whether points (coordinates and private arrays) differ from lane to lane.
    pub lanes: bool,
}

impl Surroundings for Around<'_> {
    fn own_varies(&self, bind: ValueId) -> bool {
        (self.own)(bind)
    }

    fn coordinates_vary(&self) -> bool {
        self.lanes
    }

    fn privates_vary(&self) -> bool {
        self.lanes
    }
}
