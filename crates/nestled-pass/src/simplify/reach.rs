//! Dead definition elimination (reachability from `main`): removes functions, kernels, monoids and thunks that `main` cannot reach. A program without `main` keeps everything,
//! since any of its functions may be called.

use nestled_ir::{
    Block, CombinatorKind, CombinatorPart, CombinatorPartMut, FunctionId, HostBlock, HostPart, HostPartMut,
    Kernel, KernelId, MonoidId, Program, StmtKind, ThunkId, ThunkPartMut,
};

/// Removes the definitions that `main` cannot reach.
pub fn keep_reachable(program: &mut Program) {
    let Some(main) = program.find_function(Program::ENTRY) else { return };
    let mut reach = Reach {
        program,
        functions: vec![false; program.functions.len()],
        kernels: vec![false; program.kernels.len()],
        monoids: vec![false; program.monoids.len()],
        thunks: vec![false; program.thunks.len()],
        work: Vec::new(),
    };
    reach.function(main);
    reach.run();
    let Reach { functions, kernels, monoids, thunks, .. } = reach;
    if [&functions, &kernels, &monoids, &thunks].iter().any(|marks| marks.contains(&false)) {
        retain_marked(program, &functions, &kernels, &monoids, &thunks);
    }
}

/// An entry of the worklist. A list instead of recursion: chains of calls may be long.
enum Item {
    Function(FunctionId),
    Kernel(KernelId),
    Monoid(MonoidId),
    Thunk(ThunkId),
}

struct Reach<'a> {
    program: &'a Program,
    functions: Vec<bool>,
    kernels: Vec<bool>,
    monoids: Vec<bool>,
    thunks: Vec<bool>,
    work: Vec<Item>,
}

impl Reach<'_> {
    fn function(&mut self, id: FunctionId) {
        if !std::mem::replace(&mut self.functions[id.index()], true) {
            self.work.push(Item::Function(id));
        }
    }

    fn kernel(&mut self, id: KernelId) {
        if !std::mem::replace(&mut self.kernels[id.index()], true) {
            self.work.push(Item::Kernel(id));
        }
    }

    fn monoid(&mut self, id: MonoidId) {
        if !std::mem::replace(&mut self.monoids[id.index()], true) {
            self.work.push(Item::Monoid(id));
        }
    }

    fn thunk(&mut self, id: ThunkId) {
        if !std::mem::replace(&mut self.thunks[id.index()], true) {
            self.work.push(Item::Thunk(id));
        }
    }

    fn run(&mut self) {
        let program = self.program;
        while let Some(item) = self.work.pop() {
            match item {
                Item::Function(id) => self.host_block(&program.function(id).body),
                Item::Kernel(id) => self.steps(program.kernel(id)),
                Item::Monoid(id) => self.thunk(program.monoid(id).combine),
                Item::Thunk(id) => self.block(&program.thunk(id).thunk.body),
            }
        }
    }

    fn host_block(&mut self, block: &HostBlock) {
        block.walk(&mut |stmt| {
            stmt.op.for_each_part(&mut |part| match part {
                HostPart::Function(function) => self.function(*function),
                HostPart::Kernel(kernel) => self.kernel(*kernel),
                HostPart::Atom(_)
                | HostPart::Value(_)
                | HostPart::Axis(_)
                | HostPart::Block(_)
                | HostPart::Site(_) => {}
            });
        });
    }

    fn steps(&mut self, kernel: &Kernel) {
        for step in &kernel.steps {
            step.kind.for_each_part(&mut |part| {
                if let CombinatorPart::Monoid(monoid) = part {
                    monoid.users().for_each(|id| self.monoid(id));
                }
            });
            self.block(&step.body.body);
        }
    }

    fn block(&mut self, block: &Block) {
        block.walk(&mut |stmt| {
            if let StmtKind::Call { thunk, .. } = stmt.kind {
                self.thunk(thunk);
            }
        });
    }
}

/// For each entry of a table: its new position, if it stays.
struct Renumbering(Vec<usize>);

impl Renumbering {
    /// Removes the entries that are not marked.
    fn retain<T>(table: &mut Vec<T>, marks: &[bool]) -> Renumbering {
        let mut kept = marks.iter();
        table.retain(|_| kept.next() == Some(&true));
        let mut next = 0;
        let new = marks.iter().map(|&kept| {
            next += usize::from(kept);
            next.saturating_sub(1)
        });
        Renumbering(new.collect())
    }

    fn of<I: From<usize>>(&self, old: usize) -> I {
        I::from(self.0[old])
    }
}

fn retain_marked(
    program: &mut Program,
    functions: &[bool],
    kernels: &[bool],
    monoids: &[bool],
    thunks: &[bool],
) {
    let functions = Renumbering::retain(&mut program.functions, functions);
    let kernels = Renumbering::retain(&mut program.kernels, kernels);
    let monoids = Renumbering::retain(&mut program.monoids, monoids);
    let thunks = Renumbering::retain(&mut program.thunks, thunks);
    for function in &mut program.functions {
        renumber_host(&mut function.body, &functions, &kernels);
    }
    for step in program.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        renumber_monoid(&mut step.kind, &monoids);
        renumber_calls(&mut step.body.body, &thunks);
    }
    for monoid in &mut program.monoids {
        monoid.combine = thunks.of(monoid.combine.index());
    }
    for def in &mut program.thunks {
        renumber_calls(&mut def.thunk.body, &thunks);
    }
}

fn renumber_host(block: &mut HostBlock, functions: &Renumbering, kernels: &Renumbering) {
    for stmt in &mut block.stmts {
        stmt.op.for_each_part_mut(&mut |part| match part {
            HostPartMut::Function(function) => *function = functions.of(function.index()),
            HostPartMut::Kernel(kernel) => *kernel = kernels.of(kernel.index()),
            HostPartMut::Block(block) => renumber_host(block, functions, kernels),
            HostPartMut::Atom(_) | HostPartMut::Value(_) | HostPartMut::Axis(_) | HostPartMut::Site(_) => {}
        });
    }
}

fn renumber_monoid(kind: &mut CombinatorKind, monoids: &Renumbering) {
    kind.for_each_part_mut(&mut |part| {
        if let CombinatorPartMut::Monoid(monoid) = part {
            monoid.users_mut().for_each(|id| *id = monoids.of(id.index()));
        }
    });
}

fn renumber_calls(block: &mut Block, thunks: &Renumbering) {
    for stmt in &mut block.stmts {
        stmt.kind.for_each_part_mut(&mut |part| match part {
            ThunkPartMut::Thunk(thunk) => *thunk = thunks.of(thunk.index()),
            ThunkPartMut::Block(block) => renumber_calls(block, thunks),
            ThunkPartMut::Dst(_)
            | ThunkPartMut::LoopLocal(_)
            | ThunkPartMut::Atom(_)
            | ThunkPartMut::Param(_)
            | ThunkPartMut::Earlier(_)
            | ThunkPartMut::NewPrivate(_)
            | ThunkPartMut::Private(_)
            | ThunkPartMut::Rule(_)
            | ThunkPartMut::Site(_) => {}
        });
    }
}
