//! `inline-calls`: inlining of host functions. A call becomes the body of the function.
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
//! A function is inlined if it does not recur, and is small, or has only one call and `main` reaches it; then the function is removed afterwards. Callees are processed before
//! their callers. The size of a caller is limited. The instances of an `each` are not inlined.
//!
//! **Regions.** A call ends a region. If the sites before the call, of the function, and after the call are not in ascending order, an `if true { }` on both sides keeps the
//! regions apart; [`simplify`](crate::simplify) removes it as soon as it may.
//!
//! **Shapes.** The shape arguments are substituted for the shape parameters, and the function's results for the values that the call bound. The call stays where the types would
//! then name different symbols: if the function needs a `same` of its caller or of its own to fit, or if an extent concerned is a result of an arm, where other types refer to it.

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
pub(crate) use order::Calls;

/// The pass.
pub const PASS: Pass = Pass {
    name: "inline-calls",
    summary: "calls of small host functions become their code",
    changes_rounding: false,
    run: inline_calls,
};

/// Greatest number of statements of a function that is inlined wherever it is called.
const SMALL: usize = 16;
/// Greatest number of statements of a caller after inlining.
const LARGEST: usize = 2000;
/// Greatest nesting depth of blocks after inlining.
const DEEPEST: usize = 64;

/// Returns the program with small functions inlined.
pub fn inline_calls(program: &Program, cx: &mut PassContext) -> Program {
    let mut next = program.clone();
    let facts = Facts::of(program);
    let main = program.find_function(Program::ENTRY).filter(|_| !cx.options.keep_all);
    let calls = Calls::of(program);
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

/// Inlines those calls of a function for which there is a template.
fn inline_into(function: &Function, facts: &Facts, templates: &[Option<Template>]) -> Function {
    let mut inlining =
        Inlining { facts, templates, size: copy::size(&function.body), copier: Copier::new(function) };
    let body = inlining.block(&function.body, 1);
    Function { values: inlining.copier.into_values(), body, ..function.clone() }
}

struct Inlining<'a> {
    facts: &'a Facts,
    templates: &'a [Option<Template>],
    /// Number of statements of the caller so far.
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

    /// Returns the code of a call, if it is inlined. `around` are the sites before and after it in its block.
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

/// Makes a statement whose only effect is to end a region.
fn border(span: Span) -> HostStmt {
    let (then, otherwise) = (HostBlock::default(), HostBlock::default());
    let cond = HostAtom::Const(Scalar::Bool(true));
    HostStmt { binds: Vec::<ValueId>::new(), op: HostOp::If { cond, then, otherwise }, span }
}

/// For each statement: the sites of those after it.
fn following(stmts: &[HostStmt], facts: &Facts) -> Vec<Option<SiteRange>> {
    let mut following = vec![None; stmts.len()];
    let mut sites = None;
    for (at, stmt) in stmts.iter().enumerate().rev() {
        following[at] = sites;
        sites = SiteRange::join(sites, facts.order(&stmt.op));
    }
    following
}
