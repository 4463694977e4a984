//! Prints thunks: blocks and statements.

use super::fold::{Candidate, IN_RESULTS, IN_STATEMENT, Stack, depth, fold};
use super::lines::{Lines, binders, commas};
use super::literal::literal;
use super::names::Namer;
use super::types::ValueNames;
use super::{Printer, item};
use crate::id::{LocalId, PrivateId, ValueId};
use crate::scalar::ScalarType;
use crate::thunk::{Atom, Block, StmtKind, Thunk, ThunkPart};

/// The scope that a kernel gives to its thunks.
pub(super) struct Around<'a> {
    pub values: &'a ValueNames<'a>,
    /// For each value the level at which a combinator bound it.
    pub levels: &'a [Option<usize>],
}

/// Prints one thunk.
pub(super) struct ThunkPrinter<'p, 'a> {
    pub printer: &'p mut Printer<'a>,
    pub namer: &'p mut Namer,
    pub around: Option<&'p Around<'p>>,
    pub thunk: &'p Thunk,
    /// Number of uses of each local.
    uses: Vec<usize>,
    locals: Vec<Option<String>>,
    privates: Vec<Option<String>>,
}

impl<'a> Printer<'a> {
    /// `thunk f(x: f32) -> f32 { … }`
    pub fn thunk(&mut self, index: usize) -> Lines {
        let def = &self.program.thunks[index];
        let name = self.thunks[index].clone();
        let mut namer = Namer::default();
        let mut printer = ThunkPrinter::new(self, &mut namer, None, &def.thunk);
        let types = def.thunk.locals.iter().map(|local| local.ty);
        let params: Vec<String> =
            printer.params().iter().zip(types).map(|(name, ty)| format!("{name}: {ty}")).collect();
        let places: Vec<_> = def.results.iter().copied().map(Some).collect();
        let body = printer.statements(&def.thunk.body, &places);
        let results: Vec<String> = def.results.iter().map(|ty| ty.to_string()).collect();
        let results = match results.as_slice() {
            [] => String::new(),
            [result] => format!("-> {result} "),
            results => format!("-> ({}) ", commas(results)),
        };
        let mut lines = Lines::default();
        lines.braces(&format!("thunk {name}({}) {results}", commas(&params)), body, "");
        lines
    }
}

impl<'p, 'a> ThunkPrinter<'p, 'a> {
    pub fn new(
        printer: &'p mut Printer<'a>,
        namer: &'p mut Namer,
        around: Option<&'p Around<'p>>,
        thunk: &'p Thunk,
    ) -> ThunkPrinter<'p, 'a> {
        let mut uses = vec![0; thunk.locals.len()];
        count_uses(&thunk.body, &mut |local| {
            if let Some(count) = uses.get_mut(local.index()) {
                *count += 1;
            }
        });
        let (locals, privates) = (vec![None; thunk.locals.len()], vec![None; thunk.privates.len()]);
        ThunkPrinter { printer, namer, around, thunk, uses, locals, privates }
    }

    /// Names the parameters; `_` for one that is never used, nor needed as a coordinate of a read.
    pub fn params(&mut self) -> Vec<String> {
        let coordinates = self.coordinates_used();
        let count = self.thunk.n_params.min(self.thunk.locals.len());
        let mut names = Vec::new();
        for index in 0..count {
            let used = self.uses[index] > 0 || index < coordinates;
            let hidden = !used && self.thunk.locals[index].name.is_empty();
            names.push(if hidden { "_".to_owned() } else { self.bind(LocalId::from(index)) });
        }
        names
    }

    /// Number of leading coordinates needed to write the reads of earlier combinators.
    fn coordinates_used(&self) -> usize {
        let mut most = 0;
        self.thunk.body.walk(&mut |stmt| {
            stmt.kind.for_each_part(&mut |part| {
                if let ThunkPart::Earlier(bind) = part {
                    most = most.max(self.level(*bind));
                }
            });
        });
        most
    }

    /// The level at which a combinator bound a value.
    pub fn level(&self, bind: ValueId) -> usize {
        let levels = self.around.map_or(&[][..], |around| around.levels);
        levels.get(bind.index()).copied().flatten().unwrap_or(0)
    }

    /// Gives a local its name.
    pub fn bind(&mut self, local: LocalId) -> String {
        let name = self.thunk.locals.get(local.index()).map_or("", |local| &local.name);
        let text = self.namer.fresh(name, local.index());
        if let Some(place) = self.locals.get_mut(local.index()) {
            *place = Some(text.clone());
        }
        text
    }

    /// Names the locals that a statement binds; `_` for a nameless one that is not used.
    fn bind_all(&mut self, dsts: &[LocalId]) -> Vec<String> {
        let bind = |dst: &LocalId| {
            let unnamed = self.thunk.locals.get(dst.index()).is_some_and(|local| local.name.is_empty());
            let unused = self.uses.get(dst.index()) == Some(&0);
            if unnamed && unused { "_".to_owned() } else { self.bind(*dst) }
        };
        dsts.iter().map(bind).collect()
    }

    pub fn bind_private(&mut self, private: PrivateId) -> String {
        let name = self.thunk.privates.get(private.index()).map_or("", |private| &private.name);
        let text = self.namer.fresh(name, private.index());
        if let Some(place) = self.privates.get_mut(private.index()) {
            *place = Some(text.clone());
        }
        text
    }

    pub fn private(&self, private: PrivateId) -> String {
        let bound = self.privates.get(private.index()).and_then(Option::as_ref);
        bound.cloned().unwrap_or_else(|| format!("%{}", private.0))
    }

    pub fn local(&self, local: LocalId) -> String {
        let bound = self.locals.get(local.index()).and_then(Option::as_ref);
        bound.cloned().unwrap_or_else(|| format!("%{}", local.0))
    }

    pub fn local_type(&self, local: LocalId) -> Option<ScalarType> {
        self.thunk.locals.get(local.index()).map(|local| local.ty)
    }

    /// The name of a value of the kernel.
    pub fn value(&self, value: ValueId) -> String {
        self.around.map_or_else(|| format!("%{}", value.0), |around| around.values.name(value))
    }

    /// The type of one element of a value of the kernel.
    pub fn element(&self, value: ValueId) -> Option<ScalarType> {
        self.around?.values.ty_of(value)?.as_array().map(|array| array.elem)
    }

    pub fn atom(&self, atom: Atom, place: Option<ScalarType>) -> String {
        match atom {
            Atom::Local(local) => self.local(local),
            Atom::Const(scalar) => literal(scalar, place),
            Atom::Value(value) => self.value(value),
        }
    }

    pub fn atom_type(&self, atom: Atom) -> Option<ScalarType> {
        match atom {
            Atom::Local(local) => self.local_type(local),
            Atom::Const(scalar) => Some(scalar.ty()),
            Atom::Value(value) => self.around?.values.ty_of(value)?.as_scalar(),
        }
    }

    /// A block in its own scope.
    pub fn block(&mut self, block: &Block, places: &[Option<ScalarType>]) -> Lines {
        self.namer.open();
        let lines = self.statements(block, places);
        self.namer.close();
        lines
    }

    /// Statements and results of a block.
    pub fn statements(&mut self, block: &Block, places: &[Option<ScalarType>]) -> Lines {
        let mut lines = Lines::default();
        let mut stack = Stack::default();
        for stmt in &block.stmts {
            let kind = &stmt.kind;
            let operands = self.operands_of(kind);
            let folded = fold(&operands, &mut stack, IN_STATEMENT);
            let candidate = self.candidate(kind);
            if candidate.is_none() || stack.holds_any(&operands) {
                self.flush(&mut stack, &mut lines);
            }
            match candidate {
                Some(dst) => stack.push(Candidate {
                    id: dst.index(),
                    text: self.expression(kind, &folded),
                    loose: is_loose(kind),
                    infix: self.infix(kind, &folded),
                    depth: depth(&folded),
                }),
                None => self.stmt(kind, &folded, &mut lines),
            }
        }
        let operands: Vec<Option<usize>> = block.results.iter().map(|&atom| local_of(atom)).collect();
        let folded = fold(&operands, &mut stack, IN_RESULTS);
        self.flush(&mut stack, &mut lines);
        if !block.results.is_empty() {
            let texts: Vec<String> = (block.results.iter().zip(&folded).enumerate())
                .map(|(position, (&atom, folded))| match folded {
                    Some(candidate) => candidate.text.clone(),
                    None => self.atom(atom, places.get(position).copied().flatten()),
                })
                .collect();
            lines.push(commas(&texts));
        }
        lines
    }

    /// The operands of a statement that may be nested expressions.
    fn operands_of(&self, kind: &StmtKind) -> Vec<Option<usize>> {
        // The size of a private array is a literal or a name.
        let foldable = !matches!(kind, StmtKind::PrivateNew { .. });
        kind.atoms().into_iter().map(|atom| local_of(atom).filter(|_| foldable)).collect()
    }

    /// The local that the statement binds, if it may be folded.
    fn candidate(&self, kind: &StmtKind) -> Option<LocalId> {
        let folds = match kind {
            StmtKind::Op { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateGet { .. } => true,
            StmtKind::Threefry { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => false,
        };
        match kind.dsts() {
            [dst] if folds => {
                let unnamed = self.thunk.locals.get(dst.index()).is_some_and(|local| local.name.is_empty());
                (unnamed && self.uses.get(dst.index()) == Some(&1)).then_some(*dst)
            }
            _ => None,
        }
    }

    /// Candidates that are not folded become statements.
    fn flush(&mut self, stack: &mut Stack, lines: &mut Lines) {
        for candidate in stack.drain() {
            let name = self.bind(LocalId::from(candidate.id));
            lines.push(format!("{name} = {}", candidate.text));
        }
    }

    fn stmt(&mut self, kind: &StmtKind, folded: &[Option<Candidate>], lines: &mut Lines) {
        match kind {
            StmtKind::If { dsts, then, otherwise, .. } => {
                let head = format!("if {} ", self.condition(kind, folded));
                let names = self.bind_all(dsts);
                self.namer.release(&names);
                let first = self.block(then, &[]);
                let places: Vec<_> = then.results.iter().map(|&atom| self.atom_type(atom)).collect();
                let second = self.block(otherwise, &places);
                self.take(names.clone());
                branches(&format!("{}{head}", binders(&names)), first, second, lines);
            }
            StmtKind::For { dsts, var, carried, body, .. } => {
                let (from, to, inits) = self.loop_heads(kind, folded);
                let names = self.bind_all(dsts);
                self.namer.release(&names);
                self.namer.open();
                let var = self.bind_all(&[*var]).concat();
                let carried = self.carried(carried, &inits);
                let body = self.block(body, &self.types(dsts));
                self.namer.close();
                self.take(names.clone());
                let head = format!("{}for {var} in {from}..{to} with ({carried}) ", binders(&names));
                lines.braces(&head, body, "");
            }
            StmtKind::While { dsts, carried, cond, body } => {
                let (_, _, inits) = self.loop_heads(kind, folded);
                let names = self.bind_all(dsts);
                self.namer.release(&names);
                self.namer.open();
                let carried = self.carried(carried, &inits);
                let cond = self.block(cond, &[Some(ScalarType::Bool)]);
                let body = self.block(body, &self.types(dsts));
                self.namer.close();
                self.take(names.clone());
                two_blocks(&format!("{}while ({carried}) ", binders(&names)), " do ", cond, body, lines);
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
            | StmtKind::Check { .. } => {
                let expression = self.expression(kind, folded);
                let names = self.bind_all(kind.dsts());
                lines.push(format!("{}{expression}", binders(&names)));
            }
        }
    }

    fn take(&mut self, names: Vec<String>) {
        for name in names.into_iter().filter(|name| name != "_") {
            self.namer.take(name);
        }
    }

    fn types(&self, locals: &[LocalId]) -> Vec<Option<ScalarType>> {
        locals.iter().map(|&local| self.local_type(local)).collect()
    }

    fn carried(&mut self, carried: &[crate::thunk::Carried], inits: &[String]) -> String {
        let mut texts = Vec::new();
        for (one, init) in carried.iter().zip(inits) {
            texts.push(format!("{} = {init}", self.bind_all(&[one.local]).concat()));
        }
        commas(&texts)
    }

    pub fn callee(&self, thunk: crate::id::ThunkId) -> String {
        item(&self.printer.thunks, thunk.index())
    }
}

/// `if c { … } else { … }`: both blocks on one line, or both over several. An empty `else` is left out.
pub(super) fn branches(head: &str, then: Lines, otherwise: Lines, lines: &mut Lines) {
    if otherwise.is_empty() {
        return lines.braces(head, then, "");
    }
    two_blocks(head, " else ", then, otherwise, lines);
}

fn two_blocks(head: &str, between: &str, first: Lines, second: Lines, lines: &mut Lines) {
    if let (Some(one), Some(two)) = (first.inline(), second.inline()) {
        let text = format!("{head}{{{one}}}{between}{{{two}}}");
        if text.len() <= 88 {
            return lines.push(text);
        }
    }
    let keep_first = between == " do " && first.inline().is_some_and(|one| head.len() + one.len() <= 80);
    if keep_first {
        let one = first.inline().unwrap_or_default();
        return lines.block(&format!("{head}{{{one}}}{between}"), second, "");
    }
    lines.push(format!("{head}{{"));
    lines.indented(first);
    lines.push(format!("}}{between}{{"));
    lines.indented(second);
    lines.push("}".to_owned());
}

pub(super) fn local_of(atom: Atom) -> Option<usize> {
    match atom {
        Atom::Local(local) => Some(local.index()),
        Atom::Const(_) | Atom::Value(_) => None,
    }
}

/// True if an expression needs parentheses as an operand.
fn is_loose(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Op { .. } | StmtKind::Len { .. } | StmtKind::Start { .. } => true,
        StmtKind::Read { default, .. } | StmtKind::Window { default, .. } => default.is_some(),
        StmtKind::Threefry { .. }
        | StmtKind::Own { .. }
        | StmtKind::Call { .. }
        | StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => false,
    }
}

/// Calls `visit` on every use of a local.
fn count_uses(block: &Block, visit: &mut dyn FnMut(LocalId)) {
    let mut atoms = |atoms: &[Atom]| {
        for atom in atoms {
            if let Atom::Local(local) = atom {
                visit(*local);
            }
        }
    };
    block.walk(&mut |stmt| {
        atoms(&stmt.kind.atoms());
        for inner in stmt.kind.blocks() {
            atoms(&inner.results);
        }
    });
    atoms(&block.results);
}
