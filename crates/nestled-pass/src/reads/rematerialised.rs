//! Rematerialised arrays: an array that a kernel made, as a thunk that computes one element from its coordinates.
//!
//! Only a result of a `map` without a guard that cannot fault can be rematerialised, if so can all values that it reads of earlier combinators; windows and reductions cannot. A
//! lane that faults or is guarded holds zeros, which a copy would not.

use super::splice::{Piece, replace};
use crate::facts::Facts;
use crate::ranges::KernelRanges;
use crate::simplify::dead_code::remove_dead;
use crate::simplify::thunk::{ThunkScope, simplify_thunk};
use nestled_ir::{Atom, Block, CombinatorKind, Kernel, LocalId, Op, ScalarType, StmtKind, Thunk, ValueId};
use std::collections::HashMap;

/// The work of computing one point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Number of array elements read.
    pub reads: u32,
    /// Cost of everything else, in additions.
    pub operations: u32,
}

/// Assumed number of rounds of a loop.
const ROUNDS: u32 = 16;

/// A thunk that computes one element of an array.
#[derive(Clone, Debug)]
pub struct Rematerialised {
    /// The code. Its parameters are the coordinates; it has one result; its captures are values of the kernel that made the array.
    pub thunk: Thunk,
    /// The work of one element.
    pub work: Work,
    /// Whether it only computes the position of the element in another array, or the element is a cheap function of its coordinates: then it may replace each read.
    pub is_transform: bool,
    /// Whether parts of it were computed once for many points.
    pub hoists: bool,
}

impl Rematerialised {
    /// True if an element is one of an array or of another, as those of a concatenation are: whatever is chosen, one element is read, and otherwise what each row has one of.
    pub fn is_choice(&self) -> bool {
        let is_of_row =
            |at: Atom| matches!(at, Atom::Local(local) if local.index() + 1 < self.thunk.n_params);
        let reads = reads_of_path(&self.thunk.body, &is_of_row);
        self.work.operations <= MOST_TRANSFORM && reads.is_some_and(|reads| reads <= 1)
    }
}

/// The greatest number of reads on a path through code without loops and calls, but for those with indices of the rows; `None` for others.
fn reads_of_path(block: &Block, is_of_row: &dyn Fn(Atom) -> bool) -> Option<u32> {
    block.stmts.iter().try_fold(0, |sum, stmt| match &stmt.kind {
        StmtKind::Op { .. } | StmtKind::Len { .. } | StmtKind::Start { .. } => Some(sum),
        StmtKind::Read { index, .. } => Some(sum + u32::from(!index.iter().all(|index| is_of_row(index.at)))),
        StmtKind::If { then, otherwise, .. } => {
            Some(sum + reads_of_path(then, is_of_row)?.max(reads_of_path(otherwise, is_of_row)?))
        }
        StmtKind::Threefry { .. }
        | StmtKind::Own { .. }
        | StmtKind::Window { .. }
        | StmtKind::Call { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => None,
    })
}

/// Greatest cost of a transform, in additions: a few divisions at each read.
const MOST_TRANSFORM: u32 = 24;

/// Greatest number of statements of the code of one element.
const MOST_STATEMENTS: usize = 200;

/// Greatest number of statements before they are simplified. A value that is read twice by the next, and so on, would be copied 2ⁿ times.
const MOST_INLINED: usize = 1000;

/// Counts the statements of a value's code with those of the earlier combinators that it reads, each as often as it is read.
fn inlined_size(kernel: &Kernel, value: ValueId) -> usize {
    let mut sizes: HashMap<ValueId, usize> = HashMap::new();
    for step in &kernel.steps {
        let mut size = 0usize;
        step.body.body.walk(&mut |stmt| {
            let read = match stmt.kind {
                StmtKind::Own { bind, .. } => sizes.get(&bind).copied().unwrap_or(0),
                _ => 0,
            };
            size = size.saturating_add(1).saturating_add(read);
        });
        sizes.extend(step.binds.iter().map(|&bind| (bind, size)));
    }
    sizes.get(&value).copied().unwrap_or(0)
}

impl Rematerialised {
    /// Rematerialises a value that a kernel binds: makes the code of one element.
    pub fn of(kernel: &Kernel, value: ValueId, facts: &Facts) -> Option<Rematerialised> {
        let (_, step) = kernel.binder(value)?;
        if step.kind != CombinatorKind::Map || step.guard.is_some() || facts.combinator(step).is_some() {
            return None;
        }
        if inlined_size(kernel, value) > MOST_INLINED {
            return None;
        }
        let slot = step.binds.iter().position(|bind| *bind == value)?;
        let mut thunk = step.body.clone();
        thunk.body.results = vec![thunk.body.results[slot]];
        let mut hoists = false;
        let thunk = inline_own(&remove_dead(&thunk, facts), kernel, facts, &mut hoists)?;
        // In long chains sums of constants would grow at each step.
        let (known, ranges) = (HashMap::new(), KernelRanges::default());
        let scope =
            ThunkScope { values: &kernel.values, space: &kernel.space, known: &known, ranges: &ranges };
        let thunk = remove_dead(&simplify_thunk(&thunk, scope, facts), facts);
        let mut size = 0;
        thunk.body.walk(&mut |_| size += 1);
        if size > MOST_STATEMENTS {
            return None;
        }
        let work = work_of(&thunk.body);
        let is_transform = is_transform(&thunk) && work.operations <= MOST_TRANSFORM && !hoists;
        Some(Rematerialised { thunk, work, is_transform, hoists })
    }
}

/// Replaces a thunk's reads of earlier combinators by their code.
fn inline_own(thunk: &Thunk, kernel: &Kernel, facts: &Facts, hoists: &mut bool) -> Option<Thunk> {
    let mut owns = Vec::new();
    let mut others = false;
    thunk.body.walk(&mut |stmt| match stmt.kind {
        StmtKind::Own { dst, bind } => owns.push((dst, bind)),
        StmtKind::Window { .. } => others = true,
        StmtKind::Op { .. }
        | StmtKind::Threefry { .. }
        | StmtKind::Read { .. }
        | StmtKind::Len { .. }
        | StmtKind::Start { .. }
        | StmtKind::Call { .. }
        | StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => {}
    });
    if others {
        return None;
    }
    if owns.is_empty() {
        return Some(thunk.clone());
    }
    let mut rematerialised_values = Vec::new();
    for (dst, bind) in owns {
        let rematerialised = Rematerialised::of(kernel, bind, facts)?;
        *hoists |= rematerialised.hoists || rematerialised.thunk.n_params < thunk.n_params;
        rematerialised_values.push((dst, rematerialised));
    }
    let values = HashMap::new();
    let pieces = rematerialised_values.iter().map(|(dst, rematerialised)| {
        let at = rematerialised.thunk.params().map(Atom::Local).collect();
        (*dst, Piece { from: &rematerialised.thunk, at, values: &values, reads: HashMap::new() })
    });
    Some(replace(thunk, &pieces.collect()))
}

/// The work of one pass through a block.
pub fn work_of(block: &Block) -> Work {
    let mut work = Work::default();
    for stmt in &block.stmts {
        let own = work_of_stmt(&stmt.kind);
        work.reads = work.reads.saturating_add(own.reads);
        work.operations = work.operations.saturating_add(own.operations);
    }
    work
}

/// The work of a statement.
pub fn work_of_stmt(kind: &StmtKind) -> Work {
    let operations = |operations| Work { reads: 0, operations };
    match kind {
        StmtKind::Op { op, args, .. } => operations(operation(*op, args)),
        StmtKind::Read { .. } => Work { reads: 1, operations: 0 },
        StmtKind::Own { .. } | StmtKind::Window { .. } => operations(1),
        StmtKind::Len { .. } | StmtKind::Start { .. } => operations(2),
        StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => operations(2),
        StmtKind::Threefry { .. } => operations(80),
        StmtKind::Call { .. } => operations(50),
        StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. } => {
            let rounds = if matches!(kind, StmtKind::If { .. }) { 1 } else { ROUNDS };
            kind.blocks().into_iter().map(work_of).fold(operations(2), |sum, work| Work {
                reads: sum.reads.saturating_add(work.reads.saturating_mul(rounds)),
                operations: sum.operations.saturating_add(work.operations.saturating_mul(rounds)),
            })
        }
    }
}

/// The cost of an operation, in additions.
fn operation(op: Op, args: &[Atom]) -> u32 {
    match op {
        Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor => {
            if matches!(args[1], Atom::Const(_)) {
                4
            } else {
                8
            }
        }
        Op::Sqrt => 8,
        op if op.is_elementary() => 25,
        _ => 1,
    }
}

/// True if code only computes an index for one read, with the element read as the result, or reads nothing and costs almost nothing.
fn is_transform(thunk: &Thunk) -> bool {
    let only_indices = |read: Option<LocalId>| {
        thunk.body.stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Op { dst, op, .. } => {
                let ty = thunk.local_type(*dst);
                !op.is_elementary() && (read.is_none() || ty.is_integer() || ty == ScalarType::Bool)
            }
            StmtKind::Len { .. } | StmtKind::Start { .. } => true,
            StmtKind::Read { dst, .. } => Some(*dst) == read,
            StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => false,
        })
    };
    let is_read = |local: LocalId| {
        thunk.body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Read { dst, .. } if dst == local))
    };
    match thunk.body.results[0] {
        Atom::Local(local) if is_read(local) => only_indices(Some(local)),
        _ => only_indices(None) && work_of(&thunk.body).operations <= MOST_RANGE,
    }
}

/// Greatest cost, in additions, of an element that is a function of its coordinates alone, to be a transform.
const MOST_RANGE: u32 = 4;
