//! Code splicing: copies the code of one thunk into another.

use nestled_ir::{Atom, Block, LocalId, PrivateId, Rule, Stmt, StmtKind, Thunk, ValueId};
use std::collections::HashMap;

/// The changed out-of-bounds behaviour of a read in the copy.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// The rule of each index.
    pub rules: Vec<Rule>,
    /// Its new default, in names of the target thunk; `None` keeps its own.
    pub default: Option<Atom>,
}

/// Code to be copied into a thunk, in place of a statement that binds one scalar.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// The thunk to copy; it has one result.
    pub from: &'a Thunk,
    /// The operands substituted for its parameters.
    pub at: Vec<Atom>,
    /// The operands substituted for its captures; other captures stay.
    pub values: &'a HashMap<ValueId, Atom>,
    /// The reads that change, by their result.
    pub reads: HashMap<LocalId, Access>,
}

/// Replaces the statements that bind these scalars by pieces.
pub fn replace(thunk: &Thunk, pieces: &HashMap<LocalId, Piece<'_>>) -> Thunk {
    let mut next = thunk.clone();
    let body = Rewrite { pieces, thunk: &mut next, subst: HashMap::new() }.block(&thunk.body);
    next.body = body;
    next
}

struct Rewrite<'a> {
    pieces: &'a HashMap<LocalId, Piece<'a>>,
    /// The target thunk: new locals are added to it.
    thunk: &'a mut Thunk,
    subst: HashMap<LocalId, Atom>,
}

impl Rewrite<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Local(local) => self.subst.get(&local).copied().unwrap_or(atom),
            Atom::Const(_) | Atom::Value(_) => atom,
        }
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut stmts = Vec::new();
        for stmt in &block.stmts {
            let piece = match stmt.kind.dsts() {
                [dst] => self.pieces.get(dst).map(|piece| (*dst, piece)),
                _ => None,
            };
            if let Some((dst, piece)) = piece {
                let result = self.copy(piece, &mut stmts);
                self.subst.insert(dst, result);
                continue;
            }
            let mut stmt = stmt.clone();
            stmt.kind.for_each_atom(&mut |atom| *atom = self.atom(*atom));
            for block in stmt.kind.blocks_mut() {
                *block = self.block(block);
            }
            stmts.push(stmt);
        }
        Block { stmts, results: block.results.iter().map(|&atom| self.atom(atom)).collect() }
    }

    /// Appends a copy of a piece to a list of statements; returns the operand that is its result.
    fn copy(&mut self, piece: &Piece<'_>, out: &mut Vec<Stmt>) -> Atom {
        let at = piece.at.iter().map(|&atom| self.atom(atom));
        let locals = piece.from.params().zip(at).collect();
        let mut reads = piece.reads.clone();
        for access in reads.values_mut() {
            access.default = access.default.map(|atom| self.atom(atom));
        }
        let mut copy = Copy { piece, reads, thunk: self.thunk, locals, privates: HashMap::new() };
        let block = copy.block(&piece.from.body);
        out.extend(block.stmts);
        block.results[0]
    }
}

struct Copy<'a> {
    piece: &'a Piece<'a>,
    reads: HashMap<LocalId, Access>,
    thunk: &'a mut Thunk,
    locals: HashMap<LocalId, Atom>,
    privates: HashMap<PrivateId, PrivateId>,
}

impl Copy<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let stmts = block.stmts.iter().map(|stmt| self.stmt(stmt)).collect();
        Block { stmts, results: block.results.iter().map(|&atom| self.atom(atom)).collect() }
    }

    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Local(local) => self.locals[&local],
            Atom::Const(_) => atom,
            Atom::Value(value) => self.piece.values.get(&value).copied().unwrap_or(atom),
        }
    }

    fn value(&self, value: ValueId) -> ValueId {
        match self.piece.values.get(&value) {
            Some(Atom::Value(new)) => *new,
            _ => value,
        }
    }

    fn fresh(&mut self, local: LocalId) -> LocalId {
        let new = LocalId::from(self.thunk.locals.len());
        self.thunk.locals.push(self.piece.from.locals[local.index()].clone());
        self.locals.insert(local, Atom::Local(new));
        new
    }

    fn private(&mut self, array: PrivateId) -> PrivateId {
        let next = PrivateId::from(self.thunk.privates.len());
        let new = *self.privates.entry(array).or_insert(next);
        if new == next {
            self.thunk.privates.push(self.piece.from.privates[array.index()].clone());
        }
        new
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let mut kind = stmt.kind.clone();
        let changed = match kind.dsts() {
            [dst] => self.reads.get(dst).cloned(),
            _ => None,
        };
        kind.for_each_atom(&mut |atom| *atom = self.atom(*atom));
        match &mut kind {
            StmtKind::Read { array, index, default, .. } => {
                *array = self.value(*array);
                if let Some(access) = changed {
                    index.iter_mut().zip(&access.rules).for_each(|(index, rule)| index.rule = *rule);
                    let has_default = access.rules.contains(&Rule::Else);
                    *default = access.default.or(*default).filter(|_| has_default);
                }
            }
            StmtKind::Own { bind: value, .. }
            | StmtKind::Window { bind: value, .. }
            | StmtKind::Len { seg: value, .. }
            | StmtKind::Start { seg: value, .. } => *value = self.value(*value),
            StmtKind::PrivateNew { array, .. }
            | StmtKind::PrivateGet { array, .. }
            | StmtKind::PrivateSet { array, .. } => *array = self.private(*array),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Check { .. } => {}
        }
        // Operands first: they are of the outside; then the names that the blocks inside see.
        kind.for_each_local(&mut |local| *local = self.fresh(*local));
        for block in kind.blocks_mut() {
            *block = self.block(block);
        }
        Stmt { kind, span: stmt.span }
    }
}
