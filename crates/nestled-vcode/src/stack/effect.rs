//! Stack effects: the number of slots of its caller's stack that a function reaches, and its change of the height.
//!
//! The effect of a recursive function is found by fixpoint iteration. At first its own calls are assumed never to return, so a branch without recursion
//! determines the effect; then all branches must agree.

use super::MAX_HEIGHT;
use super::order::{Order, order};
use crate::syntax::ast::{Program, Stmt, StmtKind};
use crate::syntax::codes;
use crate::syntax::listing::Listing;
use nestled_ir::{Diagnostic, Span};

/// The stack effect of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// Number of slots of its caller that it reaches.
    pub reach: usize,
    /// Change of the height in slots; `None` where it never returns.
    pub change: Option<isize>,
}

impl Effect {
    /// Returns the number of slots left in the place of those that it reaches.
    pub fn leaves(self) -> Option<usize> {
        self.change.map(|change| self.reach.saturating_add_signed(change))
    }
}

/// The effects of all functions, and their order.
pub struct Effects {
    /// The effect of each function; meaningless for functions that are not reached.
    pub of: Vec<Effect>,
    /// Callees first.
    pub order: Order,
}

/// Largest number of rounds; a recursion that still reaches deeper is assumed to do so for ever.
const MAX_ROUNDS: usize = 60;

/// Infers the effects of all functions, or returns the errors.
pub fn infer(program: &Program, listing: &Listing) -> Result<Effects, Vec<Diagnostic>> {
    let callees: Vec<Vec<usize>> = program.functions.iter().map(|function| callees(&function.body)).collect();
    let order = order(&callees, program.entry);
    let mut of = vec![Effect::default(); program.functions.len()];
    let mut moving = None;
    for _ in 0..MAX_ROUNDS {
        moving = None;
        for &function in &order.postorder {
            let mut walk = Walk { effects: &of, listing, reach: 0, wrong: None };
            let change = walk.block(&program.functions[function].body, 0);
            let new = Effect { reach: walk.reach, change };
            if new != of[function] {
                of[function] = new;
                moving = Some(function);
            }
        }
        if moving.is_none() {
            break;
        }
    }
    let mut wrong = Vec::new();
    for &function in &order.postorder {
        let mut walk = Walk { effects: &of, listing, reach: 0, wrong: Some(Vec::new()) };
        walk.block(&program.functions[function].body, 0);
        wrong.extend(walk.wrong.into_iter().flatten());
    }
    if let (Some(function), true) = (moving, wrong.is_empty()) {
        let function = &program.functions[function];
        let message = format!("`{}` reaches deeper into the stack each time it calls itself", function.name);
        wrong.push(
            Diagnostic::new(codes::HEIGHT, message, function.span)
                .help("how many slots a function takes must be the same for all its calls"),
        );
    }
    let entry = &program.functions[program.entry];
    if of[program.entry].reach > 0 && wrong.is_empty() {
        wrong.push(underflow(program, listing, &of));
    }
    if wrong.is_empty() {
        return Ok(Effects { of, order });
    }
    wrong.sort_by_key(|diagnostic| diagnostic.labels.first().map_or(0, |label| label.span.start));
    debug_assert!(entry.span.is_known());
    Err(wrong)
}

/// The error that the program pops from an empty stack, at the first statement that does.
fn underflow(program: &Program, listing: &Listing, of: &[Effect]) -> Diagnostic {
    let entry = &program.functions[program.entry];
    let mut walk = Walk { effects: of, listing, reach: 0, wrong: None };
    let mut height = 0;
    for stmt in &entry.body {
        let left = walk.block(std::slice::from_ref(stmt), height);
        if walk.reach > 0 {
            let message = "this takes more from the stack than there is";
            return Diagnostic::new(codes::UNDERFLOW, message, stmt.span)
                .here(format!("the stack holds {height} here"))
                .label(entry.span, "the program begins here, with an empty stack");
        }
        height = left.unwrap_or(0);
    }
    Diagnostic::new(codes::UNDERFLOW, "this function takes slots from an empty stack", entry.span)
}

/// Returns the functions that are called, each once.
fn callees(stmts: &[Stmt]) -> Vec<usize> {
    fn collect(stmts: &[Stmt], found: &mut Vec<usize>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Call(callee) => found.push(*callee),
                StmtKind::If { then, otherwise } => {
                    collect(then, found);
                    collect(otherwise, found);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(stmts, &mut found);
    let mut seen = std::collections::HashSet::new();
    found.retain(|&callee| seen.insert(callee));
    found
}

struct Walk<'a> {
    effects: &'a [Effect],
    listing: &'a Listing,
    reach: usize,
    /// The errors; they are collected only at the end, when all effects are known.
    wrong: Option<Vec<Diagnostic>>,
}

impl Walk<'_> {
    /// Returns the height after a block that begins at a height; `None` where the block never ends.
    fn block(&mut self, stmts: &[Stmt], mut height: isize) -> Option<isize> {
        for stmt in stmts {
            height = self.stmt(stmt, height)?;
            if height > MAX_HEIGHT as isize || self.reach > MAX_HEIGHT {
                let message = format!("a stack of more than {MAX_HEIGHT} slots");
                self.report(|| Diagnostic::new(codes::LIMIT, message, stmt.span));
                height = height.min(MAX_HEIGHT as isize);
                self.reach = self.reach.min(MAX_HEIGHT);
            }
        }
        Some(height)
    }

    fn report(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if let Some(wrong) = &mut self.wrong
            && wrong.len() < 50
        {
            wrong.push(diagnostic());
        }
    }

    fn need(&mut self, count: usize, height: isize) {
        let below = count as isize - height;
        self.reach = self.reach.max(usize::try_from(below).unwrap_or(0));
    }

    fn stmt(&mut self, stmt: &Stmt, height: isize) -> Option<isize> {
        match &stmt.kind {
            StmtKind::Do(instr) => {
                let (takes, leaves) = instr.effect();
                self.need(takes, height);
                Some(height - takes as isize + leaves as isize)
            }
            StmtKind::Const(_) => Some(height + 1),
            // What moves nothing needs nothing.
            StmtKind::Copy { count: 0, .. } | StmtKind::Pop { count: 0, .. } => Some(height),
            StmtKind::Cpop { count, depth } if *count == 0 || *depth == 0 => Some(height),
            StmtKind::Copy { count, depth } => {
                self.need(count + depth, height);
                Some(height + *count as isize)
            }
            StmtKind::Pop { count, depth } => {
                self.need(count + depth, height);
                Some(height - *count as isize)
            }
            StmtKind::Cpop { count, depth } => {
                self.need(count + depth, height);
                Some(height)
            }
            StmtKind::Fused(number) => match self.listing.get(*number) {
                Some(op) => {
                    self.need(op.params.len(), height);
                    Some(height - op.params.len() as isize + 1)
                }
                None => {
                    self.report(|| undefined(*number, stmt.span));
                    Some(height)
                }
            },
            StmtKind::Call(callee) => {
                let Effect { reach, change } = self.effects[*callee];
                self.need(reach, height);
                change.map(|change| height + change)
            }
            StmtKind::Exit => None,
            StmtKind::If { then, otherwise } => {
                self.need(1, height);
                let left = self.block(then, height - 1);
                let right = self.block(otherwise, height - 1);
                match (left, right) {
                    (Some(left), Some(right)) if left != right => {
                        self.report(|| unbalanced(stmt.span, left - height + 1, right - height + 1));
                        Some(left)
                    }
                    (left, right) => left.or(right),
                }
            }
        }
    }
}

fn undefined(number: usize, span: Span) -> Diagnostic {
    Diagnostic::new(codes::SUPEROPERATOR, format!("no listing defines the superoperator {number}"), span)
        .help("`--fused FILE` names the listing: the `.cu` file, or a text in the form of its last comment")
}

fn unbalanced(span: Span, then: isize, otherwise: isize) -> Diagnostic {
    let message = "the branches leave stacks of different heights";
    Diagnostic::new(codes::HEIGHT, message, span)
        .here(format!("the first changes the height by {then}, the second by {otherwise}"))
}
