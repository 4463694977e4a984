//! Code of a thunk for tiles: registers instead of locals, with calls and elementary functions inlined.
//!
//! Every register is assigned in one place, but for those that loops carry. A nested block knows which registers of the blocks around it are read in it: where only some
//! lanes run it, these are packed.

use crate::id::{LocalId, ThunkId, ValueId};
use crate::interp::math;
use crate::kernel::Kernel;
use crate::op::Op;
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::thunk::{Atom, Block, Carried, Index, Offset, Rule, Stmt, StmtKind, Thunk};
use crate::types::Type;
use std::collections::BTreeSet;

/// The most steps that a thunk may have.
const MOST_STEPS: usize = 1 << 13;

/// The most blocks and calls inside one another: compiling them takes room on the machine's stack.
const MOST_NESTING: usize = 100;

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Reg(pub usize);

/// The code of a thunk.
#[derive(Debug)]
pub(in crate::interp) struct Code {
    /// The types of the registers. First come the coordinates, then the position of the point at each level.
    pub(super) registers: Vec<ScalarType>,
    /// Registers that hold the same value in every lane: literals.
    pub(super) literals: Vec<(Reg, Scalar)>,
    /// Likewise, scalars of the kernel.
    pub(super) scalars: Vec<(Reg, ValueId)>,
    pub(super) body: Arm,
}

/// A block.
#[derive(Debug)]
pub(super) struct Arm {
    pub steps: Vec<Step>,
    pub results: Vec<Reg>,
    /// The registers of blocks around it that it reads, but those that are the same in every lane.
    pub uses: Vec<Reg>,
}

/// A statement.
#[derive(Debug)]
pub(super) enum Step {
    Op { dst: Reg, op: Op, args: Vec<Reg> },
    Threefry { dsts: [Reg; 2], words: [Reg; 4] },
    Read { dst: Reg, array: ValueId, index: Vec<(Reg, Rule)>, default: Option<Reg> },
    Own { dst: Reg, bind: ValueId, at: Reg },
    Window { dst: Reg, bind: ValueId, index: Vec<(Reg, Offset)>, default: Option<Reg> },
    Len { dst: Reg, seg: ValueId, at: Vec<Reg> },
    Start { dst: Reg, seg: ValueId, at: Vec<Reg> },
    If { dsts: Vec<Reg>, cond: Reg, then: Arm, otherwise: Arm },
    Loop(Loop),
    Check { cond: Reg },
}

/// A loop.
#[derive(Debug)]
pub(super) struct Loop {
    pub dsts: Vec<Reg>,
    /// The registers that rounds hand on, with those that they begin as.
    pub carried: Vec<(Reg, Reg)>,
    pub rounds: Rounds,
    pub body: Arm,
    /// The registers from outside that every round reads, but those that are the same in every lane.
    pub uses: Vec<Reg>,
}

/// When a loop ends.
#[derive(Debug)]
pub(super) enum Rounds {
    /// One round for each number from `from` to one less than `to`, which `counter` holds.
    Counted { counter: Reg, from: Reg, to: Reg },
    /// While the only result of a block holds.
    While(Arm),
}

impl Code {
    /// Compiles a thunk of a kernel; `None` if it has private arrays, or is too long.
    pub fn new(program: &Program, kernel: &Kernel, thunk: &Thunk) -> Option<Code> {
        let n_coordinates = thunk.n_params;
        let positions = n_coordinates + 1;
        let mut compiler = Compiler {
            kernel,
            registers: vec![ScalarType::Idx; n_coordinates + positions],
            uniform: BTreeSet::new(),
            literals: Vec::new(),
            scalars: Vec::new(),
            n_coordinates,
            n_steps: 0,
            nesting: 0,
        };
        let mut frame = Frame { program, thunk, locals: vec![None; thunk.locals.len()] };
        for coordinate in 0..n_coordinates {
            frame.locals[coordinate] = Some(Reg(coordinate));
        }
        let body = compiler.block(&mut frame, &thunk.body)?;
        let Compiler { registers, literals, scalars, .. } = compiler;
        Some(Code { registers, literals, scalars, body })
    }
}

/// A thunk that is being compiled.
struct Frame<'p> {
    program: &'p Program,
    thunk: &'p Thunk,
    locals: Vec<Option<Reg>>,
}

struct Compiler<'k> {
    kernel: &'k Kernel,
    registers: Vec<ScalarType>,
    /// Registers that hold the same value in every lane.
    uniform: BTreeSet<Reg>,
    literals: Vec<(Reg, Scalar)>,
    scalars: Vec<(Reg, ValueId)>,
    n_coordinates: usize,
    n_steps: usize,
    nesting: usize,
}

impl Compiler<'_> {
    fn register(&mut self, ty: ScalarType) -> Reg {
        self.registers.push(ty);
        Reg(self.registers.len() - 1)
    }

    /// A new register for a local.
    fn define(&mut self, frame: &mut Frame<'_>, local: LocalId) -> Reg {
        let register = self.register(frame.thunk.local_type(local));
        frame.locals[local.index()] = Some(register);
        register
    }

    fn define_all(&mut self, frame: &mut Frame<'_>, locals: &[LocalId]) -> Vec<Reg> {
        locals.iter().map(|&local| self.define(frame, local)).collect()
    }

    fn atom(&mut self, frame: &Frame<'_>, atom: Atom) -> Reg {
        match atom {
            Atom::Local(local) => {
                frame.locals[local.index()].expect("the verifier lets thunks read what is assigned before")
            }
            Atom::Const(scalar) => self.literal(scalar),
            Atom::Value(value) => {
                if let Some(&(register, _)) = self.scalars.iter().find(|(_, known)| *known == value) {
                    return register;
                }
                let ty = match &self.kernel.values[value.index()].ty {
                    Type::Array(array) => array.elem,
                    Type::Dim | Type::Seg(_) => ScalarType::Idx,
                };
                let register = self.register(ty);
                self.uniform.insert(register);
                self.scalars.push((register, value));
                register
            }
        }
    }

    fn literal(&mut self, scalar: Scalar) -> Reg {
        let is_same = |known: &Scalar| known.ty() == scalar.ty() && known.to_bits() == scalar.to_bits();
        if let Some(&(register, _)) = self.literals.iter().find(|(_, known)| is_same(known)) {
            return register;
        }
        let register = self.register(scalar.ty());
        self.uniform.insert(register);
        self.literals.push((register, scalar));
        register
    }

    fn atoms(&mut self, frame: &Frame<'_>, atoms: &[Atom]) -> Vec<Reg> {
        atoms.iter().map(|&atom| self.atom(frame, atom)).collect()
    }

    fn block(&mut self, frame: &mut Frame<'_>, block: &Block) -> Option<Arm> {
        let mut steps = Vec::new();
        self.stmts(frame, block, &mut steps)?;
        let results = self.atoms(frame, &block.results);
        Some(self.arm(steps, results))
    }

    fn stmts(&mut self, frame: &mut Frame<'_>, block: &Block, steps: &mut Vec<Step>) -> Option<()> {
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            return None;
        }
        for stmt in &block.stmts {
            self.stmt(frame, stmt, steps)?;
        }
        self.nesting -= 1;
        Some(())
    }

    /// A block of these steps, with the registers that it does not define itself.
    fn arm(&self, steps: Vec<Step>, results: Vec<Reg>) -> Arm {
        let (mut defined, mut read) = (BTreeSet::new(), BTreeSet::new());
        for step in &steps {
            step.for_each_read(&mut |register| {
                if !defined.contains(&register) {
                    read.insert(register);
                }
            });
            step.for_each_defined(&mut |register| {
                defined.insert(register);
            });
        }
        read.extend(results.iter().filter(|&result| !defined.contains(result)));
        let uses = read.into_iter().filter(|register| !self.uniform.contains(register)).collect();
        Arm { steps, results, uses }
    }

    fn stmt(&mut self, frame: &mut Frame<'_>, stmt: &Stmt, steps: &mut Vec<Step>) -> Option<()> {
        self.n_steps += 1;
        if self.n_steps > MOST_STEPS {
            return None;
        }
        let step = match &stmt.kind {
            StmtKind::Op { dst, op, args } => {
                let args = self.atoms(frame, args);
                if op.is_elementary() {
                    let (program, thunk) = math::math_thunk(*op, self.registers[args[0].0]);
                    let results = self.inline(program, thunk, args, steps)?;
                    frame.locals[dst.index()] = Some(results[0]);
                    return Some(());
                }
                Step::Op { dst: self.define(frame, *dst), op: *op, args }
            }
            StmtKind::Threefry { dsts, key, counter } => {
                let words = [key[0], key[1], counter[0], counter[1]].map(|atom| self.atom(frame, atom));
                Step::Threefry { dsts: dsts.map(|dst| self.define(frame, dst)), words }
            }
            StmtKind::Read { dst, array, index, default, site: _ } => {
                let index = index.iter().map(|Index { at, rule }| (self.atom(frame, *at), *rule)).collect();
                let default = default.map(|atom| self.atom(frame, atom));
                Step::Read { dst: self.define(frame, *dst), array: *array, index, default }
            }
            StmtKind::Own { dst, bind } => {
                let level = self.kernel.binder(*bind)?.1.result_level();
                let at = Reg(self.n_coordinates + level.0);
                Step::Own { dst: self.define(frame, *dst), bind: *bind, at }
            }
            StmtKind::Window { dst, bind, offsets, default, site: _ } => {
                let default = default.map(|atom| self.atom(frame, atom));
                let index = offsets.iter().enumerate().map(|(axis, &offset)| (Reg(axis), offset)).collect();
                Step::Window { dst: self.define(frame, *dst), bind: *bind, index, default }
            }
            StmtKind::Len { dst, seg, at } => {
                let at = self.atoms(frame, at);
                Step::Len { dst: self.define(frame, *dst), seg: *seg, at }
            }
            StmtKind::Start { dst, seg, at } => {
                let at = self.atoms(frame, at);
                Step::Start { dst: self.define(frame, *dst), seg: *seg, at }
            }
            StmtKind::Call { dsts, thunk, args } => {
                let args = self.atoms(frame, args);
                let results = self.call(frame.program, *thunk, args, steps)?;
                for (dst, result) in dsts.iter().zip(results) {
                    frame.locals[dst.index()] = Some(result);
                }
                return Some(());
            }
            StmtKind::If { dsts, cond, then, otherwise } => {
                let cond = self.atom(frame, *cond);
                let then = self.block(frame, then)?;
                let otherwise = self.block(frame, otherwise)?;
                Step::If { dsts: self.define_all(frame, dsts), cond, then, otherwise }
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                let (from, to) = (self.atom(frame, *from), self.atom(frame, *to));
                let carried = self.carried(frame, carried);
                let counter = self.define(frame, *var);
                let body = self.block(frame, body)?;
                let dsts = self.define_all(frame, dsts);
                self.a_loop(dsts, carried, Rounds::Counted { counter, from, to }, body)
            }
            StmtKind::While { dsts, carried, cond, body } => {
                let carried = self.carried(frame, carried);
                let cond = self.block(frame, cond)?;
                let body = self.block(frame, body)?;
                let dsts = self.define_all(frame, dsts);
                self.a_loop(dsts, carried, Rounds::While(cond), body)
            }
            StmtKind::Check { cond, code: _, site: _ } => Step::Check { cond: self.atom(frame, *cond) },
            StmtKind::PrivateNew { .. } | StmtKind::PrivateGet { .. } | StmtKind::PrivateSet { .. } => {
                return None;
            }
        };
        steps.push(step);
        Some(())
    }

    /// The registers that a loop carries, with those that they begin as.
    fn carried(&mut self, frame: &mut Frame<'_>, carried: &[Carried]) -> Vec<(Reg, Reg)> {
        let inits: Vec<Reg> = carried.iter().map(|carried| self.atom(frame, carried.init)).collect();
        let locals = carried.iter().map(|carried| carried.local);
        locals.zip(inits).map(|(local, init)| (self.define(frame, local), init)).collect()
    }

    fn a_loop(&self, dsts: Vec<Reg>, carried: Vec<(Reg, Reg)>, rounds: Rounds, body: Arm) -> Step {
        let mut uses: BTreeSet<Reg> = body.uses.iter().copied().collect();
        match &rounds {
            Rounds::Counted { counter, from: _, to } => {
                uses.insert(*to);
                uses.remove(counter);
            }
            Rounds::While(cond) => uses.extend(&cond.uses),
        }
        for (register, _) in &carried {
            uses.remove(register);
        }
        let uses = uses.into_iter().filter(|register| !self.uniform.contains(register)).collect();
        Step::Loop(Loop { dsts, carried, rounds, body, uses })
    }

    fn call(
        &mut self,
        program: &Program,
        thunk: ThunkId,
        args: Vec<Reg>,
        steps: &mut Vec<Step>,
    ) -> Option<Vec<Reg>> {
        self.inline(program, &program.thunk(thunk).thunk, args, steps)
    }

    /// Appends the steps of a called thunk. Thunks do not recurse.
    fn inline(
        &mut self,
        program: &Program,
        thunk: &Thunk,
        args: Vec<Reg>,
        steps: &mut Vec<Step>,
    ) -> Option<Vec<Reg>> {
        let mut frame = Frame { program, thunk, locals: vec![None; thunk.locals.len()] };
        for (local, arg) in frame.locals.iter_mut().zip(args) {
            *local = Some(arg);
        }
        self.stmts(&mut frame, &thunk.body, steps)?;
        Some(self.atoms(&frame, &thunk.body.results))
    }
}

impl Step {
    /// Visits the registers that it reads, those of nested blocks included.
    fn for_each_read(&self, visit: &mut dyn FnMut(Reg)) {
        match self {
            Step::Op { dst: _, op: _, args } => args.iter().for_each(|&arg| visit(arg)),
            Step::Threefry { dsts: _, words } => words.iter().for_each(|&word| visit(word)),
            Step::Read { dst: _, array: _, index, default } => {
                index.iter().for_each(|&(at, _)| visit(at));
                default.iter().for_each(|&default| visit(default));
            }
            Step::Own { dst: _, bind: _, at } => visit(*at),
            Step::Window { dst: _, bind: _, index, default } => {
                index.iter().for_each(|&(at, _)| visit(at));
                default.iter().for_each(|&default| visit(default));
            }
            Step::Len { dst: _, seg: _, at } | Step::Start { dst: _, seg: _, at } => {
                at.iter().for_each(|&at| visit(at));
            }
            Step::If { dsts: _, cond, then, otherwise } => {
                visit(*cond);
                then.uses.iter().chain(&otherwise.uses).for_each(|&register| visit(register));
            }
            Step::Loop(each) => {
                each.carried.iter().for_each(|&(_, init)| visit(init));
                if let Rounds::Counted { from, .. } = each.rounds {
                    visit(from);
                }
                each.uses.iter().for_each(|&register| visit(register));
            }
            Step::Check { cond } => visit(*cond),
        }
    }

    /// Visits the registers that it assigns and that the statements after it may read.
    fn for_each_defined(&self, visit: &mut dyn FnMut(Reg)) {
        match self {
            Step::Op { dst, .. }
            | Step::Read { dst, .. }
            | Step::Own { dst, .. }
            | Step::Window { dst, .. }
            | Step::Len { dst, .. }
            | Step::Start { dst, .. } => visit(*dst),
            Step::Threefry { dsts, words: _ } => dsts.iter().for_each(|&dst| visit(dst)),
            Step::If { dsts, .. } | Step::Loop(Loop { dsts, .. }) => dsts.iter().for_each(|&dst| visit(dst)),
            Step::Check { cond: _ } => {}
        }
    }
}
