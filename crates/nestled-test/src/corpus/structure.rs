//! Structure counts: numbers of constructs in a program, which guard the effect of optimisations.

use nestled_ir::verify::kernel_shape;
use nestled_ir::{Function, HostBlock, HostOp, Kernel, Program, StmtKind, Thunk, Type, ValueId};
use std::collections::BTreeSet;

/// A count of constructs in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Kernels.
    Kernels,
    /// Combinators of all kernels.
    Combinators,
    /// Reads of arrays in all kernels, as written; a read in a loop counts once.
    Reads,
    /// Statements of host code that run a kernel.
    Runs,
    /// The most sweeps that a kernel takes.
    Sweeps,
    /// The most stages that a kernel takes.
    Stages,
    /// Temporaries: arrays that host code binds and does not return, which take memory in between.
    Temporaries,
    /// Statements of host code, kernels and named thunks.
    Statements,
}

impl Count {
    const ALL: [(Count, &'static str); 8] = [
        (Count::Kernels, "kernels"),
        (Count::Combinators, "combinators"),
        (Count::Reads, "reads"),
        (Count::Runs, "runs"),
        (Count::Sweeps, "sweeps"),
        (Count::Stages, "stages"),
        (Count::Temporaries, "temporaries"),
        (Count::Statements, "statements"),
    ];

    /// The count with this name.
    pub fn from_name(name: &str) -> Option<Count> {
        Count::ALL.into_iter().find(|(_, known)| *known == name).map(|(count, _)| count)
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        Count::ALL.into_iter().find(|(count, _)| *count == self).map_or("", |(_, name)| name)
    }

    /// Computes the count.
    pub fn of(self, program: &Program) -> usize {
        let shapes = || program.kernels.iter().map(|kernel| kernel_shape(program, kernel));
        match self {
            Count::Kernels => program.kernels.len(),
            Count::Combinators => program.kernels.iter().map(|kernel| kernel.steps.len()).sum(),
            Count::Reads => kernel_thunks(program)
                .map(|thunk| count(thunk, |kind| matches!(kind, StmtKind::Read { .. })))
                .sum(),
            Count::Runs => {
                program.functions.iter().map(|f| count_host(f, |op| matches!(op, HostOp::Run { .. }))).sum()
            }
            Count::Sweeps => shapes().map(|shape| shape.n_sweeps()).max().unwrap_or(0),
            Count::Stages => shapes().map(|shape| shape.n_stages()).max().unwrap_or(0),
            Count::Temporaries => program.functions.iter().map(temporaries).sum(),
            Count::Statements => {
                let named = program.thunks.iter().map(|def| &def.thunk);
                let thunks: usize =
                    kernel_thunks(program).chain(named).map(|thunk| count(thunk, |_| true)).sum();
                thunks + program.functions.iter().map(|f| count_host(f, |_| true)).sum::<usize>()
            }
        }
    }
}

fn kernel_thunks(program: &Program) -> impl Iterator<Item = &Thunk> {
    program.kernels.iter().flat_map(|kernel: &Kernel| kernel.steps.iter().map(|step| &step.body))
}

fn count(thunk: &Thunk, wanted: impl Fn(&StmtKind) -> bool) -> usize {
    let mut found = 0;
    thunk.body.walk(&mut |stmt| found += usize::from(wanted(&stmt.kind)));
    found
}

fn count_host(function: &Function, wanted: impl Fn(&HostOp) -> bool) -> usize {
    let mut found = 0;
    function.body.walk(&mut |stmt| found += usize::from(wanted(&stmt.op)));
    found
}

fn temporaries(function: &Function) -> usize {
    let mut returned = BTreeSet::new();
    add_results(&function.body, &mut returned);
    let is_array = |value: ValueId| match &function.values[value.index()].ty {
        Type::Array(array) => !array.shape.is_scalar(),
        Type::Dim | Type::Seg(_) => false,
    };
    let mut found = 0;
    function.body.walk(&mut |stmt| {
        found += stmt.binds.iter().filter(|&&bind| is_array(bind) && !returned.contains(&bind)).count();
    });
    found
}

/// Adds the results of the block, and those results of branches that the block returns.
fn add_results(block: &HostBlock, returned: &mut BTreeSet<ValueId>) {
    returned.extend(block.results.iter().filter_map(|atom| match atom {
        nestled_ir::HostAtom::Value(value) => Some(*value),
        nestled_ir::HostAtom::Const(_) => None,
    }));
    for stmt in &block.stmts {
        if stmt.binds.iter().any(|bind| returned.contains(bind)) {
            stmt.op.blocks().into_iter().for_each(|block| add_results(block, returned));
        }
    }
}
