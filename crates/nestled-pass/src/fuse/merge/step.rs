//! Rewriting of a member's thunk for the merged kernel: reads of arrays that the kernel makes become own-point reads and windows.

use super::Slot;
use crate::fuse::access::{Access, Coordinates};
use crate::fuse::reason::Reason;
use nestled_ir::{
    Atom, Axis, Block, Index, Local, LocalId, Offset, Rule, Scalar, ScalarType, Span, Stmt, StmtKind, Thunk,
    Value, ValueId,
};
use std::collections::HashMap;

/// The rewriter of one thunk, with the values that it may read.
#[derive(Debug)]
pub struct Rewriting<'a> {
    slots: &'a [Option<Slot>],
    coordinates: Coordinates,
    /// The values of the merged kernel.
    values: &'a [Value],
    /// Scalars that the kernel makes, each with the local that holds it from the beginning of the thunk on.
    held: Vec<(ValueId, LocalId)>,
    place: Place<'a>,
    broken: Option<Reason>,
}

/// The position of a member's points in the merged kernel.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The innermost level of the member that is a level of the kernel too.
    pub within: usize,
    /// The filter, partition or scatter whose points are those of the next levels, if there is one.
    pub source: Option<usize>,
    /// For values of the merged kernel: the filter, partition or scatter of the points at which they live.
    pub kept: &'a HashMap<ValueId, usize>,
}

impl Place<'_> {
    /// True if the member's own coordinates name the same point of a value of the merged kernel.
    fn has(&self, value: ValueId, n_coordinates: usize) -> bool {
        let source = self.source.filter(|_| n_coordinates > self.within);
        self.kept.get(&value).copied() == source
    }
}

impl<'a> Rewriting<'a> {
    /// Starts the rewriting of a thunk that has not been changed yet.
    pub fn new(
        slots: &'a [Option<Slot>],
        values: &'a [Value],
        thunk: &Thunk,
        place: Place<'a>,
    ) -> Rewriting<'a> {
        let (coordinates, held) = (Coordinates::of(thunk), Vec::new());
        Rewriting { slots, coordinates, values, held, place, broken: None }
    }

    /// Rewrites the thunk; returns the reason why it does not fit, if there is one.
    pub fn thunk(mut self, thunk: &mut Thunk, span: Span) -> Option<Reason> {
        let mut locals = std::mem::take(&mut thunk.locals);
        self.block(&mut thunk.body, &mut locals);
        let own = self.held.iter().map(|&(bind, dst)| Stmt { kind: StmtKind::Own { dst, bind }, span });
        thunk.body.stmts.splice(0..0, own.collect::<Vec<Stmt>>());
        thunk.locals = locals;
        self.broken
    }

    fn block(&mut self, block: &mut Block, locals: &mut Vec<Local>) {
        for stmt in &mut block.stmts {
            self.kind(&mut stmt.kind);
            stmt.kind.for_each_atom(&mut |atom| self.atom(atom, locals));
            for inner in stmt.kind.blocks_mut() {
                self.block(inner, locals);
            }
        }
        block.results.iter_mut().for_each(|atom| self.atom(atom, locals));
    }

    fn kind(&mut self, kind: &mut StmtKind) {
        if let StmtKind::Window { .. } = kind
            && self.place.source.is_some()
        {
            self.broken = Some(Reason::AnotherPoint);
        }
        match kind {
            StmtKind::Own { bind: value, .. }
            | StmtKind::Window { bind: value, .. }
            | StmtKind::Len { seg: value, .. }
            | StmtKind::Start { seg: value, .. } => {
                if let Some(Slot::Made(new) | Slot::Param(new) | Slot::Axis(Axis::Sym(new))) =
                    self.slots[value.index()]
                {
                    *value = new;
                }
            }
            StmtKind::Read { dst, array, index, default, site } => match self.slots[array.index()] {
                Some(Slot::Made(bind)) => {
                    *kind = match self.coordinates.access(index) {
                        _ if !self.place.has(bind, index.len()) => {
                            self.broken = Some(Reason::AnotherPoint);
                            return;
                        }
                        Access::Own => StmtKind::Own { dst: *dst, bind },
                        Access::Near(by) if self.place.source.is_none() => {
                            let offsets: Vec<Offset> = by.into_iter().zip(&*index).map(offset).collect();
                            let has = |rule| offsets.iter().any(|offset| offset.rule == rule);
                            let default = default.filter(|_| has(Rule::Else));
                            let site = site.filter(|_| has(Rule::Fault));
                            StmtKind::Window { dst: *dst, bind, offsets, default, site }
                        }
                        Access::Near(_) | Access::Anywhere => {
                            self.broken = Some(Reason::AnotherPoint);
                            return;
                        }
                    };
                }
                Some(Slot::Param(new)) => *array = new,
                Some(Slot::Axis(_)) | None => {}
            },
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        }
    }

    fn atom(&mut self, atom: &mut Atom, locals: &mut Vec<Local>) {
        let Atom::Value(value) = *atom else { return };
        *atom = match self.slots[value.index()] {
            Some(Slot::Axis(Axis::Const(extent))) => Atom::Const(Scalar::Idx(extent as i64)),
            Some(Slot::Axis(Axis::Sym(new)) | Slot::Param(new)) => Atom::Value(new),
            Some(Slot::Made(bind)) => Atom::Local(self.hold(bind, locals)),
            None => return,
        };
    }

    /// Returns the local for a scalar that the kernel makes; adds it on first use.
    fn hold(&mut self, bind: ValueId, locals: &mut Vec<Local>) -> LocalId {
        if let Some((_, local)) = self.held.iter().find(|(held, _)| *held == bind) {
            return *local;
        }
        let value = &self.values[bind.index()];
        let ty = value.ty.as_scalar().unwrap_or(ScalarType::Idx);
        locals.push(Local { name: value.name.clone(), ty });
        let local = LocalId::from(locals.len() - 1);
        self.held.push((bind, local));
        local
    }
}

/// The offset along one axis. Offset 0 is in bounds, so that its rule is always `proved`.
fn offset((by, index): (i64, &Index)) -> Offset {
    Offset { by, rule: if by == 0 { Rule::Proved } else { index.rule } }
}

/// Moves a thunk from level `within + axes` of its own kernel to another level of the merged one; the coordinates up to `within` are the same. The others have no meaning any more:
/// they become locals from `level` on. Returns for each whether it is used.
pub fn regroup(thunk: &mut Thunk, within: usize, axes: usize, level: usize) -> Vec<bool> {
    let former = (within..within + axes).map(LocalId::from);
    let is_used = former.map(|coordinate| uses(&thunk.body, coordinate)).collect();
    let by = (level - within) as u32;
    let new = |local: &mut LocalId| {
        if local.index() >= within {
            local.0 += by;
        }
    };
    rename(&mut thunk.body, &new);
    // The names help readers where there are as many.
    let innermost = &thunk.locals[within + axes - 1];
    let name = if level == within + 1 { innermost.name.clone() } else { "".into() };
    let coordinate = Local { name, ty: ScalarType::Idx };
    thunk.locals.splice(within..within, std::iter::repeat_n(coordinate, level - within));
    thunk.n_params = level;
    is_used
}

fn uses(block: &Block, local: LocalId) -> bool {
    let mut found = block.results.contains(&Atom::Local(local));
    block.walk(&mut |stmt| {
        found |= stmt.kind.atoms().contains(&Atom::Local(local));
        found |= stmt.kind.blocks().iter().any(|inner| inner.results.contains(&Atom::Local(local)));
    });
    found
}

fn rename(block: &mut Block, new: &dyn Fn(&mut LocalId)) {
    let atom = |atom: &mut Atom| {
        if let Atom::Local(local) = atom {
            new(local);
        }
    };
    for stmt in &mut block.stmts {
        stmt.kind.for_each_atom(&mut |operand| atom(operand));
        stmt.kind.for_each_local(&mut |local| new(local));
        stmt.kind.blocks_mut().into_iter().for_each(|inner| rename(inner, new));
    }
    block.results.iter_mut().for_each(atom);
}
