//! Program splitting inside a combinator: a combinator over the limits becomes several, one after another, for the cut between kernels to choose from.
//!
//! ```text
//! y = map { i => add (add (add a[i] b[i]) c[i]) d[i] }      t = map { i => add (add a[i] b[i]) c[i] }
//!                                                           y = map { i => add t[i] d[i] }
//! ```
//!
//! All pieces are `map`s at the points of the combinator, but for the last, which is the combinator itself on what they have computed. Operations and their order stay. A lane that
//! stops in a piece must do nothing more, and all its results must be zero. So a piece in which a lane may stop also gives `true`, which a stop turns into zero like any result; and
//! pieces that could stop in turn, or give results, run only where it is `true`: a scatter by its guard, the others by an `if` with zeros on its other side.

use super::dataflow::Dataflow;
use super::graph::Graph;
use super::kept::Kept;
use super::pieces::{Piece, pieces};
use super::stops::Stops;
use crate::limits::Limits;
use nestled_ir::typing::{Scope, combinator_types};
use nestled_ir::{
    Atom, Block, Combinator, CombinatorKind, Kernel, Local, LocalId, Name, Scalar, ScalarType, Span, Stmt,
    StmtKind, Thunk, Type, Value, ValueId,
};
use std::collections::{BTreeSet, HashMap};

/// Replaces a combinator of a kernel by its pieces; returns how many there are now.
pub fn refine(kernel: &mut Kernel, at: usize, limits: &Limits, kept: &Kept, stops: &Stops<'_>) -> usize {
    let whole = kernel.clone();
    let step = &whole.steps[at];
    let graph = Graph::of(&whole);
    let flow = Dataflow::of(&graph, step, kept, stops);
    let pieces = pieces(&graph, &flow, limits);
    if pieces.len() < 2 {
        return 1;
    }
    let mut maker = Maker { kernel, flow: &flow, values: HashMap::new(), alive: None };
    let steps: Vec<Combinator> = pieces.iter().map(|piece| maker.combinator(piece)).collect();
    kernel.steps.splice(at..=at, steps);
    pieces.len()
}

/// True if a combinator can be cut at all.
pub fn can_refine(step: &Combinator) -> bool {
    match step.kind {
        CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. } => true,
        CombinatorKind::Serial { .. } => false,
    }
}

/// Makes the combinators of the pieces, in order.
struct Maker<'a> {
    kernel: &'a mut Kernel,
    flow: &'a Dataflow<'a>,
    /// For each scalar that earlier pieces have computed: the value that holds it at each point.
    values: HashMap<LocalId, ValueId>,
    /// The value that is true where no lane has stopped.
    alive: Option<ValueId>,
}

impl Maker<'_> {
    fn combinator(&mut self, piece: &Piece) -> Combinator {
        let step = self.flow.step;
        let is_rest = !self.flow.apart && piece.units.contains(&(self.flow.units.len() - 1));
        let (mut binds, results) =
            if is_rest { (step.binds.clone(), step.body.body.results.clone()) } else { self.results(piece) };
        let kind = if is_rest { step.kind.clone() } else { CombinatorKind::Map };
        let mut body = self.body(piece, results);
        if piece.tells {
            body.body.results.push(Atom::Const(Scalar::Bool(true)));
        }
        let mut guard = step.guard;
        match self.alive.filter(|_| piece.asks) {
            Some(alive) if matches!(kind, CombinatorKind::Permute { .. }) => guard = Some(alive),
            Some(alive) => only_where(alive, &mut body, &self.kernel.values, step.span),
            None => {}
        }
        if piece.tells {
            let alive = self.value("alive".into(), step.span);
            binds.push(alive);
            self.alive = Some(alive);
        }
        let combinator = Combinator { binds, kind, guard, body, span: self.span(piece, is_rest) };
        if !is_rest {
            self.set_types(&combinator);
        }
        combinator
    }

    /// The results of a piece before the last: the values that bind them, and the scalars.
    fn results(&mut self, piece: &Piece) -> (Vec<ValueId>, Vec<Atom>) {
        let step = self.flow.step;
        let mut results: Vec<(ValueId, Atom)> = Vec::new();
        for local in self.left(piece) {
            if self.flow.result_of(local).is_none() {
                let name = &step.body.locals[local.index()].name;
                let name = if name.is_empty() { "t".into() } else { name.clone() };
                let bind = self.value(name, step.span);
                self.values.insert(local, bind);
                results.push((bind, Atom::Local(local)));
            }
        }
        for &position in piece.units.iter().flat_map(|&unit| &self.flow.units[unit].results) {
            let (bind, result) = (step.binds[position], step.body.body.results[position]);
            if let Atom::Local(local) = result {
                self.values.entry(local).or_insert(bind);
            }
            results.push((bind, result));
        }
        results.into_iter().unzip()
    }

    /// The scalars that a piece computes and others use.
    fn left(&self, piece: &Piece) -> BTreeSet<LocalId> {
        let inside = |local: &LocalId| {
            self.flow.maker[local.index()].is_some_and(|maker| piece.units.binary_search(&maker).is_ok())
        };
        let others = (0..self.flow.units.len()).filter(|unit| piece.units.binary_search(unit).is_err());
        let live = self.flow.live();
        let uses = others.filter(|&unit| live[unit]).flat_map(|unit| &self.flow.units[unit].uses);
        uses.copied().filter(inside).collect()
    }

    /// The code of a piece.
    fn body(&self, piece: &Piece, results: Vec<Atom>) -> Thunk {
        let Thunk { locals, privates, n_params, n_given, body } = &self.flow.step.body;
        let units = piece.units.iter().map(|&unit| &self.flow.units[unit]);
        let (mut positions, mut takes) = (BTreeSet::<usize>::new(), BTreeSet::new());
        for unit in units {
            positions.extend(unit.stmts.iter().chain(&unit.leaves));
            takes.extend(unit.uses.iter().filter(|local| {
                let maker = self.flow.maker[local.index()].expect("a unit computes it");
                piece.units.binary_search(&maker).is_err()
            }));
        }
        let own = |dst: &LocalId| Stmt {
            kind: StmtKind::Own { dst: *dst, bind: self.values[dst] },
            span: self.flow.step.span,
        };
        let taken = takes.iter().map(own);
        let stmts = taken.chain(positions.iter().map(|&at| body.stmts[at].clone())).collect();
        let mut thunk = Thunk {
            locals: locals.clone(),
            privates: privates.clone(),
            n_params: *n_params,
            n_given: *n_given,
            body: Block { stmts, results },
        };
        nestled_ir::compact::renumber_thunk(&mut thunk);
        thunk
    }

    /// The place in the source: of the only statement, or of the combinator.
    fn span(&self, piece: &Piece, is_rest: bool) -> Span {
        let step = self.flow.step;
        let mut stmts = piece.units.iter().flat_map(|&unit| &self.flow.units[unit].stmts);
        match (stmts.next(), stmts.next()) {
            (Some(&only), None) if !is_rest => step.body.body.stmts[only].span,
            _ => step.span,
        }
    }

    fn value(&mut self, name: Name, span: Span) -> ValueId {
        self.kernel.values.push(Value { name, ty: Type::Dim, span });
        ValueId::from(self.kernel.values.len() - 1)
    }

    fn set_types(&mut self, step: &Combinator) {
        let types = combinator_types(self.kernel, &step.kind, &step.body, &step.binds);
        for (bind, ty) in step.binds.iter().zip(types.expect("a map of what a thunk computed")) {
            self.kernel.values[bind.index()].ty = ty;
        }
    }
}

/// Runs the code of a thunk only where a value of an earlier combinator holds; elsewhere all results are zero.
fn only_where(alive: ValueId, thunk: &mut Thunk, values: &[Value], span: Span) {
    let scope = Scope::new(values);
    let types: Vec<ScalarType> = thunk
        .body
        .results
        .iter()
        .map(|&atom| scope.thunk_atom(thunk, atom).expect("a result is a scalar"))
        .collect();
    let then = std::mem::take(&mut thunk.body);
    let mut local = |ty: ScalarType| {
        thunk.locals.push(Local { name: "".into(), ty });
        LocalId::from(thunk.locals.len() - 1)
    };
    let cond = local(ScalarType::Bool);
    let dsts: Vec<LocalId> = types.iter().map(|&ty| local(ty)).collect();
    let zeros = types.into_iter().map(|ty| Atom::Const(Scalar::zero(ty))).collect();
    let otherwise = Block { stmts: Vec::new(), results: zeros };
    let results = dsts.iter().map(|&dst| Atom::Local(dst)).collect();
    let own = StmtKind::Own { dst: cond, bind: alive };
    let branch = StmtKind::If { dsts, cond: Atom::Local(cond), then, otherwise };
    let stmts = [own, branch].map(|kind| Stmt { kind, span });
    thunk.body = Block { stmts: stmts.into(), results };
}
