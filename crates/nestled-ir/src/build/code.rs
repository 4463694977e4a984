//! Builder of thunk code: appends statements to the innermost open block and infers their types.

use super::program::{ProgramBuilder, type_in};
use crate::id::{LocalId, PrivateId, SiteId, ThunkId, ValueId};
use crate::name::{Name, Value};
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::thunk::{Atom, Block, Carried, Index, Local, Private, Stmt, StmtKind, Thunk};

/// The code of one thunk: of a named one, or of the body of a combinator.
#[derive(Debug)]
pub struct CodeBuilder {
    /// The values of the kernel around the code; none around a named thunk.
    pub(super) values: Vec<Value>,
    thunk: Thunk,
    /// The statements of the blocks that are open, the outermost first.
    blocks: Vec<Vec<Stmt>>,
    /// The source place given to the statements that follow.
    pub span: Span,
}

impl CodeBuilder {
    /// The code of a named thunk with parameters of these types.
    pub fn new(params: &[ScalarType], span: Span) -> CodeBuilder {
        let mut code = CodeBuilder { values: Vec::new(), thunk: Thunk::default(), blocks: Vec::new(), span };
        code.begin(params.iter().map(|&ty| Local { name: Name::from("p"), ty }).collect());
        code
    }

    /// Begins anew, with these parameters.
    pub(super) fn begin(&mut self, params: Vec<Local>) {
        let n_params = params.len();
        self.thunk = Thunk { locals: params, n_params, ..Thunk::default() };
        self.blocks = vec![Vec::new()];
    }

    /// Ends the thunk.
    pub fn finish(&mut self, results: Vec<Atom>) -> Thunk {
        debug_assert_eq!(self.blocks.len(), 1, "every block that was opened is closed");
        let body = self.close(results);
        Thunk { body, ..std::mem::take(&mut self.thunk) }
    }

    /// The parameters, which in a kernel are the coordinates.
    pub fn params(&self) -> Vec<Atom> {
        self.thunk.params().map(Atom::Local).collect()
    }

    /// The type of an operand.
    pub fn ty(&self, atom: Atom) -> ScalarType {
        type_in(&self.values, &self.thunk, atom)
    }

    /// A fresh scalar that some statement is to bind.
    pub fn local(&mut self, name: &str, ty: ScalarType) -> LocalId {
        self.thunk.locals.push(Local { name: Name::from(name), ty });
        LocalId::from(self.thunk.locals.len() - 1)
    }

    /// A private array that is there when the code begins, and leaves when it ends: in a `serial` there is one for each base.
    pub fn given(&mut self, name: &str, elem: ScalarType) -> PrivateId {
        debug_assert_eq!(
            self.thunk.n_given,
            self.thunk.privates.len(),
            "what is given comes before other private arrays"
        );
        self.thunk.privates.push(Private { name: Name::from(name), elem });
        self.thunk.n_given += 1;
        PrivateId::from(self.thunk.privates.len() - 1)
    }

    fn locals(&mut self, types: impl IntoIterator<Item = ScalarType>) -> Vec<LocalId> {
        types.into_iter().map(|ty| self.local("", ty)).collect()
    }

    /// A statement in the innermost open block.
    pub fn push(&mut self, kind: StmtKind) {
        let stmt = Stmt { kind, span: self.span };
        self.blocks.last_mut().expect("a thunk is being written").push(stmt);
    }

    /// A statement that binds one scalar.
    fn bind(&mut self, ty: ScalarType, kind: impl FnOnce(LocalId) -> StmtKind) -> Atom {
        let dst = self.local("", ty);
        self.push(kind(dst));
        Atom::Local(dst)
    }

    /// Number of open blocks; 1 in the block of the thunk itself.
    pub fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// A scalar operation.
    pub fn op(&mut self, op: Op, args: &[Atom]) -> Atom {
        let types: Vec<ScalarType> = args.iter().map(|&arg| self.ty(arg)).collect();
        let ty = op.result_type(&types).unwrap_or_else(|error| panic!("{op:?} of {types:?}: {error:?}"));
        self.bind(ty, |dst| StmtKind::Op { dst, op, args: args.to_vec() })
    }

    /// A scalar operation, done here and now if its operands are literals.
    pub fn folded(&mut self, op: Op, args: &[Atom]) -> Atom {
        let literal = |arg: &Atom| match arg {
            Atom::Const(scalar) => Some(*scalar),
            Atom::Local(_) | Atom::Value(_) => None,
        };
        match args.iter().map(literal).collect::<Option<Vec<Scalar>>>() {
            Some(known) => Atom::Const(crate::interp::eval_op(op, &known)),
            None => self.op(op, args),
        }
    }

    /// A value as one of another type; itself if it is of that type.
    pub fn convert(&mut self, atom: Atom, ty: ScalarType) -> Atom {
        if self.ty(atom) == ty { atom } else { self.folded(Op::Convert(ty), &[atom]) }
    }

    /// Two words of random bits.
    pub fn threefry(&mut self, key: [Atom; 2], counter: [Atom; 2]) -> [Atom; 2] {
        let dsts = [self.local("", ScalarType::U32), self.local("", ScalarType::U32)];
        self.push(StmtKind::Threefry { dsts, key, counter });
        dsts.map(Atom::Local)
    }

    /// The type of the elements of a value of the kernel.
    fn elem(&self, array: ValueId) -> ScalarType {
        self.values[array.index()].ty.as_array().unwrap_or_else(|| panic!("{array:?} has no elements")).elem
    }

    /// An element of an array parameter. `default` goes with the rule `else`, `site` with the rule `fault`.
    pub fn read(
        &mut self,
        array: ValueId,
        index: Vec<Index>,
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Atom {
        self.bind(self.elem(array), |dst| StmtKind::Read { dst, array, index, default, site })
    }

    /// The value that an earlier combinator computed at the own coordinates: a register read.
    pub fn own(&mut self, bind: ValueId) -> Atom {
        self.bind(self.elem(bind), |dst| StmtKind::Own { dst, bind })
    }

    /// The length of a segment.
    pub fn len(&mut self, seg: ValueId, at: &[Atom]) -> Atom {
        self.bind(ScalarType::Idx, |dst| StmtKind::Len { dst, seg, at: at.to_vec() })
    }

    /// Number of elements before a segment.
    pub fn start(&mut self, seg: ValueId, at: &[Atom]) -> Atom {
        self.bind(ScalarType::Idx, |dst| StmtKind::Start { dst, seg, at: at.to_vec() })
    }

    /// Calls a named thunk; all its results.
    pub fn call(&mut self, program: &ProgramBuilder, thunk: ThunkId, args: &[Atom]) -> Vec<Atom> {
        let dsts = self.locals(program.program().thunk(thunk).results.iter().copied());
        self.push(StmtKind::Call { dsts: dsts.clone(), thunk, args: args.to_vec() });
        dsts.into_iter().map(Atom::Local).collect()
    }

    /// The code of a thunk that needs nothing but its parameters, in place of a call of it; its results.
    pub fn inline(&mut self, thunk: &Thunk, args: &[Atom]) -> Vec<Atom> {
        debug_assert!(thunk.privates.is_empty() && args.len() == thunk.n_params, "it takes just these");
        let mut names = args.to_vec();
        for local in &thunk.locals[thunk.n_params..] {
            names.push(Atom::Local(self.local(&local.name, local.ty)));
        }
        let mut body = thunk.body.clone();
        rename(&mut body, &names);
        self.blocks.last_mut().expect("a thunk is being written").append(&mut body.stmts);
        body.results
    }

    /// A fault where the condition does not hold.
    pub fn check(&mut self, cond: Atom, code: &str, site: SiteId) {
        self.push(StmtKind::Check { cond, code: Name::from(code), site });
    }

    /// Begins a block inside the one that is being written.
    pub fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Ends the block that was begun last.
    pub fn close(&mut self, results: Vec<Atom>) -> Block {
        Block { stmts: self.blocks.pop().expect("a block is open"), results }
    }

    /// An `if` of two blocks; its results.
    pub fn branch(&mut self, cond: Atom, then: Block, otherwise: Block) -> Vec<Atom> {
        let types: Vec<ScalarType> = then.results.iter().map(|&atom| self.ty(atom)).collect();
        let dsts = self.locals(types);
        self.push(StmtKind::If { dsts: dsts.clone(), cond, then, otherwise });
        dsts.into_iter().map(Atom::Local).collect()
    }

    /// A value that a loop is to carry.
    pub fn carried(&mut self, name: &str, init: Atom) -> Carried {
        Carried { local: self.local(name, self.ty(init)), init }
    }

    /// Emits a counted loop, over `from..to`; returns the carried values after the last round.
    pub fn for_loop(
        &mut self,
        var: LocalId,
        [from, to]: [Atom; 2],
        carried: Vec<Carried>,
        body: Block,
    ) -> Vec<Atom> {
        let dsts = self.after(&carried);
        self.push(StmtKind::For { dsts: dsts.clone(), var, from, to, carried, body });
        dsts.into_iter().map(Atom::Local).collect()
    }

    /// Emits a loop that runs as long as a condition holds; returns the carried values after the last round.
    pub fn while_loop(&mut self, carried: Vec<Carried>, cond: Block, body: Block) -> Vec<Atom> {
        let dsts = self.after(&carried);
        self.push(StmtKind::While { dsts: dsts.clone(), carried, cond, body });
        dsts.into_iter().map(Atom::Local).collect()
    }

    fn after(&mut self, carried: &[Carried]) -> Vec<LocalId> {
        let types: Vec<ScalarType> = carried.iter().map(|one| self.thunk.local_type(one.local)).collect();
        self.locals(types)
    }
}

/// Substitutes an operand for each local of a block.
fn rename(block: &mut Block, names: &[Atom]) {
    let operand = |atom: &mut Atom| {
        if let Atom::Local(local) = *atom {
            *atom = names[local.index()];
        }
    };
    for stmt in &mut block.stmts {
        stmt.kind.for_each_atom(&mut |atom| operand(atom));
        stmt.kind.for_each_local(&mut |local| {
            if let Atom::Local(name) = names[local.index()] {
                *local = name;
            }
        });
        stmt.kind.blocks_mut().into_iter().for_each(|block| rename(block, names));
    }
    block.results.iter_mut().for_each(operand);
}
