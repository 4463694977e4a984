//! `expand-math`: lowering of elementary functions and random bits to calls of the library thunks that define them.
//!
//! ```text
//! y = exp x                        (y) = exp_f32(x)
//! (a, b) = threefry k0 k1 c0 c1    (a, b) = threefry2x32(k0, k1, c0, c1)
//! ```
//!
//! The thunks are copied from the text that the interpreter uses, with the thunks that they call, so that results keep their bits. A name that the program uses already gets a `'`.
//! Operations that the library does not define stay as they are.
//!
//! Scalar operations of host code stay: no device runs them, and the executor computes them by the same text.

use crate::pass::{Pass, PassContext};
use nestled_ir::{Block, Name, Op, Program, Span, Stmt, StmtKind, Thunk, ThunkDef, ThunkId};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// The pass.
pub const PASS: Pass = Pass {
    name: "expand-math",
    summary: "elementary functions and random bits become thunks",
    changes_rounding: false,
    run: expand_math,
};

/// The library thunk that defines `threefry`.
const THREEFRY: &str = "threefry2x32";

/// Returns the program without elementary functions in kernels and thunks.
pub fn expand_math(program: &Program, _: &mut PassContext) -> Program {
    // Reading the library takes milliseconds.
    if program.all_thunks().any(|thunk| mentions(&thunk.body)) {
        expand_from(program, library())
    } else {
        program.clone()
    }
}

/// True if a block has a statement to expand.
fn mentions(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Op { op, .. } => op.is_elementary(),
            StmtKind::Threefry { .. } => true,
            StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => false,
        };
    });
    found
}

/// The text of all elementary functions and of random numbers, as one program: the second calls thunks of the first.
fn library() -> &'static Program {
    static LIBRARY: OnceLock<Program> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let text = [nestled_ir::interp::MATH_TEXT, nestled_ir::interp::RANDOM_TEXT].join("\n");
        nestled_ir::text::parse("math.lcu", &text).unwrap_or_else(|failure| {
            panic!("{}", nestled_ir::render_all(&failure.diagnostics, &failure.sources))
        })
    })
}

/// Expands with the thunks of another program. A thunk for an operation is named by operation and type (`exp_f32`); none of them may fault.
pub fn expand_from(program: &Program, library: &Program) -> Program {
    let mut expansion = Expansion {
        library,
        by_name: library.thunks.iter().enumerate().map(|(at, def)| (&*def.name, ThunkId::from(at))).collect(),
        imported: vec![None; library.thunks.len()],
        names: program.names().cloned().collect(),
        thunks: program.thunks.clone(),
    };
    let mut next = program.clone();
    for at in 0..next.thunks.len() {
        let mut thunk = program.thunks[at].thunk.clone();
        expansion.thunk(&mut thunk);
        expansion.thunks[at].thunk = thunk;
    }
    for step in next.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        expansion.thunk(&mut step.body);
    }
    next.thunks = expansion.thunks;
    next
}

struct Expansion<'a> {
    library: &'a Program,
    by_name: HashMap<&'a str, ThunkId>,
    /// For each thunk of the library its copy.
    imported: Vec<Option<ThunkId>>,
    names: HashSet<Name>,
    /// The thunks of the program, copies at the end.
    thunks: Vec<ThunkDef>,
}

impl Expansion<'_> {
    fn thunk(&mut self, thunk: &mut Thunk) {
        let Thunk { locals, body, .. } = thunk;
        let call = |kind: &StmtKind| match kind {
            StmtKind::Op { dst, op, args } if op.is_elementary() => {
                Some((name_of(*op, locals[dst.index()].ty.name()), vec![*dst], args.clone()))
            }
            StmtKind::Threefry { dsts, key, counter } => {
                Some((THREEFRY.to_owned(), dsts.to_vec(), key.iter().chain(counter).copied().collect()))
            }
            StmtKind::Op { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => None,
        };
        self.block(body, &|kind, expansion| {
            let (name, dsts, args) = call(kind)?;
            let thunk = *expansion.by_name.get(name.as_str())?;
            Some(StmtKind::Call { dsts, thunk: expansion.import(thunk), args })
        });
    }

    /// Replaces the statements for which `expand` returns another.
    fn block(&mut self, block: &mut Block, expand: &dyn Fn(&StmtKind, &mut Self) -> Option<StmtKind>) {
        for stmt in &mut block.stmts {
            if let Some(kind) = expand(&stmt.kind, self) {
                stmt.kind = kind;
            }
            for inner in stmt.kind.blocks_mut() {
                self.block(inner, expand);
            }
        }
    }

    /// Copies a thunk of the library into the program, once. Thunks do not recur, so that this ends.
    fn import(&mut self, id: ThunkId) -> ThunkId {
        if let Some(copy) = self.imported[id.index()] {
            return copy;
        }
        let library = self.library;
        let mut def = library.thunk(id).clone();
        self.block(&mut def.thunk.body, &|kind, expansion| match kind {
            StmtKind::Call { dsts, thunk, args } => {
                let thunk = expansion.import(*thunk);
                Some(StmtKind::Call { dsts: dsts.clone(), thunk, args: args.clone() })
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
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => None,
        });
        self.thunk(&mut def.thunk);
        forget_spans(&mut def.thunk.body);
        def.span = Span::NONE;
        def.name = self.fresh_name(def.name);
        let copy = ThunkId::from(self.thunks.len());
        self.thunks.push(def);
        self.imported[id.index()] = Some(copy);
        copy
    }

    fn fresh_name(&mut self, mut name: Name) -> Name {
        while !self.names.insert(name.clone()) {
            name = format!("{name}'").into();
        }
        name
    }
}

fn name_of(op: Op, ty: &str) -> String {
    format!("{op}_{ty}")
}

/// Removes the spans of library code: they point into texts that the program does not have.
fn forget_spans(block: &mut Block) {
    for Stmt { kind, span } in &mut block.stmts {
        assert!(kind.site().is_none(), "thunks of the library do not fault");
        *span = Span::NONE;
        kind.blocks_mut().into_iter().for_each(forget_spans);
    }
}
