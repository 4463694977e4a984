//! Common subexpression elimination by value keys (scoped value numbering): the computations visible at a statement.
//!
//! The key of a computation leaves out the names of its results and its site: where two equal computations may fault and one is run before the other, the second cannot fault where
//! the first did not.

use nestled_ir::{Atom, HostAtom, HostOp, Index, LocalId, Offset, Op, PrivateId, Rule, SiteId, StmtKind};
use std::collections::HashMap;
use std::hash::Hash;

/// A scoped hash table: entries end with the block in which they were made.
#[derive(Debug)]
pub struct Scoped<K, V> {
    entries: HashMap<K, V>,
    /// The undo log. For each entry made: the block depth, the key and the value before.
    trail: Vec<(usize, K, Option<V>)>,
    depth: usize,
}

impl<K: Hash + Eq + Clone, V> Scoped<K, V> {
    /// Makes an empty table.
    pub fn new() -> Scoped<K, V> {
        Scoped { entries: HashMap::new(), trail: Vec::new(), depth: 0 }
    }

    /// Enters a block.
    pub fn enter(&mut self) {
        self.depth += 1;
    }

    /// Leaves a block: removes the entries made in it.
    pub fn leave(&mut self) {
        while self.trail.last().is_some_and(|(depth, _, _)| *depth == self.depth) {
            if let Some((_, key, before)) = self.trail.pop() {
                match before {
                    Some(value) => self.entries.insert(key, value),
                    None => self.entries.remove(&key),
                };
            }
        }
        self.depth -= 1;
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    /// Adds an entry, until the block ends.
    pub fn insert(&mut self, key: K, value: V) {
        let before = self.entries.insert(key.clone(), value);
        self.trail.push((self.depth, key, before));
    }
}

/// The value key of a statement of a thunk: the statement without its results, and for private arrays the number of writes so far.
pub type ThunkKey = (StmtKind, u32);

/// Returns the key of a statement that gives the same results wherever it is run again; `None` for all others.
pub fn thunk_key(kind: &StmtKind, version: impl Fn(PrivateId) -> u32) -> Option<ThunkKey> {
    let dst = LocalId(0);
    let mut number = 0;
    let key = match kind.clone() {
        StmtKind::Op { dst: _, op, args } => {
            let (op, args) = canonical(op, args, rank);
            StmtKind::Op { dst, op, args }
        }
        StmtKind::Threefry { dsts: _, key, counter } => StmtKind::Threefry { dsts: [dst, dst], key, counter },
        StmtKind::Read { dst: _, array, index, default, site: _ } => {
            let index = index.into_iter().map(|index| Index { rule: inside(index.rule), ..index }).collect();
            StmtKind::Read { dst, array, index, default, site: None }
        }
        StmtKind::Own { dst: _, bind } => StmtKind::Own { dst, bind },
        StmtKind::Window { dst: _, bind, offsets, default, site: _ } => {
            let offsets =
                offsets.into_iter().map(|offset| Offset { rule: inside(offset.rule), ..offset }).collect();
            StmtKind::Window { dst, bind, offsets, default, site: None }
        }
        StmtKind::Len { dst: _, seg, at } => StmtKind::Len { dst, seg, at },
        StmtKind::Start { dst: _, seg, at } => StmtKind::Start { dst, seg, at },
        StmtKind::Call { dsts: _, thunk, args } => StmtKind::Call { dsts: Vec::new(), thunk, args },
        StmtKind::PrivateGet { dst: _, array, at, site: _ } => {
            number = version(array);
            StmtKind::PrivateGet { dst, array, at, site: None }
        }
        StmtKind::Check { cond, code: _, site: _ } => {
            StmtKind::Check { cond, code: "".into(), site: SiteId(0) }
        }
        StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateSet { .. } => return None,
    };
    Some((key, number))
}

/// Canonical form of an operation: its operands in a fixed order, where order makes no difference.
fn canonical<A: Copy>(op: Op, mut args: Vec<A>, rank: impl Fn(A) -> (u8, u64)) -> (Op, Vec<A>) {
    let op = match op {
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other if other.is_commutative() => {
            args.sort_by_key(|&atom| rank(atom));
            return (op, args);
        }
        other => return (other, args),
    };
    args.reverse();
    (op, args)
}

/// Unifies the rules of reads in bounds: a read that would have faulted has done so before an equal read.
fn inside(rule: Rule) -> Rule {
    match rule {
        Rule::Fault | Rule::Proved => Rule::Proved,
        Rule::Clamp | Rule::Wrap | Rule::Else => rule,
    }
}

/// An arbitrary total order of operands.
fn rank(atom: Atom) -> (u8, u64) {
    match atom {
        Atom::Value(value) => (0, u64::from(value.0)),
        Atom::Local(local) => (1, u64::from(local.0)),
        Atom::Const(scalar) => (2, scalar.to_bits()),
    }
}

fn host_rank(atom: HostAtom) -> (u8, u64) {
    match atom {
        HostAtom::Value(value) => (0, u64::from(value.0)),
        HostAtom::Const(scalar) => (2, scalar.to_bits()),
    }
}

/// Returns the key of a statement of host code that gives the same results wherever it is run again; `None` for all others.
///
/// The caller must know that calls run no commands. Literals are left out: they cost nothing twice.
pub fn host_key(op: &HostOp) -> Option<HostOp> {
    let site = SiteId(0);
    Some(match op {
        HostOp::Dim { extent, site: _ } => HostOp::Dim { extent: *extent, site },
        HostOp::Segments { lengths, site: _ } => HostOp::Segments { lengths: *lengths, site },
        HostOp::Same { left, right, site: _ } => HostOp::Same { left: *left, right: *right, site },
        HostOp::Reshape { array, shape, site: _ } => {
            HostOp::Reshape { array: *array, shape: shape.clone(), site }
        }
        HostOp::View { seg, starts, buffer, site: _ } => {
            HostOp::View { seg: *seg, starts: *starts, buffer: *buffer, site }
        }
        HostOp::Check { cond, code: _, site: _ } => HostOp::Check { cond: *cond, code: "".into(), site },
        HostOp::Scalar { op, args } => {
            let (op, args) = canonical(*op, args.clone(), host_rank);
            HostOp::Scalar { op, args }
        }
        HostOp::Size { .. }
        | HostOp::Regular { .. }
        | HostOp::Widen { .. }
        | HostOp::Lengths { .. }
        | HostOp::Starts { .. }
        | HostOp::Call { .. }
        | HostOp::Run { .. }
        | HostOp::Each { .. }
        | HostOp::Library(_) => op.clone(),
        HostOp::Literal { .. } | HostOp::If { .. } | HostOp::Command(_) => return None,
    })
}
