//! Dead code elimination in host code: statements are removed that neither lead to a result, nor may fault, nor run commands.
//!
//! As for [thunks](super::dead_code), all statements start dead, and a worklist marks the live ones; here a live value also needs the symbols in its type. A call is removable if its
//! function cannot fault, runs no command, does not recur (recursion may run out of depth), and is known to end. A statement that ends a region stays if another fault could be
//! reported without it.

use super::regions::Regions;
use crate::facts::{Facts, SiteRange};
use nestled_ir::{Function, HostAtom, HostBlock, HostOp, HostStmt, Library, ValueId};

/// Returns the function without dead code.
pub fn remove_dead(function: &Function, facts: &Facts) -> Function {
    let mut marks = Marks {
        function,
        facts,
        nodes: Vec::new(),
        definitions: vec![None; function.values.len()],
        live: vec![false; function.values.len()],
        work: Vec::new(),
    };
    marks.collect(&function.body, None);
    marks.mark_all(&function.body.results);
    for id in 0..marks.nodes.len() {
        if marks.nodes[id].root {
            marks.mark_node(id);
        }
    }
    marks.run();
    let mut position = 0;
    let body = marks.sweep(&function.body, &mut position);
    Function { body, ..function.clone() }
}

/// A statement, with the statement around it.
struct Node<'a> {
    stmt: &'a HostStmt,
    parent: Option<usize>,
    /// Whether it is live whatever uses its results.
    root: bool,
    live: bool,
}

struct Marks<'a> {
    function: &'a Function,
    facts: &'a Facts,
    /// All statements in pre-order: those inside a statement come after it.
    nodes: Vec<Node<'a>>,
    /// For each value: the statement that binds it, and the slot.
    definitions: Vec<Option<(usize, usize)>>,
    live: Vec<bool>,
    /// The worklist: live values with unvisited definitions.
    work: Vec<ValueId>,
}

impl<'a> Marks<'a> {
    fn collect(&mut self, block: &'a HostBlock, parent: Option<usize>) {
        let joins = self.joins(block);
        for (stmt, joins) in block.stmts.iter().zip(joins) {
            let id = self.nodes.len();
            let root = self.has_effect(stmt) || (stmt.op.ends_region() && !joins);
            self.nodes.push(Node { stmt, parent, root, live: false });
            for (slot, bind) in stmt.binds.iter().enumerate() {
                self.definitions[bind.index()] = Some((id, slot));
            }
            for block in stmt.op.blocks() {
                self.collect(block, Some(id));
            }
        }
    }

    /// For each statement: whether the code before it and the code after it may be one region.
    fn joins(&self, block: &HostBlock) -> Vec<bool> {
        let sites: Vec<Option<SiteRange>> =
            block.stmts.iter().map(|stmt| self.facts.order(&stmt.op)).collect();
        let mut after = vec![None; sites.len() + 1];
        for position in (0..sites.len()).rev() {
            after[position] = SiteRange::join(sites[position], after[position + 1]);
        }
        let mut before = None;
        let mut joins = Vec::new();
        for (position, &own) in sites.iter().enumerate() {
            joins.push(Regions { before, after: after[position + 1] }.may_join());
            before = SiteRange::join(before, own);
        }
        joins
    }

    fn has_effect(&self, stmt: &HostStmt) -> bool {
        match &stmt.op {
            HostOp::Command(_) => true,
            HostOp::Call { function, .. } | HostOp::Each { function, .. } => {
                !self.facts.function(*function).is_removable()
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Run { .. }
            | HostOp::Library(_) => self.facts.host(&stmt.op).is_some() || !self.facts.ends(&stmt.op),
        }
    }

    fn run(&mut self) {
        while let Some(value) = self.work.pop() {
            let mut symbols = Vec::new();
            self.function.values[value.index()].ty.for_each_symbol(&mut |symbol| symbols.push(symbol));
            symbols.into_iter().for_each(|symbol| self.mark_value(symbol));
            let Some((id, slot)) = self.definitions[value.index()] else { continue };
            self.mark_node(id);
            if let HostOp::If { cond: _, then, otherwise } = &self.nodes[id].stmt.op {
                self.mark_all(&[then.results[slot], otherwise.results[slot]]);
            }
        }
    }

    fn mark_all(&mut self, atoms: &[HostAtom]) {
        for &atom in atoms {
            if let HostAtom::Value(value) = atom {
                self.mark_value(value);
            }
        }
    }

    fn mark_value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.live[value.index()], true) {
            self.work.push(value);
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
            let stmt = self.nodes[id].stmt;
            stmt.op.for_each_use(&mut |value| self.mark_value(value));
        }
    }

    /// Returns the block without dead statements. `position` numbers statements as `collect` did.
    fn sweep(&self, block: &HostBlock, position: &mut usize) -> HostBlock {
        let mut stmts = Vec::new();
        for stmt in &block.stmts {
            let id = *position;
            *position += 1;
            if self.nodes[id].live {
                stmts.push(self.sweep_stmt(stmt, position));
            } else {
                stmt.op.blocks().into_iter().for_each(|block| block.walk(&mut |_| *position += 1));
            }
        }
        HostBlock { stmts, results: block.results.clone() }
    }

    fn sweep_stmt(&self, stmt: &HostStmt, position: &mut usize) -> HostStmt {
        let live = |bind: &ValueId| self.live[bind.index()];
        let mut stmt = stmt.clone();
        match &mut stmt.op {
            HostOp::If { cond: _, then, otherwise } => {
                *then = self.sweep(then, position);
                *otherwise = self.sweep(otherwise, position);
                retain(&mut then.results, &stmt.binds, live);
                retain(&mut otherwise.results, &stmt.binds, live);
                stmt.binds.retain(live);
            }
            HostOp::Library(Library::Sort { keys: _, payload, order: _ }) => {
                retain(payload, &stmt.binds[1..], live);
                let keys = stmt.binds[0];
                stmt.binds.retain(|bind| *bind == keys || live(bind));
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => {}
        }
        stmt
    }
}

/// Keeps the items with live binds.
fn retain<T>(items: &mut Vec<T>, binds: &[ValueId], live: impl Fn(&ValueId) -> bool) {
    let mut binds = binds.iter();
    items.retain(|_| binds.next().is_some_and(&live));
}
