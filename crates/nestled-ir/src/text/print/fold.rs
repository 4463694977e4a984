//! Expression folding: prints an intermediate result inside the one statement that uses it, as a nested expression.
//!
//! Parsing a nested expression makes a statement of each part, left to right, right before the statement of the whole. To round-trip, only
//! the statements right before one may be folded into it, and only if its operands use them in this order. A stack of candidates decides
//! that in linear time: from the last operand back, an operand is folded if it is on top.

use std::collections::HashSet;

/// Greatest number of characters folded into one statement; the rest gets lines and numbers of its own.
pub(super) const IN_STATEMENT: usize = 64;

/// Greatest number of characters folded into a line of results.
pub(super) const IN_RESULTS: usize = 90;

/// Deeper ones too.
const DEEPEST: usize = 8;

/// A statement that may be folded: it binds one nameless value that is used once.
pub(super) struct Candidate {
    /// Id of the value it binds.
    pub id: usize,
    /// Its right side.
    pub text: String,
    /// True if it needs parentheses as an operand.
    pub loose: bool,
    /// Its form inside an index, with its precedence.
    pub infix: Option<Infix>,
    /// Nesting depth of the expression.
    pub depth: usize,
}

/// An expression written with `+`, `-` and `*`.
pub(super) struct Infix {
    pub text: String,
    pub product: bool,
}

impl Candidate {
    /// The expression as an operand.
    pub fn operand(&self) -> String {
        if self.loose { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The expression as an index.
    pub fn index(&self) -> String {
        self.infix.as_ref().map_or_else(|| self.operand(), |infix| infix.text.clone())
    }

    /// The expression as a part of a sum (as its right one: after `-`), or of a product.
    pub fn part(&self, of_product: bool, right: bool) -> String {
        match &self.infix {
            None => self.operand(),
            Some(infix) if infix.product && !(of_product && right) => infix.text.clone(),
            Some(infix) if !of_product && !right => infix.text.clone(),
            Some(infix) => format!("({})", infix.text),
        }
    }
}

/// The candidates right before a statement, in order.
#[derive(Default)]
pub(super) struct Stack {
    candidates: Vec<Candidate>,
    /// Their ids.
    waiting: HashSet<usize>,
}

impl Stack {
    pub fn push(&mut self, candidate: Candidate) {
        self.waiting.insert(candidate.id);
        self.candidates.push(candidate);
    }

    fn pop(&mut self) -> Option<Candidate> {
        let candidate = self.candidates.pop()?;
        self.waiting.remove(&candidate.id);
        Some(candidate)
    }

    /// True if one of the operands is still a candidate: it was not folded.
    pub fn holds_any(&self, operands: &[Option<usize>]) -> bool {
        operands.iter().flatten().any(|id| self.waiting.contains(id))
    }

    /// All of them, in order; none is left.
    pub fn drain(&mut self) -> Vec<Candidate> {
        self.waiting.clear();
        std::mem::take(&mut self.candidates)
    }
}

/// Takes the candidates that fold into these operands off the stack. `operands` has the id of each operand that may be folded; `room` is the
/// number of characters available.
pub(super) fn fold(operands: &[Option<usize>], stack: &mut Stack, mut room: usize) -> Vec<Option<Candidate>> {
    let mut folded: Vec<Option<Candidate>> = operands.iter().map(|_| None).collect();
    for (position, operand) in operands.iter().enumerate().rev() {
        let Some(top) = stack.candidates.last() else { break };
        if *operand == Some(top.id) && top.depth < DEEPEST && top.text.len() <= room {
            room -= top.text.len();
            folded[position] = stack.pop();
        }
    }
    folded
}

/// Nesting depth of an expression with these operands.
pub(super) fn depth(folded: &[Option<Candidate>]) -> usize {
    folded.iter().flatten().map(|candidate| candidate.depth + 1).max().unwrap_or(0)
}
