//! The cost model of thunks: decides whether inactive lanes should branch around a piece of code.

use nestled_ir::interp::math_thunk;
use nestled_ir::{Block, Op, Program, StmtKind, ThunkId};
use std::collections::HashMap;

/// The cost of a piece of code after calls are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Number of statements.
    pub size: u64,
    /// Approximate number of instructions of one execution; loop bodies count once.
    pub work: u64,
    /// Whether a lane can fault in it.
    pub faults: bool,
    /// Whether it contains loops. Such code must be skipped when no lane is active: its loops might not terminate.
    pub loops: bool,
    /// Whether it touches memory, beyond operations and reads of registers.
    pub memory: bool,
    /// Whether it reads elements of arrays. Where no lane is active there may be no memory at the address, and a masked load from there, though
    /// allowed, takes a processor as long as a hundred others.
    pub reads: bool,
}

/// Code with more work than this is worth a branch around it.
const WORTH_A_JUMP: u64 = 24;

/// The work of a read of an array.
pub const READ: u64 = 8;

impl Cost {
    fn plain(work: u64) -> Cost {
        Cost { size: 1, work, ..Cost::default() }
    }

    fn and(self, other: Cost) -> Cost {
        Cost {
            size: self.size.saturating_add(other.size),
            work: self.work.saturating_add(other.work),
            faults: self.faults | other.faults,
            loops: self.loops | other.loops,
            memory: self.memory | other.memory,
            reads: self.reads | other.reads,
        }
    }

    /// True if a branch should skip the code when no lane is active.
    pub fn is_worth_a_jump(self) -> bool {
        self.loops || self.faults || self.reads || self.work > WORTH_A_JUMP
    }

    /// True if the code is cheap and safe enough to run even when no lane is active.
    pub fn is_trifling(self) -> bool {
        !self.loops && !self.faults && !self.memory && self.work <= 8
    }
}

/// A memo of costs: the costs of named thunks are computed once.
#[derive(Debug, Default)]
pub struct Costs {
    thunks: HashMap<(*const Program, ThunkId), Cost>,
}

impl Costs {
    /// Returns the cost of a block.
    pub fn block(&mut self, program: &Program, block: &Block) -> Cost {
        let stmts = block.stmts.iter().map(|stmt| self.stmt(program, &stmt.kind));
        stmts.fold(Cost::default(), Cost::and)
    }

    /// Returns the cost of a statement, including its nested blocks.
    pub fn stmt(&mut self, program: &Program, kind: &StmtKind) -> Cost {
        match kind {
            StmtKind::Op { dst: _, op, args } => self.op(*op, args.len()),
            StmtKind::Threefry { .. } => Cost { size: 1, work: 80, ..Cost::default() },
            StmtKind::Own { .. } => Cost::plain(0),
            StmtKind::Read { site, .. } | StmtKind::Window { site, .. } => {
                Cost { faults: site.is_some(), memory: true, reads: true, ..Cost::plain(READ) }
            }
            StmtKind::Len { .. } | StmtKind::Start { .. } => Cost { memory: true, ..Cost::plain(8) },
            StmtKind::Call { thunk, .. } => self.thunk(program, *thunk),
            StmtKind::If { then, otherwise, .. } => {
                Cost::plain(1).and(self.block(program, then)).and(self.block(program, otherwise))
            }
            StmtKind::For { body, .. } => {
                Cost { loops: true, ..self.block(program, body) }.and(Cost::plain(1))
            }
            StmtKind::While { cond, body, .. } => {
                let cost = self.block(program, cond).and(self.block(program, body));
                Cost { loops: true, ..cost }.and(Cost::plain(1))
            }
            StmtKind::PrivateNew { .. } => Cost { memory: true, ..Cost::plain(16) },
            StmtKind::PrivateGet { site, .. } | StmtKind::PrivateSet { site, .. } => {
                Cost { faults: site.is_some(), memory: true, ..Cost::plain(8) }
            }
            StmtKind::Check { .. } => Cost { faults: true, ..Cost::plain(2) },
        }
    }

    fn op(&mut self, op: Op, args: usize) -> Cost {
        if op.is_elementary() {
            let (program, thunk) = math_thunk(op, nestled_ir::ScalarType::F64);
            return self.block(program, &thunk.body).and(Cost::plain(args as u64));
        }
        match op {
            Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor | Op::Sqrt => Cost::plain(6),
            _ => Cost::plain(1),
        }
    }

    fn thunk(&mut self, program: &Program, id: ThunkId) -> Cost {
        let key = (std::ptr::from_ref(program), id);
        if let Some(known) = self.thunks.get(&key) {
            return *known;
        }
        let cost = self.block(program, &program.thunk(id).thunk.body);
        self.thunks.insert(key, cost);
        cost
    }
}
