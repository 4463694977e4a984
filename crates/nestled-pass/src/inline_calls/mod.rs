//! `inline-calls`: calls of host functions become the code of the function.
//!
//! ```text
//! fn half(x: idx) -> idx {                  fn main(x: idx) -> idx {
//!   y = div x 2                               y = div x 2
//!   ret y                                     ret y
//! }                                         }
//! fn main(x: idx) -> idx {
//!   y = half(x)
//!   ret y
//! }
//! ```
//!
//! A function is put in the place of a call if it does not call itself, by any way, and is small, or if the call is the only one and
//! `main` reaches it; then it is gone afterwards. Functions that are called are looked at before those that call them. There is a limit
//! to what a function may grow to. The instances of an `each` are not inlined.
//!
//! **Regions.** A call ends a region. Where the sites of what comes before, of the function and of what comes after do not stand in this
//! order, an `if true { }` on both sides keeps the regions apart; [`simplify`](crate::simplify) removes it as soon as it may.
//!
//! **Shapes.** The shape arguments stand for the shape parameters, and what the function gives for what the call bound. That is not
//! possible, and the call stays, where the types would not be worded alike any more: if the function needs a `same` of its caller or of
//! its own to fit, or if an extent concerned is a result of an arm, where it stands for all that the types of the arm say of it.

mod copy;
mod order;

use crate::facts::{Facts, SiteRange};
use crate::pass::{Pass, PassContext};
use crate::simplify::reach;
use crate::simplify::regions::{Regions, direct_sites};
use copy::{Copier, Template};
use nestled_ir::{
    Function, FunctionId, HostAtom, HostBlock, HostOp, HostStmt, Program, Scalar, Span, ValueId,
};

/// The pass.
pub const PASS: Pass = Pass {
    name: "inline-calls",
    summary: "calls of small host functions become their code",
    changes_rounding: false,
    run: inline_calls,
};

/// Functions with at most so many statements are inlined wherever they are called.
const SMALL: usize = 16;
/// No function grows beyond so many statements.
const LARGEST: usize = 2000;
/// No block gets deeper than this.
const DEEPEST: usize = 64;

/// The program with fewer calls.
pub fn inline_calls(program: &Program, cx: &mut PassContext) -> Program {
    let mut next = program.clone();
    let facts = Facts::of(program);
    let main = program.find_function(Program::ENTRY).filter(|_| !cx.options.keep_all);
    let calls = order::Calls::of(program);
    let mut templates: Vec<Option<Template>> = program.functions.iter().map(|_| None).collect();
    for id in calls.callees_first() {
        let function = inline_into(program.function(id), &facts, &templates);
        let only_call = main.is_some() && calls.n_calls(id) == 1;
        if Some(id) != main && !calls.recurs(id) {
            templates[id.index()] = Template::of(&function, only_call);
        }
        next.functions[id.index()] = function;
    }
    if main.is_some() {
        reach::keep_reachable(&mut next);
    }
    next
}

/// The function with those of its calls inlined for which there is a template.
fn inline_into(function: &Function, facts: &Facts, templates: &[Option<Template>]) -> Function {
    let mut inlining =
        Inlining { facts, templates, size: copy::size(&function.body), copier: Copier::new(function) };
    let body = inlining.block(&function.body, 1);
    Function { values: inlining.copier.into_values(), body, ..function.clone() }
}

struct Inlining<'a> {
    facts: &'a Facts,
    templates: &'a [Option<Template>],
    /// The number of statements.
    size: usize,
    copier: Copier,
}

impl Inlining<'_> {
    fn block(&mut self, block: &HostBlock, depth: usize) -> HostBlock {
        let mut stmts = Vec::new();
        let mut before = None;
        for (stmt, after) in block.stmts.iter().zip(following(&block.stmts, self.facts)) {
            let first = stmts.len();
            let call = match &stmt.op {
                HostOp::Call { function, .. } => self.call(stmt, *function, depth, (before, after)),
                _ => None,
            };
            match call {
                Some(code) => stmts.extend(code),
                None => stmts.push(self.other(stmt, depth)),
            }
            before = SiteRange::join(before, direct_sites(&stmts[first..], self.facts));
        }
        let results = block.results.iter().map(|&result| self.copier.atom(result)).collect();
        HostBlock { stmts, results }
    }

    fn other(&mut self, stmt: &HostStmt, depth: usize) -> HostStmt {
        let mut stmt = stmt.clone();
        self.copier.operands(&mut stmt.op);
        for block in stmt.op.blocks_mut() {
            *block = self.block(block, depth + 1);
        }
        stmt
    }

    /// The code of a call, if it is inlined. `around` are the sites before and after it in its block.
    fn call(
        &mut self,
        stmt: &HostStmt,
        function: FunctionId,
        depth: usize,
        around: (Option<SiteRange>, Option<SiteRange>),
    ) -> Option<Vec<HostStmt>> {
        let template = self.templates[function.index()].as_ref()?;
        let fits = (template.only_call || template.size <= SMALL)
            && self.size + template.size <= LARGEST
            && depth + template.depth <= DEEPEST;
        let HostOp::Call { shapes, args, .. } = &stmt.op else { return None };
        let code = fits.then(|| self.copier.inline(template, &stmt.binds, shapes, args))??;
        self.size += template.size;
        let regions = Regions { before: around.0, after: around.1 };
        if regions.may_join_with(direct_sites(&code, self.facts)) {
            return Some(code);
        }
        Some([vec![border(stmt.span)], code, vec![border(stmt.span)]].concat())
    }
}

/// A statement that does nothing but end a region.
fn border(span: Span) -> HostStmt {
    let (then, otherwise) = (HostBlock::default(), HostBlock::default());
    let cond = HostAtom::Const(Scalar::Bool(true));
    HostStmt { binds: Vec::<ValueId>::new(), op: HostOp::If { cond, then, otherwise }, span }
}

/// For each statement the sites of those after it.
fn following(stmts: &[HostStmt], facts: &Facts) -> Vec<Option<SiteRange>> {
    let mut following = vec![None; stmts.len()];
    let mut sites = None;
    for (at, stmt) in stmts.iter().enumerate().rev() {
        following[at] = sites;
        sites = SiteRange::join(sites, facts.order(&stmt.op));
    }
    following
}
