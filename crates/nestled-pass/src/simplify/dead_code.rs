//! Dead code elimination in thunks by marking (mark and sweep): statements are removed that neither lead to a result, nor may fault, nor may run forever.
//!
//! All statements start dead. The roots are the results, writes to arrays that the thunk is given, statements that may fault, and loops that are not known to end, since code after
//! a loop that never ends must not run. From them a worklist marks the definitions of operands, the conditions and bounds of the blocks around a live statement, and for a read of
//! a private array all writes to it. So carried variables that only compute themselves are removed, and so is a [counting loop](crate::loop_termination) that computes nothing.

use crate::facts::Facts;
use crate::loop_termination;
use nestled_ir::{Atom, Block, LocalId, PrivateId, Stmt, StmtKind, Thunk};

/// Returns the thunk without dead code.
pub fn remove_dead(thunk: &Thunk, facts: &Facts) -> Thunk {
    let mut marks = Marks {
        nodes: Vec::new(),
        definitions: vec![Definition::Param; thunk.locals.len()],
        live_locals: vec![false; thunk.locals.len()],
        live_privates: vec![false; thunk.privates.len()],
        private_nodes: vec![Vec::new(); thunk.privates.len()],
        work: Vec::new(),
    };
    marks.collect(&thunk.body, None);
    marks.mark_roots(thunk, facts);
    marks.run();
    let mut position = 0;
    let body = marks.sweep(&thunk.body, &mut position);
    Thunk { body, ..thunk.clone() }
}

/// A statement, with the statement around it.
struct Node<'a> {
    stmt: &'a Stmt,
    parent: Option<usize>,
    live: bool,
}

/// The definition of a local.
#[derive(Clone, Copy)]
enum Definition {
    /// A parameter of the thunk.
    Param,
    /// A statement that needs all its operands for each of its results.
    Whole(usize),
    /// One result of an `if`, or one carried variable of a loop.
    Slot(usize, usize),
}

struct Marks<'a> {
    /// All statements in pre-order: those inside a statement come after it.
    nodes: Vec<Node<'a>>,
    definitions: Vec<Definition>,
    live_locals: Vec<bool>,
    live_privates: Vec<bool>,
    /// For each private array: the statements that write to it, and the one that makes it.
    private_nodes: Vec<Vec<usize>>,
    /// The worklist: live locals with unvisited definitions.
    work: Vec<LocalId>,
}

impl<'a> Marks<'a> {
    fn collect(&mut self, block: &'a Block, parent: Option<usize>) {
        for stmt in &block.stmts {
            let id = self.nodes.len();
            self.nodes.push(Node { stmt, parent, live: false });
            self.define(&stmt.kind, id);
            for block in stmt.kind.blocks() {
                self.collect(block, Some(id));
            }
        }
    }

    fn define(&mut self, kind: &StmtKind, id: usize) {
        let mut define = |local: LocalId, definition| self.definitions[local.index()] = definition;
        match kind {
            StmtKind::If { dsts, .. } => {
                dsts.iter().enumerate().for_each(|(slot, &dst)| define(dst, Definition::Slot(id, slot)));
            }
            StmtKind::For { dsts, carried, .. } | StmtKind::While { dsts, carried, .. } => {
                for (slot, (&dst, carried)) in dsts.iter().zip(carried).enumerate() {
                    define(dst, Definition::Slot(id, slot));
                    define(carried.local, Definition::Slot(id, slot));
                }
                if let StmtKind::For { var, .. } = kind {
                    define(*var, Definition::Whole(id));
                }
            }
            StmtKind::PrivateNew { array, .. } | StmtKind::PrivateSet { array, .. } => {
                self.private_nodes[array.index()].push(id);
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::Check { .. } => {
                kind.dsts().iter().for_each(|&dst| define(dst, Definition::Whole(id)))
            }
        }
    }

    fn mark_roots(&mut self, thunk: &'a Thunk, facts: &Facts) {
        self.mark_all(&thunk.body.results);
        // What was given leaves as it is at the end.
        thunk.given().for_each(|array| self.mark_private(array));
        for id in 0..self.nodes.len() {
            let needed = match &self.nodes[id].stmt.kind {
                StmtKind::Call { thunk, .. } => !facts.is_total(*thunk),
                StmtKind::While { carried, cond, body, .. } => {
                    !loop_termination::ends(thunk, carried, cond, body)
                }
                StmtKind::Op { .. }
                | StmtKind::Threefry { .. }
                | StmtKind::Read { .. }
                | StmtKind::Own { .. }
                | StmtKind::Window { .. }
                | StmtKind::Len { .. }
                | StmtKind::Start { .. }
                | StmtKind::If { .. }
                | StmtKind::For { .. }
                | StmtKind::PrivateNew { .. }
                | StmtKind::PrivateGet { .. }
                | StmtKind::PrivateSet { .. }
                | StmtKind::Check { .. } => self.nodes[id].stmt.kind.site().is_some(),
            };
            if needed {
                self.mark_node(id);
            }
        }
    }

    fn run(&mut self) {
        while let Some(local) = self.work.pop() {
            match self.definitions[local.index()] {
                Definition::Param => {}
                Definition::Whole(id) => self.mark_node(id),
                Definition::Slot(id, slot) => self.mark_slot(id, slot),
            }
        }
    }

    fn mark_all(&mut self, atoms: &[Atom]) {
        atoms.iter().for_each(|&atom| self.mark_atom(atom));
    }

    fn mark_atom(&mut self, atom: Atom) {
        match atom {
            Atom::Local(local) => self.mark_local(local),
            Atom::Const(_) | Atom::Value(_) => {}
        }
    }

    fn mark_local(&mut self, local: LocalId) {
        if !std::mem::replace(&mut self.live_locals[local.index()], true) {
            self.work.push(local);
        }
    }

    /// Marks a statement and those around it as live.
    fn mark_node(&mut self, id: usize) {
        let mut next = Some(id);
        while let Some(id) = next {
            if std::mem::replace(&mut self.nodes[id].live, true) {
                return;
            }
            next = self.nodes[id].parent;
            self.mark_operands(id);
        }
    }

    /// Marks the operands that a statement needs to run, whichever of its results are used.
    fn mark_operands(&mut self, id: usize) {
        match &self.nodes[id].stmt.kind {
            StmtKind::If { cond, .. } => self.mark_atom(*cond),
            StmtKind::For { from, to, .. } => self.mark_all(&[*from, *to]),
            StmtKind::While { cond, .. } => self.mark_all(&cond.results),
            StmtKind::PrivateNew { array, .. }
            | StmtKind::PrivateGet { array, .. }
            | StmtKind::PrivateSet { array, .. } => {
                let (array, atoms) = (*array, self.nodes[id].stmt.kind.atoms());
                self.mark_all(&atoms);
                self.mark_private(array);
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::Check { .. } => {
                let atoms = self.nodes[id].stmt.kind.atoms();
                self.mark_all(&atoms);
            }
        }
    }

    fn mark_private(&mut self, array: PrivateId) {
        if !std::mem::replace(&mut self.live_privates[array.index()], true) {
            for id in self.private_nodes[array.index()].clone() {
                self.mark_node(id);
            }
        }
    }

    /// Marks one result of an `if` or loop as live.
    fn mark_slot(&mut self, id: usize, slot: usize) {
        self.mark_node(id);
        match &self.nodes[id].stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                self.mark_all(&[then.results[slot], otherwise.results[slot]]);
            }
            StmtKind::For { dsts, carried, body, .. } | StmtKind::While { dsts, carried, body, .. } => {
                self.mark_all(&[carried[slot].init, body.results[slot]]);
                self.mark_local(dsts[slot]);
                self.mark_local(carried[slot].local);
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => unreachable!("only branches and loops have slots"),
        }
    }

    /// Returns the block without dead statements. `position` numbers statements as `collect` did.
    fn sweep(&self, block: &Block, position: &mut usize) -> Block {
        let mut stmts = Vec::new();
        for stmt in &block.stmts {
            let id = *position;
            *position += 1;
            if self.nodes[id].live {
                stmts.push(self.sweep_stmt(stmt, position));
            } else {
                stmt.kind.blocks().into_iter().for_each(|block| skip(block, position));
            }
        }
        Block { stmts, results: block.results.clone() }
    }

    fn sweep_stmt(&self, stmt: &Stmt, position: &mut usize) -> Stmt {
        let live = |local: &LocalId| self.live_locals[local.index()];
        let kept = |dsts: &[LocalId]| dsts.iter().copied().filter(live).collect();
        let kind = match &stmt.kind {
            StmtKind::If { dsts, cond, then, otherwise } => {
                let [mut then, mut otherwise] = [then, otherwise].map(|block| self.sweep(block, position));
                retain(&mut then.results, dsts, live);
                retain(&mut otherwise.results, dsts, live);
                StmtKind::If { dsts: kept(dsts), cond: *cond, then, otherwise }
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                let mut body = self.sweep(body, position);
                let mut carried = carried.clone();
                retain(&mut body.results, dsts, live);
                retain(&mut carried, dsts, live);
                StmtKind::For { dsts: kept(dsts), var: *var, from: *from, to: *to, carried, body }
            }
            StmtKind::While { dsts, carried, cond, body } => {
                let [cond, mut body] = [cond, body].map(|block| self.sweep(block, position));
                let mut carried = carried.clone();
                retain(&mut body.results, dsts, live);
                retain(&mut carried, dsts, live);
                StmtKind::While { dsts: kept(dsts), carried, cond, body }
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => stmt.kind.clone(),
        };
        Stmt { kind, span: stmt.span }
    }
}

/// Keeps the items with live slots.
fn retain<T>(items: &mut Vec<T>, dsts: &[LocalId], live: impl Fn(&LocalId) -> bool) {
    let mut slots = dsts.iter();
    items.retain(|_| slots.next().is_some_and(&live));
}

/// Advances `position` over the statements of a removed block.
fn skip(block: &Block, position: &mut usize) {
    block.walk(&mut |_| *position += 1);
}
