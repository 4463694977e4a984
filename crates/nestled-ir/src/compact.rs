//! Canonical numbering: renumbers values, locals and private arrays in order of the text, and drops unused table entries.
//!
//! The order of the text: parameters first, then statement by statement what it binds, before the contents of its blocks. Table entries that
//! nothing mentions are dropped. The parser makes programs in this numbering. Passes need not: they end with [`renumber`], so that their
//! results print and compare well. Fault sites keep their numbers.

use crate::host::{Function, HostBlock};
use crate::id::ValueId;
use crate::kernel::Kernel;
use crate::name::Value;
use crate::program::Program;
use crate::thunk::{Atom, Block, Thunk, ThunkPart, ThunkPartMut};

/// The same program in canonical numbering.
pub fn compact(program: &Program) -> Program {
    let mut program = program.clone();
    renumber(&mut program);
    program
}

/// Gives a program canonical numbering.
pub fn renumber(program: &mut Program) {
    for def in &mut program.thunks {
        renumber_thunk(&mut def.thunk);
    }
    for kernel in &mut program.kernels {
        renumber_kernel(kernel);
    }
    for function in &mut program.functions {
        compact_function(function);
    }
}

/// New numbers for the entries of one table, given out in order of first mention.
struct Renumbering {
    new: Vec<Option<u32>>,
    order: Vec<usize>,
}

impl Renumbering {
    fn new(len: usize) -> Renumbering {
        Renumbering { new: vec![None; len], order: Vec::new() }
    }

    /// The new number; ids outside of the table keep their old one.
    fn number(&mut self, old: u32) -> u32 {
        let Some(place) = self.new.get_mut(old as usize) else { return old };
        *place.get_or_insert_with(|| {
            self.order.push(old as usize);
            (self.order.len() - 1) as u32
        })
    }

    fn value(&mut self, value: &mut ValueId) {
        value.0 = self.number(value.0);
    }

    /// The mentioned entries in their new order.
    fn table<T: Clone>(&self, old: &[T]) -> Vec<T> {
        self.order.iter().map(|&index| old[index].clone()).collect()
    }
}

/// Renumbers a table of values, including the values in their types.
fn value_table(values: &mut Vec<Value>, numbers: &mut Renumbering) {
    let mut table = Vec::new();
    // Types may mention what nothing else does, and so lengthen the list while it is walked.
    while let Some(&old) = numbers.order.get(table.len()) {
        let mut value = values[old].clone();
        value.ty.for_each_symbol_mut(&mut |symbol| numbers.value(symbol));
        table.push(value);
    }
    *values = table;
}

fn compact_function(function: &mut Function) {
    let mut numbers = Renumbering::new(function.values.len());
    let ids = function.shapes.iter_mut().chain(&mut function.params).chain(&mut function.results);
    ids.for_each(|value| numbers.value(value));
    number_binds(&function.body, &mut numbers);
    rename_block(&mut function.body, &mut numbers);
    value_table(&mut function.values, &mut numbers);
}

/// Numbers the values that statements bind, in order.
fn number_binds(block: &HostBlock, numbers: &mut Renumbering) {
    block.walk(&mut |stmt| {
        for bind in &stmt.binds {
            numbers.number(bind.0);
        }
    });
}

fn rename_block(block: &mut HostBlock, numbers: &mut Renumbering) {
    for stmt in &mut block.stmts {
        stmt.binds.iter_mut().for_each(|bind| numbers.value(bind));
        stmt.op.for_each_value(&mut |value| numbers.value(value));
        for inner in stmt.op.blocks_mut() {
            rename_block(inner, numbers);
        }
    }
    block.results.iter_mut().for_each(|atom| atom.for_value(&mut |value| numbers.value(value)));
}

/// Gives one kernel canonical numbering.
pub fn renumber_kernel(kernel: &mut Kernel) {
    let mut numbers = Renumbering::new(kernel.values.len());
    kernel.shapes.iter_mut().chain(&mut kernel.params).for_each(|value| numbers.value(value));
    for step in &mut kernel.steps {
        step.binds.iter_mut().for_each(|bind| numbers.value(bind));
    }
    kernel.space.iter_mut().for_each(|axis| axis.for_symbol(&mut |value| numbers.value(value)));
    for step in &mut kernel.steps {
        step.guard.iter_mut().for_each(|guard| numbers.value(guard));
        step.kind.for_each_value(&mut |value| numbers.value(value));
        renumber_thunk(&mut step.body);
        rename_captured(&mut step.body.body, &mut numbers);
    }
    kernel.ret.iter_mut().for_each(|value| numbers.value(value));
    value_table(&mut kernel.values, &mut numbers);
}

/// Renames the values of a kernel in a thunk.
fn rename_captured(block: &mut Block, numbers: &mut Renumbering) {
    for stmt in &mut block.stmts {
        stmt.kind.for_each_part_mut(&mut |part| match part {
            ThunkPartMut::Param(value)
            | ThunkPartMut::Earlier(value)
            | ThunkPartMut::Atom(Atom::Value(value)) => numbers.value(value),
            ThunkPartMut::Block(block) => rename_captured(block, numbers),
            ThunkPartMut::Atom(Atom::Local(_) | Atom::Const(_))
            | ThunkPartMut::Dst(_)
            | ThunkPartMut::LoopLocal(_)
            | ThunkPartMut::NewPrivate(_)
            | ThunkPartMut::Private(_)
            | ThunkPartMut::Thunk(_)
            | ThunkPartMut::Rule(_)
            | ThunkPartMut::Site(_) => {}
        });
    }
    for result in &mut block.results {
        match result {
            Atom::Value(value) => numbers.value(value),
            Atom::Local(_) | Atom::Const(_) => {}
        }
    }
}

/// The numbers of one thunk's locals and private arrays.
struct ThunkNumbers {
    locals: Renumbering,
    privates: Renumbering,
}

/// Gives one thunk canonical numbering; the values of the kernel around it keep theirs.
pub fn renumber_thunk(thunk: &mut Thunk) {
    let mut numbers = ThunkNumbers {
        locals: Renumbering::new(thunk.locals.len()),
        privates: Renumbering::new(thunk.privates.len()),
    };
    for param in 0..thunk.n_params.min(thunk.locals.len()) {
        numbers.locals.number(param as u32);
    }
    for given in 0..thunk.n_given.min(thunk.privates.len()) {
        numbers.privates.number(given as u32);
    }
    number_locals(&thunk.body, &mut numbers);
    rename_locals(&mut thunk.body, &mut numbers);
    thunk.locals = numbers.locals.table(&thunk.locals);
    thunk.privates = numbers.privates.table(&thunk.privates);
}

/// Numbers the locals that statements bind, in order.
fn number_locals(block: &Block, numbers: &mut ThunkNumbers) {
    block.walk(&mut |stmt| {
        stmt.kind.for_each_part(&mut |part| match part {
            ThunkPart::Dst(local) | ThunkPart::LoopLocal(local) => {
                numbers.locals.number(local.0);
            }
            ThunkPart::NewPrivate(array) => {
                numbers.privates.number(array.0);
            }
            ThunkPart::Atom(_)
            | ThunkPart::Param(_)
            | ThunkPart::Earlier(_)
            | ThunkPart::Block(_)
            | ThunkPart::Private(_)
            | ThunkPart::Thunk(_)
            | ThunkPart::Rule(_)
            | ThunkPart::Site(_) => {}
        });
    });
}

fn rename_locals(block: &mut Block, numbers: &mut ThunkNumbers) {
    for stmt in &mut block.stmts {
        stmt.kind.for_each_part_mut(&mut |part| match part {
            ThunkPartMut::Dst(local) | ThunkPartMut::LoopLocal(local) => {
                local.0 = numbers.locals.number(local.0);
            }
            ThunkPartMut::Atom(atom) => rename_atom(atom, numbers),
            ThunkPartMut::NewPrivate(array) | ThunkPartMut::Private(array) => {
                array.0 = numbers.privates.number(array.0);
            }
            ThunkPartMut::Block(block) => rename_locals(block, numbers),
            ThunkPartMut::Param(_)
            | ThunkPartMut::Earlier(_)
            | ThunkPartMut::Thunk(_)
            | ThunkPartMut::Rule(_)
            | ThunkPartMut::Site(_) => {}
        });
    }
    block.results.iter_mut().for_each(|atom| rename_atom(atom, numbers));
}

fn rename_atom(atom: &mut Atom, numbers: &mut ThunkNumbers) {
    if let Atom::Local(local) = atom {
        local.0 = numbers.locals.number(local.0);
    }
}
