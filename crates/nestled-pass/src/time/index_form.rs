//! Forms of scalars along the innermost axis: the same at all points of a row, one more at each point, or any other.

use nestled_ir::{Atom, LocalId, Op, StmtKind, Thunk, ValueId};
use std::collections::HashMap;

/// Change of a scalar from a point to the next one along the innermost axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexForm {
    /// It does not change.
    Uniform,
    /// It grows by this constant.
    Linear(i64),
    /// It is only known at run time.
    Any,
}

/// The forms of a thunk's scalars.
#[derive(Debug)]
pub struct IndexForms {
    known: HashMap<LocalId, IndexForm>,
}

impl IndexForms {
    /// Computes the forms of a combinator's thunk, whose parameters are the coordinates. `is_outer` tells which values it reads at a level further out.
    pub fn of(thunk: &Thunk, is_outer: &dyn Fn(ValueId) -> bool) -> IndexForms {
        let innermost = thunk.n_params.checked_sub(1);
        let form = |at| if Some(at) == innermost { IndexForm::Linear(1) } else { IndexForm::Uniform };
        IndexForms::inside(thunk, (0..thunk.n_params).map(form), is_outer)
    }

    /// Computes the forms of a thunk that is called with arguments of these forms.
    pub fn of_call(thunk: &Thunk, args: &[IndexForm]) -> IndexForms {
        IndexForms::inside(thunk, args.iter().copied(), &|_| false)
    }

    fn inside(
        thunk: &Thunk,
        params: impl Iterator<Item = IndexForm>,
        is_outer: &dyn Fn(ValueId) -> bool,
    ) -> IndexForms {
        let mut forms = IndexForms { known: thunk.params().zip(params).collect() };
        thunk.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Op { dst, op, args } => {
                let form = forms.result(*op, args);
                forms.known.insert(*dst, form);
            }
            StmtKind::For { var, .. } => {
                forms.known.insert(*var, IndexForm::Uniform);
            }
            StmtKind::Read { dst, index, default, .. } => {
                if forms.are_uniform(index.iter().map(|index| index.at).chain(*default)) {
                    forms.known.insert(*dst, IndexForm::Uniform);
                }
            }
            StmtKind::Own { dst, bind } => {
                if is_outer(*bind) {
                    forms.known.insert(*dst, IndexForm::Uniform);
                }
            }
            StmtKind::Len { dst, at, .. } | StmtKind::Start { dst, at, .. } => {
                if forms.are_uniform(at.iter().copied()) {
                    forms.known.insert(*dst, IndexForm::Uniform);
                }
            }
            StmtKind::Call { dsts, args, .. } => {
                if forms.are_uniform(args.iter().copied()) {
                    forms.known.extend(dsts.iter().map(|&dst| (dst, IndexForm::Uniform)));
                }
            }
            StmtKind::Threefry { .. }
            | StmtKind::Window { .. }
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        });
        forms
    }

    /// Returns true if none of these changes along a row.
    pub fn are_uniform(&self, mut atoms: impl Iterator<Item = Atom>) -> bool {
        atoms.all(|atom| self.at(atom) == IndexForm::Uniform)
    }

    /// Returns the form of an atom.
    pub fn at(&self, atom: Atom) -> IndexForm {
        match atom {
            Atom::Local(local) => self.known.get(&local).copied().unwrap_or(IndexForm::Any),
            Atom::Const(_) | Atom::Value(_) => IndexForm::Uniform,
        }
    }

    fn result(&self, op: Op, args: &[Atom]) -> IndexForm {
        let forms: Vec<IndexForm> = args.iter().map(|&arg| self.at(arg)).collect();
        let constant = |at: usize| match args[at] {
            Atom::Const(scalar) => scalar.as_integer(),
            Atom::Local(_) | Atom::Value(_) => None,
        };
        match (op, forms.as_slice()) {
            (_, forms) if forms.iter().all(|form| *form == IndexForm::Uniform) => IndexForm::Uniform,
            (Op::Add, [a, b]) => combined(*a, *b, i64::wrapping_add),
            (Op::Sub, [a, b]) => combined(*a, *b, i64::wrapping_sub),
            (Op::Mul, [IndexForm::Linear(by), _]) => scaled(*by, constant(1)),
            (Op::Mul, [_, IndexForm::Linear(by)]) => scaled(*by, constant(0)),
            (Op::Convert(_), [form]) => *form,
            // Mirrored, wrapped around or clamped along the axis, at the ends only.
            (Op::Abs, [IndexForm::Linear(by)]) => IndexForm::Linear(*by),
            (Op::Rem | Op::RemFloor, [IndexForm::Linear(by), IndexForm::Uniform])
                if constant(1).is_none() =>
            {
                IndexForm::Linear(*by)
            }
            (Op::Min | Op::Max, [IndexForm::Linear(by), IndexForm::Uniform])
            | (Op::Min | Op::Max, [IndexForm::Uniform, IndexForm::Linear(by)]) => IndexForm::Linear(*by),
            _ => IndexForm::Any,
        }
    }
}

fn combined(a: IndexForm, b: IndexForm, op: fn(i64, i64) -> i64) -> IndexForm {
    let step = |form| match form {
        IndexForm::Uniform => Some(0),
        IndexForm::Linear(by) => Some(by),
        IndexForm::Any => None,
    };
    match step(a).zip(step(b)).map(|(a, b)| op(a, b)) {
        Some(0) => IndexForm::Uniform,
        Some(by) => IndexForm::Linear(by),
        None => IndexForm::Any,
    }
}

fn scaled(by: i64, factor: Option<i64>) -> IndexForm {
    factor.map_or(IndexForm::Any, |factor| match by.wrapping_mul(factor) {
        0 => IndexForm::Uniform,
        by => IndexForm::Linear(by),
    })
}
