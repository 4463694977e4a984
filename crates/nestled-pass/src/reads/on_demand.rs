//! `on-demand`: demand-driven evaluation. An array that is expensive to make, and of which another kernel reads elements at computed positions, has two versions, chosen by the sizes
//! at run time: the array is stored, or it stays empty and each read computes its element.
//!
//! ```text
//! a = run heavy(xs)            ; over n          few = le (mul k 50) (mul n 74)      ; is it cheaper at the reads?
//! s = run pick(at, a)          ; over k          n1 = dim (select few 0 n)
//!                                                a = run heavy(xs)                   ; over n1: no points, or all
//!                                                s = run pick(at, a, few, xs)        ; `a[at[i]]` is `if few { heavy of xs[at[i]] } else { a[at[i]] }`
//! ```
//!
//! `inline` decides where an element costs no more than a read, or no read may fault and the extents are numbers of the program. Where they are, this pass decides at once. What is left are elements that are expensive enough to be worth storing
//! if each is read, and a waste if a thousand of ten million are. Both versions are in one kernel, so that nothing else changes: no region ends, and nothing waits for sizes that the host
//! knows.
//!
//! The kernel of the array holds maps over one grid that cannot fault, its array has no other reader, and that one reads it outside of loops. Reads that may fault are checked first, by
//! a read of an input of the same shape at the same site.
//!
//! Limits: arrays over segments are stored. So are those that are read over their own shape, since as many elements are then read as there are, and those made from arrays with two
//! versions. In functions that recur the sizes are often on the device, and to wait for them at each level would cost more than this saves.

use super::arms::Arms;
use super::consumer::{Candidate, Site, apply, sites, size};
use super::demand::known_points;
use super::function::captures;
use super::head::Head;
use super::rematerialised::Rematerialised;
use crate::facts::Facts;
use crate::inline_calls::Calls;
use crate::pass::{Pass, PassContext};
use crate::simplify::may_be_lost;
use crate::use_counts::use_counts;
use nestled_ir::typing::{Scope, Substitution};
use nestled_ir::{
    Atom, Axis, Combinator, CombinatorKind, Function, FunctionId, HostAtom, HostBlock, HostOp, HostStmt,
    Kernel, KernelId, Level, LocalId, Op, Program, Scalar, ScalarType, Shape, SiteId, Span, StmtKind, Type,
    Value, ValueId,
};
use std::collections::HashSet;
use std::rc::Rc;

/// The pass.
pub const PASS: Pass = Pass {
    name: "on-demand",
    summary: "expensive arrays are computed where they are read, if few of their elements are",
    changes_rounding: false,
    run: on_demand,
};

/// Least cost of an element, in additions: as much as writing it to memory and reading it back.
const LEAST: u32 = 24;
/// Cost of an element's place in memory: it is written once and read once.
const STORED: u32 = 24;
/// Greatest number of statements of the kernel that reads, with the code of the elements.
const MOST_STATEMENTS: usize = 600;

fn on_demand(program: &Program, _: &mut PassContext) -> Program {
    let facts = Facts::of(program);
    let calls = Calls::of(program);
    let mut next = program.clone();
    let mut functions = std::mem::take(&mut next.functions);
    for (position, function) in functions.iter_mut().enumerate() {
        if !calls.recurs(FunctionId::from(position)) {
            let (uses, lost) = (use_counts(function), may_be_lost(function, &facts));
            let mut body = std::mem::take(&mut function.body);
            let program = &mut next;
            Versions { facts: &facts, function, program, uses, lost, done: HashSet::new() }.block(&mut body);
            function.body = body;
        }
    }
    next.functions = functions;
    next
}

struct Versions<'a> {
    facts: &'a Facts,
    /// The function, without its body.
    function: &'a mut Function,
    /// The program, without its functions; new kernels and sites are added to it.
    program: &'a mut Program,
    uses: Vec<u32>,
    lost: Vec<bool>,
    /// The arrays that have two versions, and those made from them: their elements would be chains of versions.
    done: HashSet<ValueId>,
}

impl Versions<'_> {
    fn block(&mut self, block: &mut HostBlock) {
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
        let mut at = 0;
        while at < block.stmts.len() {
            let Some((maker, rewritten)) = self.rewritten(&block.stmts, at) else {
                at += 1;
                continue;
            };
            for old in [maker, at] {
                block.stmts[old].op.for_each_use(&mut |value| self.uses[value.index()] -= 1);
            }
            self.uses.resize(self.function.values.len(), 0);
            self.lost.resize(self.function.values.len(), true);
            for new in &rewritten {
                new.op.for_each_use(&mut |value| self.uses[value.index()] += 1);
            }
            block.stmts.remove(maker);
            // Where the reader stands now; it may read another such array.
            let n_new = rewritten.len();
            block.stmts.splice(at - 1..at, rewritten);
            at = at + n_new - 2;
        }
    }

    /// Finds an array that the run at a position reads and that may be left empty. Returns the position of the run that makes it, and the statements that replace both runs.
    fn rewritten(&mut self, stmts: &[HostStmt], at: usize) -> Option<(usize, Vec<HostStmt>)> {
        let HostOp::Run { args, .. } = &stmts[at].op else { return None };
        let arrays: Vec<ValueId> = args
            .iter()
            .filter_map(|arg| match arg {
                HostAtom::Value(value) if self.uses[value.index()] == 1 => Some(*value),
                HostAtom::Value(_) | HostAtom::Const(_) => None,
            })
            .collect();
        for array in arrays {
            let maker = stmts[..at].iter().rposition(|stmt| stmt.binds == [array]);
            if let Some(maker) = maker
                && !self.done.contains(&array)
                && let Some(rewritten) = self.versions(array, &stmts[maker], &stmts[at])
            {
                self.done.insert(array);
                self.done.extend(&stmts[at].binds);
                return Some((maker, rewritten));
            }
        }
        None
    }

    /// Returns the two runs with their versions, behind the statements that choose; `None` if the array is always stored.
    fn versions(&mut self, array: ValueId, maker: &HostStmt, reader: &HostStmt) -> Option<Vec<HostStmt>> {
        let HostOp::Run { kernel: made_by, shapes: made_shapes, args: made_args } = &maker.op else {
            return None;
        };
        let HostOp::Run { kernel: read_by, shapes, args } = &reader.op else { return None };
        let made_by = self.program.kernels[made_by.index()].clone();
        let element = self.element(&made_by)?;
        let mut choice =
            Choice { values: self.function.values.clone(), stmts: Vec::new(), span: reader.span };
        let (few, stored) = (choice.value(ScalarType::Bool), choice.extent());

        let mut head = Head {
            function: &choice.values,
            kernel: self.program.kernels[read_by.index()].clone(),
            shapes: shapes.clone(),
            args: args.clone(),
        };
        let at = args.iter().position(|arg| *arg == HostAtom::Value(array))?;
        let param = head.kernel.params[at];
        let array_type = self.function.values[array.index()].ty.clone();
        let made =
            Substitution::new(&made_by.shapes, made_shapes).ty(&made_by.values[made_by.ret[0].index()].ty);
        if made != array_type || head.host_type(&head.kernel.values[param.index()].ty) != array_type {
            return None;
        }
        let elements = array_type.as_array()?.shape.clone();
        let readers = readers(&head, param);
        let work = element.work.operations;
        let known = is_cheaper(&readers, &elements, work);
        let is_base = |step: &Combinator| step.kind.bases().contains(&param);
        if readers.is_empty()
            || readers.contains(&elements)
            || known == Some(false)
            || head.kernel.steps.iter().any(is_base)
        {
            return None;
        }
        let values = captures(&element, &made_by, (made_shapes, made_args), &self.lost, &mut head);
        let is_few = match known {
            Some(is_few) => Atom::Const(Scalar::Bool(is_few)),
            None => Atom::Value(head.value(few)),
        };
        let arms = Arms::of(&mut head, param, is_few)?;
        let element = Rc::new(element);
        let candidate = Candidate { param: arms.computed, arg: array, rematerialised: element, values };
        let found = sites(&head.kernel, std::slice::from_ref(&candidate), self.facts).pop()?;
        let n_stmts = candidate.rematerialised.thunk.body.stmts.len();
        if found.others > 0
            || found.possible.is_empty()
            || found.possible.iter().any(|site| site.in_loop || is_own(site))
            || size(&head.kernel) + n_stmts * found.possible.len() > MOST_STATEMENTS
        {
            return None;
        }
        apply(&mut head, &[(&candidate, &found.possible, true)]);
        if known.is_none() {
            let stored_axis = head.axis(Axis::Sym(stored));
            set_outer_axis(&mut head.kernel.values[param.index()].ty, stored_axis);
        }
        let Head { function: _, kernel, shapes, args } = head;
        let run = HostOp::Run { kernel: self.add(kernel), shapes, args };
        let reader = HostStmt { binds: reader.binds.clone(), op: run, span: reader.span };
        if known.is_some() {
            return Some(vec![maker.clone(), reader]);
        }

        let outer = elements.axes[0];
        choice.decide(few, &readers, elements, work);
        choice.outer_extent(stored, few, outer, self.site(maker.span));
        let mut maker = maker.clone();
        let mut made_by = made_by;
        let axis = ValueId::from(made_by.values.len());
        made_by.values.push(Value { name: "".into(), ty: Type::Dim, span: maker.span });
        made_by.shapes.push(axis);
        made_by.space[0] = Axis::Sym(axis);
        for bind in made_by.steps.iter().flat_map(|step| step.binds.clone()).collect::<Vec<_>>() {
            set_outer_axis(&mut made_by.values[bind.index()].ty, Axis::Sym(axis));
        }
        let mut made_shapes = made_shapes.clone();
        made_shapes.push(Axis::Sym(stored));
        maker.op = HostOp::Run { kernel: self.add(made_by), shapes: made_shapes, args: made_args.clone() };

        self.function.values = choice.values;
        set_outer_axis(&mut self.function.values[array.index()].ty, Axis::Sym(stored));
        choice.stmts.extend([maker, reader]);
        Some(choice.stmts)
    }

    /// Returns the code of an element of the one array that a kernel makes, if it is worth two versions.
    fn element(&self, kernel: &Kernel) -> Option<Rematerialised> {
        let level = Level(kernel.space.len());
        let is_map = |step: &Combinator| {
            step.kind == CombinatorKind::Map
                && step.guard.is_none()
                && step.level() == level
                && self.facts.is_removable(step)
        };
        let &[result] = kernel.ret.as_slice() else { return None };
        let is_grid = kernel.space.iter().all(|axis| match axis {
            Axis::Const(_) => true,
            Axis::Sym(symbol) => kernel.values[symbol.index()].ty == Type::Dim,
        });
        if kernel.space.is_empty() || !is_grid || !kernel.steps.iter().all(is_map) {
            return None;
        }
        let element = Rematerialised::of(kernel, result, self.facts)?;
        (element.work.operations > LEAST).then_some(element)
    }

    fn add(&mut self, kernel: Kernel) -> KernelId {
        self.program.kernels.push(kernel);
        KernelId::from(self.program.kernels.len() - 1)
    }

    fn site(&mut self, span: Span) -> SiteId {
        self.program.sites.push(span);
        SiteId::from(self.program.sites.len() - 1)
    }
}

/// The shapes of the points that read an array, one for each read in the text.
fn readers(head: &Head<'_>, array: ValueId) -> Vec<Shape> {
    let scope = Scope::new(head.function);
    let space = head.host_space();
    let mut readers = Vec::new();
    for step in &head.kernel.steps {
        step.body.body.walk(&mut |stmt| {
            if matches!(stmt.kind, StmtKind::Read { array: read, .. } if read == array) {
                readers.push(scope.level_shape(&space, step.level()));
            }
        });
    }
    readers
}

/// Returns whether computing elements at the points that read them is cheaper than making and storing all, where the program says how many there are.
fn is_cheaper(readers: &[Shape], elements: &Shape, work: u32) -> Option<bool> {
    let n_reads = readers
        .iter()
        .try_fold(0u64, |reads, shape| Some(reads.saturating_add(known_points(&shape.axes)?)))?;
    let n_elements = known_points(&elements.axes)?;
    let (at_reads, in_memory) = (u64::from(work), u64::from(work + STORED));
    // An array without elements has none to be computed.
    Some(n_elements > 0 && n_reads.saturating_mul(at_reads) <= n_elements.saturating_mul(in_memory))
}

/// Host code that chooses between the versions.
struct Choice {
    /// The values of the function, with new ones.
    values: Vec<Value>,
    stmts: Vec<HostStmt>,
    span: Span,
}

impl Choice {
    fn of_type(&mut self, ty: Type) -> ValueId {
        self.values.push(Value { name: "".into(), ty, span: self.span });
        ValueId::from(self.values.len() - 1)
    }

    fn value(&mut self, ty: ScalarType) -> ValueId {
        self.of_type(Type::dense(ty, Shape::SCALAR))
    }

    fn extent(&mut self) -> ValueId {
        self.of_type(Type::Dim)
    }

    fn bind(&mut self, bind: ValueId, op: HostOp) {
        self.stmts.push(HostStmt { binds: vec![bind], op, span: self.span });
    }

    fn scalar(&mut self, op: Op, args: [HostAtom; 2]) -> HostAtom {
        let bind = self.value(ScalarType::Idx);
        self.bind(bind, HostOp::Scalar { op, args: args.to_vec() });
        HostAtom::Value(bind)
    }

    fn points(&mut self, shape: Shape) -> HostAtom {
        let bind = self.extent();
        self.bind(bind, HostOp::Size { shape });
        HostAtom::Value(bind)
    }

    /// Binds whether computing elements at the points that read them is cheaper than making and storing all.
    fn decide(&mut self, few: ValueId, readers: &[Shape], elements: Shape, work: u32) {
        let cost = |cost: u32| HostAtom::Const(Scalar::Idx(i64::from(cost)));
        let mut n_reads = self.points(readers[0].clone());
        for shape in &readers[1..] {
            let more = self.points(shape.clone());
            n_reads = self.scalar(Op::Add, [n_reads, more]);
        }
        let n_elements = self.points(elements);
        let at_reads = self.scalar(Op::Mul, [n_reads, cost(work)]);
        let in_memory = self.scalar(Op::Mul, [n_elements, cost(work + STORED)]);
        self.bind(few, HostOp::Scalar { op: Op::Le, args: vec![at_reads, in_memory] });
    }

    /// Binds the extent of the stored array: none, or all.
    fn outer_extent(&mut self, stored: ValueId, few: ValueId, outer: Axis, site: SiteId) {
        let all = match outer {
            Axis::Sym(symbol) => HostAtom::Value(symbol),
            Axis::Const(extent) => HostAtom::Const(Scalar::Idx(i64::try_from(extent).unwrap_or(i64::MAX))),
        };
        let extent = self.value(ScalarType::Idx);
        let args = vec![HostAtom::Value(few), HostAtom::Const(Scalar::Idx(0)), all];
        self.bind(extent, HostOp::Scalar { op: Op::Select, args });
        self.bind(stored, HostOp::Dim { extent: HostAtom::Value(extent), site });
    }
}

/// True if a read is at the own coordinates: all points, or those of the outer levels.
fn is_own(site: &Site) -> bool {
    site.index.iter().enumerate().all(|(axis, index)| index.at == Atom::Local(LocalId::from(axis)))
}

fn set_outer_axis(ty: &mut Type, axis: Axis) {
    if let Type::Array(array) = ty {
        array.shape.axes[0] = axis;
    }
}
