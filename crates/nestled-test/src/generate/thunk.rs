//! Generation of thunks: straight-line code and named thunks. Control flow and reads have files of their own.

use super::class::Class;
use super::expr::{self, Code, Known};
use super::random::Random;
use super::size::Size;
use super::surroundings::Surroundings;
use nestled_ir::{
    Atom, Block, Local, LocalId, Op, Private, PrivateId, Scalar, ScalarType, SiteId, Span, Stmt, StmtKind,
    Thunk, ThunkDef, ThunkId,
};

/// A site without a number; numbers are given when the program is complete.
pub const SITE: SiteId = SiteId(0);

/// Facts about a named thunk, for its callers.
#[derive(Clone, Debug)]
pub struct ThunkFacts {
    /// Its parameters; results are computed for arguments in these classes.
    pub params: Vec<(ScalarType, Class)>,
    /// Its results.
    pub results: Vec<(ScalarType, Class)>,
}

/// A private array in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrivateFacts {
    pub id: PrivateId,
    pub elem: ScalarType,
    pub size: i64,
}

/// A thunk that is being written.
pub struct ThunkCode<'a> {
    pub(super) random: Random,
    pub(super) size: Size,
    pub(super) thunks: &'a [ThunkFacts],
    pub(super) around: &'a Surroundings,
    pub(super) guard: Option<nestled_ir::ValueId>,
    pub(super) scope: Vec<Known<Atom>>,
    pub(super) privates: Vec<PrivateFacts>,
    pub(super) may_fault: bool,
    pub(super) nest: usize,
    /// Nesting depth of reads with indices that may read in turn.
    pub(super) reading: usize,
    open: Vec<Vec<Stmt>>,
    thunk: Thunk,
}

impl Code for ThunkCode<'_> {
    type Atom = Atom;

    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    fn literal(&self, value: Scalar) -> Atom {
        Atom::Const(value)
    }

    fn emit(&mut self, op: Op, args: Vec<Atom>, ty: ScalarType) -> Atom {
        let dst = self.local(ty);
        self.push(StmtKind::Op { dst, op, args });
        Atom::Local(dst)
    }

    fn known(&mut self, ty: ScalarType) -> Option<Known<Atom>> {
        if self.random.chance(30)
            && let Some(read) = self.fetch(ty)
        {
            return Some(read);
        }
        let scope: Vec<Known<Atom>> = self.scope.iter().copied().filter(|known| known.ty == ty).collect();
        if scope.is_empty() {
            return self.fetch(ty);
        }
        Some(*self.random.pick(&scope))
    }

    fn remember(&mut self, known: Known<Atom>) {
        self.scope.push(known);
    }
}

impl<'a> ThunkCode<'a> {
    /// A thunk with these parameters.
    pub fn new(
        random: Random,
        size: Size,
        thunks: &'a [ThunkFacts],
        around: &'a Surroundings,
        params: &[(ScalarType, Class)],
    ) -> ThunkCode<'a> {
        let mut code = ThunkCode {
            random,
            size,
            thunks,
            around,
            guard: None,
            scope: around.scalars.clone(),
            privates: Vec::new(),
            may_fault: true,
            nest: 0,
            reading: 0,
            open: vec![Vec::new()],
            thunk: Thunk { n_params: params.len(), ..Thunk::default() },
        };
        for &(ty, class) in params {
            let local = code.local(ty);
            code.remember(Known { atom: Atom::Local(local), ty, class });
        }
        code
    }

    /// Number of coordinates or parameters.
    pub(super) fn level(&self) -> usize {
        self.thunk.n_params
    }

    /// The own coordinate along an axis.
    pub(super) fn coordinate(&self, axis: usize) -> Known<Atom> {
        self.scope[self.around.scalars.len() + axis]
    }

    pub(super) fn local(&mut self, ty: ScalarType) -> LocalId {
        let name = if self.random.chance(40) { *self.random.pick(&["x", "y", "acc", "t'"]) } else { "" };
        self.thunk.locals.push(Local { name: name.into(), ty });
        LocalId::from(self.thunk.locals.len() - 1)
    }

    pub(super) fn private(&mut self, elem: ScalarType) -> PrivateId {
        self.thunk.privates.push(Private { name: "table".into(), elem });
        PrivateId::from(self.thunk.privates.len() - 1)
    }

    pub(super) fn push(&mut self, kind: StmtKind) {
        self.open.last_mut().expect("a block is open").push(Stmt { kind, span: Span::NONE });
    }

    /// A new local of a class, in scope.
    pub(super) fn bind(&mut self, ty: ScalarType, class: Class) -> LocalId {
        let local = self.local(ty);
        self.remember(Known { atom: Atom::Local(local), ty, class });
        local
    }

    /// Writes a block; its bindings go out of scope after it.
    pub(super) fn block(
        &mut self,
        write: impl FnOnce(&mut Self) -> Vec<Known<Atom>>,
    ) -> (Block, Vec<Known<Atom>>) {
        let (scope, privates) = (self.scope.len(), self.privates.len());
        self.open.push(Vec::new());
        self.nest += 1;
        let results = write(self);
        self.nest -= 1;
        self.scope.truncate(scope);
        self.privates.truncate(privates);
        let stmts = self.open.pop().expect("it was opened above");
        (Block { stmts, results: results.iter().map(|known| known.atom).collect() }, results)
    }

    /// Adds some statements.
    pub fn grow(&mut self) {
        for _ in 0..self.random.below(self.size.thunk + 1) {
            self.statement();
        }
    }

    /// Ends the thunk.
    pub fn finish(mut self, results: &[Known<Atom>]) -> Thunk {
        let stmts = self.open.pop().expect("the body is open");
        self.thunk.body = Block { stmts, results: results.iter().map(|known| known.atom).collect() };
        self.thunk
    }

    fn statement(&mut self) {
        let nested = usize::from(self.nest < 2);
        match self.random.weighted(&[5, 3, 6, 1, 3 * nested, 2 * nested, nested, 1, 1, 1]) {
            0 => drop(self.read()),
            1 => drop(self.own()),
            2 => self.window(),
            3 => self.length(),
            4 => self.branch(),
            5 => self.counted(),
            6 => self.repeat(),
            7 => self.private_access(),
            8 => self.check(),
            _ => self.call_or_threefry(),
        }
    }

    fn check(&mut self) {
        if self.may_fault {
            let percent = self.size.faults * 3;
            let cond = expr::likely(self, percent).atom;
            let code = *self.random.pick(&["E1", "out of luck", "\"quoted\"\n"]);
            self.push(StmtKind::Check { cond, code: code.into(), site: SITE });
        }
    }

    fn call_or_threefry(&mut self) {
        if self.thunks.is_empty() || self.random.chance(25) {
            self.threefry();
        } else {
            let thunk = self.random.below(self.thunks.len());
            self.call(ThunkId::from(thunk));
        }
    }

    fn threefry(&mut self) {
        let mut word = || expr::want(self, ScalarType::U32, 1).atom;
        let (key, counter) = ([word(), word()], [word(), word()]);
        let dsts = [self.bind(ScalarType::U32, Class::Any), self.bind(ScalarType::U32, Class::Any)];
        self.push(StmtKind::Threefry { dsts, key, counter });
    }

    /// Calls a named thunk, which must not be one that may fault if this one may not.
    pub(super) fn call(&mut self, thunk: ThunkId) {
        let facts = self.thunks[thunk.index()].clone();
        let args = facts.params.iter().map(|&(ty, class)| expr::want_in(self, ty, class, 1).atom).collect();
        let dsts = facts.results.iter().map(|&(ty, class)| self.bind(ty, class)).collect();
        self.push(StmtKind::Call { dsts, thunk, args });
    }
}

/// A named thunk of the kind that any thunk may call.
pub fn named(
    random: &mut Random,
    size: Size,
    earlier: &[ThunkFacts],
    may_fault: bool,
) -> (ThunkDef, ThunkFacts) {
    let around = Surroundings::default();
    let types = |random: &mut Random, least: usize| -> Vec<(ScalarType, Class)> {
        let n = least + random.below(3);
        (0..n).map(|_| expr::random_type(random)).map(|ty| (ty, Class::base(ty))).collect()
    };
    let (params, wanted) = (types(random, 0), types(random, 1));
    let mut code = ThunkCode::new(random.fork(), size, earlier, &around, &params);
    code.may_fault = may_fault;
    code.grow();
    let results: Vec<Known<Atom>> =
        wanted.iter().map(|&(ty, _)| expr::want(&mut code, ty, size.depth)).collect();
    let facts = ThunkFacts { params, results: results.iter().map(|known| (known.ty, known.class)).collect() };
    let def = ThunkDef {
        name: format!("t{}", earlier.len()).into(),
        results: results.iter().map(|known| known.ty).collect(),
        thunk: code.finish(&results),
        span: Span::NONE,
    };
    (def, facts)
}
